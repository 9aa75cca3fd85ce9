"""Each player's chance to win, estimated from the ways that are left."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import compiled
from drago_env.dragon_delta.kernel.result import shares
from drago_env.dragon_delta.kernel.way import measure
from drago_env.dragon_delta.state import OVER

# `planning.WinChance` says what each weight means.
SPREAD, STEPS, REACH = range(3)


@compiled
def leaf_values(game: Any, rules: Any, plan: Any, weights: Any, work: Any) -> None:
    """`work["leaf"]`: a softmax of what each player still needs; after the end the shares."""
    out = work["leaf"]
    shares(game, out)
    if game["step"] == OVER:
        return
    total = 0.0
    players = np.int64(game["players"])
    for seat in range(players):
        measure(game, seat, rules, work)
        left = work["cost"][seat] + weights[STEPS] * (work["steps"][seat] > weights[REACH])
        out[seat] = np.exp(-left / weights[SPREAD])
        total += out[seat]
    for seat in range(players):
        out[seat] /= total
