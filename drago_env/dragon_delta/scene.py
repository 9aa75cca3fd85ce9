"""The drawing of a position: the delta, and before everybody their program and their planks."""

from __future__ import annotations

from functools import lru_cache
from math import hypot

from drago_env.dragon_delta.cards import EDGE, STONE, Look, back, card, looks, pawn
from drago_env.dragon_delta.map import MAX_LINKS, Map
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import OVER, PROGRAM, VILLAGE
from drago_env.dragon_delta.visible import Table
from drago_env.pictures.canvas import HEIGHT, Box, Circle, Line, Part, Point, Polygon, Shape, Text
from drago_env.pictures.canvas import fit as cut
from drago_env.pictures.column import ACCENT, BOARD, INK, SOFT

_WATER, _WAY, _SAND, _SHORE = "#a9d3e6", "#b7dbeb", "#f2dfae", "#8a7440"
_STRIP, _RACK = 64.0, (206.0, 58.0)  # what lies before the seats: strips above and below the map
_ISLET, _BEACH = 11.0, 30.0  # radii
_MARGIN = 38.0
_CARDS, _GAP = 30.0, 2.0  # where the slots of a rack begin, and what lies between them


# ---------------------------------------------------------------- the map


@lru_cache(maxsize=64)
def spots(board: Map) -> tuple[Point, ...]:
    """Where every node is drawn; y points up on the map."""
    xs, ys = zip(*board.points, strict=True)
    wide, high = max(max(xs) - min(xs), 1), max(max(ys) - min(ys), 1)
    room = BOARD - 2 * _MARGIN, HEIGHT - 2 * (_STRIP + _MARGIN)
    scale = min(room[0] / wide, room[1] / high)
    x, y = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return tuple(
        (BOARD / 2 + (a - x) * scale, HEIGHT / 2 - (b - y) * scale) for a, b in board.points
    )


@lru_cache(maxsize=64)
def ground(rules: Rules) -> tuple[Part, ...]:
    """What never changes: the water, every link as a faint way, islets and villages."""
    board, at = rules.map, spots(rules.map)
    ways = [
        Part(f"link-{link}", (Polygon(_strip(board, link, 3.5), _WAY),), data=_about(board, link))
        for link in range(len(board.links))
    ]
    islets = [
        Part(
            f"islet-{islet}",
            (
                Circle(0, 0, _ISLET, _SAND, _SHORE, 1.2),
                Text(0, 0, str(islet), 10, SOFT),
            ),
            *at[islet],
            data={"islet": islet},
        )
        for islet in range(len(board.islets))
    ]
    villages = [_village(rules, village) for village in range(len(board.villages))]
    water = Part("water", (Box(0, 0, BOARD, HEIGHT, _WATER),))
    return (water, *ways, *islets, *villages)


def _about(board: Map, link: int) -> dict[str, str]:
    return {"link": board.link_text(link)}


def _village(rules: Rules, village: int) -> Part:
    board = rules.map
    colour, node = board.colours[village], len(board.islets) + village
    look = looks(board.colours)[colour]
    house = ((-11, -11), (-11, -19), (0, -28), (11, -19), (11, -11))
    shapes = (
        Circle(0, 0, _BEACH, _SAND, _SHORE, 1.5),
        Polygon(house, look.tint, EDGE, 1.5),
        Text(0, -16.5, look.letter, 10, look.ink, bold=True),
        Text(0, 21, cut(colour, 10, 46), 10, INK),
        Text(20, -11, str(node), 9, SOFT),
    )
    at = spots(board)[node]
    return Part(f"village-{village}", shapes, *at, data={"village": colour})


def _ends(board: Map, link: int) -> tuple[Point, Point]:
    """Where a plank on a link begins and ends: on the rim of its stones or beaches."""
    a, b = board.links[link][:2]
    (ax, ay), (bx, by) = spots(board)[a], spots(board)[b]
    long = max(hypot(bx - ax, by - ay), 1)
    islets = len(board.islets)
    first, last = ((0.7 * _ISLET if node < islets else 0.9 * _BEACH) / long for node in (a, b))
    dx, dy = bx - ax, by - ay
    return (ax + first * dx, ay + first * dy), (bx - last * dx, by - last * dy)


def _along(board: Map, link: int, beyond: float = 0) -> Point:
    """The middle of a plank, or a point so many pixels beyond it on the plank."""
    (ax, ay), (bx, by) = _ends(board, link)
    share = 0.5 + min(beyond / max(hypot(bx - ax, by - ay), 1), 0.4)
    return ax + share * (bx - ax), ay + share * (by - ay)


def _strip(board: Map, link: int, half: float) -> tuple[Point, ...]:
    """The four corners of a plank so many pixels wide to each side."""
    (ax, ay), (bx, by) = _ends(board, link)
    long = max(hypot(bx - ax, by - ay), 1)
    x, y = half * (ay - by) / long, half * (bx - ax) / long
    return (ax + x, ay + y), (bx + x, by + y), (bx - x, by - y), (ax - x, ay - y)


# ---------------------------------------------------------------- what lies on it


def parts(table: Table, viewer: int | None) -> list[Part]:
    """Stones, planks and pawns, and the rack of every seat."""
    stones = [_stone(table.rules.map, islet) for islet in table.stones]
    laid = table.planks
    planks = [  # an empty part for every other link: a plank that is laid later lies below pawns
        _plank(table, link, *laid[link]) if link in laid else Part(f"plank-{link}", ())
        for link in range(len(table.rules.map.links))
    ]
    seats = range(table.rules.players)
    racks = [part for seat in seats for part in _rack(table, seat, viewer)]
    return [*stones, *planks, *(_pawn(table, seat) for seat in seats), *racks]


def _stone(board: Map, islet: int) -> Part:
    shapes = (
        Circle(0, 0, _ISLET - 1.5, STONE, EDGE, 1.5),
        Text(0, 0, str(islet), 10, "#ffffff", bold=True),
    )
    return Part(f"stone-{islet}", shapes, *spots(board)[islet], data={"islet": islet})


def _plank(table: Table, link: int, colour: int, number: int) -> Part:
    board, look = table.rules.map, _look(table.rules, colour)
    x, y = _along(board, link)
    shapes: tuple[Shape, ...] = (
        Polygon(_strip(board, link, 5.5), look.tint, EDGE, 1.5),
        *_tag(x - 11, y - 7, 22, 14, look, number),
    )
    data = {"plank": table.plank_text((colour, number)), **_about(board, link)}
    return Part(f"plank-{link}", shapes, data=data)


def _tag(
    x: float, y: float, wide: float, tall: float, look: Look, number: int, line: str = EDGE
) -> tuple[Shape, ...]:
    """A plank's letter and number on its tint."""
    return (
        Box(x, y, wide, tall, look.tint, line, 1.4 if line == EDGE else 3, 3),
        Text(x + wide / 2, y + tall / 2, f"{look.letter}{number}", 11, look.ink, bold=True),
    )


def _pawn(table: Table, seat: int) -> Part:
    board, place = table.rules.map, table.pawn(seat)
    if place < MAX_LINKS:
        x, y = _along(board, place, 20)
    else:
        x, y = spots(board)[len(board.islets) + place - VILLAGE]
        there = [other for other in range(table.rules.players) if table.pawn(other) == place]
        row, column = divmod(there.index(seat), 3)
        x += 18 * (column - (min(len(there) - 3 * row, 3) - 1) / 2)
        y += 3 + 12 * row - (6 if len(there) > 3 else 0)
    data = {"pawn": table.rules.colours[seat], "at": table.place_text(place)}
    return Part(f"pawn-{seat}", pawn(_look(table.rules, seat)), x, y, data=data)


def _look(rules: Rules, seat: int) -> Look:
    return looks(rules.map.colours)[rules.colours[seat]]


# ---------------------------------------------------------------- before the seats


def _rack_at(seat: int, players: int) -> Point:
    """Clockwise like the seats: the first ones above the map, the others below it."""
    above = (players + 1) // 2
    row, count = (seat, above) if seat < above else (players - 1 - seat, players - above)
    x = BOARD * (row + 0.5) / count - _RACK[0] / 2
    return x, (_STRIP - _RACK[1]) / 2 + (0 if seat < above else HEIGHT - _STRIP)


def _rack(table: Table, seat: int, viewer: int | None) -> list[Part]:
    """A seat's colour, the marker, its program, and its reserve."""
    rules, game = table.rules, table.game
    look, (x, y) = _look(rules, seat), _rack_at(seat, rules.players)
    acts = seat == table.seat and game["step"] != OVER
    board: list[Shape] = [
        Box(0, 0, *_RACK, "#fff3d6" if acts else "#e9edf0", ACCENT if acts else SOFT, 1.5, 6),
        Circle(15, 17, 10, look.tint, EDGE, 1.5),
        Text(15, 17, look.letter, 12, look.ink, bold=True),
    ]
    if seat == game["first"]:
        board.append(Box(3, 38, 24, 14, INK, None, 0, 4))
        board.append(Text(15, 45, "1st", 10.5, "#ffffff", bold=True))
    rack = Part(f"rack-{seat}", tuple(board), x, y, data={"seat": seat})
    return [rack, *_slots(table, seat, viewer, x, y), *_reserve(table, seat, x, y)]


def _slots(table: Table, seat: int, viewer: int | None, x: float, y: float) -> list[Part]:
    known, slots = table.known(seat, viewer), table.rules.slots
    step = (_RACK[0] - _CARDS - 4) / slots
    wide, tall = step - _GAP, 34.0
    placed = []
    for slot in range(slots):
        laid = slot < len(known)
        number = known[slot] if laid else None
        shapes, name = _slot(table, seat, slot, number, laid, wide, tall)
        data = {"seat": seat, "slot": slot + 1, "card": name}
        at = x + _CARDS + slot * step, y + 3
        placed.append(Part(f"slot-{seat}-{slot}", shapes, *at, data=data))
    return placed


def _slot(
    table: Table, seat: int, slot: int, number: int | None, laid: bool, wide: float, tall: float
) -> tuple[tuple[Shape, ...], str]:
    """A slot and what it is called: empty, face down, for the own eyes only, or open."""
    if not laid:
        empty = Box(0, 0, wide, tall, "#dbe2e7", SOFT, 1, 3)
        return (empty, Text(wide / 2, tall / 2, str(slot + 1), 11, SOFT)), ""
    if number is None:
        return tuple(back(wide, tall)), "?"
    shown = card(number, seat, table.rules)
    if slot >= table.revealed:  # the own card, which the others see from behind
        inside = shown.shapes(0.08 * wide, 0.08 * tall, 0.84 * wide, 0.84 * tall)
        return (*back(wide, tall)[:1], *inside), shown.name
    shapes = shown.shapes(0, 0, wide, tall)
    if table.cancelled(seat, slot):
        for points in (((3, 3), (wide - 3, tall - 3)), ((3, tall - 3), (wide - 3, 3))):
            shapes.append(Line(points, ACCENT, 2.5))
    elif slot == table.game["slot"] and table.game["step"] not in (PROGRAM, OVER):
        shapes.append(Line(((2, tall + 1.5), (wide - 2, tall + 1.5)), ACCENT, 2.5))
    return tuple(shapes), shown.name


def _reserve(table: Table, seat: int, x: float, y: float) -> list[Part]:
    rules, game = table.rules, table.game
    step = (_RACK[0] - _CARDS - 4) / rules.planks
    placed = []
    for colour, number in table.reserve(seat):
        chosen = seat == table.seat and number == game["chosen"]
        line = ACCENT if chosen else EDGE
        shapes = _tag(0, 0, step - _GAP, 14, _look(rules, colour), number, line)
        at = x + _CARDS + (number - 1) * step, y + 41
        data = {"plank": table.plank_text((colour, number))}
        placed.append(Part(f"reserve-{seat}-{number}", shapes, *at, data=data))
    return placed
