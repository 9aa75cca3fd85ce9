"""Mount Drago for every library: PettingZoo's `env()` and `raw_env()`, and the batched makers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules
from drago_env.wrappers.aec import GameAEC, Ordered
from drago_env.wrappers.selfplay import SelfPlayVectorEnv
from drago_env.wrappers.single import LearnerEnv
from drago_env.wrappers.vector import LearnerVectorEnv

if TYPE_CHECKING:
    from drago_env.wrappers.sb3 import LearnerVecEnv


def env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the game with -1."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**kwargs), illegal_reward=-1)
    return Ordered(wrappers.AssertOutOfBoundsWrapper(wrapped))


def game(
    players: int = 2,
    edition: str = "german",
    board: Board | str | Path | None = None,
    reward: str = "win",
    threads: int = 1,
) -> MountDrago:
    """The rule book of an environment; `board` is a `Board`, a board file, or the built-in side."""
    if isinstance(board, str | Path):
        board = Board.read(board)
    rules = Rules(players, edition, board) if board else Rules(players, edition)
    return MountDrago(rules, reward=reward, threads=threads)


class raw_env(GameAEC):  # noqa: N801  (the name that PettingZoo's users expect)
    """The environment itself; see `GameAEC`. An illegal action raises and changes nothing.

    Agents are `rider_0` ... in the order of the seats. `board=None` is the built-in side for the
    number of players; a `Board` or the path of a board file takes its place. `reward` is `win`,
    `margin` or `rank`. With `action_features=True` observations also list the legal actions and
    the features of each.
    """

    metadata = {  # noqa: RUF012  (PettingZoo's form)
        "name": "mount_drago_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        players: int = 2,
        edition: str = "german",
        board: Board | str | Path | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        action_features: bool = False,
    ) -> None:
        book = game(players, edition, board, reward)
        super().__init__(book, players, "rider", render_mode, action_features)


def single_env(render_mode: str | None = None, **kwargs: Any) -> LearnerEnv:
    """`gymnasium.make("MountDrago-v0", ...)`: one learner in one game."""
    rules, learner = _split(kwargs)
    return LearnerEnv(game(**rules), render_mode=render_mode, **learner)


def vector_env(num_envs: int = 1, **kwargs: Any) -> LearnerVectorEnv:
    """`gymnasium.make_vec("MountDrago-v0", ...)`: one learner in each game of a batch."""
    rules, learner = _split(kwargs)
    return LearnerVectorEnv(game(**rules), num_envs, **learner)


def selfplay_env(
    num_envs: int = 1, action_features: bool = False, **kwargs: Any
) -> SelfPlayVectorEnv:
    """A batch in which every decision of every seat goes to the caller."""
    return SelfPlayVectorEnv(game(**kwargs), num_envs, action_features)


def sb3_env(num_envs: int = 1, **kwargs: Any) -> LearnerVecEnv:
    """A native `VecEnv` of Stable-Baselines3."""
    from drago_env.wrappers.sb3 import LearnerVecEnv

    rules, learner = _split(kwargs)
    return LearnerVecEnv(game(**rules), num_envs, **learner)


def _split(kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What makes the rule book, and what the adapter wants to know."""
    names = ("players", "edition", "board", "reward", "threads")
    rules = {name: kwargs[name] for name in names if name in kwargs}
    learner = {name: value for name, value in kwargs.items() if name not in names}
    return rules, {"players": rules.get("players", 2), **learner}
