"""How fast records become a table: `python -m benchmarks.analysis [--game SPEC] [--old CHECKOUT]`.

CPU time of `analysis.table` over games of heuristics, by default four; with `--old`, an older
checkout reads the same records in a process of its own, and the ratio is told.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from drago_env import make, play
from drago_env.core import records
from drago_env.games import DEFAULT

READ = """
import json, sys, time
from drago_env import analysis
records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
analysis.table(records[:10])
start = time.process_time()
rows = len(analysis.table(records)["game"])
print((time.process_time() - start) / rows)
"""


def seconds(checkout: Path, file: str) -> float:
    """For one move, in a process that knows this checkout alone; the best of three."""
    command = [sys.executable, "-c", READ, file]
    known = {**os.environ, "PYTHONPATH": str(checkout)}
    return min(
        float(subprocess.check_output(command, env=known, cwd=checkout, text=True))
        for _ in range(3)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.analysis", description=__doc__)
    usual = f"{DEFAULT}:players=4"
    parser.add_argument("--game", default=usual, metavar="SPEC", help=f"by default {usual}")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--old", metavar="CHECKOUT", type=Path, help="an older version beside it")
    chosen = parser.parse_args()
    game = make(chosen.game)
    seats = int(game.players(game.new(0))[0])
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "games.jsonl")
        records.write(file, play(game, ["heuristic"] * seats, range(chosen.games)).records)
        now = seconds(Path(__file__).parents[1], file)
        print(f"microseconds for a move: {1e6 * now:.2f}")
        if chosen.old:
            old = seconds(chosen.old.resolve(), file)
            print(f"before: {1e6 * old:.2f}, {old / now:.1f} times as long")


if __name__ == "__main__":
    main()
