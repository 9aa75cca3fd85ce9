"""Fits the chance to win to who won games of `heuristic`: `python -m agents.rupe_dei_draghi.tune`.

The numbers go to `drago_env/rupe_dei_draghi/weights.json`, what they were fitted to into the
folder `tuning`.
"""

from __future__ import annotations

from pathlib import Path

import tyro

from agents.fitting import Arguments, Fit
from drago_env.rupe_dei_draghi import planning
from drago_env.rupe_dei_draghi.planning import WinChance
from drago_env.rupe_dei_draghi.state import TURN

FIT = Fit(
    game="rupe_dei_draghi",
    start=WinChance(
        held=0.5,
        missing=6.0,
        rivals_card=3.0,
        occupied=6.0,
        vain=4.0,
        turn=2.0,
        cards=0.5,
        spread=6.0,
        armour=14.0,
    ),
    fixed=("held", "missing", "rivals_card", "occupied"),  # as the heuristic reckons
    thumbs=planning.weights("heuristic"),
    quiet=lambda state: state["step"] == TURN,
    longest=100,
    noise=0.05,
    path=planning.FITTED,
    logs=Path(__file__).with_name("tuning"),
)

if __name__ == "__main__":
    FIT.run(tyro.cli(Arguments, prog="python -m agents.rupe_dei_draghi.tune", description=__doc__))
