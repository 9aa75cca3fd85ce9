"""Clauses 6.7 to 6.9, the end of the game, and what the three rewards pay for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from drago_env import Rules
from drago_env.mount_drago.storage import StateError
from tests.conftest import RIDES, Table, at, random_game

EDITIONS = pytest.mark.parametrize("edition", ["german", "italian"])
RULES = pytest.mark.parametrize(
    "rules", [Rules(2), Rules(5, "italian"), Rules.tiny(), Rules.tiny(3)], ids=str
)


def ended(scores: Sequence[int], reward: str = "win") -> Table:
    """A game that has just ended with these scores: its last move paid nothing."""
    spaces = {"blue": 2, "orange": 2, "black": 1}
    table = at(
        spaces,
        ["black 1"],
        RIDES[: len(scores)],
        board="0 start, 0 plain, 0 summit",
        scores=scores,
        reward=reward,
    )
    assert table.winners == []  # nobody before the end
    assert table.act("play black 1") == [0] * len(scores)
    assert table.scores == list(scores)
    return table


# ---------------------------------------------------------------- the end


@EDITIONS
def test_6_7_third_dragon_scores_and_ends_the_game(edition: str) -> None:
    spaces = {"blue": 12, "brown": 15, "black": 11, "green": 5}
    hand = "blue 1, blue 2, black 1"
    table = at(spaces, [hand], RIDES[:3], edition=edition, scores=[1, 2, 3])
    deck = table.deck
    assert table.act("play black 1") == [4, 6, 0]
    assert table.scores == [5, 8, 3]
    assert table.game.over(table.state).all()
    assert table.turn == "seat 0, over"  # the round is not finished
    assert table.hand(0) == ["blue 1", "blue 2"]  # no discarding, no drawing
    assert table.deck == deck
    assert table.drawn == []


@EDITIONS
def test_6_7_no_draw_even_with_an_empty_hand(edition: str) -> None:
    table = at({"blue": 12, "brown": 15, "black": 11}, ["black 1"], edition=edition)
    table.act("play black 1")
    assert table.turn == "seat 0, over"
    assert table.hand(0) == table.drawn == []


def test_6_7_nothing_is_legal_after_the_end() -> None:
    table = at({"blue": 12, "brown": 15, "black": 11}, ["blue 1, black 1"])
    table.act("play black 1")
    assert table.legal == set()
    for move in ("play blue 1", "play blue 1 and keep", "discard blue 1", "done discarding"):
        table.refuses(move, "6.7")


def test_6_7_a_dragon_of_another_rider_ends_it_too() -> None:
    table = at({"blue": 12, "brown": 15, "green": 11}, ["green 5"])
    assert table.act("play green 5") == [0, 7]
    assert table.turn == "seat 0, over"


@EDITIONS
def test_6_7_the_second_dragon_ends_nothing(edition: str) -> None:
    table = at({"blue": 12, "black": 11}, ["black 1, red 1"], edition=edition)
    table.act("play black 1")
    assert table.turn == "seat 1, play"
    assert not table.game.over(table.state).any()


def test_6_7_moves_inside_the_summit_are_no_third_dragon() -> None:
    table = at({"blue": 12, "brown": 13}, ["blue 1"])
    table.act("play blue 1")
    assert table.turn == "seat 1, play"


def test_6_7_no_position_has_three_dragons_on_the_summit_and_goes_on() -> None:
    three = {"blue": 12, "brown": 13, "black": 15}
    with pytest.raises(StateError, match=r"clause 6\.7"):
        at(three)
    with pytest.raises(StateError, match=r"clause 6\.7"):
        at(three | {"gray": 12}, turn="seat 0, over")
    assert at(three, turn="seat 0, over").legal == set()


@pytest.mark.parametrize(
    ("scores", "winners"),
    [
        ([3, 5], [1]),
        ([5, 5], [0, 1]),
        ([7, 2, 7], [0, 2]),
        ([-4, -1, -2], [1]),
        ([-3, 0], [1]),  # seats that nobody has, whose score is 0, do not win
        ([1, 2, 3, 3, 3], [2, 3, 4]),
        ([0, 0, 0, 0, 0], [0, 1, 2, 3, 4]),
    ],
)
def test_6_8_most_points_win_and_ties_share(scores: list[int], winners: list[int]) -> None:
    assert ended(scores).winners == winners


@RULES
def test_6_9_every_game_ends_by_itself(rules: Rules) -> None:
    for seed in range(3):
        for table in random_game(rules, seed):
            assert not table.game.truncated(table.state).any()
        assert table.turn.endswith("over")
        assert table.state["summit"][0] == rules.summit_dragons
    assert not table.game.spec.can_truncate


# ---------------------------------------------------------------- rewards


@pytest.mark.parametrize(
    ("scores", "rewards"),
    [
        ([3, 5], [-1, 1]),
        ([5, 5], [0, 0]),
        ([-1, -2], [1, -1]),
        ([9, 1, 5], [1, -1 / 2, -1 / 2]),
        ([9, 1, 9], [1 / 4, -1 / 2, 1 / 4]),
        ([4, 4, 4], [0, 0, 0]),
        ([9, 2, 1, 0], [1, -1 / 3, -1 / 3, -1 / 3]),
        ([9, 9, 1, 0], [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        ([0, 9, 9, 9], [-1 / 3, 1 / 9, 1 / 9, 1 / 9]),
        ([8, 8, 8, 8, 7], [1 / 16, 1 / 16, 1 / 16, 1 / 16, -1 / 4]),
        ([0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
    ],
)
def test_reward_win_is_shared_by_the_winners(scores: list[int], rewards: list[float]) -> None:
    assert ended(scores).rewards == pytest.approx(rewards)


@pytest.mark.parametrize(
    ("scores", "rewards"),
    [
        ([3, 5], [-1, 1]),
        ([5, 5], [0, 0]),
        ([9, 1, 5], [1, -1, 0]),
        ([9, 1, 9], [1 / 2, -1, 1 / 2]),
        ([1, 9, 1], [-1 / 2, 1, -1 / 2]),
        ([1, 2, 3, 4], [-1, -1 / 3, 1 / 3, 1]),
        ([4, 2, 2, 1], [1, 0, 0, -1]),
        ([5, 1, 3, 3, 3], [1, -1, 0, 0, 0]),
        ([7, 7, 7, 7, 7], [0, 0, 0, 0, 0]),
    ],
)
def test_reward_rank_is_the_mean_of_the_places_tied_for(
    scores: list[int], rewards: list[float]
) -> None:
    assert ended(scores, "rank").rewards == pytest.approx(rewards)


@pytest.mark.parametrize("reward", ["win", "rank"])
def test_reward_win_and_rank_pay_only_at_the_end(reward: str) -> None:
    table = at({"blue": 3}, ["blue 1"], scores=[5, 1], reward=reward)
    assert table.act("play blue 1") == [4, 0]
    assert table.rewards == [0, 0]


def test_reward_margin_pays_every_move() -> None:
    table = at({"green": 5, "yellow": 9, "blue": 3}, ["blue 1"], RIDES[:3], reward="margin")
    assert table.act("play blue 1") == [4, 6, -2]
    wanted = [(4 - (6 - 2) / 2) / 20, (6 - (4 - 2) / 2) / 20, (-2 - (4 + 6) / 2) / 20]
    assert table.rewards == pytest.approx(wanted)


def test_reward_margin_of_a_move_without_points_is_0() -> None:
    table = at(hands=["red 1"], scores=[9, 1], reward="margin")
    table.act("play red 1")
    assert table.rewards == [0, 0]


@RULES
def test_reward_margin_sums_to_the_final_margin(rules: Rules) -> None:
    paid = np.zeros(rules.players)
    for table in random_game(rules, 1, "margin"):
        paid += table.rewards or 0
    others = [(sum(table.scores) - own) / (rules.players - 1) for own in table.scores]
    assert paid == pytest.approx((np.array(table.scores) - others) / 20, abs=1e-6)
