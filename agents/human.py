"""A person at the terminal: sees the position, and types a number or a move in words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from drago_env.game import Legal
from drago_env.mount_drago.observation import FEATURES, named
from drago_env.policy import View

PROMPT = "your move (? for help, q to leave): "
HELP = """\
Type the number of a move, or the move in words: 'blue 3', 'blue 3 keep', 'discard red 2', 'done'.
Beginnings of words will do where only one move fits them. Where you may take a dragon or keep
your own, 'blue 3' takes it and 'blue 3 keep' keeps yours. ? shows this text, q leaves the game.

In the picture bu@0 is the blue dragon with rider 0 on it, b a blue space, g a green one, ^ the
summit; the numbers are the values of the spaces.

- A card moves the dragon of its colour by its value. If nobody else rides that dragon, you now do.
- You may keep your own dragon only if the one that moves was in last place and nobody rode it.
- Points come when the moved dragon lands: on blue each rider gets the value of his dragon's space
  if it is 3 or less; on green, or when it reaches the summit, whatever it is.
- After a scoring you draw no card, so a short hand is the price of points.
- The game ends at once when the last dragon that it waits for reaches the summit."""

_COLOURING = re.compile(r"\x1b\[[\d;]*m")
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
        legal = view.game.legal(view.state)
        features = view.game.features(view.state, legal)
        chosen = np.empty(len(mask), np.int64)
        for row in range(len(mask)):
            if len(mask) > 1:
                self._write(f"\ngame {row + 1} of {len(mask)}")
            moves = _moves(view, row, legal)
            self._show(view, row, moves, features[row])
            chosen[row] = moves[self._choice(list(moves))]
        return chosen

    def _show(
        self, view: View, row: int, moves: Mapping[str, int], features: NDArray[np.float32]
    ) -> None:
        seat = int(view.game.current_player(view.state)[row])
        players = int(view.game.players(view.state)[row])
        picture = view.game.draw(view.state, row, viewer=seat).ansi()
        self._write("\n" + (picture if self.colour else _COLOURING.sub("", picture)))
        self._write(f"\nyou are rider {seat}; your moves:")
        names = ["you", *(f"rider {(seat + k) % players}" for k in range(1, players))]
        width = max(map(len, moves))
        for number, (text, vector) in enumerate(zip(moves, features, strict=False), 1):
            words = effect(named(vector, FEATURES), names)
            self._write(f"{number:>4}  {text:<{width}}  {words}".rstrip())

    def _choice(self, moves: Sequence[str]) -> str:
        """Asks until the answer is one of the moves."""
        while True:
            line = self._line().strip().lower()
            if line in ("q", "quit"):
                raise Quit("you left the game")
            if line in ("?", "help"):
                self._write(HELP)
                continue
            fitting = find(line, moves)
            if len(fitting) == 1:
                return fitting[0]
            self._write(_complaint(line, fitting, len(moves)))

    def _line(self) -> str:
        try:
            return self._read(PROMPT)
        except (EOFError, KeyboardInterrupt):
            raise Quit("you left the game") from None
        except UnicodeDecodeError:  # bytes that are no text: as bad as any other bad line
            return "\N{REPLACEMENT CHARACTER}"


def find(line: str, moves: Sequence[str]) -> list[str]:
    """The moves that a line may mean: by their number from 1, or by beginnings of their words.

    A move that all the others only go on from is the one that is meant: `play blue 3` rather
    than `play blue 3 and keep`, as in clause 10.1.
    """
    by_number = {str(number): move for number, move in enumerate(moves, 1)}
    if line in by_number:
        return [by_number[line]]
    if not re.fullmatch(r"[a-z\d\s,]*[a-z][a-z\d\s,]*", line, re.ASCII):
        return []
    said = " ".join(_WORDS.findall(line)).replace("light blue", "lightblue").split()
    fitting = [move for move in moves if _fits(said, move.split())]
    if fitting and all(move.startswith(fitting[0]) for move in fitting):
        return fitting[:1]
    return fitting


def _fits(said: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words go through all that was said, in its order."""
    rest = iter(words)
    return all(any(word.startswith(part) for word in rest) for part in said)


def _moves(view: View, row: int, legal: Legal) -> dict[str, int]:
    """The legal actions by their words; of two that begin alike, the shorter comes first."""
    listed = legal.actions[row, : legal.counts[row]].tolist()
    return {view.game.action_text(action): action for action in listed}


def effect(seen: Mapping[str, NDArray[np.int64]], names: Sequence[str]) -> str:
    """What a move does at once, in words; nothing for a discard.

    `seen` are its features by name, `names` those of the riders, the one on turn first.
    """
    if seen["discards"][0] or seen["done"][0]:
        return ""
    words = []
    if seen["trigger"][0]:
        words.append(_scoring(seen["points"], names))
    if seen["ends"][0]:
        return f"{words[0]}; the game ends"
    if seen["no_draw"][0]:
        words.append("no draw")
    stands = "you change to it," if seen["changes"][0] else "you stay"
    return "; ".join([*words, f"{stands} on a {seen['own_value'][0]}"])


def _scoring(points: NDArray[np.int64], names: Sequence[str]) -> str:
    """Who gets what."""
    gains = [f"{name} {gain:+d}" for name, gain in zip(names, points, strict=False) if gain]
    return ", ".join(gains) or "a scoring, but no points"


def _complaint(line: str, fitting: Sequence[str], count: int) -> str:
    if fitting:
        return f"{line!a:.40} may mean: {', '.join(fitting)}. Say a little more."
    allowed = "1" if count == 1 else f"1 to {count}"
    return f"{line!a:.40} is none of your moves: type {allowed}, or a move in words; ? for help"


def make() -> Human:
    """The policy `human`, in colour where the terminal shows it."""
    return Human(colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
