"""Games at rest: state files (`.npz`) and whether a state is sound."""

from __future__ import annotations

from typing import Any

from drago_env.core.states import StateFiles
from drago_env.game import State, StateError
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules
from drago_env.moved import moved

__all__ = ["StateError", "check", "load", "save"]


def check(game: MountDrago, state: State) -> None:
    """Refuses a state that breaks the rules, naming the first bad row and what is wrong."""
    game.check(state)


def _told(rules: Rules) -> dict[str, Any]:
    return {**rules.as_dict(), "board": rules.board.pairs()}


def _made(told: dict[str, Any]) -> Rules:
    return Rules(**{**told, "board": Board.from_pairs(told["board"])})


FILES = StateFiles(MountDrago, _told, _made)
save, load = FILES.save, FILES.load

__getattr__ = moved(
    __name__,
    {"FORMAT": "drago_env.core.states:FORMAT", "PHASES": "drago_env.mount_drago.state:PHASES"},
)
