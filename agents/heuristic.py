"""`heuristic`: plans with the hand by a few weighted rules of thumb."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import weights
from drago_env.mount_drago import planning
from drago_env.policy import View


class Heuristic:
    """Adds up what a play gains at once and eight weighted thoughts about what follows.

    They are those of `drago_env.mount_drago.planning.Weights`: the price of a lost draw, the
    own space and those ahead, the rivals' spaces, the next card of the hand, the next rider's
    likely scoring, the end of the game and the way there. Taking and keeping the last dragon
    are assessed as the two plays that they are. `python -m agents.tune` found the weights, for
    each number of players. Among equals the lowest action number is chosen.
    """

    name = "heuristic"
    plans = True

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        game, state = weights.planned(view, self.name)
        return planning.assess(game, state, weights.array(self.name))


make = Heuristic
