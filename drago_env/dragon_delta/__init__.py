"""Dragon Delta: 2 to 6 players, secret programs, stones and planks over a river, dragons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drago_env.dragon_delta.game import DragonDelta
    from drago_env.dragon_delta.map import Map


def make(
    players: int = 2,
    move2_village: bool = False,
    long_planks: bool = False,
    map: Map | str | Path | None = None,
    reward: str = "win",
    threads: int = 1,
    rules: str = "full",
    **sizes: Any,
) -> DragonDelta:
    """The rule book; `map` is a `Map`, a map file, or by default the standard map.

    `sizes` are the other numbers of clause 12.1: `kinds`, `slots`, `planks`, `stones`, `support`,
    `max_rounds`. `rules="tiny"` are the small rules of clause 12.3, with a map of their own.
    """
    from drago_env.dragon_delta.game import DragonDelta
    from drago_env.dragon_delta.map import Map
    from drago_env.dragon_delta.rules import Rules, RulesError

    if rules not in ("full", "tiny"):
        raise RulesError(f"rules must be full or tiny, not {rules!r}")
    if rules == "tiny":
        if map is not None or sizes or players != 2:
            raise RulesError("the tiny rules have a map and sizes of their own: leave them out")
        tiny = replace(Rules.tiny(), move2_village=move2_village, long_planks=long_planks)
        return DragonDelta(tiny, reward=reward, threads=threads)
    if isinstance(map, str | Path):
        map = Map.read(map)
    chosen = Rules(
        players,
        move2_village=move2_village,
        long_planks=long_planks,
        map=map,  # type: ignore[arg-type]  # None is the standard map
        **sizes,
    )
    return DragonDelta(chosen, reward=reward, threads=threads)
