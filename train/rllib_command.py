"""The command line of PPO in RLlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from drago_env.policy import resolve, sees_all
from train.runs import check_vacant

_Folder = Annotated[str, tyro.conf.arg(metavar="FOLDER")]
_File = Annotated[str | None, tyro.conf.arg(metavar="FILE")]
_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]
_Address = Annotated[str | None, tyro.conf.arg(metavar="HOST:PORT")]
_Agents = Annotated[tuple[str, ...], tyro.conf.arg(metavar="[AGENT ...]")]


@dataclass
class Command:
    """Trains a network with PPO in RLlib; the arena plays FOLDER/network.safetensors."""

    out: _Folder
    """The run folder for config.json, metrics.csv and network.safetensors; new or empty."""
    players: int = 2
    """Seats at the table."""
    edition: str = "german"
    """Edition of the rules: german or italian."""
    board: _File = None
    """A board file instead of the built-in side."""
    opponents: _Agents = ("uniform", "greedy")
    """Agents that the learner meets, by the names that the arena knows; may be none."""
    past_selves: int = 2
    """Frozen copies of the learner among its opponents, the oldest replaced first; 0 for none."""
    freeze_every: int = 10
    """Iterations from one copy to the next."""
    selfplay: float = 0.5
    """Share of the games in which the learner plays every seat."""
    seconds: float = 600.0
    """Time to train."""
    iterations: _Number = None
    """Iterations to train, instead of a time."""
    games: int = 128
    """Whole games in each iteration."""
    num_env_runners: int = 2
    """Processes that play; 0 plays in this one."""
    envs_per_runner: int = 16
    """Games side by side in each of them."""
    address: _Address = None
    """Of a Ray cluster that runs already; by default Ray is started here, and ended."""
    lr: float = 1e-3
    """Learning rate of Adam."""
    minibatch: int = 512
    """Decisions in a minibatch."""
    epochs: int = 4
    """Passes over the decisions of an iteration."""
    seed: int = 0
    """Of the first weights, the deals, the seating and the choices."""
    evaluation_games: int = 1000
    """Games of each arena at the end, against uniform and against greedy; 0 for none."""


def parse(arguments: Sequence[str] | None = None) -> Command:
    """The command in these words, by default those that the program was started with."""
    options = (tyro.conf.FlagCreatePairsOff,)
    return tyro.cli(Command, prog="python -m train.rllib_ppo", args=arguments, config=options)


MOST = 2**31 - 1
_LEAST = {
    "past_selves": 0,
    "freeze_every": 1,
    "selfplay": 0,
    "seconds": 1,
    "iterations": 1,
    "games": 1,
    "num_env_runners": 0,
    "envs_per_runner": 1,
    "lr": 0,
    "minibatch": 1,
    "epochs": 1,
    "seed": 0,
    "evaluation_games": 0,
}


def check(command: Command) -> None:
    """Refuses what cannot be trained, before anything is started or written."""
    for name, least in _LEAST.items():
        number = getattr(command, name)
        if number is not None and not least <= number <= MOST:
            raise ValueError(f"{name} must be from {least} to {MOST}, not {number}")
    if command.selfplay > 1:
        raise ValueError(f"selfplay is a share, from 0 to 1, not {command.selfplay}")
    for spec in command.opponents:
        if sees_all(resolve(spec)):
            raise ValueError(f"{spec} sees all hands: it is a yardstick, not an opponent")
    check_vacant(Path(command.out), "choose another --out")
