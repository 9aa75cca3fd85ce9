"""Rules of thumb: what a decision is worth, by the own cheapest way and what others have of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, lowest, size
from drago_env.core.compiled import compiled, inlined
from drago_env.dragon_delta.kernel.options import (
    free_planks,
    links_for,
    onward,
    plank_on,
    reserve_of,
    steps_from,
)
from drago_env.dragon_delta.kernel.program import assess_cards
from drago_env.dragon_delta.kernel.result import distance
from drago_env.dragon_delta.kernel.way import (
    EXACT,
    FAR,
    cost_from,
    find_way,
    measure,
    set_out,
    through,
)
from drago_env.dragon_delta.map import LINK_WORDS, MAX_LINKS
from drago_env.dragon_delta.state import (
    FIRST,
    LINK,
    PLANK,
    PROGRAM,
    REMOVE,
    STONE,
    VILLAGE,
)

# `planning.Weights` says what each weight means; the first two belong to `program`.
DRAGON, BLOCK, STEAL, RIVAL = range(2, 6)
_ON_WAY = 10.0
_NEEDED = 3.0  # a plank that the own way lacks
_WON = 100.0
_REACH = 3  # steps that one round can bring: move1 and move2
_SOON = np.array([1.0, 0.7, 0.4, 0.2, 0.1, 0.0, 0.0, 0.0])  # what a block is worth, by slot


# ---------------------------------------------------------------- programming


@inlined
def _steps_now(game: Any, place: Any, rules: Any) -> Any:
    w0, w1, w2, high = steps_from(place, free_planks(game), rules)
    return size(w0) + size(w1) + size(w2) + size(high)


@inlined
def _weigh_rivals(game: Any, seat: Any, weights: Any, rules: Any, work: Any) -> None:
    """What a dragon against each of them is worth in each slot, and what a removal is."""
    players, slots = np.int64(game["players"]), np.int64(rules["slots"])
    nearest: Any = np.int64(FAR)
    for other in range(players):
        if other != seat:
            measure(game, other, rules, work)
            nearest = min(nearest, work["cost"][other])
    steal = weights[STEAL] + (weights[STEAL] if work["means"] != EXACT else 0.0)
    for slot in range(slots):
        work["removal"][slot] = steal
    for k in range(players - 1):
        other = seat + k + 1 if seat + k + 1 < players else seat + k + 1 - players
        behind = work["cost"][other] - nearest
        worth = weights[DRAGON] / (1.0 + behind) / np.sqrt(players - 1.0)
        near = work["steps"][other] <= _REACH
        for slot in range(slots):
            block = weights[BLOCK] * _SOON[slot] if near else 0.0
            work["dragon"][k, slot] = worth + block
            if near and work["steps"][other] > 1:
                work["removal"][slot] += 0.5 * block


@inlined
def _prepare_program(game: Any, seat: Any, weights: Any, rules: Any, work: Any) -> None:
    place = np.int64(game["pawn"][seat])
    home = VILLAGE + np.int64(rules["home"][game["players"], seat])
    goal = np.int64(rules["goal"][game["players"], seat])
    work["exits"] = _steps_now(game, place, rules)
    walked = np.int64(rules["distance"][goal, home]) - distance(game, seat, rules)
    work["fall"] = 0.0 if place == home else max(walked, 1.0)
    needed: Any = 0
    for i in range(work["length"]):
        needed += work["way_number"][i] > 0
    work["spare"] = size(reserve_of(game, seat, rules)) - needed
    _weigh_rivals(game, seat, weights, rules, work)


@compiled
def assess_program(game: Any, count: Any, done: Any, rules: Any, weights: Any, work: Any) -> None:
    """Values of the cards that the seat on turn may program, `done` of them carried out."""
    seat = np.int64(game["seat"])
    find_way(game, seat, rules, work)
    _prepare_program(game, seat, weights, rules, work)
    assess_cards(game, count, done, weights, rules, work)


# ---------------------------------------------------------------- building


@inlined
def _on_way(place: Any, work: Any) -> Any:
    """Where on the way a place is, or -1."""
    for i in range(work["length"]):
        if work["way"][i] == place:
            return i
    return -1


@inlined
def _leader(game: Any, seat: Any, rules: Any, work: Any) -> Any:
    """The rival with the cheapest way; `cost_out` is then theirs."""
    players = np.int64(game["players"])
    best: Any = -1
    for k in range(1, players):
        other = seat + k if seat + k < players else seat + k - players
        measure(game, other, rules, work)
        if best < 0 or work["cost"][other] < work["cost"][best]:
            best = other
    measure(game, best, rules, work)  # `build` is then theirs
    set_out(game, best, rules, work)
    return best


@inlined
def _gain(game: Any, rival: Any, link: Any, rules: Any, work: Any) -> Any:
    """By how much a plank on a link would help the rival."""
    return max(work["cost"][rival] - through(game, rival, link, rules, work), 0)


@inlined
def _stone_value(game: Any, islet: Any, rival: Any, weights: Any, rules: Any, work: Any) -> Any:
    """A stone on the own way, the nearest first; else where it helps the leader least."""
    for i in range(work["length"]):
        if (work["lacking"] >> np.uint64(i)) & ONE != ZERO and work["way_node"][i] == islet:
            return _ON_WAY - 0.1 * i
    passing = np.int64(work["cost_out"][islet]) + np.int64(work["cost_in"][rival, islet])
    return -weights[RIVAL] if passing <= work["cost"][rival] else 0.0


@inlined
def _lay_value(game: Any, link: Any, rival: Any, weights: Any, rules: Any, work: Any) -> Any:
    """A plank on the own way, the nearest first; else where it is least in the own way."""
    at = _on_way(link, work)
    if at >= 0 and work["way_number"][at] == game["chosen"]:
        return _ON_WAY - 0.1 * at
    value = _ON_WAY - 2.0 - 0.1 * at if at >= 0 else 0.0
    for i in range(work["length"]):
        place = work["way"][i]
        unlaid = place < MAX_LINKS and work["way_number"][i] > 0
        if unlaid and (rules["cross"][link, place >> 6] >> np.uint64(place & 63)) & ONE != ZERO:
            value -= 2.0 if place != link else 0.0
    return value - weights[RIVAL] * _gain(game, rival, link, rules, work)


@inlined
def _choice_value(game: Any, number: Any, rules: Any, work: Any) -> Any:
    """A plank for a link of the way that is ready; else one that the way does not need."""
    links = links_for(game, number, rules)
    needed = False
    for i in range(work["length"]):
        if work["way_number"][i] == number:
            needed = True
            place = work["way"][i]
            bits = links[0] if place < 64 else links[1] if place < 128 else links[2]
            if (bits >> np.uint64(place & 63)) & ONE != ZERO:
                return _ON_WAY - 0.1 * i
    lost = links[0] | links[1] | links[2] == ZERO
    return (-4.0 if needed else 0.0) - (1.0 if lost else 0.0)


@inlined
def _take_value(game: Any, link: Any, rival: Any, weights: Any, rules: Any, work: Any) -> Any:
    """A plank that the leader needs, or one whose number the own way lacks."""
    if _on_way(link, work) >= 0:
        return -_ON_WAY
    value = 0.0
    if through(game, rival, link, rules, work) <= work["cost"][rival]:
        value += weights[RIVAL] * (3.0 if work["steps"][rival] <= _REACH else 2.0)
    if work["means"] != EXACT:
        number = (plank_on(game, link, rules) & 7) + 1
        for i in range(work["length"]):
            value += _NEEDED if work["way_number"][i] == number else 0.0
    return value + 0.1  # a plank in the reserve is of use


@inlined
def _take_stone_value(game: Any, islet: Any, rival: Any, rules: Any, work: Any) -> Any:
    for i in range(work["length"]):
        if work["way_node"][i] == islet:
            return -_ON_WAY
    passing = np.int64(work["cost_out"][islet]) + np.int64(work["cost_in"][rival, islet])
    return 0.2 if passing <= work["cost"][rival] else 0.0


# ---------------------------------------------------------------- moving


@inlined
def _place_value(game: Any, seat: Any, place: Any, rules: Any, work: Any) -> Any:
    """What is left from a place; places of the way itself are the surest."""
    if place == work["way"][work["length"] - 1] and work["length"] > 0:
        return _WON
    at = _on_way(place, work)
    if at >= 0:
        left = work["length"] - at - 1
        for i in range(at, work["length"]):
            here = np.uint64(i)
            left += 1 - np.int64((work["laid"] >> here) & ONE)
            left += np.int64((work["lacking"] >> here) & ONE)
        return -np.float64(left)
    return -0.25 - np.float64(cost_from(game, seat, place, work["cost_in"][seat], rules))


@inlined
def _first_value(game: Any, seat: Any, place: Any, rules: Any, work: Any) -> Any:
    """The best second step of a `move2` after this first one."""
    before = np.int64(game["pawn"][seat])
    best = _place_value(game, seat, place, rules, work)
    if best == _WON or place >= VILLAGE:
        return best
    game["pawn"][seat] = place  # looked at, and put back
    w0, w1, w2, high = steps_from(place, free_planks(game), rules)
    links = onward(before, w0, w1, w2, high)
    best = -1e9
    for word in range(LINK_WORDS):
        bits = links[word]
        while bits != ZERO:
            onto = lowest(bits) + 64 * word
            best = max(best, _place_value(game, seat, onto, rules, work))
            bits &= bits - ONE
    bits = links[3]
    while bits != ZERO:
        best = max(best, _place_value(game, seat, VILLAGE + lowest(bits), rules, work))
        bits &= bits - ONE
    game["pawn"][seat] = before
    return best


@inlined
def _assess_moves(game: Any, count: Any, rules: Any, work: Any) -> None:
    seat = np.int64(game["seat"])
    for i in range(count):
        action = np.int64(work["actions"][i])
        village = action - np.int64(rules["first_village"])
        place = VILLAGE + village if village >= 0 else action - np.int64(rules["first_link"])
        if game["step"] == FIRST:
            work["values"][i] = _first_value(game, seat, place, rules, work)
        else:
            work["values"][i] = _place_value(game, seat, place, rules, work)


# ---------------------------------------------------------------- a decision


@inlined
def _assess_building(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> None:
    step, rival = game["step"], np.int64(-1)
    if step != PLANK:
        rival = _leader(game, np.int64(game["seat"]), rules, work)
    for i in range(count):
        action = np.int64(work["actions"][i])
        link = action - np.int64(rules["first_link"])
        islet = action - np.int64(rules["first_islet"])
        if step == STONE:
            value = _stone_value(game, islet, rival, weights, rules, work)
        elif step == PLANK:
            value = _choice_value(game, action - np.int64(rules["first_plank"]) + 1, rules, work)
        elif step == LINK:
            value = _lay_value(game, link, rival, weights, rules, work)
        elif link >= 0:
            value = _take_value(game, link, rival, weights, rules, work)
        else:
            value = _take_stone_value(game, islet, rival, rules, work)
        work["values"][i] = value


@compiled
def assess_all(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> Any:
    """The place of the best action; `work["values"]` holds the value of each.

    Nothing is looked at but what the seat on turn knows: all that is public, and its own cards.
    """
    if game["step"] == PROGRAM:
        assess_program(game, count, 0, rules, weights, work)
    else:
        find_way(game, np.int64(game["seat"]), rules, work)
        if game["step"] <= REMOVE:
            _assess_building(game, count, rules, weights, work)
        else:
            _assess_moves(game, count, rules, work)
    best: Any = 0
    for i in range(1, count):
        if work["values"][i] > work["values"][best]:
            best = i
    return best
