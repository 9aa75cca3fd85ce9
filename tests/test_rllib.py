"""PPO in RLlib: what is played, paid and masked there, and the whole command in small."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ray.rllib.core.columns import Columns

import agents.neural
import tests.games  # noqa: F401  (registers the toy)
from agents.network import Shape
from drago_env import MountDrago, Rules
from drago_env.games import make
from drago_env.wrappers.aec import GameAEC
from drago_env.wrappers.selfplay import SelfPlayVectorEnv
from tests.adapters import REWARDS, pick, same
from train import rllib_league, rllib_ppo
from train.arguments import parse
from train.rllib_command import FORMER, Command

# RLlib registers one name in Gymnasium for every runner of the process
pytestmark = pytest.mark.filterwarnings("ignore:.*rllib-multi-agent-env-v0 already:UserWarning")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """On a busy machine threads of torch spend their time waiting for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def league(players: int = 2, **options: Any) -> rllib_league.LeagueEnv:
    game = {"game": f"mount_drago:players={players}"}
    pool = {"opponents": ["uniform", "greedy"], "past_selves": 2, "selfplay": 0.5}
    return rllib_league.LeagueEnv(game | pool | options)


# ---------------------------------------------------------------- the environment


@pytest.mark.parametrize("players", [2, 4])
def test_seats_are_given_out_at_reset_only(players: int) -> None:
    opponents = ["uniform", "search:playouts=1"]
    env, rng = league(players, opponents=opponents), np.random.default_rng(0)
    learners: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for _ in range(60):
        seen, _ = env.reset(seed=7)
        names, others = set(env.agents), set(env.opponents)
        shared = [name for name in names if rllib_league.module_of(name) == "shared"]
        assert len(shared) == (1 if others else players)
        learners.update(shared if others else ())
        met.update(others or ["itself"])
        over = False
        while not over:
            ((agent, looked),) = seen.items()
            assert looked in env.get_observation_space(agent)
            action = pick(looked["action_mask"], rng)
            seen, rewards, ended, cut, _ = env.step({agent: action})
            over = ended["__all__"]
            assert seen.keys() == rewards.keys() <= names
            assert not cut["__all__"]
            assert (set(env.agents), env.opponents) == (names, others)
        assert seen.keys() == names
    assert met.keys() == {"itself", "past", *opponents}
    assert len(learners) == players


def test_a_seed_gives_the_games_of_an_environment_but_is_heard_once() -> None:
    def starts(worker: int, seed: int) -> list[Any]:
        env = league()
        env._worker = worker
        made = []
        for _ in range(3):
            env.reset(seed=seed)
            made.append(env.env.record()["start"])
        return made

    first = starts(0, 1)
    assert starts(0, 1) == first
    assert first[0] != first[1] != first[2]
    assert starts(0, 2) != first != starts(1, 1)


# ---------------------------------------------------------------- what is paid

SMALL = Command(num_games=12, num_envs=3, num_env_runners=0)


@pytest.mark.parametrize(("players", "selfplay"), [(2, 1.0), (2, 0.0), (3, 0.5)])
def test_rewards_of_an_episode_are_those_of_the_game(players: int, selfplay: float) -> None:
    """Each seat is paid on its own last decision, whoever made the last move of the game."""
    command = replace(SMALL, players=players, selfplay=selfplay)
    records: dict[str, Any] = {}

    def keep(*, episode: Any, env: Any, env_index: int, **_: Any) -> None:
        records[episode.id_] = env.envs[env_index].unwrapped.env.record()

    aec = GameAEC(make(command.spec), action_features=True)
    config = rllib_ppo.configure(command, aec)
    runner = rllib_league.GameRunner(config=config.callbacks(on_episode_end=keep))
    episodes = runner.sample()
    assert len(episodes) == len(records) == 12
    for episode in episodes:
        record = records[episode.id_]
        if selfplay == 1:
            assert len(episode.agent_episodes) == players
        for agent, own in episode.agent_episodes.items():
            seat = int(agent[-1])
            due = REWARDS["win"](record["scores"], seat)
            moves = [move["action"] for move in record["moves"] if move["seat"] == seat]
            assert own.get_actions().tolist() == moves
            assert own.get_return() == pytest.approx(due)
            assert own.get_rewards()[-1] == pytest.approx(due)
            assert not own.get_rewards()[:-1].any()
            assert own.is_terminated


def test_a_game_that_is_cut_off_is_bootstrapped_from_what_each_seat_saw_last() -> None:
    """In a game without features, too; RLlib adds the value of the last observation itself."""
    command = replace(SMALL, game=("race:players=3",), opponents=(), selfplay=1.0)
    game = make(command.spec)
    finals: dict[str, Any] = {}

    def keep(*, episode: Any, env: Any, env_index: int, **_: Any) -> None:
        finals[episode.id_] = env.envs[env_index].unwrapped.env._state.copy()

    config = rllib_ppo.configure(command, GameAEC(game, action_features=True))
    runner = rllib_league.GameRunner(config=config.callbacks(on_episode_end=keep))
    cut = 0
    for episode in [*runner.sample(), *runner.sample()]:
        state = finals[episode.id_]
        truncated = bool(game.truncated(state)[0])
        cut += truncated
        for agent, own in episode.agent_episodes.items():
            assert (own.is_truncated, own.is_terminated) == (truncated, not truncated)
            seen = game.observe(state, int(agent[-1]))[0]
            assert same(own.get_observations(-1)["observation"], seen)
    assert cut > 0


# ---------------------------------------------------------------- what is legal


@pytest.fixture(scope="module")
def module() -> rllib_league.Learner:
    torch.manual_seed(0)
    env = SelfPlayVectorEnv(MountDrago(Rules()), 1, action_features=True)
    return rllib_league.Learner(
        observation_space=env.single_observation_space,
        action_space=env.single_action_space,
        model_config={"shape": asdict(Shape.of(env.game))},
    )


def positions(n: int = 64) -> dict[str, Any]:
    """A batch of positions as RLlib hands it over; the last one is of a finished game."""
    env = SelfPlayVectorEnv(MountDrago(Rules()), n, action_features=True)
    seen, _ = env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(9):
        seen, *_ = env.step([pick(mask, rng) for mask in seen["action_mask"]])
    seen["action_mask"][-1], seen["legal_actions"][-1] = 0, -1
    return {Columns.OBS: {name: torch.from_numpy(part) for name, part in seen.items()}}


@pytest.mark.parametrize("way", ["forward_exploration", "forward_inference", "forward_train"])
def test_illegal_actions_have_no_probability_at_all(module: rllib_league.Learner, way: str) -> None:
    batch = positions()
    legal = batch[Columns.OBS]["action_mask"].bool()
    logits = getattr(module, way)(batch)[Columns.ACTION_DIST_INPUTS]
    assert torch.isfinite(logits).all()
    chosen = module.get_exploration_action_dist_cls().from_logits(logits[:-1])
    chances = torch.softmax(logits[:-1], 1)
    assert (chances[~legal[:-1]] == 0).all()
    assert (chances[legal[:-1]] > 0).all()
    assert torch.isfinite(chosen.entropy()).all()
    for _ in range(50):
        assert legal[:-1].gather(1, chosen.sample()[:, None]).all()


def test_logits_stand_where_their_actions_are(module: rllib_league.Learner) -> None:
    batch = positions()
    seen = batch[Columns.OBS]
    listed = seen["legal_actions"] >= 0
    with torch.no_grad():
        logits = module.forward_train(batch)[Columns.ACTION_DIST_INPUTS]
        scores, values = module.network(
            seen["observation"], seen["legal_actions"], listed.sum(1), seen["action_features"]
        )
        for row in range(len(listed)):
            actions = seen["legal_actions"][row][listed[row]]
            assert torch.equal(logits[row, actions], scores[row][listed[row]])
        assert torch.equal(module.compute_values(batch), values)
        told = module.forward_train(batch)[Columns.EMBEDDINGS]
        assert torch.equal(module.compute_values(batch, told), values)


def test_no_gradient_flows_from_illegal_actions(module: rllib_league.Learner) -> None:
    batch = positions()
    legal = batch[Columns.OBS]["action_mask"].bool()
    for part, moved in ((~legal, False), (legal, True)):
        module.zero_grad()
        module.forward_train(batch)[Columns.ACTION_DIST_INPUTS][part].sum().backward()
        grads = [w.grad for w in module.parameters() if w.grad is not None]
        assert any(grad.any() for grad in grads) == moved


# ---------------------------------------------------------------- the command


def children() -> set[str]:
    """The commands of the processes below this one."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            found.add(Path(f"/proc/{child}/comm").read_text().strip())
    return found


WORDS = "--num-games 4 --num-envs 2 --minibatch-size 32 --update-epochs 1 --iterations 2 "
WORDS += "--freeze-every 1 --past-selves 1 --num-env-runners 0 --evaluate-games 4"


def test_a_small_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ray

    frozen, freeze, before = [], rllib_ppo._freeze, children()

    def watched(algorithm: Any, slot: int) -> None:
        runner = algorithm.env_runner.module
        old = {name: runner[name].get_state() for name in ("shared", "past_0")}
        freeze(algorithm, slot)
        assert not same(old["past_0"], old["shared"])
        assert same(runner["past_0"].get_state(), old["shared"])
        learnt = algorithm.learner_group.get_weights()
        assert same(learnt["past_0"], learnt["shared"])
        frozen.append(slot)

    monkeypatch.setattr(rllib_ppo, "_freeze", watched)
    out = tmp_path / "run"
    assert rllib_ppo.main([*WORDS.split(), "--out", str(out)]) == 0
    assert frozen == [0, 0]
    assert not ray.is_initialized()
    assert children() <= before
    told = capsys.readouterr()
    assert "| 2 | uniform | 4 |" in told.out
    assert "| 2 | greedy | 4 |" in told.out
    assert "steps/s" in told.err
    files = sorted(path.name for path in out.iterdir())
    assert files == ["config.json", "metrics.csv", "network.safetensors"]
    config = json.loads((out / "config.json").read_text())
    assert (config["num_games"], config["opponents"]) == (4, ["uniform", "greedy"])
    with (out / "metrics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["iteration"] for row in rows] == ["1", "2"]
    assert float(rows[1]["seconds"]) > 0 < int(rows[0]["steps"]) < int(rows[1]["steps"])
    assert rows[0].keys() >= {"win_share:uniform", "win_share:greedy", "win_share:past"}
    card = agents.neural.load(out / "network.safetensors").card
    assert card["iteration"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--opponents", "nobody"], "unknown policy 'nobody'"),
        (["--opponents", "clairvoyant"], "sees all that is hidden"),
        (["--game", "nothing"], "unknown game 'nothing'"),
        (["--games", "4"], "--games is now --num-games"),
        (["--address", "x:1"], "--address is now --ray"),
        (["--players", "6"], "players"),
        (["--edition", "french"], "german"),
        (["--board", "no such file"], "no such file"),
        (["--selfplay", "1.5"], "selfplay must be from 0 to 1"),
        (["--num-games", "0"], "num_games must be from 1 to 2147483647, not 0"),
        (["--seconds", "nan"], "seconds must be from 1"),
        (["--seed", "-1"], "seed must be from 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_made(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    try:
        code: Any = rllib_ppo.main(["--out", str(out), *words])
    except SystemExit as end:  # what the arguments themselves refuse ends in their parser
        code = end.code
    assert code == 2
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not out.exists()


def test_a_folder_that_holds_something_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kept").write_text("kept")
    for path in (tmp_path, tmp_path / "kept"):
        assert rllib_ppo.main(["--out", str(path)]) == 2
        assert "exists already" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["kept"]


def test_without_ray_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    out = tmp_path / "run"
    assert rllib_ppo.main(["--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert told == 'error: RLlib needs Ray: pip install "drago-env[rllib]"\n'
    assert not out.exists()


def test_the_defaults_are_those_of_the_documentation() -> None:
    command = parse(Command, "x", ["--out", "runs/x"], **FORMER)
    assert command == Command(out=Path("runs/x"))
    assert command.rivals == ("uniform", "greedy")
    assert parse(Command, "x", ["--opponents"]).rivals == ()
