"""How fast training is: our own PPO and MaskablePPO on our `VecEnv`, side by side in one run.

    python -m benchmarks.training [--game SPEC] [--quick] [--minutes 2 5 15] [--write FILE]

Both train the same network, with 512 games, by default of 2 players, 32 decisions in each between
two updates, minibatches of 4,096 and 4 epochs. They take turns, one update each, so that other
work on the machine hits both; figures are medians over their turns, in wall time. Ours plays
itself, and every decision of both seats is collected; MaskablePPO holds one seat against
`uniform`, the cheapest opponent, and only its own decisions are counted.

Then what they learn: from the same weights, again in turn, each with so many minutes of its own.
Here both meet `heuristic` in every game, ours without playing itself; neither is told what the
rules of thumb think. At each mark the network that is there plays `heuristic`; the clocks stand
still meanwhile.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from sb3_contrib import MaskablePPO

from agents.network import Shape
from agents.neural import Checkpoint, Neural
from benchmarks.speed import machine
from drago_env import __version__
from drago_env.games import DEFAULT, make
from train import sb3_ppo
from train.arguments import Arguments, make_game
from train.collect import Member
from train.evaluate import Evaluation, evaluate
from train.ppo import Learner, make_collectors
from train.prepare import shape_of

GAMES, STEPS, MINIBATCH, EPOCHS = 512, 32, 4096, 4
SPEC, LEARNING_RATE = f"{DEFAULT}:players=2", Arguments().learning_rate  # SPEC: by default
MANY_GAMES = 1024  # where the environment's share is measured


MINUTES = (2.0, 5.0, 15.0)  # after which it is measured how well they play
ARENA = 4000  # games of each such arena


class Turn(NamedTuple):
    """One update: collecting and learning."""

    collected: int  # decisions
    learned: int  # those of them that were learned from
    environment: float  # seconds that the games took, if they are known apart
    wall: float = 0.0
    cpu: float = 0.0


Update = Callable[..., Turn]


def ours(
    spec: str, games: int, opponents: tuple[str, ...] = (), thumbs: bool = False
) -> tuple[Learner, Update]:
    """Our own PPO, in this process: against itself, or in every game against others."""
    arguments = Arguments(
        game=(spec,),
        num_envs=games,
        num_steps=STEPS,
        minibatch_size=MINIBATCH,
        update_epochs=EPOCHS,
        opponents=opponents,
        pool_share=1.0,
        thumbs=thumbs,
        foresight=None if thumbs else False,
    )
    game, variants = make_game(arguments.specs)
    shape = shape_of(game, arguments)
    learner = Learner(shape, arguments)
    collectors = make_collectors(arguments, game, variants, shape)
    collectors.draw_from({n: Member(name) for n, name in enumerate(opponents)})

    def update(left: float = 1.0) -> Turn:
        torch.set_num_threads(1)  # it has threads of its own
        rollouts = collectors.collect(learner.network.state_dict())
        learner.update(rollouts, left)
        learned = sum(int(rollout.learned.sum()) for rollout in rollouts)
        collected = sum(rollout.values.size for rollout in rollouts)
        return Turn(collected, learned, sum(rollout.seconds for rollout in rollouts))

    return learner, update


def maskable_ppo(spec: str, opponent: str = "uniform") -> MaskablePPO:
    """MaskablePPO as `train.sb3_ppo` makes it."""
    arguments = sb3_ppo.Arguments(
        game=(spec,),
        opponents=(opponent,),
        num_envs=GAMES,
        num_steps=STEPS,
        minibatch_size=MINIBATCH,
        update_epochs=EPOCHS,
    )
    return sb3_ppo.make_model(arguments, sb3_ppo.make_env(arguments))


def theirs(model: MaskablePPO, threads: int) -> Update:
    """MaskablePPO with so many threads of torch."""

    def update(left: float = 1.0) -> Turn:
        torch.set_num_threads(threads)
        # `learn` believes that each update is the last one, with nothing left of the rate
        model.lr_schedule = lambda _: LEARNING_RATE * left
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


class Mark(NamedTuple):
    """How a learner plays after some minutes of its own."""

    learner: str
    minutes: float
    decisions: int  # learned from until then
    found: Evaluation


def learning(spec: str, minutes: Sequence[float], games: int, threads: int) -> list[Mark]:
    """What each has learned at every mark, all in turn and from the same start."""
    model = maskable_ppo(spec, "heuristic")
    own, update = ours(spec, GAMES, ("heuristic",))
    policy: Any = model.policy
    policy.network.load_state_dict(own.network.state_dict())
    updates = {
        "`train.ppo`": (own.network, update),
        "MaskablePPO": (policy.network, theirs(model, threads)),
    }
    marks, spent, learned = [], dict.fromkeys(updates, 0.0), dict.fromkeys(updates, 0)
    for mark in sorted(60 * minute for minute in minutes):
        while going := [name for name in updates if spent[name] < mark]:
            for name in going:
                left = max(1 - spent[name] / (60 * max(minutes)), 0.0)
                turn = clocked(partial(updates[name][1], left))
                spent[name] += turn.wall
                learned[name] += turn.learned
        for name, (network, _) in updates.items():
            found = met(spec, network, own.network.shape, games)
            marks.append(Mark(name, mark / 60, learned[name], found))
    return marks


def met(spec: str, network: Any, shape: Shape, games: int) -> Evaluation:
    """How a network plays against `heuristic`."""
    signature = make(spec).signature
    checkpoint = Checkpoint(Path("learner"), network.weights(), shape, signature, {})
    return evaluate(Neural(checkpoint), ["heuristic"], [spec], games, seed=1)[0]


def figures(spec: str, quick: bool, threads: int) -> dict[str, float]:
    rounds, model = (2 if quick else 20), maskable_ppo(spec)
    # on a busy machine torch's threads wait for each other, and one alone is faster
    updates = {"ours": ours(spec, GAMES)[1]}
    updates |= {"theirs": theirs(model, threads), "single": theirs(model, 1)}
    turns = alternate(updates, rounds)
    found = {"rounds": float(rounds), "threads": float(threads)}
    for name, own in turns.items():
        found[f"{name} collected"] = statistics.median(turn.collected / turn.wall for turn in own)
        found[f"{name} learned"] = statistics.median(turn.learned / turn.wall for turn in own)
        found[f"{name} cores"] = sum(t.cpu for t in own) / sum(t.wall for t in own)
    found["ratio"] = found["ours learned"] / max(found["theirs learned"], found["single learned"])
    many = alternate({"ours": ours(spec, MANY_GAMES)[1]}, max(2, rounds // 4))["ours"]
    found["many rounds"] = float(len(many))
    found["many collected"] = statistics.median(turn.collected / turn.wall for turn in many)
    found["many learned"] = statistics.median(turn.learned / turn.wall for turn in many)
    found["many cores"] = sum(t.cpu for t in many) / sum(t.wall for t in many)
    found["environment"] = sum(t.environment for t in many) / sum(t.wall for t in many)
    told = alternate({"told": ours(spec, MANY_GAMES, thumbs=True)[1]}, max(2, rounds // 4))["told"]
    found["told environment"] = sum(t.environment for t in told) / sum(t.wall for t in told)
    return found


def learned_lines(marks: Sequence[Mark]) -> list[str]:
    """What was learned, as a table."""
    lines = [
        "",
        "## What they learn",
        "",
        "From the same weights and in turn, each with so many minutes of its own on all cores: "
        f"the win share over `heuristic`, {marks[0].found.games:,} games each, and "
        "the 95% interval of the difference. Neither is told what the rules of thumb think "
        "(`--thumbs False`); by default `train.ppo` begins where `heuristic` is. Both meet "
        "`heuristic` in every game, and the learning rate falls to 0 at the last mark.",
        "",
        "| learner | minutes | decisions learned from | win share | difference |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for mark in sorted(marks, key=lambda mark: mark.learner):
        e = mark.found
        lines.append(
            f"| {mark.learner} | {mark.minutes:g} | {mark.decisions:,} | {e.win_share:.3f} "
            f"| {e.difference:+.3f} [{e.low:+.3f}, {e.high:+.3f}] |"
        )
    return lines


def markdown(spec: str, found: dict[str, float], marks: Sequence[Mark], command: str) -> str:
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
        f"{MINIBATCH:,}, {EPOCHS} epochs, `{spec}`; updates of the two in turn, medians over "
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
        f"{found['environment']:.1%} of its time; told what the rules of thumb think, it takes "
        f"{found['told environment']:.1%}.",
        *(learned_lines(marks) if marks else ()),
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
    parser.add_argument("--game", default=SPEC, metavar="SPEC", help=f"by default {SPEC}")
    parser.add_argument("--quick", action="store_true", help="a few updates only, less exact")
    words = "learn for so long each, and play at every mark; none to leave it out"
    parser.add_argument("--minutes", type=float, nargs="*", default=MINUTES, help=words)
    parser.add_argument("--write", metavar="FILE", help="write the table to this Markdown file")
    chosen = parser.parse_args()
    asked = [f" --game {chosen.game}"] * (chosen.game != SPEC) + [" --quick"] * chosen.quick
    if tuple(chosen.minutes) != MINUTES:
        asked.append(" ".join([" --minutes", *(f"{minute:g}" for minute in chosen.minutes)]))
    command = "python -m benchmarks.training" + "".join(asked) if asked else "make bench-train"
    # before anything runs here, which makes work and sets the number of threads
    load, threads = os.getloadavg()[0], torch.get_num_threads()
    games = 200 if chosen.quick else ARENA
    marks = learning(chosen.game, chosen.minutes, games, threads) if chosen.minutes else []
    found = figures(chosen.game, chosen.quick, threads) | {"load": load}
    page = markdown(chosen.game, found, marks, command)
    print(page)
    if chosen.write:
        Path(chosen.write).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
