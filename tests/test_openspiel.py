"""Every game here as a game of OpenSpiel: its own simulation test, what is known, algorithms."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import best_response, exploitability, ismcts, mcts
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

from agents.solving.graph import expand
from agents.solving.methods import answers, uniform
from drago_env.games import make
from drago_env.wrappers import openspiel
from tests.games import NAMES, SHORT

MICRO = "mount_drago:rules=micro"


def short(name: str, **words: Any) -> Any:
    return openspiel.load(name, **SHORT.get(name, {}), **words)


def moved(state: Any, rng: np.random.Generator) -> Any:
    """One random step of a state, by chance or by whoever is on turn; none after the end."""
    if state.is_terminal():
        return state
    chance = state.is_chance_node()
    actions = [a for a, _ in state.chance_outcomes()] if chance else state.legal_actions()
    state.apply_action(int(rng.choice(actions)))
    return state


def every_state(state: Any) -> Iterator[Any]:
    """A state and all that can follow it."""
    yield state
    if not state.is_terminal():
        for action in state.legal_actions():
            yield from every_state(state.child(action))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("merged", [False, True])
def test_openspiels_own_simulation_test(
    name: str, merged: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    words = {"rules": "micro"} if name == "mount_drago" else {"rules": "tiny"}
    if name == "race":
        words = {}
    game = short(name) if not merged else openspiel.load(name, merged=True, **words)
    pyspiel.random_sim_test(game, 1, True, False)  # one game, with serialisation
    capfd.readouterr()


@pytest.mark.parametrize("name", NAMES)
def test_a_state_is_written_and_read(name: str) -> None:
    game, rng = short(name), np.random.default_rng(3)
    state = game.new_initial_state()
    for _ in range(20):
        moved(state, rng)
    text = pyspiel.serialize_game_and_state(game, state)
    again, copied = pyspiel.deserialize_game_and_state(text)
    assert str(again) == str(game)
    assert str(copied) == str(state)
    for player in range(game.num_players()):
        assert copied.information_state_string(player) == state.information_state_string(player)
        assert copied.observation_tensor(player) == state.observation_tensor(player)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_ends_with_shares_of_the_victory(name: str) -> None:
    game, rng = short(name), np.random.default_rng(5)
    state = game.new_initial_state()
    while not state.is_terminal():
        assert state.returns() == [0.0] * game.num_players()
        moved(state, rng)
    assert abs(sum(state.returns())) < 1e-9
    shares = make(name, **SHORT.get(name, {})).shares(state.position.state)[0]
    assert np.argmax(state.returns()) == np.argmax(shares)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_known_before_the_deal_is_over(name: str) -> None:
    game = short(name)
    state = game.new_initial_state()
    if not state.is_chance_node():
        assert not make(name).spec.has_chance
        return
    assert state.information_state_string(0) == state.observation_string(0) == ""
    assert not any(state.information_state_tensor(0))
    assert abs(sum(p for _, p in state.chance_outcomes()) - 1) < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_a_player_knows_the_same_in_worlds_that_they_cannot_tell_apart(name: str) -> None:
    """Along a game: hidden things redrawn at each decision change no string of the seat."""
    game, rng = short(name), np.random.default_rng(7)
    state, resample = game.new_initial_state(), openspiel.resampler(1)
    for _ in range(40):
        if state.is_terminal():
            break
        if not state.is_chance_node():
            seat = state.current_player()
            world = resample(state, seat)
            assert world.legal_actions() == state.legal_actions()
            for one in (world, state):
                assert one.information_state_string(seat) == state.information_state_string(seat)
                assert one.observation_string(seat) == state.observation_string(seat)
                assert one.observation_tensor(seat) == state.observation_tensor(seat)
        moved(state, rng)


def test_strings_are_exactly_the_information_sets() -> None:
    """As many as the solver finds, which tells positions apart by observations and own actions."""
    game = openspiel.load(MICRO, merged=True)
    graph, _ = expand(make(MICRO))
    strings, tensors, pairs = set(), set(), set()
    legal: dict[str, list[int]] = {}
    for state in every_state(game.new_initial_state()):
        if state.is_terminal() or state.is_chance_node():
            continue
        text = state.information_state_string()
        tensor = np.float32(state.information_state_tensor()).tobytes()
        assert legal.setdefault(text, state.legal_actions()) == state.legal_actions()
        strings.add(text)
        tensors.add((state.current_player(), tensor))
        pairs.add((text, tensor))
    assert len(strings) == len(graph.owner) - 1
    assert len(tensors) == len(pairs) == len(strings)


def test_hidden_decisions_are_known_to_who_made_them() -> None:
    first = openspiel.load("race:players=2").new_initial_state()
    strings = []
    for action in first.legal_actions()[:2]:
        state = first.child(action)
        assert state.current_player() == 1
        strings.append([state.information_state_string(seat) for seat in (0, 1)])
    assert strings[0][0] != strings[1][0]
    assert strings[0][1] == strings[1][1]
    assert "chooses a way" in strings[0][1]


def test_who_decided_knows_it_while_chance_draws() -> None:
    rng = np.random.default_rng(0)
    state = openspiel.load("mount_drago").new_initial_state()
    while state.is_chance_node():
        moved(state, rng)
    seat, before = state.current_player(), state.information_state_string()
    while not state.is_chance_node():
        action = state.legal_actions()[0]
        seat, before = state.current_player(), state.information_state_string()
        text = state.action_to_string(action)
        state.apply_action(action)
    assert state.information_state_string(seat) == f"{before}\nown: {text}"


def test_exploitability_is_that_of_the_solver() -> None:
    game = openspiel.load(MICRO, merged=True)
    graph, _ = expand(make(MICRO))
    found = answers(graph, uniform(graph))
    even = policy.UniformRandomPolicy(game)
    assert abs(exploitability.exploitability(game, even) - found.exploitability) < 1e-9
    for seat in (0, 1):
        answer = best_response.BestResponsePolicy(game, seat, even)
        assert abs(answer.value(game.new_initial_state()) - found.responses[seat]) < 1e-9


def test_mccfr_comes_near() -> None:
    game = openspiel.load(MICRO, merged=True)
    np.random.seed(1)  # noqa: NPY002  (the solver draws from the global generator)
    solver = ExternalSamplingSolver(game)
    for _ in range(300):
        solver.iteration()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.15


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["mcts", "ismcts"])
def test_bots_play(name: str, kind: str) -> None:
    game, rng = short(name), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    if kind == "mcts":
        bot = mcts.MCTSBot(game, 1.4, 3, evaluator, random_state=rng)
    else:
        bot = ismcts.ISMCTSBot(game, evaluator, 1.4, 3, random_state=rng)
        bot.set_resampler(openspiel.resampler(1))
    state, draws = game.new_initial_state(), np.random.default_rng(2)
    for _ in range(3):
        while state.is_chance_node():
            moved(state, draws)
        if state.is_terminal():
            break
        chosen = bot.step(state)
        assert chosen in state.legal_actions()
        state.apply_action(chosen)


def test_what_is_wrong_is_said_before_openspiel_sees_it() -> None:
    with pytest.raises(ValueError, match="has no word 'reward'; it has players"):
        openspiel.load("mount_drago:reward=rank")
    with pytest.raises(ValueError, match="players must be"):
        openspiel.load("mount_drago", players=9)
    with pytest.raises(ValueError, match="recall must be at least 1"):
        openspiel.load("mount_drago", recall=0)
    with pytest.raises(ValueError, match="unknown game"):
        openspiel.load("mount_dargo")
    named = openspiel.load("rupe_dei_draghi:stop=false,turn_cap=7,reuse=under")
    rules = named.rules.rules[0]
    assert (rules.stop, rules.turn_cap, rules.reuse) == (False, 7, "under")


def test_a_process_ends_in_peace() -> None:
    code = (
        "from drago_env.wrappers import openspiel\n"
        "state = openspiel.load('race:players=2').new_initial_state()\n"
        "print(state.legal_actions()[0])"
    )
    drago = "import drago_env; drago_env.register('race', 'tests.toy')\n"
    run = subprocess.run([sys.executable, "-c", drago + code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "0\n"
