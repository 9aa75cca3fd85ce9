"""The set-up of a game (2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.chance import chance, mixed
from drago_env.core.compiled import inlined
from drago_env.mount_drago.kernel.cards import add_card, random_card, take_from_deck
from drago_env.mount_drago.rules import ITALIAN, MAX_HAND
from drago_env.mount_drago.rules import MAX_PLAYERS as SEATS
from drago_env.mount_drago.state import EMPTY, PLAY


@inlined
def is_shown(game: Any, seat: Any, colour: Any, rules: Any) -> Any:
    """Whether a seat before this one shows the colour."""
    found = False
    for other in range(seat):
        found |= rules["colour"][game["top"][other]] == colour
    return found


@inlined
def free_card(game: Any, seat: Any, rules: Any) -> Any:
    """The place in the deck of a random card whose colour is free, by a single draw.

    Draws by name must come to an end: none is rejected.
    """
    size, free = np.int64(game["deck_size"]), 0
    for i in range(size):
        free += not is_shown(game, seat, rules["colour"][game["deck"][i]], rules)
    nth = chance(game, free)
    for i in range(size):
        nth -= not is_shown(game, seat, rules["colour"][game["deck"][i]], rules)
        if nth < 0:
            break
    return i


@inlined
def deal_top(game: Any, seat: Any, rules: Any) -> None:
    """A face-up card of a colour that nobody else shows (2.2).

    A random card whose colour is free is a random free colour and a random card of it, since
    all free colours have equally many cards left: that is the german set-up, where rejected
    cards stay in the deck. In the italian one they go to the discard pile.
    """
    italian = game["edition"] == ITALIAN
    while True:
        if game["script"] != 0 and not italian:
            i = free_card(game, seat, rules)
        else:
            i = chance(game, game["deck_size"])
        card = game["deck"][i]
        free = not is_shown(game, seat, rules["colour"][card], rules)
        if free or italian:
            take_from_deck(game, i)
        if free:
            game["top"][seat] = card
            return
        if italian:
            game["pile"][card] += 1


@inlined
def deal(game: Any, seed: Any, rules: Any) -> None:
    """Sets up a new game in a record whose players, edition and board are set (2)."""
    game["rng"] = mixed(seed)
    for i in range(game["deck"].shape[0]):
        game["deck"][i] = rules["bag"][i]
    game["deck_size"] = rules["cards"]
    for i in range(game["pile"].shape[0]):
        game["pile"][i] = 0
    for i in range(game["position"].shape[0]):
        game["position"][i] = 0 if i < rules["colours"] else EMPTY  # 2.1
    for i in range(MAX_HAND):
        game["drawn"][i] = EMPTY
    for seat in range(SEATS):
        game["score"][seat] = 0
        game["top"][seat] = 0
        game["hand_size"][seat] = 0
        for i in range(MAX_HAND):
            game["hand"][seat, i] = EMPTY
    game["drawn_size"] = 0
    game["seat"] = 0  # 2.3
    game["phase"] = PLAY
    game["summit"] = 0
    game["discarded"] = 0
    if game["edition"] != ITALIAN:
        for seat in range(game["players"]):
            deal_top(game, seat, rules)
    for seat in range(game["players"]):
        for _ in range(rules["hand"]):
            add_card(game, seat, random_card(game))
    if game["edition"] == ITALIAN:
        for seat in range(game["players"]):
            deal_top(game, seat, rules)
