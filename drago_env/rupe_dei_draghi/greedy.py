"""`greedy`: the shortest way to armour, then to the nearest stronghold that is not ruled out."""

from __future__ import annotations

from drago_env.thumbs import RulesOfThumb


class Greedy(RulesOfThumb):
    """Opens the first thing that is in its way, and takes the move that brings it nearest.

    It renews its hand when no move gains more, and looks at no rival.
    """

    name = "greedy"


make = Greedy
