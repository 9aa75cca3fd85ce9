"""Vectors with named parts: what an observation or the features of an action are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Part = tuple[str, tuple[int, ...], float | tuple[float, ...], str]  # name, shape, scale, meaning


@dataclass(frozen=True)
class Slice:
    """A named part of a vector: where it starts, how it is shaped and scaled, what it says."""

    name: str
    start: int
    shape: tuple[int, ...]
    scale: float | tuple[float, ...]  # one, or one for each column
    meaning: str
    whole: bool = True  # whole numbers before they are scaled

    @property
    def stop(self) -> int:
        """Where the next part starts."""
        return self.start + prod(self.shape)

    def of(self, vector: NDArray[Any]) -> NDArray[Any]:
        """The part of a vector with this name, or of the last axis of a batch of vectors."""
        return vector[..., self.start : self.stop].reshape(*vector.shape[:-1], *self.shape)


def laid_out(*parts: Part, fractions: Sequence[str] = ()) -> tuple[Slice, ...]:
    """Parts one after the other; `fractions` names those that are not of whole numbers."""
    slices: list[Slice] = []
    for name, shape, scale, meaning in parts:
        start = slices[-1].stop if slices else 0
        slices.append(Slice(name, start, shape, scale, meaning, name not in fractions))
    return tuple(slices)


def starts(slices: tuple[Slice, ...]) -> tuple[int, ...]:
    """Where each part begins: the constants by which a kernel writes them."""
    return tuple(part.start for part in slices)


def scale(slices: tuple[Slice, ...]) -> NDArray[np.float32]:
    """The factor of each number of a vector with these slices."""
    parts = [np.broadcast_to(part.scale, part.shape).ravel() for part in slices]
    return np.concatenate(parts).astype(np.float32)


def named(vector: NDArray[Any], slices: tuple[Slice, ...]) -> dict[str, NDArray[Any]]:
    """The unscaled numbers of a vector (scaled or compact), by the names of its slices.

    They are integers where a slice is of whole numbers, else floats as exact as the vector's.
    """
    size = slices[-1].stop
    if vector.shape != (size,):
        raise ValueError(f"expected a vector of {size} numbers, not the shape {vector.shape}")
    plain = vector if vector.dtype == np.int8 else vector / scale(slices)
    rounded = np.rint(plain).astype(np.int64)
    return {part.name: part.of(rounded if part.whole else plain) for part in slices}
