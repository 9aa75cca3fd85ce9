"""Doors: ways into castle or stronghold that the own hand can open and reach in this very turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, bit, clear, drop, has
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.kernel.costs import at_hand, holds, restore_ways, save_ways
from drago_env.rupe_dei_draghi.kernel.paths import find_targets
from drago_env.rupe_dei_draghi.rules import BRIDGE, CARD_KINDS, DRAGON, NONE, POINTS, RAINBOW
from drago_env.rupe_dei_draghi.state import BRIDGE_FROM, DRAGON_FROM, RAINBOW_FROM, TURN


@inlined
def in_use(game: Any) -> Any:
    """The kind of the magic card whose effect is being chosen, or NONE."""
    step = game["step"]
    if (step == RAINBOW_FROM) | (step == RAINBOW_FROM + 1):
        return RAINBOW
    if (step == BRIDGE_FROM) | (step == BRIDGE_FROM + 1):
        return BRIDGE
    if (step == DRAGON_FROM) | (step == DRAGON_FROM + 1):
        return DRAGON
    return NONE


@inlined
def covered(game: Any, seat: Any, kind: Any) -> Any:
    """Whether a card of a kind may still be played in this turn, or is being played."""
    if game["step"] == TURN:
        return at_hand(game, seat, kind)
    return kind == in_use(game) or holds(game, seat, kind)


@inlined
def _needs(game: Any, goal: Any, arc: Any, rules: Any, work: Any) -> Any:
    """Lists what must be opened to enter the goal by an arc; how many cards, -1 if it cannot be."""
    seat = np.int64(game["seat"])
    need = work["need"]
    for kind in range(DRAGON + 1):
        need[kind] = NONE
    site = np.int64(rules["arc_site"][arc])
    threshold = np.int64(rules["arc_to"][arc])
    if site != NONE and (game["laid"] >> np.uint64(site)) & ONE == ZERO:
        if game["opened"] == 0 and (rules["early"] >> np.uint64(site)) & ONE == ZERO:
            return -1
        need[RAINBOW] = site
    if has(game["closed"], threshold):
        if not has(rules["gaps"], threshold):
            return -1
        need[BRIDGE] = threshold
    if has(game["closed"], goal):
        need[DRAGON] = goal
    count = 0
    for kind in range(DRAGON + 1):
        if need[kind] != NONE:
            count += 1
            if not covered(game, seat, kind):
                return -1
    return count


@inlined
def _reached(game: Any, goal: Any, steps: Any, rules: Any) -> Any:
    """Whether a points card of the hand leads to the goal, as the ways are now."""
    seat = np.int64(game["seat"])
    card = game["card"]
    found = False
    for kind in range(POINTS, CARD_KINDS):
        points = (kind - POINTS + 1) * (1 + np.int64(game["doubles"][seat]))
        if not found and points >= steps and holds(game, seat, kind):
            game["card"] = kind
            find_targets(game, rules)
            found = has(game["targets"], goal)
    clear(game["targets"])
    game["card"] = card
    return found


@inlined
def open_ways(game: Any, work: Any) -> None:
    """Opens what the list of needs names."""
    need = work["need"]
    if need[RAINBOW] != NONE:
        game["laid"] |= bit(need[RAINBOW])
    for kind in range(BRIDGE, DRAGON + 1):
        if need[kind] != NONE:
            drop(game["closed"], need[kind])


@compiled
def find_door(game: Any, rules: Any, work: Any) -> None:
    """The door that asks for the fewest cards: `door` says how many, `need` what to open."""
    seat = np.int64(game["seat"])
    knight = np.int64(game["knight"][seat])
    armoured = game["armour"][seat] != 0
    best = -1
    best_goal: Any = 0
    best_arc = 0
    for i in range(-1, np.int64(rules["forts"])):
        if armoured == (i < 0) or (i >= 0 and (work["hope"] >> i) & 1 == 0):
            continue
        goal = np.int64(rules["castle"]) if i < 0 else np.int64(rules["fort"][i])
        steps = rules["castle_steps"][knight] if i < 0 else rules["fort_steps"][knight, i]
        if steps > 10:
            continue
        for arc in range(np.int64(rules["arcs"][goal]), np.int64(rules["arcs"][goal + 1])):
            if rules["arc_via"][arc] != NONE:
                continue
            count = _needs(game, goal, arc, rules, work)
            if count >= 0 and (best < 0 or count < best):
                save_ways(game, work)
                open_ways(game, work)
                if _reached(game, goal, np.int64(steps), rules):
                    best = count
                    best_goal = goal
                    best_arc = arc
                restore_ways(game, work)
    work["door"] = best
    if best >= 0:
        _needs(game, best_goal, best_arc, rules, work)


@inlined
def door_kind(game: Any, work: Any) -> Any:
    """The card to play next for the door: one that only the discard pile has comes first."""
    seat = np.int64(game["seat"])
    first = NONE
    for kind in range(DRAGON + 1):
        if work["need"][kind] != NONE and (first == NONE or not holds(game, seat, kind)):
            first = kind
    return first
