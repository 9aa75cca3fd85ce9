"""Fits the chance to win to who won games of `light`: `python -m agents.dragon_delta.tune`.

The numbers go to `drago_env/dragon_delta/weights.json`, what they were fitted to into the folder
`tuning`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray

from agents.fitting import Arguments, Fit
from drago_env.dragon_delta import planning
from drago_env.dragon_delta.planning import WinChance
from drago_env.dragon_delta.state import EMPTY, PROGRAM
from drago_env.game import State


def _between_rounds(state: State) -> NDArray[np.bool_]:
    laid = state["program"][np.arange(len(state)), state["first"], 0] != EMPTY
    return np.asarray((state["step"] == PROGRAM) & ~laid)


FIT = Fit(
    game="dragon_delta",
    start=WinChance(spread=2.0, steps=1.0, reach=3.0),
    fixed=("reach",),
    thumbs=planning.weights("light"),
    quiet=_between_rounds,
    longest=200,
    noise=0.1,
    path=planning.FITTED,
    logs=Path(__file__).with_name("tuning"),
)

if __name__ == "__main__":
    FIT.run(tyro.cli(Arguments, description=__doc__))
