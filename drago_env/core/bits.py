"""Sets of small numbers as bits: in one word of 64, or in several."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined

ZERO, ONE = np.uint64(0), np.uint64(1)
_MODULUS = np.uint64(67)  # the powers of two below 2 ** 64 leave different remainders
_PLACE = np.zeros(67, np.uint8)
for _i in range(64):
    _PLACE[(1 << _i) % 67] = _i

_M1, _M2, _M4 = (
    np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)
)
_B1, _B2, _B4, _B8, _B16, _B32 = (np.uint64(1 << i) for i in range(6))
_M7 = np.uint64(127)


@inlined
def bit(i: Any) -> Any:
    """The set of one number below 64."""
    return ONE << np.uint64(i)


@inlined
def lowest(word: Any) -> Any:
    """The smallest number of a set that is not empty."""
    return np.int64(_PLACE[(word & (~word + ONE)) % _MODULUS])


@inlined
def size(word: Any) -> Any:
    """How many numbers a set has."""
    x = word - ((word >> _B1) & _M1)
    x = (x & _M2) + ((x >> _B2) & _M2)
    x = (x + (x >> _B4)) & _M4
    x = x + (x >> _B8)
    x = x + (x >> _B16)
    x = x + (x >> _B32)
    return np.int64(x & _M7)


@inlined
def listed(word: Any, first: Any, actions: Any, count: Any) -> Any:
    """Writes `first` plus each number of a set; returns the new count."""
    while word != ZERO:
        actions[count] = first + lowest(word)
        word &= word - ONE
        count += 1
    return count


# ---------------------------------------------------------------- sets of several words


@inlined
def has(words: Any, i: Any) -> Any:
    """Whether a set has a number."""
    return (words[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO


@inlined
def put(words: Any, i: Any) -> None:
    """Adds a number."""
    words[i >> 6] |= bit(i & 63)


@inlined
def drop(words: Any, i: Any) -> None:
    """Takes a number out."""
    words[i >> 6] &= ~bit(i & 63)


@inlined
def clear(words: Any) -> None:
    """Empties a set."""
    for i in range(words.shape[0]):
        words[i] = ZERO


@inlined
def word_of(i: Any, word: Any) -> Any:
    """What this one of the words holds of the set of one number."""
    return bit(i & 63) if i >> 6 == word else ZERO
