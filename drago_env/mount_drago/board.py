"""Boards: the track as data, read from a short text file, drawn at random, or built in."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

FORMAT = "drago-board/1"
KINDS = ("start", "plain", "blue", "green", "summit")
MAX_SPACES = 64
# A dragon lands at most 63 times and there are at most ten: 630 * 50 points fit into int16.
MAX_VALUE = 50


class BoardError(ValueError):
    """A board that breaks clause 1.5 or 11, or a board file that cannot be read."""


@dataclass(frozen=True, repr=False)
class Board:
    """A track: the start space, path spaces, and the summit spaces at the end (clause 1.5).

    Boards are plain data. `Board.side(players)` gives the built-in side for a player count,
    `Board.read(path)` a board of your own, `Board.random(seed)` one of endlessly many.

    The file format is one line for each space, after a first line that names the format::

        drago-board/1
        # everything after a hash is a comment
         0 start
        -2 plain
         3 blue
         4 green
         7 summit
    """

    values: tuple[int, ...]
    kinds: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.kinds):
            raise BoardError(
                f"a board needs one kind for each value, not {len(self.values)} values "
                f"and {len(self.kinds)} kinds"
            )
        if not 3 <= len(self.values) <= MAX_SPACES:
            raise BoardError(
                f"a board has 3 to {MAX_SPACES} spaces (start, path, summit), "
                f"not {len(self.values)} (clause 11)"
            )
        for space, (value, kind) in enumerate(zip(self.values, self.kinds, strict=True)):
            problem = _problem(space, value, kind, self.kinds[space - 1] if space else None)
            if problem:
                raise BoardError(f"space {space}: {problem}")
        object.__setattr__(self, "values", tuple(int(value) for value in self.values))
        object.__setattr__(self, "kinds", tuple(self.kinds))
        if self.kinds[1] == "summit" or self.kinds[-1] != "summit":
            raise BoardError("a board has path spaces after the start and ends on the summit (1.5)")

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Board({len(self)} spaces)"

    @property
    def last(self) -> int:
        """The last space, where every dragon stops (clause 4.3)."""
        return len(self.values) - 1

    @property
    def summit(self) -> int:
        """The first summit space."""
        return self.kinds.index("summit")

    @classmethod
    def side(cls, players: int) -> Board:
        """The built-in side for this many players (clause 1.4)."""
        if players not in range(2, 6):
            raise BoardError(f"there is a side for 2 to 5 players, not for {players!r}")
        return _built_in("riders-2-3.txt" if players <= 3 else "riders-4-5.txt")

    @classmethod
    def tiny(cls) -> Board:
        """The eight spaces of the tiny, exactly solvable game (clause 11)."""
        return _built_in("tiny.txt")

    @classmethod
    def random(cls, seed: int, spaces: int = 28) -> Board:
        """A board that keeps clause 1.5: values -2 to 8, 4 blue, 3 green and 4 summit spaces."""
        if seed < 0:
            raise BoardError(f"a random board needs a seed from 0, not {seed}")
        path = spaces - 5
        if not 7 <= path <= MAX_SPACES - 5:
            raise BoardError(f"a random board has 12 to {MAX_SPACES} spaces, not {spaces}")
        # random() alone is promised to give the same numbers in every Python.
        chance = random.Random(seed).random
        order = sorted(range(path), key=[chance() for _ in range(path)].__getitem__)
        kinds = ["plain"] * path
        for space in order[:4]:
            kinds[space] = "blue"
        for space in order[4:7]:
            kinds[space] = "green"
        values = [int(chance() * 11) - 2 for _ in range(path + 4)]
        return cls((0, *values), ("start", *kinds, *["summit"] * 4))

    @classmethod
    def read(cls, path: str | Path) -> Board:
        """Reads a board file; a `BoardError` names the file and the line that is wrong."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BoardError(f"cannot read the board file {path}: {error}") from error
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, source: str = "board") -> Board:
        """The board that a text in the file format describes."""
        values: list[int] = []
        kinds: list[str] = []
        lines = text.splitlines()
        if not lines or lines[0].strip() != FORMAT:
            found = lines[0].strip() if lines else ""
            raise BoardError(f"{source}, line 1: expected {FORMAT!r}, found {found!r}")
        for number, line in enumerate(lines[1:], 2):
            words = line.partition("#")[0].split()
            if not words:
                continue
            if len(words) != 2:
                raise BoardError(
                    f"{source}, line {number}: expected a value and a kind such as '3 blue', "
                    f"found {line.strip()!r}"
                )
            value: Any = int(words[0]) if re.fullmatch(r"[+-]?\d{1,99}", words[0]) else words[0]
            problem = _problem(len(values), value, words[1], kinds[-1] if kinds else None)
            if problem:
                raise BoardError(f"{source}, line {number}: {problem}")
            values.append(value)
            kinds.append(words[1])
            if len(values) > MAX_SPACES:
                raise BoardError(
                    f"{source}, line {number}: a board has at most {MAX_SPACES} spaces (clause 11)"
                )
        try:
            return cls(tuple(values), tuple(kinds))
        except BoardError as error:
            raise BoardError(f"{source}, line {len(lines)}: {error}") from None

    def text(self) -> str:
        """The board in the file format."""
        spaces = [f"{v:>3} {k}" for v, k in zip(self.values, self.kinds, strict=True)]
        return "\n".join([FORMAT, *spaces]) + "\n"

    def pairs(self) -> list[list[Any]]:
        """`[[value, kind], ...]`, as records write it."""
        return [[v, k] for v, k in zip(self.values, self.kinds, strict=True)]

    @classmethod
    def from_pairs(cls, pairs: Any) -> Board:
        """The board of `[[value, kind], ...]`."""
        if not isinstance(pairs, list) or not all(
            isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs
        ):
            raise BoardError(f"a board is a list of [value, kind], not {pairs!r:.60}")
        return cls(tuple(p[0] for p in pairs), tuple(p[1] for p in pairs))


def _problem(space: int, value: Any, kind: Any, before: str | None) -> str | None:
    if isinstance(value, bool) or value != value or not _whole(value):
        return f"the value must be a whole number, not {value!r}"
    if not -MAX_VALUE <= value <= MAX_VALUE:
        return f"the value must be from {-MAX_VALUE} to {MAX_VALUE}, not {value}"
    if kind not in KINDS:
        return f"the kind must be one of {', '.join(KINDS)}, not {kind!r}"
    if (kind == "start") != (space == 0):
        return f"the first space, and no other, is the start, not {kind!r}"
    if kind == "start" and value != 0:
        return f"the start space has the value 0, not {value} (clause 1.5)"
    if before == "summit" and kind != "summit":
        return f"a {kind} space after the summit; the summit spaces stand at the end (clause 1.5)"
    return None


def _whole(value: Any) -> bool:
    try:
        return bool(int(value) == value)
    except (TypeError, ValueError, OverflowError):
        return False


def _built_in(name: str) -> Board:
    file = resources.files(__package__) / "boards" / name
    return Board.parse(file.read_text(encoding="utf-8"), name)
