"""Chance by name: all that can come of a step, and steps whose draws are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from drago_env.core.batches import NO_ACTION
from drago_env.core.chance import unmixed
from drago_env.core.checks import select, whole
from drago_env.game import ChanceOutcome, GameSpec, State

MOST = 2**16 - 1  # no draw has so many outcomes


class NamedChance:
    """The part of a compiled game that goes through chance draw by draw; see `core/chance.py`."""

    loops: ClassVar[Any]
    tables: Any
    spec: GameSpec
    _checked: Any
    step_unchecked: Any

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        """All that can come of an action in the one game of a state; None: of dealing it anew."""
        found: list[ChanceOutcome] = []
        open_ends: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
        while open_ends:
            draws, probability = open_ends.pop()
            after, options = self._scripted(state, action, draws)
            if not options:
                found.append(ChanceOutcome(probability, draws, after))
            open_ends.extend(
                ((*draws, draw), probability / options) for draw in reversed(range(options))
            )
        return found

    def branches(
        self, state: State, actions: NDArray[np.int64] | None = None, most: int = 1 << 20
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], State]:
        """The outcomes of an action in each of many games: rows, probabilities and clones.

        Without actions, those of dealing every row anew. More than `most` clones are refused.
        """
        rows = np.arange(len(state))
        draws, weights = np.zeros((len(rows), 0), np.uint16), np.ones(len(rows))
        found, size = [], 0
        while True:
            after = select(state, rows)
            options, _ = self._run_script(
                after, actions if actions is None else actions[rows], draws
            )
            ends = options == 0
            found.append((rows[ends], 1.0 / weights[ends], after[ends]))
            size += int(ends.sum())
            if ends.all():
                break
            if size + options.sum() > most:
                raise ValueError(f"chance has more than {most:,} outcomes here")
            more = np.repeat(np.arange(len(rows)), options)
            drawn = np.arange(len(more)) - np.repeat(np.cumsum(options) - options, options)
            draws = np.column_stack([draws[more], drawn.astype(np.uint16)])
            weights = weights[more] * options[more]
            rows = rows[more]
        joined = [np.concatenate(part) for part in zip(*found, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return joined[0][order], joined[1][order], joined[2][order]

    def step_drawn(self, state: State, action: int | None, draws: Sequence[int]) -> int:
        """One step of one game (None: its deal) with these draws, in place of random ones.

        Returns 0, or how many outcomes the next draw has, in which case nothing changed.
        """
        after, options = self._scripted(state, action, draws)
        if not options:
            state[:] = after
        return options

    def _scripted(
        self, state: State, action: int | None, draws: Sequence[int]
    ) -> tuple[State, int]:
        """A clone after the step with these draws, and the outcomes of one beyond them."""
        if len(state) != 1:
            raise ValueError(f"pass the one game state[i : i + 1], not {len(state)} games")
        after = select(state)
        given = np.array([[min(max(draw, -1), MOST) for draw in draws]], np.int64)
        actions = None if action is None else np.array([action])
        options, left = self._run_script(after, actions, given.astype(np.uint16))
        k = len(draws) - int(left[0])
        if k < len(draws):
            allowed = (
                f"from 0 to {options[0] - 1}" if options[0] else "left out: chance has no more"
            )
            raise ValueError(f"draws[{k}] must be {allowed}, not {draws[k]}")
        return after, int(options[0])

    def _run_script(
        self, state: State, actions: NDArray[np.int64] | None, draws: NDArray[np.uint16]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """A step or deal of each row with its draws.

        Returns the outcomes of the first draw that is not given or not one of them, and how many
        draws were not used.
        """
        count, chance = whole("draws", draws.shape[1], 0, 254), self.spec.has_chance
        # before there is a script: no door lets one in
        chosen = self._checked(
            state, np.full(len(state), NO_ACTION) if actions is None else actions
        )
        draws = np.ascontiguousarray(draws)
        addresses = (
            np.uint64(draws.ctypes.data) + np.arange(len(state), dtype=np.uint64) * 2 * count
        )
        if chance:
            rng = state["rng"].copy()
            state["script"], state["options"], state["rng"] = 1 + count, 0, addresses
        if actions is None:
            rows, seeds = np.arange(len(state)), [unmixed(a) for a in addresses.tolist()]
            rules = (state.copy(), self.tables)
            self.loops.deal(state, rows, np.array(seeds, np.uint64), rows, rules)
        else:
            self.step_unchecked(state, chosen)
        if not chance:
            return np.zeros(len(state), np.int64), np.full(len(state), count)
        options, left = state["options"].astype(np.int64), state["script"].astype(np.int64) - 1
        state["script"], state["options"], state["rng"] = 0, 0, rng
        return options, left
