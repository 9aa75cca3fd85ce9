"""Clause 10: the worked examples."""

from __future__ import annotations

from drago_env.dragon_delta.rules import Rules
from tests.dragon_delta.table import Table, at


def test_10_1_four_players() -> None:
    table = Table(Rules(4))
    assert table.rules.colours == ("yellow", "red", "blue", "green")
    assert len(table.legal) == 11
    assert not any("black" in text or "white" in text for text in table.legal)
    assert table.pawn("red") == "red's village"
    assert table.board.villages[2].goal == "green"


def test_10_2_only_red_or_green_1_and_5() -> None:
    planks = {
        "9-27": "red 1",
        "3-28": "green 1",
        "10-30": "blue 1",
        "20-27": "red 5",
        "0-29": "green 5",
        "21-30": "yellow 5",
        "13-15": "red 4",
        "1-28": "green 2",
        "2-29": "green 3",
        "5-6": "green 6",
    }
    table = at(planks, players=4, reserves={"red": "red 6, red 3, red 2, green 4"}, marker=1)
    table.program("remove", "jump", "jump", "jump")
    assert table.turn == "red, remove"
    assert table.legal == {"9-27", "3-28", "20-27", "0-29"}


def test_10_3_greens_fourth_card_cancels_reds() -> None:
    table = at(players=4, slots=5)
    still = "move1 move2 jump"
    table.program(
        f"{still} remove plank1",
        f"{still} stone1 remove",
        f"{still} remove plank1",
        f"{still} @red remove",
    )
    assert table.stones == set()
    assert table.game["slot"] == 4  # red put no stone; yellow's plank is next
    assert table.turn == "yellow, plank"


def test_10_4_a_dragon_does_not_save_from_a_dragon() -> None:
    table = at(players=4)
    table.program("jump", "@green", "stone1", "@blue")
    assert table.stones == set()
    assert table.game["round"] == 2


def test_10_5_a_beach_bears_three() -> None:
    for stones in ([], [20]):
        table = at("9-27 13-27 17-27", stones=stones, reserves={"white": "white 4, white 5"})
        table.program("plank1", "jump")
        table.act("plank 5")
        assert "20-27" not in table.legal
        assert table.planks.keys() == {"9-27", "13-27", "17-27"}


def test_10_6_the_only_stone_is_on_13() -> None:
    table = at(stones=[13])
    table.program("planks2", "jump")
    table.act("plank 1")
    assert table.lost() == {"white 1"}
    table.act("plank 2")
    assert table.legal == {"13-27"}


def test_10_7_there_and_back() -> None:
    table = at("13-27")
    table.program("move2", "jump")
    assert table.legal == {"13-27"}
    table.act("13-27")
    assert table.legal == {"white's village"}
    table.act("white's village")
    assert table.pawn("white") == "white's village"
    longer = at("13-27 13-15")
    longer.program("move2", "jump")
    longer.act("13-27")
    assert longer.legal == {"13-15"}


def test_10_8_move2_next_to_the_goal() -> None:
    table = at("15-18 18-30", {"white": "18-30"})
    table.program("move2", "jump")
    assert table.legal == {"15-18"}
    flag = at("15-18 18-30", {"white": "18-30"}, move2_village=True)
    flag.program("move2", "jump")
    assert flag.legal == {"15-18", "black's village"}
    flag.act("black's village")
    assert flag.over
    assert flag.seat == 0
    alone = at("18-30", {"white": "18-30"})
    alone.program("move2", "jump")
    assert alone.pawn("white") == "white's village"


def test_10_9_jumps() -> None:
    way = "13-27 13-15 15-18 18-30"
    table = at(way, {"white": "13-27", "black": "13-15"})
    table.program("jump", "stone1")
    assert table.legal == {"15-18"}
    wins = at(way, {"white": "15-18", "black": "18-30"})
    wins.program("jump", "stone1")
    assert wins.legal == {"black's village"}
    wins.act("black's village")
    assert wins.over
    falls = at(way, {"white": "13-15", "black": "18-30"})
    falls.program("jump", "stone1")
    assert falls.pawn("white") == "white's village"


def test_10_10_a_fall_at_home_and_a_strange_village() -> None:
    table = at("13-27", {"black": "13-27"})
    before = table.game["pawn"].copy()
    table.program("move1", "stone1")
    assert table.game["pawn"].tolist() == before.tolist()
    strange = at("4-29", {"white": "4-29"}, players=3)
    strange.program("move1", "jump", "jump")
    strange.act("red's village")
    assert not strange.over
    assert strange.pawn("white") == "red's village"
