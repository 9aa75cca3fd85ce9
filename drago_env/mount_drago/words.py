"""Actions in words."""

from __future__ import annotations

from drago_env.mount_drago.actions import decode
from drago_env.mount_drago.rules import Rules

_WORDS = ("play {}", "play {} and keep", "discard {}", "done discarding")  # by what is done


def action_text(action: int, rules: Rules) -> str:
    """Such as `play blue 3`, `play blue 3 and keep`, `discard blue 3` or `done discarding`."""
    if not 0 <= action < rules.num_actions:
        raise ValueError(f"actions run from 0 to {rules.num_actions - 1}, not {action}")
    what, card = decode(action, rules.card_kinds)
    return _WORDS[what].format(rules.card_text(card))
