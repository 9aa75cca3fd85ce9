"""What may be done with pieces (clauses 5, 8.3): one question each, over one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, has
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.rules import (
    BRIDGE,
    DRAGON,
    MAX_PLAYERS,
    NONE,
    POINTS,
    RAINBOW,
    TELESWAP,
)


@inlined
def open_sites(game: Any, rules: Any) -> Any:
    """The rainbow sites that are open and without a rainbow (5.2)."""
    sites = rules["all_sites"] if game["opened"] != 0 else rules["early"]
    return sites & ~game["laid"]


@inlined
def free_spaces(game: Any, kind: Any, word: Any, rules: Any) -> Any:
    """The spaces, of one word and without a knight, that a card of this kind is about.

    Bridges that may be taken (5.3), green spaces and strongholds without a dragon (5.4), or
    starts for a rider who is sent there (5.6, 8.3).
    """
    spaces = rules["starts"][word]
    if kind == BRIDGE:
        spaces = rules["gaps"][word] & ~game["closed"][word]
    elif kind == DRAGON:
        spaces = rules["lairs"][word] & ~game["closed"][word]
    for rider in range(MAX_PLAYERS):  # NONE, for a seat that nobody has, is no space
        space = np.int64(game["knight"][rider])
        if space >> 6 == word:
            spaces &= ~(ONE << np.uint64(space & 63))
    return spaces


@inlined
def free_gaps(game: Any, word: Any, rules: Any) -> Any:
    """The bridge sites without a bridge."""
    return rules["gaps"][word] & game["closed"][word]


# Questions over words and rivals end with the first that says yes: so the compiler leaves these
# short loops as they are, where it would make several times as much code of them to no gain.


@inlined
def some_gap(game: Any, rules: Any) -> Any:
    """Whether a bridge can be laid from beside the board."""
    if game["bridges"] > 0:
        for word in range(np.int64(rules["words"])):
            if free_gaps(game, word, rules) != ZERO:
                return True
    return False


@inlined
def _some_space(game: Any, kind: Any, rules: Any) -> Any:
    """Whether there are free spaces for a card of this kind."""
    for word in range(np.int64(rules["words"])):
        if free_spaces(game, kind, word, rules) != ZERO:
            return True
    return False


@inlined
def some_site(game: Any, rules: Any) -> Any:
    """Whether a rainbow can be laid from beside the board."""
    return (game["rainbows"] > 0) & (open_sites(game, rules) != ZERO)


@inlined
def may_swap(game: Any, rival: Any, rules: Any) -> Any:
    """Whether the own knight and a rival's may change places (5.5)."""
    seat = np.int64(game["seat"])
    own = np.int64(game["knight"][seat])
    other = np.int64(game["knight"][rival])
    if own == other or (game["armour"][seat] == 0 and has(rules["keeps"], other)):
        return False
    return game["armour"][rival] != 0 or not has(rules["keeps"], own)


@inlined
def some_swap(game: Any, rules: Any) -> Any:
    """Whether a teleswap has an effect."""
    for rival in range(np.int64(game["players"])):
        if rival != game["seat"] and may_swap(game, rival, rules):
            return True
    return False


@compiled
def playable(game: Any, kind: Any, rules: Any) -> Any:
    """Whether a card of this kind has an effect (5.1); points are always playable (14.2)."""
    if kind >= POINTS:
        return True
    if kind == RAINBOW:
        return (game["laid"] != ZERO) | some_site(game, rules)
    if kind == TELESWAP:
        return some_swap(game, rules)
    if _some_space(game, kind, rules):
        return kind != DRAGON or game["dragons"][0] != NONE
    return kind == BRIDGE and some_gap(game, rules)


@inlined
def top_kind(game: Any) -> Any:
    """The kind of the top discard (4.6), or NONE."""
    size = np.int64(game["pile_size"])
    return np.int64(game["pile"][size - 1]) if size > 0 else NONE


@inlined
def rival_of(game: Any, action: Any, first: Any) -> Any:
    """The seat that an action points at, counted on from the one that decides."""
    rival = np.int64(game["seat"]) + 1 + action - first
    players = np.int64(game["players"])
    return rival - players if rival >= players else rival
