"""A position in the terminal: the path with its values, the dragons below, and the riders.

No line is longer than 80 letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from drago_env.mount_drago.rules import COLOURS, Rules
from drago_env.mount_drago.visible import CODES, DISCARD, OVER, PLAY, Rider, Visible

_TINTS = (33, 94, 240, 160, 178, 34, 250, 117, 135, 208)  # of the terminal's 256 colours
_CARD = re.compile(r"[a-z]+ \d")
_SPACES = {"start": "7", "plain": "", "blue": "44;97", "green": "42;30", "summit": "47;30"}
_MARKS = {"start": " ", "plain": " ", "blue": "b", "green": "g", "summit": "^"}
_ROW, _CELL, _WIDTH = 14, 5, 80


def text(seen: Visible) -> str:
    """The position for a terminal, in colour."""
    rules, mounts = seen.rules, seen.mounts
    on_space: dict[int, list[int]] = {}
    for dragon, space in enumerate(seen.dragons):
        on_space.setdefault(space, []).append(dragon)
    starts = range(0, len(rules.board), _ROW)
    lines = [line for start in reversed(starts) for line in _path(rules, start, on_space, mounts)]
    left = rules.summit_dragons - seen.summit
    ahead = f"{left} dragon{'s' if left > 1 else ''} from the end" if left else "the game is over"
    lines.append(f"{rules.edition} edition, {seen.deck} cards in the deck, {ahead}")
    if seen.last:
        points = ", ".join(map(str, seen.last.points)) if any(seen.last.points) else ""
        words = f"last move: {seen.riders[seen.last.seat].name}: {seen.last.text}"
        lines += _wrapped(f"{words}, points {points}" if points else words)
    return "\n".join([*lines, *(line for rider in seen.riders for line in _rider(seen, rider))])


def _wrapped(words: str) -> list[str]:
    return wrap(words, _WIDTH, subsequent_indent="    ", drop_whitespace=True)


def _rider(seen: Visible, rider: Rider) -> Iterator[str]:
    """What is said of a rider; cards are painted once the lines are cut."""
    rules, acts = seen.rules, seen.seat == rider.seat
    notes = {PLAY: "plays", DISCARD: "discards", OVER: "made the last move"}
    name = "" if rider.name == f"rider {rider.seat}" else f", {rider.name}"
    note = f" ({notes[seen.phase]})" if acts and seen.phase in notes else ""
    note += " WINS" if rider.wins else ""
    held = [] if rider.hand is None else [rules.card_text(card) for card in rider.hand]
    cards = f"{rider.cards} cards" if rider.hand is None else ", ".join(held)
    ridden = COLOURS[rider.top // rules.values]
    mark = ">" if acts else " "
    about = f"{mark} rider {rider.seat}{name}{note}: {rider.score} points, on {ridden}; hand: "
    whole = about + cards.replace(" ", "\xa0").replace(",\xa0", ", ")  # a card stays in one line
    tints = {rules.card_text(c): f"38;5;{_TINTS[c // rules.values]}" for c in rider.hand or ()}
    rest = len(about)
    for line in _wrapped(whole):
        plain = line.replace("\xa0", " ")
        head, tail = plain[:rest], plain[rest:]  # a name may look like a card
        yield head + _CARD.sub(lambda found: _paint(found[0], tints.get(found[0], "")), tail)
        rest = max(rest - len(line), 0)


def _path(
    rules: Rules,
    start: int,
    on_space: dict[int, list[int]],
    mounts: dict[int, int],
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
        line += _paint(text, _SPACES[kind]) + " " * (_CELL - len(text))
    lines = [line.rstrip()]
    for level in range(max(len(on_space.get(space, [])) for space in spaces)):
        line = "   "
        for space in cells:
            there = [] if space is None else on_space.get(space, [])[level : level + 1]
            code = "".join(f"{CODES[d]}@{mounts[d]}" if d in mounts else CODES[d] for d in there)
            style = f"1;38;5;{_TINTS[there[0]]}" if there else ""
            line += _paint(code, style) + " " * (_CELL - len(code))
        lines.append(line.rstrip())
    return [*lines, ""]


def _paint(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style else text
