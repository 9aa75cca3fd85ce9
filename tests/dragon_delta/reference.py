"""Dragon Delta, slowly and obviously: the rule clauses as plain Python, an oracle for tests.

The numbers in the comments are the clauses. Nothing here is fast and nothing is shared with the
engine: the map is a JSON object, and crossings and distances are worked out anew.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any

STONE1, STONES2, PLANK1, PLANKS2, REMOVE, MOVE1, MOVE2, JUMP = range(8)
GOALS = {"white": "black", "red": "green", "blue": "yellow"}
GOALS |= {goal: colour for colour, goal in GOALS.items()}  # 2.2

Place = tuple[str, int]  # ("link", number) or ("village", number)


@dataclass
class Board:
    """A map, with all that follows from it."""

    data: dict[str, Any]
    crosses: dict[int, set[int]] = field(default_factory=dict)
    ending: dict[int, set[int]] = field(default_factory=dict)
    far: dict[tuple[Place, int], float] = field(default_factory=dict)  # distances worked out

    def __post_init__(self) -> None:
        self.islets: int = len(self.data["islets"])
        self.colours: list[str] = [v["colour"] for v in self.data["villages"]]
        self.links: list[list[Any]] = self.data["links"]
        points = self.data["islets"] + [v["at"] for v in self.data["villages"]]
        for node in range(len(points)):
            self.ending[node] = {i for i, (a, b, _) in enumerate(self.links) if node in (a, b)}
        self.crosses = {i: set() for i in range(len(self.links))}
        for i, (a, b, _) in enumerate(self.links):
            for j, (c, d, _) in enumerate(self.links):
                if not {a, b} & {c, d} and meet(points[a], points[b], points[c], points[d]):
                    self.crosses[i].add(j)  # 1.6

    def goal(self, village: int) -> int:
        it = self.data["villages"][village]
        return self.colours.index(it.get("goal", GOALS.get(it["colour"])))

    def at(self, node: int) -> set[int]:
        """The links that end at a node."""
        return self.ending[node]

    def steps(self, place: Place, on: set[int]) -> set[Place]:
        """Where one step leads, if there are free planks on these links (6.6)."""
        kind, number = place
        if kind == "village":
            return {("link", link) for link in self.at(self.islets + number) & on}
        found: set[Place] = set()
        for node in self.links[number][:2]:
            if node >= self.islets:
                found.add(("village", node - self.islets))
            else:
                found |= {("link", link) for link in self.at(node) & on if link != number}
        return found

    def distance(self, place: Place, goal: int) -> float:
        """Fewest steps if every link carried a free plank (8.5)."""
        if (place, goal) not in self.far:
            self.far[place, goal] = self.search(place, goal)
        return self.far[place, goal]

    def search(self, place: Place, goal: int) -> float:
        reached, frontier, steps = {place}, {place}, 0
        every = set(range(len(self.links)))
        while frontier:
            if ("village", goal) in frontier:
                return steps
            frontier = {to for at in frontier for to in self.steps(at, every)} - reached
            reached |= frontier
            steps += 1
        return float("inf")


def meet(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Whether two segments have a common point: solves a + s (b - a) = c + t (d - c)."""
    rx, ry, qx, qy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    x, y = c[0] - a[0], c[1] - a[1]
    det = rx * qy - ry * qx
    if det:
        s, t = Fraction(x * qy - y * qx, det), Fraction(x * ry - y * rx, det)
        return 0 <= s <= 1 and 0 <= t <= 1
    if x * ry - y * rx:
        return False  # parallel, on different lines
    length = rx * rx + ry * ry
    near, far = x * rx + y * ry, (x + qx) * rx + (y + qy) * ry
    return min(near, far) <= length and max(near, far) >= 0


@dataclass
class Reference:
    board: Board
    players: int
    kinds: list[int]
    slots: int
    planks: int
    stones: int
    support: int
    max_rounds: int
    move2_village: bool
    long_planks: bool

    def __post_init__(self) -> None:
        board, n = self.board, self.players
        self.home = [board.colours.index(c) for c in board.data["seats"][str(n)]]  # 2.1
        self.goals = [board.goal(home) for home in self.home]
        self.pawns: list[Place] = [("village", home) for home in self.home]  # 2.3
        numbers = range(1, self.planks + 1)
        self.reserves = [{(seat, number) for number in numbers} for seat in range(n)]
        self.on_map: dict[int, tuple[int, int]] = {}  # link: colour and number of its plank
        self.lost: set[tuple[int, int]] = set()
        self.stoned: set[int] = set()
        self.round, self.marker, self.slot = 1, 0, 0
        self.programs: list[list[int]] = [[] for _ in range(n)]
        self.seat, self.step = 0, "program"
        self.left, self.chosen = 0, 0
        self.origin: Place | None = None
        self.winner: int | None = None
        self.truncated = False
        self.events: Counter[str] = Counter()

    # ------------------------------------------------------------ numbering (11.1)

    @property
    def cards(self) -> int:
        return 7 + len(self.board.colours)

    def islet_action(self, islet: int) -> int:
        return self.cards + islet

    def plank_action(self, number: int) -> int:
        return self.cards + self.board.islets + number - 1

    def place_action(self, place: Place) -> int:
        kind, number = place
        links = self.cards + self.board.islets + self.planks
        return links + number + (len(self.board.links) if kind == "village" else 0)

    def meaning(self, action: int) -> tuple[str, int]:
        for kind, size in (
            ("card", self.cards),
            ("islet", self.board.islets),
            ("plank", self.planks),
            ("link", len(self.board.links)),
            ("village", len(self.board.colours)),
        ):
            if action < size:
                return kind, action
            action -= size
        raise AssertionError

    # ------------------------------------------------------------ what is there

    @property
    def over(self) -> bool:
        return self.winner is not None or self.truncated

    def hand(self, seat: int) -> list[int]:
        """The cards of a seat (1.2, 2.3) that are not laid."""
        every = [*self.kinds, *(7 + k for k in range(1, self.players))]
        return [card for card in every if card not in self.programs[seat]]

    def bears(self, node: int) -> int:
        return len(self.board.at(node) & set(self.on_map))

    def free(self) -> set[int]:
        """Planks without a pawn."""
        return {link for link in self.on_map if ("link", link) not in self.pawns}

    def may_lie(self, number: int, link: int) -> bool:
        """Whether a plank of this number can be laid there (6.3)."""
        a, b, fits = self.board.links[link]
        if not (number in fits or (self.long_planks and max(fits) < number)):
            return False
        if not all(node >= self.board.islets or node in self.stoned for node in (a, b)):
            return False
        if link in self.on_map:
            return False
        if self.board.crosses[link] & set(self.on_map):
            self.events["crossing refused"] += 1
            return False
        borne = all(self.bears(node) < self.support for node in (a, b))
        self.events["support limit"] += not borne
        return borne

    def may_take(self, seat: int, link: int) -> bool:
        after = [*self.reserves[seat], self.on_map[link]]
        numbers = [number for _, number in after]
        return len(set(numbers)) == len(numbers) and len({colour for colour, _ in after}) <= 2

    def jumps(self, seat: int) -> set[Place]:
        """Landings (6.8)."""
        board, own, found = self.board, self.pawns[seat], set()
        near = {to for to in board.steps(own, set(self.on_map)) if to[0] == "link"}
        for other, over in enumerate(self.pawns):
            if other == seat or over not in near:
                continue
            own_nodes = [board.islets + own[1]] if own[0] == "village" else board.links[own[1]][:2]
            far = next(node for node in board.links[over[1]][:2] if node not in own_nodes)
            if far >= board.islets:
                found.add(("village", far - board.islets))
            else:
                found |= {("link", link) for link in board.at(far) & self.free()}
        return found

    # ------------------------------------------------------------ options of a step (11.2)

    def options(self) -> list[int]:
        return sorted(getattr(self, f"{self.step}_options")()) if not self.over else []

    def program_options(self) -> list[int]:
        hand = self.hand(self.seat)
        if any(card >= 8 for card in self.programs[self.seat]):  # 4.2
            hand = [card for card in hand if card < 8]
        return hand

    def stone_options(self) -> list[int]:
        if len(self.stoned) >= self.stones:  # 6.1
            return []
        return [self.islet_action(i) for i in range(self.board.islets) if i not in self.stoned]

    def plank_options(self) -> list[int]:
        return [self.plank_action(number) for _, number in self.reserves[self.seat]]

    def link_options(self) -> list[int]:
        links = range(len(self.board.links))
        return [self.place_action(("link", i)) for i in links if self.may_lie(self.chosen, i)]

    def remove_options(self) -> list[int]:
        links = [link for link in self.free() if self.may_take(self.seat, link)]
        stones = [islet for islet in self.stoned if not self.bears(islet)]
        return [self.place_action(("link", i)) for i in links] + [
            self.islet_action(islet) for islet in stones
        ]

    def step_places(self) -> set[Place]:
        return self.board.steps(self.pawns[self.seat], self.free())

    def move_options(self) -> list[int]:
        return [self.place_action(place) for place in self.step_places()]

    def first_options(self) -> list[int]:
        places = self.step_places()
        if not self.move2_village:  # 6.7
            places = {place for place in places if place[0] == "link"}
        return [self.place_action(place) for place in places]

    def second_options(self) -> list[int]:
        places = self.step_places()
        onward = places - {self.origin}
        return [self.place_action(place) for place in onward or places]  # 6.7

    def jump_options(self) -> list[int]:
        return [self.place_action(place) for place in self.jumps(self.seat)]

    # ------------------------------------------------------------ decisions

    def apply(self, action: int) -> None:
        assert action in self.options()
        mover = self.seat
        kind, index = self.meaning(action)
        done = getattr(self, f"do_{self.step}")(kind, index)
        if done:
            self.left = 0
            self.carry_on(mover)

    def do_program(self, kind: str, card: int) -> bool:
        self.programs[self.seat].append(card)
        if len(self.programs[self.seat]) == self.slots:
            self.seat = (self.seat + 1) % self.players  # 4.3
            if self.seat == self.marker:
                self.slot = -1
                return True
        return False

    def do_stone(self, kind: str, islet: int) -> bool:
        self.stoned.add(islet)
        self.left -= 1
        return self.left == 0 or not self.options()

    def do_plank(self, kind: str, index: int) -> bool:
        self.chosen, self.step = index + 1, "link"
        if self.options():
            return False
        plank = self.take_chosen()
        self.lost.add(plank)
        self.events["lost plank"] += 1
        return self.next_plank()

    def do_link(self, kind: str, link: int) -> bool:
        self.on_map[link] = self.take_chosen()
        return self.next_plank()

    def take_chosen(self) -> tuple[int, int]:
        plank = next(p for p in self.reserves[self.seat] if p[1] == self.chosen)
        self.reserves[self.seat].remove(plank)
        if len({colour for colour, _ in (*self.reserves[self.seat], plank)}) == 2:
            self.events["plank of a two-colour reserve"] += 1
        return plank

    def next_plank(self) -> bool:
        self.chosen, self.step = 0, "plank"
        self.left -= 1
        return self.left == 0 or not self.options()

    def do_remove(self, kind: str, index: int) -> bool:
        if kind == "islet":
            self.stoned.remove(index)
            self.events["stone removed"] += 1
        else:
            refused = [i for i in self.free() if not self.may_take(self.seat, i)]
            self.events["taking refused"] += bool(refused)
            self.reserves[self.seat].add(self.on_map.pop(index))
            colours = {colour for colour, _ in self.reserves[self.seat]}
            self.events["two-colour reserve"] += len(colours) == 2
        return True

    def go(self, kind: str, index: int) -> bool:
        """Moves the pawn; whether the game goes on."""
        self.pawns[self.seat] = (kind, index)
        if (kind, index) == ("village", self.goals[self.seat]):
            self.winner = self.seat  # 8.1
            self.events[f"win by {self.step}"] += 1
            self.step, self.origin = "over", None
            return False
        self.events["foreign village"] += kind == "village" and index != self.home[self.seat]
        return True

    def do_move(self, kind: str, index: int) -> bool:
        return self.go(kind, index)

    def do_jump(self, kind: str, index: int) -> bool:
        self.events["jump from a village"] += self.pawns[self.seat][0] == "village"
        self.events[f"jump onto a {kind}"] += 1
        return self.go(kind, index)

    def do_first(self, kind: str, index: int) -> bool:
        self.events[f"first step into a {kind}"] += 1
        if self.go(kind, index):
            self.step = "second"
        return False

    def do_second(self, kind: str, index: int) -> bool:
        self.events["dead-end move2"] += (kind, index) == self.origin
        self.origin = None
        return self.go(kind, index)

    # ------------------------------------------------------------ execution (5)

    def dragons_on(self, seat: int) -> int:
        """Dragons of this slot against a seat (5.3)."""
        cards = [program[self.slot] for program in self.programs]
        return sum(
            card >= 8 and (other + card - 7) % self.players == seat
            for other, card in enumerate(cards)
        )

    def carry_on(self, mover: int) -> None:
        """Cards that ask for nothing follow at once (11.3)."""
        order = [(self.marker + k) % self.players for k in range(self.players)]  # 5.2
        if self.slot < 0:
            self.slot, waiting = 0, order
        else:
            waiting = order[order.index(mover) + 1 :]
        while True:
            for seat in waiting:
                if self.begins(seat):
                    return
            self.slot, waiting = self.slot + 1, order
            if self.slot == self.slots:
                break
        if self.round == self.max_rounds:  # 8.3
            self.truncated, self.step, self.slot = True, "over", self.slots - 1
            self.seat = mover
            self.events["truncated"] += 1
            return
        self.round += 1
        self.marker = (self.marker + 1) % self.players  # 3.2
        self.programs = [[] for _ in range(self.players)]
        self.seat, self.slot, self.step = self.marker, 0, "program"

    def begins(self, seat: int) -> bool:
        card, against = self.programs[seat][self.slot], self.dragons_on(seat)
        if card >= 8:  # 6.9
            self.events["dragon against a dragon"] += against > 0
            return False
        if against:  # 5.4
            self.events["cancelled"] += 1
            self.events["several dragons on one target"] += against > 1
            return False
        self.seat = seat
        self.left = {STONE1: 1, STONES2: 2, PLANK1: 1, PLANKS2: 2}.get(card, 0)
        self.step = ["stone", "stone", "plank", "plank", "remove", "move", "first", "jump"][card]
        if self.options():
            self.origin = self.pawns[seat] if card == MOVE2 else None
            return True
        self.left = 0
        self.events[f"{self.step} without effect"] += 1
        if card >= MOVE1:  # 7.1
            self.events[f"fall from a plank by {self.step}"] += self.pawns[seat][0] == "link"
            self.pawns[seat] = ("village", self.home[seat])
        return False

    # ------------------------------------------------------------ the end (8)

    def rewards(self, scheme: str) -> list[float]:
        n = self.players
        if not self.over:
            return [0.0] * n
        if scheme == "win":
            others = -1 / (n - 1)
            if self.truncated:
                return [0.0] * n
            return [1.0 if seat == self.winner else others for seat in range(n)]
        far = [self.board.distance(self.pawns[s], self.goals[s]) for s in range(n)]
        ladder = [1 - 2 * place / (n - 1) for place in range(n)]
        ranked = sorted(far)
        return [
            sum(pay for pay, d in zip(ladder, ranked, strict=True) if d == own) / ranked.count(own)
            for own in far
        ]

    # ------------------------------------------------------------ knowledge (9)

    def open_slots(self) -> int:
        return 0 if self.step == "program" else self.slot + 1

    def fives(self, seat: int) -> list[tuple[int, ...]]:
        """All programs that agree with the revealed cards of a seat (9.3)."""
        known = tuple(self.programs[seat][: self.open_slots()])
        every = [*self.kinds, *(7 + k for k in range(1, self.players))]
        rest = [card for card in every if card not in known]
        return [
            known + more
            for more in permutations(rest, self.slots - len(known))
            if sum(card >= 8 for card in known + more) <= 1
        ]
