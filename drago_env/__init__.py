"""Mount Drago as a batched reinforcement-learning environment."""

from drago_env.game import Game, GameSpec, IllegalAction, Legal, Outcome
from drago_env.mount_drago import analysis, observation, position, record, storage
from drago_env.mount_drago.board import Board, BoardError
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules, RulesError

__version__ = "0.1.0"

__all__ = [
    "Board",
    "BoardError",
    "Game",
    "GameSpec",
    "IllegalAction",
    "Legal",
    "MountDrago",
    "Outcome",
    "Rules",
    "RulesError",
    "__version__",
    "analysis",
    "observation",
    "position",
    "record",
    "storage",
]
