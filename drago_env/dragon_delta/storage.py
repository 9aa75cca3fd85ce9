"""Games at rest: state files (`.npz`)."""

from __future__ import annotations

from drago_env.core.states import StateFiles
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import Rules

FILES = StateFiles(DragonDelta, Rules, "map", Map.as_dict, Map.from_dict)
save, load = FILES.save, FILES.load
