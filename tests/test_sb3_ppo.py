"""MaskablePPO with the policy that scores legal actions: its numbers, its files, its script."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.utils import obs_as_tensor

import tests.games  # noqa: F401  (registers the toy)
from agents import arena, neural
from agents.network import PADDING, Shape
from drago_env.wrappers.sb3_policy import LegalActionsPolicy
from tests.adapters import same
from train import sb3_ppo
from train.runs import EVALUATIONS, NETWORK, Run, RunError, read_table
from train.sb3_ppo import Arguments, main, make_env, make_model, progress_table, train

TINY = Arguments(
    opponents=("uniform",),
    steps=128,
    num_envs=8,
    num_steps=8,
    minibatch_size=32,
    update_epochs=2,
    evaluate_every=64,
    evaluate_games=4,
)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def model() -> MaskablePPO:
    """A model whose weights are large enough to prefer some actions clearly."""
    made = make_model(TINY, make_env(TINY))
    policy = made.policy
    assert isinstance(policy, LegalActionsPolicy)
    with torch.no_grad():
        policy.network.policy.weight.normal_(generator=torch.Generator().manual_seed(0))
    return made


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short training."""
    out = tmp_path_factory.mktemp("runs") / "sb3"
    train(replace(TINY, out=out))
    return out


def positions(model: MaskablePPO, number: int) -> Iterator[tuple[Any, Any]]:
    """Observations and masks on the way of the model's own games."""
    env = model.get_env()
    assert env is not None
    env.seed(3)
    seen: Any = env.reset()
    for _ in range(number):
        masks = get_action_masks(env).reshape(env.num_envs, -1)
        yield seen, masks
        actions, _ = model.predict(seen, action_masks=masks)
        seen, *_ = env.step(actions)


# ---------------------------------------------------------------- the policy


def brute_force(policy: LegalActionsPolicy, seen: Any, masks: Any, row: int) -> tuple[Any, float]:
    """The log-probabilities of one row, one legal action after the other, and its value."""
    logits = np.full(masks.shape[1], -np.inf)
    for action in np.flatnonzero(masks[row]):
        only = np.zeros_like(masks[row : row + 1])
        only[0, action] = True
        logit, value = policy.network(
            torch.from_numpy(seen["observation"][row : row + 1]),
            torch.from_numpy(only),
            torch.from_numpy(seen["action_features"][row : row + 1]),
        )
        logits[action] = float(logit[0, action])
    return logits - np.log(np.exp(logits).sum()), float(value[0])


def test_log_probabilities_are_those_of_the_network(model: MaskablePPO) -> None:
    policy: Any = model.policy
    for seen, masks in positions(model, 12):
        tensors = obs_as_tensor(seen, model.device)
        with torch.no_grad():
            actions, values, chosen = policy(tensors, action_masks=masks)
            again, repeated, entropy = policy.evaluate_actions(tensors, actions, masks)
            logits = policy.get_distribution(tensors).distribution.logits.numpy()
            alone = policy.predict_values(tensors)
            for row in range(TINY.num_envs):
                wanted, value = brute_force(policy, seen, masks, row)
                legal = masks[row]
                assert logits[row, legal] == pytest.approx(wanted[legal], abs=1e-5)
                assert (logits[row, ~legal] < PADDING / 100).all()
                assert float(chosen[row]) == pytest.approx(wanted[actions[row]], abs=1e-5)
                spread = -(np.exp(wanted[legal]) * wanted[legal]).sum()
                assert float(entropy[row]) == pytest.approx(spread, abs=1e-5)
                for answer in (values, again, alone):
                    assert float(answer[row, 0]) == pytest.approx(value, abs=1e-6)
        assert torch.equal(chosen, repeated)


def test_the_agent_neural_gives_the_same_probabilities(model: MaskablePPO) -> None:
    policy: Any = model.policy
    env: Any = model.get_env()
    batch = env._batch
    shape = Shape(**policy.shape._asdict())
    saved: Any = (policy.network.weights(), shape, batch.game.signature, {})
    player = neural.Neural(neural.Checkpoint(Path("x"), *saved))
    for seen, _ in positions(model, 10):
        found = player.evaluate(batch.game, batch.state)
        with torch.no_grad():
            dense = policy.get_distribution(obs_as_tensor(seen, model.device)).distribution.probs
        listed = np.take_along_axis(dense.numpy(), found.legal.actions.astype(np.int64), 1)
        there = np.arange(listed.shape[1]) < found.legal.counts[:, None]
        assert listed[there] == pytest.approx(found.priors[there], abs=1e-5)


def test_the_gradient_reaches_every_weight(model: MaskablePPO) -> None:
    policy: Any = model.policy
    seen, masks = next(positions(model, 1))
    tensors, actions = obs_as_tensor(seen, model.device), torch.from_numpy(masks.argmax(1))
    values, chosen, entropy = policy.evaluate_actions(tensors, actions, masks)
    (values.sum() + chosen.sum() + entropy.sum()).backward()
    for name, weight in policy.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().sum() > 0, name


@pytest.mark.parametrize("deterministic", [False, True])
def test_predicted_actions_are_legal(model: MaskablePPO, deterministic: bool) -> None:
    """Also where the caller has forgotten the masks, and in the form of a single game."""
    for seen, masks in positions(model, 40):
        for given in (masks, None):
            actions, _ = model.predict(seen, action_masks=given, deterministic=deterministic)
            assert masks[np.arange(TINY.num_envs), actions].all()
        one, _ = model.predict({key: part[0] for key, part in seen.items()})
        assert masks[0, int(one)]


def test_masks_of_the_caller_narrow_the_choice(model: MaskablePPO) -> None:
    for seen, masks in positions(model, 5):
        first = masks.argmax(1)
        only = np.zeros_like(masks)
        only[np.arange(TINY.num_envs), first] = True
        assert same(model.predict(seen, action_masks=only)[0], first)


def test_a_finished_game_has_a_value(model: MaskablePPO) -> None:
    seen, _ = next(positions(model, 1))
    ended = {key: np.zeros_like(part) for key, part in seen.items()}
    values = model.policy.predict_values(obs_as_tensor(ended, model.device))
    assert values.shape == (TINY.num_envs, 1)
    assert torch.isfinite(values).all()


# ---------------------------------------------------------------- a run and its files


def test_the_folder_of_a_run(run: Path) -> None:
    names = {path.name for path in run.iterdir()}
    assert {"config.json", "progress.csv", EVALUATIONS, NETWORK, "model.zip"} <= names
    assert not list(run.rglob("*.part"))
    rows = read_table(run / EVALUATIONS)
    assert [row["steps"] for row in rows] == ["64", "128"]
    assert {row["opponent"] for row in rows} == {"uniform"}


def test_the_file_to_exchange_holds_the_weights_of_the_model(run: Path) -> None:
    policy: Any = MaskablePPO.load(run / "model.zip").policy
    assert same(policy.network.weights(), dict(neural.load(run / NETWORK).weights))


def test_the_saved_network_plays_in_the_arena(run: Path) -> None:
    spec = f"neural:path={run / NETWORK}"
    columns = arena.run(arena.Config([spec, "greedy"], games=4), workers=1).columns
    assert len(next(iter(columns.values())))


def test_a_loaded_model_plays_the_same_and_goes_on(run: Path) -> None:
    one, two = (MaskablePPO.load(run / "model.zip", env=make_env(TINY)) for _ in range(2))
    for seen, masks in positions(one, 20):
        answers = [m.predict(seen, action_masks=masks, deterministic=True)[0] for m in (one, two)]
        assert same(*answers)
    before = {name: w.clone() for name, w in two.policy.state_dict().items()}
    two.learn(128, reset_num_timesteps=False)
    assert two.num_timesteps == 128 + 128
    assert any(not torch.equal(w, before[name]) for name, w in two.policy.state_dict().items())


def test_the_policy_alone_is_saved_and_loaded(model: MaskablePPO, tmp_path: Path) -> None:
    model.policy.save(str(tmp_path / "policy.pt"))
    loaded = LegalActionsPolicy.load(str(tmp_path / "policy.pt"))
    for seen, masks in positions(model, 5):
        answers = [
            player.predict(seen, action_masks=masks, deterministic=True)[0]
            for player in (model.policy, loaded)
        ]
        assert same(*answers)


def test_the_evaluation_of_the_library_works(model: MaskablePPO) -> None:
    mean, spread = evaluate_policy(model, make_env(TINY), n_eval_episodes=16, warn=False)
    assert -1 <= np.mean(mean) <= 1
    assert np.mean(spread) >= 0


def test_a_model_of_version_0_1_finds_its_policy() -> None:
    from train import sb3_policy

    assert sb3_policy.LegalActionsPolicy is LegalActionsPolicy


def test_a_reward_that_never_changes_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sb3_ppo, "MANY", 2)
    told = replace(TINY, num_steps=32, steps=256, evaluate_every=256, opponents=("greedy",))
    train(replace(told, out=tmp_path / "win"))
    assert "each of the last games paid -1" in capsys.readouterr().err
    train(replace(told, out=tmp_path / "margin", reward="margin"))
    assert "paid" not in capsys.readouterr().err
    assert neural.load(tmp_path / "margin" / NETWORK).shape.value_bound > 1


class Stopped(Exception):  # noqa: N818  (as a user would stop it)
    """The process ended here."""


def stop(monkeypatch: pytest.MonkeyPatch, updates: int) -> None:
    """Ends the training in the update after so many, as if the process had ended."""
    learn, done = MaskablePPO.train, [0]

    def counted(model: MaskablePPO) -> None:
        if done[0] == updates:
            raise Stopped
        done[0] += 1
        learn(model)

    monkeypatch.setattr(MaskablePPO, "train", counted)


def progress(out: Path) -> list[dict[str, float]]:
    rows = read_table(out / "progress.csv")
    return [{k: float(v) for k, v in row.items() if v and "time/" not in k} for row in rows]


@pytest.mark.parametrize("updates", [0, 1, 3])
def test_an_interrupted_run_ends_like_a_whole_one(
    updates: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, also where it was lengthened before it began."""
    told = replace(TINY, steps=5 * 64, save_every=2, evaluate_every=100)
    whole, out = tmp_path / "whole", tmp_path / "run"
    train(replace(told, out=whole))
    with monkeypatch.context() as patched:
        stop(patched, updates)
        with pytest.raises(Stopped):
            train(replace(told, out=out, steps=5 * 64 if updates else 3 * 64))
    train(Arguments(resume=out, steps=None if updates else 5 * 64))
    one, other = (Run.open(folder).load() for folder in (whole, out))
    assert one[1] == other[1]
    assert same(*({n: t for n, t in kept[0].items() if n != "games"} for kept in (one, other)))
    games = [np.load(io.BytesIO(kept[0]["games"].tobytes())) for kept in (one, other)]
    assert same(*(dict(snapshot) for snapshot in games))
    assert read_table(out / EVALUATIONS) == read_table(whole / EVALUATIONS)
    for mine, theirs in zip(progress(out), progress(whole), strict=True):
        assert mine == pytest.approx(theirs)
    assert same(*(dict(neural.load(folder / NETWORK).weights) for folder in (whole, out)))


def test_a_finished_run_goes_on_only_if_it_is_lengthened(tmp_path: Path) -> None:
    out = tmp_path / "run"
    train(replace(TINY, out=out))
    before = (out / EVALUATIONS).read_text(), (out / "progress.csv").read_text()
    train(Arguments(resume=out))
    assert before == ((out / EVALUATIONS).read_text(), (out / "progress.csv").read_text())
    train(Arguments(resume=out, steps=200))
    assert [row["steps"] for row in read_table(out / EVALUATIONS)] == ["64", "128", "192", "256"]
    with pytest.raises(ValueError, match="a run can be lengthened, not cut: --steps from 256"):
        train(Arguments(resume=out, steps=128))
    with pytest.raises(ValueError, match="all other arguments but --steps from the run folder"):
        train(Arguments(resume=out, seed=3))


def test_a_damaged_run_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "run"
    train(replace(TINY, out=out))
    tensors, about = Run.open(out).load()
    damage: dict[str, Any] = {
        "games": np.zeros(9, np.uint8),
        "starts": np.zeros(3, np.uint8),
        "numpy": np.zeros(3, np.uint32),
        "torch": np.zeros(3, np.uint8),
        "network.value.bias": np.full(1, np.nan, np.float32),
    }
    for name, wrong in damage.items():
        Run.open(out).save(tensors | {name: wrong}, about)
        with pytest.raises(RunError, match=r"resume\.safetensors cannot be read"):
            train(Arguments(resume=out))
    kind, _, *rest = about["numpy"]
    beyond = about | {"numpy": [kind, 10**6, *rest]}  # where numpy would read other memory
    less = [{key: value for key, value in about.items() if key != name} for name in about]
    for wrong in (beyond, *less):
        Run.open(out).save(tensors, wrong)
        with pytest.raises(RunError, match=r"resume\.safetensors cannot be read"):
            train(Arguments(resume=out))


def test_a_table_that_a_kill_has_cut_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    train(replace(TINY, out=out))
    file = out / "progress.csv"
    sound = file.read_text()
    head, *rows = sound.splitlines()
    with closing(progress_table(file, 10**9)):
        assert file.read_text() == sound  # nothing is lost before the next line
    for cut in (head[:9], f"{head}\n{rows[0]}\n{rows[-1][:9]}"):
        file.write_text(cut)
        progress_table(file, 10**9).close()
        assert file.read_text() == ("" if cut == head[:9] else f"{head}\n{rows[0]}\n")


def test_a_damaged_config_is_told(tmp_path: Path) -> None:
    out = tmp_path / "run"
    train(replace(TINY, out=out))
    file = out / "config.json"
    file.write_text(file.read_text().replace('"reward": null', '"reward": true'))
    with pytest.raises(RunError, match=r"config\.json cannot be read: reward must be one of win"):
        train(Arguments(resume=out))


def test_code_of_others_in_a_folder_is_run_only_if_trusted(tmp_path: Path) -> None:
    out = tmp_path / "run"
    train(replace(TINY, out=out, opponents=("tests.adapters:First",)))
    with pytest.raises(RunError, match="say --trust"):
        train(Arguments(resume=out))
    assert train(Arguments(resume=out, trust=True))


@pytest.mark.filterwarnings("ignore:rich is experimental")
def test_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = "--num-envs 8 --num-steps 8 --minibatch-size 32 --steps 64 --evaluate-games 4"
    out = tmp_path / "x"
    assert main([*sizes.split(), "--players", "3", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "| 3 | uniform |" in shown
    assert "| 3 | greedy |" in shown
    told = neural.load(out / NETWORK).card["arguments"]
    assert (told["players"], told["opponents"]) == (3, ["uniform", "greedy"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--opponents nobody", "nobody"),
        ("--players 6", "players"),
        ("--edition klingon", "edition"),
        ("--game mount_drago:players=6", "players"),
        ("--game mount_drago --players 3", "does not go with --game"),
        ("--opponents", "opponents must name at least one agent"),
        ("--lr 0.1", "--lr is now --learning-rate"),
        ("--learning-rate -1", "learning_rate must be from 0 to 1000"),
        ("--reward love", "reward"),
        ("--game mount_drago:reward=win --reward rank", "names its reward already"),
        ("--steps 0", "steps must be from 1"),
        ("--num-envs 1 --num-steps 33 --minibatch-size 32", "leaves a minibatch of"),
    ],
)
def test_bad_input_makes_no_folder(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: Any = main([*words.split(), "--out", str(tmp_path / "x")])
    except SystemExit as end:  # what the arguments themselves refuse ends in their parser
        code = end.code
    assert code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(RunError, match="exists already"):
        train(replace(TINY, out=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert sb3_ppo.main(["--out", str(tmp_path / "kept")]) == 2


# ---------------------------------------------------------------- another game


def test_a_game_without_features_is_trained_and_bootstrapped_where_it_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `train.ppo` does it: the value of what the learner saw last comes on top of its reward."""
    told = replace(TINY, game=("race:players=3,rounds=4",), num_steps=64, steps=1024)
    env = make_env(told)
    assert "action_features" not in env.observation_space.spaces  # type: ignore[attr-defined]
    model = make_model(told, env)
    expected: list[float] = []
    step_wait = env.step_wait

    def watched() -> Any:
        seen, rewards, done, infos = step_wait()
        for reward, over, info in zip(rewards, done, infos, strict=True):
            if over:
                last: Any = obs_as_tensor(info["terminal_observation"], model.device)
                with torch.no_grad():
                    value = float(
                        model.policy.predict_values({k: v[None] for k, v in last.items()})
                    )
                expected.append(reward + value * info["TimeLimit.truncated"])
        return seen, rewards, done, infos

    monkeypatch.setattr(env, "step_wait", watched)
    with torch.no_grad():
        model.policy.network.value.weight.mul_(50.0)  # type: ignore[union-attr, operator]
    learned: list[float] = []

    def look() -> None:
        buffer: Any = model.rollout_buffer
        ends = np.vstack([buffer.episode_starts[1:], model._last_episode_starts])  # type: ignore[list-item]
        learned.extend(buffer.rewards[ends == 1].tolist())

    monkeypatch.setattr(model, "train", look)
    model.learn(8 * 64)
    assert learned == pytest.approx(expected, abs=1e-5)
    assert sum(reward % 1 not in (0.0, 0.5) for reward in learned) > 2
    train(replace(told, out=tmp_path / "run", steps=128, num_steps=8))
    checkpoint = neural.load(tmp_path / "run" / NETWORK)
    assert checkpoint.shape.feature_size == 0
    rows = read_table(tmp_path / "run" / EVALUATIONS)
    assert "truncated" in rows[0]
    assert "margin" not in rows[0]
