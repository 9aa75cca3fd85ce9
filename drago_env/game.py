"""The seam: what an adapter, an arena or a training script may know of a game.

A game is a stateless rule book over batches. The state is one structured numpy array with a
row for each game; the caller owns it, and clones it with `state.copy()`. Any array that a
method fills can be passed in by the caller as `out`; nothing else is allocated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

State = NDArray[np.void]
Seeds = int | Sequence[int] | NDArray[np.integer[Any]]


class IllegalAction(ValueError):  # noqa: N818  (a refusal at the table, not a fault of the program)
    """An action that the rules do not allow; nothing has changed."""


@dataclass(frozen=True)
class GameSpec:
    """The numbers of a game that adapters size their arrays by."""

    name: str
    min_players: int
    max_players: int
    seats: int  # what arrays with an entry for each seat are padded to
    num_actions: int
    max_legal: int  # the most actions that can be legal at once
    observation_size: int
    observation_bound: float  # no number of an observation or feature is larger
    feature_size: int  # numbers for each legal action
    has_score: bool
    can_truncate: bool


class Legal(NamedTuple):
    """The legal actions of each game, as an ascending list and as a mask."""

    actions: NDArray[np.uint8]  # (num_envs, max_legal), meaningful up to the count
    counts: NDArray[np.int64]  # (num_envs,); 0 for a finished game
    mask: NDArray[np.int8]  # (num_envs, num_actions)


class Outcome(NamedTuple):
    """What the last step gave to each seat; padded seats get 0."""

    points: NDArray[np.int16]  # (num_envs, seats)
    rewards: NDArray[np.float32]  # (num_envs, seats)


class Turn(NamedTuple):
    """All that a decision needs and the last one brought, in arrays that are used again."""

    legal: Legal
    observation: NDArray[np.float32]  # (num_envs, observation_size), of the seat on turn
    outcome: Outcome


class Drawing(Protocol):
    """A position drawn for one viewer, in every form that an adapter may show."""

    def ansi(self) -> str: ...

    def svg(self) -> str: ...

    def rgb(self) -> NDArray[np.uint8]: ...


class Screen(Protocol):
    """A window that shows pictures, for `render_mode="human"`."""

    def show(self, rgb: NDArray[np.uint8]) -> None: ...

    def close(self) -> None: ...


def seed_array(seeds: Seeds) -> NDArray[np.uint64]:
    """Seeds as the array that the games take; anything else than whole numbers is refused."""
    if isinstance(seeds, np.ndarray):
        whole = seeds.ndim == 1 and seeds.dtype.kind in "iu" and not (seeds < 0).any()
    else:
        listed = list(seeds) if isinstance(seeds, Sequence) else [seeds]
        whole = all(
            isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= seed < 2**64
            for seed in listed
        )
        if whole:
            return np.array(listed, np.uint64)
    if not whole:
        raise ValueError(f"seeds must be whole numbers from 0 to 2**64 - 1, not {seeds!r:.60}")
    return np.ascontiguousarray(seeds, np.uint64)


def select(state: State, rows: Any = slice(None)) -> State:
    """A copy of these rows, by default of all: ten times faster than numpy copies records."""
    raw = state.view(f"V{state.dtype.itemsize}")
    return np.asarray(raw[rows].copy()).view(state.dtype)


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A random-looking number for each number (the output function of splitmix64)."""
    z: NDArray[np.uint64] = np.add(numbers, _GOLDEN)
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return np.asarray(z ^ (z >> _S31))


_GOLDEN, _S30, _S27, _S31 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 30, 27, 31))
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Game(Protocol):
    """The rule book that every adapter knows; see `MountDrago` for what each method promises."""

    @property
    def spec(self) -> GameSpec: ...

    @property
    def pays_at_end(self) -> bool: ...

    @property
    def signature(self) -> dict[str, Any]: ...

    def new(self, seeds: Seeds, variants: ArrayLike = 0) -> State: ...

    def reset(
        self, state: State, seeds: Seeds, rows: ArrayLike | None = None, variants: ArrayLike = 0
    ) -> None: ...

    def legal(self, state: State, out: Legal | None = None) -> Legal: ...

    def step(self, state: State, actions: ArrayLike, out: Outcome | None = None) -> Outcome: ...

    def step_unchecked(
        self, state: State, actions: NDArray[np.int64], out: Outcome | None = None
    ) -> Outcome: ...

    def turn(self, state: State, actions: ArrayLike, out: Turn) -> None: ...

    def turn_unchecked(self, state: State, actions: NDArray[np.int64], out: Turn) -> None: ...

    def bound_turn(
        self, state: State, actions: NDArray[np.int64], out: Turn
    ) -> Callable[[], None]: ...

    def look(
        self, state: State, out: Turn | None = None, rows: ArrayLike | None = None
    ) -> Turn: ...

    def observe(
        self,
        state: State,
        seats: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]: ...

    def features(
        self, state: State, legal: Legal, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]: ...

    def current_player(self, state: State) -> NDArray[np.uint8]: ...

    def players(self, state: State) -> NDArray[np.uint8]: ...

    def over(self, state: State) -> NDArray[np.bool_]: ...

    def truncated(self, state: State) -> NDArray[np.bool_]: ...

    def scores(self, state: State) -> NDArray[np.int16]: ...

    def winners(self, state: State) -> NDArray[np.bool_]: ...

    def determinize(self, state: State, seats: ArrayLike, seeds: Seeds) -> State: ...

    def playout(self, state: State, seeds: Seeds) -> NDArray[np.int16]: ...

    def action_text(self, action: int) -> str: ...

    def illegal(self, state: State, row: int, action: int) -> IllegalAction: ...

    def record(
        self,
        start: State,
        actions: ArrayLike,
        *,
        seed: int | None = None,
        riders: Sequence[str] | None = None,
    ) -> dict[str, Any]: ...

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: tuple[int, int, Sequence[int]] | None = None,
    ) -> Drawing: ...

    def window(self, fps: float | None = None) -> Screen: ...
