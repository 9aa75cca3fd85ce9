"""One position as readable text, for tests, bug reports and notebooks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from drago_env.game import State
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import COLOURS, Rules
from drago_env.mount_drago.state import DISCARD, EMPTY, PHASES
from drago_env.mount_drago.storage import StateError, check

FORMAT = "drago-position/1"


def write(game: MountDrago, state: State, row: int = 0) -> str:
    """One game as readable text, complete: `read` gives back the very same state."""
    rules, it = game.row_rules(state, row), state[row]

    def cards(kinds: Any) -> str:
        return ", ".join(rules.card_text(int(card)) for card in kinds)

    turn = f"seat {it['seat']}, {PHASES[it['phase']]}"
    if it["phase"] == DISCARD:
        turn += f", {it['discarded']} discarded"
    dragons = zip(COLOURS, it["position"][: rules.colours], strict=False)
    lines = [
        FORMAT,
        f"rules: {rules.edition}, {rules.players} players, {rules.colours} colours, copies "
        f"{' '.join(map(str, rules.copies))}, hand {rules.hand}, "
        f"summit dragons {rules.summit_dragons}",
        "board: " + ", ".join(f"{value} {kind}" for value, kind in rules.board.pairs()),
        f"turn: {turn}",
        "dragons: " + ", ".join(f"{colour} {space}" for colour, space in dragons),
    ]
    for seat in range(rules.players):
        hand = it["hand"][seat, : it["hand_size"][seat]]
        lines += [
            f"seat {seat}: {it['score'][seat]} points, rides {cards(it['top'][seat : seat + 1])}",
            f"hand {seat}: {cards(hand)}",
        ]
    lines += [
        f"covered: {cards(np.repeat(np.arange(len(it['pile'])), it['pile']))}",
        f"deck: {cards(it['deck'][: it['deck_size']])}",
        f"drawn: {cards(it['drawn'][: it['drawn_size']])}",
        f"chance: {int(it['rng']):#018x}",
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def read(text: str) -> tuple[MountDrago, State]:
    """The position of such a text, as a batch of one game.

    Lines may stand in any order after the first. `covered`, `drawn` and `chance` may be left
    out (nothing, nothing, 0), and so may `deck`: then it holds all the cards not named.
    """
    lines: dict[str, tuple[int, str]] = {}
    numbered = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]
    numbered = [(n, line) for n, line in numbered if line and not line.startswith("#")]
    if not numbered or numbered[0][1] != FORMAT:
        raise StateError(f"a position starts with the line {FORMAT!r}")
    for n, line in numbered[1:]:
        key, colon, rest = line.partition(":")
        if not colon or key.strip() in lines:
            raise StateError(f"line {n}: expected a new 'key: value', found {line!r:.60}")
        lines[key.strip()] = (n, rest.strip())

    def value(key: str, parse: Callable[[str], Any], default: Any = None) -> Any:
        if key not in lines:
            if default is not None:
                return default
            raise StateError(f"the line '{key}: ...' is missing")
        n, rest = lines.pop(key)
        try:
            return parse(rest)
        except ValueError as error:
            raise StateError(f"line {n}: {error}") from None

    board = value("board", _parse_board)
    rules: Rules = value("rules", lambda rest: _parse_rules(rest, board))
    game = MountDrago(rules)
    state = game.new(0)
    it = state[0]

    def cards(rest: str) -> list[int]:
        named = [rules.card(word) for word in rest.split(",") if word.strip()]
        if len(named) > rules.cards:
            raise ValueError(f"{len(named)} cards are more than the game has ({rules.cards})")
        return named

    def handful(rest: str) -> list[int]:
        if len(named := cards(rest)) > rules.hand:
            raise ValueError(f"{len(named)} cards are more than a hand holds ({rules.hand})")
        return named

    def fill(target: Any, values: list[int]) -> int:
        target[:] = EMPTY
        target[: len(values)] = values
        return len(values)

    it["seat"], it["phase"], it["discarded"] = value("turn", _parse_turn)
    it["position"][: rules.colours] = value("dragons", lambda rest: _parse_dragons(rest, rules))
    left = np.tile(rules.copies, rules.colours)
    for seat in range(rules.players):
        score, top = value(f"seat {seat}", lambda rest: _parse_seat(rest, rules))
        hand = sorted(value(f"hand {seat}", handful))
        it["score"][seat], it["top"][seat] = score, top
        it["hand_size"][seat] = fill(it["hand"][seat], hand)
        np.subtract.at(left, [top, *hand], 1)
    it["pile"] = np.bincount(value("covered", cards, []), minlength=len(it["pile"]))
    left -= it["pile"][: rules.card_kinds]
    others = np.repeat(np.arange(rules.card_kinds), np.maximum(left, 0)).tolist()
    it["deck_size"] = fill(it["deck"], value("deck", cards, others))
    it["drawn_size"] = fill(it["drawn"], value("drawn", handful, []))
    it["rng"] = value("chance", _parse_chance, 0)
    it["summit"] = int((it["position"][: rules.colours] >= rules.board.summit).sum())
    if lines:
        key, (n, _) = next(iter(lines.items()))
        raise StateError(f"line {n}: unknown key {key!r}")
    check(game, state)
    return game, state


def _match(pattern: str, rest: str, example: str) -> tuple[Any, ...]:
    found = re.fullmatch(pattern, rest)
    if not found:
        raise ValueError(f"expected something like {example!r}, found {rest!r:.60}")
    return found.groups()


def _parse_board(rest: str) -> Board:
    spaces = [_match(r"(-?\d+) (\w+)", word.strip(), "3 blue") for word in rest.split(",")]
    return Board.from_pairs([(int(value), kind) for value, kind in spaces])


def _parse_rules(rest: str, board: Board) -> Rules:
    edition, players, colours, copies, hand, summit_dragons = _match(
        r"(\w+), (\d+) players, (\d+) colours, copies ([\d ]+), hand (\d+), summit dragons (\d+)",
        rest,
        "german, 2 players, 10 colours, copies 2 2 3 2 2, hand 6, summit dragons 3",
    )
    numbers = tuple(int(number) for number in copies.split())
    return Rules(
        int(players), edition, board, int(colours), numbers, int(hand), int(summit_dragons)
    )


def _parse_turn(rest: str) -> tuple[int, int, int]:
    seat, phase, discarded = _match(
        r"seat (\d), (play|discard|over)(?:, (\d) discarded)?", rest, "seat 0, play"
    )
    return int(seat), PHASES.index(phase), int(discarded or 0)


def _parse_chance(rest: str) -> int:
    (digits,) = _match(r"0x([0-9a-f]{1,16})", rest, "0x0123456789abcdef")
    return int(digits, 16)


def _parse_dragons(rest: str, rules: Rules) -> list[int]:
    pairs = [_match(r"(\w+) (\d{1,3})", word.strip(), "blue 3") for word in rest.split(",")]
    spaces, wanted = dict(pairs), COLOURS[: rules.colours]
    if sorted(colour for colour, _ in pairs) != sorted(wanted):
        raise ValueError(f"expected one space for each of {', '.join(wanted)}")
    if max(int(space) for space in spaces.values()) > rules.board.last:
        raise ValueError(f"the last space is {rules.board.last}")
    return [int(spaces[colour]) for colour in wanted]


def _parse_seat(rest: str, rules: Rules) -> tuple[int, int]:
    points, top = _match(r"(-?\d{1,5}) points, rides (\w+ \d+)", rest, "3 points, rides blue 1")
    return int(points), rules.card(top)
