"""You against any agents: `python -m agents.play` in the terminal, with `--web` in the browser."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from numpy.typing import NDArray

from agents import human
from agents.routes import Games
from agents.server import Server
from agents.session import Seating
from agents.seating import Config
from drago_env import mount_drago_v0, play, record
from drago_env.mount_drago.record import Record
from drago_env.policy import Policy, View, plans, resolve, sees_all

_Agents = Annotated[
    tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...", help_behavior_hint="")
]
_File = Annotated[str | None, tyro.conf.arg(metavar="FILE")]
_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]


@dataclass
class Command:
    """You against any agents, at the terminal or, with --web, on a page in the browser."""

    opponents: _Agents = ("search",)
    """Who plays against you, the next rider first; by default search.
    If they are fewer than the other seats, they sit several times."""
    players: _Number = None
    """Seats at the table, 2 to 5; by default one more than opponents."""
    seat: int = 0
    """Yours; seat 0 begins."""
    edition: str = "german"
    """Edition of the rules: german or italian."""
    board: _File = None
    """A board file instead of the built-in side."""
    seed: _Number = None
    """Of the deal and the opponents' choices; by default it is drawn."""
    record: _File = None
    """Add the record of each finished game to this .jsonl file."""
    web: bool = False
    """Serve a page for the browser, on this machine only."""
    port: int = 8765
    """Of the page; 0 takes a free one."""


def seating(command: Command) -> Seating:
    """The table that a command describes; everything in it is checked."""
    opponents = command.opponents
    players = len(opponents) + 1 if command.players is None else command.players
    game = mount_drago_v0.game(players, command.edition, command.board)
    if not 1 <= len(opponents) < players:
        raise ValueError(f"{players} players leave room for 1 to {players - 1} opponents")
    if not 0 <= command.seat < players:
        raise ValueError(f"seat must be from 0 to {players - 1}, not {command.seat}")
    seated = [opponents[k % len(opponents)] for k in range(players - 1)]
    names = Config(("human", *seated)).names
    turn = players - command.seat  # from the own seat to seat 0
    others = {(command.seat + k) % players: resolve(spec) for k, spec in enumerate(seated, 1)}
    return Seating(game, command.seat, names[turn:] + names[:turn], others)


# ---------------------------------------------------------------- in the terminal


class Announced:
    """Another rider, whose moves are told as they are made."""

    def __init__(
        self, policy: Policy, seat: int, name: str, write: Callable[[str], object] = print
    ) -> None:
        self._policy, self._seat, self.name, self._write = policy, seat, name, write
        self.sees_all = sees_all(policy)

    plans = True  # the words for an action come from the view's game

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        view: View | None = None,
    ) -> NDArray[np.int64]:
        if view is None:
            raise ValueError(f"{self.name} needs a view: ask through drago_env.policy.ask")
        chosen = self._policy.act(observation, mask, rng, view if plans(self._policy) else None)
        for action in chosen:
            self._write(f"rider {self._seat}, {self.name}: {view.game.action_text(int(action))}")
        return chosen


def at_the_terminal(table: Seating, seed: int) -> Record:
    """A whole game, asked for on standard input; its record."""
    person = human.make()
    riders: list[Policy] = [
        Announced(table.others[seat], seat, name) if seat in table.others else person
        for seat, name in enumerate(table.names)
    ]
    made: Record = play(table.game, riders, seed).records[0]
    game, state = record.replay(made)
    picture = game.draw(state)
    print(f"\n{picture.ansi() if person.colour else picture}\n")
    won = "you win" if table.seat in made["winners"] else "you lose"
    if len(made["winners"]) > 1:
        won = "a shared victory" if table.seat in made["winners"] else won
    print(f"{won}: {', '.join(map(str, made['scores']))}")
    return made


# ---------------------------------------------------------------- in the browser


def serve(table: Seating, command: Command) -> None:
    """Serves the page until Ctrl-C."""
    if any(isinstance(policy, human.Human) for policy in table.others.values()):
        raise ValueError("human plays at the terminal; on the page only you do")
    first = [] if command.seed is None else [command.seed]

    def seeds() -> int:
        # Only the first game has the seed that was asked for: others must not be guessed from it.
        return first.pop() if first else secrets.randbits(64)

    games = Games(table, seeds, lambda made: _keep(command, made))
    games.newest.hint(0)  # compiles what hints need, before anybody waits for one
    with Server(games, command.port) as server:
        print(f"Mount Drago is served at {server.url} (Ctrl-C ends it)", flush=True)
        server.serve_forever()


def _keep(command: Command, made: Record | None = None) -> None:
    """Adds a record to the file; without one it only finds out whether that can be done."""
    if command.record is not None:
        with Path(command.record).open("a", encoding="utf-8") as file:
            if made is not None:
                file.write(json.dumps(made, separators=(",", ":")) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    options = (tyro.conf.FlagCreatePairsOff,)
    command = tyro.cli(Command, prog="python -m agents.play", args=arguments, config=options)
    try:
        table = seating(command)
        _keep(command)
        if command.web:
            serve(table, command)
        else:
            seed = secrets.randbits(64) if command.seed is None else command.seed
            _keep(command, at_the_terminal(table, seed))
    except human.Quit as quit:
        print(quit)
    except (OSError, OverflowError, ValueError, TypeError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
