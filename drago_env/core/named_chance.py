"""Chance by name: all that can come of a step, and steps whose draws are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from drago_env.core.chance import as_digits, unmixed
from drago_env.core.checks import select
from drago_env.game import ChanceOutcome, GameSpec, State

_ONE_ROW = (np.zeros(1, np.int64), np.zeros(1, np.uint64), np.zeros(1, np.int64))


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
        if not self.spec.has_chance:
            if action is None:
                self.loops.deal(after, *_ONE_ROW, (after.copy(), self.tables))
            else:
                self.step(after, [action])
            return after, 0
        number = as_digits(draws, bases)
        after["script"], after["options"] = 1 + len(draws), 0
        if action is None:
            rows, _, kinds = _ONE_ROW
            seeds = np.array([unmixed(number)], np.uint64)
            self.loops.deal(after, rows, seeds, kinds, (after.copy(), self.tables))
        else:
            after["rng"] = number
            self.step(after, [action])
        options = int(after["options"][0])
        after["script"], after["options"], after["rng"] = 0, 0, state["rng"]
        return after, options
