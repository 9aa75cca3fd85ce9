"""`python -m train.ppo`: masked self-play PPO, from the deal to the network that plays.

    python -m train.ppo --out runs/first --players 2 --steps 6000000

One network plays all seats of all games, with any number of players: it collects decisions, learns
from them, and now and then plays an arena. This file is the algorithm, from the advantages to the
loop; who collects is in `train.collect`. See docs/training.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents import neural
from agents.network import Shape
from agents.shell import Shell
from drago_env.core.checks import real, whole
from drago_env.core.files import reading, replacing
from drago_env.core.threads import ThreadPool
from drago_env.core.trajectories import OPEN
from drago_env.game import Game
from train import runs
from train.arguments import Arguments, go_on, make_game, parse
from train.collect import LEARNER, TOLD, Member, Rollout, Setup
from train.collectors import Cluster, Here
from train.evaluate import Evaluation, arena_games, as_markdown, draw_curve, evaluate
from train.network import Network
from train.prepare import opened, prepared, shape_of
from train.progress import progress_bar
from train.runs import Run, RunError
from train.tensors import Tensors, check_tensor, load_moments, moments, pack, unpack

# ---------------------------------------------------------------- what is learned from


def advantages(rollout: Rollout, gae_lambda: float) -> NDArray[np.float32]:
    """How much better each decision went than its value, `(steps, games)`.

    The generalised advantage estimate along each seat's own decisions, without a discount: the
    decision that follows is the same seat's next one, however many other seats came between.
    A seat's last decision before the stream breaks off is not judged; the one before it trusts
    its value. Its last decision before a game is cut off has the value of what it saw then among
    its rewards.
    """
    values, rows = rollout.values, np.arange(rollout.values.shape[1])
    out = np.zeros_like(values)
    for step in reversed(range(len(values))):
        after = rollout.following[step]
        at = np.maximum(after, 0)
        later = np.where(after >= 0, values[at, rows] + gae_lambda * out[at, rows], 0)
        out[step] = rollout.rewards[step] + later - values[step]
        out[step, after == OPEN] = 0
    return out


class Batch(NamedTuple):
    """Decisions to learn from, one row each."""

    observation: Tensor
    actions: Tensor
    counts: Tensor
    features: Tensor  # one row for each listed action, those of a decision side by side
    picks: Tensor
    log_probs: Tensor  # of the picks, when they were made
    advantages: Tensor
    returns: Tensor  # what the value should have been
    lessons: Tensor  # how much a teacher likes each action; empty if there was none

    @classmethod
    def of(cls, rollouts: Sequence[Rollout], gae_lambda: float) -> tuple[Batch, NDArray[np.int64]]:
        """All decisions, and the rows of those to learn from."""
        estimates = [advantages(rollout, gae_lambda) for rollout in rollouts]
        learned = np.concatenate([rollout.learned.ravel() for rollout in rollouts])
        joined = np.concatenate([estimate.ravel() for estimate in estimates])
        good = joined[learned] if learned.any() else np.zeros(1)
        parts = [
            (
                *(r.observation, r.actions, r.counts, r.features[None], r.picks, r.log_probs),
                *((e - good.mean()) / (good.std() + 1e-8), e + r.values, r.lessons),
            )
            for r, e in zip(rollouts, estimates, strict=True)
        ]
        return cls(*map(_flat, zip(*parts, strict=True))), np.flatnonzero(learned)

    def pick(self, rows: Tensor) -> Batch:
        """Some of the decisions."""
        first, counts = (self.counts.cumsum(0) - self.counts)[rows], self.counts[rows]
        begin = counts.cumsum(0) - counts
        places = torch.arange(int(counts.sum())) + (first - begin).repeat_interleave(counts)
        parts = self._asdict() | {"features": self.features[places]}
        return Batch(**{n: part if n == "features" else part[rows] for n, part in parts.items()})


def _flat(parts: Sequence[NDArray[Any]]) -> Tensor:
    flat = [part.reshape(part.shape[0] * part.shape[1], *part.shape[2:]) for part in parts]
    # what came from a cluster cannot be written to, which torch does not like
    alone = len(flat) == 1 and flat[0].flags.writeable
    return torch.from_numpy(flat[0] if alone else np.concatenate(flat))


# ---------------------------------------------------------------- the loss


class Loss(NamedTuple):
    """The loss of some decisions and what it is made of: sums, not means."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor
    kl: Tensor  # how far the policy has moved from the one that collected
    clipped: Tensor  # decisions that the clip has stopped


def _answer(network: nn.Module, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """The logarithms of the probabilities, the value's squared error, and the entropy."""
    logits, values = network(*batch[:4])
    log_probs = torch.log_softmax(logits, 1)
    entropy = -(log_probs.exp() * log_probs).sum()
    return log_probs, (values - batch.returns).square().sum(), entropy


def ppo_loss(network: nn.Module, batch: Batch, arguments: Arguments) -> Loss:
    """The clipped objective, the value's squared error and the entropy of the legal actions.

    The padding of a list has a probability of exactly 0, and so no part in any of them.
    """
    log_probs, value, entropy = _answer(network, batch)
    change = log_probs.gather(1, batch.picks[:, None])[:, 0] - batch.log_probs
    ratio = change.exp()
    near = ratio.clamp(1 - arguments.clip_coef, 1 + arguments.clip_coef)
    policy = -torch.min(ratio * batch.advantages, near * batch.advantages).sum()
    total = policy + arguments.vf_coef * value - arguments.ent_coef * entropy
    with torch.no_grad():
        kl, clipped = (ratio - 1 - change).sum(), (ratio != near).sum()
    return Loss(total, policy, value, entropy, kl, clipped)


def copy_loss(network: nn.Module, batch: Batch, arguments: Arguments) -> Loss:
    """How far the network is from its teacher, and the value's squared error."""
    log_probs, value, entropy = _answer(network, batch)
    policy, none = -(batch.lessons * log_probs).sum(), torch.zeros(())
    if arguments.lesson_kl == "reverse":  # linear in the teacher's values: their noise averages out
        policy = -(log_probs.exp() * batch.lessons.clamp(min=1e-30).log()).sum() - entropy
    return Loss(policy + arguments.vf_coef * value, policy, value, entropy, none, none)


# ---------------------------------------------------------------- an update


class Learner:
    """The network, its optimiser, and the random order in which it meets the decisions."""

    def __init__(self, shape: Shape, arguments: Arguments) -> None:
        torch.manual_seed(arguments.seed)
        torch.set_num_threads(1)  # every part of a minibatch has a thread of its own
        self.network, self._arguments = Network(shape), arguments
        self.parameters = list(self.network.parameters())
        self.optimiser = torch.optim.Adam(self.parameters, eps=1e-5, fused=True)
        self.rng = np.random.Generator(np.random.PCG64(arguments.seed))
        self._threads = ThreadPool(arguments.threads)

    def update(self, rollouts: Sequence[Rollout], left: float) -> dict[str, float]:
        """One update; `left` is the share of the training that is still to come."""
        arguments = self._arguments
        batch, rows = Batch.of(rollouts, arguments.gae_lambda)
        for group in self.optimiser.param_groups:
            group["lr"] = arguments.learning_rate * left  # it falls to 0 in a straight line
        sums, seen = np.zeros(len(Loss._fields)), 0
        epochs = arguments.lesson_epochs if batch.lessons.shape[1] else arguments.update_epochs
        for _ in range(epochs if len(rows) else 0):
            order = torch.from_numpy(self.rng.permutation(rows))
            for picked in torch.split(order, arguments.minibatch_size):
                sums += self._step(batch, picked)
                seen += len(picked)
        returns, values = batch.returns[rows], _flat([r.values for r in rollouts])[rows]
        explained = float(1 - (returns - values).var() / returns.var()) if len(rows) > 1 else 0.0
        means = (sums / max(seen, 1)).tolist()
        return dict(zip(Loss._fields, means, strict=True)) | {"explained": explained}

    def _step(self, batch: Batch, rows: Tensor) -> NDArray[np.float64]:
        """One step of the optimiser, its gradient added up from parts."""
        find_loss = copy_loss if batch.lessons.shape[1] else ppo_loss

        def gradient_of(part: Tensor) -> tuple[Sequence[Tensor], NDArray[np.float64]]:
            loss = find_loss(self.network, batch.pick(part), self._arguments)
            gradient = torch.autograd.grad(loss.total / len(rows), self.parameters)
            return gradient, np.array([float(term.detach()) for term in loss])

        parts = self._threads.map(gradient_of, rows.chunk(self._arguments.threads))
        gradients, sums = zip(*parts, strict=True)
        for parameter, *shares in zip(self.parameters, *gradients, strict=True):
            parameter.grad = torch.stack(shares).sum(0)
        nn.utils.clip_grad_norm_(self.parameters, self._arguments.max_grad_norm)
        self.optimiser.step()
        return np.asarray(np.sum(sums, 0))

    def state(self) -> Tensors:
        """All that the next update depends on, as plain arrays."""
        weights = {f"network.{name}": w for name, w in self.network.weights().items()}
        return weights | moments(self.optimiser) | {"rng": pack(self.rng.bit_generator.state)}

    def restore(self, tensors: Tensors) -> None:
        """Goes on from what `state` said."""
        known = {n.removeprefix("network."): w for n, w in tensors.items() if n[:8] == "network."}
        for name, weight in self.network.weights().items():
            check_tensor(f"network.{name}", known[name], weight.shape)
        self.load(known)
        load_moments(self.optimiser, tensors)
        self.rng.bit_generator.state = unpack(tensors["rng"])

    def load(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self.network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})


# ---------------------------------------------------------------- the loop


class Training:
    """A run: the learner, its collectors, its pool, and its folder.

    The folder comes last, so that none is left behind by what cannot begin.
    """

    run: Run

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.game, variants = make_game(arguments.specs)
        self.shape = shape_of(self.game, arguments)
        self.learner = Learner(self.shape, arguments)
        self.collectors = make_collectors(arguments, self.game, variants, self.shape)
        self.update, self.steps, self.seconds = 0, 0, 0.0
        self.named = {n: Member(spec) for n, spec in enumerate(arguments.opponents or ())}
        self.selves: dict[int, Member] = {}  # by their numbers, the oldest first
        self.evaluations: list[Evaluation] = []
        self._draw()

    def go_on(self) -> dict[str, float]:
        """Collects, learns, and keeps what is due; returns what is to be shown."""
        start, cpu = time.perf_counter(), time.process_time()
        lesson = self.steps < self.arguments.lessons
        rollouts = self.collectors.collect(self.learner.network.state_dict(), lesson)
        collected = time.perf_counter()
        metrics = self.learner.update(rollouts, 1 - self.steps / self.arguments.total)
        took = time.perf_counter() - start
        decisions = sum(rollout.values.size for rollout in rollouts)
        self.update, self.steps = self.update + 1, self.steps + decisions
        self.seconds += took
        if lesson and self.steps >= self.arguments.lessons:
            self._draw()
        metrics |= {
            "steps_per_second": decisions / took,
            "cpu_seconds": time.process_time() - cpu,  # of this process
            "collecting": (collected - start) / took,
            "environment": max(rollout.seconds for rollout in rollouts) / took,
        }
        self.run.log(runs.METRICS, [self._now | metrics])
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
        return self.steps >= self.arguments.total

    @property
    def _now(self) -> dict[str, Any]:
        return {"update": self.update, "steps": self.steps, "seconds": round(self.seconds, 3)}

    def _evaluate(self) -> None:
        start, arguments = time.perf_counter(), self.arguments
        player = neural.Neural(neural.Checkpoint(Path("learner"), *self._saved()), name="learner")
        # unlike in the pool, a former self plays its best here, as the learner does
        newest = [neural.Neural(m.frozen, name=m.name) for m in [*self.selves.values()][-1:]]
        rivals: list[Any] = [*(arguments.evaluate_against or ()), *newest]
        games, specs = arguments.evaluate_games, arena_games(arguments.specs)
        self.evaluations = evaluate(player, rivals, specs, games, arguments.seed, arguments.ray)
        self.seconds += time.perf_counter() - start
        self.run.log(runs.EVALUATIONS, [self._now | e.row() for e in self.evaluations])
        for e in self.evaluations:
            kind = "former self" if e.opponent.startswith("self-") else e.opponent
            self.run.curve(f"win share, {e.players} players/{kind}", e.win_share, self.steps)

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

    def _file(self, number: int) -> Path:
        update = (number - len(self.named)) * self.arguments.evaluate_every
        return self.run.checkpoints / f"self-{update:06d}.safetensors"

    def _self(self, number: int) -> Member:
        """The former self with this number in the pool."""
        file = self._file(number)
        return Member(file.stem, neural.load(file))

    # ------------------------------------------------------------ keeping

    def _saved(self) -> tuple[Any, Shape, dict[str, Any], dict[str, Any]]:
        about = {name: self.run.config[name] for name in ("arguments", "revision", "versions")}
        card = about | {
            "steps": self.steps,
            "seconds": round(self.seconds),
            "evaluations": [evaluation.row() for evaluation in self.evaluations],
        }
        return self.learner.network.weights(), self.shape, self.game.signature, card

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
            f"{self.seconds / 60:.1f} minutes",
            "games": ", ".join(self.arguments.specs),
            "seed": str(self.arguments.seed),
            "arenas": ", ".join(arena_games(self.arguments.specs)),
        }
        results = as_markdown(self.evaluations)
        return runs.card(self.run.config, facts, self.arguments.command(), results)

    def restore(self, tensors: Tensors, about: Mapping[str, Any]) -> None:
        """Goes on from what was saved last."""
        self.update, self.steps = (whole(name, about[name], 0) for name in ("update", "steps"))
        self.seconds = about["seconds"]
        real("seconds", self.seconds, 0, 1e12)
        self.evaluations = [Evaluation(**evaluation) for evaluation in about["evaluations"]]
        self.learner.restore(tensors)
        self.selves = {number: self._self(number) for number in about["selves"]}
        snapshots: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            if name.startswith("collector."):
                _, place, part = name.split(".")
                part = "restarts" if part == "life" else part  # as version 0.1 called it
                snapshots.setdefault(int(place), {})[part] = tensor
        kept = [snapshot["who"] for snapshot in snapshots.values() if "who" in snapshot]
        seated = {int(number) for who in kept for number in np.unique(who)}
        older = {n: self._self(n) for n in seated - {LEARNER} - self.named.keys()}
        self.collectors.restore(snapshots, self.named | older)
        self._draw()


def make_collectors(
    arguments: Arguments, game: Game, variants: NDArray[np.int64], shape: Shape
) -> Here | Cluster:
    """Those who play: here, or on a cluster."""
    sizes: dict[str, Any] = {name: getattr(arguments, name) for name in TOLD}
    setup = Setup(game, variants, shape, specs=tuple(arguments.specs), **sizes)
    if arguments.ray is None:
        return Here(setup, arguments.seed)
    return Cluster(setup, arguments.seed, arguments.ray, arguments.collectors)


def train(arguments: Arguments, progress: bool = False) -> Training:
    """Trains to the end."""
    training = begin(arguments)
    total, rival = training.arguments.total, (training.arguments.evaluate_against or ("",))[-1]
    bar = progress_bar(total, training.steps, progress)
    with closing(training.run), closing(training.collectors), bar as show:
        while not training.finished:
            speed = training.go_on()["steps_per_second"]
            shares = [e for e in training.evaluations if e.opponent == rival]
            words = [f"{speed:,.0f} steps/s", *([f"against {rival}"] if shares else [])]
            words += [f"{e.players}p {e.win_share:.2f}" for e in shares]
            show(training.steps, " ".join(words))
        file = training.run.path / runs.EVALUATIONS
        with reading(file, RunError), replacing(training.run.path / "curve.svg") as part:
            draw_curve(runs.read_table(file), part)
    return training


# ---------------------------------------------------------------- command line


def begin(arguments: Arguments) -> Training:
    """A new run, or the one that `resume` names."""
    if arguments.resume is not None:
        arguments, run = opened(arguments.resume, arguments)
        training = Training(arguments)
        training.run = run
        with reading(run.path / runs.RESUME, RunError):
            training.restore(*run.load())
        run.go_on_after(training.steps, arguments.total)
        return training
    arguments, started = prepared(arguments)
    training = Training(arguments)
    if started:
        training.learner.load(started.weights)
    training.run = Run.new(arguments.out, arguments.plain())
    training.save()
    return training


def main(words: Sequence[str] | None = None) -> int:
    with Shell(go_on("train.ppo"), MemoryError) as shell:
        asked = parse(Arguments, "train.ppo", words)
        shell.interrupted = go_on("train.ppo", asked.resume or asked.out)
        training = train(asked, progress=True)
        print((training.run.path / "card.md").read_text(encoding="utf-8"))
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
