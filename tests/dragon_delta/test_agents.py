"""Greedy, heuristic and search: what they plan, what they may know, and that they get there."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest

from agents.arena import Config, run
from drago_env.core.compiled import compiled
from drago_env.core.planning import SearchResult, draw, judge, softmax
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.kernel.play import rules_of
from drago_env.dragon_delta.kernel.way import EXACT, WORK, find_way
from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.planning import weights
from drago_env.dragon_delta.rules import CARDS, Rules
from drago_env.dragon_delta.state import OVER, PROGRAM
from drago_env.policy import View, resolve
from tests.dragon_delta.table import at


@compiled
def _find(state: Any, row: Any, tables: Any, works: Any) -> None:
    game = state[row]
    find_way(game, np.int64(game["seat"]), rules_of(game, tables), works[0])


def positions(players: int, decisions: int, games: int = 6) -> tuple[DragonDelta, Any]:
    """Games after random decisions, those that go on."""
    game = DragonDelta(Rules(players))
    state = game.new(np.arange(games, dtype=np.uint64))
    picks = game.picks(np.arange(games, dtype=np.uint64))
    for _ in range(decisions):
        game.step(state, game.sample(game.legal(state), picks))
        assert not game.over(state).any()
    return game, state


def cheapest(game: DragonDelta, state: Any, row: int) -> int | None:
    """The cost of the seat's cheapest way, each plank used once: slowly and obviously."""
    rules, it = game.row_rules(state, row), state[row]
    board, seat, islets = rules.map, int(it["seat"]), len(rules.map.islets)
    laid = {int(p) for p in it["plank"].ravel() if p < MAX_LINKS}
    bears = [sum(node in board.links[link][:2] for link in laid) for node in range(board.nodes)]
    shut = laid | {x for pair in board.crossings for x in pair if laid & set(pair) - {x}}
    held = frozenset(int(n) + 1 for _, n in np.argwhere(it["plank"] == MAX_LINKS + seat))
    goal = islets + int(board.goal(board.colours.index(rules.colours[seat])))
    place = int(it["pawn"][seat])
    if place >= MAX_LINKS:
        waiting = [(0, islets + place - MAX_LINKS, held)]
    else:
        waiting = [(int(node >= islets), node, held) for node in board.links[place][:2]]
    heapq.heapify(waiting)
    seen = set()
    while waiting:
        cost, node, planks = heapq.heappop(waiting)
        if node == goal:
            return cost
        if (node, planks) in seen:
            continue
        seen.add((node, planks))
        for link, (a, b, fits) in enumerate(board.links):
            if node not in (a, b):
                continue
            end = a + b - node
            if link in laid:
                heapq.heappush(waiting, (cost + 1 + (end >= islets), end, planks))
            elif link not in shut and max(bears[a], bears[b]) < rules.support:
                stone = end < islets and not int(it["stones"]) >> end & 1
                for number in planks & set(fits):
                    price = cost + 2 + stone + (end >= islets)
                    heapq.heappush(waiting, (price, end, planks - {number}))
    return None


@pytest.mark.parametrize(("players", "decisions"), [(2, 0), (2, 24), (4, 48), (6, 80)])
def test_the_way_is_the_cheapest_with_the_planks_at_hand(players: int, decisions: int) -> None:
    game, state = positions(players, decisions)
    works = np.zeros(1, WORK)
    found = 0
    for row in range(len(state)):
        _find(state, row, game.tables, works)
        work, least = works[0], cheapest(game, state, row)
        assert (work["means"] == EXACT) == (least is not None)
        if least is None:
            continue
        length = int(work["length"])
        bits = [int(work[name]) for name in ("laid", "lacking")]
        cost = length + (length - bits[0].bit_count()) + bits[1].bit_count()
        assert cost == least
        numbers = [n for n in work["way_number"][:length].tolist() if n]
        assert len(set(numbers)) == len(numbers)
        found += 1
    assert found > 0


def test_the_first_way_is_five_planks_four_stones_and_six_steps() -> None:
    """Clause 1.7: own planks alone cross the delta with five, never with four."""
    game, state = positions(2, 0, 1)
    assert cheapest(game, state, 0) == 5 + 4 + 6


def best_card(table: Any, name: str = "heuristic") -> str:
    game = DragonDelta(table.rules)
    assert table.state["step"][0] == PROGRAM
    card = int(judge(game, table.state, weights(name)).best()[0])
    return CARDS[card] if card < len(CARDS) else "dragon"


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_next_to_the_goal_it_steps_in(name: str) -> None:
    way = "13-27 13-15 15-18 18-30"
    assert best_card(at(way, {"white": "18-30"}, slots=5), name) == "move1"
    assert best_card(at(way, {"white": "15-18"}, slots=1), name) == "move2"
    assert best_card(at(way, {"white": "15-18", "black": "18-30"}), name) == "jump"


def test_only_the_heuristic_stops_a_rival_before_the_goal() -> None:
    table = at("13-27 13-15 15-18 18-30", {"black": "13-27"}, slots=1)
    assert best_card(table) == "dragon"
    assert best_card(table, "greedy") != "dragon"


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_nothing_is_programmed_that_falls_into_the_water(name: str) -> None:
    """White stands on the only plank beyond its beach: a step leads back, a jump nowhere."""
    game = DragonDelta(Rules(slots=1))
    table = at("13-27 13-15", {"white": "13-15"})
    found = judge(game, table.state, weights(name))
    values = dict(zip(found.actions[0].tolist(), found.values[0].tolist(), strict=True))
    best = max(values.values())
    for card in ("move1", "move2", "jump"):
        assert values[CARDS.index(card)] < best


@pytest.mark.parametrize("players", [2, 4])
def test_hidden_cards_change_nothing(players: int) -> None:
    game, state = positions(players, 5 * players + 3)
    seats = game.current_player(state).astype(np.int64)
    other = game.determinize(state, seats, np.arange(len(state), dtype=np.uint64))
    assert (other["program"] != state["program"]).any()
    one, two = (judge(game, worlds, weights("heuristic")) for worlds in (state, other))
    np.testing.assert_array_equal(one.values, two.values)
    search = resolve("search:playouts=32,depth=4", game)
    seeds = np.arange(len(state), dtype=np.uint64)
    one, two = (search.search(game, worlds, seeds) for worlds in (state, other))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.visits, two.visits)


def programs(spec: str, games: int = 64) -> set[tuple[int, ...]]:
    """The programs of the first seat in so many equal games."""
    game = DragonDelta(Rules())
    state, rng = game.new(np.zeros(games, np.uint64)), np.random.default_rng(1)
    policy: Any = resolve(spec, game)
    for _ in range(5):
        game.step(state, policy.act(None, None, rng, View(game, state)))
    return {tuple(cards) for cards in state["program"][:, 0, :5].tolist()}


def test_programs_are_mixed_by_temperature() -> None:
    assert len(programs("heuristic:temperature=0")) == len(programs("greedy")) == 1
    assert len(programs("heuristic")) > 1
    assert len(programs("heuristic:temperature=1")) > len(programs("heuristic"))
    with pytest.raises(ValueError, match="temperature"):
        resolve("heuristic:temperature=-1", "dragon_delta")


def test_cards_are_drawn_as_often_as_the_softmax_says() -> None:
    n = 4000
    values = np.tile([0.0, -0.5, -1.0, 9.0], (n, 1))
    actions = np.tile(np.array([3, 5, 8, 1], np.uint16), (n, 1))
    found = SearchResult(actions, np.full(n, 3), np.zeros((n, 4), np.int64), values)
    wanted = softmax(found, 0.5)[0]
    assert wanted[3] == 0
    drawn = draw(found, np.arange(n, dtype=np.uint64), 0.5)
    for action, share in zip((3, 5, 8), wanted, strict=False):
        assert abs((drawn == action).mean() - share) < 0.03


@pytest.mark.parametrize("players", [2, 3])
def test_the_ladder(players: int) -> None:
    """With few players the heuristic is clearly ahead; with more it is not shown to be."""
    spec = f"dragon_delta:players={players}"
    result = run(Config(["heuristic", "greedy"], games=60, seed=1, game=spec), workers=1)
    won = result.table.groupby("agent")["win_share"].mean()
    assert won["heuristic"] > 1.5 * won["greedy"]


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_games_come_to_an_end(name: str) -> None:
    game = DragonDelta(Rules(3))
    state, rng = game.new(np.arange(40, dtype=np.uint64)), np.random.default_rng(2)
    policy: Any = resolve(name, game)
    while not game.over(state).all():
        rows = np.flatnonzero(state["step"] != OVER)
        part = state[rows]
        game.step(part, policy.act(None, None, rng, View(game, part)))
        state[rows] = part
    assert game.truncated(state).mean() <= 0.1
