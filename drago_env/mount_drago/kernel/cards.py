"""Hands, the deck and the piles (7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.chance import chance
from drago_env.core.compiled import inlined
from drago_env.mount_drago.rules import MAX_HAND
from drago_env.mount_drago.state import EMPTY


@inlined
def add_card(game: Any, seat: Any, card: Any) -> None:
    """Keeps the hand sorted, without a branch: every slot is the middle one of three."""
    hand = game["hand"][seat]
    card = np.uint8(card)
    for i in range(MAX_HAND - 1, 0, -1):
        hand[i] = max(hand[i - 1], min(hand[i], card))
    hand[0] = min(hand[0], card)
    game["hand_size"][seat] += 1


@inlined
def remove_card(game: Any, seat: Any, card: Any) -> None:
    """Closes the gap, without a branch: cards below the given one stay, the others move up."""
    hand = game["hand"][seat]
    for i in range(MAX_HAND - 1):
        hand[i] = hand[i] if hand[i] < card else hand[i + 1]
    hand[MAX_HAND - 1] = EMPTY
    game["hand_size"][seat] -= 1


@inlined
def reshuffle(game: Any, rules: Any) -> None:
    """All cards but the tops and the hands become the new deck (7.3)."""
    size = 0
    for card in range(rules["card_kinds"]):
        for _ in range(game["pile"][card]):
            game["deck"][size] = card
            size += 1
        game["pile"][card] = 0
    game["deck_size"] = size


@inlined
def take_from_deck(game: Any, i: Any) -> Any:
    size = np.int64(game["deck_size"]) - 1
    card = game["deck"][i]
    game["deck"][i] = game["deck"][size]
    game["deck"][size] = EMPTY
    game["deck_size"] = size
    return card


@inlined
def return_card(game: Any, card: Any) -> None:
    size = np.int64(game["deck_size"])
    game["deck"][size] = card
    game["deck_size"] = size + 1


@inlined
def random_card(game: Any) -> Any:
    return take_from_deck(game, chance(game, game["deck_size"]))


@inlined
def draw_cards(game: Any, seat: Any, count: Any, rules: Any) -> None:
    for _ in range(count):
        if game["deck_size"] == 0:
            reshuffle(game, rules)
        card = random_card(game)
        add_card(game, seat, card)
        drawn = np.int64(game["drawn_size"])
        game["drawn"][drawn] = card
        game["drawn_size"] = drawn + 1
