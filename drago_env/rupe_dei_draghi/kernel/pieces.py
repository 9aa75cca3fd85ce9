"""What may be done with pieces (clauses 5, 8.3): one question each, over one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.kernel.bits import ONE, ZERO, has
from drago_env.rupe_dei_draghi.rules import (
    BRIDGE,
    DRAGON,
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
def unoccupied(game: Any, word: Any, spaces: Any) -> Any:
    """Those spaces of one word on which no knight stands."""
    for rider in range(np.int64(game["players"])):
        space = np.int64(game["knight"][rider])
        if space >> 6 == word:
            spaces &= ~(ONE << np.uint64(space & 63))
    return spaces


@inlined
def loose_bridges(game: Any, word: Any, rules: Any) -> Any:
    """The bridges that may be taken: not those under a knight (5.3)."""
    return unoccupied(game, word, rules["gaps"][word] & ~game["closed"][word])


@inlined
def free_gaps(game: Any, word: Any, rules: Any) -> Any:
    """The bridge sites without a bridge."""
    return rules["gaps"][word] & game["closed"][word]


@inlined
def free_lairs(game: Any, word: Any, rules: Any) -> Any:
    """The green spaces and strongholds without dragon and knight (5.4)."""
    return unoccupied(game, word, rules["lairs"][word] & ~game["closed"][word])


@inlined
def free_starts(game: Any, word: Any, rules: Any) -> Any:
    """The starts on which nobody stands (5.6, 8.3)."""
    return unoccupied(game, word, rules["starts"][word])


@inlined
def some_gap(game: Any, rules: Any) -> Any:
    """Whether a bridge can be laid from beside the board."""
    found = ZERO
    for word in range(np.int64(rules["words"])):
        found |= free_gaps(game, word, rules)
    return (found != ZERO) & (game["bridges"] > 0)


@inlined
def some_bridge(game: Any, rules: Any) -> Any:
    """Whether a bridge card has an effect."""
    found = ZERO
    for word in range(np.int64(rules["words"])):
        found |= loose_bridges(game, word, rules)
    return (found != ZERO) | some_gap(game, rules)


@inlined
def some_lair(game: Any, rules: Any) -> Any:
    """Whether a dragon card has an effect."""
    found = ZERO
    for word in range(np.int64(rules["words"])):
        found |= free_lairs(game, word, rules)
    return (found != ZERO) & (game["dragons"][0] != NONE)


@inlined
def some_start(game: Any, rules: Any) -> Any:
    """Whether a start is free."""
    found = ZERO
    for word in range(np.int64(rules["words"])):
        found |= free_starts(game, word, rules)
    return found != ZERO


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
    found = False
    for rival in range(np.int64(game["players"])):
        if rival != game["seat"]:
            found |= may_swap(game, rival, rules)
    return found


@compiled
def playable(game: Any, kind: Any, rules: Any) -> Any:
    """Whether a card of this kind has an effect (5.1); points are always playable (14.2)."""
    if kind >= POINTS:
        return True
    if kind == RAINBOW:
        return (game["laid"] != ZERO) | some_site(game, rules)
    if kind == BRIDGE:
        return some_bridge(game, rules)
    if kind == DRAGON:
        return some_lair(game, rules)
    if kind == TELESWAP:
        return some_swap(game, rules)
    return some_start(game, rules)


@inlined
def top_playable(game: Any, rules: Any) -> Any:
    """Whether the top discard may be used (4.6)."""
    size = np.int64(game["pile_size"])
    return size > 0 and playable(game, np.int64(game["pile"][size - 1]), rules)


@inlined
def rival_of(game: Any, action: Any, first: Any) -> Any:
    """The seat that an action points at, counted on from the one that decides."""
    rival = np.int64(game["seat"]) + 1 + action - first
    players = np.int64(game["players"])
    return rival - players if rival >= players else rival
