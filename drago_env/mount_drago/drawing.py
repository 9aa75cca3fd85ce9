"""A position drawn in the terminal: the winding path, the dragons on it, the riders."""

from __future__ import annotations

from drago_env.game import State
from drago_env.mount_drago import kernel
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import COLOURS, Rules

CODES = ("bu", "br", "bk", "re", "ye", "gn", "gy", "lb", "pu", "or")  # beside each colour's tint
_TINTS = (33, 94, 240, 160, 178, 34, 250, 117, 135, 208)  # of the terminal's 256 colours
_SPACES = {"start": "7", "plain": "", "blue": "44;97", "green": "42;30", "summit": "47;30"}
_MARKS = {"start": " ", "plain": " ", "blue": "b", "green": "g", "summit": "^"}
_ROW, _CELL = 14, 6


def terminal(
    game: MountDrago,
    state: State,
    row: int = 0,
    viewer: int | None = None,
    colour: bool = True,
) -> str:
    """One game as text; a `viewer` sees his own hand only, None sees all."""
    rules, it = game.row_rules(state, row), state[row]
    riders = {int(it["top"][s]) // rules.values: s for s in range(rules.players)}
    on_space: dict[int, list[str]] = {}
    for dragon, space in enumerate(it["position"][: rules.colours].tolist()):
        rider = riders.get(dragon)
        code = CODES[dragon] + ("" if rider is None else f"@{rider}")
        on_space.setdefault(space, []).append(_paint(code, f"1;38;5;{_TINTS[dragon]}", colour))
    starts = range(0, len(rules.board), _ROW)
    lines = [line for start in reversed(starts) for line in _path(rules, start, on_space, colour)]
    step = ("plays", "discards", "made the last move")[int(it["phase"])]
    left = rules.summit_dragons - int(it["summit"])
    lines.append(
        f"{rules.edition} edition, {it['deck_size']} cards in the deck, "
        + (f"{left} dragons from the end" if left else "the game is over")
    )
    for seat in range(rules.players):
        hand = it["hand"][seat, : it["hand_size"][seat]].tolist()
        seen = viewer is None or viewer == seat
        cards = ", ".join(map(rules.card_text, hand)) if seen else f"{len(hand)} cards"
        mark = ">" if seat == it["seat"] else " "
        note = f" ({step})" if seat == it["seat"] else ""
        if it["phase"] == kernel.OVER and game.winners(state[row : row + 1])[0, seat]:
            note += " WINS"
        ridden = COLOURS[int(it["top"][seat]) // rules.values]
        lines.append(
            f"{mark} rider {seat}{note}: {it['score'][seat]} points, on {ridden}; hand: {cards}"
        )
    return "\n".join(lines)


def _path(rules: Rules, start: int, on_space: dict[int, list[str]], colour: bool) -> list[str]:
    """One bend of the path: the values, and below them the dragons; every other runs back."""
    spaces = list(range(start, min(start + _ROW, len(rules.board))))
    forward = start // _ROW % 2 == 0
    cells: list[int | None] = [*spaces, *[None] * (_ROW - len(spaces))]
    if not forward:
        cells.reverse()
    height = max([len(on_space.get(space, [])) for space in spaces])
    values = []
    for space in cells:
        if space is None:
            values.append(" " * _CELL)
            continue
        kind = rules.board.kinds[space]
        text = f"{rules.board.values[space]:>3}{_MARKS[kind]}"
        values.append(_paint(text, _SPACES[kind], colour) + "  ")
    lines = [("-> " if forward else "<- ") + "".join(values).rstrip()]
    for level in range(height):
        line = ""
        for space in cells:
            there = on_space.get(space, []) if space is not None else []
            code = there[level] if level < len(there) else ""
            line += code + " " * (_CELL - _width(code))
        lines.append("   " + line.rstrip())
    return [*lines, ""]


def _paint(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour and style else text


def _width(text: str) -> int:
    return len(text.split("m", 1)[1].split("\x1b")[0]) if "\x1b" in text else len(text)
