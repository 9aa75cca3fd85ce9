"""What a rider knows (8): observations, and worlds that fit them."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import NO_ACTION
from drago_env.core.chance import mixed
from drago_env.core.compiled import compiled, inlined
from drago_env.mount_drago.actions import TO_DISCARD
from drago_env.mount_drago.kernel.cards import (
    add_card,
    random_card,
    remove_card,
    return_card,
    take_from_deck,
)
from drago_env.mount_drago.kernel.legal import has_discard
from drago_env.mount_drago.kernel.turn import next_seat
from drago_env.mount_drago.observation import (
    DECK,
    DISCARDED,
    DISCARDING,
    EDITION,
    HAND_SIZE,
    LEAD,
    PLAYERS,
    SUMMIT_LEFT,
    TOP_VALUE,
    TURN,
)
from drago_env.mount_drago.rules import ITALIAN, LANDINGS, MAX_HAND
from drago_env.mount_drago.rules import MAX_PLAYERS as SEATS
from drago_env.mount_drago.state import DISCARD, EMPTY, OVER, PLAY


@inlined
def count_unseen(game: Any, seat: Any, rules: Any, one: Any, counts: Any) -> None:
    """Cards of each kind in the other hands or the deck, for all that the seat knows (8.4).

    `one` is what a card counts: 1, or the scale of an observation.
    """
    for card in range(rules["card_kinds"]):
        counts[card] = np.int8(rules["copies"][card] - game["pile"][card]) * one
    for rider in range(game["players"]):
        counts[game["top"][rider]] -= one
    for i in range(game["hand_size"][seat]):
        counts[game["hand"][seat, i]] -= one


@inlined
def write_observation(game: Any, seat: Any, rules: Any, spaces: Any, scale: Any, out: Any) -> None:
    """One seat's knowledge, in the order of `observation.layout`.

    The same code writes small whole numbers (`spaces`, `scale` and `out` are int8) and scaled
    ones (all float32): a scale is a power of two, so nothing is rounded.
    """
    kinds = np.int64(rules["card_kinds"])
    colours = np.int64(rules["colours"])
    players = np.int64(game["players"])
    for j in range(kinds):
        out[j] = 0
    for i in range(game["hand_size"][seat]):
        out[game["hand"][seat, i]] += scale[0]
    count_unseen(game, seat, rules, scale[kinds], out[kinds:])
    k = 2 * kinds
    for dragon in range(colours):
        # whole rows: what is too much is overwritten by what follows
        row = spaces[game["position"][dragon]]
        block = out[k:]
        for j in range(row.shape[0]):
            block[j] = row[j]
        k += LANDINGS + 2 * np.int64(rules["values"])
    rides = out[k:]
    for j in range(rides.shape[0]):
        rides[j] = 0
    tail = rides[SEATS * colours :]
    scale = scale[k + SEATS * colours :]
    own = np.int64(game["score"][seat])
    rider: Any = np.int64(seat)
    for other in range(players):  # relative: 0 is the observer
        top = game["top"][rider]
        rides[other * colours + rules["colour"][top]] = 1
        tail[HAND_SIZE + other] = np.int8(game["hand_size"][rider]) * scale[HAND_SIZE]
        tail[TOP_VALUE + other] = np.int8(rules["value"][top]) * scale[TOP_VALUE]
        if other > 0:
            lead: Any = min(max(np.int64(game["score"][rider]) - own, -127), 127)
            tail[LEAD + other - 1] = np.int8(lead) * scale[LEAD]
        tail[TURN + other] = (rider == game["seat"]) & (game["phase"] != OVER)
        rider = 0 if rider + 1 == players else rider + 1
    tail[DISCARDING] = game["phase"] == DISCARD
    tail[DISCARDED] = np.int8(game["discarded"]) * scale[DISCARDED]
    tail[DECK] = np.int8(game["deck_size"]) * scale[DECK]
    tail[SUMMIT_LEFT] = np.int8(rules["summit_dragons"] - game["summit"]) * scale[SUMMIT_LEFT]
    tail[PLAYERS + players - 2] = 1
    tail[EDITION] = game["edition"]


@inlined
def determinize(game: Any, seat: Any, seed: Any, rules: Any, work: Any) -> None:
    """Redraws all that the seat cannot see, uniformly (8.4), and the generator.

    The unseen cards are laid out in sorted order first, so that the result depends on the
    seat's knowledge and on the seed alone.
    """
    players = np.int64(game["players"])
    game["rng"] = mixed(seed)
    count_unseen(game, seat, rules, np.int8(1), work["counts"])
    size = 0
    for card in range(rules["card_kinds"]):
        for _ in range(work["counts"][card]):
            game["deck"][size] = card
            size += 1
    for i in range(size, game["deck"].shape[0]):
        game["deck"][i] = EMPTY
    game["deck_size"] = size
    for i in range(MAX_HAND):
        game["drawn"][i] = EMPTY
    game["drawn_size"] = 0
    # A rider in their discard step comes first: they hold a card that they may discard.
    first = np.int64(game["seat"])
    bound = game["phase"] == DISCARD
    for other in range(players):
        rider = first + other
        if rider >= players:
            rider -= players
        if rider == seat:
            continue
        count = np.int64(game["hand_size"][rider])
        while True:
            for i in range(MAX_HAND):
                game["hand"][rider, i] = EMPTY
            game["hand_size"][rider] = 0
            for _ in range(count):
                add_card(game, rider, random_card(game))
            if rider != first or not bound or has_discard(game, rider, rules):
                break
            for i in range(count):
                return_card(game, game["hand"][rider, i])


@inlined
def redraw_one(game: Any, seat: Any, played: Any, deck_before: Any, cards: Any, rules: Any) -> Any:
    """Replaces what the last move of a seat drew by the given cards, as a record tells it.

    Returns the first place in `cards` that the deck could not give, or -1. With a reshuffle
    in mid-draw the cards before it are the whole old deck, in any order.
    """
    count = np.int64(game["drawn_size"])
    old = np.int64(deck_before) if deck_before < count else 0
    for i in range(old):
        asked = 0
        there = 0
        for j in range(old):
            asked += cards[j] == cards[i]
            there += game["drawn"][j] == cards[i]
        if asked > there:
            return i
    for i in range(old, count):
        return_card(game, game["drawn"][i])
        remove_card(game, seat, game["drawn"][i])
    for i in range(count):
        if i >= old:
            j = 0
            while j < game["deck_size"] and game["deck"][j] != cards[i]:
                j += 1
            if j == game["deck_size"]:
                return i
            add_card(game, seat, take_from_deck(game, j))
        game["drawn"][i] = cards[i]
    if count > 0 and played and game["edition"] == ITALIAN:
        # after a refill, the cards drawn decide whether a discard step follows (7.2)
        game["seat"] = seat
        game["phase"] = PLAY
        if has_discard(game, seat, rules):
            game["phase"] = DISCARD
        else:
            next_seat(game)
    return -1


@compiled
def redraw(
    state: Any, seats: Any, actions: Any, decks: Any, cards: Any, tables: Any, faults: Any
) -> None:
    """Replaces the cards drawn by the last moves; `faults` gets -1 or the impossible card."""
    for row in range(state.shape[0]):
        faults[row] = -1
        if actions[row] == NO_ACTION:
            continue
        game = state[row]
        rules = tables[game["board"]]
        played = actions[row] < TO_DISCARD * np.int64(rules["card_kinds"])
        faults[row] = redraw_one(game, seats[row], played, decks[row], cards[row], rules)
