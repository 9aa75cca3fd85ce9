"""`guided`: the search with a network's advice.

Bare, it is guided by the network that ships with the agents;
`guided:path=runs/x/network.safetensors` takes another.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.neural import SHIPPED, Neural, load
from agents.search import Search, one_of, real
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import Plan


@dataclass
class Guided(Search):
    """The flat search, in which actions start with what the network's liking is worth.

    The more playouts an action has had, the less the advice counts. It takes the parameters of a
    flat `search` besides its own.
    """

    _: KW_ONLY
    path: str = str(SHIPPED)  # of a checkpoint; by default the network that ships
    playouts: int = 1000  # with the network, in the time of 1024 without
    trust: float = 0.5  # playouts won that the logarithm of the network's liking is worth

    name: str = field(default="guided", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("method", self.method, ("flat",))
        real("trust", self.trust, 0, 1000)
        self._network = Neural(load(self.path))

    def _plan(self, playouts: int) -> Plan:
        return super()._plan(playouts)._replace(trust=self.trust)

    def _priors(self, game: MountDrago, state: Any) -> NDArray[np.float32]:
        return self._network.evaluate(game, state).priors


make = Guided
