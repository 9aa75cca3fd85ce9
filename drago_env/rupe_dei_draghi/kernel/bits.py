"""Sets of spaces and of rainbow sites as bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined

ONE = np.uint64(1)
ZERO = np.uint64(0)
_SIXTY_SEVEN = np.uint64(67)
# 2 is a primitive root modulo 67, so that every power of two below 2 ** 64 has its own remainder
_PLACE = np.zeros(67, np.int64)
for _power in range(64):
    _PLACE[2**_power % 67] = _power


@inlined
def bit(i: Any) -> Any:
    """The set of one number below 64."""
    return ONE << np.uint64(i)


@inlined
def has(bits: Any, i: Any) -> Any:
    """Whether a set of several words has a number."""
    return (bits[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO


@inlined
def put(bits: Any, i: Any) -> None:
    """Adds a number."""
    bits[i >> 6] |= ONE << np.uint64(i & 63)


@inlined
def drop(bits: Any, i: Any) -> None:
    """Takes a number out."""
    bits[i >> 6] &= ~(ONE << np.uint64(i & 63))


@inlined
def clear(bits: Any) -> None:
    """Empties a set of several words."""
    for word in range(bits.shape[0]):
        bits[word] = ZERO


@inlined
def lowest(word: Any) -> Any:
    """The smallest number in a set of one word, which is not empty."""
    return _PLACE[np.int64((word & (~word + ONE)) % _SIXTY_SEVEN)]


@inlined
def listed(word: Any, first: Any, actions: Any, count: Any) -> Any:
    """Writes `first` plus each number of a set of one word; returns the new count."""
    while word != ZERO:
        actions[count] = first + lowest(word)
        word &= word - ONE
        count += 1
    return count
