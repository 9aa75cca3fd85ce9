"""Positions in words, for tests of single clauses on the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.dragon_delta import actions
from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.rules import CARDS, Rules
from drago_env.dragon_delta.state import EMPTY, NOWHERE, OVER
from tests.dragon_delta.engine import Engine
from tests.dragon_delta.oracle import STEPS, expected, reference_of
from tests.dragon_delta.reference import Place


class Table:
    """One game on the engine, spoken to in the words of the actions."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.board = rules, rules.map
        self.engine = Engine(rules)
        self.state = self.engine.new()
        self.rewards = np.zeros((2, 6), np.float32)

    @property
    def game(self) -> Any:
        return self.state[0]

    @property
    def legal(self) -> set[str]:
        return {actions.text(a, self.rules, self.seat) for a in self.engine.legal(self.state)}

    @property
    def seat(self) -> int:
        return int(self.game["seat"])

    @property
    def turn(self) -> str:
        return f"{self.rules.colours[self.seat]}, {STEPS[self.game['step']]}"

    @property
    def over(self) -> bool:
        return bool(self.game["step"] == OVER)

    def act(self, *texts: str) -> None:
        for text in texts:
            legal = self.engine.legal(self.state)
            named = {actions.text(a, self.rules, self.seat): a for a in legal}
            assert text in named, f"{text} is not among {sorted(named)}"
            self.rewards = self.engine.step(self.state, named[text])

    def program(self, *cards: str) -> None:
        """Each seat's cards of a whole round, from the marker on: `move1 jump` or a dragon."""
        first = int(self.game["first"])
        for k, words in enumerate(cards):
            seat = (first + k) % self.rules.players
            for word in words.split():
                assert self.seat == seat
                self.act(f"program {self.card(word)}")

    def card(self, word: str) -> str:
        return f"dragon against {word[1:]}" if word.startswith("@") else word

    def place(self, code: int) -> str:
        if code >= MAX_LINKS:
            return self.board.node_text(len(self.board.islets) + code - MAX_LINKS)
        return self.board.link_text(code)

    def pawn(self, colour: str) -> str:
        return self.place(int(self.game["pawn"][self.rules.colours.index(colour)]))

    @property
    def planks(self) -> dict[str, str]:
        """The planks on the map: link and colour with number."""
        found = {}
        for colour, number in np.argwhere(self.game["plank"] < MAX_LINKS):
            link = self.board.link_text(int(self.game["plank"][colour, number]))
            found[link] = f"{self.rules.colours[colour]} {number + 1}"
        return found

    def reserve(self, colour: str) -> set[str]:
        held = MAX_LINKS + self.rules.colours.index(colour)
        planks = np.argwhere(self.game["plank"] == held)
        return {f"{self.rules.colours[c]} {n + 1}" for c, n in planks}

    def lost(self) -> set[str]:
        n = self.rules.players
        gone = np.argwhere(self.game["plank"][:n, : self.rules.planks] == NOWHERE)
        return {f"{self.rules.colours[c]} {number + 1}" for c, number in gone}

    @property
    def stones(self) -> set[int]:
        bits = int(self.game["stones"])
        return {islet for islet in range(64) if bits >> islet & 1}

    def laid_cards(self, colour: str) -> list[str]:
        cards = self.game["program"][self.rules.colours.index(colour)]
        return [CARDS[card] if card < 8 else f"+{card - 7}" for card in cards if card != EMPTY]


def at(
    planks: str | dict[str, str] = "",
    pawns: dict[str, str] | None = None,
    stones: Any = (),
    *,
    reserves: dict[str, str] | None = None,
    round: int = 1,
    marker: int = 0,
    stock: int = 27,
    **rules: Any,
) -> Table:
    """A position at the start of a round of one card each (`slots=1` unless told).

    `planks` are links (`"13-27 13-15"`), or links with their planks (`{"13-27": "white 2"}`);
    their stones lie too. `reserves` replaces a reserve, `stock` is the number of all stones.
    """
    table = Table(Rules(**{"slots": 1, "stones": stock, **rules}))
    it = reference_of(table.rules)
    number = {table.board.link_text(i): i for i in range(len(table.board.links))}
    colours = table.rules.colours
    it.stoned = set(stones)
    wanted = planks if isinstance(planks, dict) else dict.fromkeys(planks.split(), "")
    for link, words in wanted.items():
        a, b, fits = table.board.links[number[link]]
        free = [p for s in range(len(colours)) for p in sorted(it.reserves[s]) if p[1] in fits]
        plank = free[0] if not words else named_plank(words, colours)
        it.reserves[plank[0]].discard(plank)
        it.on_map[number[link]] = plank
        it.stoned |= {node for node in (a, b) if node < len(table.board.islets)}
    for colour, text in (reserves or {}).items():
        seat = colours.index(colour)
        held = {named_plank(words, colours) for words in text.split(", ") if words}
        for other in range(len(colours)):
            it.reserves[other] -= held
        gone = it.reserves[seat] - held - set(it.on_map.values())
        it.lost |= gone
        it.reserves[seat] = held
    for colour, where in (pawns or {}).items():
        village = where in colours or where in table.board.colours
        spot: Place = (
            ("village", table.board.colours.index(where)) if village else ("link", number[where])
        )
        it.pawns[colours.index(colour)] = spot
    it.round, it.marker, it.seat = round, marker, marker
    for name, value in expected(it).items():
        table.state[0][name] = value
    return table


def named_plank(words: str, colours: tuple[str, ...]) -> tuple[int, int]:
    colour, number = words.split()
    return colours.index(colour), int(number)
