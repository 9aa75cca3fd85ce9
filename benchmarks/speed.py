"""How fast a game is: on its own, and against other environments in the same run.

    python -m benchmarks.speed [--game SPEC] [--every-game] [--quick] [--json] [--old CHECKOUT]
                               [--peers .venv-peers/bin/python ...] [--write FILE]

A decision is a random legal action with its mask and its float32 observation, and a new game
where one has ended. Speeds are decisions per CPU second on one pinned core, in the fastest of
many short slices of time: other work on the machine can only slow a slice down. Threads are
measured in wall time, since CPU time adds up over them. With `--old`, an older checkout is measured
in turn with this one, in processes of their own, by its own copy of this file.
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
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from drago_env import __version__, make
from drago_env.games import BUILT_IN, DEFAULT
from drago_env.specs import parse

TABLE = f"{DEFAULT}:players=4"  # what is measured unless another game is asked for
HERE = Path(__file__).resolve().parents[1]


def others() -> dict[str, dict[str, int]]:
    """The other games, by what is measured of each, and what they set themselves as goals."""
    found = {}
    for name in BUILT_IN:
        if name != DEFAULT:
            own = tomllib.loads((HERE / "benchmarks" / f"{name}.toml").read_text(encoding="utf-8"))
            found[f"{name}:players={own['players']}"] = own["goals"]
    return found


OTHERS = others()
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
TWO_THREADS = 1.8  # wanted: two threads over one, on an idle machine
START_SECONDS = {"first_ever": 15, "warm": 0.5}  # wanted at most, of a bare `env`

Play = Callable[[], int]
"""Plays for a short while and returns the number of decisions (or games) played."""


def random_play(batch: int, spec: str = TABLE, threads: int = 1) -> Play:
    """Whole random steps in one kernel: pick, step, restart, mask, observation."""
    game: Any = make(spec, threads=threads)
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


def checked_play(batch: int, spec: str = TABLE) -> Play:
    """The same by the checked calls that a trainer makes, one after the other."""
    game: Any = make(spec)
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


def playouts(spec: str = DEFAULT) -> Play:
    """Complete games of uniformly random moves, without masks or observations."""
    game: Any = make(spec)
    seeds = np.arange(2000, dtype=np.uint64)
    state = game.new(seeds)

    def play() -> int:
        game.finished(state, seeds)
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


def two_threads_over_one(spec: str, seconds: float) -> float:
    """The ratio of whole random steps, in wall time: the median over slices in turn."""
    one, two = (random_play(65536, spec, threads) for threads in (1, 2))
    slices = max(3, round(seconds / 0.4))
    wall = time.perf_counter
    pairs = [[rate(play, SLICE_SECONDS, wall) for play in (one, two)] for _ in range(slices)]
    return round(statistics.median(second / first for first, second in pairs), 2)


def two_processes_over_one(spec: str, seconds: float) -> float:
    """The same of processes that share nothing: what the machine itself leaves for two threads."""

    def decisions(count: int) -> int:
        start = time.time() + 8  # when all have loaded their kernels
        code = ALONGSIDE.format(spec=spec, start=start, end=start + seconds)
        command = [sys.executable, "-c", code]
        made = [subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE) for _ in range(count)]
        return sum(int(process.communicate()[0]) for process in made)

    alone = decisions(1)
    return round(decisions(2) / alone, 2)


def parts(batch: int = 1024, spec: str = TABLE) -> dict[str, float]:
    """Nanoseconds that each part of a decision takes, on positions of random games."""
    game: Any = make(spec)
    seeds = np.arange(batch, dtype=np.uint64)
    state, picks = game.new(seeds), game.picks(seeds)
    legal, outcome = game.legal(state), game.step(game.new(seeds), np.full(batch, -1))
    observation, compact = game.observe(state), game.observe_compact(state)
    features = game.features(state, legal)
    actions, fresh = np.empty(batch, np.int64), game.new(seeds)
    spent: dict[str, list[float]] = {}
    check = partial(game.loops.find_illegal, state, actions, game._shared)

    def clock(name: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = call()
        spent.setdefault(name, []).append((time.perf_counter() - start) / batch * 1e9)
        return result

    for _ in range(600):
        clock("list and mask of legal actions", lambda: game.legal(state, legal))
        clock("float32 observation", lambda: game.observe(state, out=observation))
        clock("int8 observation", lambda: game.observe_compact(state, out=compact))
        if game.spec.feature_size:
            clock("features of all legal actions", lambda: game.features(state, legal, features))
        actions[:] = clock("random pick", lambda: game.sample(legal, picks))
        clock("check of the actions", check)
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


# where scipy is installed, numba loads it, which takes as long as a third of its own start
WITHOUT_SCIPY = 'import sys; sys.modules["scipy"] = None  # as in a plain install'
# the CPU seconds, after importing what the package needs, until ten steps are made
START = """
import time, numba, numpy, gymnasium, pettingzoo
start = time.process_time()
from drago_env.{name}_v0 import env as make
env = make({words})
env.reset(seed=0)
for _ in range(10):
    env.step(int(env.last()[0]["action_mask"].argmax()))
print(time.process_time() - start)
"""
# what numba itself loads before the first compiled call
NUMBA = """
import time, numba, numpy, gymnasium, pettingzoo
start = time.process_time()
from numba.core.registry import cpu_target
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
print(time.process_time() - start)
"""
EVERY_KERNEL = """
import time
from benchmarks.speed import checked_play, parts, playouts, random_play
start = time.process_time()
random_play(1, {spec!r})(); checked_play(1, {spec!r})(); playouts({spec!r})(); parts(1, {spec!r})
print(time.process_time() - start)
"""
SPEEDS = """
import json
from benchmarks.speed import checked_play, playouts, random_play, rate
plays = {{"decisions": random_play(1024), "checked": checked_play(1024), "playouts": playouts()}}
print(json.dumps({{name: rate(play, {seconds}) for name, play in plays.items()}}))
"""
ALONGSIDE = """
import time
from benchmarks.speed import random_play
play, decisions = random_play(65536, {spec!r}), 0
play()
time.sleep(max(0.0, {start} - time.time()))
while time.time() < {end}:
    decisions += play()
print(decisions)
"""


def child(code: str, checkout: Path = HERE, **environment: str) -> Any:
    """What a fresh process prints, in a checkout."""
    command, settings = [sys.executable, "-c", code], {**os.environ, **environment}
    run = subprocess.run(
        command, cwd=checkout, env=settings, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(run.stdout)


def start_seconds(code: str, repeats: int, checkout: Path = HERE) -> dict[str, float]:
    """CPU seconds with an empty cache of compiled code, the least with it, and numba's of these.

    Python's own bytecode is there from the start, as an installation has it, and scipy is not;
    `scipy` is the least where it is.
    """
    with tempfile.TemporaryDirectory() as cache:
        settings = {"NUMBA_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": cache}
        settings["PYTHONDONTWRITEBYTECODE"] = ""
        plain, numba = (f"{WITHOUT_SCIPY}\n{program}" for program in (code, NUMBA))
        _, *loaded = (child(numba, checkout, **settings) for _ in range(1 + repeats))
        first, *again = (child(plain, checkout, **settings) for _ in range(1 + repeats))
        _, *scipy = (child(code, checkout, **settings) for _ in range(1 + repeats))
    figures = {"first_ever": first, "warm": min(again), "numba": min(loaded), "scipy": min(scipy)}
    return {name: round(seconds, 2) for name, seconds in figures.items()}


def start_code(spec: str) -> str:
    """The program that makes a bare `env` and steps it."""
    name, words = parse(spec)
    given = ", ".join(f"{key}={value!r}" for key, value in words.items())
    return START.format(name=name, words=given)


def own_figures(spec: str, quick: bool) -> dict[str, Any]:
    """Everything that a game is measured by."""
    seconds = 1.0 if quick else 5.0
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    figures: dict[str, Any] = {"version": __version__, "game": spec}
    figures["bytes_per_game"] = make(spec).new(0).itemsize
    print(f"{spec}: starting with an empty cache, and again ...", file=sys.stderr)
    figures["start_seconds"] = start_seconds(start_code(spec), 2 if quick else 5)
    if not quick:
        print("compiling every kernel ...", file=sys.stderr)
        figures["compile_seconds"] = start_seconds(EVERY_KERNEL.format(spec=spec), 1)
    if cores is not None:
        os.sched_setaffinity(0, {max(cores)})
    print("playing on one core ...", file=sys.stderr)
    figures["decisions_per_second"] = round(rate(random_play(1024, spec), seconds))
    figures["checked_decisions_per_second"] = round(rate(checked_play(1024, spec), seconds))
    figures["playouts_per_second"] = round(rate(playouts(plain_spec(spec)), seconds))
    figures["nanoseconds"] = parts(1024, spec)
    batches = (64, 65536) if quick else BATCHES
    figures["by_batch"] = {str(n): round(rate(random_play(n, spec), seconds)) for n in batches}
    if cores is not None:
        os.sched_setaffinity(0, cores)
    if cores is None or len(cores) > 1:
        print("playing on two cores ...", file=sys.stderr)
        figures["two_threads_over_one"] = two_threads_over_one(spec, seconds)
        if not quick:
            figures["two_processes_over_one"] = two_processes_over_one(spec, seconds)
    return figures


def plain_spec(spec: str) -> str:
    """Whole games and adapters of the default game have always been measured with two seats."""
    return DEFAULT if spec == TABLE else spec


def old_figures(checkout: Path, quick: bool) -> dict[str, Any]:
    """How many times as fast the default game is as in an older checkout, both in turn.

    For the start it is how many times as many seconds the older one takes.
    """
    print(f"playing in turn with {checkout} ...", file=sys.stderr)
    code = SPEEDS.format(seconds=1.0 if quick else 3.0)
    pairs = [(child(code), child(code, checkout)) for _ in range(1 if quick else 5)]
    found: dict[str, Any] = {
        name: round(statistics.median(own[name] / old[name] for own, old in pairs), 3)
        for name in pairs[0][0]
    }
    starts = [
        start_seconds(start_code(DEFAULT), 2 if quick else 5, place) for place in (HERE, checkout)
    ]
    for name in START_SECONDS:
        found[f"start_{name}"] = round(starts[1][name] / starts[0][name], 2)
    version = child("import drago_env, json; print(json.dumps(drago_env.__version__))", checkout)
    return found | {"start_seconds": starts[1], "version": version}


def peer_figures(python: str, seconds: float) -> list[dict[str, Any]]:
    """What `peers.py` measures in one of its environments, in the same run."""
    command = [python, str(Path(__file__).with_name("peers.py")), "--json"]
    run = subprocess.run(
        [*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, check=True
    )
    return list(json.loads(run.stdout)["peers"])


def machine() -> str:
    """The processor and the number of cores."""
    info = Path("/proc/cpuinfo")
    names = info.read_text().splitlines() if info.exists() else []
    model = next((n.split(":")[1].strip() for n in names if n.startswith("model name")), "")
    return f"{model or platform.processor()}, {os.cpu_count()} cores, {platform.system()}"


def main() -> None:
    from benchmarks import page

    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=about)
    parser.add_argument("--game", default=TABLE, metavar="SPEC", help=f"by default {TABLE}")
    parser.add_argument("--every-game", action="store_true", help="the other games as well")
    parser.add_argument("--quick", action="store_true", help="about half a minute, less exact")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--peers", metavar="PYTHON", nargs="+", default=[], help="each from an environment of peers"
    )
    parser.add_argument("--old", metavar="CHECKOUT", type=Path, help="an older version beside it")
    parser.add_argument("--write", metavar="FILE", help="write the tables to this Markdown file")
    chosen = parser.parse_args()
    for python in chosen.peers:
        if which(python) is None:
            parser.error(f"there is no Python {python}: `make bench` makes the peers' environments")
    command = "make bench" if chosen.peers else "python -m benchmarks.speed"
    command += " OLD=CHECKOUT" if chosen.old and chosen.peers else ""
    figures: dict[str, Any] = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
    }
    print("importing ...", file=sys.stderr)
    figures["import_seconds"] = import_seconds(2 if chosen.quick else 9)
    figures |= own_figures(chosen.game, chosen.quick)
    if chosen.every_game:
        figures["others"] = [own_figures(spec, chosen.quick) for spec in OTHERS]
    if chosen.old:
        figures["old"] = old_figures(chosen.old.resolve(), chosen.quick)
    if chosen.peers:
        seconds = 1.0 if chosen.quick else 5.0
        figures["peers"] = [row for python in chosen.peers for row in peer_figures(python, seconds)]
        speed = figures["decisions_per_second"]
        for peer in figures["peers"]:
            if "error" not in peer:
                peer["ratio"] = round(speed / peer["decisions_per_second"], 2)
                peer["wanted"] = WANTED.get(peer["name"])
    if not chosen.quick:
        from benchmarks import adapters

        figures["adapters"] = adapters.figures(plain_spec(chosen.game), quick=False)
        for other in figures.get("others", []):
            other["aec"] = adapters.aec_figures(other["game"], 30)
    print(json.dumps(figures) if chosen.json else page.markdown(figures))
    if chosen.write:
        Path(chosen.write).write_text(page.markdown(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
