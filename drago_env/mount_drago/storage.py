"""Games at rest: whether a state is sound, and state files (`.npz`)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from drago_env.game import State
from drago_env.mount_drago import kernel
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import EDITIONS, MAX_HAND, MAX_PLAYERS, Rules
from drago_env.mount_drago.state import STATE

FORMAT = "drago-state/1"
PHASES = ("play", "discard", "over")


class StateError(ValueError):
    """A state, a state file or a position that cannot have come from the rules."""


# ---------------------------------------------------------------- soundness


def check(game: MountDrago, state: State) -> None:
    """Refuses a state that breaks the rules, naming the first bad row and what is wrong."""
    for problem, bad in _faults(game, state):
        rows = np.flatnonzero(bad)
        if len(rows):
            raise StateError(f"row {rows[0]}: {problem}")


def _faults(game: MountDrago, state: State) -> Any:
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
    yield "an unused slot of a hand is not empty", (~held & (hand != kernel.EMPTY)).any((1, 2))
    yield "a hand is not sorted", (hand[..., 1:] < hand[..., :-1]).any((1, 2))
    top = state["top"]
    yield "a top card does not exist", (top >= np.where(seated, rules.card_kinds, 1)).any(1)
    in_deck = np.arange(state["deck"].shape[1]) < state["deck_size"][:, None]
    deck = state["deck"]
    yield "the deck is too large", state["deck_size"] > rules.cards
    yield "a card in the deck does not exist", (in_deck & (deck >= rules.card_kinds)).any(1)
    yield "an unused slot of the deck is not empty", (~in_deck & (deck != kernel.EMPTY)).any(1)
    drawn = state["drawn"]
    was_drawn = slots < state["drawn_size"][:, None]
    yield "too many cards were drawn", state["drawn_size"] > rules.hand
    yield "a drawn card does not exist", (was_drawn & (drawn >= rules.card_kinds)).any(1)
    yield "an unused slot of the draw is not empty", (~was_drawn & (drawn != kernel.EMPTY)).any(1)

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
    yield "a dragon has no colour", (position[:, rules.colours :] != kernel.EMPTY).any(1)
    on_summit = position[:, : rules.colours] >= summit
    arrived = on_summit.sum(1)
    yield "the dragons on the summit are miscounted", arrived != state["summit"]
    over = state["phase"] == kernel.OVER
    yield "it is not over when it should be (clause 6.7)", over != (arrived == rules.summit_dragons)
    yield "too many dragons are on the summit (clause 6.7)", arrived > rules.summit_dragons
    own = np.where(held, hand, 0)[every, state["seat"]]
    has_card = held[every, state["seat"]]
    discard = (has_card & on_summit[every[:, None], own // rules.values]).any(1)
    discarding = state["phase"] == kernel.DISCARD
    yield "nothing can be discarded in this discard step (clause 10.3)", discarding & ~discard
    yield "cards were discarded outside a discard step", ~discarding & (state["discarded"] > 0)
    too_many = state["discarded"] + sizes[every, state["seat"]].astype(np.int64) > rules.hand
    yield "more cards were held or discarded than a hand holds", discarding & too_many
    empty = (seated & (sizes == 0)).any(1)
    yield "a rider is without a card while the game runs (clause 7.4)", ~over & empty
    yield "spare bytes are not zero", state["spare"].any(1)
    yield "a seat that nobody has is not empty", (~seated & (state["score"] != 0)).any(1)


# ---------------------------------------------------------------- state files


def save(path: str | Path, game: MountDrago, state: State) -> None:
    """Writes games at any move, with their rules, to a plain `.npz` (nothing is pickled)."""
    path = Path(path)
    rules = [{**r.as_dict(), "board": r.board.pairs()} for r in game.rules]
    about = {"format": FORMAT, "rules": rules, "reward": game.reward}
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), state=state)
    os.replace(part, path)


def load(path: str | Path) -> tuple[MountDrago, State]:
    """The games of a state file; a damaged or edited file is refused, never believed."""
    try:
        with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            about, state = json.loads(str(file["about"])), file["state"]
    except FileNotFoundError:
        raise
    except Exception as error:  # a damaged archive can raise nearly anything
        raise StateError(f"{path} is not a sound state file: {error}") from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise StateError(f"{path} is not a state file of the format {FORMAT}")
    try:
        rules = [Rules(**{**r, "board": Board.from_pairs(r["board"])}) for r in about["rules"]]
        game = MountDrago(*rules, reward=about["reward"])
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(f"{path}: the rules cannot be read: {error}") from error
    if state.dtype != STATE or state.ndim != 1:
        raise StateError(f"{path}: the state has the wrong type or shape")
    try:
        check(game, state)
    except StateError as error:
        raise StateError(f"{path}, {error}") from None
    return game, state
