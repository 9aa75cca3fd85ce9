"""What a seat sees, written into one flat vector (9.1, `observation.layout`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, lowest, size
from drago_env.core.compiled import inlined
from drago_env.dragon_delta.kernel.knowledge import revealed
from drago_env.dragon_delta.kernel.result import distance
from drago_env.dragon_delta.map import MAX_LINKS, MAX_PLANKS, MAX_VILLAGES
from drago_env.dragon_delta.observation import (
    CARD_COLUMNS,
    FARTHEST,
    PAWN_COLUMNS,
    PLANK_CODE,
    SHORT,
    STARTS,
)
from drago_env.dragon_delta.rules import MAX_KINDS
from drago_env.dragon_delta.state import EMPTY, NOWHERE, OVER, PROGRAM, RESERVE, VILLAGE

(
    STEP,
    TURN,
    MARKER,
    SLOT,
    PLAYERS,
    FLAGS,
    ROUNDS_LEFT,
    STONES_LEFT,
    LEFT,
    CHOSEN,
    ORIGIN,
    LAID,
    CANCELLED,
    CARDS,
    HOME,
    GOAL,
    PAWNS,
    RESERVES,
    LOST,
    LINKS,
    _,
) = STARTS


@inlined
def _write(out: Any, at: Any, number: Any, scale: Any) -> None:
    out[at] = np.int8(number) * scale[at]


@inlined
def _seen_from(seat: Any, who: Any, players: Any) -> Any:
    """A seat from the observer on."""
    return who - seat if who >= seat else who - seat + players


@inlined
def _write_place(place: Any, view: Any, rules: Any, at: Any, scale: Any, out: Any) -> None:
    """A place as its nodes from 1, the smaller first, or its village and 0; turned."""
    nodes = rules["seen_node"][view]
    if place >= VILLAGE:
        node = np.int64(nodes[rules["islets"] + place - VILLAGE])
        _write(out, at, node + 1, scale)
        return
    a, b = np.int64(nodes[rules["end"][place, 0]]), np.int64(nodes[rules["end"][place, 1]])
    _write(out, at, min(a, b) + 1, scale)
    _write(out, at + 1, max(a, b) + 1, scale)


@inlined
def _write_pawn(game: Any, who: Any, k: Any, view: Any, rules: Any, scale: Any, out: Any) -> None:
    """A player's pawn, home and goal; `k` is their seat from the observer on."""
    players, islets = np.int64(game["players"]), np.int64(rules["islets"])
    nodes = rules["seen_node"][view]
    home, goal = rules["home"][players, who], rules["goal"][players, who]
    _write(out, HOME + k, np.int64(nodes[islets + home]) - islets + 1, scale)
    _write(out, GOAL + k, np.int64(nodes[islets + goal]) - islets + 1, scale)
    at = PAWNS + PAWN_COLUMNS * k
    place = np.int64(game["pawn"][who])
    if place >= VILLAGE:
        out[at + np.int64(nodes[islets + place - VILLAGE]) - islets] = 1
    _write_place(place, view, rules, at + MAX_VILLAGES, scale, out)
    _write(out, at + MAX_VILLAGES + 2, min(distance(game, who, rules), FARTHEST), scale)


@inlined
def _write_cards(game: Any, who: Any, k: Any, count: Any, rules: Any, scale: Any, out: Any) -> None:
    """The cards of a player that the observer knows: the first `count` of those laid."""
    players = np.int64(game["players"])
    at = CARDS + CARD_COLUMNS * k
    laid: Any = 0
    for slot in range(np.int64(rules["slots"])):
        card = np.int64(game["program"][who, slot])
        if card == EMPTY:
            break
        laid += 1
        if slot < count:
            if card >= MAX_KINDS:
                against = k + card - MAX_KINDS + 1
                card = MAX_KINDS + (against - players if against >= players else against)
            _write(out, at + card, slot + 1, scale)
    _write(out, LAID + k, laid, scale)


@inlined
def _write_planks(game: Any, seat: Any, view: Any, rules: Any, scale: Any, out: Any) -> None:
    """Planks on links, in reserves and lost, by their colour from the observer on."""
    players = np.int64(game["players"])
    for colour in range(players):
        k = _seen_from(seat, colour, players)
        lost: Any = 0
        for i in range(np.int64(rules["planks"])):
            place = np.int64(game["plank"][colour, i])
            if place < MAX_LINKS:
                at = LINKS + np.int64(rules["seen_link"][view, place])
                _write(out, at, PLANK_CODE + i + 8 * k, scale)
            elif place == NOWHERE:
                lost += 1
            else:
                holder = place - RESERVE
                near = _seen_from(seat, holder, players)
                _write(out, RESERVES + MAX_PLANKS * near + i, k + 1, scale)
        _write(out, LOST + k, lost, scale)
    for who in range(players):
        place = game["pawn"][who]
        if place < MAX_LINKS:
            at = LINKS + np.int64(rules["seen_link"][view, place])
            out[at] = -out[at]


@inlined
def _write_stones(game: Any, view: Any, rules: Any, out: Any) -> None:
    first = LINKS + np.int64(rules["links"])
    stones = game["stones"]
    while stones != ZERO:
        out[first + np.int64(rules["seen_node"][view, lowest(stones)])] = 1
        stones &= stones - ONE


@inlined
def _write_round(game: Any, view: Any, rules: Any, scale: Any, out: Any) -> None:
    if game["step"] != OVER:
        out[STEP + np.int64(game["step"])] = 1
    if game["step"] != PROGRAM:
        out[SLOT + np.int64(game["slot"])] = 1
    out[PLAYERS + np.int64(game["players"]) - 2] = 1
    out[FLAGS] = game["move2_village"]
    out[FLAGS + 1] = game["long_planks"]
    rounds = np.int64(rules["max_rounds"]) - np.int64(game["round"])
    _write(out, ROUNDS_LEFT, min(rounds, SHORT), scale)
    stones = np.int64(rules["stones"]) - size(game["stones"])
    _write(out, STONES_LEFT, min(stones, SHORT), scale)
    _write(out, LEFT, game["left"], scale)
    if game["chosen"] > 0:
        out[CHOSEN + np.int64(game["chosen"]) - 1] = 1
    if game["origin"] != NOWHERE:
        _write_place(np.int64(game["origin"]), view, rules, ORIGIN, scale, out)


@inlined
def observe(game: Any, seat: Any, rules: Any, scale: Any, out: Any) -> None:
    """One seat's knowledge: all that is public, and its own cards."""
    for i in range(out.shape[0]):
        out[i] = 0
    players, slots = np.int64(game["players"]), np.int64(rules["slots"])
    seat = np.int64(seat)
    view = np.int64(rules["home"][players, seat])
    _write_round(game, view, rules, scale, out)
    if game["step"] != OVER:
        out[TURN + _seen_from(seat, np.int64(game["seat"]), players)] = 1
    out[MARKER + _seen_from(seat, np.int64(game["first"]), players)] = 1
    open_slots = revealed(game)
    who: Any = seat
    for k in range(players):
        _write_cards(game, who, k, open_slots if k > 0 else slots, rules, scale, out)
        _write_pawn(game, who, k, view, rules, scale, out)
        if open_slots > 0:
            card = np.int64(game["program"][who, open_slots - 1])
            if card >= MAX_KINDS:  # 5.3
                against = k + card - MAX_KINDS + 1
                out[CANCELLED + (against - players if against >= players else against)] = 1
        who = 0 if who + 1 == players else who + 1
    _write_planks(game, seat, view, rules, scale, out)
    _write_stones(game, view, rules, out)
