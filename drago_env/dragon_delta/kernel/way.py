"""The way that a seat plans: link by link to its goal, each with a plank that it really has.

Stones, planks and steps count alike, for there is a card for one and a card for two of each. So a
way costs 1 for each step, 1 for each plank to lay and 1 for each stone to put. `_flood` finds what
is left from every node if planks could be used twice; with that as a bound, `find_way` finds the
cheapest way on which no plank is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import scratch
from drago_env.core.bits import ONE, ZERO, bit, has, lowest
from drago_env.core.compiled import compiled, inlined
from drago_env.dragon_delta.kernel.options import reserve_of
from drago_env.dragon_delta.kernel.ways import RING, flood_of
from drago_env.dragon_delta.map import LINK_WORDS, MAX_LINKS, MAX_NODES
from drago_env.dragon_delta.rules import MAX_LEGAL, MAX_PLAYERS, MAX_SLOTS
from drago_env.dragon_delta.state import VILLAGE

FAR = 60  # a cost that no way has
LONGEST = 24  # places of a way
_SLACK = 8  # how much dearer than its bound a way may be
_BUDGET = 1500  # links that are tried for it
_LAID = ONE << np.uint64(63)  # in place of a plank's number
# whose planks a way may use
EXACT, TWICE, ANYBODYS = range(3)

WORK = scratch(
    MAX_PLAYERS,
    MAX_LEGAL,
    *[
        ("ring", "<u8", (RING,)),
        ("build", "<u8", (LINK_WORDS,)),  # links on which a plank could be laid, by its number
        ("cost_in", "u1", (MAX_PLAYERS, MAX_NODES)),  # from a node to the goal
        ("cost_out", "u1", (MAX_NODES,)),  # from a pawn to a node
        ("cost", "<i8", (MAX_PLAYERS,)),  # of a pawn's way
        ("steps", "<i8", (MAX_PLAYERS,)),  # to the goal on the planks that lie
        ("budget", "<i8"),
        # the path that is tried: at each depth
        ("node", "<i8", (LONGEST,)),
        ("link", "<i8", (LONGEST,)),
        ("next_links", "<u8", (LONGEST, LINK_WORDS)),
        ("next_numbers", "<u8", (LONGEST,)),
        ("number", "<i8", (LONGEST,)),
        ("used", "<u8", (LONGEST,)),
        ("price", "<i8", (LONGEST, 2)),  # up to the node, up to the next
        # the way that was found
        ("means", "<i8"),  # EXACT, TWICE or ANYBODYS
        ("length", "<i8"),
        ("way", "<i8", (LONGEST,)),  # the places in their order; the goal is the last
        ("way_node", "<i8", (LONGEST,)),  # the node behind each of them
        ("way_number", "<i8", (LONGEST,)),  # the plank to lay there, or 0
        # and as bits over its places
        ("laid", "<u8"),
        ("lacking", "<u8"),  # the node behind has no stone
        ("taken", "<u8"),  # a pawn stands there
        # what a program is judged by
        ("links", "<u8"),  # places that are links
        ("exits", "<i8"),
        ("fall", "<f8"),  # what a fall costs now
        ("spare", "<i8"),  # planks of the reserve that the way does not need
        ("dragon", "<f8", (MAX_PLAYERS, MAX_SLOTS)),  # the worth of one, by target and slot
        ("removal", "<f8", (MAX_SLOTS,)),
        ("cards", "<i8", (MAX_SLOTS + 1,)),
        ("left", "<u8", (MAX_SLOTS + 1,)),  # cards to try at each slot
        ("hand", "<u8", (MAX_SLOTS + 1,)),
        ("trail", "<u8", (MAX_SLOTS + 1, 3)),
        ("loss", "<f8", (MAX_SLOTS + 1,)),
    ],
)


@inlined
def _set_build(game: Any, numbers: Any, rules: Any, work: Any) -> None:
    for word in range(LINK_WORDS):
        work["build"][word] = ZERO
    while numbers != ZERO:
        for word in range(LINK_WORDS):
            work["build"][word] |= rules["fits"][game["long_planks"], lowest(numbers), word]
        numbers &= numbers - ONE
    for word in range(LINK_WORDS):
        work["build"][word] &= ~game["blocked"][word]


@inlined
def lacks(game: Any, node: Any, rules: Any) -> Any:
    """1 for an islet without a stone, else 0."""
    return np.int64(bit(node) & rules["islets_all"] & ~game["stones"] != ZERO)


@inlined
def across(link: Any, node: Any, rules: Any) -> Any:
    """The other end of a link."""
    return np.int64(rules["end"][link, 0]) + np.int64(rules["end"][link, 1]) - node


@inlined
def _spread(game: Any, node: Any, cost: Any, onward: Any, rules: Any, work: Any) -> None:
    """Over links with a plank and those of `build`, `onward` from the start or towards it."""
    ring = work["ring"]
    for word in range(LINK_WORDS):
        laid = game["laid"][word]
        bits = rules["resting"][node, word] & (laid | work["build"][word])
        while bits != ZERO:
            link = lowest(bits)
            bits &= bits - ONE
            lies = (laid >> np.uint64(link)) & ONE != ZERO
            link += 64 * word
            end = across(link, node, rules)
            if lies:
                ring[(cost + 1) & (RING - 1)] |= bit(end)
            elif rules["ends"][link] & game["full"] == ZERO:
                price = cost + 2 + lacks(game, end if onward else node, rules)
                ring[price & (RING - 1)] |= bit(end)


_flood = flood_of(__name__, _spread, FAR)


@inlined
def goal_of(game: Any, seat: Any, rules: Any) -> Any:
    """The node that a seat wants to reach."""
    return np.int64(rules["islets"]) + np.int64(rules["goal"][game["players"], seat])


@inlined
def entering(node: Any, goal: Any, rules: Any) -> Any:
    """1 for a village on the way: it is entered before it is left."""
    return np.int64(node >= rules["islets"] and node != goal)


@inlined
def cost_from(game: Any, seat: Any, place: Any, costs: Any, rules: Any) -> Any:
    """What a seat's way costs from a place, by the costs of the nodes."""
    goal = goal_of(game, seat, rules)
    if place >= VILLAGE:
        node = np.int64(rules["islets"]) + place - VILLAGE
        return np.int64(0) if node == goal else np.int64(costs[node])
    a, b = np.int64(rules["end"][place, 0]), np.int64(rules["end"][place, 1])
    one = np.int64(costs[a]) + entering(a, goal, rules)
    return min(one, np.int64(costs[b]) + entering(b, goal, rules))


@inlined
def _flood_in(game: Any, seat: Any, numbers: Any, rules: Any, work: Any) -> Any:
    goal = bit(goal_of(game, seat, rules))
    _set_build(game, numbers, rules, work)
    costs = work["cost_in"][seat]
    _flood(game, goal, goal, 1, False, rules, work, costs)
    return cost_from(game, seat, np.int64(game["pawn"][seat]), costs, rules)


@compiled
def measure(game: Any, seat: Any, rules: Any, work: Any) -> None:
    """What a seat still has to walk on the planks that lie, and the bound of its whole way."""
    work["steps"][seat] = _flood_in(game, seat, ZERO, rules, work)
    cost = _flood_in(game, seat, reserve_of(game, seat, rules), rules, work)
    if cost >= FAR:
        cost = min(FAR, 4 + _flood_in(game, seat, bit(rules["planks"]) - ONE, rules, work))
    work["cost"][seat] = cost


@compiled
def set_out(game: Any, seat: Any, rules: Any, work: Any) -> None:
    """What it costs from a seat's pawn to every node, with what `measure` let it build."""
    place = np.int64(game["pawn"][seat])
    islets = np.int64(rules["islets"])
    inside = bit(islets + place - VILLAGE) if place >= VILLAGE else ZERO
    start = inside if place >= VILLAGE else rules["ends"][place]
    _flood(game, start, inside, 0, True, rules, work, work["cost_out"])


@inlined
def through(game: Any, seat: Any, link: Any, rules: Any, work: Any) -> Any:
    """What a seat's way would cost over a plank on a link; `set_out` comes first."""
    goal = goal_of(game, seat, rules)
    best: Any = np.int64(FAR)
    for i in range(2):
        a, b = np.int64(rules["end"][link, i]), np.int64(rules["end"][link, 1 - i])
        cost = np.int64(work["cost_out"][a]) + np.int64(work["cost_in"][seat, b])
        best = min(best, cost + 1 + entering(b, goal, rules))
    return best


# ---------------------------------------------------------------- the way itself


@inlined
def _arrive(game: Any, depth: Any, node: Any, price: Any, rules: Any, work: Any) -> None:
    work["node"][depth] = node
    work["price"][depth, 0] = price
    work["next_numbers"][depth] = ZERO
    for word in range(LINK_WORDS):
        links = game["laid"][word] | work["build"][word]
        work["next_links"][depth, word] = rules["resting"][node, word] & links


@inlined
def _next_link(depth: Any, work: Any) -> Any:
    """The next link to try at a depth, or -1."""
    for word in range(LINK_WORDS):
        bits = work["next_links"][depth, word]
        if bits != ZERO:
            work["next_links"][depth, word] = bits & (bits - ONE)
            return lowest(bits) + 64 * word
    return np.int64(-1)


@inlined
def _numbers(game: Any, link: Any, numbers: Any, rules: Any) -> Any:
    """Which of these numbers fit a link."""
    found = ZERO
    while numbers != ZERO:
        i = lowest(numbers)
        numbers &= numbers - ONE
        if has(rules["fits"][game["long_planks"], i], link):
            found |= bit(i)
    return found


@inlined
def _visited(depth: Any, node: Any, work: Any) -> Any:
    found = False
    for i in range(depth + 1):
        found |= work["node"][i] == node
    return found


@compiled
def _path(
    game: Any, seat: Any, start: Any, bound: Any, numbers: Any, once: Any, rules: Any, work: Any
) -> Any:
    """Looks for a path from a node to the goal at this cost; its depth, or -1."""
    goal = goal_of(game, seat, rules)
    place = np.int64(game["pawn"][seat])
    depth: Any = 0
    enter = entering(start, goal, rules) if place < MAX_LINKS else np.int64(0)
    _arrive(game, 0, start, enter, rules, work)
    work["used"][0] = ZERO
    while depth >= 0:
        if work["next_numbers"][depth] == ZERO:
            link = _next_link(depth, work)
            if link < 0:
                depth -= 1
                continue
            end = across(link, work["node"][depth], rules)
            lies = has(game["laid"], link)
            if _visited(depth, end, work) or (
                not lies and rules["ends"][link] & game["full"] != ZERO
            ):
                continue
            price = work["price"][depth, 0] + (1 if lies else 2 + lacks(game, end, rules))
            price += entering(end, goal, rules)
            if price + np.int64(work["cost_in"][seat, end]) > bound:
                continue
            unused = numbers & ~work["used"][depth] if once else numbers
            work["link"][depth] = link
            work["price"][depth, 1] = price
            work["next_numbers"][depth] = _LAID if lies else _numbers(game, link, unused, rules)
            continue
        bits = work["next_numbers"][depth]
        number = lowest(bits)
        work["next_numbers"][depth] = bits & (bits - ONE)
        work["number"][depth] = 0 if number == 63 else number + 1
        end = across(work["link"][depth], work["node"][depth], rules)
        if end == goal:
            return depth
        work["budget"] -= 1
        if work["budget"] < 0 or depth + 1 >= LONGEST // 2:
            return -1
        used = work["used"][depth]
        work["used"][depth + 1] = used if number == 63 else used | bit(number)
        depth += 1
        _arrive(game, depth, end, work["price"][depth - 1, 1], rules, work)
    return -1


@inlined
def _add(game: Any, place: Any, node: Any, number: Any, rules: Any, work: Any) -> None:
    at = work["length"]
    work["length"] = at + 1
    work["way"][at] = place
    work["way_node"][at] = node
    work["way_number"][at] = number
    here = bit(at)
    if number == 0:
        work["laid"] |= here
    if place < VILLAGE:
        work["links"] |= here
        if lacks(game, node, rules) > 0:
            work["lacking"] |= here
        for other in range(np.int64(game["players"])):
            if game["pawn"][other] == place:
                work["taken"] |= here


@inlined
def _clear(work: Any) -> None:
    work["length"] = 0
    work["laid"] = ZERO
    work["links"] = ZERO
    work["lacking"] = ZERO
    work["taken"] = ZERO


@inlined
def _write_way(game: Any, seat: Any, depth: Any, rules: Any, work: Any) -> None:
    islets, goal = np.int64(rules["islets"]), goal_of(game, seat, rules)
    _clear(work)
    for i in range(depth + 1):
        node = work["node"][i]
        if node >= islets and (i > 0 or game["pawn"][seat] < MAX_LINKS):
            _add(game, VILLAGE + node - islets, node, 0, rules, work)
        link = work["link"][i]
        _add(game, link, across(link, node, rules), work["number"][i], rules, work)
    _add(game, VILLAGE + goal - islets, goal, 0, rules, work)


@inlined
def _try_means(game: Any, seat: Any, means: Any, rules: Any, work: Any) -> Any:
    """Looks for the cheapest way by these means; whether there is one."""
    own = reserve_of(game, seat, rules)
    numbers = own if means < ANYBODYS else bit(rules["planks"]) - ONE
    least = _flood_in(game, seat, numbers, rules, work)
    goal, place = goal_of(game, seat, rules), np.int64(game["pawn"][seat])
    if least >= FAR:
        return False
    work["budget"] = _BUDGET
    village = place >= VILLAGE
    for bound in range(least, least + _SLACK):
        for i in range(1 if village else 2):
            a = np.int64(rules["islets"]) + place - VILLAGE
            start = a if village else np.int64(rules["end"][place, i])
            if start == goal:
                _write_way(game, seat, -1, rules, work)
                return True
            depth = _path(game, seat, start, bound, numbers, means == EXACT, rules, work)
            if depth >= 0:
                _write_way(game, seat, depth, rules, work)
                return True
        if work["budget"] < 0:
            return False
    return False


@compiled
def find_way(game: Any, seat: Any, rules: Any, work: Any) -> None:
    """The cheapest way of a seat with the planks that it has; else as if it had more."""
    for means in range(3):
        work["means"] = means
        if _try_means(game, seat, means, rules, work):
            return
    _clear(work)
