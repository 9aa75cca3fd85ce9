"""Clauses 4 and 5: a turn, and the magic cards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.table import at


def test_4_1_four_things_to_choose_from() -> None:
    table = at(hands=["rainbow 1", "2"], pile="3")
    assert table.legal == {"card rainbow", "card 1", "renew", "rob", "top discard"}


def test_4_2_magic_one_by_one_then_one_points_card() -> None:
    table = at(hands=["rainbow dragon 1 2", "1"])
    table.act("card rainbow")
    assert (table.hand(0), table.pile) == ("dragon 1 2", "rainbow")
    table.act("beside the board", "site R1-C")
    assert table.rainbows == {1}  # carried out at once
    assert table.legal == {"card dragon", "card 1", "card 2"}
    table.act("card dragon", "space F1", "space J12", "card 2", "space B0")
    assert table.turn == "seat 1, turn"
    assert (table.hand(0), table.pile) == ("1", "rainbow dragon 2")


def test_4_3_who_holds_points_ends_with_them() -> None:
    table = at(hands=["rainbow bridge 1", "1"])
    table.act("card rainbow", "beside the board", "site R1-C")
    table.refuses("done")
    table = at(hands=["rainbow bridge", "1"])
    table.act("card rainbow", "beside the board", "site R1-C")
    assert table.legal == {"card bridge", "done"}
    table.act("done")
    assert table.turn == "seat 1, turn"


def test_4_3_an_empty_hand_ends_the_turn() -> None:
    table = at(hands=["rainbow", "1"])
    table.act("card rainbow", "beside the board", "site R1-C")
    assert table.turn == "seat 1, turn"


def test_4_4_renewing_draws_seven_of_hand_and_deck() -> None:
    table = at(hands=["1 1 1 1 2", "3"], pile="rainbow")
    table.act("renew")
    assert table.game["hand_size"][0] == 7
    assert table.pile == "rainbow"
    assert table.turn == "seat 1, turn"


def test_4_4_fewer_than_seven_in_all() -> None:
    table = at(hands=["1", "2 2 2 2"], pile="3", copies=(0, 0, 0, 0, 0, 2, 4, 1, 0, 0), hand=3)
    table.game["deck"][:] = 0
    table.game["deck"][5], table.game["deck_size"] = 1, 1
    table.batch.tables["hand"] = 7
    table.act("renew")
    assert table.hand(0) == "1 1 3"
    assert (table.pile, table.game["deck_size"]) == ("", 0)


def test_4_4_always_allowed_even_with_nothing_in_hand() -> None:
    assert "renew" in at(hands=["", "1"]).legal


def test_4_4_every_hand_of_single_cards_is_equally_likely() -> None:
    table = at(hands=["1 2", "3 3"], deck="2 4")
    table.batch.tables["hand"] = 2
    state = np.repeat(table.batch.state, 12_000)
    state["rng"] = np.random.default_rng(4).integers(2**63, size=len(state))
    batch = Batch([table.rules], 1)
    batch.state, batch.tables = state, table.batch.tables
    batch.step([10] * len(state))
    found = Counter(map(bytes, batch.state["hand"][:, 0]))
    # of 1 2 2 4: six pairs of single cards
    shares = sorted(count / len(state) for count in found.values())
    assert shares == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=0.02)


def test_4_5_up_to_three_cards_from_anybody() -> None:
    table = at(hands=["1", "2 2", "3 3"], players=3)
    table.act("rob")
    assert table.legal == {"rival +1", "rival +2"}
    table.act("rival +1")
    assert table.legal == {"rival +1", "rival +2", "done"}
    table.act("rival +2", "rival +1")
    assert table.hand(0) == "1 2 2 3"
    assert table.turn == "seat 1, turn"


def test_4_5_done_after_the_first_card_and_no_hand_limit() -> None:
    table = at(hands=["1 1 1 1 2 2 2", "3"])
    table.act("rob", "rival +1")
    assert table.hand(0) == "1 1 1 1 2 2 2 3"
    assert table.turn == "seat 1, turn"  # nobody has any more
    at(hands=["1", ""]).refuses("rob")


def test_4_5_a_random_card() -> None:
    table = at(hands=["1", "2 3 3 3"])
    table.act("rob")
    batch = Batch([table.rules], 1)
    batch.state = np.repeat(table.batch.state, 8000)
    batch.state["rng"] = np.random.default_rng(5).integers(2**63, size=8000)
    batch.step([15] * 8000)
    assert batch.state["hand"][:, 0, 6].mean() == pytest.approx(1 / 4, abs=0.02)


def test_4_6_a_top_discard_only_first() -> None:
    table = at(hands=["rainbow dragon 1", "1"], pile="3")
    table.act("card rainbow", "beside the board", "site R1-C")
    table.refuses("top discard")


def test_4_6_magic_then_cards_or_the_end() -> None:
    table = at(hands=["dragon 1", "1"], pile="rainbow")
    table.act("top discard", "beside the board", "site R1-C")
    assert table.pile == "rainbow"
    assert table.legal == {"card dragon", "card 1", "done"}
    table.act("card dragon", "space F1", "space J12")
    assert table.legal == {"card 1"}  # after a card of the hand 4.3 holds


def test_4_6_points_end_the_turn_and_the_next_may_use_them_too() -> None:
    table = at(hands=["1", "1"], pile="2")
    table.act("top discard", "space B0")
    assert table.turn == "seat 1, turn"
    assert "top discard" in table.legal


def test_4_6_only_a_playable_one() -> None:
    at({1: "C", 0: "C"}, ["1", "1"], pile="teleswap").refuses("top discard")
    at(hands=["1", "1"]).refuses("top discard")


def test_4_7_round_the_table() -> None:
    table = at(players=3)
    table.act("renew", "renew")
    assert table.turn == "seat 2, turn"
    table.act("renew")
    assert table.turn == "seat 0, turn"


# ---------------------------------------------------------------- magic cards


def test_5_1_only_with_an_effect() -> None:
    at(hands=["bridge 1"]).act("card bridge")
    stuck = at({0: "G0", 1: "G1"}, ["bridge 1"], bridges=["G0", "G1"])
    stuck.refuses("card bridge")


def test_5_2_lay_take_off_move() -> None:
    table = at(hands=["rainbow rainbow rainbow", "1"])
    table.act("card rainbow")
    assert table.legal == {"beside the board"}
    table.act("beside the board")
    assert table.legal == {f"site R{k}-C" for k in range(4)}  # not off the board again
    table.act("site R1-C", "card rainbow")
    assert table.legal == {"beside the board", "site R1-C"}
    table.act("site R1-C")
    assert table.legal == {"beside the board", "site R0-C", "site R2-C", "site R3-C"}
    table.act("site R3-C")
    assert table.rainbows == {3}
    table.act("card rainbow", "site R3-C", "beside the board")
    assert (table.rainbows, table.game["rainbows"]) == (set(), 4)


def test_5_2_all_laid_and_no_site_free() -> None:
    table = at(hands=["rainbow", "1"], rainbows=[0, 1, 2, 3])
    table.act("card rainbow")
    assert table.legal == {f"site R{k}-C" for k in range(4)}
    table.act("site R1-C")
    assert table.legal == {"beside the board"}


def test_5_2_sites_to_strongholds_after_a_look() -> None:
    table = at(hands=["rainbow", "1"], looks={1: [2]})
    table.act("card rainbow", "beside the board")
    assert len(table.legal) == 8


def test_5_3_bridges() -> None:
    table = at(hands=["bridge bridge bridge", "1"])
    table.act("card bridge", "beside the board")
    assert table.spaces == {f"{x}{k}" for x in "GX" for k in range(4)}
    table.act("space X2", "card bridge", "space X2")
    assert "beside the board" in table.legal
    table.refuses("space X2")
    table.act("space G0", "card bridge", "space G0", "beside the board")
    assert (table.bridges, table.game["bridges"]) == (set(), 2)


def test_5_3_a_bridge_under_a_knight_stays() -> None:
    table = at({1: "G0"}, ["bridge", "1"], bridges=["G0", "X1"])
    table.act("card bridge")
    assert table.legal == {"space X1"}


def test_5_4_dragons() -> None:
    table = at({1: "J01"}, ["dragon", "1"], dragons=["F0", "F1", "J02", "B3"])
    table.act("card dragon")
    assert table.spaces == {"F0", "F1", "J02", "B3"}
    table.act("space J02")
    assert {"F2", "F3", "J03"} <= table.spaces
    assert not table.spaces & {"F0", "J02", "J01", "B3", "C", "A1", "R0", "T0", "G0", "X0"}
    table.act("space F2")
    assert table.dragons == ["F0", "F1", "F2", "B3"]


def test_5_5_teleswap() -> None:
    table = at({0: "B0", 1: "J12"}, ["teleswap", "1"])
    table.act("card teleswap", "rival +1")
    assert (table.knight(0), table.knight(1)) == ("J12", "B0")


def test_5_5_places_must_differ() -> None:
    at({0: "C", 1: "C"}, ["teleswap"], armour=[0, 1]).refuses("card teleswap")


def test_5_5_nobody_without_armour_comes_into_a_stronghold() -> None:
    free = ["F1", "F2", "F3"]
    at({0: "F0", 1: "B1"}, ["teleswap"], armour=[0], dragons=free).refuses("card teleswap")
    table = at(
        {0: "B1", 1: "F0"},
        ["teleswap 1", "1"],
        armour=[0, 1],
        dragons=free,
        princesses=[0, 1, 2, 3],
    )
    table.act("card teleswap", "rival +1")
    assert table.knight(0) == "F0"
    assert table.turn == "seat 0, after a magic card"  # no look: the own princess is here
    assert (table.game["doubles"].sum(), table.game["opened"]) == (0, 0)


def test_5_5_armour_for_both() -> None:
    table = at({0: "C"}, ["teleswap 1", "1"], armour=[0])
    table.act("card teleswap", "rival +1")
    assert table.game["armour"][:2].tolist() == [1, 1]


def test_5_6_cloud() -> None:
    table = at({1: "C"}, ["cloud", "1"], armour=[1])
    table.act("card cloud", "rival +1")
    assert table.spaces == {"A1", "A2", "A3"}
    table.act("space A3")
    assert table.knight(1) == "A3"
    assert table.game["armour"][1] == 1
