"""The positions of an agent's games, and what its decisions in them are worth: see `agents.skill`.

An agent has one seat, the base policy all others; each deal is played in every rotation. Of the
agent's decisions in a game some are drawn, and each is judged against what the base would do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.judging import Judge, gains
from agents.response import told_search
from agents.seating import Chunk, Columns, Config, deals, play_all
from drago_env.core.checks import select, whole
from drago_env.game import State, Turn
from drago_env.policy import resolve, sees_all

CHUNK = 16  # games that are played and judged at once
AGENT = 0  # its number; the base has all others


@dataclass(frozen=True)
class Survey(Config):
    """An arena of one agent among the base, in which decisions are judged.

    `agents` are the agent and, for all other seats, the base.
    """

    each: int = 16  # decisions of a game that are judged, at most
    worlds: int = 128  # in which each of them is judged
    playouts: int = 0  # for the best choice in them; 0: it is not looked for

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("each", 1), ("worlds", 1), ("playouts", 0)):
            whole(name, getattr(self, name), least, 2**24)
        if len(self.agents) != self.players:
            raise ValueError(f"{self.players} seats need as many agents, not {len(self.agents)}")

    @property
    def columns(self) -> tuple[str, ...]:
        """What is kept of each decision."""
        known = ("deal", "rotation", "seat", "agent", "win_share", "weight", "same", "gain")
        return (*known, *(("best",) if self.playouts else ()))

    @property
    def rows(self) -> int:
        """Those of a game with fewer decisions are filled up, without weight."""
        return self.each

    @property
    def asked(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("each", "worlds", "playouts")}

    @property
    def chunk(self) -> int:
        return max(CHUNK // self.players, 1)

    @cached_property
    def judge(self) -> Judge:
        """The base, who plays on."""
        return Judge(self.rule_book, self.policies()[-1])

    @property
    def chooser(self) -> str:
        """Who looks for the best choice: the agent that the ceiling is made of."""
        base = self.agents[-1]
        name = base if isinstance(base, str) else base.name
        return told_search(self.rule_book, name, self.playouts)

    def play(self, first: int, last: int, records: bool) -> Chunk:
        """Plays these deals and judges what the agent did in them."""
        game, seats = self.rule_book, self.players
        dealt = deals(self, first, last)
        places = dealt.seating.reshape(-1, seats)
        kept = _Kept(self, places)
        seated, _ = play_all(self, dealt, kept.watch)
        own = (places == AGENT).argmax(1)
        share = game.shares(kept.state)[np.arange(len(own)), own]
        deal, rotation = np.indices(dealt.seating.shape[:2]).reshape(2, -1)
        found = {
            "deal": deal + first,
            "rotation": rotation,
            "seat": own,
            "agent": np.full(len(own), AGENT),
            "win_share": share,
        }
        columns = {name: np.repeat(column, self.each) for name, column in found.items()}
        columns |= self._judged(kept, first)
        return Chunk(
            {name: columns[name] for name in self.columns},
            np.array([agent.seconds for agent in seated]),
            np.array([agent.decisions for agent in seated]),
            [],
        )

    def _judged(self, kept: _Kept, first: int) -> Columns:
        """Which of the decisions are drawn, and what they gain."""
        drawn = kept.drawn(first)
        columns: Columns = {
            "weight": np.zeros(len(kept.places) * self.each),
            "same": np.zeros(len(kept.places) * self.each, np.bool_),
            "gain": np.zeros(len(kept.places) * self.each),
            "best": np.zeros(len(kept.places) * self.each),
        }
        if drawn is None:
            return columns
        judge, state, numbers = self.judge, drawn.state, drawn.numbers
        base = judge.choose(state, numbers[:, 0])
        columns["weight"][drawn.rows] = drawn.weight
        columns["same"][drawn.rows] = base == drawn.actions
        columns["gain"][drawn.rows] = gains(
            judge, state, base, drawn.actions, numbers[:, 1], self.worlds
        )
        if self.playouts:
            best = judge.choose(state, numbers[:, 2], resolve(self.chooser, judge.game))
            columns["best"][drawn.rows] = gains(
                judge, state, base, best, numbers[:, 1], self.worlds
            )
        return columns


class _Drawn(NamedTuple):
    """Decisions to be judged."""

    rows: NDArray[np.int64]  # where they stand in the columns
    state: State  # before them
    actions: NDArray[np.int64]
    weight: NDArray[np.float64]  # how many decisions of its game each stands for
    numbers: NDArray[np.uint64]  # three random ones for each


class _Kept:
    """All decisions of the agent in a batch of games."""

    def __init__(self, survey: Survey, places: NDArray[np.int64]) -> None:
        self.survey, self.places = survey, places
        self.state: State  # the array that all games are played in
        self._rounds = 0
        self._judges = not sees_all(survey.policies()[AGENT])
        self._found: list[tuple[NDArray[np.int64], State, NDArray[np.int64]]] = []

    def watch(self, state: State, turn: Turn, actions: NDArray[np.int64]) -> None:
        """Keeps a round of decisions; those of an opening are nobody's."""
        self.state, self._rounds = state, self._rounds + 1
        seats = self.survey.rule_book.current_player(state).astype(np.int64)
        own = self.places[np.arange(len(state)), seats] == AGENT
        rows = np.flatnonzero(own & (actions >= 0))
        if self._judges and len(rows) and self._rounds > self.survey.opening:
            self._found.append((rows, select(state, rows), actions[rows].copy()))

    def drawn(self, first: int) -> _Drawn | None:
        """So many of each game as the survey asks for; None if nothing is to be judged."""
        if not self._found:
            return None
        game, state, actions = (np.concatenate(parts) for parts in zip(*self._found, strict=True))
        each, picks = self.survey.each, []
        for number in range(len(self.places)):
            own = np.flatnonzero(game == number)
            which = divmod(number + first * self.survey.players, self.survey.players)
            rng = np.random.default_rng([self.survey.seed, *which])
            few = np.sort(rng.permutation(len(own))[:each])
            weight = np.full(len(few), len(own) / max(len(few), 1))
            numbers = rng.integers(0, 2**64, (each, 3), dtype=np.uint64)[: len(few)]
            picks.append((number * each + np.arange(len(few)), own[few], weight, numbers))
        rows, own, weight, numbers = (np.concatenate(parts) for parts in zip(*picks, strict=True))
        return _Drawn(rows, select(state, own), actions[own], weight, numbers)
