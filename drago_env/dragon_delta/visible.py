"""One game of the state, in the terms of the rules: places, planks, stones and cards as names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.rules import MAX_KINDS, Rules, distances
from drago_env.dragon_delta.state import EMPTY, NOWHERE, PROGRAM, RESERVE, VILLAGE

_distances = lru_cache(64)(distances)


@dataclass(frozen=True)
class Table:
    """What lies on the table of one game; planks are pairs of a colour (a seat) and a number."""

    game: Any
    rules: Rules

    @property
    def seat(self) -> int:
        """Who decides."""
        return int(self.game["seat"])

    @property
    def stones(self) -> list[int]:
        """Islets with a stone."""
        bits = int(self.game["stones"])
        return [islet for islet in range(len(self.rules.map.islets)) if bits >> islet & 1]

    @property
    def planks(self) -> dict[int, tuple[int, int]]:
        """The planks on the map, by their links."""
        places = self.game["plank"]
        laid = np.argwhere(places < MAX_LINKS).tolist()
        return {int(places[colour, i]): (colour, i + 1) for colour, i in laid}

    def reserve(self, seat: int) -> list[tuple[int, int]]:
        """The planks that a seat holds, by their numbers."""
        held = np.argwhere(self.game["plank"] == RESERVE + seat).tolist()
        return sorted(((colour, i + 1) for colour, i in held), key=lambda plank: plank[1])

    @property
    def lost(self) -> list[tuple[int, int]]:
        """Planks that are out of the game."""
        places = self.game["plank"][: self.rules.players, : self.rules.planks]
        return [(colour, i + 1) for colour, i in np.argwhere(places == NOWHERE).tolist()]

    def pawn(self, seat: int) -> int:
        """Where a pawn is: a link, or MAX_LINKS + village."""
        return int(self.game["pawn"][seat])

    def home(self, seat: int) -> int:
        """The village of a seat's colour, as a place."""
        return VILLAGE + self.rules.map.colours.index(self.rules.colours[seat])

    def bears(self, node: int) -> int:
        """How many planks rest on a stone or a beach."""
        return sum(node in self.rules.map.links[link][:2] for link in self.planks)

    def cards(self, seat: int) -> list[int]:
        """The cards that a seat has laid."""
        return [int(card) for card in self.game["program"][seat] if card != EMPTY]

    @property
    def revealed(self) -> int:
        """How many slots of this round are open (clause 9.1)."""
        return 0 if self.game["step"] == PROGRAM else int(self.game["slot"]) + 1

    def known(self, seat: int, viewer: int | None) -> list[int | None]:
        """The cards that a seat has laid, None for one that the viewer does not see."""
        shown = self.rules.slots if viewer in (None, seat) else self.revealed
        return [card if slot < shown else None for slot, card in enumerate(self.cards(seat))]

    def cancelled(self, seat: int, slot: int) -> bool:
        """Whether an open slot shows a dragon against the action of a seat (clause 5.3)."""
        if slot >= self.revealed:
            return False
        return seat in self.hit([self.cards(other)[slot] for other in range(self.rules.players)])

    def hit(self, cards: Sequence[int]) -> set[int]:
        """The seats whose action the dragons of a slot cancel; its cards are given by seats."""
        against = {
            self.dragon_target(seat, card) for seat, card in enumerate(cards) if card >= MAX_KINDS
        }
        return {seat for seat in against if cards[seat] < MAX_KINDS}  # never a dragon (5.3)

    def steps_left(self, seat: int, place: int | None = None) -> int | None:
        """Steps to the goal if every link had a free plank (clause 8.5); None: no way."""
        board = self.rules.map
        goal = board.goal(board.colours.index(self.rules.colours[seat]))
        return _distances(board, goal).get(self.pawn(seat) if place is None else place)

    # ------------------------------------------------------------ in words

    def way_text(self, seat: int, place: int | None = None) -> str:
        """How far it is to the goal, in words."""
        board, steps = self.rules.map, self.steps_left(seat, place)
        home = board.colours.index(self.rules.colours[seat])
        if steps == 0:
            return "at the goal"
        far = "no way" if steps is None else f"{steps} step{'' if steps == 1 else 's'}"
        return f"{far} to {board.villages[home].goal}"

    def place_text(self, place: int) -> str:
        """Where a pawn is, in words."""
        board = self.rules.map
        if place >= VILLAGE:
            return board.node_text(len(board.islets) + place - VILLAGE)
        return board.link_text(place)

    def plank_text(self, plank: tuple[int, int]) -> str:
        """A plank in words, such as `red 4`."""
        return f"{self.rules.colours[plank[0]]} {plank[1]}"

    def dragon_target(self, seat: int, card: int) -> int:
        """The seat that a dragon is against."""
        return (seat + card - MAX_KINDS + 1) % self.rules.players
