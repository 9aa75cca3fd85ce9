"""Measure the speed of other people's environments, for comparison with ours.

    .venv-peers/bin/python benchmarks/peers.py [--json] [--seconds 3] [--only pgx]

The packages come from `peers-constraints.txt`, in a virtual environment of their own, and PufferLib
from `puffer-constraints.txt` in another one: the peers that are installed with the Python that runs
this script are measured.

What is measured: decisions per CPU second of the process (`time.process_time`, all threads) on one
core. Every decision is a random legal action, with the mask (or list) of legal actions and the
observation produced for it; a game that ends is restarted, and neither chance events nor steps that
only restart a game count as decisions. Imports, compilation and a warm-up of half a second are
left out. The measuring time is cut into short slices; the figure reported is the fastest slice,
since other work on the machine can only slow a slice down, and the median is given too.

Each peer runs in a fresh process of this script, so that none disturbs another. One that cannot be
imported or run is reported with an `error` in place of its figures and does not stop the rest.

The games differ, so compare orders of magnitude only, and only within one run.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import distributions, version
from typing import Any

BATCH = 1024
SLICE_SECONDS = 0.05
TIMEOUT_SECONDS = 600

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}

Play = Callable[[], int]
"""Plays for a short while and returns the number of decisions made."""


def pettingzoo(constructor: str) -> Play:
    """Connect Four through the AEC loop: `last`, a cheap pick from the mask, `step`."""
    import numpy as np
    from pettingzoo.classic import connect_four_v3

    env = getattr(connect_four_v3, constructor)()
    rng = random.Random(0)
    env.reset(seed=0)

    def play() -> int:
        decisions = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                return decisions
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[int(rng.random() * len(legal))])
            decisions += 1

    return play


def draw(outcomes: list[tuple[int, float]], quantile: float) -> int:
    """Pick from (outcome, probability) pairs; far cheaper here than `random.choices`."""
    for outcome, probability in outcomes:
        quantile -= probability
        if quantile <= 0:
            return outcome
    return outcomes[-1][0]  # rounding


def open_spiel(game_name: str) -> Play:
    """One game through OpenSpiel's State interface; chance nodes are sampled, not counted."""
    import pyspiel

    game = pyspiel.load_game(game_name)
    rng = random.Random(0)

    def play() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(draw(state.chance_outcomes(), rng.random()))
                continue
            legal = state.legal_actions()
            state.observation_tensor()
            state.apply_action(legal[int(rng.random() * len(legal))])
            decisions += 1
        return decisions

    return play


def pgx(game_name: str, steps: int) -> Play:
    """A batch of games, `steps` decisions of each in one compiled `lax.scan`, with auto reset.

    The observation is a field of the state, the state is the carry of the scan, and the last one is
    returned and fed to the next call: so XLA has to write the observation at every step.
    """
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game_name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def decide(state: Any, key: Any) -> tuple[Any, None]:
        action_key, step_key = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(action_key, logits, axis=-1)
        return step(state, action, jax.random.split(step_key, BATCH)), None

    @jax.jit
    def rollout(state: Any, key: Any) -> tuple[Any, Any]:
        key, scan_key = jax.random.split(key)
        state, _ = jax.lax.scan(decide, state, jax.random.split(scan_key, steps))
        return state, key

    key = jax.random.key(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, BATCH))

    def play() -> int:
        nonlocal state, key
        state, key = jax.block_until_ready(rollout(state, key))
        return steps * BATCH

    return play


def envpool() -> Play:
    """CartPole in EnvPool, synchronous, one thread; the steps that only reset are not counted."""
    import envpool
    import numpy as np

    env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1, seed=0)
    rng = np.random.default_rng(0)
    env.reset()

    def play() -> int:
        info = env.step(rng.integers(2, size=BATCH, dtype=np.int32))[-1]
        return int(np.count_nonzero(info["elapsed_step"]))

    return play


def pufferlib(game: str, class_name: str, size: int, taken: slice) -> Play:
    """A batch of one of PufferLib's games in C; the steps that only reset are not counted.

    The wheel lacks some of the Python files that `pufferlib.ocean` imports, so the compiled class
    is imported from its own folder. An action may be played that has a 0 in the part `taken` of
    the observation, which has `size` numbers.
    """
    import numpy as np

    # without it the games' own `step` gives way to a function of that name in the C library
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)
    sys.path.append(os.path.join(sysconfig.get_path("platlib"), "pufferlib", "ocean", game))
    compiled = getattr(import_module(f"cy_{game}"), class_name)

    arrays = (
        np.zeros((BATCH, size), np.float32),
        np.zeros(BATCH, np.int32),
        np.zeros(BATCH, np.float32),
        np.zeros(BATCH, np.uint8),
    )
    games = compiled(*arrays, BATCH, 0, 0, 0, 0)  # the zeros are sizes of what it would draw
    rng = np.random.default_rng(0)
    games.reset()

    def play() -> int:
        observations, actions, _, done = arrays  # all kept here: the games only point to them
        free = observations[:, taken] == 0
        actions[:] = np.argmax(rng.random(free.shape, dtype=np.float32) * free, axis=1)
        decisions = BATCH - int(np.count_nonzero(done))
        games.step()
        return decisions

    return play


@dataclass(frozen=True)
class Peer:
    """A peer to measure: `build` imports and prepares it."""

    name: str
    package: str
    batch: int
    note: str
    build: Callable[[], Play]


AEC = "Python, AEC loop, cheap pick from the mask"
STATE = "C++ called from Python: State, legal_actions, observation_tensor"
OCEAN = "C called from Python, numpy's pick by the observation, answer of {} in the step"
SCAN = "jit, vmap, auto reset, categorical on the mask, lax.scan over {} steps"

PEERS = [
    Peer("PettingZoo connect_four raw_env", "pettingzoo", 1, AEC, partial(pettingzoo, "raw_env")),
    Peer("PettingZoo connect_four env", "pettingzoo", 1, AEC, partial(pettingzoo, "env")),
    Peer("OpenSpiel leduc", "open_spiel", 1, STATE, partial(open_spiel, "leduc_poker")),
    Peer("OpenSpiel backgammon", "open_spiel", 1, STATE, partial(open_spiel, "backgammon")),
    *(
        Peer(f"Pgx {game}", "pgx", BATCH, SCAN.format(steps), partial(pgx, game, steps))
        for game, steps in (("connect_four", 64), ("sparrow_mahjong", 16), ("backgammon", 16))
    ),
    Peer("EnvPool CartPole", "envpool", BATCH, "C++, synchronous, 1 thread, no mask", envpool),
    Peer(
        "PufferLib connect4 with search",
        "pufferlib",
        BATCH,
        OCEAN.format("a searching opponent"),
        # the top row
        partial(pufferlib, "connect4", "CyConnect4", 42, slice(5, None, 6)),
    ),
    Peer(
        "PufferLib tripletriad",
        "pufferlib",
        BATCH,
        OCEAN.format("a random opponent"),
        # its mask, which lets actions pass that do nothing
        partial(pufferlib, "tripletriad", "CyTripleTriad", 114, slice(9, 24)),
    ),
]


def time_slice(play: Play) -> float:
    """Play for one slice and return decisions per CPU second."""
    decisions = 0
    start = time.process_time()
    while (elapsed := time.process_time() - start) < SLICE_SECONDS:
        decisions += play()
    return decisions / elapsed


def measure(peer: Peer, seconds: float) -> dict[str, Any]:
    """Measure one peer in this process."""
    result: dict[str, Any] = {"name": peer.name, "package": peer.package}
    try:
        result |= {"version": version(peer.package), "batch": peer.batch}
        play = peer.build()
        play()  # compiles
        for _ in range(10):
            time_slice(play)  # warms up
        start = time.process_time()
        slices = [time_slice(play)]
        while time.process_time() - start < seconds:
            slices.append(time_slice(play))
    except Exception as error:
        return {"name": peer.name, "error": f"{type(error).__name__}: {error}"}
    return result | {
        "decisions_per_second": round(max(slices)),
        "median_slice": round(statistics.median(slices)),
        "slices": len(slices),
        "note": peer.note,
    }


def measure_apart(peer: Peer, seconds: float) -> dict[str, Any]:
    """Measure one peer in a fresh process, whatever may happen to it there."""
    command = [sys.executable, __file__, "--seconds", str(seconds), "--measure", peer.name]
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS + seconds
        )
        return json.loads(child.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired as error:
        return {"name": peer.name, "error": f"no result after {error.timeout:.0f} s"}
    except (IndexError, ValueError):
        last_words = child.stderr.strip().splitlines()[-1:]
        return {"name": peer.name, "error": " ".join([f"exit {child.returncode}", *last_words])}


def use_one_core() -> None:
    """Pin this process and its children to one core and their libraries to one thread."""
    os.environ.update(ONE_THREAD)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print the results for reading."""
    print(f"{'peer':<32} {'version':>8} {'batch':>6} {'decisions/s':>12}")
    for row in rows:
        if "error" in row:
            print(f"{row['name']:<32} {row['error']}")
        else:
            figures = f"{row['version']:>8} {row['batch']:>6} {row['decisions_per_second']:>12,}"
            print(f"{row['name']:<32} {figures}  {row['note']}")


def main() -> None:
    """Measure the chosen peers and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="CPU seconds to measure each peer (default: 3)"
    )
    parser.add_argument(
        "--only", default="", metavar="NAME", help="only the peers whose name contains NAME"
    )
    parser.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)
    args = parser.parse_args()
    use_one_core()

    if args.measure:
        (peer,) = (peer for peer in PEERS if peer.name == args.measure)
        print(json.dumps(measure(peer, args.seconds)))
        return

    installed = [peer for peer in PEERS if any(distributions(name=peer.package))]
    chosen = [peer for peer in installed if args.only.lower() in peer.name.lower()]
    if not chosen:
        parser.error(f"no peer that is installed here has a name with {args.only!r}")
    rows = []
    for peer in chosen:
        print(f"measuring {peer.name} ...", file=sys.stderr, flush=True)
        rows.append(measure_apart(peer, args.seconds))
    if args.json:
        unit = "decisions per CPU second on one core, fastest slice"
        about = {"unit": unit, "seconds": args.seconds, "python": platform.python_version()}
        print(json.dumps({"peers": rows, **about}, indent=2))
    else:
        print_table(rows)


if __name__ == "__main__":
    main()
