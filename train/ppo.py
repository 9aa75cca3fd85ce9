"""`python -m train.ppo`: masked self-play PPO, from the deal to the network that plays.

    python -m train.ppo --out runs/first --players 2 --steps 6000000

One network plays all seats of all games, with any number of riders: it collects decisions, learns
from them (`train.learner` is the algorithm), and now and then plays an arena. See docs/training.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from agents import neural
from agents.cluster import connect
from agents.files import replace as replace_file
from agents.network import Shape
from drago_env.game import Game
from drago_env.policy import resolve
from train import runs
from train.arguments import Arguments, make_game
from train.collect import LEARNER, Cluster, Here, Member, Table, find_teacher
from train.evaluate import Evaluation, draw_curve, evaluate, table
from train.learner import Learner
from train.runs import Run, RunError


class Training:
    """A run: the learner, its collectors, its pool, and its folder.

    The folder comes last, so that none is left behind by what cannot begin.
    """

    run: Run

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.game, variants = make_game(arguments)
        self.shape = Shape.of(self.game, trunk=arguments.trunk, action=arguments.action)
        self.learner = Learner(self.shape, arguments)
        self.collectors = make_collectors(arguments, self.game, variants, self.shape)
        self.update, self.steps, self.seconds = 0, 0, 0.0
        self.named = {n: Member(spec) for n, spec in enumerate(arguments.opponents)}
        self.selves: dict[int, Member] = {}  # by their numbers, the oldest first
        self.evaluations: list[Evaluation] = []
        self._draw()

    def go_on(self) -> dict[str, float]:
        """Collects, learns, and keeps what is due; returns what is to be shown."""
        start = time.perf_counter()
        lesson = self.steps < self.arguments.lessons
        rollouts = self.collectors.collect(self.learner.network.state_dict(), lesson)
        collected = time.perf_counter()
        metrics = self.learner.update(rollouts, 1 - self.steps / self.arguments.steps)
        end = time.perf_counter()
        self.update += 1
        self.steps += sum(rollout.values.size for rollout in rollouts)
        self.seconds += end - start
        if lesson and self.steps >= self.arguments.lessons:
            self._draw()
        metrics |= {
            "steps_per_second": sum(rollout.values.size for rollout in rollouts) / (end - start),
            "collecting": (collected - start) / (end - start),
            "environment": max(rollout.seconds for rollout in rollouts) / (end - start),
        }
        now = {"update": self.update, "steps": self.steps, "seconds": round(self.seconds, 3)}
        self.run.log(runs.METRICS, [now | metrics])
        for name, number in metrics.items():
            self.run.curve(f"training/{name}", number, self.steps)
        if self.update % self.arguments.evaluate_every == 0 or self.finished:
            self._evaluate()
            if not self.finished:
                self._freeze()
        if lesson or self.update % self.arguments.save_every == 0 or self.finished:
            self.save()
        return metrics

    @property
    def finished(self) -> bool:
        return self.steps >= self.arguments.steps

    def _evaluate(self) -> None:
        start, arguments = time.perf_counter(), self.arguments
        player = neural.Neural(self._checkpoint("learner"), name="learner")
        # unlike in the pool, a former self plays its best here, as the learner does
        former = list(self.selves.values())[-1:]
        newest = [neural.Neural(m.frozen, name=m.name) for m in former if m.frozen]
        found = evaluate(
            player,
            [*arguments.evaluate_against, *newest],
            sorted({*arguments.players}),
            arguments.editions[0],
            arguments.evaluate_games,
            arguments.seed,
            arguments.ray,
        )
        self.seconds += time.perf_counter() - start
        self.evaluations = found
        now = {"update": self.update, "steps": self.steps, "seconds": round(self.seconds, 3)}
        self.run.log(runs.EVALUATIONS, [now | asdict(evaluation) for evaluation in found])
        for e in found:
            kind = "former self" if e.opponent.startswith("self-") else e.opponent
            self.run.curve(f"win share, {e.players} riders/{kind}", e.win_share, self.steps)

    def _freeze(self) -> None:
        """Lets the network as it is join the pool, in the place of the oldest self."""
        number = len(self.named) + self.update // self.arguments.evaluate_every
        neural.save(self._file(number), *self._saved())
        self.selves[number] = self._self(number)
        kept = list(self.selves)[-self.arguments.pool_size :] if self.arguments.pool_size else []
        self.selves = {number: self.selves[number] for number in kept}
        self._draw()

    def _draw(self) -> None:
        """Lets the next deals draw from the pool as it is now; in lessons the teacher is alone."""
        taught = self.steps < self.arguments.lessons
        self.collectors.draw_from({} if taught else self.named | self.selves)

    def _checkpoint(self, name: str) -> neural.Checkpoint:
        weights, shape, signature, card = self._saved()
        return neural.Checkpoint(Path(name), weights, shape, signature, card)

    def _saved(self) -> tuple[Any, Shape, dict[str, Any], dict[str, Any]]:
        card = {
            "arguments": self.run.config["arguments"],
            "revision": self.run.config["revision"],
            "versions": self.run.config["versions"],
            "steps": self.steps,
            "seconds": round(self.seconds),
            "evaluations": [asdict(evaluation) for evaluation in self.evaluations],
        }
        return self.learner.network.weights(), self.shape, self.game.signature, card

    # ------------------------------------------------------------ keeping

    def save(self) -> None:
        """Keeps the network to play with, and all that the next update depends on."""
        neural.save(self.run.path / runs.NETWORK, *self._saved())
        self.run.write("card.md", self._card())
        tensors = self.learner.state()
        for place, snapshot in self.collectors.snapshot().items():
            tensors |= {f"collector.{place}.{name}": array for name, array in snapshot.items()}
        about = {
            "update": self.update,
            "steps": self.steps,
            "seconds": self.seconds,
            "selves": list(self.selves),
            "evaluations": [asdict(evaluation) for evaluation in self.evaluations],
        }
        self.run.save(tensors, about)

    def _card(self) -> str:
        weights = sum(int(np.prod(size)) for size in self.shape.tensors.values())
        facts = {
            "network": f"{weights:,} weights, for {self.game.spec.name}",
            "training": f"{self.steps:,} decisions, {self.update:,} updates, "
            f"{self.seconds / 60:.0f} minutes",
            "riders": ", ".join(map(str, self.arguments.players)),
            "editions": ", ".join(self.arguments.editions),
            "boards": f"the built-in sides and {self.arguments.random_boards} random ones",
            "seed": str(self.arguments.seed),
            "arenas": f"{self.arguments.editions[0]} edition, the built-in sides",
        }
        return runs.card(self.run.config, facts, self.arguments.command(), table(self.evaluations))

    def restore(self) -> None:
        """Goes on from what was saved last."""
        tensors, about = self.run.load()
        self.update, self.steps = about["update"], about["steps"]
        self.seconds = about["seconds"]
        self.evaluations = [Evaluation(**evaluation) for evaluation in about["evaluations"]]
        self.learner.restore(tensors)
        self.selves = {number: self._self(number) for number in about["selves"]}
        snapshots: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            if name.startswith("collector."):
                _, place, part = name.split(".")
                snapshots.setdefault(int(place), {})[part] = tensor
        kept = [snapshot["who"] for snapshot in snapshots.values() if "who" in snapshot]
        seated = {int(number) for who in kept for number in np.unique(who)}
        older = {n: self._self(n) for n in seated - {LEARNER} - self.named.keys()}
        self.collectors.restore(snapshots, self.named | older)
        self._draw()
        self.run.go_on_after(self.update, self.steps)

    def draw(self) -> None:
        """The learning curve."""
        rows = runs.read_table(self.run.path / runs.EVALUATIONS)
        replace_file(self.run.path / "curve.svg", lambda part: draw_curve(rows, part))

    def _file(self, number: int) -> Path:
        update = (number - len(self.named)) * self.arguments.evaluate_every
        return self.run.checkpoints / f"self-{update:06d}.safetensors"

    def _self(self, number: int) -> Member:
        """The former self with this number in the pool."""
        file = self._file(number)
        return Member(file.stem, neural.load(file))


def make_collectors(
    arguments: Arguments, game: Game, variants: int, shape: Shape
) -> Here | Cluster:
    """Those who play: here, or on a cluster."""
    sizes = (arguments.games, arguments.horizon, arguments.pool_share, arguments.threads)
    table = Table(game, variants, shape, *sizes, arguments.teacher, arguments.softness)
    if arguments.ray is None:
        return Here(table, arguments.seed)
    return Cluster(table, arguments.seed, arguments.ray, arguments.collectors)


# ---------------------------------------------------------------- command line


def begin(arguments: Arguments) -> Training:
    """A new run, or the one that `resume` names."""
    if arguments.resume is not None:
        if arguments != Arguments(resume=arguments.resume):
            raise ValueError(
                "--resume takes all other arguments from the run folder: leave them out"
            )
        run = Run.open(arguments.resume)
        try:
            known = Arguments.read(run.config["arguments"])
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(f"{run.path}/config.json cannot be read: {error}") from error
        training = Training(known)
        training.run = run
        try:
            training.restore()
        except (KeyError, RuntimeError) as error:
            file = run.path / runs.RESUME
            raise RunError(f"{file} is not of this run: {error!s:.200}") from error
        return training
    for spec in (*arguments.opponents, *arguments.evaluate_against):
        resolve(spec)  # what is not there is told before any folder is made
    if arguments.lessons:
        find_teacher(arguments.teacher)
    if arguments.ray is not None:
        connect(arguments.ray)
    started = neural.load(arguments.start) if arguments.start else None
    game, _ = make_game(arguments)
    if started:
        neural.check_game(started, game)
        arguments = replace(arguments, trunk=started.shape.trunk, action=started.shape.action)
    Shape.of(game, trunk=arguments.trunk, action=arguments.action)
    advice = f"choose another --out, or go on with --resume {arguments.out}"
    runs.check_vacant(arguments.out, advice)
    training = Training(arguments)
    if started:
        training.learner.load(started.weights)
    training.run = Run.new(arguments.out, arguments.plain())
    training.save()
    return training


def train(arguments: Arguments, progress: bool = False) -> Training:
    """Trains to the end."""
    training = begin(arguments)
    with closing(training.run), closing(training.collectors), _bar(training, progress) as show:
        while not training.finished:
            show(training.go_on())
        training.draw()
    return training


@contextmanager
def _bar(training: Training, show: bool) -> Iterator[Callable[[dict[str, float]], None]]:
    """A progress bar on standard error: decisions, their speed, and the newest win shares."""
    if not show:
        yield lambda metrics: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), "{task.percentage:.0f}%")
    times = (TimeElapsedColumn(), "left", TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True)) as bar:
        task = bar.add_task("training", total=training.arguments.steps, completed=training.steps)

        rival = (training.arguments.evaluate_against or ("",))[-1]

        def advance(metrics: dict[str, float]) -> None:
            words = [f"{metrics['steps_per_second']:,.0f} steps/s"]
            if training.evaluations and rival:
                words.append(f"against {rival}")
            words += [
                f"{e.players}p {e.win_share:.2f}"
                for e in training.evaluations
                if e.opponent == rival
            ]
            bar.update(task, completed=training.steps, description=" ".join(words))

        yield advance


def main(words: Sequence[str] | None = None) -> int:
    try:
        options = (tyro.conf.FlagCreatePairsOff,)
        arguments = tyro.cli(Arguments, prog="python -m train.ppo", args=words, config=options)
        training = train(arguments, progress=True)
    except (OSError, ValueError, TypeError, ImportError, MemoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; go on with --resume and the run folder", file=sys.stderr)
        return 130
    print((training.run.path / "card.md").read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
