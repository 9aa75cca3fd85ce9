"""`heuristic`: plans its way, reckons with dragons, and hinders the leader."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import real
from drago_env.core.planning import SearchResult, choose, judge
from drago_env.dragon_delta.planning import weights
from drago_env.policy import View, planned, row_numbers


@dataclass
class Heuristic:
    """The way of `greedy`, with the weights of `drago_env.dragon_delta.planning`.

    A program is worth what it brings on the own cheapest way, over all planks that lie, also if a
    dragon cancels one of its cards (so that it fears falls), and what its dragon and its removal
    take from the leaders. As a best program can be countered, cards are drawn: one that is worth
    `temperature` less is drawn 1 / e times as often. Everything else it chooses.
    """

    temperature: float = 0.1  # 0: always the best program, the lowest action among equals

    name: str = field(default="heuristic", init=False)
    plans: ClassVar[bool] = True

    def __post_init__(self) -> None:
        real("temperature", self.temperature, 0, 1000)

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        """What the rules of thumb choose or draw in each row of the view."""
        game, state = planned(view, self.name)
        seeds = row_numbers(rng, len(state))
        return choose(game, state, self.search(game, state, seeds), seeds, self.temperature)

    def search(self, game: Any, state: NDArray[np.void], seeds: NDArray[np.uint64]) -> SearchResult:
        """What it thinks of every legal action, so that it can also teach a network."""
        return judge(game, state, weights(self.name))


make = Heuristic
