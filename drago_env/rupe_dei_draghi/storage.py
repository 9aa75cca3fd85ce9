"""Games at rest: state files (`.npz`)."""

from __future__ import annotations

from drago_env.core.states import StateFiles
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import Rules

FILES = StateFiles(RupeDeiDraghi, Rules, "graph", Graph.as_dict, Graph.from_dict)
save, load = FILES.save, FILES.load
