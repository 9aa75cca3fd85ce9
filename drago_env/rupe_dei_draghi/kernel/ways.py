"""Ways as they are now, around dragons and missing bridges: steps from knights and to goals."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import has
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.graph import MAX_SPACES, STAR
from drago_env.rupe_dei_draghi.kernel.paths import passable
from drago_env.rupe_dei_draghi.rules import MAX_PLAYERS, NONE

NO_WAY = 31  # steps where no way is open

WORK = np.dtype(
    [
        ("values", "<f8", (256,)),  # of each listed action
        ("actions", "<u2", (256,)),
        ("from_knight", "u1", (MAX_PLAYERS, MAX_SPACES)),  # steps of each knight to each space
        ("to_goal", "u1", (MAX_PLAYERS, MAX_SPACES)),  # steps from each space to a seat's goal
        ("now", "u1", (MAX_PLAYERS,)),  # steps of each knight to its goal
        ("hope", "u1"),  # strongholds, as bits, where the princess of the seat on turn can be
        ("queue", "u1", (MAX_SPACES,)),
        ("spare", "u1", (3,)),
    ],
    align=True,
)


@inlined
def is_goal(game: Any, seat: Any, space: Any, rules: Any) -> Any:
    """Whether a seat wants to be there: the castle, or with armour a stronghold not ruled out."""
    if game["armour"][seat] == 0:
        return space == rules["castle"]
    fort = np.int64(rules["fort_of"][space])
    return fort != NONE and (np.int64(game["looks"][seat]) >> fort) & 1 == 0


@inlined
def _reach(steps: Any, space: Any, distance: Any, size: Any, rules: Any, work: Any) -> Any:
    """Notes a space, and with a star all stars (9.1); returns the new length of the queue."""
    if steps[space] <= distance:
        return size
    steps[space] = distance
    work["queue"][size] = space
    size += 1
    if rules["kind"][space] == STAR:
        for i in range(np.int64(rules["star_count"])):
            star = np.int64(rules["star"][i])
            if steps[star] > distance:
                steps[star] = distance
                work["queue"][size] = star
                size += 1
    return size


@compiled
def spread(game: Any, steps: Any, size: Any, rules: Any, work: Any) -> None:
    """Breadth first from the first `size` spaces of the queue, whose steps are 0."""
    place = 0
    first = size
    while place < size:
        space = np.int64(work["queue"][place])
        place += 1
        if place > first and has(rules["deep"], space):  # 6.4
            continue
        distance = np.int64(steps[space]) + 1
        if distance >= NO_WAY:
            return
        for arc in range(np.int64(rules["arcs"][space]), np.int64(rules["arcs"][space + 1])):
            if rules["arc_via"][arc] == NONE and passable(game, arc, rules):
                onward = np.int64(rules["arc_to"][arc])
                size = _reach(steps, onward, distance, size, rules, work)


@inlined
def find_ways(game: Any, seat: Any, rules: Any, work: Any) -> None:
    """Steps of a seat's knight to every space, and from every space to its goal."""
    spaces = np.int64(rules["spaces"])
    steps = work["from_knight"][seat]
    goals = work["to_goal"][seat]
    for space in range(spaces):
        steps[space] = NO_WAY
        goals[space] = NO_WAY
    knight = np.int64(game["knight"][seat])
    spread(game, steps, _reach(steps, knight, 0, 0, rules, work), rules, work)
    size = 0
    for i in range(-1, np.int64(rules["forts"])):
        goal = np.int64(rules["castle"]) if i < 0 else np.int64(rules["fort"][i])
        if is_goal(game, seat, goal, rules) and not has(game["closed"], goal):
            size = _reach(goals, goal, 0, size, rules, work)
    spread(game, goals, size, rules, work)
    work["now"][seat] = goals[knight]


@inlined
def on_way(seat: Any, space: Any, work: Any) -> Any:
    """Whether a space is on a shortest open way of a seat."""
    now = np.int64(work["now"][seat])
    through = np.int64(work["from_knight"][seat, space]) + np.int64(work["to_goal"][seat, space])
    return (now < NO_WAY) & (through == now)


@inlined
def with_space(game: Any, seat: Any, space: Any, rules: Any, work: Any) -> Any:
    """Steps of a seat to its goal if a space were open that is closed now."""
    near: Any = NO_WAY
    home: Any = NO_WAY
    if is_goal(game, seat, space, rules):
        home = 0
    for arc in range(np.int64(rules["arcs"][space]), np.int64(rules["arcs"][space + 1])):
        if rules["arc_via"][arc] == NONE and passable(game, arc, rules):
            other = np.int64(rules["arc_to"][arc])
            deep = has(rules["deep"], other)
            if not deep or other == game["knight"][seat]:
                near = min(near, np.int64(work["from_knight"][seat, other]) + 1)
            if not deep or is_goal(game, seat, other, rules):
                home = min(home, np.int64(work["to_goal"][seat, other]) + 1)
    return min(np.int64(work["now"][seat]), near + home)


@inlined
def with_rainbow(game: Any, seat: Any, site: Any, rules: Any, work: Any) -> Any:
    """Steps of a seat to its goal if a rainbow were laid on a site."""
    rock = np.int64(rules["rock"][site])
    end = np.int64(rules["end"][site])
    steps = np.int64(work["now"][seat])
    if is_goal(game, seat, end, rules) and not has(game["closed"], end):
        steps = min(steps, np.int64(work["from_knight"][seat, rock]) + 1)
    if end == game["knight"][seat]:
        steps = min(steps, np.int64(work["to_goal"][seat, rock]) + 1)
    return steps


@inlined
def rainbow_on_way(game: Any, seat: Any, site: Any, rules: Any, work: Any) -> Any:
    """Whether the rainbow on a site is on a shortest open way of a seat."""
    now = np.int64(work["now"][seat])
    rock = np.int64(rules["rock"][site])
    end = np.int64(rules["end"][site])
    last = is_goal(game, seat, end, rules) and work["from_knight"][seat, rock] + 1 == now
    first = end == game["knight"][seat] and work["to_goal"][seat, rock] + 1 == now
    return (now < NO_WAY) & (last | first)
