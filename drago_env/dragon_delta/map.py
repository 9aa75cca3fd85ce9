"""Maps: islets, villages and links as data, read from a JSON file or built in (clause 1).

No source shows the printed map. The standard map `delta-1` is a reconstruction that fits every
known fact (clause 1.3); whoever has the printed one can write it down and load it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

Point = tuple[int, int]
Link = tuple[int, int, tuple[int, ...]]  # node, node, the plank numbers that fit

# Capacities: the nodes are the bits of one word, the links those of LINK_WORDS.
MIN_VILLAGES, MAX_VILLAGES = 2, 6
MAX_NODES = 64
LINK_WORDS = 3
MAX_LINKS = 64 * LINK_WORDS
MAX_PLANKS = 8
MAX_COORDINATE = 1_000_000
STANDARD = "delta-1"
BUILT_IN = (STANDARD, "tiny")

GOALS = {  # 2.2
    "white": "black",
    "black": "white",
    "red": "green",
    "green": "red",
    "blue": "yellow",
    "yellow": "blue",
}


class MapError(ValueError):
    """A map that breaks clause 1 or 12, or a map file that cannot be read; names the place."""


@dataclass(frozen=True)
class Village:
    """A village: its colour, where its centre lies, and the colour of the goal of its pawn."""

    colour: str
    at: Point
    goal: str


@dataclass(frozen=True, repr=False)
class Map:
    """A map: nodes are islets, then villages; links are where a plank can lie (clause 1.4).

    Maps are plain data. `Map.standard()` is the built-in reconstruction, `Map.read(path)` a map
    of your own; a `MapError` names the place that is wrong. `docs/formats.md` has the format.
    """

    name: str
    islets: tuple[Point, ...]
    villages: tuple[Village, ...]
    links: tuple[Link, ...]
    seats: tuple[tuple[str, ...], ...]  # for each player count the colours of seat 0, 1, ...
    symmetries: tuple[tuple[int, ...], ...] = ()  # each sends node i to its i-th number (1.7)

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise MapError(problem)

    def __repr__(self) -> str:
        return f"Map({self.name!r}, {len(self.links)} links)"

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours of the villages, in their order."""
        return tuple(village.colour for village in self.villages)

    @property
    def nodes(self) -> int:
        """How many islets and villages there are."""
        return len(self.islets) + len(self.villages)

    @property
    def points(self) -> tuple[Point, ...]:
        """Where each node lies."""
        return (*self.islets, *(village.at for village in self.villages))

    @property
    def player_counts(self) -> tuple[int, ...]:
        """For how many players the map has seats."""
        return tuple(sorted(len(colours) for colours in self.seats))

    def seats_for(self, players: int) -> tuple[str, ...]:
        """The colours of the seats with so many players (clause 2.1)."""
        for colours in self.seats:
            if len(colours) == players:
                return colours
        counts = ", ".join(map(str, self.player_counts))
        raise MapError(f"the map {self.name} seats {counts} players, not {players} (clause 12.2)")

    def goal(self, village: int) -> int:
        """The village that the pawn of this village must reach."""
        return self.colours.index(self.villages[village].goal)

    @cached_property
    def crossings(self) -> tuple[tuple[int, int], ...]:
        """The pairs of links that cross: no common node, and their segments meet (1.6)."""
        return tuple(_crossings(self.points, self.links))

    @cached_property
    def link_numbers(self) -> dict[tuple[int, int], int]:
        """The number of the link of two nodes, the smaller node first."""
        return {(a, b): number for number, (a, b, _) in enumerate(self.links)}

    def node_text(self, node: int) -> str:
        """An islet or a village in words."""
        if node < len(self.islets):
            return f"islet {node}"
        return f"{self.colours[node - len(self.islets)]}'s village"

    def link_text(self, link: int) -> str:
        """A link as its two nodes, such as `13-27`."""
        a, b, _ = self.links[link]
        return f"{a}-{b}"

    def seen_from(self, village: int) -> tuple[int, ...]:
        """Which node each node looks like from a village: there it is always village 0 (1.7).

        The first symmetry that sends village 0 to this one is taken back; without one, the map
        is seen as it is.
        """
        first = len(self.islets)
        for symmetry in self.symmetries:
            if symmetry[first] == first + village:
                return tuple(symmetry.index(node) for node in range(self.nodes))
        return tuple(range(self.nodes))

    @classmethod
    def standard(cls) -> Map:
        """The map `delta-1`: a reconstruction with 27 islets, 6 villages and 150 links (1.3)."""
        return _built_in(STANDARD)

    @classmethod
    def tiny(cls) -> Map:
        """The map of the tiny, exactly solvable game (clause 12.3)."""
        return _built_in("tiny")

    @classmethod
    def called(cls, name: Any) -> Map:
        """A built-in map by its name, a JSON object as a map, else the map in a file."""
        if isinstance(name, Mapping):
            return cls.from_dict(name)
        return _built_in(str(name)) if name in BUILT_IN else cls.read(name)

    @classmethod
    def read(cls, path: str | Path) -> Map:
        """Reads a map file; a `MapError` names the file and the place that is wrong."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise MapError(f"cannot read the map file {path}: {error}") from error
        return cls.from_dict(data, str(path))

    @classmethod
    def from_dict(cls, data: Any, source: str = "map") -> Map:
        """The map of a JSON object; keys that are not known are let pass."""
        try:
            made = cls(**_fields(data))
            _check_crossings(made, data.get("crossings"))
        except MapError as error:
            raise MapError(f"{source}: {error}") from None
        return made

    def as_dict(self) -> dict[str, Any]:
        """The map as a JSON object, with the crossings that follow from it."""
        made: dict[str, Any] = {
            "name": self.name,
            "islets": [list(point) for point in self.islets],
            "villages": [
                {"colour": v.colour, "at": list(v.at), "goal": v.goal} for v in self.villages
            ],
            "links": [[a, b, list(fits)] for a, b, fits in self.links],
            "crossings": [list(pair) for pair in self.crossings],
            "seats": {str(len(colours)): list(colours) for colours in self.seats},
        }
        if self.symmetries:
            made["symmetries"] = [list(symmetry) for symmetry in self.symmetries]
        return made


@cache
def _built_in(name: str) -> Map:
    file = resources.files(__package__) / "maps" / f"{name}.json"
    return Map.from_dict(json.loads(file.read_text(encoding="utf-8")), f"{name}.json")


# ---------------------------------------------------------------- reading


def _wholes(x: Any) -> bool:
    return isinstance(x, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in x)


def _fields(data: Any) -> dict[str, Any]:
    """The fields of a map out of a JSON object: shapes are checked here, meanings later."""
    if not isinstance(data, Mapping):
        raise MapError(f"a map is an object, not {data!r:.40}")
    lists = {"islets": list, "villages": list, "links": list, "seats": Mapping}
    for key, kind in lists.items():
        if not isinstance(data.get(key), kind):
            word = "a list" if kind is list else "an object"
            raise MapError(f"{key} must be {word}, not {data.get(key)!r:.40}")
    symmetries = data.get("symmetries", [])
    if not isinstance(symmetries, list) or not all(map(_wholes, symmetries)):
        raise MapError("symmetries must be a list of lists of nodes")
    return {
        "name": data.get("name", "unnamed"),
        "islets": tuple(_point(f"islets[{i}]", at) for i, at in enumerate(data["islets"])),
        "villages": tuple(_village(i, village) for i, village in enumerate(data["villages"])),
        "links": tuple(_link(i, link) for i, link in enumerate(data["links"])),
        "seats": tuple(_seating(count, colours) for count, colours in data["seats"].items()),
        "symmetries": tuple(map(tuple, symmetries)),
    }


def _point(place: str, at: Any) -> Point:
    if not _wholes(at) or len(at) != 2:
        raise MapError(f"{place}: a place is [x, y] in whole numbers, not {at!r:.40}")
    return at[0], at[1]


def _village(i: int, village: Any) -> Village:
    if not isinstance(village, Mapping) or not isinstance(village.get("colour"), str):
        raise MapError(f"villages[{i}]: a village has a colour and a place, not {village!r:.60}")
    colour = village["colour"]
    goal = village.get("goal", GOALS.get(colour))
    if not isinstance(goal, str):
        raise MapError(f"villages[{i}]: {colour} needs a goal, the colour of a village")
    return Village(colour, _point(f"villages[{i}].at", village.get("at")), goal)


def _link(i: int, link: Any) -> Link:
    good = isinstance(link, list) and len(link) == 3 and _wholes(link[:2]) and _wholes(link[2])
    if not good:
        raise MapError(f"links[{i}]: a link is [node, node, [plank numbers]], not {link!r:.40}")
    return link[0], link[1], tuple(link[2])


def _seating(count: str, colours: Any) -> tuple[str, ...]:
    if not isinstance(colours, list) or not all(isinstance(c, str) for c in colours):
        raise MapError(f"seats[{count!r}] must be a list of colours, not {colours!r:.40}")
    if str(count) != str(len(colours)):
        raise MapError(f"seats[{count!r}] lists {len(colours)} colours (clause 2.1)")
    return tuple(colours)


def _check_crossings(made: Map, listed: Any) -> None:
    """The list of crossings may be left out, but not differ from the geometry (1.6, 12.2)."""
    if listed is None:
        return
    if not isinstance(listed, list):
        raise MapError(f"crossings must be a list of pairs of links, not {listed!r:.40}")
    said = set()
    for i, pair in enumerate(listed):
        if not _wholes(pair) or len(pair) != 2:
            raise MapError(f"crossings[{i}]: a crossing is a pair of links, not {pair!r:.40}")
        ordered = (min(pair), max(pair))
        if ordered in said:
            raise MapError(f"crossings[{i}]: {pair} is given twice (clause 12.2)")
        if ordered not in made.crossings:
            raise MapError(f"crossings[{i}]: the links {pair} do not cross (clause 1.6)")
        said.add(ordered)
    for a, b in made.crossings:
        if (a, b) not in said:
            names = f"{a} ({made.link_text(a)}) and {b} ({made.link_text(b)})"
            raise MapError(f"crossings: the links {names} cross but are not listed (clause 1.6)")


# ---------------------------------------------------------------- what is wrong with a map


def _problems(made: Map) -> Iterator[str]:
    if not isinstance(made.name, str) or not made.name:
        yield f"name must be a text, not {made.name!r:.40}"
    yield from _size_problems(made)
    yield from _place_problems(made)
    yield from _village_problems(made)
    yield from _link_problems(made)
    yield from _seat_problems(made)
    yield from _symmetry_problems(made)


def _size_problems(made: Map) -> Iterator[str]:
    villages, islets, links = len(made.villages), len(made.islets), len(made.links)
    if not MIN_VILLAGES <= villages <= MAX_VILLAGES:
        yield f"a map has {MIN_VILLAGES} to {MAX_VILLAGES} villages, not {villages}"
    if not 1 <= islets <= MAX_NODES - villages:
        yield f"a map of {villages} villages has 1 to {MAX_NODES - villages} islets, not {islets}"
    if not 1 <= links <= MAX_LINKS:
        yield f"a map has 1 to {MAX_LINKS} links, not {links}"


def _place_problems(made: Map) -> Iterator[str]:
    seen: dict[Point, int] = {}
    for node, at in enumerate(made.points):
        if max(map(abs, at)) > MAX_COORDINATE:
            yield f"{made.node_text(node)}: coordinates go up to {MAX_COORDINATE}, not {at}"
        if at in seen:
            yield f"{made.node_text(node)} lies at the same place as {made.node_text(seen[at])}"
        seen[at] = node


def _village_problems(made: Map) -> Iterator[str]:
    for i, village in enumerate(made.villages):
        if not village.colour.isprintable() or not village.colour.strip():
            yield f"villages[{i}]: a colour is a word, not {village.colour!r:.40}"
        if village.colour in made.colours[:i]:
            yield f"villages[{i}]: there is a village of {village.colour} already"
        if village.goal not in made.colours or village.goal == village.colour:
            yield (
                f"villages[{i}]: the goal of {village.colour} must be another village of the map, "
                f"not {village.goal!r:.40} (clause 2.2)"
            )


def _link_problems(made: Map) -> Iterator[str]:
    islets, seen = len(made.islets), set()
    for i, (a, b, fits) in enumerate(made.links):
        place = f"links[{i}] ({a}-{b})"
        if not (0 <= a < made.nodes and 0 <= b < made.nodes):
            yield f"{place}: nodes run from 0 to {made.nodes - 1}"
        if a >= b:
            yield f"{place}: the smaller node comes first (clause 12.2)"
        if a >= islets:
            yield f"{place}: no link joins two villages (clause 1.4)"
        if (a, b) in seen:
            yield f"{place} is given twice (clause 12.2)"
        seen.add((a, b))
        if not fits:
            yield f"{place} fits no plank (clause 12.2)"
        for number in fits:
            if not 1 <= number <= MAX_PLANKS:
                yield f"{place}: plank numbers run from 1 to {MAX_PLANKS}, not {number}"
        if len(set(fits)) < len(fits):
            yield f"{place} names a plank number twice"


def _seat_problems(made: Map) -> Iterator[str]:
    if not made.seats:
        yield "seats: at least one player count needs seats (clause 2.1)"
    counts = [len(colours) for colours in made.seats]
    for colours in made.seats:
        place = f"seats[{str(len(colours))!r}]"
        if not 2 <= len(colours) <= MAX_VILLAGES or counts.count(len(colours)) > 1:
            yield f"{place}: 2 to {MAX_VILLAGES} players have seats, each count once (clause 1.1)"
        if len(set(colours)) < len(colours):
            yield f"{place} seats a colour twice"
        for colour in colours:
            if colour not in made.colours:
                yield f"{place}: there is no village of {colour!r:.40}"


def _symmetry_problems(made: Map) -> Iterator[str]:
    islets = len(made.islets)
    goals = [made.goal(v) for v in range(len(made.villages))]
    fits = {(a, b): sorted(numbers) for a, b, numbers in made.links}
    for i, sends in enumerate(made.symmetries):
        place = f"symmetries[{i}]"
        if sorted(sends) != list(range(made.nodes)):
            yield f"{place} does not send every node to a node of its own (clause 1.7)"
            return
        if max(sends[:islets]) >= islets:
            yield f"{place} sends an islet to a village (clause 1.7)"
            return
        for (a, b), numbers in fits.items():
            image = min(sends[a], sends[b]), max(sends[a], sends[b])
            if fits.get(image) != numbers:
                yield f"{place} sends the link {a}-{b} to no link like it (clause 1.7)"
        for village, goal in enumerate(goals):
            if goals[sends[islets + village] - islets] != sends[islets + goal] - islets:
                yield f"{place} does not keep the goal of {made.colours[village]} (clause 1.7)"
        pairs = set(made.crossings)
        number = made.link_numbers
        for a, b in made.crossings:
            one, other = _image(made, sends, number, a), _image(made, sends, number, b)
            if (min(one, other), max(one, other)) not in pairs:
                yield f"{place} does not keep the crossing of the links {a} and {b} (clause 1.7)"


def _image(
    made: Map, sends: tuple[int, ...], number: Mapping[tuple[int, int], int], link: int
) -> int:
    a, b, _ = made.links[link]
    return number[min(sends[a], sends[b]), max(sends[a], sends[b])]


# ---------------------------------------------------------------- geometry (1.6)


def _crossings(points: tuple[Point, ...], links: tuple[Link, ...]) -> Iterator[tuple[int, int]]:
    for i, (a, b, _) in enumerate(links):
        for j in range(i + 1, len(links)):
            c, d, _ = links[j]
            apart = a not in (c, d) and b not in (c, d)
            if apart and _meet(points[a], points[b], points[c], points[d]):
                yield i, j


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments a-b and c-d have a point in common."""
    sides = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    ends = ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    return any(side == 0 and _between(*end) for side, end in zip(sides, ends, strict=True))


def _side(a: Point, b: Point, p: Point) -> int:
    turn = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
    return (turn > 0) - (turn < 0)


def _between(a: Point, b: Point, p: Point) -> bool:
    """Whether a point on the line of a segment lies on the segment."""
    across = min(a[0], b[0]) <= p[0] <= max(a[0], b[0])
    return across and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
