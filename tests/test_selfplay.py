"""Self-play: every decision goes to the caller, and every seat gets what is its own."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

from drago_env import IllegalAction
from drago_env.core.trajectories import ENDED, OPEN, trajectories
from drago_env.mount_drago_v0 import raw_env, selfplay_env
from tests.adapters import ACTIONS, REWARDS, VARIANTS, Kept, picks, same


def steps(batch: Any, number: int, seed: int = 0) -> list[Any]:
    """The results of so many steps of random play."""
    rng = np.random.default_rng(seed)
    return [batch.step(picks(batch.action_masks(), rng)) for _ in range(number)]


def begun(batch: Any, number: int = 0, seed: int = 0) -> Any:
    batch.reset(seed=seed)
    steps(batch, number, seed)
    return batch


def stream(batch: Any, number: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Who decided, what every seat got, and what ended, in so many steps of random play."""
    batch.reset(seed=seed)
    rng = np.random.default_rng(seed)
    players, rewards, done = [], [], []
    for _ in range(number):
        players.append(batch.current_player)
        _, _, terminated, truncated, info = batch.step(picks(batch.action_masks(), rng))
        assert not truncated.any()
        rewards.append(info["rewards"])
        done.append(terminated)
    return np.stack(players), np.stack(rewards), np.stack(done)


# ---------------------------------------------------------------- trajectories

# seat 1 decides twice in a row; the first game ends by seat 0's move; the second stays open
SHORT: list[tuple[int, tuple[float, float, float], bool]] = [
    (0, (1, -1, 0), False),
    (1, (0, 2, -2), False),
    (1, (0.5, 0, -0.5), False),
    (2, (0, 0, 4), False),
    (0, (-1, 1, 0), True),
    (0, (2, 0, -2), False),
    (1, (0, 3, 0), False),
    (2, (5, 0, 0), False),
]
# What a seat got before its first decision of a game belongs to none of its decisions.
SHORT_REWARDS = [
    1 + 0 + 0.5 + 0,
    2,
    0 + 0 + 1,
    4 + 0,
    -1,
    2 + 0 + 5,
    3 + 0,
    0,
]
SHORT_FOLLOWING = [4, 2, ENDED, ENDED, ENDED, OPEN, OPEN, OPEN]


@pytest.mark.parametrize("kind", [bool, int, np.int8, float])
def test_a_short_stream_by_hand(kind: Any) -> None:
    players, rewards, done = zip(*SHORT, strict=True)
    twice = [np.stack([part, part], 1) for part in (players, rewards, np.array(done, kind))]
    turned = trajectories(*twice)
    for row in range(2):
        assert turned.rewards[:, row].tolist() == SHORT_REWARDS
        assert turned.following[:, row].tolist() == SHORT_FOLLOWING


def test_streams_side_by_side_do_not_touch() -> None:
    """The short stream beside one in which seat 2 alone decides and every step ends a game."""
    players = [[player, 2] for player, _, _ in SHORT]
    rewards = [[paid, (-1, -1, t)] for t, (_, paid, _) in enumerate(SHORT)]
    done = [[ended, True] for *_, ended in SHORT]
    turned = trajectories(players, rewards, done)
    assert turned.rewards[:, 0].tolist() == SHORT_REWARDS
    assert turned.following[:, 0].tolist() == SHORT_FOLLOWING
    assert turned.rewards[:, 1].tolist() == list(range(8))
    assert turned.following[:, 1].tolist() == [ENDED] * 8


def test_the_loser_gets_his_loss() -> None:
    """Seat 0 wins by the last move; seat 1, which is not on turn then, loses."""
    turned = trajectories(
        [[0], [1], [0]], [[[0, 0]], [[0, 0]], [[1, -1]]], [[False], [False], [True]]
    )
    assert turned.rewards[:, 0].tolist() == [0, -1, 1]
    assert turned.following[:, 0].tolist() == [2, ENDED, ENDED]


def test_an_empty_stream() -> None:
    turned = trajectories(np.zeros((0, 3), int), np.zeros((0, 3, 5)), np.zeros((0, 3), bool))
    assert turned.rewards.shape == turned.following.shape == (0, 3)


def test_random_streams_against_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    count, num_envs, seats = 60, 5, 4
    players = rng.integers(seats, size=(count, num_envs))
    rewards = rng.integers(-8, 9, (count, num_envs, seats)) / 4
    done = rng.random((count, num_envs)) < 0.15
    turned = trajectories(players, rewards, done)
    assert (turned.rewards.dtype.name, turned.following.dtype.name) == ("float32", "int64")
    for start in range(count):
        for row in range(num_envs):
            seat, total, following = players[start, row], 0.0, OPEN
            for step in range(start, count):
                if step > start and players[step, row] == seat:
                    following = step
                    break
                total += rewards[step, row, seat]
                if done[step, row]:
                    following = ENDED
                    break
            assert turned.rewards[start, row] == total
            assert turned.following[start, row] == following


@pytest.mark.parametrize("shapes", [((3,), (3, 2), (3,)), ((3, 1), (3, 1), (3, 1))])
def test_streams_of_wrong_shape_are_refused(shapes: Any) -> None:
    players, rewards, done = (np.zeros(shape, int) for shape in shapes)
    with pytest.raises(ValueError, match="num_envs, seats"):
        trajectories(players, rewards, done)


@pytest.mark.parametrize("reward", ["win", "rank"])
@pytest.mark.parametrize(("players", "edition"), VARIANTS)
def test_every_seat_of_every_game_is_paid(players: int, edition: str, reward: str) -> None:
    """Pay comes at the end: the last decision of each seat has it, the others have nothing."""
    batch = selfplay_env(6, players=players, edition=edition, reward=reward)
    movers, rewards, done = stream(batch, 400)
    turned = trajectories(movers, rewards, done)
    last = turned.following == ENDED
    assert not turned.rewards[~last].any()
    assert last.sum() == done.sum() * players
    assert turned.rewards.sum() == pytest.approx(0, abs=1e-4)
    for row in range(6):
        begin = 0
        for end in np.flatnonzero(done[:, row]).tolist():
            game = slice(begin, end + 1)
            own = {
                int(seat): float(paid)
                for seat, paid, closed in zip(
                    movers[game, row], turned.rewards[game, row], last[game, row], strict=True
                )
                if closed
            }
            assert own == pytest.approx(dict(enumerate(rewards[end, row, :players].tolist())))
            begin = end + 1


# ---------------------------------------------------------------- the environment


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("players", "edition"), VARIANTS)
def test_a_row_is_pettingzoos_game(players: int, edition: str, reward: str) -> None:
    batch = selfplay_env(3, players=players, edition=edition, reward=reward)
    singles = [raw_env(players, edition, reward=reward) for _ in range(3)]
    seen, info = batch.reset(seed=30)
    for row, single in enumerate(singles):
        single.reset(seed=30 + row)
    rng, games = np.random.default_rng(30), np.zeros(3, int)
    while games.min() == 0:
        assert seen in batch.observation_space
        assert same(info["action_mask"], seen["action_mask"])
        assert same(info["current_player"], batch.current_player)
        masks, movers = batch.action_masks(), batch.current_player
        assert np.array_equal(masks, seen["action_mask"] == 1)
        actions = picks(masks, rng)
        for row in np.flatnonzero(games == 0).tolist():
            single = singles[row]
            assert movers[row] == single.possible_agents.index(single.agent_selection)
            assert same({key: part[row] for key, part in seen.items()}, single.last()[0])
            single.step(int(actions[row]))
        seen, rewards, terminated, truncated, info = batch.step(actions)
        assert not truncated.any()
        assert same(rewards, info["rewards"][np.arange(3), movers].astype(float))
        assert info["rewards"].sum(1) == pytest.approx(0, abs=1e-6)
        for row in np.flatnonzero(games == 0).tolist():
            paid = list(singles[row].rewards.values())
            assert info["rewards"][row].tolist() == paid + [0.0] * (5 - players)
            assert terminated[row] == all(singles[row].terminations.values())
            if terminated[row]:
                scores = info["scores"][row, :players].tolist()
                record = singles[row].record()
                assert scores == record["scores"]
                assert np.flatnonzero(info["winners"][row]).tolist() == record["winners"]
            else:
                assert not (info["scores"][row].any())
                assert not (info["winners"][row].any())
        games += terminated


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [2, 5])
def test_the_rewards_of_a_game_add_up(players: int, reward: str) -> None:
    batch = selfplay_env(8, players=players, reward=reward)
    batch.reset(seed=0)
    total, games = np.zeros((8, players)), 0
    for _, _, terminated, _, info in steps(batch, 300):
        total += info["rewards"][:, :players]
        for row in np.flatnonzero(terminated).tolist():
            scores = info["scores"][row, :players].tolist()
            expected = [REWARDS[reward](scores, seat) for seat in range(players)]
            assert total[row] == pytest.approx(expected, abs=1e-5)
            total[row] = 0
            games += 1
    assert games > 8


def test_a_new_game_begins_in_the_same_step() -> None:
    batch = begun(selfplay_env(4, players=3))
    began = 0
    for seen, _, terminated, _, info in steps(batch, 200):
        assert seen["action_mask"].any(1).all()
        assert not info["current_player"][terminated].any()  # seat 0 begins
        assert (seen["observation"][terminated, 294] == 1).all()
        began += int(terminated.sum())
    assert began > 4


def test_the_features_are_those_of_the_listed_actions() -> None:
    batch = selfplay_env(4, action_features=True, players=3)
    first, _ = batch.reset(seed=1)
    for seen, *_ in [(first,), *steps(batch, 100)]:
        assert seen in batch.observation_space
        for row in range(4):
            count = seen["action_mask"][row].sum()
            listed = seen["legal_actions"][row, :count]
            assert listed.tolist() == np.flatnonzero(seen["action_mask"][row]).tolist()
        assert seen["action_features"].shape == (4, 12, 19)


def test_what_was_handed_out_never_changes() -> None:
    batch, kept = selfplay_env(4, action_features=True), Kept()
    kept.add(batch.reset(seed=3))
    rng = np.random.default_rng(3)
    for _ in range(120):
        masks = batch.action_masks()
        kept.add((masks, batch.current_player, batch.step(picks(masks, rng))))
    batch.reset()
    assert kept.unchanged()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (lambda a, m: np.where([0, 1, 0], (m == 0).argmax(1), a), IllegalAction, "row 1.*Legal: "),
        (lambda a, m: np.array([a[0], a[1], ACTIONS]), ValueError, "150"),
        (lambda a, m: np.array([a[0], -1, a[2]]), ValueError, "from 0"),
        (lambda a, m: a[:2], ValueError, r"shape \(3,\)"),
        (lambda a, m: a.astype(float), TypeError, "whole numbers"),
        (lambda a, m: None, (TypeError, ValueError), "actions"),
    ],
)
def test_bad_actions_raise_and_the_games_go_on(spoil: Any, error: Any, words: str) -> None:
    spoilt, whole = begun(selfplay_env(3), 9), begun(selfplay_env(3), 9)
    masks = spoilt.action_masks()
    with pytest.raises(error, match=words):
        spoilt.step(spoil(masks.argmax(1), masks))
    assert same(steps(spoilt, 80), steps(whole, 80))


def test_other_bad_input_is_refused() -> None:
    for number in (0, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            selfplay_env(number)
    batch = selfplay_env(2)
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        batch.step([0, 0])


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5])
def test_a_bad_seed_is_refused_and_the_games_go_on(seed: Any) -> None:
    spoilt, whole = begun(selfplay_env(2), 5), begun(selfplay_env(2), 5)
    with pytest.raises(ValueError, match="whole number"):
        spoilt.reset(seed=seed)
    assert same(steps(spoilt, 80), steps(whole, 80))
    assert same(spoilt.reset(), whole.reset())


# ---------------------------------------------------------------- seeds and games at rest


def test_seeds_of_rows() -> None:
    batch = selfplay_env(3)
    wanted = batch.reset(seed=7)
    following = batch.reset()
    games = steps(batch, 100)
    assert same(batch.reset(seed=7), wanted)
    assert same(batch.reset(), following)
    assert same(steps(batch, 100), games)
    assert not same(following, wanted)
    assert not same(selfplay_env(3).reset(), selfplay_env(3).reset())


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "snapshot"])
def test_a_copy_goes_on_identically(way: str) -> None:
    batch = begun(selfplay_env(4, players=3, action_features=True), 33)
    if way == "snapshot":
        file = io.BytesIO()
        np.savez(file, **batch.snapshot())
        file.seek(0)
        twin: Any = selfplay_env(4, players=3, action_features=True)
        twin.restore(np.load(file, allow_pickle=False))
    else:
        twin = copy.deepcopy(batch) if way == "deepcopy" else pickle.loads(pickle.dumps(batch))
    assert same(steps(batch, 120), steps(twin, 120))
    assert same(batch.reset(), twin.reset())
