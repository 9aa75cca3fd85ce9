"""Information-set tree search, for any game."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.advice import Advice, Mind, alike, no_kind, seen
from drago_env.core.batches import Functions
from drago_env.core.chance import GOLDEN, mixed
from drago_env.core.compiled import compiled_for, inlined

FREE = -1  # an unused slot of the table of edges; no node
UNSEEN = (1 << 16) - 1  # the edge of a decision that a seat does not see
LONGEST = 64  # decisions of a path in the tree
EDGE = np.dtype([("edge", "<i8"), ("child", "<i8")])  # a slot of the table


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
    closeness = 1.0 / plan["prior_temperature"]
    total = 0.0
    for i in range(count):
        values[i] = np.exp((values[i] - top) * closeness)
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


def tree_search(module: str, functions: Functions, advice: Advice, roll: Any) -> Any:
    """One tree for all seats, or, where decisions are hidden, one for each seat.

    In a seat's tree a decision that it does not see is one edge, whatever was chosen, so no seat
    plans on what it cannot know; each seat chooses by its own tree, what is best for itself.
    """
    made, work_type, seats = compiled_for(module), functions.work, functions.seats
    rules_of, over, legal = functions.rules_of, functions.over, functions.legal
    apply, determinize = functions.apply, functions.determinize
    assess, kind_of = advice.assess or alike, advice.kind or no_kind
    hidden, trees = advice.hidden or seen, seats if advice.hidden else 1
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
