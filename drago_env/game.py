"""The seam: what an adapter, an arena or a training script may know of a game.

A game is a stateless rule book over batches. The state is one structured numpy array with a
row for each game; the caller owns it, and clones it with `state.copy()`. Any array that a
method fills can be passed in by the caller as `out`; nothing else is allocated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.moved import moved, warn

State = NDArray[np.void]
# Pairs of a fault in words and the rows that have it; later ones trust earlier ones.
Faults = Iterator[tuple[str, Any]]
Seeds = int | Sequence[int] | NDArray[np.integer[Any]]


class StateError(ValueError):
    """A state, a state file or a position that cannot have come from the rules."""


class IllegalAction(ValueError):  # noqa: N818  (a refusal at the table, not a fault of the program)
    """An action that the rules do not allow; nothing has changed."""


@dataclass(frozen=True)
class GameSpec:
    """The numbers of a game that adapters size their arrays by, and its traits."""

    name: str  # as `drago_env.make` takes it
    title: str  # for people
    seat_name: str  # what one who plays is called, such as `player`
    min_players: int
    max_players: int
    seats: int  # what arrays with an entry for each seat are padded to
    num_actions: int
    max_legal: int  # the most actions that can be legal at once
    observation_size: int
    observation_bound: float  # no number of an observation or feature is larger
    feature_size: int  # numbers for each legal action; 0 if there are none
    reward_bound: float  # what a seat gets in a whole game is at most this, either way
    has_points: bool  # else points and scores are 0, and only the victory counts
    has_chance: bool  # else equal decisions make equal games, whatever the seed
    can_truncate: bool  # games may be cut off without a winner
    hides_decisions: bool  # some decisions are not told to every seat at once

    @property
    def has_score(self) -> bool:
        """The old name of `has_points`."""
        warn("GameSpec.has_score", "has_points")
        return self.has_points


class Legal(NamedTuple):
    """The legal actions of each game, as an ascending list and as a mask."""

    actions: NDArray[np.uint16]  # (num_envs, max_legal), meaningful up to the count
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


class SingleGame(NamedTuple):
    """One game whose arrays belong together, so that a turn of it is one cheap call."""

    state: State  # of the one game
    turn: Turn
    # One decision and what the next one sees, written to `turn`; -1 plays none and only looks.
    # Returns the number of legal actions, times 256, and the seat on turn; if the decision is
    # illegal, nothing changes, and it returns -1.
    play: Callable[[int], int]


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


class ChanceOutcome(NamedTuple):
    """One thing that chance can do in a step or a deal."""

    probability: float
    draws: tuple[int, ...]  # the number of each draw's outcome, as `step_drawn` takes it
    state: State  # the one game after it


class Move(NamedTuple):
    """The decision that led to a position, as a picture or a log tells it."""

    seat: int
    action: int
    text: str  # in words, for the viewer; see `Game.told`
    points: Sequence[int]


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

    def single(self) -> SingleGame:
        """One game in arrays of its own, for loops over a single game."""
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

    def shares(self, state: State) -> NDArray[np.float64]:
        """Shares of the victory, `(num_envs, seats)`: 1 to a winner, 1 / k to each of k.

        What a game that was cut off pays is the game's word. 0 for all while a game runs.
        """
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

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        """All that can come of an action in the one game of a state; None: of dealing it anew."""
        ...

    def step_drawn(self, state: State, action: int | None, draws: Sequence[int]) -> int:
        """One step of one game (None: its deal) with these draws, in place of random ones.

        Returns 0, or how many outcomes the next draw has, in which case nothing changed: so a
        step is gone through draw by draw.
        """
        ...

    def check(self, state: State) -> None:
        """Refuses a state that cannot have come from these rules: `StateError` says why."""
        ...

    def action_text(self, action: int) -> str:
        """An action in words."""
        ...

    def action_from_text(self, text: str) -> int:
        """The action of these words."""
        ...

    def told(self, state: State, row: int, action: int, viewer: int | None) -> str | None:
        """What a viewer hears of the decision that the seat on turn makes now.

        None if they do not even hear that one was made; a viewer None hears all.
        """
        ...

    def describe(self, state: State, row: int = 0, viewer: int | None = None) -> str:
        """A position in words; a `viewer` is told what their seat may know, None all."""
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
        names: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """The record of one game, from its state after the deal and its decisions."""
        ...

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> Drawing:
        """One game as a picture; a `viewer` sees what their seat may see, None sees all."""
        ...


__getattr__ = moved(
    __name__,
    {
        "mix": "drago_env.core.chance:mix",
        "seed_array": "drago_env.core.checks:seed_array",
        "select": "drago_env.core.checks:select",
        "Screen": "drago_env.pictures.window:Window",
    },
)
