"""Any `Game` as a native `PufferEnv` of PufferLib, for one learner in each game of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pufferlib
from gymnasium import spaces

from drago_env.game import Game
from drago_env.wrappers.learner import LearnerBatch, Opponents


class LearnerPufferEnv(pufferlib.PufferEnv):  # type: ignore[misc]  # it carries no types
    """A batch of games that writes into PufferLib's own arrays.

    PufferLib's native environments observe one array: a row is the observation and then the mask
    of its legal actions, `observation[:, size:]` with `size = game.spec.observation_size`. A game
    that ends is followed by the next one in the same step, as PufferLib wants it.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: Opponents = None,
        seat: int | None = None,
        illegal: str = "raise",
        buf: Any = None,
        seed: int = 0,
    ) -> None:
        self._batch = LearnerBatch(game, num_envs, opponents, seat, True, False, illegal)
        self._size, self._live = game.spec.observation_size, np.ones(num_envs, np.bool_)
        self._seed = seed
        bound, shape = max(game.spec.observation_bound, 1.0), self._size + game.spec.num_actions
        self.single_observation_space = spaces.Box(-bound, bound, (shape,), np.float32)
        self.single_action_space = spaces.Discrete(game.spec.num_actions)
        self.num_agents = num_envs
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[Any, list[dict[str, float]]]:
        """New games; row i has the seed `seed + i`."""
        first = self._seed if seed is None else seed
        self._batch.seed(first)
        seeds = np.arange(self.num_agents, dtype=np.uint64) + np.uint64(first)
        self._batch.reset(seeds, np.arange(self.num_agents))
        for array in (self.rewards, self.terminals, self.truncations):
            array[:] = 0
        self._look()
        return self.observations, []

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[dict[str, float]]]:
        """One decision in every game; `rank` in the infos is the mean of the games that ended."""
        batch = self._batch
        self.rewards[:] = batch.step(np.ravel(actions), self._live)
        over = batch.over
        cut_off = over & batch.game.truncated(batch.state)
        self.terminals[:], self.truncations[:] = over & ~cut_off, cut_off
        infos, ended = [], np.flatnonzero(over)
        if len(ended):
            infos = [{"rank": float(batch.info()["rank"][ended].mean()), "games": len(ended)}]
            batch.reset_following(ended)
        self._look()
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _look(self) -> None:
        self.observations[:, : self._size] = self._batch.turn.observation
        self.observations[:, self._size :] = self._batch.turn.legal.mask

    def close(self) -> None:
        """Nothing is open."""
