"""Clauses 1 to 3 and 14: material, spaces, set-up, and the numbering of decisions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest

from drago_env.rupe_dei_draghi import actions
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import Rules
from drago_env.rupe_dei_draghi.state import STATE
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.table import at

PLAYERS = pytest.mark.parametrize("players", [2, 3, 4])
GRAPH = Graph.standard()


def test_1_1_riders_and_pieces() -> None:
    rules = Rules()
    assert (rules.dragons, rules.rainbows, rules.bridges) == (4, 4, 2)
    assert len(GRAPH.strongholds) == 4


def test_1_2_colours() -> None:
    assert GRAPH.colours == ("red", "yellow", "green", "blue")


@pytest.mark.parametrize(("players", "cards"), [(2, 31), (3, 31), (4, 36)])
def test_1_3_cards(players: int, cards: int) -> None:
    rules = Rules(players)
    assert rules.cards == cards
    assert rules.copies[:5] == (4, 3, 5, 1, 1)
    assert rules.copies[5:] == ((5, 5, 5, 5, 2) if players == 4 else (4, 4, 4, 4, 1))


def test_2_1_85_spaces_92_roads() -> None:
    assert (len(GRAPH), len(GRAPH.roads)) == (85, 92)
    assert "reconstruction" in GRAPH.note


def test_2_2_kinds() -> None:
    found = Counter(GRAPH.kinds)
    assert found.pop("castle") == 1
    assert found.pop("green") == 60
    assert found == dict.fromkeys(("start", "stronghold", "rock", "star", "gap", "crater"), 4)


def test_2_3_roads() -> None:
    wanted = set()
    for k in range(4):
        n = (k + 1) % 4
        chains = [
            f"A{k} i{k}0 B{k} i{k}1 A{n}",
            f"B{k} J{k}1 J{k}2 J{k}3 M{k} G{k} F{k}",
            f"J{k}2 R{k}",
            f"A{k} Q{k}1 X{k} Q{k}2 T{k}",
            f"T{k} O{k}0 O{k}1 O{k}2 M{k} O{k}3 O{k}4 O{k}5 T{n}",
        ]
        for chain in chains:
            names = chain.split()
            wanted |= {frozenset(pair) for pair in pairwise(names)}
    found = {frozenset((GRAPH.names[one], GRAPH.names[other])) for one, other in GRAPH.roads}
    assert found == wanted


def test_2_4_bridge_sites() -> None:
    assert {GRAPH.names[s] for s in GRAPH.bridge_sites} == {
        f"{x}{k}" for x in "GX" for k in range(4)
    }


def test_2_5_rainbow_sites() -> None:
    named = [(GRAPH.names[rock], GRAPH.names[end]) for rock, end in GRAPH.sites]
    assert named[:4] == [(f"R{k}", "C") for k in range(4)]
    assert named[4:] == [(f"R{k}", f"F{k}") for k in range(4)]


def test_2_5_a_rock_may_carry_both() -> None:
    table = at(hands=["rainbow"], rainbows=[0], looks={1: [0]})
    table.act("card rainbow", "beside the board", "site R0-F0")
    assert table.rainbows == {0, 4}


def test_2_6_indices() -> None:
    order = [
        "A",
        "i0",
        "B",
        "i1",
        "J1",
        "J2",
        "J3",
        "M",
        "R",
        "G",
        "F",
        "Q1",
        "X",
        "Q2",
        "T",
        "O0",
        "O1",
        "O2",
        "O3",
        "O4",
        "O5",
    ]
    assert GRAPH.names[0] == "C"
    for k in range(4):
        for j, name in enumerate(order):
            assert GRAPH.names[1 + 21 * k + j] == f"{name[0]}{k}{name[1:]}"


@pytest.mark.parametrize(("players", "starts"), [(2, "A0 A2"), (3, "A0 A1 A2"), (4, "A0 A1 A2 A3")])
def test_3_1_knights_on_their_starts(players: int, starts: str) -> None:
    table = at(players=players)
    assert [table.knight(seat) for seat in range(players)] == starts.split()


def test_3_2_every_arrangement_of_the_princesses_is_equally_likely() -> None:
    batch = Batch([Rules(2)], 24_000)
    found = Counter(map(tuple, batch.state["princess"][:, :4].tolist()))
    assert set(found) == set(permutations(range(4)))
    assert min(found.values()) > 850
    assert max(found.values()) < 1150


@PLAYERS
def test_3_3_dragons_in_the_strongholds_all_else_beside(players: int) -> None:
    table = at(players=players)
    assert table.dragons == ["F0", "F1", "F2", "F3"]
    assert (table.rainbows, table.bridges) == (set(), set())
    assert (table.game["rainbows"], table.game["bridges"]) == (4, 2)


def test_3_3_fewer_dragons_in_the_first_strongholds() -> None:
    assert at(dragons=None, rules=Rules(2, dragons=2)).dragons == ["F0", "F1"]


def test_3_4_seat_0_begins() -> None:
    assert at().turn == "seat 0, turn"


@PLAYERS
def test_3_5_seven_cards_each(players: int) -> None:
    game = at(players=players).game
    assert game["hand_size"][:players].tolist() == [7] * players
    assert game["deck_size"] == game["deck"].sum() == Rules(players).cards - 7 * players
    assert game["pile_size"] == 0


def test_3_5_every_card_is_dealt_with_the_same_chance() -> None:
    batch = Batch([Rules(4)], 20_000)
    found = batch.state["hand"].sum((0, 1)) / 20_000
    assert found == pytest.approx(np.array(Rules(4).copies) * 28 / 36, rel=0.03)


def test_14_1_the_numbers_of_actions() -> None:
    assert Rules().num_actions == 111
    assert Rules.tiny().num_actions == 18 + 3 + 7
    words = {0: "card rainbow", 9: "card 5", 10: "renew", 11: "rob", 12: "top discard", 13: "done"}
    words |= {14: "beside the board", 15: "rival +1", 17: "rival +3", 18: "site R0-C"}
    words |= {25: "site R3-F3", 26: "space C", 110: "space O35"}
    for action, text in words.items():
        assert actions.text(action, GRAPH) == text
    for action in range(111):
        assert actions.parse(actions.text(action, GRAPH), GRAPH) == action
    for action in (-1, 111):
        with pytest.raises(ValueError, match="from 0 to 110"):
            actions.decode(action, GRAPH)
    with pytest.raises(ValueError, match="no action"):
        actions.parse("card 6", GRAPH)
    assert actions.decode(actions.SITE + len(GRAPH.sites) + 5, GRAPH) == ("space", 5)
    assert actions.decode(actions.SITE + 5, GRAPH) == ("site", 5)


def test_14_2_no_cloud_without_rivals_but_any_rival() -> None:
    table = at(hands=["cloud 1", "1", "1"], players=3)
    table.act("card cloud")
    assert table.legal == {"rival +1", "rival +2"}


def test_14_3_a_step_with_one_answer_is_asked() -> None:
    table = at(hands=["dragon 1"], rules=Rules(2, dragons=1))
    table.act("card dragon")
    assert table.legal == {"space F0"}


def test_14_4_at_most_60_are_legal_by_a_dragon() -> None:
    table = at(hands=["dragon 1"])
    table.act("card dragon", "space F0")
    assert len(table.legal) == 60 == Rules().max_legal
    assert table.spaces <= {GRAPH.names[i] for i in GRAPH.of_kind("green", "stronghold")}


def test_14_5_a_seed_decides_the_deal() -> None:
    one, same, other = (Batch([Rules(3)], 50, seed).state for seed in (5, 5, 500))
    assert one.tobytes() == same.tobytes()
    assert (one["hand"] != other["hand"]).any()


def test_the_state_has_no_padding_and_is_small() -> None:
    assert STATE.itemsize == sum(STATE[name].itemsize for name in STATE.names or ()) <= 512
