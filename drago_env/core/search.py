"""Determinised Monte Carlo for any game, flat or as a tree: `searches` compiles both for one game.

A game hands over its own compiled functions over one record of the state. They are closed over,
so numba links and inlines them as if they stood here. A game without rules of thumb leaves
`assess` out and gets uniform playouts; one without an estimate of the chance to win leaves `leaf`
out, and its playouts run to the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from drago_env.core.advice import Advice, Mind, alike, anywhere, no_kind
from drago_env.core.batches import NO_ACTION, Functions
from drago_env.core.chance import GOLDEN, below, mixed
from drago_env.core.compiled import compiled_for, inlined
from drago_env.core.tree_search import tree_search

END_OF_GAME = 1 << 30  # a depth that no game reaches
_S32 = np.uint64(32)

PLAN = np.dtype(
    [
        ("playouts", "<i8"),
        ("depth", "<i8"),
        ("noise", "<f8"),
        ("explore", "<f8"),
        ("prior_temperature", "<f8"),  # how loosely that bonus follows `assess`
        ("margin", "?"),
        ("sees_all", "?"),
        ("even", "?"),  # no candidate is sent home: all have as many playouts
    ],
    align=True,
)


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


class Searches(NamedTuple):
    """The planners' loops of one game; see `searches`."""

    flat: Any
    tree: Any
    assess: Any = None
    roll: Any = None
    estimate: Any = None
    foresee: Any = None


def searches(module: str, functions: Functions, advice: Advice | None = None) -> Searches:
    """The loops of the game that hands its functions over in this module.

    Both searches take `(state, seeds, shared, actions, counts, totals, visits)`; `shared` is the
    tables, the plan, the weights of the rules of thumb and those of the leaf, a row for each kind.
    """
    advice = advice or Advice()
    roll = _roller(functions, advice)
    found = Searches(
        _flat_search(module, functions, advice, roll),
        tree_search(module, functions, advice, roll),
    )
    if advice.assess is not None:
        found = found._replace(**_thumbs(module, functions, advice))
    if advice.leaf is not None:
        found = found._replace(estimate=_leaf(module, functions, advice))
    if advice.foresight is not None:
        found = found._replace(foresee=_foresight(module, functions, advice))
    return found


def _leaf(module: str, functions: Functions, advice: Advice) -> Any:
    made, work_type, rules_of = compiled_for(module), functions.work, functions.rules_of
    leaf, kind_of = advice.leaf, advice.kind or no_kind

    @made
    def estimate(state: Any, shared: Any, out: Any) -> None:
        """What each position is worth to every seat."""
        tables, plan, weights = shared
        works = np.empty(1, work_type)
        for row in range(state.shape[0]):
            game = state[row]
            leaf(game, rules_of(game, tables), plan[0], weights[kind_of(game)], works[0])
            for seat in range(out.shape[1]):
                out[row, seat] = works[0]["leaf"][seat] if seat < game["players"] else 0.0

    return estimate


def _foresight(module: str, functions: Functions, advice: Advice) -> Any:
    made, work_type, rules_of = compiled_for(module), functions.work, functions.rules_of
    prepare, write, kind_of = functions.prepare, advice.foresight, advice.kind or no_kind

    @made
    def foresee(state: Any, shared: Any, actions: Any, counts: Any, out: Any) -> None:
        """What each listed action is likely to lead to."""
        tables, weights, leaf_weights = shared
        works = np.empty(1, work_type)
        for row in range(state.shape[0]):
            game = state[row]
            rules, kind, work = rules_of(game, tables), kind_of(game), works[0]
            prepare(game, rules, work)
            for i in range(counts[row]):
                action, told = np.int64(actions[row, i]), out[row, i]
                write(game, action, rules, weights[kind], leaf_weights[kind], work, told)

    return foresee


def _thumbs(module: str, functions: Functions, advice: Advice) -> dict[str, Any]:
    """Decisions by the rules of thumb alone."""
    made, work_type = compiled_for(module), functions.work
    rules_of, over, legal = functions.rules_of, functions.over, functions.legal
    apply, judge, kind_of = functions.apply, advice.assess, advice.kind or no_kind

    @made
    def assess(state: Any, shared: Any, best: Any, values: Any) -> None:
        """The best legal action of each game by the rules of thumb, and what each is worth."""
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
            for i in range(count):
                values[row, i] = works[0]["values"][i]

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
    assess, leaf, seats = advice.assess or alike, advice.leaf, functions.seats
    uniform, to_the_end, quiet = advice.assess is None, leaf is None, advice.quiet or anywhere

    @inlined
    def value_end(game: Any, rules: Any, plan: Any, weights: Any, work: Any) -> None:
        for seat in range(seats):
            work["leaf"][seat] = 0.0
        shares(game, work["leaf"])

    estimate = leaf or value_end

    @inlined
    def roll(game: Any, pick: Any, mind: Any, weights: Any, leaf_weights: Any) -> None:
        """Plays on for so many decisions, each with probability `noise` at random; the leaf.

        It goes on to where the game is quiet: what a position amid a turn is worth, leaves hardly
        tell, and candidates that take more decisions than others would be cut at another point.
        """
        work = mind.work
        limit = np.uint64(mind.plan["noise"] * 4294967296.0)
        left = END_OF_GAME if to_the_end else mind.plan["depth"]
        while not over(game) and (left > 0 or not quiet(game)):
            left -= 1
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
    kind_of = advice.kind or no_kind

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

        An even search has one round, after which nobody goes on.

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
        while 1 << rounds < alive and not plan["even"]:
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
            alive = 1 if plan["even"] else (alive + 1) // 2

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
