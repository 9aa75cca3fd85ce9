"""The moves of many records as arrays, so that sound ones are checked side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.game import State
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import MAX_HAND, MAX_PLAYERS
from drago_env.mount_drago.state import OVER

LARGE = 2**40


class Numbers(NamedTuple):
    """What well-formed moves say, a row each; lists are padded with 0."""

    seat: NDArray[np.int64]
    action: NDArray[np.int64]
    deck: NDArray[np.int64]
    paid: NDArray[np.int64]  # for how many seats points are given
    points: NDArray[np.int64]
    size: NDArray[np.int64]  # how many cards were drawn
    drawn: NDArray[np.int64]


def numbers(moves: Sequence[Any]) -> Numbers | None:
    """The numbers of moves; None if one of them is not well-formed."""
    try:
        single = [(move["seat"], move["action"], move["deck"]) for move in moves]
        points, drawn = [move["points"] for move in moves], [move["drawn"] for move in moves]
        lists = [*points, *drawn]
        if {*map(type, chain.from_iterable((*single, *lists)))} - {int} or (
            {*map(type, lists)} - {list}
        ):
            return None
    except (KeyError, TypeError):
        return None
    seat, action, deck = _array(list(chain.from_iterable(single))).reshape(-1, 3).T
    return Numbers(seat, action, deck, *_padded(points, MAX_PLAYERS), *_padded(drawn, MAX_HAND))


def _padded(lists: list[list[int]], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lengths, and the lists side by side in an array; what is too long for it is cut off."""
    lengths = np.array([len(one) for one in lists], np.int64)
    if lengths.max(initial=0) > width:
        lists = [one[:width] for one in lists]
    out = np.zeros((len(lists), width), np.int64)
    out[np.arange(width) < lengths[:, None]] = _array(list(chain.from_iterable(lists)))
    return lengths, out


def _array(values: list[int]) -> NDArray[np.int64]:
    """Numbers as an array; what fits into none is cut to what no game has."""
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array([max(-LARGE, min(LARGE, value)) for value in values], np.int64)


def doubtful(
    book: MountDrago, state: State, rows: NDArray[np.int64], said: Numbers | None
) -> list[int]:
    """The places among the rows whose move is not plainly one that can be made."""
    if said is None:
        return list(range(len(rows)))
    now = state[rows]
    inside = (said.action >= 0) & (said.action < book.spec.num_actions) & (said.deck >= 0)
    mask = book.legal(now).mask if len(rows) else np.zeros((0, 1), np.int8)
    legal = mask[np.arange(len(rows)), np.where(inside, said.action, 0)] == 1
    fine = inside & legal & (said.seat == now["seat"]) & (now["phase"] != OVER)
    return np.flatnonzero(~fine).tolist()


def untrue(
    book: MountDrago,
    state: State,
    rows: NDArray[np.int64],
    said: Numbers,
    points: NDArray[np.int16],
) -> list[int]:
    """The places among the rows whose move is not said to have brought what it brought."""
    now = state[rows]
    there = np.arange(MAX_PLAYERS) < now["players"][:, None]
    fine = said.paid == now["players"]
    fine &= (said.points == np.where(there, points[rows], 0)).all(1)
    fine &= (said.size == now["drawn_size"]) & (said.deck == now["deck_size"])
    fine &= ((said.drawn >= 0) & (said.drawn < book.rules[0].card_kinds)).all(1)
    return np.flatnonzero(~fine).tolist()
