"""Rules of thumb and chances to win: what their weights mean, and the sets there are."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.core import planning
from drago_env.core.planning import Planner
from drago_env.core.weights import read_weights
from drago_env.game import State
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.kernel.planning import SEARCHES
from drago_env.rupe_dei_draghi.rules import MAX_PLAYERS, MIN_PLAYERS

FITTED = Path(__file__).with_name("weights.json")  # by `python -m agents.rupe_dei_draghi.tune`
PLAYERS = range(MIN_PLAYERS, MAX_PLAYERS + 1)


class Weights(NamedTuple):
    """What rules of thumb think of things, in steps of the own knight."""

    held: float  # a card that the own way asks for and that is at hand
    missing: float  # one that is not
    rivals_card: float  # any one on a rival's way
    occupied: float  # a stronghold in which another knight stands
    exact: float  # for a space from which a points card at hand leads to the goal
    duel: float  # for a duel, besides what it sets the rival back
    renew: float  # for a renewed hand
    lack: float  # for renewing, if a card is missing on the own way; half of it for robbing
    short: float  # for renewing, for each card less than a full hand
    rob: float  # for robbing
    card: float  # price of playing a magic card
    rival: float  # for each step that a rival is set back; 0: they are not looked at
    block: float  # for a dragon in the way of a rival with armour
    near: float  # who must be so near for that
    doors: float  # 1: looks for all ways to open castle or stronghold in this turn
    tricks: float  # 1: plays teleswap, cloud and dragon against rivals
    tops: float  # for the top discard, which costs no card
    after: float  # what a rider without armour needs besides the way to the castle


class WinChance(NamedTuple):
    """What a rider still needs, in steps; chances to win are a softmax of it."""

    held: float  # as above
    missing: float
    rivals_card: float  # not used: in the worlds of a search all hands are drawn
    occupied: float
    vain: float  # for each stronghold that may yet be looked into in vain
    turn: float  # for being on turn
    cards: float  # for each points card in the hand, up to four
    spread: float  # the steps by which a lead counts
    armour: float  # for armour that is not there yet, besides the way to the castle


HEURISTIC = Weights(
    held=0.5,
    missing=6.0,
    rivals_card=3.0,
    occupied=6.0,
    exact=2.0,
    duel=1.0,
    renew=1.5,
    lack=1.5,
    short=0.4,
    rob=1.5,
    card=0.3,
    rival=0.5,
    block=5.0,
    near=6.0,
    doors=1.0,
    tricks=1.0,
    tops=0.5,
    after=14.0,
)
GREEDY = HEURISTIC._replace(
    exact=0.0, duel=0.0, rob=-9.0, rival=0.0, block=0.0, doors=0.0, tricks=0.0, tops=-3.0
)
SETS = {"heuristic": HEURISTIC, "greedy": GREEDY}


@cache
def weights(name: str) -> NDArray[np.float64]:
    """A set as the array that the kernels take, a row for each number of players."""
    if name == "win_chance":
        table = read_weights(FITTED, {name: WinChance})[name]
        return np.array([table[players] for players in PLAYERS], np.float64)
    return np.array([SETS[name]] * len(PLAYERS), np.float64)


def kind(state: State) -> NDArray[np.int64]:
    """Which row of a set of weights each game is played with."""
    return np.asarray(state["players"].astype(np.int64) - MIN_PLAYERS)


PLANNER = Planner(
    SEARCHES,
    weights,
    playouts=("heuristic", "greedy", "uniform"),
    leaves=("win_chance",),
    depth=8,
    kind=kind,
    head_start=0.3,
    number=128,
)


def win_chances(game: RupeDeiDraghi, state: State) -> NDArray[np.float64]:
    """Each seat's chance to win, `(n, seats)`; after the end its share of the victory."""
    return planning.win_chances(game, state, weights("win_chance"))
