"""La rupe dei draghi: 2 to 4 riders look for their princesses; 36 cards, 85 spaces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
    from drago_env.rupe_dei_draghi.graph import Graph


def make(
    players: int = 2,
    graph: Graph | str | Path | None = None,
    copies: Sequence[int] | None = None,
    reward: str = "win",
    threads: int = 1,
    rules: str = "full",
    **numbers: Any,
) -> RupeDeiDraghi:
    """The rule book; `graph` is a `Graph`, a built-in name, a graph file, or by default `rupe-85`.

    `numbers` are the sizes and flags of clause 15: hand, rob, spoils, dragons, rainbows, bridges,
    turn_cap, reuse and stop. `rules="tiny"` is the small game of clause 15.3.
    """
    from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
    from drago_env.rupe_dei_draghi.graph import Graph
    from drago_env.rupe_dei_draghi.rules import Rules, RulesError

    if rules not in ("full", "tiny"):
        raise RulesError(f"rules must be full or tiny, not {rules!r}")
    if rules == "tiny":
        if graph is not None or copies is not None or players != 2 or set(numbers) - {"turn_cap"}:
            raise RulesError("the tiny rules have numbers of their own: leave all but turn_cap out")
        return RupeDeiDraghi(Rules.tiny(**numbers), reward=reward, threads=threads)
    if isinstance(graph, str | Path):
        graph = Graph.called(str(graph))
    chosen: dict[str, Any] = {"players": players, "graph": graph, "copies": copies, **numbers}
    return RupeDeiDraghi(Rules(**chosen), reward=reward, threads=threads)
