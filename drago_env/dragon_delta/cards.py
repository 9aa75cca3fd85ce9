"""How colours, cards and pawns look: a tint, and always a letter or a figure besides it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from drago_env.dragon_delta.actions import card_text
from drago_env.dragon_delta.rules import CARDS, MAX_KINDS, Rules
from drago_env.pictures.canvas import Box, Circle, Line, Point, Polygon, Shape, Text, width
from drago_env.pictures.column import ACCENT, INK, Card

EDGE, BACK, STONE = "#10161c", "#4a5a86", "#8d959c"
_KNOWN = {
    "white": ("#ffffff", "W"),
    "yellow": ("#f5cc1b", "Y"),
    "red": ("#d42a2a", "R"),
    "black": ("#2a2a2e", "K"),
    "blue": ("#2463d1", "B"),
    "green": ("#1f8a46", "G"),
}
_SPARE = ("#8f4fc9", "#f5862a", "#86d0f5", "#a3a8ad", "#8b5a2b", "#f29cc0")  # of maps of one's own
_PALE = ("#ffffff", "#f5cc1b", "#86d0f5", "#a3a8ad", "#f5862a", "#f29cc0")  # carry dark letters
# what a card says below its figure, how many, and its colour
_FACES = {
    "stone1": ("stone", 1, "#dfe3e6"),
    "stones2": ("stone", 2, "#dfe3e6"),
    "plank1": ("plank", 1, "#f0dcb4"),
    "planks2": ("plank", 2, "#f0dcb4"),
    "remove": ("take", 1, "#f7d0c8"),
    "move1": ("move", 1, "#cfead2"),
    "move2": ("move", 2, "#cfead2"),
    "jump": ("jump", 1, "#cbe3f5"),
}


class Look(NamedTuple):
    """How a colour is drawn."""

    tint: str
    letter: str

    @property
    def ink(self) -> str:
        """The colour of letters on the tint."""
        return INK if self.tint in _PALE else "#ffffff"


@lru_cache(maxsize=64)
def looks(colours: tuple[str, ...]) -> dict[str, Look]:
    """How each colour of a map is drawn; those of a map of one's own get what is left."""
    made = {colour: Look(*_KNOWN[colour]) for colour in colours if colour in _KNOWN}
    spare = iter(_SPARE)
    for colour in colours:
        if colour not in made:
            taken = {look.letter for look in made.values()}
            letters = (*colour.upper(), *"123456")
            free = (x for x in letters if x.isascii() and x.isalnum() and x not in taken)
            made[colour] = Look(next(spare), next(free))
    return made


class ProgramCard(Card):
    """A card of a program: a figure, and a word below it."""

    def shapes(self, x: float, y: float, wide: float, tall: float) -> list[Shape]:
        """Drawn with its upper left corner at this point."""
        high = 0.22 * tall
        size = min(high, 0.9 * wide / width(self.small, 1))
        middle, unit = (x + wide / 2, y + 0.4 * tall), min(0.85 * wide, 0.62 * tall)
        paper = "#ffffff" if self.small == "dragon" else self.fill
        return [
            Box(x, y, wide, tall, paper, EDGE, 1.2, min(4, 0.1 * tall)),
            *self._figure(*middle, unit),
            Text(x + wide / 2, y + 0.84 * tall, self.small, size, INK),
        ]

    def _figure(self, x: float, y: float, unit: float) -> list[Shape]:
        if self.small == "dragon":
            return _head(x, y, unit, self.fill, self.large, self.ink)
        shifts = (0.0,) if self.large == "1" else (-0.24 * unit, 0.24 * unit)
        return [shape for shift in shifts for shape in _FIGURES[self.small](x, y, shift, unit)]


def card(number: int, seat: int, rules: Rules) -> ProgramCard:
    """A card of a seat, as it is shown when it lies open."""
    name = card_text(number, rules, seat)
    if number < MAX_KINDS:
        word, count, fill = _FACES[CARDS[number]]
        return ProgramCard(name, str(count), word, fill, INK)
    target = rules.colours[(seat + number - MAX_KINDS + 1) % rules.players]
    look = looks(rules.map.colours)[target]
    return ProgramCard(name, look.letter, "dragon", look.tint, look.ink)


def back(wide: float, tall: float) -> list[Shape]:
    """A card that lies face down."""
    inner = Box(3, 3, wide - 6, tall - 6, BACK, "#aab6d8", 1, 2)
    return [Box(0, 0, wide, tall, BACK, EDGE, 1.2, 3), inner]


def pawn(look: Look) -> tuple[Shape, ...]:
    """A pawn around (0, 0), with the letter of its colour."""
    body = ((-8.5, 9), (-4, -5), (4, -5), (8.5, 9))
    return (
        Polygon(body, "#ffffff", "#ffffff", 5),  # stands out from a plank of its own colour
        Circle(0, -7, 5.5, "#ffffff", "#ffffff", 5),
        Polygon(body, look.tint, EDGE, 1.5),
        Circle(0, -7, 5.5, look.tint, EDGE, 1.5),
        Text(0, 3, look.letter, 10, look.ink, bold=True),
    )


# ---------------------------------------------------------------- figures


def _stones(x: float, y: float, shift: float, unit: float) -> list[Shape]:
    return [Circle(x + shift, y, 0.21 * unit, STONE, EDGE, 1)]


def _planks(x: float, y: float, shift: float, unit: float) -> list[Shape]:
    return [_bar(x, y + shift * 0.8, unit)]


def _removal(x: float, y: float, shift: float, unit: float) -> list[Shape]:
    a, thick = 0.24 * unit, max(1.5, 0.07 * unit)
    strokes = [((x - a, y - a), (x + a, y + a)), ((x - a, y + a), (x + a, y - a))]
    return [_bar(x, y, unit), *(Line(stroke, ACCENT, thick) for stroke in strokes)]


def _steps(x: float, y: float, shift: float, unit: float) -> list[Shape]:
    a, b = 0.14 * unit, 0.3 * unit
    points = ((x + shift - a, y - b), (x + shift + a, y), (x + shift - a, y + b))
    return [Line(points, "#17662f", max(2, 0.11 * unit))]


def _leap(x: float, y: float, shift: float, unit: float) -> list[Shape]:
    curve = ((-0.42, 0.28), (-0.34, -0.08), (-0.16, -0.3), (0.08, -0.3), (0.28, -0.1), (0.38, 0.22))
    points: tuple[Point, ...] = tuple((x + a * unit, y + b * unit) for a, b in curve)
    tip = ((0.22, 0.14), (0.4, 0.36), (0.5, 0.08))
    return [
        Line(points, "#1d4f8a", max(1.6, 0.08 * unit)),
        Polygon(tuple((x + a * unit, y + b * unit) for a, b in tip), "#1d4f8a"),
        Circle(x - 0.02 * unit, y + 0.2 * unit, 0.13 * unit, INK),
    ]


def _head(x: float, y: float, unit: float, tint: str, letter: str, ink: str) -> list[Shape]:
    r = 0.36 * unit
    horns = [
        ((x + s * 0.85 * r, y - 0.2 * r), (x + s * 1.1 * r, y - 1.3 * r), (x + s * 0.2 * r, y - r))
        for s in (-1, 1)
    ]
    return [
        *(Polygon(horn, tint, EDGE, 1) for horn in horns),
        Circle(x, y, r, tint, EDGE, 1.2),
        Text(x, y, letter, 1.2 * r, ink, bold=True),
    ]


def _bar(x: float, y: float, unit: float) -> Shape:
    a, b, h = 0.42 * unit, 0.12 * unit, 0.09 * unit
    points = ((x - a, y + b - h), (x + a, y - b - h), (x + a, y - b + h), (x - a, y + b + h))
    return Polygon(points, "#a86f2c", EDGE, 1)


_FIGURES = {
    "stone": _stones,
    "plank": _planks,
    "take": _removal,
    "move": _steps,
    "jump": _leap,
}
