"""How games came out: shares of the victory, ranks and margins, the same everywhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.game import Game, State


class Standings(NamedTuple):
    """What each seat of each finished game has, `(games, seats)`; NaN for seats nobody has."""

    share: NDArray[np.float64]  # of the victory
    rank: NDArray[np.float64]  # 1 for the best; equals share the mean of their places
    margin: NDArray[np.float64]  # own points less the mean of the others'; NaN without points


def standings(game: Game, state: State) -> Standings:
    """Shares, ranks and margins of finished games."""
    seated = np.arange(game.spec.seats) < game.players(state)[:, None]
    share = np.where(seated, game.shares(state), np.nan)
    scores = np.where(seated, game.scores(state).astype(np.float64), np.nan)
    # the victory comes first, points only tell those apart that share it alike
    key = np.where(seated, share * 1e9 + (scores if game.spec.has_points else 0.0), np.nan)
    better = (key[:, None, :] > key[:, :, None]).sum(2)
    equal = (key[:, None, :] == key[:, :, None]).sum(2)
    rank = np.where(seated, 1 + better + (equal - 1) / 2, np.nan)
    if not game.spec.has_points:
        return Standings(share, rank, np.full_like(share, np.nan))
    others = np.nansum(scores, 1, keepdims=True) - scores
    return Standings(share, rank, scores - others / (seated.sum(1, keepdims=True) - 1))
