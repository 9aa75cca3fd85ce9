"""What the seat on turn can choose from in its step, as sets (6, 11.2).

Options are five words: `low` (cards, islets or plank numbers, as the step has them), three of
links, and `high` (villages). So a list, a test of one action and "is there any" are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, bit, lowest, size, word_of
from drago_env.core.compiled import compiled, inlined
from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.rules import MAX_KINDS
from drago_env.dragon_delta.state import (
    EMPTY,
    FIRST,
    JUMP,
    LINK,
    PLANK,
    PROGRAM,
    REMOVE,
    RESERVE,
    SECOND,
    STONE,
    VILLAGE,
)

_DRAGONS = np.uint64(MAX_KINDS)


@inlined
def free_planks(game: Any) -> Any:
    """The links with a plank on which no pawn stands."""
    w0, w1, w2 = ZERO, ZERO, ZERO
    for seat in range(np.int64(game["players"])):
        place = np.int64(game["pawn"][seat])
        w0 |= word_of(place, 0)
        w1 |= word_of(place, 1)
        w2 |= word_of(place, 2)
    laid = game["laid"]
    return laid[0] & ~w0, laid[1] & ~w1, laid[2] & ~w2


@inlined
def cards_left(game: Any, seat: Any, rules: Any) -> Any:
    """What a seat can program next: each card once, at most one dragon (4.2)."""
    laid = ZERO
    for slot in range(np.int64(rules["slots"])):
        card = game["program"][seat, slot]
        if card != EMPTY:
            laid |= bit(card)
    cards = np.uint64(rules["kinds"]) & ~laid
    if laid >> _DRAGONS == ZERO:
        cards |= (bit(game["players"] - 1) - ONE) << _DRAGONS
    return cards


@inlined
def reserve_of(game: Any, seat: Any, rules: Any) -> Any:
    """The numbers of the planks in a reserve, as bits from 0."""
    numbers = ZERO
    for colour in range(np.int64(game["players"])):
        for i in range(np.int64(rules["planks"])):
            if game["plank"][colour, i] == RESERVE + seat:
                numbers |= bit(i)
    return numbers


@inlined
def plank_on(game: Any, link: Any, rules: Any) -> Any:
    """The plank of a link as 8 * colour + number - 1."""
    found: Any = 0
    for colour in range(np.int64(game["players"])):
        for i in range(np.int64(rules["planks"])):
            if game["plank"][colour, i] == link:
                found = 8 * colour + i
    return found


@inlined
def free_islets(game: Any, rules: Any) -> Any:
    """Where a stone can be put (6.1)."""
    if size(game["stones"]) >= rules["stones"]:
        return ZERO
    return rules["islets_all"] & ~game["stones"]


@inlined
def links_for(game: Any, number: Any, rules: Any) -> Any:
    """Where a plank can be laid (6.3)."""
    ground = (game["stones"] | rules["villages_all"]) & ~game["full"]
    w0, w1, w2 = ZERO, ZERO, ZERO
    for node in range(np.int64(rules["islets"] + rules["villages"])):
        shut = ~ZERO if (ground >> np.uint64(node)) & ONE == ZERO else ZERO
        w0 |= rules["resting"][node, 0] & shut
        w1 |= rules["resting"][node, 1] & shut
        w2 |= rules["resting"][node, 2] & shut
    fits, blocked = rules["fits"][game["long_planks"], number - 1], game["blocked"]
    return fits[0] & ~(w0 | blocked[0]), fits[1] & ~(w1 | blocked[1]), fits[2] & ~(w2 | blocked[2])


@inlined
def removable(game: Any, seat: Any, free: Any, rules: Any) -> Any:
    """Stones that bear nothing, and planks that the reserve may take up (6.5)."""
    numbers, colours, bearing = ZERO, ZERO, ZERO
    for colour in range(np.int64(game["players"])):
        for i in range(np.int64(rules["planks"])):
            place = game["plank"][colour, i]
            if place == RESERVE + seat:
                numbers |= bit(i)
                colours |= bit(colour)
            elif place < MAX_LINKS:
                bearing |= rules["ends"][place]
    w0, w1, w2 = ZERO, ZERO, ZERO
    for colour in range(np.int64(game["players"])):
        if size(colours | bit(colour)) > 2:
            continue
        for i in range(np.int64(rules["planks"])):
            place = np.int64(game["plank"][colour, i])
            if place < MAX_LINKS and (numbers >> np.uint64(i)) & ONE == ZERO:
                w0 |= word_of(place, 0)
                w1 |= word_of(place, 1)
                w2 |= word_of(place, 2)
    return game["stones"] & ~bearing, w0 & free[0], w1 & free[1], w2 & free[2]


@inlined
def villages_at(link: Any, rules: Any) -> Any:
    """The villages on whose beach a link rests, as bits from 0."""
    return (rules["ends"][link] & rules["villages_all"]) >> np.uint64(rules["islets"])


@inlined
def steps_from(place: Any, free: Any, rules: Any) -> Any:
    """Free planks next to a place, and the villages that can be entered from it (6.6)."""
    if place >= VILLAGE:
        near = rules["resting"][rules["islets"] + place - VILLAGE]
        return free[0] & near[0], free[1] & near[1], free[2] & near[2], ZERO
    near = rules["touch"][place]
    return free[0] & near[0], free[1] & near[1], free[2] & near[2], villages_at(place, rules)


@inlined
def onward(origin: Any, w0: Any, w1: Any, w2: Any, high: Any) -> Any:
    """The second step of a `move2` leads back only where nothing else is left (6.7)."""
    o0, o1, o2 = w0 & ~word_of(origin, 0), w1 & ~word_of(origin, 1), w2 & ~word_of(origin, 2)
    other = high & ~bit(origin - VILLAGE) if origin >= VILLAGE else high
    if o0 | o1 | o2 | other == ZERO:
        return w0, w1, w2, high
    return o0, o1, o2, other


@inlined
def jumps_from(game: Any, seat: Any, place: Any, free: Any, rules: Any) -> Any:
    """Landings behind the pawns on planks next to a place (6.8)."""
    if place >= VILLAGE:
        own = bit(rules["islets"] + place - VILLAGE)
        shared = own
    else:
        own = rules["ends"][place]
        shared = own & rules["islets_all"]
    w0, w1, w2, high = ZERO, ZERO, ZERO, ZERO
    for other in range(np.int64(game["players"])):
        over = game["pawn"][other]
        if other != seat and over < MAX_LINKS and rules["ends"][over] & shared != ZERO:
            far = rules["ends"][over] & ~own
            if far & rules["villages_all"] != ZERO:
                high |= far >> np.uint64(rules["islets"])
            else:
                node = lowest(far)
                w0 |= rules["resting"][node, 0]
                w1 |= rules["resting"][node, 1]
                w2 |= rules["resting"][node, 2]
    return w0 & free[0], w1 & free[1], w2 & free[2], high


@compiled
def options(game: Any, rules: Any) -> Any:
    """The options of the seat on turn in its step."""
    step, seat = game["step"], np.int64(game["seat"])
    if step == PROGRAM:
        return cards_left(game, seat, rules), ZERO, ZERO, ZERO, ZERO
    if step == STONE:
        return free_islets(game, rules), ZERO, ZERO, ZERO, ZERO
    if step == PLANK:
        return reserve_of(game, seat, rules), ZERO, ZERO, ZERO, ZERO
    if step == LINK:
        w0, w1, w2 = links_for(game, np.int64(game["chosen"]), rules)
        return ZERO, w0, w1, w2, ZERO
    free = free_planks(game)
    if step == REMOVE:
        low, w0, w1, w2 = removable(game, seat, free, rules)
        return low, w0, w1, w2, ZERO
    place = np.int64(game["pawn"][seat])
    if step == JUMP:
        w0, w1, w2, high = jumps_from(game, seat, place, free, rules)
        return ZERO, w0, w1, w2, high
    w0, w1, w2, high = steps_from(place, free, rules)
    if step == FIRST and game["move2_village"] == 0:
        high = ZERO
    if step == SECOND:
        w0, w1, w2, high = onward(np.int64(game["origin"]), w0, w1, w2, high)
    return ZERO, w0, w1, w2, high


@inlined
def any_option(game: Any, rules: Any) -> Any:
    """Whether the step is a decision (11.3)."""
    low, w0, w1, w2, high = options(game, rules)
    return low | w0 | w1 | w2 | high != ZERO


@inlined
def first_low(step: Any, rules: Any) -> Any:
    """The action of the lowest bit of `low` in a step."""
    if step == PROGRAM:
        return np.int64(0)
    if step == PLANK:
        return np.int64(rules["first_plank"])
    return np.int64(rules["first_islet"])
