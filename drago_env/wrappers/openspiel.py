"""Any game here as a game of OpenSpiel, with explicit chance; see docs/openspiel.md.

    from drago_env.wrappers import openspiel

    game = openspiel.load("my_game:players=2")

Afterwards `pyspiel.load_game("my_game(players=2)")` knows it too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from numpy.typing import NDArray

from drago_env.game import State
from drago_env.games import GAMES, make, module_of
from drago_env.specs import parse

MAX_GAME_LENGTH = 20_000  # no game of random play is known to be as long
MAX_DRAW = 256  # the outcomes of one draw; `core.chance.below` is fair for so many
MAX_MERGED = 1 << 20  # the outcomes of one step, before equal ones are merged
# Words of a rule book that mean nothing here: the utility is the victory, and there is one game.
UNUSED = ("reward", "threads")
ABSENT = (-1, "")
OWN = {"merged": False, "recall": 16}


def load(spec: str, **words: Any) -> Any:
    """The game of a spec, as `drago_env.make` takes it, with the adapter's own words.

    `merged=True` makes one chance node of all draws of a step, with one outcome for each
    different position; for small games. `recall` is how many looks back the tensor of
    an information state goes; its string goes back to the deal.
    """
    name, parameters = parse(spec)
    register(name)
    given = {**parameters, **words}
    unknown = given.keys() - _words(name).keys() - OWN.keys()
    if unknown:
        known = ", ".join((*_words(name), *OWN))
        raise ValueError(f"OpenSpiel's {name} has no word {min(unknown)!r}; it has {known}")
    # what is wrong is said here: an exception inside of `load_game` can end the process
    if given.get("recall", 1) < 1:
        raise ValueError(f"recall must be at least 1, not {given['recall']}")
    make(name, **{key: value for key, value in given.items() if key not in OWN})
    kinds = {key: type(default) for key, default in {**_words(name), **OWN}.items()}
    return pyspiel.load_game(name, {key: kinds[key](value) for key, value in given.items()})


def register(name: str) -> None:
    """Makes a game of the table known to OpenSpiel under its own name; once is enough."""
    game_class(name)


@cache
def game_class(name: str) -> Any:
    """The class of a game, registered with OpenSpiel."""
    spec = make(name).spec
    modes = pyspiel.GameType.ChanceMode
    kind = pyspiel.GameType(
        short_name=name,
        long_name=spec.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if spec.has_chance else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=spec.max_players,
        min_num_players=spec.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**_words(name), **OWN},
    )
    # a class, not a partial: OpenSpiel lets go of it when Python is no longer there to free it
    made = type(name, (SpielGame,), {"kind": kind, "__module__": __name__})
    pyspiel.register_game(kind, made)
    return made


def __getattr__(name: str) -> Any:
    """Where pickles look for the class of a game."""
    if name not in GAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return game_class(name)


def _words(name: str) -> dict[str, Any]:
    """The words of a game's rules with their defaults.

    OpenSpiel has no word without a value: where a rule may be None, -1 and "" stand for it, and
    1 and 0 for true and false.
    """
    found = {}
    for key, parameter in signature(module_of(name, "make")).parameters.items():
        hints = str(parameter.annotation).split(" | ")
        if key in UNUSED or not {"int", "bool", "str", "float"} & set(hints):
            continue
        absent = ABSENT[0] if {"int", "bool"} & set(hints) else ABSENT[1]
        found[key] = absent if parameter.default is None else parameter.default
    return found


def _rules(name: str, given: dict[str, Any]) -> Any:
    """The rule book of OpenSpiel's words."""
    hints = signature(module_of(name, "make")).parameters
    return make(
        name,
        **{
            key: bool(value) if str(hints[key].annotation).startswith("bool") else value
            for key, value in given.items()
            if key not in OWN and (value not in ABSENT or isinstance(value, bool))
        },
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel carries no types
    """A rule book as OpenSpiel's `Game`; each game of the table has a class of its own."""

    kind: Any

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        own = {key: given.get(key, default) for key, default in OWN.items()}
        self.rules = _rules(self.kind.short_name, given)
        self.merged, self.recall = bool(own["merged"]), int(own["recall"])
        blank = self.rules.new(0)
        self.players = int(self.rules.players(blank)[0])
        spec = self.rules.spec
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.num_actions,
            max_chance_outcomes=(MAX_MERGED if self.merged else MAX_DRAW) * spec.has_chance,
            num_players=self.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_GAME_LENGTH,
        )
        super().__init__(self.kind, info, given)

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What a player sees now, or with perfect recall all that they have seen."""
        return Observer(self, iig_obs_type, params)

    @cached_property
    def deal(self) -> Step:
        """The deal before its first draw, or after it if there is none to draw."""
        return Step(self, Position(self.rules, self.rules.new(0)), None)


# ---------------------------------------------------------------- what has happened


class Known(NamedTuple):
    """All that a seat knows, with perfect recall."""

    text: str
    seen: NDArray[np.float32]  # its observation now
    looks: tuple[NDArray[np.float32], ...]  # own action and observation, the last one last


class Position:
    """One position and how it was reached; it never changes, so that clones share it."""

    def __init__(
        self, rules: Any, state: State, before: Position | None = None, action: int = -1
    ) -> None:
        self.rules, self.state = rules, state
        self.before, self.action = before, action
        self.over = bool(rules.over(state)[0])
        self.seat = int(rules.current_player(state)[0])
        self.steps: dict[int, Step] = {}
        self._known: dict[int, Known] = {}

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    def heard(self, seat: int, action: int) -> str | None:
        """What a seat hears of an action in this position."""
        if seat == self.seat:
            return f"own: {self.rules.action_text(action)}"
        told = self.rules.told(self.state, 0, action, seat)
        return told and f"{self.seat}: {told}"

    def known(self, seat: int) -> Known:
        """What a seat knows; what it hears and what changes in its observation, from the deal."""
        path: list[Position] = []
        at: Position | None = self
        while at is not None and seat not in at._known:
            path.append(at)
            at = at.before
        known = at._known[seat] if at is not None else None
        for position in reversed(path):
            known = position._known[seat] = position._following(seat, known)
        assert known is not None
        return known

    def _following(self, seat: int, known: Known | None) -> Known:
        now = self.rules.observe(self.state, seat)[0]
        if known is None or self.before is None:
            players = int(self.rules.players(self.state)[0])
            start = f"{self.rules.spec.seat_name} {seat} of {players}"
            known, heard = Known(start, np.zeros_like(now), ()), None
        else:
            heard = self.before.heard(seat, self.action)
        changes = np.flatnonzero(now != known.seen)
        if heard is None and not len(changes) and known.looks:
            return known
        own = self.before is not None and self.before.seat == seat
        done = (self.action + 1) / self.rules.spec.num_actions if own else 0.0
        line = " ".join([heard or "", *(f"{k}={now[k]:g}" for k in changes)]).strip()
        look = np.concatenate([np.array([done], np.float32), now])
        return Known(f"{known.text}\n{line}", now, (*known.looks, look))

    def resampled(self, seat: int, seed: int) -> Position:
        """A world that the seat cannot tell from this one; the others know what they see in it."""
        world = Position(self.rules, self.rules.determinize(self.state, seat, [seed]))
        world._known[seat] = self.known(seat)
        return world


class Step:
    """A step that chance has to finish: the action in a position (None: the deal), and draws."""

    def __init__(
        self, game: SpielGame, start: Position, action: int | None, draws: tuple[int, ...] = ()
    ) -> None:
        self.game, self.start, self.action, self.draws = game, start, action, draws
        # the probability of each outcome of the next draw; without any the step is done
        self.chances: list[float] = []
        self.after: list[State] = []
        self.ends: dict[int, Position] = {}
        if game.merged:
            self._merge()
        else:
            state = start.state.copy()
            options = game.rules.step_drawn(state, action, draws)
            self.chances, self.after = [1 / options] * options if options else [], [state]

    def __deepcopy__(self, memo: Any) -> Step:
        return self

    def _merge(self) -> None:
        rules, actions = self.game.rules, None if self.action is None else np.array([self.action])
        _, chances, after = rules.branches(self.start.state, actions, MAX_MERGED)
        after = rules.canonical(after) if hasattr(rules, "canonical") else after
        rows: dict[bytes, int] = {}
        which = [rows.setdefault(after[k].tobytes(), len(rows)) for k in range(len(after))]
        merged = np.bincount(which, chances)
        self.after = [np.frombuffer(raw, after.dtype).copy() for raw in rows]
        self.chances = merged.tolist() if len(rows) > 1 else []

    def drawn(self, draw: int) -> Step | Position:
        """What follows a draw."""
        if self.game.merged:
            return self._end(draw)
        following = Step(self.game, self.start, self.action, (*self.draws, draw))
        return following.done() or following

    def done(self) -> Position | None:
        """The position after the step if there is nothing more to draw."""
        return None if self.chances else self._end(0)

    def _end(self, number: int) -> Position:
        if number not in self.ends:
            before = (None, -1) if self.action is None else (self.start, self.action)
            self.ends[number] = Position(self.game.rules, self.after[number], *before)
        return self.ends[number]


# ---------------------------------------------------------------- OpenSpiel's side


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A game under way as OpenSpiel's `State`: at a position, or within a step of chance."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.game = Shared(game)
        self.at: Step | Position = game.deal.done() or game.deal

    def current_player(self) -> int:
        if isinstance(self.at, Step):
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.at.over else self.at.seat

    def _legal_actions(self, player: int) -> list[int]:
        assert isinstance(self.at, Position)
        legal = self.at.rules.legal(self.at.state)
        actions: list[int] = legal.actions[0, : legal.counts[0]].tolist()
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        assert isinstance(self.at, Step)
        return list(enumerate(self.at.chances))

    def _apply_action(self, action: int) -> None:
        if isinstance(self.at, Step):
            self.at = self.at.drawn(action)
        else:
            step = self.at.steps.get(action) or Step(self.game.it, self.at, action)
            if step.game.merged:  # a small game: its tree is kept
                self.at.steps[action] = step
            self.at = step.done() or step

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        return str(self.game.it.rules.action_text(action))

    def is_terminal(self) -> bool:
        return isinstance(self.at, Position) and self.at.over

    def returns(self) -> list[float]:
        """Each seat's share of the victory less the mean of the others'; 0 before the end."""
        players = self.game.it.players
        if not self.is_terminal():
            return [0.0] * players
        assert isinstance(self.at, Position)
        shares = self.at.rules.shares(self.at.state)[0, :players]
        return [float(x) for x in (shares * players - 1) / (players - 1)]

    @property
    def position(self) -> Position | None:
        """The last position; None before the deal is over."""
        if isinstance(self.at, Position):
            return self.at
        return None if self.at.action is None else self.at.start

    def known(self, player: int) -> str:
        """All that a player knows, in words and numbers."""
        if self.position is None:
            return ""
        text = self.position.known(player).text
        if isinstance(self.at, Step) and self.at.action is not None:
            heard = self.position.heard(player, self.at.action)
            return f"{text}\n{heard}" if heard else text
        return text

    def __str__(self) -> str:
        words = "" if self.position is None else self.position.rules.describe(self.position.state)
        if isinstance(self.at, Step):
            return f"{words}\naction {self.at.action}, draws {list(self.at.draws)}".strip()
        return str(words)


class Shared:
    """What clones of a state have in common and do not copy."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def __deepcopy__(self, memo: Any) -> Shared:
        return self


class Observer:
    """What one player sees, as a string and as a tensor."""

    def __init__(self, game: SpielGame, kind: Any, params: Any) -> None:
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if params or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("what is known here is what one player knows, without parameters")
        self.recall = kind.perfect_recall
        size = game.rules.spec.observation_size
        shape = (game.recall, 1 + size) if self.recall else (size,)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"looks" if self.recall else "observation": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        self.tensor.fill(0)
        position = state.position
        if position is None:
            return
        if self.recall:
            table = self.dict["looks"]
            for k, look in enumerate(reversed(position.known(player).looks[-len(table) :])):
                table[k] = look  # the last one first
        else:
            self.tensor[:] = position.rules.observe(position.state, player)[0]

    def string_from(self, state: SpielState, player: int) -> str:
        if self.recall:
            return state.known(player)
        position = state.position
        return "" if position is None else position.rules.describe(position.state, 0, player)


def resampler(seed: int = 0) -> Callable[[SpielState, int], SpielState]:
    """For `ISMCTSBot.set_resampler`: clones in which what the player cannot know is drawn anew."""
    rng = np.random.default_rng(seed)

    def resample(state: SpielState, player: int) -> SpielState:
        clone: SpielState = state.clone()
        assert isinstance(clone.at, Position)
        clone.at = clone.at.resampled(player, int(rng.integers(2**62)))
        return clone

    return resample
