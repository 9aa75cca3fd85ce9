"""`python -m train.ppo`: masked self-play PPO, from the deal to the network that plays.

    python -m train.ppo --out runs/first --players 2 --steps 6000000

One network plays all seats of all games, with any number of riders. Every decision belongs to the
seat that made it: its reward is what that seat got up to its own next decision, and the value of
the position is the final reward that it may expect. See docs/training.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from torch import Tensor, nn

from agents import neural
from agents.cluster import connect
from agents.network import Shape
from drago_env.game import Game
from drago_env.policy import resolve
from drago_env.wrappers.selfplay import OPEN
from train import runs
from train.arguments import Arguments, make_game
from train.collect import LEARNER, Cluster, Here, Member, Rollout, Table, find_teacher, pack, unpack
from train.evaluate import Evaluation, draw_curve, evaluate, table
from train.network import Network
from train.runs import Run, RunError

# ---------------------------------------------------------------- the algorithm


def advantages(rollout: Rollout, smoothing: float) -> NDArray[np.float32]:
    """How much better each decision went than its value, `(steps, games)`.

    The generalised advantage estimate along each seat's own decisions, without a discount: the
    decision that follows is the same seat's next one, however many other riders came between.
    A seat's last decision before the stream breaks off is not judged; the one before it trusts
    its value.
    """
    values, rows = rollout.values, np.arange(rollout.values.shape[1])
    out = np.zeros_like(values)
    for step in reversed(range(len(values))):
        after = rollout.following[step]
        at = np.maximum(after, 0)
        later = np.where(after >= 0, values[at, rows] + smoothing * out[at, rows], 0)
        out[step] = rollout.rewards[step] + later - values[step]
        out[step, after == OPEN] = 0
    return out


class Batch(NamedTuple):
    """Decisions to learn from, one row each."""

    observation: Tensor
    actions: Tensor
    counts: Tensor
    features: Tensor
    picks: Tensor
    log_probs: Tensor  # of the picks, when they were made
    advantages: Tensor
    returns: Tensor  # what the value should have been
    lessons: Tensor  # how much a teacher likes each action; empty if there was none

    @classmethod
    def of(cls, rollouts: Sequence[Rollout], smoothing: float) -> tuple[Batch, NDArray[np.int64]]:
        """All decisions, and the rows of those to learn from."""
        estimates = [advantages(rollout, smoothing) for rollout in rollouts]
        learned = np.concatenate([rollout.learned.ravel() for rollout in rollouts])
        joined = np.concatenate([estimate.ravel() for estimate in estimates])
        good = joined[learned] if learned.any() else np.zeros(1)
        parts = [
            (*r[:6], (e - good.mean()) / (good.std() + 1e-8), e + r.values, r.lessons)
            for r, e in zip(rollouts, estimates, strict=True)
        ]
        return cls(*map(_flat, zip(*parts, strict=True))), np.flatnonzero(learned)


def _flat(parts: Sequence[NDArray[Any]]) -> Tensor:
    flat = [part.reshape(part.shape[0] * part.shape[1], *part.shape[2:]) for part in parts]
    # what came from a cluster cannot be written to, which torch does not like
    alone = len(flat) == 1 and flat[0].flags.writeable
    return torch.from_numpy(flat[0] if alone else np.concatenate(flat))


class Loss(NamedTuple):
    """The loss of some decisions and what it is made of: sums, not means."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor
    kl: Tensor  # how far the policy has moved from the one that collected
    clipped: Tensor  # decisions that the clip has stopped


def ppo_loss(network: nn.Module, batch: Batch, arguments: Arguments) -> Loss:
    """The clipped objective, the value's squared error and the entropy of the legal actions.

    The padding of a list has a probability of exactly 0, and so no part in any of them.
    """
    logits, values = network(*batch[:4])
    log_probs = torch.log_softmax(logits, 1)
    change = log_probs.gather(1, batch.picks[:, None])[:, 0] - batch.log_probs
    ratio = change.exp()
    near = ratio.clamp(1 - arguments.clip, 1 + arguments.clip)
    policy = -torch.min(ratio * batch.advantages, near * batch.advantages).sum()
    value = (values - batch.returns).square().sum()
    entropy = -(log_probs.exp() * log_probs).sum()
    total = policy + arguments.value_weight * value - arguments.entropy * entropy
    with torch.no_grad():
        kl, clipped = (ratio - 1 - change).sum(), (ratio != near).sum()
    return Loss(total, policy, value, entropy, kl, clipped)


def copy_loss(network: nn.Module, batch: Batch, arguments: Arguments) -> Loss:
    """How far the network is from its teacher: cross entropy, and the value's squared error."""
    logits, values = network(*batch[:4])
    log_probs = torch.log_softmax(logits, 1)
    policy = -(batch.lessons * log_probs).sum()
    value = (values - batch.returns).square().sum()
    entropy = -(log_probs.exp() * log_probs).sum()
    none = torch.zeros(())
    return Loss(policy + arguments.value_weight * value, policy, value, entropy, none, none)


class Learner:
    """The network, its optimiser, and the random order in which it meets the decisions."""

    def __init__(self, shape: Shape, arguments: Arguments) -> None:
        torch.manual_seed(arguments.seed)
        torch.set_num_threads(1)  # every part of a minibatch has a thread of its own
        self.network, self._arguments = Network(shape), arguments
        self.parameters = list(self.network.parameters())
        self.optimiser = torch.optim.Adam(self.parameters, eps=1e-5, fused=True)
        self.rng = np.random.Generator(np.random.PCG64(arguments.seed))
        self._threads = ThreadPoolExecutor(arguments.threads)

    def update(self, rollouts: Sequence[Rollout], left: float) -> dict[str, float]:
        """One update; `left` is the share of the training that is still to come."""
        arguments = self._arguments
        batch, rows = Batch.of(rollouts, arguments.smoothing)
        for group in self.optimiser.param_groups:
            group["lr"] = arguments.learning_rate * left
        sums, seen = np.zeros(len(Loss._fields)), 0
        epochs = arguments.lesson_epochs if batch.lessons.shape[1] else arguments.epochs
        for _ in range(epochs if len(rows) else 0):
            order = torch.from_numpy(self.rng.permutation(rows))
            for picked in torch.split(order, arguments.minibatch):
                sums += self._step(batch, picked)
                seen += len(picked)
        returns, values = batch.returns[rows], _flat([r.values for r in rollouts])[rows]
        explained = float(1 - (returns - values).var() / returns.var()) if len(rows) > 1 else 0.0
        means = (sums / max(seen, 1)).tolist()
        return dict(zip(Loss._fields, means, strict=True)) | {"explained": explained}

    def _step(self, batch: Batch, rows: Tensor) -> NDArray[np.float64]:
        """One step of the optimiser, its gradient added up from parts."""
        find_loss = copy_loss if batch.lessons.shape[1] else ppo_loss

        def gradient_of(rows_of_part: Tensor) -> tuple[Sequence[Tensor], NDArray[np.float64]]:
            part = Batch(*(t[rows_of_part] for t in batch))
            loss = find_loss(self.network, part, self._arguments)
            gradient = torch.autograd.grad(loss.total / len(rows), self.parameters)
            return gradient, np.array([float(term.detach()) for term in loss])

        parts = list(self._threads.map(gradient_of, rows.chunk(self._arguments.threads)))
        gradients, sums = zip(*parts, strict=True)
        for parameter, *shares in zip(self.parameters, *gradients, strict=True):
            parameter.grad = torch.stack(shares).sum(0)
        nn.utils.clip_grad_norm_(self.parameters, self._arguments.largest_gradient)
        self.optimiser.step()
        return np.asarray(np.sum(sums, 0))

    def state(self) -> runs.Tensors:
        """All that the next update depends on, as plain arrays."""
        moments = self.optimiser.state_dict()["state"]
        return {
            **{f"network.{name}": w for name, w in self.network.weights().items()},
            **{
                f"optimiser.{number}.{name}": tensor.numpy().copy()
                for number, state in moments.items()
                for name, tensor in state.items()
            },
            "rng": pack(self.rng.bit_generator.state),
        }

    def restore(self, tensors: runs.Tensors) -> None:
        self.load(
            {n.removeprefix("network."): w for n, w in tensors.items() if n[:8] == "network."}
        )
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith("optimiser."):
                _, number, moment = name.split(".")
                state.setdefault(int(number), {})[moment] = torch.from_numpy(tensor.copy())
        whole = self.optimiser.state_dict()
        self.optimiser.load_state_dict({**whole, "state": state})
        self.rng.bit_generator.state = unpack(tensors["rng"])

    def load(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self.network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})


# ---------------------------------------------------------------- the run


class Training:
    """A run: the learner, its collectors, its pool, and its folder."""

    def __init__(self, arguments: Arguments, run: Run) -> None:
        self.arguments, self.run = arguments, run
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
        if self.update % self.arguments.save_every == 0 or self.finished:
            self.save()
        if self.finished:
            draw_curve(
                runs.read_table(self.run.path / runs.EVALUATIONS), self.run.path / "curve.svg"
            )
        return metrics

    @property
    def finished(self) -> bool:
        return self.steps >= self.arguments.steps

    def _evaluate(self) -> None:
        start, arguments = time.perf_counter(), self.arguments
        player = neural.Neural(self._checkpoint("learner"))
        newest = [member.policy() for member in list(self.selves.values())[-1:]]
        found = evaluate(
            player,
            [*arguments.evaluate_against, *newest],
            arguments.players,
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
        for place, snapshot in enumerate(self.collectors.snapshot()):
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
        seated = {int(n) for kept in snapshots.values() for n in np.unique(kept["who"])}
        older = {n: self._self(n) for n in seated - {LEARNER} - self.named.keys()}
        self.collectors.restore([snapshots[n] for n in sorted(snapshots)], self.named | older)
        self._draw()

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
        training = Training(known, run)
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
    training = Training(arguments, Run.new(arguments.out, arguments.plain()))
    if started:
        training.learner.load(started.weights)
    return training


def train(arguments: Arguments, progress: bool = False) -> Training:
    """Trains to the end."""
    training = begin(arguments)
    with closing(training.run), closing(training.collectors), _bar(training, progress) as show:
        while not training.finished:
            show(training.go_on())
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
    times = (TimeElapsedColumn(), "left", TimeRemainingColumn(elapsed_when_finished=True))
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
