"""Records as columns and as arrays: they agree with the games that they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

import drago_env
from drago_env import MountDrago, Rules, analysis
from drago_env.games import BUILT_IN
from drago_env.mount_drago.record import Record, RecordError
from drago_env.mount_drago.rules import COLOURS
from tests.games import short_makers
from tests.mount_drago.games import ALL_RULES, SCARCE, STANDARD, TINY, Played, name, play

GAMES = tuple(play(rules, seed) for rules in ALL_RULES for seed in (0, 1))
STEPS = ("play", "keep", "discard", "done")


def records() -> list[Record]:
    return [played.record() for played in GAMES]


# ---------------------------------------------------------------- the table of moves


def expected_row(played: Played, index: int, number: int) -> dict[str, Any]:
    """One row, worked out from the states before and after the move."""
    rules = played.game.rules[0]
    before, after = played.states[number][0], played.states[number + 1][0]
    seat, action = int(before["seat"]), played.actions[number]
    step, card = divmod(action, rules.card_kinds)
    dragon, has_card = card // rules.values, step < 3
    spaces = [int(state["position"][dragon]) if has_card else -1 for state in (before, after)]
    moved = spaces[0] != spaces[1]
    points = (after["score"] - before["score"]).tolist()
    return {
        "game": index,
        "move": number,
        "seat": seat,
        "rider": f"rider {seat}",
        "action": action,
        "step": STEPS[step],
        "colour": COLOURS[dragon] if has_card else "",
        "value": card % rules.values + 1 if has_card else -1,
        "space_before": spaces[0],
        "space_after": spaces[1],
        "landed_value": rules.board.values[spaces[1]] if moved else 0,
        "landed_kind": rules.board.kinds[spaces[1]] if moved else "",
        "hand_size": before["hand_size"][seat],
        "drawn": after["drawn_size"],
        "deck": after["deck_size"],
        "points_own": points[seat],
        "score_own": after["score"][seat],
        **{f"points_{other}": points[other] for other in range(5)},
    }


def test_table_has_a_row_for_each_move_that_agrees_with_the_game() -> None:
    table = analysis.table(records())
    rows = [
        expected_row(played, index, number)
        for index, played in enumerate(GAMES)
        for number in range(len(played.actions))
    ]
    assert list(table) == list(rows[0])
    for column, entries in table.items():
        assert entries.tolist() == [row[column] for row in rows], column


def test_points_of_the_table_add_up_to_the_scores() -> None:
    frame = pandas.DataFrame(analysis.table(records()))
    sums = frame.groupby("game")[[f"points_{seat}" for seat in range(5)]].sum()
    for index, made in enumerate(records()):
        padded = made["scores"] + [0] * (5 - len(made["scores"]))
        assert sums.loc[index].tolist() == padded


def test_table_goes_through_parquet(tmp_path: Path) -> None:
    table = analysis.table(records())
    frame = pandas.DataFrame(table)
    assert len(frame) == sum(len(played.actions) for played in GAMES)
    frame.to_parquet(tmp_path / "pandas.parquet")
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "pandas.parquet"), frame)
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "arrow.parquet")
    again = pyarrow.parquet.read_table(tmp_path / "arrow.parquet").to_pydict()
    assert again == {column: entries.tolist() for column, entries in table.items()}


@pytest.mark.parametrize("kind", BUILT_IN)
def test_records_of_every_game_are_a_table(kind: str) -> None:
    game = short_makers(kind).game()
    made = drago_env.play(game, ["uniform", "uniform"], range(3)).records
    table = pandas.DataFrame(analysis.table(made))
    for column in ("game", "move", "seat", "action"):
        wanted = [
            index if column == "game" else number if column == "move" else move[column]
            for index, one in enumerate(made)
            for number, move in enumerate(one["moves"])
        ]
        assert table[column].tolist() == wanted
    if kind != "mount_drago":
        assert set(table["player"]) == {"uniform"}
        won = {(g, s) for g, one in enumerate(made) for s in one["winners"]}
        assert {(g, s) for g, s, w in table[["game", "seat", "won"]].to_numpy() if w} <= won


def test_table_of_running_games_and_of_none() -> None:
    running = [played.record(7) for played in GAMES[:3]]
    assert len(analysis.table(running)["game"]) == 21
    empty = analysis.table([])
    most = max(made["rules"]["players"] for made in running)
    assert list(empty)[: most - 5 or None] == list(analysis.table(running))
    assert len(pandas.DataFrame(empty)) == 0


@pytest.mark.parametrize("riders", [None, ["greedy", "uniform"]])
def test_table_names_the_riders(riders: list[str] | None) -> None:
    made = {**play(STANDARD[0]).record(9), "riders": riders}
    names = riders or ["", ""]
    seats = [move["seat"] for move in made["moves"]]
    assert analysis.table([made])["rider"].tolist() == [names[seat] for seat in seats]


@pytest.mark.parametrize("riders", [[], ["greedy"], ["a", "b", "c", "d"], "ab", 5, [1, None]])
def test_riders_are_a_name_for_each_seat_or_null(riders: Any) -> None:
    made = {**play(STANDARD[0]).record(9), "riders": riders}
    with pytest.raises(RecordError, match="riders must be null or 2 names"):
        analysis.table([made])


def test_unsound_record_is_refused_with_its_number() -> None:
    some = records()
    some[2]["moves"][4]["deck"] += 1
    for use in (analysis.table, analysis.transitions):
        with pytest.raises(RecordError, match=r"record 2: move 4: .*clause 7"):
            use(some)


# ---------------------------------------------------------------- arrays of decisions


@pytest.mark.parametrize("group", [STANDARD, TINY, SCARCE], ids=["standard", "tiny", "scarce"])
def test_transitions_agree_with_the_games(group: tuple[Rules, ...]) -> None:
    games = [play(rules, seed) for rules in group for seed in (0, 1)]
    made = analysis.transitions([played.record() for played in games])
    spec = games[0].game.spec
    total = sum(len(played.actions) for played in games)
    assert made["observation"].shape == (total, spec.observation_size)
    assert made["mask"].shape == (total, spec.num_actions)
    for key in ("action", "return", "seat", "game", "move"):
        assert made[key].shape == (total,)
    assert made["mask"][np.arange(total), made["action"]].all()
    row = 0
    for index, played in enumerate(games):
        n = len(played.actions)
        part = {key: column[row : row + n] for key, column in made.items()}
        state = np.concatenate(played.states[:-1])
        assert (part["game"] == index).all()
        assert (part["move"] == np.arange(n)).all()
        assert (part["action"] == played.actions).all()
        assert (part["seat"] == state["seat"]).all()
        assert (part["observation"] == played.game.observe(state)).all()
        assert (part["mask"] == played.game.legal(state).mask).all()
        row += n


@pytest.mark.parametrize("reward", ["win", "margin", "rank"])
@pytest.mark.parametrize("rules", [STANDARD[0], STANDARD[7], TINY[1], SCARCE[3]], ids=name)
def test_returns_are_the_rewards_still_to_come(rules: Rules, reward: str) -> None:
    others = [play(STANDARD[0], 6).record()] if rules in STANDARD else []
    for seed in range(4):
        played = play(rules, seed)
        made = analysis.transitions([*others, played.record()], reward)
        returns = made["return"][made["game"] == len(others)]
        game = MountDrago(rules, reward=reward)
        state = played.states[0].copy()
        paid = np.array([game.step(state, [action]).rewards[0] for action in played.actions])
        for number, before in enumerate(played.states[:-1]):
            still = paid[number:, before["seat"][0]].sum()
            assert returns[number] == pytest.approx(still, abs=1e-5)


def test_win_is_the_return_of_a_sole_winner() -> None:
    for played in GAMES:
        made, players = played.record(), played.game.rules[0].players
        if len(made["winners"]) == 1:
            arrays = analysis.transitions([made])
            won = arrays["seat"] == made["winners"][0]
            assert arrays["return"][won] == pytest.approx(1)
            assert arrays["return"][~won] == pytest.approx(-1 / (players - 1))


def test_running_game_has_no_return() -> None:
    with pytest.raises(RecordError, match="record 1: the game has not ended"):
        analysis.transitions([play(TINY[0]).record(), play(TINY[0]).record(3)])


def test_no_records_and_unknown_rewards_are_refused() -> None:
    with pytest.raises(RecordError, match="no records"):
        analysis.transitions([])
    with pytest.raises(ValueError, match="one of win, margin, rank, not 'gold'"):
        analysis.transitions([play(TINY[0]).record()], "gold")


def test_games_of_different_sizes_have_no_common_arrays() -> None:
    with pytest.raises(ValueError, match=r"size|shape|dimension"):
        analysis.transitions([play(TINY[0]).record(), play(STANDARD[0]).record()])


# ---------------------------------------------------------------- means with intervals


def test_means_are_those_of_the_games_means() -> None:
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(
        {
            "group": rng.integers(0, 3, 4000),
            "game": rng.integers(0, 50, 4000),
            "value": rng.normal(size=4000),
        }
    )
    found = analysis.means(frame["value"], frame["group"], frame["game"])
    by_game = frame.groupby(["group", "game"])["value"].mean().groupby("group")
    assert found.groups.tolist() == [0, 1, 2]
    assert found.mean == pytest.approx(by_game.mean().to_numpy())
    assert found.error == pytest.approx(1.959964 * by_game.sem().to_numpy())
    assert found.games.tolist() == by_game.count().tolist()


def test_groups_of_few_games_have_no_mean() -> None:
    groups = np.repeat(["many", "few"], [40, 10])
    found = analysis.means(np.ones(50), groups, np.arange(50))
    assert (found.groups.tolist(), found.mean.tolist(), found.error.tolist()) == (
        ["many"],
        [1],
        [0],
    )
    assert len(analysis.means(np.ones(50), groups, np.zeros(50)).groups) == 0


def test_intervals_of_means_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    games = np.repeat(np.arange(60), 20)
    held = 0
    for _ in range(400):
        values = rng.normal(size=60)[games] + rng.normal(size=len(games))  # games have their ways
        found = analysis.means(values, np.zeros(len(games)), games)
        held += bool(abs(found.mean[0]) <= found.error[0])
    assert 0.91 <= held / 400 <= 0.98
