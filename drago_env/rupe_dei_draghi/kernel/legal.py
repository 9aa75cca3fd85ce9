"""The answers to each step of a turn (14.2): all in a list, or whether one is among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, listed
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, RIVAL, ROB, SITE, TOP
from drago_env.rupe_dei_draghi.kernel.cards import holds_points
from drago_env.rupe_dei_draghi.kernel.pieces import (
    free_gaps,
    free_spaces,
    may_swap,
    open_sites,
    playable,
    rival_of,
    some_gap,
    some_site,
    top_kind,
)
from drago_env.rupe_dei_draghi.rules import BRIDGE, CARD_KINDS, CLOUD, DRAGON, NONE
from drago_env.rupe_dei_draghi.state import (
    BESIDE_BOARD,
    BRIDGE_FROM,
    BRIDGE_TO,
    CLOUD_TO,
    CLOUD_WHOM,
    CROSSED,
    CROSSED_TO,
    DRAGON_FROM,
    DRAGON_TO,
    DUEL,
    MAGIC,
    MOVE,
    OVER,
    RAINBOW_FROM,
    RAINBOW_TO,
    ROBBERY,
    SPOILS,
    SWAP,
    TURN,
)


@inlined
def may_stop(game: Any) -> Any:
    """Whether a turn may end after a magic card (4.3, 15.2)."""
    by_flag = (game["fresh"] != 0) & (game["stop"] != 0)
    return by_flag or not holds_points(game, np.int64(game["seat"]))


@inlined
def rival_answers(game: Any, rival: Any, rules: Any) -> Any:
    """Whether the present step may point at this rival."""
    step = game["step"]
    if step == ROBBERY:  # 4.5
        return game["hand_size"][rival] > 0
    if step == SWAP:
        return may_swap(game, rival, rules)
    if step == SPOILS:  # 8.4
        return rival == game["rival"]
    return step == CLOUD_WHOM


@inlined
def some_loot(game: Any) -> Any:
    """Whether a rival has cards (4.5)."""
    for rival in range(np.int64(game["players"])):
        if rival != game["seat"] and game["hand_size"][rival] > 0:
            return True
    return False


@inlined
def site_word(game: Any, rules: Any) -> Any:
    """The rainbow sites that answer the present step."""
    step = game["step"]
    if step == RAINBOW_FROM:
        return game["laid"]
    if step == CROSSED:  # 6.7
        return game["crossed"]
    if (step == RAINBOW_TO) | (step == CROSSED_TO):
        return open_sites(game, rules)
    return ZERO


@inlined
def space_word(game: Any, word: Any, rules: Any) -> Any:
    """The spaces, of one word, that answer the present step."""
    step = game["step"]
    if step == MOVE:
        return game["targets"][word]
    if step == DRAGON_FROM:
        return game["closed"][word] & ~rules["gaps"][word]
    if step == BRIDGE_TO:
        return free_gaps(game, word, rules)
    kind = NONE
    if step == DRAGON_TO:
        kind = DRAGON
    elif step == BRIDGE_FROM:
        kind = BRIDGE
    elif (step == CLOUD_TO) | (step == DUEL):
        kind = CLOUD
    return ZERO if kind == NONE else free_spaces(game, kind, word, rules)


@inlined
def done_answers(game: Any) -> Any:
    """Whether DONE answers the present step; a move without destination is seen elsewhere."""
    step = game["step"]
    if step == MAGIC:
        return may_stop(game)
    if step == ROBBERY:
        return game["taken"] > 0
    return (step == SPOILS) | (step == CROSSED)


@inlined
def beside_answers(game: Any, rules: Any) -> Any:
    """Whether BESIDE answers the present step."""
    step = game["step"]
    if step == RAINBOW_FROM:
        return some_site(game, rules)
    if step == BRIDGE_FROM:
        return some_gap(game, rules)
    return ((step == RAINBOW_TO) | (step == BRIDGE_TO)) & (game["picked"] != BESIDE_BOARD)


@inlined
def _list_turn(game: Any, rules: Any, actions: Any) -> Any:
    """The playable kinds in hand, and what a turn allows besides."""
    count = 0
    seat = np.int64(game["seat"])
    magic = game["step"] == MAGIC
    top = NONE if magic else top_kind(game)
    top_playable = False
    for kind in range(CARD_KINDS):
        held = game["hand"][seat, kind] > 0
        if (held | (kind == top)) and playable(game, kind, rules):
            top_playable |= kind == top
            if held:
                actions[count] = kind
                count += 1
    if magic:
        if may_stop(game):
            actions[count] = DONE
            count += 1
        return count
    actions[count] = RENEW
    count += 1
    if some_loot(game):
        actions[count] = ROB
        count += 1
    if top_playable:
        actions[count] = TOP
        count += 1
    return count


@compiled
def legal(game: Any, rules: Any, actions: Any) -> Any:
    """Lists the legal actions, ascending, and returns how many there are."""
    step = game["step"]
    if step == OVER:
        return 0
    if step <= MAGIC:
        return _list_turn(game, rules, actions)
    count = 0
    if done_answers(game):
        actions[count] = DONE
        count += 1
    if beside_answers(game, rules):
        actions[count] = BESIDE
        count += 1
    for on in range(np.int64(game["players"]) - 1):
        if rival_answers(game, rival_of(game, RIVAL + on, RIVAL), rules):
            actions[count] = RIVAL + on
            count += 1
    first = np.int64(SITE)  # of the type that it has for spaces: compiled once
    count = listed(site_word(game, rules), first, actions, count)
    first += np.int64(rules["sites"])
    for word in range(np.int64(rules["words"])):
        count = listed(space_word(game, word, rules), first + 64 * word, actions, count)
    if count == 0:  # a move without destination (6.6)
        actions[0] = DONE
        count = 1
    return count


@inlined
def _no_target(game: Any) -> Any:
    found = ZERO
    for word in range(game["targets"].shape[0]):
        found |= game["targets"][word]
    return found == ZERO


@inlined
def _turn_allows(game: Any, action: Any, rules: Any) -> Any:
    step = game["step"]
    if (action < CARD_KINDS) | (action == TOP):
        kind = action
        there = step == TURN
        if action == TOP:
            kind = top_kind(game)
        else:
            there = step <= MAGIC and game["hand"][np.int64(game["seat"]), kind] > 0
        return there and kind != NONE and playable(game, kind, rules)
    if action == RENEW:
        return step == TURN
    if action == ROB:
        return step == TURN and some_loot(game)
    if action == DONE:
        return done_answers(game) or (step == MOVE and _no_target(game))
    return beside_answers(game, rules)


@compiled
def is_legal(game: Any, action: Any, rules: Any) -> Any:
    """Whether an action, any number, is legal."""
    sites = np.int64(rules["sites"])
    if game["step"] == OVER or action < 0:
        return False
    if action < RIVAL:
        return _turn_allows(game, action, rules)
    if action < SITE:
        if action - RIVAL + 1 >= game["players"]:
            return False
        return rival_answers(game, rival_of(game, action, RIVAL), rules)
    if action < SITE + sites:
        return (site_word(game, rules) >> np.uint64(action - SITE)) & ONE != ZERO
    space = action - SITE - sites
    if space >= np.int64(rules["spaces"]):
        return False
    word = space_word(game, space >> 6, rules)
    return (word >> np.uint64(space & 63)) & ONE != ZERO
