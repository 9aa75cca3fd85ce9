"""Masked PPO: from what was collected to a better network.

Every decision belongs to the seat that made it: its reward is what that seat got up to its own
next decision, and the value of the position is the final reward that it may expect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Shape
from drago_env.wrappers.selfplay import OPEN
from train import runs
from train.arguments import Arguments
from train.collect import Rollout, pack, unpack
from train.network import Network


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
    near = ratio.clamp(1 - arguments.clip, 1 + arguments.clip)
    policy = -torch.min(ratio * batch.advantages, near * batch.advantages).sum()
    total = policy + arguments.value_weight * value - arguments.entropy * entropy
    with torch.no_grad():
        kl, clipped = (ratio - 1 - change).sum(), (ratio != near).sum()
    return Loss(total, policy, value, entropy, kl, clipped)


def copy_loss(network: nn.Module, batch: Batch, arguments: Arguments) -> Loss:
    """How far the network is from its teacher: cross entropy, and the value's squared error."""
    log_probs, value, entropy = _answer(network, batch)
    policy = -(batch.lessons * log_probs).sum()
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
