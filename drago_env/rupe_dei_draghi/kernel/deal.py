"""The set-up (clause 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ZERO, clear, put
from drago_env.core.chance import chance, mixed
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.graph import MAX_STARTS
from drago_env.rupe_dei_draghi.kernel.cards import draw
from drago_env.rupe_dei_draghi.kernel.rewards import count_steps
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, MAX_CARDS, MAX_PLAYERS, NONE
from drago_env.rupe_dei_draghi.state import RUNNING, TURN


@inlined
def colour_of(game: Any, seat: Any, rules: Any) -> Any:
    """The colour of a seat (3.1)."""
    return seat * (np.int64(rules["forts"]) // np.int64(game["players"]))


@inlined
def _set_pieces(game: Any, rules: Any) -> None:
    """Knights on their starts, dragons in the strongholds, all else beside the board (3.1, 3.3)."""
    for word in range(game["closed"].shape[0]):
        game["closed"][word] = rules["gaps"][word]
    for i in range(MAX_STARTS):
        game["dragons"][i] = NONE
        game["princess"][i] = NONE
    for i in range(np.int64(rules["dragons"])):
        space = np.int64(rules["fort"][i])
        put(game["closed"], space)
        place = i
        while place > 0 and game["dragons"][place - 1] > space:
            game["dragons"][place] = game["dragons"][place - 1]
            place -= 1
        game["dragons"][place] = space
    game["rainbows"] = rules["rainbows"]
    game["bridges"] = rules["bridges"]
    game["laid"] = ZERO
    for seat in range(MAX_PLAYERS):
        seated = seat < game["players"]
        game["knight"][seat] = rules["start"][colour_of(game, seat, rules)] if seated else NONE


@inlined
def _set_cards(game: Any, rules: Any) -> None:
    for kind in range(CARD_KINDS):
        game["deck"][kind] = rules["copies"][kind]
    game["deck_size"] = rules["cards"]
    game["pile_size"] = 0
    for i in range(MAX_CARDS):
        game["pile"][i] = NONE
    for seat in range(MAX_PLAYERS):
        game["hand_size"][seat] = 0
        for kind in range(CARD_KINDS):
            game["hand"][seat, kind] = 0
        for other in range(MAX_PLAYERS):
            for kind in range(CARD_KINDS):
                game["marks"][seat, other, kind] = 0


@inlined
def _set_rest(game: Any) -> None:
    for seat in range(MAX_PLAYERS):
        game["armour"][seat] = 0
        game["doubles"][seat] = 0
        game["looks"][seat] = 0
    clear(game["targets"])
    for i in range(game["path"].shape[0]):
        game["path"][i] = 0
    game["crossed"] = ZERO
    game["turns"] = 0
    game["seat"] = 0  # 3.4
    game["step"] = TURN
    game["end"] = RUNNING
    game["fresh"] = 0
    game["card"] = NONE
    game["picked"] = NONE
    game["rival"] = NONE
    game["taken"] = 0
    game["opened"] = 0
    for i in range(game["spare"].shape[0]):
        game["spare"][i] = 0


@compiled
def deal(game: Any, seed: Any, rules: Any) -> None:
    """Sets up a new game in a record whose players, map and flags are set (3)."""
    _set_rest(game)
    _set_pieces(game, rules)
    _set_cards(game, rules)
    game["rng"] = mixed(seed)
    for seat in range(np.int64(game["players"])):
        for _ in range(np.int64(rules["hand"])):  # 3.5
            draw(game, seat)
    game["princess"][0] = 0
    for colour in range(1, np.int64(rules["forts"])):  # 3.2
        place = chance(game, colour + 1)
        game["princess"][colour] = game["princess"][place]
        game["princess"][place] = colour
    for seat in range(MAX_PLAYERS):
        game["steps"][seat] = 0
    count_steps(game, rules)
    for seat in range(MAX_PLAYERS):
        game["before"][seat] = game["steps"][seat]
