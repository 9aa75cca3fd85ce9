"""Training over every game and the toy: one network for all its variants, and every trainer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import neural
from drago_env import make, play
from drago_env.game import Game
from drago_env.games import BUILT_IN
from tests.games import NAMES
from train import rllib_league, rllib_ppo, runs, sb3_ppo
from train.arguments import Arguments, make_game, rewarded, simple_agents
from train.demo import Demo, demonstrate
from train.evaluate import Evaluation, as_markdown
from train.ppo import begin, train
from train.prepare import completed
from train.rllib_command import Command

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    # RLlib registers one name in Gymnasium for every runner of the process
    pytest.mark.filterwarnings("ignore:.*rllib-multi-agent-env-v0 already:UserWarning"),
]
EVERY_GAME = pytest.mark.parametrize("name", NAMES)
SMALL = Arguments(
    num_envs=6,
    num_steps=40,
    steps=6 * 40 * 3,
    trunk=(8,),
    action=(8,),
    lessons=6 * 40,
    teacher="search:playouts=4",
    opponents=("uniform",),
    pool_share=0.5,
    save_every=1,
    evaluate_every=2,
    evaluate_against=("uniform",),
    evaluate_games=4,
    threads=1,
)


def variants(name: str) -> tuple[str, ...]:
    """The game with the fewest and with the most players."""
    spec = make(name).spec
    return f"{name}:players={spec.min_players}", f"{name}:players={spec.max_players}"


def plays(game: Game, network: Path) -> None:
    """The network plays whole games, alone and as an adviser."""
    players = int(game.players(game.new(0))[0])
    spec, guided = f"neural:path={network}", f"guided:path={network},playouts=4"
    assert len(play(game, [spec, *[guided] * (players - 1)], range(3)).scores) == 3
    other = next(name for name in NAMES if name != game.spec.name)
    with pytest.raises(neural.CheckpointError, match="was trained for"):
        play(make(f"{other}:players=2"), [spec] * 2, [0])


@EVERY_GAME
def test_one_network_learns_all_variants_and_goes_on_to_the_last_bit(
    name: str, tmp_path: Path
) -> None:
    told = replace(SMALL, game=variants(name), out=tmp_path / "whole")
    whole = train(told)
    assert whole.game.spec.name == name
    out = tmp_path / "half"
    half = begin(replace(told, out=out))
    half.go_on()
    half.run.close()
    again = train(Arguments(resume=out))
    for weight, other in zip(
        whole.learner.network.weights().values(),
        again.learner.network.weights().values(),
        strict=True,
    ):
        assert (weight == other).all()
    rows = runs.read_table(out / runs.EVALUATIONS)
    players = [make(spec).players(make(spec).new(0))[0] for spec in variants(name)]
    assert {int(row["players"]) for row in rows} == {*players}
    spec = whole.game.spec
    assert ("margin" in rows[0]) == spec.has_points
    assert ("truncated" in rows[0]) == spec.can_truncate
    card = (out / "card.md").read_text()
    assert ("margin" in card) == spec.has_points
    assert ("cut off" in card) == spec.can_truncate
    plays(make(variants(name)[0]), out / runs.NETWORK)


@EVERY_GAME
def test_a_learner_is_paid_what_the_game_thinks_best_unless_told(name: str) -> None:
    best = getattr(make(name), "training_reward", None)
    wanted = name if best is None else f"{name}:reward={best}"
    assert completed(Arguments(game=(name,))).specs == [wanted]
    assert sb3_ppo.Arguments(game=(name,)).spec == wanted
    assert Command(game=(name,)).spec == wanted
    told = f"{name}:players=2,reward=win"
    assert completed(Arguments(game=(told,))).specs == [told]
    assert sb3_ppo.Arguments(game=(told,)).spec == told


def test_long_games_pay_on_the_way() -> None:
    rewards = {name: make(rewarded(name)).reward for name in BUILT_IN}  # type: ignore[attr-defined]
    assert rewards == {
        "mount_drago": "win",
        "dragon_delta": "rank",
        "rupe_dei_draghi": "progress",
    }


@EVERY_GAME
def test_deals_draw_every_variant(name: str) -> None:
    game, numbers = make_game(variants(name))
    state = game.new(range(len(numbers)), variants=numbers)
    spec = game.spec
    assert game.players(state).tolist() == [spec.min_players, spec.max_players]


@EVERY_GAME
def test_stable_baselines_trains_it(name: str, tmp_path: Path) -> None:
    sizes: dict[str, Any] = {
        "num_envs": 4,
        "num_steps": 16,
        "minibatch_size": 16,
        "steps": 64,
        "evaluate_games": 4,
    }
    told = sb3_ppo.Arguments(out=tmp_path / "run", game=(name,), **sizes)
    assert told.rivals == tuple(n for n in simple_agents(name) if n != "heuristic")
    found = sb3_ppo.train(told)
    assert [evaluation.opponent for evaluation in found] == list(told.rivals)
    plays(make(name), tmp_path / "run" / runs.NETWORK)


def test_other_libraries_mix_specs_of_a_game(tmp_path: Path) -> None:
    """Each deal draws one; an arena for each number of players."""
    specs = ("race:players=2,rounds=3", "race:players=5,rounds=3")
    told = sb3_ppo.Arguments(out=tmp_path / "run", game=specs, num_envs=16, minibatch_size=16)
    told = replace(told, num_steps=4, steps=64, evaluate_games=4)
    env = sb3_ppo.make_env(told)
    env.reset()
    state = env._batch.state
    assert set(state["players"].tolist()) == {2, 5}
    found = sb3_ppo.train(told)
    assert [evaluation.players for evaluation in found] == [2] * len(told.rivals) + [5] * len(
        told.rivals
    )
    config = {"game": list(specs), "opponents": ["uniform"], "past_selves": 0, "selfplay": 0.5}
    league, rng, met = rllib_league.LeagueEnv(config), np.random.default_rng(0), set()
    assert len(league.possible_agents) == 5
    for seed in range(12):
        seen, _ = league.reset(seed=seed)
        over = False
        while not over:
            ((agent, last),) = seen.items()
            met.add(league.env.max_num_agents)
            legal = np.flatnonzero(last["action_mask"])
            seen, _, ended, cut, _ = league.step({agent: int(rng.choice(legal))})
            over = ended["__all__"] or cut["__all__"]
    assert met == {2, 5}
    command = Command(game=specs)
    assert command.specs == list(specs)
    with pytest.raises(ValueError, match="different games"):
        rllib_league.LeagueEnv(config | {"game": ["race", "mount_drago"]})


@EVERY_GAME
def test_rllib_trains_it(name: str, tmp_path: Path) -> None:
    command = Command(
        game=(name,),
        out=tmp_path / "run",
        num_games=2,
        num_envs=1,
        minibatch_size=32,
        update_epochs=1,
        iterations=1,
        past_selves=1,
        num_env_runners=0,
        evaluate_games=0,
    )
    plays(make(name), rllib_ppo.train(command))


@EVERY_GAME
def test_the_win_share_is_that_of_the_game_whatever_it_pays(name: str) -> None:
    env = rllib_league.LeagueEnv(
        {"game": name, "opponents": ["uniform"], "past_selves": 0, "selfplay": 0.0}
    )
    logged: list[float] = []

    class Logger:
        def log_value(self, key: Any, value: float, window: int) -> None:
            logged.append(value)

    class Episode:
        agent_episodes: Any

    class Envs:
        envs = (type("Wrapped", (), {"unwrapped": env}),)

    rng, expected, cut_off = np.random.default_rng(0), [], []
    for seed in range(8):
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            ((agent, looked),) = seen.items()
            action = int(rng.choice(np.flatnonzero(looked["action_mask"])))
            seen, _, ended, cut, _ = env.step({agent: action})
            over = ended["__all__"] or cut["__all__"]
        cut_off.append(cut["__all__"])
        Episode.agent_episodes = {agent: None}
        seat = env.env.possible_agents.index(agent.partition(":")[2])
        expected.append(float(env.env.game.shares(env.env._state)[0, seat]))
        rllib_league.log_win_share(episode=Episode, metrics_logger=Logger(), env=Envs, env_index=0)
    assert logged == expected
    assert len({*logged}) > 1 or all(cut_off)  # then the shares are equal


def test_a_value_fits_what_the_game_may_pay(tmp_path: Path) -> None:
    told = replace(SMALL, game=("mount_drago:reward=margin",), out=tmp_path / "run", lessons=0)
    training = train(told)
    bound = training.game.spec.reward_bound
    assert bound > 1
    assert neural.load(tmp_path / "run" / runs.NETWORK).shape.value_bound == bound
    network = training.learner.network
    with torch.no_grad():
        network.value.bias.fill_(50.0)
        seen = torch.zeros(1, training.game.spec.observation_size)
        assert float(network.values(seen)[0]) == pytest.approx(bound)
    saved = neural.Checkpoint(
        Path("x"), network.weights(), training.shape, training.game.signature, {}
    )
    found = neural.Neural(saved).evaluate(training.game, training.game.new(range(3)))
    assert found.values == pytest.approx([bound] * 3)


def test_a_table_has_no_columns_that_the_game_has_not() -> None:
    plain = Evaluation(2, "uniform", 8, 0.5, 0.0, -0.1, 0.1)
    assert "margin" not in as_markdown([plain])
    assert "cut off" not in as_markdown([plain])
    assert plain.row().keys() == {
        "players",
        "opponent",
        "games",
        "win_share",
        "difference",
        "low",
        "high",
    }
    cut = as_markdown([replace(plain, truncated=3)])
    assert "| 2 | uniform | 8 | 3 | 0.500 |" in cut
    points = as_markdown([replace(plain, margin=1.0, margin_low=0.5, margin_high=1.5)])
    assert "+1.00 [+0.50, +1.50]" in points


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_demo_shows_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demonstrate(Demo(tmp_path / "demo", game=name, steps=1, lessons=0, games=4))
    assert f"Training a network for {name}, from the rules of thumb" in capsys.readouterr().out
    assert "<html" in (tmp_path / "demo" / "game.html").read_text(encoding="utf-8")
