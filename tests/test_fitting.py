"""Fits of the chance to win: the numbers behind winners are found, and what ships was logged."""

from __future__ import annotations

import csv
import importlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import drago_env
from agents.fitting import Arguments, Likelihood

FITTED = ("rupe_dei_draghi",)


def test_the_numbers_behind_the_winners_are_found() -> None:
    rng = np.random.default_rng(1)
    leads, numbers = rng.normal(size=(20_000, 2)), np.array([1.5, -0.7])

    def chances(found: np.ndarray, rows: slice) -> np.ndarray:
        first = 1 / (1 + np.exp(-leads[rows] @ found))
        return np.stack([first, 1 - first], 1)

    won = rng.random(len(leads)) < chances(numbers, slice(None))[:, 0]
    likelihood = Likelihood(chances, np.where(np.stack([won, ~won], 1), 1.0, 0.0))
    found = likelihood.fit([0.0, 0.0])
    assert found == pytest.approx(numbers, abs=0.1)
    surprise = likelihood.surprise
    assert surprise(found, likelihood.kept) < surprise([0, 0], likelihood.kept) - 0.1


@pytest.mark.parametrize("name", FITTED)
def test_what_ships_is_what_was_logged(name: str) -> None:
    fit = importlib.import_module(f"agents.{name}.tune").FIT
    game = drago_env.make(name)
    sets = json.loads(fit.path.read_text("utf-8"))["win_chance"]
    counts = range(game.spec.min_players, game.spec.max_players + 1)
    assert list(sets) == [str(players) for players in counts]
    for players, numbers in sets.items():
        with (fit.logs / f"win_chance-{players}.csv").open(encoding="utf-8") as file:
            (row,) = csv.DictReader(file)
        assert {key: float(row[key]) for key in numbers} == numbers
        assert float(row["surprise"]) < float(row["surprise of guessing"])


@pytest.mark.parametrize("name", FITTED)
def test_a_fit_is_stored_and_logged(name: str, tmp_path: Path) -> None:
    fit = importlib.import_module(f"agents.{name}.tune").FIT
    fit = replace(fit, path=tmp_path / "weights.json", logs=tmp_path / "tuning", longest=60)
    game = drago_env.make(f"{name}:players=3")
    state, shares = fit.positions(game, 40, 1)
    assert fit.quiet(state).all()
    assert not game.over(state).any()
    assert len(state) == len(shares) > 10
    fit.run(Arguments(players=(3,), positions=40))
    numbers = json.loads(fit.path.read_text("utf-8"))["win_chance"]["3"]
    for key in fit.fixed:
        assert numbers[key] == getattr(fit.start, key)
    assert list(numbers) == list(fit.start._fields)
    assert (fit.logs / "win_chance-3.csv").exists()
