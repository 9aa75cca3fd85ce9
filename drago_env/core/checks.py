"""Checks of what callers hand over: each names the value, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.game import Seeds, State


def is_int(number: Any) -> bool:
    """Whether this is a whole number; True and False are none."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool | np.bool_)


def whole(
    name: str,
    number: Any,
    low: int,
    high: int | None = None,
    error: type[ValueError] = ValueError,
    clause: str = "",
) -> int:
    """A whole number within bounds, or an error that names them."""
    bounds = f"from {low}" if high is None else f"from {low} to {high}"
    if not is_int(number) or (high is None and number < low):
        raise error(f"{name} must be a whole number {bounds}, not {number!r:.60}")
    if high is not None and not low <= number <= high:
        raise error(f"{name} must be {bounds}, not {number}" + (clause and f" (clause {clause})"))
    return int(number)


def one_batch(
    rules: tuple[Any, ...],
    kind: type[Any],
    error: type[ValueError],
    sizes: str,
    what: str = "rules",
) -> tuple[Any, ...]:
    """The rules of one batch, by default the standard ones; unequal sizes are refused."""
    rules = rules or (kind(),)
    for other in rules:
        if not isinstance(other, kind):
            raise error(f"expected Rules, not {other!r:.60}")
        if other.sizes != rules[0].sizes:
            have = f"{rules[0].sizes} and {other.sizes}"
            raise error(f"the {what} of one batch must have equal sizes ({sizes}), not {have}")
    return rules


def real(name: str, number: Any, low: float, high: float) -> None:
    """Refuses what is no number within bounds."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low} to {high}, not {number!r:.60}")


def one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Refuses a word that is not allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r:.60}")


def whole_numbers(name: str, numbers: ArrayLike, length: int | None) -> NDArray[np.int64]:
    """A one-dimensional array of whole numbers, of this length if one is given."""
    array = np.asarray(numbers)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must be whole numbers, not {array.dtype}")
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "one-dimensional" if length is None else f"of shape ({length},)"
        raise ValueError(f"{name} must be {wanted}, not of shape {array.shape}")
    if array.dtype == np.uint64 and (array > np.uint64(2**63 - 1)).any():
        raise ValueError(f"{name} must be below 2**63, not {array.max()}")
    return np.ascontiguousarray(array, np.int64)


def within(name: str, array: NDArray[np.int64], low: int, high: int) -> None:
    """Refuses an array with a number outside the bounds, naming its place."""
    outside = (array < low) | (array > high)
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(f"{name}[{row}] must be from {low} to {high}, not {array[row]}")


def picked_rows(rows: ArrayLike | None, n: int) -> NDArray[np.int64]:
    """Rows of a batch by their numbers; None are all."""
    if rows is None:
        return np.arange(n)
    picked = whole_numbers("rows", rows, None)
    within("rows", picked, 0, n - 1)
    return picked


def output(name: str, array: Any, shape: tuple[int, ...], dtype: Any) -> None:
    """Refuses an array that a kernel could not fill."""
    if (
        not isinstance(array, np.ndarray)
        or array.shape != shape
        or array.dtype != dtype
        or not array.flags.c_contiguous
        or not array.flags.writeable
    ):
        raise ValueError(
            f"{name} must be a contiguous, writeable array of shape {shape} and type "
            f"{np.dtype(dtype)}, not {getattr(array, 'dtype', type(array).__name__)} of shape "
            f"{getattr(array, 'shape', ())}"
        )


def seed_array(seeds: Seeds, length: int | None = None) -> NDArray[np.uint64]:
    """Seeds as the array that the games take; anything else than whole numbers is refused."""
    if isinstance(seeds, np.ndarray):
        sound = seeds.ndim == 1 and seeds.dtype.kind in "iu" and not (seeds < 0).any()
    else:
        listed = list(seeds) if isinstance(seeds, Sequence) else [seeds]
        sound = all(is_int(seed) and 0 <= seed < 2**64 for seed in listed)
        seeds = np.array(listed, np.uint64) if sound else seeds
    if not sound:
        raise ValueError(f"seeds must be whole numbers from 0 to 2**64 - 1, not {seeds!r:.60}")
    array = np.ascontiguousarray(seeds, np.uint64)
    if length is not None and len(array) != length:
        raise ValueError(f"{length} games need as many seeds, not {len(array)}")
    return array


def select(state: State, rows: Any = slice(None)) -> State:
    """A copy of these rows, by default of all: ten times faster than numpy copies records."""
    raw = state.view(f"V{state.dtype.itemsize}")
    return np.asarray(raw[rows].copy()).view(state.dtype)


def entry(snapshot: Any, name: str) -> NDArray[Any]:
    """An array of a snapshot, as a fresh copy."""
    try:
        return np.array(snapshot[name])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"the snapshot cannot be read: {name} is missing or broken") from error


def checked_arrays(snapshot: Any, like: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """The arrays of a snapshot as fresh copies; others than those it should have are refused."""
    found = []
    for name, here in like.items():
        array = entry(snapshot, name)
        if array.shape != here.shape or array.dtype != here.dtype:
            raise ValueError(
                f"the snapshot is of {array.shape[0] if array.ndim else 1} games, not of "
                f"{here.shape[0] if here.ndim else 1}, "
                f"or of another game or number of players: {name} must have the shape "
                f"{here.shape}, not {array.shape}, and its type"
            )
        found.append(array.view(here.dtype))  # files forget that records are aligned
    return found
