"""The tuned numbers of the planners, from `weights.json`, which `python -m agents.tune` writes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import Outlook, Weights, by_players
from drago_env.mount_drago.rules import MAX_PLAYERS, MIN_PLAYERS
from drago_env.policy import View

PATH = Path(__file__).with_name("weights.json")
PLAYERS = range(MIN_PLAYERS, MAX_PLAYERS + 1)
# the best gain at once; among equals the most valuable own space
GREEDY = Weights(0, 1 / 1024, 0, 0, 0, 0, 0, 0)


def read() -> dict[str, dict[int, Weights | Outlook]]:
    """Every tuned set by its name (`heuristic`, `light`, `outlook`) and number of players."""
    sets = json.loads(PATH.read_text(encoding="utf-8"))
    return {
        name: {
            int(players): (Outlook if name == "outlook" else Weights)(**numbers)
            for players, numbers in table.items()
        }
        for name, table in sets.items()
    }


@cache
def array(name: str) -> NDArray[np.float64]:
    """A set as the array that the kernels take; `greedy` is one too."""
    table = dict.fromkeys(PLAYERS, GREEDY) if name == "greedy" else read()[name]
    return by_players(table)


def planned(view: View | None, policy: str) -> tuple[MountDrago, NDArray[np.void]]:
    """The game and the states of a view, if it is the game that these numbers are for."""
    if view is None:
        raise ValueError(f"{policy} plans: it must be given a view of the game")
    if not isinstance(view.game, MountDrago):
        raise ValueError(f"{policy} knows mount_drago, not {view.game.spec.name}")
    return view.game, view.state
