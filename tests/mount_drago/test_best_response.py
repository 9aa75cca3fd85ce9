"""PPO against a fixed opponent, in a game small enough to know the best that can be had.

Six cards for two riders: hands of 2 and the two tops, and nothing is left for the deck. No space
but the summit scores, and the first dragon there ends the game; so every turn draws, and what it
draws is the one card that was just covered. Nothing is left to chance after the deal, and who
counts the cards (clause 8.4) knows the other hand, which holds all that they do not see. So the
best reply to a fixed opponent is found by looking at all positions, without information sets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.network import Shape
from agents.neural import Checkpoint, Neural
from drago_env import Board, MountDrago, Rules, resolve
from drago_env.game import Legal, State
from drago_env.policy import Policy, RowGenerator, ask
from train.arguments import Arguments
from train.collect import Collector, Member, Setup
from train.ppo import Learner

TRACK = Board((0, 2, -1, 3, 2), ("start", "plain", "plain", "plain", "summit"))
GAME = MountDrago(Rules(board=TRACK, colours=3, copies=(1, 1), hand=2, summit_dragons=1))
# 3 * 2 colours of the tops, 2 * 2 cards of these colours, 6 ways to deal the other four
DEALS = 144
# Exact values of the learner's final reward, by seat, over all deals and both seats:
BEST, GREEDY = (1.0, 60 / 144), (40 / 144, -40 / 144)
TOLERANCE = 0.02  # the mean of the best is 17 / 24 = 0.708; to play greedy as well gives 0

Chooser = Callable[[State, Legal], NDArray[np.float64]]  # the probability of each listed action


class Level(NamedTuple):
    """All positions that so many turns lead to."""

    state: State
    legal: Legal
    after: NDArray[np.int64]  # the position of the next level that an action leads to, or -1


def apart(state: State) -> tuple[State, NDArray[np.int64]]:
    """The different positions, and which of them each one is; the dice do not matter."""
    for name in ("rng", "drawn", "drawn_size"):
        state[name] = 0
    rows = state.view(np.uint8).reshape(len(state), state.dtype.itemsize)
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return state[first].copy(), number.ravel()


def levels() -> list[Level]:
    """Every position that there is."""
    state, _ = apart(GAME.new(range(4000)))
    found: list[Level] = []
    while len(state):
        legal = GAME.legal(state)
        rows, slots = np.nonzero(np.arange(legal.actions.shape[1]) < legal.counts[:, None])
        following = state[rows].copy()
        GAME.step(following, legal.actions[rows, slots])
        assert not following["deck_size"].any()  # it held the one card that was drawn
        following, numbers = apart(following)
        after = np.full(legal.actions.shape, -1)
        after[rows, slots] = numbers
        found.append(Level(state, legal, after))
        state = following
    return found


def by(policy: Policy) -> Chooser:
    """What a policy chooses that leaves nothing to chance."""

    def choose(state: State, legal: Legal) -> NDArray[np.float64]:
        rng, rows = RowGenerator(np.random.PCG64(0)), np.arange(len(state))
        numbers = rng.integers(0, 2**64, len(state), dtype=np.uint64)
        chosen = ask(policy, GAME, state, GAME.look(state), rows, rng, numbers)
        listed = np.arange(legal.actions.shape[1]) < legal.counts[:, None]
        return (listed & (legal.actions == chosen[:, None])).astype(float)

    return choose


def value(positions: list[Level], seat: int, own: Chooser | None, other: Chooser) -> float:
    """The mean final reward of a seat over all deals; without `own`, of its best reply."""
    values = np.zeros(0)
    for state, legal, after in reversed(positions):
        winners = GAME.winners(state)[:, :2]
        found = np.where(winners.all(1), 0.0, np.where(winners[:, seat], 1.0, -1.0))
        running = legal.counts > 0
        for mine, choose in ((True, own), (False, other)):
            rows = np.flatnonzero(running & ((state["seat"] == seat) == mine))
            if not len(rows):
                continue
            worth = np.append(values, -2.0)[after[rows]]  # no action is worth less than -1
            if choose is None:
                found[rows] = worth.max(1)
            else:
                part = Legal(legal.actions[rows], legal.counts[rows], legal.mask[rows])
                chances = choose(state[rows].copy(), part)
                found[rows] = (chances * worth).sum(1)
        values = found
    return float(values.mean())


def test_training_finds_the_best_reply_to_greedy() -> None:
    positions, greedy = levels(), by(resolve("greedy"))
    assert len(positions[0].state) == DEALS
    best = [value(positions, seat, None, greedy) for seat in (0, 1)]
    assert np.allclose(best, BEST)
    assert np.allclose([value(positions, seat, greedy, greedy) for seat in (0, 1)], GREEDY)

    told = Arguments(
        trunk=(64, 32),
        action=(32, 16),
        update_epochs=4,
        minibatch_size=512,
        learning_rate=3e-3,
        gae_lambda=1.0,
        threads=1,
    )
    shape, updates = Shape.of(GAME, trunk=told.trunk, action=told.action), 80
    learner = Learner(shape, told)
    collector = Collector(Setup(GAME, np.zeros(1, np.int64), shape, 256, 16, 1.0, 1), seed=0)
    collector.draw_from({0: Member("greedy")})

    def reached() -> list[float]:
        weights = learner.network.weights()
        player = Neural(Checkpoint(Path("learner"), weights, shape, GAME.signature, {}))
        return [value(positions, seat, by(player), greedy) for seat in (0, 1)]

    assert np.mean(reached()) < 0.3
    for update in range(updates):
        rollout = collector.collect(learner.network.state_dict())
        learner.update([rollout], 1 - update / updates)
    assert np.mean(reached()) <= np.mean(best) + 1e-9
    assert np.mean(reached()) > np.mean(best) - TOLERANCE
