"""Shares, ranks and margins of finished games, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from drago_env.core.outcome import standings


def game(scores: Any, shares: Any, players: int | None = None, points: bool = True) -> Any:
    """A rule book that has seen these ends."""
    seats = len(scores[0])
    return SimpleNamespace(
        spec=SimpleNamespace(seats=seats, has_points=points),
        players=lambda state: np.full(len(state), players or seats),
        shares=lambda state: np.array(shares, float),
        scores=lambda state: np.array(scores, np.int16),
    )


def test_ties_and_ranks_by_hand() -> None:
    third = 1 / 3
    scores = [[10, 20, 30, 40], [30, 30, 10, 30], [7, 7, 7, 7], [50, 20, 20, 10]]
    shares = [[0, 0, 0, 1], [third, third, 0, third], [0.25] * 4, [1, 0, 0, 0]]
    share, rank, margin = standings(game(scores, shares), np.zeros(4, np.void))
    assert share.tolist() == shares
    assert rank.tolist() == [[4, 3, 2, 1], [2, 2, 4, 2], [2.5] * 4, [1, 2.5, 2.5, 4]]
    assert margin[2].tolist() == [0] * 4
    assert margin[0].tolist() == pytest.approx([-20, -20 / 3, 20 / 3, 20])
    assert margin[3].tolist() == pytest.approx([100 / 3, -20 / 3, -20 / 3, -20])


def test_without_points_winners_share_the_first_ranks() -> None:
    found = standings(game([[0, 0, 0]], [[0.5, 0, 0.5]], points=False), np.zeros(1, np.void))
    assert (found.share.tolist(), found.rank.tolist()) == ([[0.5, 0, 0.5]], [[1.5, 3, 1.5]])
    assert np.isnan(found.margin).all()


def test_where_nobody_wins_all_share_the_middle_rank() -> None:
    found = standings(game([[0, 0, 0]], [[0, 0, 0]], points=False), np.zeros(1, np.void))
    assert found.rank.tolist() == [[2, 2, 2]]


def test_the_victory_comes_before_points() -> None:
    found = standings(game([[9, 1, 5]], [[0, 1, 0]]), np.zeros(1, np.void))
    assert found.rank.tolist() == [[2, 1, 3]]


def test_seats_that_nobody_has_count_for_nothing() -> None:
    found = standings(game([[4, 2, 0]], [[1, 0, 0]], players=2), np.zeros(1, np.void))
    assert found.rank[0, :2].tolist() == [1, 2]
    assert found.margin[0, :2].tolist() == [2, -2]
    for part in found:
        assert np.isnan(part[0, 2])
