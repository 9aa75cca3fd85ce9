"""`guided`: a search that a network guides, by what it likes and by what it expects.

Bare, it is guided by the network that ships with the agents;
`guided:path=runs/x/network.safetensors` takes another.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from agents import weights
from agents.neural import SHIPPED, Neural, load
from agents.thinker import Thinker, real, whole
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import Guide, Thought, guided


@dataclass
class Guided(Thinker):
    """Tries what the network likes best, in worlds that fit what the seat knows.

    The other riders play by rules of thumb until the seat is on turn again; what the network
    expects there is what the playout was worth. All candidates meet the same worlds and the
    better half goes on (sequential halving).
    """

    path: str = str(SHIPPED)  # of a checkpoint; by default the network that ships
    _: KW_ONLY
    playouts: int = 512  # for each decision
    width: int = 6  # actions that are tried, those that the network likes best
    trust: float = 0.03  # what the logarithm of the network's liking is worth, in final rewards

    name: str = field(default="guided", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("width", self.width, 1, 1000)
        real("trust", self.trust, 0, 1000)
        self._network = Neural(load(self.path))
        shape, tensors = self._network.checkpoint.shape, self._network.checkpoint.weights
        names = [*(f"trunk.{number}" for number in range(len(shape.trunk))), "value"]
        self._layers = tuple(np.ascontiguousarray(tensors[f"{name}.weight"].T) for name in names)
        self._biases = tuple(tensors[f"{name}.bias"] for name in names)

    def _search(self, game: MountDrago, state: Any, seeds: Any, playouts: int) -> Thought:
        guide = Guide(self._network.evaluate(game, state).priors, self._layers, self._biases)
        settings = (playouts, self.width, self.trust)
        return guided(game, state, seeds, guide, *settings, weights.array("light"))


make = Guided
