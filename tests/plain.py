"""A game for tests of the arena that is all that the default one is not: no points, no chance.

Underneath it is the default one with one deal for ever; some of its games count as cut off, and
pay nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env import MountDrago, Rules
from drago_env.core.checks import seed_array
from drago_env.game import State


class Plain(MountDrago):
    """Its winners are known, its points are not."""

    def __init__(
        self, *rules: Rules, reward: str = "win", threads: int = 1, features: bool = True
    ) -> None:
        super().__init__(*rules, reward=reward, threads=threads)
        self.spec = replace(
            self.spec,
            name="plain",
            has_points=False,
            has_chance=False,
            can_truncate=True,
            feature_size=self.spec.feature_size if features else 0,
        )

    def new(self, seeds: Any, variants: Any = 0) -> State:
        """The same deal whatever the seeds."""
        return super().new(np.zeros(len(seed_array(seeds)), np.uint64), variants)

    def truncated(self, state: State) -> NDArray[np.bool_]:
        """A few, by a number that follows from the whole game."""
        return np.asarray(self.over(state) & (state["score"].sum(1) % 8 == 0))

    def shares(self, state: State) -> NDArray[np.float64]:
        """Nothing for games that are cut off."""
        return np.where(self.truncated(state)[:, None], 0.0, super().shares(state))

    def scores(self, state: State) -> NDArray[np.int16]:
        """There are none."""
        return np.zeros((len(state), self.spec.seats), np.int16)


def make(players: int = 2, features: bool = True) -> Plain:
    """The rule book."""
    return Plain(Rules(players), features=features)
