"""What a decision pays (11.3), and the steps that each seat still needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.rupe_dei_draghi.rules import FAR, MAX_PLAYERS
from drago_env.rupe_dei_draghi.state import WON

WIN, PROGRESS = 0, 1  # reward schemes
STEP_VALUE = 1 / 16  # what one step less is worth by PROGRESS


@inlined
def fort_distance(game: Any, seat: Any, space: Any, rules: Any) -> Any:
    """Steps to the nearest stronghold that a seat has not ruled out, if every way were open."""
    nearest: Any = FAR
    for fort in range(np.int64(rules["forts"])):
        if (np.int64(game["looks"][seat]) >> fort) & 1 == 0:
            nearest = min(nearest, np.int64(rules["fort_steps"][space, fort]))
    return nearest


@inlined
def count_steps(game: Any, rules: Any) -> None:
    """The steps that each seat still needs: to the castle for armour, then to a stronghold."""
    for seat in range(np.int64(game["players"])):
        space = np.int64(game["knight"][seat])
        steps: Any = 0
        if game["armour"][seat] == 0:
            steps = np.int64(rules["castle_steps"][space])
            space = np.int64(rules["castle"])
        game["steps"][seat] = steps + fort_distance(game, seat, space, rules)


@inlined
def reward(game: Any, scheme: Any, points: Any, rules: Any, rewards: Any) -> None:
    """What each seat is paid for the last decision.

    PROGRESS adds the change of a potential, minus the steps still needed, which is 0 at a true
    end and stays what it is where a game is cut off. With a discount of 1 all that it pays over
    a whole game is the same for every way to play, so the best policy is that of WIN.
    """
    players = np.int64(game["players"])
    for seat in range(MAX_PLAYERS):
        pay = 0.0
        if seat < players and game["end"] == WON:
            pay = 1.0 if seat == game["seat"] else -1.0 / (players - 1)
        if scheme == PROGRESS:
            fewer = np.int64(game["before"][seat]) - np.int64(game["steps"][seat])
            pay += fewer * STEP_VALUE
        rewards[seat] = pay


@inlined
def shares(game: Any, out: Any) -> None:
    """Each seat's share of the victory; of a game that was cut off, all have the same."""
    players = np.int64(game["players"])
    for seat in range(MAX_PLAYERS):
        out[seat] = 0.0
    if game["end"] == WON:
        out[game["seat"]] = 1.0
        return
    for seat in range(players):
        out[seat] = 1.0 / players
