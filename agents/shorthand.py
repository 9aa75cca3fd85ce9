"""`--players`, `--edition` and `--board`: words that mean a spec of the default game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from drago_env.games import DEFAULT


def shorthand(
    game: Sequence[str],
    players: int | Sequence[int] | None = None,
    edition: str | Sequence[str] | None = None,
    board: str | Sequence[str | None] | None = None,
) -> list[str]:
    """The specs of the games that are asked for: `game` itself, or those that the words mean.

    Several values of a word mean a game for each, and several words all combinations, the first
    word changing last; None leaves a word to the game, and nothing at all is the default game.
    """
    given = {"players": players, "edition": edition, "board": board}
    lists = {name: _listed(value) for name, value in given.items() if value is not None}
    lists = {name: values for name, values in lists.items() if values}
    if not game:
        return [
            _spec(DEFAULT, dict(zip(lists, row, strict=True))) for row in product(*lists.values())
        ]
    if lists:
        name, values = next(iter(lists.items()))
        colon = "," if ":" in game[0] else ":"
        raise ValueError(
            f"--{name} is a shorthand for {DEFAULT} and does not go with --game: "
            f"say --game {game[0]}{colon}{name}={values[0]}"
        )
    return list(game)


def _listed(value: int | str | Sequence[int | str | None]) -> list[int | str | None]:
    return [value] if isinstance(value, int | str) else list(value)


def _spec(name: str, words: dict[str, int | str | None]) -> str:
    parts = [f"{key}={value}" for key, value in words.items() if value is not None]
    for part in parts:
        if "," in part:
            raise ValueError(f"a spec cannot hold {part!r}: it has a comma; rename the file")
    return name + (":" if parts else "") + ",".join(parts)
