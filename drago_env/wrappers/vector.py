"""Any `Game` as a native Gymnasium vector environment for one learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from drago_env.core.checks import seed_array
from drago_env.game import Game
from drago_env.moved import refuses
from drago_env.policy import View
from drago_env.wrappers.learner import Flat, LearnerBatch, Opponents
from drago_env.wrappers.spaces import CLOSED, at_row, final, told


@refuses(
    "LearnerVectorEnv(game, num_envs, ...): the game knows its players", "players", opponents=int
)
class LearnerVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A batch of games with the learner in one seat of each; see `LearnerEnv` for a single one.

    `reset(seed=s)` seeds row i with s + i; later games of a row follow from its seed. The mask of
    a finished row allows exactly the last action, so that no mask is ever all zero.

    `autoreset_mode` is one of Gymnasium's. In next-step mode the next step of a finished row
    ignores its action and begins a new game with reward 0. In same-step mode `info["final_obs"]`
    and `info["final_info"]` tell how the old game ended. When disabled, a finished row must be
    reset before the next step: `reset(options={"reset_mask": terminated | truncated})`, which
    leaves the other rows as they are, works in every mode.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: Opponents = None,
        seat: int | None = None,
        flat: Flat = False,
        action_features: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal: str = "raise",
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        self.num_envs = num_envs
        self._batch = LearnerBatch(game, num_envs, opponents, seat, flat, action_features, illegal)
        self.single_observation_space = self._batch.single_observation_space()
        self.single_action_space = spaces.Discrete(game.spec.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._started = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """New games; row i has the seed `seed + i`, or the i-th of a list of seeds.

        `options={"reset_mask": rows}`, a boolean for each row, begins new games in these alone.
        """
        rows = np.arange(self.num_envs)
        partly = options is not None and "reset_mask" in options
        if partly:
            rows = np.flatnonzero(self._reset_mask(options))
        if seed is None and self._started:
            self._batch.reset_following(rows)
        else:
            seeds = self._seeds(seed)
            if not partly:
                self._batch.seed(int(seeds[0]))
            self._batch.reset(seeds[rows], rows)
        self._started, self.closed = True, False
        return self._batch.observation(), self._info()

    def _reset_mask(self, options: Any) -> NDArray[np.bool_]:
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"reset_mask must be {self.num_envs} booleans, some of them True, not "
                f"{mask.dtype} of shape {mask.shape} with {int(np.count_nonzero(mask))} True"
            )
        if not self._started and not mask.all():
            raise RuntimeError("no game was started: call reset() without a reset_mask first")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> NDArray[np.uint64]:
        if isinstance(seed, Sequence | np.ndarray):
            if len(seed) != self.num_envs:
                raise ValueError(f"{self.num_envs} games need as many seeds, not {len(seed)}")
            fresh = self.np_random.integers(2**62, size=self.num_envs).tolist()
            return seed_array([f if s is None else s for s, f in zip(seed, fresh, strict=True)])
        first = seed_array(int(self.np_random.integers(2**62)) if seed is None else seed)[0]
        return seed_array([int(first) + row for row in range(self.num_envs)])

    def step(
        self, actions: ArrayLike
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One decision of the learner in every game, and the opponents' answers."""
        if not self._started:
            raise RuntimeError("no game was started: call reset() first")
        if self.closed:
            raise RuntimeError(CLOSED)
        batch = self._batch
        finished = batch.over
        if self.autoreset_mode is AutoresetMode.DISABLED and finished.any():
            raise RuntimeError(
                f"row {int(finished.argmax())} is over, and autoreset is disabled: call "
                'reset(options={"reset_mask": terminated | truncated}) first'
            )
        rewards = batch.step(actions, ~finished)
        if finished.any():
            batch.reset_following(np.flatnonzero(finished))
        over = batch.over
        truncated = over & batch.game.truncated(batch.state)
        info: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and over.any():
            ended, seen = np.flatnonzero(over), batch.observation()
            info = final(over, (at_row(seen, row) for row in ended.tolist()), self._info())
            batch.reset_following(ended)
        observation = batch.observation()
        return observation, rewards, over & ~truncated, truncated, self._info() | info

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of every game; for a finished one it allows the last action only."""
        return self._batch.mask().view(np.bool_)

    def opponent_names(self, numbers: ArrayLike | None = None) -> NDArray[np.object_]:
        """Whom the learners meet, or the names of these numbers of `info["opponents"]`."""
        return self._batch.opponent_names(numbers)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._batch.mask(), **self._batch.info()}

    def set_opponents(self, opponents: Opponents) -> None:
        """Whom the games meet from their next reset on."""
        self._batch.set_opponents(opponents)

    def view(self) -> View:
        """Clones for a planner in the learner's place, one for each game."""
        return self._batch.view()

    def __repr__(self) -> str:
        return told(self, self._batch.game, f"{self.num_envs} games")

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """All games as plain arrays: `numpy.savez(path, **env.snapshot())`."""
        return self._batch.snapshot()

    def restore(self, snapshot: Any) -> None:
        """Goes on from a snapshot, with the same opponents as the environment that made it."""
        self._batch.restore(snapshot)
        self._started, self.closed = True, False
