"""Games at rest: state files (`.npz`)."""

from __future__ import annotations

from typing import Any

from drago_env.core.states import StateFiles
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import Rules


def _told(rules: Rules) -> dict[str, Any]:
    return {**rules.as_dict(), "map": rules.map.as_dict()}


def _made(told: dict[str, Any]) -> Rules:
    return Rules(**{**told, "map": Map.from_dict(told["map"])})


FILES = StateFiles(DragonDelta, _told, _made)
save, load = FILES.save, FILES.load
