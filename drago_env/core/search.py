"""Determinised Monte Carlo for any game, flat or as a tree: `searches` compiles both for one game.

A game hands over its own compiled functions over one record of the state. They are closed over,
so numba links and inlines them as if they stood here. A game without rules of thumb leaves
`assess` out and gets uniform playouts; one without an estimate of the chance to win leaves `leaf`
out, and its playouts run to the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from drago_env.core.batches import NO_ACTION, Functions
from drago_env.core.chance import GOLDEN, below, mixed
from drago_env.core.compiled import compiled_for, inlined

FREE = -1  # an unused slot of the table of edges; no node
UNSEEN = (1 << 16) - 1  # the edge of a decision that a seat does not see
LONGEST = 64  # decisions of a path in the tree
END_OF_GAME = 1 << 30  # a depth that no game reaches
_S32 = np.uint64(32)

PLAN = np.dtype(
    [
        ("playouts", "<i8"),
        ("depth", "<i8"),
        ("noise", "<f8"),
        ("explore", "<f8"),
        ("sharpness", "<f8"),  # how closely that bonus follows `assess`
        ("margin", "?"),
        ("sees_all", "?"),
    ],
    align=True,
)
EDGE = np.dtype([("edge", "<i8"), ("child", "<i8")])  # a slot of the table


class Advice(NamedTuple):
    """What a game can tell a search besides its rules."""

    kind: Any = None  # (game) -> the row of the weights that it is played with
    assess: Any = None  # (game, count, rules, weights, work) -> the best place; work["values"]
    leaf: Any = None  # (game, rules, plan, weights, work): work["leaf"], a value for each seat
    hidden: Any = None  # (game, seat) -> whether the decision on turn is hidden from this seat


class Mind(NamedTuple):
    """What all playouts of one decision share."""

    rules: Any
    plan: Any
    work: Any


@inlined
def _no_kind(game: Any) -> Any:
    return 0


@inlined
def _seen(game: Any, seat: Any) -> Any:
    return False


@inlined
def _alike(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> Any:
    """Without rules of thumb all actions are worth the same."""
    for i in range(count):
        work["values"][i] = 0.0
    return 0


@inlined
def _best_first(order: Any, count: Any, scores: Any) -> None:
    """Sorts the first places of `order` by their scores; equals keep their order."""
    for i in range(1, count):
        candidate = order[i]
        j = i
        while j > 0 and scores[order[j - 1]] < scores[candidate]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = candidate


@inlined
def _find(edges: Any, node: Any, action: Any) -> Any:
    """The slot of an edge in the hash table, or the free slot where it goes."""
    edge = node << 32 | action
    mask = edges.shape[0] - 1
    slot = np.int64(mixed(np.uint64(edge)) & np.uint64(mask))
    while edges[slot]["edge"] != edge and edges[slot]["edge"] != FREE:
        slot = (slot + 1) & mask
    return slot


@inlined
def _select(node: Any, seat: Any, count: Any, mind: Any, nodes: Any, edges: Any) -> Any:
    """The place of the action to try next: the best mean for the seat on turn, with a bonus.

    The bonus is for what is little known, and follows what the rules of thumb think of it
    (`work["values"]`, by a softmax), as in PUCT. Only what is legal in this world takes part, so
    a child counts in `chances` how often it could have been chosen.
    """
    work, plan = mind.work, mind.plan
    values = work["values"]
    here = nodes[node]
    top = values[0]
    for i in range(1, count):
        top = max(top, values[i])
    total = 0.0
    for i in range(count):
        values[i] = np.exp((values[i] - top) * plan["sharpness"])
        total += values[i]
    mean = here["totals"][seat] / max(here["visits"], 1)
    best = 0
    best_score = -1e9
    for i in range(count):
        slot = _find(edges, node, np.int64(work["actions"][i]))
        score = mean
        tried = 0
        chances = here["visits"]
        if edges[slot]["edge"] != FREE:
            child = nodes[edges[slot]["child"]]
            child["chances"] += 1
            tried = child["visits"]
            chances = child["chances"]
            score = child["totals"][seat] / tried
        score += plan["explore"] * values[i] / total * np.sqrt(chances + 1.0) / (1.0 + tried)
        if score > best_score:
            best_score = score
            best = i
    return best


class Searches(NamedTuple):
    """The planners' loops of one game; see `searches`."""

    flat: Any
    tree: Any
    assess: Any = None
    roll: Any = None


def searches(module: str, functions: Functions, advice: Advice | None = None) -> Searches:
    """The loops of the game that hands its functions over in this module.

    Both searches take `(state, seeds, shared, actions, counts, totals, visits)`; `shared` is the
    tables, the plan, the weights of the rules of thumb and those of the leaf, a row for each kind.
    """
    advice = advice or Advice()
    roll = _roller(functions, advice)
    found = Searches(
        _flat_search(module, functions, advice, roll),
        _tree_search(module, functions, advice, roll),
    )
    return found if advice.assess is None else found._replace(**_thumbs(module, functions, advice))


def _thumbs(module: str, functions: Functions, advice: Advice) -> dict[str, Any]:
    """Decisions by the rules of thumb alone."""
    made, work_type = compiled_for(module), functions.work
    rules_of, over, legal = functions.rules_of, functions.over, functions.legal
    apply, judge, kind_of = functions.apply, advice.assess, advice.kind or _no_kind

    @made
    def assess(state: Any, shared: Any, best: Any) -> None:
        """The best legal action of each game by the rules of thumb."""
        tables, weights = shared
        works = np.empty(1, work_type)
        for row in range(state.shape[0]):
            game = state[row]
            rules = rules_of(game, tables)
            count = legal(game, rules, works[0]["actions"])
            best[row] = NO_ACTION
            if count > 0:
                place = judge(game, count, rules, weights[kind_of(game)], works[0])
                best[row] = np.int64(works[0]["actions"][place])

    @made
    def roll(state: Any, picks: Any, who: Any, shared: Any) -> None:
        """Plays on for so many decisions; seat k of a row has the weights number `who[row, k]`."""
        tables, weights, depth, noise = shared
        limit = np.uint64(noise * 4294967296.0)
        works = np.empty(1, work_type)
        for row in range(state.shape[0]):
            work = works[0]
            game = state[row]
            rules = rules_of(game, tables)
            for _ in range(depth):
                if over(game):
                    break
                count = legal(game, rules, work["actions"])
                picks[row] += GOLDEN
                if (mixed(picks[row]) >> _S32) < limit:
                    picks[row] += GOLDEN
                    best = below(picks[row], count)
                else:
                    best = judge(game, count, rules, weights[who[row, game["seat"]]], work)
                apply(game, np.int64(work["actions"][best]), rules, work["points"])

    return {"assess": assess, "roll": roll}


def _roller(functions: Functions, advice: Advice) -> Any:
    over, legal, apply, shares = functions.over, functions.legal, functions.apply, functions.shares
    assess, leaf, seats = advice.assess or _alike, advice.leaf, functions.seats
    uniform, to_the_end = advice.assess is None, leaf is None

    @inlined
    def value_end(game: Any, rules: Any, plan: Any, weights: Any, work: Any) -> None:
        for seat in range(seats):
            work["leaf"][seat] = 0.0
        shares(game, work["leaf"])

    estimate = leaf or value_end

    @inlined
    def roll(game: Any, pick: Any, mind: Any, weights: Any, leaf_weights: Any) -> None:
        """Plays on for so many decisions, each with probability `noise` at random; the leaf."""
        work = mind.work
        limit = np.uint64(mind.plan["noise"] * 4294967296.0)
        for _ in range(END_OF_GAME if to_the_end else mind.plan["depth"]):
            if over(game):
                break
            count = legal(game, mind.rules, work["actions"])
            pick += GOLDEN
            if uniform:
                best = below(pick, count)
            elif (mixed(pick) >> _S32) < limit:
                pick += GOLDEN
                best = below(pick, count)
            else:
                best = assess(game, count, mind.rules, weights, work)
            apply(game, np.int64(work["actions"][best]), mind.rules, work["points"])
        estimate(game, mind.rules, mind.plan, leaf_weights, work)

    return roll


def _flat_search(module: str, functions: Functions, advice: Advice, roll: Any) -> Any:
    made, work_type = compiled_for(module), functions.work
    rules_of, apply, determinize = functions.rules_of, functions.apply, functions.determinize
    kind_of = advice.kind or _no_kind

    @inlined
    def think(
        start: Any,
        seed: Any,
        mind: Any,
        weights: Any,
        leaf_weights: Any,
        worlds: Any,
        actions: Any,
        count: Any,
        totals: Any,
        visits: Any,
    ) -> None:
        """Sequential halving: all candidates meet the same worlds, the better half goes on.

        What their playouts are worth is added to what `totals` holds already.
        `worlds[0]` is a possible world, `worlds[1]` the game played on in it.
        """
        seat = start["seat"]
        work, plan = mind.work, mind.plan
        order, scores = work["order"], work["values"]
        for i in range(count):
            order[i] = i
        alive = count
        rounds = 1
        while 1 << rounds < alive:
            rounds += 1
        while alive > 1:
            for _ in range(max(1, plan["playouts"] // (rounds * alive))):
                seed += GOLDEN
                worlds[0] = start
                if not plan["sees_all"]:
                    determinize(worlds[0], seat, seed, mind.rules, work)
                for i in range(alive):
                    worlds[1] = worlds[0]
                    game = worlds[1]
                    apply(game, np.int64(actions[order[i]]), mind.rules, work["points"])
                    roll(game, mixed(~seed), mind, weights, leaf_weights)
                    totals[order[i]] += work["leaf"][seat]
                    visits[order[i]] += 1
            for i in range(alive):
                scores[order[i]] = totals[order[i]] / visits[order[i]]
            _best_first(order, alive, scores)
            alive = (alive + 1) // 2

    @made
    def search_flat(
        state: Any, seeds: Any, shared: Any, actions: Any, counts: Any, totals: Any, visits: Any
    ) -> None:
        """Playouts of the listed actions, by sequential halving."""
        tables, plan, weights, leaf_weights = shared
        works = np.empty(1, work_type)
        worlds = np.empty(2, state.dtype)
        for row in range(state.shape[0]):
            kind = kind_of(state[row])
            mind = Mind(rules_of(state[row], tables), plan[0], works[0])
            think(
                state[row],
                seeds[row],
                mind,
                weights[kind],
                leaf_weights[kind],
                worlds,
                actions[row],
                counts[row],
                totals[row],
                visits[row],
            )

    return search_flat


def _tree_search(module: str, functions: Functions, advice: Advice, roll: Any) -> Any:
    """One tree for all seats, or, where decisions are hidden, one for each seat.

    In a seat's tree a decision that it does not see is one edge, whatever was chosen, so no seat
    plans on what it cannot know; each seat chooses by its own tree, what is best for itself.
    """
    made, work_type, seats = compiled_for(module), functions.work, functions.seats
    rules_of, over, legal = functions.rules_of, functions.over, functions.legal
    apply, determinize = functions.apply, functions.determinize
    assess, kind_of = advice.assess or _alike, advice.kind or _no_kind
    hidden, trees = advice.hidden or _seen, seats if advice.hidden else 1
    node_type = np.dtype([("visits", "<i8"), ("chances", "<i8"), ("totals", "<f8", (seats,))])

    @inlined
    def advance(game: Any, tree: Any, action: Any, paths: Any, length: Any, tables: Any) -> Any:
        """Takes one tree along an edge; whether it had to grow for it. Full trees stay behind."""
        nodes, edges, used = tables
        node = paths[tree, length - 1]
        paths[tree, length] = FREE
        if node == FREE:
            return False
        edge = UNSEEN if hidden(game, tree) else action
        slot = _find(edges, node, edge)
        new = edges[slot]["edge"] == FREE
        if new:
            if used[0] == nodes.shape[0]:
                return True
            edges[slot]["edge"] = node << 32 | edge
            edges[slot]["child"] = used[0]
            nodes[used[0]]["chances"] = 1
            used[0] += 1
        paths[tree, length] = edges[slot]["child"]
        return new

    @inlined
    def descend(game: Any, mind: Any, weights: Any, paths: Any, tables: Any) -> Any:
        """Follows the trees in one world to a new node, or to the end; the path's length."""
        work = mind.work
        nodes, edges, _ = tables
        length = 1
        for tree in range(trees):
            paths[tree, 0] = tree
        while not over(game) and length < LONGEST:
            count = legal(game, mind.rules, work["actions"])
            assess(game, count, mind.rules, weights, work)
            own = np.int64(game["seat"]) if trees > 1 else 0
            node = paths[own, length - 1]
            if node == FREE:
                break
            best = _select(node, game["seat"], count, mind, nodes, edges)
            action = np.int64(work["actions"][best])
            grown = False
            for tree in range(trees):
                new = advance(game, tree, action, paths, length, tables)
                if tree == own:
                    grown = new
            length += 1
            apply(game, action, mind.rules, work["points"])
            if grown:
                break
        return length

    @inlined
    def grow(
        start: Any,
        seed: Any,
        mind: Any,
        weights: Any,
        leaf_weights: Any,
        worlds: Any,
        paths: Any,
        tables: Any,
    ) -> None:
        """Every playout is a new world, all of them share the trees. The roots come first."""
        nodes, edges, used = tables
        for slot in range(edges.shape[0]):
            edges[slot]["edge"] = FREE
        for node in range(nodes.shape[0]):
            nodes[node]["visits"] = 0
            nodes[node]["chances"] = 0
            for seat in range(seats):
                nodes[node]["totals"][seat] = 0.0
        used[0] = trees
        for _ in range(mind.plan["playouts"]):
            seed += GOLDEN
            worlds[0] = start
            game = worlds[0]
            if not mind.plan["sees_all"]:
                determinize(game, start["seat"], seed, mind.rules, mind.work)
            length = descend(game, mind, weights, paths, tables)
            roll(game, mixed(~seed), mind, weights, leaf_weights)
            for tree in range(trees):
                for i in range(length):
                    if paths[tree, i] == FREE:
                        break
                    node = nodes[paths[tree, i]]
                    node["visits"] += 1
                    for seat in range(game["players"]):
                        node["totals"][seat] += mind.work["leaf"][seat]

    @made
    def search_tree(
        state: Any, seeds: Any, shared: Any, actions: Any, counts: Any, totals: Any, visits: Any
    ) -> None:
        """Playouts of the listed actions, by trees for each game."""
        tables, plan, weights, leaf_weights = shared
        works = np.empty(1, work_type)
        worlds = np.empty(1, state.dtype)
        # the tree of each seat grows by about a node in every playout
        nodes = np.empty((plan[0]["playouts"] + 1) * trees, node_type)
        size = 16
        while size < 2 * nodes.shape[0]:
            size *= 2
        edges = np.empty(size, EDGE)
        paths = np.empty((trees, LONGEST), np.int64)
        used = np.empty(1, np.int64)
        for row in range(state.shape[0]):
            if counts[row] < 2:
                continue
            game = state[row]
            kind = kind_of(game)
            mind = Mind(rules_of(game, tables), plan[0], works[0])
            grown = (nodes, edges, used)
            grow(game, seeds[row], mind, weights[kind], leaf_weights[kind], worlds, paths, grown)
            root = np.int64(game["seat"]) if trees > 1 else 0
            for i in range(counts[row]):
                slot = _find(edges, root, np.int64(actions[row, i]))
                if edges[slot]["edge"] != FREE:
                    child = nodes[edges[slot]["child"]]
                    totals[row, i] = child["totals"][game["seat"]]
                    visits[row, i] = child["visits"]

    return search_tree
