"""The command line of PPO in RLlib."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from drago_env.policy import resolve, sees_all
from train.arguments import AgainstOthers, check_number
from train.runs import check_vacant

_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]
_Address = Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")]
_Agents = Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[AGENT ...]")]
MOST = 2**31 - 1
# what version 0.1 called otherwise, besides what all scripts did
FORMER = {"games": "num_games", "envs_per_runner": "num_envs"}


@dataclass
class Command(AgainstOthers):
    """Trains a network with PPO in RLlib; the arena plays FOLDER/network.safetensors."""

    out: Path = Path("runs/rllib")
    """the run folder for config.json, metrics.csv and network.safetensors; new or empty"""
    opponents: _Agents = None
    """agents that the learner meets; may be none; by default uniform and greedy"""
    past_selves: int = 2
    """frozen copies of the learner among its opponents, the oldest replaced first; 0 for none"""
    freeze_every: int = 10
    """iterations from one copy to the next"""
    selfplay: float = 0.5
    """share of the games in which the learner plays every seat"""
    seconds: float = 600.0
    """time to train"""
    iterations: _Number = None
    """iterations to train, instead of a time"""
    num_games: int = 128
    """whole games in each iteration"""
    num_env_runners: int = 2
    """processes that play; 0 plays in this one"""
    num_envs: int = 16
    minibatch_size: int = 512
    ray: _Address = None
    """a Ray cluster that runs already (host:port); by default Ray is started here, and ended"""
    evaluate_games: int = 1000
    """games of each arena at the end, against the simple agents; 0 for none"""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check({"past_selves": 0, "freeze_every": 1, "num_games": 1, "num_envs": 1}, MOST)
        self._check({"num_env_runners": 0, "seed": 0, "evaluate_games": 0}, MOST)
        if self.iterations is not None:
            self._check({"iterations": 1}, MOST)
        check_number("seconds", self.seconds, 1, MOST, float)
        check_number("selfplay", self.selfplay, 0, 1, float)


def check(command: Command) -> None:
    """Refuses agents that cannot play and a folder in use, before anything is started."""
    for spec in command.rivals:
        if sees_all(resolve(spec, command.spec)):
            raise ValueError(f"{spec} sees all that is hidden: it is a yardstick, not an opponent")
    check_vacant(command.out, "choose another --out")
