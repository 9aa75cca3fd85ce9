"""How fast the game is: on its own, and against other environments in the same run.

    python -m benchmarks.speed [--quick] [--json] [--peers .venv-peers/bin/python] [--write FILE]

A decision is a random legal action with its mask and its float32 observation, and a new game
where one has ended. Speeds are decisions per CPU second on one pinned core, in the fastest of
many short slices of time: other work on the machine can only slow a slice down. Threads are
measured in wall time, since CPU time adds up over them.
The games of other environments differ from this one, so the ratios give orders of magnitude.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from drago_env import MountDrago, Rules, __version__
from drago_env.mount_drago import kernel
from drago_env.mount_drago.state import STATE

SLICE_SECONDS = 0.05  # short, so that some slices are undisturbed
BATCHES = (1, 64, 1024, 8192, 65536)
# What must show: at least so many times each peer.
WANTED = {
    "Pgx connect_four": 1.8,
    "Pgx sparrow_mahjong": 40,
    "EnvPool CartPole": 4.5,
    "OpenSpiel leduc": 12,
    "OpenSpiel backgammon": 60,
    "PettingZoo connect_four raw_env": 200,
}

Play = Callable[[], int]
"""Plays for a short while and returns the number of decisions (or games) played."""


def random_play(batch: int, players: int = 4, threads: int = 1) -> Play:
    """Whole random steps in one kernel: pick, step, restart, mask, observation."""
    game = MountDrago(Rules(players=players), threads=threads)
    seeds = np.arange(batch, dtype=np.uint64)
    state, picks = game.new(seeds), game.picks(seeds)
    legal = game.legal(state)
    observation = game.observe(state)
    rewards = np.zeros((batch, game.spec.seats), np.float32)
    done = np.zeros(batch, np.bool_)
    steps = max(1, 20_000 // batch)

    def play() -> int:
        for _ in range(steps):
            game.random_step_unchecked(state, picks, seeds, legal, observation, rewards, done)
        return steps * batch

    return play


def checked_play(batch: int, players: int = 4) -> Play:
    """The same by the checked calls that a trainer makes, one after the other."""
    game = MountDrago(Rules(players=players))
    seeds = np.arange(batch, dtype=np.uint64)
    state, picks = game.new(seeds), game.picks(seeds)
    legal = game.legal(state)
    observation = game.observe(state)
    steps = max(1, 20_000 // batch)

    def play() -> int:
        for _ in range(steps):
            game.step(state, game.sample(legal, picks))
            ended = np.flatnonzero(game.over(state))
            if len(ended):
                seeds[ended] += np.uint64(batch)
                game.reset(state, seeds[ended], ended)
            game.legal(state, legal)
            game.observe(state, out=observation)
        return steps * batch

    return play


def playouts(players: int = 2) -> Play:
    """Complete games of uniformly random moves, without masks or observations."""
    game = MountDrago(Rules(players=players))
    seeds = np.arange(2000, dtype=np.uint64)
    state = game.new(seeds)

    def play() -> int:
        game.playout(state, seeds)
        seeds[:] += np.uint64(len(seeds))
        return len(seeds)

    return play


def rate(play: Play, seconds: float, clock: Callable[[], float] = time.process_time) -> float:
    """Decisions per second in the fastest of the slices that fit into the time."""
    best = 0.0
    play()
    for _ in range(max(2, round(seconds / SLICE_SECONDS))):
        decisions, start = 0, clock()
        while (elapsed := clock() - start) < SLICE_SECONDS:
            decisions += play()
        best = max(best, decisions / elapsed)
    return best


def parts(batch: int = 1024) -> dict[str, float]:
    """Nanoseconds that each part of a decision takes, on positions of random games."""
    game = MountDrago(Rules(players=4))
    seeds = np.arange(batch, dtype=np.uint64)
    state, picks = game.new(seeds), game.picks(seeds)
    legal, outcome = game.legal(state), game.step(game.new(seeds), np.full(batch, -1))
    observation, compact = game.observe(state), game.observe_compact(state)
    features = game.features(state, legal)
    actions, fresh = np.empty(batch, np.int64), game.new(seeds)
    spent: dict[str, list[float]] = {}

    def clock(name: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = call()
        spent.setdefault(name, []).append((time.perf_counter() - start) / batch * 1e9)
        return result

    for _ in range(600):
        clock("list and mask of legal actions", lambda: game.legal(state, legal))
        clock("float32 observation", lambda: game.observe(state, out=observation))
        clock("int8 observation", lambda: game.observe_compact(state, out=compact))
        clock("features of all legal actions", lambda: game.features(state, legal, features))
        actions[:] = clock("random pick", lambda: game.sample(legal, picks))
        clock("check of the actions", lambda: kernel.find_illegal(state, actions, game.tables))
        clock("step and rewards", lambda: game.step_unchecked(state, actions, outcome))
        ended = np.flatnonzero(game.over(state))
        game.reset(state, seeds[ended], ended)
        clock("deal of a new game", lambda: game.reset(fresh, seeds))
    return {name: round(statistics.quantiles(times, n=10)[0], 1) for name, times in spent.items()}


def seconds_of(code: str, **environment: str) -> float:
    """Wall seconds that a fresh process takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


def import_seconds(repeats: int) -> dict[str, float]:
    """What importing the package costs above its dependencies, medians in turn."""
    peers = "import numba, gymnasium, pettingzoo"
    base, ours = [], []
    for _ in range(repeats):
        base.append(seconds_of(peers))
        ours.append(seconds_of(peers + ", drago_env"))
    alone, whole = statistics.median(base), statistics.median(ours)
    return {"dependencies": round(alone, 2), "above_them": round(whole - alone, 2)}


EVERY_KERNEL = """
import time, numpy as np
from benchmarks.speed import parts, playouts, random_play
start = time.perf_counter()
random_play(1)(); playouts()(); parts(1)
print(time.perf_counter() - start)
"""


def compile_seconds() -> dict[str, float]:
    """First use of every kernel with an empty cache, and again with that cache."""
    found = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            run = subprocess.run(
                [sys.executable, "-c", EVERY_KERNEL],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
            found.append(round(float(run.stdout), 1))
    return {"first_ever": found[0], "cached": found[1]}


def own_figures(quick: bool) -> dict[str, Any]:
    """Everything that this package is measured by."""
    seconds = 1.0 if quick else 5.0
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    figures: dict[str, Any] = {"version": __version__, "bytes_per_game": STATE.itemsize}
    if not quick:
        print("compiling with an empty cache ...", file=sys.stderr)
        figures["compile_seconds"] = compile_seconds()
    print("importing ...", file=sys.stderr)
    figures["import_seconds"] = import_seconds(2 if quick else 9)
    if cores is not None:
        os.sched_setaffinity(0, {max(cores)})
    print("playing on one core ...", file=sys.stderr)
    figures["decisions_per_second"] = round(rate(random_play(1024), seconds))
    figures["checked_decisions_per_second"] = round(rate(checked_play(1024), seconds))
    figures["playouts_per_second"] = round(rate(playouts(), seconds))
    figures["nanoseconds"] = parts()
    batches = (64, 65536) if quick else BATCHES
    figures["by_batch"] = {str(n): round(rate(random_play(n), seconds)) for n in batches}
    if cores is not None:
        os.sched_setaffinity(0, cores)
    if cores is None or len(cores) > 1:
        print("playing on two cores ...", file=sys.stderr)
        wall = time.perf_counter
        one, two = (rate(random_play(65536, threads=k), seconds, wall) for k in (1, 2))
        figures["two_threads_over_one"] = round(two / one, 2)
    return figures


def peer_figures(python: str, seconds: float) -> list[dict[str, Any]]:
    """What `peers.py` measures in its own environment, in the same run."""
    command = [python, str(Path(__file__).with_name("peers.py")), "--json"]
    run = subprocess.run(
        [*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, check=True
    )
    return list(json.loads(run.stdout)["peers"])


def markdown(figures: dict[str, Any]) -> str:
    """The figures as the page docs/speed.md."""
    lines = [
        "# Speed",
        "",
        f"Printed by `{figures['command']}` on {figures['date']} ({figures['machine']}; "
        f"Python {platform.python_version()}, drago-env {__version__}). A decision is a random "
        "legal action with its mask and its float32 observation, and a new game where one has "
        "ended; 4 riders. One pinned core, CPU time, the fastest of many slices of 0.05 s, for "
        "this package and for the others alike: other work on the machine only slows slices down.",
        "",
        "| what | figure |",
        "| --- | ---: |",
        f"| decisions a second, 1,024 games | {figures['decisions_per_second']:,} |",
        f"| the same by separate, checked calls | {figures['checked_decisions_per_second']:,} |",
        f"| complete random games a second, 2 riders | {figures['playouts_per_second']:,} |",
        f"| bytes of state a game | {figures['bytes_per_game']} |",
        f"| import, above its dependencies | {figures['import_seconds']['above_them']:.2f} s |",
    ]
    if "compile_seconds" in figures:
        first, cached = figures["compile_seconds"].values()
        lines += [
            f"| first compilation of every kernel, ever | {first} s |",
            f"| the same from the cache | {cached} s |",
        ]
    if "two_threads_over_one" in figures:
        lines.append(
            f"| two threads over one, wall time, 65,536 games | {figures['two_threads_over_one']} |"
        )
    lines += ["", "| games in the batch | decisions a second |", "| ---: | ---: |"]
    lines += [f"| {int(n):,} | {speed:,} |" for n, speed in figures["by_batch"].items()]
    lines += ["", "Where the time goes, in nanoseconds for each game of a batch of 1,024:", ""]
    lines += ["| part | ns |", "| --- | ---: |"]
    lines += [f"| {name} | {ns} |" for name, ns in figures["nanoseconds"].items()]
    if "peers" in figures:
        lines += [
            "",
            "Against other environments, in the same run: drago-env always with its batch of "
            "1,024, the others as they come. The games differ: read the ratios as orders of "
            "magnitude. The last column is what this package sets itself as a goal.",
            "",
            "| environment | its batch | decisions a second | drago-env is faster by | goal |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        for peer in figures["peers"]:
            if "error" in peer:
                lines.append(f"| {peer['name']} | | {peer['error']} | | |")
                continue
            lines.append(
                f"| {peer['name']} {peer['version']} | {peer['batch']} "
                f"| {peer['decisions_per_second']:,} | {peer['ratio']:.1f} "
                f"| {peer['wanted'] or ''} |"
            )
    if "adapters" in figures:
        from benchmarks import adapters

        lines += adapters.markdown(figures["adapters"])
    return "\n".join(lines) + "\n"


def machine() -> str:
    """The processor and the number of cores."""
    info = Path("/proc/cpuinfo")
    names = info.read_text().splitlines() if info.exists() else []
    model = next((n.split(":")[1].strip() for n in names if n.startswith("model name")), "")
    return f"{model or platform.processor()}, {os.cpu_count()} cores, {platform.system()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="below half a minute, less exact")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--peers", metavar="PYTHON", help="Python of the peers' environment")
    parser.add_argument("--write", metavar="FILE", help="write the tables to this Markdown file")
    chosen = parser.parse_args()
    command = "make bench" if chosen.peers else "python -m benchmarks.speed"
    figures: dict[str, Any] = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
    }
    figures |= own_figures(chosen.quick)
    if chosen.peers:
        figures["peers"] = peer_figures(chosen.peers, 1.0 if chosen.quick else 5.0)
        speed = figures["decisions_per_second"]
        for peer in figures["peers"]:
            if "error" not in peer:
                peer["ratio"] = round(speed / peer["decisions_per_second"], 2)
                peer["wanted"] = WANTED.get(peer["name"])
    if not chosen.quick:
        from benchmarks import adapters

        figures["adapters"] = adapters.figures(quick=False)
    print(json.dumps(figures) if chosen.json else markdown(figures))
    if chosen.write:
        Path(chosen.write).write_text(markdown(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
