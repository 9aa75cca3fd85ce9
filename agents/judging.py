"""What a decision is worth if everybody plays on like one policy: playouts to the very end.

The measure of skill (`agents.skill`) judges with it, `agents.response` chooses by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.chance import GOLDEN, mix
from drago_env.core.checks import select
from drago_env.core.planning import planner_of, roll
from drago_env.game import Game, State
from drago_env.play import play_on
from drago_env.policy import Policy, RowGenerator, ask, resolve
from drago_env.thumbs import RulesOfThumb

Numbers = NDArray[np.uint64]


class Judge:
    """One policy on every seat of a game."""

    def __init__(self, game: Game, policy: str | Policy) -> None:
        self.game, self.policy = game, resolve(policy, game)

    def choose(self, state: State, numbers: Numbers, policy: Policy | None = None) -> Any:
        """What the policy, or another one, decides in these positions; it sees what it may."""
        rng = RowGenerator(np.random.PCG64(0))
        turn, rows = self.game.look(state), np.arange(len(state))
        return ask(policy or self.policy, self.game, state, turn, rows, rng, numbers.copy())

    def play_on(self, state: State, numbers: Numbers) -> None:
        """Plays these games to their end, in place: rules of thumb in one compiled call."""
        game: Any = self.game
        if not isinstance(self.policy, RulesOfThumb) or not self._one_set:
            seats = int(game.players(state).max(initial=0))
            play_on(game, [self.policy], state, numbers.copy(), np.zeros((len(state), seats), int))
            return
        who = np.zeros((len(state), game.spec.seats), np.int64)
        if game.planner.kind is not None:
            who += game.planner.kind(state)[:, None]
        roll(game, state, numbers, game.planner.weights(self.policy.name), who)

    @property
    def _one_set(self) -> bool:
        """Whether it is known which of its weights each game is played with."""
        planner = planner_of(self.game, self.policy.name)
        if planner.weights is None:
            return False
        return planner.kind is not None or len(planner.weights(self.policy.name)) == 1

    def worth(
        self, state: State, actions: NDArray[np.int64], numbers: Numbers, told: bool = False
    ) -> NDArray[np.float64]:
        """The share of the victory that the seat on turn has after each action, in one world each.

        Equal positions with equal numbers are played on in the same world with the same luck. It
        is a world that the seat may think possible, or, `told`, the true one with other luck.
        """
        seats = self.game.current_player(state).astype(np.int64)
        if told:
            worlds = select(state)
            if "rng" in (worlds.dtype.names or ()):  # see drago_env.core.chance
                worlds["rng"] = mix(numbers)
        else:
            worlds = self.game.determinize(state, seats, numbers)
        self.game.step_unchecked(worlds, actions)
        self.play_on(worlds, mix(~numbers))
        return self.game.shares(worlds)[np.arange(len(seats)), seats]

    def means(
        self, state: State, actions: NDArray[np.int64], numbers: Numbers, worlds: int, told: bool
    ) -> NDArray[np.float64]:
        """The mean worth of an action in each position, over so many worlds."""
        rows = np.repeat(np.arange(len(state)), worlds)
        drawn = mix(numbers[rows] + np.tile(series(worlds), len(state)))
        found = self.worth(select(state, rows), actions[rows], drawn, told)
        return np.asarray(found.reshape(len(state), worlds).mean(1))


def series(length: int) -> Numbers:
    """What is added to a number to get more of them."""
    return np.arange(length, dtype=np.uint64) * GOLDEN


def gains(
    judge: Judge,
    state: State,
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    numbers: Numbers,
    worlds: int,
) -> NDArray[np.float64]:
    """How much more the actions `after` are worth than those `before`, in the same worlds.

    Equal ones gain exactly 0. Where decisions are hidden, the worlds are the true ones: what the
    others chose was their policy's choice, and any other draw would be of another policy.
    """
    gain, rows = np.zeros(len(state)), np.flatnonzero(before != after)
    if len(rows):
        told, part = judge.game.spec.hides_decisions, select(state, rows)
        later, former = (
            judge.means(part, actions[rows], numbers[rows], worlds, told)
            for actions in (after, before)
        )
        gain[rows] = later - former
    return gain
