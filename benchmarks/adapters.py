"""How fast the adapters are, each against its like in the same run and process.

    python -m benchmarks.adapters [--game SPEC] [--quick] [--json]

The AEC environment is played through `last` and `step` with a random pick from the mask, beside
PettingZoo's own connect_four; MaskablePPO is trained on the native `VecEnv` and on a `DummyVecEnv`
of single environments, with the same network and settings. Two threads of the core play in turn
with one.
"""

import argparse
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.speed import TWO_THREADS, Play, two_threads_over_one
from drago_env.core.batches import NO_ACTION
from drago_env.games import DEFAULT, make
from drago_env.specs import parse

AEC_WANTED = {"raw_env": 10, "env": 4}  # times connect_four
OTHERS_WANTED = {"raw_env": 4}  # the same of the games that are not the default
SB3_WANTED = 5  # times `DummyVecEnv`, in whole training


def aec_play(env: Any) -> Play:
    """The documented loop, with a cheap random choice among the mask's ones."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        decisions = 0
        for number in rng.random(200):
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = seen["action_mask"].nonzero()[0]
            env.step(legal[int(number * len(legal))])
            decisions += 1
        return decisions

    return play


def maker(spec: str, what: str) -> Callable[..., Any]:
    """A maker of the game's module, with the words of the spec."""
    name, words = parse(spec)
    return partial(getattr(import_module(f"drago_env.{name}_v0"), what), **words)


def aec_figures(spec: str, rounds: int) -> dict[str, Any]:
    """Decisions a second, and how many times connect_four's: medians over slices in turn."""
    from pettingzoo.classic import connect_four_v3

    figures: dict[str, Any] = {}
    for name in AEC_WANTED:
        ours = aec_play(maker(spec, name)())
        theirs = aec_play(getattr(connect_four_v3, name)())
        pairs = [(one_slice(ours), one_slice(theirs)) for _ in range(rounds + 1)][1:]
        figures[name] = {
            "decisions_per_second": round(statistics.median(own for own, _ in pairs)),
            "connect_four": round(statistics.median(other for _, other in pairs)),
            "ratio": round(statistics.median(own / other for own, other in pairs), 1),
        }
    alone = single_play(spec)
    figures["alone"] = round(statistics.median(one_slice(alone) for _ in range(rounds)))
    return figures


def single_play(spec: str) -> Play:
    """The same choices and kernel calls without PettingZoo: what no adapter can be faster than."""
    game: Any = make(spec)
    state, turn, step = game.single()
    mask, rng, seeds = turn.legal.mask[0], np.random.default_rng(0), iter(range(10**9))

    def play() -> int:
        for number in rng.random(200):
            legal = mask.nonzero()[0]
            if step(int(legal[int(number * len(legal))])) < 256:
                game.reset(state, next(seeds))
                step(NO_ACTION)
        return 200

    return play


def one_slice(play: Play) -> float:
    """Decisions per CPU second in a short slice of time."""
    decisions, start = 0, time.process_time()
    while (elapsed := time.process_time() - start) < 0.1:
        decisions += play()
    return decisions / elapsed


def train_seconds(
    make: Callable[[], Any], steps: int, num_envs: int, epochs: int
) -> tuple[float, float]:
    """Seconds for a training of MaskablePPO, and those of it inside the environment."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnvWrapper

    class Timed(VecEnvWrapper):
        """Adds up the time spent inside."""

        spent = 0.0

        def reset(self) -> Any:
            return self._timed(self.venv.reset)

        def step_wait(self) -> Any:
            return self._timed(self.venv.step_wait)

        def env_method(self, *args: Any, **kwargs: Any) -> Any:
            return self._timed(self.venv.env_method, *args, **kwargs)

        def _timed(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            result = call(*args, **kwargs)
            self.spent += time.perf_counter() - start
            return result

    env = Timed(make())
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=4096, n_epochs=epochs, seed=0)
    model.learn(32 * num_envs)
    env.spent, start = 0.0, time.perf_counter()
    model.learn(steps)
    return time.perf_counter() - start, env.spent


def sb3_figures(spec: str, num_envs: int, steps: int, epochs: int) -> dict[str, Any]:
    """Steps a second of MaskablePPO on the native batch and on single environments."""
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv

    name, words = parse(spec)
    identifier = f"{name.title().replace('_', '')}-v0"

    def dummy() -> Any:
        return DummyVecEnv([lambda: gymnasium.make(identifier, flat=True, **words)] * num_envs)

    few = max(steps // 4, 32 * num_envs)
    native_env = partial(maker(spec, "sb3_env"), num_envs)
    native, inside = train_seconds(native_env, steps, num_envs, epochs)
    single, single_inside = train_seconds(dummy, few, num_envs, epochs)
    return {
        "num_envs": num_envs,
        "epochs": epochs,
        "steps_per_second": round(steps / native),
        "environment_share": round(inside / native, 3),
        "dummy_steps_per_second": round(few / single),
        "dummy_environment_share": round(single_inside / single, 3),
        "ratio": round((steps / native) / (few / single), 1),
        "limit": round((steps / (native - inside)) / (few / single), 1),
        "environment_ratio": round((single_inside / few) / (inside / steps), 1),
    }


def figures(spec: str, quick: bool) -> dict[str, Any]:
    """Everything that the adapters are measured by, on one core."""
    warnings.filterwarnings("ignore", category=UserWarning)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print("playing through the adapters ...", file=sys.stderr)
    aec = aec_figures(spec, 10 if quick else 30)
    print("training with MaskablePPO ...", file=sys.stderr)
    steps = 32 * 256 * (2 if quick else 16)
    sb3 = [sb3_figures(spec, 256, steps, epochs) for epochs in ((1,) if quick else (1, 4))]
    return {"game": spec, "aec": aec, "sb3": sb3}


def markdown(found: dict[str, Any]) -> list[str]:
    """The figures as lines of a page."""
    lines = aec_lines(found["game"], found["aec"], AEC_WANTED)
    lines += [
        "",
        "MaskablePPO on the native `VecEnv` and on a `DummyVecEnv`. An environment that took no "
        "time at all would have the ratio in the last column but one: the rest is the network's.",
        "",
        "| 256 games, minibatch 4,096 | steps a second | in the environment "
        "| with `DummyVecEnv` | in the environment | ratio | goal | at most "
        "| of the environments alone |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row['epochs']} epoch(s) | {row['steps_per_second']:,} "
        f"| {row['environment_share']:.1%} "
        f"| {row['dummy_steps_per_second']:,} | {row['dummy_environment_share']:.1%} "
        f"| {row['ratio']} | {SB3_WANTED} | {row['limit']} | {row['environment_ratio']} |"
        for row in found["sb3"]
    ]
    return lines


def aec_lines(game: str, aec: dict[str, Any], wanted: dict[str, int]) -> list[str]:
    """The figures of the AEC environments of a game."""
    lines = [
        "",
        f"`{game}` through PettingZoo, on one pinned core, beside its connect_four in the same run "
        f"(`python -m benchmarks.adapters`). Choosing at random and calling the kernel without "
        f"PettingZoo: {aec['alone']:,} decisions a second. Medians of slices in turn; a ratio is "
        "the median of theirs.",
        "",
        "| AEC | decisions a second | connect_four's | ratio | goal |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    rows = {name: row for name, row in aec.items() if name in AEC_WANTED}
    return lines + [
        f"| `{name}` | {row['decisions_per_second']:,} | {row['connect_four']:,} "
        f"| {row['ratio']} | {wanted.get(name, '')} |"
        for name, row in rows.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default=DEFAULT, metavar="SPEC", help=f"by default {DEFAULT}")
    parser.add_argument("--quick", action="store_true", help="less exact")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    threads = two_threads_over_one(chosen.game, 2.0 if chosen.quick else 10.0)
    found = figures(chosen.game, chosen.quick) | {"two_threads_over_one": threads}
    print(json.dumps(found) if chosen.json else "\n".join(markdown(found)))
    if not chosen.json:
        print(f"\nTwo threads over one, wall time: {threads} (goal {TWO_THREADS})")


if __name__ == "__main__":
    main()
