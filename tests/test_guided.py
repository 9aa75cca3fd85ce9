"""`guided`: the search that a network advises, against one written out slowly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.guided import LEAST_PRIOR, Guided
from agents.network import Shape
from agents.neural import CheckpointError, save
from drago_env import MountDrago, play, resolve, search
from drago_env.core import planning
from drago_env.core.planning import Plan, SearchResult
from drago_env.mount_drago.planning import PLANNER, weights
from tests.mount_drago.test_knowledge import shuffled
from tests.mount_drago.test_search import LIGHT, rows_of, running, same
from tests.mount_drago.test_thumbs import VARIANTS
from tests.mount_drago.thumbs import Search
from train.network import Network

PLAYOUTS = 24
BOARDS = pytest.mark.parametrize("name", VARIANTS)


def opinionated(game: MountDrago, path: Path, thumbs: bool = False) -> Path:
    """A checkpoint whose network has likings."""
    torch.manual_seed(5)
    shape = Shape.of(game, trunk=(24, 16), action=(16, 8), thumbs=thumbs)
    network = Network(shape)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.2)
    save(path, network.weights(), shape, game.signature)
    return path


@pytest.fixture
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Guided:
    spec = getattr(request.node, "callspec", None)
    game, _ = running(spec.params["name"] if spec else "standard")
    return Guided(
        path=str(opinionated(game, tmp_path / "n.safetensors")), playouts=PLAYOUTS, prior_weight=0.5
    )


@BOARDS
def test_it_is_the_search_of_the_oracle(name: str, agent: Guided) -> None:
    game, state = running(name, 25)
    seeds = np.arange(7, 7 + len(state)).astype(np.uint64)
    found, start = agent.search(game, state, seeds), agent._start(PLANNER, game, state)
    advice = agent.prior_weight * np.log(agent._network.evaluate(game, state).priors + 1e-12)
    thumbs = planning.judge(game, state, weights("heuristic"))
    for row in range(len(state)):
        one, count, seed = state[row : row + 1].copy(), found.counts[row], int(seeds[row])
        sets = weights(PLANNER.playouts[0]), weights("win_chance")
        slow = Search(
            game,
            one,
            seed,
            agent._plan(PLANNER, PLAYOUTS, False, False),
            *sets,
            start[row].tolist(),
        )
        values = thumbs.values[row, :count]
        wanted = advice[row, :count] + PLANNER.head_start * (values - values.max())
        np.testing.assert_allclose(start[row, :count], wanted, atol=1e-4)
        slow.flat()
        assert found.visits[row, :count].tolist() == list(slow.visits.values())
        worth = [slow.worth(action) for action in slow.actions]
        assert found.values[row, :count].tolist() == pytest.approx(worth, abs=1e-9)


def test_a_network_that_knows_the_rules_of_thumb_has_said_their_head_start(tmp_path: Path) -> None:
    game, state = running("standard", 25)
    path = str(opinionated(game, tmp_path / "told.safetensors", thumbs=True))
    told, asked = Guided(path=path), Guided(path=path, head_start=PLANNER.head_start)
    priors = told._network.evaluate(game, state).priors.astype(np.float64)
    advice = told.prior_weight * np.log(np.maximum(priors, LEAST_PRIOR))
    known = np.arange(advice.shape[1]) < game.legal(state).counts[:, None]
    starts = [np.where(known, one._start(PLANNER, game, state), 0.0) for one in (told, asked)]
    np.testing.assert_allclose(starts[0][known], advice[known], atol=1e-4)
    thumbs = search.Search(head_start=PLANNER.head_start)._start(PLANNER, game, state)
    assert thumbs is not None
    np.testing.assert_allclose(starts[1] - starts[0], thumbs, atol=1e-9)


def test_with_all_prior_weight_it_plays_as_the_network(agent: Guided) -> None:
    game, state = running("standard")
    agent.prior_weight, agent.head_start = 1000.0 * PLAYOUTS, 0.0
    found = agent.search(game, state, np.arange(len(state)).astype(np.uint64))
    liked = agent._network.evaluate(game, state)
    best = liked.legal.actions[np.arange(len(state)), liked.priors.argmax(1)]
    second, first = np.sort(liked.priors, axis=1)[:, -2:].T
    head_start = np.log(first / np.maximum(second, 1e-9)) * agent.prior_weight
    clear = head_start > PLAYOUTS  # more than playouts could make up for
    assert clear.mean() > 0.9
    assert (found.best() == best)[clear].all()


@BOARDS
def test_what_the_seat_cannot_see_changes_nothing(name: str, agent: Guided) -> None:
    game, state = running(name)
    seeds, rng = np.arange(len(state)).astype(np.uint64), np.random.default_rng(3)
    for seat in range(int(state["players"].max())):
        rows = np.flatnonzero(state["seat"] == seat)
        own = state[rows].copy()
        first = agent.search(game, own, seeds[rows])
        assert same(first, agent.search(game, shuffled(game, own, seat, rng), seeds[rows]))


def test_the_batch_and_its_order_and_threads_change_nothing(agent: Guided) -> None:
    game, state = running("standard", 40)
    seeds = np.random.default_rng(1).integers(2**64, size=len(state), dtype=np.uint64)
    first = agent.search(game, state, seeds)
    assert same(first, agent.search(MountDrago(*game.rules, threads=2), state, seeds))
    order = np.random.default_rng(2).permutation(len(state))
    assert same(rows_of(first, order), agent.search(game, state[order].copy(), seeds[order]))
    for row in range(0, len(state), 5):
        alone = agent.search(game, state[row : row + 1].copy(), seeds[row : row + 1])
        assert same(rows_of(first, [row]), alone)


def test_it_plays_whole_games_by_its_name(tmp_path: Path) -> None:
    game, _ = running("standard")
    path = opinionated(game, tmp_path / "n.safetensors")
    plain = MountDrago(game.rules[0])
    riders = [f"guided:path={path},playouts=4", *["uniform"] * (game.rules[0].players - 1)]
    played = play(plain, riders, range(3))
    assert played.records[0]["riders"][0] == "guided"


@pytest.mark.parametrize(
    "words",
    [
        "prior_weight=-1",
        "method=tree",
        "playouts=0",
        "ms=0",
        "path=nowhere.safetensors",
    ],
)
def test_settings_that_make_no_sense_are_refused(words: str, tmp_path: Path) -> None:
    game, _ = running("standard")
    path = opinionated(game, tmp_path / "n.safetensors")
    rest = "" if words.startswith("path") else f",path={path}"
    with pytest.raises((ValueError, CheckpointError), match=words.partition("=")[0] + "|nowhere"):
        resolve(f"guided:{words}{rest}")


def test_a_start_that_does_not_fit_is_refused() -> None:
    game, state = running("standard", 10)
    plan, seeds = Plan("flat", 8, 2, 0.0, 1.0, 2.0, False, False), range(10)
    sets, start = (LIGHT, weights("win_chance")), np.ones((10, 12))
    for misfit in (start[:5], start[:, :6], start[0]):
        with pytest.raises(ValueError, match=r"start must be of shape \(10, 12\), not"):
            planning.search(game, state, seeds, plan, *sets, misfit)
    with pytest.raises(ValueError, match=r"a start is for a flat search, not .* 'tree'"):
        planning.search(game, state, seeds, plan._replace(method="tree"), *sets, start)


def test_a_finished_game_is_left_alone(agent: Guided) -> None:
    game, state = running("standard", 4)
    while not game.over(state).all():
        legal = game.legal(state)
        game.step(state, np.where(legal.counts > 0, legal.actions[:, 0].astype(np.int64), -1))
    found: SearchResult = agent.search(game, state, np.arange(4).astype(np.uint64))
    assert (found.best() == -1).all()
    assert not found.visits.any()
