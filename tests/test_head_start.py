"""The search over all games that have rules of thumb: head start, quiet cuts, drawn choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import drago_env
from drago_env.core import planning
from drago_env.core.search import END_OF_GAME
from drago_env.game import State
from drago_env.games import BUILT_IN
from drago_env.search import Search
from tests.games import SHORT

ROWS = 24
GAMES = pytest.mark.parametrize("name", BUILT_IN)


def started(name: str, decisions: int = 9) -> tuple[Any, State, Any]:
    """Games after random decisions, and a seed for each."""
    game: Any = drago_env.make(name, **SHORT.get(name, {}))
    state, picks = game.new(range(ROWS)), game.picks(np.arange(ROWS))
    for _ in range(decisions):
        game.step(state, game.sample(game.legal(state), picks))
    return game, state, np.arange(ROWS, dtype=np.uint64)


@GAMES
def test_a_head_start_is_what_the_rules_of_thumb_think_behind_their_best(name: str) -> None:
    game, state, seeds = started(name)
    thumbs = planning.judge(game, state, game.planner.weights("heuristic"))
    found = Search(playouts=32, head_start=0.5).search(game, state, seeds)
    several = 0
    for row, count in enumerate(found.counts.tolist()):
        if count < 2:
            continue
        values = thumbs.values[row, :count]
        won = found.values[row, :count] * found.visits[row, :count] - 0.5 * (values - values.max())
        assert (won > -1e-6).all()
        assert (won < found.visits[row, :count] + 1e-6).all()
        several += bool(np.ptp(values) > 1)
    assert several > 3


@GAMES
def test_without_a_head_start_it_is_the_plain_search(name: str) -> None:
    game, state, seeds = started(name)
    planner = game.planner
    plan = planning.Plan(
        "flat", 32, planner.depth or END_OF_GAME, 0.0, 1.0, 2.0, False, sees_all=False
    )
    sets = planner.weights(planner.playouts[0]), planner.weights("win_chance")
    plain = planning.search(game, state, seeds, plan, *sets)
    found = Search(playouts=32, head_start=0).search(game, state, seeds)
    assert found.values.tobytes() == plain.values.tobytes()
    assert found.visits.tobytes() == plain.visits.tobytes()
    ahead = Search(playouts=32).search(game, state, seeds)
    assert ahead.values.tobytes() != plain.values.tobytes()


@GAMES
def test_with_an_endless_head_start_it_is_the_heuristic(name: str) -> None:
    game, state, seeds = started(name)
    weights = game.planner.weights("heuristic")
    found = Search(playouts=32, head_start=1e6).search(game, state, seeds)
    thumbs = planning.judge(game, state, weights)
    ties = 0
    for row, best in enumerate(found.best().tolist()):
        count = thumbs.counts[row]
        place = thumbs.actions[row, :count].tolist().index(best)
        assert thumbs.values[row, place] == thumbs.values[row, :count].max()
        ties += (thumbs.values[row, :count] == thumbs.values[row, place]).sum() > 1
    assert ties < ROWS


def test_a_head_start_leaves_trees_and_finished_games_alone() -> None:
    game, state, seeds = started("mount_drago")
    trees = [
        Search("tree", playouts=16, head_start=worth).search(game, state, seeds)
        for worth in (0.0, 5.0)
    ]
    assert trees[0].values.tobytes() == trees[1].values.tobytes()
    end = game.finished(state, range(ROWS))
    assert (Search(playouts=4, head_start=5).search(game, end, seeds).best() == -1).all()


def test_a_playout_is_not_cut_amid_a_round() -> None:
    """Two players lay five cards each; whatever the depth, playouts go on to the round's end."""
    game: Any = drago_env.make("dragon_delta")
    state, seeds = game.new(range(8)), np.arange(8, dtype=np.uint64)
    shallow, deep, deeper = (
        Search(playouts=32, depth=depth, head_start=0).search(game, state, seeds)
        for depth in (1, 9, 40)
    )
    assert shallow.values.tobytes() == deep.values.tobytes() != deeper.values.tobytes()


def test_a_playout_is_not_cut_amid_a_turn() -> None:
    """After a rainbow card two more decisions lay it, and a points card and a move follow."""
    game: Any = drago_env.make("rupe_dei_draghi")
    state = game.new(range(200))
    state = state[state["hand"][:, 0, 0] > 0]
    seeds = np.arange(len(state), dtype=np.uint64)
    found = [
        Search(playouts=1, depth=depth, head_start=0).search(game, state, seeds)
        for depth in (1, 3, 30)
    ]
    # who goes on to more worlds depends on the others: those of one playout are compared
    once = np.all([result.visits[:, 0] == 1 for result in found], axis=0)
    values = [result.values[once, 0] for result in found]
    assert once.sum() > 10
    np.testing.assert_array_equal(values[0], values[1])
    assert (values[1] != values[2]).mean() > 0.5


def test_hidden_decisions_are_drawn_by_temperature_and_others_are_not() -> None:
    game: Any = drago_env.make("dragon_delta")
    state = game.new(np.zeros(300, np.uint64))
    legal, seeds = game.legal(state), np.arange(300, dtype=np.uint64)
    values = np.zeros(legal.actions.shape)
    values[:, 2] = 1.0
    found = planning.SearchResult(legal.actions, legal.counts, values.astype(np.int64), values)
    chosen = planning.choose(game, state, found, seeds, 1.0)
    wanted = np.e / (np.e + legal.counts[0] - 1)
    assert abs((chosen == legal.actions[0, 2]).mean() - wanted) < 0.1
    assert (planning.choose(game, state, found, seeds, 0.0) == legal.actions[0, 2]).all()
    while (state["step"] == 0).any():  # the cards are laid
        game.step(state, game.legal(state).actions[:, 0].astype(np.int64))
    legal = game.legal(state)
    values[:, 2] = 0.0
    values[:, 0] = 1.0
    found = planning.SearchResult(legal.actions, legal.counts, values.astype(np.int64), values)
    chosen = planning.choose(game, state, found, seeds, 1000.0)
    assert (chosen == legal.actions[:, 0]).all()
    assert (legal.counts > 1).any()
