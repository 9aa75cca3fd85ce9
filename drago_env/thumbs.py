"""Policies by rules of thumb: what a game's `heuristic` and `greedy` are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.planning import assess, planner_of
from drago_env.policy import View, planned


class RulesOfThumb:
    """Plays by the weights of the game's set with this policy's name.

    Among equals the lowest action number is chosen.
    """

    name: str
    plans = True

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        """What the rules of thumb think best in each row of the view."""
        game, state = planned(view, self.name)
        planner = planner_of(game, self.name)
        if planner.weights is None:
            raise ValueError(f"{game.spec.name} has no rules of thumb for {self.name}")
        return assess(game, state, planner.weights(self.name))  # type: ignore[arg-type]
