"""Chance: splitmix64, one generator for every game, in kernels and in numpy.

A game draws with `chance(game, n)`, where `game` is one record of its state with the fields
`rng`, `script` and `options`. Normally `script` is 0 and the draw is random. With a script the
draws are given, however many: `rng` is then the address of the next one in an array of uint16, and
`script` one more than how many are left. `options` tells how many outcomes the first draw has that
is not given, or not one of them. So `outcomes` lists all that can happen, with probabilities, for
any game.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from drago_env.core.compiled import inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_WORD = (1 << 64) - 1
# numba's own types are wrong about these
_intrinsic: Any = intrinsic
_overload: Any = overload
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


def _at(address: Any) -> Any:
    """The uint16 at an address."""
    return ctypes.c_uint16.from_address(int(address)).value


@_intrinsic
def _load(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_data_type(types.uint16).as_pointer()
        return builder.load(builder.inttoptr(arguments[0], kind))

    return types.uint16(types.uint64), generate


@_overload(_at)
def _compiled_at(address: Any) -> Any:
    def load(address: Any) -> Any:
        return _load(address)

    return load


@inlined
def _scripted(game: Any, n: Any) -> Any:
    if game["options"] != 0:
        return np.int64(0)  # what comes of it is thrown away
    if game["script"] > 1:
        draw = np.int64(_at(game["rng"]))
        if draw < n:
            game["rng"] += np.uint64(2)
            game["script"] -= 1
            return draw
    game["options"] = n
    return np.int64(0)


def unscripted(game: Any) -> Any:
    """Whether no draw of a game is given, as in every game that has no chance."""
    return "script" not in game.dtype.names or game["script"] == 0


@_overload(unscripted)
def _compiled_unscripted(game: Any) -> Any:
    def looked_up(game: Any) -> Any:
        return game["script"] == 0

    def always(game: Any) -> Any:
        return True

    return looked_up if "script" in game.fields else always


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
