"""What a seat knows of the others' cards, and what could be in place of the rest (9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, bit, lowest, size
from drago_env.core.chance import GOLDEN, below, mixed
from drago_env.core.compiled import inlined
from drago_env.dragon_delta.rules import MAX_KINDS
from drago_env.dragon_delta.state import EMPTY, PROGRAM

_DRAGONS = np.uint64(MAX_KINDS)


@inlined
def revealed(game: Any) -> Any:
    """How many slots of this round are open: none while cards are programmed (5.1, 9.1)."""
    return np.int64(0) if game["step"] == PROGRAM else np.int64(game["slot"]) + 1


@inlined
def _known(game: Any, seat: Any, count: Any) -> Any:
    """The first cards of a seat, as bits."""
    cards = ZERO
    for slot in range(count):
        cards |= bit(game["program"][seat, slot])
    return cards


@inlined
def _nth(bits: Any, n: Any) -> Any:
    """The number at a place of a set."""
    for _ in range(n):
        bits &= bits - ONE
    return lowest(bits)


@inlined
def _redraw(game: Any, other: Any, open_slots: Any, z: Any, rules: Any) -> Any:
    """Draws a seat's hidden cards: all fives that agree with the open ones are equally likely.

    With k kinds left for m slots, fives without and with a dragon (of d, in one of the slots)
    are as k - m + 1 to m * d. Of a seat that still programs, the first cards of a five are taken.
    """
    slots = np.int64(rules["slots"])
    dragons = np.int64(game["players"]) - 1
    cards = _known(game, other, open_slots)
    kinds = np.uint64(rules["kinds"]) & ~cards
    hidden = slots - open_slots
    at: Any = -1
    dragon: Any = 0
    if cards >> _DRAGONS == ZERO:
        plain = size(kinds) - hidden + 1
        z += GOLDEN
        drawn = below(z, plain + hidden * dragons) - plain
        if drawn >= 0:
            at = open_slots + drawn // dragons
            dragon = MAX_KINDS + drawn % dragons
    for slot in range(open_slots, slots):
        if game["program"][other, slot] == EMPTY:
            break
        card = dragon
        if slot != at:
            z += GOLDEN
            card = _nth(kinds, below(z, size(kinds)))
            kinds &= ~bit(card)
        game["program"][other, slot] = card
    return z


@inlined
def determinize(game: Any, seat: Any, seed: Any, rules: Any, work: Any) -> None:
    """Redraws the others' cards that are not revealed, uniformly (9.3)."""
    open_slots = revealed(game)
    z = mixed(seed)
    if open_slots >= rules["slots"]:
        return
    for other in range(np.int64(game["players"])):
        if other != seat:
            z = _redraw(game, other, open_slots, z, rules)
