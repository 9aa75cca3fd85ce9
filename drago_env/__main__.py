"""`drago`, or `python -m drago_env`: games demonstrated, records verified, replayed or shown.

`play`, `arena` and `train` hand over to the packages of a checkout.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from drago_env import games
from drago_env.checkout import load
from drago_env.core.files import in_words
from drago_env.game import IllegalAction
from drago_env.pictures import page
from drago_env.play import play

_FILES: Any = games.records_of(games.DEFAULT)  # records of every game are lines of JSON
# what a checkout has besides: the module with its `main`, and what it does
_LABORATORY = {
    "play": ("agents.play", "play against agents, or watch them, in the browser"),
    "arena": ("agents.arena", "let agents play each other, and compare them"),
    "train": ("train.ppo", "train a network by playing against itself"),
}


def drago() -> int:
    """The console command."""
    return main(prog="drago")


def main(arguments: Sequence[str] | None = None, prog: str = "python -m drago_env") -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words and words[0] in _LABORATORY:
        return _hand_over(words[0], words[1:])
    parser = argparse.ArgumentParser(prog=prog, description=__doc__.partition("\n")[0])
    version = sys.modules["drago_env"].__version__
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="check every move of recorded games")
    replay = commands.add_parser("replay", help="draw a recorded game move by move")
    replay.add_argument(
        "--move", type=int, metavar="N", help="only the position after so many moves"
    )
    shows = [
        commands.add_parser(name, help=f"write a recorded game as one {kind}")
        for name, kind in (("page", "HTML page"), ("gif", "animated GIF"))
    ]
    for show in shows:
        show.add_argument("--out", required=True, help="the file to write")
    for command in (verify, replay, *shows):
        command.add_argument("file", help="records of any game, one on each line (.jsonl)")
    for command in (replay, *shows):
        number: dict[str, Any] = {"type": int, "metavar": "N"}
        command.add_argument("--record", default=0, help="which one, from 0 (default 0)", **number)
        command.add_argument("--seat", help="what this seat sees: the rest is hidden", **number)
        command.add_argument("--game", help=argparse.SUPPRESS)  # what --record was called
    _add_demo(commands.add_parser("demo", help="play a random game and draw it"))
    for name, (_, help) in _LABORATORY.items():
        commands.add_parser(name, help=f"{help} (needs a checkout)")
    chosen = parser.parse_args(words)
    try:
        run = {"verify": _verify, "replay": _replay, "page": _show, "gif": _show, "demo": _demo}
        return run[chosen.command](chosen)
    except (OSError, ValueError, IllegalAction, ImportError) as error:
        print(f"error: {in_words(error)}", file=sys.stderr)
        return 2


def _hand_over(command: str, words: Sequence[str]) -> int:
    """Runs a command of the checkout; `play` opens the page unless it is told otherwise."""
    try:
        module = load(_LABORATORY[command][0], f"drago {command}")
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    done: int = module.main(words, page=True) if command == "play" else module.main(words)
    return done


def _add_demo(demo: argparse.ArgumentParser) -> None:
    demo.add_argument("--game", metavar="SPEC", help=f"a spec such as {games.DEFAULT}:players=4")
    for name, default in _words().items():
        kind = type(default) if default is not None else str
        demo.add_argument(f"--{name}", type=kind, help=f"short for {games.DEFAULT}:{name}=...")
    demo.add_argument("--seed", type=int, default=0, help="of the deal and the moves (default 0)")
    demo.add_argument("--every", type=int, default=20, help="draw every so many moves (default 20)")
    demo.add_argument("--out", help="write the record to this .jsonl file")


def _verify(chosen: argparse.Namespace) -> int:
    records = _FILES.read(chosen.file)
    faults = _faults(records)
    for index, fault in enumerate(faults):
        if fault:
            print(f"record {index}: {fault}")
    sound = faults.count(None)
    print(f"{sound} of {len(records)} records are sound")
    return 0 if sound == len(records) and records else 1


def _faults(records: Sequence[dict[str, Any]]) -> list[str | None]:
    """What is wrong with each record, those of a game side by side."""
    faults: list[str | None] = [None] * len(records)
    of_game: dict[Any, list[int]] = {}
    for index, record in enumerate(records):
        try:
            of_game.setdefault(games.of_record(record), []).append(index)
        except ValueError as error:
            faults[index] = str(error)
    for module, indices in of_game.items():
        found = module.verify_all([records[index] for index in indices])
        for index, fault in zip(indices, found, strict=True):
            faults[index] = fault
    return faults


def _replay(chosen: argparse.Namespace) -> int:
    film = _pick(chosen)
    total = len(film.frames) - 1
    if chosen.move is not None and not 0 <= chosen.move <= total:
        raise ValueError(f"the record has the moves 0 to {total}, not {chosen.move}")
    _print(film, range(total + 1) if chosen.move is None else [chosen.move])
    return 0


def _show(chosen: argparse.Namespace) -> int:
    film = _pick(chosen)
    if chosen.command == "gif":
        page.gif(film, chosen.out)
    else:
        Path(chosen.out).write_text(page.html(film), encoding="utf-8")
    print(f"wrote {chosen.out}")
    return 0


def _pick(chosen: argparse.Namespace) -> page.Replay:
    if chosen.game is not None:
        number = chosen.game.isdecimal()
        now = f"--game {chosen.game} is now --record {chosen.game}"
        raise ValueError(now if number else "--game: a record says itself what was played")
    records, wanted = _FILES.read(chosen.file), int(chosen.record)
    if not 0 <= wanted < len(records):
        raise ValueError(f"the file has the records 0 to {len(records) - 1}, not {wanted}")
    module = games.of_record(records[wanted])
    if not hasattr(module, "pictures"):
        raise ValueError(f"records of {module.FORMAT} cannot be drawn yet")
    seats = _seats(records[wanted])
    if chosen.seat is not None and seats and not 0 <= chosen.seat < seats:
        raise ValueError(f"--seat must be from 0 to {seats - 1}, not {chosen.seat}")
    film: page.Replay = module.pictures(records[wanted], chosen.seat)
    return film


def _seats(record: dict[str, Any]) -> int:
    """How many seats a record says that its game has; 0 if it does not say."""
    rules = record.get("rules")
    players = rules.get("players") if isinstance(rules, dict) else None
    return players if isinstance(players, int) else 0


def _words() -> dict[str, Any]:
    """The words of the default game's rules, with their defaults."""
    parameters = signature(games.module_of(games.DEFAULT, "make")).parameters
    return {key: p.default for key, p in parameters.items() if key not in ("reward", "threads")}


def _demo(chosen: argparse.Namespace) -> int:
    words = {key: vars(chosen)[key] for key in _words() if vars(chosen)[key] is not None}
    if chosen.game is None:
        game = games.make(games.DEFAULT, **{"players": 3, **words})
    elif words:
        word = next(iter(words))
        raise ValueError(f"--{word} goes with the default game: say it in the spec {chosen.game}")
    else:
        game = games.make(chosen.game)
    players = int(game.players(game.new(0))[0])
    (record,) = play(game, ["uniform"] * players, chosen.seed).records
    film = games.of_record(record).pictures(record)
    total = len(film.frames) - 1
    _print(film, [*range(0, total, max(chosen.every, 1)), total])
    if chosen.out:
        _FILES.write(chosen.out, [record])
        print(f"wrote {chosen.out}")
    return 0


def _print(film: page.Replay, numbers: Sequence[int]) -> None:
    """These frames of a game, in colour where the terminal shows it."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    for number in numbers:
        picture = film.frames[number].picture
        print(f"after {number} moves: {page.move_text(film, number)}\n")
        print(picture.ansi() if colour else picture, "\n")


if __name__ == "__main__":
    sys.exit(main())
