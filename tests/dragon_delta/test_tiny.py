"""Clause 12.3: the tiny game, solved backwards round by round on the engine.

All is public when a round starts, so a round is a game of its own with two players and hidden
programs. Its value is a linear program over sequences of decisions: Koller, Megiddo and von
Stengel's form. What follows a round is worth what the next one is.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack

from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import CUT_OFF, RUNNING
from tests.dragon_delta.engine import Engine

State = NDArray[np.void]
RULES = Rules.tiny()
PROGRAMS = list(permutations((*RULES.kinds, 8), RULES.slots))


@dataclass
class Plans:
    """The sequences of a player's own decisions; 0 is the empty one."""

    count: int = 1
    known: dict[Hashable, dict[Any, int]] = field(default_factory=dict)
    splits: list[tuple[int, list[int]]] = field(default_factory=list)

    def at(self, situation: Hashable, before: int, options: list[Any]) -> dict[Any, int]:
        """The sequence that each option of a situation leads to."""
        if situation not in self.known:
            made = list(range(self.count, self.count + len(options)))
            self.count += len(options)
            self.known[situation] = dict(zip(options, made, strict=True))
            self.splits.append((before, made))
        return self.known[situation]

    def constraints(self) -> Any:
        """Rows: the empty sequence has weight 1, and every split keeps the weight before it."""
        rows, columns, values = [0], [0], [1.0]
        for row, (before, after) in enumerate(self.splits, 1):
            rows += [row] * (1 + len(after))
            columns += [before, *after]
            values += [-1.0] + [1.0] * len(after)
        shape = (len(self.splits) + 1, self.count)
        return coo_matrix((values, (rows, columns)), shape=shape).tocsr()


@dataclass
class Solver:
    """Values of positions at the start of a round, for seat 0."""

    book: Engine = field(default_factory=lambda: Engine(RULES))
    values: dict[bytes, float] = field(default_factory=dict)

    def value(self, state: State) -> float:
        key = state.tobytes()
        if key not in self.values:
            self.values[key] = self.solved(state)
        return self.values[key]

    def solved(self, state: State) -> float:
        plans = Plans(), Plans()
        ends: dict[tuple[int, int], float] = {}
        own, other = (plan.at("program", 0, PROGRAMS) for plan in plans)
        for program, first in own.items():
            for reply, second in other.items():
                dealt = self.programmed(state, (program, reply))
                self.walk(dealt, int(state[0]["round"]), (), (first, second), plans, ends)
        return best(plans, ends)

    def programmed(self, state: State, programs: tuple[Any, Any]) -> State:
        after, first = state.copy(), int(state[0]["first"])
        for seat in (first, 1 - first):
            for card in programs[seat]:
                self.book.step(after, card)
        return after

    def walk(
        self,
        state: State,
        round: int,
        history: tuple[int, ...],
        so_far: tuple[int, int],
        plans: tuple[Plans, Plans],
        ends: dict[tuple[int, int], float],
    ) -> None:
        """Goes through all decisions of a round whose cards are laid."""
        game = state[0]
        if game["end"] != RUNNING or game["round"] != round:
            ends[so_far] = ends.get(so_far, 0.0) + self.worth(state)
            return
        seat, open_slots = int(game["seat"]), int(game["slot"]) + 1
        shown = game["program"][:2, :open_slots].tobytes()
        situation = (game["program"][seat].tobytes(), shown, history)
        for action, after in (
            plans[seat].at(situation, so_far[seat], self.book.legal(state)).items()
        ):
            clone = state.copy()
            self.book.step(clone, action)
            pair = (after, so_far[1]) if seat == 0 else (so_far[0], after)
            self.walk(clone, round, (*history, action), pair, plans, ends)

    def worth(self, state: State) -> float:
        game = state[0]
        if game["end"] == RUNNING:
            return self.value(state)
        return 0.0 if game["end"] == CUT_OFF else 1.0 - 2.0 * int(game["seat"])


def best(plans: tuple[Plans, Plans], ends: dict[tuple[int, int], float]) -> float:
    """The most that the first player can be sure of."""
    pairs = np.array(list(ends))
    shape = (plans[0].count, plans[1].count)
    pays = coo_matrix((list(ends.values()), (pairs[:, 0], pairs[:, 1])), shape=shape).tocsr()
    own, other = plans[0].constraints(), plans[1].constraints()
    aim = np.zeros(shape[0] + other.shape[0])
    aim[shape[0]] = -1.0
    start = np.zeros(own.shape[0])
    start[0] = 1.0
    found = linprog(
        aim,
        A_ub=hstack([-pays.T, other.T]).tocsr(),
        b_ub=np.zeros(shape[1]),
        A_eq=hstack([own, csr_matrix((own.shape[0], other.shape[0]))]).tocsr(),
        b_eq=start,
        bounds=[(0, None)] * shape[0] + [(None, None)] * other.shape[0],
        method="highs",
    )
    assert found.status == 0
    return -float(found.fun)


def test_12_3_the_tiny_game_is_worth_minus_a_ninth() -> None:
    solver = Solver()
    assert abs(solver.value(solver.book.new()) + 1 / 9) < 1e-7
    assert len(solver.values) > 20
