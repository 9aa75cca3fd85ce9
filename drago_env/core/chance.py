"""Chance: splitmix64, one generator for every game, in kernels and in numpy.

A game draws with `chance(game, n)`, where `game` is one record of its state with the fields
`rng`, `script` and `options`. Normally `script` is 0 and the draw is random. With a script the
draws are given: `rng` then holds them as digits (the first draw is the last digit, in base n of
that draw), and `options` tells how many outcomes the first draw beyond the script has. So
`outcomes` lists all that can happen, with probabilities, for any game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.compiled import inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_WORD = (1 << 64) - 1
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@inlined
def mixed(z: Any) -> Any:
    """The output function of splitmix64."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inlined
def below(z: Any, n: Any) -> Any:
    """A number from 0 to n - 1 out of 64 random bits; n < 256 keeps the bias below 2 ** -24."""
    return np.int64(((mixed(z) >> _S32) * np.uint64(n)) >> _S32)


@inlined
def chance(game: Any, n: Any) -> Any:
    """One of n outcomes: at random, or as the game's script says."""
    if game["script"] != 0:
        return _scripted(game, n)
    game["rng"] = game["rng"] + GOLDEN
    return below(game["rng"], n)


@inlined
def _scripted(game: Any, n: Any) -> Any:
    if game["script"] > 1:
        digit = game["rng"] % np.uint64(n)
        game["rng"] = game["rng"] // np.uint64(n)
        game["script"] -= 1
        return np.int64(digit)
    if game["options"] == 0:
        game["options"] = n
    return np.int64(0)


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A random-looking number for each number, in numpy."""
    z: NDArray[np.uint64] = np.add(numbers, GOLDEN)
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return np.asarray(z ^ (z >> _S31))


def mix_one(number: int) -> int:
    """The same for one number, in Python: numpy takes ten times as long for it."""
    z = number + int(GOLDEN) & _WORD
    z = (z ^ z >> 30) * int(_MIX_1) & _WORD
    z = (z ^ z >> 27) * int(_MIX_2) & _WORD
    return z ^ z >> 31


def unmixed(number: int) -> int:
    """The number that `mixed` takes to this one: so a deal can be given its draws."""
    for shift, factor in ((31, int(_MIX_2)), (27, int(_MIX_1)), (30, 1)):
        number ^= number >> shift ^ number >> 2 * shift
        number = number * pow(factor, -1, 1 << 64) % (1 << 64)
    return number


def as_digits(draws: Sequence[int], bases: Sequence[int]) -> int:
    """Draws as one number, the first one as its last digit, each in the base of its outcomes."""
    number = 0
    for draw, base in zip(reversed(draws), reversed(bases), strict=True):
        number = number * base + draw
    if number >= 1 << 64:
        raise ValueError(f"{len(draws)} draws are too many for one script")
    return number
