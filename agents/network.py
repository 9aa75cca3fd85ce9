"""The network of the policy `neural`: its shape, and its answers, computed with numpy alone.

One network plays any number of seats. A trunk reads the observation; a small network, the same
for every legal action, reads what that action does at once (if the game says so), which action it
is, and what the trunk made of the position, and answers with one logit. A second answer of the
trunk is the value: the final reward that the seat may expect.

In a game with rules of thumb it may also be told what they think of each legal action. That is one
more thing that it reads of the action, and it goes to the logit in a straight line besides: so a
network that has learned nothing yet plays by the rules of thumb. Where the game foresees what an
action is likely to lead to, it may be told that too, in the same two ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import real
from drago_env.game import Game
from drago_env.thumbs import NEAR, gaps

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]

# The logit past the end of a list: a probability of exactly 0, yet finite, so that 0 times its
# logarithm is 0.
PADDING = np.float32(-1e9)
THUMBS = 2  # numbers that say what the rules of thumb think of an action
FAR = 16.0  # the difference to the best action at which one is cut; the other is at NEAR
LARGEST, DEEPEST = 4096, 8  # no layer is wider, no stack of layers higher
SMALLEST = {"observation_size": 1, "feature_size": 0, "num_actions": 1, "foresight": 0}
_CHUNK = 128  # rows at once: what lies between the layers stays in the processor's cache


@dataclass(frozen=True)
class Shape:
    """The sizes of a network; those of the game come first."""

    observation_size: int
    feature_size: int  # 0 if the game has no features
    num_actions: int
    trunk: tuple[int, ...] = (256, 128)  # the widths of its layers
    action: tuple[int, ...] = (64, 32)  # those of the network over the legal actions
    value_bound: float = 1.0  # values are from -value_bound to value_bound
    thumbs: bool = False  # whether it is told what the rules of thumb think; see `thumbs_inputs`
    foresight: int = 0  # numbers that say what an action is likely to lead to, besides thumbs

    def __post_init__(self) -> None:
        for name, least in SMALLEST.items():
            _check_size(name, getattr(self, name), least)
        real("value_bound", self.value_bound, 1e-6, 1e6)
        if type(self.thumbs) is not bool:
            raise ValueError(f"thumbs must be true or false, not {self.thumbs!r:.40}")
        if self.foresight and not self.thumbs:
            raise ValueError("foresight is only told to a network with thumbs")
        for name in ("trunk", "action"):
            widths = getattr(self, name)
            if not isinstance(widths, tuple) or not 1 <= len(widths) <= DEEPEST:
                raise ValueError(f"{name} must be a tuple of 1 to {DEEPEST} widths, not {widths!r}")
            for width in widths:
                _check_size(f"a width of {name}", width)

    @classmethod
    def of(cls, game: Game, **widths: Any) -> Shape:
        """The shape that fits a game; `trunk`, `action`, `thumbs`, `foresight` may be given."""
        spec = game.spec
        sizes = (spec.observation_size, spec.feature_size, spec.num_actions)
        return cls(*sizes, value_bound=float(spec.reward_bound), **widths)

    @property
    def inputs(self) -> int:
        """How many numbers are read of each action: its features, then what it is told of."""
        return self.feature_size + self.told

    @property
    def told(self) -> int:
        """How many of them go to the logit in a straight line: foresight, then thumbs."""
        return self.foresight + THUMBS if self.thumbs else 0

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every tensor of weights, as `(outputs, inputs)`."""
        context, first = self.trunk[-1], self.action[0]
        features = {"features.weight": (first, self.inputs)} if self.inputs else {}
        thumbs = {"thumbs.weight": (1, self.told)} if self.told else {}
        return {
            **_layers("trunk", (self.observation_size, *self.trunk)),
            **features,
            **thumbs,
            "embedding.weight": (self.num_actions, first),
            "context.weight": (first, context),
            "context.bias": (first,),
            **_layers("action", self.action),
            "policy.weight": (1, self.action[-1]),
            "value.weight": (1, context),
            "value.bias": (1,),
        }


def _check_size(name: str, size: Any, least: int = 1) -> None:
    if type(size) is not int or not least <= size <= LARGEST:
        bounds = f"from {least} to {LARGEST}"
        raise ValueError(f"{name} must be a whole number {bounds}, not {size!r:.40}")


def _layers(name: str, sizes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    made: dict[str, tuple[int, ...]] = {}
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        made |= {f"{name}.{number}.weight": (outputs, inputs), f"{name}.{number}.bias": (outputs,)}
    return made


class Network:
    """Answers for a batch of positions.

    Every row gets products of its own: one large product for all rows would be faster, but adds
    up in an order that depends on their number. So a row's answer is the same to the last bit,
    whatever stands beside it.
    """

    def __init__(self, shape: Shape, weights: Weights) -> None:
        # the first layer over an action is not in its stack: it is added up from three products
        self._heights = {"trunk": len(shape.trunk), "action": len(shape.action) - 1}
        # transposed, as they are multiplied: x @ w
        self._weights = {name: np.ascontiguousarray(w.T) for name, w in weights.items()}
        self._embedding = np.ascontiguousarray(weights["embedding.weight"])
        self._bound, self._told = np.float32(shape.value_bound), shape.told

    def forward(
        self,
        observation: Floats,
        actions: NDArray[np.integer[Any]],
        counts: NDArray[np.int64],
        features: Floats,
    ) -> tuple[Floats, Floats]:
        """The logits of the listed actions, `(n, max_legal)`, and the values, `(n,)`.

        `actions` and `features` mean something up to the counts; beyond, the logit is `PADDING`.
        """
        logits = np.empty(actions.shape, np.float32)
        values = np.empty(len(actions), np.float32)
        for start in range(0, len(actions), _CHUNK):
            part = slice(start, start + _CHUNK)
            context = self._stack("trunk", observation[part, None])
            np.tanh(self._linear("value", context)[:, 0, 0], out=values[part])
            logits[part] = self._logits(context, actions[part], features[part])
        values *= self._bound
        slots = np.arange(actions.shape[1])
        np.putmask(logits, slots >= counts[:, None], PADDING)
        return logits, values

    def _logits(self, context: Floats, actions: NDArray[Any], features: Floats) -> Floats:
        # the context is multiplied once for all actions, and the action is only looked up
        hidden = self._embedding.take(actions, axis=0)
        if "features.weight" in self._weights:
            hidden += features @ self._weights["features.weight"]
        hidden += self._linear("context", context)
        np.maximum(hidden, 0, out=hidden)
        scores: Floats = self._stack("action", hidden) @ self._weights["policy.weight"]
        if self._told:
            scores += features[..., -self._told :] @ self._weights["thumbs.weight"]
        return scores[..., 0]

    def _stack(self, name: str, x: Floats) -> Floats:
        for number in range(self._heights[name]):
            x = self._linear(f"{name}.{number}", x)
            np.maximum(x, 0, out=x)
        return x

    def _linear(self, name: str, x: Floats) -> Floats:
        y: Floats = x @ self._weights[f"{name}.weight"]
        y += self._weights[f"{name}.bias"]
        return y


def thumbs_inputs(values: NDArray[np.float64], counts: NDArray[np.int64]) -> Floats:
    """What the network is told of the values `(n, max_legal)` of the listed actions, `(..., 2)`.

    How far each is behind the best one, once with all that lies near, once with what lies far.
    """
    behind = gaps(values, counts)
    both = [np.maximum(behind, -cut) / cut for cut in (NEAR, FAR)]
    return np.stack(both, 2).astype(np.float32)


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits, row by row."""
    powers = np.exp(logits - logits.max(1, keepdims=True))
    powers /= powers.sum(1, keepdims=True)
    return np.asarray(powers)
