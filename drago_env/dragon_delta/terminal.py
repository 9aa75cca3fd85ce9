"""A position in the terminal: in words, in colour, and no line longer than 80 letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from drago_env.dragon_delta.state import OVER
from drago_env.dragon_delta.visible import Table
from drago_env.dragon_delta.words import position
from drago_env.game import Move

WIDTH = 80
_TINTS = {"white": "1;97", "yellow": "93", "red": "91", "black": "7", "blue": "94", "green": "92"}


def text(table: Table, viewer: int | None, last: Move | None, names: Sequence[str]) -> str:
    """The position for a terminal, in colour."""
    lines = position(table.game, table.rules, viewer).splitlines()
    about, seats = lines[: -len(names)], lines[-len(names) :]
    if last:
        about.append(f"last move: {names[last.seat]}: {last.text}")
    told = [line for words in about for line in _wrapped(words, "  ")]
    for seat, words in enumerate(seats):
        told += _seat(table, seat, words, names[seat])
    return "\n".join(told)


def _wrapped(words: str, indent: str) -> list[str]:
    """Lines of a text; a plank with its number and its link stays in one line."""
    joined = re.sub(r"(?<=\d) (?=[a-z])|(?<=[a-z]) (?=\d)", "\xa0", words)
    return [line.replace("\xa0", " ") for line in wrap(joined, WIDTH, subsequent_indent=indent)]


def _seat(table: Table, seat: int, words: str, name: str) -> Iterator[str]:
    """What is said of a seat; its colour is painted once the lines are cut."""
    colour = table.rules.colours[seat]
    acts = seat == table.seat and table.game["step"] != OVER
    called = "" if name == f"player {seat}" else f" ({name})"
    rest = words.removeprefix(f"{colour}: ")
    whole = f"{'>' if acts else ' '} {colour}{called}, {table.way_text(seat)}: {rest}"
    first, *more = _wrapped(whole, "    ")
    yield first.replace(colour, f"\x1b[{_TINTS.get(colour, '1')}m{colour}\x1b[0m", 1)
    yield from more
