"""Policies by rules of thumb: what a game's `heuristic` and `greedy` are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.planning import SearchResult, assess, planner_of
from drago_env.game import Seeds, State
from drago_env.policy import View, planned


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
        planner = planner_of(game, self.name)
        if planner.weights is None:
            raise ValueError(f"{game.spec.name} has no rules of thumb for {self.name}")
        return assess(game, state, planner.weights(self.name))
