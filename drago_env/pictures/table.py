"""What a game shows people: parts to draw, seats, and choices in words.

`Table` answers every question from the seam alone, so that any game can be played at a terminal
and on a page. A game's own `table.py` derives from it and replaces what it can say better; its
rule book offers it as the property `table`. A state is always one game, such as `state[:1]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from drago_env.game import Game, Move, State
from drago_env.pictures.canvas import HEIGHT, Box, Part, Shape, Text, fit
from drago_env.pictures.column import BOARD, INK, LEFT, SOFT, TALLY, WIDE, Card, Seat, column


class Choice(NamedTuple):
    """One thing that the person on turn may do."""

    action: int
    text: str  # in words, as the log tells it
    effect: str = ""  # what it does at once
    parts: tuple[str, ...] = ()  # drawn parts that it is about, the one where it leads first
    button: str = ""  # choices with the same words here lie behind one button, or behind the card
    # with this name; empty: the choice is a button by itself
    label: str = ""  # its words among those behind one button; empty: its text
    asked: str = ""  # the question if there are several behind the button
    key: str = ""  # a letter on the keyboard; h and u are taken


class Option(NamedTuple):
    """A word of a game's spec that people may choose before they play."""

    word: str  # as the spec has it
    label: str  # what is chosen
    values: tuple[tuple[Any, str], ...]  # and what each is called; the first is the default


class Table:
    """What people are shown of a game, with plain answers for a game that has no better ones."""

    rules = ""  # in short; lines that begin with `- ` are a list
    legend = ""  # how to read the text that the terminal shows
    options: tuple[Option, ...] = ()

    def __init__(self, game: Any) -> None:
        self.game = game

    # ------------------------------------------------------------ the board

    def ground(self, state: State) -> tuple[Part, ...]:
        """What lies below everything and never changes in a game, `BOARD` wide."""
        return (Part("ground", (Box(0, 0, BOARD, HEIGHT, "#ffffff"),)),)

    def parts(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Part]:
        """What lies on the ground; a part keeps its name, and its data tell what it does there."""
        lines = self.text(state, viewer, None, names).splitlines()[:36]
        shapes = [
            Text(12, 20 + 17 * number, fit(line, 12, BOARD - 24), 12, INK, "start")
            for number, line in enumerate(lines)
        ]
        return [Part("text", tuple(shapes))]

    def words(self, state: State, viewer: int | None, names: Sequence[str]) -> str:
        """The board in a sentence or two, for those who do not see it."""
        return str(self.game.describe(state, 0, viewer))

    def text(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> str:
        """The whole position for a terminal, in colour if the game has colours."""
        return str(self.game.describe(state, 0, viewer))

    def own(self, state: State, seat: int) -> tuple[str, ...]:
        """The drawn parts that are a seat's own pieces on the board."""
        return ()

    # ------------------------------------------------------------ the seats

    def goal(self, state: State) -> str:
        """How the game is won and when it ends, in a line."""
        return ""

    def variant(self, state: State) -> str:
        """What rules are played, in a word or two."""
        return ""

    def count(self, state: State) -> str:
        """How far the game is, such as `deck 30`; everybody may know it."""
        return ""

    def tally(self, state: State) -> list[Shape]:
        """The same drawn, in the line at the height `TALLY` of the column."""
        return [Text(LEFT + 12, TALLY, fit(self.count(state), 12, WIDE - 24), 12, SOFT, "start")]

    def doing(self, state: State) -> tuple[str, str]:
        """What the seat on turn has to do, `to play`, and what a person is asked, `play a card`."""
        return "to decide", "choose"

    def seats(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Seat]:
        """Everybody who plays, as the viewer sees them."""
        game, over = self.game, bool(self.game.over(state)[0])
        wins, scores = game.winners(state)[0], game.scores(state)[0]
        on_turn = None if over else int(game.current_player(state)[0])
        note = self.doing(state)[0]
        return [
            Seat(
                name,
                "wins" if wins[seat] else note if seat == on_turn else "",
                seat == on_turn,
                bool(wins[seat]),
                int(scores[seat]) if game.spec.has_points else None,
                int(last.points[seat]) if last and len(last.points) else 0,
            )
            for seat, name in enumerate(names)
        ]

    def hand(self, state: State, viewer: int) -> list[Card]:
        """The cards that a person holds, shown as buttons, in this order."""
        return []

    # ------------------------------------------------------------ decisions

    def choices(self, state: State, names: Sequence[str]) -> list[Choice]:
        """What the seat on turn may do, in the order of the actions.

        The state may be a clone that fits the seat's knowledge: nothing hidden may be told.
        """
        legal, game = self.game.legal(state), self.game
        seat = int(game.current_player(state)[0])
        listed = legal.actions[0, : legal.counts[0]].tolist()
        return [Choice(action, game.told(state, 0, action, seat)) for action in listed]

    def news(self, before: State, action: int, after: State, viewer: int) -> str:
        """What a viewer learns by a decision beyond its words, such as `drew blue 3`.

        The states are the true ones, and so is the action: nothing hidden may be told.
        """
        return ""

    # ------------------------------------------------------------ made of these

    def turn(self, state: State, names: Sequence[str]) -> tuple[str, str]:
        """Whose turn it is, or who has won: a name or names, and what is to be said of them."""
        if not self.game.over(state)[0]:
            return names[int(self.game.current_player(state)[0])], f" {self.doing(state)[0]}"
        winners = [names[seat] for seat in np.flatnonzero(self.game.winners(state)[0]).tolist()]
        if not winners:
            return "", "cut off: nobody wins"
        return ", ".join(winners), " wins" if len(winners) == 1 else " win"

    def scene(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> tuple[Part, ...]:
        """Everything but the ground: the board's parts, and the column beside it."""
        over = bool(self.game.over(state)[0])
        seats = self.seats(state, viewer, last, names)
        beside = column(self.turn(state, names), self.tally(state), seats, last, over)
        return (*self.parts(state, viewer, last, names), *beside)


def table_of(game: Game) -> Table:
    """The table of a game, its own or a plain one."""
    own: Table | None = getattr(game, "table", None)
    return own or Table(game)


def names_of(game: Game, state: State, names: Sequence[str] | None = None) -> list[str]:
    """What those who play are called, fit to be printed: a number if they have no name."""
    players, kind = int(game.players(state)[0]), game.spec.seat_name
    if names is not None and len(names) != players:
        raise ValueError(f"{players} {kind}s need as many names, not {len(names)}")
    given = [_printable(str(name)) for name in names or [""] * players]
    return [name or f"{kind} {seat}" for seat, name in enumerate(given)]


def _printable(name: str) -> str:
    """Without what would break a line, a terminal or an XML file."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name).strip()
