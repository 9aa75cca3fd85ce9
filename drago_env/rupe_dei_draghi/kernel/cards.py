"""Cards: the deck, hands, the discard pile, and the marks that riders keep (clauses 4 and 12.4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.chance import chance
from drago_env.core.compiled import inlined
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, MAX_PLAYERS, NONE, POINTS


@inlined
def pick(counts: Any, i: Any) -> Any:
    """The kind of the i-th card of a heap that is counted by kinds."""
    kind = 0
    while i >= counts[kind]:
        i -= np.int64(counts[kind])
        kind += 1
    return kind


@inlined
def draw(game: Any, seat: Any) -> None:
    """A random card of the deck comes into a hand."""
    kind = pick(game["deck"], chance(game, np.int64(game["deck_size"])))
    game["deck"][kind] -= 1
    game["deck_size"] -= 1
    game["hand"][seat, kind] += 1
    game["hand_size"][seat] += 1


@inlined
def holds_points(game: Any, seat: Any) -> Any:
    """Whether a points card is in the hand (4.3)."""
    held: Any = 0
    for kind in range(POINTS, CARD_KINDS):
        held |= np.int64(game["hand"][seat, kind])
    return held != 0


@inlined
def spend(game: Any, seat: Any, kind: Any) -> None:
    """A card of the hand goes face up on the pile, and a mark on it goes for all (4.2, 12.4)."""
    game["hand"][seat, kind] -= 1
    game["hand_size"][seat] -= 1
    game["pile"][game["pile_size"]] = kind
    game["pile_size"] += 1
    for rider in range(MAX_PLAYERS):
        if game["marks"][rider, seat, kind] > 0:
            game["marks"][rider, seat, kind] -= 1


@inlined
def put_under(game: Any) -> None:
    """The top discard goes to the bottom of the pile (15.2)."""
    size = np.int64(game["pile_size"])
    top = game["pile"][size - 1]
    for i in range(size - 1, 0, -1):
        game["pile"][i] = game["pile"][i - 1]
    game["pile"][0] = top


@inlined
def forget(game: Any, rider: Any, seat: Any) -> None:
    """A rider's marks on a seat go."""
    for kind in range(CARD_KINDS):
        game["marks"][rider, seat, kind] = 0


@inlined
def take_card(game: Any, seat: Any, rival: Any) -> None:
    """A random card of the rival comes into the seat's hand (4.5), and both know it (12.4)."""
    kind = pick(game["hand"][rival], chance(game, np.int64(game["hand_size"][rival])))
    game["hand"][rival, kind] -= 1
    game["hand_size"][rival] -= 1
    game["hand"][seat, kind] += 1
    game["hand_size"][seat] += 1
    game["marks"][rival, seat, kind] += 1
    for rider in range(MAX_PLAYERS):
        if rider != seat:
            forget(game, rider, rival)
    if game["marks"][seat, rival, kind] > 0:
        game["marks"][seat, rival, kind] -= 1


@inlined
def renew(game: Any, seat: Any, rules: Any) -> None:
    """Hand and deck are shuffled together, with the discards if they are few; draw anew (4.4)."""
    limit = np.int64(rules["hand"])
    size = np.int64(game["deck_size"]) + np.int64(game["hand_size"][seat])
    for kind in range(CARD_KINDS):
        game["deck"][kind] += game["hand"][seat, kind]
        game["hand"][seat, kind] = 0
    game["hand_size"][seat] = 0
    if size <= limit:
        for i in range(np.int64(game["pile_size"])):
            game["deck"][game["pile"][i]] += 1
            game["pile"][i] = NONE
        size += np.int64(game["pile_size"])
        game["pile_size"] = 0
    game["deck_size"] = size
    for _ in range(min(size, limit)):
        draw(game, seat)
    for rider in range(MAX_PLAYERS):  # 12.4
        forget(game, rider, seat)
