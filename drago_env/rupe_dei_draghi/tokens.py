"""The pieces, cards and marks of the drawing, each as shapes around (0, 0)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from math import cos, pi, sin
from typing import Any

from drago_env.pictures.canvas import Box, Circle, Line, Point, Polygon, Shape, Text
from drago_env.pictures.column import INK, Card
from drago_env.rupe_dei_draghi.rules import BRIDGE, CARDS, CLOUD, DRAGON, POINTS, RAINBOW
from drago_env.rupe_dei_draghi.terminal import card_words

STRIPES = ((-3.6, "#d3302f"), (-1.2, "#f2c417"), (1.2, "#2e9147"), (3.6, "#2b62c9"))
_WOOD, _DARK = "#a8713a", "#4a2f12"
_CARDS = ("#fbe9f4", "#f6e6cf", "#e5dcf3", "#dff0f2", "#e4ecf7", *("#fffdf2",) * 5)


def moved(shapes: Iterable[Shape], x: float, y: float, scale: float = 1) -> list[Shape]:
    """The same shapes elsewhere, and larger or smaller."""

    def at(point: Point) -> Point:
        return x + scale * point[0], y + scale * point[1]

    placed: list[Any] = []
    for shape in shapes:
        if isinstance(shape, Polygon | Line):
            changed: dict[str, Any] = {"points": tuple(map(at, shape.points))}
        else:
            assert isinstance(shape, Box | Circle | Text)
            changed = dict(zip("xy", at((shape.x, shape.y)), strict=True))
        for name in ("width", "height", "radius", "size", "thick", "round"):
            if hasattr(shape, name):
                changed[name] = scale * getattr(shape, name)
        placed.append(replace(shape, **changed))
    return placed


# ---------------------------------------------------------------- spaces


def _ring(count: int, radii: tuple[float, ...], turn: float) -> tuple[Point, ...]:
    corners = []
    for number in range(count):
        angle, radius = 2 * pi * number / count + turn, radii[number % len(radii)]
        corners.append((radius * cos(angle), radius * sin(angle)))
    return tuple(corners)


def star(r: float, fill: str, line: str) -> Shape:
    return Polygon(_ring(10, (r, 0.52 * r), -pi / 2), fill, line, 1.5)


def rock(r: float, fill: str, line: str) -> Shape:
    return Polygon(_ring(9, (r, 0.9 * r, 1.08 * r), 0.3), fill, line, 1.8)


def tower(r: float, fill: str, line: str) -> tuple[Shape, ...]:
    """A stronghold: walls with battlements around a yard."""
    top, tooth = -0.8 * r, 0.4 * r
    edge: list[Point] = [(-r, r), (-r, top - 0.2 * r)]
    for left in (-r, -0.2 * r, 0.6 * r):
        edge += [(left, top - 0.2 * r), (left + tooth, top - 0.2 * r)]
        edge += [(left + tooth, top), (left + 2 * tooth, top)] if left < 0.5 * r else []
    walls = Polygon((*edge, (r, r)), fill, line, 2)
    return walls, Box(-0.72 * r, -0.6 * r, 1.44 * r, 1.1 * r, "#8d7c60", line, 1, 3)


def castle(r: float, fill: str, line: str) -> tuple[Shape, ...]:
    """Two towers with roofs, and a wall between them."""
    roofs = [
        Polygon(((s - 0.42 * r, -0.55 * r), (s, -1.15 * r), (s + 0.42 * r, -0.55 * r)), "#8c3b3b")
        for s in (-0.68 * r, 0.68 * r)
    ]
    wall = Polygon(
        (
            *((-r, 0.95 * r), (-r, -0.55 * r), (-0.36 * r, -0.55 * r), (-0.36 * r, -0.3 * r)),
            *((0.36 * r, -0.3 * r), (0.36 * r, -0.55 * r), (r, -0.55 * r), (r, 0.95 * r)),
        ),
        fill,
        line,
        2,
    )
    return (wall, *roofs)


# ---------------------------------------------------------------- pieces


@cache
def dragon(edge: str = INK) -> tuple[Shape, ...]:
    """A dragon with spread wings on a disc, whose edge shows when it may be chosen."""
    line = "#1d0f29"
    wings = [((s * 4, 0), (s * 17, -12), (s * 15, -2), (s * 17, 6), (s * 10, 4)) for s in (-1, 1)]
    horns = [((s * 2, -8), (s * 7, -16), (s * 7, -6)) for s in (-1, 1)]
    return (
        Circle(0, -1, 15, "#e6d9f2", edge, 1.2 if edge == INK else 3.5),
        *(Polygon(wing, "#7b4aa0", line, 1.2) for wing in wings),
        *(Polygon(horn, "#f0e2b6", line, 1) for horn in horns),
        Polygon(((-8, -8), (8, -8), (7, 3), (3, 12), (-3, 12), (-7, 3)), "#4b2a68", line, 1.4),
        Circle(-3.4, -3, 1.9, "#ffd23c"),
        Circle(3.4, -3, 1.9, "#ffd23c"),
        Circle(-1.6, 8.5, 0.9, "#ffd23c"),
        Circle(1.6, 8.5, 0.9, "#ffd23c"),
    )


@cache
def knight(fill: str, ink: str, seat: int, armour: bool, doubles: bool) -> tuple[Shape, ...]:
    """A knight with the number of the seat; armour is a helmet with a plume, and steel edges."""
    line, steel = "#10161c", "#d5dbe2"
    cloak = ((-11, 14), (-8, -1), (8, -1), (11, 14))
    shapes: list[Shape] = [Polygon(cloak, fill, steel if armour else line, 4 if armour else 1.6)]
    if armour:
        shapes += [
            Polygon(cloak, fill, line, 1.2),
            Polygon(((-1, -15), (8, -21), (11, -14), (4, -12)), fill, line, 1.2),
            Circle(0, -8, 7.5, steel, line, 1.6),
            Line(((-4, -8), (4, -8)), line, 2),
        ]
    else:
        shapes.append(Circle(0, -7, 6.5, "#f0c9a0", line, 1.6))
    shapes.append(Text(0, 7, str(seat), 13, ink, bold=True))
    if doubles:
        shapes += [Box(6, -4, 16, 11, "#ffffff", line, 1.2, 3), Text(14, 1.5, "x2", 9, bold=True)]
    return tuple(shapes)


@lru_cache(maxsize=512)
def princess(x: float, y: float, scale: float, fill: str) -> tuple[Shape, ...]:
    """A crowned head over a gown."""
    line = "#10161c"
    crown = ((-5, -5), (-6, -12), (-2, -8), (0, -13), (2, -8), (6, -12), (5, -5))
    gown = ((-9, 12), (-3, 1), (3, 1), (9, 12))
    shapes = (
        Polygon(gown, fill, line, 1.2),
        Circle(0, -2, 5, "#f6dcc0", line, 1.2),
        Polygon(crown, fill, line, 1.2),
    )
    return tuple(moved(shapes, x, y, scale))


def bridge(x: float, y: float, edge: str = INK) -> tuple[Shape, ...]:
    """Planks that lie across the direction (x, y)."""

    def at(along: float, across: float) -> Point:
        return along * x - across * y, along * y + across * x

    deck = Polygon(
        (at(-17, -8), at(17, -8), at(17, 8), at(-17, 8)), _WOOD, edge, 1.5 if edge == INK else 5
    )
    planks = [Line((at(place, -7), at(place, 7)), _DARK, 1) for place in range(-12, 13, 6)]
    rails = [Line((at(-17, side), at(17, side)), "#6d4520", 2.4) for side in (-8, 8)]
    return (deck, *planks, *rails)


def arch(r: float) -> tuple[Shape, ...]:
    """A rainbow seen from the side."""
    lines = []
    for number, (_, fill) in enumerate(STRIPES):
        radius = r * (1 - 0.17 * number)
        turns = [pi + pi * step / 12 for step in range(13)]
        bow = tuple((radius * cos(turn), 0.5 * r + radius * sin(turn)) for turn in turns)
        lines.append(Line(bow, fill, 0.17 * r))
    return tuple(lines)


# ---------------------------------------------------------------- cards


class Face(Card):
    """A card with what it does drawn on it; those of points show their number."""

    __slots__ = ()

    def shapes(self, x: float, y: float, wide: float, tall: float) -> list[Shape]:
        box, middle = super().shapes(x, y, wide, tall)[0], x + wide / 2
        if not self.small:
            return [box, Text(middle, y + tall / 2, self.large, 0.62 * wide, self.ink, bold=True)]
        drawn = moved(_icon(self.large), middle, y + 0.42 * tall, wide / 44)
        label = Text(middle, y + 0.84 * tall, self.small, 0.2 * wide, self.ink)
        return [box, *drawn, label]


def card(kind: int) -> Card:
    """A card of a kind; its name is that of the choices behind it."""
    name = CARDS[kind]
    return Face(card_words(kind), name, "" if kind >= POINTS else name, _CARDS[kind], INK)


def _icon(name: str) -> tuple[Shape, ...]:
    kind = CARDS.index(name)
    if kind == RAINBOW:
        return arch(16)
    if kind == BRIDGE:
        return bridge(1, 0)
    if kind == DRAGON:
        return dragon()[1:]  # without the disc
    if kind == CLOUD:
        puffs = ((-8, 3, 8), (8, 3, 8), (0, -4, 10), (0, 5, 8))
        return tuple(Circle(x, y, r, "#aebfd3") for x, y, r in puffs)
    arrow = ((-15, -7), (4, -7), (4, -12), (15, -4), (4, 4), (4, -1), (-15, -1))
    back = tuple((-x, -y + 2) for x, y in arrow)
    return Polygon(arrow, "#0f7f8c"), Polygon(back, "#c2410c")


def back(x: float, y: float, wide: float, tall: float) -> tuple[Shape, ...]:
    """The back of a card."""
    return (
        Box(x, y, wide, tall, "#4a5a86", INK, 1.2, 4),
        Box(x + 4, y + 4, wide - 8, tall - 8, "#4a5a86", "#aab6d8", 1, 2),
    )
