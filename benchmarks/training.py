"""How fast training is: our own PPO and MaskablePPO on our `VecEnv`, side by side in one run.

    python -m benchmarks.training [--quick] [--write FILE]

Both train the same network, with 512 games of 2 players, 32 decisions in each between two updates,
minibatches of 4,096 and 4 epochs. They take turns, one update each, so that other work on the
machine hits both; figures are medians over their turns, in wall time. Ours plays itself, and every
decision of both seats is collected; MaskablePPO holds one seat against `uniform`, the cheapest
opponent, and only its own decisions are counted.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import torch
from sb3_contrib import MaskablePPO

from agents.network import Shape
from benchmarks.speed import machine
from drago_env import __version__
from train import sb3_ppo
from train.arguments import Arguments, make_game
from train.ppo import Learner, make_collectors

GAMES, STEPS, MINIBATCH, EPOCHS = 512, 32, 4096, 4
MANY_GAMES = 1024  # where the environment's share is measured


class Turn(NamedTuple):
    """One update: collecting and learning."""

    collected: int  # decisions
    learned: int  # those of them that were learned from
    environment: float  # seconds that the games took, if they are known apart
    wall: float = 0.0
    cpu: float = 0.0


Update = Callable[[], Turn]


def ours(games: int) -> Update:
    """Our own PPO in self-play, in this process."""
    arguments = Arguments(
        players=(2,),
        num_envs=games,
        num_steps=STEPS,
        minibatch_size=MINIBATCH,
        update_epochs=EPOCHS,
        opponents=(),
        pool_share=0.0,
    )
    game, variants = make_game(arguments.specs)
    shape = Shape.of(game, trunk=arguments.trunk, action=arguments.action)
    learner = Learner(shape, arguments)
    collectors = make_collectors(arguments, game, variants, shape)

    def update() -> Turn:
        torch.set_num_threads(1)  # it has threads of its own
        rollouts = collectors.collect(learner.network.state_dict())
        learner.update(rollouts, 1.0)
        learned = sum(int(rollout.learned.sum()) for rollout in rollouts)
        collected = sum(rollout.values.size for rollout in rollouts)
        return Turn(collected, learned, sum(rollout.seconds for rollout in rollouts))

    return update


def maskable_ppo() -> MaskablePPO:
    """MaskablePPO as `train.sb3_ppo` makes it."""
    arguments = sb3_ppo.Arguments(
        opponents=("uniform",),
        num_envs=GAMES,
        num_steps=STEPS,
        minibatch_size=MINIBATCH,
        update_epochs=EPOCHS,
    )
    return sb3_ppo.make_model(arguments, sb3_ppo.make_env(arguments))


def theirs(model: MaskablePPO, threads: int) -> Update:
    """MaskablePPO with so many threads of torch."""

    def update() -> Turn:
        torch.set_num_threads(threads)
        model.learn(GAMES * STEPS, reset_num_timesteps=False)
        return Turn(GAMES * STEPS, GAMES * STEPS, 0.0)

    return update


def clocked(update: Update) -> Turn:
    wall, cpu = time.perf_counter(), time.process_time()
    turn = update()
    return turn._replace(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)


def alternate(updates: dict[str, Update], rounds: int) -> dict[str, list[Turn]]:
    """The turns of each, after a first one that is not counted."""
    turns: dict[str, list[Turn]] = {name: [] for name in updates}
    for number in range(rounds + 1):
        for name, update in updates.items():
            turn = clocked(update)
            if number:
                turns[name].append(turn)
    return turns


def figures(quick: bool) -> dict[str, float]:
    rounds, threads = (2 if quick else 20), torch.get_num_threads()
    load, model = os.getloadavg()[0], maskable_ppo()
    # on a busy machine torch's threads wait for each other, and one alone is faster
    updates = {"ours": ours(GAMES), "theirs": theirs(model, threads), "single": theirs(model, 1)}
    turns = alternate(updates, rounds)
    found = {"rounds": float(rounds), "threads": float(threads), "load": load}
    for name, own in turns.items():
        found[f"{name} collected"] = statistics.median(turn.collected / turn.wall for turn in own)
        found[f"{name} learned"] = statistics.median(turn.learned / turn.wall for turn in own)
        found[f"{name} cores"] = sum(t.cpu for t in own) / sum(t.wall for t in own)
    found["ratio"] = found["ours learned"] / max(found["theirs learned"], found["single learned"])
    many = alternate({"ours": ours(MANY_GAMES)}, max(2, rounds // 4))["ours"]
    found["many rounds"] = float(len(many))
    found["many collected"] = statistics.median(turn.collected / turn.wall for turn in many)
    found["many learned"] = statistics.median(turn.learned / turn.wall for turn in many)
    found["many cores"] = sum(t.cpu for t in many) / sum(t.wall for t in many)
    found["environment"] = sum(t.environment for t in many) / sum(t.wall for t in many)
    return found


def markdown(found: dict[str, float], command: str) -> str:
    """The figures as the page docs/training-speed.md."""
    rows = {
        f"`train.ppo`, {GAMES} games": "ours",
        f"MaskablePPO, {GAMES} games, {found['threads']:.0f} threads of torch": "theirs",
        f"MaskablePPO, {GAMES} games, 1 thread of torch": "single",
        f"`train.ppo`, {MANY_GAMES:,} games": "many",
    }
    lines = [
        "# Speed of training",
        "",
        f"Printed by `{command}` on {datetime.now(UTC).date().isoformat()} ({machine()}; "
        f"Python {platform.python_version()}, torch {torch.__version__}, drago-env {__version__}). "
        f"The same network, {STEPS} decisions in each game between two updates, minibatches of "
        f"{MINIBATCH:,}, {EPOCHS} epochs, 2 players; updates of the two in turn, medians over "
        f"{found['rounds']:.0f} of them (for {MANY_GAMES:,} games {found['many rounds']:.0f}, "
        "alone), wall time. `train.ppo` plays itself and learns from both "
        "seats; those decisions are not learned from whose outcome the next update will know. "
        "MaskablePPO, as `train.sb3_ppo` runs it, holds one seat against `uniform`, and only its "
        "decisions count. Cores: CPU time over wall time.",
        "",
        "| training | decisions a second, collected | learned from | cores busy |",
        "| --- | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {label} | {found[f'{name} collected']:,.0f} | {found[f'{name} learned']:,.0f} "
        f"| {found[f'{name} cores']:.2f} |"
        for label, name in rows.items()
    ]
    lines += [
        "",
        f"`train.ppo` learns from {found['ratio']:.2f} times as many decisions a second as "
        f"MaskablePPO at its faster. With {MANY_GAMES:,} games, the environment takes "
        f"{found['environment']:.1%} of its time.",
    ]
    if found["load"] > 0.5:
        lines += [
            "",
            f"Other work kept the machine busy (a load of {found['load']:.1f} at the start): "
            "these figures are no measure of speed.",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few updates only, less exact")
    parser.add_argument("--write", metavar="FILE", help="write the table to this Markdown file")
    chosen = parser.parse_args()
    command = "python -m benchmarks.training --quick" if chosen.quick else "make bench-train"
    page = markdown(figures(chosen.quick), command)
    print(page)
    if chosen.write:
        Path(chosen.write).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
