"""Rules of thumb and chances to win: what their weights mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.core.planning import Planner
from drago_env.dragon_delta.kernel.planning import SEARCHES
from drago_env.dragon_delta.state import PROGRAM


class Weights(NamedTuple):
    """What counts besides the own way; the unit is a stone, a plank or a step of it."""

    risk: float  # the chance that a dragon cancels a card, for each slot
    waste: float  # the price of a plank that cannot be laid on the own way
    dragon: float  # the worth of a dragon against the leader
    block: float  # and more against a rival who could reach the goal in this round
    steal: float  # the worth of a removal; twice that if the own planks do not suffice
    rival: float  # for what a decision takes from the leader, and against what it gives them


class WinChance(NamedTuple):
    """What a player still needs, from which chances to win are a softmax."""

    spread: float  # needs by which a lead counts
    steps: float  # added to the needs of a player whose goal is not within reach
    reach: float  # steps on planks that lie


SETS: dict[str, tuple[float, ...]] = {
    "greedy": Weights(0, 1, 0, 0, 0.3, 0),
    "heuristic": Weights(0.06, 0.7, 1.5, 4.0, 0.5, 1.0),
    "light": Weights(0, 0.7, 1.5, 4.0, 0.5, 1.0),
    "win_chance": WinChance(2.0, 1.0, 3.0),
}


def weights(name: str) -> NDArray[np.float64]:
    """A set as the array that the kernels take, the same for every number of players."""
    return np.array([SETS[name]], np.float64)


PLANNER = Planner(
    SEARCHES,
    weights,
    playouts=("light", "heuristic", "greedy", "uniform"),
    leaves=("win_chance",),
    depth=1,  # to the end of the round
    head_start=2.0,
    number=64,
    hidden=lambda state: np.asarray(state["step"] == PROGRAM),
)
