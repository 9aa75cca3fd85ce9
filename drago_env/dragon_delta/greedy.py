"""`greedy`: the shortest way with what it has."""

from __future__ import annotations

from drago_env.thumbs import RulesOfThumb


class Greedy(RulesOfThumb):
    """Programs what brings it farthest on its cheapest way, and builds and walks along it.

    It reckons neither with dragons nor with rivals, and never programs against them while a card
    of its own is of use. Among equals the lowest action number is chosen.
    """

    name = "greedy"


make = Greedy
