"""The drawing of a position: the mountain and its dragons as the parts of a canvas."""

from __future__ import annotations

from functools import lru_cache

from drago_env.mount_drago.board import Board
from drago_env.mount_drago.rules import COLOURS, Rules
from drago_env.mount_drago.track import CAMP, RADIUS, Track, track
from drago_env.mount_drago.visible import CODES, Visible
from drago_env.pictures.canvas import HEIGHT, Box, Circle, Line, Part, Polygon, Shape, Text, width
from drago_env.pictures.column import ACCENT, BOARD, INK, LEFT, SOFT, TALLY, WIDE, Card

TINTS = (
    *("#2463d1", "#8b5a2b", "#2a2a2e", "#d42a2a", "#f5cc1b"),
    *("#2f9e44", "#a3a8ad", "#86d0f5", "#8f4fc9", "#f5862a"),
)
_PALE = (4, 6, 7, 9)  # these tints carry dark letters
_TILES = {  # fill, border, text
    "start": ("#ffffff", "#5b4a33", "#1c2733"),
    "plain": ("#fff6df", "#5b4a33", "#1c2733"),
    "blue": ("#1d5fc4", "#0b2f69", "#ffffff"),
    "green": ("#1f8a46", "#0c4722", "#ffffff"),
    "summit": ("#ffffff", "#1c2733", "#1c2733"),
}
_LETTERS = {"blue": "B", "green": "G", "summit": "S", "start": "", "plain": ""}


def ink(dragon: int) -> str:
    """The colour of letters on a dragon's tint."""
    return INK if dragon in _PALE else "#ffffff"


# ---------------------------------------------------------------- the mountain


@lru_cache(maxsize=64)
def ground(board: Board) -> tuple[Part, ...]:
    """What never changes: the mountain, the path and its spaces."""
    way = track(len(board))
    path: list[Shape] = [
        Line(way.line, "#6b5638", 17),
        Line(way.line, "#dcc08d", 13),
        Box(*CAMP, "#e3d2a8", "#6b5638", 2, 10),
    ]
    spaces = [_space(board, way, space) for space in range(len(board))]
    return (Part("mountain", _mountain()), Part("path", tuple(path)), *spaces, _legend())


def _mountain() -> tuple[Shape, ...]:
    side = [(-8, 640), (2, 560), (22, 500), (12, 470), (44, 380), (36, 352), (76, 250)]
    side += [(70, 226), (112, 140), (108, 120), (150, 84), (196, 60), (222, 66)]
    peak = [(270, 30), (300, 46), (322, 14), (346, 40), (372, 28), (420, 66), (446, 58), (490, 86)]
    other = [(532, 122), (528, 144), (572, 230), (562, 254), (606, 356), (596, 384)]
    other += [(628, 474), (618, 502), (642, 562), (650, 640)]
    edge = [*side, *peak, *other]
    snow = [point for point in edge if point[1] < 146]
    drip = [(500, 150), (472, 186), (440, 160), (404, 196), (362, 162), (320, 200)]
    drip += [(286, 164), (244, 194), (206, 160), (164, 182), (140, 150)]
    shade = [(322, 14), (346, 40), (372, 28), (420, 66), (446, 58), (490, 86), *other]
    shade += [(430, 640), (470, 520), (420, 430), (450, 330), (390, 240), (400, 150), (340, 90)]
    return (
        Box(0, 0, BOARD, HEIGHT, "#cfe6f2"),
        Circle(590, 52, 26, "#ffe08a"),
        Polygon(((0, 330), (60, 270), (130, 350), (200, 640), (0, 640)), "#b2cdd9"),
        Polygon(((640, 300), (590, 250), (520, 340), (430, 640), (640, 640)), "#b2cdd9"),
        Polygon(tuple(edge), "#9aa886"),
        Polygon(tuple(shade), "#8b9979"),
        Polygon((*snow, *drip), "#f4f8fb"),
        Polygon(((0, 640), (0, 600), (200, 566), (420, 566), (640, 596), (640, 640)), "#7f9a63"),
    )


def _space(board: Board, way: Track, space: int) -> Part:
    spot, kind, value = way.spots[space], board.kinds[space], board.values[space]
    data = {
        "space": space,
        "value": value,
        "kind": kind,
        "area": f"{spot.left:.1f} {spot.top:.1f} {spot.width:.1f} {spot.height:.1f}",
    }
    return Part(f"space-{space}", _tile(kind, str(value), *way.tile), spot.x, spot.y, data=data)


def _tile(kind: str, value: str, wide: float, high: float) -> tuple[Shape, ...]:
    """A tile around (0, 0); each kind has a shape and a letter of its own besides its colour."""
    fill, line, ink = _TILES[kind]
    x, y = wide / 2, high / 2
    shape: Shape = Box(-x, -y, wide, high, fill, line, 1.5, 4)
    if kind == "blue":
        shape = Box(-x, -y, wide, high, fill, line, 1.5, y)
    elif kind == "green":
        corner = x - high / 3
        points = ((-x, 0), (-corner, -y), (corner, -y), (x, 0), (corner, y), (-corner, y))
        shape = Polygon(points, fill, line, 1.5)
    elif kind == "summit":
        peak = ((-x, y), (-x, -0.5 * y), (0, -1.35 * y), (x, -0.5 * y), (x, y))
        shape = Polygon(peak, fill, line, 1.5)
    letter = _LETTERS[kind]
    size = min(0.66 * high, (0.5 if letter else 0.8) * wide / width(value, 1, bold=True))
    if not letter:
        return shape, Text(0, 0, value, size, ink, bold=True)
    return (
        shape,
        Text(-0.28 * wide, 0, letter, min(0.48 * high, 0.3 * wide), ink, bold=True),
        Text(0.14 * wide, 0, value, size, ink, bold=True),
    )


def _legend() -> Part:
    rows: list[Shape] = [Text(12, 20, "Mount Drago", 16, INK, "start", bold=True)]
    words = {"blue": "values to 3 score", "green": "all values score", "summit": "all score, once"}
    for number, (kind, text) in enumerate(words.items()):
        y = 44 + 22 * number
        fill, line, ink = _TILES[kind]
        rows += [
            Circle(20, y, 8, fill, line, 1.2),
            Text(20, y, _LETTERS[kind], 10, ink, bold=True),
            Text(33, y, text, 10.5, INK, "start"),
        ]
    return Part("legend", tuple(rows))


# ---------------------------------------------------------------- the dragons


def dragons(seen: Visible) -> list[Part]:
    """The dragons where they stand."""
    way, mounts = track(len(seen.rules.board)), seen.mounts
    placed = []
    for dragon, space in enumerate(seen.dragons):
        there = [other for other, where in enumerate(seen.dragons) if where == space]
        x, y, radius = way.spots[space].stand(len(there))[there.index(dragon)]
        rider = mounts.get(dragon)
        data = {"dragon": COLOURS[dragon], "space": space}
        data |= {} if rider is None else {"rider": rider}
        shapes = _dragon(dragon, rider)
        placed.append(Part(f"dragon-{dragon}", shapes, x, y, radius / RADIUS, data))
    return placed


def _head(tint: str, x: float = 0, y: float = 0, size: float = 1) -> list[Shape]:
    """The head of a dragon around a point: horns and colour."""
    line = "#10161c"
    horns = [
        tuple((x + size * s * a, y + size * b) for a, b in ((12, -3), (14, -17), (4, -11)))
        for s in (-1, 1)
    ]
    return [
        *(Polygon(horn, tint, line, 1.4) for horn in horns),
        Circle(x, y, 13 * size, tint, line, 1.6),
    ]


def _dragon(dragon: int, rider: int | None = None) -> tuple[Shape, ...]:
    """A dragon around (0, 0): its head, letters, and the number of its rider."""
    tint, line = TINTS[dragon], "#10161c"
    shapes: list[Shape] = [
        *_head(tint),
        Text(0, 0.5, CODES[dragon], 14, ink(dragon), bold=True),
    ]
    if rider is not None:
        shapes.append(Circle(11, -10, 6.5, "#ffffff", line, 1.6))
        shapes.append(Text(11, -10, str(rider), 10, bold=True))
    return tuple(shapes)


# ---------------------------------------------------------------- beside the mountain


class DragonCard(Card):
    """A card with the dragon that it moves."""

    def face(self, wide: float, tall: float) -> list[Shape]:
        middle, low = wide / 2, 0.66 * tall
        eyes = [Circle(middle + s * 0.1 * wide, low - 2, 3, self.ink) for s in (-1, 1)]
        return [
            Box(1, 1, wide - 2, tall - 2, "#fdf6e3", "#10161c", 1.2, 6),
            Box(1, 1, wide - 2, 0.32 * tall, self.fill, "#10161c", 1.2, 6),
            Text(middle, 0.17 * tall, self.large, 0.27 * tall, self.ink, bold=True),
            *_head(self.fill, middle, low, 1.5),
            *eyes,
            Line(((middle - 6, low + 8), (middle, low + 11), (middle + 6, low + 8)), self.ink, 2),
        ]


def card(rules: Rules, number: int) -> Card:
    """A card as it is shown in a hand."""
    dragon, value = divmod(number, rules.values)
    name = rules.card_text(number)
    return DragonCard(name, str(value + 1), CODES[dragon], TINTS[dragon], ink(dragon))


def tally(seen: Visible) -> list[Shape]:
    """The dragons on the summit, and the deck."""
    x, right = LEFT + 12, LEFT + WIDE
    pips: list[Shape] = []
    for number in range(seen.rules.summit_dragons):
        left = x + 50 + 17 * number
        fill = ACCENT if number < seen.summit else "#ffffff"
        pips.append(Polygon(((left, 68), (left + 7, 55), (left + 14, 68)), fill, INK, 1.3))
    return [
        Text(x, TALLY, "summit", 12, SOFT, "start"),
        *pips,
        Box(right - 34, 51, 14, 19, "#4a5a86", INK, 1.2, 2),
        Text(right - 42, TALLY, f"deck {seen.deck}", 12, SOFT, "end"),
    ]
