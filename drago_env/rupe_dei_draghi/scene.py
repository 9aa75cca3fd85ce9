"""The drawing of a position: the graph and everything that lies or stands on it, as parts."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import cos, dist, hypot, pi, sin

from drago_env.pictures.canvas import HEIGHT, Box, Circle, Line, Part, Point, Polygon, Shape, Text
from drago_env.pictures.canvas import width as text_width
from drago_env.pictures.column import ACCENT, BOARD, INK, SOFT
from drago_env.rupe_dei_draghi import tokens
from drago_env.rupe_dei_draghi.graph import COLOURS, Graph
from drago_env.rupe_dei_draghi.visible import Rider, Visible

TINTS = {
    "red": "#d3302f",
    "yellow": "#f2c417",
    "green": "#2e9147",
    "blue": "#2b62c9",
    "white": "#f4f4f4",
    "black": "#33363b",
    "purple": "#8f4fc9",
    "orange": "#f0862a",
}
_PALE = ("yellow", "white", "orange")  # these tints carry dark letters
_STRIP = 584.0  # the height below which cards and pieces lie beside the board
_ROOM = (62.0, 34.0, BOARD - 62.0, _STRIP - 30.0)  # the graph lies within
_SOIL, _ROAD, _EDGE = "#dfe6cf", "#d8bd8a", "#8a7348"
_FILLS = {  # fill, border, letters
    "green": ("#8fbf6a", "#4b7a33", INK),
    "rock": ("#a9a59c", "#5c5850", INK),
    "star": ("#ffd94a", "#a87c00", INK),
    "gap": ("#27405c", "#101d2c", "#ffffff"),
    "crater": ("#8c4a2f", "#4c2413", "#ffffff"),
    "castle": ("#c9ced6", "#4a5058", INK),
    "stronghold": ("#b9a98f", "#5b4a33", INK),
}


Arc = tuple[Point, ...]


def tint(graph: Graph, colour: int) -> tuple[str, str]:
    """A rider's colour, and that of letters on it."""
    name = graph.colours[colour] if graph.colours[colour] in TINTS else COLOURS[colour]
    return TINTS[name], INK if name in _PALE else "#ffffff"


# ---------------------------------------------------------------- where things are


@lru_cache(maxsize=64)
def _spots(places: tuple[Point | None, ...]) -> tuple[tuple[Point, ...], float]:
    """The point of each space and how large spaces are drawn; all on a circle if one has none."""
    count = len(places)
    ring = [(cos(2 * pi * n / count), sin(2 * pi * n / count)) for n in range(count)]
    given = [place for place in places if place is not None]
    raw = given if len(given) == count else ring
    left, top = min(x for x, _ in raw), min(y for _, y in raw)
    wide = max(max(x for x, _ in raw) - left, 1e-6)
    high = max(max(y for _, y in raw) - top, 1e-6)
    x0, y0, x1, y1 = _ROOM
    scale = min((x1 - x0) / wide, (y1 - y0) / high)
    x0, y0 = (x0 + x1 - scale * wide) / 2, (y0 + y1 - scale * high) / 2
    spots = tuple((x0 + scale * (x - left), y0 + scale * (y - top)) for x, y in raw)
    near = min((dist(one, other) for one, other in combinations(spots, 2)), default=40.0)
    return spots, min(max(0.37 * near, 4.0), 13.0)


@lru_cache(maxsize=64)
def _arcs(graph: Graph, places: tuple[Point | None, ...]) -> tuple[tuple[Arc, Point], ...]:
    """The arc of each rainbow site, bent to keep clear of the spaces, and its freest point."""
    spots, radius = _spots(places)
    found = []
    for rock, end in graph.sites:
        others = [spot for space, spot in enumerate(spots) if space not in (rock, end)]
        clear = {  # of several arcs how near they come to a space
            arc: min((_clearance(point, others) for point in arc), default=0.0)
            for arc in (_bent(spots[rock], spots[end], by) for by in (0.2, -0.2, 0.05, -0.05))
        }
        arc = max(clear, key=lambda arc: clear[arc])
        near, far = 0.9 * radius, (2.2 if end == graph.castle else 1.6) * radius
        seen = [p for p in arc if dist(p, spots[rock]) > near and dist(p, spots[end]) > far]
        inner = seen[len(seen) // 4 : -len(seen) // 4] or arc
        found.append((tuple(seen) or arc, max(inner, key=lambda p: _clearance(p, others))))
    return tuple(found)


def _bent(start: Point, end: Point, by: float) -> Arc:
    (x0, y0), (x1, y1) = start, end
    points = []
    for step in range(33):
        t = step / 32
        out = 4 * by * t * (1 - t)
        points.append((x0 + t * (x1 - x0) - out * (y1 - y0), y0 + t * (y1 - y0) + out * (x1 - x0)))
    return tuple(points)


def _clearance(point: Point, others: list[Point]) -> float:
    return min((dist(point, other) for other in others), default=0.0)


def _beside(arc: Arc, by: float) -> Arc:
    """A line so far beside another one."""
    points = []
    for number, (x, y) in enumerate(arc):
        (x0, y0), (x1, y1) = arc[max(number - 1, 0)], arc[min(number + 1, len(arc) - 1)]
        long = hypot(x1 - x0, y1 - y0) or 1.0
        points.append((x - by * (y1 - y0) / long, y + by * (x1 - x0) / long))
    return tuple(points)


# ---------------------------------------------------------------- the ground


def ground(graph: Graph) -> tuple[Part, ...]:
    """What never changes: roads and spaces."""
    return _ground(graph, graph.places, graph.colours)


@lru_cache(maxsize=64)
def _ground(
    graph: Graph, places: tuple[Point | None, ...], colours: tuple[str, ...]
) -> tuple[Part, ...]:
    """The same; equal graphs may differ in places and colours, so the cache is told of them."""
    spots, radius = _spots(places)
    roads: list[Shape] = []
    for fill, thick in ((_EDGE, 7.5), (_ROAD, 5.0)):
        roads += [Line((spots[one], spots[other]), fill, thick) for one, other in graph.roads]
    spaces = [_space(graph, space, spots[space], radius) for space in range(len(graph))]
    land = Box(0, 0, BOARD, HEIGHT, _SOIL), _cliff(spots[graph.castle], 3.1 * radius)
    return (Part("land", land), Part("roads", tuple(roads)), *spaces, _legend())


def _cliff(middle: Point, radius: float) -> Shape:
    """The rock that carries the castle."""
    corners = []
    for number in range(18):
        reach = radius * (1.12 if number % 2 else 0.94 + 0.05 * (number % 3))
        angle = 2 * pi * number / 18
        corners.append((middle[0] + reach * cos(angle), middle[1] + reach * sin(angle)))
    return Polygon(tuple(corners), "#b3ab9c", "#8d8474", 2)


def _space(graph: Graph, space: int, spot: Point, radius: float) -> Part:
    kind, name = graph.kinds[space], graph.names[space]
    if kind == "start":
        fill, ink = tint(graph, graph.starts.index(space))
        style = fill, INK, ink
    else:
        style = _FILLS[kind]
    shapes, low, room = _tile(kind, radius, *style[:2])
    size = min(0.76 * radius, room / max(text_width(name, 1), 0.1))
    label = Text(0, low, name, size, style[2])
    about = {"space": name, "kind": kind}
    return Part(f"space-{space}", (*shapes, label), *spot, data=about)


def _tile(kind: str, r: float, fill: str, line: str) -> tuple[tuple[Shape, ...], float, float]:
    """A space around (0, 0), how low its name stands in it, and how much room that has."""
    if kind == "castle":
        return tokens.castle(1.9 * r, fill, line), 1.35 * r, 2.4 * r
    if kind == "stronghold":
        return tokens.tower(1.55 * r, fill, line), 1.12 * r, 2.2 * r
    if kind == "rock":
        return (tokens.rock(1.25 * r, fill, line),), 0.1 * r, 1.7 * r
    if kind == "star":
        return (tokens.star(1.5 * r, fill, line),), 0.1 * r, 1.4 * r
    if kind == "gap":
        return (Box(-r, -0.8 * r, 2 * r, 1.6 * r, fill, line, 2, 3),), 0.0, 1.7 * r
    disc = Circle(0, 0, r, fill, line, 2.4 if kind == "start" else 1.5)
    if kind == "crater":
        return (disc, Circle(0, 0, 0.72 * r, "#3a1a0e")), 0.0, 1.4 * r
    return (disc,), 0.0, 1.7 * r


def _legend() -> Part:
    rows = [
        ("star", "fly to any other star"),
        ("rock", "rainbows begin here"),
        ("gap", "closed without bridge"),
        ("stronghold", "a princess inside"),
    ]
    shapes: list[Shape] = [Box(0, _STRIP, BOARD, HEIGHT - _STRIP, "#cdd6ba")]
    for number, (kind, words) in enumerate(rows):
        x, y = 352 + 148 * (number // 2), 600 + 24 * (number % 2)
        shapes += tokens.moved(_tile(kind, 7, *_FILLS[kind][:2])[0], x, y)
        shapes.append(Text(x + 17, y, words, 10.5, INK, "start"))
    return Part("legend", tuple(shapes))


# ---------------------------------------------------------------- what lies and stands there


def parts(seen: Visible) -> list[Part]:
    """Everything on the board and beside it, the lowest first."""
    graph = seen.rules.graph
    spots, radius = _spots(graph.places)
    size = radius / 13  # tokens are drawn for spaces of this radius
    arcs = _arcs(graph, graph.places)
    listed = [_site(seen, site, *arcs[site]) for site in seen.sites]
    listed += [_bridge(seen, space, spots, size) for space in seen.bridges]
    listed += [_inside(seen, fort, spots) for fort in range(len(graph.strongholds))]
    listed += [_dragon(seen, space, spots, size) for space in seen.dragons]
    listed += [_knight(seen, rider, spots, size) for rider in seen.riders]
    return [*listed, *_supplies(seen)]


def _dragon(seen: Visible, space: int, spots: tuple[Point, ...], size: float) -> Part:
    graph, (x, y) = seen.rules.graph, spots[space]
    picked = seen.picked == ("dragon", space)
    about = {"space": graph.names[space], "dragon": "moves" if picked else "stands"}
    if graph.kinds[space] == "stronghold":  # whose name stands below
        y -= 4 * size
    return Part(f"dragon-{space}", tokens.dragon(ACCENT if picked else INK), x, y, size, about)


def _site(seen: Visible, site: int, arc: Arc, middle: Point) -> Part:
    """A rainbow, or the place for one with a lozenge in its middle to point at."""
    graph, name = seen.rules.graph, f"site-{site}"
    about: dict[str, object] = {"site": "-".join(graph.names[end] for end in graph.sites[site])}
    if site not in seen.rainbows:
        x, y = middle
        lozenge = ((x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6))
        shapes = Line(arc, "#a9b394", 2), Polygon(lozenge, "#f3f5ea", "#8a9474", 1.2)
        return Part(name, shapes, data=about)
    picked = seen.picked == ("rainbow", site)
    about |= {"rainbow": "moves" if picked else "lies"}
    return Part(name, _rainbow(arc, ACCENT if picked else "#ffffff"), data=about)


@lru_cache(maxsize=128)
def _rainbow(arc: Arc, edge: str) -> tuple[Shape, ...]:
    band = Polygon((*_beside(arc, 6), *reversed(_beside(arc, -6))), "#ffffff", edge, 2)
    return band, *(Line(_beside(arc, by), fill, 2.6) for by, fill in tokens.STRIPES)


def _bridge(seen: Visible, space: int, spots: tuple[Point, ...], size: float) -> Part:
    """A bridge along the roads that it joins."""
    graph = seen.rules.graph
    joined = [a + b - space for a, b in graph.roads if space in (a, b)]
    (x0, y0), (x1, y1) = (spots[joined[0]], spots[joined[-1]]) if joined else ((0, 0), (1, 0))
    if len(joined) == 1:
        x1, y1 = spots[space]
    long = hypot(x1 - x0, y1 - y0) or 1.0
    picked = seen.picked == ("bridge", space)
    shapes = tokens.bridge((x1 - x0) / long, (y1 - y0) / long, ACCENT if picked else INK)
    about = {"space": graph.names[space], "bridge": "moves" if picked else "lies"}
    return Part(f"bridge-{space}", shapes, *spots[space], size, about)


def _knight(seen: Visible, rider: Rider, spots: tuple[Point, ...], size: float) -> Part:
    graph = seen.rules.graph
    there = [other.seat for other in seen.riders if other.space == rider.space]
    x, y = spots[rider.space]
    if len(there) > 1:  # in the castle only
        place = there.index(rider.seat)
        x += 22 * size * (place - (len(there) - 1) / 2)
    shapes = tokens.knight(*tint(graph, rider.colour), rider.seat, rider.armour, rider.doubles)
    about = {"space": graph.names[rider.space], "armour": int(rider.armour)}
    return Part(f"knight-{rider.seat}", shapes, x, y, size, {**about, "seat": rider.seat})


def _inside(seen: Visible, fort: int, spots: tuple[Point, ...]) -> Part:
    """Beside a stronghold: which princess is there, or which can be, and who looked."""
    graph, can_be = seen.rules.graph, seen.princesses[fort]
    x, y = spots[graph.strongholds[fort]]
    side = -1 if x < BOARD / 2 else 1
    middle = side * 40.0
    if len(can_be) == 1:
        shapes = [*tokens.princess(middle, -2, 1.5, tint(graph, can_be[0])[0])]
    else:
        shapes = []
        for number, colour in enumerate(can_be):
            across, down = middle + 17 * (number % 2 - 0.5), 17 * (number // 2) - 14
            shapes += tokens.princess(across, down, 0.75, tint(graph, colour)[0])
    looked = [str(rider.seat) for rider in seen.riders if fort in rider.looks]
    if looked:
        anchor = "start" if side < 0 else "end"
        shapes.append(Text(58 * side, 27, f"seen by {','.join(looked)}", 8.5, SOFT, anchor))
    about = {"space": graph.names[graph.strongholds[fort]], "known": len(can_be), "by": len(looked)}
    return Part(f"princess-{fort}", tuple(shapes), x, y, data=about)


def _supplies(seen: Visible) -> list[Part]:
    """The deck, the discard pile, and the pieces beside the board."""
    deck = tokens.back(0, 0, 28, 42) if seen.deck else (Box(0, 0, 28, 42, _SOIL, SOFT, 1, 4),)
    pile: list[Shape] = [Box(0, 0, 28, 42, _SOIL, SOFT, 1, 4)]
    if seen.pile:
        pile = list(tokens.card(seen.pile[-1]).shapes(0, 0, 28, 42))
    words = [("deck", f"{seen.deck} in deck"), ("pile", f"{len(seen.pile)} discards")]
    left = [
        ("rainbows", tokens.arch(18), seen.rainbows_left),
        ("bridges", tokens.bridge(1, 0), seen.bridges_left),
    ]
    listed = []
    for number, ((name, text), shapes) in enumerate(zip(words, (deck, pile), strict=True)):
        label = Text(34, 21, text.split()[0], 14, INK, "start", bold=True)
        more = Text(34, 36, text.split()[-1], 9.5, SOFT, "start")
        count = {"count": text.split()[0]}
        listed.append(Part(name, (*shapes, label, more), 12 + 86 * number, 591, data=count))
    for number, (name, piece, count_left) in enumerate(left):
        frame = Box(-21, -21, 72, 42, "#e3e9d6", SOFT, 1, 6)
        label = Text(22, 0, f"x {count_left}", 13, INK, "start", bold=True)
        about = {"left": count_left}
        listed.append(Part(name, (frame, *piece, label), 207 + 78 * number, 612, data=about))
    return listed
