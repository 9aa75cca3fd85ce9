"""`heuristic`: plans with the hand by a few weighted rules of thumb."""

from __future__ import annotations

from drago_env.thumbs import RulesOfThumb


class Heuristic(RulesOfThumb):
    """Adds up what a play gains at once and eight weighted thoughts about what follows.

    They are those of `drago_env.mount_drago.planning.Weights`: the price of a lost draw, the
    own space and those ahead, the rivals' spaces, the next card of the hand, the next rider's
    likely scoring, the end of the game and the way there. Taking and keeping the last dragon
    are assessed as the two plays that they are. `python -m agents.mount_drago.tune` found the
    weights, for each number of players. Among equals the lowest action number is chosen.
    """

    name = "heuristic"


make = Heuristic
