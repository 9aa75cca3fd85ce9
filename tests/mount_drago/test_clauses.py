"""Clauses 3 to 6.6: a turn, the card and the move, the change of dragons, and scoring."""

from __future__ import annotations

import pytest

from drago_env.mount_drago.rules import COLOURS as TEN
from tests.conftest import TRACK, at

EDITIONS = pytest.mark.parametrize("edition", ["german", "italian"])


# ---------------------------------------------------------------- a turn


@EDITIONS
def test_3_a_turn_plays_scores_discards_and_only_then_passes_on(edition: str) -> None:
    table = at({"blue": 12}, ["blue 1, red 1"], edition=edition)
    table.refuses("discard blue 1", "10.3")
    table.refuses("done discarding", "10.3")
    table.act("play red 1")
    assert table.turn == "seat 0, discard"
    table.refuses("play blue 1", "3")
    table.refuses("play blue 1 and keep", "3")
    table.act("done discarding")
    assert table.turn == "seat 1, play"


# ---------------------------------------------------------------- the card


def test_4_1_any_card_of_the_hand_may_be_played() -> None:
    # red is the own dragon, green that of another, blue nobody's
    table = at({"blue": 1}, ["blue 2, blue 2, red 3, green 5", "purple 1"])
    assert table.legal == {"play blue 2", "play red 3", "play green 5"}


def test_4_1_exactly_one_card_is_played_and_nobody_passes() -> None:
    table = at(hands=["blue 2, blue 2, red 3", "purple 1"])
    table.refuses("done discarding", "10.3")
    table.act("play blue 2")  # scores: nothing is drawn
    assert table.hand(0) == ["blue 2", "red 3"]
    assert table.turn == "seat 1, play"


def test_4_1_only_cards_of_the_own_hand() -> None:
    table = at(hands=["blue 2", "purple 1"])
    table.refuses("play purple 1", "4.1")
    table.refuses("play purple 1 and keep", "4.1")
    table.refuses("play blue 3", "4.1")


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5])
def test_4_2_the_dragon_moves_by_the_value(value: int) -> None:
    table = at({"blue": 6, "black": 6 + value}, [f"blue {value}"])
    table.act(f"play blue {value}")
    assert table.space("blue") == 6 + value == table.space("black")  # a space is shared
    assert table.space("red") == table.space("orange") == 0


@pytest.mark.parametrize(("before", "value"), [(14, 1), (14, 5), (13, 3), (11, 5), (11, 4)])
def test_4_3_the_last_space_stops_a_dragon(before: int, value: int) -> None:
    table = at({"blue": before}, [f"blue {value}"])
    table.act(f"play blue {value}")
    assert table.space("blue") == 15


def test_4_3_a_dragon_stopped_by_the_last_space_scores_there() -> None:
    assert at({"blue": 11}, ["blue 5"]).act("play blue 5") == [7, 0]


def test_4_4_a_dragon_on_the_last_space_moves_by_nothing() -> None:
    table = at({"blue": 15}, ["blue 5"])
    assert table.legal == {"play blue 5"}
    assert table.act("play blue 5") == [0, 0]  # standing still triggers nothing
    assert table.space("blue") == 15
    assert table.rides(0) == "blue 5"  # clause 5 goes on as ever


# ---------------------------------------------------------------- the dragon


def test_5_1_a_ridden_dragon_is_moved_but_not_taken() -> None:
    table = at(hands=["green 3"])
    table.act("play green 3")
    assert table.space("green") == 3
    assert (table.rides(0), table.rides(1)) == ("red 1", "green 1")
    assert table.covered == ["green 3"]


def test_5_1_a_ridden_dragon_in_last_place_gives_no_choice() -> None:
    table = at(hands=["green 3"])
    assert table.legal == {"play green 3"}
    table.refuses("play green 3 and keep", "5.3")


def test_5_1_holds_for_every_other_rider() -> None:
    rides = ("red 1", "green 1", "yellow 1", "brown 1", "gray 1")
    for colour in ("green", "yellow", "brown", "gray"):
        table = at(hands=[f"{colour} 3"], rides=rides)
        assert table.legal == {f"play {colour} 3"}
        table.act(f"play {colour} 3")
        assert tuple(table.rides(seat) for seat in range(5)) == rides


def test_5_2_a_free_dragon_is_taken() -> None:
    table = at({"blue": 1}, ["blue 2"])
    assert table.legal == {"play blue 2"}
    table.refuses("play blue 2 and keep", "5.3")
    table.act("play blue 2")
    assert table.rides(0) == "blue 2"
    assert table.covered == ["red 1"]


def test_5_2_a_dragon_that_was_left_is_free() -> None:
    table = at({"red": 1, "blue": 1}, ["blue 2", "red 2"])
    table.act("play blue 2", "play red 2")
    assert (table.rides(0), table.rides(1)) == ("blue 2", "red 2")


def test_5_3_last_dragon_may_be_taken() -> None:
    table = at(dict.fromkeys(TEN, 5) | {"blue": 4}, ["blue 1"])
    assert table.legal == {"play blue 1", "play blue 1 and keep"}
    table.act("play blue 1")
    assert table.rides(0) == "blue 1"
    assert table.covered == ["red 1"]


def test_5_3_last_dragon_may_be_left() -> None:
    table = at(dict.fromkeys(TEN, 5) | {"blue": 4}, ["blue 1"])
    table.act("play blue 1 and keep")
    assert table.space("blue") == 5
    assert table.rides(0) == "red 1"
    assert table.covered == ["blue 1"]


def test_5_3_counts_before_the_move() -> None:
    # after its move blue is first, and black, second to last before, is last
    table = at(dict.fromkeys(TEN, 5) | {"blue": 3, "black": 4}, ["black 1, blue 5"])
    assert table.legal == {"play black 1", "play blue 5", "play blue 5 and keep"}


def test_5_3_ties_for_last_place_count() -> None:
    table = at(dict.fromkeys(TEN, 5) | {"blue": 4, "black": 4}, ["blue 1, black 1, gray 1"])
    keeps = {"play blue 1 and keep", "play black 1 and keep"}
    assert table.legal == {"play blue 1", "play black 1", "play gray 1"} | keeps


@pytest.mark.parametrize("ridden", ["red", "green"])
def test_5_3_a_tie_with_a_ridden_dragon_counts(ridden: str) -> None:
    table = at(dict.fromkeys(TEN, 5) | {"blue": 4, ridden: 4}, ["blue 1"])
    assert "play blue 1 and keep" in table.legal


@pytest.mark.parametrize("behind", TEN)
def test_5_3_last_is_last_among_all_ten_ridden_or_not(behind: str) -> None:
    free = "black" if behind == "blue" else "blue"
    table = at(dict.fromkeys(TEN, 5) | {free: 4, behind: 3}, [f"{free} 1"])
    assert table.legal == {f"play {free} 1"}
    table.refuses(f"play {free} 1 and keep", "5.3")


def test_5_3_start_space_counts() -> None:
    table = at({"purple": 1}, ["blue 1, purple 1, orange 5"])
    keeps = {"play blue 1 and keep", "play orange 5 and keep"}
    assert table.legal == {"play blue 1", "play purple 1", "play orange 5"} | keeps


def test_5_4_own_colour_goes_on_top() -> None:
    table = at({"red": 5}, ["red 3"])
    table.act("play red 3")
    assert table.rides(0) == "red 3"
    assert table.covered == ["red 1"]


@EDITIONS
def test_5_4_own_dragon_in_last_place_gives_no_choice(edition: str) -> None:
    table = at(dict.fromkeys(TEN, 5) | {"red": 4}, ["red 3"], edition=edition)
    assert table.legal == {"play red 3"}
    table.refuses("play red 3 and keep", "5.3")


# ---------------------------------------------------------------- scoring


@pytest.mark.parametrize(("before", "value"), [(1, 2), (3, 2), (1, 5), (6, 3), (8, 3)])
def test_6_1_passing_over_triggers_nothing(before: int, value: int) -> None:
    table = at({"blue": before, "red": 3, "green": 3}, [f"blue {value}"])
    assert table.act(f"play blue {value}") == [0, 0]


def test_6_1_a_dragon_that_stays_on_a_scoring_space_triggers_nothing() -> None:
    table = at({"red": 4, "green": 2, "black": 7, "blue": 0}, ["blue 1"])
    assert table.act("play blue 1") == [0, 0]


@pytest.mark.parametrize(
    ("space", "points"),
    [(3, 3), (2, 2), (0, 0), (10, 0), (6, -1), (9, -2), (4, 0), (5, 0), (8, 0), (15, 0)],
)
def test_6_2_blue_pays_values_of_at_most_3(space: int, points: int) -> None:
    # blue, ridden by nobody, lands on the blue space of value 2 and is taken by seat 0
    table = at({"blue": 1, "green": space}, ["blue 1"])
    assert table.act("play blue 1") == [2, points]
    assert table.scores == [2, points]


def test_6_2_a_blue_space_above_3_pays_nothing_itself() -> None:
    board = "0 start, 4 blue, 3 plain, 1 summit"
    assert at({"green": 2}, ["red 1"], board=board).act("play red 1") == [0, 3]


@pytest.mark.parametrize("space", range(16))
def test_6_3_green_pays_every_value(space: int) -> None:
    table = at({"blue": 3, "green": space}, ["blue 1"])
    value = int(TRACK.split(", ")[space].split()[0])
    assert table.act("play blue 1") == [4, value]


@pytest.mark.parametrize(("before", "value", "own"), [(11, 1, 4), (11, 3, 6), (10, 2, 4)])
def test_6_4_reaching_the_summit_pays_every_value(before: int, value: int, own: int) -> None:
    table = at({"blue": before, "green": 5}, [f"blue {value}"])
    assert table.act(f"play blue {value}") == [own, 6]


@pytest.mark.parametrize(("before", "value"), [(12, 1), (12, 3), (13, 5), (14, 1), (15, 1)])
def test_6_4_moves_inside_the_summit_pay_nothing(before: int, value: int) -> None:
    table = at({"blue": before, "green": 5}, [f"blue {value}"])
    assert table.act(f"play blue {value}") == [0, 0]


def test_6_4_each_dragon_that_reaches_the_summit_pays() -> None:
    table = at({"black": 12, "blue": 11, "green": 5}, ["blue 1"])
    assert table.act("play blue 1") == [4, 6]


def test_6_5_scores_on_the_dragon_taken() -> None:
    table = at({"red": 5, "blue": 3}, ["blue 1"])
    assert table.act("play blue 1") == [4, 0]  # not the 6 of red


def test_6_5_scores_on_the_dragon_kept() -> None:
    spaces = {"red": 3, "green": 1, "black": 5}
    table = at(dict.fromkeys(TEN, 8) | spaces | {"blue": 0}, ["blue 2"])
    assert table.act("play blue 2 and keep") == [3, 1]  # not the 2 of blue


def test_6_5_a_dragon_ridden_by_another_scores_for_him() -> None:
    assert at({"red": 5, "green": 3}, ["green 1"]).act("play green 1") == [6, 4]


def test_6_5_dragons_without_a_rider_score_for_nobody() -> None:
    spaces = dict.fromkeys(TEN, 5) | {"red": 1, "green": 3}
    table = at(spaces, ["red 3"], scores=[10, 20])
    assert table.act("play red 3") == [4, 3]
    assert table.scores == [14, 23]


def test_6_6_scores_fall_below_zero() -> None:
    table = at({"blue": 1, "green": 9}, ["blue 1"], scores=[-5, 1])
    table.act("play blue 1")
    assert table.scores == [-3, -1]
