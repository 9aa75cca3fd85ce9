"""Each rider's chance to win, estimated from the position."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.mount_drago.kernel.heuristic import best_gain, value_ahead, weigh
from drago_env.mount_drago.kernel.turn import shares
from drago_env.mount_drago.state import OVER

# `planning.WinChance` says what each weight means.
SPACE, ROAD, THREAT, TURN, CARDS, SPREAD, LENGTH = range(7)


@inlined
def steps_left(game: Any, rules: Any) -> Any:
    """Steps that the leading dragons still need to end the game."""
    total: Any = 0
    counted: Any = 0
    for _ in range(np.int64(rules["summit_dragons"]) - np.int64(game["summit"])):
        best: Any = -1
        leader = 0
        for dragon in range(np.int64(rules["colours"])):
            place = np.int64(game["position"][dragon])
            if place < rules["summit"] and place > best and counted >> dragon & 1 == 0:
                best = place
                leader = dragon
        counted |= 1 << leader
        total += np.int64(rules["summit"]) - best
    return total


@inlined
def spread_of(game: Any, rules: Any, weights: Any) -> Any:
    """The points by which a lead counts."""
    return np.exp(weights[SPREAD] + weights[LENGTH] * np.log(1.0 + steps_left(game, rules)))


@inlined
def standing(game: Any, rider: Any, rules: Any, weights: Any) -> Any:
    """What a rider has, in points; what their hand could gain is not in it."""
    space = np.int64(game["position"][rules["colour"][game["top"][rider]]])
    value = game["score"][rider] + weights[SPACE] * rules["space_value"][space]
    value += weights[ROAD] * value_ahead(space, rules)
    return value + weights[CARDS] * game["hand_size"][rider]


@inlined
def win_chances(game: Any, rules: Any, weights: Any, work: Any, out: Any) -> None:
    """Each seat's chance to win: a softmax of what the riders have and may expect."""
    if game["phase"] == OVER:
        shares(game, out)
        return
    players = np.int64(game["players"])
    weigh(game, rules, work)
    spread = spread_of(game, rules, weights)
    top = -1e9
    for rider in range(players):
        value = standing(game, rider, rules, weights)
        threat = best_gain(game, rider, -1, rules, work)
        value += (weights[THREAT] + weights[TURN] * (rider == game["seat"])) * threat
        out[rider] = value / spread
        top = max(top, out[rider])
    total = 0.0
    for rider in range(players):
        out[rider] = np.exp(out[rider] - top)
        total += out[rider]
    for rider in range(players):
        out[rider] /= total


@inlined
def leaf_values(game: Any, rules: Any, plan: Any, weights: Any, work: Any) -> None:
    """What a position is worth to each seat: its chance to win, or its margin on that scale."""
    out = work["leaf"]
    if plan["margin"]:
        players = np.int64(game["players"])
        total: Any = 0
        for rider in range(players):
            total += np.int64(game["score"][rider])
        for rider in range(players):
            own = np.int64(game["score"][rider])
            out[rider] = 0.5 + (own - (total - own) / (players - 1)) / 64.0
    else:
        win_chances(game, rules, weights, work, out)
