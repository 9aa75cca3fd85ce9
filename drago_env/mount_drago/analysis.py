"""Records as columns: a table of moves for analysts, arrays of decisions for learners.

And means of what they say, with intervals that know which moves belong to one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.transitions import transitions as of_frames
from drago_env.mount_drago.moves import numbers
from drago_env.mount_drago.record import Frame, Record, walk
from drago_env.mount_drago.rules import COLOURS, MAX_PLAYERS


def table(records: Sequence[Record]) -> dict[str, NDArray[Any]]:
    """One row for each move, as equally long columns for pandas or Parquet.

    `pandas.DataFrame(table(records))`. Colour, value and the spaces are those of the card and
    its dragon; -1 and "" stand where a move has no card. `points_own` and `score_own` are the
    mover's, `score_own` after the move.
    """
    parts = [_moves(frame, records) for frame in walk(records)]
    if not parts:
        return {name: np.array([]) for name in _COLUMNS}
    columns = {name: np.concatenate([part[name] for part in parts]) for name in _COLUMNS}
    order = np.lexsort((columns["move"], columns["game"]))
    return {name: column[order] for name, column in columns.items()}


def _moves(frame: Frame, records: Sequence[Record]) -> dict[str, NDArray[Any]]:
    """The rows of the moves that are made now."""
    rules, state, games = frame.game.rules[0], frame.state[frame.rows], frame.records[frame.rows]
    here = [records[game] for game in games.tolist()]
    said = numbers([made["moves"][frame.move] for made in here])
    assert said is not None, "the replay lets only well-formed moves through"
    rows = np.arange(len(games))
    step, card = np.divmod(said.action, rules.card_kinds)
    of_card, colour = step < 3, np.minimum(card // rules.values, rules.colours - 1)
    value = np.where(of_card, card % rules.values + 1, -1)
    before = np.where(of_card, state["position"][rows, colour].astype(np.int64), -1)
    last = np.array([board.last for board in frame.game.boards])[state["board"]]
    after = np.where(step < 2, np.minimum(before + value, last), before)
    moved = before != after
    landed = [frame.game.boards[number] for number in state["board"].tolist()]
    spaces = list(zip(landed, after.tolist(), moved.tolist(), strict=True))
    names = [made.get("riders") for made in here]
    own = said.points[rows, said.seat]
    columns: dict[str, Any] = {
        "game": games,
        "move": np.full(len(games), frame.move),
        "seat": said.seat,
        "rider": [
            known[seat] if known else ""
            for known, seat in zip(names, said.seat.tolist(), strict=True)
        ],
        "action": said.action,
        "step": np.array(_STEPS)[step],
        "colour": np.where(of_card, np.array(COLOURS)[colour], ""),
        "value": value,
        "space_before": before,
        "space_after": after,
        "landed_value": [board.values[to] if on else 0 for board, to, on in spaces],
        "landed_kind": [board.kinds[to] if on else "" for board, to, on in spaces],
        "hand_size": state["hand_size"][rows, said.seat].astype(np.int64),
        "drawn": said.size,
        "deck": said.deck,
        "points_own": own,
        "score_own": state["score"][rows, said.seat].astype(np.int64) + own,
    }
    paid = {f"points_{seat}": said.points[:, seat] for seat in range(MAX_PLAYERS)}
    return {name: np.asarray(column) for name, column in (columns | paid).items()}


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
