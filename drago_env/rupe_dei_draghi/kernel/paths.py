"""Moving by points (clause 6): where exact simple paths end, and which rainbows they cross.

A depth-first search over the arcs of the graph. Spaces on the path are marked in the state's own
set of closed spaces and unmarked on the way back, so that after the search it is as before.
Castle and strongholds only come last, so rainbows are crossed by the first or the last step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.graph import STAR
from drago_env.rupe_dei_draghi.kernel.bits import ONE, ZERO, bit, clear, drop, has, put
from drago_env.rupe_dei_draghi.rules import NONE, POINTS


@inlined
def passable(game: Any, arc: Any, rules: Any) -> Any:
    """Whether a step along an arc leads to an open space that is not on the path (6.2, 6.3)."""
    site = np.int64(rules["arc_site"][arc])
    if site != NONE and (game["laid"] >> np.uint64(site)) & ONE == ZERO:
        return False
    return not has(game["closed"], np.int64(rules["arc_to"][arc]))


@inlined
def _arrive(game: Any, space: Any, rules: Any) -> None:
    """A path ends here, or with a flight from here (9.1)."""
    put(game["targets"], space)
    if rules["kind"][space] == STAR:
        for i in range(np.int64(rules["star_count"])):
            star = np.int64(rules["star"][i])
            if not has(game["closed"], star):
                put(game["targets"], star)


@compiled
def walk(game: Any, space: Any, left: Any, rules: Any) -> None:
    """Adds the ends of all paths of exactly `left` more steps from a space on the path."""
    for arc in range(np.int64(rules["arcs"][space]), np.int64(rules["arcs"][space + 1])):
        if not passable(game, arc, rules):
            continue
        onward = np.int64(rules["arc_to"][arc])
        if left == 1:
            _arrive(game, onward, rules)
        elif not has(rules["deep"], onward):  # 6.4
            put(game["closed"], onward)
            walk(game, onward, left - 1, rules)
            if rules["kind"][onward] == STAR:
                fly(game, left - 1, rules)
            drop(game["closed"], onward)


@inlined
def fly(game: Any, left: Any, rules: Any) -> None:
    """Goes on from every star that is not on the path (9.1)."""
    for i in range(np.int64(rules["star_count"])):
        star = np.int64(rules["star"][i])
        if not has(game["closed"], star):
            put(game["closed"], star)
            walk(game, star, left, rules)
            drop(game["closed"], star)


@inlined
def find_targets(game: Any, rules: Any) -> None:
    """All destinations of the seat's knight by the points card in use (6.1 to 6.5, 10.1, 10.4)."""
    seat = np.int64(game["seat"])
    space = np.int64(game["knight"][seat])
    points = np.int64(game["card"]) - POINTS + 1
    clear(game["targets"])
    put(game["closed"], space)
    for times in range(1, 2 + np.int64(game["doubles"][seat])):
        walk(game, space, times * points, rules)
        if rules["kind"][space] == STAR:
            fly(game, times * points, rules)
    drop(game["closed"], space)
    if game["armour"][seat] == 0:  # 10.1
        for word in range(game["targets"].shape[0]):
            game["targets"][word] &= ~rules["keeps"][word]
    for rider in range(np.int64(game["players"])):
        there = np.int64(game["knight"][rider])
        if has(rules["single"], there):  # 6.5
            drop(game["targets"], there)


@compiled
def crossings(game: Any, space: Any, left: Any, goal: Any, over: Any, rules: Any) -> Any:
    """The rainbows on any path of exactly `left` more steps to the goal, as a set of sites.

    `over` are those that the path has crossed so far.
    """
    found = ZERO
    for arc in range(np.int64(rules["arcs"][space]), np.int64(rules["arcs"][space + 1])):
        if not passable(game, arc, rules):
            continue
        onward = np.int64(rules["arc_to"][arc])
        star = rules["kind"][onward] == STAR
        site = np.int64(rules["arc_site"][arc])
        now = over if site == NONE else over | bit(site)
        if left == 1:
            if onward == goal or (star and rules["kind"][goal] == STAR and not has(game["closed"], goal)):
                found |= now
        elif not has(rules["deep"], onward):
            put(game["closed"], onward)
            found |= crossings(game, onward, left - 1, goal, now, rules)
            if star:
                found |= _flown(game, left - 1, goal, now, rules)
            drop(game["closed"], onward)
    return found


@inlined
def _flown(game: Any, left: Any, goal: Any, over: Any, rules: Any) -> Any:
    found = ZERO
    for i in range(np.int64(rules["star_count"])):
        star = np.int64(rules["star"][i])
        if not has(game["closed"], star):
            put(game["closed"], star)
            found |= crossings(game, star, left, goal, over, rules)
            drop(game["closed"], star)
    return found


@inlined
def find_crossed(game: Any, goal: Any, rules: Any) -> Any:
    """The sites whose rainbows count as crossed by the move to the goal (6.7)."""
    seat = np.int64(game["seat"])
    space = np.int64(game["knight"][seat])
    found = ZERO
    if game["laid"] == ZERO or not (has(rules["deep"], space) or has(rules["deep"], goal)):
        return found
    points = np.int64(game["card"]) - POINTS + 1
    put(game["closed"], space)
    for times in range(1, 2 + np.int64(game["doubles"][seat])):
        found |= crossings(game, space, times * points, goal, ZERO, rules)
        if rules["kind"][space] == STAR:
            found |= _flown(game, times * points, goal, ZERO, rules)
    drop(game["closed"], space)
    return found
