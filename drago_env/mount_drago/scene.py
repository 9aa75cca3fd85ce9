"""The drawing of a position: what is seen, laid out as the parts of a canvas."""

from __future__ import annotations

from functools import lru_cache

from drago_env.mount_drago.board import Board
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.track import CAMP, RADIUS, Track, track
from drago_env.mount_drago.visible import CODES, DISCARD, OVER, PLAY, Rider, Sight
from drago_env.pictures.canvas import (
    HEIGHT,
    WIDTH,
    Box,
    Circle,
    Line,
    Part,
    Polygon,
    Shape,
    Text,
    fit,
    width,
)

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
_INK, _SOFT, _ACCENT = "#1c2733", "#5d6b78", "#c2410c"
MOUNTAIN = 640  # how wide the mountain is; right of it is the column of the riders
_LEFT, _WIDE = 650.0, 300.0  # that column
_RIDERS, _BELOW = 84.0, 556.0  # between these heights the riders are listed


def ink(dragon: int) -> str:
    """The colour of letters on a dragon's tint."""
    return _INK if dragon in _PALE else "#ffffff"


def parts(seen: Sight) -> tuple[Part, ...]:
    """Everything but the ground: the dragons and the column of the riders."""
    return (*dragons(seen), _status(seen), *_riders(seen), _last(seen))


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
        Box(0, 0, MOUNTAIN, HEIGHT, "#cfe6f2"),
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
    rows: list[Shape] = [Text(12, 20, "Mount Drago", 16, _INK, "start", bold=True)]
    words = {"blue": "values to 3 score", "green": "all values score", "summit": "all score, once"}
    for number, (kind, text) in enumerate(words.items()):
        y = 44 + 22 * number
        fill, line, ink = _TILES[kind]
        rows += [
            Circle(20, y, 8, fill, line, 1.2),
            Text(20, y, _LETTERS[kind], 10, ink, bold=True),
            Text(33, y, text, 10.5, _INK, "start"),
        ]
    return Part("legend", tuple(rows))


# ---------------------------------------------------------------- the dragons


def dragons(seen: Sight) -> list[Part]:
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


def _dragon(dragon: int, rider: int | None = None) -> tuple[Shape, ...]:
    """A dragon around (0, 0): horns, colour, letters, and the number of its rider."""
    tint, line = TINTS[dragon], "#10161c"
    horns = [((s * 12, -3), (s * 14, -17), (s * 4, -11)) for s in (-1, 1)]
    shapes: list[Shape] = [
        *(Polygon(horn, tint, line, 1.4) for horn in horns),
        Circle(0, 0, 13, tint, line, 1.6),
        Text(0, 0.5, CODES[dragon], 14, ink(dragon), bold=True),
    ]
    if rider is not None:
        shapes.append(Circle(11, -10, 6.5, "#ffffff", line, 1.6))
        shapes.append(Text(11, -10, str(rider), 10, bold=True))
    return tuple(shapes)


# ---------------------------------------------------------------- the riders


def _status(seen: Sight) -> Part:
    rules, over = seen.rules, seen.phase == OVER
    x = _LEFT + 12
    pips: list[Shape] = []
    for number in range(rules.summit_dragons):
        left = x + 50 + 17 * number
        fill = _ACCENT if number < seen.summit else "#ffffff"
        pips.append(Polygon(((left, 68), (left + 7, 55), (left + 14, 68)), fill, _INK, 1.3))
    who, what = seen.turn
    size = 17 if width(who + what, 17, bold=True) <= _WIDE - 24 else 14
    who = fit(who, size, _WIDE - 24 - width(what, size, bold=True), bold=True)
    return Part(
        "status",
        (
            Box(MOUNTAIN, 0, WIDTH - MOUNTAIN, HEIGHT, "#e9edf0"),
            Box(_LEFT, 8, _WIDE, 68, "#fff3d6" if over else "#ffffff", "#9aa7b1", 1.2, 8),
            Text(x, 28, who + what, size, _INK, "start", bold=True),
            Text(x, 62, "summit", 12, _SOFT, "start"),
            *pips,
            Box(_LEFT + _WIDE - 34, 51, 14, 19, "#4a5a86", _INK, 1.2, 2),
            Text(_LEFT + _WIDE - 42, 62, f"deck {seen.deck}", 12, _SOFT, "end"),
        ),
    )


def _riders(seen: Sight) -> list[Part]:
    high = min((_BELOW - _RIDERS) / len(seen.riders), 122.0)
    listed = []
    for rider in seen.riders:
        y = _RIDERS + rider.seat * high
        listed.append(Part(f"rider-{rider.seat}", _rider(seen, rider, high - 7), _LEFT, y))
        listed.append(
            Part(
                f"hand-{rider.seat}",
                _hand(seen, rider, high - 7),
                _LEFT,
                y,
                data={"seat": rider.seat},
            )
        )
    return listed


def _rider(seen: Sight, rider: Rider, high: float) -> tuple[Shape, ...]:
    acts = seen.seat == rider.seat and seen.phase in (PLAY, DISCARD)
    note = {PLAY: "plays", DISCARD: "discards"}[seen.phase] if acts else ""
    note = "wins" if rider.wins else note
    fill, line = ("#fff3d6", _ACCENT) if note else ("#ffffff", "#9aa7b1")
    score, gained = str(rider.score), f"{rider.gained:+d}" if rider.gained else ""
    right = _WIDE - 12
    taken = width(score, 20, bold=True) + 8
    ends = right - taken - (width(gained, 13, bold=True) + 8 if gained else 0)
    name_room = ends - 34 - (width(note, 12, bold=True) + 10 if note else 0)
    name = fit(rider.name, 14, name_room, bold=True)
    shapes: list[Shape] = [
        Box(0, 0, _WIDE, high, fill, line, 2.4 if note else 1.2, 8),
        Circle(18, 17, 9.5, "#ffffff", _INK, 1.6),
        Text(18, 17, str(rider.seat), 13, bold=True),
        Text(34, 17, name, 14, _INK, "start", bold=True),
        Text(right, 18, score, 20, _INK, "end", bold=True),
    ]
    if gained:
        shapes.append(Text(right - taken, 18, gained, 13, _ACCENT, "end", bold=True))
    if note:
        x = 34 + width(name, 14, bold=True) + 4
        shapes.append(Text(min(x, ends - width(note, 12, True)), 17, note, 12, _ACCENT, "start"))
    return tuple(shapes)


def _hand(seen: Sight, rider: Rider, high: float) -> tuple[Shape, ...]:
    """The dragon ridden, then the hand: small cards, or their backs with a count."""
    tall = min(high - 42, 60.0)
    wide = min(tall * 0.72, 31.0)
    y = 34 + (high - 34 - 6 - tall) / 2
    shapes = [
        *_card(seen, rider.top, 12, y, wide, tall),
        Line(((56, y), (56, y + tall)), "#9aa7b1"),
    ]
    for number in range(rider.cards):
        x = 65 + number * (wide + 3.5)
        if rider.hand is None:
            shapes.append(Box(x, y, wide, tall, "#4a5a86", _INK, 1.2, 4))
            shapes.append(Box(x + 4, y + 4, wide - 8, tall - 8, "#4a5a86", "#aab6d8", 1, 2))
        else:
            shapes += _card(seen, rider.hand[number], x, y, wide, tall)
    if rider.hand is None:
        x = 65 + rider.cards * (wide + 3.5) + 4
        shapes.append(Text(x, y + tall / 2, str(rider.cards), 14, _SOFT, "start", bold=True))
    return tuple(shapes)


def _card(seen: Sight, card: int, x: float, y: float, wide: float, tall: float) -> list[Shape]:
    dragon, value = divmod(card, seen.rules.values)
    size = min(0.42 * tall, 0.62 * wide)
    return [
        Box(x, y, wide, tall, TINTS[dragon], "#10161c", 1.2, 4),
        Text(x + wide / 2, y + 0.34 * tall, str(value + 1), size, ink(dragon), bold=True),
        Text(x + wide / 2, y + 0.76 * tall, CODES[dragon], 0.68 * size, ink(dragon)),
    ]


def _last(seen: Sight) -> Part:
    x, y = _LEFT + 12, _BELOW + 2
    shapes: list[Shape] = [Box(_LEFT, y, _WIDE, 74, "#ffffff", "#9aa7b1", 1.2, 8)]
    if not seen.last:
        return Part("last", (*shapes, Text(x, y + 37, "no move yet", 13, _SOFT, "start")))
    name, _, action = seen.last.rpartition(": ")
    shapes += [
        Text(x, y + 16, fit(f"last move by {name}", 12, _WIDE - 24), 12, _SOFT, "start"),
        Text(x, y + 37, action, 15, _INK, "start", bold=True),
    ]
    points = ", ".join(f"{number:+d}" if number else "0" for number in seen.points)
    points = f"points {points}" if points else "no points"
    shapes.append(Text(x, y + 58, points, 12, _SOFT, "start"))
    return Part("last", tuple(shapes))
