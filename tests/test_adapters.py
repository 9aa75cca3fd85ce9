"""Every adapter over every game and the toy."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import drago_env
from drago_env.core.planning import judge
from drago_env.core.trajectories import ENDED, trajectories
from drago_env.games import BUILT_IN
from drago_env.testing import same
from drago_env.thumbs import NEAR, near_gaps, weights_of
from drago_env.wrappers.makers import Makers, makers
from tests.adapters import pick, picks
from tests.games import NAMES, SHORT, short_makers

with warnings.catch_warnings():  # PettingZoo's own tests import its deprecated API
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test

MAKERS = {name: short_makers(name) for name in NAMES}


def most(name: str) -> int:
    return drago_env.make(name).spec.max_players


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(name: str) -> Makers:
    return MAKERS[name]


# ---------------------------------------------------------------- PettingZoo


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
def test_pettingzoos_own_tests_pass(name: str, make: Makers) -> None:
    for players in (2, most(name)):
        api_test(make.env(players=players), num_cycles=300, verbose_progress=False)
        api_test(make.raw_env(players=players), num_cycles=300, verbose_progress=False)
    seed_test(lambda: make.env(players=2), num_cycles=60)


@pytest.mark.filterwarnings("ignore")
def test_every_render_mode_shows_a_picture(make: Makers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(lambda render_mode: make.raw_env(render_mode=render_mode))


def play_on(env: Any, rng: np.random.Generator, limit: int = 10_000) -> list[Any]:
    """All that an environment tells while random legal actions are made."""
    told = []
    for _ in range(limit):
        if not env.agents:
            break
        seen, reward, terminated, truncated, _ = env.last()
        told.append((env.agent_selection, seen, reward, terminated, truncated))
        over = terminated or truncated
        env.step(None if over else pick(seen["action_mask"], rng))
    return told


def test_rewards_of_a_game_are_those_of_the_rule_book(name: str, make: Makers) -> None:
    env = make.raw_env(players=3)
    for seed in range(3):
        env.reset(seed=seed)
        told = play_on(env, np.random.default_rng(seed))
        record = env.record()
        game, totals = drago_env.make(name, players=3, **SHORT.get(name, {})), np.zeros(3)
        state = game.new(seed)
        for move in record["moves"]:
            totals += game.step(state, [move["action"]]).rewards[0, :3]
        got = dict.fromkeys(env.possible_agents, 0.0)
        for agent, _, reward, *_ in told:
            got[agent] += reward
        assert np.allclose(list(got.values()), totals, atol=1e-5)
        ended = {(terminated, truncated) for *_, terminated, truncated in told[-3:]}
        cut = bool(game.truncated(state)[0])
        assert ended == {(not cut, cut)}


@pytest.mark.parametrize("how", ["deepcopy", "pickle", "snapshot"])
def test_a_copy_of_a_game_goes_on_alike(make: Makers, how: str) -> None:
    env = make.raw_env(players=2)
    env.reset(seed=5)
    play_on(env, np.random.default_rng(1), 9)
    if how == "snapshot":
        other = make.raw_env(players=2)
        other.restore(env.snapshot())
    else:
        other = copy.deepcopy(env) if how == "deepcopy" else pickle.loads(pickle.dumps(env))
    one, two = (play_on(e, np.random.default_rng(2), 60) for e in (env, other))
    assert data_equivalence(one, two, exact=True)


# ---------------------------------------------------------------- one learner


def test_a_row_of_a_batch_is_the_single_game(make: Makers) -> None:
    n, words = 5, {"players": 3, "opponents": ["uniform", "search:playouts=4"]}
    batch = make.vector_env(n, **words)
    seen, info = batch.reset(seed=11)
    singles = [make.single_env(**words) for _ in range(n)]
    firsts = [env.reset(seed=11 + row)[0] for row, env in enumerate(singles)]
    rng = np.random.default_rng(3)
    live = np.ones(n, np.bool_)
    for row in range(n):
        assert same(seen["observation"][row], firsts[row]["observation"])
    for _ in range(40):
        actions = picks(info["action_mask"], rng)
        seen, rewards, terminated, truncated, info = batch.step(actions)
        for row in np.flatnonzero(live).tolist():
            alone = singles[row].step(int(actions[row]))
            assert same(seen["observation"][row], alone[0]["observation"])
            assert (rewards[row], terminated[row], truncated[row]) == alone[1:4]
        live &= ~(terminated | truncated)
        if not live.any():
            break


def test_the_winner_of_a_game_has_the_first_rank(name: str, make: Makers) -> None:
    env = make.single_env(players=2)
    rng, ranks = np.random.default_rng(0), []
    for seed in range(12):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            seen, _, terminated, truncated, info = env.step(pick(seen["action_mask"], rng))
            over = terminated or truncated
        won, alone = info["winners"][info["seat"]], info["winners"].sum() == 1
        assert not alone or info["rank"] == (1 if won else 2)
        ranks.append(info["rank"])
    assert set(ranks) <= {1, 1.5, 2}


@pytest.mark.parametrize("game", BUILT_IN)
def test_gymnasium_makes_it_by_name(game: str) -> None:
    spec = f"{game.title().replace('_', '')}-v0"
    env = gymnasium.make(spec, players=2)
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    many = gymnasium.make_vec(spec, num_envs=3, players=2)
    assert many.reset(seed=1)[0]["action_mask"].shape[0] == 3


@pytest.mark.filterwarnings("ignore")
def test_maskable_ppo_learns_a_step(make: Makers) -> None:
    from sb3_contrib import MaskablePPO

    env = make.sb3_env(4, players=2)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0)
    model.learn(64)
    assert model.num_timesteps == 64


# ---------------------------------------------------------------- every seat


def test_every_seat_is_paid_in_self_play(name: str, make: Makers) -> None:
    env = make.selfplay_env(6, players=3)
    _, info = env.reset(seed=2)
    rng, steps = np.random.default_rng(4), []
    for _ in range(150):
        movers = info["current_player"]
        _, _, terminated, truncated, info = env.step(picks(info["action_mask"], rng))
        steps.append((movers, info["rewards"], terminated | truncated))
    players, paid, done = (np.array(part) for part in zip(*steps, strict=True))
    found = trajectories(players, paid, done)
    whole = done[::-1].cumsum(0)[::-1] > 0  # decisions of games that ended
    assert np.isclose(found.rewards[whole].sum(), paid[whole].sum(), atol=1e-4)
    assert (found.following[-1][done[-1]] == ENDED).all()


@pytest.mark.parametrize("features", [False, True])
def test_self_play_tells_how_games_end(make: Makers, features: bool) -> None:
    """In Gymnasium's form, and of those that were cut off what every seat saw."""
    env = make.selfplay_env(6, players=3, action_features=features)
    game = env.game
    env.reset(seed=2)
    rng, rows, ended, cut = np.random.default_rng(4), np.arange(6), 0, 0
    for _ in range(400):
        movers, state = env.current_player, env.state.copy()
        actions = picks(env.action_masks(), rng)
        _, rewards, terminated, truncated, info = env.step(actions)
        over = terminated | truncated
        if not over.any():
            assert not any("final" in key for key in info)
            continue
        game.step(state, actions)
        final = info["final_info"]
        assert same(info["_final_obs"], over)
        assert same(info["_final_info"], over)
        assert same(final["current_player"], movers)
        assert same(final["rewards"][rows, movers].astype(float), rewards)
        for key in ("scores", "winners"):
            assert same(final[key], info[key])
        seen = game.observe(state, movers)
        for row in range(6):
            last = info["final_obs"][row]
            assert (last is not None) == over[row]
            if last is not None:
                assert last in env.single_observation_space
                assert same(last["observation"], seen[row])
                assert same(last["action_mask"], final["action_mask"][row])
                assert np.flatnonzero(last["action_mask"]).tolist() == [game.spec.num_actions - 1]
        assert ("observations" in final) == truncated.any()
        for seat in range(game.spec.seats if truncated.any() else 0):
            told = final["observations"][:, seat]
            assert not told[~truncated].any()
            if seat < 3:
                there = game.observe(state, np.full(6, seat))
                assert same(told[truncated], there[truncated])
        ended, cut = ended + int(over.sum()), cut + int(truncated.sum())
    assert ended
    assert (cut > 0) == game.spec.can_truncate


def test_a_snapshot_of_a_batch_goes_on_alike(make: Makers) -> None:
    env = make.selfplay_env(4, players=2)
    _, info = env.reset(seed=3)
    rng = np.random.default_rng(5)
    for _ in range(7):
        info = env.step(picks(info["action_mask"], rng))[4]
    other = make.selfplay_env(4, players=2)
    other.restore(env.snapshot())
    for _ in range(20):
        actions = picks(env.action_masks(), rng)
        assert data_equivalence(env.step(actions), other.step(actions), exact=True)


def test_environments_say_what_they_are(name: str, make: Makers) -> None:
    made, players = make, f"{drago_env.make(name).spec.title}, 2 players"
    single = made.single_env(players=2, opponents=["uniform"])
    assert repr(single) == f"<LearnerEnv: {players}, against uniform>"
    assert repr(made.raw_env(players=2)) == f"<GameAEC: {players}>"
    assert repr(made.env(players=2)) == f"<Ordered: {players}>"
    for maker in (made.vector_env, made.selfplay_env, made.sb3_env):
        assert repr(maker(3, players=2)).endswith(f"{players}, 3 games>")
    assert type(made.game()).__name__ in repr(made.game())
    assert len(repr(made.game())) < 300  # boards, maps and graphs in a word
    assert "players" in inspect.signature(makers(name).game).parameters


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_flat_observation_may_hold_the_features_of_all_actions(name: str) -> None:
    made = MAKERS[name]
    flat, dense = (
        made.vector_env(4, players=2, **words)
        for words in ({"flat": "features"}, {"action_features": True})
    )
    (one, info), (two, _) = flat.reset(seed=3), dense.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        size = two["observation"].shape[1]
        assert one.shape == flat.observation_space.shape
        assert same(one[:, :size], two["observation"])
        assert same(one[:, size:], two["action_features"].reshape(4, -1))
        actions = picks(info["action_mask"], rng)
        (one, *_, info), (two, *_) = flat.step(actions), dense.step(actions)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_flat_observation_may_hold_what_the_rules_of_thumb_think(name: str) -> None:
    """Each number is told of the action at its place: the best has 0, and none is above it."""
    game: Any = drago_env.make(f"{name}:players=2")
    env = MAKERS[name].vector_env(4, players=2, flat="thumbs")
    seen, info = env.reset(seed=3)
    size, rng = game.spec.observation_size, np.random.default_rng(0)
    for _ in range(30):
        assert seen.shape == env.observation_space.shape == (4, size + game.spec.num_actions)
        mask, told = info["action_mask"] == 1, seen[:, size:]
        state = env.snapshot()["state"]
        for row in np.flatnonzero(~game.over(state)):
            found = judge(game, state[row : row + 1], weights_of(game, "heuristic"))
            legal = np.flatnonzero(mask[row])  # ascending, as the lists are
            worth = found.values[0, : len(legal)]
            behind = game.spec.observation_bound * np.maximum(worth - worth.max(), -NEAR) / NEAR
            assert same(told[row, legal], behind.astype(np.float32))
            assert not told[row, ~mask[row]].any()
        seen, *_, info = env.step(picks(info["action_mask"], rng))


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_the_rules_of_thumb_think_tells_nothing_hidden(name: str) -> None:
    """It is the same in every world that the seat on turn holds possible."""
    game: Any = drago_env.make(f"{name}:players=3")
    seeds = np.arange(100, dtype=np.uint64)
    state, numbers, other = game.new(seeds), game.picks(seeds), 0
    for turn in range(40):
        worlds = game.determinize(state, state["seat"].astype(np.int64), seeds + 1000 * turn)
        other += int((worlds != state).sum())
        assert same(near_gaps(game, worlds), near_gaps(game, state))
        actions = game.sample(game.legal(state), numbers)
        game.step(state, np.where(game.over(state), -1, actions))
    assert other > 500  # worlds that are not the true one


def test_other_flat_forms_are_refused() -> None:
    with pytest.raises(ValueError, match="True, 'features' or 'thumbs', not 'dict'"):
        MAKERS["race"].vector_env(2, flat="dict")
    with pytest.raises(ValueError, match="has no features of actions: say flat=True"):
        MAKERS["race"].vector_env(2, flat="features")
    with pytest.raises(ValueError, match="has no rules of thumb: say flat=True"):
        MAKERS["race"].vector_env(2, flat="thumbs")
