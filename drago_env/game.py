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

    def ansi(self) -> str:
        """For a terminal."""
        ...

    def svg(self) -> str:
        """As a vector picture."""
        ...

    def rgb(self) -> NDArray[np.uint8]:
        """As pixels, `(height, width, 3)`."""
        ...


class Screen(Protocol):
    """A window that shows pictures, for `render_mode="human"`."""

    def show(self, rgb: NDArray[np.uint8]) -> None:
        """Shows a picture; the window opens with the first one."""
        ...

    def close(self) -> None:
        """Closes the window, if there is one."""
        ...


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
    """The rule book that every adapter knows: it holds rules, never a game.

    A state is a batch of games, and every method works on all of its rows. Rows in which a game
    is over stay valid arguments.
    """

    @property
    def spec(self) -> GameSpec:
        """The numbers that arrays are sized by."""
        ...

    @property
    def pays_at_end(self) -> bool:
        """Whether no reward comes before the last move of a game."""
        ...

    @property
    def signature(self) -> dict[str, Any]:
        """What fixes the meaning of observations and actions, as JSON holds it."""
        ...

    def new(self, seeds: Seeds, variants: ArrayLike = 0) -> State:
        """A batch of new games, one for each seed; `variants` picks among the rules."""
        ...

    def reset(
        self, state: State, seeds: Seeds, rows: ArrayLike | None = None, variants: ArrayLike = 0
    ) -> None:
        """Deals new games into all rows or into some of them; the others do not change."""
        ...

    def legal(self, state: State, out: Legal | None = None) -> Legal:
        """The legal actions of the seats on turn; none for finished games."""
        ...

    def step(self, state: State, actions: ArrayLike, out: Outcome | None = None) -> Outcome:
        """One decision in every game, in place; -1 leaves a row as it is.

        If one action is illegal, nothing at all changes, and `IllegalAction` says which and why.
        """
        ...

    def step_unchecked(
        self, state: State, actions: NDArray[np.int64], out: Outcome | None = None
    ) -> Outcome:
        """The same without looking at the actions: an illegal one corrupts its game."""
        ...

    def turn(self, state: State, actions: ArrayLike, out: Turn) -> None:
        """`step`, then `look` in the rows that moved: one call for each round of decisions."""
        ...

    def turn_unchecked(self, state: State, actions: NDArray[np.int64], out: Turn) -> None:
        """The same without any check of actions and arrays, which must be sound."""
        ...

    def bound_turn(self, state: State, actions: NDArray[np.int64], out: Turn) -> Callable[[], None]:
        """`turn_unchecked` on these very arrays as one call, for loops over a single game."""
        ...

    def look(self, state: State, out: Turn | None = None, rows: ArrayLike | None = None) -> Turn:
        """Lists, masks and observations of the seats on turn, in all rows or in some."""
        ...

    def observe(
        self,
        state: State,
        seats: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """What one seat of each game knows, by default the one on turn; nothing hidden."""
        ...

    def features(
        self, state: State, legal: Legal, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """What each listed action does, `(num_envs, max_legal, feature_size)`; nothing hidden."""
        ...

    def current_player(self, state: State) -> NDArray[np.uint8]:
        """Who decides; after the end, who made the last move."""
        ...

    def players(self, state: State) -> NDArray[np.uint8]:
        """How many seats take part in each game."""
        ...

    def over(self, state: State) -> NDArray[np.bool_]:
        """Which games have ended, for whatever reason."""
        ...

    def truncated(self, state: State) -> NDArray[np.bool_]:
        """Which of them were cut off by a turn limit."""
        ...

    def scores(self, state: State) -> NDArray[np.int16]:
        """The points of every seat, `(num_envs, seats)`; 0 in games without points."""
        ...

    def winners(self, state: State) -> NDArray[np.bool_]:
        """Who has won, `(num_envs, seats)`, ties included; nobody before the end."""
        ...

    def determinize(self, state: State, seats: ArrayLike, seeds: Seeds) -> State:
        """Clones in which all that the seat cannot see is drawn anew, and so is the generator.

        A clone depends on nothing but the seat's knowledge and the seed.
        """
        ...

    def playout(self, state: State, seeds: Seeds) -> NDArray[np.int16]:
        """Final scores after uniformly random play from here; the games themselves stay."""
        ...

    def action_text(self, action: int) -> str:
        """An action in words."""
        ...

    def illegal(self, state: State, row: int, action: int) -> IllegalAction:
        """The error for an illegal action: row, seat, action and the legal ones in words."""
        ...

    def record(
        self,
        start: State,
        actions: ArrayLike,
        *,
        seed: int | None = None,
        riders: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """The record of one game, from its state after the deal and its decisions."""
        ...

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: tuple[int, int, Sequence[int]] | None = None,
    ) -> Drawing:
        """One game as a picture; a `viewer` sees what his seat may see, None sees all."""
        ...

    def window(self, fps: float | None = None) -> Screen:
        """A window for pictures, at most `fps` a second."""
        ...
