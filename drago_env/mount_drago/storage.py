"""Games at rest: state files (`.npz`) and whether a state is sound."""

from __future__ import annotations

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


FILES = StateFiles(MountDrago, Rules, "board", Board.pairs, Board.from_pairs)
save, load = FILES.save, FILES.load

__getattr__ = moved(
    __name__,
    {"FORMAT": "drago_env.core.states:FORMAT", "PHASES": "drago_env.mount_drago.state:PHASES"},
)
