"""The spaces and roads as data (clause 2): built in, or read from a JSON file of one's own.

The built-in `rupe-85` is a reconstruction. It fits every known fact about the printed board, but
the printed network of roads is in no source at hand, so a graph can be replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

KINDS = ("castle", "start", "stronghold", "rock", "star", "gap", "crater", "green")
STAR = KINDS.index("star")
COLOURS = ("red", "yellow", "green", "blue", "white", "black", "purple", "orange")
STANDARD = "rupe-85"
BUILT_IN = (STANDARD, "tiny")

# Capacities. Whatever keeps to 256 actions (15.4) fits into MAX_SPACES.
MAX_SPACES = 240
MAX_SITES = 64
MAX_STARTS = 8
MAX_ARCS = 4096
FIXED_ACTIONS = 18  # those before the rainbow sites and the spaces (14.1)
MAX_ACTIONS = 256

_LISTS = ("nodes", "edges", "starts", "strongholds", "rainbow_sites", "bridge_sites")


class GraphError(ValueError):
    """A graph that clause 15.4 refuses, or a file that cannot be read; the message says where."""


@dataclass(frozen=True, repr=False)
class Graph:
    """Spaces with their kinds, roads, and the sites of rainbows and bridges, all by index.

    `Graph.standard()` is the built-in one, `Graph.read(path)` one of your own: a JSON object with
    `name`, `nodes` (each a `name` and a `kind`, with `x` and `y` where it shall be drawn),
    `edges`, `starts`, `strongholds`, `rainbow_sites` and `bridge_sites`, all by names of nodes.
    """

    name: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    roads: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    strongholds: tuple[int, ...]
    sites: tuple[tuple[int, int], ...]  # a rock, and the castle or a stronghold
    bridge_sites: tuple[int, ...]
    places: tuple[tuple[float, float] | None, ...] = field(default=(), compare=False)
    colours: tuple[str, ...] = field(default=(), compare=False)
    note: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.places:
            object.__setattr__(self, "places", (None,) * len(self.names))
        if not self.colours:
            object.__setattr__(self, "colours", COLOURS[: len(self.starts)])
        _check_spaces(self)
        _check_homes(self)
        _check_sites(self)
        _check_roads(self)
        if self.num_actions > MAX_ACTIONS:
            raise GraphError(
                f"{len(self)} spaces and {len(self.sites)} rainbow sites make {self.num_actions} "
                f"actions, more than {MAX_ACTIONS} (clause 15.4)"
            )

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {len(self)} spaces)"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def castle(self) -> int:
        """The castle's space."""
        return self.kinds.index("castle")

    @property
    def num_actions(self) -> int:
        """How many actions a game on this graph has (14.1)."""
        return FIXED_ACTIONS + len(self.sites) + len(self.names)

    @property
    def fingerprint(self) -> str:
        """The name, or for a graph of one's own a hash of all that play depends on."""
        if self.name in BUILT_IN and self == _built_in(self.name):
            return self.name
        told = {k: v for k, v in self.as_dict().items() if k not in ("note", "colours")}
        for node in told["nodes"]:
            node.pop("x", None)
            node.pop("y", None)
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]

    def of_kind(self, *kinds: str) -> list[int]:
        """The spaces of these kinds."""
        return [space for space, kind in enumerate(self.kinds) if kind in kinds]

    def arcs(self) -> list[list[tuple[int, int | None, int | None]]]:
        """The steps from each space: where to, over which site's rainbow, by a flight from where.

        A step to a star may go on by a flight for nothing (9.1).
        """
        near: list[list[tuple[int, int | None, int | None]]] = [[] for _ in self.names]
        for one, other in self.roads:
            near[one].append((other, None, None))
            near[other].append((one, None, None))
        for site, (rock, end) in enumerate(self.sites):
            near[rock].append((end, site, None))
            near[end].append((rock, site, None))
        stars = self.of_kind("star")
        for space, steps in enumerate(near):
            landings = [star for star, _, _ in steps if star in stars]
            flights = [
                (far, star) for star in landings for far in stars if far not in (star, space)
            ]
            steps += [(far, None, star) for far, star in flights]
        return near

    @classmethod
    def standard(cls) -> Graph:
        """The reconstruction with 85 spaces (2.1)."""
        return _built_in(STANDARD)

    @classmethod
    def tiny(cls) -> Graph:
        """The seven spaces of the tiny game (15.3)."""
        return _built_in("tiny")

    @classmethod
    def called(cls, name: Any) -> Graph:
        """A built-in graph by its name, a JSON object as a graph, else the graph in a file."""
        if isinstance(name, dict):
            return cls.from_dict(name)
        return _built_in(name) if name in BUILT_IN else cls.read(name)

    @classmethod
    def read(cls, path: str | Path) -> Graph:
        """Reads a graph file; a `GraphError` names the file and the place that is wrong."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise GraphError(f"cannot read the graph file {path}: {error}") from error
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GraphError(f"{path}: {error}") from error
        return cls.from_dict(data, str(path))

    @classmethod
    def from_dict(cls, data: Any, source: str = "graph") -> Graph:
        """The graph of a JSON object; errors begin with `source` and the place in it."""
        try:
            return _from_dict(data)
        except GraphError as error:
            raise GraphError(f"{source}: {error}") from None

    def as_dict(self) -> dict[str, Any]:
        """The JSON object that `from_dict` reads."""
        called = self.names.__getitem__
        nodes: list[dict[str, Any]] = []
        for name, kind, place in zip(self.names, self.kinds, self.places, strict=True):
            nodes.append({"name": name, "kind": kind})
            if place is not None:
                nodes[-1].update(x=place[0], y=place[1])
        return {
            "name": self.name,
            "note": self.note,
            "colours": list(self.colours),
            "starts": [called(space) for space in self.starts],
            "strongholds": [called(space) for space in self.strongholds],
            "rainbow_sites": [[called(rock), called(end)] for rock, end in self.sites],
            "bridge_sites": [called(space) for space in self.bridge_sites],
            "nodes": nodes,
            "edges": [[called(one), called(other)] for one, other in self.roads],
        }


@cache
def _built_in(name: str) -> Graph:
    file = resources.files(__package__) / "graphs" / f"{name}.json"
    return Graph.from_dict(json.loads(file.read_text(encoding="utf-8")), name)


# ---------------------------------------------------------------- from JSON


def _from_dict(data: Any) -> Graph:
    if not isinstance(data, dict):
        raise GraphError(f"a graph is a JSON object, not {data!r:.40}")
    for key in _LISTS:
        if not isinstance(data.get(key), list):
            raise GraphError(f"{key}: expected a list, found {data.get(key)!r:.40}")
    nodes = [_node(i, node) for i, node in enumerate(data["nodes"])]
    index: dict[str, int] = {}
    for i, (name, _, _) in enumerate(nodes):
        if name in index:
            raise GraphError(f"nodes[{i}]: {name!r} is the name of nodes[{index[name]}] already")
        index[name] = i
        if name != " ".join(name.split()) or not name.isprintable():
            raise GraphError(f"nodes[{i}]: {name!r:.40} has odd blanks or signs")

    def space(place: str, name: Any) -> int:
        if not isinstance(name, str) or name not in index:
            raise GraphError(f"{place}: no node is called {name!r:.40}")
        return index[name]

    def spaces(key: str) -> tuple[int, ...]:
        return tuple(space(f"{key}[{i}]", name) for i, name in enumerate(data[key]))

    return Graph(
        name=_text(data, "name", "graph"),
        names=tuple(name for name, _, _ in nodes),
        kinds=tuple(kind for _, kind, _ in nodes),
        roads=_pairs("edges", data["edges"], space),
        starts=spaces("starts"),
        strongholds=spaces("strongholds"),
        sites=_pairs("rainbow_sites", data["rainbow_sites"], space),
        bridge_sites=spaces("bridge_sites"),
        places=tuple(place for _, _, place in nodes),
        colours=_colours(data.get("colours", []), len(data["starts"])),
        note=_text(data, "note", ""),
    )


def _text(data: dict[str, Any], key: str, default: str) -> str:
    text = data.get(key, default)
    if not isinstance(text, str):
        raise GraphError(f"{key}: expected a text, found {text!r:.40}")
    return text


def _colours(colours: Any, starts: int) -> tuple[str, ...]:
    if not isinstance(colours, list) or not all(isinstance(colour, str) for colour in colours):
        raise GraphError(f"colours: expected a list of names, found {colours!r:.40}")
    if colours and len(colours) != starts:
        raise GraphError(f"colours: expected one for each of {starts} starts, not {len(colours)}")
    return tuple(colours)


def _node(i: int, node: Any) -> tuple[str, str, tuple[float, float] | None]:
    if not isinstance(node, dict) or not isinstance(node.get("name"), str) or not node["name"]:
        raise GraphError(f"nodes[{i}]: expected an object with a name and a kind, not {node!r:.40}")
    x, y = node.get("x"), node.get("y")
    if x is None and y is None:
        return node["name"], node.get("kind", ""), None
    for value in (x, y):
        if isinstance(value, bool) or not isinstance(value, int | float) or not -1e6 < value < 1e6:
            raise GraphError(f"nodes[{i}] ({node['name']}): x and y must be numbers, not {value!r}")
    assert x is not None
    assert y is not None
    return node["name"], node.get("kind", ""), (x, y)


def _pairs(
    key: str, pairs: list[Any], space: Callable[[str, Any], int]
) -> tuple[tuple[int, int], ...]:
    found = []
    for i, pair in enumerate(pairs):
        if not isinstance(pair, list) or len(pair) != 2:
            raise GraphError(f"{key}[{i}]: expected two names, found {pair!r:.40}")
        found.append((space(f"{key}[{i}]", pair[0]), space(f"{key}[{i}]", pair[1])))
    return tuple(found)


# ---------------------------------------------------------------- clause 15.4


def _check_spaces(graph: Graph) -> None:
    if len(graph.kinds) != len(graph.names) or len(graph.places) != len(graph.names):
        raise GraphError("a graph needs one name, one kind and one place for each space")
    for i, (name, kind) in enumerate(zip(graph.names, graph.kinds, strict=True)):
        if kind not in KINDS:
            raise GraphError(
                f"nodes[{i}] ({name}): the kind must be one of {', '.join(KINDS)}, not {kind!r} "
                "(clause 15.4)"
            )
    castles = graph.kinds.count("castle")
    if castles != 1:
        raise GraphError(f"nodes: there must be one castle, not {castles} (clause 15.4)")


def _check_homes(graph: Graph) -> None:
    _check_listed(graph, "starts", graph.starts, ("start",))
    _check_listed(graph, "strongholds", graph.strongholds, ("stronghold",))
    _check_listed(graph, "bridge_sites", graph.bridge_sites, ("gap", "crater"))
    starts, strongholds = len(graph.starts), len(graph.strongholds)
    if starts != strongholds:
        raise GraphError(
            f"strongholds: there must be as many as starts, {starts}, not {strongholds} "
            "(clause 15.4)"
        )
    if not 2 <= starts <= MAX_STARTS:
        raise GraphError(f"starts: there must be 2 to {MAX_STARTS}, not {starts}")


def _check_listed(graph: Graph, key: str, spaces: Sequence[int], kinds: tuple[str, ...]) -> None:
    """Every space of these kinds is listed just once, and no other."""
    for i, space in enumerate(spaces):
        if not 0 <= space < len(graph):
            raise GraphError(f"{key}[{i}]: there is no space {space}")
        if graph.kinds[space] not in kinds:
            raise GraphError(
                f"{key}[{i}]: {graph.names[space]} must be a {' or '.join(kinds)}, "
                f"not a {graph.kinds[space]} (clause 15.4)"
            )
        if space in spaces[:i]:
            raise GraphError(f"{key}[{i}]: {graph.names[space]} is listed twice (clause 15.4)")
    for space in graph.of_kind(*kinds):
        if space not in spaces:
            raise GraphError(
                f"{key}: {graph.names[space]} is a {graph.kinds[space]} and not listed "
                "(clause 15.4)"
            )


def _check_sites(graph: Graph) -> None:
    if len(graph.sites) > MAX_SITES:
        raise GraphError(f"rainbow_sites: at most {MAX_SITES} are kept, not {len(graph.sites)}")
    for i, (rock, end) in enumerate(graph.sites):
        if graph.kinds[rock] != "rock" or graph.kinds[end] not in ("castle", "stronghold"):
            raise GraphError(
                f"rainbow_sites[{i}]: a site leads from a rock to the castle or a stronghold, not "
                f"from {graph.names[rock]} to {graph.names[end]} (clause 15.4)"
            )
        if (rock, end) in graph.sites[:i]:
            raise GraphError(f"rainbow_sites[{i}]: the site is given twice (clause 15.4)")


def _check_roads(graph: Graph) -> None:
    known: set[frozenset[int]] = set()
    for i, (one, other) in enumerate(graph.roads):
        named = f"edges[{i}]: the road from {graph.names[one]} to {graph.names[other]}"
        if "castle" in (graph.kinds[one], graph.kinds[other]):
            raise GraphError(f"{named} leads to the castle (clause 15.4)")
        if one == other or frozenset((one, other)) in known:
            raise GraphError(f"{named} leads nowhere or is given twice")
        known.add(frozenset((one, other)))
    arcs = sum(map(len, graph.arcs()))
    if arcs > MAX_ARCS:
        raise GraphError(
            f"edges: roads, rainbow sites and flights make {arcs} steps, more than {MAX_ARCS} "
            "are not kept"
        )


# ---------------------------------------------------------------- symmetry


def turned(graph: Graph, by: int) -> list[int] | None:
    """The space that each space becomes when start `by` takes the place of start 0.

    Starts and strongholds move round by the same number, and kinds, roads and sites are kept;
    None where the graph has no such symmetry.
    """
    count = len(graph.starts)
    source: list[Hashable] = list(graph.kinds)
    target: list[Hashable] = list(graph.kinds)
    for spaces in (graph.starts, graph.strongholds):
        for i, space in enumerate(spaces):
            source[space] = (graph.kinds[space], (i - by) % count)
            target[space] = (graph.kinds[space], i)
    while True:
        source, target = _refined(graph, source, target)
        places: dict[Hashable, list[int]] = {}
        for space, colour in enumerate(target):
            places.setdefault(colour, []).append(space)
        if sorted(map(str, source)) != sorted(map(str, target)):
            return None
        twins = [c for c in places if len(places[c]) > 1]
        if not twins:
            found = [places[colour][0] for colour in source]
            return found if _is_symmetry(graph, found) else None
        # spaces that look alike: any one of them will do, the check at the end decides
        source[source.index(twins[0])] = target[places[twins[0]][0]] = "chosen"


def _refined(
    graph: Graph, source: list[Hashable], target: list[Hashable]
) -> tuple[list[Hashable], list[Hashable]]:
    """Tells spaces apart by their neighbours until nothing new is found."""
    near: list[list[int]] = [[] for _ in graph.names]
    for one, other in (*graph.roads, *graph.sites):
        near[one].append(other)
        near[other].append(one)
    classes = 0
    while True:
        number: dict[Hashable, int] = {}
        sides: list[list[Hashable]] = []
        for colours in (source, target):
            seen = [
                (colours[i], *sorted(str(colours[j]) for j in near[i])) for i in range(len(near))
            ]
            sides.append([number.setdefault(key, len(number)) for key in seen])
        source, target = sides
        if len(number) == classes:
            return source, target
        classes = len(number)


def _is_symmetry(graph: Graph, to: list[int]) -> bool:
    roads = {frozenset(road) for road in graph.roads}
    moved = {frozenset((to[one], to[other])) for one, other in graph.roads}
    sites = {(to[rock], to[end]) for rock, end in graph.sites}
    kinds = all(graph.kinds[to[i]] == kind for i, kind in enumerate(graph.kinds))
    return kinds and roads == moved and sites == set(graph.sites)
