"""Whether a state can have come from the rules, as a list of sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.game import Faults, State
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import MAX_SPACES, MAX_STARTS
from drago_env.rupe_dei_draghi.kernel.paths import find_mistargeted
from drago_env.rupe_dei_draghi.rules import (
    CARD_KINDS,
    FAR,
    MAX_CARDS,
    MAX_PLAYERS,
    NONE,
    POINTS,
    REUSES,
)
from drago_env.rupe_dei_draghi.state import (
    BESIDE_BOARD,
    BRIDGE_TO,
    CLOUD_TO,
    CROSSED,
    CROSSED_TO,
    CUT_OFF,
    DRAGON_TO,
    DUEL,
    MAGIC,
    MOVE,
    OVER,
    RAINBOW_TO,
    ROBBERY,
    RUNNING,
    SPOILS,
    WON,
)

Rows = NDArray[Any]
_SEATS = np.arange(MAX_PLAYERS)


def faults(game: RupeDeiDraghi, state: State) -> Faults:
    """Pairs of a fault in words and the rows that have it; later ones trust earlier ones."""
    yield from _frame(game, state)
    yield from _cards(game, state)
    yield from _pieces(game, state)
    yield from _knowledge(game, state)
    yield from _moment(game, state)
    yield from _answers(game, state)


def unpacked(words: Rows, size: int) -> Rows:
    """Sets of bits as rows of true and false."""
    words = words.reshape(len(words), -1)
    bits = words[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return np.asarray(bits.reshape(len(words), -1)[:, :size] != 0)


def _frame(game: RupeDeiDraghi, state: State) -> Faults:
    """Which rules, whose turn, which step."""
    yield "no such rules", state["map"] >= len(game.rules)
    told = [(r.players, REUSES.index(r.reuse), r.stop) for r in game.rules]
    wanted = np.array(told)[state["map"]]
    yield "the players are not those of the rules", state["players"] != wanted[:, 0]
    yield (
        "the flags are not those of the rules",
        ((state["under"] != wanted[:, 1]) | (state["stop"] != wanted[:, 2])),
    )
    step, end = state["step"], state["end"]
    yield "no such step of the turn", step > OVER
    yield "no such end", end > CUT_OFF
    yield "it is over in one field and not in another", (step == OVER) != (end != RUNNING)
    yield "no such seat", state["seat"] >= state["players"]
    cap = game.tables["turn_cap"][state["map"]]
    turns = state["turns"].astype(np.int64)
    yield (
        "the turns do not fit the end (clause 11.2)",
        ((turns > cap) | ((turns == cap) != (end == CUT_OFF))),
    )
    on_turn = (turns - (end == CUT_OFF)) % state["players"]
    yield "another seat is on turn (clause 4.7)", state["seat"] != on_turn
    yield "chance is scripted", (state["script"] > 0) | (state["options"] > 0)
    yield "spare bytes are not zero", state["spare"].any(1) | state["path"].any(1)


def _cards(game: RupeDeiDraghi, state: State) -> Faults:
    """Hands, deck, pile and marks."""
    seated = state["players"][:, None] > _SEATS
    hand, size = state["hand"], state["pile_size"]
    yield "a hand is miscounted", (hand.sum(2, dtype=np.int64) != state["hand_size"]).any(1)
    yield "a seat that nobody has holds cards", (~seated & (state["hand_size"] > 0)).any(1)
    yield "the deck is miscounted", state["deck"].sum(1, dtype=np.int64) != state["deck_size"]
    yield "the discard pile is too large", size > MAX_CARDS
    there = np.arange(MAX_CARDS) < size[:, None]
    pile = state["pile"]
    yield "a discarded card does not exist", (there & (pile >= CARD_KINDS)).any(1)
    yield "an unused slot of the discard pile is not empty", (~there & (pile != NONE)).any(1)
    counts = hand.sum(1, dtype=np.int64) + state["deck"]
    counts += (pile[:, :, None] == np.arange(CARD_KINDS)).sum(1)
    copies = game.tables["copies"][state["map"]]
    yield "the cards do not add up (clause 1.3)", (counts != copies).any(1)
    marks = state["marks"]
    yield (
        "a mark is on a card that is not held (clause 12.4)",
        ((marks > hand[:, None]).any((1, 2, 3))),
    )
    own = marks[:, _SEATS, _SEATS]
    yield (
        "a seat without player or a hand of one's own is marked",
        (own.any((1, 2)) | (~seated[:, :, None] & marks.any(3)).any((1, 2))),
    )


def _pieces(game: RupeDeiDraghi, state: State) -> Faults:
    """Knights, dragons, rainbows and bridges."""
    rules = game.tables[state["map"]]
    seated = state["players"][:, None] > _SEATS
    knight, spaces = state["knight"], rules["spaces"][:, None]
    yield "a knight stands on no space", (seated & (knight >= spaces)).any(1)
    yield "a seat that nobody has has a knight", (~seated & (knight != NONE)).any(1)
    dragons = state["dragons"]
    used = np.arange(MAX_STARTS) < rules["dragons"][:, None]
    yield "a dragon stands on no space", (used & (dragons >= spaces)).any(1)
    yield "a dragon is too many", (~used & (dragons != NONE)).any(1)
    unsorted = np.diff(dragons.astype(np.int64)) <= 0
    yield "the dragons are not sorted, or share a space", (unsorted & used[:, 1:]).any(1)
    closed, gaps, lairs = (
        unpacked(words, MAX_SPACES) for words in (state["closed"], rules["gaps"], rules["lairs"])
    )
    stood = (dragons[:, :, None] == np.arange(MAX_SPACES)).any(1)
    yield "a dragon is neither on green nor in a stronghold (clause 5.4)", (stood & ~lairs).any(1)
    yield (
        "a space is closed by nothing, or open under a dragon (clause 6.3)",
        ((closed & ~gaps) != stood).any(1),
    )
    bridges = (gaps & ~closed).sum(1) + state["bridges"]
    yield "the bridges do not add up (clause 1.1)", bridges != rules["bridges"]
    opened = state["opened"] > 0
    sites = np.where(opened, rules["all_sites"], rules["early"])
    yield "a rainbow lies on a site that is not open (clause 5.2)", (state["laid"] & ~sites) != 0
    rainbows = unpacked(state["laid"][:, None], 64).sum(1) + state["rainbows"]
    yield "the rainbows do not add up (clause 1.1)", rainbows != rules["rainbows"]
    standing = knight[:, :, None] == np.arange(MAX_SPACES)
    yield "a knight stands where it is closed (clause 6.3)", (standing.any(1) & closed).any(1)
    shared = standing.sum(1) > 1
    shared[np.arange(len(state)), rules["castle"]] = False
    duel = state["step"] == DUEL
    yield "two knights stand on one space (clause 8.1)", shared.sum(1) > duel


def _knowledge(game: RupeDeiDraghi, state: State) -> Faults:
    """Princesses, looks, armour, doubling."""
    rules = game.tables[state["map"]]
    forts = rules["forts"][:, None]
    rows, places = np.arange(len(state)), np.arange(MAX_STARTS)
    used = places < forts
    princess = state["princess"]
    yield "a stronghold has no princess (clause 3.2)", (used & (princess >= forts)).any(1)
    yield "a princess has no stronghold", (~used & (princess != NONE)).any(1)
    alike = np.sort(np.where(used, princess, NONE - places), 1)
    yield "a princess is in two strongholds (clause 3.2)", (np.diff(alike) == 0).any(1)
    seated = state["players"][:, None] > _SEATS
    looks = (state["looks"][:, :, None] >> places & 1) != 0
    yield (
        "a look into no stronghold, or by nobody",
        (looks & ~(used[:, None] & seated[:, :, None])).any((1, 2)),
    )
    colours = _SEATS * (forts // state["players"][:, None])
    own = princess[:, None] == colours[:, :, None]
    yield "a look at the own princess was in vain (clause 10.3)", (looks & own).any((1, 2))
    armour, looked = state["armour"], state["looks"] > 0
    yield "armour is there or not", (armour > seated).any(1)
    yield "a look without armour (clause 10.1)", (looked & (armour == 0)).any(1)
    yield "doubling comes by a look in vain (clause 10.4)", (state["doubles"] != looked).any(1)
    yield "sites open by a look in vain (clause 10.5)", state["opened"] != looked.any(1)
    knight = np.where(seated, state["knight"], 0)
    deep = unpacked(rules["deep"], MAX_SPACES)[rows[:, None], knight]
    yield (
        "castle and strongholds take armour (clauses 7.2, 10.1)",
        (seated & deep & (armour == 0)).any(1),
    )
    won = state["end"] == WON
    fort = rules["fort_of"][rows, knight[rows, state["seat"]]]
    inside = np.where(fort == NONE, 0, fort)
    found = (fort != NONE) & (princess[rows, inside] == colours[rows, state["seat"]])
    yield "a game is won in the stronghold of the own princess (clause 11.1)", won & ~found


def _moment(game: RupeDeiDraghi, state: State) -> Faults:
    """What belongs to single steps of a turn."""
    rules, rows = game.tables[state["map"]], np.arange(len(state))
    step, seat, rival = state["step"], state["seat"], state["rival"]
    moving, points = step == MOVE, (state["card"] >= POINTS) & (state["card"] < CARD_KINDS)
    card_fits = np.where(moving, points, state["card"] == NONE)
    yield "a card in use belongs to a move (clause 14.2)", ~card_fits
    sent = np.isin(step, (CLOUD_TO, DUEL, SPOILS))
    named = (rival < state["players"]) & (rival != seat)
    yield "a rival is named by some steps alone", np.where(sent, ~named, rival != NONE)
    other = np.where(sent, rival, 0)
    knight = state["knight"]
    duel = (step == DUEL) & (knight[rows, seat] != knight[rows, other])
    yield "a duel is on one space (clause 8.1)", duel
    most = np.where(step == ROBBERY, rules["rob"], np.where(step == SPOILS, rules["spoils"], 1))
    yield "more cards were taken than may be (clauses 4.5, 8.4)", state["taken"] >= most
    yield (
        "a plundered rival has no cards (clause 8.4)",
        ((step == SPOILS) & (state["hand_size"][rows, other] == 0)),
    )
    yield (
        "an empty hand ends the turn (clause 4.3)",
        ((step == MAGIC) & (state["hand_size"][rows, seat] == 0)),
    )
    magic = (step >= MAGIC) & (step <= CLOUD_TO)
    yield "a top discard is fresh in a magic step alone (clause 4.6)", state["fresh"] > magic
    crossing = np.isin(step, (DUEL, SPOILS, CROSSED))
    crossed = state["crossed"]
    yield "rainbows are crossed by a move alone (clause 6.7)", (crossed != 0) & ~crossing
    yield "a crossed rainbow does not lie there (clause 6.7)", (crossed & ~state["laid"]) != 0
    yield "no rainbow was crossed (clause 6.7)", (step == CROSSED) & (crossed == 0)
    yield "what is moved does not belong to the step", ~_picked_fits(rules, state)
    yield from _steps(game, state)


def _picked_fits(rules: Rows, state: State) -> Rows:
    """Whether what was picked to be moved is there."""
    step, picked = state["step"], state["picked"].astype(np.int64)
    rows, beside = np.arange(len(state)), picked == BESIDE_BOARD
    place = np.minimum(picked, MAX_SPACES - 1)
    site = np.minimum(picked, 63)
    closed = unpacked(state["closed"], MAX_SPACES)[rows, place]
    gap = unpacked(rules["gaps"], MAX_SPACES)[rows, place]
    free = (state["knight"] != place[:, None]).all(1)
    laid = (picked < 64) & unpacked(state["laid"][:, None], 64)[rows, site]
    return np.select(
        [step == RAINBOW_TO, step == BRIDGE_TO, step == DRAGON_TO, step == CROSSED_TO],
        [
            np.where(beside, state["rainbows"] > 0, laid),
            np.where(beside, state["bridges"] > 0, (picked == place) & gap & ~closed & free),
            (picked == place) & closed & ~gap,
            laid,
        ],
        picked == NONE,
    )


def _steps(game: RupeDeiDraghi, state: State) -> Faults:
    """The steps that are still needed, by which `progress` pays."""
    rules, rows = game.tables[state["map"]], np.arange(len(state))
    seated = state["players"][:, None] > _SEATS
    looks = (state["looks"][:, :, None] >> np.arange(MAX_STARTS) & 1) != 0
    needed = np.zeros((len(state), MAX_PLAYERS), np.int64)
    for seat in _SEATS:
        space = np.where(seated[:, seat], state["knight"][:, seat], 0)
        armed = state["armour"][:, seat] > 0
        first = np.where(armed, 0, rules["castle_steps"][rows, space].astype(np.int64))
        origin = np.where(armed, space, rules["castle"])
        forts = np.where(looks[:, seat], FAR, rules["fort_steps"][rows, origin])
        needed[:, seat] = first + forts.min(1)
    needed[~seated | (state["end"] == WON)[:, None]] = 0
    yield "the steps still needed are miscounted", (state["steps"] != needed).any(1)
    most = np.where(seated, 2 * FAR, 0)
    yield "the steps needed before are too many", (state["before"] > most).any(1)


def _answers(game: RupeDeiDraghi, state: State) -> Faults:
    """Destinations are those of the card, and every step has an answer (clause 14.4)."""
    rows = np.arange(len(state))
    targets = state["targets"].any(1) & (state["card"] == NONE)
    yield "destinations belong to a move", targets
    yield (
        "the destinations are not those of the card (clause 6.1)",
        (rows == find_mistargeted(state, game.tables)),
    )
    legal = game.legal(state)
    first = np.where(legal.counts > 0, legal.actions[:, 0].astype(np.int64), -1)
    stuck = int(game.loops.find_illegal(state, first, game._shared))
    yield "a step has no answer (clause 14.4)", rows == stuck
