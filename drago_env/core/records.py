"""Files of records: one game as one JSON object on each line (`.jsonl`), whatever the game."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.game import State

Record = dict[str, Any]


class RecordError(ValueError):
    """A record that cannot be read or that breaks a rule; names the move and the clause."""


def write(path: str | Path, records: Iterable[Record]) -> None:
    """Writes records to a file, one on each line."""
    with Path(path).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(made, separators=(",", ":")) + "\n" for made in records)


def read(path: str | Path) -> list[Record]:
    """The records of a file; an error names the line. `verify` tells whether they are sound."""
    records = []
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                made = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{path}, line {number}: not a whole record: {error}") from error
            if not isinstance(made, dict):
                raise RecordError(f"{path}, line {number}: a record is an object, not {made!r:.40}")
            records.append(made)
    return records


def table(records: Sequence[Record], seats: str = "players") -> dict[str, NDArray[Any]]:
    """One row for each move of games of any kind, as equally long columns for pandas or Parquet.

    `won` says whether the mover won in the end. Records are taken at their word: `verify_all` of
    their game checks them. `seats` is where a record names who plays.
    """
    rows = []
    for game, made in enumerate(records):
        names, winners = made.get(seats) or {}, made.get("winners") or ()
        for number, move in enumerate(made["moves"]):
            seat = move["seat"]
            name = names[seat] if names else ""
            rows.append((game, number, seat, name, move["action"], seat in winners))
    heads = ("game", "move", "seat", "player", "action", "won")
    columns = zip(*rows, strict=True) if rows else [[]] * len(heads)
    return {head: np.array(column) for head, column in zip(heads, columns, strict=True)}


@dataclass
class Frame:
    """A moment of a replay, before the moves with this number are made."""

    game: Any  # the rule book
    state: State  # a row for each record
    move: int
    rows: NDArray[np.int64]  # the rows that move now
    records: NDArray[np.int64]  # which record each row of the state belongs to
    actions: NDArray[np.int64]  # of each row; -1 where the record has ended
    rewards: NDArray[np.float32]  # of each row and seat, filled in once the moves are made
