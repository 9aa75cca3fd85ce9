"""A position drawn: for a terminal, as SVG, or as pixels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drago_env.game import Game, Move, State
from drago_env.pictures import canvas
from drago_env.pictures.table import names_of, table_of

_COLOURING = re.compile(r"\x1b\[[\d;]*m")


class Picture:
    """One position, drawn as often and in as many ways as you like.

    It takes what it needs from one row, so the game may go on. A `viewer` sees what their seat
    may see, None sees all; what the viewer may not see is not even kept. `last` is the move that
    led here. A notebook shows a picture by itself::

        Picture(game, state, viewer=0, last=Move(1, action, words, outcome.points[0]))
    """

    def __init__(
        self,
        game: Game,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        one, table = state[[row]], table_of(game)
        players = int(game.players(one)[0])
        if viewer is not None and not 0 <= viewer < players:
            raise ValueError(f"viewer must be a seat from 0 to {players - 1}, not {viewer}")
        self.names = names_of(game, one, names)
        if last is not None:
            points = [int(number) for number in last.points[:players]]
            last = last._replace(points=points if game.spec.has_points else [])
        self.ground = table.ground(one)
        self.parts = table.scene(one, viewer, last, self.names)
        self._text = table.text(one, viewer, last, self.names)

    def ansi(self) -> str:
        """As text for a terminal, in colour; `str(picture)` is the same without colour."""
        return self._text

    def svg(self) -> str:
        """As the text of an SVG file; nothing needs to be installed for it."""
        return canvas.svg((*self.ground, *self.parts))

    def rgb(self) -> canvas.Pixels:
        """As a fresh array of bytes with the shape (640, 960, 3); needs Pillow."""
        return canvas.pixels(self.ground, self.parts)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return plain(self._text)


def plain(text: str) -> str:
    """A text for a terminal without its colours."""
    return _COLOURING.sub("", text)
