"""The table of games: the one place that names them, and `make`, which makes a rule book of a spec.

A spec is a name and its words, such as `mount_drago:players=4,edition=italian`. A game's module
has a function `make(players=..., reward=..., threads=..., ...)` that returns the rule book.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from drago_env.game import Game
from drago_env.specs import near, parse

GAMES = {
    "mount_drago": "drago_env.mount_drago",
    "dragon_delta": "drago_env.dragon_delta",
    "rupe_dei_draghi": "drago_env.rupe_dei_draghi",
}
DEFAULT = "mount_drago"
BUILT_IN = tuple(GAMES)
# names of the default game that the package itself offers
PUBLIC = {
    "MountDrago": "drago_env.mount_drago.game",
    "Rules": "drago_env.mount_drago.rules",
    "RulesError": "drago_env.mount_drago.rules",
    "Board": "drago_env.mount_drago.board",
    "BoardError": "drago_env.mount_drago.board",
}
MODULES = ("analysis", "observation", "position", "record", "storage")


def register(name: str, module: str) -> None:
    """Adds a game from outside: its name in specs, and the module that has its `make`."""
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"a game's name is a word in lower case, such as my_game, not {name!r}")
    if GAMES.get(name, module) != module:
        raise ValueError(f"the game {name!r} is there already, in {GAMES[name]}")
    GAMES[name] = module


def make(spec: str, *more: str, **words: Any) -> Game:
    """The rule book of a spec; `words` come on top of the spec's own.

    Several specs of one game make a rule book that plays all of them, as variants.
    """
    made = [_make(one, words) for one in (spec, *more)]
    if not more:
        return made[0]
    first: Any = made[0]
    if any(type(game) is not type(first) for game in made):
        raise ValueError(f"these are different games: {', '.join((spec, *more))}")
    rules = dict.fromkeys(rules for game in made for rules in game.rules)  # type: ignore[attr-defined]
    return type(first)(*rules, reward=first.reward, threads=first.threads)  # type: ignore[no-any-return]


def _make(spec: str, words: dict[str, Any]) -> Game:
    name, parameters = parse(spec)
    function = module_of(name, "make")
    try:
        return function(**{**parameters, **words})  # type: ignore[no-any-return]
    except TypeError as error:
        raise ValueError(f"the game {spec!r} cannot be made: {error}") from error


def module_of(name: str, attribute: str | None = None) -> Any:
    """The module of a game, or what it has by this name."""
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}{near(name, GAMES)}; games: {', '.join(GAMES)}")
    module = import_module(GAMES[name])
    return module if attribute is None else getattr(module, attribute)


def name_of(game: Game | str | None) -> str:
    """The name of a game, of a spec's game, or of the default one."""
    if game is None:
        return DEFAULT
    return parse(game)[0] if isinstance(game, str) else game.spec.name


def of_record(record: Any) -> Any:
    """The module `record` of the game whose format a record has."""
    kind = record.get("format") if isinstance(record, dict) else None
    found = str(kind).partition("/")[0].replace("-", "_")
    if found not in GAMES:
        formats = ", ".join(name.replace("_", "-") for name in GAMES)
        raise ValueError(f"no game has records of the format {kind!r:.40}; formats: {formats}")
    return records_of(found)


def records_of(name: str) -> Any:
    """Where a game reads and writes its records: its module `record`, or its one module."""
    module = module_of(name)
    return import_module(f"{module.__name__}.record") if hasattr(module, "__path__") else module
