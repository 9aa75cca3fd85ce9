"""`guided`: the search with a network's advice on which actions are worth a thought.

Bare, it is guided by the network that ships with the agents;
`guided:path=runs/x/network.safetensors` takes another.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.neural import SHIPPED, Neural, load
from agents.search import Search, one_of, real, whole
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import Plan


@dataclass
class Guided(Search):
    """Tries only what the network likes best, and adds what its liking is worth.

    It takes the parameters of a flat `search` besides its own.
    """

    _: KW_ONLY
    path: str = str(SHIPPED)  # of a checkpoint; by default the network that ships
    playouts: int = 960  # with the network, in the time of 1024 without
    width: int = 6  # actions that are tried, those that the network likes best
    trust: float = 0.004  # chance to win that the logarithm of the network's liking is worth

    name: str = field(default="guided", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("method", self.method, ("flat",))
        whole("width", self.width, 1, 1000)
        real("trust", self.trust, 0, 1000)
        self._network = Neural(load(self.path))

    def _plan(self, playouts: int) -> Plan:
        return super()._plan(playouts)._replace(width=self.width, trust=self.trust)

    def _priors(self, game: MountDrago, state: Any) -> NDArray[np.float32]:
        return self._network.evaluate(game, state).priors


make = Guided
