"""Records as columns: a table of moves for analysts, arrays of decisions for learners.

And means of what they say, with intervals that know which moves belong to one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.transitions import transitions as of_frames
from drago_env.mount_drago.record import Record, walk
from drago_env.mount_drago.rules import COLOURS, MAX_PLAYERS


def table(records: Sequence[Record]) -> dict[str, NDArray[Any]]:
    """One row for each move, as equally long columns for pandas or Parquet.

    `pandas.DataFrame(table(records))`. Colour, value and the spaces are those of the card and
    its dragon; -1 and "" stand where a move has no card. `points_own` and `score_own` are the
    mover's, `score_own` after the move.
    """
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    for frame in walk(records):
        rules = frame.game.rules[0]
        for row in frame.rows:
            record = records[frame.records[row]]
            move = record["moves"][frame.move]
            seat, action = move["seat"], move["action"]
            step, card = divmod(action, rules.card_kinds)
            state = frame.state[row]
            board = frame.game.boards[int(state["board"])]
            colour, value, before, after = "", -1, -1, -1
            if step < 3:
                colour, value = COLOURS[card // rules.values], card % rules.values + 1
                before = after = int(state["position"][card // rules.values])
            if step < 2:
                after = min(before + value, board.last)
            moved = before != after
            points = move["points"] + [0] * (MAX_PLAYERS - len(move["points"]))
            values = (
                int(frame.records[row]),
                frame.move,
                seat,
                record["riders"][seat] if record.get("riders") else "",
                action,
                _STEPS[step],
                colour,
                value,
                before,
                after,
                board.values[after] if moved else 0,
                board.kinds[after] if moved else "",
                int(state["hand_size"][seat]),
                len(move["drawn"]),
                move["deck"],
                points[seat],
                int(state["score"][seat]) + points[seat],
                *points,
            )
            for column, entry in zip(columns.values(), values, strict=True):
                column.append(entry)
    order = np.lexsort((columns["move"], columns["game"]))
    return {name: np.array(column)[order] for name, column in columns.items()}


_STEPS = ("play", "keep", "discard", "done")
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
