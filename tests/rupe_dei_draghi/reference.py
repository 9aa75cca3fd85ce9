"""La rupe dei draghi, slowly and obviously: the clauses as plain Python, an oracle for tests.

The numbers in the comments are the clauses of the rules. Nothing here is fast and nothing is
shared with the engine. Chance stays outside: whoever calls `apply` says which cards came.
`position.py` says where everything is and what is legal; here is what decisions do.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

from tests.rupe_dei_draghi.position import (
    BESIDE,
    BRIDGE,
    CLOUD,
    DONE,
    DRAGON,
    RAINBOW,
    RENEW,
    ROB,
    TELESWAP,
    TOP,
    Position,
)


class Reference(Position):
    """One game."""

    # ------------------------------------------------------------ a decision

    def apply(self, action: int, cards: list[int] | None = None) -> None:
        """Carries out a legal action; `cards` are those that chance brought by it."""
        self.events = []
        sites = len(self.map.sites)
        answer: Any = action
        if 15 <= action < 18:
            answer = (self.seat + action - 14) % self.players
        elif 18 <= action < 18 + sites:
            answer = action - 18
        elif action >= 18 + sites:
            answer = self.map.names[action - 18 - sites]
        elif action == BESIDE:
            answer = "beside"
        if self.step in ("rob", "spoils") or action == RENEW:
            getattr(self, "do_" + self.step)(action, answer, cards or [])
        else:
            assert not cards
            getattr(self, "do_" + self.step)(action, answer)

    def do_turn(self, action: int, answer: Any, cards: list[int] | None = None) -> None:
        if action == RENEW:
            assert cards is not None
            self.renew(cards)
        elif action == ROB:
            self.step, self.taken = "rob", 0
        elif action == TOP:  # 4.6
            kind = self.pile[-1]
            if self.reuse == "under":  # 15.2
                self.pile = [kind, *self.pile[:-1]]
            self.events.append("top magic" if kind < 5 else "top points")
            self.fresh = True
            self.start(kind)
        else:
            self.play(action)

    def do_magic(self, action: int, answer: Any) -> None:
        if action == DONE:
            self.events.append("stopped after magic")
            self.end_turn()
        else:
            self.play(action)

    def play(self, kind: int) -> None:
        """4.2: face up on the pile as it is played."""
        self.own[kind] -= 1
        self.pile.append(kind)
        for rider in range(self.players):  # 12.4
            if self.marks[rider][self.seat][kind]:
                self.marks[rider][self.seat][kind] -= 1
                self.events.append("mark lost by a play")
        self.fresh = False
        self.start(kind)

    def start(self, kind: int) -> None:
        steps = {RAINBOW: "rainbow_from", BRIDGE: "bridge_from", DRAGON: "dragon_from"}
        steps |= {TELESWAP: "swap", CLOUD: "cloud"}
        if kind >= 5:
            self.points, self.fresh = kind - 4, False
            self.destinations = self.ends()
        self.step = steps.get(kind, "move")

    def magic_done(self) -> None:
        self.picked = self.rival = None
        if self.own.total():
            self.step = "magic"
        else:  # 4.3
            self.events.append("empty hand after magic")
            self.end_turn()

    def renew(self, cards: list[int]) -> None:
        """4.4."""
        heap = self.deck + self.own
        if heap.total() <= self.hand_limit:
            if self.pile:
                self.events.append("renewal with the discards")
            heap += Counter(self.pile)
            self.pile = []
        assert len(cards) == min(self.hand_limit, heap.total())
        assert Counter(cards) <= heap
        self.hands[self.seat] = Counter(cards)
        self.deck = heap - Counter(cards)
        for rider in range(self.players):  # 12.4
            if self.marks[rider][self.seat].total():
                self.events.append("marks lost by a renewal")
            self.marks[rider][self.seat].clear()
        self.end_turn()

    def take(self, rival: int, cards: list[int]) -> None:
        """4.5, 12.4: one random card."""
        [kind] = cards
        assert self.hands[rival][kind] > 0
        self.hands[rival][kind] -= 1
        self.own[kind] += 1
        self.taken += 1
        self.marks[rival][self.seat][kind] += 1
        self.events.append("mark gained")
        for rider in range(self.players):
            if rider not in (self.seat, rival):
                if self.marks[rider][rival].total():
                    self.events.append("marks lost by a third rider's taking")
                self.marks[rider][rival].clear()
        if self.marks[self.seat][rival][kind]:
            self.marks[self.seat][rival][kind] -= 1
            self.events.append("mark lost by taking")

    def do_rob(self, action: int, answer: Any, cards: list[int]) -> None:
        if action == DONE:
            self.end_turn()
            return
        self.take(answer, cards)
        nothing = not any(self.hands[rival].total() for rival in self.rivals())
        if self.taken == self.rob or nothing:
            self.end_turn()

    # ------------------------------------------------------------ magic cards (5)

    def do_rainbow_from(self, action: int, answer: Any) -> None:
        self.picked, self.step = answer, "rainbow_to"

    def lay_rainbow(self, answer: Any) -> None:
        if self.picked == "beside":
            self.rainbows_beside -= 1
        else:
            self.rainbows.remove(self.picked)
        if answer == "beside":
            self.rainbows_beside += 1
        else:
            self.rainbows.add(answer)

    def do_rainbow_to(self, action: int, answer: Any) -> None:
        self.lay_rainbow(answer)
        self.magic_done()

    def do_bridge_from(self, action: int, answer: Any) -> None:
        self.picked, self.step = answer, "bridge_to"

    def do_bridge_to(self, action: int, answer: Any) -> None:
        if self.picked == "beside":
            self.bridges_beside -= 1
        else:
            self.bridges.remove(self.picked)
        if answer == "beside":
            self.bridges_beside += 1
        else:
            self.bridges.add(answer)
        self.magic_done()

    def do_dragon_from(self, action: int, answer: Any) -> None:
        self.picked, self.step = answer, "dragon_to"

    def do_dragon_to(self, action: int, answer: Any) -> None:
        self.dragons = self.dragons - {self.picked} | {answer}
        self.magic_done()

    def do_swap(self, action: int, answer: Any) -> None:
        here, there = self.knights[self.seat], self.knights[answer]
        self.knights[self.seat], self.knights[answer] = there, here
        for rider in (self.seat, answer):
            if self.knights[rider] == self.map.castle:  # 7.2
                self.armour[rider] = True
                self.events.append("teleswap into the castle")
            if self.map.kind[self.knights[rider]] == "stronghold":
                self.events.append("teleswap into a stronghold")
        self.magic_done()

    def do_cloud(self, action: int, answer: Any) -> None:
        self.rival, self.step = answer, "cloud_to"

    def do_cloud_to(self, action: int, answer: Any) -> None:
        assert self.rival is not None
        if self.map.kind[self.knights[self.rival]] == "stronghold":
            self.events.append("cloud out of a stronghold")
        self.knights[self.rival] = answer
        self.magic_done()

    # ------------------------------------------------------------ a move and what follows

    def do_move(self, action: int, answer: Any) -> None:
        if action == DONE:  # 6.6
            self.events.append("move without destination")
            self.end_turn()
            return
        self.crossed = self.destinations[answer]
        if self.crossed:
            self.events.append("rainbow crossed")
        here = self.knights[self.seat]
        if self.doubles[self.seat] and self.map.steps(here, answer) > self.points:
            self.events.append("doubled move")
        self.knights[self.seat] = answer
        kind = self.map.kind[answer]
        if kind == "castle":  # 7.2
            self.events.append("castle")
            self.armour[self.seat] = True
        elif kind == "stronghold":
            self.look(self.map.forts.index(answer))
            if self.over:
                return
        elif kind != "rock":
            there = [rival for rival in self.rivals() if self.knights[rival] == answer]
            if there:  # 8.1
                [self.rival] = there
                place = {"star": "star", "gap": "bridge", "crater": "bridge", "start": "start"}
                self.events.append(f"duel on a {place.get(kind, 'road')}")
                self.step = "duel"
                return
        self.after_move()

    def look(self, fort: int) -> None:
        """10.2 to 10.5, 11.1."""
        if self.princesses[fort] == self.colours[self.seat]:
            self.events.append("win")
            self.winner = self.seat
            return
        self.events.append("look in vain")
        if fort in self.looks[self.seat]:
            self.events.append("look again")
        self.looks[self.seat].add(fort)
        self.doubles[self.seat] = True
        self.opened = True

    def do_duel(self, action: int, answer: Any) -> None:
        assert self.rival is not None
        self.knights[self.rival] = answer  # 8.3
        self.taken = 0
        if self.hands[self.rival].total() and self.spoils:  # 8.4
            self.step = "spoils"
        else:
            self.after_move()

    def do_spoils(self, action: int, answer: Any, cards: list[int]) -> None:
        if action == DONE:
            self.after_move()
            return
        self.take(answer, cards)
        self.events.append("spoils")
        if self.taken == self.spoils or not self.hands[answer].total():
            self.after_move()

    def after_move(self) -> None:
        """6.7: last of all."""
        self.rival = None
        if self.crossed and self.open_sites():
            self.step = "crossed"
        else:
            self.end_turn()

    def do_crossed(self, action: int, answer: Any) -> None:
        if action == DONE:
            self.end_turn()
        else:
            self.picked, self.step = answer, "crossed_to"

    def do_crossed_to(self, action: int, answer: Any) -> None:
        self.lay_rainbow(answer)
        self.events.append("crossed rainbow moved")
        self.end_turn()

    def end_turn(self) -> None:
        self.picked = self.rival = None
        self.crossed, self.fresh, self.taken, self.points = set(), False, 0, 0
        self.turns += 1
        if self.turns == self.turn_cap:  # 11.2
            self.events.append("truncation")
            self.truncated = True
            return
        self.seat, self.step = (self.seat + 1) % self.players, "turn"  # 4.7

    # ------------------------------------------------------------ pay (11.3)

    def rewards(self) -> list[float]:
        """Of the decision that was made last."""
        if self.winner is None:
            return [0.0] * self.players
        return [1.0 if s == self.winner else -1 / (self.players - 1) for s in range(self.players)]

    def needed(self, seat: int) -> int:
        """Steps that a seat still needs, if every way were open; none once somebody has won."""
        if self.winner is not None:
            return 0
        here, steps = self.knights[seat], 0
        if not self.armour[seat]:
            here, steps = self.map.castle, self.map.steps(here, self.map.castle)
        left = [fort for i, fort in enumerate(self.map.forts) if i not in self.looks[seat]]
        return steps + min(self.map.steps(here, fort) for fort in left)

    # ------------------------------------------------------------ what a rider knows (12)

    def arrangements(self, seat: int) -> list[tuple[int, ...]]:
        """12.3: of the princesses, all that are equally likely for a seat."""
        found = []
        for princesses in permutations(range(len(self.map.forts))):
            own = all(princesses[f] == self.princesses[f] for f in self.looks[seat])
            vain = all(
                princesses[f] != self.colours[s] for s in range(self.players) for f in self.looks[s]
            )
            if self.winner is not None:
                fort = self.map.forts.index(self.knights[self.winner])
                vain = vain and princesses[fort] == self.colours[self.winner]
            if own and vain:
                found.append(princesses)
        return found

    def unseen(self, seat: int) -> Counter[int]:
        """12.5: all cards less the own hand, the discard pile and the own marks."""
        return (
            self.all_cards
            - self.hands[seat]
            - Counter(self.pile)
            - sum(self.marks[seat], Counter[int]())
        )
