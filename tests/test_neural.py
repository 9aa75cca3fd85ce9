"""The policy `neural`: its answers against torch, how it chooses, and its names."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import neural
from agents.arena import Config, run
from agents.network import PADDING, Network, Shape, softmax
from agents.neural import Checkpoint, Neural, draw, load, save
from drago_env import MountDrago, Rules, play, resolve
from drago_env.core.chance import mix
from drago_env.game import State
from drago_env.policy import Policy, RowGenerator, View, plans
from tests.adapters import PLAYERS, VARIANTS, same
from train.network import Network as TorchNetwork

GAME = MountDrago(*(Rules(players, edition) for players, edition in VARIANTS))
SHAPE = Shape.of(GAME, trunk=(48, 24), action=(16, 8))
RNG = np.random.default_rng(0)


pytestmark = pytest.mark.usefixtures("one_thread")


def trained(shape: Shape, seed: int = 0) -> TorchNetwork:
    """A network with an opinion: as after training, its logits lie some units apart."""
    torch.manual_seed(seed)
    network = TorchNetwork(shape)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
        network.policy.weight.mul_(3.0)
    return network


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "best.safetensors"
    save(path, trained(SHAPE).weights(), SHAPE, GAME.signature, {"steps": 7, "seed": 0})
    return path


@pytest.fixture
def player(file: Path) -> Neural:
    return Neural(load(file))


def positions(game: MountDrago = GAME, moves: int = 70, games: int = 80) -> State:
    """Games of every kind, each at another move of random play; some of them are finished."""
    state = game.new(range(games), variants=np.arange(games) % len(game.rules))
    picks = game.picks(range(games))
    for move in range(moves):
        still = np.arange(games) % moves <= move  # those stop here
        game.step(state, np.where(still, -1, game.sample(game.legal(state), picks)))
    return state


def answers(network: TorchNetwork, game: MountDrago, state: State) -> Any:
    """What torch answers, and what it was asked."""
    turn = game.look(state)
    asked = (
        turn.observation,
        turn.legal.actions.astype(np.int64),
        turn.legal.counts,
        game.features(state, turn.legal),
    )
    with torch.no_grad():
        logits, values = network(*(torch.from_numpy(part) for part in asked))
    return asked, logits.numpy(), values.numpy()


def chosen(policy: Policy, state: State, seed: int = 0, rows: Any = slice(None)) -> Any:
    """What a policy does in these rows, each with its own random number."""
    rng = RowGenerator(np.random.PCG64(0))
    rng.rows = mix(np.arange(len(state), dtype=np.uint64) + np.uint64(1000 * seed))[rows]
    part = state[rows]
    turn = GAME.look(part)
    return policy.act(turn.observation, turn.legal.mask, rng, View(GAME, part))


def running(state: State) -> State:
    return state[~GAME.over(state)]


# ---------------------------------------------------------------- numpy against torch


def test_numpy_agrees_with_torch(tmp_path: Path) -> None:
    shape, state = Shape.of(GAME), positions(games=160)
    players, editions = state["players"], state["edition"]
    assert {*players.tolist()} == {*PLAYERS}
    assert {*editions.tolist()} == {0, 1}
    network = trained(shape)
    save(tmp_path / "it", network.weights(), shape, GAME.signature)
    asked, logits, values = answers(network, GAME, state)
    counts = asked[2]
    assert (counts == 0).any()
    assert counts.max() > 6
    mine, worth = Network(shape, load(tmp_path / "it").weights).forward(*asked)
    assert (mine.dtype.name, worth.dtype.name) == ("float32", "float32")
    assert (mine.shape, worth.shape) == ((160, 12), (160,))
    assert np.abs(mine - logits).max() < 1e-5
    assert np.abs(worth - values).max() < 1e-5
    listed = np.arange(12) < counts[:, None]
    assert (mine[~listed] == PADDING).all()
    assert np.ptp(mine[listed]) > 1  # they do say something
    assert np.abs(worth).max() > 0.01
    assert np.abs(worth).max() <= 1


@pytest.mark.parametrize("trunk", [(8,), (16, 8, 8)])
@pytest.mark.parametrize("action", [(8,), (8, 4), (4, 8, 16)])
@pytest.mark.parametrize("rules", [Rules(3), Rules.tiny()])
def test_every_shape_agrees(trunk: Any, action: Any, rules: Rules) -> None:
    game = MountDrago(rules)
    shape = Shape.of(game, trunk=trunk, action=action)
    network = trained(shape)
    sizes = {name: tuple(w.shape) for name, w in network.state_dict().items()}
    assert sizes == shape.tensors
    asked, logits, values = answers(network, game, positions(game, moves=30, games=30))
    mine, worth = Network(shape, network.weights()).forward(*asked)
    assert np.abs(mine - logits).max() < 1e-5
    assert np.abs(worth - values).max() < 1e-5


def test_what_fills_a_list_up_does_not_matter() -> None:
    network = trained(SHAPE)
    asked, logits, _ = answers(network, GAME, positions())
    observation, actions, counts, features = asked
    past = np.arange(12) >= counts[:, None]
    for filling in (-1, 150):
        other = np.where(past, filling, actions)
        mine, _ = Network(SHAPE, network.weights()).forward(observation, other, counts, features)
        parts = (torch.from_numpy(part) for part in (observation, other, counts, features))
        with torch.no_grad():
            assert same(network(*parts)[0].numpy(), logits)
        assert np.abs(mine - logits).max() < 1e-5


def test_a_new_network_plays_nearly_at_random_and_expects_nothing() -> None:
    torch.manual_seed(1)
    shape = Shape.of(GAME)
    asked, logits, values = answers(TorchNetwork(shape), GAME, positions())
    counts = asked[2]
    priors = softmax(logits) * (counts > 0)[:, None]
    uniform = (np.arange(12) < counts[:, None]) / np.maximum(counts, 1)[:, None]
    assert np.abs(priors - uniform).max() < 0.01
    assert np.abs(values).max() < 0.1


def test_gradients_are_finite_and_reach_every_weight() -> None:
    network = trained(SHAPE)
    asked, _, _ = answers(network, GAME, running(positions()))
    logits, values = network(*(torch.from_numpy(part) for part in asked))
    chances = torch.log_softmax(logits, 1)
    entropy = -(chances.exp() * chances).sum(1)
    (entropy.mean() + chances[:, 0].mean() + values.mean()).backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None, name
        assert torch.isfinite(weight.grad).all(), name
        assert weight.grad.abs().max() > 0, name


def test_the_weights_handed_out_by_torch_are_copies() -> None:
    network = trained(SHAPE)
    before = network.weights()
    kept = {name: w.copy() for name, w in before.items()}
    with torch.no_grad():
        network.value.bias.add_(1.0)
    assert same(before, kept)


# ---------------------------------------------------------------- choosing


def test_it_takes_the_best_action(player: Neural) -> None:
    state = running(positions())
    (_, actions, counts, _), logits, _ = answers(trained(SHAPE), GAME, state)
    expected = [row[:count].argmax() for row, count in zip(logits, counts, strict=True)]
    assert same(chosen(player, state), actions[np.arange(len(state)), expected])
    assert same(chosen(player, state, 1), chosen(player, state, 2))


def test_of_equal_actions_it_takes_the_first() -> None:
    weights = {name: np.zeros(size, np.float32) for name, size in SHAPE.tensors.items()}
    policy = Neural(Checkpoint(Path("zero"), weights, SHAPE, GAME.signature, {}))
    state = running(positions())
    assert same(chosen(policy, state), GAME.legal(state).mask.argmax(1))


@pytest.mark.parametrize("temperature", [0, 1.0])
def test_a_row_alone_goes_as_in_any_batch(file: Path, temperature: float) -> None:
    policy = Neural(load(file), temperature)
    state = running(positions(games=400))
    together = chosen(policy, state)
    whole = policy.evaluate(GAME, state)
    for rows in ([5], [17, 3], list(range(100)), list(range(299, -1, -1))):
        assert same(chosen(policy, state, rows=rows), together[rows])
        part = policy.evaluate(GAME, state[rows])
        assert same(part.priors, whole.priors[rows])  # to the last bit
        assert same(part.values, whole.values[rows])


@pytest.mark.parametrize("temperature", [0, 1])
def test_games_go_the_same_way_alone_and_together(file: Path, temperature: int) -> None:
    game = MountDrago(Rules(3))
    riders = [f"neural:path={file},temperature={temperature}", "uniform", "uniform"]
    together = play(game, riders, range(20)).records
    for seed in (0, 11, 19):
        assert play(game, riders, [seed]).records[0] == together[seed]
    assert together[0]["riders"][0].startswith(f"neural:path={file}")


@pytest.mark.parametrize("temperature", [0.5, 1, 3.0])
def test_a_temperature_draws_from_the_distribution(file: Path, temperature: float) -> None:
    state = running(positions(games=16))[[0, 5, 9]]
    policy = Neural(load(file), temperature)
    (_, actions, counts, _), logits, _ = answers(trained(SHAPE), GAME, state)
    n = 20_000
    rows = np.repeat(np.arange(3), n)
    drawn = chosen(policy, state[rows], seed=4)
    for row in range(3):
        count = counts[row]
        weights = np.exp(logits[row, :count].astype(np.float64) / temperature)
        expected = n * weights / weights.sum()
        found = (drawn[rows == row][:, None] == actions[row, :count]).sum(0)
        assert found.sum() == n
        assert ((found - expected) ** 2 / expected).sum() < 40  # at most 11 degrees of freedom


def test_drawing_at_the_edges() -> None:
    numbers = np.array([0, 2**64 - 1, 2**63, 2**63 - 1], np.uint64)
    halves = np.tile(np.array([0, 0.5, 0.5, 0], np.float32), (4, 1))
    assert draw(halves, np.full(4, 3), numbers).tolist() == [1, 2, 2, 1]
    certain = np.tile(np.array([1, 0, 0, 0], np.float32), (4, 1))
    assert draw(certain, np.full(4, 1), numbers).tolist() == [0, 0, 0, 0]
    thirds = np.tile(softmax(np.zeros((1, 3), np.float32)), (4, 1))
    assert draw(thirds, np.full(4, 3), numbers).max() == 2


def test_what_is_hidden_makes_no_difference(file: Path) -> None:
    policy = Neural(load(file), 1.0)
    state = running(positions())
    seats = state["seat"].astype(np.int64)
    one, other = (GAME.determinize(state, seats, np.arange(len(state)) + k) for k in (0, 1000))
    assert one["hand"].tobytes() != other["hand"].tobytes()
    for clones in (one, other):
        legal = GAME.legal(clones)
        assert same(GAME.features(clones, legal), GAME.features(state, GAME.legal(state)))
        assert same(chosen(policy, clones), chosen(policy, state))
        assert same(policy.evaluate(GAME, clones), policy.evaluate(GAME, state))


def test_evaluations(player: Neural) -> None:
    state = positions()
    over = GAME.over(state)
    before = state.tobytes()
    legal, priors, values = player.evaluate(GAME, state)
    assert state.tobytes() == before
    assert same(legal, GAME.legal(state))
    listed = np.arange(12) < legal.counts[:, None]
    assert (priors[~listed] == 0).all()
    assert (priors[listed] > 0).all()
    assert np.allclose(priors.sum(1), ~over, atol=1e-6)
    assert (np.abs(values) <= 1).all()
    assert (values[over] == 0).all()
    best = legal.actions[np.arange(len(state)), priors.argmax(1)]
    assert same(chosen(player, state[~over]), best[~over].astype(np.int64))
    assert (priors.dtype.name, values.dtype.name) == ("float32", "float32")
    assert len(player.evaluate(GAME, state[:0]).values) == 0


@pytest.mark.parametrize("temperature", [-1, 0.001, 101, float("nan"), float("inf"), "hot", True])
def test_a_bad_temperature_is_refused(file: Path, temperature: Any) -> None:
    with pytest.raises(ValueError, match=r"temperature must be 0 .* or from 0.01 to 100"):
        Neural(load(file), temperature)


def test_without_a_view_it_says_what_it_needs(player: Neural) -> None:
    with pytest.raises(ValueError, match="must be given a view"):
        player.act(np.zeros((1, 308), np.float32), np.ones((1, 151), np.int8), RNG)


# ---------------------------------------------------------------- names


def test_the_name_of_a_file(file: Path) -> None:
    policy: Any = resolve(f"neural:path={file}")
    assert policy.name == f"neural:path={file}"
    assert plans(policy)
    assert policy.temperature == 0
    warm: Any = resolve(f"neural:path={file},temperature=0.5")
    assert warm.temperature == 0.5
    assert warm.name == f"neural:path={file},temperature=0.5"


def test_the_bare_name_is_the_network_that_ships(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert neural.shipped("mount_drago").exists()
    assert neural.shipped("mount_drago").parent == Path(neural.__file__).parent / "mount_drago"
    monkeypatch.setattr(neural, "shipped", {"mount_drago": file}.__getitem__)
    neural._shipped.cache_clear()
    assert resolve("neural").name == "neural"
    assert resolve("neural:temperature=1").name == "neural:temperature=1"
    state = running(positions())
    assert same(chosen(resolve("neural"), state), chosen(Neural(load(file)), state))
    neural._shipped.cache_clear()


def test_without_a_network_it_says_how_to_train_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neural, "shipped", lambda game: tmp_path / "none")
    neural._shipped.cache_clear()
    how = r"python -m train\.ppo --help.*neural:path=runs/x"
    with pytest.raises(ValueError, match=f"no network ships for mount_drago yet.*{how}"):
        play(MountDrago(Rules()), ["neural", "uniform"], [0])
    with pytest.raises(ValueError, match=how):
        resolve(f"neural:path={tmp_path / 'absent'}")


@pytest.mark.parametrize("words", ["speed=1", "path=x,speed=1"])
def test_an_unknown_parameter_is_refused(words: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be made.*speed"):
        resolve(f"neural:{words}")


def test_torch_is_not_needed() -> None:
    code = "import sys, agents.neural, agents.human; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    "agent",
    ["neural:path={}", "guided:playouts=8,path={}", "response:playouts=4,to=neural:path={}"],
)
def test_an_arena_does_not_go_on_with_other_weights(file: Path, tmp_path: Path, agent: str) -> None:
    config = Config([agent.format(file), "uniform"], "mount_drago:players=2", games=4, seed=1)
    run(config, tmp_path / "arena", workers=1)
    run(replace(config, games=6), tmp_path / "arena", workers=1)
    save(file, trained(SHAPE, seed=1).weights(), SHAPE, GAME.signature)
    with pytest.raises(ValueError, match="holds another arena: weights is"):
        run(replace(config, games=8), tmp_path / "arena", workers=1)
