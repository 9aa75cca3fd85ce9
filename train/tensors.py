"""Generators and optimisers as plain arrays, to go on from to the last bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.neural import HEAVIEST

Tensors = dict[str, NDArray[Any]]
MOMENTS = {"step", "exp_avg", "exp_avg_sq"}  # what Adam remembers of each of its parameters


def pack(state: Any) -> NDArray[np.uint8]:
    """What JSON can hold, as an array."""
    return np.frombuffer(json.dumps(state).encode(), np.uint8)


def unpack(packed: NDArray[np.uint8]) -> Any:
    """What `pack` was given."""
    return json.loads(packed.tobytes())


def moments(optimiser: torch.optim.Optimizer) -> Tensors:
    """All that an optimiser remembers of its steps."""
    return {
        f"optimiser.{number}.{name}": tensor.numpy().copy()
        for number, state in optimiser.state_dict()["state"].items()
        for name, tensor in state.items()
    }


def load_moments(optimiser: torch.optim.Optimizer, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Lets an optimiser remember what `moments` said."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    parameters = [p for group in optimiser.param_groups for p in group["params"]]
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, number, moment = name.split(".")
            if moment == "step":
                check_tensor(name, tensor, (), 0, 1 << 24)  # where float32 stops counting
            else:  # of the squares a root is taken
                least = 0 if moment == "exp_avg_sq" else -HEAVIEST
                check_tensor(name, tensor, tuple(parameters[int(number)].shape), least)
            state.setdefault(int(number), {})[moment] = torch.from_numpy(tensor.copy())
    if state and not all(state.get(n, {}).keys() == MOMENTS for n in range(len(parameters))):
        raise ValueError("the optimiser's moments are not those of the network")
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})


def check_tensor(
    name: str,
    tensor: NDArray[Any],
    shape: tuple[int, ...],
    least: float = -HEAVIEST,
    most: float = HEAVIEST,
) -> None:
    """Refuses what is not an array of this shape, of numbers as a network has them."""
    if tensor.dtype != np.float32 or tensor.shape != shape:
        found = f"{tensor.dtype} of shape {tensor.shape}"
        raise ValueError(f"{name} must hold float32 numbers of shape {shape}, not {found}")
    sound = (least <= tensor) & (tensor <= most)  # which nothing is that is no number
    if not sound.all():
        worst = tensor[~sound].flat[0]
        raise ValueError(f"{name} must hold {least:,.0f} to {most:,.0f}, not {worst:.3g}")
