"""Games at rest: state files (`.npz`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drago_env.core import states
from drago_env.game import State
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import Rules


def save(path: str | Path, game: RupeDeiDraghi, state: State) -> None:
    """Writes games at any move, with their rules, to a plain `.npz` (nothing is pickled)."""
    rules = [{**r.as_dict(), "graph": r.graph.as_dict()} for r in game.rules]
    states.save(path, {"rules": rules, "reward": game.reward}, state)


def load(path: str | Path) -> tuple[RupeDeiDraghi, State]:
    """The games of a state file; a damaged or edited file is refused, never believed."""
    return states.load(path, _made)


def _made(about: dict[str, Any]) -> RupeDeiDraghi:
    rules = [Rules(**{**r, "graph": Graph.from_dict(r["graph"])}) for r in about["rules"]]
    return RupeDeiDraghi(*rules, reward=about["reward"])
