"""A finished game looked at again: who came in which place, and what `search` thinks of the moves.

A review is worked out piece by piece, so that whoever waits for it sees it grow.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from drago_env.core.checks import select
from drago_env.core.planning import planner_of
from drago_env.game import Game, State
from drago_env.pictures.chart import chances
from drago_env.pictures.table import Table
from drago_env.search import Search

THINKING = 120.0  # milliseconds for each decision
PIECE = 0.5  # seconds of thinking for each answer
WIDE = 600  # of a chart
MISTAKE = 0.05  # a move that costs so much of the chance to win is one, if that is no accident


class Decision(NamedTuple):
    """A decision of the game."""

    move: int  # its number, from 1
    seat: int
    before: State
    action: int


class Judged(NamedTuple):
    """What `search` thinks of a decision, by what the seat knew."""

    move: int
    seat: int
    chance: float  # to win after what was played
    best: str  # what `search` would have played, in words
    best_chance: float
    mistake: bool


class Review:
    """The judgement on each decision, the person's own first."""

    def __init__(
        self,
        game: Game,
        table: Table,
        names: Sequence[str],
        decisions: list[Decision],
        end: State,
        seat: Any,
    ) -> None:
        self._game, self._table, self._names, self._seat = game, table, names, seat
        self._left = sorted(decisions, key=lambda one: one.seat != seat)
        self._total = len(decisions)
        self._shares = game.shares(select(end))[0].tolist()  # of the victory
        self._search = Search(ms=THINKING, head_start=0)  # chances and nothing else
        self._judged: list[Judged] = []
        planner_of(game, "a review")

    def go_on(self) -> dict[str, Any]:
        """Thinks for a while; all that is known then."""
        until = time.monotonic() + PIECE
        while self._left and time.monotonic() < until:
            judged = self._judge(self._left.pop(0))
            if judged is not None:
                self._judged.append(judged)
        told = sorted(self._judged)
        return {
            "left": len(self._left),
            "total": self._total,
            "moves": [one._asdict() for one in told],
            "chart": self._chart(told),
        }

    def _judge(self, decision: Decision) -> Judged | None:
        """None for a decision without a choice."""
        move, seat, before, action = decision
        if int(self._game.legal(before).counts[0]) < 2:
            return None
        state = self._game.determinize(before, [seat], move)
        found = self._search.search(self._game, state, np.array([move], np.uint64))
        listed = found.actions[0, : found.counts[0]].tolist()
        played, best = listed.index(action), listed.index(int(found.best()[0]))
        values, visits = found.values[0], np.maximum(found.visits[0], 1)
        loss = float(values[best] - values[played])
        spread = np.sqrt(np.clip(values * (1 - values), 0.01, 1) / visits)
        doubt = 2 * float(np.hypot(spread[best], spread[played]))
        words = {choice.action: choice.text for choice in self._table.choices(state, self._names)}
        chance = float(values[played])
        mistake = played != best and loss >= max(MISTAKE, doubt)
        return Judged(move, seat, chance, words[listed[best]], float(values[best]), mistake)

    def _chart(self, told: Sequence[Judged]) -> str:
        """A line for each seat, up to what came of it, and the person's mistakes on theirs."""
        lines = [[(one.move, one.chance) for one in told if one.seat == s] for s in self._seats]
        for line, share in zip(lines, self._shares, strict=False):
            line[:] = [*(point for point in line if point[0] < self._total), (self._total, share)]
        marks = [(one.move, one.chance) for one in told if one.mistake and one.seat == self._seat]
        return chances(lines, self._names, self._total, marks, WIDE)

    @property
    def _seats(self) -> range:
        return range(len(self._names))


def standings(game: Game, state: State, names: Sequence[str]) -> list[dict[str, Any]]:
    """Who came in which place; without points there are winners and others."""
    shares, scores = game.shares(select(state))[0], game.scores(state)[0]
    wins = game.winners(state)[0]
    points = game.spec.has_points
    value = [(bool(wins[s]), int(scores[s]) if points else 0) for s in range(len(names))]
    order = sorted(range(len(names)), key=lambda s: (value[s], float(shares[s])), reverse=True)
    return [
        {
            "place": 1 + sum(other > value[s] for other in value) if points or wins.any() else None,
            "seat": s,
            "name": names[s],
            "wins": bool(wins[s]),
            "points": int(scores[s]) if points else None,
        }
        for s in order
    ]
