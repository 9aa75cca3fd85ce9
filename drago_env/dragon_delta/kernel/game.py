"""Dragon Delta's functions, handed over to the loops over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import Functions, batches
from drago_env.core.compiled import inlined
from drago_env.dragon_delta.kernel.features import features, prepare
from drago_env.dragon_delta.kernel.knowledge import determinize
from drago_env.dragon_delta.kernel.legal import is_legal, legal, over
from drago_env.dragon_delta.kernel.play import apply, deal, rules_of
from drago_env.dragon_delta.kernel.result import reward, shares
from drago_env.dragon_delta.kernel.sight import observe
from drago_env.dragon_delta.kernel.ways import WORK
from drago_env.dragon_delta.map import MAX_VILLAGES
from drago_env.dragon_delta.rules import MAX_LEGAL, MAX_PLAYERS
from drago_env.dragon_delta.state import CUT_OFF, NOWHERE, OVER, RESERVE, VILLAGE


@inlined
def fits(game: Any, tables: Any) -> Any:
    """Whether map, step, places and cards are such that every index stays in bounds."""
    if game["map"] >= tables.shape[0] or game["step"] > OVER or game["end"] > CUT_OFF:
        return False
    rules = tables[game["map"]]
    beyond = VILLAGE + MAX_VILLAGES
    fit = game["slot"] < rules["slots"] and game["first"] < game["players"]
    fit &= game["chosen"] <= rules["planks"]
    fit &= game["origin"] < beyond or game["origin"] == NOWHERE
    for seat in range(np.int64(game["players"])):
        fit &= game["pawn"][seat] < beyond
        for i in range(np.int64(rules["planks"])):
            place = game["plank"][seat, i]
            fit &= place < RESERVE + MAX_PLAYERS or place == NOWHERE
    return fit


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
    fits=fits,
    seats=MAX_PLAYERS,
    max_legal=MAX_LEGAL,
)
LOOPS = batches(__name__, FUNCTIONS)
