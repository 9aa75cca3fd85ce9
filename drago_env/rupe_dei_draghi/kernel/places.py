"""Rules of thumb: what places and moves are worth, in steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, clear, has, lowest
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.kernel import costs
from drago_env.rupe_dei_draghi.kernel.costs import (
    NO_WAY,
    find_costs,
    points_held,
    set_prices,
)
from drago_env.rupe_dei_draghi.kernel.doors import find_door, in_use
from drago_env.rupe_dei_draghi.kernel.knowledge import own_forts
from drago_env.rupe_dei_draghi.kernel.paths import find_targets
from drago_env.rupe_dei_draghi.rules import (
    CARD_KINDS,
    NONE,
    POINTS,
)
from drago_env.rupe_dei_draghi.state import (
    MOVE,
)

GOAL = 100.0  # for armour or a hopeful look: more than any way is worth
LONGEST_WAY = 64
PATIENCE = 40  # turns of each rider after which duels and robbery are shunned, lest they go on
FAR = 30.0  # a rival who is so far or farther does not matter


@inlined
def study(game: Any, rules: Any, weights: Any, work: Any) -> None:
    """What all actions have in common: the ways of all riders who matter, and the door."""
    seat = np.int64(game["seat"])
    kind = in_use(game)
    for rider in range(np.int64(game["players"])):
        if rider == seat or weights[costs.RIVAL] > 0.0:
            set_prices(game, rider, rider == seat, weights, work)
            if rider == seat and kind != NONE:
                work["price"][seat, kind] = weights[costs.HELD]
            find_costs(game, rider, weights[costs.OCCUPIED], rules, work)
    work["hope"] = own_forts(game, seat, rules)
    work["door"] = -1
    if weights[costs.DOORS] > 0.0 and game["step"] < MOVE:
        find_door(game, rules, work)


@inlined
def impatient(game: Any) -> Any:
    return game["turns"] >= PATIENCE * np.int64(game["players"])


@inlined
def cost_of(game: Any, rider: Any, work: Any) -> Any:
    return work["cost"][rider, np.int64(game["knight"][rider])]


@inlined
def set_back(game: Any, rider: Any, space: Any, weights: Any, work: Any) -> Any:
    """What it is worth that a rival's knight comes to a space."""
    if weights[costs.RIVAL] == 0.0:
        return 0.0
    before = cost_of(game, rider, work)
    if game["armour"][rider] == 0:
        before += weights[costs.AFTER]
    weight = weights[costs.RIVAL] * max(0.0, 1.0 - before / FAR)
    return weight * (work["cost"][rider, space] - cost_of(game, rider, work))


@inlined
def worst_start(game: Any, rider: Any, weights: Any, rules: Any, work: Any) -> Any:
    """What it is worth to send a rival to the start that they like least."""
    best = -NO_WAY
    for i in range(np.int64(rules["forts"])):
        start = np.int64(rules["start"][i])
        free = True
        for other in range(np.int64(game["players"])):
            free &= game["knight"][other] != start
        if free:
            best = max(best, set_back(game, rider, start, weights, work))
    return best


@inlined
def strikes_back(game: Any, start: Any, rules: Any) -> Any:
    """Whether a beaten rival could come back from a start at once, by the top discard."""
    seat = game["seat"]
    rival = np.int64(game["rival"])
    size = np.int64(game["pile_size"])
    if size == 0 or game["pile"][size - 1] < POINTS or rival == NONE:
        return False
    there = game["knight"][rival]
    game["seat"] = rival
    game["knight"][rival] = start
    game["card"] = game["pile"][size - 1]
    find_targets(game, rules)
    found = has(game["targets"], np.int64(game["knight"][seat]))
    clear(game["targets"])
    game["seat"] = seat
    game["knight"][rival] = there
    game["card"] = NONE
    return found


# ---------------------------------------------------------------- moves


@inlined
def place_value(game: Any, space: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What it is worth that the own move ends on a space."""
    seat = np.int64(game["seat"])
    if game["armour"][seat] == 0 and space == rules["castle"]:
        return GOAL
    fort = np.int64(rules["fort_of"][space])
    if fort != NONE and (work["hope"] >> fort) & 1 != 0:
        return GOAL
    value = -work["cost"][seat, space]
    length = work["length"][seat, space]
    if -value - length < weights[costs.MISSING]:  # all cards are at hand but for the points
        exact = points_held(game, seat, length)
        if game["doubles"][seat] != 0 and length % 2 == 0:
            exact |= points_held(game, seat, length // 2)
        value += weights[costs.EXACT] * exact
    if not has(rules["deep"], space):
        for rival in range(np.int64(game["players"])):
            if rival != seat and game["knight"][rival] == space:
                if impatient(game):
                    value -= weights[costs.NEAR]
                else:
                    value += weights[costs.DUEL] + worst_start(game, rival, weights, rules, work)
    return value


@compiled
def move_value(game: Any, kind: Any, rules: Any, weights: Any, work: Any) -> Any:
    """The best destination of a points card, as the ways are now."""
    seat = np.int64(game["seat"])
    game["card"] = kind
    find_targets(game, rules)
    best = -NO_WAY - 40.0
    held = game["hand"][seat, kind]
    game["hand"][seat, kind] -= held > 0
    for word in range(np.int64(rules["words"])):
        spaces = game["targets"][word]
        while spaces != ZERO:
            space = 64 * word + lowest(spaces)
            spaces &= spaces - ONE
            best = max(best, place_value(game, space, rules, weights, work))
    game["hand"][seat, kind] = held
    game["card"] = NONE
    clear(game["targets"])
    if best < -NO_WAY - 1.0:  # it stays (6.6)
        best = -cost_of(game, seat, work) - 1.0
    return best


@inlined
def best_points(game: Any, rules: Any, weights: Any, work: Any) -> Any:
    """The best move by a points card of the hand; without any, staying."""
    seat = np.int64(game["seat"])
    best = -cost_of(game, seat, work) - 1.0
    for kind in range(POINTS, CARD_KINDS):
        if game["hand"][seat, kind] > 0:
            best = max(best, move_value(game, kind, rules, weights, work))
    return best


# ---------------------------------------------------------------- which card
