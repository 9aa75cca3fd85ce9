"""Why an action is illegal, in words and by clause."""

from __future__ import annotations

from typing import Any

from drago_env.mount_drago.actions import TO_DISCARD, decode
from drago_env.mount_drago.rules import COLOURS, Rules
from drago_env.mount_drago.state import DISCARD, OVER, PLAY


def why_illegal(rules: Rules, game: Any, action: int) -> tuple[str, str]:
    """The reason and the clause that forbid an action in one game."""
    what, card = decode(action, rules.card_kinds)
    plays, discard_clause = what < TO_DISCARD, "7.1" if rules.edition == "german" else "7.2"
    if game["phase"] == OVER:
        return "the game is over", "6.7"
    if game["phase"] == DISCARD and plays:
        return "a card was played already; discard or be done", "3"
    if game["phase"] == PLAY and not plays:
        return "it is not the discard step", "10.3"
    if card not in game["hand"][int(game["seat"])]:
        return f"{rules.card_text(card)} is not in the hand", "4.1" if plays else discard_clause
    if plays:
        return "a dragon may be left only if it is in last place and nobody rides it", "5.3"
    return f"the {COLOURS[card // rules.values]} dragon is not on the summit", discard_clause
