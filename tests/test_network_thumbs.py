"""Networks that are told what the rules of thumb think: they begin there, and learn from there."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.network import FAR, THUMBS, Network, Shape, thumbs_inputs
from agents.neural import Neural, check_game, inputs, load, save
from drago_env.core.planning import foresight_size, judge
from drago_env.game import State
from drago_env.games import BUILT_IN, make
from drago_env.policy import RowGenerator, View, ask, resolve
from drago_env.thumbs import weights_of
from tests.adapters import same
from tests.games import SHORT
from train.arguments import Arguments, make_game
from train.collect import Collector, Setup
from train.network import Network as TorchNetwork
from train.ppo import begin
from train.prepare import completed, prepared, told

pytestmark = pytest.mark.usefixtures("one_thread")

DEAF: dict[str, Any] = {"thumbs": False, "foresight": 0}


def game_of(name: str) -> Any:
    words = ",".join(f"{key}={value}" for key, value in SHORT.get(name, {}).items())
    return make(name + (f":{words}" if words else ""))


def positions(game: Any, moves: int = 12, games: int = 24) -> State:
    """Games at another move of the heuristic each, none of them finished."""
    state = game.new(range(games))
    policy, rng = resolve("heuristic", game), RowGenerator(np.random.PCG64(0))
    turn = game.look(state)
    for move in range(moves):
        rows = np.flatnonzero((turn.legal.counts > 0) & (np.arange(games) % moves > move))
        actions = np.full(games, -1)
        numbers = np.arange(len(rows), dtype=np.uint64)
        actions[rows] = ask(policy, game, state, turn, rows, rng, numbers)
        game.turn(state, actions, turn)
    return state[~game.over(state)]


def small(game: Any, **more: Any) -> Shape:
    told = {"thumbs": True, "foresight": foresight_size(game)}
    return Shape.of(game, trunk=(16, 8), action=(8, 4), **{**told, **more})


# ---------------------------------------------------------------- what it is told


def test_the_inputs_are_the_distances_from_the_best_listed_action() -> None:
    values = np.array([[2.0, 3.0, -0.5, 99.0], [-40.0, 0.0, 0.0, 0.0], [7.0, 7.0, 7.0, 7.0]])
    told = thumbs_inputs(values, np.array([3, 2, 0]))
    assert told.dtype == np.float32
    assert told[0].tolist() == [[-1, -1 / FAR], [0, 0], [-1, -3.5 / FAR], [0, 0]]
    assert told[1].tolist() == [[-1, -1], [0, 0], [0, 0], [0, 0]]
    assert not told[2].any()


@pytest.mark.parametrize("name", BUILT_IN)
def test_it_is_told_nothing_hidden(name: str) -> None:
    game = game_of(name)
    state, shape = positions(game), small(game)
    seats = game.current_player(state).astype(np.int64)
    seen = inputs(game, state, game.legal(state), shape)
    assert seen.shape == (len(state), game.spec.max_legal, shape.inputs)
    for number in range(2):
        clones = game.determinize(state, seats, np.arange(len(state)) + 1000 * number)
        assert clones.tobytes() != state.tobytes()
        assert same(inputs(game, clones, game.legal(clones), shape), seen)
    bare = inputs(game, state, game.legal(state), small(game, **DEAF))
    assert same(bare, np.ascontiguousarray(seen[..., : -shape.told]))
    some = inputs(game, state, game.legal(state), small(game, foresight=0))
    assert same(some[..., -THUMBS:].copy(), seen[..., -THUMBS:].copy())


# ---------------------------------------------------------------- what it makes of it


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_untrained_network_plays_by_the_rules_of_thumb(name: str, tmp_path: Path) -> None:
    game = game_of(name)
    state, shape = positions(game), small(game)
    torch.manual_seed(3)
    weights = TorchNetwork(shape).weights()
    save(tmp_path / "it", weights, shape, game.signature)
    turn = game.look(state)
    policy = Neural(load(tmp_path / "it"))
    rng = RowGenerator(np.random.PCG64(0))
    chosen = policy.act(turn.observation, turn.legal.mask, rng, View(game, state))
    found = judge(game, state, weights_of(game, "heuristic"))
    listed = np.arange(found.values.shape[1]) < found.counts[:, None]
    worth = found.values[(found.actions == chosen[:, None]) & listed]
    best = np.where(listed, found.values, -np.inf).max(1)
    assert (best - worth < 0.05).all()  # among equals it takes any
    assert (np.where(listed, found.values, np.inf).min(1) < best - 1).any()


@pytest.mark.parametrize("name", BUILT_IN)
def test_numpy_agrees_with_torch_and_rows_do_not_matter(name: str) -> None:
    game = game_of(name)
    state, shape = positions(game), small(game)
    torch.manual_seed(0)
    network = TorchNetwork(shape)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
    assert {n: tuple(w.shape) for n, w in network.state_dict().items()} == shape.tensors
    turn = game.look(state)
    actions = turn.legal.actions.astype(np.int64)
    told = inputs(game, state, turn.legal, shape)
    asked = (turn.observation, actions, turn.legal.counts, told)
    with torch.no_grad():
        logits, values = (part.numpy() for part in network(*map(torch.from_numpy, asked)))
    mine = Network(shape, network.weights())
    whole = mine.forward(*asked)
    assert np.abs(whole[0] - logits).max() < 1e-4
    assert np.abs(whole[1] - values).max() < 1e-5
    for row in range(3):
        alone = mine.forward(*(np.ascontiguousarray(part[row : row + 1]) for part in asked))
        assert same(alone, tuple(part[row : row + 1] for part in whole))


def test_a_shape_without_the_word_is_not_told() -> None:
    """Files that were written before there was a choice."""
    shape = small(game_of("mount_drago"), **DEAF)
    plain = asdict(shape)
    del plain["thumbs"], plain["foresight"]
    assert Shape(**plain) == shape
    assert "thumbs.weight" not in shape.tensors
    with pytest.raises(ValueError, match="thumbs must be true or false, not 'yes'"):
        replace(shape, thumbs="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="foresight is only told to a network with thumbs"):
        replace(shape, foresight=3)
    with pytest.raises(ValueError, match="foresight must be a whole number from 0 to 4096, not -1"):
        replace(shape, thumbs=True, foresight=-1)


# ---------------------------------------------------------------- training


@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_has_what_was_told(threads: int) -> None:
    game, variants = make_game(["mount_drago:players=3"])
    shape = small(game)
    setup = Setup(game, variants, shape, num_envs=6, num_steps=4, pool_share=0.0, threads=threads)
    collector = Collector(setup, seed=1)
    state = collector.snapshot()["state"].view(game.state_type).copy()
    rollout = collector.collect(TorchNetwork(shape).state_dict())
    legal = game.legal(state)
    listed = np.arange(game.spec.max_legal) < legal.counts[:, None]
    first = inputs(game, state, legal, shape)[listed]
    assert rollout.features.shape[1] == shape.inputs
    assert same(rollout.features[: len(first)], first)
    assert first[:, -THUMBS:].any()
    assert first[:, -shape.told : -THUMBS].any()


@pytest.mark.parametrize("name", BUILT_IN)
def test_it_is_told_by_default_where_there_are_rules_of_thumb(name: str) -> None:
    assert completed(Arguments(game=(name,))).thumbs is True
    assert completed(Arguments(game=(name,), thumbs=False)).thumbs is False
    foreseen = foresight_size(make(name)) > 0
    assert completed(Arguments(game=(name,))).foresight is foreseen
    assert completed(Arguments(game=(name,), foresight=False)).foresight is False
    assert completed(Arguments(game=(name,), thumbs=False)).foresight is False


def test_without_rules_of_thumb_it_is_not_told(tmp_path: Path) -> None:
    assert completed(Arguments(game=("race",))).thumbs is False
    with pytest.raises(ValueError, match="race has no rules of thumb for heuristic"):
        prepared(Arguments(game=("race",), thumbs=True, out=tmp_path / "none"))
    with pytest.raises(ValueError, match="dragon_delta foresees nothing that a network"):
        prepared(Arguments(game=("dragon_delta",), foresight=True, out=tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_a_run_goes_on_as_it_began(tmp_path: Path) -> None:
    few = {"num_envs": 4, "num_steps": 4, "steps": 32, "trunk": (8,), "action": (8,)}
    words: dict[str, Any] = {"players": (2,), "evaluate_against": (), "opponents": (), **few}
    training = begin(Arguments(out=tmp_path / "it", **words))
    assert training.shape.thumbs
    training.run.close()
    assert begin(Arguments(resume=tmp_path / "it")).shape.thumbs
    # a checkpoint brings its own choice along, and so do folders that know of none
    start = tmp_path / "deaf.safetensors"
    shape = replace(training.shape, **DEAF)
    save(start, TorchNetwork(shape).weights(), shape, training.game.signature)
    assert not begin(Arguments(out=tmp_path / "other", start=start, **words)).shape.thumbs
    more: dict[str, Any] = {"start": start, "thumbs": True, "foresight": True}
    grown = begin(Arguments(out=tmp_path / "grown", **more, **words)).learner
    assert grown.network.shape == training.shape
    old, new = load(start).weights["features.weight"], grown.network.weights()["features.weight"]
    assert same(np.ascontiguousarray(new[:, : -training.shape.told]), old)
    assert not new[:, -training.shape.told :].any()
    config = json.loads((tmp_path / "other" / "config.json").read_text())["arguments"]
    del config["thumbs"], config["foresight"]
    assert Arguments.read(config).thumbs is False
    assert Arguments.read(config).foresight is False


def test_what_is_foreseen_can_be_told_to_a_network_that_knew_the_rules_of_thumb(
    tmp_path: Path,
) -> None:
    game = make("mount_drago:players=2")
    shape, state = small(game, foresight=0), positions(game)
    torch.manual_seed(4)
    network = TorchNetwork(shape)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
    save(tmp_path / "it", network.weights(), shape, game.signature)
    started = load(tmp_path / "it")
    assert told(started, game, False, False) is started
    grown = told(started, game, False, True)
    assert grown.shape == small(game)
    turn = game.look(state)
    answers = [
        Network(known.shape, known.weights).forward(
            turn.observation,
            turn.legal.actions.astype(np.int64),
            turn.legal.counts,
            inputs(game, state, turn.legal, known.shape),
        )
        for known in (started, grown)
    ]
    for old, new in zip(*answers, strict=True):  # until it learns, that changes nothing
        assert np.abs(old - new).max() < 1e-5
    check_game(grown, game)
    other = replace(grown, shape=replace(grown.shape, foresight=3))
    with pytest.raises(ValueError, match="trained for foresight 3, but this game has foresight 18"):
        check_game(other, game)
