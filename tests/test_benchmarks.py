"""The benchmarks measure every game; their figures are another matter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import adapters, curve, learning, page, peers, speed, training
from drago_env.games import BUILT_IN, make
from drago_env.specs import parse
from tests.games import NAMES, SPECS
from train.arguments import Arguments
from train.ppo import train

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", NAMES)
def test_every_game_can_be_measured(name: str) -> None:
    spec = SPECS[name][1]
    assert speed.random_play(4, spec)() == 20_000
    assert speed.checked_play(400, spec)() == 20_000
    assert speed.playouts(spec)() == 2000
    spent = speed.parts(4, spec)
    assert ("features of all legal actions" in spent) == bool(make(spec).spec.feature_size)
    assert min(spent.values()) > 0


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_bare_environment_is_started_in_a_process_of_its_own(name: str) -> None:
    seconds = speed.child(speed.start_code(f"{name}:players=3"))
    assert 0 < seconds < 600


@pytest.mark.parametrize("name", BUILT_IN)
def test_adapters_are_played_through(name: str) -> None:
    for what in adapters.AEC_WANTED:
        assert adapters.aec_play(adapters.maker(f"{name}:players=3", what)())() > 100
    assert adapters.single_play(f"{name}:players=3")() == 200


def test_the_page_has_a_part_for_every_game_with_its_goals() -> None:
    aec = {"raw_env": {"decisions_per_second": 9, "connect_four": 3, "ratio": 3.0}, "alone": 20}
    own = {
        "start_seconds": {"first_ever": 9.0, "warm": 0.4, "numba": 0.2, "scipy": 0.6},
        "by_batch": {"64": 5},
        "nanoseconds": {"random pick": 8.6},
        **{f"{what}_per_second": 7 for what in ("decisions", "checked_decisions", "playouts")},
        "bytes_per_game": 100,
    }
    others = [{**own, "game": spec, "aec": aec} for spec in speed.OTHERS]
    head = {"command": "c", "date": "d", "machine": "m", "game": speed.TABLE}
    text = page.markdown({**head, **own, "others": others})
    assert {parse(spec)[0] for spec in (speed.TABLE, *speed.OTHERS)} == set(BUILT_IN)
    assert text.count("\n## ") == len(speed.OTHERS)
    for spec, goals in speed.OTHERS.items():
        part = text[text.index(f"`{spec}`") :].partition("\n## ")[0]
        assert all(f"(goal {goal:,})" in part for goal in goals.values())
        assert "| `raw_env` | 9 | 3 | 3.0 | 4 |" in part


def test_every_peer_is_installed_in_one_environment() -> None:
    files = [ROOT / "benchmarks" / f"{name}-constraints.txt" for name in ("peers", "puffer")]
    pinned = [re.findall(r"^([\w-]+)==", file.read_text(encoding="utf-8"), re.M) for file in files]
    for peer in peers.PEERS:
        assert sum(peer.package in names for names in pinned) == 1, peer.name


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("spec", [training.SPEC, "dragon_delta:players=2,max_rounds=2"])
def test_learners_begin_alike_and_are_measured_at_every_mark(
    monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    for name, number in {"GAMES": 8, "STEPS": 4, "MINIBATCH": 16, "EPOCHS": 1}.items():
        monkeypatch.setattr(training, name, number)
    marks = training.learning(spec, [1e-6, 0.0], games=8, threads=1)
    assert [mark.minutes for mark in marks] == [0.0] * 2 + [1e-6] * 2
    start = {mark.learner: mark.found for mark in marks[:2]}
    assert start["MaskablePPO"] == start["`train.ppo`"]
    assert [mark.decisions for mark in marks[:2]] == [0, 0]
    assert all(0 < mark.decisions <= 8 * 4 for mark in marks[2:])  # one update each
    table = training.learned_lines(marks)
    assert len([line for line in table if line.startswith(("| `train.ppo`", "| Mask"))]) == 4


@pytest.mark.usefixtures("one_thread")
def test_a_curve_has_every_network_of_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few: dict[str, Any] = {"num_envs": 4, "num_steps": 4, "trunk": (8,), "action": (8,)}
    asked = Arguments(
        out=tmp_path / "it",
        players=(2,),
        steps=48,
        evaluate_every=1,
        evaluate_games=2,
        evaluate_against=(),
        **few,
    )
    train(asked)
    curve.main([str(tmp_path / "it"), "--positions", "8", "--write", str(tmp_path / "it.svg")])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[1] for line in lines[2:]] == ["16", "32", "48"]
    minutes = [point.minutes for point in curve.points(tmp_path / "it", "heuristic", 8, 0)]
    assert 0 < minutes[0] < minutes[1] < minutes[2]
    assert "minutes of CPU time" in (tmp_path / "it.svg").read_text(encoding="utf-8")


def code_with(file: str, word: str) -> str:
    """The first snippet of a page that has this word."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return next(
        code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if word in code
    )


@pytest.mark.parametrize(
    ("name", "file", "word"),
    [
        ("LegalActionsPolicy", "README.md", "LegalActionsPolicy"),
        ("LegalActionsPolicy", "docs/stable-baselines3.md", "LegalActionsPolicy"),
        ("MlpPolicy", "docs/stable-baselines3.md", 'flat="thumbs"'),
    ],
)
def test_snippets_show_the_settings_that_were_measured(name: str, file: str, word: str) -> None:
    _, words, num_envs, settings = learning.POLICIES[name]
    code, numbers = code_with(file, word), {**settings, "ent_coef": learning.ENTROPY}
    layers = numbers.pop("policy_kwargs", None)
    shown = {key: float(number) for key, number in re.findall(r"(\w+)=([\d.e-]+)", code)}
    assert {key: shown.get(key) for key in numbers} == numbers
    assert layers is None or repr(layers).replace("'", '"') in code
    assert re.search(rf"sb3_env\((num_envs=)?{num_envs}, ", code)
    for key, value in words.items():
        assert f"{key}={value!r}".replace("'", '"') in code
