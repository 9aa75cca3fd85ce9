"""`guided`: the search with a network's advice.

Bare, it is guided by the network that ships for the game that is played;
`guided:path=runs/x/network.safetensors` takes another.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.neural import Neural, load
from drago_env.core.checks import one_of, real
from drago_env.core.planning import Planner
from drago_env.moved import renamed
from drago_env.search import Search

LEAST_PRIOR = 1e-9  # smaller ones count as this


@renamed(trust="prior_weight")
@dataclass
class Guided(Search):
    """The flat search, in which actions start with what the network's liking is worth.

    The more playouts an action has had, the less the advice counts. It takes the parameters of a
    flat `search` besides its own. A network that is told what the rules of thumb think has said
    what their head start would say again: by default there is none then.
    """

    _: KW_ONLY
    path: str | None = None  # of a checkpoint; by default the network that ships
    prior_weight: float = 0.5  # playouts won that the logarithm of the network's liking is worth

    name: str = field(default="guided", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("method", self.method, ("flat",))
        real("prior_weight", self.prior_weight, 0, 1000)
        self._network = Neural(None if self.path is None else load(self.path))

    def digest(self, game: str) -> str:
        """What tells the network's weights from others."""
        return self._network.digest(game)

    def _start(self, planner: Planner, game: Any, state: Any) -> NDArray[np.float64]:
        priors = self._network.evaluate(game, state).priors
        liking = self.prior_weight * np.log(np.maximum(priors, LEAST_PRIOR, dtype=np.float64))
        told = self.head_start is None and self._network.held(game.spec.name).shape.thumbs
        start = None if told else super()._start(planner, game, state)
        return liking if start is None else liking + start


make = Guided
