"""Features of a legal action of the seat on turn; `observation.FEATURES` names them."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import has
from drago_env.core.compiled import compiled, inlined
from drago_env.core.layout import starts
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, RIVAL, ROB, SITE, TOP
from drago_env.rupe_dei_draghi.kernel.knowledge import own_forts
from drago_env.rupe_dei_draghi.kernel.look import seats_on
from drago_env.rupe_dei_draghi.kernel.pieces import rival_of
from drago_env.rupe_dei_draghi.kernel.rewards import fort_distance
from drago_env.rupe_dei_draghi.kernel.ways import (
    find_ways,
    on_way,
    rainbow_on_way,
    with_rainbow,
    with_space,
)
from drago_env.rupe_dei_draghi.observation import FEATURES
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, POINTS
from drago_env.rupe_dei_draghi.state import (
    BRIDGE_FROM,
    BRIDGE_TO,
    CLOUD_TO,
    CROSSED,
    CROSSED_TO,
    DRAGON_FROM,
    DRAGON_TO,
    DUEL,
    MAGIC,
    MOVE,
    RAINBOW_FROM,
    RAINBOW_TO,
    ROBBERY,
    SPOILS,
    SWAP,
)

_CARD, _TOP, _RENEW, _ROB, _DONE, _BESIDE, _SITE, _SPACE, _OWN_STEPS, *_REST = starts(FEATURES)
_OWN_GAIN, _OWN_LEFT, _OPENS, _CLOSES, _DUEL, _ARMOUR, _LOOK, _HOPE, _CHANCE, *_MORE = _REST
_RIVAL, _RIVAL_CARDS, _RIVAL_KNOWN, _RIVAL_LEFT, _RIVAL_LEADS, _GAINED, _POINTS_LEFT = _MORE


@compiled
def prepare(game: Any, rules: Any, work: Any) -> None:
    """What all actions have in common: the ways of the seat on turn, of all where pieces move."""
    seat = np.int64(game["seat"])
    step = game["step"]
    alone = (step <= MAGIC) | (step == MOVE) | (step == ROBBERY) | (step == SPOILS)
    for rider in range(np.int64(game["players"])):
        if rider == seat or not alone:
            find_ways(game, rider, rules, work)
    work["hope"] = own_forts(game, seat, rules)


@inlined
def _left(game: Any, seat: Any, space: Any, rules: Any) -> Any:
    """Steps that a seat still needs from a space, if every way were open."""
    steps: Any = 0
    if game["armour"][seat] == 0:
        steps = np.int64(rules["castle_steps"][space])
        space = np.int64(rules["castle"])
    return steps + fort_distance(game, seat, space, rules)


@inlined
def _write_rival(game: Any, rival: Any, scale: Any, out: Any) -> None:
    seat = np.int64(game["seat"])
    known: Any = 0
    for kind in range(CARD_KINDS):
        known += np.int64(game["marks"][seat, rival, kind])
    leads = True
    for other in range(np.int64(game["players"])):
        leads &= (other == seat) | (game["steps"][other] >= game["steps"][rival])
    out[_RIVAL] = scale[_RIVAL]
    out[_RIVAL_CARDS] = game["hand_size"][rival] * scale[_RIVAL_CARDS]
    out[_RIVAL_KNOWN] = known * scale[_RIVAL_KNOWN]
    out[_RIVAL_LEFT] = game["steps"][rival] * scale[_RIVAL_LEFT]
    out[_RIVAL_LEADS] = leads * scale[_RIVAL_LEADS]


@inlined
def _write_words(game: Any, action: Any, rules: Any, scale: Any, out: Any) -> None:
    """What the action says, and what it does to the own hand."""
    seat = np.int64(game["seat"])
    gained: Any = 0
    points: Any = 0
    for kind in range(POINTS, CARD_KINDS):
        points += np.int64(game["hand"][seat, kind])
    if action < CARD_KINDS:
        out[_CARD + action] = scale[_CARD]
        gained = -1
        points -= action >= POINTS
    elif action == TOP:
        top = np.int64(game["pile"][np.int64(game["pile_size"]) - 1])
        out[_CARD + top] = scale[_CARD]
        out[_TOP] = scale[_TOP]
    elif action == RENEW:
        out[_RENEW] = scale[_RENEW]
        gained = np.int64(rules["hand"]) - np.int64(game["hand_size"][seat])
    elif action == ROB:
        out[_ROB] = scale[_ROB]
        gained = np.int64(rules["rob"])
    elif action == DONE:
        out[_DONE] = scale[_DONE]
    elif action == BESIDE:
        out[_BESIDE] = scale[_BESIDE]
    elif action < SITE:
        _write_rival(game, rival_of(game, action, RIVAL), scale, out)
        gained = (game["step"] == ROBBERY) | (game["step"] == SPOILS)
    elif action < SITE + np.int64(rules["sites"]):
        out[_SITE] = scale[_SITE]
    else:
        out[_SPACE] = scale[_SPACE]
    out[_GAINED] = gained * scale[_GAINED]
    out[_POINTS_LEFT] = points * scale[_POINTS_LEFT]


@inlined
def _opened(game: Any, rider: Any, action: Any, space: Any, rules: Any, work: Any) -> Any:
    """Steps of a rider to their goal after the action, as far as it opens a way."""
    step = game["step"]
    now = np.int64(work["now"][rider])
    site = action - SITE
    if action < SITE:
        return now
    if (step == RAINBOW_TO) | (step == CROSSED_TO):
        return with_rainbow(game, rider, site, rules, work)
    if (step == BRIDGE_TO) | (step == DRAGON_FROM):
        return with_space(game, rider, space, rules, work)
    if ((step == CLOUD_TO) | (step == DUEL)) & (rider == game["rival"]):
        return np.int64(work["to_goal"][rider, space])
    return now


@inlined
def _closed(game: Any, rider: Any, action: Any, space: Any, rules: Any, work: Any) -> Any:
    """Whether the action touches a shortest way of a rider."""
    step = game["step"]
    if action < SITE:
        return False
    if (step == RAINBOW_FROM) | (step == CROSSED):
        return rainbow_on_way(game, rider, action - SITE, rules, work)
    if (step == BRIDGE_FROM) | (step == DRAGON_TO):
        return on_way(rider, space, work)
    return False


@inlined
def _write_ways(
    game: Any, action: Any, space: Any, rules: Any, scale: Any, work: Any, out: Any
) -> None:
    """For whom the action opens or closes a way; only where pieces move."""
    seat = np.int64(game["seat"])
    for rider in range(np.int64(game["players"])):
        on = seats_on(game, seat, rider)
        now = np.int64(work["now"][rider])
        after = _opened(game, rider, action, space, rules, work)
        out[_OPENS + on] = (now - after) * scale[_OPENS]
        shut = _closed(game, rider, action, space, rules, work)
        out[_CLOSES + on] = shut * scale[_CLOSES]
        if rider == seat:
            out[_OWN_GAIN] = (now - after) * scale[_OWN_GAIN]


@inlined
def _write_place(game: Any, space: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """The own knight comes to a space."""
    seat = np.int64(game["seat"])
    gain = np.int64(work["now"][seat]) - np.int64(work["to_goal"][seat, space])
    out[_OWN_GAIN] = gain * scale[_OWN_GAIN]
    out[_OWN_LEFT] = _left(game, seat, space, rules) * scale[_OWN_LEFT]
    if space == rules["castle"]:
        out[_ARMOUR] = (game["armour"][seat] == 0) * scale[_ARMOUR]


@inlined
def _write_move(game: Any, space: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """A destination (6): a duel, a look."""
    seat = np.int64(game["seat"])
    _write_place(game, space, rules, scale, work, out)
    if has(rules["keeps"], space):
        hope = np.int64(work["hope"])
        places: Any = 0
        for fort in range(np.int64(rules["forts"])):
            places += (hope >> fort) & 1
        here = (hope >> np.int64(rules["fort_of"][space])) & 1
        out[_LOOK] = scale[_LOOK]
        out[_HOPE] = here * scale[_HOPE]
        out[_CHANCE] = here / max(places, 1) * scale[_CHANCE]
    elif space != rules["castle"]:
        for rival in range(np.int64(game["players"])):
            if (rival != seat) & (game["knight"][rival] == space):
                out[_DUEL] = scale[_DUEL]
                _write_rival(game, rival, scale, out)


@compiled
def features(game: Any, action: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """The features of one legal action; `prepare` has been called for the state."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    seat = np.int64(game["seat"])
    action = np.int64(action)
    space = action - SITE - np.int64(rules["sites"])
    step = game["step"]
    out[_OWN_STEPS] = work["now"][seat] * scale[_OWN_STEPS]
    out[_OWN_LEFT] = game["steps"][seat] * scale[_OWN_LEFT]
    _write_words(game, action, rules, scale, out)
    if step == MOVE:
        if action >= SITE:
            _write_move(game, space, rules, scale, work, out)
    elif step == SWAP:
        rival = rival_of(game, action, RIVAL)
        own = np.int64(game["knight"][seat])
        gain = np.int64(work["now"][rival]) - np.int64(work["to_goal"][rival, own])
        out[_OPENS + seats_on(game, seat, rival)] = gain * scale[_OPENS]
        _write_place(game, np.int64(game["knight"][rival]), rules, scale, work, out)
    elif (step > MAGIC) & (step != ROBBERY) & (step != SPOILS):
        _write_ways(game, action, space, rules, scale, work, out)
