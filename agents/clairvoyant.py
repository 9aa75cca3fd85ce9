"""`clairvoyant`: the search that is told all that is hidden. It cheats: a yardstick."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from drago_env.core.planning import Planner
from drago_env.search import Search


@dataclass
class Clairvoyant(Search):
    """What a search could do that knew everything: the price of hidden information.

    It takes the parameters of `search`. Its playouts start from the true position; where the game
    says so, a share of their decisions is random by default, since every seat in them would seem
    to know its future.
    """

    name: str = field(default="clairvoyant", init=False)
    sees_all: ClassVar[bool] = True

    def _noise(self, planner: Planner) -> float:
        return planner.told_noise if self.noise is None else self.noise


make = Clairvoyant
