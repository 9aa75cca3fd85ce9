"""`greedy`: takes the most at once, and looks no further."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import weights
from drago_env.mount_drago import planning
from drago_env.policy import View


class Greedy:
    """The play with the best margin at once: own points minus the mean of the others'.

    Among equals the one that leaves the own dragon on the most valuable space (a play that ends
    the game counts as leaving it on a space of 0), then the one
    with the lowest action number. In the discard step it discards every card that it may,
    except those that still move its own dragon.
    """

    name = "greedy"
    plans = True

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        game, state = weights.planned(view, self.name)
        return planning.assess(game, state, weights.array("greedy"))


make = Greedy
