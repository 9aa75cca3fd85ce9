"""`search`: determinised Monte Carlo, flat or as a tree."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents import weights
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import END_OF_GAME, Plan, Thought, search
from drago_env.policy import View, row_numbers

METHODS = ("flat", "tree")
PLAYOUTS = ("uniform", "greedy", "light", "heuristic")
LEAVES = ("outlook", "margin")
MOST_PLAYOUTS = 1_000_000  # a tree keeps a node for each
PROBE = 32  # playouts of a first search that tells how fast searching is


@dataclass
class Search:
    """Tries the legal actions in worlds that fit what the seat knows.

    Each playout starts in a world with new hidden cards, goes on for a few decisions by rules
    of thumb, and is worth the fitted chance to win from there. `flat` gives all candidates the
    same worlds and sends the better half on (sequential halving); `tree` grows one tree over
    all worlds, in which each seat does what is best for itself (ISMCTS with max^n values).
    """

    method: str = "flat"  # flat (sequential halving) or tree (ISMCTS)
    _: KW_ONLY
    playouts: int = 1024  # for each decision
    ms: float | None = None  # milliseconds for each decision instead: not reproducible
    depth: int = 5  # decisions after which a playout is cut; 0 plays to the end
    playout: str = "light"  # who plays on: uniform, greedy, light or heuristic
    leaf: str = "outlook"  # what the cut is worth: chance to win (outlook) or margin
    noise: float = 0.0  # share of a playout's decisions that are random
    explore: float = 1.0  # tree only: the bonus for what is little known
    sharpness: float = 0.5  # tree only: how closely that bonus follows the rules of thumb
    _rate: float = field(default=0.0, init=False, repr=False)  # playouts a second, as last seen

    name: str = field(default="search", init=False)
    plans: ClassVar[bool] = True
    sees_all: ClassVar[bool] = False

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        whole("playouts", self.playouts, 1, MOST_PLAYOUTS)
        if self.ms is not None:
            real("ms", self.ms, 0.01, 1e6)
        one_of("playout", self.playout, PLAYOUTS)
        one_of("leaf", self.leaf, LEAVES)
        whole("depth", self.depth, 0, END_OF_GAME)
        real("noise", self.noise, 0, 1)
        real("explore", self.explore, 0, 1000)
        real("sharpness", self.sharpness, 0, 1000)

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        """What the search thinks best in each row of the view."""
        game, state = weights.planned(view, self.name)
        return self.think(game, state, row_numbers(rng, len(state))).best()

    def think(
        self, game: MountDrago, state: NDArray[np.void], seeds: NDArray[np.uint64]
    ) -> Thought:
        """Playouts and mean values of every legal action."""
        if self.ms is None:
            return self._search(game, state, seeds, self.playouts)
        if not self._rate:
            self._timed(game, state, seeds, PROBE)
        playouts = int(self._rate * self.ms / 1000)
        return self._timed(game, state, seeds, min(max(playouts, 1), MOST_PLAYOUTS))

    def _timed(self, game: MountDrago, state: Any, seeds: Any, playouts: int) -> Thought:
        start = time.perf_counter()
        thought = self._search(game, state, seeds, playouts)
        if made := int(thought.visits.sum()):  # forced moves need none
            self._rate = made / (time.perf_counter() - start)
        return thought

    def _search(self, game: MountDrago, state: Any, seeds: Any, playouts: int) -> Thought:
        policy = "light" if self.playout == "uniform" else self.playout
        sets = weights.array(policy), weights.array("outlook")
        return search(game, state, seeds, self._plan(playouts), *sets, self._priors(game, state))

    def _plan(self, playouts: int) -> Plan:
        return Plan(
            self.method,
            playouts,
            self.depth or END_OF_GAME,
            1.0 if self.playout == "uniform" else self.noise,
            self.explore,
            self.sharpness,
            self.leaf == "margin",
            self.sees_all,
        )

    def _priors(self, game: MountDrago, state: Any) -> NDArray[np.float32] | None:
        """Nobody advises it."""
        return None


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")


def whole(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def real(name: str, value: Any, low: float, high: float) -> None:
    if not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low} to {high}, not {value!r}")


make = Search
