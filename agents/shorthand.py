"""`--players`, `--edition` and `--board`: words that mean a spec of the default game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Annotated

import tyro

from drago_env.games import DEFAULT


@dataclass(kw_only=True)
class _Shorthand:
    """The words that mean a spec of the default game."""

    players: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None
    """Shorthand for the default game: seats at the table."""
    edition: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Shorthand for the default game: the edition of its rules."""
    board: Annotated[str | None, tyro.conf.arg(metavar="FILE")] = None
    """Shorthand for the default game: a board file instead of the built-in side."""


WORDS = tuple(one.name for one in fields(_Shorthand))


@dataclass(kw_only=True)
class GameOptions(_Shorthand):
    """The options of a command that plays one game."""

    game: Annotated[str | None, tyro.conf.arg(metavar="SPEC")] = None
    """The game and its words, such as mount_drago:players=4; by default mount_drago."""

    @property
    def named(self) -> bool:
        """Whether any of these words was said."""
        words = self.game, self.players, self.edition, self.board
        return any(word is not None for word in words)

    @property
    def spec(self) -> str:
        """The game that these words mean."""
        asked = [] if self.game is None else [self.game]
        (spec,) = shorthand(asked, self.players, self.edition, self.board)
        return spec


@dataclass(kw_only=True)
class GamesOptions(_Shorthand):
    """The options of a command that plays one game, by several of its rules."""

    game: Annotated[tuple[str, ...], tyro.conf.arg(metavar="[SPEC ...]")] = ()
    """what is played, as NAME:players=3; each deal draws one of several specs of a game"""

    @property
    def specs(self) -> list[str]:
        """The games that deals draw from."""
        asked = (self.game,) if isinstance(self.game, str) else self.game
        return shorthand(asked, self.players, self.edition, self.board)

    @property
    def spec(self) -> str:
        """The first of them."""
        return self.specs[0]


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
