"""The network as torch trains it: the same shape, names and answers as `agents.network`."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import PADDING, Shape

STRAIGHT = (4.0, 16.0)  # what the rules of thumb are worth to the logits of an untrained network


class Network(nn.Module):
    """Logits of the listed legal actions, and the value of the position for the seat on turn."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        context, first = shape.trunk[-1], shape.action[0]
        self.trunk = _layers((shape.observation_size, *shape.trunk))
        size = shape.inputs
        self.features = nn.Linear(size, first, bias=False) if size else None
        self.thumbs = nn.Linear(shape.told, 1, bias=False) if shape.told else None
        self.embedding = nn.Embedding(shape.num_actions, first)
        self.context = nn.Linear(context, first)
        self.action = _layers(shape.action)
        self.policy = nn.Linear(shape.action[-1], 1, bias=False)
        self.value = nn.Linear(context, 1)
        self.shape = shape
        self._initialise()

    def _initialise(self) -> None:
        """Keeps the size of what flows through; begins near uniform play and near a value of 0."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                small = module in (self.policy, self.value)
                nn.init.orthogonal_(module.weight, 0.01 if small else math.sqrt(2))
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.embedding.weight, std=0.1)
        if self.thumbs is not None:  # begins near the play of the rules of thumb
            self.thumbs.weight.data = torch.tensor([(0.0,) * self.shape.foresight + STRAIGHT])

    def forward(
        self, observation: Tensor, actions: Tensor, counts: Tensor, features: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The logits `(n, max_legal)` and the values `(n,)`.

        `actions` and `features` mean something up to the counts; beyond, the logit is `PADDING`.
        The features may also come without the gaps, `(sum of the counts, inputs)`.
        """
        context = self._context(observation)
        # only what is legal is scored: in the mean that is half of the list
        there = torch.arange(actions.shape[1], device=actions.device) < counts[:, None]
        hidden = self.embedding(actions[there])
        if self.features is not None:
            features = features if features.dim() == 2 else features[there]
            hidden = self.features(features) + hidden
        hidden = torch.relu(hidden + self.context(context).repeat_interleave(counts, 0))
        for layer in self.action:
            hidden = torch.relu(layer(hidden))
        padding = torch.full(there.shape, float(PADDING), device=actions.device)
        scores = self.policy(hidden)
        if self.thumbs is not None:
            scores = scores + self.thumbs(features[:, -self.shape.told :])
        logits = padding.masked_scatter(there, scores)
        return logits, self._value(context)

    def values(self, observation: Tensor) -> Tensor:
        """The values alone, `(n,)`: also of positions in which there is nothing to choose."""
        return self._value(self._context(observation))

    def _context(self, observation: Tensor) -> Tensor:
        context = observation
        for layer in self.trunk:
            context = torch.relu(layer(context))
        return context

    def _value(self, context: Tensor) -> Tensor:
        return torch.tanh(self.value(context)[:, 0]) * self.shape.value_bound

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Copies of the weights by name, as `agents.neural.save` takes them."""
        return {name: w.detach().cpu().numpy().copy() for name, w in self.state_dict().items()}


def _layers(sizes: tuple[int, ...]) -> nn.ModuleList:
    return nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes))
