"""Clauses 1 to 5: material, set-up, a round, programming, execution and dragons."""

from __future__ import annotations

from collections import deque

import pytest

from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import CARDS, Rules
from tests.dragon_delta.table import Table, at

SEATS = {
    2: "white black",
    3: "white red blue",
    4: "yellow red blue green",
    5: "white yellow red blue green",
    6: "white yellow red black blue green",
}
COUNTS = pytest.mark.parametrize("players", SEATS)
PLAIN = {f"program {card}" for card in CARDS}

# ---------------------------------------------------------------- material


def test_1_1_the_material() -> None:
    board, rules = Map.standard(), Rules(6)
    assert (len(board.islets), len(board.villages)) == (27, 6)
    assert (rules.planks, rules.stones, rules.players) == (6, 27, 6)


def test_1_2_each_card_once_and_a_dragon_against_each_other_colour() -> None:
    dragons = {f"program dragon against {c}" for c in SEATS[6].split()[1:]}
    assert Table(Rules(6)).legal == PLAIN | dragons


def test_1_4_links_join_islets_or_an_islet_and_a_village() -> None:
    board = Map.standard()
    assert len(board.links) == 150
    assert all(a < 27 for a, _, _ in board.links)


def test_1_5_how_the_links_were_made() -> None:
    board = Map.standard()
    for a, b, fits in board.links:
        (ax, ay), (bx, by) = board.points[a], board.points[b]
        d = ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5
        lengths = {n: 10 * (n + 2) for n in range(1, 7)}
        if b < 27:
            expected = [n for n, long in lengths.items() if abs(d - long) <= 5]
        else:
            expected = [n for n, long in lengths.items() if d - 25 <= long < d + 5]
        assert list(fits) == expected


def test_1_6_the_crossings_are_those_of_the_file() -> None:
    assert len(Map.standard().crossings) == 216


def test_1_7_three_turns_and_three_mirrorings() -> None:
    board = Map.standard()
    assert len(set(board.symmetries)) == 6
    for village in range(6):
        seen = board.seen_from(village)
        assert seen[27 + village] == 27
        assert seen[27 + board.goal(village)] == 27 + board.goal(0)


def fewest_planks(board: Map, start: int, goal: int, without: set[int]) -> int:
    """The least number of different planks of one colour that reach from node to node."""
    waiting: deque[tuple[int, frozenset[int]]] = deque([(start, frozenset())])
    met = {(start, frozenset[int]())}
    while waiting:
        node, used = waiting.popleft()
        if node == goal:
            return len(used)
        for a, b, fits in board.links:
            if node not in (a, b) or {a, b} & without:
                continue
            for number in set(fits) - used:
                after = (a + b - node, used | {number})
                if after not in met:
                    met.add(after)
                    waiting.append(after)
    return 99


def test_1_7_own_planks_cross_with_five_or_round_the_centre_with_six() -> None:
    board = Map.standard()
    centre = {i for i, (x, y) in enumerate(board.islets) if x * x + y * y <= 3600}
    for village in range(6):
        start, goal = 27 + village, 27 + board.goal(village)
        assert fewest_planks(board, start, goal, set()) == 5
        assert fewest_planks(board, start, goal, centre) == 6


# ---------------------------------------------------------------- set-up


@COUNTS
def test_2_1_colours_by_player_count(players: int) -> None:
    assert Rules(players).colours == tuple(SEATS[players].split())


def test_2_2_goals() -> None:
    board = Map.standard()
    goals = {v.colour: v.goal for v in board.villages}
    pairs = {"white": "black", "red": "green", "blue": "yellow"}
    assert goals == pairs | {goal: colour for colour, goal in pairs.items()}


@COUNTS
def test_2_3_pawns_planks_cards_and_stones(players: int) -> None:
    table = Table(Rules(players))
    for colour in table.rules.colours:
        assert table.pawn(colour) == f"{colour}'s village"
        assert table.reserve(colour) == {f"{colour} {n}" for n in range(1, 7)}
    assert len(table.legal) == {2: 9, 3: 10, 4: 11, 5: 12, 6: 13}[players]
    assert table.stones == set()


def test_2_4_seat_0_begins_and_nothing_is_drawn() -> None:
    one, other = Table(Rules(3)), Table(Rules(3))
    assert one.turn == "white, program"
    assert one.state.tobytes() == other.state.tobytes()


# ---------------------------------------------------------------- a round


def test_3_1_programming_then_the_slots() -> None:
    table = at(slots=2)
    table.program("stone1 stones2", "stone1 remove")
    assert table.turn == "white, stone"
    table.act("islet 0")
    assert table.turn == "black, stone"
    table.act("islet 1")
    assert table.turn == "white, stone"  # the second slot
    table.act("islet 2", "islet 3")
    assert table.turn == "black, remove"


def test_3_2_the_cards_return_and_the_marker_passes_to_the_left() -> None:
    table = at(players=3)
    table.program("move1", "move1", "move1")  # all fall at home
    assert table.game["round"] == 2
    assert table.game["first"] == 1
    assert table.turn == "red, program"
    assert table.laid_cards("white") == []
    table.program("move1", "move1", "move1")
    table.program("move1", "move1", "move1")
    assert table.turn == "white, program"


# ---------------------------------------------------------------- programming


def test_4_1_exactly_five_cards() -> None:
    table = Table(Rules())
    for card in CARDS[:5]:
        assert table.seat == 0
        table.act(f"program {card}")
    assert table.turn == "black, program"


def test_4_2_different_cards_and_at_most_one_dragon() -> None:
    table = Table(Rules(4))
    table.act("program dragon against red")
    assert table.legal == PLAIN
    table.act("program jump")
    assert table.legal == PLAIN - {"program jump"}


def test_4_3_seat_by_seat_from_the_first_player_on() -> None:
    table = at(players=3, slots=2, marker=1)
    order = []
    while table.turn.endswith("program"):
        order.append(table.seat)
        table.act(sorted(table.legal)[-1])
    assert order == [1, 1, 2, 2, 0, 0]


# ---------------------------------------------------------------- execution and dragons


def test_5_1_and_5_2_from_the_first_player_clockwise() -> None:
    table = at(players=3, marker=2)
    table.program("stone1", "stone1", "stone1")
    for colour in ("blue", "white", "red"):
        assert table.turn == f"{colour}, stone"
        table.act(min(table.legal))


@pytest.mark.parametrize("marker", [0, 1])
def test_5_3_a_dragon_cancels_whoever_comes_first(marker: int) -> None:
    table = at(marker=marker)
    cards = ["stone1", "@white"]
    table.program(*(cards if marker == 0 else cards[::-1]))
    assert table.stones == set()
    assert table.game["round"] == 2


def test_5_3_a_dragon_never_cancels_a_dragon() -> None:
    table = at(players=3)
    table.program("@red", "@blue", "stone1")
    assert table.game["round"] == 2


def test_5_3_several_dragons_against_one() -> None:
    table = at(players=3)
    table.program("@blue", "@blue", "stone1")
    assert table.game["round"] == 2


def test_5_3_only_the_card_of_that_slot() -> None:
    table = at(slots=2)
    table.program("stone1 stones2", "@white move1")
    assert table.turn == "white, stone"
    assert table.game["left"] == 2


def test_5_4_cancelled_means_no_fall() -> None:
    table = at("13-27", {"white": "13-27"})
    table.program("jump", "@white")
    assert table.pawn("white") == "13-27"
