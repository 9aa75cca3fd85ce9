"""Chance by name: all that can come of a step, and steps whose draws are given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from drago_env.core.chance import as_digits, unmixed
from drago_env.core.checks import select
from drago_env.game import ChanceOutcome, GameSpec, State


class NamedChance:
    """The part of a compiled game that goes through chance draw by draw; see `core/chance.py`."""

    loops: ClassVar[Any]
    tables: Any
    spec: GameSpec
    step: Any

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        """All that can come of an action in the one game of a state; None: of dealing it anew."""
        found: list[ChanceOutcome] = []
        open_ends: list[tuple[tuple[int, ...], tuple[int, ...], float]] = [((), (), 1.0)]
        while open_ends:
            draws, bases, probability = open_ends.pop()
            after, options = self._scripted(state, action, draws, bases)
            if not options:
                found.append(ChanceOutcome(probability, draws, after))
            open_ends.extend(
                ((*draws, draw), (*bases, options), probability / options)
                for draw in reversed(range(options))
            )
        return found

    def branches(
        self, state: State, actions: NDArray[np.int64] | None = None, most: int = 1 << 20
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], State]:
        """The outcomes of an action in each of many games: rows, probabilities and clones.

        Without actions, those of dealing every row anew. More than `most` clones are refused.
        """
        rows = np.arange(len(state))
        numbers, weights = np.zeros(len(rows), np.uint64), np.ones(len(rows), np.uint64)
        found, size = [], 0
        for script in count(1):
            after = select(state, rows)
            options = self._run_script(
                after, actions if actions is None else actions[rows], numbers, script
            )
            ends = options == 0
            found.append((rows[ends], 1.0 / weights[ends], after[ends]))
            size += int(ends.sum())
            if ends.all():
                break
            if size + options.sum() > most:
                raise ValueError(f"chance has more than {most:,} outcomes here")
            if (weights.astype(np.float64) * options >= 2.0**64).any():
                raise ValueError(f"{script} draws are too many for one script")
            more = np.repeat(np.arange(len(rows)), options)
            draws = np.arange(len(more)) - np.repeat(np.cumsum(options) - options, options)
            numbers = numbers[more] + draws.astype(np.uint64) * weights[more]
            weights = weights[more] * options[more].astype(np.uint64)
            rows = rows[more]
        joined = [np.concatenate(part) for part in zip(*found, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return joined[0][order], joined[1][order], joined[2][order]

    def step_drawn(self, state: State, action: int | None, draws: Sequence[int]) -> int:
        """One step of one game (None: its deal) with these draws, in place of random ones.

        Returns 0, or how many outcomes the next draw has, in which case nothing changed.
        """
        bases: list[int] = []
        for k, draw in enumerate(draws):
            _, options = self._scripted(state, action, tuple(draws[:k]), bases)
            if not 0 <= draw < options:
                raise ValueError(f"draws[{k}] must be from 0 to {options - 1}, not {draw}")
            bases.append(options)
        after, options = self._scripted(state, action, tuple(draws), bases)
        if not options:
            state[:] = after
        return options

    def _scripted(
        self, state: State, action: int | None, draws: Sequence[int], bases: Sequence[int]
    ) -> tuple[State, int]:
        """A clone after the step with these draws, and the outcomes of one beyond them."""
        if len(state) != 1:
            raise ValueError(f"pass the one game state[i : i + 1], not {len(state)} games")
        after = select(state)
        numbers = np.array([as_digits(draws, bases)], np.uint64)
        actions = None if action is None else np.array([action])
        return after, int(self._run_script(after, actions, numbers, 1 + len(draws))[0])

    def _run_script(
        self,
        state: State,
        actions: NDArray[np.int64] | None,
        numbers: NDArray[np.uint64],
        script: int,
    ) -> NDArray[np.int64]:
        """A step or deal of each row with the draws in its number, and the outcomes of one more."""
        if self.spec.has_chance:
            rng = state["rng"].copy()
            state["script"], state["options"], state["rng"] = script, 0, numbers
        if actions is None:
            rows, seeds = np.arange(len(state)), [unmixed(number) for number in numbers.tolist()]
            rules = (state.copy(), self.tables)
            self.loops.deal(state, rows, np.array(seeds, np.uint64), rows, rules)
        else:
            self.step(state, actions)
        if not self.spec.has_chance:
            return np.zeros(len(state), np.int64)
        options = state["options"].astype(np.int64)
        state["script"], state["options"], state["rng"] = 0, 0, rng
        return options
