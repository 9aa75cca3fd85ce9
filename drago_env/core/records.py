"""Files of records: one game as one JSON object on each line (`.jsonl`), whatever the game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.batches import NO_ACTION
from drago_env.core.files import DAMAGE, replacing
from drago_env.game import Game, State

Record = dict[str, Any]
NOT_DEALT = "a record starts right after the deal: pass a clone of that state"


class RecordError(ValueError):
    """A record that cannot be read or that breaks a rule; names the move and the clause."""


def line(made: Record) -> str:
    """A record as its line of a file."""
    return json.dumps(made, separators=(",", ":")) + "\n"


def write(path: str | Path, records: Iterable[Record]) -> None:
    """Writes records to a file, one on each line."""
    with replacing(path) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(map(line, records))


def read(path: str | Path) -> list[Record]:
    """The records of a file; an error names the line. `verify` tells whether they are sound."""
    records = []
    with Path(path).open("rb") as file:
        for number, row in enumerate(file, 1):
            if not row.strip():
                continue
            try:
                made = json.loads(row.decode("utf-8"))
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
        try:
            for number, move in enumerate(made["moves"]):
                seat = move["seat"]
                name = names[seat] if names else ""
                rows.append((game, number, seat, name, move["action"], seat in winners))
        except DAMAGE as error:
            raise RecordError(f"record {game} cannot be read: {error!r:.80}") from error
    heads = ("game", "move", "seat", "player", "action", "won")
    columns = zip(*rows, strict=True) if rows else [[]] * len(heads)
    return {head: np.array(column) for head, column in zip(heads, columns, strict=True)}


# ---------------------------------------------------------------- writing one


def one_game(start: State) -> State:
    """A copy of the one game that a record is to be made of."""
    if start.shape != (1,):
        raise ValueError(f"a record is of one game: pass state[i : i + 1], not {start.shape}")
    return start.copy()


def signed(seed: int | None, names: Sequence[str] | None, key: str = "players") -> Record:
    """The part of a record that says who played, and from which seed."""
    called = None if names is None else [str(name) for name in names]
    return {"seed": None if seed is None else int(seed), key: called}


def decisions(
    game: Game, state: State, actions: ArrayLike
) -> Iterator[tuple[Record, Any, NDArray[np.int16]]]:
    """Makes decisions one by one: the beginning of the move, the game before it and its points."""
    for action in np.asarray(actions).tolist():
        if action == NO_ACTION:
            raise ValueError("a record has no idle moves: leave -1 out of the actions")
        before = state[0].copy()
        points = game.step(state, [action]).points[0]
        yield {"seat": int(before["seat"]), "action": action}, before, points


VIEW = "this is one seat's view, which hides what others knew; the whole record is needed"


def is_view(made: Record) -> bool:
    """Whether a sound record is one seat's view: it counts hands, or leaves out decisions."""
    counted = any(map(is_int, made.get("start", {}).get("hands", ())))
    return counted or any(move["action"] is None for move in made["moves"])


def seen(made: Record, seat: int, hide: Callable[[Any], Any], **start: Any) -> Record:
    """What one seat may see of a record: other hands become counts, moves what `hide` says."""
    players, hands = made["rules"]["players"], made["start"]["hands"]
    if is_view(made):
        raise ValueError(VIEW)
    if not 0 <= seat < players:
        raise ValueError(f"seat must be from 0 to {players - 1}, not {seat}")
    shown = [hand if other == seat else len(hand) for other, hand in enumerate(hands)]
    moves = [move if move["seat"] == seat else hide(move) for move in made["moves"]]
    start = {**made["start"], "hands": shown, **start}
    return deepcopy({**made, "seed": None, "start": start, "moves": moves})


# ---------------------------------------------------------------- replaying


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
    said: Any = None  # what the records say of these moves, as their game reads it


@dataclass
class Opened:
    """A record whose rules are sound, on its way through a replay."""

    made: Record
    rules: Any
    fault: str | None = None


@dataclass(frozen=True)
class Replays:
    """Going through a game's records, side by side, in groups whose rules have equal sizes."""

    opened: Callable[[Any], Opened | str]  # a record, or what is wrong with its beginning
    walk_group: Callable[[list[Any], NDArray[np.int64], str], Iterator[Frame]]  # notes faults
    ending: tuple[str, ...]  # the keys that a record has once its game has ended

    def verify(self, made: Record) -> None:
        """Replays a record against the rules; `RecordError` names the first wrong move."""
        fault = self.verify_all([made])[0]
        if fault:
            raise RecordError(fault)

    def verify_all(self, records: Sequence[Record]) -> list[str | None]:
        """For each record what is wrong with it, or None; all are replayed side by side."""
        games = [self.opened(made) for made in records]
        for _ in self._walk(games):
            pass
        return [game if isinstance(game, str) else game.fault for game in games]

    def replay(self, made: Record, move: int | None = None) -> tuple[Any, State]:
        """The game after so many moves of a record (by default all), verified up to there.

        What one seat's view of a record does not tell is something that agrees with it.
        """
        opened = self.opened(made)
        if isinstance(opened, str):
            raise RecordError(opened)
        total = len(made["moves"])
        move = total if move is None else move
        if not 0 <= move <= total:
            raise ValueError(f"the record has the moves 0 to {total}, not {move}")
        if move < total:
            opened.made = {k: v for k, v in made.items() if k not in self.ending}
            opened.made["moves"] = made["moves"][:move]
        *_, frame = self._walk([opened])
        if opened.fault:
            raise RecordError(opened.fault)
        return frame.game, frame.state

    def walk(self, records: Sequence[Record], reward: str = "win") -> Iterator[Frame]:
        """Replays records side by side; refuses unsound ones at the end."""
        games = [self.opened(made) for made in records]
        yield from self._walk(games, reward)
        for index, game in enumerate(games):
            fault = game if isinstance(game, str) else game.fault
            if fault:
                raise RecordError(f"record {index}: {fault}")

    def _walk(self, games: Sequence[Opened | str], reward: str = "win") -> Iterator[Frame]:
        groups: dict[Any, list[int]] = {}
        for index, game in enumerate(games):
            if not isinstance(game, str):
                groups.setdefault(game.rules.sizes, []).append(index)
        for indices in groups.values():
            yield from self.walk_group([games[i] for i in indices], np.array(indices), reward)


# ---------------------------------------------------------------- what a record holds


def is_int(x: Any) -> bool:
    """Whether a JSON value is a whole number."""
    return isinstance(x, int) and not isinstance(x, bool)


def is_count(x: Any) -> bool:
    """Whether a JSON value is a whole number from 0."""
    return is_int(x) and x >= 0


def same(said: Any, true: list[int]) -> bool:
    """Whether a JSON value is this list of whole numbers."""
    return said == true and all(map(is_int, said))


def head_fault(made: Any, form: str, parts: Mapping[str, type], rules: Iterable[str]) -> str | None:
    """What is wrong with a record's format, with its parts or with the names of its rules."""
    if not isinstance(made, dict) or made.get("format") != form:
        return f"not a record of the format {form}"
    for key, kind in parts.items():
        if not isinstance(made.get(key), kind):
            return f"{key} is missing or not {'a list' if kind is list else 'an object'}"
    missing = [name for name in rules if name not in made["rules"]]
    return f"the rules lack {missing[0]}" if missing else None


def move_fault(move: Any, counts: Sequence[str]) -> str | None:
    """What is wrong with a move's form and with those of its parts that count something."""
    if not isinstance(move, dict):
        return f"a move is an object, not {move!r:.40}"
    for key in counts:
        if not is_count(move.get(key)):
            return f"{key} must be a whole number, not {move.get(key)!r:.40}"
    return None


def names_fault(made: Record, key: str, players: int) -> str | None:
    """What is wrong with the seed, and with the names of those who play under this key."""
    seed, names = made.get("seed"), made.get(key)
    if seed is not None and not is_count(seed):
        return f"seed must be null or a whole number from 0, not {seed!r:.40}"
    named = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if names is not None and not (named and len(names) == players):
        return f"{key} must be null or {players} names, not {names!r:.40}"
    return None
