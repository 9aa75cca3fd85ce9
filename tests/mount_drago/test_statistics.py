"""The census counts what records of the same games say."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

from drago_env import MountDrago, Rules, analysis, play
from drago_env.game import State, Turn
from drago_env.mount_drago import planning
from drago_env.mount_drago.statistics import census, last_dragon

HEURISTIC = planning.weights("heuristic")
TABLES = [Rules(2), Rules(4, "italian"), Rules.tiny()]


@pytest.mark.parametrize("rules", TABLES, ids=["two", "four", "tiny"])
def test_census_agrees_with_the_records(rules: Rules) -> None:
    game, seeds = MountDrago(rules), range(12)
    policies = ["uniform"] * rules.players
    counted = census(game, policies, seeds)
    records = play(game, policies, seeds).records
    moves = pandas.DataFrame(analysis.table(records)).groupby("game")
    assert counted.scores.tolist() == [record["scores"] for record in records]
    assert counted.points.sum(1).tolist() == [sum(record["scores"]) for record in records]
    assert (
        counted.turns.tolist()
        == moves["step"].agg(lambda s: s.isin(["play", "keep"]).sum()).tolist()
    )
    assert counted.kept.tolist() == moves["step"].agg(lambda s: (s == "keep").sum()).tolist()
    assert (counted.choices >= counted.kept).all()
    assert counted.kept.any()
    for share, record in zip(counted.win_share, records, strict=True):
        assert np.flatnonzero(share).tolist() == record["winners"]
        assert share.sum() == pytest.approx(1)


def test_points_stand_on_the_spaces_that_paid_them() -> None:
    rules = Rules(3)
    points = census(MountDrago(rules), ["uniform"] * 3, range(50)).points
    worth = np.array(rules.board.values)
    assert (points * worth >= 0).all()
    assert (points[:, worth == 0] == 0).all()
    assert (points[:, worth != 0] % worth[worth != 0] == 0).all()


def test_watch_sees_every_round_and_the_end() -> None:
    game = MountDrago(Rules(2))
    seen: list[tuple[int, int]] = []
    total = np.zeros((5, game.spec.seats), np.int64)

    def watch(state: State, turn: Turn, actions: np.ndarray) -> None:
        nonlocal total
        total += turn.outcome.points
        seen.append((int((actions >= 0).sum()), int((turn.legal.counts > 0).sum())))

    played = play(game, ["uniform", "uniform"], range(5), watch=watch)
    assert seen[0] == (5, 5)
    assert seen[-1] == (0, 0)
    assert all(chosen == running for chosen, running in seen)
    assert sum(chosen for chosen, _ in seen) == sum(len(kept["moves"]) for kept in played.records)
    assert (total[:, :2] == played.scores).all()


def test_last_dragon_plays_on_both_ways() -> None:
    game = MountDrago(Rules(3))
    state = game.new(range(40))
    planning.roll(game, state, range(40), HEURISTIC, depth=10)
    before = state.tobytes()
    choice = last_dragon(game, state, HEURISTIC)
    assert state.tobytes() == before
    assert len(choice.rows)
    legal, kinds = game.legal(state), game.rules[0].card_kinds
    chosen = planning.assess(game, state, HEURISTIC)
    for row, kept, gain in zip(*choice, strict=True):
        card = int(chosen[row] % kinds)
        assert kept == (chosen[row] >= kinds)
        assert legal.mask[row, [card, card + kinds]].all()
        margins = []
        for action in (card, card + kinds):
            one = state[row : row + 1].copy()
            seat = int(one["seat"][0])
            game.step(one, [action])
            while not game.over(one)[0]:
                game.step(one, planning.assess(game, one, HEURISTIC))
            scores = one["score"][0, :3].tolist()
            margins.append(scores[seat] - (sum(scores) - scores[seat]) / 2)
        assert gain == pytest.approx(margins[1] - margins[0])


def test_last_dragon_of_finished_games_is_nothing() -> None:
    game = MountDrago(Rules(2))
    state = game.new(range(3))
    planning.roll(game, state, range(3), HEURISTIC)
    assert [len(part) for part in last_dragon(game, state, HEURISTIC)] == [0, 0, 0]
