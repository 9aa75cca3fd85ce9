"""Any `Game` as a vector environment in which the caller plays every seat."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from drago_env.core.chance import mix
from drago_env.core.checks import checked_arrays, seed_array, select, whole
from drago_env.game import Game
from drago_env.moved import moved
from drago_env.wrappers.spaces import CLOSED, at_row, decision_space, final, told


class SelfPlayVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Every decision of every seat goes to the caller.

    The observation is that of the seat on turn, whose number is in `current_player` and in
    `info["current_player"]`. The reward of a step is what the seat that decided got at once;
    `info["rewards"]` has what every seat got, `(num_envs, seats)`. `trajectories` turns a stream
    of steps into rewards by seat. With `action_features=True` the observation also lists the legal
    actions (-1 past their end) with the features of each. A finished game is dealt anew in the
    same step; `info["scores"]` and `info["winners"]` tell how it came out, and are 0 in the rows
    whose games go on. `info` has these keys at every step.

    Where games have ended, it also has Gymnasium's `final_obs` and `final_info`: the end as the
    seat that decided last sees it. If some were cut off, `final_info["observations"]` is what
    every seat saw then, `(num_envs, seats, size)`, and 0 elsewhere: its value is what the seat
    could still expect, `truncated` in `trajectories`.
    """

    def __init__(self, game: Game, num_envs: int = 1, action_features: bool = False) -> None:
        whole("num_envs", num_envs, 1)
        self.autoreset_mode = AutoresetMode.SAME_STEP
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        self.game, self.num_envs, self.action_features = game, num_envs, action_features
        self.single_observation_space = decision_space(game.spec, action_features)
        self.single_action_space = spaces.Discrete(game.spec.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows = np.arange(num_envs)
        self._seeds = np.zeros(num_envs, np.uint64)
        self.state = game.new(self._seeds)
        self._turn = game.look(self.state)
        self._started = False

    @property
    def current_player(self) -> NDArray[np.int64]:
        """Who decides in each game."""
        return self.game.current_player(self.state).astype(np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New games; row i has the seed `seed + i`, or without a seed goes on from its last."""
        if seed is None and self._started:
            self._deal(self._rows)
        else:
            first = seed_array(int(self.np_random.integers(2**62)) if seed is None else seed)[0]
            self._seeds = seed_array([int(first) + row for row in range(self.num_envs)])
            self.game.reset(self.state, self._seeds)
            self.game.look(self.state, self._turn)
        self._started, self.closed = True, False
        paid = np.zeros((self.num_envs, self.game.spec.seats), np.float32)
        return self._observation(), self._info() | self._no_results() | {"rewards": paid}

    def _deal(self, rows: NDArray[np.int64]) -> None:
        self._seeds[rows] = mix(self._seeds[rows])
        self.game.reset(self.state, self._seeds[rows], rows)
        self.game.look(self.state, self._turn, rows)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One decision in every game, each by the seat on turn."""
        if not self._started:
            raise RuntimeError("no game was started: call reset() first")
        if self.closed:
            raise RuntimeError(CLOSED)
        movers = self.current_player
        chosen = np.asarray(actions)
        if chosen.dtype.kind in "iu" and (chosen < 0).any():
            raise ValueError(f"actions must be from 0, not {chosen.min()}; every game decides")
        self.game.turn(self.state, chosen, self._turn)
        over = self._turn.legal.counts == 0
        truncated = over & self.game.truncated(self.state)
        rewards = self._turn.outcome.rewards.copy()
        told = self._no_results() | {"rewards": rewards}
        ends: dict[str, Any] = {}
        if over.any():
            ended = select(self.state, np.flatnonzero(over))
            told["scores"][over] = self.game.scores(ended)
            told["winners"][over] = self.game.winners(ended)
            ends = self._ends(movers, over, truncated, told)
            self._deal(np.flatnonzero(over))
        own = rewards[self._rows, movers].astype(np.float64)
        return self._observation(), own, over & ~truncated, truncated, self._info() | told | ends

    def _ends(
        self,
        movers: NDArray[np.int64],
        over: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        told: dict[str, Any],
    ) -> dict[str, Any]:
        """What is told of games that have ended, before they are dealt anew."""
        game, rows = self.game, np.flatnonzero(over)
        mask = self._turn.legal.mask.copy()
        mask[rows, -1] = 1  # so that no mask is all zero
        seen: dict[str, NDArray[Any]] = {
            "observation": game.observe(select(self.state, rows), movers[rows]),
            "action_mask": mask[rows],
        }
        if self.action_features:
            listed = (len(rows), game.spec.max_legal)
            seen["legal_actions"] = np.full(listed, -1)
            seen["action_features"] = np.zeros((*listed, game.spec.feature_size), np.float32)
        info = told | {"current_player": movers, "action_mask": mask}
        if truncated.any():
            info["observations"] = self._seen_by_all(np.flatnonzero(truncated))
        return final(over, (at_row(seen, place) for place in range(len(rows))), info)

    def _seen_by_all(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """What every seat sees in these rows, `(num_envs, seats, size)`; 0 in the others."""
        game, spec = self.game, self.game.spec
        seen = np.zeros((self.num_envs, spec.seats, spec.observation_size), np.float32)
        players = game.players(self.state)
        for seat in range(spec.seats):
            seated = rows[players[rows] > seat]
            seen[seated, seat] = game.observe(
                select(self.state, seated), np.full(len(seated), seat)
            )
        return seen

    def _no_results(self) -> dict[str, NDArray[Any]]:
        shape = (self.num_envs, self.game.spec.seats)
        return {"scores": np.zeros(shape, np.int64), "winners": np.zeros(shape, np.bool_)}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of the seat on turn in every game."""
        return np.asarray(self._turn.legal.mask.astype(np.bool_))

    def _observation(self) -> dict[str, NDArray[Any]]:
        turn = self._turn
        parts: dict[str, NDArray[Any]] = {
            "observation": turn.observation.copy(),
            "action_mask": turn.legal.mask.copy(),
        }
        if self.action_features:
            listed = np.arange(self.game.spec.max_legal) < turn.legal.counts[:, None]
            parts["legal_actions"] = np.where(listed, turn.legal.actions.astype(np.int64), -1)
            parts["action_features"] = self.game.features(self.state, turn.legal)
        return parts

    def __repr__(self) -> str:
        return told(self, self.game, f"{self.num_envs} games")

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """All games as plain arrays: `numpy.savez(path, **env.snapshot())`."""
        return {"state": select(self.state), "seeds": self._seeds.copy()}

    def restore(self, snapshot: Any) -> None:
        """Goes on from a snapshot of as many games."""
        state, seeds = checked_arrays(snapshot, {"state": self.state, "seeds": self._seeds})
        self.game.check(state)
        self.state[:], self._seeds[:] = state, seeds
        self.game.look(self.state, self._turn)
        self._started, self.closed = True, False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.game.check(self.state)

    def _info(self) -> dict[str, Any]:
        return {"current_player": self.current_player, "action_mask": self._turn.legal.mask.copy()}


__getattr__ = moved(
    __name__,
    {
        "trajectories": "drago_env.core.trajectories:trajectories",
        "Trajectories": "drago_env.core.trajectories:Trajectories",
        "ENDED": "drago_env.core.trajectories:ENDED",
        "OPEN": "drago_env.core.trajectories:OPEN",
    },
)
