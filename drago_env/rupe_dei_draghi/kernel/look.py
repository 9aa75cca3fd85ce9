"""The observation (clause 12) as numbers; `observation.py` names its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, has, lowest
from drago_env.core.compiled import compiled, inlined
from drago_env.core.layout import starts
from drago_env.rupe_dei_draghi.kernel.deal import colour_of
from drago_env.rupe_dei_draghi.kernel.knowledge import allowed_forts, spent, unseen
from drago_env.rupe_dei_draghi.observation import (
    BRIDGES_AT,
    COLOUR_AT,
    DRAGONS_AT,
    FIXED,
    KNIGHT_AT,
    LOOKS_AT,
    MOST,
    PRINCESS_AT,
    RAINBOWS_AT,
    RIVALS_AT,
    STEPS_AT,
)
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, NONE
from drago_env.rupe_dei_draghi.state import (
    BRIDGE_TO,
    CROSSED_TO,
    DRAGON_TO,
    RAINBOW_TO,
    RUNNING,
)

_HAND, _UNSEEN, _SPENT, _TOP, _MARKS, _EXPOSED, _HAND_SIZE, _DECK, _PILE, *_REST = starts(FIXED)
_ARMOUR, _DOUBLES, _IN_CASTLE, _OPENED, _TURN, _STEP, _CARD, _FRESH, _TAKEN, *_MORE = _REST
_RIVAL, _RAINBOWS, _BRIDGES, _TURNS, _PLAYERS, _UNDER, _STOP, _CASTLE_STEPS = _MORE


@inlined
def seats_on(game: Any, seat: Any, other: Any) -> Any:
    """How many seats after the observer another one sits."""
    return other - seat if other >= seat else other - seat + np.int64(game["players"])


@inlined
def _cards(game: Any, seat: Any, rules: Any, scale: Any, out: Any) -> None:
    players = np.int64(game["players"])
    size = np.int64(game["pile_size"])
    for kind in range(CARD_KINDS):
        out[_HAND + kind] = game["hand"][seat, kind] * scale[_HAND]
        out[_UNSEEN + kind] = unseen(game, seat, kind) * scale[_UNSEEN]
        out[_SPENT + kind] = spent(game, kind, rules) * scale[_SPENT]
    if size > 0:
        out[_TOP + np.int64(game["pile"][size - 1])] = scale[_TOP]
    for rival in range(players):
        if rival == seat:
            continue
        row = _MARKS + CARD_KINDS * (seats_on(game, seat, rival) - 1)
        for kind in range(CARD_KINDS):
            out[row + kind] = game["marks"][seat, rival, kind] * scale[_MARKS]
            known = game["marks"][rival, seat, kind] * scale[_EXPOSED]
            if known > out[_EXPOSED + kind]:
                out[_EXPOSED + kind] = known


@inlined
def _riders(game: Any, seat: Any, turned: Any, rules: Any, scale: Any, out: Any) -> None:
    forts = np.int64(rules["forts"])
    looks = np.int64(rules["at"][LOOKS_AT])
    steps = np.int64(rules["at"][STEPS_AT])
    for rider in range(np.int64(game["players"])):
        on = seats_on(game, seat, rider)
        space = np.int64(game["knight"][rider])
        out[_HAND_SIZE + on] = game["hand_size"][rider] * scale[_HAND_SIZE]
        out[_ARMOUR + on] = game["armour"][rider] * scale[_ARMOUR]
        out[_DOUBLES + on] = game["doubles"][rider] * scale[_DOUBLES]
        out[_IN_CASTLE + on] = (space == rules["castle"]) * scale[_IN_CASTLE]
        out[_CASTLE_STEPS + on] = rules["castle_steps"][space] * scale[_CASTLE_STEPS]
        for fort in range(forts):
            place = on * forts + np.int64(rules["turn_fort"][turned, fort])
            seen = (np.int64(game["looks"][rider]) >> fort) & 1
            out[looks + place] = seen * scale[looks]
            out[steps + place] = rules["fort_steps"][space, fort] * scale[steps]
        place = np.int64(rules["turn"][turned, space])
        if on == 0:
            knight = np.int64(rules["at"][KNIGHT_AT])
            out[knight + place] = scale[knight]
        else:
            rivals = np.int64(rules["at"][RIVALS_AT])
            if on * scale[rivals] > out[rivals + place]:
                out[rivals + place] = on * scale[rivals]


@inlined
def _pieces(game: Any, turned: Any, rules: Any, scale: Any, out: Any) -> None:
    first = np.int64(rules["at"][DRAGONS_AT])
    picked = np.int64(game["picked"])
    step = game["step"]
    for i in range(np.int64(rules["dragons"])):
        space = np.int64(game["dragons"][i])
        times = 2 if (step == DRAGON_TO) & (space == picked) else 1
        out[first + np.int64(rules["turn"][turned, space])] = times * scale[first]
    first = np.int64(rules["at"][RAINBOWS_AT])
    moved = (step == RAINBOW_TO) | (step == CROSSED_TO)
    laid = game["laid"]
    while laid != ZERO:
        site = lowest(laid)
        laid &= laid - ONE
        times = 2 if moved & (site == picked) else 1
        out[first + np.int64(rules["turn_site"][turned, site])] = times * scale[first]
    first = np.int64(rules["at"][BRIDGES_AT])
    for gap in range(np.int64(rules["gap_count"])):
        space = np.int64(rules["gap"][gap])
        if not has(game["closed"], space):
            times = 2 if (step == BRIDGE_TO) & (space == picked) else 1
            out[first + np.int64(rules["turn_gap"][turned, gap])] = times * scale[first]


@inlined
def _princesses(game: Any, seat: Any, turned: Any, rules: Any, scale: Any, out: Any) -> None:
    forts = np.int64(rules["forts"])
    first = np.int64(rules["at"][PRINCESS_AT])
    for colour in range(forts):
        allowed = allowed_forts(game, seat, colour, rules)
        column = first + np.int64(rules["turn_fort"][turned, colour])
        for fort in range(forts):
            row = forts * np.int64(rules["turn_fort"][turned, fort])
            out[column + row] = ((allowed >> fort) & 1) * scale[first]


@inlined
def _moment(game: Any, seat: Any, rules: Any, scale: Any, out: Any) -> None:
    out[_DECK] = game["deck_size"] * scale[_DECK]
    out[_PILE] = game["pile_size"] * scale[_PILE]
    out[_OPENED] = game["opened"] * scale[_OPENED]
    if game["end"] == RUNNING:
        out[_TURN + seats_on(game, seat, np.int64(game["seat"]))] = scale[_TURN]
        out[_STEP + np.int64(game["step"])] = scale[_STEP]
    if game["card"] != NONE:
        out[_CARD + np.int64(game["card"])] = scale[_CARD]
    out[_FRESH] = game["fresh"] * scale[_FRESH]
    out[_TAKEN] = game["taken"] * scale[_TAKEN]
    rival = np.int64(game["rival"])
    if rival != NONE and rival != seat:
        out[_RIVAL + seats_on(game, seat, rival) - 1] = scale[_RIVAL]
    out[_RAINBOWS] = min(np.int64(game["rainbows"]), MOST) * scale[_RAINBOWS]
    out[_BRIDGES] = min(np.int64(game["bridges"]), MOST) * scale[_BRIDGES]
    left = rules["turn_cap"] - np.int64(game["turns"])
    out[_TURNS] = min(left, MOST) * scale[_TURNS]
    out[_PLAYERS + np.int64(game["players"]) - 2] = scale[_PLAYERS]
    out[_UNDER] = game["under"] * scale[_UNDER]
    out[_STOP] = game["stop"] * scale[_STOP]


@compiled
def observe(game: Any, seat: Any, rules: Any, scale: Any, out: Any) -> None:
    """All that a seat may know, whoever decides."""
    seat = np.int64(seat)
    for i in range(out.shape[0]):
        out[i] = 0
    turned = colour_of(game, seat, rules)
    colour = np.int64(rules["at"][COLOUR_AT])
    out[colour + np.int64(rules["turn_fort"][turned, turned])] = scale[colour]
    _moment(game, seat, rules, scale, out)
    _cards(game, seat, rules, scale, out)
    _riders(game, seat, turned, rules, scale, out)
    _pieces(game, turned, rules, scale, out)
    _princesses(game, seat, turned, rules, scale, out)
