"""Every game that the proofs of the seam run over: those of the package, and the toy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import drago_env
from drago_env.games import BUILT_IN
from drago_env.wrappers.makers import Makers, makers

drago_env.register("race", "tests.toy")
NAMES = (*BUILT_IN, "race")
SPECS = {
    "mount_drago": (
        "mount_drago",
        "mount_drago:players=5,edition=italian",
        "mount_drago:rules=tiny",
    ),
    "dragon_delta": (
        "dragon_delta:max_rounds=4",
        "dragon_delta:players=6,max_rounds=2,move2_village=true,long_planks=true",
        "dragon_delta:rules=tiny",
    ),
    "rupe_dei_draghi": (
        "rupe_dei_draghi:turn_cap=40",
        "rupe_dei_draghi:players=4,turn_cap=20,reuse=under,stop=false,reward=progress",
        "rupe_dei_draghi:rules=tiny",
    ),
    "race": ("race", "race:players=6", "race:players=2,rounds=3"),
}
# words that make games short enough to be played often at random
SHORT = {
    "dragon_delta": {"max_rounds": 2},
    "rupe_dei_draghi": {"turn_cap": 20},
    "race": {"rounds": 3},
}
ALL = [spec for name in NAMES for spec in SPECS[name]]


def short_makers(name: str) -> Makers:
    """The makers of a game whose games are short unless the caller says otherwise."""
    words = SHORT.get(name, {})
    return Makers(*(partial(_called, maker, words) for maker in makers(name)))


def _called(maker: Callable[..., Any], words: dict[str, int], *count: int, **more: Any) -> Any:
    return maker(*count, **{**words, **more})
