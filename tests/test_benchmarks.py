"""The benchmarks measure every game; their figures are another matter."""

from __future__ import annotations

import pytest

from benchmarks import adapters, speed, training
from drago_env.games import BUILT_IN, make
from tests.games import NAMES, SPECS


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


@pytest.mark.usefixtures("one_thread")
def test_learners_begin_alike_and_are_measured_at_every_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, number in {"GAMES": 8, "STEPS": 4, "MINIBATCH": 16, "EPOCHS": 1}.items():
        monkeypatch.setattr(training, name, number)
    marks = training.learning([1e-6, 0.0], games=8)
    assert [mark.minutes for mark in marks] == [0.0] * 3 + [1e-6] * 3
    start = {mark.learner: mark.found for mark in marks[:3]}
    assert start["MaskablePPO"] == start["`train.ppo`, not told"]
    assert [mark.decisions for mark in marks[:3]] == [0, 0, 0]
    assert all(0 < mark.decisions <= 8 * 4 for mark in marks[3:])  # one update each
    table = training.learned_lines(marks)
    assert len([line for line in table if line.startswith(("| `train.ppo`", "| Mask"))]) == 6
