"""The game's functions, handed over to the loops over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import Functions, batches
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.graph import MAX_ACTIONS
from drago_env.rupe_dei_draghi.kernel.deal import deal
from drago_env.rupe_dei_draghi.kernel.features import features, prepare
from drago_env.rupe_dei_draghi.kernel.knowledge import determinize
from drago_env.rupe_dei_draghi.kernel.legal import is_legal, legal
from drago_env.rupe_dei_draghi.kernel.look import observe
from drago_env.rupe_dei_draghi.kernel.rewards import reward, shares
from drago_env.rupe_dei_draghi.kernel.turn import apply
from drago_env.rupe_dei_draghi.kernel.ways import WORK
from drago_env.rupe_dei_draghi.rules import (
    CARD_KINDS,
    MAX_CARDS,
    MAX_PLAYERS,
    NONE,
    POINTS,
)
from drago_env.rupe_dei_draghi.state import BESIDE_BOARD, OVER, RUNNING


@inlined
def rules_of(game: Any, tables: Any) -> Any:
    """The sizes and the graph of this game."""
    return tables[game["map"]]


@inlined
def over(game: Any) -> Any:
    """Whether somebody has won or the game is cut off (11)."""
    return game["end"] != RUNNING


@inlined
def _cards_fit(game: Any) -> Any:
    """Whether sizes are the sums of what they count, and the pile is of cards."""
    deck: Any = 0
    fit = game["pile_size"] <= MAX_CARDS
    for kind in range(CARD_KINDS):
        deck += np.int64(game["deck"][kind])
    for seat in range(np.int64(game["players"])):
        size: Any = 0
        for kind in range(CARD_KINDS):
            size += np.int64(game["hand"][seat, kind])
        fit &= size == game["hand_size"][seat]
    for i in range(MAX_CARDS):
        fit &= (game["pile"][i] < CARD_KINDS) | (i >= game["pile_size"])
    return fit & (deck == game["deck_size"])


@inlined
def _pieces_fit(game: Any, rules: Any) -> Any:
    """Whether everything stands on spaces of the graph."""
    spaces = rules["spaces"]
    fit = True
    for seat in range(np.int64(game["players"])):
        fit &= game["knight"][seat] < spaces
    for i in range(np.int64(rules["dragons"])):
        fit &= game["dragons"][i] < spaces
    for fort in range(np.int64(rules["forts"])):
        fit &= game["princess"][fort] < rules["forts"]
    return fit


@compiled
def fits(game: Any, tables: Any) -> Any:
    """Whether a record is a game of these rules as far as kernels need to stay in bounds."""
    if game["map"] >= tables.shape[0] or game["step"] > OVER:
        return False
    rules = tables[game["map"]]
    picked = game["picked"]
    fit = (game["rival"] == NONE) | (game["rival"] < game["players"])
    fit &= (picked >= BESIDE_BOARD) | (picked < rules["spaces"])
    fit &= (game["card"] == NONE) | ((game["card"] >= POINTS) & (game["card"] < CARD_KINDS))
    fit &= (game["step"] == OVER) == (game["end"] != RUNNING)
    return fit and _pieces_fit(game, rules) and _cards_fit(game)


FUNCTIONS = Functions(
    rules_of=rules_of,
    over=over,
    deal=deal,
    legal=legal,
    is_legal=is_legal,
    apply=apply,
    reward=reward,
    shares=shares,
    observe=observe,
    determinize=determinize,
    prepare=prepare,
    features=features,
    work=WORK,
    seats=MAX_PLAYERS,
    max_legal=MAX_ACTIONS,
    fits=fits,
)
LOOPS = batches(__name__, FUNCTIONS)
