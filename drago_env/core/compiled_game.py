"""A `Game` out of compiled functions: checks, outputs, threads and words, once for every game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.batches import NO_ACTION, Batches
from drago_env.core.checks import output, picked_rows, seed_array, select, whole, within
from drago_env.core.checks import whole_numbers as whole_array
from drago_env.core.layout import Slice, scale
from drago_env.core.named_chance import NamedChance
from drago_env.core.random_play import RandomPlay
from drago_env.core.single import Single
from drago_env.core.threads import ThreadTeam
from drago_env.game import (
    Drawing,
    Faults,
    GameSpec,
    IllegalAction,
    Legal,
    Move,
    Outcome,
    Seeds,
    State,
    StateError,
    Turn,
)

MOST_THREADS = 1024
PIECE, MOST_PIECES = 1024, 16  # a thread takes pieces of about so many rows, and so many at most


class CompiledGame(NamedChance, RandomPlay, Single):
    """What games share. One of them is a class with its loops, its state's dtype and its rewards.

    It hands over the rules that a batch may mix, the rows that deals begin from (one for each of
    the rules), the tables of its kernels and its spec, and adds what is in its own words:
    `over`, `truncated`, `why_illegal`, `action_text`, `faults`, `record` and `draw`.
    """

    loops: ClassVar[Batches]
    state_type: ClassVar[np.dtype[np.void]]
    rewards: ClassVar[dict[str, int]]  # the number of each reward scheme in the kernels
    training_reward: ClassVar[str | None] = None  # what a learner is paid if nobody says otherwise
    spec: GameSpec
    signature: dict[str, Any]

    def __init__(
        self,
        rules: Sequence[Any],
        reward: str,
        threads: int,
        *,
        variants: State,
        tables: NDArray[np.void],
        layout: tuple[Slice, ...],
        features: tuple[Slice, ...] = (),
    ) -> None:
        if reward not in self.rewards:
            raise ValueError(f"reward must be one of {', '.join(self.rewards)}, not {reward!r}")
        self.rules = tuple(rules)
        self.reward, self.threads = reward, whole("threads", threads, 1, MOST_THREADS)
        self.tables, self.layout = tables, layout
        self.scale = scale(layout)
        self.feature_scale = scale(features) if features else np.zeros(0, np.float32)
        self._ones = np.ones(len(self.scale), np.int8)
        self._variants = variants
        self._shared = (tables, self.rewards[reward], self.scale)
        self._team = ThreadTeam(threads) if threads > 1 else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.rules, self.reward, self.threads)

    def __copy__(self) -> Self:
        """Itself: it holds rules, never a game, and nothing of it changes."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        rules = ", ".join(map(repr, self.rules))
        return f"{type(self).__name__}({rules}, reward={self.reward!r}, threads={self.threads})"

    @property
    def pays_at_end(self) -> bool:
        """Whether no reward comes before the last move of a game."""
        return True

    # ------------------------------------------------------------ games

    def new(self, seeds: Seeds, variants: ArrayLike = 0) -> State:
        """A batch of new games, one for each seed; `variants` picks among `self.rules`."""
        seeds = seed_array(seeds)
        state = np.zeros(len(seeds), self.state_type)
        self.reset(state, seeds, variants=variants)
        return state

    def reset(
        self, state: State, seeds: Seeds, rows: ArrayLike | None = None, variants: ArrayLike = 0
    ) -> None:
        """Deals new games into all rows or into some of them; the others do not change."""
        n, seeds = self._check_state(state), seed_array(seeds)
        picked = picked_rows(rows, n)
        if len(picked) != len(seeds):
            raise ValueError(f"{len(picked)} rows need as many seeds, not {len(seeds)}")
        if isinstance(variants, int) and variants == 0:
            kinds = np.zeros(len(picked), np.int64)
        else:
            kinds = np.broadcast_to(np.asarray(variants), picked.shape)
            kinds = whole_array("variants", kinds, len(picked))
            within("variants", kinds, 0, len(self.rules) - 1)
        self.loops.deal(state, picked, seeds, kinds, (self._variants, self.tables))

    # ------------------------------------------------------------ decisions

    def legal(self, state: State, out: Legal | None = None) -> Legal:
        """The legal actions of every game; none for finished games."""
        n = self._check_rows(state)
        out = out or self._new_legal(n)
        self._check_legal(out, n)
        self.run(self.loops.legal, n, state, self._shared, *out)
        return out

    def step(self, state: State, actions: ArrayLike, out: Outcome | None = None) -> Outcome:
        """One decision in every game, in place; -1 leaves a row as it is.

        If one action is illegal, nothing at all changes and `IllegalAction` says which row,
        which seat, what was asked, and what is allowed.
        """
        return self.step_unchecked(state, self._checked(state, actions), out)

    def _checked(self, state: State, actions: ArrayLike) -> NDArray[np.int64]:
        actions = whole_array("actions", actions, self._check_state(state))
        row = int(self.loops.find_illegal(state, actions, self._shared))
        if row >= 0:
            self._check_rows(state)
            within("actions", actions, NO_ACTION, self.spec.num_actions - 1)
            raise self.illegal(state, row, int(actions[row]))
        return actions

    def is_legal(self, state: State, action: int) -> bool:
        """Whether an action is legal in the first game of a state."""
        chosen = np.array([action], np.int64)
        return bool(self.loops.find_illegal(state[:1], chosen, self._shared) < 0)

    def step_unchecked(
        self, state: State, actions: NDArray[np.int64], out: Outcome | None = None
    ) -> Outcome:
        """The same without looking at the actions: an illegal one corrupts its game."""
        n = self._check_state(state)
        out = out or self.new_outcome(n)
        self._check_outcome(out, n)
        self.run(self.loops.step, n, state, actions, self._shared, *out)
        return out

    def new_outcome(self, n: int) -> Outcome:
        """What so many decisions pay, still 0."""
        shape = (n, self.spec.seats)
        return Outcome(np.zeros(shape, np.int16), np.zeros(shape, np.float32))

    def look(self, state: State, out: Turn | None = None, rows: ArrayLike | None = None) -> Turn:
        """Lists, masks and observations of the seats on turn, in all rows or in some."""
        n = self._check_rows(state)
        if out is None:
            seen = np.empty((n, self.spec.observation_size), np.float32)
            out = Turn(self._new_legal(n), seen, self.new_outcome(n))
        self._check_turn(out, n)
        picked = picked_rows(rows, n)
        self.loops.look(state, picked, self._shared, *out.legal, out.observation)
        return out

    def turn(self, state: State, actions: ArrayLike, out: Turn) -> None:
        """`step`, then `look` in the rows that moved: one call for each round of decisions."""
        checked = self._checked(state, actions)
        self._check_turn(out, len(state))
        self.turn_unchecked(state, checked, out)

    def turn_unchecked(self, state: State, actions: NDArray[np.int64], out: Turn) -> None:
        """The same without any check of actions and arrays, which must be sound."""
        arguments = (state, actions, self._shared, *out.legal, out.observation, *out.outcome)
        self.run(self.loops.turn, len(state), *arguments)

    def illegal(self, state: State, row: int, action: int) -> IllegalAction:
        """The error for an illegal action: row, seat, action and the legal ones in words."""
        listed = self.legal(select(state, slice(row, row + 1)))
        legal = [self.action_text(int(a)) for a in listed.actions[0, : listed.counts[0]]]
        reason, clause = self.why_illegal(state, row, action)
        allowed = "Legal: " + ", ".join(legal) if legal else "Reset the row to play on"
        who = self.seat_text(state, row, int(state["seat"][row]))
        return IllegalAction(
            f"row {row}, {who}: cannot {self.decision_text(state, row, action)} "
            f"(action {action}): {reason} (clause {clause}). {allowed}. Nothing was changed."
        )

    def seat_text(self, state: State, row: int, seat: int) -> str:
        """A seat in words."""
        return f"seat {seat}"

    def decision_text(self, state: State, row: int, action: int) -> str:
        """An action in the words of the step in which it is made."""
        return self.action_text(action)

    def why_illegal(self, state: State, row: int, action: int) -> tuple[str, str]:
        """The reason and the clause that forbid an action in a game."""
        raise NotImplementedError

    def action_text(self, action: int) -> str:
        """An action in words, different for each."""
        raise NotImplementedError

    @cached_property
    def _actions_by_text(self) -> dict[str, int]:
        return {self.action_text(a).lower(): a for a in range(self.spec.num_actions)}

    def action_from_text(self, text: str) -> int:
        """The action of these words, as `action_text` writes them; blanks and case are free."""
        words = " ".join(text.lower().split())
        if words not in self._actions_by_text:
            near = get_close_matches(words, self._actions_by_text, 3, 0.5)
            hint = f"; perhaps {' or '.join(map(repr, near))}" if near else ""
            raise ValueError(f"{text!r:.60} is no action{hint}")
        return self._actions_by_text[words]

    def told(self, state: State, row: int, action: int, viewer: int | None) -> str | None:
        """What a viewer hears of the decision that the seat on turn makes now: all of it."""
        return self.decision_text(state, row, action)

    # ------------------------------------------------------------ what a seat knows

    def observe(
        self,
        state: State,
        seats: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """What one seat of each game knows (by default the one on turn)."""
        seen: NDArray[np.float32] = self._observe(self.loops.observe, state, seats, self.scale, out)
        return seen

    def observe_compact(
        self, state: State, seats: ArrayLike | None = None, out: NDArray[np.int8] | None = None
    ) -> NDArray[np.int8]:
        """The same in whole numbers: a quarter of the memory, `observe` is this times `scale`."""
        seen: NDArray[np.int8] = self._observe(
            self.loops.observe_compact, state, seats, self._ones, out
        )
        return seen

    def _observe(
        self, observe: Any, state: State, seats: ArrayLike | None, factors: Any, out: Any
    ) -> Any:
        n = self._check_rows(state)
        shape = (n, self.spec.observation_size)
        out = np.empty(shape, factors.dtype) if out is None else out
        output("out", out, shape, factors.dtype)
        self.run(observe, n, state, self._seats(state, seats), (self.tables, factors), out)
        return out

    def features(
        self, state: State, legal: Legal, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """What each listed action does at once, `(num_envs, max_legal, feature_size)`."""
        n = self._check_rows(state)
        shape = (n, self.spec.max_legal, self.spec.feature_size)
        out = np.empty(shape, np.float32) if out is None else out
        output("out", out, shape, np.float32)
        self._check_legal(legal, n)
        if self.spec.feature_size:
            row = int(self.loops.find_unlisted(state, self._shared, legal.actions, legal.counts))
            if row >= 0:
                raise ValueError(f"row {row}: this is not the list of its legal actions")
            shared = (self.tables, self.feature_scale)
            self.run(self.loops.features, n, state, legal.actions, legal.counts, shared, out)
        return out

    def determinize(self, state: State, seats: ArrayLike, seeds: Seeds) -> State:
        """Clones in which all that the seat cannot see is drawn anew, and so is the generator.

        Every arrangement that fits the seat's knowledge is equally likely, and the clone depends
        on nothing but that knowledge and the seed, which may well be the seed of the deal.
        """
        n = self._check_rows(state)
        seeds = seed_array(seeds, n)
        clone = select(state)
        self.run(self.loops.determinize, n, clone, self._seats(state, seats), seeds, self._shared)
        return clone

    def describe(self, state: State, row: int = 0, viewer: int | None = None) -> str:
        """A position in words; a `viewer` is told what their seat may know, None all."""
        return str(self.draw(state, row, viewer))

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> Drawing:
        """One game as a picture; a `viewer` sees what their seat may see, None sees all."""
        raise NotImplementedError(f"{self.spec.name} has no drawing")

    # ------------------------------------------------------------ how it stands

    def current_player(self, state: State) -> NDArray[np.uint8]:
        """Who decides; after the end, who made the last move."""
        return state["seat"]

    def players(self, state: State) -> NDArray[np.uint8]:
        """How many seats take part in each game."""
        return state["players"]

    def over(self, state: State) -> NDArray[np.bool_]:
        """Which games have ended."""
        raise NotImplementedError

    def truncated(self, state: State) -> NDArray[np.bool_]:
        """Which of them were cut off."""
        return np.zeros(len(state), np.bool_)

    def scores(self, state: State) -> NDArray[np.int16]:
        """The points of every seat; 0 in games without points."""
        return np.zeros((len(state), self.spec.seats), np.int16)

    def shares(self, state: State) -> NDArray[np.float64]:
        """Shares of the victory, `(num_envs, seats)`; 0 for all while a game runs."""
        n = self._check_rows(state)
        out = np.zeros((n, self.spec.seats))
        self.run(self.loops.shares, n, state, out)
        return out

    def winners(self, state: State) -> NDArray[np.bool_]:
        """Who has won, ties included; nobody before the end or when a game was cut off."""
        return np.asarray((self.shares(state) > 0) & ~self.truncated(state)[:, None])

    def check(self, state: State) -> None:
        """Refuses a state that breaks the rules, naming the first bad row and what is wrong."""
        self._check_state(state)
        for problem, bad in self.faults(state):
            rows = np.flatnonzero(bad)
            if len(rows):
                raise StateError(f"row {rows[0]}: {problem}")

    def faults(self, state: State) -> Faults:
        """Pairs of a fault in words and the rows that have it; later ones trust earlier ones."""
        raise NotImplementedError

    # ------------------------------------------------------------ checks and threads

    def _new_legal(self, n: int) -> Legal:
        spec = self.spec
        actions = np.zeros((n, spec.max_legal), np.uint16)
        return Legal(actions, np.empty(n, np.int64), np.empty((n, spec.num_actions), np.int8))

    def _check_legal(self, legal: Legal, n: int) -> None:
        output("legal.actions", legal.actions, (n, self.spec.max_legal), np.uint16)
        output("legal.counts", legal.counts, (n,), np.int64)
        output("legal.mask", legal.mask, (n, self.spec.num_actions), np.int8)

    def _check_outcome(self, outcome: Outcome, n: int) -> None:
        output("outcome.points", outcome.points, (n, self.spec.seats), np.int16)
        output("outcome.rewards", outcome.rewards, (n, self.spec.seats), np.float32)

    def _check_turn(self, turn: Turn, n: int) -> None:
        self._check_legal(turn.legal, n)
        output("turn.observation", turn.observation, (n, self.spec.observation_size), np.float32)
        self._check_outcome(turn.outcome, n)

    def _check_state(self, state: State) -> int:
        wanted = self.state_type
        known = isinstance(state, np.ndarray) and (state.dtype is wanted or state.dtype == wanted)
        if not known or state.ndim != 1:
            raise TypeError(
                "expected a state made by new(): a one-dimensional array with the dtype STATE, "
                f"not {getattr(state, 'dtype', type(state).__name__)!s:.40} "
                f"of shape {getattr(state, 'shape', ())}"
            )
        if not state.flags.c_contiguous or not state.flags.writeable:
            raise ValueError("the state must be writeable and contiguous; pass a copy()")
        return len(state)

    def _check_rows(self, state: State) -> int:
        """What `check` does in full, just enough for kernels to stay in bounds."""
        n = self._check_state(state)
        row = int(self.loops.find_unfit(state, self._shared))
        if row >= 0:
            raise StateError(
                f"row {row} is no game of these rules, but perhaps of others, or all zero; "
                "make states with new(), and let check() say what is wrong with one"
            )
        return n

    def _seats(self, state: State, seats: ArrayLike | None) -> NDArray[np.int64]:
        if seats is None:
            return state["seat"].astype(np.int64)
        seats = np.broadcast_to(np.asarray(seats), (len(state),))
        seats = whole_array("seats", seats, len(state))
        beyond = np.flatnonzero((seats < 0) | (seats >= state["players"]))
        if len(beyond):
            row = int(beyond[0])
            raise ValueError(
                f"row {row} has the seats 0 to {state['players'][row] - 1}, not {seats[row]}"
            )
        return seats

    def run(self, function: Callable[..., None], n: int, *arguments: Any) -> None:
        """Calls a kernel, with slices of the batch on several threads if there are.

        Every array is cut into slices of its rows; what the rows share comes in a tuple.
        """
        if self._team is None or n < 2 * self.threads:
            function(*arguments)
            return
        pieces = self.threads * min(max(n // (self.threads * PIECE), 1), MOST_PIECES)
        cuts = [n * k // pieces for k in range(pieces + 1)]
        parts = [
            tuple(a[start:stop] if isinstance(a, np.ndarray) else a for a in arguments)
            for start, stop in pairwise(cuts)
        ]
        self._team.run(function, parts)


def _rebuild(kind: Any, rules: tuple[Any, ...], reward: str, threads: int) -> Any:
    return kind(*rules, reward=reward, threads=threads)
