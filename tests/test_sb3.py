"""Stable-Baselines3: the batch as a native `VecEnv`, and MaskablePPO on it."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from drago_env import IllegalAction, Rules
from drago_env.mount_drago_v0 import sb3_env, vector_env
from tests.adapters import ACTIONS, VARIANTS, First, Kept, picks, same

FORMS: list[dict[str, Any]] = [
    {"flat": True},
    {"flat": "features"},
    {"flat": "thumbs"},
    {"flat": False},
    {"flat": False, "action_features": True},
]
BOARD = Rules.tiny().board  # short games


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def masks_of(batch: VecEnv) -> Any:
    """The masks, the way sb3-contrib fetches them."""
    return get_action_masks(batch).reshape(batch.num_envs, -1)


def steps(batch: VecEnv, number: int, seed: int = 0) -> list[Any]:
    """The results of so many steps of random play."""
    rng = np.random.default_rng(seed)
    return [batch.step(picks(masks_of(batch), rng)) for _ in range(number)]


def begun(batch: Any, number: int = 0, seed: int = 0) -> Any:
    batch.seed(seed)
    batch.reset()
    steps(batch, number, seed)
    return batch


def row_of(part: Any, row: int) -> Any:
    """One row of an observation."""
    return {key: p[row] for key, p in part.items()} if isinstance(part, dict) else part[row]


# ---------------------------------------------------------------- what the library asks for


def test_masks_come_as_one_array() -> None:
    batch = begun(sb3_env(5), 3)
    answer = batch.env_method("action_masks")
    assert len(answer) == 1
    assert (answer[0].shape, answer[0].dtype.name) == ((5, ACTIONS), "bool")
    stacked = np.stack(answer).reshape(5, -1)
    assert same(stacked, answer[0])
    assert same(masks_of(VecMonitor(batch)), stacked)
    assert same(np.stack(batch.env_method("action_masks", indices=[3, 1])), stacked[[3, 1]])
    assert same(np.stack(batch.env_method("action_masks", indices=2)), stacked[[2]])


def test_attributes_are_answered_for_the_batch() -> None:
    batch = sb3_env(4)
    assert is_masking_supported(batch)
    assert is_masking_supported(VecMonitor(batch))
    assert batch.has_attr("action_masks")
    assert not batch.has_attr("no_such_thing")
    assert batch.get_attr("render_mode") == [None] * 4
    assert batch.get_attr("render_mode", indices=[0, 2]) == [None] * 2
    assert batch.get_attr("render_mode", indices=1) == [None]
    with pytest.raises(AttributeError, match="no_such_thing"):
        batch.get_attr("no_such_thing")
    with pytest.raises(AttributeError, match="no_such_thing"):
        batch.set_attr("no_such_thing", 1)
    with pytest.raises(AttributeError, match="action_masks, opponent_names and set_opponents"):
        batch.env_method("no_such_thing")
    assert batch.env_is_wrapped(gymnasium.Wrapper) == [False] * 4
    assert batch.env_is_wrapped(gymnasium.Wrapper, indices=[0]) == [False]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("players", "edition"), VARIANTS)
def test_a_row_is_that_of_the_vector_environment(
    players: int, edition: str, form: dict[str, Any]
) -> None:
    """Beside Gymnasium's vector environment in same-step mode."""
    options: dict[str, Any] = {"players": players, "edition": edition, "reward": "margin", **form}
    options["opponents"] = ["uniform", First()]
    batch, vector = sb3_env(4, **options), vector_env(4, autoreset_mode="SameStep", **options)
    batch.seed(5)
    seen, (known, told) = batch.reset(), vector.reset(seed=5)
    assert same(seen, known)
    assert [info["seat"] for info in batch.reset_infos] == told["seat"].tolist()
    rng, games = np.random.default_rng(5), 0
    while games < 8:
        masks = masks_of(batch)
        assert same(masks, vector.action_masks())
        actions = picks(masks, rng)
        seen, rewards, done, infos = batch.step(actions)
        known, paid, over, _, told = vector.step(actions)
        assert same(seen, known)
        assert rewards.dtype == np.float32
        assert same(rewards, paid.astype(np.float32))
        assert same(done, over)
        for row in range(4):
            assert ("terminal_observation" in infos[row]) == over[row]
        for row in np.flatnonzero(over).tolist():
            games += 1
            last, final = infos[row]["terminal_observation"], row_of(told["final_obs"], row)
            if isinstance(last, dict):
                last, final = last["observation"], final["observation"]
            assert same(last, final)
            assert infos[row]["TimeLimit.truncated"] is False
        for row, info in enumerate(infos):
            theirs = told["final_info"] if over[row] else told
            for key in ("seat", "opponents", "scores", "winners", "rank"):
                assert np.array_equal(info[key], theirs[key][row])
            # what a VecEnv adds at the end
            own = {"terminal_observation", "TimeLimit.truncated", "episode"}
            assert info.keys() - own == {"seat", "opponents", "scores", "winners", "rank"}


@pytest.mark.parametrize("form", FORMS)
def test_the_spaces_contain_the_data(form: dict[str, Any]) -> None:
    batch = sb3_env(3, players=3, **form)
    batch.seed(0)
    seen, ended = batch.reset(), 0
    for row in range(3):
        assert row_of(seen, row) in batch.observation_space
    for seen, _, done, infos in steps(batch, 80):
        for row in range(3):
            assert row_of(seen, row) in batch.observation_space
            if done[row]:
                ended += 1
                assert infos[row]["terminal_observation"] in batch.observation_space
    assert ended


@pytest.mark.parametrize("form", FORMS)
def test_what_was_handed_out_never_changes(form: dict[str, Any]) -> None:
    batch, kept = sb3_env(4, **form), Kept()
    batch.seed(1)
    kept.add(batch.reset())
    rng = np.random.default_rng(1)
    for _ in range(80):
        masks = batch.env_method("action_masks")
        kept.add((masks, batch.step(picks(masks[0], rng))))
    batch.reset()
    assert kept.unchanged()


def test_seeds() -> None:
    batch = sb3_env(3)
    assert list(batch.seed(7)) == [7, 8, 9]
    first = batch.reset()
    games = steps(batch, 60)
    following = batch.reset()
    batch.seed(7)
    assert same(batch.reset(), first)
    assert same(steps(batch, 60), games)
    assert same(batch.reset(), following)
    assert not same(first, following)
    assert not same(sb3_env(3).reset(), sb3_env(3).reset())
    fewer = sb3_env(2)
    fewer.seed(8)
    assert same(first[1:], fewer.reset())


def test_new_opponents_come_with_each_games_next_reset() -> None:
    batch = VecMonitor(sb3_env(12, players=3, opponents=First("old")))
    begun(batch, 3)
    batch.env_method("set_opponents", [First("new")])
    began = np.zeros(12, np.bool_)
    for _, _, done, infos in steps(batch, 120):
        for row in np.flatnonzero(done):
            met = batch.env_method("opponent_names", infos[row]["opponents"])[0]
            assert set(met) == {"new" if began[row] else "old"}
        began |= done
    assert began.all()
    with pytest.raises(ValueError, match="unknown policy"):
        batch.env_method("set_opponents", "nobody")


def test_new_opponents_for_some_games_only_are_not_given_to_all() -> None:
    """The batch has one pool: a choice of games is refused rather than forgotten."""
    batch = begun(sb3_env(4, opponents=First("old")), 1)
    with pytest.raises((ValueError, TypeError, AttributeError), match="indices"):
        batch.env_method("set_opponents", First("new"), indices=[0])


def test_bad_actions_raise_and_the_games_go_on() -> None:
    spoilt, whole = begun(sb3_env(3), 5), begun(sb3_env(3), 5)
    masks = masks_of(spoilt)
    wrong = masks.argmax(1)
    wrong[1] = masks[1].argmin()
    with pytest.raises(IllegalAction, match=r"row 1.*Legal: "):
        spoilt.step(wrong)
    for actions in (masks.argmax(1)[:2], masks.argmax(1) * 1.0, masks.argmax(1) + ACTIONS):
        with pytest.raises(ValueError, match="actions"):
            spoilt.step(actions)
    assert same(steps(spoilt, 60), steps(whole, 60))


def test_steps_before_the_reset_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        sb3_env(2).step(np.zeros(2, int))


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "snapshot"])
def test_a_copy_goes_on_identically(way: str) -> None:
    batch = begun(sb3_env(4, players=3, reward="margin"), 30)
    if way == "snapshot":
        file = io.BytesIO()
        np.savez(file, **batch.snapshot())
        file.seek(0)
        twin: Any = sb3_env(4, players=3, reward="margin")
        twin.restore(np.load(file, allow_pickle=False))
    else:
        twin = copy.deepcopy(batch) if way == "deepcopy" else pickle.loads(pickle.dumps(batch))
    assert same(steps(batch, 60), steps(twin, 60))
    assert same(batch.reset(), twin.reset())


# ---------------------------------------------------------------- wrappers and training


@pytest.mark.parametrize("wrap", [VecMonitor, lambda batch: batch])
def test_the_end_of_a_game_tells_rewards_and_decisions(wrap: Any) -> None:
    """With the library's monitor and without it."""
    batch = begun(wrap(sb3_env(5, players=3, reward="margin")))
    steps(batch, 7)
    begun(batch)
    total, length, games = np.zeros(5), np.zeros(5, int), 0
    for _, rewards, done, infos in steps(batch, 100):
        total, length = total + rewards, length + 1
        for row in np.flatnonzero(done):
            assert infos[row]["episode"]["r"] == pytest.approx(total[row], abs=1e-4)
            assert infos[row]["episode"]["l"] == length[row]
            total[row], length[row], games = 0, 0, games + 1
    assert games > 5


def test_learning_logs_a_reward_curve() -> None:
    model = learner(sb3_env(8, board=BOARD))
    model.learn(8 * 16)
    assert {game["r"] for game in model.ep_info_buffer or ()} <= {-1.0, 0.0, 1.0}
    assert len(model.ep_info_buffer or ()) > 4


def learner(batch: VecEnv, policy: str = "MlpPolicy") -> MaskablePPO:
    return MaskablePPO(
        policy,
        batch,
        n_steps=16,
        batch_size=256,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        policy_kwargs={"net_arch": [128]},
        seed=0,
    )


@pytest.mark.parametrize(
    ("policy", "flat"),
    [("MlpPolicy", True), ("MlpPolicy", "features"), ("MultiInputPolicy", False)],
)
def test_it_trains_saves_loads_and_predicts(policy: str, flat: Any, tmp_path: Path) -> None:
    batch = VecMonitor(sb3_env(16, flat=flat, board=BOARD))
    model = learner(batch, policy)
    model.learn(2 * 16 * 16)
    model.save(tmp_path / "model.zip")
    loaded = MaskablePPO.load(tmp_path / "model.zip", env=batch)
    begun(batch)
    seen: Any = batch.reset()
    for _ in range(20):
        masks = masks_of(batch)
        actions, _ = model.predict(seen, action_masks=masks, deterministic=True)
        assert masks[np.arange(16), actions].all()
        assert same(loaded.predict(seen, action_masks=masks, deterministic=True)[0], actions)
        seen, *_ = batch.step(actions)
    before = loaded.num_timesteps
    loaded.learn(16 * 16, reset_num_timesteps=False)
    assert loaded.num_timesteps == before + 16 * 16


def test_the_rollout_buffer_holds_what_the_games_gave() -> None:
    """Observations and masks of each decision belong together: the action taken is legal."""
    model = learner(VecMonitor(sb3_env(8, board=BOARD)))
    model.learn(16 * 8)
    buffer = model.rollout_buffer
    masks = buffer.action_masks.reshape(-1, ACTIONS)
    actions = buffer.actions.reshape(-1).astype(int)
    assert masks[np.arange(len(masks)), actions].all()
    assert masks.any(1).all()
    # a card that may be played is in the hand, which opens the observation
    hands = buffer.observations.reshape(len(masks), -1)[:, :50]
    playing = ~masks[:, 100:].any(1)
    assert np.array_equal(hands[playing] > 0, masks[playing, :50] == 1)


def mean_reward(model: MaskablePPO) -> float:
    batch = VecMonitor(sb3_env(128, board=BOARD, reward="margin"))
    batch.seed(1000)
    mean, _ = evaluate_policy(model, batch, n_eval_episodes=2048, deterministic=False)
    return float(np.mean(mean))


def test_it_learns() -> None:
    """Over 2,048 games the error of a mean is 0.01; a trained model gains 0.12 or more."""
    model = learner(VecMonitor(sb3_env(128, board=BOARD, reward="margin")))
    before = mean_reward(model)
    model.learn(20 * 16 * 128)
    assert abs(before) < 0.06
    assert mean_reward(model) > before + 0.07
