"""`play`: whole games between policies, without any environment."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pytest

from drago_env import MountDrago, Rules, play, record
from tests.adapters import VARIANTS, Cheat, First, Planner, Wrong, same
from tests.games import NAMES, short_makers

variants = pytest.mark.parametrize(("players", "edition"), VARIANTS)


@variants
def test_games_are_the_same_together_and_alone(players: int, edition: str) -> None:
    game = MountDrago(Rules(players, edition))
    policies: list[Any] = ["uniform", First(), "uniform", First(last=True), "uniform"][:players]
    seeds = [5, 3, 3, 2**63, 8]
    together = play(game, policies, seeds)
    assert together.scores.shape == together.winners.shape == (5, players)
    for row, seed in enumerate(seeds):
        alone = play(game, policies, seed)
        assert same(alone.scores[0], together.scores[row])
        assert same(alone.winners[0], together.winners[row])
        assert alone.records == [together.records[row]]


@variants
def test_the_records_are_those_of_the_games(players: int, edition: str) -> None:
    game = MountDrago(Rules(players, edition))
    names = [f"name {seat}" for seat in range(players)]
    played = play(game, [First(name) for name in names], range(4))
    assert record.verify_all(played.records) == [None] * 4
    for row, made in enumerate(played.records):
        assert (made["seed"], made["riders"]) == (row, names)
        assert made["scores"] == played.scores[row, :players].tolist()
        assert made["winners"] == np.flatnonzero(played.winners[row]).tolist()


def test_five_lines_are_enough() -> None:
    scores, winners, records = play(MountDrago(Rules(3)), ["uniform"] * 3, seeds=range(100))
    assert scores.shape == (100, 3)
    assert winners.any(1).all()
    assert len(records) == 100
    assert records[0]["riders"] == ["uniform"] * 3
    assert not np.array_equal(scores[0], scores[1])


def test_seeds_come_in_any_form_and_records_are_a_choice() -> None:
    game = MountDrago()
    wanted = play(game, ["uniform"] * 2, [0, 1, 2], records=False)
    assert wanted.records == []
    for seeds in (range(3), (0, 1, 2), np.arange(3), np.arange(3, dtype=np.uint64)):
        assert same(play(game, ["uniform"] * 2, seeds, records=False), wanted)
    empty = play(game, ["uniform"] * 2, [])
    assert (len(empty.scores), len(empty.winners), empty.records) == (0, 0, [])


def test_records_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    game, made, record_of = MountDrago(), [], MountDrago().record

    def noted(*arguments: Any, **words: Any) -> Any:
        made.append(words["seed"])
        return record_of(*arguments, **words)

    monkeypatch.setattr(game, "record", noted)
    played = play(game, ["uniform"] * 2, range(5))
    assert (made, len(played.records)) == ([], 5)
    assert played.records[-1] is played.records[4]
    assert [one["seed"] for one in played.records[1:3]] == [1, 2]
    assert made == [4, 1, 2]
    with pytest.raises(IndexError):
        played.records[5]
    assert pickle.loads(pickle.dumps(played)).records == played.records


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_a_row_for_each_game_and_seat(name: str) -> None:
    game: Any = short_makers(name).game(players=2)
    seeds = [4, 9, 2]
    played = play(game, ["uniform", First("other")], seeds)
    table = played.table()
    frame = pandas.DataFrame(table)
    assert frame["game"].tolist() == [0, 0, 1, 1, 2, 2]
    assert frame["seat"].tolist() == [0, 1] * 3
    assert frame["seed"].tolist() == [4, 4, 9, 9, 2, 2]
    assert frame["agent"].tolist() == ["uniform", "other"] * 3
    won = frame["win_share"].to_numpy().reshape(3, 2)
    assert ((won > 0) >= played.winners).all()
    assert frame["rank"].groupby(frame["game"]).sum().tolist() == [3, 3, 3]
    assert ("score" in table) == ("margin" in table) == game.spec.has_points
    assert ("truncated" in table) == game.spec.can_truncate
    if game.spec.has_points:
        assert frame["score"].tolist() == played.scores.ravel().tolist()


def test_seating_says_who_plays_each_seat_of_each_game() -> None:
    game = MountDrago(Rules(3))
    policies = [First("a"), First("b", last=True)]
    seating = [[0, 1, 1], [1, 0, 0], [1, 1, 1]]
    together = play(game, policies, [4, 4, 4], seating=seating)
    for row, numbers in enumerate(seating):
        alone = play(game, [policies[number] for number in numbers], 4)
        assert alone.records == [together.records[row]]
        assert same(alone.scores[0], together.scores[row])


def test_choices_are_apart_from_the_deal() -> None:
    game, policies = MountDrago(), ["uniform"] * 2
    played = play(game, policies, [7, 7, 7], choices=[1, 2, 1])
    first, second, third = played.records
    assert first["start"] == second["start"]
    assert first["moves"] == third["moves"] != second["moves"]
    with pytest.raises(ValueError, match="3 games need as many choices, not 1"):
        play(game, policies, [7, 7, 7], choices=5)


@pytest.mark.parametrize(
    ("seating", "words"),
    [
        ([[0, 1]], "shape"),
        ([[0.0, 1.0]] * 2, "float64"),
        ([[0, 2]] * 2, "policies 0 to 1, not 0 to 2"),
        ([[-1, 1]] * 2, "not -1 to 1"),
    ],
)
def test_bad_seating_is_refused(seating: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        play(MountDrago(), ["uniform"] * 2, [1, 2], seating=seating)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_wrong_number_of_policies_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"2 seats need as many policies, not {number}"):
        play(MountDrago(), ["uniform"] * number, [1, 2])


@pytest.mark.parametrize("seeds", [-1, [1, -1], [1.5], 2**64])
def test_bad_seeds_are_refused(seeds: Any) -> None:
    with pytest.raises(ValueError, match="seeds"):
        play(MountDrago(), ["uniform"] * 2, seeds)


def test_bad_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown policy"):
        play(MountDrago(), ["uniform", "nobody"], [1])
    with pytest.raises(ValueError, match="the policy 'wrong' chose the illegal action"):
        play(MountDrago(), ["uniform", Wrong()], [1])


def test_each_policy_is_asked_for_all_its_games_at_once() -> None:
    calls = {}
    for games in (4, 64):
        spy = First()
        play(MountDrago(Rules(3)), [spy, "uniform", "uniform"], range(games), records=False)
        assert max(spy.asked) == games
        calls[games] = len(spy.asked)
    assert calls[64] < 3 * calls[4]


@pytest.mark.parametrize("players", [2, 4])
def test_planners_see_what_their_seat_may(players: int) -> None:
    game = MountDrago(Rules(players))
    planner, cheat = Planner(), Cheat()
    records = []
    for policy in (planner, cheat):
        others = ["uniform"] * (players - 1)
        records.append(play(game, [*others, policy], range(3)).records)
    # both play the first legal action, so that they meet the same positions
    strip = [[{**made, "riders": None} for made in games] for games in records]
    assert strip[0] == strip[1]
    assert len(planner.seen) == len(cheat.seen) > 10
    redrawn = []
    for (view, observed), (whole, _) in zip(planner.seen, cheat.seen, strict=True):
        for state in (view.state, whole.state):
            assert same(game.observe(state, players - 1), observed)
        redrawn += (view.state["hand"] != whole.state["hand"]).any((1, 2)).tolist()
    assert np.mean(redrawn) > 0.9
    first = [whole.state for whole, _ in cheat.seen[:1]]
    for row, made in enumerate(records[1]):
        turns = [move["seat"] for move in made["moves"]]
        _, state = record.replay(made, turns.index(players - 1))
        assert same(state["hand"], first[0]["hand"][row : row + 1])


def test_planners_play_the_same_together_and_alone() -> None:
    class Chance(Planner):
        """Plays by the hands that were drawn for it, so that they are seen in its moves."""

        def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
            drawn = view.state["hand"].astype(np.int64).sum((1, 2))
            legal = [np.flatnonzero(row) for row in mask]
            return np.array([row[d % len(row)] for row, d in zip(legal, drawn, strict=True)])

    game = MountDrago(Rules(3))
    together = play(game, [Chance()] * 3, range(6))
    for seed in range(6):
        assert play(game, [Chance()] * 3, seed).records == [together.records[seed]]
