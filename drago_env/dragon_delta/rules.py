"""The numbers of the game (clause 12), checked when made, and the tables made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import whole
from drago_env.dragon_delta.map import (
    LINK_WORDS,
    MAX_LINKS,
    MAX_NODES,
    MAX_PLANKS,
    MAX_VILLAGES,
    Map,
)

WIN, RANK = 0, 1  # reward schemes (8.4, 8.5)
CARDS = ("stone1", "stones2", "plank1", "planks2", "remove", "move1", "move2", "jump")  # 1.2

# Capacities: smaller rules use less of them.
MIN_PLAYERS = 2
MAX_PLAYERS = 6
MAX_KINDS = len(CARDS)
MAX_SLOTS = MAX_KINDS
MAX_STONES = 255
MAX_SUPPORT = 255
MAX_ROUNDS = 65535
MAX_PLACES = MAX_LINKS + MAX_VILLAGES  # where a pawn stands: on a link, or MAX_LINKS + village
MAX_LEGAL = MAX_LINKS  # no step has more options than the links that one plank fits
FAR = 255  # the distance of a goal that cannot be reached


class RulesError(ValueError):
    """Numbers that make no game; the message names the number and what is allowed."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game: who plays, on which map, with which cards, planks and stones.

    Every default is the printed game for two players; `map=None` takes the standard map. A batch
    of games may mix players, flags and maps, as long as the sizes are the same.
    """

    players: int = 2
    kinds: tuple[int, ...] = tuple(range(MAX_KINDS))  # which of CARDS exist; dragons always do
    slots: int = 5
    planks: int = 6
    stones: int = 27
    support: int = 3  # planks that a stone or a beach bears
    max_rounds: int = 20
    move2_village: bool = False  # 6.7
    long_planks: bool = False  # 6.3
    map: Map = field(default=None)  # type: ignore[assignment]  # filled in when made

    def __post_init__(self) -> None:
        whole("players", self.players, MIN_PLAYERS, MAX_PLAYERS, RulesError, "1.1")
        object.__setattr__(self, "kinds", _kinds(self.kinds))
        whole("slots", self.slots, 1, MAX_SLOTS, RulesError, "12.2")
        if self.slots > len(self.kinds):
            raise RulesError(
                f"slots must be at most the {len(self.kinds)} kinds of cards, not {self.slots} "
                "(clause 12.2)"
            )
        whole("planks", self.planks, 1, MAX_PLANKS, RulesError, "12.2")
        whole("stones", self.stones, 0, MAX_STONES, RulesError, "12.1")
        whole("support", self.support, 1, MAX_SUPPORT, RulesError, "12.2")
        whole("max_rounds", self.max_rounds, 1, MAX_ROUNDS, RulesError, "12.2")
        for name in ("move2_village", "long_planks"):
            _flag(name, getattr(self, name))
            object.__setattr__(self, name, bool(getattr(self, name)))
        for name in ("players", "slots", "planks", "stones", "support", "max_rounds"):
            object.__setattr__(self, name, int(getattr(self, name)))
        self._check_map()

    def _check_map(self) -> None:
        if self.map is None:
            object.__setattr__(self, "map", Map.standard())
        if not isinstance(self.map, Map):
            raise RulesError(f"map must be a Map (see Map.read), not {self.map!r:.60}")
        if self.players not in self.map.player_counts:
            counts = ", ".join(map(str, self.map.player_counts))
            raise RulesError(
                f"players must be one of {counts}, for which the map {self.map.name} has seats, "
                f"not {self.players} (clause 12.2)"
            )
        for i, (a, b, fits) in enumerate(self.map.links):
            if max(fits) > self.planks:
                raise RulesError(
                    f"the map {self.map.name}, links[{i}] ({a}-{b}): plank numbers run from 1 to "
                    f"{self.planks}, not {max(fits)} (clause 12.2)"
                )

    @classmethod
    def tiny(cls, move2_village: bool = False, long_planks: bool = False) -> Rules:
        """The tiny game of clause 12.3, small enough to be solved exactly on the same engine."""
        return cls(
            kinds=(0, 3, 5, 6),
            slots=3,
            planks=2,
            stones=1,
            max_rounds=2,
            move2_village=move2_village,
            long_planks=long_planks,
            map=Map.tiny(),
        )

    @property
    def colours(self) -> tuple[str, ...]:
        """The colour of each seat (clause 2.1)."""
        return self.map.seats_for(self.players)

    @property
    def cards(self) -> int:
        """How many numbers stand for cards: all kinds and a dragon for each other village."""
        return MAX_KINDS - 1 + len(self.map.villages)

    @property
    def num_actions(self) -> int:
        """Cards, islets, plank numbers, links, villages (clause 11.1)."""
        board = self.map
        nodes = len(board.islets) + len(board.villages)
        return self.cards + nodes + self.planks + len(board.links)

    @cached_property
    def max_legal(self) -> int:
        """At most so many actions are legal (clause 11.4)."""
        board, planks = self.map, self.players * self.planks
        laid = range(min(planks, len(board.links)) + 1)
        beaches = self.support * len(board.villages)
        stones = min(len(board.islets), self.stones)
        removals = [n + max(0, stones - -(-max(n, 2 * n - beaches) // self.support)) for n in laid]
        fitting = max(bits.bit_count() for bits in _fitting(self)[self.long_planks])
        cards = len(self.kinds) + self.players - 1
        landings = len(laid) - 1 + len(board.villages)
        return max(cards, len(board.islets), self.planks, fitting, *removals, landings)

    @property
    def sizes(self) -> tuple[Any, ...]:
        """What must be equal within a batch."""
        board = self.map
        counts = len(board.islets), len(board.villages), len(board.links)
        numbers = self.slots, self.planks, self.stones, self.support, self.max_rounds
        return (self.kinds, *numbers, *counts)

    def as_dict(self) -> dict[str, Any]:
        """The numbers as records write them; the map stands beside them."""
        names = ("players", "kinds", "slots", "planks", "stones", "support", "max_rounds")
        numbers = {name: getattr(self, name) for name in (*names, "move2_village", "long_planks")}
        return {**numbers, "kinds": list(self.kinds)}


def _flag(name: str, flag: Any) -> None:
    if not isinstance(flag, bool | np.bool_):
        raise RulesError(f"{name} must be True or False, not {flag!r:.40}")


def _kinds(kinds: Any) -> tuple[int, ...]:
    if not isinstance(kinds, Iterable) or isinstance(kinds, str):
        raise RulesError(f"kinds must list cards from 0 to {MAX_KINDS - 1}, not {kinds!r:.40}")
    listed = list(kinds)
    for kind in listed:
        whole("a kind", kind, 0, MAX_KINDS - 1, RulesError, "12.1")
    if len(set(listed)) < len(listed):
        raise RulesError(f"kinds must name each card once, not {listed!r:.60} (clause 1.2)")
    return tuple(sorted(map(int, listed)))


# ---------------------------------------------------------------- what the kernels are given

TABLE = np.dtype(
    [
        # links as bits of LINK_WORDS words, nodes as bits of one word
        ("cross", "<u8", (MAX_LINKS, LINK_WORDS)),  # the link itself and those that cross it
        ("touch", "<u8", (MAX_LINKS, LINK_WORDS)),  # links that share an islet with a link
        ("resting", "<u8", (MAX_NODES, LINK_WORDS)),  # links that end at a node
        ("fits", "<u8", (2, MAX_PLANKS, LINK_WORDS)),  # by flag and number, where a plank fits
        ("ends", "<u8", (MAX_LINKS,)),  # the two nodes of a link
        ("islets_all", "<u8"),
        ("villages_all", "<u8"),
        # the sizes, the same for every map of a batch
        ("islets", "<u2"),
        ("villages", "<u2"),
        ("links", "<u2"),
        ("max_rounds", "<u2"),
        ("first_islet", "<u2"),  # where the kinds of actions begin (11.1)
        ("first_plank", "<u2"),
        ("first_link", "<u2"),
        ("first_village", "<u2"),
        ("num_actions", "<u2"),
        ("kinds", "<u2"),  # as bits
        ("kind_count", "u1"),
        ("slots", "u1"),
        ("planks", "u1"),
        ("stones", "u1"),
        ("support", "u1"),
        # the map
        ("end", "u1", (MAX_LINKS, 2)),
        ("home", "u1", (MAX_PLAYERS + 1, MAX_PLAYERS)),  # by players and seat, a village
        ("goal", "u1", (MAX_PLAYERS + 1, MAX_PLAYERS)),
        ("distance", "u1", (MAX_VILLAGES, MAX_PLACES)),  # from a place to a village (8.5)
        ("spot", "i1", (MAX_NODES, 2)),  # where a node lies, from -64 to 64
        # how the map looks from a village (1.7)
        ("seen_link", "u1", (MAX_VILLAGES, MAX_LINKS)),
        ("seen_node", "u1", (MAX_VILLAGES, MAX_NODES)),
    ],
    align=True,
)


def constants(rules: Rules, maps: Sequence[Map]) -> NDArray[np.void]:
    """One record for each map, with the sizes of these rules in every one of them."""
    table = np.zeros(len(maps), TABLE)
    for line, board in zip(table, maps, strict=True):
        _fill_sizes(line, rules, board)
        _fill_links(line, rules, board)
        _fill_seats(line, board)
        _fill_distances(line, board)
        _fill_views(line, board)
    return table


def _fill_sizes(line: Any, rules: Rules, board: Map) -> None:
    line["islets"], line["villages"] = len(board.islets), len(board.villages)
    line["links"] = len(board.links)
    line["islets_all"] = (1 << len(board.islets)) - 1
    line["villages_all"] = (1 << board.nodes) - (1 << len(board.islets))
    for name in ("slots", "planks", "stones", "support", "max_rounds", "num_actions"):
        line[name] = getattr(rules, name)
    line["kinds"] = sum(1 << kind for kind in rules.kinds)
    line["kind_count"] = len(rules.kinds)
    line["first_islet"] = rules.cards
    line["first_plank"] = line["first_islet"] + line["islets"]
    line["first_link"] = line["first_plank"] + line["planks"]
    line["first_village"] = line["first_link"] + line["links"]


def words(links: int) -> list[int]:
    """A set of links, given as the bits of one number, as words of 64 bits."""
    return [links >> 64 * i & (1 << 64) - 1 for i in range(LINK_WORDS)]


def _fitting(rules: Rules, board: Map | None = None) -> list[list[int]]:
    """By `long_planks` and plank number, the links that it fits, as bits (6.3)."""
    made = [[0] * rules.planks for _ in range(2)]
    for link, (_, _, fits) in enumerate((board or rules.map).links):
        for number in range(1, rules.planks + 1):
            made[0][number - 1] |= (number in fits) << link
            made[1][number - 1] |= (number in fits or number > max(fits)) << link
    return made


def _fill_links(line: Any, rules: Rules, board: Map) -> None:
    resting = [0] * board.nodes
    for link, (a, b, _) in enumerate(board.links):
        resting[a] |= 1 << link
        resting[b] |= 1 << link
        line["ends"][link] = 1 << a | 1 << b
        line["end"][link] = a, b
    crossing = [1 << link for link in range(len(board.links))]
    for one, other in board.crossings:
        crossing[one] |= 1 << other
        crossing[other] |= 1 << one
    for link, (a, b, _) in enumerate(board.links):
        sharing = resting[a] | (resting[b] if b < len(board.islets) else 0)  # 6.6: no beaches
        line["touch"][link] = words(sharing & ~(1 << link))
        line["cross"][link] = words(crossing[link])
    for node, bits in enumerate(resting):
        line["resting"][node] = words(bits)
    for flag, numbers in enumerate(_fitting(rules, board)):
        for i, bits in enumerate(numbers):
            line["fits"][flag, i] = words(bits)


def _fill_seats(line: Any, board: Map) -> None:
    for colours in board.seats:
        homes = [board.colours.index(colour) for colour in colours]
        line["home"][len(homes), : len(homes)] = homes
        line["goal"][len(homes), : len(homes)] = [board.goal(home) for home in homes]


def _fill_distances(line: Any, board: Map) -> None:
    line["distance"] = FAR
    for village in range(len(board.villages)):
        for place, steps in distances(board, village).items():
            line["distance"][village, place] = min(steps, FAR - 1)


def distances(board: Map, village: int) -> dict[int, int]:
    """The fewest steps to a village from every place, if every link had a free plank (8.5)."""
    islets = len(board.islets)
    ending: list[list[int]] = [[] for _ in range(board.nodes)]
    for link, (a, b, _) in enumerate(board.links):
        ending[a].append(link)
        ending[b].append(link)
    steps = {MAX_LINKS + village: 0}
    waiting = [MAX_LINKS + village]
    for place in waiting:
        if place >= MAX_LINKS:
            onward = ending[islets + place - MAX_LINKS]
        else:
            nodes = board.links[place][:2]
            onward = [link for node in nodes if node < islets for link in ending[node]]
            onward += [MAX_LINKS + node - islets for node in nodes if node >= islets]
        for other in onward:
            if other not in steps:
                steps[other] = steps[place] + 1
                waiting.append(other)
    return steps


def _fill_views(line: Any, board: Map) -> None:
    points = np.array(board.points, float)
    middle = (points.max(0) + points.min(0)) / 2
    widest = np.abs(points - middle).max()
    line["spot"][: board.nodes] = np.rint(64 * (points - middle) / widest)
    for village in range(len(board.villages)):
        seen = board.seen_from(village)
        line["seen_node"][village, : len(seen)] = seen
        for link, (a, b, _) in enumerate(board.links):
            image = min(seen[a], seen[b]), max(seen[a], seen[b])
            line["seen_link"][village, link] = board.link_numbers[image]
