"""The worked examples of clause 13, with their numbers."""

from __future__ import annotations

import pytest

from tests.rupe_dei_draghi.oracle import reference_of
from tests.rupe_dei_draghi.position import Map
from tests.rupe_dei_draghi.table import Table, at


def ends(table: Table, card: str) -> set[str]:
    """Where a points card leads."""
    table.act(f"card {card}")
    return table.spaces


@pytest.mark.parametrize(
    ("card", "goals"), [("1", "J01 J03 R0"), ("2", "B0 M0 C"), ("3", "i00 i01 O02 O03")]
)
def test_13_1_from_j02_with_a_rainbow_to_the_castle(card: str, goals: str) -> None:
    table = at({0: "J02"}, ["1 2 3"], rainbows=[0])
    assert ends(table, card) == set(goals.split())


def test_13_1_the_castle_gives_armour_and_the_rainbow_may_be_moved() -> None:
    table = at({0: "J02"}, ["1 2 3"], rainbows=[0])
    table.act("card 2", "space C")
    assert table.game["armour"][0] == 1
    assert table.legal == {"site R0-C", "done"}
    table.act("site R0-C")
    assert table.legal == {"site R1-C", "site R2-C", "site R3-C"}
    table.act("site R2-C")
    assert (table.rainbows, table.turn) == ({2}, "seat 1, turn")


def test_13_2_in_the_castle_without_a_rainbow() -> None:
    table = at({0: "C"}, ["3 4"], armour=[0])
    table.act("card 3")
    assert table.legal == {"done"}
    table.act("done")
    assert (table.knight(0), table.hand(0), table.pile) == ("C", "4", "3")
    assert table.turn == "seat 1, turn"


def test_13_3_a_dragon_in_the_way() -> None:
    table = at({0: "B0"}, ["3"], dragons=["J01"])
    assert ends(table, "3") == {"i31", "Q01", "i10", "Q11"}


@pytest.mark.parametrize(
    ("card", "goals"),
    [("1", "T0 T1 T2 T3"), ("2", "O00 O35 O05 O10 Q12 O15 O20 Q22 O25 O30 Q32")],
)
def test_13_4_flights_from_star_to_star(card: str, goals: str) -> None:
    assert ends(at({0: "Q02"}, ["1 2"]), card) == set(goals.split())


@pytest.mark.parametrize(("card", "goals"), [("1", "J01 J03"), ("2", "B0 M0 C")])
def test_13_5_a_rival_on_the_rock(card: str, goals: str) -> None:
    table = at({0: "J02", 1: "R0"}, ["1 2"], rainbows=[0])
    assert ends(table, card) == set(goals.split())


def test_13_6_a_duel_on_a_start() -> None:
    knights = {0: "i00", 1: "A1", 2: "A2"}
    table = at(knights, ["3 4", "1 2 5", "1"], players=3)
    table.act("card 3", "space A1")
    assert table.legal == {"space A0", "space A3"}
    table.act("space A3")
    assert table.legal == {"rival +1", "done"}
    table.act("rival +1", "rival +1")
    assert table.knight(1) == "A3"
    assert [len(table.hand(seat).split()) for seat in range(3)] == [3, 1, 1]
    assert table.turn == "seat 1, turn"


def test_13_7_a_look_in_vain() -> None:
    table = at(
        {0: "M1"}, ["bridge 1 2", "1", "1"], armour=[0], players=3, dragons=["F0", "F2", "F3"],
        princesses=[0, 1, 2, 3],
    )  # fmt: skip
    table.refuses("card cloud")
    table.act("card bridge", "beside the board", "space G1", "card 2")
    assert "F1" in table.spaces
    chart = Map(table.graph.as_dict())
    side = reference_of(table.rules, at(players=3, princesses=[0, 1, 2, 3]).game, chart)
    table.act("space F1")
    assert table.game["opened"] == 1
    assert table.turn == "seat 1, turn"
    side.looks[0].add(1)
    assert [len(side.arrangements(seat)) for seat in range(3)] == [6, 18, 18]
    table.act("renew", "renew", "card 1")
    assert table.spaces == {"G1", "M1"}


def test_13_8_two_rainbows_crossed() -> None:
    table = at(
        {0: "C"}, ["2"], rainbows=[0, 4], dragons=["F1", "F2", "F3"], armour=[0], looks={1: [1]},
        princesses=[1, 2, 3, 0],
    )  # fmt: skip
    assert ends(table, "2") == {"J02", "F0"}
    table.act("space F0")
    assert table.legal == {"site R0-C", "site R0-F0", "done"}


@pytest.mark.parametrize(("deck", "left"), [("1 1 2 2", 0), ("1 1 2 2 3", 21)])
def test_13_9_renewing_takes_the_discards_in(deck: str, left: int) -> None:
    table = at(hands=["3 3 4", "4 5"], deck=deck)
    assert table.game["pile_size"] + len(deck.split()) == 31 - 5
    table.act("renew")
    assert table.game["pile_size"] == left
    assert table.game["deck_size"] == (31 - 2 - 7 if left == 0 else 1)
    assert table.game["hand_size"][0] == 7


def test_13_10_the_cloud_needs_a_free_start() -> None:
    at(hands=["cloud 1", "1", "1", "1"], players=4).refuses("card cloud")
    table = at(hands=["cloud 1", "1", "1"], players=3)
    table.act("card cloud", "rival +2")
    assert table.legal == {"space A3"}
    table.act("space A3")
    assert table.knight(2) == "A3"


def test_13_11_teleswap_without_armour() -> None:
    table = at({1: "C"}, ["teleswap 1", "1"], armour=[1])
    table.act("card teleswap", "rival +1")
    assert (table.knight(0), table.knight(1)) == ("C", "A0")
    assert table.game["armour"][0] == 1
    at({1: "F2"}, ["teleswap 1"], armour=[1], dragons=["F0"]).refuses("card teleswap")


def test_13_12_the_top_discard() -> None:
    table = at(hands=["1 rainbow", "2"], pile="dragon 4")
    table.act("top discard")
    assert table.spaces == {"A1", "A3", "J02", "J32"}
    table.act("space A1")
    assert table.pile == "dragon 4"
    assert table.hand(0) == "rainbow 1"
    assert table.turn == "seat 1, turn"


def test_13_13_when_a_turn_may_stop() -> None:
    table = at(hands=["rainbow dragon", "1"])
    table.act("card rainbow", "beside the board", "site R1-C")
    assert table.legal == {"card dragon", "done"}
    table = at(hands=["rainbow 1", "1"])
    table.act("card rainbow", "beside the board", "site R1-C")
    assert table.legal == {"card 1"}


def test_13_14_marks() -> None:
    for ending in ("taken", "played"):
        table = at(hands=["1", "dragon", "2"], players=3)
        table.act("rob", "rival +1", "done")
        assert table.marks(1, 0) == "dragon"
        assert table.marks(2, 0) == ""
        table.act("renew")
        if ending == "taken":
            table.act("rob", "rival +1", "done")
        else:
            table.act("renew", "card dragon")
        assert table.marks(1, 0) == ""


def test_13_15_cut_off() -> None:
    table = at(turn_cap=2)
    table.act("renew")
    assert table.turn == "seat 1, turn"
    table.act("renew")
    assert table.game["end"] == 2
    assert table.rewards == [0, 0]
    assert table.legal == set()
