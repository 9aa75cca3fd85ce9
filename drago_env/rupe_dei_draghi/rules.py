"""The numbers of the game (clause 15), checked when made, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.rupe_dei_draghi import graph as spaces
from drago_env.rupe_dei_draghi.graph import MAX_ARCS, MAX_SITES, MAX_SPACES, MAX_STARTS, Graph

CARDS = ("rainbow", "bridge", "dragon", "teleswap", "cloud", "1", "2", "3", "4", "5")
RAINBOW, BRIDGE, DRAGON, TELESWAP, CLOUD, POINTS = range(6)  # kinds; POINTS is the first of five
CARD_KINDS = len(CARDS)
REUSES = ("top", "under")

# Capacities. Smaller rules use less of them.
MIN_PLAYERS = 2
MAX_PLAYERS = 4
MAX_CARDS = 96
MAX_PIECES = 255
MAX_TURNS = 2**31 - 1
WORDS = 4  # of 64 bits: a set of spaces
NONE = 255  # no space, no site, no card
FAR = 99  # steps to a space that no way leads to

_FOUR = (4, 3, 5, 1, 1, 5, 5, 5, 5, 2)  # 1.3
_FEWER = (4, 3, 5, 1, 1, 4, 4, 4, 4, 1)


class RulesError(ValueError):
    """Numbers that make no game; the message names the number, what is allowed and the clause."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game: who plays, on which graph, with which cards and pieces.

    `graph=None` takes the built-in reconstruction, `copies=None` the cards that clause 1.3 has for
    the number of riders. Games of one batch have graphs of one size; all else may differ.
    """

    players: int = 2
    graph: Graph = None  # type: ignore[assignment]  # filled in when made
    copies: tuple[int, ...] = None  # type: ignore[assignment]  # of the ten kinds; filled in too
    hand: int = 7
    rob: int = 3
    spoils: int = 2
    dragons: int = 4
    rainbows: int = 4
    bridges: int = 2
    turn_cap: int = 500
    reuse: str = "top"  # where a used top discard goes (15.2)
    stop: bool = True  # whether a turn may end after a magic top discard (15.2)

    def __post_init__(self) -> None:
        graph = Graph.standard() if self.graph is None else self.graph
        if not isinstance(graph, Graph):
            raise RulesError(f"graph must be a Graph (see Graph.read), not {graph!r:.60}")
        object.__setattr__(self, "graph", graph)
        _whole("players", self.players, MIN_PLAYERS, MAX_PLAYERS)
        if self.players > len(graph.starts):
            raise RulesError(
                f"{self.players} players need as many starts, not {len(graph.starts)} (clause 15.4)"
            )
        self._check_cards()
        strongholds = len(graph.strongholds)
        _whole("rob", self.rob, 1, MAX_CARDS)
        _whole("spoils", self.spoils, 0, MAX_CARDS)
        _whole("dragons", self.dragons, 0, strongholds, "one a stronghold at most, ")
        _whole("rainbows", self.rainbows, 0, MAX_PIECES)
        _whole("bridges", self.bridges, 0, MAX_PIECES)
        _whole("turn_cap", self.turn_cap, 1, MAX_TURNS)
        if self.reuse not in REUSES:
            raise RulesError(f"reuse must be top or under, not {self.reuse!r} (clause 15.2)")
        if not isinstance(self.stop, bool | np.bool_):
            raise RulesError(f"stop must be true or false, not {self.stop!r} (clause 15.2)")
        object.__setattr__(self, "stop", bool(self.stop))
        for name in _NUMBERS:
            object.__setattr__(self, name, int(getattr(self, name)))

    def _check_cards(self) -> None:
        copies = self.copies
        if copies is None:
            copies = _FOUR if self.players == 4 else _FEWER
        if not isinstance(copies, Sequence) or isinstance(copies, str) or len(copies) != CARD_KINDS:
            raise RulesError(f"copies must list ten numbers, one for each kind, not {copies!r:.60}")
        for name, number in zip(CARDS, copies, strict=True):
            _whole(f"copies of {name}", number, 0, MAX_CARDS)
        object.__setattr__(self, "copies", tuple(int(number) for number in copies))
        _whole("hand", self.hand, 0, MAX_CARDS)
        _whole("cards (the sum of copies)", self.cards, 0, MAX_CARDS)
        if self.cards < self.players * self.hand:
            raise RulesError(
                f"{self.players} players with {self.hand} cards each need "
                f"{self.players * self.hand} cards, not {self.cards} (clause 15.4)"
            )

    @classmethod
    def tiny(cls, turn_cap: int = 3) -> Rules:
        """The tiny game of clause 15.3, small enough to be solved exactly on the same engine."""
        return cls(
            players=2,
            graph=Graph.tiny(),
            copies=(1, 0, 1, 0, 0, 1, 4, 0, 0, 0),
            hand=3,
            rob=1,
            spoils=1,
            dragons=1,
            rainbows=1,
            bridges=0,
            turn_cap=turn_cap,
        )

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return sum(self.copies)

    @property
    def num_actions(self) -> int:
        """Ten kinds, eight words, rainbow sites and spaces (14.1)."""
        return self.graph.num_actions

    @property
    def max_legal(self) -> int:
        """The most actions that can be legal at once: 60 with the default sizes (14.4)."""
        if self.graph == Graph.standard() and self.dragons == 4:
            return 60
        return max(CARD_KINDS + 4, len(self.graph.sites) + 1, len(self.graph) + 1)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """What must be equal within a batch: spaces, rainbow sites, bridge sites, starts."""
        graph = self.graph
        return len(graph), len(graph.sites), len(graph.bridge_sites), len(graph.starts)

    def colour(self, seat: int) -> int:
        """The colour of a seat: that of its start and of its princess (3.1)."""
        return seat * (len(self.graph.starts) // self.players)

    def as_dict(self) -> dict[str, Any]:
        """The numbers as records write them; the graph stands beside them."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        players = numbers.pop("players")
        copies = list(self.copies)
        flags = {"reuse": self.reuse, "stop": self.stop}
        return {"players": players, "copies": copies, **numbers, **flags}


_NUMBERS = ("players", "hand", "rob", "spoils", "dragons", "rainbows", "bridges", "turn_cap")


def _whole(name: str, number: Any, low: int, high: int, why: str = "") -> None:
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise RulesError(f"{name} must be a whole number from {low} to {high}, not {number!r}")
    if not low <= number <= high:
        raise RulesError(f"{name} must be {why}from {low} to {high}, not {number} (clause 15.4)")


# ---------------------------------------------------------------- what the kernels are given

TABLE = np.dtype(
    [
        # sets of spaces as bits
        ("green", "<u8", (WORDS,)),
        ("lairs", "<u8", (WORDS,)),  # where a dragon may go: green spaces and strongholds (5.4)
        ("deep", "<u8", (WORDS,)),  # castle and strongholds: entered by the last step only (6.4)
        ("keeps", "<u8", (WORDS,)),  # strongholds
        ("single", "<u8", (WORDS,)),  # rocks and strongholds: for one knight only (6.5)
        ("gaps", "<u8", (WORDS,)),  # the bridge sites
        ("starts", "<u8", (WORDS,)),
        ("early", "<u8"),  # the rainbow sites that are open from the start
        ("all_sites", "<u8"),
        # numbers
        ("turn_cap", "<i8"),
        ("arcs", "<u2", (MAX_SPACES + 1,)),  # where the arcs of each space begin
        ("spaces", "u1"),
        ("sites", "u1"),
        ("forts", "u1"),  # strongholds, and starts
        ("gap_count", "u1"),
        ("star_count", "u1"),
        ("castle", "u1"),
        ("hand", "u1"),
        ("rob", "u1"),
        ("spoils", "u1"),
        ("dragons", "u1"),
        ("rainbows", "u1"),
        ("bridges", "u1"),
        ("cards", "u1"),
        ("words", "u1"),  # so many words hold all spaces
        ("copies", "u1", (CARD_KINDS,)),
        # the graph
        ("kind", "u1", (MAX_SPACES,)),
        ("arc_from", "u1", (MAX_ARCS,)),  # the space that an arc leads from
        ("arc_to", "u1", (MAX_ARCS,)),  # the space that it leads to
        ("arc_site", "u1", (MAX_ARCS,)),  # the site whose rainbow makes it, or NONE: a road
        ("arc_via", "u1", (MAX_ARCS,)),  # the star from which the step ends by a flight, or NONE
        ("start", "u1", (MAX_STARTS,)),
        ("fort", "u1", (MAX_STARTS,)),
        ("fort_of", "u1", (MAX_SPACES,)),  # which stronghold a space is, or NONE
        ("gap", "u1", (MAX_SPACES,)),  # the bridge sites
        ("star", "u1", (MAX_SPACES,)),  # the stars
        ("rock", "u1", (MAX_SITES,)),  # the two ends of each rainbow site
        ("end", "u1", (MAX_SITES,)),
        # steps from each space to the castle and to each stronghold if every way were open
        ("castle_steps", "u1", (MAX_SPACES,)),
        ("fort_steps", "u1", (MAX_SPACES, MAX_STARTS)),
        # what becomes of each space, stronghold, site and bridge site when a start becomes the
        # first one; all stay as they are where the graph has no such symmetry
        ("turn", "u1", (MAX_STARTS, MAX_SPACES)),
        ("turn_fort", "u1", (MAX_STARTS, MAX_STARTS)),
        ("turn_site", "u1", (MAX_STARTS, MAX_SITES)),
        ("turn_gap", "u1", (MAX_STARTS, MAX_SPACES)),
        # where the parts of an observation begin that depend on the graph
        ("at", "<u2", (16,)),
    ],
    align=True,
)


def constants(rules: Sequence[Rules], at: Sequence[int] = ()) -> NDArray[np.void]:
    """One record for each of these rules; `at` is where the graph's parts of a vector begin."""
    table = np.zeros(len(rules), TABLE)
    for line, numbers in zip(table, rules, strict=True):
        for name in ("turn_cap", "hand", "rob", "spoils", "dragons", "rainbows", "bridges"):
            line[name] = getattr(numbers, name)
        line["cards"] = numbers.cards
        line["copies"] = numbers.copies
        line["at"][: len(at)] = at
        _write_graph(line, numbers.graph)
    return table


def bits(numbers: Sequence[int], words: int = WORDS) -> NDArray[np.uint64]:
    """A set of numbers as words of 64 bits."""
    found = [0] * words
    for number in numbers:
        found[number // 64] |= 1 << number % 64
    return np.array(found, np.uint64)


def _write_graph(line: Any, graph: Graph) -> None:
    line["green"] = bits(graph.of_kind("green"))
    line["lairs"] = bits(graph.of_kind("green", "stronghold"))
    line["deep"] = bits(graph.of_kind("castle", "stronghold"))
    line["keeps"] = bits(graph.of_kind("stronghold"))
    line["single"] = bits(graph.of_kind("rock", "stronghold"))
    line["gaps"] = bits(graph.bridge_sites)
    line["starts"] = bits(graph.starts)
    early = [site for site, (_, end) in enumerate(graph.sites) if end == graph.castle]
    line["early"] = bits(early, 1)[0]  # 5.2
    line["all_sites"] = bits(range(len(graph.sites)), 1)[0]
    line["spaces"], line["sites"], line["gap_count"], line["forts"] = (
        len(graph),
        len(graph.sites),
        len(graph.bridge_sites),
        len(graph.starts),
    )
    line["castle"] = graph.castle
    line["words"] = (len(graph) + 63) // 64
    stars = graph.of_kind("star")
    line["star_count"] = len(stars)
    line["star"] = line["gap"] = line["fort_of"] = line["rock"][:] = NONE
    line["end"] = line["start"] = line["fort"] = NONE
    line["kind"][: len(graph)] = [spaces.KINDS.index(kind) for kind in graph.kinds]
    line["star"][: len(stars)] = stars
    line["gap"][: len(graph.bridge_sites)] = graph.bridge_sites
    line["start"][: len(graph.starts)] = graph.starts
    line["fort"][: len(graph.starts)] = graph.strongholds
    line["fort_of"][list(graph.strongholds)] = range(len(graph.starts))
    if graph.sites:
        line["rock"][: len(graph.sites)], line["end"][: len(graph.sites)] = zip(
            *graph.sites, strict=True
        )
    _write_arcs(line, graph)
    _write_steps(line, graph)
    _write_turns(line, graph)


def _write_arcs(line: Any, graph: Graph) -> None:
    line["arc_site"] = line["arc_via"] = NONE
    count = 0
    for space, arcs in enumerate(graph.arcs()):
        line["arcs"][space] = count
        for to, site, via in arcs:
            line["arc_from"][count] = space
            line["arc_to"][count] = to
            line["arc_site"][count] = NONE if site is None else site
            line["arc_via"][count] = NONE if via is None else via
            count += 1
    line["arcs"][len(graph) :] = count


def _write_steps(line: Any, graph: Graph) -> None:
    line["castle_steps"] = line["fort_steps"] = FAR
    line["castle_steps"][: len(graph)] = _steps_to(graph, graph.castle)
    for fort, space in enumerate(graph.strongholds):
        line["fort_steps"][: len(graph), fort] = _steps_to(graph, space)


def _steps_to(graph: Graph, goal: int) -> list[int]:
    """The fewest steps from each space to a goal with all bridges and rainbows laid."""
    deep = {graph.castle, *graph.strongholds}
    stars = set(graph.of_kind("star"))
    near: list[set[int]] = [set() for _ in graph.names]
    for one, other in (*graph.roads, *graph.sites):
        near[one].add(other)
        near[other].add(one)
    steps = {goal: 0}
    front, distance = {goal}, 0
    while front:
        if front & stars:  # a flight costs nothing (9.1)
            front |= stars - steps.keys()
            steps.update(dict.fromkeys(front, distance))
        distance += 1
        # nobody passes castle or strongholds (6.4)
        onward = {b for a in front if a == goal or a not in deep for b in near[a]}
        front = onward - steps.keys()
        steps.update(dict.fromkeys(front, distance))
    return [min(steps.get(space, FAR), FAR) for space in range(len(graph))]


def _write_turns(line: Any, graph: Graph) -> None:
    count = len(graph.starts)
    ways = [spaces.turned(graph, by) for by in range(count)]
    for by, way in enumerate(ways):
        if None in ways or way is None:  # no symmetry
            way, shift = list(range(len(graph))), 0
        else:
            shift = by
        line["turn"][by, : len(graph)] = way
        line["turn_fort"][by, :count] = (np.arange(count) - shift) % count
        moved = [(way[rock], way[end]) for rock, end in graph.sites]
        line["turn_site"][by, : len(moved)] = [graph.sites.index(site) for site in moved]
        gaps = [graph.bridge_sites.index(way[space]) for space in graph.bridge_sites]
        line["turn_gap"][by, : len(gaps)] = gaps
