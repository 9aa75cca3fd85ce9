"""`clairvoyant`: the search that is told all that is hidden. It cheats: a yardstick."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from drago_env.search import Search


@dataclass
class Clairvoyant(Search):
    """What a search could do that knew everything: the price of hidden information.

    It takes the parameters of `search`. Its playouts start from the true position, so without
    noise all of them would be the same, and every seat in them would seem to know its future:
    a share of their decisions is random.
    """

    noise: float = 0.3  # share of a playout's decisions that are random

    name: str = field(default="clairvoyant", init=False)
    sees_all: ClassVar[bool] = True


make = Clairvoyant
