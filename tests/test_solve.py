"""Small games solved: exact values, MCCFR, best responses, and what is refused."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from agents import solve
from agents.solving.graph import Graph, TooLarge, expand
from agents.solving.methods import Exact, Mccfr, against, answers, policy_of, uniform
from drago_env.games import make, register
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules
from drago_env.policy import resolve

register("dragon_delta", "drago_env.dragon_delta")
register("rupe_dei_draghi", "drago_env.rupe_dei_draghi")
DELTA, RUPE = "dragon_delta:rules=tiny", "rupe_dei_draghi:rules=tiny"
MINI, MICRO = "mount_drago:rules=mini", "mount_drago:rules=micro"


@cache
def graph_of(spec: str, open: bool = False) -> tuple[Graph, Any]:
    return expand(make(spec), open)


@cache
def solved(spec: str) -> tuple[float, Any]:
    exact = Exact(graph_of(spec)[0])
    return float(exact.run()[0]), exact.policy


def test_hidden_programs_are_solved_stage_by_stage() -> None:
    value, policy = solved(DELTA)
    assert abs(value + 1 / 9) < 1e-9
    # the policies of all linear programs together leave nothing to a best response
    assert abs(answers(graph_of(DELTA)[0], policy).exploitability) < 1e-9


def test_chance_with_open_cards_is_solved_backwards() -> None:
    values = Exact(graph_of(RUPE, open=True)[0]).run()
    assert np.abs(values - [9 / 140, -9 / 140]).max() < 1e-9


def test_hidden_hands_are_solved_as_one_program() -> None:
    graph, _ = graph_of(MINI)
    value, policy = solved(MINI)
    found = answers(graph, policy)
    assert abs(found.exploitability) < 1e-8
    assert abs(found.value - value) < 1e-8
    assert abs(value - 32 / 105) < 1e-8
    assert (np.diff(graph.members) > 1).any(), "nothing is hidden"


def test_the_smallest_game_leaves_choices_to_both() -> None:
    graph, _ = graph_of(MICRO)
    value, policy = solved(MICRO)
    assert abs(value - 1 / 12) < 1e-8
    assert abs(answers(graph, policy).exploitability) < 1e-8
    even = answers(graph, uniform(graph))
    assert even.responses[0] > value + 0.1
    assert even.responses[1] > -value + 0.1


def test_an_open_game_hides_nothing() -> None:
    opened, _ = graph_of(MINI, open=True)
    assert len(opened.seat) < len(graph_of(MINI)[0].seat)
    assert opened.public.all()
    assert abs(Exact(opened).run()[0] - 47 / 105) < 1e-9  # hidden hands cost seat 0 a seventh


@pytest.mark.parametrize("spec", [DELTA, MINI])
def test_a_graph_keeps_probabilities_and_sets(spec: str) -> None:
    graph, samples = graph_of(spec)
    sums = np.add.reduceat(graph.chance, graph.branches[:-1])
    assert np.allclose(sums, 1)
    assert len(samples) == len(graph.owner)
    widths, edges = np.diff(graph.choices), np.diff(graph.edges)
    decided = graph.infoset >= 0
    assert (edges[decided] == widths[graph.infoset[decided]]).all()
    # all positions of a set were reached by the same own choices: nobody forgets
    own = graph.seat >= 0
    last = graph.last[own, graph.seat[own]]
    first = graph.member[graph.members[graph.infoset[own]]]
    assert (last == graph.last[first, graph.seat[own]]).all()


def test_uniform_play_is_exploitable_and_its_best_response_beats_it() -> None:
    for spec in (DELTA, MINI):
        graph, _ = graph_of(spec)
        found = answers(graph, uniform(graph))
        assert found.exploitability > 0.1
        assert found.responses[0] > found.value > -found.responses[1]
        assert found.responses[0] > solved(spec)[0] - 1e-9 > -found.responses[1] - 2e-9


@pytest.mark.parametrize(("spec", "iterations"), [(DELTA, 1000), (MINI, 20_000)])
def test_mccfr_comes_near(spec: str, iterations: int) -> None:
    graph, _ = graph_of(spec)
    learner = Mccfr(graph, seed=1)
    learner.run(iterations)
    found = answers(graph, learner.policy)
    assert abs(found.value - solved(spec)[0]) < 0.02
    assert -1e-9 < found.exploitability < 0.05


def test_mccfr_is_its_seed_s() -> None:
    graph, _ = graph_of(MINI)
    learners = [Mccfr(graph, seed) for seed in (1, 1, 2)]
    for learner in learners:
        learner.run(50)
    assert (learners[0].policy == learners[1].policy).all()
    assert (learners[0].policy != learners[2].policy).any()


def test_agents_are_asked_in_every_information_set() -> None:
    game = make(MINI)
    graph, samples = graph_of(MINI)
    greedy = policy_of(graph, game, samples, resolve("greedy", game), draws=4)
    assert np.allclose(np.add.reduceat(greedy, graph.choices[:-1]), 1)
    found = answers(graph, greedy)
    assert found.exploitability > 0
    assert against(graph, greedy, uniform(graph)) > against(graph, uniform(graph), uniform(graph))
    assert abs(against(graph, greedy, greedy) - found.value) < 1e-12
    with pytest.raises(ValueError, match="told what is hidden"):
        policy_of(graph, game, samples, resolve("clairvoyant", game))


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(TooLarge, match="more than 500 positions"):
        expand(make(MINI), most=500)
    with pytest.raises(TooLarge, match="too large"):
        expand(make("mount_drago"), most=1000)


def test_more_than_two_players_are_solved_if_all_is_open() -> None:
    board = Rules.mini().board
    game = MountDrago(Rules(3, board=board, colours=3, copies=(3,), hand=1, summit_dragons=1))
    found = solve.solve(game, open=True)
    assert abs(sum(found["exact"]["values"])) < 1e-9
    with pytest.raises(ValueError, match="only for 2 players, not 3"):
        solve.solve(game)
    with pytest.raises(ValueError, match="only for 2 players, not 3"):
        solve.solve(game, open=True, method="mccfr")


def test_the_command_shows_all(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--game", RUPE, "--open", "--agents", "uniform"]
    assert solve.main(words) == 0
    assert "exact value of seat 0: 0.064285714 (9/140)" in capsys.readouterr().out
    assert solve.main([*words, "--method", "mccfr", "--iterations", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mccfr"]["iterations"] == 200
    assert found["agents"]["uniform"]["exploitability"] > 0.1
    assert solve.main(["--game", MINI, "--most-states", "9"]) == 2
    assert "error: the game has more than 9 positions" in capsys.readouterr().err
