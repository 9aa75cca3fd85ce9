"""`search` for this game: programs are tried card by card, each filled up by the heuristic."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env import search
from drago_env.core.checks import real
from drago_env.core.planning import Plan, Planner
from drago_env.dragon_delta.planning import judge, softmax


@dataclass
class Search(search.Search):
    """The common search, in which actions start with what the rules of thumb think of them.

    A card is tried as the first of a whole program: in a playout the seat itself fills the other
    slots, reckoning with the cards that lie. What others have laid is drawn as the rules of thumb
    would have laid it, more or less, never looked at. `prior_weight` is for a flat search.
    """

    _: KW_ONLY
    prior_weight: float = 1.0  # playouts won that the logarithm of a liking is worth
    liking: float = 0.5  # the temperature of those likings, in stones, planks or steps

    def __post_init__(self) -> None:
        super().__post_init__()
        real("prior_weight", self.prior_weight, 0, 1000)
        real("liking", self.liking, 0.001, 1000)

    def _plan(self, planner: Planner, playouts: int, uniform: bool, margin: bool) -> Plan:
        plan = super()._plan(planner, playouts, uniform, margin)
        return plan._replace(prior_weight=self.prior_weight)

    def _priors(self, game: Any, state: Any) -> NDArray[np.float32] | None:
        if self.method != "flat" or self.prior_weight == 0:
            return None
        return softmax(judge(game, state, "heuristic"), self.liking)


make = Search
