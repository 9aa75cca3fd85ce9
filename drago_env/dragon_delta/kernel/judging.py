"""The rules of thumb over a batch of games."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import compiled
from drago_env.dragon_delta.kernel.heuristic import assess_all
from drago_env.dragon_delta.kernel.play import rules_of
from drago_env.dragon_delta.kernel.way import WORK


@compiled
def judge(state: Any, shared: Any, actions: Any, counts: Any, values: Any) -> None:
    """What each listed action is worth."""
    tables, weights = shared
    works = np.empty(1, WORK)
    for row in range(state.shape[0]):
        work = works[0]
        for i in range(counts[row]):
            work["actions"][i] = actions[row, i]
        if counts[row] > 0:
            assess_all(state[row], counts[row], rules_of(state[row], tables), weights[0], work)
        for i in range(counts[row]):
            values[row, i] = work["values"][i]
