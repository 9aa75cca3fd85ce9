"""Why an action is illegal: the reason in the words of the game, and the clause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drago_env.dragon_delta import actions as meanings
from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.rules import MAX_KINDS, Rules
from drago_env.dragon_delta.state import (
    CUT_OFF,
    FIRST,
    JUMP,
    LINK,
    OVER,
    PLANK,
    PROGRAM,
    REMOVE,
    STONE,
    VILLAGE,
)
from drago_env.dragon_delta.visible import Table
from drago_env.dragon_delta.words import KINDS, ON_FOOT, STEPS

Reason = tuple[str, str]


def reason(game: Any, action: int, rules: Rules) -> Reason:
    """Why the seat on turn may not do this; only for actions that are illegal."""
    table, step = Table(game, rules), int(game["step"])
    if step == OVER:
        return "the game is over", "8.3" if game["end"] == CUT_OFF else "8.1"
    kind, index = meanings.decode(action, rules)
    if kind not in KINDS.get(step, ON_FOOT):
        return f"it is time to {STEPS[step]}", "11.2"
    reasons = {PROGRAM: _program, STONE: _stone, PLANK: _plank, LINK: _link, REMOVE: _remove}
    if step in reasons:
        return next(reasons[step](table, kind, index))
    return next(_on_foot(table, kind, index, step))


def _program(table: Table, kind: str, card: int) -> Iterator[Reason]:
    rules, laid = table.rules, table.cards(table.seat)
    if card < MAX_KINDS and card not in rules.kinds:
        yield "these rules have no such card", "12.1"
    if card >= MAX_KINDS + rules.players - 1:
        yield f"only {rules.players} play", "2.3"
    if card in laid:
        yield "it is laid already", "4.2"
    yield "a dragon is laid already, and at most one may be", "4.2"


def _stone(table: Table, kind: str, islet: int) -> Iterator[Reason]:
    yield "there is a stone already", "6.1"


def _plank(table: Table, kind: str, number: int) -> Iterator[Reason]:
    yield "it is not in the reserve", "6.3"


def _link(table: Table, kind: str, link: int) -> Iterator[Reason]:
    board, number = table.rules.map, int(table.game["chosen"])
    a, b, fits = board.links[link]
    if number not in fits and not (table.rules.long_planks and number > max(fits)):
        short = number < min(fits)
        yield (
            "too short" if short else "too long" if number > max(fits) else "it does not fit",
            "6.3",
        )
    for node in (a, b):
        if node < len(board.islets) and node not in table.stones:
            yield f"there is no stone on {board.node_text(node)}", "6.3"
    if link in table.planks:
        yield "a plank lies there already", "6.3"
    for one, other in board.crossings:
        if link in (one, other) and one + other - link in table.planks:
            yield f"it would cross the plank on {board.link_text(one + other - link)}", "6.3"
    for node in (a, b):
        if table.bears(node) >= table.rules.support:
            text = board.node_text(node)
            yield f"{text} bears {table.rules.support} planks already", "6.3"


def _remove(table: Table, kind: str, index: int) -> Iterator[Reason]:
    if kind == meanings.ISLET:
        if index not in table.stones:
            yield "there is no stone", "6.5"
        yield "the stone bears a plank", "6.5"
    if index not in table.planks:
        yield "no plank lies there", "6.5"
    if index in table.game["pawn"]:
        yield "a pawn stands on it", "6.5"
    _, number = table.planks[index]
    if any(held == number for _, held in table.reserve(table.seat)):
        yield f"the reserve holds a plank {number} already", "6.5"
    yield "the reserve would hold three colours", "6.5"


def _on_foot(table: Table, kind: str, index: int, step: int) -> Iterator[Reason]:
    clause = {JUMP: "6.8", FIRST: "6.7"}.get(step, "6.6")
    place = index if kind == meanings.LINK else VILLAGE + index
    if place < MAX_LINKS and place not in table.planks:
        yield "no plank lies there", clause
    if place < MAX_LINKS and place in table.game["pawn"]:
        yield "a pawn stands there", clause
    if step == JUMP:
        yield "no pawn next to the own one is jumped over to get there", clause
    if place == table.game["origin"] and step != FIRST:
        yield "the second step may not lead back while there is another", "6.7"
    if step == FIRST and kind == meanings.VILLAGE and not table.rules.move2_village:
        yield "the first step must lead onto a plank", "6.7"
    yield f"it is not next to {table.place_text(table.pawn(table.seat))}", "6.6"
