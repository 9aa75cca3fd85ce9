"""Fits chances to win to who won games, by maximum likelihood: what the games' `tune` share."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from drago_env.core.chance import mix
from drago_env.core.files import write
from drago_env.core.planning import roll, win_chances
from drago_env.game import State
from drago_env.games import make

Floats = NDArray[np.float64]
_FAR = 1000  # no game is restless for so many decisions


class Likelihood:
    """How likely the winners of some games were to win, by chances that numbers give.

    `chances(numbers, rows)` are those of all seats in some of the positions. The first four
    fifths of them are fitted to, on the others a fit is judged.
    """

    def __init__(self, chances: Callable[[Floats, slice], Floats], shares: Floats) -> None:
        self._chances, self._shares = chances, shares
        self.known, self.kept = slice(0, len(shares) * 4 // 5), slice(len(shares) * 4 // 5, None)

    def surprise(self, numbers: Any, rows: slice) -> float:
        """The mean of minus the logarithm of what the winner was given."""
        chances = self._chances(np.asarray(numbers, np.float64), rows)
        return float(-(self._shares[rows] * np.log(chances + 1e-12)).sum(1).mean())

    def fit(self, start: Any) -> Floats:
        """The numbers with the least surprise, to three places."""
        found = minimize(
            self.surprise, start, args=(self.known,), method="BFGS", options={"eps": 1e-4}
        )
        return np.asarray(found.x.round(3))


@dataclass
class Arguments:
    """Fit the chance to win and write weights.json and the logs."""

    players: tuple[int, ...] = ()
    """for these numbers of players; by default all"""
    positions: int = 4000
    """games that chances to win are fitted to, one position of each"""
    seed: int = 0
    """of deals and choices"""


@dataclass(frozen=True)
class Fit:
    """What is fitted for a game, and to which positions."""

    game: str
    start: Any  # the named numbers that it begins with
    fixed: tuple[str, ...]  # those that stay as they are
    thumbs: Floats  # weights of who plays, a row for each number of players
    quiet: Callable[[State], NDArray[np.bool_]]  # where a playout may be cut
    longest: int  # decisions after which a position is taken, or soon after, at the latest
    noise: float  # share of random decisions, so that games differ more
    path: Path  # of the weights
    logs: Path  # a folder

    def run(self, arguments: Arguments) -> None:
        """Fits, stores and logs."""
        spec = make(self.game).spec
        for players in arguments.players or range(spec.min_players, spec.max_players + 1):
            game = make(f"{self.game}:players={players}")
            state, shares = self.positions(game, arguments.positions, arguments.seed)
            numbers, before, after = self.fit(game, state, shares)
            known = {"positions": len(state), "surprise": after, "surprise before": before}
            known |= {"surprise of guessing": float(np.log(players))}
            path = self.logs / f"win_chance-{players}.csv"
            log(path, [*known, *numbers], [[*known.values(), *numbers.values()]])
            store(self.path, "win_chance", players, numbers)
            print(f"{players} players: {known}, {numbers}", flush=True)

    def fit(self, game: Any, state: State, shares: Floats) -> tuple[dict[str, float], float, float]:
        """The named numbers, and the surprise before and after on what was not fitted to."""
        free = np.array([name not in self.fixed for name in self.start._fields])
        numbers = np.array(self.start, np.float64)

        def chances(found: Floats, rows: slice) -> Floats:
            numbers[free] = found
            table = np.tile(numbers, (len(self.thumbs), 1))
            return win_chances(game, np.ascontiguousarray(state[rows]), table)

        likelihood = Likelihood(chances, shares)
        before = likelihood.surprise(numbers[free], likelihood.kept)
        after = likelihood.surprise(likelihood.fit(numbers[free]), likelihood.kept)
        return dict(zip(self.start._fields, numbers.tolist(), strict=True)), before, after

    def positions(self, game: Any, number: int, seed: int) -> tuple[State, Floats]:
        """Positions of so many games where a playout may be cut, and who won from there."""
        spec, rng = game.spec, np.random.default_rng(seed)
        seeds = rng.integers(0, 2**63, number, dtype=np.uint64)
        state, cut = game.new(seeds), rng.integers(0, self.longest, number)
        kind = game.planner.kind(state)[0]

        def play_on(state: State, rows: NDArray[np.int64], depth: int) -> None:
            part, who = state[rows], np.full((len(rows), spec.seats), kind)
            seeds[rows] = mix(seeds[rows])
            roll(game, part, seeds[rows], self.thumbs, who, depth, self.noise)
            state[rows] = part

        for depth in np.unique(cut).tolist():
            play_on(state, np.flatnonzero(cut == depth), depth)
        for _ in range(_FAR):
            rows = np.flatnonzero(~self.quiet(state) & ~game.over(state))
            if not len(rows):
                break
            play_on(state, rows, 1)
        running = np.flatnonzero(~game.over(state))
        end = state.copy()
        play_on(end, running, 1 << 30)
        return state[running], game.shares(end)[running]


def store(path: Path, name: str, players: int, numbers: dict[str, float]) -> None:
    """Puts a set for so many players into a file of weights."""
    sets = json.loads(path.read_text("utf-8")) if path.exists() else {}
    sets.setdefault(name, {})[str(players)] = numbers
    sets = {key: dict(sorted(table.items())) for key, table in sorted(sets.items())}
    write(path, json.dumps(sets, indent=1) + "\n")


def log(path: Path, columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Rows of a CSV file."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([round(x, 4) if isinstance(x, float) else x for x in row])
