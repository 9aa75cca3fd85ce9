"""`heuristic`: goes for armour and strongholds, and keeps rivals away from theirs."""

from __future__ import annotations

from drago_env.thumbs import RulesOfThumb


class Heuristic(RulesOfThumb):
    """Weighs ways by their steps and by the cards that they ask for.

    It opens a door with the cards at hand when a points card leads through it in the same turn,
    goes where a points card of the hand fits exactly, renews and robs when a card is missing,
    uses the top discard, duels, and sends dragons, clouds and swaps against whoever is near.
    What the weights mean is in `drago_env.rupe_dei_draghi.planning.Weights`.
    """

    name = "heuristic"


make = Heuristic
