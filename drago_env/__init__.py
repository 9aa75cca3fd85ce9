"""Mount Drago as a batched reinforcement-learning environment."""

import gymnasium
import pettingzoo

from drago_env.game import Game, GameSpec, IllegalAction, Legal, Outcome
from drago_env.mount_drago import analysis, observation, position, record, storage
from drago_env.mount_drago.board import Board, BoardError
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules, RulesError
from drago_env.play import play
from drago_env.policy import Policy, Uniform, resolve

__version__ = "0.1.0"

gymnasium.register(
    "MountDrago-v0",
    entry_point="drago_env.mount_drago_v0:single_env",
    vector_entry_point="drago_env.mount_drago_v0:vector_env",
)
if hasattr(pettingzoo, "register"):  # from PettingZoo 1.27 on
    pettingzoo.register("aec", "mount_drago_v0", "drago_env.mount_drago_v0:env")

__all__ = [
    "Board",
    "BoardError",
    "Game",
    "GameSpec",
    "IllegalAction",
    "Legal",
    "MountDrago",
    "Outcome",
    "Policy",
    "Rules",
    "RulesError",
    "Uniform",
    "__version__",
    "analysis",
    "observation",
    "play",
    "position",
    "record",
    "resolve",
    "storage",
]
