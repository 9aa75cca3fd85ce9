"""What is to be seen of a position: plain data that every drawing is made of.

A `Visible` holds what its viewer may know and nothing else, so no drawing of it can leak a card or
a princess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from drago_env.game import Move, State
from drago_env.rupe_dei_draghi import state as steps
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, NONE, Rules
from drago_env.rupe_dei_draghi.words import laid_bridges, laid_sites, looked

Cards = tuple[int, ...]  # kinds, sorted


@dataclass(frozen=True)
class Rider:
    """One seat as the viewer sees it."""

    seat: int
    name: str
    colour: int
    space: int  # of the knight
    armour: bool
    doubles: bool
    looks: tuple[int, ...]  # strongholds that they looked into, in vain or to win
    cards: int  # how many are in the hand
    hand: Cards | None  # None: hidden from the viewer
    known: Cards  # of a hidden hand what the viewer knows (12.4)
    wins: bool


@dataclass(frozen=True)
class Visible:
    """One position as one viewer sees it."""

    rules: Rules
    riders: tuple[Rider, ...]
    seat: int  # who decides
    step: int  # of the turn, as in state["step"]
    turns: int  # that have ended
    dragons: tuple[int, ...]  # their spaces
    rainbows: tuple[int, ...]  # the sites where they lie
    sites: tuple[int, ...]  # those that are open, laid or not
    bridges: tuple[int, ...]  # the spaces where they lie
    rainbows_left: int  # beside the board
    bridges_left: int
    deck: int
    pile: Cards  # in its order, the top card last
    princesses: tuple[tuple[int, ...], ...]  # for each stronghold the colours that can be there
    picked: tuple[str, int] | None  # the piece that is being moved: rainbow, bridge or dragon
    card: int | None  # the points card of the move that is being made
    rival: int | None  # who is sent away or plundered
    last: Move | None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.step == steps.OVER

    @property
    def cut_off(self) -> bool:
        """Whether it ended without a winner."""
        return self.over and not any(rider.wins for rider in self.riders)


def visible(
    game: RupeDeiDraghi, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
) -> Visible:
    """What a viewer sees of the one game of a state; None sees all."""
    rules, it = game.row_rules(state, 0), state[0]
    graph, pile = rules.graph, int(it["pile_size"])
    laid = tuple(laid_sites(rules, it))
    opened = [n for n, (_, end) in enumerate(graph.sites) if it["opened"] or end == graph.castle]
    return Visible(
        rules,
        tuple(_rider(rules, it, seat, name, viewer) for seat, name in enumerate(names)),
        int(it["seat"]),
        int(it["step"]),
        int(it["turns"]),
        tuple(space for space in it["dragons"].tolist() if space != NONE),
        laid,
        tuple(sorted({*laid, *opened})),
        tuple(laid_bridges(rules, it)),
        int(it["rainbows"]),
        int(it["bridges"]),
        int(it["deck_size"]),
        tuple(it["pile"][:pile].tolist()),
        _princesses(rules, it, viewer),
        _picked(it),
        _given(it["card"]),
        _given(it["rival"]),
        last,
    )


def _rider(rules: Rules, it: Any, seat: int, name: str, viewer: int | None) -> Rider:
    seen = viewer in (None, seat)
    return Rider(
        seat,
        name,
        rules.colour(seat),
        int(it["knight"][seat]),
        bool(it["armour"][seat]),
        bool(it["doubles"][seat]),
        tuple(looked(rules.graph, it, seat)),
        int(it["hand_size"][seat]),
        _listed(it["hand"][seat]) if seen else None,
        () if seen else _listed(it["marks"][viewer, seat]),
        bool(it["end"] == steps.WON and it["seat"] == seat),
    )


def _listed(counts: Any) -> Cards:
    return tuple(np.repeat(np.arange(CARD_KINDS), counts).tolist())


def _looks(graph: Graph, it: Any, seat: int) -> tuple[int, ...]:
    """The strongholds where a rider looked in vain."""
    return tuple(f for f in range(len(graph.strongholds)) if int(it["looks"][seat]) >> f & 1)


def _given(number: Any) -> int | None:
    return None if number == NONE else int(number)


def _picked(it: Any) -> tuple[str, int] | None:
    if it["picked"] in (NONE, steps.BESIDE_BOARD):
        return None
    step = int(it["step"])
    if step in (steps.RAINBOW_TO, steps.CROSSED_TO):
        return "rainbow", int(it["picked"])
    return ("bridge" if step == steps.BRIDGE_TO else "dragon"), int(it["picked"])


# ---------------------------------------------------------------- princesses


def _princesses(rules: Rules, it: Any, viewer: int | None) -> tuple[tuple[int, ...], ...]:
    """The colours that can be in each stronghold for all that the viewer knows (12.3)."""
    graph = rules.graph
    truth = it["princess"][: len(graph.strongholds)].tolist()
    if viewer is None:
        return tuple((colour,) for colour in truth)
    known = set(_looks(graph, it, viewer))
    if it["end"] == steps.WON:  # everybody sees who was found
        known.add(graph.strongholds.index(int(it["knight"][int(it["seat"])])))
    riders = range(rules.players)
    vain = frozenset((f, rules.colour(r)) for r in riders for f in _looks(graph, it, r))
    return _possible(tuple(truth[f] if f in known else NONE for f in range(len(truth))), vain)


@lru_cache(maxsize=256)
def _possible(
    known: tuple[int, ...], vain: frozenset[tuple[int, int]]
) -> tuple[tuple[int, ...], ...]:
    """For each stronghold the colours of all arrangements that fit."""
    forts = range(len(known))

    def fits(arranged: dict[int, int]) -> bool:
        open_forts = [fort for fort in forts if fort not in arranged]
        if not open_forts:
            return True
        fort, used = open_forts[0], set(arranged.values())
        return any(
            fits({**arranged, fort: colour})
            for colour in forts
            if colour not in used and (fort, colour) not in vain
        )

    fixed = {fort: colour for fort, colour in enumerate(known) if colour != NONE}
    left = set(forts) - set(fixed.values())
    return tuple(
        (fixed[fort],)
        if fort in fixed
        else tuple(
            colour
            for colour in sorted(left)
            if (fort, colour) not in vain and fits({**fixed, fort: colour})
        )
        for fort in forts
    )
