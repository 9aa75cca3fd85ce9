"""Ways over the planks: what a pawn still has to walk and to build on its way to the goal.

A way runs over links. A link with a plank costs 1, one on which a plank could be laid at once
READY, one that still lacks a stone REMOTE; leaving a village costs 1 more, for it is entered
first. For the seat on turn only its own planks count, for others any that exist: whose planks lie
somewhere does not matter. Levels of equal cost are sets of nodes, so that a flood takes few words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import scratch
from drago_env.core.bits import ONE, ZERO, bit, lowest, size
from drago_env.core.compiled import compiled, compiled_for, inlined
from drago_env.dragon_delta.kernel.options import free_planks, reserve_of, steps_from
from drago_env.dragon_delta.kernel.play import after
from drago_env.dragon_delta.map import LINK_WORDS, MAX_NODES
from drago_env.dragon_delta.rules import MAX_KINDS, MAX_LEGAL, MAX_PLAYERS
from drago_env.dragon_delta.state import REMOVE, STONE, VILLAGE

READY, REMOTE = 2, 4
NEVER = 31  # a cost that is not reached
RING = 8  # levels ahead that a flood can reach, as a power of two
# kinds of links: with a plank; ready and remote for any plank, and for the seat's own planks
_LAID, _ANY, _OWN = 0, 1, 3
REMOTE_LINKS = _ANY + 1

WORK = scratch(
    MAX_PLAYERS,
    MAX_LEGAL,
    *[
        ("near", "<u8", (5, MAX_NODES)),  # by kind of link, the neighbours of each node
        ("ring", "<u8", (RING,)),
        ("inside", "<u8", (MAX_PLAYERS,)),  # the village in which the pawn stands
        ("cost_out", "u1", (MAX_PLAYERS, MAX_NODES)),  # from the pawn to a node
        ("cost_in", "u1", (MAX_PLAYERS, MAX_NODES)),  # from a node to the goal
        ("steps_in", "u1", (MAX_PLAYERS, MAX_NODES)),  # the same on the planks that lie
        ("cost", "u1", (MAX_PLAYERS,)),  # of the whole way
        ("steps", "u1", (MAX_PLAYERS,)),
        ("exits", "u1", (MAX_PLAYERS,)),  # steps that the pawn has
        ("rival", "u1"),  # who else has the cheapest way
        ("links", "u1"),  # where the chosen plank could lie
        ("cards", "u1"),  # of this round still to be carried out
        ("works", "u1", (MAX_KINDS + 1,)),  # options that each card would have now
    ],
)


@inlined
def _join(work: Any, kind: Any, link: Any, rules: Any) -> None:
    a, b = rules["end"][link, 0], rules["end"][link, 1]
    work["near"][kind, a] |= bit(b)
    work["near"][kind, b] |= bit(a)


@inlined
def _fitting(game: Any, numbers: Any, word: Any, rules: Any) -> Any:
    """The links of one word that a plank of these numbers fits."""
    links = ZERO
    while numbers != ZERO:
        links |= rules["fits"][game["long_planks"], lowest(numbers), word]
        numbers &= numbers - ONE
    return links


@compiled
def join_all(game: Any, rules: Any, work: Any) -> None:
    """Sorts the links into those that can be walked, built at once, and built later."""
    nodes = np.int64(rules["islets"] + rules["villages"])
    ground = game["stones"] | rules["villages_all"]
    numbers = reserve_of(game, np.int64(game["seat"]), rules)
    for kind in range(5):
        for node in range(nodes):
            work["near"][kind, node] = ZERO
    for word in range(LINK_WORDS):
        laid = game["laid"][word]
        left = np.int64(rules["links"]) - 64 * word
        if left <= 0:
            break
        every = ~ZERO if left >= 64 else bit(left) - ONE
        bits = laid | (every & ~game["blocked"][word])
        own = _fitting(game, numbers, word, rules)
        while bits != ZERO:
            link = lowest(bits)
            lies = (laid >> np.uint64(link)) & ONE != ZERO
            ours = (own >> np.uint64(link)) & ONE != ZERO
            bits &= bits - ONE
            link += 64 * word
            ends = rules["ends"][link]
            if lies:
                _join(work, _LAID, link, rules)
            elif ends & game["full"] == ZERO:
                remote = ends & ~ground != ZERO
                _join(work, _ANY + remote, link, rules)
                if ours:
                    _join(work, _OWN + remote, link, rules)


def flood_of(module: str, spread: Any, far: int) -> Any:
    """A flood for the kernels of a module: `spread` goes on from a node, `far` no way costs."""

    @compiled_for(module)
    def flood(
        game: Any, start: Any, inside: Any, begin: Any, how: Any, rules: Any, work: Any, out: Any
    ) -> None:
        """The cost of every node from a set of nodes on, which themselves cost `begin`.

        A village is entered before it is left, which costs 1 more, but for one that the pawn is
        `inside`, or enters last.
        """
        for node in range(np.int64(rules["islets"] + rules["villages"])):
            out[node] = far
        ring = work["ring"]
        for i in range(RING):
            ring[i] = ZERO
        ring[begin] = start
        seen = ZERO
        idle: Any = 0
        cost: Any = begin
        while idle < RING - 2 and cost < far:
            front = ring[cost & (RING - 1)] & ~seen
            ring[cost & (RING - 1)] = ZERO
            seen |= front
            idle = idle + 1 if front == ZERO else 0
            while front != ZERO:
                node = lowest(front)
                front &= front - ONE
                out[node] = cost
                entered = cost + np.int64(bit(node) & rules["villages_all"] & ~inside != ZERO)
                spread(game, node, entered, how, rules, work)
            cost += 1

    return flood


@inlined
def _spread(game: Any, node: Any, cost: Any, builds: Any, rules: Any, work: Any) -> None:
    """Over the planks, and over links of the kind that may be built, 0 for none."""
    ring, near = work["ring"], work["near"]
    ring[(cost + 1) & (RING - 1)] |= near[_LAID, node]
    if builds > 0:
        ring[(cost + READY) & (RING - 1)] |= near[builds, node]
        ring[(cost + REMOTE) & (RING - 1)] |= near[builds + 1, node]


_flood = flood_of(__name__, _spread, NEVER)


@inlined
def _out_at(seat: Any, node: Any, rules: Any, work: Any) -> Any:
    """The cost from the pawn until it can go on from a node; a village is entered first."""
    village = bit(node) & rules["villages_all"] & ~work["inside"][seat] != ZERO
    return np.int64(work["cost_out"][seat, node]) + village


@inlined
def _in_at(game: Any, seat: Any, node: Any, costs: Any, rules: Any) -> Any:
    """The cost to the goal from a plank that ends at a node, through this node."""
    goal = rules["islets"] + np.int64(rules["goal"][game["players"], seat])
    village = bit(node) & rules["villages_all"] & ~bit(goal) != ZERO
    return np.int64(costs[node]) + village


@inlined
def cost_at(game: Any, seat: Any, place: Any, costs: Any, rules: Any) -> Any:
    """What the seat's way would cost from a place, by the costs of the nodes."""
    if place >= VILLAGE:
        village = place - VILLAGE
        home = village == rules["goal"][game["players"], seat]
        return np.int64(0) if home else np.int64(costs[rules["islets"] + village])
    a, b = np.int64(rules["end"][place, 0]), np.int64(rules["end"][place, 1])
    cost = min(_in_at(game, seat, a, costs, rules), _in_at(game, seat, b, costs, rules))
    return min(cost, NEVER)


@compiled
def exits_at(game: Any, place: Any, rules: Any) -> Any:
    """How many steps there are from a place."""
    w0, w1, w2, high = steps_from(place, free_planks(game), rules)
    return size(w0) + size(w1) + size(w2) + size(high)


@inlined
def _find_way(game: Any, seat: Any, rules: Any, work: Any) -> None:
    """What is left of a seat's way."""
    place = np.int64(game["pawn"][seat])
    goal = bit(rules["islets"] + np.int64(rules["goal"][game["players"], seat]))
    builds = _OWN if seat == game["seat"] else _ANY
    _flood(game, goal, goal, 1, builds, rules, work, work["cost_in"][seat])
    _flood(game, goal, goal, 1, 0, rules, work, work["steps_in"][seat])
    work["cost"][seat] = cost_at(game, seat, place, work["cost_in"][seat], rules)
    work["steps"][seat] = cost_at(game, seat, place, work["steps_in"][seat], rules)
    work["exits"][seat] = exits_at(game, place, rules)


@inlined
def _set_out(game: Any, seat: Any, rules: Any, work: Any) -> None:
    """What it costs from a seat's pawn to every node."""
    place = np.int64(game["pawn"][seat])
    inside = bit(rules["islets"] + place - VILLAGE) if place >= VILLAGE else ZERO
    start = inside if place >= VILLAGE else rules["ends"][place]
    work["inside"][seat] = inside
    builds = _OWN if seat == game["seat"] else _ANY
    _flood(game, start, inside, 0, builds, rules, work, work["cost_out"][seat])


@inlined
def find_ways(game: Any, rules: Any, work: Any) -> None:
    """The ways of all pawns; for building also from the pawn of the seat on turn and a rival's."""
    players, own = np.int64(game["players"]), np.int64(game["seat"])
    join_all(game, rules, work)
    for seat in range(players):
        _find_way(game, seat, rules, work)
    rival: Any = after(own, game)
    for k in range(2, players):  # the first to the left among equals
        other = own + k if own + k < players else own + k - players
        if work["cost"][other] < work["cost"][rival]:
            rival = other
    work["rival"] = rival
    if STONE <= game["step"] <= REMOVE:
        for k in range(2):
            _set_out(game, own if k == 0 else rival, rules, work)


@inlined
def _through(game: Any, seat: Any, link: Any, price: Any, rules: Any, work: Any) -> Any:
    """The cost of the seat's way over a link that has this price."""
    costs = work["cost_in"][seat]
    a, b = np.int64(rules["end"][link, 0]), np.int64(rules["end"][link, 1])
    there = _out_at(seat, a, rules, work) + _in_at(game, seat, b, costs, rules)
    back = _out_at(seat, b, rules, work) + _in_at(game, seat, a, costs, rules)
    return min(there, back) + price


@inlined
def cost_with(game: Any, seat: Any, link: Any, rules: Any, work: Any) -> Any:
    """The cost of the seat's way if a plank lay on a link."""
    return min(np.int64(work["cost"][seat]), _through(game, seat, link, 1, rules, work))


@inlined
def on_way(game: Any, seat: Any, link: Any, rules: Any, work: Any) -> Any:
    """Whether a plank lies on a cheapest way of the seat."""
    cost = np.int64(work["cost"][seat])
    return (cost < NEVER) & (_through(game, seat, link, 1, rules, work) <= cost)


@inlined
def cost_with_stone(game: Any, seat: Any, islet: Any, rules: Any, work: Any) -> Any:
    """The cost of the seat's way if an islet had a stone."""
    ground = game["stones"] | rules["villages_all"]
    costs = work["cost_in"][seat]
    into: Any = np.int64(NEVER)
    out: Any = np.int64(NEVER)
    near = work["near"][(_OWN if seat == game["seat"] else _ANY) + 1, islet]
    while near != ZERO:
        node = lowest(near)
        near &= near - ONE
        price = READY if bit(node) & ground != ZERO else REMOTE
        into = min(into, _out_at(seat, node, rules, work) + price)
        out = min(out, _in_at(game, seat, node, costs, rules) + price)
    return min(np.int64(work["cost"][seat]), into + out)
