"""Games at rest: state files (`.npz`)."""

from __future__ import annotations

from typing import Any

from drago_env.core.states import StateFiles
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import Rules


def _told(rules: Rules) -> dict[str, Any]:
    return {**rules.as_dict(), "graph": rules.graph.as_dict()}


def _made(told: dict[str, Any]) -> Rules:
    return Rules(**{**told, "graph": Graph.from_dict(told["graph"])})


FILES = StateFiles(RupeDeiDraghi, _told, _made)
save, load = FILES.save, FILES.load
