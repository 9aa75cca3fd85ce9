"""You against any agents: `python -m agents.play` in the terminal, with `--web` in the browser."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from agents import human
from agents.routes import Games
from agents.seating import names_of
from agents.server import Server
from agents.session import Failed, Record, Refused, Seating, Session
from agents.shorthand import GameOptions
from drago_env import games
from drago_env.pictures.picture import plain
from drago_env.policy import resolve
from drago_env.specs import parse

_Agents = Annotated[
    tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...", help_behavior_hint="")
]
_File = Annotated[str | None, tyro.conf.arg(metavar="FILE")]
_Folder = Annotated[str | None, tyro.conf.arg(metavar="FOLDER")]
_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]


@dataclass
class Command(GameOptions):
    """You against any agents, at the terminal or, with --web, on a page in the browser."""

    opponents: _Agents = ("search",)
    """Who plays against you, the next seat first; by default search.
    If they are fewer than the other seats, they sit several times."""
    seat: int = 0
    """Yours; seat 0 begins."""
    seed: _Number = None
    """Of the deal and the opponents' choices; by default it is drawn."""
    record: _File = None
    """Add the record of each finished game to this .jsonl file."""
    keep: _Folder = None
    """With --web: keep games in this folder, so that they go on when the server is started anew;
    by default, if --record names a file, in a folder beside it."""
    web: bool = False
    """Serve a page for the browser, on this machine only."""
    port: int = 8765
    """Of the page; 0 takes a free one."""


def seating(command: Command) -> Seating:
    """The table that a command describes; everything in it is checked."""
    opponents, spec = command.opponents, command.spec
    words = {} if "players" in parse(spec)[1] else {"players": len(opponents) + 1}
    game = games.make(spec, **words)
    players = int(game.players(game.new(0))[0])
    if not 1 <= len(opponents) < players:
        raise ValueError(f"{players} players leave room for 1 to {players - 1} opponents")
    if not 0 <= command.seat < players:
        raise ValueError(f"seat must be from 0 to {players - 1}, not {command.seat}")
    seated = [opponents[k % len(opponents)] for k in range(players - 1)]
    names = names_of(("human", *seated))
    turn = players - command.seat  # from the own seat to seat 0
    others = {(command.seat + k) % players: resolve(spec, game) for k, spec in enumerate(seated, 1)}
    return Seating(game, command.seat, names[turn:] + names[:turn], others)


# ---------------------------------------------------------------- in the terminal


def at_the_terminal(table: Seating, seed: int) -> Record:
    """A whole game, asked for on standard input; its record."""
    person, session, told = human.at_terminal(), Session(table, seed), 0
    while True:
        for move in session.heard[told:]:
            if move.seat != table.seat:
                kind = table.game.spec.seat_name
                print(f"{kind} {move.seat}, {table.names[move.seat]}: {move.text}")
        told = len(session.heard)
        if session.over:
            break
        view = session.look()
        turn = view.game.look(view.state)
        chosen = person.act(turn.observation, turn.legal.mask, np.random.default_rng(), view)
        session.play(session.version, int(chosen[0]))
    picture = session.picture()
    print(f"\n{picture if human.in_colour() else plain(picture)}\n\n{session.outcome()}")
    return session.record()


# ---------------------------------------------------------------- in the browser


def serve(table: Seating, command: Command) -> None:
    """Serves the page until Ctrl-C."""
    if any(isinstance(policy, human.Human) for policy in table.others.values()):
        raise ValueError("human plays at the terminal; on the page only you do")
    first = [] if command.seed is None else [command.seed]

    def seeds() -> int:
        # Only the first game has the seed that was asked for: others must not be guessed from it.
        return first.pop() if first else secrets.randbits(64)

    folder = command.keep or (command.record and f"{command.record}.games")
    kept = Games(table, seeds, lambda made: _keep(command, made), Path(folder) if folder else None)
    with suppress(Refused):
        kept.newest.hint(
            kept.newest.version
        )  # compiles what hints need, before anybody waits for one
    with Server(kept, command.port) as server:
        title = table.game.spec.title
        print(f"{title} is served at {server.url} (Ctrl-C ends it)", flush=True)
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
    except Failed as error:
        print(f"error: {error}: {error.__cause__}", file=sys.stderr)
        return 2
    except (OSError, ValueError, TypeError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
