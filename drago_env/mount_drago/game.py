"""Mount Drago as a `Game`: the glue between arrays of the caller and the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.game import (
    Drawing,
    GameSpec,
    IllegalAction,
    Legal,
    Outcome,
    Screen,
    Seeds,
    State,
    Turn,
    seed_array,
    select,
)
from drago_env.mount_drago import kernel, observation
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.rules import (
    COLOURS,
    EDITIONS,
    MAX_HAND,
    MAX_PLAYERS,
    MIN_PLAYERS,
    Rules,
    RulesError,
    tables,
)
from drago_env.mount_drago.state import STATE
from drago_env.mount_drago.team import Team

REWARDS = {"win": kernel.WIN, "margin": kernel.MARGIN, "rank": kernel.RANK}
MAX_LEGAL = 2 * MAX_HAND


class MountDrago:
    """The game as a rule book over batches: it holds rules, never a game.

    `MountDrago(Rules(players=4))` plays one variant; `MountDrago(rules, other, ...)` lets a
    batch mix player counts, editions and boards, the sizes being equal. Rewards are
    `win` (a sole winner 1, each other -1 / (n - 1), ties in between), `margin` (own points of
    the move minus the others' mean, / 20) or `rank` (from 1 for the first to -1 for the last).
    `threads` splits every batch over so many threads; the games stay the same.
    """

    def __init__(self, *rules: Rules, reward: str = "win", threads: int = 1) -> None:
        self.rules: tuple[Rules, ...] = rules or (Rules(),)
        for other in self.rules:
            if not isinstance(other, Rules):
                raise RulesError(f"expected Rules, not {other!r:.60}")
            if other.sizes != self.rules[0].sizes:
                raise RulesError(
                    "the rules of one batch must have equal sizes (colours, copies, hand, "
                    f"summit_dragons), not {self.rules[0].sizes} and {other.sizes}"
                )
        if reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {reward!r}")
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise ValueError(f"threads must be a whole number from 1, not {threads!r}")
        self.reward = reward
        self._scheme = REWARDS[reward]
        self.pays_at_end = reward != "margin"  # no reward before the last move
        self.threads = threads
        self.boards: tuple[Board, ...] = tuple(dict.fromkeys(r.board for r in self.rules))
        self.tables = tables(self.rules[0], self.boards)
        self.layout = observation.layout(self.rules[0])
        self.scale = observation.scale(self.layout)
        self.feature_scale = observation.scale(observation.FEATURES)
        self._ones = np.ones(len(self.scale), np.int8)
        self.spec = GameSpec(
            name="mount_drago",
            min_players=MIN_PLAYERS,
            max_players=MAX_PLAYERS,
            seats=MAX_PLAYERS,
            num_actions=self.rules[0].num_actions,
            max_legal=MAX_LEGAL,
            observation_size=len(self.scale),
            observation_bound=8.0,  # the value of a space is at most 50, times 1 / 8
            feature_size=len(self.feature_scale),
            has_score=True,
            can_truncate=False,
        )
        self._variants = np.zeros(len(self.rules), STATE)
        for row, variant in zip(self._variants, self.rules, strict=True):
            row["players"] = variant.players
            row["edition"] = EDITIONS.index(variant.edition)
            row["board"] = self.boards.index(variant.board)
        # what every thread gets whole
        self._shared = (self.tables, self.scale, self._ones, self.feature_scale)
        self._team = Team(threads) if threads > 1 else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.rules, self.reward, self.threads)

    @property
    def signature(self) -> dict[str, Any]:
        """What fixes the meaning of observations and actions, whoever plays on which board."""
        return {
            "game": self.spec.name,
            "colours": self.rules[0].colours,
            "copies": list(self.rules[0].copies),
            "hand": self.rules[0].hand,
            "num_actions": self.spec.num_actions,
            "observation": observation.VERSION,
        }

    # ------------------------------------------------------------ games

    def new(self, seeds: Seeds, variants: ArrayLike = 0) -> State:
        """A batch of new games, one for each seed; `variants` picks among `self.rules`."""
        seeds = seed_array(seeds)
        state = np.zeros(len(seeds), STATE)
        self.reset(state, seeds, variants=variants)
        return state

    def reset(
        self, state: State, seeds: Seeds, rows: ArrayLike | None = None, variants: ArrayLike = 0
    ) -> None:
        """Deals new games into all rows or into some of them; the others do not change."""
        n, seeds = self._check_state(state), seed_array(seeds)
        picked = _rows(rows, n)
        if len(picked) != len(seeds):
            raise ValueError(f"{len(picked)} rows need as many seeds, not {len(seeds)}")
        if isinstance(variants, int) and variants == 0:
            kinds = np.zeros(len(picked), np.int64)
        else:
            kinds = np.broadcast_to(np.asarray(variants), picked.shape)
            kinds = _whole_numbers("variants", kinds, len(picked))
            _check_range("variants", kinds, 0, len(self.rules) - 1)
        kernel.deal(state, picked, seeds, kinds, self._variants, self.tables)

    def row_rules(self, state: State, row: int) -> Rules:
        """The rules that one row is played by."""
        game = state[row]
        return replace(
            self.rules[0],
            players=int(game["players"]),
            edition=EDITIONS[int(game["edition"])],
            board=self.boards[int(game["board"])],
        )

    # ------------------------------------------------------------ decisions

    def legal(self, state: State, out: Legal | None = None) -> Legal:
        """The legal actions of every game; none for finished games."""
        n = self._check_state(state)
        out = out or self._new_legal(n)
        self._check_legal(out, n)
        self.run(kernel.legal, n, state, self.tables, *out)
        return out

    def step(self, state: State, actions: ArrayLike, out: Outcome | None = None) -> Outcome:
        """One decision in every game, in place; -1 leaves a row as it is.

        If one action is illegal, nothing at all changes and `IllegalAction` says which row,
        which seat, what was asked, and what is allowed.
        """
        return self.step_unchecked(state, self._checked(state, actions), out)

    def _checked(self, state: State, actions: ArrayLike) -> NDArray[np.int64]:
        n = self._check_state(state)
        actions = _whole_numbers("actions", actions, n)
        row = int(kernel.find_illegal(state, actions, self.tables))
        if row >= 0:
            _check_range("actions", actions, kernel.NO_ACTION, self.spec.num_actions - 1)
            raise self.illegal(state, row, int(actions[row]))
        return actions

    def step_unchecked(
        self, state: State, actions: NDArray[np.int64], out: Outcome | None = None
    ) -> Outcome:
        """The same without looking at the actions: an illegal one corrupts its game."""
        n = self._check_state(state)
        if out is None:
            out = Outcome(
                np.empty((n, MAX_PLAYERS), np.int16), np.empty((n, MAX_PLAYERS), np.float32)
            )
        _check_out("outcome.points", out.points, (n, MAX_PLAYERS), np.int16)
        _check_out("outcome.rewards", out.rewards, (n, MAX_PLAYERS), np.float32)
        self.run(kernel.step_unchecked, n, state, actions, self.tables, self._scheme, *out)
        return out

    def look(self, state: State, out: Turn | None = None, rows: ArrayLike | None = None) -> Turn:
        """Lists, masks and observations of the seats on turn, in all rows or in some."""
        n = self._check_state(state)
        if out is None:
            out = Turn(
                self._new_legal(n),
                np.empty((n, self.spec.observation_size), np.float32),
                self._new_outcome(n),
            )
        self._check_turn(out, n)
        kernel.look(state, _rows(rows, n), self.tables, self.scale, *out.legal, out.observation)
        return out

    def turn(self, state: State, actions: ArrayLike, out: Turn) -> None:
        """`step`, then `look` in the rows that moved: one call for each round of decisions."""
        checked = self._checked(state, actions)
        self._check_turn(out, len(state))
        self.turn_unchecked(state, checked, out)

    def turn_unchecked(self, state: State, actions: NDArray[np.int64], out: Turn) -> None:
        """The same without any check of actions and arrays, which must be sound."""
        self.run(kernel.turn_unchecked, len(state), *self._turn_arguments(state, actions, out))

    def bound_turn(self, state: State, actions: NDArray[np.int64], out: Turn) -> Callable[[], None]:
        """`turn_unchecked` on these very arrays as one call, for loops over a single game."""
        turn = kernel.turn_unchecked
        # once compiled, the entry point itself spares numba's choice among forms at every call
        forms = list(getattr(turn, "overloads", {}).values())
        entry = forms[0].entry_point if len(forms) == 1 else turn
        return partial(entry, *self._turn_arguments(state, actions, out))

    def _turn_arguments(self, state: State, actions: Any, out: Turn) -> tuple[Any, ...]:
        legal, observation, outcome = out
        shared = (self.tables, self._scheme, self.scale)
        return (state, actions, *shared, *legal, observation, *outcome)

    def illegal(self, state: State, row: int, action: int) -> IllegalAction:
        """The error for an illegal action: row, seat, action and the legal ones in words."""
        listed = self.legal(state[row : row + 1])
        legal = [self.action_text(int(a)) for a in listed.actions[0, : listed.counts[0]]]
        reason, clause = self.why_illegal(state, row, action)
        allowed = "Legal: " + ", ".join(legal) if legal else "Reset the row to play on"
        return IllegalAction(
            f"row {row}, seat {state['seat'][row]}: cannot {self.action_text(action)} "
            f"(action {action}): {reason} (clause {clause}). {allowed}. Nothing was changed."
        )

    def why_illegal(self, state: State, row: int, action: int) -> tuple[str, str]:
        """The reason and the clause that forbid an action in a game."""
        game, rules = state[row], self.row_rules(state, row)
        kinds, edition = rules.card_kinds, EDITIONS[int(game["edition"])]
        discard_clause = "7.1" if edition == "german" else "7.2"
        if game["phase"] == kernel.OVER:
            return "the game is over", "6.7"
        if game["phase"] == kernel.DISCARD and action < 2 * kinds:
            return "a card was played already; discard or be done", "3"
        if game["phase"] == kernel.PLAY and action >= 2 * kinds:
            return "it is not the discard step", "10.3"
        card = action % kinds
        if card not in game["hand"][int(game["seat"])]:
            clause = "4.1" if action < 2 * kinds else discard_clause
            return f"{rules.card_text(card)} is not in the hand", clause
        if action < 2 * kinds:
            return "a dragon may be left only if it is in last place and nobody rides it", "5.3"
        return f"the {COLOURS[card // rules.values]} dragon is not on the summit", discard_clause

    def action_text(self, action: int) -> str:
        """An action in words: `play blue 3`, `play blue 3 and keep`, `discard blue 3`, `done`."""
        rules = self.rules[0]
        if not 0 <= action < rules.num_actions:
            raise ValueError(f"actions run from 0 to {rules.num_actions - 1}, not {action}")
        block, card = divmod(action, rules.card_kinds)
        words = ("play {}", "play {} and keep", "discard {}", "done discarding")[block]
        return words.format(rules.card_text(card))

    # ------------------------------------------------------------ what a seat knows

    def observe(
        self,
        state: State,
        seats: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """What one seat of each game knows (by default the one on turn); see `observation`."""
        n = self._check_state(state)
        if out is None:
            out = np.empty((n, self.spec.observation_size), np.float32)
        self._observe(kernel.observe, state, seats, self.scale, out)
        return out

    def observe_compact(
        self, state: State, seats: ArrayLike | None = None, out: NDArray[np.int8] | None = None
    ) -> NDArray[np.int8]:
        """The same in whole numbers: a quarter of the memory, `observe` is this times `scale`."""
        n = self._check_state(state)
        if out is None:
            out = np.empty((n, self.spec.observation_size), np.int8)
        self._observe(kernel.observe_compact, state, seats, self._ones, out)
        return out

    def _observe(
        self, observe: Any, state: State, seats: ArrayLike | None, scale: Any, out: Any
    ) -> None:
        shape = (len(state), self.spec.observation_size)
        _check_out("out", out, shape, scale.dtype)
        self.run(observe, len(state), state, self._seats(state, seats), self.tables, scale, out)

    def features(
        self, state: State, legal: Legal, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """What each listed action does at once, `(num_envs, max_legal, feature_size)`."""
        n = self._check_state(state)
        shape = (n, MAX_LEGAL, self.spec.feature_size)
        if out is None:
            out = np.empty(shape, np.float32)
        _check_out("out", out, shape, np.float32)
        self._check_legal(legal, n)
        self.run(
            kernel.features,
            n,
            state,
            legal.actions,
            legal.counts,
            self.tables,
            self.feature_scale,
            out,
        )
        return out

    def determinize(self, state: State, seats: ArrayLike, seeds: Seeds) -> State:
        """Clones in which all that the seat cannot see is drawn anew, and so is the generator.

        Every arrangement that fits the seat's knowledge (clause 8) is equally likely, and the
        clone depends on nothing but that knowledge and the seed.
        """
        n = self._check_state(state)
        seeds = seed_array(seeds)
        if len(seeds) != n:
            raise ValueError(f"{n} games need as many seeds, not {len(seeds)}")
        clone = select(state)
        self.run(kernel.determinize, n, clone, self._seats(state, seats), seeds, self.tables)
        return clone

    # ------------------------------------------------------------ how it stands

    def current_player(self, state: State) -> NDArray[np.uint8]:
        """Who decides; after the end, who made the last move."""
        return state["seat"]

    def players(self, state: State) -> NDArray[np.uint8]:
        """How many riders take part in each game."""
        return state["players"]

    def over(self, state: State) -> NDArray[np.bool_]:
        """Which games have ended (clause 6.7)."""
        return np.asarray(state["phase"] == kernel.OVER)

    def truncated(self, state: State) -> NDArray[np.bool_]:
        """Never: the game has no turn limit (clause 6.9)."""
        return np.zeros(len(state), np.bool_)

    def scores(self, state: State) -> NDArray[np.int16]:
        """The points of every seat, as a view of the state."""
        return state["score"]

    def winners(self, state: State) -> NDArray[np.bool_]:
        """Who has the most points, ties included (clause 6.8); nobody before the end."""
        seated = np.arange(MAX_PLAYERS) < state["players"][:, None]
        best = np.where(seated, state["score"], np.iinfo(np.int16).min).max(1, keepdims=True)
        return np.asarray(seated & (state["score"] == best) & self.over(state)[:, None])

    # ------------------------------------------------------------ random play

    def picks(self, seeds: Seeds) -> NDArray[np.uint64]:
        """Generators for the random choice of actions, apart from those of chance."""
        seeds = seed_array(seeds)
        picks = np.empty_like(seeds)
        kernel.start_picks(seeds, picks)
        return picks

    def sample(self, legal: Legal, picks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """A uniformly random legal action for each game; -1 where there is none."""
        actions = np.empty(len(legal.counts), np.int64)
        self.run(kernel.sample, len(actions), *legal[:2], picks, actions)
        return actions

    def playout(self, state: State, seeds: Seeds) -> NDArray[np.int16]:
        """Final scores after uniformly random play from here; the games themselves stay."""
        n = self._check_state(state)
        picks = self.picks(seeds)
        if len(picks) != n:
            raise ValueError(f"{n} games need as many seeds, not {len(picks)}")
        clone = select(state)
        self.run(kernel.playout_unchecked, n, clone, picks, self.tables)
        return clone["score"].copy()

    def random_step_unchecked(
        self,
        state: State,
        picks: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        legal: Legal,
        observation: NDArray[np.float32],
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
    ) -> None:
        """Everything of a random step in one kernel, for speed: pick, step, restart, observe.

        A uniformly random action of `legal` is made in every game; a game that ends is
        marked in `done` and dealt again from the next seed of its row; then `legal` and
        `observation` are those of the new position. All arrays are the caller's.
        """
        self.run(
            kernel.random_step_unchecked,
            len(state),
            state,
            picks,
            seeds,
            self.tables,
            self._scheme,
            self.scale,
            *legal,
            observation,
            rewards,
            done,
        )

    # ------------------------------------------------------------ for people

    def record(
        self,
        start: State,
        actions: ArrayLike,
        *,
        seed: int | None = None,
        riders: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """The record of one game, from its state after the deal and its decisions."""
        from drago_env.mount_drago import record

        return record.record(self, start, actions, seed=seed, riders=riders)

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: tuple[int, int, Sequence[int]] | None = None,
    ) -> Drawing:
        """One game as a picture; a `viewer` sees his own hand only, None sees all."""
        from drago_env.mount_drago import drawing

        return drawing.Picture(self, state, row, viewer, last and drawing.Move(*last))

    def window(self, fps: float | None = None) -> Screen:
        """A window for pictures, at most `fps` a second; opens when it first shows one."""
        from drago_env.mount_drago import drawing

        return drawing.Window(fps=fps)

    # ------------------------------------------------------------ checks and threads

    def _new_legal(self, n: int) -> Legal:
        mask = np.empty((n, self.spec.num_actions), np.int8)
        return Legal(np.zeros((n, MAX_LEGAL), np.uint8), np.empty(n, np.int64), mask)

    def _new_outcome(self, n: int) -> Outcome:
        shape = (n, MAX_PLAYERS)
        return Outcome(np.zeros(shape, np.int16), np.zeros(shape, np.float32))

    def _check_legal(self, legal: Legal, n: int) -> None:
        _check_out("legal.actions", legal.actions, (n, MAX_LEGAL), np.uint8)
        _check_out("legal.counts", legal.counts, (n,), np.int64)
        _check_out("legal.mask", legal.mask, (n, self.spec.num_actions), np.int8)

    def _check_outcome(self, outcome: Outcome, n: int) -> None:
        _check_out("outcome.points", outcome.points, (n, MAX_PLAYERS), np.int16)
        _check_out("outcome.rewards", outcome.rewards, (n, MAX_PLAYERS), np.float32)

    def _check_turn(self, turn: Turn, n: int) -> None:
        self._check_legal(turn.legal, n)
        shape = (n, self.spec.observation_size)
        _check_out("turn.observation", turn.observation, shape, np.float32)
        self._check_outcome(turn.outcome, n)

    def _check_state(self, state: State) -> int:
        known = isinstance(state, np.ndarray) and (state.dtype is STATE or state.dtype == STATE)
        if not known or state.ndim != 1:
            raise TypeError(
                "expected a state made by new(): a one-dimensional array with the dtype STATE, "
                f"not {getattr(state, 'dtype', type(state).__name__)!s:.40} "
                f"of shape {getattr(state, 'shape', ())}"
            )
        if not state.flags.c_contiguous or not state.flags.writeable:
            raise ValueError("the state must be writeable and contiguous; pass a copy()")
        return len(state)

    def _seats(self, state: State, seats: ArrayLike | None) -> NDArray[np.int64]:
        if seats is None:
            return state["seat"].astype(np.int64)
        seats = np.broadcast_to(np.asarray(seats), (len(state),))
        seats = _whole_numbers("seats", seats, len(state))
        beyond = np.flatnonzero((seats < 0) | (seats >= state["players"]))
        if len(beyond):
            row = int(beyond[0])
            raise ValueError(
                f"row {row} has the seats 0 to {state['players'][row] - 1}, not {seats[row]}"
            )
        return seats

    def run(
        self, function: Callable[..., None], n: int, *arguments: Any, shared: Sequence[Any] = ()
    ) -> None:
        """Calls a kernel, with slices of the batch on several threads if there are.

        Arrays are cut into slices, except the tables and those that are also in `shared`.
        """
        if self._team is None or n < 2 * self.threads:
            function(*arguments)
            return
        whole = [id(array) for array in (*self._shared, *shared)]
        cuts = [n * k // self.threads for k in range(self.threads + 1)]
        parts = [
            tuple(
                a[start:stop] if isinstance(a, np.ndarray) and id(a) not in whole else a
                for a in arguments
            )
            for start, stop in pairwise(cuts)
        ]
        self._team.run(function, parts)


def _rebuild(rules: tuple[Rules, ...], reward: str, threads: int) -> MountDrago:
    return MountDrago(*rules, reward=reward, threads=threads)


def _whole_numbers(name: str, numbers: ArrayLike, length: int | None) -> NDArray[np.int64]:
    array = np.asarray(numbers)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must be whole numbers, not {array.dtype}")
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "one-dimensional" if length is None else f"of shape ({length},)"
        raise ValueError(f"{name} must be {wanted}, not of shape {array.shape}")
    if array.dtype == np.uint64 and (array > np.uint64(2**63 - 1)).any():
        raise ValueError(f"{name} must be below 2**63, not {array.max()}")
    return np.ascontiguousarray(array, np.int64)


def _rows(rows: ArrayLike | None, n: int) -> NDArray[np.int64]:
    if rows is None:
        return np.arange(n)
    picked = _whole_numbers("rows", rows, None)
    _check_range("rows", picked, 0, n - 1)
    return picked


def _check_range(name: str, array: NDArray[np.int64], low: int, high: int) -> None:
    outside = (array < low) | (array > high)
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(f"{name}[{row}] must be from {low} to {high}, not {array[row]}")


def _check_out(name: str, array: Any, shape: tuple[int, ...], dtype: Any) -> None:
    if (
        not isinstance(array, np.ndarray)
        or array.shape != shape
        or array.dtype != dtype
        or not array.flags.c_contiguous
        or not array.flags.writeable
    ):
        raise ValueError(
            f"{name} must be a contiguous, writeable array of shape {shape} and type "
            f"{np.dtype(dtype)}, not {getattr(array, 'dtype', type(array).__name__)} of shape "
            f"{getattr(array, 'shape', ())}"
        )
