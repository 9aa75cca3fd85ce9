"""PettingZoo: the environment does exactly what its users expect of an AEC environment."""

from __future__ import annotations

import copy
import inspect
import io
import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest

from drago_env import Board, BoardError, IllegalAction, MountDrago, Rules, RulesError, record
from drago_env.mount_drago_v0 import env, raw_env, selfplay_env
from tests.adapters import (
    ACTIONS,
    DISCARDS,
    REWARDS,
    VARIANTS,
    Kept,
    illegal,
    pick,
    same,
)

with warnings.catch_warnings():  # PettingZoo's tests import a module that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

MAKERS = [env, raw_env]
Maker = Callable[..., Any]
Turn = tuple[str, Any, float, bool, bool, Any, int | None]

variants = pytest.mark.parametrize(("players", "edition"), VARIANTS)
makers = pytest.mark.parametrize("maker", MAKERS)


def turns(aec: Any, seed: int = 0, moves: int = 2**63) -> Iterator[Turn]:
    """Random play from here on: each agent with what `last` told it and what it did."""
    rng = np.random.default_rng(seed)
    for agent in aec.agent_iter(moves):
        seen, reward, terminated, truncated, info = aec.last()
        action = None if terminated or truncated else pick(seen["action_mask"], rng)
        yield agent, seen, reward, terminated, truncated, info, action
        aec.step(action)


def begun(aec: Any, moves: int, seed: int = 0) -> Any:
    """The environment after so many random moves, dead steps included."""
    aec.reset(seed=seed)
    list(turns(aec, seed, moves))
    return aec


def length(aec: Any, seed: int = 0) -> int:
    """How many decisions the random game with this seed has."""
    aec.reset(seed=seed)
    return sum(action is not None for *_, action in turns(aec, seed))


# ---------------------------------------------------------------- PettingZoo's own tests


@makers
@variants
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
def test_pettingzoos_api_test(maker: Maker, players: int, edition: str) -> None:
    api_test(maker(players=players, edition=edition), num_cycles=300)


@makers
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
def test_pettingzoos_api_test_with_features(maker: Maker) -> None:
    api_test(maker(players=3, action_features=True), num_cycles=300)


@makers
@variants
def test_pettingzoos_seed_test(maker: Maker, players: int, edition: str) -> None:
    seed_test(lambda: maker(players=players, edition=edition))


@makers
@variants
def test_pettingzoos_render_test(
    maker: Maker, players: int, edition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(lambda **options: maker(players=players, edition=edition, **options))


def test_pettingzoos_performance_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(env(players=3, edition="italian"))
    assert "turns per second" in capsys.readouterr().out


# ---------------------------------------------------------------- how it is made


def test_the_defaults() -> None:
    parameters = inspect.signature(raw_env).parameters.values()
    assert {p.name: p.default for p in parameters} == {
        "players": 2,
        "edition": "german",
        "board": None,
        "reward": "win",
        "threads": 1,
        "rules": "full",
        "render_mode": None,
        "action_features": False,
        "render_viewer": "all",
        "text": False,
    }
    rules = getattr(raw_env().game, "rules", None)
    assert rules == (Rules(2, "german"),)


def test_the_metadata() -> None:
    metadata = raw_env().metadata
    assert metadata["name"] == "mount_drago_v0"
    assert metadata["is_parallelizable"] is False
    assert metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    assert env().metadata == metadata
    assert str(env()) == "mount_drago_v0"


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has it from 1.27 on")
def test_pettingzoo_makes_it_by_name() -> None:
    made = pettingzoo.make("aec", "mount_drago_v0", players=4, edition="italian")
    made.reset(seed=1)
    assert made.agents == ["rider_0", "rider_1", "rider_2", "rider_3"]
    assert same(list(turns(made)), list(turns(begun(env(players=4, edition="italian"), 0, 1))))


@makers
def test_a_board_or_a_file_replaces_the_built_in_side(maker: Maker, tmp_path: Path) -> None:
    board = Board.random(3)
    path = tmp_path / "board.txt"
    path.write_text(board.text(), encoding="utf-8")
    records = []
    for given in (board, path, str(path)):
        made = begun(maker(board=given), 9)
        records.append(made.unwrapped.record())
    assert records[0]["board"] == board.pairs()
    assert records[0] == records[1] == records[2]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"players": 6}, RulesError, "players"),
        ({"players": 1}, RulesError, "players"),
        ({"edition": "french"}, RulesError, "german"),
        ({"reward": "points"}, ValueError, "win, margin, rank"),
        ({"render_mode": "svg"}, ValueError, "ansi"),
        ({"board": "no such file"}, BoardError, "no such file"),
    ],
)
@makers
def test_bad_options_are_refused(
    maker: Maker, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        maker(**options)


@pytest.mark.parametrize("players", [2, 5])
def test_agents_and_spaces(players: int) -> None:
    aec = raw_env(players=players)
    assert aec.possible_agents == [f"rider_{seat}" for seat in range(players)]
    aec.reset(seed=0)
    assert aec.agents == aec.possible_agents
    assert aec.agents is not aec.possible_agents
    for agent in aec.agents:
        assert aec.observation_space(agent) is aec.observation_space(agent)
        assert aec.action_space(agent) is aec.action_space(agent)
        assert aec.action_space(agent).n == ACTIONS
        assert aec.observation_space(agent)["action_mask"].dtype == np.int8


# ---------------------------------------------------------------- what is paid


@pytest.mark.parametrize("reward", REWARDS)
@makers
@variants
def test_every_agent_is_paid_through_last(
    maker: Maker, players: int, edition: str, reward: str
) -> None:
    """Against the bare game: `last` gives what the seat got since its own last step."""
    aec = maker(players=players, edition=edition, reward=reward)
    game = MountDrago(Rules(players, edition), reward=reward)
    for seed in range(3):
        aec.reset(seed=seed)
        state = game.new(seed)
        due, got = np.zeros(players), np.zeros(players)
        dead = []
        for agent, _, paid, terminated, truncated, _, action in turns(aec, seed):
            seat = aec.possible_agents.index(agent)
            assert paid == pytest.approx(due[seat], abs=1e-6)
            assert (terminated, truncated) == (game.over(state)[0], False)
            got[seat] += paid
            due[seat] = 0
            if action is None:
                dead.append(seat)
                assert aec.agents == aec.possible_agents[seat:]
            else:
                assert seat == state["seat"][0]
                assert not any(aec.terminations.values())
                due += game.step(state, [action]).rewards[0, :players]
        scores = game.scores(state)[0, :players].tolist()
        assert dead == list(range(players))
        assert aec.agents == []
        assert got == pytest.approx([REWARDS[reward](scores, seat) for seat in range(players)])
        assert got.sum() == pytest.approx(0, abs=1e-5)


def test_rewards_are_those_of_the_last_step_alone() -> None:
    aec = raw_env(players=3, reward="margin")
    game = MountDrago(Rules(3), reward="margin")
    aec.reset(seed=5)
    state = game.new(5)
    rng = np.random.default_rng(5)
    while not any(aec.terminations.values()):
        action = pick(aec.last()[0]["action_mask"], rng)
        aec.step(action)
        paid = game.step(state, [action]).rewards[0, :3].tolist()
        assert list(aec.rewards.values()) == paid
    assert all(aec.terminations.values())
    assert not any(aec.truncations.values())
    aec.step(None)
    assert list(aec.rewards.values()) == [0, 0]


# ---------------------------------------------------------------- what is seen


@variants
def test_a_discard_step_gives_an_agent_several_decisions_in_a_row(
    players: int, edition: str
) -> None:
    aec = raw_env(players=players, edition=edition)
    longest = 0
    for seed in range(40):
        if longest >= 3:  # a card, a discard, and again
            return
        aec.reset(seed=seed)
        before, row = "", 0
        for agent, seen, _, terminated, *_ in turns(aec, seed):
            if not terminated:
                row = row + 1 if agent == before else 1
                assert (row > 1) == (seen["action_mask"].argmax() >= DISCARDS)
                longest, before = max(longest, row), agent
    pytest.fail("no game had three decisions in a row")


@makers
@variants
def test_only_the_seat_on_turn_has_a_mask(maker: Maker, players: int, edition: str) -> None:
    aec = maker(players=players, edition=edition)
    aec.reset(seed=2)
    for agent, seen, _, terminated, _, info, _ in turns(aec, 2):
        assert same(info["action_mask"], seen["action_mask"])
        for other in aec.agents:
            looked = aec.observe(other)
            assert looked in aec.observation_space(other)
            assert looked["action_mask"].dtype == np.int8
            if terminated:  # the last action stands for none
                assert np.flatnonzero(looked["action_mask"]).tolist() == [ACTIONS - 1]
            else:
                assert looked["action_mask"].any() == (other == agent)
            assert same(aec.infos[other]["action_mask"], looked["action_mask"])
        assert same(aec.observe(agent), seen)


@makers
@variants
def test_features_are_those_of_the_listed_actions(maker: Maker, players: int, edition: str) -> None:
    aec = maker(players=players, edition=edition, action_features=True)
    plain = maker(players=players, edition=edition)
    game = MountDrago(Rules(players, edition))
    batch = selfplay_env(players=players, edition=edition, action_features=True)
    assert aec.observation_space("rider_0") == batch.single_observation_space
    state = game.new(2)
    aec.reset(seed=2)
    plain.reset(seed=2)
    for agent, seen, *_, action in turns(aec, 2):
        legal = game.legal(state)
        count = 1 if action is None else legal.counts[0]
        assert same(seen["legal_actions"][:count], np.flatnonzero(seen["action_mask"]))
        assert (seen["legal_actions"][count:] == -1).all()
        assert same(seen["action_features"], game.features(state, legal)[0])
        assert action is None or seen["action_features"][:count].any(1).all()
        for other in aec.agents:
            looked = aec.observe(other)
            assert looked in aec.observation_space(other)
            bare = {key: looked[key] for key in ("observation", "action_mask")}
            assert same(bare, plain.observe(other))
            assert (looked["legal_actions"] >= 0).any() == (other == agent or action is None)
        plain.step(action)
        if action is not None:
            game.step(state, [action])


@makers
@pytest.mark.parametrize("features", [False, True])
def test_what_was_handed_out_never_changes(maker: Maker, features: bool) -> None:
    options = {"edition": "italian", "reward": "margin", "action_features": features}
    aec, kept = maker(players=3, **options), Kept()
    aec.reset(seed=3)
    for _, seen, *_, info, _ in turns(aec, 3):
        kept.add((seen, info, aec.state(), [aec.observe(agent) for agent in aec.agents]))
        kept.add(aec.unwrapped.record())
    aec.reset()
    assert kept.unchanged()


def test_writing_into_what_was_handed_out_does_not_spoil_the_game() -> None:
    aec = begun(raw_env(), 4)
    wrong = illegal(aec.last()[0]["action_mask"])
    for handed in (aec.last()[0], aec.last()[4], aec.infos[aec.agent_selection]):
        handed["action_mask"][:] = 1
    with pytest.raises(IllegalAction):
        aec.step(wrong)


@makers
def test_the_state_is_what_all_seats_know(maker: Maker) -> None:
    aec = maker(players=3)
    aec.reset(seed=4)
    for *_, terminated, _, _, _ in turns(aec, 4):
        parts = [aec.unwrapped.observe(agent)["observation"] for agent in aec.possible_agents]
        assert same(aec.state(), np.concatenate(parts))
        if terminated:
            break


@variants
def test_a_record_can_be_taken_at_any_move(players: int, edition: str) -> None:
    aec = env(players=players, edition=edition)
    aec.reset(seed=6)
    actions: list[int] = []
    for number, (*_, action) in enumerate(turns(aec, 6)):
        made = aec.unwrapped.record()
        assert [move["action"] for move in made["moves"]] == actions
        assert ("scores" in made) == (action is None)
        if number % 10 == 0 or action is None:
            record.verify(made)
        if action is not None:
            actions.append(action)
    last = aec.unwrapped.record()
    record.verify(last)
    assert last == made == json.loads(json.dumps(last))
    assert last["seed"] == 6
    aec.reset(seed=7)
    assert aec.unwrapped.record()["moves"] == []
    record.verify(aec.unwrapped.record())


@variants
def test_a_view_redraws_what_the_agent_cannot_see(players: int, edition: str) -> None:
    looked, plain = begun(raw_env(players, edition), 12), begun(raw_env(players, edition), 12)
    game, before = looked.game, looked.record()
    for seat, agent in enumerate(looked.agents):
        views = [looked.view(agent) for _ in range(4)]
        hands = np.concatenate([view.state["hand"].copy() for view in views])
        assert len(np.unique(hands[:, seat], axis=0)) == 1
        assert len(np.unique(hands[:, (seat + 1) % players], axis=0)) > 1
        for view in views:
            assert view.game is game
            assert same(game.observe(view.state, seat)[0], looked.observe(agent)["observation"])
            game.step(view.state, game.legal(view.state).actions[:, 0])
    assert looked.record() == before
    assert same(list(turns(looked)), list(turns(plain)))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        ("illegal", IllegalAction, "Legal: "),
        (ACTIONS, ValueError, "from 0 to 150"),
        (-1, ValueError, "from 0 to 150"),
        (1.0, TypeError, "whole number"),
        ("3", TypeError, "whole number"),
        (None, TypeError, "whole number"),
        (np.array([1, 2]), TypeError, "whole number"),
    ],
)
def test_a_bad_action_raises_and_the_game_goes_on(
    action: Any, error: type[Exception], words: str
) -> None:
    spoilt, plain = begun(raw_env(), 7), begun(raw_env(), 7)
    if isinstance(action, str) and action == "illegal":
        action = illegal(spoilt.last()[0]["action_mask"])
    with pytest.raises(error, match=words):
        spoilt.step(action)
    assert same(list(turns(spoilt)), list(turns(plain)))


def test_steps_before_the_reset_and_after_the_end_are_refused() -> None:
    aec = raw_env()
    calls: list[Callable[[], Any]] = [
        lambda: aec.step(0),
        lambda: aec.observe("rider_0"),
        lambda: aec.view("rider_0"),
        aec.state,
        aec.record,
        aec.snapshot,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            call()
    begun(aec, length(aec))
    with pytest.raises(ValueError, match="None"):
        aec.step(0)
    list(turns(aec))
    for action in (None, 0):
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            aec.step(action)
    assert "scores" in aec.record()


@pytest.mark.parametrize("call", ["observe", "view"])
def test_an_unknown_agent_is_refused(call: str) -> None:
    aec = begun(raw_env(), 3)
    with pytest.raises(ValueError, match="rider_0, rider_1"):
        getattr(aec, call)("rider_2")


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
def test_a_bad_seed_is_refused_and_the_game_goes_on(seed: Any) -> None:
    spoilt, plain = begun(raw_env(), 7), begun(raw_env(), 7)
    with pytest.raises(ValueError, match="whole numbers from 0"):
        spoilt.reset(seed=seed)
    assert same(list(turns(spoilt)), list(turns(plain)))


def test_rendering_needs_a_mode() -> None:
    with pytest.raises(RuntimeError, match="render_mode"):
        begun(raw_env(), 1).render()


@pytest.mark.filterwarnings("ignore:.*Illegal move made:UserWarning")
@pytest.mark.parametrize("players", [2, 4])
def test_an_illegal_action_loses_where_the_classic_wrappers_are(players: int) -> None:
    aec = begun(env(players=players), 6)
    loser = aec.agent_selection
    seen = {agent: aec.observe(agent)["observation"] for agent in aec.agents}
    aec.step(illegal(aec.last()[0]["action_mask"]))
    told = list(turns(aec))
    for agent, last, *_ in told:  # their own, not what the loser saw
        assert same(last["observation"], seen[agent])
        assert np.flatnonzero(last["action_mask"]).tolist() == [ACTIONS - 1]
    assert {agent: reward for agent, _, reward, *_ in told} == {
        agent: -1 if agent == loser else 0 for agent in aec.possible_agents
    }
    assert all(terminated and action is None for *_, terminated, _, _, action in told)
    assert aec.agents == []
    for agent, seen, *_ in told:  # nobody is shown what the loser saw
        assert same(seen["observation"], aec.unwrapped.observe(agent)["observation"])
    assert len({seen["observation"].tobytes() for _, seen, *_ in told}) == players
    record.verify(aec.unwrapped.record())
    aec.reset(seed=1)
    assert same(list(turns(aec)), list(turns(begun(env(players=players), 0, 1))))


@pytest.mark.filterwarnings("ignore:.*Illegal move made:UserWarning")
def test_what_was_legal_a_move_ago_loses_too() -> None:
    aec = begun(env(), 0)
    before = aec.observe(aec.agent_selection)["action_mask"]
    for _ in range(40):
        aec.step(pick(aec.last()[0]["action_mask"], np.random.default_rng(1)))
        past = before & ~aec.last()[0]["action_mask"]
        if past.any():
            break
        before = aec.observe(aec.agent_selection)["action_mask"]
    loser = aec.agent_selection
    aec.step(int(past.argmax()))
    assert aec.rewards[loser] == -1


# ---------------------------------------------------------------- games at rest

COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda aec: pickle.loads(pickle.dumps(aec)),
}


def through_a_file(aec: Any) -> Any:
    """A fresh environment that goes on from the snapshot of this one, saved without pickling."""
    file = io.BytesIO()
    np.savez(file, **aec.snapshot())
    file.seek(0)
    fresh = raw_env(3, "italian", reward="margin")
    fresh.restore(np.load(file, allow_pickle=False))
    return fresh


@pytest.mark.parametrize("way", [*COPIES, "snapshot"])
@pytest.mark.parametrize("moves", [0, 1, 30, "end", "one dead", "two dead", "all dead"])
def test_a_copy_goes_on_identically(way: str, moves: int | str) -> None:
    aec = raw_env(3, "italian", reward="margin")
    if isinstance(moves, str):
        moves = length(aec) + ["end", "one dead", "two dead", "all dead"].index(moves)
    begun(aec, moves)
    aec.view("rider_1")
    twin = through_a_file(aec) if way == "snapshot" else COPIES[way](aec)
    views = [one.view("rider_0").state for one in (aec, twin)]
    assert same(*views)
    assert aec.record() == twin.record()
    rest = list(turns(aec, 1))
    assert same(list(turns(twin, 1)), rest)
    assert aec.record() == twin.record()
    aec.reset()
    twin.reset()
    assert aec.record() == twin.record()


@pytest.mark.parametrize("way", COPIES)
def test_the_wrapped_environment_can_be_copied_too(way: str) -> None:
    aec = begun(env(players=4), 20)
    twin = COPIES[way](aec)
    rest = list(turns(aec, 1))
    assert same(list(turns(twin, 1)), rest)


@makers
def test_a_seed_is_a_game_and_the_next_ones_follow_from_it(maker: Maker) -> None:
    first, second = maker(), maker()
    games = []
    for aec in (first, second):
        aec.reset(seed=11)
        played = [list(turns(aec))]
        for _ in range(2):
            aec.reset()
            played.append(list(turns(aec)))
        games.append(played)
    assert same(games[0], games[1])
    assert not same(games[0][0], games[0][1])
    assert not same(games[0][1], games[0][2])


def test_without_any_seed_games_differ() -> None:
    starts = []
    for _ in range(2):
        aec = raw_env()
        aec.reset()
        starts.append(aec.record()["start"])
    assert starts[0] != starts[1]
