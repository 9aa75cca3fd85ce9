"""The native vector environment: each row is the single environment, and resets are Gymnasium's."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, FlattenObservation, RecordEpisodeStatistics

from drago_env import IllegalAction
from drago_env.mount_drago_v0 import single_env, vector_env
from drago_env.wrappers.vector import LearnerVectorEnv
from tests.adapters import (
    ACTIONS,
    PLAYERS,
    VARIANTS,
    Dice,
    First,
    Kept,
    picks,
    same,
)

NEXT, SAME = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP
modes = pytest.mark.parametrize("mode", [NEXT, SAME])
FORMS: list[dict[str, Any]] = [{}, {"flat": True}, {"action_features": True}]


def make(num_envs: int, **options: Any) -> Any:
    mode = "vector_entry_point"
    return gymnasium.make_vec(
        "MountDrago-v0", num_envs=num_envs, vectorization_mode=mode, **options
    )


def steps(vector: Any, number: int, seed: int = 0) -> list[Any]:
    """The results of so many steps of random play."""
    rng = np.random.default_rng(seed)
    return [vector.step(picks(vector.action_masks(), rng)) for _ in range(number)]


def begun(vector: Any, number: int, seed: int = 0) -> Any:
    vector.reset(seed=seed)
    steps(vector, number, seed)
    return vector


def row_of(part: Any, row: int) -> Any:
    """One row of an observation."""
    return {key: p[row] for key, p in part.items()} if isinstance(part, dict) else part[row]


def plain(info: dict[str, Any], *without: str) -> dict[str, Any]:
    """An info in plain lists and numbers, so that only its contents are compared."""
    return {key: np.asarray(value).tolist() for key, value in info.items() if key not in without}


# ---------------------------------------------------------------- how it is made


@modes
def test_it_is_made_by_name_and_declares_its_mode(mode: AutoresetMode) -> None:
    made = make(7, players=3, autoreset_mode=mode)
    assert isinstance(made.unwrapped, LearnerVectorEnv)
    assert made.num_envs == 7
    assert made.metadata["autoreset_mode"] is mode
    assert made.unwrapped.autoreset_mode is mode
    assert make(7, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode
    assert make(2).metadata["autoreset_mode"] is NEXT
    assert made.single_action_space.n == ACTIONS


@modes
@pytest.mark.parametrize("form", FORMS)
def test_the_spaces_contain_the_data(form: dict[str, Any], mode: AutoresetMode) -> None:
    made = make(5, players=3, autoreset_mode=mode, **form)
    single = single_env(players=3, **form)
    assert made.single_observation_space == single.observation_space
    seen, _ = made.reset(seed=1)
    assert seen in made.observation_space
    for seen, rewards, terminated, truncated, info in steps(made.unwrapped, 60):
        assert seen in made.observation_space
        assert (rewards.shape, rewards.dtype.name) == ((5,), "float64")
        assert (terminated.shape, terminated.dtype.name) == ((5,), "bool")
        assert (truncated.shape, truncated.dtype.name) == ((5,), "bool")
        assert (info["action_mask"].shape, info["action_mask"].dtype.name) == ((5, 151), "int8")
        assert info["action_mask"].any(1).all()
        if not form.get("flat"):
            assert same(seen["action_mask"], info["action_mask"])
    masks = made.unwrapped.action_masks()
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, info["action_mask"] == 1)


# ---------------------------------------------------------------- rows are single environments


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("players", "edition"), VARIANTS)
def test_a_row_is_the_single_environment(players: int, edition: str, form: dict[str, Any]) -> None:
    options = {"players": players, "edition": edition, "reward": "margin", **form}
    vector = make(4, **options)
    listed = DictInfoToList(vector)
    singles = [single_env(**options) for _ in range(4)]
    seen, infos = listed.reset(seed=20)
    for row, single in enumerate(singles):
        alone, info = single.reset(seed=20 + row)
        assert same(row_of(seen, row), alone)
        assert plain(infos[row]) == plain(info)
    over = np.zeros(4, np.bool_)
    games, rng = 0, np.random.default_rng(1)
    while games < 8:
        masks = vector.unwrapped.action_masks()
        actions = picks(masks, rng)
        seen, rewards, terminated, truncated, infos = listed.step(actions)
        for row, single in enumerate(singles):
            if over[row]:
                assert masks[row].nonzero()[0].tolist() == [ACTIONS - 1]
                alone, info = single.reset()
                expected = (0.0, False, False)
            else:
                alone, *result, info = single.step(int(actions[row]))
                expected = tuple(result)  # type: ignore[assignment]
            assert (rewards[row], terminated[row], truncated[row]) == expected
            theirs = row_of(seen, row)
            games += int(terminated[row])
            assert same(theirs, alone)
            assert plain(infos[row]) == plain(info)
        over = terminated


def test_a_row_ends_with_the_same_info_as_the_single_environment() -> None:
    vector, single = begun(vector_env(1), 0), single_env()
    single.reset(seed=0)
    rng, over = np.random.default_rng(0), False
    while not over:
        actions = picks(vector.action_masks(), rng)
        *_, infos = vector.step(actions)
        *_, over, _, info = single.step(int(actions[0]))
    assert infos.keys() == info.keys()
    for key in info:
        assert np.asarray(infos[key][0]).tolist() == np.asarray(info[key]).tolist()


@modes
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("players", PLAYERS)
def test_resets_are_those_of_gymnasium(
    players: int, form: dict[str, Any], mode: AutoresetMode
) -> None:
    """Beside `SyncVectorEnv` over the single environment in the same mode."""
    native = vector_env(6, players=players, autoreset_mode=mode, **form)
    sync: Any = SyncVectorEnv(
        [lambda: single_env(players=players, **form)] * 6, autoreset_mode=mode
    )
    assert native.observation_space == sync.observation_space
    assert native.action_space == sync.action_space
    pairs: list[tuple[Any, Any]] = [(native.reset(seed=9), sync.reset(seed=9))]
    rng, finished = np.random.default_rng(9), 0
    while finished < 12:
        actions = picks(native.action_masks(), rng)
        pairs.append((native.step(actions), sync.step(actions)))
        over = pairs[-1][0][2]
        finished += int(over.sum())
    for ours, theirs in pairs:
        assert same(ours[1:-1], theirs[1:-1])
        assert same(ours[0], theirs[0])
        told, known = ours[-1], theirs[-1]
        assert {key for key in known if not key.startswith("_")} == {
            key for key in told if not key.startswith("_")
        }
        for key in {"final_obs", "final_info"} & set(known):
            assert same(told[f"_{key}"], known[f"_{key}"])
        for key in ("action_mask", "seat", "opponents", "scores", "winners", "rank"):
            assert same(told[key], known[key])


def ended_beside_gymnasium() -> tuple[Any, Any, Any]:
    """The infos of the first step in same-step mode that ends a game, ours and Gymnasium's."""
    options: dict[str, Any] = {"players": 3, "opponents": [First("a"), First("b")]}
    native = vector_env(6, autoreset_mode=SAME, **options)
    sync: Any = SyncVectorEnv([lambda: single_env(**options)] * 6, autoreset_mode=SAME)
    native.reset(seed=9)
    sync.reset(seed=9)
    rng, over = np.random.default_rng(9), np.zeros(6, np.bool_)
    while not over.any():
        actions = picks(native.action_masks(), rng)
        *_, ours = native.step(actions)
        _, _, over, _, theirs = sync.step(actions)
    return np.flatnonzero(over), ours, theirs


@pytest.mark.parametrize("key", ["scores", "rank", "seat", "opponents"])
def test_in_same_step_mode_the_final_info_is_that_of_the_old_game(key: str) -> None:
    rows, ours, theirs = ended_beside_gymnasium()
    for row in rows:
        told, known = ours["final_info"][key][row], theirs["final_info"][key][row]
        assert np.asarray(told).tolist() == np.asarray(known).tolist()


def test_in_same_step_mode_the_final_observation_comes_as_gymnasium_gives_it() -> None:
    rows, ours, theirs = ended_beside_gymnasium()
    assert same(ours["_final_obs"], theirs["_final_obs"])
    for row in rows:
        told, known = ours["final_obs"][row], theirs["final_obs"][row]
        assert same(told, known)


def test_games_that_tie_do_not_break_gymnasiums_own_vector_environment() -> None:
    sync: Any = SyncVectorEnv([single_env] * 24)
    _, info = sync.reset(seed=0)
    rng, ties = np.random.default_rng(0), 0
    for _ in range(400):
        *_, info = sync.step(picks(info["action_mask"], rng))
        ties += int((info["winners"].sum(1) == 2).sum())
    assert ties


# ---------------------------------------------------------------- the batch


@modes
def test_what_was_handed_out_never_changes(mode: AutoresetMode) -> None:
    vector, kept = vector_env(5, action_features=True, autoreset_mode=mode), Kept()
    kept.add(vector.reset(seed=3))
    rng = np.random.default_rng(3)
    for _ in range(50):
        masks = vector.action_masks()
        kept.add((masks, vector.step(picks(masks, rng))))
    vector.reset()
    assert kept.unchanged()


@pytest.mark.parametrize("players", [2, 4])
def test_opponents_are_asked_in_batches(players: int) -> None:
    decisions = 2 * (players - 1) * 7  # a card and six discards each, twice where a game ends
    calls, asked = {}, {}
    for num_envs in (8, 256):
        spy = First()
        vector = vector_env(num_envs, players=players, opponents=spy)
        vector.reset(seed=0)
        spy.asked.clear()
        rng = np.random.default_rng(0)
        most = 0
        for _ in range(60):
            before = len(spy.asked)
            vector.step(picks(vector.action_masks(), rng))
            most = max(most, len(spy.asked) - before)
        assert most <= decisions
        calls[num_envs], asked[num_envs] = len(spy.asked), sum(spy.asked)
    assert asked[256] > 16 * asked[8]
    assert calls[256] < 4 * calls[8]


def test_new_opponents_come_with_each_games_next_reset() -> None:
    vector = begun(vector_env(12, players=3, opponents=First("old")), 3)
    vector.set_opponents(First("new"))
    began = np.zeros(12, np.bool_)
    over = began.copy()
    for _, _, terminated, _, info in steps(vector, 80):
        began |= over
        expected = np.where(began, "new", "old")
        assert (vector.opponent_names(info["opponents"]) == expected[:, None]).all()
        over = terminated
    assert began.any()


def test_a_snapshot_goes_on_with_whom_its_games_meet() -> None:
    vector = begun(vector_env(12, players=3, opponents=First("old")), 3)
    vector.set_opponents(First("new"))
    for told in (vector.step, lambda actions: steps(vector, 80)[-1]):  # before and after resets
        met = told(picks(vector.action_masks(), np.random.default_rng(3)))[-1]["opponents"]
        snapshot = vector.snapshot()
        vector.restore(snapshot)
        assert same(vector.snapshot(), snapshot)
        *_, info = vector.step(picks(vector.action_masks(), np.random.default_rng(3)))
        playing = ~info["_final_info"] if "_final_info" in info else np.ones(12, np.bool_)
        assert (info["opponents"] == met)[playing].all()
    with pytest.raises(ValueError, match=r"games meet new.*and those here uniform: name the same"):
        begun(vector_env(12, players=3), 3).restore(snapshot)


def test_a_snapshot_in_which_another_seat_learns_is_refused() -> None:
    vector = begun(vector_env(3), 3)
    snapshot = vector.snapshot()
    for name, change in (("learner", 1 - snapshot["learner"]), ("rewards", np.nan)):
        broken = dict(snapshot) | {name: snapshot[name] * 0 + change}
        with pytest.raises(ValueError, match=r"is not on turn|must be finite"):
            vector.restore(broken)
    assert same(vector.snapshot(), snapshot)


def test_opponents_that_have_left_are_forgotten() -> None:
    old = First("old")
    gone = weakref.ref(old)
    vector = begun(vector_env(3, opponents=old), 3)
    vector.set_opponents("uniform")
    vector.reset()
    steps(vector, 3)
    del old
    gc.collect()
    assert gone() is None


def test_episode_statistics() -> None:
    vector = RecordEpisodeStatistics(vector_env(6, players=3, reward="margin"))
    vector.reset(seed=2)
    total, length = np.zeros(6), np.zeros(6, int)
    rng, over = np.random.default_rng(2), np.zeros(6, np.bool_)
    for _ in range(100):
        masks = vector.env.action_masks()  # type: ignore[attr-defined]
        _, rewards, terminated, _, info = vector.step(picks(masks, rng))
        total, length = np.where(over, 0, total + rewards), np.where(over, 0, length + 1)
        over = terminated
        if over.any():
            assert np.array_equal(info["_episode"], over)
            assert np.allclose(info["episode"]["r"][over], total[over], atol=1e-5)
            assert np.array_equal(info["episode"]["l"][over], length[over])


def test_gymnasiums_flattened_observations() -> None:
    vector = FlattenObservation(vector_env(6))
    vector.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(60):
        masks = vector.env.action_masks()  # type: ignore[attr-defined]
        seen, *_ = vector.step(picks(masks, rng))
        assert seen in vector.observation_space


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (lambda a, m: np.where([0, 1, 0], (m == 0).argmax(1), a), IllegalAction, "row 1.*Legal: "),
        (lambda a, m: np.array([a[0], a[1], ACTIONS]), ValueError, r"actions\[2\].*0 to 150"),
        (lambda a, m: np.array([a[0], -1, a[2]]), ValueError, r"actions\[1\].*0 to 150"),
        (lambda a, m: a[:2], ValueError, "3 whole numbers"),
        (lambda a, m: a[:, None], ValueError, "3 whole numbers"),
        (lambda a, m: a.astype(float), ValueError, "3 whole numbers"),
        (lambda a, m: None, ValueError, "3 whole numbers"),
    ],
)
def test_bad_actions_raise_and_the_games_go_on(
    spoil: Any, error: type[Exception], words: str
) -> None:
    spoilt, whole = begun(vector_env(3), 4), begun(vector_env(3), 4)
    masks = spoilt.action_masks()
    with pytest.raises(error, match=words):
        spoilt.step(spoil(masks.argmax(1), masks))
    assert same(steps(spoilt, 40), steps(whole, 40))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint64, list])
def test_actions_are_any_whole_numbers(dtype: Any) -> None:
    one, other = begun(vector_env(3), 4), begun(vector_env(3), 4)
    actions = one.action_masks().argmax(1)
    given = actions.tolist() if dtype is list else actions.astype(dtype)
    assert same(one.step(given), other.step(actions))


def test_a_finished_row_ignores_its_action() -> None:
    one, other = vector_env(4), vector_env(4)
    for vector in (one, other):
        vector.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(4, np.bool_)
    for _ in range(60):
        actions = picks(one.action_masks(), rng)
        first, second = one.step(actions), other.step(np.where(over, 0, actions))
        assert same(first, second)
        over = first[2]


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="Never"):
        vector_env(2, autoreset_mode="Never")
    with pytest.raises(ValueError, match="one of raise, end, random, not 'ignore'"):
        vector_env(2, illegal="ignore")
    for number in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            vector_env(number)
    vector = vector_env(2)
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        vector.step([0, 0])
    with pytest.raises(ValueError, match="2 games need as many seeds, not 3"):
        vector.reset(seed=[1, 2, 3])


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, [-1, 0, 1], [0, 1.5, 2]])
def test_a_bad_seed_is_refused_and_the_games_go_on(seed: Any) -> None:
    spoilt, whole = begun(vector_env(3), 5), begun(vector_env(3), 5)
    with pytest.raises(ValueError, match="whole number"):
        spoilt.reset(seed=seed)
    assert same(steps(spoilt, 40), steps(whole, 40))
    assert same(spoilt.reset(), whole.reset())


# ---------------------------------------------------------------- seeds and games at rest


def test_seeds_of_rows() -> None:
    vector = vector_env(3)
    wanted = vector.reset(seed=7)
    assert same(vector.reset(seed=[7, 8, 9]), wanted)
    following = vector.reset()
    vector.reset(seed=7)
    assert same(vector.reset(), following)
    assert not same(following, wanted)
    assert not same(vector_env(3).reset(), vector_env(3).reset())


def through_a_file(vector: Any, **options: Any) -> Any:
    """A fresh environment that goes on from the snapshot of this one, saved without pickling."""
    file = io.BytesIO()
    np.savez(file, **vector.snapshot())
    file.seek(0)
    fresh = vector_env(vector.num_envs, **options)
    fresh.restore(np.load(file, allow_pickle=False))
    return fresh


@modes
@pytest.mark.parametrize("opponents", [("uniform", First()), (Dice(),)], ids=["rows", "dice"])
@pytest.mark.parametrize("way", ["deepcopy", "pickle", "snapshot"])
def test_a_copy_goes_on_identically(way: str, opponents: Any, mode: AutoresetMode) -> None:
    options = {"players": 3, "reward": "margin", "opponents": opponents, "autoreset_mode": mode}
    vector = vector_env(8, **options)
    vector.reset(seed=1)
    rng, over = np.random.default_rng(1), np.zeros(8, np.bool_)
    while not over.any():  # some games are over, others are not
        _, _, over, *_ = vector.step(picks(vector.action_masks(), rng))
    if way == "snapshot":
        twin = through_a_file(vector, **options)
    else:
        twin = copy.deepcopy(vector) if way == "deepcopy" else pickle.loads(pickle.dumps(vector))
    assert same(steps(vector, 60), steps(twin, 60))
    assert same(vector.reset(), twin.reset())


@pytest.mark.parametrize(
    ("options", "words"),
    [({"num_envs": 4}, "4 games, not of 3"), ({"num_envs": 3, "players": 5}, "players")],
)
def test_a_snapshot_of_other_games_is_refused(options: dict[str, Any], words: str) -> None:
    snapshot = begun(vector_env(**options), 3).snapshot()
    spoilt, whole = begun(vector_env(3), 3), begun(vector_env(3), 3)
    with pytest.raises(ValueError, match=words):
        spoilt.restore(snapshot)
    assert same(steps(spoilt, 40), steps(whole, 40))
