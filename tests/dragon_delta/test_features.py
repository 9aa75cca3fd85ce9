"""What an action is said to do, against plain searches over the map."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.layout import named
from drago_env.dragon_delta.observation import FEATURES
from tests.dragon_delta.engine import Engine
from tests.dragon_delta.fuzz import POLICIES, engine, random_rules, scatter
from tests.dragon_delta.oracle import expected, reference_of
from tests.dragon_delta.reference import Place, Reference

NEVER = 31
Price = Callable[[int], float]


def prices(it: Reference, stones: set[int], seat: int | None = None) -> Price:
    """What it takes to get onto a link: to walk, to lay a plank, or to put stones as well.

    With a seat, only what its own reserve holds can be laid.
    """
    held = range(1, 9) if seat is None else [number for _, number in it.reserves[seat]]

    def price(link: int) -> float:
        if link in it.on_map:
            return 1
        a, b, fits = it.board.links[link]
        if not any(n in fits or (it.long_planks and n > max(fits)) for n in held):
            return float("inf")
        crossed = it.board.crosses[link] & set(it.on_map)
        if crossed or any(it.bears(node) >= it.support for node in (a, b)):
            return float("inf")
        based = all(node >= it.board.islets or node in stones for node in (a, b))
        return 2 if based else 4

    return price


def but(price: Price, link: int, cost: float) -> Price:
    """The same prices, but one."""
    return lambda other: cost if other == link else price(other)


def walking(it: Reference) -> Price:
    return lambda link: 1 if link in it.on_map else float("inf")


def cheapest(it: Reference, start: Place, goal: int, price: Price) -> int:
    """Dijkstra over places; pawns are not in the way."""
    every = set(range(len(it.board.links)))
    best: dict[Place, float] = {start: 0}
    waiting: list[tuple[float, Place]] = [(0, start)]
    while waiting:
        cost, place = heapq.heappop(waiting)
        if place == ("village", goal):
            return int(min(cost, NEVER))
        if cost > best[place]:
            continue
        for to in it.board.steps(place, every):
            more = cost + (1 if to[0] == "village" else price(to[1]))
            if more < best.get(to, float("inf")):
                best[to] = more
                heapq.heappush(waiting, (more, to))
    return NEVER


def positions(games: int, seed: int) -> Iterator[tuple[Engine, NDArray[np.void], Reference]]:
    """Positions of all steps, from scattered starts."""
    rng = random.Random(seed)
    for _ in range(games):
        rules = random_rules(rng)
        it, state = reference_of(rules), engine(rules).new()
        scatter(it, rng)
        for name, value in expected(it).items():
            state[0][name] = value
        policies = [rng.choice(POLICIES) for _ in range(rules.players)]
        while not it.over:
            if rng.random() < 0.3:
                yield engine(rules), state, it
            action = policies[it.seat](it, rng, it.options())
            it.apply(action)
            engine(rules).step(state, action)


def cost_of(it: Reference, seat: int) -> int:
    price = prices(it, it.stoned, seat if seat == it.seat else None)
    return cheapest(it, it.pawns[seat], it.goals[seat], price)


def told(book: Engine, state: NDArray[np.void], actions: list[int]) -> list[dict[str, Any]]:
    return [named(row, FEATURES) for row in book.features(state, actions)]


def test_costs_and_steps_before_an_action() -> None:
    for book, state, it in positions(24, 1):
        legal = it.options()
        said = told(book, state, legal[:1])[0]
        costs = [cost_of(it, seat) for seat in range(it.players)]
        steps = [
            cheapest(it, it.pawns[seat], it.goals[seat], walking(it)) for seat in range(it.players)
        ]
        others = [(it.seat + k) % it.players for k in range(1, it.players)]
        rival = min(others, key=lambda seat: costs[seat])  # the first to the left among equals
        assert said["own_cost"][0] == costs[it.seat]
        assert said["rival_cost"][0] == costs[rival]
        assert said["own_steps"][0] == steps[it.seat]
        assert said["rival_steps"][0] == steps[rival]


def test_what_moves_stones_and_planks_do_to_the_own_way() -> None:
    met = dict.fromkeys(("move", "stone", "plank", "link", "remove"), 0)
    for book, state, it in positions(24, 2):
        legal = it.options()
        seat, goal = it.seat, it.goals[it.seat]
        price = prices(it, it.stoned, seat)
        before = cost_of(it, seat)
        for action, said in zip(legal, told(book, state, legal), strict=True):
            kind, index = it.meaning(action)
            after, shown = before, int(said["own_cost"][1])
            if it.step in ("move", "first", "second", "jump"):
                after = cheapest(it, (kind, index), goal, price)
                met["move"] += 1
                assert said["wins"][0] == ((kind, index) == ("village", goal))
                distance = it.board.distance((kind, index), goal)
                assert said["distance"][0] == min(distance, 15)
            elif it.step == "stone":
                after = cheapest(it, it.pawns[seat], goal, prices(it, {*it.stoned, index}, seat))
                met["stone"] += 1
            elif it.step == "link":
                after = cheapest(it, it.pawns[seat], goal, but(price, index, 1))
                met["link"] += 1
            elif it.step == "plank":
                links = [i for i in range(len(it.board.links)) if it.may_lie(index + 1, i)]
                ways = [cheapest(it, it.pawns[seat], goal, but(price, i, 1)) for i in links]
                after = min([before, *ways])
                met["plank"] += 1
            elif it.step == "remove" and kind == "link":
                after = cheapest(it, it.pawns[seat], goal, but(price, index, 2))
                met["remove"] += 1
                # a plank on one of several cheapest ways counts as well
                assert after <= shown <= before + 1
                continue
            assert shown == after
    assert min(met.values()) > 30


def test_exits_are_the_steps_that_a_pawn_then_has() -> None:
    for book, state, it in positions(20, 3):
        legal = it.options()
        if it.step not in ("move", "first", "second", "jump"):
            continue
        for action, said in zip(legal, told(book, state, legal), strict=True):
            place = it.meaning(action)
            own = it.pawns[it.seat]
            it.pawns[it.seat] = place
            assert said["exits"][0] == len(it.step_places())
            it.pawns[it.seat] = own


def test_a_card_works_if_it_has_options_now() -> None:
    steps = ["stone", "stone", "plank", "plank", "remove", "move", "first", "jump"]
    for book, state, it in positions(20, 4):
        if it.step != "program":
            continue
        legal = it.options()
        for card, said in zip(legal, told(book, state, legal), strict=True):
            assert said["card"].argmax() == min(card, 8)
            assert said["slot"][0] == len(it.programs[it.seat]) + 1
            if card < 8:
                it.step = steps[card]
                assert said["works"][0] == len(it.options())
                it.step = "program"


def test_features_change_nothing_in_the_game() -> None:
    for book, state, it in positions(15, 5):
        before = state.tobytes()
        book.features(state, it.options())
        assert state.tobytes() == before
