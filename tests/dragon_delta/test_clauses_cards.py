"""Clauses 6 to 8: the cards, falls and the end."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dragon_delta.table import at

# "jump" of a pawn at home is a fall without effect, which makes room for the other's card


# ---------------------------------------------------------------- stones


def test_6_1_a_stone_on_any_islet_without_one() -> None:
    table = at(stones=range(25))
    table.program("stone1", "jump")
    assert table.legal == {"islet 25", "islet 26"}
    table.act("islet 26")
    assert table.stones == {*range(25), 26}


def test_6_1_no_free_islet_or_no_stone_left() -> None:
    for table in (at(stones=range(27)), at(stones=range(4), stock=4)):
        table.program("stone1", "jump")
        assert table.game["round"] == 2


def test_6_2_two_stones_or_as_many_as_possible() -> None:
    table = at()
    table.program("stones2", "jump")
    table.act("islet 3")
    assert table.turn == "white, stone"
    assert "islet 3" not in table.legal
    table.act("islet 4")
    assert table.game["round"] == 2
    one = at(stones=range(26))
    one.program("stones2", "jump")
    one.act("islet 26")
    assert one.game["round"] == 2


# ---------------------------------------------------------------- planks


def test_6_3_any_plank_of_the_reserve_is_chosen_first() -> None:
    table = at(reserves={"white": "white 2, black 5"})
    table.program("plank1", "jump")
    assert table.legal == {"plank 2", "plank 5"}


def test_6_3_the_number_must_fit_and_both_ends_must_rest() -> None:
    table = at(stones=[13, 15])
    table.program("plank1", "jump")
    table.act("plank 4")
    assert table.legal == {"13-15", "13-27"}
    assert table.reserve("white") == {f"white {n}" for n in range(1, 7)}  # until it lies
    table.act("13-15")
    assert table.planks == {"13-15": "white 4"}
    assert table.reserve("white") == {f"white {n}" for n in (1, 2, 3, 5, 6)}


def test_6_3_no_plank_there_and_none_that_crosses() -> None:
    table = at({"0-5": "black 1"}, stones=[0, 1, 2, 5])
    table.program("plank1", "jump")
    table.act("plank 5")  # 1-2 crosses 0-5
    assert "1-2" not in table.legal
    free = at(stones=[0, 1, 2, 5])
    free.program("plank1", "jump")
    free.act("plank 5")
    assert "1-2" in free.legal
    twice = at({"13-15": "black 4"})
    twice.program("plank1", "jump")
    twice.act("plank 4")
    assert twice.legal == {"13-27"}


def test_6_3_a_stone_bears_three_planks() -> None:
    table = at({"8-11": "black 1", "8-12": "white 1", "8-15": "black 3"}, stones=[8, 16])
    table.program("plank1", "jump")
    table.act("plank 3")
    assert "8-16" not in table.legal
    two = at({"8-11": "black 1", "8-12": "white 1"}, stones=[8, 16])
    two.program("plank1", "jump")
    two.act("plank 3")
    assert "8-16" in two.legal


def test_6_3_a_lost_plank_is_lost_even_if_another_would_have_fitted() -> None:
    table = at(stones=[13])
    table.program("plank1", "jump")
    table.act("plank 1")
    assert table.lost() == {"white 1"}
    assert table.planks == {}
    assert table.game["round"] == 2


def test_6_3_an_empty_reserve_has_no_effect() -> None:
    table = at(reserves={"white": ""})
    table.program("plank1", "jump")
    assert table.game["round"] == 2


def test_6_3_long_planks() -> None:
    table = at(stones=[13, 15], long_planks=True)
    table.program("plank1", "jump")
    table.act("plank 6")
    assert table.legal == {"13-15", "13-27"}
    short = at(stones=[9, 13], long_planks=True)
    short.program("plank1", "jump")
    short.act("plank 1")  # 9-13 takes 2
    assert "9-13" not in short.legal


def test_6_4_two_planks_the_second_is_chosen_after_the_first() -> None:
    table = at(stones=[13])
    table.program("planks2", "jump")
    table.act("plank 1")  # lost
    assert table.turn == "white, plank"
    assert "plank 1" not in table.legal
    table.act("plank 2")
    assert table.legal == {"13-27"}
    table.act("13-27")
    assert table.game["round"] == 2


def test_6_4_with_one_plank_left() -> None:
    table = at(stones=[13], reserves={"white": "white 2"})
    table.program("planks2", "jump")
    table.act("plank 2", "13-27")
    assert table.game["round"] == 2


# ---------------------------------------------------------------- removing


def test_6_5_a_plank_without_a_pawn_into_the_own_reserve() -> None:
    table = at({"13-27": "black 2", "14-30": "black 3"}, {"black": "14-30"}, reserves={"white": ""})
    table.program("remove", "jump")
    assert table.legal == {"13-27"}
    table.act("13-27")
    assert table.reserve("white") == {"black 2"}
    assert table.planks == {"14-30": "black 3"}


def test_6_5_no_two_planks_of_one_number() -> None:
    table = at({"13-27": "black 2", "9-27": "black 1"}, reserves={"white": "white 2"})
    table.program("remove", "jump")
    assert table.legal == {"9-27"}


def test_6_5_at_most_two_colours() -> None:
    table = at(
        {"13-27": "blue 2", "9-27": "red 1"}, players=3, reserves={"white": "white 4, red 5"}
    )
    table.program("remove", "jump", "jump")
    assert table.legal == {"9-27"}


def test_6_5_or_a_stone_that_bears_no_plank() -> None:
    table = at("13-27", stones=[5, 13])
    table.program("remove", "jump")
    assert {"islet 5"} <= table.legal
    assert "islet 13" not in table.legal
    table.act("islet 5")
    assert table.stones == {13}


def test_6_5_nothing_to_remove() -> None:
    table = at()
    table.program("remove", "jump")
    assert table.game["round"] == 2


def test_6_5_a_plank_taken_up_opens_its_place_and_its_crossings() -> None:
    table = at({"0-5": "black 1"}, stones=[1, 2], reserves={"white": "white 5"}, slots=2)
    table.program("remove plank1", "jump move1")
    table.act("0-5", "plank 5")
    assert "1-2" in table.legal


# ---------------------------------------------------------------- moving


def test_6_6_to_a_free_plank_that_shares_a_stone() -> None:
    table = at("13-27 13-15 13-17 15-16", {"white": "13-15", "black": "13-17"})
    table.program("move1", "jump")
    assert table.legal == {"13-27", "15-16"}
    table.act("13-27")
    assert table.pawn("white") == "13-27"


def test_6_6_into_a_village_and_out_of_it() -> None:
    table = at("13-27 9-27", {"white": "13-27"})
    table.program("move1", "jump")
    assert table.legal == {"white's village"}  # planks that share only a beach are no neighbours
    table.act("white's village")
    table.program("jump", "move1")
    assert table.legal == {"13-27", "9-27"}


def test_6_6_villages_hold_any_number_of_pawns() -> None:
    table = at("4-29", {"white": "4-29"}, players=3)
    table.program("move1", "jump", "jump")
    table.act("red's village")
    assert table.pawn("white") == table.pawn("red") == "red's village"


def test_6_7_two_steps_and_not_back() -> None:
    table = at("13-27 13-15 15-16", {"white": "13-27"})
    table.program("move2", "jump")
    assert table.legal == {"13-15"}
    table.act("13-15")
    assert table.turn == "white, second"
    assert table.legal == {"15-16"}


def test_6_7_back_if_there_is_nothing_else() -> None:
    table = at("13-27 13-15", {"white": "13-27"})
    table.program("move2", "jump")
    table.act("13-15")
    assert table.legal == {"13-27"}


def test_6_7_the_second_step_may_enter_a_village() -> None:
    table = at("13-15 13-27", {"white": "13-15"})
    table.program("move2", "jump")
    table.act("13-27")
    assert table.legal == {"white's village"}


def test_6_7_no_first_step_onto_a_plank_is_a_fall() -> None:
    table = at("4-29", {"white": "4-29"}, players=3)
    table.program("move2", "jump", "jump")
    assert table.pawn("white") == "white's village"


def test_6_7_move2_village() -> None:
    table = at("4-29 2-29", {"white": "4-29"}, players=3, move2_village=True)
    table.program("move2", "jump", "jump")
    table.act("red's village")
    assert table.turn == "white, second"
    assert table.legal == {"2-29"}  # not back
    alone = at("4-29", {"white": "4-29"}, players=3, move2_village=True)
    alone.program("move2", "jump", "jump")
    alone.act("red's village")
    assert alone.legal == {"4-29"}


def test_6_8_over_one_pawn_to_the_far_end() -> None:
    table = at("13-27 13-15 15-16 15-19 13-17", {"white": "13-27", "black": "13-15"})
    table.program("jump", "move1")
    assert table.legal == {"15-16", "15-19"}


def test_6_8_from_a_village_and_into_one() -> None:
    table = at("13-27 13-15", {"black": "13-27"})
    table.program("jump", "stone1")
    assert table.legal == {"13-15"}
    into = at("0-28 0-5", {"white": "0-5", "red": "0-28"}, players=3)
    into.program("jump", "stone1", "stone1")
    assert into.legal == {"yellow's village"}


def test_6_8_never_over_pawns_in_villages_nor_onto_pawns() -> None:
    table = at("13-27 9-27", {"white": "13-27", "black": "white"})
    table.program("jump", "stone1")
    assert table.pawn("white") == "white's village"
    taken = at("13-27 13-15 15-16", {"white": "13-27", "red": "13-15", "blue": "15-16"}, players=3)
    taken.program("jump", "stone1", "stone1")
    assert taken.pawn("white") == "white's village"


def test_6_9_a_dragon_against_nobodys_action_does_nothing() -> None:
    table = at("13-27", {"white": "13-27"})
    table.program("@black", "@white")
    assert table.pawn("white") == "13-27"
    assert table.game["round"] == 2


# ---------------------------------------------------------------- falls


@pytest.mark.parametrize("card", ["jump", "move2", "move1"])
def test_7_1_a_pawn_that_cannot_go_stands_at_home(card: str) -> None:
    table = at("15-16", {"white": "15-16"})
    table.program(card, "remove")
    assert table.pawn("white") == "white's village"


def test_7_1_home_even_if_it_left_another_village() -> None:
    table = at("", {"white": "red"}, players=3)
    table.program("move1", "jump", "jump")
    assert table.pawn("white") == "white's village"


def test_7_2_being_cut_off_is_no_fall() -> None:
    table = at("13-27 13-15 15-16", {"black": "13-15"}, reserves={"white": ""})
    table.program("remove", "stone1")
    table.act("15-16", "islet 0")
    assert table.pawn("black") == "13-15"


# ---------------------------------------------------------------- the end


def test_8_1_the_goal_wins_at_once() -> None:
    table = at("18-30", {"white": "18-30"})
    table.program("move1", "stone1")
    table.act("black's village")
    assert table.over
    assert table.stones == {18}  # black's stone was not put any more
    assert (table.seat, int(table.game["end"])) == (0, 1)


def test_8_2_one_winner_and_no_points() -> None:
    table = at("18-30", {"white": "18-30"})
    table.program("move1", "stone1")
    table.act("black's village")
    assert table.engine.shares(table.state).tolist() == [1, 0, 0, 0, 0, 0]


def test_8_3_after_the_last_round_the_game_is_cut_off() -> None:
    table = at(round=20)
    table.program("move1", "stone1")
    table.act("islet 0")
    assert table.over
    assert int(table.game["end"]) == 2
    assert table.engine.shares(table.state).tolist() == [0.5, 0.5, 0, 0, 0, 0]


def test_8_4_reward_win() -> None:
    table = at("4-30", {"white": "4-30"}, players=3)
    table.program("move1", "stone1", "stone1")
    assert not table.rewards.any()
    table.act("black's village")
    assert table.rewards[0].tolist() == [1, -0.5, -0.5, 0, 0, 0]
    cut = at(round=20)
    cut.program("jump", "jump")
    assert cut.over
    assert not cut.rewards[0].any()


def test_8_5_reward_rank_by_distance_and_ties_share() -> None:
    table = at("4-30", {"white": "4-30"}, players=3)
    table.program("move1", "stone1", "stone1")
    table.act("black's village")
    assert np.allclose(table.rewards[1][:3], [1, -0.5, -0.5])
    cut = at("13-27", {"white": "13-27"}, players=3, round=20)
    cut.program("stone1", "jump", "jump")
    cut.act("islet 0")
    assert np.allclose(cut.rewards[1][:3], [1, -0.5, -0.5])


def test_8_5_a_winner_has_0_and_home_is_5_steps_away() -> None:
    table = at(players=6)
    for seat, village in enumerate(table.engine.tables["home"][0][6]):
        goal = table.engine.tables["goal"][0][6, seat]
        assert table.engine.tables["distance"][0][goal, 192 + village] == 5
        assert table.engine.tables["distance"][0][goal, 192 + goal] == 0


# ---------------------------------------------------------------- decisions as actions


@pytest.mark.parametrize(
    ("card", "asked"),
    [
        ("stone1", ["islet"]),
        ("plank1", ["plank", "link"]),
        ("remove", ["islet link"]),
        ("move1", ["link village"]),
        ("move2", ["link", "link village"]),
        ("jump", ["link"]),
    ],
)
def test_11_2_what_the_steps_of_a_card_ask_for(card: str, asked: list[str]) -> None:
    planks = {"13-27": "black 2", "13-15": "black 4", "15-16": "black 3", "13-17": "black 1"}
    table = at(planks, {"white": "13-27", "black": "13-15"}, stones=[5])
    table.program(card, "stone1")
    for kinds in asked:
        assert {kind(text) for text in table.legal} <= set(kinds.split())
        table.act(max(table.legal, key=lambda text: ("-" in text, text)))
    assert table.turn == "black, stone"


def kind(text: str) -> str:
    """What an action in words points at."""
    return "link" if "-" in text else "village" if "village" in text else text.split()[0]


def test_11_3_a_single_option_is_asked_and_none_is_skipped() -> None:
    table = at("13-27")
    table.program("move1", "jump")  # black's jump has no landing
    assert table.legal == {"13-27"}
    table.act("13-27")
    assert table.game["round"] == 2
    assert table.pawn("black") == "black's village"
