"""The benchmarks measure every game; their figures are another matter."""

from __future__ import annotations

import pytest

from benchmarks import adapters, speed
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
