"""Every game that the proofs of the seam run over: those of the package, and the toy."""

from __future__ import annotations

import drago_env
from drago_env.games import BUILT_IN

drago_env.register("race", "tests.toy")
NAMES = (*BUILT_IN, "race")
SPECS = {
    "mount_drago": (
        "mount_drago",
        "mount_drago:players=5,edition=italian",
        "mount_drago:rules=tiny",
    ),
    "race": ("race", "race:players=6", "race:players=2,rounds=3"),
}
ALL = [spec for name in NAMES for spec in SPECS[name]]
