"""What a way costs a rider: its steps, and a price for each card that it still asks for.

Other than `ways.py`, which knows open ways alone, these lead through missing bridges and rainbows
and through dragons, at the price of the card that opens them: little if it is at hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import scratch
from drago_env.core.bits import ONE, ZERO, has
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.graph import MAX_ACTIONS, MAX_SPACES, STAR
from drago_env.rupe_dei_draghi.kernel.ways import is_goal
from drago_env.rupe_dei_draghi.rules import (
    BRIDGE,
    CARD_KINDS,
    DRAGON,
    MAX_PLAYERS,
    NONE,
    RAINBOW,
)

# `planning.Weights` says what each weight means.
HELD, MISSING, RIVALS_CARD, OCCUPIED, EXACT, DUEL, RENEW, LACK, SHORT, *_REST = range(18)
ROB, CARD, RIVAL, BLOCK, NEAR, DOORS, TRICKS, TOPS, AFTER = _REST

NO_WAY = 60.0  # more than any way costs
QUEUE = 256  # a ring of spaces whose neighbours must be looked at again
WORK = scratch(
    MAX_PLAYERS,
    MAX_ACTIONS,
    ("cost", "<f8", (MAX_PLAYERS, MAX_SPACES)),  # from each space to a rider's goal
    ("length", "<i8", (MAX_PLAYERS, MAX_SPACES)),  # steps of that way
    ("price", "<f8", (MAX_PLAYERS, 3)),  # of a rainbow, a bridge and a dragon card
    ("mark", "<f8", (MAX_SPACES,)),  # what a dragon would be worth there
    ("saved", "<u8", (5,)),  # what is laid and closed in truth, while something else is tried
    ("queue", "u1", (QUEUE,)),
    ("queued", "u1", (MAX_SPACES,)),
    ("need", "<i8", (3,)),  # of the door: what to open with each kind, or NONE
    ("door", "<i8"),  # cards that the best door asks for; -1: none leads in this turn
    ("hope", "<i8"),  # strongholds, as bits, where the own princess can be
)


@inlined
def holds(game: Any, seat: Any, kind: Any) -> Any:
    return game["hand"][seat, kind] > 0


@inlined
def at_hand(game: Any, seat: Any, kind: Any) -> Any:
    """Whether a kind is in the own hand or on top of the discard pile."""
    size = np.int64(game["pile_size"])
    return holds(game, seat, kind) or (size > 0 and game["pile"][size - 1] == kind)


@inlined
def _enter(game: Any, rider: Any, space: Any, rules: Any, work: Any) -> Any:
    """The price of coming to a space besides the step itself."""
    price = work["price"][rider]
    extra = 0.0
    if has(game["closed"], space):
        extra = price[BRIDGE] if has(rules["gaps"], space) else price[DRAGON]
    return extra


@inlined
def _cross(game: Any, rider: Any, arc: Any, rules: Any, work: Any) -> Any:
    """The price of the rainbow of an arc; negative if it cannot be laid yet."""
    site = np.int64(rules["arc_site"][arc])
    if site == NONE or (game["laid"] >> np.uint64(site)) & ONE != ZERO:
        return 0.0
    if game["opened"] == 0 and (rules["early"] >> np.uint64(site)) & ONE == ZERO:
        return -1.0
    return work["price"][rider, RAINBOW]


@inlined
def _note(space: Any, cost: Any, length: Any, rider: Any, last: Any, work: Any) -> Any:
    """A cheaper way from a space; returns the new end of the queue."""
    if work["cost"][rider, space] <= cost:
        return last
    work["cost"][rider, space] = cost
    work["length"][rider, space] = length
    if work["queued"][space] == 0:
        work["queued"][space] = 1
        work["queue"][last % QUEUE] = space
        last += 1
    return last


@compiled
def find_costs(game: Any, rider: Any, occupied: Any, rules: Any, work: Any) -> None:
    """The cheapest way from every space to the rider's goal."""
    for place in range(np.int64(rules["spaces"])):
        work["cost"][rider, place] = NO_WAY
        work["length"][rider, place] = 0
        work["queued"][place] = 0
    first = 0
    last = 0
    for i in range(-1, np.int64(rules["forts"])):
        goal = np.int64(rules["castle"]) if i < 0 else np.int64(rules["fort"][i])
        if is_goal(game, rider, goal, rules):
            taken = 0.0
            for other in range(np.int64(game["players"])):
                if i >= 0 and other != rider and game["knight"][other] == goal:
                    taken = occupied
            last = _note(goal, taken, 0, rider, last, work)
    while first < last:
        space = np.int64(work["queue"][first % QUEUE])
        first += 1
        work["queued"][space] = 0
        cost = work["cost"][rider, space]
        length = work["length"][rider, space]
        if has(rules["deep"], space) and not is_goal(game, rider, space, rules):  # 6.4
            continue
        if rules["kind"][space] == STAR:  # 9.1
            for i in range(np.int64(rules["star_count"])):
                last = _note(np.int64(rules["star"][i]), cost, length, rider, last, work)
        cost += 1.0 + _enter(game, rider, space, rules, work)
        for arc in range(np.int64(rules["arcs"][space]), np.int64(rules["arcs"][space + 1])):
            if rules["arc_via"][arc] == NONE:
                rainbow = _cross(game, rider, arc, rules, work)
                if rainbow >= 0.0:
                    onward = np.int64(rules["arc_to"][arc])
                    last = _note(onward, cost + rainbow, length + 1, rider, last, work)


@inlined
def set_prices(game: Any, rider: Any, known: Any, weights: Any, work: Any) -> None:
    """What the cards of a way cost: for the own seat by its hand, for others the same for all."""
    for kind in range(DRAGON + 1):
        price = weights[RIVALS_CARD]
        if known:
            price = weights[HELD] if at_hand(game, rider, kind) else weights[MISSING]
        work["price"][rider, kind] = price


@inlined
def next_step(game: Any, rider: Any, space: Any, rules: Any, work: Any) -> Any:
    """The arc by which the cheapest way goes on from a space, or -1 where it ends.

    A star may be left from any star; the arc's own beginning says from which.
    """
    cost = work["cost"][rider, space]
    stars = np.int64(rules["star_count"]) if rules["kind"][space] == STAR else 0
    for i in range(-1, stars):
        origin = space if i < 0 else np.int64(rules["star"][i])
        for arc in range(np.int64(rules["arcs"][origin]), np.int64(rules["arcs"][origin + 1])):
            onward = np.int64(rules["arc_to"][arc])
            if rules["arc_via"][arc] != NONE:
                continue
            if has(rules["deep"], onward) and not is_goal(game, rider, onward, rules):
                continue
            rainbow = _cross(game, rider, arc, rules, work)
            if rainbow >= 0.0:
                price = 1.0 + rainbow + _enter(game, rider, onward, rules, work)
                if abs(work["cost"][rider, onward] + price - cost) < 1e-6:
                    return arc
    return -1


@inlined
def need_of(game: Any, arc: Any, rules: Any) -> Any:
    """The kind of card that an arc asks for, or NONE."""
    site = np.int64(rules["arc_site"][arc])
    if site != NONE and (game["laid"] >> np.uint64(site)) & ONE == ZERO:
        return RAINBOW
    space = np.int64(rules["arc_to"][arc])
    if has(game["closed"], space):
        return BRIDGE if has(rules["gaps"], space) else DRAGON
    return NONE


@inlined
def save_ways(game: Any, work: Any) -> None:
    work["saved"][4] = game["laid"]
    for word in range(4):
        work["saved"][word] = game["closed"][word]


@inlined
def restore_ways(game: Any, work: Any) -> None:
    game["laid"] = work["saved"][4]
    for word in range(4):
        game["closed"][word] = work["saved"][word]


@inlined
def points_held(game: Any, seat: Any, points: Any) -> Any:
    """Whether the hand has a points card of this value."""
    kind = points + 4
    return points > 0 and kind < CARD_KINDS and holds(game, seat, kind)
