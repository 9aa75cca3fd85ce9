"""Dragon Delta's functions, handed over to the loops over batches."""

from __future__ import annotations

from drago_env.core.batches import Functions, batches
from drago_env.dragon_delta.kernel.features import features, prepare
from drago_env.dragon_delta.kernel.knowledge import determinize
from drago_env.dragon_delta.kernel.legal import is_legal, legal, over
from drago_env.dragon_delta.kernel.play import apply, deal, rules_of
from drago_env.dragon_delta.kernel.result import reward, shares
from drago_env.dragon_delta.kernel.sight import observe
from drago_env.dragon_delta.kernel.ways import WORK
from drago_env.dragon_delta.rules import MAX_LEGAL, MAX_PLAYERS

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
    max_legal=MAX_LEGAL,
)
LOOPS = batches(__name__, FUNCTIONS)
