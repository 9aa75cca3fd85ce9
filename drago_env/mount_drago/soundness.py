"""Whether a state can have come from the rules, as a list of sentences."""

from __future__ import annotations

import numpy as np

from drago_env.game import Faults, State
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import EDITIONS, MAX_HAND, MAX_PLAYERS
from drago_env.mount_drago.state import DISCARD, EMPTY, OVER, PHASES


def faults(game: MountDrago, state: State) -> Faults:
    """Pairs of a fault in words and the rows that have it; later ones trust earlier ones."""
    rules = game.rules[0]
    seats, slots = np.arange(MAX_PLAYERS), np.arange(MAX_HAND)
    players = state["players"]
    yield "players must be from 2 to 5", (players < 2) | (players > min(5, rules.colours))
    yield "no such edition", state["edition"] >= len(EDITIONS)
    yield "no such board", state["board"] >= len(game.boards)
    yield "no such step of the turn", state["phase"] >= len(PHASES)
    yield "no such seat", state["seat"] >= players
    seated = seats < players[:, None]

    sizes = state["hand_size"]
    yield f"a hand holds 0 to {rules.hand} cards", (sizes > np.where(seated, rules.hand, 0)).any(1)
    held = slots < sizes[..., None]
    hand = state["hand"]
    yield "a card in a hand does not exist", (held & (hand >= rules.card_kinds)).any((1, 2))
    yield "an unused slot of a hand is not empty", (~held & (hand != EMPTY)).any((1, 2))
    yield "a hand is not sorted", (hand[..., 1:] < hand[..., :-1]).any((1, 2))
    top = state["top"]
    yield "a top card does not exist", (top >= np.where(seated, rules.card_kinds, 1)).any(1)
    in_deck = np.arange(state["deck"].shape[1]) < state["deck_size"][:, None]
    deck = state["deck"]
    yield "the deck is too large", state["deck_size"] > rules.cards
    yield "a card in the deck does not exist", (in_deck & (deck >= rules.card_kinds)).any(1)
    yield "an unused slot of the deck is not empty", (~in_deck & (deck != EMPTY)).any(1)
    drawn = state["drawn"]
    was_drawn = slots < state["drawn_size"][:, None]
    yield "too many cards were drawn", state["drawn_size"] > rules.hand
    yield "a drawn card does not exist", (was_drawn & (drawn >= rules.card_kinds)).any(1)
    yield "an unused slot of the draw is not empty", (~was_drawn & (drawn != EMPTY)).any(1)

    copies = np.zeros(state["pile"].shape[1], np.int64)
    copies[: rules.card_kinds] = np.tile(rules.copies, rules.colours)
    counts = state["pile"].astype(np.int64)
    every = np.arange(len(state))
    flat = (len(state), MAX_PLAYERS * MAX_HAND)
    for cards, there in (
        (hand.reshape(flat), held.reshape(flat)),
        (top, seated),
        (deck, in_deck),
    ):
        rows = np.broadcast_to(every[:, None], cards.shape)[there]
        np.add.at(counts, (rows, cards[there]), 1)
    yield "the cards do not add up (clause 1.3)", (counts != copies).any(1)
    colour = np.where(seated, top // rules.values, -1 - seats)
    twice = (np.diff(np.sort(colour, 1), axis=1) == 0).any(1)
    yield "two riders ride the same dragon (clause 5.1)", twice

    position = state["position"].astype(np.int64)
    last = game.tables["last"][state["board"]][:, None]
    summit = game.tables["summit"][state["board"]][:, None]
    yield "a dragon is beyond the last space", (position[:, : rules.colours] > last).any(1)
    yield "a dragon has no colour", (position[:, rules.colours :] != EMPTY).any(1)
    on_summit = position[:, : rules.colours] >= summit
    arrived = on_summit.sum(1)
    yield "the dragons on the summit are miscounted", arrived != state["summit"]
    over = state["phase"] == OVER
    yield "it is not over when it should be (clause 6.7)", over != (arrived == rules.summit_dragons)
    yield "too many dragons are on the summit (clause 6.7)", arrived > rules.summit_dragons
    own = np.where(held, hand, 0)[every, state["seat"]]
    has_card = held[every, state["seat"]]
    discard = (has_card & on_summit[every[:, None], own // rules.values]).any(1)
    discarding = state["phase"] == DISCARD
    yield "nothing can be discarded in this discard step (clause 10.3)", discarding & ~discard
    yield "cards were discarded outside a discard step", ~discarding & (state["discarded"] > 0)
    too_many = state["discarded"] + sizes[every, state["seat"]].astype(np.int64) > rules.hand
    yield "more cards were held or discarded than a hand holds", discarding & too_many
    empty = (seated & (sizes == 0)).any(1)
    yield "a rider is without a card while the game runs (clause 7.4)", ~over & empty
    scripted = (state["script"] > 0) | (state["options"] > 0)
    yield "chance is scripted", scripted
    yield "spare bytes are not zero", state["spare"].any(1)
    yield "a seat that nobody has is not empty", (~seated & (state["score"] != 0)).any(1)
