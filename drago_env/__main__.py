"""`python -m drago_env`: a demonstration game, and records verified, replayed or shown."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from drago_env import IllegalAction, MountDrago, Rules, __version__, record
from drago_env.mount_drago import drawing, page
from drago_env.mount_drago.rules import EDITIONS, MAX_PLAYERS, MIN_PLAYERS


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m drago_env", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="check every move of recorded games")
    verify.add_argument("file", help="records, one on each line (.jsonl)")
    replay = commands.add_parser("replay", help="draw a recorded game move by move")
    replay.add_argument("file", help="records, one on each line (.jsonl)")
    replay.add_argument("--game", type=int, default=0, help="which record, from 0 (default 0)")
    replay.add_argument("--move", type=int, help="only the position after so many moves")
    replay.add_argument("--seat", type=int, help="what this seat sees: other hands are hidden")
    for name, kind in (("page", "HTML page"), ("gif", "animated GIF")):
        show = commands.add_parser(name, help=f"write a recorded game as one {kind}")
        show.add_argument("file", help="records, one on each line (.jsonl)")
        show.add_argument("--game", type=int, default=0, help="which record, from 0 (default 0)")
        show.add_argument("--seat", type=int, help="what this seat sees: other hands are hidden")
        show.add_argument("--out", required=True, help="the file to write")
    demo = commands.add_parser("demo", help="play a random game and draw it")
    demo.add_argument("--players", type=int, default=3, choices=range(MIN_PLAYERS, MAX_PLAYERS + 1))
    demo.add_argument("--edition", default="german", choices=EDITIONS)
    demo.add_argument("--seed", type=int, default=0, help="of the deal and the moves (default 0)")
    demo.add_argument("--every", type=int, default=20, help="draw every so many moves (default 20)")
    demo.add_argument("--out", help="write the record to this .jsonl file")
    chosen = parser.parse_args(arguments)
    try:
        run = {"verify": _verify, "replay": _replay, "page": _show, "gif": _show, "demo": _demo}
        return run[chosen.command](chosen)
    except (OSError, ValueError, IllegalAction, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _verify(chosen: argparse.Namespace) -> int:
    records = record.read(chosen.file)
    faults = record.verify_all(records)
    for index, fault in enumerate(faults):
        if fault:
            print(f"record {index}: {fault}")
    sound = faults.count(None)
    print(f"{sound} of {len(records)} records are sound")
    return 0 if sound == len(records) and records else 1


def _replay(chosen: argparse.Namespace) -> int:
    made = _pick(chosen)
    record.verify(made)
    total = len(made["moves"])
    for number in range(total + 1) if chosen.move is None else [chosen.move]:
        game, state = record.replay(made, number)
        if number:
            print(_move_text(game, made, number - 1), "\n")
        print(drawing.terminal(game, state, viewer=chosen.seat, colour=_colour()), "\n")
    return 0


def _show(chosen: argparse.Namespace) -> int:
    made = _pick(chosen)
    if chosen.command == "gif":
        page.gif(made, chosen.out, seat=chosen.seat)
    else:
        Path(chosen.out).write_text(page.html(made, seat=chosen.seat), encoding="utf-8")
    return 0


def _pick(chosen: argparse.Namespace) -> record.Record:
    records, wanted = record.read(chosen.file), int(chosen.game)
    if not 0 <= wanted < len(records):
        raise ValueError(f"the file has the records 0 to {len(records) - 1}, not {wanted}")
    return records[wanted]


def _demo(chosen: argparse.Namespace) -> int:
    game = MountDrago(Rules(players=chosen.players, edition=chosen.edition))
    made = _random_game(game, chosen.seed)
    total = len(made["moves"])
    for number in [*range(0, total, max(chosen.every, 1)), total]:
        _, state = record.replay(made, number)
        print(
            f"after {number} moves" + (f": {_move_text(game, made, number - 1)}" if number else "")
        )
        print(drawing.terminal(game, state, colour=_colour()), "\n")
    if chosen.out:
        record.write(chosen.out, [made])
    return 0


def _random_game(game: MountDrago, seed: int) -> record.Record:
    """A whole game of uniformly random moves, recorded."""
    state = game.new(seed)
    start, actions = state.copy(), []
    picks = game.picks(seed)
    while not game.over(state)[0]:
        actions.append(int(game.sample(game.legal(state), picks)[0]))
        game.step(state, actions[-1:])
    return record.record(
        game, start, actions, seed=seed, riders=["uniform"] * game.rules[0].players
    )


def _move_text(game: MountDrago, made: record.Record, number: int) -> str:
    move = made["moves"][number]
    text = f"rider {move['seat']}: {game.action_text(move['action'])}"
    return text + (f", points {move['points']}" if any(move["points"]) else "")


def _colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


if __name__ == "__main__":
    sys.exit(main())
