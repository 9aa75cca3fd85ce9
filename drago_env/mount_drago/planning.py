"""Rules of thumb and chances to win: what their weights mean, and the tuned ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.core import planning
from drago_env.core.planning import Foresight, Plan, Planner, SearchResult
from drago_env.core.search import END_OF_GAME
from drago_env.core.weights import read_weights
from drago_env.game import Seeds, State
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.kernel.planning import SEARCHES
from drago_env.mount_drago.observation import FORESIGHT
from drago_env.mount_drago.rules import MAX_PLAYERS, MIN_PLAYERS
from drago_env.moved import moved, refuses, renamed

WEIGHTS = Path(__file__).with_name("weights.json")  # written by `python -m agents.mount_drago.tune`
PLAYERS = range(MIN_PLAYERS, MAX_PLAYERS + 1)


class Weights(NamedTuple):
    """What a play is worth, in points, besides what the rider gains at once by it.

    What they gain is their points less the mean of the others'.
    """

    draw: float  # price of a draw that is lost by a scoring
    place: float  # for each point of the own space's value
    rival: float  # against the mean value of the rivals' spaces
    ahead: float  # for the mean value of the spaces ahead of the own dragon
    plan: float  # for the best gain that the rest of the hand could make next
    danger: float  # for what the next rider's best scoring is likely to bring us
    end: float  # for ending the game as a sole leader; lost by ending it behind
    tempo: float  # for each point of the lead when another dragon reaches the summit


class WinChance(NamedTuple):
    """A rider's standing in points, from which chances to win are a softmax."""

    space: float  # for each point of their space's value
    road: float  # for the mean value of the spaces ahead of their dragon
    threat: float  # for the best gain that their hand could make at once
    turn: float  # for the same, if it is their turn
    cards: float  # for each card in their hand
    spread: float  # logarithm of the points by which a lead counts, at the end of the game
    length: float  # power of the steps left by which that grows


# the best gain at once; among equals the most valuable own space
GREEDY = Weights(0, 1 / 1024, 0, 0, 0, 0, 0, 0)


def read(path: Path | None = None) -> dict[str, dict[int, Weights | WinChance]]:
    """Every tuned set by its name (`heuristic`, `light`, `win_chance`) and number of players."""
    kinds = {"heuristic": Weights, "light": Weights, "win_chance": WinChance}
    return read_weights(path or WEIGHTS, kinds)


@cache
def weights(name: str) -> NDArray[np.float64]:
    """A set as the array that the kernels take; `greedy` is one too."""
    return by_players(dict.fromkeys(PLAYERS, GREEDY) if name == "greedy" else read()[name])


def by_players(table: Mapping[int, Sequence[float]]) -> NDArray[np.float64]:
    """Weights for every number of players as the array that the kernels take."""
    return np.array([table[n] for n in PLAYERS], np.float64)


def kind(state: State) -> NDArray[np.int64]:
    """The row of the weights that each game is played with: by its number of players."""
    return np.asarray(state["players"].astype(np.int64) - MIN_PLAYERS)


PLANNER = Planner(
    SEARCHES,
    weights,
    playouts=("heuristic", "light", "greedy", "uniform"),
    leaves=("win_chance", "margin"),
    depth=5,
    kind=kind,
    head_start=2.0,
    number=512,
    told_noise=0.3,
    foresight=Foresight(FORESIGHT, "light", "win_chance"),
)


def _check_weights(name: str, weights: NDArray[np.float64], kind: Any, rows: int | None) -> None:
    """Kernels do not look: an array of another shape would be read beyond its end."""
    wanted = ("any number of" if rows is None else rows, len(kind._fields))
    known = isinstance(weights, np.ndarray) and weights.dtype == np.float64 and weights.ndim == 2
    if not known or weights.shape[1] != wanted[1] or rows not in (None, len(weights)):
        raise ValueError(
            f"{name} must be float64, {wanted[0]} rows of {wanted[1]} numbers (see by_players), "
            f"not {getattr(weights, 'dtype', type(weights).__name__)} of shape "
            f"{getattr(weights, 'shape', ())}"
        )


def assess(game: MountDrago, state: State, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best action of each game by the rules of thumb; -1 after the end."""
    _check_weights("weights", weights, Weights, len(PLAYERS))
    return planning.assess(game, state, weights)


def win_chances(
    game: MountDrago, state: State, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each seat's chance to win, `(n, seats)`; after the end its share of the victory."""
    _check_weights("weights", weights, WinChance, len(PLAYERS))
    return planning.win_chances(game, state, weights)


@renamed(outlook="win_chance")
@refuses("search(..., start=): playouts that count as won, not priors", "priors")
def search(
    game: MountDrago,
    state: State,
    seeds: Seeds,
    plan: Plan,
    weights: NDArray[np.float64],
    win_chance: NDArray[np.float64],
    start: NDArray[np.float64] | None = None,
) -> SearchResult:
    """Thinks about every game's legal actions by playouts; see `core.planning.search`."""
    _check_weights("weights", weights, Weights, len(PLAYERS))
    _check_weights("win_chance", win_chance, WinChance, len(PLAYERS))
    return planning.search(game, state, seeds, plan, weights, win_chance, start)


def roll(
    game: MountDrago,
    state: State,
    seeds: Seeds,
    weights: NDArray[np.float64],
    who: NDArray[np.int64] | None = None,
    depth: int = END_OF_GAME,
    noise: float = 0.0,
) -> None:
    """Plays on in place by the rules of thumb, each decision with probability `noise` at random.

    Seat k of game i follows `weights[who[i, k]]`, by default those for its number of players.
    """
    _check_weights("weights", weights, Weights, len(PLAYERS) if who is None else None)
    if who is None:
        who = np.repeat(kind(state)[:, None], MAX_PLAYERS, axis=1)
    planning.roll(game, state, seeds, weights, who, depth, noise)


__getattr__ = moved(
    __name__,
    {
        "Outlook": "WinChance",
        "outlook": "win_chances",
        "Thought": "drago_env.core.planning:SearchResult",
    },
)
