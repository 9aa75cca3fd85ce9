"""Policies by rules of thumb: what a game's `heuristic` and `greedy` are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.planning import SearchResult, assess, judge, planner_of
from drago_env.game import Seeds, State
from drago_env.policy import View, planned

NEAR = 1.0  # who is told of small differences is told of none that is larger


def has_thumbs(game: Any) -> bool:
    """Whether a game has rules of thumb."""
    return getattr(getattr(game, "planner", None), "weights", None) is not None


def weights_of(game: Any, name: str) -> NDArray[np.float64]:
    """The weights of this name for a game's rules of thumb, or why there are none."""
    weights = planner_of(game, name).weights
    if weights is None:
        raise ValueError(f"{game.spec.name} has no rules of thumb for {name}")
    return weights(name)


def gaps(values: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """How much less each of the listed actions is worth than the best one; 0 past the lists."""
    listed = np.arange(values.shape[1]) < counts[:, None]
    best = np.where(listed, values, -np.inf).max(1, keepdims=True, initial=-1e300)
    return np.asarray(np.where(listed, values - best, 0.0))


def near_gaps(game: Any, state: State) -> NDArray[np.float64]:
    """How far `heuristic` thinks each listed action behind the best one, from -1 to 0."""
    found = judge(game, state, weights_of(game, "heuristic"))
    return np.maximum(gaps(found.values, found.counts), -NEAR) / NEAR


class RulesOfThumb:
    """Plays by the weights of the game's set with this policy's name.

    Among equals the lowest action number is chosen.
    """

    name: str
    plans = True

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        """What the rules of thumb think best in each row of the view."""
        return self._choose(*planned(view, self.name))

    def search(self, game: Any, state: State, seeds: Seeds) -> SearchResult:
        """The same for whoever learns from it: all for the action that it would choose."""
        legal = game.legal(state)
        chosen = legal.actions == self._choose(game, state)[:, None]
        chosen &= np.arange(chosen.shape[1]) < legal.counts[:, None]
        return SearchResult(legal.actions, legal.counts, chosen.astype(np.int64), chosen * 1.0)

    def _choose(self, game: Any, state: State) -> NDArray[np.int64]:
        return assess(game, state, weights_of(game, self.name))
