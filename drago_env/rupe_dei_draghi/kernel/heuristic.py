"""Rules of thumb: what each legal action is worth to the seat on turn, in steps.

They look at what that seat knows alone: its hand and looks, and what is public.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, RIVAL, ROB, SITE, TOP
from drago_env.rupe_dei_draghi.kernel import costs
from drago_env.rupe_dei_draghi.kernel.costs import (
    NO_WAY,
    find_costs,
    holds,
    need_of,
    next_step,
    restore_ways,
    save_ways,
)
from drago_env.rupe_dei_draghi.kernel.doors import covered, door_kind, in_use, open_ways
from drago_env.rupe_dei_draghi.kernel.pieces import may_swap, rival_of
from drago_env.rupe_dei_draghi.kernel.pieces_tried import try_piece
from drago_env.rupe_dei_draghi.kernel.places import (
    FAR,
    GOAL,
    LONGEST_WAY,
    best_points,
    cost_of,
    impatient,
    move_value,
    place_value,
    set_back,
    strikes_back,
    study,
    worst_start,
)
from drago_env.rupe_dei_draghi.rules import (
    CLOUD,
    DRAGON,
    NONE,
    POINTS,
    RAINBOW,
    TELESWAP,
)
from drago_env.rupe_dei_draghi.state import (
    CLOUD_TO,
    CLOUD_WHOM,
    DRAGON_TO,
    DUEL,
    MAGIC,
    MOVE,
    ROBBERY,
    SPOILS,
    SWAP,
)


@inlined
def find_obstacles(game: Any, rules: Any, work: Any) -> Any:
    """What the own cheapest way asks for: `need` gets the first of each kind that is at hand.

    Returns the kind to play first, one that only the discard pile has, or else the nearest one.
    """
    seat = np.int64(game["seat"])
    space = np.int64(game["knight"][seat])
    first = NONE
    for kind in range(DRAGON + 1):
        work["need"][kind] = NONE
    for _ in range(LONGEST_WAY):
        arc = next_step(game, seat, space, rules, work)
        if arc < 0:
            break
        kind = need_of(game, arc, rules)
        space = np.int64(rules["arc_to"][arc])
        if kind == NONE or work["need"][kind] != NONE or not covered(game, seat, kind):
            continue
        work["need"][kind] = space if kind != RAINBOW else np.int64(rules["arc_site"][arc])
        if first == NONE or not holds(game, seat, kind):
            first = kind
    return first


@inlined
def renew_value(game: Any, lack: Any, rules: Any, weights: Any) -> Any:
    """For a renewed hand: less, the fewer cards there are to be drawn (4.4)."""
    size = np.int64(game["hand_size"][game["seat"]])
    fresh = np.int64(game["deck_size"])
    if fresh + size <= np.int64(rules["hand"]):
        fresh += np.int64(game["pile_size"])
    share = min(1.0, fresh / 8.0)
    value = weights[costs.RENEW] + weights[costs.LACK] * lack
    value += weights[costs.SHORT] * (np.int64(rules["hand"]) - size)
    return share * value - 3.0 * (1.0 - share)


@inlined
def trick_value(game: Any, kind: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What a teleswap, a cloud or a dragon against rivals gains besides the move."""
    seat = np.int64(game["seat"])
    best = -NO_WAY
    for rival in range(np.int64(game["players"])):
        if rival == seat:
            continue
        if kind == CLOUD:
            best = max(best, worst_start(game, rival, weights, rules, work))
        elif kind == TELESWAP and may_swap(game, rival, rules):
            best = max(best, swap_value(game, rival, rules, weights, work))
        elif kind == DRAGON and game["armour"][rival] != 0:
            near = cost_of(game, rival, work) <= weights[costs.NEAR]
            if near and not _guarded(game, rival, rules, work):
                best = max(best, weights[costs.BLOCK])
    return best


@inlined
def swap_value(game: Any, rival: Any, rules: Any, weights: Any, work: Any) -> Any:
    seat = np.int64(game["seat"])
    own = np.int64(game["knight"][seat])
    there = np.int64(game["knight"][rival])
    gain = cost_of(game, seat, work) - work["cost"][seat, there]
    if there == rules["castle"] and game["armour"][seat] == 0:
        gain = GOAL
    return gain + set_back(game, rival, own, weights, work)


@inlined
def _guarded(game: Any, rider: Any, rules: Any, work: Any) -> Any:
    """Whether a dragon stands on a rider's cheapest way already."""
    space = np.int64(game["knight"][rider])
    for _ in range(LONGEST_WAY):
        arc = next_step(game, rider, space, rules, work)
        if arc < 0:
            return False
        if need_of(game, arc, rules) == DRAGON:
            return True
        space = np.int64(rules["arc_to"][arc])
    return False


@inlined
def assess_cards(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> None:
    """The steps in which a card is chosen."""
    seat = np.int64(game["seat"])
    size = np.int64(game["pile_size"])
    top = np.int64(game["pile"][size - 1]) if size > 0 else NONE
    stay = -cost_of(game, seat, work)
    knight = np.int64(game["knight"][seat])
    lack = -stay - work["length"][seat, knight] >= weights[costs.MISSING]
    moved = best_points(game, rules, weights, work)
    asked = NONE
    opened = moved
    if work["door"] > 0:
        asked = door_kind(game, work)
        opened = 2 * GOAL
    elif moved < GOAL:
        asked = find_obstacles(game, rules, work)
        if asked != NONE:
            save_ways(game, work)
            open_ways(game, work)
            opened = best_points(game, rules, weights, work)
            restore_ways(game, work)
    for i in range(count):
        action = np.int64(work["actions"][i])
        kind = top if action == TOP else action
        if action == RENEW:
            value = stay + renew_value(game, lack, rules, weights)
        elif action == ROB:
            value = stay + weights[costs.ROB] + 0.5 * weights[costs.LACK] * lack
            if impatient(game):
                value -= weights[costs.NEAR]
        elif action == DONE:
            value = stay
        elif kind >= POINTS:
            value = move_value(game, kind, rules, weights, work)
        else:
            value = moved - weights[costs.CARD]
            if kind == asked and opened > moved:
                value = opened - weights[costs.CARD]
            elif weights[costs.TRICKS] > 0.0 and kind >= DRAGON:
                value += max(-1.0, trick_value(game, kind, rules, weights, work))
            else:
                value -= 1.0
        if action == TOP:
            value += weights[costs.TOPS]
        work["values"][i] = value


# ---------------------------------------------------------------- pieces and rivals


@inlined
def mark_ways(game: Any, rules: Any, weights: Any, work: Any) -> None:
    """What a dragon would be worth on each space: on rivals' ways, the later the better."""
    seat = np.int64(game["seat"])
    for place in range(np.int64(rules["spaces"])):
        work["mark"][place] = 0.0
    for rider in range(np.int64(game["players"])):
        if rider != seat and weights[costs.RIVAL] == 0.0:
            continue
        space: Any = np.int64(game["knight"][rider])
        cost = cost_of(game, rider, work)
        if game["armour"][rider] == 0:
            cost += weights[costs.AFTER]
        urgency = max(0.0, 1.0 - cost / FAR)
        for place in range(LONGEST_WAY):
            arc = next_step(game, rider, space, rules, work)
            if arc < 0:
                break
            space = np.int64(rules["arc_to"][arc])
            if rider == seat:
                work["mark"][space] -= 4.0
            else:
                work["mark"][space] += urgency * (1.0 + 0.1 * place)


@inlined
def board_value(game: Any, rules: Any, weights: Any, work: Any) -> Any:
    """How the ways stand for the seat on turn: its own cost against those of its rivals."""
    seat = np.int64(game["seat"])
    find_costs(game, seat, weights[costs.OCCUPIED], rules, work)
    value = -cost_of(game, seat, work)
    if weights[costs.RIVAL] > 0.0:
        for rival in range(np.int64(game["players"])):
            if rival != seat:
                find_costs(game, rival, weights[costs.OCCUPIED], rules, work)
                value += 0.5 * weights[costs.RIVAL] * min(FAR, cost_of(game, rival, work))
    return value


@inlined
def wanted(game: Any, action: Any, space: Any, rules: Any, work: Any) -> Any:
    """Whether an answer is what the door, or else the own way, asks for."""
    kind = in_use(game)
    if kind == NONE or work["need"][kind] == NONE:
        return False
    step = game["step"]
    if kind == DRAGON:
        return step != DRAGON_TO and space == work["need"][kind]
    place = action - SITE if kind == RAINBOW else space
    lays = game["picked"] != NONE
    return action == BESIDE if not lays else (action >= SITE and place == work["need"][kind])


@inlined
def assess_pieces(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> None:
    """The steps in which pieces are moved."""
    first = SITE + np.int64(rules["sites"])
    if work["door"] <= 0:
        find_obstacles(game, rules, work)
    if game["step"] == DRAGON_TO:
        mark_ways(game, rules, weights, work)
    for i in range(count):
        action = np.int64(work["actions"][i])
        space = action - first
        if wanted(game, action, space, rules, work):
            work["values"][i] = GOAL
        elif game["step"] == DRAGON_TO:
            work["values"][i] = work["mark"][space]
        else:
            save_ways(game, work)
            try_piece(game, action, space)
            work["values"][i] = board_value(game, rules, weights, work)
            restore_ways(game, work)


@inlined
def assess_rivals(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> None:
    """The steps in which a rival is named, or sent to a start."""
    step = game["step"]
    first = SITE + np.int64(rules["sites"])
    for i in range(count):
        action = np.int64(work["actions"][i])
        value = -NO_WAY  # DONE
        if (step == CLOUD_TO) | (step == DUEL):
            rival = np.int64(game["rival"])
            value = 0.0
            if weights[costs.RIVAL] > 0.0:
                value = work["cost"][rival, action - first]
                if strikes_back(game, action - first, rules):
                    value -= weights[costs.NEAR]
        elif action >= RIVAL:
            rival = rival_of(game, action, RIVAL)
            if step == SWAP:
                value = swap_value(game, rival, rules, weights, work)
            elif step == CLOUD_WHOM:
                value = worst_start(game, rival, weights, rules, work)
            else:  # the richest, among equals who is nearest to the end
                value = 1.0 * game["hand_size"][rival]
                if weights[costs.RIVAL] > 0.0:
                    armour = weights[costs.AFTER] * (game["armour"][rival] == 0)
                    value -= 0.2 * (cost_of(game, rival, work) + armour)
        work["values"][i] = value


@compiled
def assess_all(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What each listed action is worth; returns the place of the best, the first of equals."""
    values = work["values"]
    if count == 1:
        values[0] = 0.0
        return 0
    study(game, rules, weights, work)
    step = game["step"]
    first = SITE + np.int64(rules["sites"])
    if step <= MAGIC:
        assess_cards(game, count, rules, weights, work)
    elif step == MOVE:
        for i in range(count):
            space = np.int64(work["actions"][i]) - first
            values[i] = place_value(game, space, rules, weights, work)
    elif (
        (step == SWAP)
        | (step == CLOUD_WHOM)
        | (step == CLOUD_TO)
        | (step == DUEL)
        | (step == SPOILS)
        | (step == ROBBERY)
    ):
        assess_rivals(game, count, rules, weights, work)
    else:
        assess_pieces(game, count, rules, weights, work)
    best = 0
    for i in range(1, count):
        if values[i] > values[best]:
            best = i
    return best
