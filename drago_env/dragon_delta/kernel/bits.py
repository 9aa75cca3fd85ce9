"""Sets as bits: nodes in one word of 64 bits, links in three."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined

NONE, ONE = np.uint64(0), np.uint64(1)
_S6, _LOW6 = 6, 63
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
def lowest(bits: Any) -> Any:
    """The smallest number of a set that is not empty."""
    return np.int64(_PLACE[(bits & (~bits + ONE)) % _MODULUS])


@inlined
def size(bits: Any) -> Any:
    """How many numbers a set has."""
    x = bits - ((bits >> _B1) & _M1)
    x = (x & _M2) + ((x >> _B2) & _M2)
    x = (x + (x >> _B4)) & _M4
    x = x + (x >> _B8)
    x = x + (x >> _B16)
    x = x + (x >> _B32)
    return np.int64(x & _M7)


@inlined
def has_link(links: Any, link: Any) -> Any:
    """Whether a link is in three words."""
    return (links[link >> _S6] >> np.uint64(link & _LOW6)) & ONE != NONE


@inlined
def word_of(link: Any, word: Any) -> Any:
    """The bit of a link in this one of the three words."""
    return bit(link & _LOW6) if link >> _S6 == word else NONE
