"""Streams of decisions as trajectories of the seats that made them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Trajectories(NamedTuple):
    """A stream of decisions seen by the seats that made them, `(steps, num_envs)` each."""

    rewards: NDArray[np.float32]  # what the decider got from this decision to their next one
    following: NDArray[np.int64]  # the step of their next decision, or ENDED, or OPEN


ENDED = -1  # the game ended before the seat decided again
OPEN = -2  # the stream ended before the seat decided again: bootstrap from its value


def trajectories(
    current_player: ArrayLike,
    rewards: ArrayLike,
    done: ArrayLike,
    truncated: ArrayLike | None = None,
) -> Trajectories:
    """Turns a stream of steps into per-seat trajectories.

    `current_player` and `done` are `(steps, num_envs)`, `rewards` is `(steps, num_envs, seats)`:
    who decided, what every seat got by it, and whether it ended the game. A seat's rewards are
    added up between its own decisions, and every seat is paid at the end.

    Where a step has cut a game off, `truncated`, of the shape of `rewards`, is what each seat
    could still expect there: the value of its last observation. It counts as paid, so that the
    last decision of each seat is bootstrapped; elsewhere it is 0.
    """
    players = np.asarray(current_player).astype(np.int64)
    paid, ended = np.asarray(rewards), np.asarray(done).astype(np.bool_)
    whole = players.ndim == 2 and paid.ndim == 3
    if not whole or paid.shape[:2] != players.shape or ended.shape != players.shape:
        raise ValueError(
            "current_player and done must be (steps, num_envs), rewards (steps, num_envs, seats), "
            f"not {players.shape}, {ended.shape} and {paid.shape}"
        )
    if truncated is not None:
        left = np.asarray(truncated)
        if left.shape != paid.shape or left[~ended].any():
            raise ValueError(
                f"truncated must be of shape {paid.shape}, not {left.shape}, and 0 in steps that "
                "did not end a game"
            )
        paid = paid + left
    steps, num_envs = players.shape
    rows = np.arange(num_envs)
    own = np.zeros((steps, num_envs), np.float32)
    following = np.full((steps, num_envs), OPEN)
    sums = np.zeros((num_envs, paid.shape[2]), np.float64)
    after = np.full(sums.shape, OPEN)
    for step in reversed(range(steps)):
        sums[ended[step]] = 0.0
        after[ended[step]] = ENDED
        sums += paid[step]
        seats = players[step]
        own[step], following[step] = sums[rows, seats], after[rows, seats]
        sums[rows, seats], after[rows, seats] = 0.0, step
    return Trajectories(own, following)
