"""The scores of a game move by move, or chances to win, as a line for each seat."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from drago_env.pictures.canvas import FONT, Point, fit

WIDTH, HEIGHT = 960, 220
LEFT, TOP, BOTTOM = 44.0, 14.0, 190.0
_NAMES = 160.0  # the room for names, right of the lines
# Okabe and Ito's colours, which most eyes tell apart, and dashes for those that do not.
_LINES = (
    ("#0072b2", ""),
    ("#d55e00", "9 4"),
    ("#008563", "2 4"),
    ("#b0508a", "12 4 2 4"),
    ("currentColor", "5 3"),
    ("#8a6d00", "16 3"),
)


def chart(scores: Sequence[Sequence[int]], names: Sequence[str], wide: int = WIDTH) -> str:
    """An SVG of the scores after each move; `scores[move][seat]`, the deal being move 0."""
    low = min(0, *(min(row) for row in scores))
    high = max(1, *(max(row) for row in scores))
    lines = [[(i, float(row[seat])) for i, row in enumerate(scores)] for seat in range(len(names))]
    return _Plot("scores", len(scores) - 1, low, high, "", wide).drawn(lines, names, ())


def chances(
    lines: Sequence[Sequence[tuple[int, float]]],
    names: Sequence[str],
    moves: int,
    marks: Sequence[tuple[int, float]] = (),
    wide: int = WIDTH,
) -> str:
    """An SVG of chances to win: for each seat the moves at which it is known, and how large it is.

    Some of them are marked with a cross.
    """
    percent = [[(move, 100 * chance) for move, chance in line] for line in lines]
    crosses = [(move, 100 * chance) for move, chance in marks]
    return _Plot("chances to win", moves, 0, 100, "%", wide).drawn(percent, names, crosses)


class _Plot(NamedTuple):
    """The frame of a chart: its moves from left to right, its numbers from low to high."""

    title: str
    moves: int
    low: int
    high: int
    unit: str
    wide: int

    @property
    def right(self) -> float:
        return self.wide - _NAMES

    @property
    def across(self) -> float:
        return (self.right - LEFT) / max(self.moves, 1)

    def at(self, move: float, number: float) -> Point:
        share = (number - self.low) / (self.high - self.low)
        return LEFT + self.across * move, BOTTOM - (BOTTOM - TOP) * share

    def drawn(
        self,
        lines: Sequence[Sequence[tuple[int, float]]],
        names: Sequence[str],
        crosses: Sequence[tuple[int, float]],
    ) -> str:
        parts, marks = self._frame(), []
        known = [seat for seat, line in enumerate(lines) if line]
        spread = _spread([self.at(*lines[seat][-1])[1] for seat in known])
        for label, seat in zip(spread, known, strict=True):
            points = [self.at(*point) for point in lines[seat]]
            parts.append(_line(seat, points))
            text = f"{fit(names[seat], 12, 84)} {lines[seat][-1][1]:.0f}{self.unit}"
            marks.append(_name(seat, points, text, label))
        return "\n".join([*parts, *marks, *(_cross(*self.at(*one)) for one in crosses), "</svg>"])

    def _frame(self) -> list[str]:
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.wide} {HEIGHT}" '
            f'role="img" aria-label="{self.title}" data-chart="" data-left="{LEFT:g}" '
            f'data-across="{self.across:.4f}" font-family="{FONT}" font-size="12" '
            'fill="currentColor">'
        ]
        for number in _ticks(self.low, self.high):
            y, colour = self.at(0, number)[1], "#d8dee3" if number else "#7b8894"
            lines.append(
                f'<path d="M{LEFT:g} {y:.1f}H{self.right:g}" stroke="{colour}"/>'
                f'<text x="{LEFT - 8:g}" y="{y + 4:.1f}" text-anchor="end">'
                f"{number}{self.unit}</text>"
            )
        for move in _ticks(0, max(self.moves, 1)):
            x, low = self.at(move, self.low)[0], BOTTOM + 18
            lines.append(f'<text x="{x:.1f}" y="{low:g}" text-anchor="middle">{move}</text>')
        lines.append(
            f'<path data-cursor="" d="M{LEFT:g} {TOP:g}V{BOTTOM:g}" stroke="#c2410c" '
            'stroke-width="2"/>'
        )
        lines.append(f'<text x="{self.right + 20:g}" y="{BOTTOM + 18:g}">moves</text>')
        return lines


def _cross(x: float, y: float) -> str:
    """Marks a point of a line."""
    strokes = f"M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12"
    return f'<path data-mark="" d="{strokes}" stroke="#c2410c" stroke-width="3.4"/>'


def _line(seat: int, points: list[Point]) -> str:
    """One seat's line; what lies between two equal scores is left out."""
    colour, dashes = _LINES[seat % len(_LINES)]
    bends = [
        point
        for i, point in enumerate(points)
        if not 0 < i < len(points) - 1 or not points[i - 1][1] == point[1] == points[i + 1][1]
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in bends)
    return (
        f'<polyline data-line="{seat}" points="{line}" fill="none" stroke="{colour}" '
        f'stroke-width="2.2" stroke-dasharray="{dashes}"/>'
    )


def _name(seat: int, points: list[Point], text: str, label: float) -> str:
    """The seat's number here and there on its line, and its name at the end."""
    colour, (x, y) = _LINES[seat % len(_LINES)][0], points[-1]
    every = max(len(points) // 4, 1)
    marks = "".join(_mark(seat, *point) for point in points[(seat + 1) * every // 6 : -1 : every])
    return (
        f'<g data-name="{seat}">{marks}'
        f'<path d="M{x:.1f} {y:.1f}L{x + 12:.1f} {label:.1f}" stroke="{colour}"/>'
        f"{_mark(seat, x + 20, label)}"
        f'<text x="{x + 32:.1f}" y="{label + 4:.1f}" fill="{colour}">{escape(text)}</text></g>'
    )


def _mark(seat: int, x: float, y: float) -> str:
    colour = _LINES[seat % len(_LINES)][0]
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="#ffffff" stroke="{colour}"/>'
        f'<text x="{x:.1f}" y="{y + 3.5:.1f}" font-size="10" text-anchor="middle" '
        f'fill="{colour}">{seat}</text>'
    )


def _ticks(low: int, high: int) -> list[int]:
    """Round numbers between two numbers, at most nine."""
    steps = (factor * 10**power for power in range(6) for factor in (1, 2, 5))
    step = next(step for step in steps if (high - low) // step < 8)
    return list(range(-(-low // step) * step, high + 1, step))


def _spread(heights: list[float], apart: float = 16) -> list[float]:
    """The heights, moved so that labels do not overlap."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = list(heights)
    floor = TOP
    for seat in order:
        floor = placed[seat] = max(placed[seat], floor)
        floor += apart
    ceiling = BOTTOM
    for seat in reversed(order):
        ceiling = placed[seat] = min(placed[seat], ceiling)
        ceiling -= apart
    return placed
