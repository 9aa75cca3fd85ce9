"""`greedy`: takes the most at once, and looks no further."""

from __future__ import annotations

from drago_env.thumbs import RulesOfThumb


class Greedy(RulesOfThumb):
    """The play with the best margin at once: own points minus the mean of the others'.

    Among equals the one that leaves the own dragon on the most valuable space (a play that ends
    the game counts as leaving it on a space of 0), then the one with the lowest action number.
    In the discard step it discards every card that it may, except those that still move its own
    dragon.
    """

    name = "greedy"


make = Greedy
