"""You against any agents, or agents against each other: on a page in the browser, or in words.

`drago play` opens the page; `python -m agents.play` plays at the terminal unless it has `--web`.
"""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from agents import human
from agents.lobby import Lobby, seated
from agents.routes import Games
from agents.server import Server
from agents.session import Failed, Record, Seating
from agents.shell import parsed
from agents.shorthand import GameOptions
from agents.terminal import at_the_terminal
from drago_env import games
from drago_env.core.files import in_words
from drago_env.core.records import line
from drago_env.policy import resolve
from drago_env.specs import parse

_Agents = Annotated[
    tuple[str, ...],
    tyro.conf.Positional,
    tyro.conf.arg(metavar="[AGENT ...]", help_behavior_hint=""),
]
_File = Annotated[str | None, tyro.conf.arg(metavar="FILE")]
_Folder = Annotated[str | None, tyro.conf.arg(metavar="FOLDER")]
_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]
OPPONENTS = ("search",)  # unless others are named


@dataclass
class Command(GameOptions):
    """You against any agents, at the terminal or on a page in the browser, where you choose them.

    If a game or an opponent is named here, the page begins with that table.
    """

    opponents: _Agents = ()
    """Who plays against you, the next seat first; by default search.
    If they are fewer than the other seats, they sit several times."""
    seat: int = 0
    """Yours; they are counted from 0."""
    seed: _Number = None
    """Of the deal and the opponents' choices; by default it is drawn."""
    record: _File = None
    """Add the record of each finished game to this .jsonl file."""
    keep: _Folder = None
    """Of the page: keep games in this folder, so that they go on when the server is started anew;
    by default, if --record names a file, in a folder beside it."""
    web: bool = False
    """Serve a page for the browser, on this machine only; `drago play` does it by default."""
    terminal: bool = False
    """Play at the terminal; `python -m agents.play` does it by default."""
    port: int = 8765
    """Of the page; 0 takes a free one."""
    no_browser: bool = False
    """Print the address of the page, but do not open it."""

    @property
    def described(self) -> bool:
        """Whether a table is described; else it is chosen on the page."""
        return self.named or bool(self.opponents or self.seat) or self.seed is not None


def seating(command: Command) -> Seating:
    """The table that a command describes; everything in it is checked."""
    opponents, spec, seat = command.opponents or OPPONENTS, command.spec, command.seat
    words = {} if "players" in parse(spec)[1] else {"players": len(opponents) + 1}
    game = games.make(spec, **words)
    players = int(game.players(game.new(0))[0])
    if not 1 <= len(opponents) < players:
        raise ValueError(f"{players} players leave room for 1 to {players - 1} opponents")
    if not 0 <= seat < players:
        raise ValueError(f"seat must be from 0 to {players - 1}, not {seat}")
    made = {spec: resolve(spec, game) for spec in opponents}
    return seated(game, seat, [opponents[k % len(opponents)] for k in range(players - 1)], made)


def serve(table: Seating | None, command: Command) -> None:
    """Serves the page until Ctrl-C."""
    if table and any(isinstance(policy, human.Human) for policy in table.others.values()):
        raise ValueError("human plays at the terminal; on the page only you do")
    first = [] if command.seed is None else [command.seed]

    def seeds() -> int:
        # Only the first game has the seed that was asked for: others must not be guessed from it.
        return first.pop() if first else secrets.randbits(64)

    folder = command.keep or (command.record and f"{command.record}.games")
    lobby = Lobby({table.game.spec.name: command.opponents} if table else None)
    kept = Games(
        table, seeds, lambda made: _keep(command, made), Path(folder) if folder else None, lobby
    )
    with Server(kept, command.port) as server:
        title = table.game.spec.title if table else "The page to play on"
        print(f"{title} is served at {server.url} (Ctrl-C ends it)", flush=True)
        if not command.no_browser and _has_screen():
            webbrowser.open(server.url)
        server.serve_forever()


def _has_screen() -> bool:
    """Whether a browser would have a window of its own; one in the terminal is of no use."""
    words = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform != "linux" or any(os.environ.get(word) for word in words)


def _keep(command: Command, made: Record | None = None) -> None:
    """Adds a record to the file; without one it only finds out whether that can be done."""
    if command.record is not None:
        with Path(command.record).open("a", encoding="utf-8") as file:
            if made is not None:
                file.write(line(made))


def main(arguments: Sequence[str] | None = None, page: bool = False) -> int:
    """The command; `page` says that it plays in the browser unless it is told otherwise."""
    command = parsed(Command, "drago play" if page else "python -m agents.play", arguments)
    try:
        if command.web and command.terminal:
            raise ValueError("--web and --terminal do not go together: say one of them")
        _keep(command)
        if command.web or (page and not command.terminal):
            serve(seating(command) if command.described else None, command)
        else:
            seed = secrets.randbits(64) if command.seed is None else command.seed
            _keep(command, at_the_terminal(seating(command), seed))
    except human.Quit as quit:
        print(quit)
    except Failed as error:
        print(f"error: {error}: {error.__cause__}", file=sys.stderr)
        return 2
    except (OSError, ValueError, TypeError, ImportError) as error:
        print(f"error: {in_words(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
