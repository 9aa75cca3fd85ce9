"""`guided`: the search that a network guides, against one written out slowly."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from agents import weights
from agents.guided import Guided
from agents.network import Shape
from agents.neural import CheckpointError, Neural, load, save
from drago_env import MountDrago, play, resolve
from drago_env.game import State
from drago_env.mount_drago import planning
from drago_env.mount_drago.planning import Guide, Thought, guided
from tests.test_knowledge import shuffled
from tests.test_search import LIGHT, rows_of, running, same
from tests.test_thumbs import VARIANTS
from train.network import Network

BOARDS = pytest.mark.parametrize("name", VARIANTS)
GOLDEN = 0x9E3779B97F4A7C15


def opinionated(game: MountDrago, path: Path) -> Path:
    """A checkpoint whose network likes and expects something."""
    torch.manual_seed(5)
    shape = Shape.of(game, trunk=(24, 16), action=(16, 8))
    network = Network(shape)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.2)
    save(path, network.weights(), shape, game.signature)
    return path


def guide_of(agent: Guided, game: MountDrago, state: State) -> Guide:
    return Guide(agent._network.evaluate(game, state).priors, agent._layers, agent._biases)


@pytest.fixture
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Guided:
    spec = getattr(request.node, "callspec", None)
    game, _ = running(spec.params["name"] if spec else "standard")
    return Guided(str(opinionated(game, tmp_path / "n.safetensors")), playouts=24, width=3)


def by_hand(
    agent: Guided, game: MountDrago, state: State, seed: int
) -> dict[int, tuple[int, float]]:
    """Playouts and values of one game's actions, playout by playout."""
    judge, seat = Neural(load(agent.path)), int(state["seat"][0])
    legal, priors, _ = judge.evaluate(game, state)
    listed = legal.actions[0, : legal.counts[0]].tolist()
    bonus = {
        a: agent.trust * math.log(max(p, 1e-9))
        for a, p in zip(listed, priors[0].tolist(), strict=False)
    }
    visits, totals = dict.fromkeys(listed, 0), dict.fromkeys(listed, 0.0)
    alive = sorted(listed, key=lambda action: -bonus[action])[: agent.width]
    rounds = max(1, math.ceil(math.log2(len(alive))))
    while len(alive) > 1:
        for _ in range(max(1, agent.playouts // (rounds * len(alive)))):
            seed = (seed + GOLDEN) % 2**64
            world = game.determinize(state, seat, [seed])
            for action in alive:
                tried = world.copy()
                game.step(tried, [action])
                visits[action] += 1
                totals[action] += expected(judge, game, tried, seat)
        alive = sorted(alive, key=lambda a: -(totals[a] / visits[a] + bonus[a]))
        alive = alive[: (len(alive) + 1) // 2]
    return {a: (visits[a], totals[a] / max(visits[a], 1) + bonus[a]) for a in listed}


def expected(judge: Neural, game: MountDrago, world: State, seat: int) -> float:
    """What the network expects when the seat is on turn again, or what it got at the end."""
    while not game.over(world)[0] and int(world["seat"][0]) != seat:
        game.step(world, planning.assess(game, world, weights.array("light")))
    if not game.over(world)[0]:
        return float(judge.evaluate(game, world).values[0])
    winners, players = game.winners(world)[0], int(world["players"][0])
    share = winners[seat] / winners.sum()
    return float((share * players - 1) / (players - 1))


@BOARDS
def test_it_is_the_search_written_out(name: str, agent: Guided) -> None:
    game, state = running(name, 25)
    seeds = np.arange(7, 7 + len(state)).astype(np.uint64)
    thought = agent.think(game, state, seeds)
    for row in range(len(state)):
        wanted = by_hand(agent, game, state[row : row + 1].copy(), int(seeds[row]))
        actions = thought.actions[row, : thought.counts[row]].tolist()
        found = zip(
            actions, thought.visits[row].tolist(), thought.values[row].tolist(), strict=False
        )
        for action, visits, value in found:
            assert visits == wanted[action][0]
            assert value == pytest.approx(wanted[action][1], abs=1e-5)


def test_the_kernel_values_a_position_as_the_network_does(agent: Guided) -> None:
    game, state = running("standard")
    told = agent._network.evaluate(game, state).values
    hidden = game.observe(state).astype(np.float64)
    for layer, bias in zip(agent._layers, agent._biases, strict=True):
        hidden = np.maximum(hidden, 0) if layer is not agent._layers[0] else hidden
        hidden = hidden @ layer + bias
    np.testing.assert_allclose(np.tanh(hidden[:, 0]), told, atol=1e-5)


def test_only_what_the_network_likes_best_is_tried(agent: Guided) -> None:
    game, state = running("standard")
    thought = agent.think(game, state, np.arange(len(state)).astype(np.uint64))
    priors = agent._network.evaluate(game, state).priors
    several = thought.counts > 1
    assert ((thought.visits > 0).sum(1)[several] == np.minimum(thought.counts, 3)[several]).all()
    worst_tried = np.where(thought.visits > 0, priors, 2).min(1)
    best_left = np.where(thought.visits == 0, priors, -1).max(1)
    assert (worst_tried >= best_left)[several].all()


def test_with_all_trust_it_plays_as_the_network(agent: Guided) -> None:
    game, state = running("standard")
    agent.trust = 1000.0
    thought = agent.think(game, state, np.arange(len(state)).astype(np.uint64))
    liked = agent._network.evaluate(game, state)
    best = liked.legal.actions[np.arange(len(state)), liked.priors.argmax(1)]
    second, first = np.sort(liked.priors, axis=1)[:, -2:].T
    clear = np.log(first / np.maximum(second, 1e-9)) * agent.trust > 2  # rewards are from -1 to 1
    assert clear.mean() > 0.9
    assert (thought.best() == best)[clear].all()


@BOARDS
def test_what_the_seat_cannot_see_changes_nothing(name: str, agent: Guided) -> None:
    game, state = running(name)
    seeds, rng = np.arange(len(state)).astype(np.uint64), np.random.default_rng(3)
    for seat in range(int(state["players"].max())):
        rows = np.flatnonzero(state["seat"] == seat)
        own = state[rows].copy()
        first = agent.think(game, own, seeds[rows])
        assert same(first, agent.think(game, shuffled(game, own, seat, rng), seeds[rows]))


def test_the_batch_and_its_order_and_threads_change_nothing(agent: Guided) -> None:
    game, state = running("standard", 40)
    seeds = np.random.default_rng(1).integers(2**64, size=len(state), dtype=np.uint64)
    first = agent.think(game, state, seeds)
    assert same(first, agent.think(MountDrago(*game.rules, threads=2), state, seeds))
    order = np.random.default_rng(2).permutation(len(state))
    assert same(rows_of(first, order), agent.think(game, state[order].copy(), seeds[order]))
    for row in range(0, len(state), 5):
        alone = agent.think(game, state[row : row + 1].copy(), seeds[row : row + 1])
        assert same(rows_of(first, [row]), alone)


def test_it_plays_whole_games_by_its_name(tmp_path: Path) -> None:
    game, _ = running("standard")
    path = opinionated(game, tmp_path / "n.safetensors")
    plain = MountDrago(game.rules[0])
    riders = [f"guided:path={path},playouts=4,width=2", *["uniform"] * (game.rules[0].players - 1)]
    played = play(plain, riders, range(3))
    assert played.records[0]["riders"][0] == "guided"


@pytest.mark.parametrize(
    "words",
    ["width=0", "width=2.5", "trust=-1", "playouts=0", "ms=0", "path=nowhere.safetensors"],
)
def test_settings_that_make_no_sense_are_refused(words: str, tmp_path: Path) -> None:
    game, _ = running("standard")
    path = opinionated(game, tmp_path / "n.safetensors")
    rest = "" if words.startswith("path") else f",path={path}"
    with pytest.raises((ValueError, CheckpointError), match=words.partition("=")[0] + "|nowhere"):
        resolve(f"guided:{words}{rest}")


def test_a_guide_of_other_sizes_is_refused(agent: Guided) -> None:
    game, state = running("standard", 10)
    guide = guide_of(agent, game, state)
    wrong = [
        guide._replace(priors=guide.priors[:5]),
        guide._replace(layers=guide.layers[1:]),
        guide._replace(layers=guide.layers[:-1], biases=guide.biases[:-1]),
        guide._replace(biases=(guide.biases[0][:3], *guide.biases[1:])),
        guide._replace(layers=tuple(layer.astype(np.float64) for layer in guide.layers)),
    ]
    for misfit in wrong:
        with pytest.raises(ValueError, match="a guide for 10 games must be float32"):
            guided(game, state, range(10), misfit, 8, 3, 0.1, LIGHT)


def test_a_finished_game_is_left_alone(agent: Guided) -> None:
    game, state = running("standard", 4)
    while not game.over(state).all():
        legal = game.legal(state)
        game.step(state, np.where(legal.counts > 0, legal.actions[:, 0].astype(np.int64), -1))
    thought: Thought = agent.think(game, state, np.arange(4).astype(np.uint64))
    assert (thought.best() == -1).all()
    assert not thought.visits.any()
