"""A policy of sb3-contrib that scores the legal actions one by one, and its network."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from torch import Tensor, nn

try:
    from sb3_contrib.common.maskable.distributions import MaskableDistribution
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
except ImportError as error:
    raise ImportError('this policy needs sb3-contrib: pip install "drago-env[sb3]"') from error

ILLEGAL = -1e9  # a logit with a probability of exactly 0, yet finite


class Sizes(NamedTuple):
    """The sizes of a network; those of the game come first."""

    observation_size: int
    feature_size: int  # 0 if the game has no features
    num_actions: int
    trunk: tuple[int, ...] = (256, 128)  # the widths of the layers that read the observation
    action: tuple[int, ...] = (64, 32)  # those of the layers that score an action
    value_bound: float = 1.0  # values are from -value_bound to value_bound


class LegalActionsNetwork(nn.Module):
    """A trunk reads the position, a small network each legal action in its light.

    The weights have the names that a checkout's agent `neural` reads.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        context, first = sizes.trunk[-1], sizes.action[0]
        self.trunk = _layers((sizes.observation_size, *sizes.trunk))
        size = sizes.feature_size
        self.features = nn.Linear(size, first, bias=False) if size else None
        self.embedding = nn.Embedding(sizes.num_actions, first)
        self.context = nn.Linear(context, first)
        self.action = _layers(sizes.action)
        self.policy = nn.Linear(sizes.action[-1], 1, bias=False)
        self.value = nn.Linear(context, 1)
        self._bound = sizes.value_bound
        for module in self.modules():
            if isinstance(module, nn.Linear):  # begins near uniform play and near a value of 0
                small = module in (self.policy, self.value)
                nn.init.orthogonal_(module.weight, 0.01 if small else math.sqrt(2))
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def forward(
        self, observation: Tensor, legal: Tensor, features: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Logits of all actions `(n, num_actions)`, and the values `(n, 1)`."""
        context = self._context(observation)
        rows, actions = legal.nonzero(as_tuple=True)  # nothing but what is legal is scored
        hidden = self.embedding(actions) + self.context(context)[rows]
        if self.features is not None and features is not None:
            hidden = hidden + self.features(features[legal])
        hidden = torch.relu(hidden)
        for layer in self.action:
            hidden = torch.relu(layer(hidden))
        logits = observation.new_full(legal.shape, ILLEGAL)
        return logits.masked_scatter(legal, self.policy(hidden)), self._value(context)

    def values(self, observation: Tensor) -> Tensor:
        """The values alone, `(n, 1)`."""
        return self._value(self._context(observation))

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Copies of the weights by name."""
        return {name: w.detach().cpu().numpy().copy() for name, w in self.state_dict().items()}

    def _context(self, observation: Tensor) -> Tensor:
        for layer in self.trunk:
            observation = torch.relu(layer(observation))
        return observation

    def _value(self, context: Tensor) -> Tensor:
        return torch.tanh(self.value(context)) * self._bound


def _layers(sizes: tuple[int, ...]) -> nn.ModuleList:
    return nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes))


class LegalActionsPolicy(MaskableActorCriticPolicy):
    """Scores every legal action from its features and the position, all with the same weights.

    It wants the observations of `sb3_env(..., flat=False, action_features=True)`; the features are
    left out where a game has none. Since observations hold the mask, an action that is not legal
    has no chance even where no masks are handed in. `value_bound` is the most that a game can pay.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        lr_schedule: Any,
        trunk: tuple[int, ...] = (256, 128),
        action: tuple[int, ...] = (64, 32),
        value_bound: float = 1.0,
        **kwargs: Any,
    ) -> None:
        (observation_size,) = observation_space["observation"].shape or ()
        features = observation_space.spaces.get("action_features")
        size = 0 if features is None else int((features.shape or ())[1])
        sizes = (observation_size, size, int(action_space.n))
        self.shape = Sizes(*sizes, trunk, action, value_bound)
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.network = LegalActionsNetwork(self.shape)
        options = {"lr": lr_schedule(1), **self.optimizer_kwargs}
        self.optimizer = self.optimizer_class(self.network.parameters(), **options)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {name: getattr(self.shape, name) for name in ("trunk", "action", "value_bound")}
        return super()._get_constructor_parameters() | own

    # ------------------------------------------------------------ what the algorithm asks for

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        distribution, values = self._answer(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        distribution, values = self._answer(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        return self._answer(obs, action_masks)[0]

    def predict_values(self, obs: Any) -> Tensor:
        return self.network.values(obs["observation"])

    def _answer(self, obs: Any, action_masks: Any) -> tuple[MaskableDistribution, Tensor]:
        """The distribution over all actions, and the values `(n, 1)`."""
        legal = obs["action_mask"] > 0
        logits, values = self.network(obs["observation"], legal, obs.get("action_features"))
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(legal if action_masks is None else action_masks)
        return distribution, values
