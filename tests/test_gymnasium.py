"""Gymnasium: one learner among opponents, with the mask and the reward where they belong."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, RecordVideo
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from drago_env import IllegalAction, RulesError
from drago_env.mount_drago_v0 import raw_env, single_env
from drago_env.wrappers.single import LearnerEnv
from tests.adapters import (
    ACTIONS,
    PLAYERS,
    REWARDS,
    VARIANTS,
    Dice,
    First,
    Kept,
    Step,
    begun,
    episode,
    illegal,
    pick,
    same,
)

SEATS = [(players, seat) for players in PLAYERS for seat in range(players)]


class FirstLegal(gymnasium.ActionWrapper[Any, Any, Any], RecordConstructorArgs):
    """Plays the first legal action instead of an illegal one, for checkers that know no mask."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def action(self, action: Any) -> Any:
        mask = self.get_wrapper_attr("action_masks")()
        return action if mask[action] else int(mask.argmax())


def make(**options: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("MountDrago-v0", **options)


# ---------------------------------------------------------------- how it is made, and checkers


def test_the_ids_and_the_defaults() -> None:
    assert isinstance(make().unwrapped, LearnerEnv)
    assert isinstance(gymnasium.make("drago_env:MountDrago-v0").unwrapped, LearnerEnv)
    options = inspect.signature(LearnerEnv).parameters
    defaults = {name: options[name].default for name in ("opponents", "seat", "flat")}
    assert defaults == {"opponents": None, "seat": None, "flat": False}
    assert options["action_features"].default is False
    single = single_env()
    _, info = single.reset(seed=0)
    assert info["opponents"].tolist() == [0]
    assert single.opponent_names() == ["uniform"]


unwrapped = pytest.mark.filterwarnings(
    "ignore:.*is different from the unwrapped version:UserWarning"
)
FORMS: list[dict[str, Any]] = [{}, {"flat": True}, {"action_features": True}]


@unwrapped
@pytest.mark.filterwarnings("ignore:Your observation action_features has an unconventional shape")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("players", "edition"), VARIANTS)
def test_gymnasiums_and_sb3s_checkers(players: int, edition: str, form: dict[str, Any]) -> None:
    single = FirstLegal(single_env(players=players, edition=edition, **form))
    check_env(single, skip_render_check=True)
    sb3_check_env(single)


@unwrapped
@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_gymnasiums_checker_with_pictures(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(FirstLegal(make(render_mode=mode).unwrapped))


@pytest.mark.parametrize("form", FORMS)
def test_spaces_and_dtypes(form: dict[str, Any]) -> None:
    single = single_env(players=3, **form)
    assert single.action_space == spaces.Discrete(ACTIONS)
    first = single.reset(seed=1)
    start: Step = (first[0], 0.0, False, False, first[1])
    for seen, _, over, truncated, info in [start, *episode(single)]:
        assert seen in single.observation_space
        assert truncated is False
        assert info["action_mask"].dtype == np.int8
        assert not over or np.flatnonzero(info["action_mask"]).tolist() == [ACTIONS - 1]
        assert info["action_mask"].any()
        if form.get("flat"):
            assert seen.dtype == np.float32
            continue
        assert same(seen["action_mask"], info["action_mask"])
        assert seen["observation"].dtype == np.float32
        if "action_features" in form:
            features = seen["action_features"]
            assert features.shape == (ACTIONS, 19)
            assert features.dtype == np.float32
            assert not features[seen["action_mask"] == 0].any()
            assert over or features[seen["action_mask"] == 1].any(1).all()
            assert not over or not features.any()


def test_the_forms_tell_the_same() -> None:
    plain, flat, more = (single_env(**form) for form in FORMS)
    for one in (plain, flat, more):
        one.reset(seed=3)
    for a, b, c in zip(episode(plain), episode(flat), episode(more), strict=True):
        assert same(a[0]["observation"], b[0])
        assert same(a[0], {key: c[0][key] for key in a[0]})
        assert same(a[1:], b[1:])
        assert same(a[1:], c[1:])


@pytest.mark.parametrize("players", PLAYERS)
def test_masks_agree_and_arrays_stay(players: int) -> None:
    single, kept = make(players=players), Kept()
    kept.add(single.reset(seed=2))
    rng = np.random.default_rng(2)
    over = False
    while not over:
        mask = single.get_wrapper_attr("action_masks")()
        assert mask.dtype == np.bool_
        seen, _, over, _, info = result = single.step(pick(mask, rng))
        now = single.get_wrapper_attr("action_masks")()
        assert np.array_equal(now, info["action_mask"] == 1)
        assert np.array_equal(now, seen["action_mask"] == 1)
        kept.add((result, now))
    single.reset()
    assert kept.unchanged()


def test_writing_into_what_was_handed_out_does_not_spoil_the_game() -> None:
    single = begun(single_env(), 3)
    seen, *_, info = single.step(int(single.action_masks().argmax()))
    wrong = illegal(single.action_masks())
    for mask in (seen["action_mask"], info["action_mask"], single.action_masks()):
        mask[:] = 1
    with pytest.raises(IllegalAction):
        single.step(wrong)


# ---------------------------------------------------------------- rewards


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_the_reward_is_what_the_seat_got_since_its_last_decision(
    players: int, seat: int, reward: str
) -> None:
    """Against PettingZoo's environment with the same seed, the learner's and the others' moves."""
    opponents = [First("low"), First("high", last=True)]
    single = single_env(players=players, seat=seat, reward=reward, opponents=opponents)
    aec = raw_env(players=players, reward=reward)
    for seed in range(3):
        _, info = single.reset(seed=seed)
        assert info["seat"] == seat
        names = ["", *single.opponent_names()]
        aec.reset(seed=seed)
        rng = np.random.default_rng(seed)
        expected: list[tuple[float, bool]] = []
        got: list[tuple[float, bool]] = []
        early = 0.0  # what came before the first decision belongs to the first reward
        for agent in aec.agent_iter():
            seen, paid, over, *_ = aec.last()
            mask = seen["action_mask"]
            mover = aec.possible_agents.index(agent)
            if mover == seat:
                if got:
                    expected.append((paid + early, over))
                early = 0.0 if got else paid
            if over:
                aec.step(None)
            elif mover == seat:
                action = pick(mask, rng)
                assert np.array_equal(single.action_masks(), mask == 1)
                _, amount, ended, *_ = single.step(action)
                got.append((amount, ended))
                aec.step(action)
            elif names[(mover - seat) % players] == "low":
                aec.step(int(mask.argmax()))
            else:
                aec.step(int(ACTIONS - 1 - mask[::-1].argmax()))
        assert [ended for _, ended in got] == [ended for _, ended in expected]
        assert np.allclose([r for r, _ in got], [r for r, _ in expected], atol=1e-5)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_the_rewards_of_an_episode_add_up(players: int, seat: int, reward: str) -> None:
    single = single_env(players=players, seat=seat, reward=reward, edition="italian")
    for seed in range(4):
        single.reset(seed=seed)
        steps = episode(single, seed)
        scores = steps[-1][4]["scores"].tolist()
        final = REWARDS[reward](scores, seat)
        assert sum(step[1] for step in steps) == pytest.approx(final, abs=1e-5)
        assert all(isinstance(step[1], float) for step in steps)
        if reward != "margin":
            assert steps[-1][1] == pytest.approx(final)


# ---------------------------------------------------------------- seats and the end


@pytest.mark.parametrize("players", PLAYERS)
def test_the_seat_is_drawn_evenly(players: int) -> None:
    single = single_env(players=players)
    drawn = [single.reset(seed=seed)[1]["seat"] for seed in range(600)]
    counts = np.bincount(drawn, minlength=players)
    expected = 600 / players
    assert ((counts - expected) ** 2 / expected).sum() < 25
    following = [single.reset()[1]["seat"] for _ in range(100)]
    assert set(following) == set(range(players))


def test_the_final_info() -> None:
    single = single_env(players=4, opponents=[First("x"), "uniform"])
    for seed in range(20):
        single.reset(seed=seed)
        *running, (_, _, _, _, last) = episode(single, seed)
        for *_, info in running:
            assert info.keys() == last.keys()
            assert not (info["scores"].any())
            assert not (info["winners"].any())
            assert not (info["rank"])
        scores, seat = last["scores"].tolist(), last["seat"]
        assert len(scores) == 4
        assert last["winners"].tolist() == [score == max(scores) for score in scores]
        above = sum(score > scores[seat] for score in scores)
        equal = sum(score == scores[seat] for score in scores)
        assert last["rank"] == 1 + above + (equal - 1) / 2
        assert set(single.opponent_names(last["opponents"])) <= {"x", "uniform"}
        assert single.opponent_names(last["opponents"]) == single.opponent_names()


def test_the_learner_can_plan_too() -> None:
    viewed, plain = begun(single_env(seat=1), 5), begun(single_env(seat=1), 5)
    views = [viewed.view() for _ in range(4)]
    hands = np.concatenate([view.state["hand"].copy() for view in views])
    assert len(np.unique(hands[:, 1], axis=0)) == 1
    assert len(np.unique(hands[:, 0], axis=0)) > 1
    for view in views:
        view.game.step(view.state, view.game.legal(view.state).actions[:, 0])
    assert same(episode(viewed), episode(plain))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"players": 6}, RulesError, "players"),
        ({"players": 0}, RulesError, "players"),
        ({"players": 3, "seat": 3}, ValueError, "from 0 to 2"),
        ({"seat": -1}, ValueError, "from 0 to 1"),
        ({"opponents": "nobody"}, ValueError, "unknown policy 'nobody'.*uniform"),
        ({"opponents": ["uniform", "nobody"]}, ValueError, "unknown policy 'nobody'"),
        ({"opponents": []}, ValueError, "at least one policy"),
        ({"opponents": [3]}, TypeError, "act"),
        ({"flat": True, "action_features": True}, ValueError, "flat"),
        ({"render_mode": "svg"}, ValueError, "ansi"),
        ({"oponents": "uniform"}, TypeError, "oponents"),
    ],
)
def test_bad_options_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        single_env(**options)


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        ("illegal", IllegalAction, "Legal: "),
        (ACTIONS, ValueError, "from 0 to 150"),
        (-1, ValueError, "from 0 to 150"),
        (1.0, ValueError, "whole number"),
        (None, ValueError, "whole number"),
        ([1, 2], ValueError, "whole number"),
    ],
)
def test_a_bad_action_raises_and_the_game_goes_on(
    action: Any, error: type[Exception], words: str
) -> None:
    spoilt, plain = begun(single_env(players=3), 7), begun(single_env(players=3), 7)
    with pytest.raises(error, match=words):
        spoilt.step(illegal(spoilt.action_masks()) if action == "illegal" else action)
    assert same(episode(spoilt), episode(plain))


def test_steps_before_the_reset_and_after_the_end_are_refused() -> None:
    single = single_env()
    for call in (lambda: single.step(0), single.view, single.snapshot):
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            call()
    single.reset(seed=0)
    last = episode(single)[-1]
    with pytest.raises(RuntimeError, match=r"over.*reset\(\)"):
        single.step(ACTIONS - 1)
    assert np.array_equal(single.snapshot()["state"]["score"][0, :2], last[4]["scores"])
    with pytest.raises(RuntimeError, match="render_mode"):
        single.render()


def test_an_unknown_opponent_does_not_spoil_the_game() -> None:
    spoilt, plain = begun(single_env(), 4), begun(single_env(), 4)
    with pytest.raises(ValueError, match="unknown policy"):
        spoilt.set_opponents("nobody")
    assert same(episode(spoilt), episode(plain))
    assert same(spoilt.reset(), plain.reset())


# ---------------------------------------------------------------- Gymnasium's wrappers


def test_episode_statistics() -> None:
    single = RecordEpisodeStatistics(make(players=3, reward="margin"))
    single.reset(seed=5)
    steps = episode(single)
    told = steps[-1][4]["episode"]
    assert told["l"] == len(steps)
    assert told["r"] == pytest.approx(sum(step[1] for step in steps), abs=1e-5)


def test_flattened_observations() -> None:
    single, plain = FlattenObservation(make()), make()
    seen, _ = single.reset(seed=5)
    parts, _ = plain.reset(seed=5)
    assert seen in single.observation_space
    assert same(seen, spaces.flatten(plain.observation_space, parts))
    for flat, whole in zip(episode(single), episode(plain), strict=True):
        assert same(flat[0], spaces.flatten(plain.observation_space, whole[0]))


def test_a_video_has_a_frame_for_each_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for the encoder, so that nothing needs to be installed for it."""
    films: list[tuple[list[Any], float, str]] = []

    class Clip:
        def __init__(self, frames: list[Any], fps: float) -> None:
            self.frames, self.fps = list(frames), fps

        def write_videofile(self, path: str, logger: Any) -> None:
            films.append((self.frames, self.fps, Path(path).name))

    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    encoder = ModuleType("moviepy.video.io.ImageSequenceClip")
    monkeypatch.setattr(encoder, "ImageSequenceClip", Clip, raising=False)
    monkeypatch.setitem(sys.modules, encoder.__name__, encoder)
    single = RecordVideo(
        make(render_mode="rgb_array"), str(tmp_path / "films"), episode_trigger=bool
    )
    single.reset(seed=0)
    episode(single)
    single.reset(seed=1)
    steps = episode(single)
    single.close()  # type: ignore[no-untyped-call]
    ((frames, fps, name),) = films
    assert len(frames) == len(steps) + 1
    assert {(frame.shape, frame.dtype.name) for frame in frames} == {(frames[0].shape, "uint8")}
    assert all(not np.array_equal(a, b) for a, b in pairwise(frames))
    assert (fps, name) == (single.metadata["render_fps"], "rl-video-episode-1.mp4")


def test_a_video_is_written(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="Gymnasium writes videos with moviepy")
    single = RecordVideo(make(render_mode="rgb_array", seat=0), str(tmp_path / "films"))
    single.reset(seed=0)
    for _ in range(5):
        single.step(int(single.get_wrapper_attr("action_masks")().argmax()))
    single.close()  # type: ignore[no-untyped-call]
    film = (tmp_path / "films" / "rl-video-episode-0.mp4").read_bytes()
    assert film[4:8] == b"ftyp"  # how the file format begins


# ---------------------------------------------------------------- seeds and games at rest


def test_a_seed_is_a_game_and_the_next_ones_follow_from_it() -> None:
    games = []
    for _ in range(2):
        single = make(players=3)
        first = single.reset(seed=4)
        played = [first, episode(single)]
        for _ in range(2):
            played += [single.reset(), episode(single)]
        games.append(played)
    assert same(games[0], games[1])
    assert not same(games[0][0], games[0][2])
    assert not same(make().reset(), make().reset())


def through_a_file(single: Any, opponents: Any) -> Any:
    """A fresh environment that goes on from the snapshot of this one, saved without pickling."""
    file = io.BytesIO()
    np.savez(file, **single.snapshot())
    file.seek(0)
    fresh = single_env(players=3, reward="margin", opponents=opponents)
    fresh.restore(np.load(file, allow_pickle=False))
    return fresh


@pytest.mark.parametrize("opponents", [("uniform", First()), (Dice(),)], ids=["rows", "dice"])
@pytest.mark.parametrize("moves", [0, 10, -1])
@pytest.mark.parametrize("way", ["deepcopy", "pickle", "snapshot"])
def test_a_copy_goes_on_identically(way: str, moves: int, opponents: Any) -> None:
    single = single_env(players=3, reward="margin", opponents=opponents)
    if moves < 0:
        single.reset(seed=6)
        moves = len(episode(single, 6))
    begun(single, moves, 6)
    if way == "snapshot":
        twin = through_a_file(single, opponents)
    else:
        twin = copy.deepcopy(single) if way == "deepcopy" else pickle.loads(pickle.dumps(single))
    for _ in range(2):
        if not single._batch.over[0]:
            assert same(episode(single), episode(twin))
        assert same(single.reset(), twin.reset())


def test_a_copy_goes_on_with_the_same_views() -> None:
    single = begun(single_env(), 5)
    single.view()
    twin = single_env()
    twin.restore(single.snapshot())
    assert same(single.view().state, twin.view().state)
