"""Finds the weights of the planners by play: `python -m agents.mount_drago.tune`.

`heuristic` and `light` (the same rules of thumb without the two costly ones, for playouts) are
tuned by the cross-entropy method: candidates are drawn around the present weights, each plays
in every seat against copies of the present ones on the same deals, and the best of them move
the weights. `win_chance` is fitted to who won games between heuristics, by maximum likelihood.
Every generation is logged to a CSV file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.progress import Progress
from scipy.optimize import minimize

from agents.fitting import Likelihood, log, store
from drago_env import MountDrago, Rules
from drago_env.core.chance import mix
from drago_env.mount_drago import planning
from drago_env.mount_drago.planning import Weights, WinChance
from drago_env.mount_drago.rules import MAX_PLAYERS

SETS = ("heuristic", "light", "win_chance")
LOGS = Path(__file__).with_name("tuning")
START = Weights(draw=0.8, place=0.3, rival=0.2, ahead=0.1, plan=0.1, danger=0.3, end=8, tempo=0.05)
STEP = Weights(
    draw=0.3, place=0.15, rival=0.15, ahead=0.15, plan=0.15, danger=0.2, end=4, tempo=0.1
)
COSTLY = ("plan", "danger")  # what `light` does without
ELITE = 4  # as many of the best candidates move the weights
CHECK_DEALS = 10_000
FIT_NOISE = 0.05  # of the games that chances to win are fitted to, so that they differ more
LONGEST = 80  # decisions after which a position to fit is taken at the latest


@dataclass
class Arguments:
    """Tune the planners and write weights.json and the logs."""

    players: Annotated[tuple[int, ...], tyro.conf.arg(help="for these numbers of players")] = tuple(
        planning.PLAYERS
    )
    sets: Annotated[tuple[str, ...], tyro.conf.arg(help="heuristic, light, win_chance")] = SETS
    generations: int = 30
    """generations of the cross-entropy method"""
    candidates: int = 16
    """candidates in each"""
    games: int = 2000
    """games of each candidate, in all seats"""
    positions: int = 100_000
    """games that chances to win are fitted to, one position of each"""
    seed: int = 0
    """of deals and candidates"""


def main(arguments: Arguments) -> None:
    for name in arguments.sets:
        if name not in SETS:
            raise SystemExit(f"error: sets are {', '.join(SETS)}, not {name!r}")
    LOGS.mkdir(exist_ok=True)
    with Progress() as progress:
        for players in arguments.players:
            game = MountDrago(Rules(players), threads=os.cpu_count() or 1)
            for name in arguments.sets:
                if name == "win_chance":
                    tuned: Any = fit(game, arguments)
                else:
                    tuned = tune(game, name, arguments, progress)
                store(planning.WEIGHTS, name, players, tuned._asdict())
                planning.weights.cache_clear()


def tune(game: MountDrago, name: str, arguments: Arguments, progress: Progress) -> Weights:
    """The weights after some generations against themselves."""
    players = game.rules[0].players
    rng = np.random.default_rng([arguments.seed, players, len(name)])
    free = np.array([not (name == "light" and field in COSTLY) for field in Weights._fields])
    mean, step = np.array(START) * free, np.array(STEP) * free
    deals = -(-arguments.games // players)
    rows: list[list[Any]] = []
    task = progress.add_task(f"{name}, {players} players", total=arguments.generations)
    for generation in range(arguments.generations):
        tried = mean + step * rng.standard_normal((arguments.candidates, len(mean)))
        shares = compete(game, tried, mean, deals, rng)
        best = tried[np.argsort(-shares, kind="stable")[:ELITE]]
        step = 0.7 * step + 0.4 * np.maximum(best.std(0), 0.05 * abs(mean) + 0.01 * free)
        mean = 0.5 * mean + 0.5 * best.mean(0)
        rows.append([generation, shares.mean(), shares.max(), *mean])
        progress.update(task, advance=1)
    # the mean of the last quarter is steadier than the last generation
    mean = np.array([row[3:] for row in rows[3 * len(rows) // 4 :]]).mean(0).round(3)
    greedy = np.array(planning.GREEDY)
    checks = [compete(game, mean[None], other, CHECK_DEALS, rng)[0] for other in (START, greedy)]
    rows.append(["against start, greedy", *checks, *mean])
    columns = ("generation", "mean share", "best share", *Weights._fields)
    log(LOGS / f"{name}-{players}.csv", columns, rows)
    return Weights(*mean.tolist())


def compete(
    game: MountDrago, tried: NDArray[Any], other: Any, deals: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Each candidate's win share over the same deals, in every seat against copies of another."""
    players = game.rules[0].players
    seeds = np.repeat(rng.integers(0, 2**63, deals, dtype=np.uint64), players)
    own = np.tile(np.arange(players), deals)
    state = game.new(np.tile(seeds, len(tried)))
    who = np.full((len(tried), len(seeds), MAX_PLAYERS), len(tried))
    for number in range(len(tried)):
        who[number, np.arange(len(seeds)), own] = number
    table = np.vstack([tried, np.asarray(other)])
    planning.roll(game, state, mix(state["rng"]), table, who.reshape(-1, MAX_PLAYERS))
    held = game.shares(state).reshape(len(tried), len(seeds), MAX_PLAYERS)[
        :, np.arange(len(seeds)), own
    ]
    return np.asarray(held.mean(1))


def fit(game: MountDrago, arguments: Arguments) -> WinChance:
    """The weights under which the winners of many games were most likely to win."""
    players = game.rules[0].players
    rng = np.random.default_rng([arguments.seed, players])
    table = np.tile(planning.read()["heuristic"][players], (len(planning.PLAYERS), 1))
    state = game.new(rng.integers(0, 2**63, arguments.positions, dtype=np.uint64))
    cut = rng.integers(0, LONGEST, len(state))
    for depth in range(LONGEST):
        rows = np.flatnonzero(cut == depth)
        part = state[rows]
        planning.roll(game, part, mix(part["rng"]), table, depth=depth, noise=FIT_NOISE)
        state[rows] = part
    state = state[~game.over(state)]
    end = state.copy()
    planning.roll(game, end, mix(end["rng"]), table, noise=FIT_NOISE)
    shares = game.shares(end)

    def chances(numbers: NDArray[np.float64], rows: slice) -> NDArray[np.float64]:
        weights = np.tile(numbers, (len(planning.PLAYERS), 1))
        return planning.win_chances(game, np.ascontiguousarray(state[rows]), weights)

    likelihood = Likelihood(chances, shares)
    start = np.zeros(len(WinChance._fields))
    start[-2:] = 0.4
    numbers = likelihood.fit(start)
    columns = ("positions", "surprise", "surprise by score alone", "surprise of guessing")
    surprise = likelihood.surprise(numbers, likelihood.kept)
    row = [len(state), surprise, _score_alone(likelihood)]
    path = LOGS / f"win_chance-{players}.csv"
    log(path, (*columns, *WinChance._fields), [[*row, np.log(players), *numbers]])
    return WinChance(*numbers.tolist())


def _score_alone(likelihood: Likelihood) -> float:
    """How much the other weights add is seen by leaving it out."""

    def surprise(ends: NDArray[np.float64], rows: slice = likelihood.known) -> float:
        padded = np.concatenate([np.zeros(len(WinChance._fields) - 2), ends])
        return likelihood.surprise(padded, rows)

    found = minimize(surprise, [0.4, 0.4], method="Nelder-Mead")
    return surprise(found.x, likelihood.kept)


if __name__ == "__main__":
    main(tyro.cli(Arguments, prog="python -m agents.mount_drago.tune", description=__doc__))
