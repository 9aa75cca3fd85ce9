"""The ways as they would be after an answer to a step that moves a piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import bit, drop, put
from drago_env.core.compiled import inlined
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, SITE
from drago_env.rupe_dei_draghi.state import (
    BESIDE_BOARD,
    BRIDGE_FROM,
    BRIDGE_TO,
    CROSSED,
    CROSSED_TO,
    DRAGON_FROM,
    RAINBOW_FROM,
    RAINBOW_TO,
)


@inlined
def try_piece(game: Any, action: Any, space: Any) -> None:
    """Changes what is laid and what is closed, and nothing else."""
    step = game["step"]
    picked = np.int64(game["picked"])
    if action == DONE:
        return
    if (step == RAINBOW_FROM) | (step == CROSSED):
        if action >= SITE:
            game["laid"] &= ~bit(action - SITE)
    elif (step == RAINBOW_TO) | (step == CROSSED_TO):
        if picked != BESIDE_BOARD:
            game["laid"] &= ~bit(picked)
        if action != BESIDE:
            game["laid"] |= bit(action - SITE)
    elif step == BRIDGE_FROM:
        if action != BESIDE:
            put(game["closed"], space)
    elif step == BRIDGE_TO:
        if picked != BESIDE_BOARD:
            put(game["closed"], picked)
        if action != BESIDE:
            drop(game["closed"], space)
    elif step == DRAGON_FROM:
        drop(game["closed"], space)
