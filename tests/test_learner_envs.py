"""What the environments of one learner promise to other libraries, over every game."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import (
    DictInfoToList,
    FlattenObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
)

import drago_env
from drago_env import IllegalAction
from drago_env.games import BUILT_IN
from drago_env.wrappers.learner import LearnerBatch
from drago_env.wrappers.makers import Makers, makers
from drago_env.wrappers.sb3 import LearnerVecEnv
from drago_env.wrappers.vector import LearnerVectorEnv
from tests.adapters import First, illegal, pick, picks, same
from tests.games import NAMES, short_makers

MAKERS = {name: short_makers(name) for name in NAMES}
NEXT, SAME, DISABLED = (
    AutoresetMode.NEXT_STEP,
    AutoresetMode.SAME_STEP,
    AutoresetMode.DISABLED,
)
KEYS = {"action_mask", "seat", "opponents", "scores", "winners", "rank"}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(name: str) -> Makers:
    return MAKERS[name]


def wrong(masks: Any) -> Any:
    """An illegal action for each row."""
    return np.array([illegal(mask) for mask in masks])


# ---------------------------------------------------------------- infos and masks


def shapes(info: dict[str, Any]) -> dict[str, Any]:
    """The form of an info; anything but numbers and arrays of them has none."""
    forms = {key: (np.asarray(v).dtype, np.shape(v)) for key, v in info.items()}
    assert all(kind.kind in "bif" for kind, _ in forms.values()), forms
    return forms


def test_infos_are_numbers_with_the_same_keys_at_every_step(make: Makers) -> None:
    rng = np.random.default_rng(0)
    single, batch = make.single_env(players=3), make.selfplay_env(3, players=3)
    vector, sb3 = make.vector_env(3, players=3), make.sb3_env(3, players=3)
    _seen, told = single.reset(seed=0)
    _, many = vector.reset(seed=0)
    _, every = batch.reset(seed=0)
    sb3.seed(0)
    sb3.reset()
    assert told.keys() == many.keys() == KEYS
    forms, many_forms, all_forms = shapes(told), shapes(many), shapes(every)
    row_forms, over, ended = shapes(sb3.reset_infos[0]), False, 0
    while not over or not ended:
        if not over:
            _, _, terminated, truncated, told = single.step(pick(told["action_mask"], rng))
            over = terminated or truncated
            assert shapes(told) == forms
        *_, many = vector.step(picks(many["action_mask"], rng))
        assert shapes(many) == many_forms
        *_, every = batch.step(picks(every["action_mask"], rng))
        assert shapes(every) == all_forms
        _, _, done, rows = sb3.step(picks(sb3.action_masks(), rng))
        for info, last in zip(rows, done, strict=True):
            info.pop("terminal_observation", None)
            assert (info.pop("episode", None) is not None) == last
            cut = info.pop("TimeLimit.truncated", None)
            assert (cut is not None) == last
            assert shapes(info) == row_forms
        ended += int(done.sum())


def finished(make: Makers) -> list[Any]:
    """The masks that every adapter gives of a finished game, and of a game's last observation."""
    rng, masks = np.random.default_rng(1), []
    single = make.single_env(players=2)
    seen, info = single.reset(seed=1)
    over = False
    while not over:
        seen, _, terminated, truncated, info = single.step(pick(info["action_mask"], rng))
        over = terminated or truncated
    masks += [seen["action_mask"], info["action_mask"], single.action_masks()]
    for mode in (NEXT, SAME, DISABLED):
        vector = make.vector_env(1, players=2, autoreset_mode=mode)
        _, info = vector.reset(seed=1)
        over = False
        while not over:
            seen, _, ended, cut, info = vector.step(picks(info["action_mask"], rng))
            over = bool(ended[0] | cut[0])
        if mode is SAME:
            masks += [info["final_obs"][0]["action_mask"], info["final_info"]["action_mask"][0]]
        else:
            masks += [seen["action_mask"][0], info["action_mask"][0], vector.action_masks()[0]]
    sb3 = make.sb3_env(1, players=2, flat=False)
    sb3.reset()
    done = [False]
    while not done[0]:
        _, _, done, infos = sb3.step(picks(sb3.action_masks(), rng))
    masks.append(infos[0]["terminal_observation"]["action_mask"])
    for maker in (make.raw_env, make.env):
        aec = maker(players=2)
        aec.reset(seed=1)
        for agent in aec.agent_iter():
            seen, _, terminated, truncated, info = aec.last()
            if terminated or truncated:
                masks += [
                    seen["action_mask"],
                    info["action_mask"],
                    aec.observe(agent)["action_mask"],
                ]
            aec.step(None if terminated or truncated else pick(seen["action_mask"], rng))
    return masks


def test_the_mask_of_a_finished_game_allows_the_last_action_everywhere(make: Makers) -> None:
    masks = finished(make)
    assert len(masks) == 3 + 3 + 2 + 3 + 1 + 2 * 2 * 3
    for mask in masks:
        assert np.flatnonzero(mask).tolist() == [len(mask) - 1]
        with np.errstate(all="raise"):
            odds = np.exp(np.where(mask == 1, 0.0, -np.inf))
            assert np.isfinite(odds / odds.sum()).all()


# ---------------------------------------------------------------- autoreset


def test_the_mode_is_an_attribute(make: Makers) -> None:
    for mode in AutoresetMode:
        assert make.vector_env(2, autoreset_mode=mode).autoreset_mode is mode
    assert make.selfplay_env(2).autoreset_mode is SAME


def test_with_autoreset_disabled_games_are_those_of_gymnasium(make: Makers) -> None:
    """Beside `SyncVectorEnv`, both reset by masks where games are over."""
    native = make.vector_env(4, players=2, autoreset_mode=DISABLED)
    sync: Any = SyncVectorEnv([lambda: make.single_env(players=2)] * 4, autoreset_mode=DISABLED)
    assert same(native.reset(seed=3)[0], sync.reset(seed=3)[0])
    rng, finished = np.random.default_rng(3), 0
    while finished < 6:
        actions = picks(native.action_masks(), rng)
        ours, theirs = native.step(actions), sync.step(actions)
        assert same(ours[:4], theirs[:4])
        for key in KEYS:
            assert same(ours[4][key], theirs[4][key])
        over = ours[2] | ours[3]
        finished += int(over.sum())
        if over.any():
            with pytest.raises(RuntimeError, match=rf"row {over.argmax()} is over.*reset_mask"):
                native.step(actions)
            again = native.reset(options={"reset_mask": over})
            assert same(again[0], sync.reset(options={"reset_mask": over})[0])
            assert not native._batch.over.any()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_gymnasiums_wrappers_count_games_in_every_mode(make: Makers, mode: AutoresetMode) -> None:
    inner = make.vector_env(3, players=2, autoreset_mode=mode)
    # of Gymnasium's own, those that transform observations know no same-step mode
    seen_as: Any = inner if mode is SAME else FlattenObservation(inner)
    wrapped: Any = DictInfoToList(NormalizeReward(RecordEpisodeStatistics(seen_as)))
    seen, infos = wrapped.reset(seed=5)
    rng, lengths, counted = np.random.default_rng(5), np.zeros(3, int), 0
    idle = np.zeros(3, np.bool_)
    while counted < 4:
        seen, _, terminated, truncated, infos = wrapped.step(picks(inner.action_masks(), rng))
        assert seen in wrapped.observation_space
        lengths = np.where(idle, 0, lengths + 1)
        over = terminated | truncated
        for row in np.flatnonzero(over).tolist():
            assert infos[row]["episode"]["l"] == lengths[row]
            counted += 1
        if mode is SAME:
            lengths[over] = 0
            assert all(
                ("final_info" in info) == last for info, last in zip(infos, over, strict=True)
            )
        idle = over & (mode is NEXT)
        if mode is DISABLED and over.any():
            wrapped.reset(options={"reset_mask": over})
            lengths[over] = 0


def test_a_mask_resets_its_rows_alone_in_every_mode() -> None:
    make = MAKERS["race"]
    for mode in AutoresetMode:
        vector, twin = (make.vector_env(3, autoreset_mode=mode) for _ in range(2))
        for one in (vector, twin):
            one.reset(seed=0)
        fresh = make.vector_env(3).reset(seed=[0, 77, 0])[0]
        rows = np.array([False, True, False])
        seen, _ = vector.reset(seed=[0, 77, 0], options={"reset_mask": rows})
        assert same(seen["observation"][1], fresh["observation"][1])
        actions = twin.action_masks().argmax(1)
        ours, theirs = vector.step(actions)[0], twin.step(actions)[0]
        assert same(ours["observation"][[0, 2]], theirs["observation"][[0, 2]])


@pytest.mark.parametrize(
    "mask", [[True, False], np.zeros(3, bool), np.ones(3), np.ones((3, 1), bool)]
)
def test_a_bad_reset_mask_is_refused(mask: Any) -> None:
    vector = MAKERS["race"].vector_env(3)
    vector.reset(seed=0)
    with pytest.raises(ValueError, match="reset_mask must be 3 booleans"):
        vector.reset(options={"reset_mask": mask})
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        MAKERS["race"].vector_env(2).reset(options={"reset_mask": np.array([True, False])})


# ---------------------------------------------------------------- illegal actions


def test_an_illegal_action_ends_the_game_if_asked(make: Makers) -> None:
    vector = make.vector_env(4, players=2, illegal="end")
    single = make.single_env(players=2, illegal="end")
    _seen, info = vector.reset(seed=2)
    alone, _ = single.reset(seed=2)
    assert not info["illegal"].any()
    masks = vector.action_masks()
    actions = np.where([True, False, True, False], wrong(masks), masks.argmax(1))
    twin = copy.deepcopy(vector)
    for one in (vector, twin):
        _, rewards, terminated, truncated, info = one.step(actions)
        assert info["illegal"].tolist() == [True, False, True, False]
        assert (rewards[[0, 2]] == -1).all()
        assert terminated[[0, 2]].all()
        assert not truncated[[0, 2]].any()
        assert (info["rank"][[0, 2]] == 2).all()
        assert not info["winners"][[0, 2]].any()
    last, reward, ended, cut, told = single.step(int(actions[0]))
    assert (reward, ended, cut, told["illegal"]) == (-1, True, False, True)
    assert same(last["observation"], alone["observation"])  # nothing was played
    other = make.vector_env(4, players=2, illegal="end")
    other.restore(vector.snapshot())
    following = vector.action_masks().argmax(1)
    first, second = vector.step(following), other.step(following)
    assert same(first, second)
    assert not first[2][[0, 2]].any()  # new games
    with pytest.raises(RuntimeError, match="over"):
        single.step(0)
    assert single.legal_texts() == []
    single.reset()
    assert single.legal_texts()


def test_a_legal_action_is_made_instead_if_asked(make: Makers) -> None:
    vector = make.vector_env(3, players=2, illegal="random")
    singles = [make.single_env(players=2, illegal="random") for _ in range(3)]
    _, info = vector.reset(seed=4)
    for row, single in enumerate(singles):
        assert single.reset(seed=4 + row)[1]["illegal"] is False
    assert info["illegal"].dtype == np.bool_
    live, rng = np.ones(3, np.bool_), np.random.default_rng(4)
    for turn in range(12):
        masks = vector.action_masks()
        actions = np.where(turn % 3 == np.arange(3), wrong(masks), picks(masks, rng))
        seen, rewards, terminated, truncated, info = vector.step(actions)
        for row in np.flatnonzero(live).tolist():
            alone, reward, ended, cut, told = singles[row].step(int(actions[row]))
            assert same(alone["observation"], seen["observation"][row])
            assert (reward, ended, cut) == (rewards[row], terminated[row], truncated[row])
            assert told["illegal"] == info["illegal"][row] == (turn % 3 == row)
        live &= ~(terminated | truncated)


def test_the_actions_made_instead_are_drawn_evenly() -> None:
    batch, rows = LearnerBatch(drago_env.make("race"), 1200, illegal="random"), np.arange(1200)
    batch.reset(rows.astype(np.uint64), rows)
    chosen = np.zeros(1200, np.int64)
    batch._mend(chosen, rows)
    assert batch.mask()[rows, chosen].all()
    counts = np.bincount(chosen // 5, minlength=60)  # every fifth way is legal at the start
    assert ((counts - 20) ** 2 / 20).sum() < 120


@pytest.mark.parametrize("mode", ["end", "random"])
def test_stable_baselines_is_told_of_illegal_actions(make: Makers, mode: str) -> None:
    batch = make.sb3_env(3, players=2, illegal=mode)
    batch.seed(0)
    batch.reset()
    assert [info["illegal"] for info in batch.reset_infos] == [False] * 3
    masks = batch.action_masks()
    actions = np.where([True, False, False], wrong(masks), masks.argmax(1))
    _, rewards, done, infos = batch.step(actions)
    assert [info["illegal"] for info in infos] == [True, False, False]
    assert bool(done[0]) == (mode == "end") == bool(rewards[0] == -1)
    assert ("terminal_observation" in infos[0]) == (mode == "end")
    *_, infos = batch.step(batch.action_masks().argmax(1))
    assert [info["illegal"] for info in infos] == [False] * 3


@pytest.mark.parametrize("mode", ["raise", "end", "random"])
def test_what_is_no_action_is_refused_in_every_mode(mode: str) -> None:
    single = MAKERS["race"].single_env(illegal=mode)
    single.reset(seed=0)
    no_actions: list[Any] = [-1, 300, 1.5, None]
    for action in no_actions:
        with pytest.raises(ValueError, match=r"whole number|from 0 to 299"):
            single.step(action)
    if mode == "raise":
        with pytest.raises(IllegalAction):
            single.step(illegal(single.action_masks()))


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
@pytest.mark.filterwarnings("ignore:.*is not set to :UserWarning")
@pytest.mark.parametrize("mode", ["end", "random"])
def test_gymnasiums_checker_passes_without_masks(make: Makers, mode: str) -> None:
    for form in ({}, {"flat": True}):
        check_env(make.single_env(players=2, illegal=mode, **form), skip_render_check=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["end", "random"])
def test_plain_algorithms_of_stable_baselines_run(
    make: Makers, mode: str, one_thread: None
) -> None:
    from stable_baselines3 import DQN, PPO

    small: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "seed": 0, "device": "cpu"}
    envs = make.sb3_env(2, players=2, illegal=mode)
    PPO("MlpPolicy", envs, n_steps=8, batch_size=16, n_epochs=1, **small).learn(16)
    DQN("MlpPolicy", envs, learning_starts=4, buffer_size=50, **small).learn(12)
    one = make.single_env(players=2, illegal=mode, flat=True)
    assert PPO("MlpPolicy", one, n_steps=8, batch_size=8, n_epochs=1, **small).learn(8)


# ---------------------------------------------------------------- several rules in one batch


def test_deals_draw_from_the_variants(name: str) -> None:
    most = drago_env.make(name).spec.max_players
    specs = [f"{name}:players={players}" for players in (2, most)]
    game: Any = drago_env.make(*specs)
    batch = LearnerBatch(game, 40, [First("a"), "uniform"], variants=[0, 1])
    rows = np.arange(40)
    batch.reset(np.arange(40, dtype=np.uint64), rows)
    players = game.players(batch.state)
    assert set(players.tolist()) == {2, most}
    assert (batch.learner < players).all()
    assert ((batch.met >= 0).sum(1) == players - 1).all()
    assert (batch.opponent_names()[players == 2][:, 1:] == "").all()
    assert batch.info()["winners"].shape == (40, most)
    kept = batch.snapshot()
    twin = LearnerBatch(game, 40, [First("a"), "uniform"], variants=[0, 1])
    twin.restore(kept)
    rng, over = np.random.default_rng(0), 0
    for _ in range(30):
        actions, live = picks(batch.mask(), rng), ~batch.over
        assert same(batch.step(actions, live), twin.step(actions, live))
        assert same(batch.info(), twin.info())
        over += int(batch.over.sum())
        batch.reset_following(np.flatnonzero(batch.over))
        twin.reset_following(np.flatnonzero(twin.over))
    with pytest.raises(ValueError, match="from 0 to 1, not 2"):
        LearnerBatch(game, 2, seat=2, variants=[0, 1])
    only = LearnerBatch(game, 8, variants=[1])
    only.reset(np.arange(8, dtype=np.uint64), np.arange(8))
    assert (game.players(only.state) == most).all()
    env = LearnerVecEnv(game, 8, variants=[0, 1])
    env.reset()
    assert len(env.reset_infos[0]["opponents"]) == most - 1
    assert LearnerVectorEnv(game, 2).reset(seed=0)[1]["opponents"].shape == (2, 1)


# ---------------------------------------------------------------- rule books


@pytest.mark.parametrize("name", BUILT_IN)
def test_tiny_rules_are_a_word_of_every_maker(name: str) -> None:
    make = MAKERS[name]
    small = drago_env.make(f"{name}:rules=tiny").spec
    made: Any = makers(name)
    for maker in (made.env, made.raw_env):
        aec = maker(rules="tiny")
        assert aec.action_space(aec.possible_agents[0]).n == small.num_actions
    assert made.single_env(rules="tiny").action_space.n == small.num_actions
    for batch in (made.vector_env(2, rules="tiny"), made.selfplay_env(2, rules="tiny")):
        assert batch.single_action_space.n == small.num_actions
    assert made.sb3_env(2, rules="tiny").action_space.n == small.num_actions
    assert made.game(rules="tiny").spec == small
    assert make.game(players=2).spec != small


def test_a_rule_book_is_its_own_copy(name: str) -> None:
    game = drago_env.make(name, threads=2)
    state = game.new(range(8))
    legal = game.legal(state)
    for twin in (copy.copy(game), copy.deepcopy(game), copy.deepcopy({"game": [game]})["game"][0]):
        assert twin is game
        other = state.copy()
        twin.step(other, legal.actions[:, 0].astype(np.int64))
        assert (twin.observe(state) == game.observe(state)).all()
