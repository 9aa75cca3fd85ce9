"""Planning on batches of positions, for any game that hands its planners' loops over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.core.batches import NO_ACTION
from drago_env.core.chance import mix
from drago_env.core.checks import seed_array
from drago_env.core.compiled_game import CompiledGame
from drago_env.core.layout import Slice
from drago_env.core.search import END_OF_GAME, PLAN, Searches
from drago_env.game import Legal, Seeds, State

_NO_WEIGHTS = np.zeros((1, 1))


class Foresight(NamedTuple):
    """What a network may be told of what each action is likely to lead to."""

    layout: tuple[Slice, ...]
    weights: str  # the set of the rules of thumb by which the others are taken to play
    leaf: str  # the set by which positions are judged


class Planner(NamedTuple):
    """What planners ask of a game: its searches, and its rules of thumb with their weights."""

    searches: Searches
    weights: Callable[[str], NDArray[np.float64]] | None = None  # by the name of a set
    playouts: tuple[str, ...] = ("uniform",)  # who may play on; the first by default
    leaves: tuple[str, ...] = ("end",)  # what a cut may be worth; `end`: playouts are not cut
    depth: int = 0  # decisions after which a playout is cut by default; 0: at the end
    head_start: float = 0.0  # playouts won that a unit of the values of `heuristic` is worth
    # which of the weights each game is played with; None: the first
    kind: Callable[[State], NDArray[np.int64]] | None = None
    number: int = 1024  # playouts for a decision by default
    # share of random decisions in the playouts of who is told everything: without it they may fear
    # replies that nobody would find who cannot see what is hidden
    told_noise: float = 0.0
    hidden: Callable[[State], NDArray[np.bool_]] | None = None  # which decisions others do not see
    foresight: Foresight | None = None  # None: nothing is foreseen


class Plan(NamedTuple):
    """How to search."""

    method: str  # flat, even or tree
    playouts: int  # for each decision
    depth: int  # decisions of a playout after the one tried (flat) or the tree (tree)
    noise: float  # share of a playout's decisions that are random
    explore: float  # weight of the tree's bonus for what is little known
    prior_temperature: float  # how loosely that bonus follows the rules of thumb
    margin: bool  # a playout is worth its margin, not the chance to win
    sees_all: bool  # is told what is hidden


class SearchResult(NamedTuple):
    """What a search found out about each legal action."""

    actions: NDArray[np.uint16]  # (n, max_legal)
    counts: NDArray[np.int64]  # (n,)
    visits: NDArray[np.int64]  # (n, max_legal), playouts of each
    values: NDArray[np.float64]  # (n, max_legal), the mean of what came of them

    def best(self) -> NDArray[np.int64]:
        """The action with the most playouts in each game, the better mean among equals.

        It is -1 after the end.
        """
        known = np.arange(self.actions.shape[1]) < self.counts[:, None]
        most = np.where(known, self.visits, -1)
        front = most == most.max(1, keepdims=True)
        place = np.where(front, self.values, -np.inf).argmax(1)
        actions = self.actions[np.arange(len(place)), place].astype(np.int64)
        return np.where(self.counts > 0, actions, NO_ACTION)


def softmax(found: SearchResult, temperature: float) -> NDArray[np.float32]:
    """The values of the listed actions as probabilities."""
    known = np.arange(found.values.shape[1]) < found.counts[:, None]
    values = np.where(known, found.values, -np.inf)
    shares = np.exp((values - values.max(1, keepdims=True)) / temperature)
    return np.asarray(shares / shares.sum(1, keepdims=True), np.float32)


def draw(found: SearchResult, seeds: Seeds, temperature: float) -> NDArray[np.int64]:
    """One of the listed actions of each row, drawn by the softmax of the values."""
    numbers = mix(seed_array(seeds, len(found.counts)))
    chance = (numbers >> np.uint64(11)).astype(np.float64) * 2.0**-53
    below = softmax(found, temperature).cumsum(1, dtype=np.float64)
    places = (below <= (chance * below[:, -1])[:, None]).sum(1)
    return np.asarray(found.actions[np.arange(len(places)), places], np.int64)


def choose(
    game: Any, state: State, found: SearchResult, seeds: NDArray[np.uint64], temperature: float
) -> NDArray[np.int64]:
    """The best action of each row; a decision that others do not see is drawn instead.

    A best one could be countered by whoever foresees it. One that is worth `temperature` less is
    drawn 1 / e times as often.
    """
    best, hidden = found.best(), planner_of(game, "a choice").hidden
    if temperature > 0 and hidden is not None:
        rows = np.flatnonzero(hidden(state) & (found.counts > 0))
        parts: list[Any] = [part[rows] for part in found]
        best[rows] = draw(SearchResult(*parts), seeds[rows], temperature)
    return best


def planner_of(game: Any, who: str) -> Planner:
    """What a game offers planners, or why `who` cannot play it."""
    planner = getattr(game, "planner", None)
    if planner is None:
        name = getattr(getattr(game, "spec", None), "name", game)
        raise ValueError(f"{who} plans, and {name!s:.60} hands no functions for planners over")
    return planner  # type: ignore[no-any-return]


def assess(game: CompiledGame, state: State, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best action of each game by the rules of thumb; -1 after the end."""
    return _assess(game, state, weights)[0]


def judge(game: CompiledGame, state: State, weights: NDArray[np.float64]) -> SearchResult:
    """What each legal action is worth by the rules of thumb."""
    legal, values = game.legal(state), _assess(game, state, weights)[1]
    return SearchResult(legal.actions, legal.counts, np.zeros(values.shape, np.int64), values)


def _assess(
    game: CompiledGame, state: State, weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    best, values = np.empty(len(state), np.int64), np.zeros((len(state), game.spec.max_legal))
    kernel = planner_of(game, "assess").searches.assess
    game.run(kernel, len(state), state, (game.tables, weights), best, values)
    return best, values


def foresight_size(game: Any) -> int:
    """How many numbers say what an action is likely to lead to; 0: nothing is foreseen."""
    found = getattr(getattr(game, "planner", None), "foresight", None)
    return found.layout[-1].stop if found else 0


def foresee(game: CompiledGame, state: State, legal: Legal) -> NDArray[np.float32]:
    """What each listed action is likely to lead to, `(n, max_legal, size)`; nothing hidden."""
    planner: Any = planner_of(game, "foresight")
    size = foresight_size(game)
    if not size:
        raise ValueError(f"{game.spec.name} foresees nothing that a network could be told")
    out = np.zeros((len(state), game.spec.max_legal, size), np.float32)
    shared = (game.tables, *map(planner.weights, planner.foresight[1:]))
    kernel = planner.searches.foresee
    game.run(kernel, len(state), state, shared, legal.actions, legal.counts, out)
    return out


def win_chances(
    game: CompiledGame, state: State, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each seat's chance to win, `(n, seats)`; after the end its share of the victory."""
    out, plan = np.zeros((len(state), game.spec.seats)), np.zeros(1, PLAN)
    kernel = planner_of(game, "win_chances").searches.estimate
    game.run(kernel, len(state), state, (game.tables, plan, weights), out)
    return out


def roll(
    game: CompiledGame,
    state: State,
    seeds: Seeds,
    weights: NDArray[np.float64],
    who: NDArray[np.int64],
    depth: int = END_OF_GAME,
    noise: float = 0.0,
) -> None:
    """Plays on in place by the rules of thumb, each decision with probability `noise` at random.

    Seat k of game i follows `weights[who[i, k]]`.
    """
    shape = (len(state), game.spec.seats)
    if who.shape != shape or not ((who >= 0) & (who < len(weights))).all():
        raise ValueError(
            f"who must be of shape {shape} and name weights 0 to {len(weights) - 1}, "
            f"not of shape {who.shape}"
        )
    picks = game.picks(seed_array(seeds, len(state)))
    kernel = planner_of(game, "roll").searches.roll
    game.run(kernel, len(state), state, picks, who, (game.tables, weights, depth, noise))


def search(
    game: CompiledGame,
    state: State,
    seeds: Seeds,
    plan: Plan,
    weights: NDArray[np.float64] = _NO_WEIGHTS,
    leaf_weights: NDArray[np.float64] = _NO_WEIGHTS,
    start: NDArray[np.float64] | None = None,
) -> SearchResult:
    """Thinks about every game's legal actions by playouts.

    Unless it `sees_all`, it looks at nothing that the seat on turn cannot see: each playout
    starts from a world in which what is hidden is drawn anew. In a flat search the listed actions
    may have a head start: `start` `(n, max_legal)` counts as playouts that were won already, and
    is part of the values.
    """
    loops = planner_of(game, "search").searches
    legal = game.legal(state)
    totals = _totals(plan, start, (len(state), game.spec.max_legal))
    visits = np.zeros(totals.shape, np.int64)
    settings = np.array([(*plan[1:], plan.method == "even")], PLAN)
    game.run(
        loops.tree if plan.method == "tree" else loops.flat,
        len(state),
        *(state, seed_array(seeds, len(state)), (game.tables, settings, weights, leaf_weights)),
        *(legal.actions, legal.counts, totals, visits),
    )
    return SearchResult(legal.actions, legal.counts, visits, totals / np.maximum(visits, 1))


def _totals(
    plan: Plan, start: NDArray[np.float64] | None, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """What the listed actions have before any playout; kernels do not look."""
    if start is None:
        return np.zeros(shape)
    if plan.method == "tree":
        raise ValueError(f"a start is for a flat search, not one with the method {plan.method!r}")
    if start.shape != shape:
        raise ValueError(f"start must be of shape {shape}, not {start.shape}")
    return start.astype(np.float64)
