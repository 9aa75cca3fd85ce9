"""The reference's half that asks: the map, a position, and what is legal in it (`reference.py`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

GRAPHS = Path(__file__).parents[2] / "drago_env" / "rupe_dei_draghi" / "graphs"
RAINBOW, BRIDGE, DRAGON, TELESWAP, CLOUD = range(5)  # 1.3; kinds 5 to 9 are points 1 to 5
RENEW, ROB, TOP, DONE, BESIDE = 10, 11, 12, 13, 14  # 14.1
FAR = 99


def load(name: str) -> dict[str, Any]:
    return json.loads((GRAPHS / f"{name}.json").read_text(encoding="utf-8"))


class Map:
    """2: spaces by name."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.names: list[str] = [node["name"] for node in data["nodes"]]
        self.kind: dict[str, str] = {node["name"]: node["kind"] for node in data["nodes"]}
        self.index = {name: i for i, name in enumerate(self.names)}
        self.starts: list[str] = data["starts"]
        self.forts: list[str] = data["strongholds"]
        self.sites: list[tuple[str, str]] = [(rock, end) for rock, end in data["rainbow_sites"]]
        self.bridge_sites: list[str] = data["bridge_sites"]
        self.castle = next(name for name in self.names if self.kind[name] == "castle")
        self.stars = [name for name in self.names if self.kind[name] == "star"]
        self.lairs = [name for name in self.names if self.kind[name] in ("green", "stronghold")]
        self.roads: dict[str, list[str]] = {name: [] for name in self.names}
        for one, other in data["edges"]:
            self.roads[one].append(other)
            self.roads[other].append(one)
        self.rainbow_ends: dict[str, list[tuple[str, int]]] = {name: [] for name in self.names}
        for site, (rock, end) in enumerate(self.sites):
            self.rainbow_ends[rock].append((end, site))
            self.rainbow_ends[end].append((rock, site))

    def deep(self, space: str) -> bool:
        return self.kind[space] in ("castle", "stronghold")

    @cache  # noqa: B019  # a map lives as long as its games
    def steps(self, start: str, goal: str) -> int:
        """The fewest steps with every bridge and rainbow laid and no dragon about."""
        front, met, steps = {start}, {start}, 0
        while front:
            if any(space in self.stars for space in front):  # 9.1
                front |= set(self.stars) - met
                met |= front
            if goal in front:
                return steps
            onward: set[str] = set()
            for space in front:
                if space == start or not self.deep(space):  # 6.4
                    onward |= set(self.roads[space]) | {end for end, _ in self.rainbow_ends[space]}
            front = onward - met
            met |= front
            steps += 1
        return FAR


class Position:
    """Where everything is, and the answers that each step allows."""

    def __init__(
        self,
        graph: Map,
        *,
        players: int,
        copies: list[int],
        hands: list[list[int]],
        princesses: list[int],
        hand: int = 7,
        rob: int = 3,
        spoils: int = 2,
        dragons: int = 4,
        rainbows: int = 4,
        bridges: int = 2,
        turn_cap: int = 500,
        reuse: str = "top",
        stop: bool = True,
    ) -> None:
        self.map, self.players = graph, players
        self.hand_limit, self.rob, self.spoils = hand, rob, spoils
        self.turn_cap, self.reuse, self.stop = turn_cap, reuse, stop
        self.all_cards = Counter({kind: n for kind, n in enumerate(copies) if n})
        self.colours = [seat * (len(graph.starts) // players) for seat in range(players)]  # 3.1
        self.knights = [graph.starts[colour] for colour in self.colours]  # 3.1
        self.princesses = list(princesses)  # 3.2: the colour in each stronghold
        assert sorted(princesses) == list(range(len(graph.forts)))
        self.dragons = set(graph.forts[:dragons])  # 3.3
        self.rainbows: set[int] = set()  # sites with a rainbow
        self.bridges: set[str] = set()  # bridge sites with a bridge
        self.rainbows_beside, self.bridges_beside = rainbows, bridges  # 3.3
        self.hands = [Counter(cards) for cards in hands]
        assert all(len(cards) == hand for cards in hands)  # 3.5
        self.pile: list[int] = []  # the top card last
        self.deck = self.all_cards - sum(self.hands, Counter())  # 3.5
        self.marks = [[Counter[int]() for _ in range(players)] for _ in range(players)]
        self.armour = [False] * players
        self.doubles = [False] * players
        self.looks: list[set[int]] = [set() for _ in range(players)]  # strongholds, in vain
        self.opened = False
        self.seat, self.step, self.turns = 0, "turn", 0  # 3.4
        self.winner: int | None = None
        self.truncated = False
        self.fresh = False  # after a magic top discard, before any card of the hand
        self.points = 0  # of the card that is moved by
        self.destinations: dict[str, set[int]] = {}  # and where it leads
        self.picked: Any = None
        self.rival: int | None = None
        self.taken = 0
        self.crossed: set[int] = set()
        self.events: list[str] = []  # what happened during the last `apply`

    # ------------------------------------------------------------ words

    @property
    def over(self) -> bool:
        return self.winner is not None or self.truncated

    @property
    def own(self) -> Counter[int]:
        return self.hands[self.seat]

    def rivals(self) -> list[int]:
        return [(self.seat + on) % self.players for on in range(1, self.players)]

    def seats_on(self, rival: int) -> int:
        return 15 + (rival - self.seat) % self.players - 1  # 14.1

    def site_action(self, site: int) -> int:
        return 18 + site

    def space_action(self, space: str) -> int:
        return 18 + len(self.map.sites) + self.map.index[space]

    def free_starts(self) -> list[str]:
        return [start for start in self.map.starts if start not in self.knights]

    def open_sites(self) -> list[int]:
        """5.2: free is open and without a rainbow."""
        return [
            site
            for site, (_, end) in enumerate(self.map.sites)
            if site not in self.rainbows and (end == self.map.castle or self.opened)
        ]

    def free_bridge_sites(self) -> list[str]:
        return [space for space in self.map.bridge_sites if space not in self.bridges]

    def loose_bridges(self) -> list[str]:
        return [space for space in self.bridges if space not in self.knights]  # 5.3

    def free_lairs(self) -> list[str]:
        """5.4: green spaces and strongholds without dragon and knight."""
        taken = self.dragons | set(self.knights)
        return [space for space in self.map.lairs if space not in taken]

    def may_swap(self, rival: int) -> bool:
        """5.5: the places differ, and nobody without armour comes into a stronghold so."""
        here, there = self.knights[self.seat], self.knights[rival]
        if here == there:
            return False
        if self.map.kind[there] == "stronghold" and not self.armour[self.seat]:
            return False
        return not (self.map.kind[here] == "stronghold" and not self.armour[rival])

    def playable(self, kind: int) -> bool:
        """5.1: only with an effect; 14.2: points always."""
        if kind == RAINBOW:
            return bool(self.rainbows or (self.rainbows_beside and self.open_sites()))
        if kind == BRIDGE:
            laid = self.bridges_beside and self.free_bridge_sites()
            return bool(self.loose_bridges() or laid)
        if kind == DRAGON:
            return bool(self.dragons and self.free_lairs())
        if kind == TELESWAP:
            return any(map(self.may_swap, self.rivals()))
        if kind == CLOUD:
            return bool(self.free_starts())
        return True

    # ------------------------------------------------------------ moving (6)

    def closed(self, space: str) -> bool:
        """6.3."""
        return space in self.dragons or (
            self.map.kind[space] in ("gap", "crater") and space not in self.bridges
        )

    def walk(
        self, path: list[str], crossed: frozenset[int], left: int
    ) -> Iterator[tuple[str, frozenset[int]]]:
        """Every end of a path of `left` more steps, with the rainbows crossed on it."""
        ways = [path]
        if path[-1] in self.map.stars:  # 9.1: or a flight first
            ways += [[*path, star] for star in self.map.stars if star not in path]
        for way in ways:
            if left == 0:
                yield way[-1], crossed
                continue
            onward = [(space, crossed) for space in self.map.roads[way[-1]]]
            for end, site in self.map.rainbow_ends[way[-1]]:
                if site in self.rainbows:
                    onward.append((end, crossed | {site}))
            for space, over in onward:
                if space in way or self.closed(space):  # 6.1, 6.3
                    continue
                if self.map.deep(space) and left > 1:  # 6.4
                    continue
                yield from self.walk([*way, space], over, left - 1)

    def may_end(self, space: str) -> bool:
        kind = self.map.kind[space]
        if kind in ("rock", "stronghold") and space in self.knights:  # 6.5, 10.1
            return False
        return kind != "stronghold" or self.armour[self.seat]  # 10.1

    def lengths(self) -> list[int]:
        return [self.points, 2 * self.points] if self.doubles[self.seat] else [self.points]

    def ends(self) -> dict[str, set[int]]:
        """Each destination, and the rainbows on some path to it (6.7)."""
        found: dict[str, set[int]] = {}
        for length in self.lengths():  # 10.4
            for end, crossed in self.walk([self.knights[self.seat]], frozenset(), length):
                if self.may_end(end):
                    found.setdefault(end, set()).update(crossed)
        return found

    # ------------------------------------------------------------ what is legal (14.2)

    def legal(self) -> list[int]:
        if self.over:
            return []
        return sorted(getattr(self, "legal_" + self.step)())

    def cards_in_hand(self) -> set[int]:
        return {kind for kind, count in self.own.items() if count and self.playable(kind)}

    def has_points(self) -> bool:
        return any(count and kind >= 5 for kind, count in self.own.items())

    def legal_turn(self) -> set[int]:
        actions = self.cards_in_hand() | {RENEW}  # 4.4: always allowed
        if any(self.hands[rival].total() for rival in self.rivals()):
            actions.add(ROB)
        if self.pile and self.playable(self.pile[-1]):
            actions.add(TOP)
        return actions

    def legal_magic(self) -> set[int]:
        stop = not self.has_points() or (self.fresh and self.stop)  # 4.3, 15.2
        return self.cards_in_hand() | ({DONE} if stop else set())

    def legal_rainbow_from(self) -> set[int]:
        beside = {BESIDE} if self.rainbows_beside and self.open_sites() else set()
        return beside | {self.site_action(site) for site in self.rainbows}

    def legal_rainbow_to(self) -> set[int]:
        beside = {BESIDE} if self.picked != "beside" else set()
        return beside | {self.site_action(site) for site in self.open_sites()}

    def legal_bridge_from(self) -> set[int]:
        beside = {BESIDE} if self.bridges_beside and self.free_bridge_sites() else set()
        return beside | {self.space_action(space) for space in self.loose_bridges()}

    def legal_bridge_to(self) -> set[int]:
        beside = {BESIDE} if self.picked != "beside" else set()
        return beside | {self.space_action(space) for space in self.free_bridge_sites()}

    def legal_dragon_from(self) -> set[int]:
        return {self.space_action(space) for space in self.dragons}

    def legal_dragon_to(self) -> set[int]:
        return {self.space_action(space) for space in self.free_lairs()}

    def legal_swap(self) -> set[int]:
        return {self.seats_on(rival) for rival in self.rivals() if self.may_swap(rival)}

    def legal_cloud(self) -> set[int]:
        return {self.seats_on(rival) for rival in self.rivals()}

    def legal_cloud_to(self) -> set[int]:
        return {self.space_action(space) for space in self.free_starts()}

    def legal_move(self) -> set[int]:
        return {self.space_action(space) for space in self.destinations} or {DONE}  # 6.6

    legal_duel = legal_cloud_to  # 8.3

    def legal_spoils(self) -> set[int]:
        assert self.rival is not None
        return {DONE, self.seats_on(self.rival)}

    def legal_rob(self) -> set[int]:
        done = {DONE} if self.taken else set()
        return done | {self.seats_on(r) for r in self.rivals() if self.hands[r].total()}

    def legal_crossed(self) -> set[int]:
        return {DONE} | {self.site_action(site) for site in self.crossed}

    def legal_crossed_to(self) -> set[int]:
        return {self.site_action(site) for site in self.open_sites()}
