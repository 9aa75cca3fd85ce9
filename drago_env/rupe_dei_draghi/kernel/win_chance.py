"""Each rider's chance to win, estimated from the position."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.rupe_dei_draghi.kernel import costs
from drago_env.rupe_dei_draghi.kernel.costs import find_costs, set_prices
from drago_env.rupe_dei_draghi.kernel.rewards import shares
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, POINTS
from drago_env.rupe_dei_draghi.state import RUNNING

# `planning.WinChance` says what each weight means; the first ones are those of `costs`.
VAIN, TURN, CARDS, SPREAD = range(4, 8)
ARMOUR = 8


@inlined
def left_of(game: Any, rider: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What a rider still needs, in steps: the way, and what comes after it."""
    set_prices(game, rider, True, weights, work)
    find_costs(game, rider, weights[costs.OCCUPIED], rules, work)
    left = min(30.0, work["cost"][rider, np.int64(game["knight"][rider])])
    if game["armour"][rider] == 0:
        left += weights[ARMOUR]
    hopes: Any = 0
    for fort in range(np.int64(rules["forts"])):
        hopes += (np.int64(game["looks"][rider]) >> fort) & 1 == 0
    left += weights[VAIN] * (hopes - 1)
    points: Any = 0
    for kind in range(POINTS, CARD_KINDS):
        points += np.int64(game["hand"][rider, kind])
    left -= weights[CARDS] * min(points, 4)
    if rider == game["seat"]:
        left -= weights[TURN]
    return left


@inlined
def win_chances(game: Any, rules: Any, weights: Any, work: Any, out: Any) -> None:
    """Each seat's chance to win: a softmax of what the riders still need."""
    if game["end"] != RUNNING:
        shares(game, out)
        return
    players = np.int64(game["players"])
    least = 1e9
    for rider in range(players):
        out[rider] = left_of(game, rider, rules, weights, work)
        least = min(least, out[rider])
    total = 0.0
    for rider in range(players):
        out[rider] = np.exp((least - out[rider]) / weights[SPREAD])
        total += out[rider]
    for rider in range(players):
        out[rider] /= total


@inlined
def leaf_values(game: Any, rules: Any, plan: Any, weights: Any, work: Any) -> None:
    """What a position is worth to each seat: its chance to win."""
    win_chances(game, rules, weights, work, work["leaf"])
