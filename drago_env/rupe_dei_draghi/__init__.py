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
    reuse: str | None = None,
    stop: bool | None = None,
    turn_cap: int | None = None,
    graph: Graph | dict[str, Any] | str | Path | None = None,
    copies: Sequence[int] | None = None,
    hand: int | None = None,
    rob: int | None = None,
    spoils: int | None = None,
    dragons: int | None = None,
    rainbows: int | None = None,
    bridges: int | None = None,
    reward: str = "win",
    threads: int = 1,
    rules: str = "full",
) -> RupeDeiDraghi:
    """The rule book; `graph` is a `Graph`, a name, a file or its JSON, by default `rupe-85`.

    The other words are the sizes and flags of clause 15. `rules="tiny"` is the small game of
    clause 15.3, of which only `turn_cap` can be chosen.
    """
    from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
    from drago_env.rupe_dei_draghi.graph import Graph
    from drago_env.rupe_dei_draghi.rules import Rules, RulesError

    words = {"reuse": reuse, "stop": stop, "turn_cap": turn_cap, "graph": graph, "copies": copies}
    words |= {"hand": hand, "rob": rob, "spoils": spoils, "dragons": dragons}
    words |= {"rainbows": rainbows, "bridges": bridges}
    given: dict[str, Any] = {name: value for name, value in words.items() if value is not None}
    if rules not in ("full", "tiny"):
        raise RulesError(f"rules must be full or tiny, not {rules!r}")
    if rules == "tiny":
        if players != 2 or given.keys() - {"turn_cap"}:
            raise RulesError("the tiny rules have numbers of their own: leave all but turn_cap out")
        return RupeDeiDraghi(Rules.tiny(**given), reward=reward, threads=threads)
    if isinstance(graph, str | Path | dict):
        given["graph"] = Graph.called(graph)
    return RupeDeiDraghi(Rules(players, **given), reward=reward, threads=threads)
