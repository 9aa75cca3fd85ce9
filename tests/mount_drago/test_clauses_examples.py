"""Clause 9: the worked examples of the rule sheets, with exactly their numbers."""

from __future__ import annotations

import pytest

from drago_env import Board
from tests.conftest import Table, at

# The examples of scoring hold on both built-in sides (1.6): 6 and 3 are the spaces 3 and 4,
# a green 4 is three further on, and the space 10 is a blue 2.
SIDES = pytest.mark.parametrize("side", [Board.side(3), Board.side(4)], ids=["2-3", "4-5"])


def on_side(side: Board) -> Table:
    """The first rider on blue, on a 3; the next on black; the third on red, on a 6."""
    return at(
        {"blue": 4, "black": 6, "red": 3},
        ["black 4, gray 1", "blue 3, gray 1"],
        ["blue 1", "black 1", "red 1"],
        board=", ".join(f"{value} {kind}" for value, kind in side.pairs()),
    )


def test_9_1_blue_is_taken() -> None:
    table = at({"blue": 3, "red": 5}, ["blue 1"], ["red 2", "green 1", "black 4"])
    table.act("play blue 1")
    assert table.rides(0) == "blue 1"
    assert table.covered == ["red 2"]
    assert table.space("blue") == 4


def test_9_2_black_in_last_place_is_left() -> None:
    spaces = {"blue": 6, "brown": 3, "red": 3, "yellow": 5, "green": 8}
    spaces |= {"black": 1, "gray": 1, "lightblue": 4, "purple": 2, "orange": 9}
    table = at(spaces, ["black 4"], ["blue 1", "green 1"])
    assert table.legal == {"play black 4", "play black 4 and keep"}
    table.act("play black 4 and keep")
    assert table.rides(0) == "blue 1"
    assert table.covered == ["black 4"]
    assert table.space("black") == 5


@SIDES
def test_9_3_a_minor_scoring(side: Board) -> None:
    table = on_side(side)
    assert table.act("play black 4") == [3, 2, 0]
    assert table.scores == [3, 2, 0]
    assert [table.rides(seat) for seat in range(3)] == ["blue 1", "black 1", "red 1"]


@SIDES
def test_9_4_a_major_scoring(side: Board) -> None:
    table = on_side(side)
    table.act("play black 4")
    assert table.act("play blue 3") == [4, 2, 6]
    assert table.scores == [7, 4, 6]


def test_9_5_four_scorings_leave_two_cards_and_the_last_card_refills() -> None:
    six = "{0} 1, {0} 1, {1} 1, {1} 1, {2} 1, {2} 1"
    table = at(
        hands=[six.format("blue", "brown", "black"), six.format("gray", "purple", "orange")],
        board="0 start, 1 blue, 1 blue, 1 blue, 1 summit",
    )
    plays = ["play blue 1", "play gray 1", "play brown 1", "play purple 1"]
    table.act(*plays, *plays)
    assert table.hand(0) == ["black 1", "black 1"]
    table.act("play black 1", "play orange 1")
    assert table.hand(0) == ["black 1"]
    assert table.act("play black 1")[0] == 1  # the last card scores too
    assert len(table.hand(0)) == 6
