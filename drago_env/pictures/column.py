"""The column beside a board: whose turn it is, every seat, and the last move; for any game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drago_env.game import Move
from drago_env.pictures.canvas import (
    HEIGHT,
    WIDTH,
    Box,
    Circle,
    Line,
    Part,
    Shape,
    Text,
    fit,
    width,
)

INK, SOFT, ACCENT = "#1c2733", "#5d6b78", "#c2410c"
BOARD = 640  # how wide a board is; right of it is the column
LEFT, WIDE = 650.0, 300.0  # the column without its margins
TALLY = 62.0  # the height of the line below whose turn it is
_SEATS, _BELOW = 84.0, 556.0  # between these heights the seats are listed
_EDGE, _BACK = "#9aa7b1", "#4a5a86"


class Card(NamedTuple):
    """A card, or whatever else a seat holds and shows as one."""

    name: str  # in words; the choices behind it name it, see `Choice.button`
    large: str  # such as a number
    small: str  # a few letters below it
    fill: str
    ink: str

    def shapes(self, x: float, y: float, wide: float, tall: float) -> list[Shape]:
        """Drawn with its upper left corner at this point."""
        size = min(0.42 * tall, 0.62 * wide)
        return [
            Box(x, y, wide, tall, self.fill, "#10161c", 1.2, 4),
            Text(x + wide / 2, y + 0.34 * tall, self.large, size, self.ink, bold=True),
            Text(x + wide / 2, y + 0.76 * tall, self.small, 0.68 * size, self.ink),
        ]

    def face(self, wide: float, tall: float) -> list[Shape]:
        """Drawn large, for a button beside which its name stands."""
        return self.shapes(1, 1, wide - 2, tall - 2)


class Fact(NamedTuple):
    """Something short that everybody may know of a seat."""

    text: str  # such as `6 cards`
    tint: str = ""  # a colour beside it


class Seat(NamedTuple):
    """One who plays, as the viewer sees them."""

    name: str
    note: str = ""  # such as `to play` or `wins`
    acts: bool = False  # whether the game waits for them
    wins: bool = False
    points: int | None = None  # None in a game without points
    gained: int = 0  # by the last move
    facts: tuple[Fact, ...] = ()
    shown: tuple[Card, ...] = ()  # what lies open before them
    hand: tuple[Card, ...] | None = ()  # None: hidden from the viewer
    held: int = 0  # how many are in a hidden hand


def column(
    turn: tuple[str, str],
    tally: Sequence[Shape],
    seats: Sequence[Seat],
    last: Move | None,
    over: bool,
) -> list[Part]:
    """The parts of the column; `turn` is a name or names, and what is to be said of them."""
    high = min((_BELOW - _SEATS) / len(seats), 122.0)
    listed = [_head(turn, tally, over)]
    for number, seat in enumerate(seats):
        y = _SEATS + number * high
        about = {"seat": number}
        listed.append(Part(f"seat-{number}", _seat(number, seat, high - 7), LEFT, y, data=about))
        listed.append(Part(f"cards-{number}", _cards(seat, high - 7), LEFT, y, data=about))
    return [*listed, _last([seat.name for seat in seats], last)]


def is_beside(part: Part) -> bool:
    """Whether a part belongs to the column."""
    return part.name in ("status", "last") or part.name.startswith(("seat-", "cards-"))


def _head(turn: tuple[str, str], tally: Sequence[Shape], over: bool) -> Part:
    who, what = turn
    size = 17 if width(who + what, 17, bold=True) <= WIDE - 24 else 14
    who = fit(who, size, WIDE - 24 - width(what, size, bold=True), bold=True)
    return Part(
        "status",
        (
            Box(BOARD, 0, WIDTH - BOARD, HEIGHT, "#e9edf0"),
            Box(LEFT, 8, WIDE, 68, "#fff3d6" if over else "#ffffff", _EDGE, 1.2, 8),
            Text(LEFT + 12, 28, who + what, size, INK, "start", bold=True),
            *tally,
        ),
    )


def _seat(number: int, seat: Seat, high: float) -> tuple[Shape, ...]:
    marked = seat.acts or seat.wins
    fill, line = ("#fff3d6", ACCENT) if marked else ("#ffffff", _EDGE)
    right = WIDE - 12
    score = "" if seat.points is None else str(seat.points)
    gained = f"{seat.gained:+d}" if seat.gained else ""
    taken = width(score, 20, bold=True) + 8 if score else 0
    ends = right - taken - (width(gained, 13, bold=True) + 8 if gained else 0)
    name_room = ends - 34 - (width(seat.note, 12, bold=True) + 10 if seat.note else 0)
    name = fit(seat.name, 14, name_room, bold=True)
    shapes: list[Shape] = [
        Box(0, 0, WIDE, high, fill, line, 2.4 if marked else 1.2, 8),
        Circle(18, 17, 9.5, "#ffffff", INK, 1.6),
        Text(18, 17, str(number), 13, bold=True),
        Text(34, 17, name, 14, INK, "start", bold=True),
    ]
    if score:
        shapes.append(Text(right, 18, score, 20, INK, "end", bold=True))
    if gained:
        shapes.append(Text(right - taken, 18, gained, 13, ACCENT, "end", bold=True))
    if seat.note:
        x = min(34 + width(name, 14, bold=True) + 4, ends - width(seat.note, 12, bold=True))
        shapes.append(Text(x, 17, seat.note, 12, ACCENT, "start"))
    return tuple(shapes)


def _cards(seat: Seat, high: float) -> tuple[Shape, ...]:
    """What lies open, then the hand: small cards, or their backs with a count; else the facts."""
    held = seat.held if seat.hand is None else len(seat.hand)
    if not seat.shown and not held:
        return _facts(seat, high)
    tall = min(high - 42, 60.0)
    wide = min(tall * 0.72, 31.0)
    y, x = 34 + (high - 34 - 6 - tall) / 2, 12.0
    shapes: list[Shape] = []
    for card in seat.shown:
        shapes += card.shapes(x, y, wide, tall)
        x += wide + 3.5
    if seat.shown:
        line = max(56.0, x + 4)
        shapes.append(Line(((line, y), (line, y + tall)), _EDGE))
        x = line + 9
    step = min(wide + 3.5, (WIDE - 40 - x) / max(held, 1))  # many cards overlap
    for number in range(held):
        if seat.hand is None:
            shapes.append(Box(x, y, wide, tall, _BACK, INK, 1.2, 4))
            shapes.append(Box(x + 4, y + 4, wide - 8, tall - 8, _BACK, "#aab6d8", 1, 2))
        else:
            shapes += seat.hand[number].shapes(x, y, wide, tall)
        x += step
    if seat.hand is None:
        x += wide + 3.5 - step + 4
        shapes.append(Text(x, y + tall / 2, str(held), 14, SOFT, "start", bold=True))
    return tuple(shapes)


def _facts(seat: Seat, high: float) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    x, y = 14.0, 34 + (high - 34) / 2 - 4
    for fact in seat.facts:
        if fact.tint:
            shapes.append(Circle(x + 5, y, 5, fact.tint, INK, 1))
            x += 14
        text = fit(fact.text, 12, WIDE - 14 - x)
        shapes.append(Text(x, y, text, 12, SOFT, "start"))
        x += width(text, 12) + 10
        if x > WIDE - 40:
            break
    return tuple(shapes)


def _last(names: Sequence[str], last: Move | None) -> Part:
    x, y = LEFT + 12, _BELOW + 2
    shapes: list[Shape] = [Box(LEFT, y, WIDE, 74, "#ffffff", _EDGE, 1.2, 8)]
    if last is None:
        return Part("last", (*shapes, Text(x, y + 37, "no move yet", 13, SOFT, "start")))
    by = fit(f"last move by {names[last.seat]}", 12, WIDE - 24)
    what = fit(last.text, 15, WIDE - 24, bold=True)
    shapes += [
        Text(x, y + 16, by, 12, SOFT, "start"),
        Text(x, y + 37, what, 15, INK, "start", bold=True),
    ]
    if len(last.points):
        points = signed(last.points) if any(last.points) else ""
        words = f"points {points}" if points else "no points"
        shapes.append(Text(x, y + 58, words, 12, SOFT, "start"))
    return Part("last", tuple(shapes))


def signed(points: Sequence[int]) -> str:
    """What each seat got, with its sign."""
    return ", ".join(f"{number:+d}" if number else "0" for number in points)
