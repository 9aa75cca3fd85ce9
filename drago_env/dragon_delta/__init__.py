"""Dragon Delta: 2 to 6 players, secret programs, stones and planks over a river, dragons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drago_env.dragon_delta.game import DragonDelta
    from drago_env.dragon_delta.map import Map


def make(
    players: int = 2,
    move2_village: bool | None = None,
    long_planks: bool | None = None,
    max_rounds: int | None = None,
    map: Map | Mapping[str, Any] | str | Path | None = None,
    kinds: Sequence[int] | None = None,
    slots: int | None = None,
    planks: int | None = None,
    stones: int | None = None,
    support: int | None = None,
    reward: str = "win",
    threads: int = 1,
    rules: str = "full",
) -> DragonDelta:
    """The rule book; `map` is a `Map`, a name, a file or its JSON, by default `delta-1`.

    The other words are those of clause 12.1. `rules="tiny"` are the small rules of clause 12.3,
    with a map and sizes of their own.
    """
    from drago_env.dragon_delta.game import DragonDelta
    from drago_env.dragon_delta.map import Map
    from drago_env.dragon_delta.rules import Rules, RulesError

    flags = {"move2_village": move2_village, "long_planks": long_planks}
    sizes = {"max_rounds": max_rounds, "map": map, "kinds": kinds, "slots": slots}
    sizes |= {"planks": planks, "stones": stones, "support": support}
    given: dict[str, Any] = {
        name: value for name, value in (flags | sizes).items() if value is not None
    }
    if rules not in ("full", "tiny"):
        raise RulesError(f"rules must be full or tiny, not {rules!r}")
    if rules == "tiny":
        if players != 2 or given.keys() & sizes.keys():
            raise RulesError("the tiny rules have a map and sizes of their own: leave them out")
        return DragonDelta(Rules.tiny(**given), reward=reward, threads=threads)
    if isinstance(map, str | Path | Mapping):
        given["map"] = Map.called(map)
    return DragonDelta(Rules(players, **given), reward=reward, threads=threads)
