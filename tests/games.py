"""Random games for tests: every state of a game with the decisions between, and its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from drago_env import MountDrago, Rules, record
from drago_env.game import State
from drago_env.mount_drago.record import Record
from drago_env.mount_drago.rules import EDITIONS

STANDARD = tuple(Rules(n, edition) for n in (2, 3, 4, 5) for edition in EDITIONS)
TINY = (Rules.tiny(2), Rules.tiny(3), Rules.tiny(2, "italian"))
# Many dragons must arrive and the cards are few: discards and reshuffles in every game.
SCARCE = tuple(
    Rules(n, edition, colours=6, copies=(3, 3, 2), hand=4, summit_dragons=5)
    for n in (2, 3, 4)
    for edition in EDITIONS
)
ALL_RULES = (*STANDARD, *TINY, *SCARCE)


def name(rules: Rules) -> str:
    """A short name for the tables of pytest."""
    return f"{rules.players}-{rules.edition}-{rules.cards}-cards"


@dataclass(frozen=True)
class Played:
    """A game with the state before each decision and, last, the one after them all."""

    game: MountDrago
    seed: int
    states: tuple[State, ...]  # one row each
    actions: tuple[int, ...]

    def record(self, moves: int | None = None) -> Record:
        """A fresh record of the game, or of its first moves."""
        riders = [f"rider {seat}" for seat in range(self.game.rules[0].players)]
        actions = self.actions[:moves]
        return record.record(self.game, self.states[0], actions, seed=self.seed, riders=riders)


def picked(game: MountDrago, state: State, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each row, -1 where the game is over."""
    legal = game.legal(state)
    choice = (rng.random(len(state)) * legal.counts).astype(np.int64)
    actions = legal.actions[np.arange(len(state)), choice].astype(np.int64)
    return np.where(legal.counts > 0, actions, -1)


@cache
def play(rules: Rules, seed: int = 0) -> Played:
    """One whole random game."""
    game, rng = MountDrago(rules), np.random.default_rng(seed)
    state = game.new(seed)
    states, actions = [state.copy()], []
    while not game.over(state)[0]:
        action = picked(game, state, rng)
        game.step(state, action)
        states.append(state.copy())
        actions.append(int(action[0]))
    return Played(game, seed, tuple(states), tuple(actions))


def along(game: MountDrago, seeds: Sequence[int], variants: Sequence[int]) -> Iterator[State]:
    """A batch of random games after each move, until all are over; the same array each time."""
    rng = np.random.default_rng(len(seeds))
    state = game.new(seeds, variants)
    while True:
        yield state
        if game.over(state).all():
            return
        game.step(state, picked(game, state, rng))


def find(rules: Rules, phase: int) -> State:
    """Some state of a random game in this phase."""
    for seed in range(100):
        for state in play(rules, seed).states:
            if state["phase"][0] == phase:
                return state.copy()
    raise AssertionError(f"no game comes to phase {phase}")
