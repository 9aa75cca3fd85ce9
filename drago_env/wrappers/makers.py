"""The makers of a game's environments, for PettingZoo, Gymnasium and Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

from pettingzoo.utils import wrappers

from drago_env.games import BUILT_IN, make, module_of
from drago_env.wrappers.aec import GameAEC
from drago_env.wrappers.learner import Flat, Opponents
from drago_env.wrappers.ordered import Ordered
from drago_env.wrappers.selfplay import SelfPlayVectorEnv
from drago_env.wrappers.single import LearnerEnv
from drago_env.wrappers.vector import LearnerVectorEnv


class Makers(NamedTuple):
    """Each takes the words of the game's rules and those of its adapter."""

    env: Callable[..., Any]  # PettingZoo's usual wrappers: an illegal action ends the game with -1
    raw_env: Callable[..., GameAEC]  # the environment itself: an illegal action raises
    single_env: Callable[..., LearnerEnv]  # Gymnasium: one learner in one game
    vector_env: Callable[..., LearnerVectorEnv]  # Gymnasium: one learner in each game of a batch
    selfplay_env: Callable[..., SelfPlayVectorEnv]  # a batch in which the caller plays every seat
    sb3_env: Callable[..., Any]  # a native `VecEnv` of Stable-Baselines3
    game: Callable[..., Any]  # the rule book


def makers(name: str) -> Makers:
    """The makers of the game with this name."""
    return Makers(
        _maker(name, "env", _wrapped),
        _maker(name, "raw_env", GameAEC),
        _maker(name, "single_env", LearnerEnv),
        _maker(name, "vector_env", LearnerVectorEnv),
        _maker(name, "selfplay_env", SelfPlayVectorEnv),
        _maker(name, "sb3_env", _sb3),
        _maker(name, "game", _book),
    )


def _book(game: Any) -> Any:
    """The rule book."""
    return game


def _wrapped(
    game: Any,
    render_mode: str | None = None,
    action_features: bool = False,
    render_viewer: str | int = "all",
    text: bool = False,
) -> Any:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the game with -1."""
    raw = GameAEC(game, render_mode, action_features, render_viewer, text)
    return Ordered(wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1))


def _sb3(
    game: Any,
    num_envs: int = 1,
    opponents: Opponents = None,
    seat: int | None = None,
    flat: Flat = True,
    action_features: bool = False,
    illegal: str = "raise",
) -> Any:
    """A native `VecEnv` of Stable-Baselines3; see `LearnerVecEnv`."""
    from drago_env.wrappers.sb3 import LearnerVecEnv

    return LearnerVecEnv(game, num_envs, opponents, seat, flat, action_features, illegal)


def _maker(name: str, what: str, adapter: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the rules' words and the adapter's, with the signature of both."""
    own = signature(module_of(name, "make")).parameters
    theirs = [p for key, p in signature(adapter).parameters.items() if key != "game"]
    parameters = [*own.values(), *(p for p in theirs if p.name != "num_envs")]
    counts = [p for p in theirs if p.name == "num_envs"]
    if counts:  # the number comes first, the rest by name
        parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in parameters]
    together = Signature([*counts, *parameters])

    def maker(*arguments: Any, **words: Any) -> Any:
        given = together.bind(*arguments, **words).arguments
        rules = {key: value for key, value in given.items() if key in own}
        rest = {key: value for key, value in given.items() if key not in own}
        return adapter(make(name, **rules), **rest)

    maker.__name__ = maker.__qualname__ = what
    if name in BUILT_IN:
        maker.__module__ = f"drago_env.{name}_v0"  # where pickle finds it
    maker.__doc__ = adapter.__doc__
    maker.__signature__ = together  # type: ignore[attr-defined]
    return maker
