"""Records as columns: a table of moves for analysts, arrays of decisions for learners.

And means of what they say, with intervals that know which moves belong to one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.transitions import transitions as of_frames
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, decode
from drago_env.mount_drago.board import MAX_SPACES, Board
from drago_env.mount_drago.record import Frame, Record, walk
from drago_env.mount_drago.rules import COLOURS, MAX_PLAYERS


def table(records: Sequence[Record]) -> dict[str, NDArray[Any]]:
    """One row for each move, as equally long columns for pandas or Parquet.

    `pandas.DataFrame(table(records))`. Colour, value and the spaces are those of the card and
    its dragon; -1 and "" stand where a move has no card. `points_own` and `score_own` are the
    mover's, `score_own` after the move; `points_0` and so on are those of each seat, up to the
    most riders at a table.
    """
    records = list(records)
    parts = [_moves(frame) for frame in walk(records)]
    if not parts:
        return {name: np.array([]) for name in _COLUMNS}
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((columns["move"], columns["game"]))
    columns = {name: column[order] for name, column in columns.items()}
    known = [made.get("riders") or () for made in records]
    riders = np.array([[*names, *[""] * (MAX_PLAYERS - len(names))] for names in known])
    columns["rider"] = riders[columns["game"], columns["seat"]]
    empty = MAX_PLAYERS - max(made["rules"]["players"] for made in records)
    return {name: columns[name] for name in _COLUMNS[: len(_COLUMNS) - empty]}


def _moves(frame: Frame) -> dict[str, NDArray[Any]]:
    """The rows of the moves that are made now, but for the riders' names."""
    rules, state, rows, said = frame.game.rules[0], frame.state, frame.rows, frame.said
    action, seat = frame.actions[rows], state["seat"][rows].astype(np.int64)
    step, card = decode(action, rules.card_kinds)
    of_card, colour = step < TO_END, np.minimum(card // rules.values, rules.colours - 1)
    value = np.where(of_card, card % rules.values + 1, -1)
    before = np.where(of_card, state["position"][rows, colour].astype(np.int64), -1)
    board = frame.game.tables[state["board"][rows]]
    after = np.where(step < TO_DISCARD, np.minimum(before + value, board["last"]), before)
    moved, places = before != after, np.arange(len(rows))
    own = said.points[places, seat]
    return {
        "game": frame.records[rows],
        "move": np.full(len(rows), frame.move),
        "seat": seat,
        "action": action,
        "step": np.array(_STEPS)[step],
        "colour": np.where(of_card, np.array(COLOURS)[colour], ""),
        "value": value,
        "space_before": before,
        "space_after": after,
        "landed_value": np.where(moved, board["space_value"][places, after], np.int64(0)),
        "landed_kind": np.where(moved, _kinds(frame.game.boards)[state["board"][rows], after], ""),
        "hand_size": state["hand_size"][rows, seat].astype(np.int64),
        "drawn": said.size,
        "deck": said.deck,
        "points_own": own,
        "score_own": state["score"][rows, seat].astype(np.int64) + own,
        **{f"points_{number}": said.points[:, number] for number in range(MAX_PLAYERS)},
    }


@lru_cache(8)
def _kinds(boards: tuple[Board, ...]) -> NDArray[np.str_]:
    """The kind of every space of these boards, `(boards, MAX_SPACES)`."""
    return np.array([[*board.kinds, *[""] * (MAX_SPACES - len(board))] for board in boards])


_STEPS = ("play", "keep", "discard", "done")  # by what is done
_COLUMNS = (
    *("game", "move", "seat", "rider", "action", "step", "colour", "value"),
    *("space_before", "space_after", "landed_value", "landed_kind"),
    *("hand_size", "drawn", "deck", "points_own", "score_own"),
    *(f"points_{seat}" for seat in range(MAX_PLAYERS)),
)


def transitions(records: Sequence[Record], reward: str = "win") -> dict[str, NDArray[Any]]:
    """Every decision of whole games as arrays; see `drago_env.analysis`, which has all games."""
    return of_frames(walk(records, reward), records)


class Means(NamedTuple):
    """Means of groups, with half the width of their 95% intervals."""

    groups: NDArray[Any]  # (k,), ascending
    mean: NDArray[np.float64]  # (k,)
    error: NDArray[np.float64]  # (k,)
    games: NDArray[np.int64]  # (k,): how many games each is from


def means(values: ArrayLike, groups: ArrayLike, games: ArrayLike, least: int = 30) -> Means:
    """The mean of the values in each group, every game counting once, with its 95% interval.

    Values of one game are not independent, so each game is reduced to its mean first, and the
    interval is that of the games' means. Groups with fewer than `least` games are left out: the
    interval is a normal one.
    """
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    numbers, game = np.unique(np.asarray(games), return_inverse=True)
    cell, shape = place * len(numbers) + game, (len(names), len(numbers))
    size = len(names) * len(numbers)
    count = np.bincount(cell, minlength=size).reshape(shape)
    total = np.bincount(cell, np.asarray(values, np.float64), size).reshape(shape)
    met = count > 0
    found = np.where(met, total / np.maximum(count, 1), 0)
    clusters = met.sum(1)
    mean = found.sum(1) / clusters
    spread = np.where(met, found - mean[:, None], 0)
    variance = (spread**2).sum(1) / np.maximum(clusters - 1, 1)
    kept = clusters >= least
    error = 1.959964 * np.sqrt(variance / clusters)
    return Means(names[kept], mean[kept], error[kept], clusters[kept])
