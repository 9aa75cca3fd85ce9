"""A position drawn: in the terminal, as SVG, as pixels, or in a window."""

from __future__ import annotations

from collections.abc import Sequence

from drago_env.game import State
from drago_env.mount_drago import scene
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import COLOURS, Rules
from drago_env.mount_drago.visible import CODES, DISCARD, OVER, PLAY, Move, Rider, Sight, sight
from drago_env.pictures import canvas

__all__ = ["CODES", "Move", "Picture", "terminal"]

_TINTS = (33, 94, 240, 160, 178, 34, 250, 117, 135, 208)  # of the terminal's 256 colours
_SPACES = {"start": "7", "plain": "", "blue": "44;97", "green": "42;30", "summit": "47;30"}
_MARKS = {"start": " ", "plain": " ", "blue": "b", "green": "g", "summit": "^"}
_ROW, _CELL = 14, 6


class Picture:
    """One position, drawn as often and in as many ways as you like.

    It takes what it needs from one row, so the game may go on. A `viewer` sees his own hand
    only, None sees all; what the viewer may not see is not even kept. `last` is the move that
    led here, and `riders` are names. A notebook shows a picture by itself::

        Picture(game, state, viewer=0, last=Move(1, action, outcome.points[0]))
    """

    def __init__(
        self,
        game: MountDrago,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        riders: Sequence[str] | None = None,
    ) -> None:
        self.sight = sight(game, state, row, viewer, last, riders)

    def ansi(self) -> str:
        """As text for a terminal, in colour; `str(picture)` is the same without colour."""
        return _text(self.sight, colour=True)

    def svg(self) -> str:
        """As the text of an SVG file; nothing needs to be installed for it."""
        return canvas.svg((*scene.ground(self.sight.rules.board), *scene.parts(self.sight)))

    def rgb(self) -> canvas.Pixels:
        """As a fresh array of bytes with the shape (640, 960, 3); needs Pillow."""
        return canvas.pixels(scene.ground(self.sight.rules.board), scene.parts(self.sight))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return _text(self.sight, colour=False)


def terminal(
    game: MountDrago,
    state: State,
    row: int = 0,
    viewer: int | None = None,
    colour: bool = True,
) -> str:
    """One game as text; a `viewer` sees his own hand only, None sees all."""
    return _text(sight(game, state, row, viewer), colour)


def _text(seen: Sight, colour: bool) -> str:
    rules, mounts = seen.rules, seen.mounts
    on_space: dict[int, list[int]] = {}
    for dragon, space in enumerate(seen.dragons):
        on_space.setdefault(space, []).append(dragon)
    starts = range(0, len(rules.board), _ROW)
    lines = [
        line for start in reversed(starts) for line in _path(rules, start, on_space, mounts, colour)
    ]
    left = rules.summit_dragons - seen.summit
    ahead = f"{left} dragon{'s' if left > 1 else ''} from the end" if left else "the game is over"
    lines.append(f"{rules.edition} edition, {seen.deck} cards in the deck, {ahead}")
    if seen.last:
        points = f", points {', '.join(map(str, seen.points))}" if seen.points else ""
        lines.append(f"last move: {seen.last}{points}")
    return "\n".join([*lines, *(_rider(seen, rider, colour) for rider in seen.riders)])


def _rider(seen: Sight, rider: Rider, colour: bool) -> str:
    rules, acts = seen.rules, seen.seat == rider.seat
    notes = {PLAY: "plays", DISCARD: "discards", OVER: "made the last move"}
    name = "" if rider.name == f"rider {rider.seat}" else f", {rider.name}"
    note = f" ({notes[seen.phase]})" if acts and seen.phase in notes else ""
    note += " WINS" if rider.wins else ""
    if rider.hand is None:
        cards = f"{rider.cards} cards"
    else:
        tints = [_TINTS[card // rules.values] for card in rider.hand]
        words = [rules.card_text(card) for card in rider.hand]
        cards = ", ".join(
            _paint(word, f"38;5;{tint}", colour) for word, tint in zip(words, tints, strict=True)
        )
    ridden = COLOURS[rider.top // rules.values]
    mark = ">" if acts else " "
    return (
        f"{mark} rider {rider.seat}{name}{note}: {rider.score} points, on {ridden}; hand: {cards}"
    )


def _path(
    rules: Rules,
    start: int,
    on_space: dict[int, list[int]],
    mounts: dict[int, int],
    colour: bool,
) -> list[str]:
    """One bend of the path: the values, and below them the dragons; every other runs back."""
    spaces = list(range(start, min(start + _ROW, len(rules.board))))
    forward = start // _ROW % 2 == 0
    cells: list[int | None] = [*spaces, *[None] * (_ROW - len(spaces))]
    if not forward:
        cells.reverse()
    line = "-> " if forward else "<- "
    for space in cells:
        if space is None:
            line += " " * _CELL
            continue
        kind = rules.board.kinds[space]
        text = f"{rules.board.values[space]:>3}{_MARKS[kind]}"
        line += _paint(text, _SPACES[kind], colour) + " " * (_CELL - len(text))
    lines = [line.rstrip()]
    for level in range(max(len(on_space.get(space, [])) for space in spaces)):
        line = "   "
        for space in cells:
            there = [] if space is None else on_space.get(space, [])[level : level + 1]
            code = "".join(f"{CODES[d]}@{mounts[d]}" if d in mounts else CODES[d] for d in there)
            style = f"1;38;5;{_TINTS[there[0]]}" if there else ""
            line += _paint(code, style, colour) + " " * (_CELL - len(code))
        lines.append(line.rstrip())
    return [*lines, ""]


def _paint(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour and style else text
