"""Which actions are legal (11.3, 11.4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, listed
from drago_env.core.compiled import inlined
from drago_env.dragon_delta.kernel.options import first_low, options
from drago_env.dragon_delta.state import OVER


@inlined
def over(game: Any) -> Any:
    """Whether the game has ended."""
    return game["step"] == OVER


@inlined
def legal(game: Any, rules: Any, actions: Any) -> Any:
    """Lists the legal actions, ascending, and returns how many there are."""
    count: Any = 0
    if over(game):
        return count
    low, w0, w1, w2, high = options(game, rules)
    link = np.int64(rules["first_link"])
    count = listed(low, first_low(game["step"], rules), actions, count)
    count = listed(w0, link, actions, count)
    count = listed(w1, link + 64, actions, count)
    count = listed(w2, link + 128, actions, count)
    return listed(high, np.int64(rules["first_village"]), actions, count)


@inlined
def _within(bits: Any, place: Any) -> Any:
    return 0 <= place < 64 and (bits >> np.uint64(place)) & ONE != ZERO


@inlined
def is_legal(game: Any, action: Any, rules: Any) -> Any:
    """Whether any number is a legal action."""
    if over(game) or action < 0 or action >= rules["num_actions"]:
        return False
    low, w0, w1, w2, high = options(game, rules)
    link = action - np.int64(rules["first_link"])
    if link < 0:
        return _within(low, action - first_low(game["step"], rules))
    if action >= rules["first_village"]:
        return _within(high, action - np.int64(rules["first_village"]))
    return _within(w0, link) or _within(w1, link - 64) or _within(w2, link - 128)
