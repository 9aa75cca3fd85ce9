"""One decision and all that follows from it without another one (clauses 4 to 11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ZERO, bit, clear, drop, has, put
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, RIVAL, ROB, SITE, TOP
from drago_env.rupe_dei_draghi.graph import MAX_STARTS
from drago_env.rupe_dei_draghi.kernel.cards import put_under, renew, spend, take_card
from drago_env.rupe_dei_draghi.kernel.deal import colour_of
from drago_env.rupe_dei_draghi.kernel.legal import some_loot
from drago_env.rupe_dei_draghi.kernel.paths import find_crossed, find_targets
from drago_env.rupe_dei_draghi.kernel.pieces import open_sites, rival_of
from drago_env.rupe_dei_draghi.kernel.rewards import count_steps
from drago_env.rupe_dei_draghi.rules import (
    BRIDGE,
    CARD_KINDS,
    CLOUD,
    DRAGON,
    MAX_PLAYERS,
    NONE,
    POINTS,
    RAINBOW,
    TELESWAP,
)
from drago_env.rupe_dei_draghi.state import (
    BESIDE_BOARD,
    BRIDGE_FROM,
    BRIDGE_TO,
    CLOUD_TO,
    CLOUD_WHOM,
    CROSSED,
    CROSSED_TO,
    CUT_OFF,
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
    WON,
)

# ---------------------------------------------------------------- the course of a turn


@inlined
def _settle(game: Any) -> None:
    """Nothing is being moved or taken any more."""
    game["card"] = NONE
    game["picked"] = NONE
    game["rival"] = NONE
    game["taken"] = 0
    game["crossed"] = ZERO


@inlined
def end_turn(game: Any, rules: Any) -> None:
    """The next seat, or the end by the cap (4.7, 11.2)."""
    _settle(game)
    game["fresh"] = 0
    game["turns"] += 1
    if np.int64(game["turns"]) >= rules["turn_cap"]:
        game["step"] = OVER
        game["end"] = CUT_OFF
        return
    seat = np.int64(game["seat"]) + 1
    game["seat"] = 0 if seat == game["players"] else seat
    game["step"] = TURN


@inlined
def _start_card(game: Any, kind: Any, rules: Any) -> None:
    """A card takes effect, or asks for what its effect needs."""
    if kind >= POINTS:
        game["fresh"] = 0
        game["card"] = kind
        find_targets(game, rules)
        game["step"] = MOVE
    elif kind == RAINBOW:
        game["step"] = RAINBOW_FROM
    elif kind == BRIDGE:
        game["step"] = BRIDGE_FROM
    elif kind == DRAGON:
        game["step"] = DRAGON_FROM
    elif kind == TELESWAP:
        game["step"] = SWAP
    elif kind == CLOUD:
        game["step"] = CLOUD_WHOM


@inlined
def _play(game: Any, action: Any, rules: Any) -> None:
    """A card of the hand, or the top discard (4.2, 4.6)."""
    kind = action
    if action == TOP:
        kind = np.int64(game["pile"][np.int64(game["pile_size"]) - 1])
        game["fresh"] = 1
        if game["under"] != 0:
            put_under(game)
    else:
        game["fresh"] = 0
        spend(game, np.int64(game["seat"]), action)
    _start_card(game, kind, rules)


@inlined
def _magic_done(game: Any) -> Any:
    """Back to the cards; True if the hand is empty and the turn so over (4.3)."""
    _settle(game)
    game["step"] = MAGIC
    return game["hand_size"][game["seat"]] == 0


@inlined
def _after_move(game: Any, rules: Any) -> Any:
    """A crossed rainbow may be moved, last of all (6.7); True if the turn is over."""
    crossed = game["crossed"]
    _settle(game)
    if crossed == ZERO or open_sites(game, rules) == ZERO:
        return True
    game["crossed"] = crossed
    game["step"] = CROSSED
    return False


# ---------------------------------------------------------------- magic cards (5)


@inlined
def _move_rainbow(game: Any, action: Any) -> None:
    """Lays the rainbow that was picked, or puts it beside the board."""
    if game["picked"] == BESIDE_BOARD:
        game["rainbows"] -= 1
    else:
        game["laid"] &= ~bit(np.int64(game["picked"]))
    if action == BESIDE:
        game["rainbows"] += 1
    else:
        game["laid"] |= bit(action - SITE)


@inlined
def _move_bridge(game: Any, action: Any, space: Any) -> None:
    """Lays the bridge that was picked, or puts it beside the board."""
    if game["picked"] == BESIDE_BOARD:
        game["bridges"] -= 1
    else:
        put(game["closed"], np.int64(game["picked"]))
    if action == BESIDE:
        game["bridges"] += 1
    else:
        drop(game["closed"], space)


@inlined
def _move_dragon(game: Any, space: Any) -> None:
    """The dragon that was picked goes to a space; the list stays sorted."""
    old = np.int64(game["picked"])
    drop(game["closed"], old)
    put(game["closed"], space)
    dragons = game["dragons"]
    place = 0
    while dragons[place] != old:
        place += 1
    while place + 1 < MAX_STARTS and dragons[place + 1] < space:
        dragons[place] = dragons[place + 1]
        place += 1
    while place > 0 and dragons[place - 1] > space:
        dragons[place] = dragons[place - 1]
        place -= 1
    dragons[place] = space


@inlined
def _swap(game: Any, rival: Any, rules: Any) -> None:
    """Two knights change places; whoever comes into the castle has armour (5.5, 7.2)."""
    seat = np.int64(game["seat"])
    own = game["knight"][seat]
    game["knight"][seat] = game["knight"][rival]
    game["knight"][rival] = own
    if game["knight"][seat] == rules["castle"]:
        game["armour"][seat] = 1
    if own == rules["castle"]:
        game["armour"][rival] = 1


@inlined
def _magic(game: Any, action: Any, space: Any, rules: Any) -> Any:
    """An answer to a step of a magic card; True if the card is carried out."""
    step = game["step"]
    if (step == RAINBOW_FROM) | (step == BRIDGE_FROM) | (step == DRAGON_FROM):
        if action == BESIDE:
            game["picked"] = BESIDE_BOARD
        else:
            game["picked"] = action - SITE if step == RAINBOW_FROM else space
        game["step"] = step + 1
        return False
    if step == CLOUD_WHOM:
        game["rival"] = rival_of(game, action, RIVAL)
        game["step"] = CLOUD_TO
        return False
    if step == RAINBOW_TO:
        _move_rainbow(game, action)
    elif step == BRIDGE_TO:
        _move_bridge(game, action, space)
    elif step == DRAGON_TO:
        _move_dragon(game, space)
    elif step == SWAP:
        _swap(game, rival_of(game, action, RIVAL), rules)
    else:
        game["knight"][game["rival"]] = space
    return True


# ---------------------------------------------------------------- a move and what it leads to


@inlined
def _look(game: Any, fort: Any, rules: Any) -> Any:
    """A look at the princess (10.2 to 10.5); True if she is the own one."""
    seat = np.int64(game["seat"])
    if game["princess"][fort] == colour_of(game, seat, rules):
        game["step"] = OVER
        game["end"] = WON
        return True
    game["looks"][seat] |= np.uint8(1 << fort)
    game["doubles"][seat] = 1
    game["opened"] = 1
    return False


@inlined
def _move(game: Any, space: Any, rules: Any) -> Any:
    """The knight goes to its destination (6 to 10); True if the turn is over."""
    seat = np.int64(game["seat"])
    crossed = find_crossed(game, space, rules)
    clear(game["targets"])
    _settle(game)
    game["knight"][seat] = space
    if has(rules["keeps"], space):
        if _look(game, np.int64(rules["fort_of"][space]), rules):
            return False
    elif space == rules["castle"]:  # 7.2
        game["armour"][seat] = 1
    else:
        for rival in range(MAX_PLAYERS):  # 8.1
            if rival != seat and game["knight"][rival] == space:
                game["rival"] = rival
    game["crossed"] = crossed
    if game["rival"] != NONE:
        game["step"] = DUEL
        return False
    return _after_move(game, rules)


@inlined
def _plunder(game: Any, action: Any, most: Any) -> Any:
    """A card is taken of a rival, or no more is (4.5, 8.4); True if that was the last one."""
    if action == DONE:
        return True
    rival = rival_of(game, action, RIVAL)
    take_card(game, np.int64(game["seat"]), rival)
    game["taken"] += 1
    if game["taken"] >= most:
        return True
    if game["step"] == SPOILS:
        return game["hand_size"][rival] == 0
    return not some_loot(game)


@inlined
def _duel(game: Any, space: Any, rules: Any) -> Any:
    """The loser goes to a start (8.3); True if they have nothing to take."""
    rival = np.int64(game["rival"])
    game["knight"][rival] = space
    game["step"] = SPOILS
    return (game["hand_size"][rival] == 0) | (rules["spoils"] == 0)


@inlined
def _outcome(game: Any, action: Any, space: Any, rules: Any) -> Any:
    """An answer to a step after the cards of a turn; True if the turn is over."""
    step = game["step"]
    if step == CROSSED:
        if action == DONE:
            return True
        game["picked"] = action - SITE
        game["crossed"] = ZERO
        game["step"] = CROSSED_TO
        return False
    if step == CROSSED_TO:
        _move_rainbow(game, action)
        return True
    if step == MOVE:
        if action == DONE:  # 6.6
            return True
        return _move(game, space, rules)
    if step == DUEL:
        over = _duel(game, space, rules)
    else:
        over = _plunder(game, action, rules["rob"] if step == ROBBERY else rules["spoils"])
    return over and (step == ROBBERY or _after_move(game, rules))


@inlined
def _choose(game: Any, action: Any, rules: Any) -> Any:
    """The answer to a turn, or to the step after a magic card; True if the turn is over."""
    if (action < CARD_KINDS) | (action == TOP):
        _play(game, action, rules)
        return False
    if action == ROB:
        game["step"] = ROBBERY
        return False
    if action == RENEW:
        renew(game, np.int64(game["seat"]), rules)
    return True


@compiled
def apply(game: Any, action: Any, rules: Any, points: Any) -> None:
    """One legal decision; there are no points in this game."""
    for seat in range(MAX_PLAYERS):
        points[seat] = 0
        game["before"][seat] = game["steps"][seat]
    step = game["step"]
    space = action - SITE - np.int64(rules["sites"])
    if step <= MAGIC:
        over = _choose(game, action, rules)
    elif step <= CLOUD_TO:
        over = _magic(game, action, space, rules) and _magic_done(game)
    else:
        over = _outcome(game, action, space, rules)
    if over:
        end_turn(game, rules)
    if game["end"] == WON:
        for seat in range(MAX_PLAYERS):
            game["steps"][seat] = 0
    elif (step == MOVE) | (step == SWAP) | (step == CLOUD_TO) | (step == DUEL):
        count_steps(game, rules)
