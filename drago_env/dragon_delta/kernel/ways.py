"""Ways over the planks: what a pawn still has to walk and to build on its way to the goal.

A way runs over links. A link with a plank costs 1, one on which a plank could be laid at once
READY, one that still lacks a stone REMOTE; leaving a village costs 1 more, for it is entered
first. Levels of equal cost are sets of nodes, so that a flood takes a few words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import compiled, inlined
from drago_env.dragon_delta.kernel.bits import NONE, ONE, bit, lowest, size
from drago_env.dragon_delta.kernel.options import steps_from
from drago_env.dragon_delta.map import LINK_WORDS, MAX_NODES
from drago_env.dragon_delta.rules import MAX_PLAYERS
from drago_env.dragon_delta.state import VILLAGE

READY, REMOTE = 2, 4
NEVER = 31  # a cost that is not reached
_RING = 8  # levels ahead that a flood can reach, as a power of two
_LAID, _READY, _REMOTE = 0, 1, 2

WORK = np.dtype(
    [
        ("near", "<u8", (3, MAX_NODES)),  # by kind of link, the neighbours of each node
        ("ring", "<u8", (_RING,)),
        ("cost_out", "u1", (MAX_PLAYERS, MAX_NODES)),  # from the pawn to a node
        ("cost_in", "u1", (MAX_PLAYERS, MAX_NODES)),  # from a node to the goal
        ("steps_in", "u1", (MAX_PLAYERS, MAX_NODES)),  # the same on the planks that lie
        ("cost", "u1", (MAX_PLAYERS,)),  # of the whole way
        ("steps", "u1", (MAX_PLAYERS,)),
        ("exits", "u1", (MAX_PLAYERS,)),  # steps that the pawn has
        ("rival", "u1"),  # who else has the cheapest way
        ("links", "u1"),  # where the chosen plank could lie
        ("cards", "u1"),  # of this round still to be carried out
        ("spare", "u1", (3,)),
    ],
    align=True,
)


@inlined
def _join(work: Any, kind: Any, link: Any, rules: Any) -> None:
    a, b = rules["end"][link, 0], rules["end"][link, 1]
    work["near"][kind, a] |= bit(b)
    work["near"][kind, b] |= bit(a)


@compiled
def join_all(game: Any, rules: Any, work: Any) -> None:
    """Sorts the links into those that can be walked, built at once, and built later."""
    nodes = np.int64(rules["islets"] + rules["villages"])
    ground = game["stones"] | rules["villages_all"]
    for kind in range(3):
        for node in range(nodes):
            work["near"][kind, node] = NONE
    for word in range(LINK_WORDS):
        laid = game["laid"][word]
        left = np.int64(rules["links"]) - 64 * word
        if left <= 0:
            break
        every = ~NONE if left >= 64 else bit(left) - ONE
        bits = laid | (every & ~game["blocked"][word])
        while bits != NONE:
            link = lowest(bits)
            lies = (laid >> np.uint64(link)) & ONE != NONE
            bits &= bits - ONE
            link += 64 * word
            ends = rules["ends"][link]
            if lies:
                _join(work, _LAID, link, rules)
            elif ends & game["full"] == NONE:
                _join(work, _READY if ends & ~ground == NONE else _REMOTE, link, rules)


@compiled
def flood(work: Any, start: Any, begin: Any, builds: Any, rules: Any, out: Any) -> None:
    """The cost of every node from a set of nodes on, which themselves cost `begin`."""
    for node in range(np.int64(rules["islets"] + rules["villages"])):
        out[node] = NEVER
    ring = work["ring"]
    for i in range(_RING):
        ring[i] = NONE
    ring[begin] = start
    seen = NONE
    idle: Any = 0
    cost: Any = begin
    while idle < _RING and cost < NEVER:
        front = ring[cost & (_RING - 1)] & ~seen
        ring[cost & (_RING - 1)] = NONE
        seen |= front
        idle = idle + 1 if front == NONE else 0
        while front != NONE:
            node = lowest(front)
            front &= front - ONE
            out[node] = cost
            entered = bit(node) & rules["villages_all"] & ~start != NONE
            ahead = cost + 1 + entered
            ring[ahead & (_RING - 1)] |= work["near"][_LAID, node]
            if builds:
                ring[(ahead + READY - 1) & (_RING - 1)] |= work["near"][_READY, node]
                ring[(ahead + REMOTE - 1) & (_RING - 1)] |= work["near"][_REMOTE, node]
        cost += 1


@inlined
def cost_at(place: Any, nodes: Any, rules: Any) -> Any:
    """What the way from a place costs, by the costs of the nodes."""
    if place >= VILLAGE:
        return max(np.int64(nodes[rules["islets"] + place - VILLAGE]) - 1, 0)
    return min(np.int64(nodes[rules["end"][place, 0]]), np.int64(nodes[rules["end"][place, 1]]))


@inlined
def exits_at(game: Any, place: Any, rules: Any) -> Any:
    """How many steps there are from a place."""
    w0, w1, w2, high = steps_from(game, place, rules)
    return size(w0) + size(w1) + size(w2) + size(high)


@inlined
def find_ways(game: Any, rules: Any, work: Any) -> None:
    """The ways of all pawns."""
    players, islets = np.int64(game["players"]), np.int64(rules["islets"])
    join_all(game, rules, work)
    for seat in range(players):
        place = np.int64(game["pawn"][seat])
        goal = bit(islets + np.int64(rules["goal"][players, seat]))
        at = bit(islets + place - VILLAGE) if place >= VILLAGE else rules["ends"][place]
        flood(work, goal, 1, True, rules, work["cost_in"][seat])
        flood(work, goal, 1, False, rules, work["steps_in"][seat])
        flood(work, at, 0, True, rules, work["cost_out"][seat])
        work["cost"][seat] = cost_at(place, work["cost_in"][seat], rules)
        work["steps"][seat] = cost_at(place, work["steps_in"][seat], rules)
        work["exits"][seat] = exits_at(game, place, rules)
    own = np.int64(game["seat"])
    rival: Any = 1 if own == 0 else 0
    for k in range(1, players):  # the first to the left among equals
        other = own + k if own + k < players else own + k - players
        if k == 1 or work["cost"][other] < work["cost"][rival]:
            rival = other
    work["rival"] = rival


@inlined
def cost_with(seat: Any, link: Any, price: Any, rules: Any, work: Any) -> Any:
    """The cost of the seat's way if a link had this price."""
    a, b = rules["end"][link, 0], rules["end"][link, 1]
    there = np.int64(work["cost_out"][seat, a]) + np.int64(work["cost_in"][seat, b])
    back = np.int64(work["cost_out"][seat, b]) + np.int64(work["cost_in"][seat, a])
    if bit(b) & rules["villages_all"] != NONE and work["cost_out"][seat, b] > 0:
        back += 1  # the village is entered first
    return min(np.int64(work["cost"][seat]), min(there, back) + price)


@inlined
def cost_with_stone(game: Any, seat: Any, islet: Any, rules: Any, work: Any) -> Any:
    """The cost of the seat's way if an islet had a stone."""
    ground = game["stones"] | rules["villages_all"]
    into: Any = NEVER
    out: Any = NEVER
    near = work["near"][_REMOTE, islet]
    while near != NONE:
        node = lowest(near)
        near &= near - ONE
        price = READY if bit(node) & ground != NONE else REMOTE
        leave = bit(node) & rules["villages_all"] != NONE and work["cost_out"][seat, node] > 0
        into = min(into, np.int64(work["cost_out"][seat, node]) + price + leave)
        out = min(out, np.int64(work["cost_in"][seat, node]) + price)
    return min(np.int64(work["cost"][seat]), into + out)


@inlined
def on_way(seat: Any, link: Any, rules: Any, work: Any) -> Any:
    """Whether a plank lies on a cheapest way of the seat."""
    a, b = rules["end"][link, 0], rules["end"][link, 1]
    cost = np.int64(work["cost"][seat])
    there = np.int64(work["cost_out"][seat, a]) + np.int64(work["cost_in"][seat, b]) + 1
    back = np.int64(work["cost_out"][seat, b]) + np.int64(work["cost_in"][seat, a]) + 1
    return (cost < NEVER) & ((there <= cost) | (back <= cost))
