"""A person at the terminal: sees the position, and types a number or a move in words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from drago_env.games import DEFAULT, GAMES
from drago_env.moved import moved
from drago_env.pictures.picture import plain
from drago_env.pictures.table import Choice, names_of, table_of
from drago_env.policy import Policy, View

PROMPT = "your move (? for help, q to leave): "
HELP = """\
Type the number of a move, or the move in words. Beginnings of words will do where only one move
fits them. ? shows this text, q leaves the game."""
WIDTH = 80  # of a terminal
_WORDS = re.compile(r"[a-z]+|\d+")


class Quit(Exception):  # noqa: N818  (a wish, not a fault)
    """The person left the table; the game itself is as it was before the question."""


class Human:
    """Asks a person for every move.

    `read` takes the prompt and answers with a line, as `input` does; `write` takes a text, as
    `print` does. Leaving, by `q`, the end of the input or Ctrl-C, raises `Quit`.
    """

    name = "human"
    plans = True  # a picture needs the position, of which the view hides what the seat cannot see

    def __init__(
        self,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
        colour: bool = True,
    ) -> None:
        self._read, self._write, self.colour = read, write, colour

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        view: View | None = None,
    ) -> NDArray[np.int64]:
        if view is None:
            raise ValueError("a person needs a view to look at: ask through drago_env.policy.ask")
        chosen = np.empty(len(mask), np.int64)
        for row in range(len(mask)):
            if len(mask) > 1:
                self._write(f"\ngame {row + 1} of {len(mask)}")
            chosen[row] = int(self.choose(View(view.game, view.state[row : row + 1])))
        return chosen

    def choose(
        self,
        view: View,
        names: Sequence[str] | None = None,
        wishes: Mapping[str, str] | None = None,
        more: str = "",
        shown: bool = False,
    ) -> int | str:
        """Shows one game and asks for a move; the action, or a wish by its letter.

        `wishes` are words by their letters, and `more` explains them; `names` are those who play.
        What was `shown` already is only asked about.
        """
        game, state, table = *view, table_of(view.game)
        seat, kind = int(game.current_player(state)[0]), game.spec.seat_name
        if names is None:
            plain_names = names_of(game, state)
            names = ["you" if s == seat else name for s, name in enumerate(plain_names)]
        choices = table.choices(state, names)
        if not shown:
            self.show("\n" + table.text(state, seat, None, names))
            self._write(f"\nyou are {kind} {seat}; your moves:")
            self._list(choices)
        moves = {choice.text: choice.action for choice in choices}
        help = "\n\n".join(filter(None, (HELP, more, table.legend, table.rules)))
        line = self._choice(list(moves), help, wishes or {})
        return moves.get(line, line)

    def say(self, *lines: str) -> None:
        for line in lines:
            self._write(line)

    def show(self, picture: str) -> None:
        """A text in colour, or without where the terminal shows none."""
        self._write(picture if self.colour else plain(picture))

    def _list(self, choices: Sequence[Choice]) -> None:
        """Shows the moves, with what each brings."""
        width = max(len(choice.text) for choice in choices)
        for number, choice in enumerate(choices, 1):
            line = f"{number:>4}  {choice.text:<{width}}  {choice.effect}".rstrip()
            self._write("\n".join(wrap(line, WIDTH, subsequent_indent=" " * min(width + 8, 40))))

    def _choice(self, moves: Sequence[str], help: str, wishes: Mapping[str, str]) -> str:
        """Asks until the answer is one of the moves, or a wish."""
        asked = ", ".join(f"{letter} for {wish}" for letter, wish in wishes.items())
        prompt = PROMPT.replace("? for help", f"? for help, {asked}") if asked else PROMPT
        while True:
            line = self._line(prompt).strip().lower()
            if line in ("q", "quit"):
                raise Quit("you left the game")
            if line in wishes:
                return line
            if line in ("?", "help"):
                self._write(help)
                continue
            fitting = find(line, moves)
            if len(fitting) == 1:
                return fitting[0]
            self._write(_complaint(line, fitting, len(moves)))

    def _line(self, prompt: str) -> str:
        try:
            return self._read(prompt)
        except (EOFError, KeyboardInterrupt):
            raise Quit("you left the game") from None
        except UnicodeDecodeError:  # bytes that are no text: as bad as any other bad line
            return "\N{REPLACEMENT CHARACTER}"


def find(line: str, moves: Sequence[str]) -> list[str]:
    """The moves that a line may mean: by their number from 1, or by beginnings of their words.

    A move that all the others only go on from is the one that is meant: `play blue 3` rather
    than `play blue 3 and keep`.
    """
    by_number = {str(number): move for number, move in enumerate(moves, 1)}
    if line in by_number:
        return [by_number[line]]
    if not re.fullmatch(r"[a-z\d\s,]*[a-z][a-z\d\s,]*", line, re.ASCII):
        return []
    said = _WORDS.findall(line)
    fitting = [move for move in moves if _fits(said, move.lower().split())]
    if fitting and all(move.startswith(fitting[0]) for move in fitting):
        return fitting[:1]
    return fitting


def _fits(said: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words go through all that was said, in its order.

    What goes on inside a word may be said apart: `light blue` for `lightblue`.
    """
    rest, word = iter(words), ""
    for part in said:
        while not word.startswith(part):
            word = next(rest, "\0")
            if word == "\0":
                return False
        word = word[len(part) :]
    return True


def _complaint(line: str, fitting: Sequence[str], count: int) -> str:
    if fitting:
        return f"{line!a:.40} may mean: {', '.join(fitting)}. Say a little more."
    allowed = "1" if count == 1 else f"1 to {count}"
    return f"{line!a:.40} is none of your moves: type {allowed}, or a move in words; ? for help"


def at_terminal() -> Policy:
    """The policy `human`, in colour where the terminal shows it."""
    return Human(colour=in_colour())


def in_colour() -> bool:
    """Whether the terminal shows colours."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


make = at_terminal


__getattr__ = moved(__name__, {"effect": f"{GAMES[DEFAULT]}.table:effect"})
