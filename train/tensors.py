"""Generators and optimisers as plain arrays, to go on from to the last bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]


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
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, number, moment = name.split(".")
            state.setdefault(int(number), {})[moment] = torch.from_numpy(tensor.copy())
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
