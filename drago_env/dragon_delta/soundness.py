"""Whether a state can have come from the rules, as a list of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.kernel.play import CARD_LEFT, FIRST_STEP
from drago_env.dragon_delta.map import LINK_WORDS, MAX_LINKS, MAX_NODES, MAX_PLANKS
from drago_env.dragon_delta.rules import MAX_KINDS, MAX_PLAYERS, MAX_SLOTS
from drago_env.dragon_delta.state import (
    CUT_OFF,
    EMPTY,
    FIRST,
    LINK,
    MOVE,
    NOWHERE,
    OVER,
    PLANK,
    PROGRAM,
    RESERVE,
    RUNNING,
    SECOND,
    STONE,
    VILLAGE,
    WON,
)
from drago_env.game import Faults, State

_SEATS = np.arange(MAX_PLAYERS)
_ALL_PLANKS = MAX_PLAYERS * MAX_PLANKS


def faults(game: DragonDelta, state: State) -> Faults:
    """Pairs of a fault in words and the rows that have it; later ones trust earlier ones."""
    yield from _numbers(game, state)
    lines = game.tables[state["map"]]
    yield from _programs(game, state)
    yield from _planks(game, state, lines)
    yield from _links(state, lines)
    yield from _pawns(game, state, lines)
    yield from _ends(game, state, lines)
    yield from _steps(game, state)
    none = game.legal(state).counts == 0
    yield "there is nothing to decide (clause 11.3)", none & (state["step"] != OVER)


def _numbers(game: DragonDelta, state: State) -> Faults:
    """The fields by themselves."""
    rules, players = game.rules[0], state["players"].astype(np.int64)
    yield "no such map", state["map"] >= len(game.maps)
    counts = np.zeros((len(game.maps), 256), bool)
    for number, board in enumerate(game.maps):
        counts[number, list(board.player_counts)] = True
    yield "the map has no seats for so many players (clause 12.2)", ~counts[state["map"], players]
    for flag in ("move2_village", "long_planks"):
        yield f"{flag} is neither 0 nor 1", state[flag] > 1
    yield "no such step", state["step"] > OVER
    yield "no such end", state["end"] > CUT_OFF
    over = state["step"] == OVER
    yield "the step and the end do not agree", over != (state["end"] != RUNNING)
    yield "no such seat", (state["seat"] >= players) | (state["first"] >= players)
    wrong = (state["round"] < 1) | (state["round"] > rules.max_rounds)
    yield f"rounds run from 1 to {rules.max_rounds} (clause 8.3)", wrong
    programming = state["step"] == PROGRAM
    yield "no such slot", state["slot"] >= np.where(programming, 1, rules.slots)
    yield "spare bytes are not zero", state["spare"].any(1)


def _programs(game: DragonDelta, state: State) -> Faults:
    """The cards that are laid (4)."""
    rules, players = game.rules[0], state["players"].astype(np.int64)[:, None]
    program = state["program"]
    laid = program != EMPTY
    counts = laid.sum(2)
    gap = laid[:, :, 1:] & ~laid[:, :, :-1]
    yield "a card is laid after an empty slot (clause 4.3)", gap.any((1, 2))
    first, seat = state["first"].astype(np.int64)[:, None], state["seat"].astype(np.int64)[:, None]
    place, own = (_SEATS - first) % players, (seat - first) % players
    programming = (state["step"] == PROGRAM)[:, None]
    due = np.where(~programming | (place < own), rules.slots, 0)
    right = np.where(programming & (place == own), counts < rules.slots, counts == due)
    right = np.where(players > _SEATS, right, counts == 0)
    yield "so many cards cannot be laid (clauses 4.1 and 4.3)", ~right.all(1)
    known = np.zeros(256, bool)
    known[list(rules.kinds)] = True
    dragon = laid & (program >= MAX_KINDS)
    there = known[program] | (dragon & (program < MAX_KINDS + players[..., None] - 1))
    yield "a card does not exist (clause 2.3)", (laid & ~there).any((1, 2))
    alone = np.where(laid, program, 256 + np.arange(MAX_SLOTS))
    twice = (np.diff(np.sort(alone, 2), axis=2) == 0).any((1, 2))
    yield "a card is laid twice (clause 4.2)", twice
    yield "a seat has laid two dragons (clause 4.2)", (dragon.sum(2) > 1).any(1)


def _planks(game: DragonDelta, state: State, lines: NDArray[np.void]) -> Faults:
    """Where the planks and stones are."""
    rules, players = game.rules[0], state["players"].astype(np.int64)[:, None, None]
    places = state["plank"].astype(np.int64)
    numbers = np.arange(MAX_PLANKS)
    exists = (_SEATS[:, None] < players) & (numbers < rules.planks)
    yield "a plank does not exist (clause 1.1)", ((places != NOWHERE) & ~exists).any((1, 2))
    on_link = places < lines["links"][:, None, None]
    held = (places >= RESERVE) & (places < RESERVE + players)
    yield "a plank is nowhere", (~on_link & ~held & (places != NOWHERE)).any((1, 2))
    holder = np.where(held, places - RESERVE, -1)
    for seat in range(MAX_PLAYERS):
        own = holder == seat
        yield "a reserve holds two planks of one number (clause 6.5)", (own.sum(1) > 1).any(1)
        yield "a reserve holds three colours (clause 6.5)", own.any(2).sum(1) > 2
    spot = np.where(on_link, places, MAX_LINKS + np.arange(_ALL_PLANKS).reshape(places.shape[1:]))
    flat = np.sort(spot.reshape(len(state), _ALL_PLANKS), 1)
    yield "two planks lie on one link (clause 6.3)", (np.diff(flat, axis=1) == 0).any(1)
    every = np.arange(len(state))[:, None, None]
    link = np.where(on_link, places, 0)
    fits = lines["fits"][every, state["long_planks"][:, None, None], numbers, link >> 6]
    good = (fits >> (link & 63).astype(np.uint64)) & np.uint64(1) == 1
    yield "a plank lies where it does not fit (clause 6.3)", (on_link & ~good).any((1, 2))
    stones = np.bitwise_count(state["stones"])
    yield "there are too many stones (clause 1.1)", stones > rules.stones
    yield "a stone lies beyond the islets", (state["stones"] & ~lines["islets_all"]) != 0


def _links(state: State, lines: NDArray[np.void]) -> Faults:
    """What follows from the planks: words of links and nodes, crossings, supports (6.3)."""
    n = len(state)
    laid, crossed = np.zeros((n, LINK_WORDS), np.uint64), np.zeros((n, LINK_WORDS), np.uint64)
    bears, resting = np.zeros((n, MAX_NODES), np.int64), np.zeros(n, np.uint64)
    crossing = np.zeros(n, bool)
    for rows, link in _lying(state):
        near = lines["cross"][rows, link].copy()
        crossed[rows] |= near
        bit = np.uint64(1) << (link & 63).astype(np.uint64)
        crossing[rows] |= (near & laid[rows]).any(1)
        laid[rows, link >> 6] |= bit
        resting[rows] |= lines["ends"][rows, link]
        for end in range(2):
            bears[rows, lines["end"][rows, link, end]] += 1
    yield "the links with planks are miscounted", (state["laid"] != laid).any(1)
    yield "the blocked links are miscounted", (state["blocked"] != crossed).any(1)
    yield "two planks cross (clause 6.3)", crossing
    ground = state["stones"] | lines["villages_all"]
    yield "a plank rests on no stone (clause 6.3)", (resting & ~ground) != 0
    limit = lines["support"].astype(np.int64)[:, None]
    yield "a stone or beach bears too many planks (clause 6.3)", (bears > limit).any(1)
    powers = np.uint64(1) << np.arange(MAX_NODES, dtype=np.uint64)
    full = np.where(bears >= limit, powers, np.uint64(0)).sum(1, dtype=np.uint64)
    yield "the full stones and beaches are miscounted", state["full"] != full


def _lying(state: State) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each plank the rows in which it lies on the map, and its links there."""
    places = state["plank"].reshape(len(state), _ALL_PLANKS).astype(np.int64)
    for plank in range(_ALL_PLANKS):
        rows = np.flatnonzero(places[:, plank] < MAX_LINKS)
        if len(rows):
            yield rows, places[rows, plank]


def _on_plank(state: State, place: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether there is a plank at a place, for one place a row."""
    link = np.where(place < MAX_LINKS, place, 0)
    words = state["laid"][np.arange(len(state)), link >> 6]
    lies = (words >> (link & 63).astype(np.uint64)) & np.uint64(1) == 1
    return np.asarray(lies & (place < MAX_LINKS))


def _is_village(place: NDArray[np.int64], lines: NDArray[np.void]) -> NDArray[np.bool_]:
    return np.asarray((place >= VILLAGE) & (place < VILLAGE + lines["villages"].astype(np.int64)))


def _pawns(game: DragonDelta, state: State, lines: NDArray[np.void]) -> Faults:
    """Where the pawns stand (6.6)."""
    pawns, players = state["pawn"].astype(np.int64), state["players"].astype(np.int64)
    for seat in range(MAX_PLAYERS):
        sits, place = seat < players, pawns[:, seat]
        yield "a seat that nobody has has a pawn", ~sits & (place != NOWHERE)
        somewhere = _on_plank(state, place) | _is_village(place, lines)
        yield "a pawn stands on no plank and in no village (clause 6.6)", sits & ~somewhere
    alone = np.sort(np.where(pawns < MAX_LINKS, pawns, MAX_LINKS + _SEATS), 1)
    yield "two pawns stand on one plank (clause 6.6)", (np.diff(alone, axis=1) == 0).any(1)


def _ends(game: DragonDelta, state: State, lines: NDArray[np.void]) -> Faults:
    """Who is at their goal (8)."""
    every, rules = np.arange(len(state)), game.rules[0]
    goals = lines["goal"][every, state["players"]].astype(np.int64)
    seated = state["players"][:, None] > _SEATS
    arrived = seated & (state["pawn"] == VILLAGE + goals)
    won = state["end"] == WON
    right = np.where(won, arrived[every, state["seat"]] & (arrived.sum(1) == 1), ~arrived.any(1))
    yield "a pawn in its goal, and only that, wins (clause 8.1)", ~right
    last = (state["round"] == rules.max_rounds) & (state["slot"] == rules.slots - 1)
    cut = state["end"] == CUT_OFF
    yield "it was cut off before the end of the last round (clause 8.3)", cut & ~last


def _steps(game: DragonDelta, state: State) -> Faults:
    """The step of a card, and what belongs to it (11.2)."""
    every, step = np.arange(len(state)), state["step"].astype(np.int64)
    seat, slot = state["seat"].astype(np.int64), state["slot"].astype(np.int64)
    playing = (step != PROGRAM) & (state["end"] != CUT_OFF)
    card = state["program"][every, seat, slot].astype(np.int64)
    action = playing & (card < MAX_KINDS)
    yield "a dragon has no step of its own (clause 6.9)", playing & ~action
    kind = np.where(action, card, 0)
    begins = FIRST_STEP[kind].astype(np.int64)
    later = ((step == LINK) & (begins == PLANK)) | ((step == SECOND) & (begins == FIRST))
    fits = np.where(step == OVER, begins >= MOVE, (begins == step) | later)
    yield "the step is not one of the card (clause 11.2)", action & ~fits
    players = state["players"].astype(np.int64)
    against = (seat[:, None] - _SEATS) % players[:, None] + MAX_KINDS - 1
    shown = state["program"][every[:, None], _SEATS, slot[:, None]]
    hit = ((shown == against) & (players[:, None] > _SEATS) & (seat[:, None] != _SEATS)).any(1)
    yield "the card is cancelled by a dragon (clause 5.3)", playing & hit
    counting = (step >= STONE) & (step <= LINK)
    left = state["left"].astype(np.int64)
    good = np.where(counting, (left >= 1) & (left <= CARD_LEFT[kind]), left == 0)
    yield "so much cannot be left to do (clauses 6.2 and 6.4)", ~good
    yield from _chosen(game, state)
    yield from _origin(game, state)


def _chosen(game: DragonDelta, state: State) -> Faults:
    chosen, laying = state["chosen"].astype(np.int64), state["step"] == LINK
    yield "a plank is chosen at the wrong time (clause 6.3)", laying != (chosen > 0)
    number = np.where((chosen > 0) & (chosen <= MAX_PLANKS), chosen - 1, 0)
    at = state["plank"][np.arange(len(state)), :, number]
    held = (at == RESERVE + state["seat"].astype(np.int64)[:, None]).any(1)
    yield (
        "the chosen plank is not in the reserve (clause 6.3)",
        laying & (~held | (chosen > game.rules[0].planks)),
    )


def _origin(game: DragonDelta, state: State) -> Faults:
    """Where a `move2` began: one step from where the pawn is now (6.7)."""
    every, step = np.arange(len(state)), state["step"]
    origin = state["origin"].astype(np.int64)
    moving = (step == FIRST) | (step == SECOND)
    yield "a move2 began at the wrong time (clause 6.7)", ~moving & (origin != NOWHERE)
    pawn = state["pawn"][every, state["seat"]].astype(np.int64)
    yield "a move2 begins where the pawn stands (clause 6.7)", (step == FIRST) & (origin != pawn)
    lines = game.tables[state["map"]]
    free = _on_plank(state, origin) & ~(state["pawn"] == origin[:, None]).any(1)
    there = free | _is_village(origin, lines)
    half = step == SECOND
    yield "a move2 began nowhere (clause 6.7)", half & ~there
    yield "a move2 began too far away (clause 6.7)", half & ~_next_to(origin, pawn, lines)
    flag = state["move2_village"] == 1
    yield "a move2 stops in a village (clause 6.7)", half & (pawn >= VILLAGE) & ~flag


def _next_to(one: Any, other: Any, lines: NDArray[np.void]) -> NDArray[np.bool_]:
    """Whether there is a step between two places, for one pair a row."""
    every = np.arange(len(lines))
    linked = (one < MAX_LINKS) & (other < MAX_LINKS)
    a, b = np.where(linked, one, 0), np.where(linked, other, 0)
    shared = lines["ends"][every, a] & lines["ends"][every, b] & lines["islets_all"]
    beside = linked & (a != b) & (shared != 0)
    for link, village in ((one, other), (other, one)):
        pair = (link < MAX_LINKS) & _is_village(village, lines)
        node = np.where(pair, lines["islets"] + village - VILLAGE, 0)
        ends = lines["end"][every, np.where(pair, link, 0)]
        beside |= pair & (ends == node[:, None]).any(1)
    return np.asarray(beside)
