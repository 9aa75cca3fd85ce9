"""The scores of a game move by move, as a line for each seat."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from drago_env.pictures.canvas import FONT, Point, fit

WIDTH, HEIGHT = 960, 220
LEFT, RIGHT, TOP, BOTTOM = 44.0, 800.0, 14.0, 190.0
# Okabe and Ito's colours, which most eyes tell apart, and dashes for those that do not.
_LINES = (
    ("#0072b2", ""),
    ("#d55e00", "9 4"),
    ("#008563", "2 4"),
    ("#b0508a", "12 4 2 4"),
    ("#1c2733", "5 3"),
    ("#8a6d00", "16 3"),
)


def chart(scores: Sequence[Sequence[int]], names: Sequence[str]) -> str:
    """An SVG of the scores after each move; `scores[move][seat]`, the deal being move 0."""
    moves = len(scores) - 1
    across = (RIGHT - LEFT) / max(moves, 1)
    low = min(0, *(min(row) for row in scores))
    high = max(1, *(max(row) for row in scores))

    def height(score: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (score - low) / (high - low)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="scores" data-chart="" data-left="{LEFT:g}" data-across="{across:.4f}" '
        f'font-family="{FONT}" font-size="12">'
    ]
    for score in _ticks(low, high):
        y, colour = height(score), "#d8dee3" if score else "#7b8894"
        lines.append(
            f'<path d="M{LEFT:g} {y:.1f}H{RIGHT:g}" stroke="{colour}"/>'
            f'<text x="{LEFT - 8:g}" y="{y + 4:.1f}" text-anchor="end">{score}</text>'
        )
    for move in _ticks(0, max(moves, 1)):
        x = LEFT + across * move
        lines.append(f'<text x="{x:.1f}" y="{BOTTOM + 18:g}" text-anchor="middle">{move}</text>')
    lines.append(
        f'<path data-cursor="" d="M{LEFT:g} {TOP:g}V{BOTTOM:g}" stroke="#c2410c" stroke-width="2"/>'
    )
    lines.append(f'<text x="{RIGHT + 20:g}" y="{BOTTOM + 18:g}">moves</text>')
    marks = []
    labels = _spread([height(score) for score in scores[-1]])
    for seat, name in enumerate(names):
        points = [(LEFT + across * i, height(row[seat])) for i, row in enumerate(scores)]
        lines.append(_line(seat, points))
        marks.append(_name(seat, points, f"{fit(name, 12, 84)} {scores[-1][seat]}", labels[seat]))
    return "\n".join([*lines, *marks, "</svg>"])


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
        f'{marks}<path d="M{x:.1f} {y:.1f}L{x + 12:.1f} {label:.1f}" stroke="{colour}"/>'
        f"{_mark(seat, x + 20, label)}"
        f'<text x="{x + 32:.1f}" y="{label + 4:.1f}" fill="{colour}">{escape(text)}</text>'
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
