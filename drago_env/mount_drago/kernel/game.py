"""Mount Drago's functions, handed over to the loops over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import Functions, batches
from drago_env.core.compiled import inlined
from drago_env.mount_drago.kernel.deal import deal
from drago_env.mount_drago.kernel.features import write_features
from drago_env.mount_drago.kernel.heuristic import WORK, foresee
from drago_env.mount_drago.kernel.knowledge import determinize, write_observation
from drago_env.mount_drago.kernel.legal import is_legal, list_legal
from drago_env.mount_drago.kernel.turn import apply, reward, shares
from drago_env.mount_drago.rules import ITALIAN, MAX_LEGAL, MAX_PLAYERS
from drago_env.mount_drago.state import OVER


@inlined
def rules_of(game: Any, tables: Any) -> Any:
    """The sizes, and the board of this game."""
    return tables[game["board"]]


@inlined
def over(game: Any) -> Any:
    """Whether the last dragon has arrived (6.7)."""
    return game["phase"] == OVER


@inlined
def fits(game: Any, tables: Any) -> Any:
    """Whether board, step, sizes, tops and spaces are within those of the rules."""
    if game["board"] >= tables.shape[0] or game["phase"] > OVER or game["edition"] > ITALIAN:
        return False
    rules = tables[game["board"]]
    sound = game["deck_size"] <= rules["cards"] and game["drawn_size"] <= rules["hand"]
    for seat in range(np.int64(game["players"])):
        sound &= game["hand_size"][seat] <= rules["hand"]
        sound &= game["top"][seat] < rules["card_kinds"]
    for dragon in range(np.int64(rules["colours"])):
        sound &= game["position"][dragon] <= rules["last"]
    return sound


@inlined
def observe(game: Any, seat: Any, rules: Any, scale: Any, out: Any) -> None:
    """What a seat knows, scaled."""
    write_observation(game, seat, rules, rules["next_spaces_scaled"], scale, out)


@inlined
def observe_compact(game: Any, seat: Any, rules: Any, ones: Any, out: Any) -> None:
    """The same in whole numbers."""
    write_observation(game, seat, rules, rules["next_spaces"], ones, out)


FUNCTIONS = Functions(
    rules_of=rules_of,
    over=over,
    deal=deal,
    legal=list_legal,
    is_legal=is_legal,
    apply=apply,
    reward=reward,
    shares=shares,
    observe=observe,
    observe_compact=observe_compact,
    determinize=determinize,
    fits=fits,
    prepare=foresee,
    features=write_features,
    work=WORK,
    seats=MAX_PLAYERS,
    max_legal=MAX_LEGAL,
)
LOOPS = batches(__name__, FUNCTIONS)
