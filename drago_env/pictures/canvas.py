"""A canvas of a fixed size: shapes, written as SVG text or painted as pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image

WIDTH, HEIGHT = 960, 640
FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INSTALL = 'pip install "drago-env[render]"'
_FINE = 2  # pixels are painted so many times finer, then averaged
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]- "), frozenset("mwMW@%&")
Point = tuple[float, float]
Pixels = NDArray[np.uint8]


class Shape(Protocol):
    """Something to be drawn, in the coordinates of its part."""

    def svg(self) -> str: ...

    def paint(self, pen: Pen) -> None: ...


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners, given by its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    line: str | None = None
    thick: float = 1
    round: float = 0

    def svg(self) -> str:
        corner = f' rx="{_n(self.round)}"' if self.round else ""
        return (
            f'<rect x="{_n(self.x)}" y="{_n(self.y)}" width="{_n(self.width)}" '
            f'height="{_n(self.height)}"{corner}{_ink(self.fill, self.line, self.thick)}/>'
        )

    def paint(self, pen: Pen) -> None:
        half = self.thick / 2 if self.line else 0  # SVG centres a line, Pillow draws inside
        corners = [
            *pen.at(self.x - half, self.y - half),
            *pen.at(self.x + self.width + half, self.y + self.height + half),
        ]
        corners[2:] = [corners[2] - 1, corners[3] - 1]
        radius = pen.long(self.round + half) if self.round else 0
        thick = max(1, round(pen.long(self.thick)))
        pen.draw.rounded_rectangle(corners, radius, self.fill, self.line, thick)


@dataclass(frozen=True)
class Circle:
    """A circle around a point."""

    x: float
    y: float
    radius: float
    fill: str
    line: str | None = None
    thick: float = 1

    def svg(self) -> str:
        ink = _ink(self.fill, self.line, self.thick)
        return f'<circle cx="{_n(self.x)}" cy="{_n(self.y)}" r="{_n(self.radius)}"{ink}/>'

    def paint(self, pen: Pen) -> None:
        x, y = pen.at(self.x, self.y)
        radius = pen.long(self.radius + (self.thick / 2 if self.line else 0))
        thick = max(1, round(pen.long(self.thick)))
        pen.draw.circle((x, y), radius, self.fill, self.line, thick)


@dataclass(frozen=True)
class Polygon:
    """A closed shape through some points."""

    points: tuple[Point, ...]
    fill: str
    line: str | None = None
    thick: float = 1

    def svg(self) -> str:
        return f'<polygon points="{_list(self.points)}"{_ink(self.fill, self.line, self.thick)}/>'

    def paint(self, pen: Pen) -> None:
        pen.draw.polygon([pen.at(*point) for point in self.points], self.fill)
        if self.line:
            Line((*self.points, self.points[0]), self.line, self.thick).paint(pen)


@dataclass(frozen=True)
class Line:
    """A line through some points, with round ends."""

    points: tuple[Point, ...]
    fill: str
    thick: float = 1

    def svg(self) -> str:
        return (
            f'<polyline points="{_list(self.points)}" fill="none" stroke="{self.fill}" '
            f'stroke-width="{_n(self.thick)}" stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def paint(self, pen: Pen) -> None:
        points = [pen.at(*point) for point in self.points]
        thick = max(1, round(pen.long(self.thick)))
        pen.draw.line(points, self.fill, thick, joint="curve")
        for point in (points[0], points[-1]):
            pen.draw.circle(point, thick / 2, self.fill)


@dataclass(frozen=True)
class Text:
    """A line of text in the middle of whose height `y` lies; anchor start, middle or end."""

    x: float
    y: float
    text: str
    size: float
    fill: str = "#1c2733"
    anchor: str = "middle"
    bold: bool = False

    def svg(self) -> str:
        weight = ' font-weight="bold"' if self.bold else ""
        anchor = f' text-anchor="{self.anchor}"' if self.anchor != "start" else ""
        return (
            f'<text x="{_n(self.x)}" y="{_n(self.y + 0.36 * self.size)}" '
            f'font-size="{_n(self.size)}"{anchor}{weight} fill="{self.fill}">'
            f"{escape(self.text)}</text>"
        )

    def paint(self, pen: Pen) -> None:
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[self.anchor]
        size = pen.long(self.size)
        stroke = size / 70 if self.bold else 0
        pen.draw.text(
            pen.at(self.x, self.y + 0.36 * self.size),
            self.text,
            self.fill,
            _font(size),
            anchor,
            stroke_width=stroke,
        )


@dataclass(frozen=True)
class Part:
    """Some shapes with a name and a place; they lie around the point (0, 0) of the part."""

    name: str
    shapes: tuple[Shape, ...]
    x: float = 0
    y: float = 0
    scale: float = 1
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def inner(self) -> str:
        """The shapes as SVG text."""
        return "".join(shape.svg() for shape in self.shapes)

    def svg(self) -> str:
        place = f"translate({_n(self.x)} {_n(self.y)}) scale({round(self.scale, 4):g})"
        moved = self.x or self.y or self.scale != 1
        transform = f' transform="{place}"' if moved else ""
        data = "".join(f' data-{key}="{escape(str(value))}"' for key, value in self.data.items())
        return f'<g data-part="{self.name}"{data}{transform}>{self.inner()}</g>'


def svg(parts: Iterable[Part], width: int = WIDTH, left: int = 0) -> str:
    """The parts as one SVG file; what lies beyond its width, or left of it, is not shown."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
        f'viewBox="{left} 0 {width} {HEIGHT}" font-family="{FONT}">\n'
        + "\n".join(part.svg() for part in parts)
        + "\n</svg>\n"
    )


def pixels(ground: tuple[Part, ...], parts: Iterable[Part]) -> Pixels:
    """The parts as a fresh `(height, width, 3)` array; what is on the ground is kept painted."""
    image = _ground(ground).copy()
    _paint(image, parts)
    return np.array(image.reduce(_FINE))


def width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is at most, in whatever common font it is set."""
    letters = 0.0
    for letter in text:
        if letter in _NARROW:
            letters += 0.42
        elif letter in _WIDE or ord(letter) > 0x10FF:  # the wide scripts begin there
            letters += 1.02
        else:
            letters += 0.72 if letter.isupper() else 0.63
    return letters * size * (1.1 if bold else 1)


def fit(text: str, size: float, space: float, bold: bool = False) -> str:
    """The text, cut to so much space with dots at its end."""
    most = int(space / (0.42 * size)) + 1  # no letter is narrower
    if len(text) <= most and width(text, size, bold) <= space:
        return text
    text = text[:most]
    while text and width(text + "...", size, bold) > space:
        text = text[:-1]
    return text.rstrip() + "..."


def pillow() -> Any:
    """Pillow, loaded only when pixels are asked for."""
    try:
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFont
    except ImportError as error:
        raise ImportError(f"pictures of pixels need Pillow: {INSTALL}") from error
    return PIL


@dataclass(frozen=True)
class Pen:
    """Paints on an image what is given in the coordinates of a part."""

    draw: Any
    x: float
    y: float
    scale: float

    def at(self, x: float, y: float) -> Point:
        return (self.x + x * self.scale) * _FINE, (self.y + y * self.scale) * _FINE

    def long(self, length: float) -> float:
        return length * self.scale * _FINE


@lru_cache(maxsize=16)
def _ground(parts: tuple[Part, ...]) -> Image.Image:
    image: Image.Image = pillow().Image.new("RGB", (WIDTH * _FINE, HEIGHT * _FINE), "white")
    _paint(image, parts)
    return image


def _paint(image: Image.Image, parts: Iterable[Part]) -> None:
    draw = pillow().ImageDraw.Draw(image)
    for part in parts:
        pen = Pen(draw, part.x, part.y, part.scale)
        for shape in part.shapes:
            shape.paint(pen)


@lru_cache(maxsize=64)
def _font(size: float) -> Any:
    return pillow().ImageFont.load_default(size)


def _ink(fill: str, line: str | None, thick: float) -> str:
    stroke = f' stroke="{line}" stroke-width="{_n(thick)}"' if line else ""
    return f' fill="{fill}"{stroke}'


def _list(points: Iterable[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float) -> str:
    """A number with one decimal place at most, without a minus zero."""
    return f"{round(number, 1) + 0.0:g}"
