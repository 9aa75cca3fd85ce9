"""Setting up (2), a round (3), programming (4), execution (5) and what the cards do (6, 7, 8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ZERO, bit, size
from drago_env.core.compiled import inlined
from drago_env.dragon_delta.kernel.options import any_option
from drago_env.dragon_delta.map import LINK_WORDS, MAX_LINKS, MAX_PLANKS
from drago_env.dragon_delta.rules import MAX_KINDS, MAX_PLAYERS, MAX_SLOTS
from drago_env.dragon_delta.state import (
    CUT_OFF,
    EMPTY,
    FIRST,
    JUMP,
    LINK,
    MOVE,
    NOWHERE,
    OVER,
    PLANK,
    PROGRAM,
    REMOVE,
    RESERVE,
    RUNNING,
    SECOND,
    STONE,
    VILLAGE,
    WON,
)

SEATS = MAX_PLAYERS
# the first step of each card, and how many stones or planks it asks for
FIRST_STEP = np.array([STONE, STONE, PLANK, PLANK, REMOVE, MOVE, FIRST, JUMP], np.uint8)
CARD_LEFT = np.array([1, 2, 1, 2, 0, 0, 0, 0], np.uint8)


@inlined
def rules_of(game: Any, tables: Any) -> Any:
    """The tables of the map of a game."""
    return tables[game["map"]]


# ---------------------------------------------------------------- set-up (2)


@inlined
def deal(game: Any, seed: Any, rules: Any) -> None:
    """Sets up a new game in a record whose players, flags and map are set; there is no chance."""
    players, planks = np.int64(game["players"]), np.int64(rules["planks"])
    for seat in range(SEATS):
        sits = seat < players
        home = VILLAGE + rules["home"][players, seat]
        game["pawn"][seat] = home if sits else NOWHERE  # 2.3
        for i in range(MAX_PLANKS):
            game["plank"][seat, i] = RESERVE + seat if sits and i < planks else NOWHERE
    game["stones"] = ZERO
    game["full"] = ZERO
    for word in range(LINK_WORDS):
        game["laid"][word] = ZERO
        game["blocked"][word] = ZERO
    game["end"] = RUNNING
    game["left"] = 0
    game["chosen"] = 0
    game["origin"] = NOWHERE
    for i in range(3):
        game["spare"][i] = 0
    game["first"] = 0  # 2.4
    game["round"] = 1
    _begin_round(game)


@inlined
def _begin_round(game: Any) -> None:
    """All cards are in the hands; the seat with the marker programs first (3.2, 4.3)."""
    for seat in range(SEATS):
        for slot in range(MAX_SLOTS):
            game["program"][seat, slot] = EMPTY
    game["slot"] = 0
    game["step"] = PROGRAM
    game["seat"] = game["first"]


# ---------------------------------------------------------------- whose turn it is (3 to 5)


@inlined
def after(seat: Any, game: Any) -> Any:
    """The seat to the left."""
    return 0 if seat + 1 == game["players"] else seat + 1


@inlined
def cancelled(game: Any, seat: Any, slot: Any) -> Any:
    """Whether a dragon of the slot is against the seat (5.3)."""
    players = np.int64(game["players"])
    found = False
    for other in range(players):
        places = seat - other if seat > other else seat - other + players
        found |= game["program"][other, slot] == MAX_KINDS - 1 + places
    return found


@inlined
def _cut_off(game: Any, mover: Any) -> None:
    game["step"] = OVER
    game["end"] = CUT_OFF
    game["seat"] = mover


@inlined
def _win(game: Any) -> None:
    """The game ends at once (8.1)."""
    game["step"] = OVER
    game["end"] = WON
    game["origin"] = NOWHERE


@inlined
def _fall(game: Any, seat: Any, rules: Any) -> None:
    """Back home (7.1)."""
    game["pawn"][seat] = VILLAGE + rules["home"][game["players"], seat]


@inlined
def _begins(game: Any, seat: Any, rules: Any) -> Any:
    """Begins the seat's card of the slot; False where it asks for no decision (11.3)."""
    card = game["program"][seat, game["slot"]]
    if card >= MAX_KINDS or cancelled(game, seat, game["slot"]):
        return False
    game["seat"] = seat
    game["step"] = FIRST_STEP[card]
    if any_option(game, rules):
        game["left"] = CARD_LEFT[card]
        if game["step"] == FIRST:
            game["origin"] = game["pawn"][seat]
        return True
    if game["step"] >= MOVE:
        _fall(game, seat, rules)
    return False


@inlined
def _end_round(game: Any, mover: Any, rules: Any) -> None:
    """The cards return, the marker passes to the left (3.2), or the game is cut off (8.3)."""
    if game["round"] >= rules["max_rounds"]:
        _cut_off(game, mover)
        return
    game["round"] += 1
    game["first"] = after(game["first"], game)
    _begin_round(game)


@inlined
def _run(game: Any, fresh: Any, mover: Any, rules: Any) -> None:
    """Carries cards out until there is something to decide (5.2).

    It starts with the card of the seat on turn if that is still fresh, else with the next one.
    """
    seat: Any = np.int64(game["seat"])
    game["left"] = 0
    while not fresh or not _begins(game, seat, rules):
        fresh = True
        seat = np.int64(after(seat, game))
        if seat == game["first"]:
            if game["slot"] + 1 >= rules["slots"]:
                _end_round(game, mover, rules)
                return
            game["slot"] += 1


@inlined
def _program(game: Any, card: Any, rules: Any) -> Any:
    """Lays a card (4.1); True when the last seat has laid its last one."""
    seat = np.int64(game["seat"])
    slot = 0
    while game["program"][seat, slot] != EMPTY:
        slot += 1
    game["program"][seat, slot] = card
    if slot + 1 < rules["slots"]:
        return False
    game["seat"] = after(seat, game)
    return game["seat"] == game["first"]


# ---------------------------------------------------------------- planks and stones (6.1 to 6.5)


@inlined
def colour_of(game: Any, seat: Any, number: Any) -> Any:
    """The colour of the plank with a number in a reserve: there is at most one (6.5)."""
    found: Any = 0
    for colour in range(np.int64(game["players"])):
        if game["plank"][colour, number - 1] == RESERVE + seat:
            found = colour
    return found


@inlined
def _lay(game: Any, link: Any, rules: Any) -> None:
    for word in range(LINK_WORDS):
        game["blocked"][word] |= rules["cross"][link, word]
    game["laid"][link >> 6] |= bit(link & 63)
    for i in range(2):
        node = rules["end"][link, i]
        bears = 0
        for word in range(LINK_WORDS):
            bears += size(game["laid"][word] & rules["resting"][node, word])
        if bears >= rules["support"]:
            game["full"] |= bit(node)


@inlined
def _take(game: Any, link: Any, seat: Any, rules: Any) -> None:
    """Takes the plank of a link into a reserve."""
    game["laid"][link >> 6] &= ~bit(link & 63)
    game["full"] &= ~rules["ends"][link]
    for word in range(LINK_WORDS):
        game["blocked"][word] = ZERO
    for colour in range(np.int64(game["players"])):
        for i in range(np.int64(rules["planks"])):
            place = np.int64(game["plank"][colour, i])
            if place == link:
                game["plank"][colour, i] = RESERVE + seat
            elif place < MAX_LINKS:
                for word in range(LINK_WORDS):
                    game["blocked"][word] |= rules["cross"][place, word]


@inlined
def _plank_done(game: Any, rules: Any) -> Any:
    """After a plank lies or is lost; True when the card is done (6.4)."""
    game["chosen"] = 0
    game["left"] -= 1
    game["step"] = PLANK
    return game["left"] == 0 or not any_option(game, rules)


@inlined
def _choose(game: Any, number: Any, rules: Any) -> Any:
    """Chooses a plank; without a link for it, it is lost (6.3). True when the card is done."""
    seat = np.int64(game["seat"])
    game["chosen"] = number
    game["step"] = LINK
    if any_option(game, rules):
        return False
    game["plank"][colour_of(game, seat, number), number - 1] = NOWHERE
    return _plank_done(game, rules)


@inlined
def _lay_chosen(game: Any, link: Any, rules: Any) -> Any:
    seat, number = np.int64(game["seat"]), np.int64(game["chosen"])
    game["plank"][colour_of(game, seat, number), number - 1] = link
    _lay(game, link, rules)
    return _plank_done(game, rules)


@inlined
def _put_stone(game: Any, islet: Any, rules: Any) -> Any:
    game["stones"] |= bit(islet)
    game["left"] -= 1
    return game["left"] == 0 or not any_option(game, rules)


# ---------------------------------------------------------------- one decision


@inlined
def _move(game: Any, place: Any, rules: Any) -> Any:
    """Moves the pawn (6.6 to 6.8); True when the card is done."""
    seat, step = np.int64(game["seat"]), game["step"]
    game["pawn"][seat] = place
    if place == VILLAGE + rules["goal"][game["players"], seat]:
        _win(game)
        return False
    if step == FIRST:
        game["step"] = SECOND
        return False
    game["origin"] = NOWHERE
    return True


@inlined
def _act(game: Any, action: Any, rules: Any) -> Any:
    """One decision in a step of a card; True when the card is done."""
    step = game["step"]
    if step == STONE:
        return _put_stone(game, action - np.int64(rules["first_islet"]), rules)
    if step == PLANK:
        return _choose(game, action - np.int64(rules["first_plank"]) + 1, rules)
    link = action - np.int64(rules["first_link"])
    if step == LINK:
        return _lay_chosen(game, link, rules)
    if step == REMOVE:
        if link >= 0:
            _take(game, link, np.int64(game["seat"]), rules)
        else:
            game["stones"] &= ~bit(action - np.int64(rules["first_islet"]))
        return True
    village = action - np.int64(rules["first_village"])
    return _move(game, VILLAGE + village if village >= 0 else link, rules)


@inlined
def apply(game: Any, action: Any, rules: Any, points: Any) -> None:
    """One decision, and all that follows without one (11.3); there are no points (8.2)."""
    for seat in range(SEATS):
        points[seat] = 0
    mover = np.int64(game["seat"])
    programs = game["step"] == PROGRAM
    on = _program(game, action, rules) if programs else _act(game, action, rules)
    if on:
        _run(game, programs, mover, rules)
