"""Moving by points (clause 6): where exact simple paths end, and which rainbows they cross.

A depth-first search over the arcs of the graph. An arc is one step: along a road or over a
rainbow, and on by a flight if it comes to a star. Spaces on the path are marked in the state's own
set of closed spaces and unmarked on the way back, so that after the search it is as before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, bit, clear, drop, has, put
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.graph import STAR
from drago_env.rupe_dei_draghi.rules import NONE, POINTS


@inlined
def passable(game: Any, arc: Any, rules: Any) -> Any:
    """Whether a step along an arc leads to open spaces that are not on the path (6.1 to 6.3)."""
    if has(game["closed"], np.int64(rules["arc_to"][arc])):
        return False
    site = np.int64(rules["arc_site"][arc])
    if site != NONE and (game["laid"] >> np.uint64(site)) & ONE == ZERO:
        return False
    via = np.int64(rules["arc_via"][arc])
    return via == NONE or not has(game["closed"], via)


@inlined
def _mark(game: Any, arc: Any, rules: Any) -> None:
    put(game["closed"], np.int64(rules["arc_to"][arc]))
    if rules["arc_via"][arc] != NONE:
        put(game["closed"], np.int64(rules["arc_via"][arc]))


@inlined
def _unmark(game: Any, arc: Any, rules: Any) -> None:
    drop(game["closed"], np.int64(rules["arc_to"][arc]))
    if rules["arc_via"][arc] != NONE:
        drop(game["closed"], np.int64(rules["arc_via"][arc]))


@inlined
def _site_bit(arc: Any, rules: Any) -> Any:
    site = np.int64(rules["arc_site"][arc])
    return ZERO if site == NONE else bit(site)


@compiled
def search(game: Any, space: Any, length: Any, goal: Any, rules: Any) -> Any:
    """Follows every path of exactly `length` steps from a space that is marked already.

    Without a goal (NONE) their ends are added to the state's targets; with one, the sites are
    returned that paths to it cross. Castle and strongholds only come first or last (6.4), so
    rainbows are crossed by the first step or by the last.
    """
    path = game["path"]
    crossed = ZERO
    depth = 0
    path[0] = rules["arcs"][space]
    while True:
        arc = np.int64(path[depth])
        if arc == np.int64(rules["arcs"][space + 1]):
            path[depth] = 0
            if depth == 0:
                return crossed
            depth -= 1
            arc = np.int64(path[depth])
            _unmark(game, arc, rules)
            space = np.int64(rules["arc_from"][arc])
        elif passable(game, arc, rules):
            onward = np.int64(rules["arc_to"][arc])
            if depth + 1 == length:
                if goal == NONE:
                    put(game["targets"], onward)
                elif goal == onward:
                    crossed |= _site_bit(np.int64(path[0]), rules) | _site_bit(arc, rules)
            elif not has(rules["deep"], onward):
                _mark(game, arc, rules)
                space = onward
                depth += 1
                path[depth] = rules["arcs"][space]
                continue
        path[depth] = arc + 1


@inlined
def _search_all(game: Any, goal: Any, rules: Any) -> Any:
    """All paths of the points card in use: p steps, or 2p (10.4); a flight may come first (9.1)."""
    seat = np.int64(game["seat"])
    space = np.int64(game["knight"][seat])
    points = np.int64(game["card"]) - POINTS + 1
    flights = np.int64(rules["star_count"]) if rules["kind"][space] == STAR else 0
    crossed = ZERO
    put(game["closed"], space)
    for i in range(-1, flights):
        origin = space if i < 0 else np.int64(rules["star"][i])
        if i >= 0:
            if origin == space:
                continue
            put(game["closed"], origin)
        for times in range(1, 2 + np.int64(game["doubles"][seat])):
            crossed |= search(game, origin, times * points, goal, rules)
        if i >= 0:
            drop(game["closed"], origin)
    drop(game["closed"], space)
    return crossed


@inlined
def find_targets(game: Any, rules: Any) -> None:
    """All destinations of the seat's knight by the points card in use (6.1 to 6.5, 10.1)."""
    clear(game["targets"])
    _search_all(game, np.int64(NONE), rules)
    if game["armour"][game["seat"]] == 0:  # 10.1
        for word in range(game["targets"].shape[0]):
            game["targets"][word] &= ~rules["keeps"][word]
    for rider in range(np.int64(game["players"])):
        there = np.int64(game["knight"][rider])
        if has(rules["single"], there):  # 6.5
            drop(game["targets"], there)


@compiled
def find_mistargeted(state: Any, tables: Any) -> Any:
    """The first row in the step of a move whose targets are not its destinations, or -1."""
    told = np.empty(4, np.uint64)
    for row in range(state.shape[0]):
        game = state[row]
        if game["card"] != NONE:
            for word in range(4):
                told[word] = game["targets"][word]
            find_targets(game, tables[game["map"]])
            wrong = False
            for word in range(4):
                wrong |= told[word] != game["targets"][word]
                game["targets"][word] = told[word]
            if wrong:
                return row
    return -1


@inlined
def find_crossed(game: Any, goal: Any, rules: Any) -> Any:
    """The sites whose rainbows count as crossed by the move to the goal (6.7)."""
    space = np.int64(game["knight"][game["seat"]])
    if game["laid"] == ZERO or not (has(rules["deep"], space) or has(rules["deep"], goal)):
        return ZERO
    return _search_all(game, goal, rules)
