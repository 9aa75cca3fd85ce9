"""The network as a policy of sb3-contrib, in a module of its own so that saved models find it."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from agents.network import PADDING, Shape
from train.network import Network


class LegalActionsPolicy(MaskableActorCriticPolicy):
    """Scores every legal action from its features and the position: `train.network.Network`.

    It wants the observations of `sb3_env(..., flat=False, action_features=True)`; the features are
    left out where a game has none. Since observations hold the mask, an action that is not legal
    has no chance even where no masks are handed in.
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
        self.shape = Shape(*sizes, trunk, action, value_bound)
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.network = Network(self.shape)
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
        return self.network.values(obs["observation"])[:, None]

    def _answer(self, obs: Any, action_masks: Any) -> tuple[MaskableDistribution, Tensor]:
        """The distribution over all actions, and the values `(n, 1)`."""
        legal = obs["action_mask"] > 0
        counts = legal.sum(1)
        there = torch.arange(int(counts.max()), device=legal.device) < counts[:, None]
        # row by row, the legal entries of the mask and the filled places of the lists are the same
        actions = torch.zeros(there.shape, dtype=torch.int64, device=legal.device)
        actions[there] = legal.nonzero()[:, 1]
        features = obs["action_features"][legal] if self.shape.feature_size else torch.empty(0)
        listed, values = self.network(obs["observation"], actions, counts, features)
        logits = listed.new_full(legal.shape, float(PADDING)).masked_scatter(legal, listed[there])
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(legal if action_masks is None else action_masks)
        return distribution, values[:, None]
