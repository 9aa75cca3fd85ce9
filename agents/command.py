"""The command line of the arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from agents.seating import Config
from agents.shell import parsed
from agents.shorthand import GameOptions
from drago_env.policy import known

_Agents = Annotated[
    tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...", help_behavior_hint="")
]
_Folder = Annotated[str | None, tyro.conf.arg(metavar="FOLDER")]
_Address = Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")]
_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]


@dataclass
class Command(GameOptions):
    """Plays agents against each other: every deal in every rotation of the seats."""

    agents: _Agents
    """Who plays: greedy, search:playouts=64, mine=my_module:MyPolicy and so on; one or more.
    Fewer than there are seats sit several times; of more, every subset plays."""
    games: int = 1000
    """Games to play, rounded up to whole deals; a deal is one game for each seat."""
    seed: int = 0
    """Of the deals, the seating and the choices: the same seed gives the same results."""
    out: _Folder = None
    """Where results and report go; an arena that was interrupted goes on in its folder."""
    format: Literal["parquet", "csv"] = "parquet"
    """Of the results in the folder."""
    records: bool = False
    """Also write every game to records.jsonl in the folder."""
    workers: _Number = None
    """Processes that play; by default one for each core."""
    ray: _Address = None
    """Play on this Ray cluster (auto, or host:port) instead of in processes of this machine."""
    json: bool = False
    """Print the report as one JSON object on standard output, all else on standard error."""

    def config(self) -> Config:
        return Config(self.agents, self.spec, self.games, self.seed)


def parse(arguments: Sequence[str] | None = None) -> Command:
    """The command in these words, by default those that the program was started with."""
    command = parsed(Command, "python -m agents.arena", arguments)
    if not command.agents:
        agents = ", ".join(known(command.game))
        raise ValueError(
            "name one or more agents, such as: python -m agents.arena greedy uniform; "
            f"there are {agents}; --help says more"
        )
    return command
