"""Uniformly random play, with generators of its own beside those of chance."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from drago_env.core import batches
from drago_env.core.checks import output, seed_array, select, within
from drago_env.game import Legal, Seeds, State


class RandomPlay:
    """The part of a compiled game that chooses at random."""

    loops: ClassVar[Any]
    run: Any
    _shared: Any
    _check_rows: Any
    _check_legal: Any

    def picks(self, seeds: Seeds) -> NDArray[np.uint64]:
        """Generators for the random choice of actions, apart from those of chance."""
        seeds = seed_array(seeds)
        picks = np.empty_like(seeds)
        batches.start_picks(seeds, picks)
        return picks

    def sample(self, legal: Legal, picks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """A uniformly random legal action for each game; -1 where there is none."""
        n = len(legal.counts)
        self._check_legal(legal, n)
        output("picks", picks, (n,), np.uint64)
        within("legal.counts", legal.counts, 0, legal.actions.shape[1])
        actions = np.empty(n, np.int64)
        self.run(batches.sample, n, *legal[:2], picks, actions)
        return actions

    def finished(self, state: State, seeds: Seeds) -> State:
        """Clones after uniformly random play to the end.

        The seeds are for the choice of actions; chance goes on with each game's own generator, so
        whoever must not know what comes next takes clones from `determinize`.
        """
        n = self._check_rows(state)
        picks, clone = self.picks(seed_array(seeds, n)), select(state)
        self.run(self.loops.playout, n, clone, picks, self._shared)
        return clone

    def random_step_unchecked(
        self,
        state: State,
        picks: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        legal: Legal,
        observation: NDArray[np.float32],
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
    ) -> None:
        """Everything of a random step in one kernel, for speed: pick, step, restart, observe.

        A uniformly random action of `legal` is made in every game; a game that ends is
        marked in `done` and dealt again from the next seed of its row; then `legal` and
        `observation` are those of the new position. All arrays are the caller's.
        """
        arguments = (state, picks, seeds, self._shared, *legal, observation, rewards, done)
        self.run(self.loops.random_step, len(state), *arguments)
