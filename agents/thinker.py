"""What the searching agents share: so many playouts, or so much time, for each decision."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents import weights
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import Thought
from drago_env.policy import View, row_numbers

MOST_PLAYOUTS = 1_000_000  # a tree keeps a node for each
PROBE = 32  # playouts of a first search that tells how fast searching is


@dataclass
class Thinker:
    """Plays the action that its playouts like best."""

    _: KW_ONLY
    playouts: int = 1024  # for each decision
    ms: float | None = None  # milliseconds for each decision instead: not reproducible
    _rate: float = field(default=0.0, init=False, repr=False)  # playouts a second, as last seen

    name: str = field(default="", init=False)
    plans: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole("playouts", self.playouts, 1, MOST_PLAYOUTS)
        if self.ms is not None:
            real("ms", self.ms, 0.01, 1e6)

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
        raise NotImplementedError


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")


def whole(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def real(name: str, value: Any, low: float, high: float) -> None:
    if not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low} to {high}, not {value!r}")
