"""A table for tests: any position in words, decisions in words, one game of the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from drago_env.rupe_dei_draghi import actions
from drago_env.rupe_dei_draghi.rules import CARDS, Rules, bits
from drago_env.rupe_dei_draghi.state import STEPS
from tests.rupe_dei_draghi.loops import Batch


def kinds(text: str) -> list[int]:
    """`rainbow 1 1` -> card kinds."""
    return [CARDS.index(word) for word in text.split()]


class Table:
    """One game: what is where in words, and decisions in words."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.rules, self.graph = rules, rules.graph
        self.batch = Batch([rules], 1, seed)
        self.rewards: list[float] = []
        self.progress: list[float] = []

    @property
    def game(self) -> Any:
        return self.batch.state[0]

    def space(self, name: str) -> int:
        return self.graph.names.index(name)

    # ------------------------------------------------------------ what is where

    @property
    def legal(self) -> set[str]:
        return {actions.text(action, self.graph) for action in self.batch.legal()[0]}

    @property
    def spaces(self) -> set[str]:
        """The spaces among the legal actions."""
        return {words[6:] for words in self.legal if words.startswith("space ")}

    @property
    def turn(self) -> str:
        return f"seat {self.game['seat']}, {STEPS[self.game['step']]}"

    def knight(self, seat: int) -> str:
        return self.graph.names[self.game["knight"][seat]]

    def hand(self, seat: int) -> str:
        return " ".join(np.repeat(CARDS, self.game["hand"][seat]))

    def marks(self, seat: int, rival: int) -> str:
        return " ".join(np.repeat(CARDS, self.game["marks"][seat, rival]))

    @property
    def pile(self) -> str:
        return " ".join(CARDS[kind] for kind in self.game["pile"][: self.game["pile_size"]])

    @property
    def rainbows(self) -> set[int]:
        return {i for i in range(len(self.graph.sites)) if int(self.game["laid"]) >> i & 1}

    @property
    def bridges(self) -> set[str]:
        closed = self.game["closed"]
        laid = [s for s in self.graph.bridge_sites if not (closed & bits([s])).any()]
        return {self.graph.names[space] for space in laid}

    @property
    def dragons(self) -> list[str]:
        return [self.graph.names[space] for space in self.game["dragons"] if space != 255]

    # ------------------------------------------------------------ decisions

    def act(self, *decisions: str) -> None:
        for words in decisions:
            action = actions.parse(words, self.graph)
            assert action in self.batch.legal()[0], f"{words} is not among {sorted(self.legal)}"
            rewards = self.batch.step([action])[0]
            self.rewards = rewards[0, : self.rules.players].tolist()
            self.progress = rewards[1, : self.rules.players].tolist()

    def refuses(self, *decisions: str) -> None:
        for words in decisions:
            assert words not in self.legal


def at(
    knights: Mapping[int, str] | None = None,
    hands: Sequence[str] = (),
    *,
    seat: int = 0,
    pile: str | None = None,
    deck: str | None = None,
    rainbows: Sequence[int] = (),
    bridges: Sequence[str] = (),
    dragons: Sequence[str] | None = None,
    armour: Sequence[int] = (),
    looks: Mapping[int, Sequence[int]] | None = None,
    princesses: Sequence[int] | None = None,
    turns: int = 0,
    seed: int = 0,
    rules: Rules | None = None,
    **numbers: Any,
) -> Table:
    """A position at the beginning of a seat's turn.

    Without `hands` cards are dealt; with them the other cards are in the deck, or, if `deck` is
    given, on the discard pile.
    """
    table = Table(rules or Rules(**{"players": 2, **numbers}), seed)
    game = table.game
    game["seat"], game["turns"] = seat, turns
    for rider, name in (knights or {}).items():
        game["knight"][rider] = table.space(name)
    if dragons is not None:
        game["dragons"] = 255
        game["dragons"][: len(dragons)] = sorted(map(table.space, dragons))
    standing = [space for space in game["dragons"].tolist() if space != 255]
    laid = list(map(table.space, bridges))
    game["closed"] = bits(standing + [s for s in table.graph.bridge_sites if s not in laid])
    game["bridges"] -= len(bridges)
    game["laid"] = bits(rainbows, 1)[0]
    game["rainbows"] -= len(rainbows)
    for rider in armour:
        game["armour"][rider] = 1
    for rider, forts in (looks or {}).items():
        game["looks"][rider] = sum(1 << fort for fort in forts)
        game["doubles"][rider] = game["opened"] = 1
    if princesses is not None:
        game["princess"][: len(princesses)] = princesses
    if hands or pile is not None or deck is not None:
        _give_cards(table, hands, pile, deck)
    return table


def _give_cards(table: Table, hands: Sequence[str], pile: str | None, deck: str | None) -> None:
    game, rules = table.game, table.rules
    rest = np.array(rules.copies)
    if hands:
        game["hand"], game["hand_size"] = 0, 0
    for seat, text in enumerate(hands):
        np.add.at(game["hand"][seat], kinds(text), 1)
        game["hand_size"][seat] = len(kinds(text))
    rest -= game["hand"].sum(0, dtype=np.int64)
    cards = kinds(pile or "")
    np.subtract.at(rest, cards, 1)
    if deck is not None:
        left = np.zeros(10, int)
        np.add.at(left, kinds(deck), 1)
        cards = np.repeat(np.arange(10), rest - left).tolist() + cards
        rest = left
    assert (rest >= 0).all()
    game["pile"], game["pile_size"] = 255, len(cards)
    game["pile"][: len(cards)] = cards
    game["deck"], game["deck_size"] = rest, rest.sum()
