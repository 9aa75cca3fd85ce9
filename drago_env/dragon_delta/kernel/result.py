"""What a game pays when it has ended (8.4, 8.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.dragon_delta.rules import MAX_PLAYERS, RANK
from drago_env.dragon_delta.state import OVER, WON

SEATS = MAX_PLAYERS


@inlined
def distance(game: Any, seat: Any, rules: Any) -> Any:
    """The fewest steps to the goal if every link carried a free plank (8.5)."""
    goal = rules["goal"][game["players"], seat]
    return np.int64(rules["distance"][goal, game["pawn"][seat]])


@inlined
def _rank(game: Any, seat: Any, rules: Any) -> Any:
    """From 1 for the first to -1 for the last; ties share the mean."""
    players = np.int64(game["players"])
    own = distance(game, seat, rules)
    nearer: Any = 0
    equal: Any = 0
    for other in range(players):
        far = distance(game, other, rules)
        nearer += far < own
        equal += far == own
    return 1.0 - (2.0 * nearer + equal - 1.0) / (players - 1.0)


@inlined
def reward(game: Any, scheme: Any, points: Any, rules: Any, rewards: Any) -> None:
    """What each seat is paid for the last decision."""
    players = np.int64(game["players"])
    for seat in range(SEATS):
        rewards[seat] = 0.0
    if game["step"] != OVER:
        return
    for seat in range(players):
        if scheme == RANK:
            rewards[seat] = _rank(game, seat, rules)
        elif game["end"] == WON:
            rewards[seat] = 1.0 if seat == game["seat"] else -1.0 / (players - 1.0)


@inlined
def shares(game: Any, out: Any) -> None:
    """Each seat's share of the victory; a game that was cut off is shared equally."""
    players = np.int64(game["players"])
    for seat in range(SEATS):
        out[seat] = 0.0
    for seat in range(players):
        if game["end"] == WON:
            out[seat] = 1.0 if seat == game["seat"] else 0.0
        else:
            out[seat] = 1.0 / players
