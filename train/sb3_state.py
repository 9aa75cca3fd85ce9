"""All that the next update of a MaskablePPO depends on, as plain arrays that run no code."""

from __future__ import annotations

import io
from collections import deque
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from drago_env.core.checks import whole
from drago_env.core.files import unpacked
from train.tensors import Tensors, check_tensor, load_moments, moments

_KEYS = 624  # numbers of numpy's own generator


def state(model: MaskablePPO) -> tuple[Tensors, dict[str, Any]]:
    """The weights, the optimiser, the games and the generators, between two rollouts."""
    policy, env = _parts(model)
    games = io.BytesIO()
    np.savez(games, **env.snapshot())
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002  (MaskablePPO shuffles with it)
    tensors = {
        **{f"network.{name}": weight for name, weight in policy.network.weights().items()},
        **moments(policy.optimizer),
        "games": np.frombuffer(games.getvalue(), np.uint8),
        "starts": np.array(model._last_episode_starts, np.uint8),
        "numpy": np.array(keys, np.uint32),
        "torch": torch.get_rng_state().numpy(),
    }
    about = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "episodes": list(model.ep_info_buffer or ()),
        "numpy": [kind, *rest],
        # what the last update has noted for the next line of the tables
        "noted": {name: float(note) for name, note in model.logger.name_to_value.items()},
    }
    return tensors, about


def restore(model: MaskablePPO, tensors: Tensors, about: dict[str, Any]) -> None:
    """Lets a new model go on from what `state` said."""
    policy, env = _parts(model)
    own = policy.network.state_dict()
    for name, weight in own.items():
        check_tensor(f"network.{name}", tensors[f"network.{name}"], tuple(weight.shape))
    weights = {name: torch.from_numpy(tensors[f"network.{name}"]) for name in own}
    policy.network.load_state_dict(weights)
    load_moments(policy.optimizer, tensors)
    env.restore(unpacked(io.BytesIO(tensors["games"].tobytes())))
    starts = tensors["starts"].astype(np.bool_)
    if starts.shape != (env.num_envs,):
        raise ValueError(f"starts must be of {env.num_envs} games, not {starts.shape}")
    model._last_obs, model._last_episode_starts = env.observation(), starts
    model.num_timesteps = whole("steps", about["steps"], 0)
    model._n_updates = whole("updates", about["updates"], 0)
    episodes = [{key: float(one[key]) for key in ("r", "l")} for one in about["episodes"]]
    model.ep_info_buffer = deque(episodes, maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    kind, place, *rest = about["numpy"]
    keys = tensors["numpy"]
    if keys.shape != (_KEYS,):
        raise ValueError(f"numpy must be of {_KEYS} numbers, not {keys.shape}")
    # numpy believes the place, and would read beyond its numbers
    np.random.set_state((kind, keys, whole("numpy", place, 0, _KEYS), *rest))  # noqa: NPY002
    torch.set_rng_state(torch.from_numpy(tensors["torch"].copy()))


def _parts(model: MaskablePPO) -> tuple[Any, Any]:
    """The policy and the games, which both are ours."""
    return model.policy, model.get_env()
