"""Where things lie in the drawing: the path that winds up the mountain, for any board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from drago_env.pictures.canvas import Point

MIDDLE = 320.0  # of the mountain
FOOT, TOP = 556.0, 88.0  # between them the path winds up
BROAD, SLIM = 590.0, 350.0  # how wide it may be down there and up there
CAMP = (22.0, 572.0, 470.0, 58.0)  # the start space: left, top, width, height
RADIUS = 15.0  # of a dragon that has room enough
_APART = 2.25  # radii from one dragon to the next
_CELL = 100.0  # no space needs more room than this


@dataclass(frozen=True)
class Spot:
    """One space: the middle of its tile, and the room in which its dragons stand."""

    x: float
    y: float
    left: float
    top: float
    width: float
    height: float

    def stand(self, dragons: int) -> list[tuple[float, float, float]]:
        """x, y and radius for each of so many dragons: as large as they fit, from below."""

        def fits(columns: int) -> float:
            rows = ceil(dragons / columns)
            return min(RADIUS, self.width / columns / _APART, self.height / rows / _APART)

        columns = max(range(1, dragons + 1), key=lambda n: (fits(n), n))
        radius = fits(columns)
        apart = radius * _APART
        places = []
        for number in range(dragons):
            row, column = divmod(number, columns)
            beside = min(columns, dragons - row * columns)
            x = self.left + self.width / 2 + (column - (beside - 1) / 2) * apart
            places.append((x, self.top + self.height - (row + 0.5) * apart, radius))
        return places


@dataclass(frozen=True)
class Track:
    """The spots of a board, the size of their tiles, and the line that joins them."""

    spots: tuple[Spot, ...]
    tile: Point
    line: tuple[Point, ...]


@lru_cache(maxsize=64)
def track(spaces: int) -> Track:
    """The winding path for a board of so many spaces, in rows that run to and fro."""
    counts = max(
        (_counts(spaces - 1, rows) for rows in range(1, min(spaces - 1, 12) + 1)),
        key=lambda counts: (_room(counts), len(counts)),
    )
    rows = len(counts)
    high = _apart(rows)
    wide = min(min(_breadths(rows)[row] / n for row, n in enumerate(counts)), _CELL)
    slope = min(14.0, max(0.0, 0.4 * (high - 62)))  # each row rises by so much on its way
    tile = (min(0.8 * wide, 48.0), min(max(0.28 * high, 17.0), 27.0))
    room = min(high - slope, _CELL) - tile[1] - 4
    left, top, width, height = CAMP
    start = Spot(left + 34, top + height / 2, left + 68, top + 12, width - 72, height - 20)
    spots, line = [start], [(start.x, start.y)]
    for row, number in enumerate(counts):
        apart = _breadths(rows)[row] / number
        side = 1 if row % 2 == 0 else -1
        if row:
            bend = spots[-1].x - side * min(0.45 * apart, 44)
            line.append((bend, spots[-1].y - high / 2))
        for column in range(number):
            x = MIDDLE + side * (column - (number - 1) / 2) * apart
            rise = slope * ((column + 0.5) / number - 0.5)
            y = FOOT - row * high - tile[1] / 2 - slope / 2 - rise
            above = y - tile[1] / 2 - 2 - room
            spots.append(Spot(x, y, x - wide / 2, above, wide, room))
            line.append((x, y))
    return Track(tuple(spots), tile, _smooth(line))


def _breadths(rows: int) -> list[float]:
    return [BROAD - (BROAD - SLIM) * row / max(rows - 1, 1) for row in range(rows)]


def _apart(rows: int) -> float:
    """From one row to the next; above the last one there is room for its dragons."""
    room = FOOT - TOP
    return (room - min(_CELL, room / rows)) / (rows - 1) if rows > 1 else room


def _counts(spaces: int, rows: int) -> list[int]:
    """How many spaces lie in each row, in proportion to how wide it is."""
    breadths = _breadths(rows)
    counts = [1] * rows
    for _ in range(spaces - rows):
        row = max(range(rows), key=lambda r: breadths[r] / (counts[r] + 1))
        counts[row] += 1
    return counts


def _room(counts: Sequence[int]) -> float:
    rows = len(counts)
    wide = min(breadth / n for breadth, n in zip(_breadths(rows), counts, strict=True))
    return min(wide, _apart(rows), _CELL)


def _smooth(line: Sequence[Point], steps: int = 6) -> tuple[Point, ...]:
    """A curve through the points (Catmull and Rom's)."""
    points = [line[0], *line, line[-1]]
    curve = []
    for i in range(len(line) - 1):
        for step in range(steps):
            t = step / steps
            weights = (
                -0.5 * t + t**2 - 0.5 * t**3,
                1 - 2.5 * t**2 + 1.5 * t**3,
                0.5 * t + 2 * t**2 - 1.5 * t**3,
                -0.5 * t**2 + 0.5 * t**3,
            )
            near = list(zip(weights, points[i : i + 4], strict=True))
            curve.append((sum(w * x for w, (x, _) in near), sum(w * y for w, (_, y) in near)))
    return (*curve, line[-1])
