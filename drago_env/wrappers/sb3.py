"""Any `Game` as a native Stable-Baselines3 `VecEnv` for one learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from drago_env.core.checks import checked_arrays, seed_array, whole
from drago_env.game import Game
from drago_env.moved import refuses
from drago_env.wrappers.learner import Flat, LearnerBatch, Opponents
from drago_env.wrappers.spaces import CLOSED, at_row, told

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        'this adapter needs Stable-Baselines3: pip install "drago-env[sb3]"'
    ) from error


@refuses("LearnerVecEnv(game, num_envs, ...): the game knows its players", "players", opponents=int)
class LearnerVecEnv(VecEnv):
    """A batch of games with the learner in one seat of each, as MaskablePPO wants it.

    Masks come as one array: `env_method("action_masks")` is a list with the whole
    `(num_envs, num_actions)` array as its one element, which sb3-contrib stacks and reshapes.
    `env_method("set_opponents", ...)` takes effect at each game's next reset. Every info has the
    same numbers at every step: `seat`, `opponents` (`opponent_names(...)` names them), and
    `scores`, `winners` and `rank`, 0 before the end. That of a game's end also has `episode`, its
    return and length as `VecMonitor` has them, so that learning logs `rollout/ep_rew_mean`.
    Algorithms without masks need `illegal="end"` or `"random"`, see `LearnerEnv`.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: Opponents = None,
        seat: int | None = None,
        flat: Flat = True,
        action_features: bool = False,
        illegal: str = "raise",
        variants: Sequence[int] = (0,),
    ) -> None:
        self._batch = LearnerBatch(
            game, num_envs, opponents, seat, flat, action_features, illegal, variants
        )
        self._running: list[dict[str, Any]] = [{}] * num_envs  # the infos of running games
        self._chosen = np.zeros(num_envs, np.int64)
        self._live = np.ones(num_envs, np.bool_)
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._started = self._closed = False
        actions = spaces.Discrete(game.spec.num_actions)
        super().__init__(num_envs, self._batch.single_observation_space(), actions)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Row i of the next reset has the seed `seed + i`."""
        most = 2**64 - self.num_envs
        return super().seed(None if seed is None else whole("seed", seed, 0, most))

    def reset(self) -> Any:
        """The first observations of new games, by the seeds of `seed()` if it was called."""
        rows = np.arange(self.num_envs)
        if self._started and self._seeds[0] is None:
            self._batch.reset_following(rows)
        else:
            fresh = np.random.default_rng().integers(2**62, size=self.num_envs).tolist()
            seeds = seed_array(
                [f if s is None else s for s, f in zip(self._seeds, fresh, strict=True)]
            )
            self._batch.seed(int(seeds[0]))
            self._batch.reset(seeds, rows)
        self._started, self._closed = True, False
        self._returns[:] = self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        self._note(rows)
        self.reset_infos = [info.copy() for info in self._running]
        return self.observation()

    def step_async(self, actions: Any) -> None:
        """Takes the actions of the next step."""
        if not self._started:
            raise RuntimeError("no game was started: call reset() first")
        if self._closed:
            raise RuntimeError(CLOSED)
        self._chosen = np.asarray(actions)

    def step_wait(self) -> Any:
        """Makes the step; finished games begin anew at once, as in every `VecEnv`."""
        batch = self._batch
        rewards = batch.step(self._chosen, self._live).astype(np.float32)
        self._returns += rewards
        self._lengths += 1
        done = batch.over
        infos = [info.copy() for info in self._running]
        for row in np.flatnonzero(batch.was_illegal).tolist():
            infos[row]["illegal"] = True
        ended = np.flatnonzero(done)
        if len(ended):
            last, truncated = batch.observation(), batch.game.truncated(batch.state)
            for row, info in zip(ended.tolist(), self._infos(ended), strict=True):
                info["terminal_observation"] = at_row(last, row)
                info["TimeLimit.truncated"] = bool(truncated[row])
                info["episode"] = {"r": float(self._returns[row]), "l": int(self._lengths[row])}
                infos[row] = info
            batch.reset_following(ended)
            self._returns[ended] = self._lengths[ended] = 0
            self._note(ended)
        return self.observation(), rewards, done, infos

    def observation(self) -> Any:
        """What the learners see now: for instance after `restore`."""
        return self._batch.observation()

    def _infos(self, rows: Any) -> list[dict[str, Any]]:
        told = self._batch.info()
        for part in told.values():
            part.setflags(write=False)  # an array serves many steps
        return [
            {key: part[row] if part.ndim > 1 else part[row].item() for key, part in told.items()}
            for row in rows
        ]

    def _note(self, rows: Any) -> None:
        """Keeps the infos of games that have just begun: they stay the same up to the end."""
        for row, info in zip(rows, self._infos(rows), strict=True):
            self._running[row] = info

    # ------------------------------------------------------------ what Stable-Baselines3 asks for

    def action_masks(self) -> Any:
        """The masks of all games, `(num_envs, num_actions)`."""
        return self._batch.mask().view(np.bool_)

    def opponent_names(self, numbers: Any = None) -> Any:
        """Whom the learners meet, or the names of these numbers of an info's `opponents`."""
        return self._batch.opponent_names(numbers)

    def set_opponents(self, opponents: Opponents) -> None:
        """Whom the games meet from their next reset on."""
        self._batch.set_opponents(opponents)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks`, `opponent_names` and `set_opponents`, answered for the whole batch."""
        if method_name not in ("action_masks", "opponent_names", "set_opponents"):
            raise AttributeError(
                "the batch has the methods action_masks, opponent_names and set_opponents, not "
                f"{method_name!r}"
            )
        if method_name == "set_opponents" and indices is not None:
            raise ValueError("set_opponents is for all games of the batch: leave indices out")
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        if indices is not None:
            return [result[i] for i in self._get_indices(indices)]
        return [result]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, once for each game asked about."""
        count = self.num_envs if indices is None else len(list(self._get_indices(indices)))
        known = {"render_mode": None, "action_masks": self.action_masks, "spec": None}
        if attr_name not in known:
            raise AttributeError(f"the batch has no attribute {attr_name!r} for single games")
        return [known[attr_name]] * count

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: games of a batch have no attributes of their own."""
        raise AttributeError(f"the batch has no attribute {attr_name!r} to set for single games")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Never: there is nothing to wrap."""
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[Any]:
        """Every game as pixels, all hands open."""
        return [self._batch.game.draw(self._batch.state, row).rgb() for row in range(self.num_envs)]

    def snapshot(self) -> dict[str, Any]:
        """All games as plain arrays: `numpy.savez(path, **env.snapshot())`."""
        episodes = {"returns": self._returns.copy(), "lengths": self._lengths.copy()}
        return self._batch.snapshot() | episodes

    def restore(self, snapshot: Any) -> None:
        """Goes on from a snapshot, with the same opponents as the environment that made it."""
        episodes = {"returns": self._returns, "lengths": self._lengths}
        returns, lengths = checked_arrays(snapshot, episodes)
        if not np.isfinite(returns).all() or lengths.min() < 0:
            raise ValueError("the snapshot's returns must be finite, and its lengths at least 0")
        self._batch.restore(snapshot)
        self._note(range(self.num_envs))
        self._returns[:], self._lengths[:] = returns, lengths
        self._started, self._closed = True, False

    def __repr__(self) -> str:
        return told(self, self._batch.game, f"{self.num_envs} games")

    def close(self) -> None:
        """Nothing is stepped any more until the next `reset` or `restore`."""
        self._closed = True
