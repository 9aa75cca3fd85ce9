"""Games at rest: state files (`.npz`) and whether a state is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drago_env.core import states
from drago_env.game import State, StateError
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules

__all__ = ["StateError", "check", "load", "save"]


def check(game: MountDrago, state: State) -> None:
    """Refuses a state that breaks the rules, naming the first bad row and what is wrong."""
    game.check(state)


def save(path: str | Path, game: MountDrago, state: State) -> None:
    """Writes games at any move, with their rules, to a plain `.npz` (nothing is pickled)."""
    rules = [{**r.as_dict(), "board": r.board.pairs()} for r in game.rules]
    states.save(path, {"rules": rules, "reward": game.reward}, state)


def load(path: str | Path) -> tuple[MountDrago, State]:
    """The games of a state file; a damaged or edited file is refused, never believed."""
    return states.load(path, _made)


def _made(about: dict[str, Any]) -> MountDrago:
    rules = [Rules(**{**r, "board": Board.from_pairs(r["board"])}) for r in about["rules"]]
    return MountDrago(*rules, reward=about["reward"])
