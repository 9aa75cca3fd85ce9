"""The tiny game (15.3), solved with everything open: its value for seat 0 is 9/140."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from drago_env.rupe_dei_draghi.rules import Rules
from tests.rupe_dei_draghi.loops import Batch, apply_rows, legal_rows

CARDS = (0, 2, 5, 6, 6, 6, 6)


class Solver:
    """Best play of both seats by looking at every way the game can go."""

    def __init__(self, cap: int) -> None:
        self.batch = Batch([Rules.tiny(cap)], 1)
        self.tables = self.batch.tables
        self.actions = np.zeros((1, self.batch.most), np.uint16)
        self.counts = np.zeros(1, np.int64)
        self.rewards = np.zeros((1, 2, 4), np.float32)
        self.known: dict[bytes, Fraction] = {}

    def after(self, state: Any, action: int) -> list[tuple[Fraction, Any]]:
        """All that can come of an action, with probabilities, by scripts of chance."""
        found = []
        scripts: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
        while scripts:
            digits, bases = scripts.pop()
            trial, draws = state.copy(), np.array(digits, np.uint16)
            trial["script"], trial["rng"] = len(digits) + 1, draws.ctypes.data
            apply_rows(trial, np.array([action]), self.tables, self.rewards)
            options = int(trial["options"][0])
            if options:
                scripts += [((*digits, d), (*bases, options)) for d in range(options)]
                continue
            trial["script"] = trial["rng"] = trial["before"] = 0  # what pays nothing by WIN
            found.append((Fraction(1, int(np.prod(bases, dtype=np.int64))), trial))
        return found

    def value(self, state: Any) -> Fraction:
        """For seat 0."""
        end = int(state["end"][0])
        if end:
            return Fraction(0 if end == 2 else 1 - 2 * int(state["seat"][0]))
        key = state.tobytes()
        if key not in self.known:
            legal_rows(state, self.tables, self.actions, self.counts)
            legal = self.actions[0, : self.counts[0]].tolist()
            values = [
                sum((p * self.value(s) for p, s in self.after(state, action)), Fraction())
                for action in legal
            ]
            self.known[key] = min(values) if state["seat"][0] else max(values)
        return self.known[key]

    def game(self) -> Fraction:
        """The mean over all deals of the single cards and of the princesses."""
        total, deals = Fraction(), 0
        places = range(len(CARDS))
        for own in combinations(places, 3):
            rest = [place for place in places if place not in own]
            for other in combinations(rest, 3):
                drawn = [[CARDS[i] for i in places] for places in (own, other)]
                hands = [np.bincount(cards, minlength=10) for cards in drawn]
                for princesses in ([0, 1], [1, 0]):
                    state = self.batch.state.copy()
                    state["hand"][0, :2] = hands
                    state["deck"] = np.bincount(CARDS, minlength=10) - sum(hands)
                    state["princess"][0, :2] = princesses
                    state["rng"] = state["before"] = 0
                    total += self.value(state)
                    deals += 1
        assert deals == 280
        return total / deals


def test_15_3_the_value_of_the_tiny_game() -> None:
    assert Solver(cap=3).game() == Fraction(9, 140)
