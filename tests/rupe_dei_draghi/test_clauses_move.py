"""Clauses 6 to 11: moving, castle, duels, stars, strongholds, and the end."""

from __future__ import annotations

import numpy as np
import pytest

from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import Rules
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.table import Table, at


def moved(card: str, goal: str, *args: object, **position: object) -> Table:
    """A position after seat 0 has moved by a card to a goal."""
    table = at(*args, **position)  # type: ignore[arg-type]
    table.act(f"card {card}", f"space {goal}")
    return table


def test_6_1_all_steps_of_the_card() -> None:
    table = at(hands=["2"])
    table.act("card 2")
    assert table.spaces == {"B0", "B3"}  # X0 is closed
    table.refuses("done")  # who can move must


def test_6_1_no_space_twice() -> None:
    table = at({0: "Q01"}, ["3"])
    table.act("card 3")
    assert table.spaces == {"B0", "B3"}  # not forth and back


def test_6_1_round_a_ring_the_first_space_counts_too() -> None:
    data = Graph.tiny().as_dict()
    rules = Rules(2, Graph.from_dict(data), dragons=1, rainbows=1, bridges=0)
    table = at(hands=["4"], rules=rules, dragons=["F0"])
    table.act("card 4")
    assert table.legal == {"done"}  # A0 R A1 p would close the ring
    table = at(hands=["3"], rules=rules, dragons=["F0"])
    table.act("card 3")
    assert table.spaces == {"p", "R"}


def test_6_2_over_a_rainbow_from_end_to_end() -> None:
    table = at({0: "C"}, ["1"], rainbows=[2])
    table.act("card 1")
    assert table.spaces == {"R2"}


def test_6_3_dragons_and_missing_bridges_close() -> None:
    table = at({0: "Q01"}, ["1 2"], dragons=["B0"])
    table.act("card 1")
    assert table.spaces == {"A0"}
    table = at({0: "Q01"}, ["2"], bridges=["X0"])
    table.act("card 2")
    assert table.spaces == {"i00", "i31", "Q02"}


def test_6_4_castle_and_strongholds_by_exact_count() -> None:
    table = at({0: "R0"}, ["2"], rainbows=[0, 1])
    table.act("card 2")
    assert table.spaces == {"J01", "J03"}  # not through the castle to R1
    table = at({0: "G0"}, ["2"], bridges=["G0"], armour=[0], dragons=[])
    table.act("card 2")
    assert table.spaces == {"J03", "O02", "O03"}


def test_6_5_knights_are_passed_but_rocks_hold_one() -> None:
    table = at({0: "J01", 1: "J02"}, ["2"])
    table.act("card 2")
    assert {"J03", "R0"} <= table.spaces
    table = at({0: "J01", 1: "R0"}, ["2"])
    table.act("card 2")
    assert "R0" not in table.spaces


def test_6_6_without_destination_the_knight_stays() -> None:
    table = at({0: "R0"}, ["1", "2"], dragons=["J02"])
    table.act("card 1")
    assert table.legal == {"done"}
    table.act("done")
    assert (table.knight(0), table.pile, table.turn) == ("R0", "1", "seat 1, turn")


def test_6_7_last_of_all_and_only_what_was_crossed() -> None:
    table = moved("3", "J01", {0: "C", 1: "J01"}, ["3", "1 2"], rainbows=[0, 1])
    table.act("space A3", "done")
    assert table.legal == {"site R0-C", "done"}


def test_6_7_may_stay_and_never_goes_off_the_board() -> None:
    table = moved("2", "J02", {0: "C"}, ["2", "1"], rainbows=[0, 1])
    assert table.legal == {"site R0-C", "done"}  # R1 was not crossed
    table.act("site R0-C")
    assert table.legal == {"site R2-C", "site R3-C"}
    table = moved("2", "J02", {0: "C"}, ["2", "1"], rainbows=[0, 1])
    table.act("done")
    assert table.rainbows == {0, 1}


def test_6_7_no_free_site_no_question() -> None:
    table = moved("2", "J02", {0: "C"}, ["2", "1"], rainbows=[0, 1, 2, 3])
    assert table.turn == "seat 1, turn"


def test_6_7_only_lengths_of_before_the_look_count() -> None:
    # 1 step over R0-F0 is crossed; the doubling that the look brings opens no longer path
    table = moved(
        "1", "F0", {0: "R0"}, ["1", "1"], rainbows=[4], armour=[0], looks={1: [1]}, dragons=[],
        princesses=[1, 2, 3, 0],
    )  # fmt: skip
    assert table.legal == {"site R0-F0", "done"}


def test_6_7_any_path_of_the_exact_length_counts() -> None:
    table = at(
        {0: "J03"}, ["3", "1"], rainbows=[4], bridges=["G0"], armour=[0], looks={0: [1], 1: [1]},
        dragons=[], princesses=[1, 2, 3, 0],
    )  # fmt: skip
    table.act("card 3", "space F0")  # M0 G0 F0 by road, and J02 R0 F0 by the rainbow
    assert table.legal == {"site R0-F0", "done"}


def test_7_1_the_castle_by_rainbow_for_any_number() -> None:
    table = moved("1", "C", {0: "R0", 1: "C"}, ["1", "1"], rainbows=[0], armour=[1])
    assert (table.knight(0), table.knight(1)) == ("C", "C")
    assert table.turn == "seat 0, crossed rainbow"  # no duel


def test_7_2_armour_for_good() -> None:
    table = moved("1", "C", {0: "R0"}, ["1 2", "1"], rainbows=[0])
    table.act("done", "renew", "card 2", "space J02")
    assert table.game["armour"][0] == 1


@pytest.mark.parametrize(
    ("here", "card", "goal"),
    [("i00", "1", "B0"), ("Q02", "1", "T0"), ("Q01", "1", "X0"), ("i00", "1", "A0")],
)
def test_8_1_duels_on_roads_stars_bridges_and_starts(here: str, card: str, goal: str) -> None:
    table = moved(card, goal, {0: here, 1: goal}, ["1", "2"], bridges=["X0"])
    assert table.turn == "seat 0, duel"


def test_8_2_the_loser_keeps_armour_and_doubling() -> None:
    table = moved("1", "B0", {0: "i00", 1: "B0"}, ["1", "2"], armour=[1], looks={1: [3]})
    table.act("space A3", "done")
    assert (table.game["armour"][1], table.game["doubles"][1]) == (1, 1)


def test_8_3_a_free_start() -> None:
    knights = {0: "i00", 1: "B0", 2: "A2", 3: "A1"}
    table = moved("1", "B0", knights, ["1", "2", "1", "1"], players=4)
    assert table.legal == {"space A0", "space A3"}


def test_8_4_up_to_two_cards() -> None:
    table = moved("1", "B0", {0: "i00", 1: "B0"}, ["1", "2 2 2"])
    table.act("space A3")
    assert table.legal == {"rival +1", "done"}
    table.act("rival +1", "done")
    assert (table.hand(0), table.hand(1)) == ("2", "2 2")
    table = moved("1", "B0", {0: "i00", 1: "B0"}, ["1", ""])
    table.act("space A3")
    assert table.turn == "seat 1, turn"


def test_8_4_then_the_crossed_rainbow() -> None:
    table = moved("2", "J02", {0: "C", 1: "J02"}, ["2", "1 1 1"], rainbows=[0])
    table.act("space A3", "rival +1", "rival +1")
    assert table.legal == {"site R0-C", "done"}


def test_9_1_from_the_beginning_on_the_way_and_at_the_end() -> None:
    table = at({0: "T0"}, ["1"])
    table.act("card 1")
    assert table.spaces == {
        *("O00", "O35", "Q02", "O05", "O10", "Q12"),
        *("O15", "O20", "Q22", "O25", "O30", "Q32"),
    }
    table = at({0: "O00", 1: "T2"}, ["1"])
    table.act("card 1", "space T2")  # ends on a rival's star
    assert table.turn == "seat 0, duel"


def test_9_1_no_star_twice() -> None:
    table = at({0: "T0"}, ["1"], rules=Rules(2), seed=1)
    table.game["doubles"][0] = 1
    table.game["hand"][0, 7] += 1
    table.act("card 3")
    assert "T0" not in table.spaces


@pytest.mark.parametrize("barred", ["no armour", "dragon", "knight", "too far"])
def test_10_1_to_enter(barred: str) -> None:
    table = at(
        {0: "G0", 1: "F0" if barred == "knight" else "A2"}, ["1 2", "1"], bridges=["G0"],
        armour=[1] if barred == "no armour" else [0, 1],
        dragons=["F0"] if barred == "dragon" else [],
    )  # fmt: skip
    table.act("card 2" if barred == "too far" else "card 1")
    assert "F0" not in table.spaces


def entered(princesses: list[int], **more: object) -> Table:
    position: dict[str, object] = {"armour": [0], "dragons": [], "bridges": ["G0"]}
    return moved("1", "F0", {0: "G0"}, ["1 2", "1"], princesses=princesses, **position | more)


def test_10_2_whoever_enters_looks() -> None:
    assert entered([1, 0, 2, 3]).game["looks"][0] == 1


def test_10_3_the_own_princess_wins() -> None:
    table = entered([0, 1, 2, 3])
    assert (table.game["end"], table.game["seat"]) == (1, 0)
    assert table.legal == set()


def test_10_4_another_one_doubles() -> None:
    table = entered([1, 0, 2, 3])
    table.act("renew", "card 2")
    assert table.spaces == {"M0", "J02", "O01", "O04"}


def test_10_5_opens_the_sites_for_everybody() -> None:
    table = entered([1, 0, 2, 3])
    assert table.game["opened"] == 1
    table.game["hand"][1, 0] += 1
    table.game["hand_size"][1] += 1
    table.act("card rainbow", "beside the board")
    assert "site R3-F3" in table.legal


def test_10_6_leaving_takes_a_bridge_or_rainbow() -> None:
    table = at({0: "F0"}, ["1"], armour=[0], dragons=[])
    table.act("card 1")
    assert table.legal == {"done"}
    table = at({0: "F0"}, ["1"], armour=[0], dragons=[], rainbows=[4], looks={0: [0]})
    table.act("card 1")
    assert table.spaces == {"R0", "J02"}


def test_11_1_the_winner_alone_and_at_once() -> None:
    table = entered([0, 1, 2, 3], players=3)
    assert table.rewards == [1.0, -0.5, -0.5]
    assert table.batch.shares()[0].tolist() == [1, 0, 0, 0]


def test_11_2_turns_of_all_together() -> None:
    table = at(turn_cap=5, players=3)
    for _ in range(4):
        table.act("renew")
    assert table.game["end"] == 0
    table.act("renew")
    assert (table.game["end"], table.game["seat"]) == (2, 1)
    assert table.rewards == [0, 0, 0]
    assert table.batch.shares()[0, :3].tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(("players", "loss"), [(2, -1), (3, -1 / 2), (4, -1 / 3)])
def test_11_3_rewards(players: int, loss: float) -> None:
    table = entered([0, 1, 2, 3], players=players)
    assert table.rewards == pytest.approx([1.0, *[loss] * (players - 1)])


# ---------------------------------------------------------------- the reward of progress


def test_progress_pays_a_sixteenth_for_each_step_fewer() -> None:
    table = at(players=2, hands=["2", "1"])
    table.act("card 2", "space B0")
    assert table.progress == [2 / 16, 0]


def test_progress_pays_the_same_over_every_won_game() -> None:
    batch = Batch([Rules.tiny(30)], 400)
    rng = np.random.default_rng(0)
    first = batch.state["steps"].astype(int)
    paid = np.zeros((400, 4))
    while (batch.state["end"] == 0).any():
        chosen = [rng.choice(legal) if legal else -1 for legal in batch.legal()]
        rewards = batch.step(chosen)
        paid += rewards[:, 1] - rewards[:, 0]
    won = batch.state["end"] == 1
    assert 40 < won.sum() < 400
    assert (paid[won] == first[won] / 16).all()
    assert (paid[~won] == (first - batch.state["steps"])[~won] / 16).all()


def test_progress_is_zero_at_a_true_end_and_stays_where_a_game_is_cut_off() -> None:
    table = entered([0, 1, 2, 3])
    assert table.game["steps"].tolist() == [0] * 4
    table = at(turn_cap=1)
    before = table.game["steps"].tolist()
    table.act("renew")
    assert table.game["steps"].tolist() == before
    assert table.progress == [0, 0]


def test_steps_at_the_start() -> None:
    assert Batch([Rules(4)], 1).state["steps"].tolist() == [[8] * 4]  # 6 to the castle, 2 on
