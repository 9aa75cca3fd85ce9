"""Board games as batched reinforcement-learning environments."""

from importlib import import_module
from typing import Any

import gymnasium
import pettingzoo

from drago_env.game import Game, GameSpec, IllegalAction, Legal, Outcome, StateError
from drago_env.games import BUILT_IN, DEFAULT, GAMES, MODULES, PUBLIC, make, register
from drago_env.play import play
from drago_env.policy import Policy, Uniform, resolve

__version__ = "0.2.0"

for _name in BUILT_IN:
    gymnasium.register(
        f"{_name.title().replace('_', '')}-v0",
        entry_point=f"drago_env.{_name}_v0:single_env",
        vector_entry_point=f"drago_env.{_name}_v0:vector_env",
    )
    if hasattr(pettingzoo, "register"):  # from PettingZoo 1.27 on
        pettingzoo.register("aec", f"{_name}_v0", f"drago_env.{_name}_v0:env")

_ENVIRONMENTS = tuple(f"{_name}_v0" for _name in BUILT_IN)

__all__ = [
    "GAMES",
    "Game",
    "GameSpec",
    "IllegalAction",
    "Legal",
    "Outcome",
    "Policy",
    "StateError",
    "Uniform",
    "__version__",
    "make",
    "play",
    "register",
    "resolve",
]


def __getattr__(name: str) -> Any:
    """The games' environments, and what belongs to the default game, when it is asked for."""
    if name in _ENVIRONMENTS:
        return import_module(f"drago_env.{name}")
    if name in PUBLIC:
        return getattr(import_module(PUBLIC[name]), name)
    if name == "analysis":
        return import_module("drago_env.analysis")
    if name in MODULES:
        return import_module(f"{GAMES[DEFAULT]}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ENVIRONMENTS, *PUBLIC, *MODULES})
