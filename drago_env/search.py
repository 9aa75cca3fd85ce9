"""`search`: determinised Monte Carlo, flat or as a tree, for every game that hands it functions."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import one_of, real, whole
from drago_env.core.planning import Plan, Planner, SearchResult, choose, judge, planner_of, search
from drago_env.core.search import END_OF_GAME
from drago_env.moved import refuses, warn
from drago_env.policy import View, planned, row_numbers

METHODS = ("flat", "even", "tree")
MOST_PLAYOUTS = 1_000_000  # a tree keeps a node for each
PROBE = 32  # playouts of a first search that tells how fast searching is


@refuses("prior_temperature=, the inverse of sharpness", "sharpness")
@dataclass
class Search:
    """Tries the legal actions in worlds that fit what the seat knows.

    Each playout starts in a world in which what is hidden is drawn anew, goes on for a few
    decisions by rules of thumb, and is worth the estimated chance to win from there; where a game
    has neither, playouts are uniform and run to the end. `flat` gives all candidates the same
    worlds and sends the better half on (sequential halving); what the rules of thumb like less
    starts behind, as if playouts had been lost already, so that few playouts do not replace a
    good rule by noise. `even` sends nobody home and gives no head start unless told: it chooses
    worse, but what it says of each action is without bias, and so fit to learn from. `tree` grows
    a tree over all worlds, in which each seat does what is best for itself (ISMCTS with max^n
    values).
    """

    method: str = "flat"  # flat (sequential halving), even (all alike) or tree (ISMCTS)
    _: KW_ONLY
    playouts: int | None = None  # for each decision; by default as many as the game names
    ms: float | None = None  # milliseconds for each decision instead: not reproducible
    depth: int | None = None  # decisions after which a playout is cut; 0 plays to the end
    playout: str | None = None  # who plays on: uniform, or rules of thumb that the game has
    leaf: str | None = None  # what the cut is worth: win_chance, margin or end
    noise: float | None = None  # share of a playout's decisions that are random; by default 0
    head_start: float | None = None  # not in a tree: playouts that a unit of `heuristic` is worth
    temperature: float = 0.0  # hidden decisions: drawn 1 / e times as often if worth so much less
    explore: float = 1.0  # tree only: the bonus for what is little known
    prior_temperature: float = 2.0  # tree only: how loosely that bonus follows the rules of thumb
    _rate: float = field(default=0.0, init=False, repr=False)  # playouts a second, as last seen

    name: str = field(default="search", init=False)
    plans: ClassVar[bool] = True
    sees_all: ClassVar[bool] = False

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        if self.playouts is not None:
            whole("playouts", self.playouts, 1, MOST_PLAYOUTS)
        if self.ms is not None:
            real("ms", self.ms, 0.01, 1e6)
        if self.depth is not None:
            whole("depth", self.depth, 0, END_OF_GAME)
        if self.noise is not None:
            real("noise", self.noise, 0, 1)
        if self.head_start is not None:
            real("head_start", self.head_start, 0, 1e6)
        real("temperature", self.temperature, 0, 1000)
        real("explore", self.explore, 0, 1000)
        real("prior_temperature", self.prior_temperature, 0.001, 1000)

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        """What the search thinks best in each row of the view."""
        game, state = planned(view, self.name)
        seeds = row_numbers(rng, len(state))
        return choose(game, state, self.search(game, state, seeds), seeds, self.temperature)

    def search(self, game: Any, state: NDArray[np.void], seeds: NDArray[np.uint64]) -> SearchResult:
        """Playouts and mean values of every legal action."""
        if self.ms is None:
            number = self.playouts or planner_of(game, self.name).number
            return self._search(game, state, seeds, number)
        if not self._rate:
            self._timed(game, state, seeds, PROBE)
        playouts = int(self._rate * self.ms / 1000)
        return self._timed(game, state, seeds, min(max(playouts, 1), MOST_PLAYOUTS))

    def think(self, game: Any, state: NDArray[np.void], seeds: NDArray[np.uint64]) -> SearchResult:
        """The old name of `search`."""
        warn("Search.think", "Search.search")
        return self.search(game, state, seeds)

    def _timed(self, game: Any, state: Any, seeds: Any, playouts: int) -> SearchResult:
        start = time.perf_counter()
        result = self._search(game, state, seeds, playouts)
        if made := int(result.visits.sum()):  # forced moves need none
            self._rate = made / (time.perf_counter() - start)
        return result

    def _search(self, game: Any, state: Any, seeds: Any, playouts: int) -> SearchResult:
        planner = planner_of(game, self.name)
        playout = self._chosen("playout", self.playout, planner.playouts, game)
        leaf = self._chosen("leaf", self.leaf, planner.leaves, game)
        plan = self._plan(planner, playouts, playout == "uniform", leaf == "margin")
        sets = {}
        if planner.weights is not None:
            thumbs = [name for name in planner.playouts if name != "uniform"]
            sets["weights"] = planner.weights(playout if playout != "uniform" else thumbs[0])
            fitted = [name for name in planner.leaves if name not in ("end", "margin")]
            if fitted:
                sets["leaf_weights"] = planner.weights(fitted[0])
        return search(game, state, seeds, plan, **sets, start=self._start(planner, game, state))

    def _chosen(self, name: str, value: str | None, allowed: tuple[str, ...], game: Any) -> str:
        if value is None:
            return allowed[0]
        one_of(f"{name} of {self.name} for {game.spec.name}", value, allowed)
        return value

    def _plan(self, planner: Planner, playouts: int, uniform: bool, margin: bool) -> Plan:
        return Plan(
            self.method,
            playouts,
            (planner.depth if self.depth is None else self.depth) or END_OF_GAME,
            1.0 if uniform else self._noise(planner),
            self.explore,
            self.prior_temperature,
            margin,
            self.sees_all,
        )

    def _noise(self, planner: Planner) -> float:
        return self.noise or 0.0

    def _start(self, planner: Planner, game: Any, state: Any) -> NDArray[np.float64] | None:
        """What the listed actions have before any playout; None: all the same."""
        default = planner.head_start if self.method == "flat" else 0.0
        worth = default if self.head_start is None else self.head_start
        if self.method == "tree" or planner.weights is None or worth == 0:
            return None
        found = judge(game, state, planner.weights("heuristic"))
        known = np.arange(found.values.shape[1]) < found.counts[:, None]
        best = np.where(known, found.values, -1e300).max(1, keepdims=True)
        return np.where(known, worth * (found.values - best), 0.0)


make = Search
