"""Skill by judged decisions: the lemma itself, what is kept, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import drago_env
from agents import exploit, neural, skill
from agents.arena import run
from agents.judging import Judge, gains
from agents.response import Response, told_search
from agents.seating import Config
from agents.solve import solve
from agents.survey import Survey
from drago_env.core.checks import select
from drago_env.policy import resolve
from tests import games

FIRST, DICE = "tests.adapters:First", "tests.adapters:Dice"


def seats(spec: str) -> int:
    game = drago_env.make(spec)
    return int(game.players(game.new(0))[0])


def survey(agent: str, base: str, game: str, deals: int = 12, **more: int) -> Survey:
    count = seats(game)
    return Survey((agent, *[base] * (count - 1)), game, deals * count, 3, **more)


def test_the_lemma_holds_exactly_in_true_worlds_without_chance() -> None:
    """In the race the true world is played on, and `First` leaves nothing to chance: so what the
    decisions gain adds up, deal by deal, to what the agent won more than an even share.
    """
    asked = survey(DICE, FIRST, "race:players=3", each=64, worlds=1)
    found = run(asked, workers=1).columns
    by_deal = (found["weight"] * found["gain"]).reshape(asked.deals, -1).sum(1)
    won = found["win_share"].reshape(asked.deals, 3, -1)[:, :, 0].sum(1)
    assert np.abs(by_deal).max() > 0.3
    assert by_deal == pytest.approx(won - 1)


def test_the_lemma_holds_in_the_mean_of_drawn_worlds() -> None:
    command = skill.Command(
        game="mount_drago:players=2",
        agents=("uniform", "greedy"),
        positions=2400,
        each=12,
        worlds=16,
        playouts=0,
        matches=2000,
        seed=5,
        workers=1,
    )
    report = skill.measure(command)
    uniform, greedy = report.skills
    assert uniform.advantage
    assert uniform.advantage.low < uniform.won.mean - 0.5 < uniform.advantage.high < -0.3
    assert greedy.advantage
    low, high = (0.5 + end for end in greedy.advantage[1:])
    assert low < greedy.won.high < 0.35
    assert high > greedy.won.low > 0.2
    assert greedy.more == 0
    assert greedy.won_games == 2000
    assert 20 < greedy.decisions < 45


@pytest.mark.parametrize("game", [games.SPECS[name][0] for name in games.NAMES])
def test_the_base_gains_nothing_over_itself(game: str) -> None:
    base = FIRST if game.startswith("race") else "greedy"
    asked = survey(base, base, game, 2, each=4, worlds=2)
    found = run(asked, workers=1).columns
    assert found["same"][found["weight"] > 0].all()
    assert not found["gain"].any()
    assert (found["weight"] >= 1).any()


def test_some_decisions_of_a_game_stand_for_all() -> None:
    few, all_ = (
        run(survey("uniform", "greedy", "mount_drago:players=2", each=each, worlds=1), workers=1)
        for each in (3, 100)
    )
    sums = [one.columns["weight"].reshape(24, -1).sum(1) for one in (few, all_)]
    assert sums[0] == pytest.approx(sums[1])
    assert (np.sort(all_.columns["weight"].reshape(24, -1))[:, [0, -1]] == [0, 1]).all()
    assert (few.columns["weight"].reshape(24, -1) > 1).all()


@pytest.mark.parametrize("game", ["mount_drago:players=4", "rupe_dei_draghi:turn_cap=20"])
def test_playing_on_is_the_same_by_rules_of_thumb_and_by_the_policy(game: str) -> None:
    """One compiled call plays as the policy does when it is asked again and again."""
    book = drago_env.make(game)
    judge = Judge(book, "heuristic")
    asked = Judge(book, _Asked(resolve("heuristic", book)))
    start = book.new(np.arange(6))
    states = [select(start), select(start)]
    for one, state in zip((judge, asked), states, strict=True):
        one.play_on(state, np.arange(6, dtype=np.uint64))
    assert book.over(states[0]).all()
    assert (book.shares(states[0]) == book.shares(states[1])).all()


class _Asked:
    """A policy that does not show what it is made of."""

    plans = True

    def __init__(self, policy: Any) -> None:
        self.name, self.act = policy.name, policy.act


def test_what_is_hidden_does_not_sway_who_is_not_told() -> None:
    """In worlds that differ in what the seat cannot see alone, a fair answer is the same."""
    game = drago_env.make("mount_drago:players=2")
    state = _middle(game)
    numbers = np.arange(len(state), dtype=np.uint64)
    on_turn = game.current_player(state).astype(np.int64)
    other = game.determinize(state, on_turn, numbers + np.uint64(99))
    values: dict[bool, list[NDArray[np.float64]]] = {}
    for told in (False, True):
        answer = Response("greedy", playouts=32, told=told)
        assert answer.sees_all is told
        values[told] = [answer.search(game, one, numbers).values for one in (state, other)]
    assert (values[False][0] == values[False][1]).all()
    assert (values[True][0] != values[True][1]).any()


def _middle(game: Any) -> Any:
    kept: list[Any] = []
    drago_env.play(
        game, ["greedy"] * 2, range(12), False, watch=lambda s, t, a: kept.append(s.copy())
    )
    return kept[40]


def test_a_response_finds_the_better_action_and_its_own_choice_has_a_head_start() -> None:
    game = drago_env.make("mount_drago:players=2")
    state, numbers = _middle(game), np.arange(12, dtype=np.uint64)
    judge = Judge(game, "greedy")
    own = judge.choose(state, numbers)
    sure = Response("greedy", playouts=1, lead=1000.0).search(game, state, numbers).best()
    assert (sure == own).all()
    best = Response("greedy", playouts=1000).search(game, state, numbers).best()
    assert (best != own).any()
    assert gains(judge, state, own, best, numbers + np.uint64(7), 400).sum() > 0.1


def test_the_told_search_is_the_games_own_if_that_knows_the_policy() -> None:
    game = drago_env.make("dragon_delta")
    assert told_search(game, "greedy", 8) == "search:playouts=8,playout=greedy"
    assert told_search(game, "neural", 8) == "response:playouts=8,to=neural"
    drago = drago_env.make("mount_drago")
    assert told_search(drago, "heuristic", 8) == "search:playouts=8,playout=heuristic"


WORDS = ["--players", "2", "--agents", "greedy", "clairvoyant:playouts=4", "--positions", "64"]
WORDS += ["--each", "4", "--worlds", "2", "--playouts", "6", "--workers", "1"]


def test_the_command_goes_on_in_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*WORDS, "--out", str(tmp_path / "out"), "--json"]
    assert skill.main(words) == 0
    once = capsys.readouterr().out
    found = json.loads(once)
    greedy, clairvoyant = found["agents"]
    assert greedy["positions"] == 64
    assert greedy["advantage"]["low"] < greedy["advantage"]["mean"]
    assert clairvoyant["advantage"] is None
    assert clairvoyant["sees_all"]
    assert found["ceiling"]["mean"] > greedy["advantage"]["mean"]
    assert (tmp_path / "out" / "skill.svg").read_text().startswith("<?xml")
    assert "fair ceiling" in (tmp_path / "out" / "skill.md").read_text()
    with monkeypatch.context() as patch:
        patch.delattr(Survey, "play")
        patch.delattr(Config, "play")
        assert skill.main(words) == 0  # nothing is played again
    assert capsys.readouterr().out == once
    assert skill.main([*words[:6], "128", *words[7:]]) == 0  # it grows
    grown = json.loads(capsys.readouterr().out)
    assert grown["agents"][0]["positions"] == 128
    assert skill.main([*words, "--worlds", "3"]) == 2
    assert "worlds is 2 there and 3 here" in capsys.readouterr().err
    table = tmp_path / "out" / "greedy-skill" / "results.parquet"
    table.write_bytes(table.read_bytes() + b" ")
    assert skill.main([*words[:6], "128", *words[7:]]) == 2
    assert "was changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--positions", "0"], "positions must be"),
        (["--worlds", "0"], "worlds must be"),
        (["--base", "nobody"], "unknown policy 'nobody'"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert skill.main(["--agents", "greedy", "--workers", "1", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", games.NAMES)
def test_every_game_has_a_ceiling(name: str) -> None:
    words = ",".join(f"{key}={value}" for key, value in games.SHORT.get(name, {}).items())
    spec = f"{name}:{words}" if words else name
    base = FIRST if name == "race" else "greedy"
    command = skill.Command(
        game=spec,
        agents=("uniform",),
        base=base,
        positions=24,
        each=4,
        worlds=2,
        playouts=8,
        workers=1,
    )
    report = skill.measure(command)
    assert report.ceiling
    assert report.skills[0].advantage
    assert report.even == pytest.approx(1 / seats(spec))


def test_the_ceiling_is_that_of_the_solved_game() -> None:
    """In the micro rules a best answer to `uniform` is known exactly, and `greedy` is one."""
    rules = "mount_drago:rules=micro"
    solved = solve(rules, method="mccfr", iterations=10, agents=["uniform"])
    command = skill.Command(
        game=rules,
        agents=("greedy",),
        base="uniform",
        positions=9600,
        worlds=16,
        playouts=64,
        workers=1,
    )
    report = skill.measure(command)
    best = fmean(solved["agents"]["uniform"]["best_responses"]) / 2  # of rewards from -1 to 1
    for found in (report.ceiling, report.skills[0].advantage):
        assert found
        assert found.low < best < found.high
        assert found.high - found.low < 0.1


def test_the_best_choice_is_found_again_with_other_luck() -> None:
    """What decisions differ by is small: a choice that is mostly noise would be no ceiling."""
    asked = survey("heuristic", "heuristic", "mount_drago:players=2", playouts=1024)
    game = asked.rule_book
    kept: list[Any] = []
    drago_env.play(
        game, ["heuristic"] * 2, range(100), False, watch=lambda s, t, a: kept.append(s.copy())
    )
    numbers = np.arange(100, dtype=np.uint64)
    once, again = (
        asked.judge.choose(kept[30], numbers + np.uint64(add), resolve(asked.chooser, game))
        for add in (0, 1000)
    )
    assert (once == again).mean() > 0.8


# ---------------------------------------------------------------- answers to one agent


def test_both_answers_are_played_and_the_training_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--players", "2", "uniform", "--steps", "1", "--playouts", "8", "--games", "20"]
    words += ["--workers", "1", "--json", "--out", str(tmp_path / "out")]
    assert exploit.main(words) == 0
    once = json.loads(capsys.readouterr().out)
    assert {one["answer"] for one in once["answers"]} == {"told search", "trained network"}
    shares = [one["win_share"]["mean"] for one in once["answers"]]
    assert shares == sorted(shares, reverse=True)
    assert once["answers"][0]["gain"]["mean"] == pytest.approx(shares[0] - 0.5)
    assert shares[0] > 0.8  # the network that it began with beats uniform already
    assert exploit.main(words) == 0
    assert json.loads(capsys.readouterr().out) == once
    # the folder and the checkout, with the network that it began with, may move
    moved = (tmp_path / "out").rename(tmp_path / "moved")
    config = moved / "training" / "config.json"
    shipped = json.dumps(str(neural.shipped("mount_drago")))
    text = config.read_text(encoding="utf-8")
    assert shipped in text
    config.write_text(text.replace(shipped, '"/elsewhere/network.safetensors"'), encoding="utf-8")
    words[-1] = str(moved)
    assert exploit.main(words) == 0
    again = json.loads(capsys.readouterr().out)
    assert [one["win_share"]["mean"] for one in again["answers"]] == shares
    assert exploit.main([*words, "--steps", "2"]) == 2
    assert "holds another training" in capsys.readouterr().err


def test_a_training_by_the_reward_that_its_game_teaches_with_goes_on_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--game", "dragon_delta:players=2,max_rounds=2", "uniform", "--steps", "1"]
    words += ["--playouts", "0", "--games", "4", "--workers", "1", "--json"]
    words += ["--out", str(tmp_path / "out")]
    assert exploit.main(words) == 0
    once = json.loads(capsys.readouterr().out)
    assert exploit.main(words) == 0
    assert json.loads(capsys.readouterr().out) == once


def test_who_searches_is_answered_by_a_model_of_it() -> None:
    def model(*words: str) -> str:
        agent, *more = words
        return exploit.model(exploit.Command(agent=agent, model=more[0] if more else None))

    assert model("search:playouts=4") == "heuristic"
    assert model("greedy") == "greedy"
    assert model("mine=uniform") == "uniform"
    assert model("search", "greedy") == "greedy"


def test_nobody_to_answer_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert exploit.main(["greedy", "--steps", "0", "--playouts", "0"]) == 2
    assert "nobody to answer" in capsys.readouterr().err
