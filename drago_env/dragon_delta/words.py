"""Decisions and positions in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drago_env.dragon_delta import actions as meanings
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import (
    CUT_OFF,
    JUMP,
    LINK,
    MOVE,
    NOWHERE,
    OVER,
    PLANK,
    PROGRAM,
    REMOVE,
    STONE,
    VILLAGE,
    WON,
)
from drago_env.dragon_delta.visible import Table

# what each step is about: the kinds of actions, and what to say to someone who wants another one
KINDS = {
    PROGRAM: (meanings.CARD,),
    STONE: (meanings.ISLET,),
    PLANK: (meanings.PLANK,),
    LINK: (meanings.LINK,),
    REMOVE: (meanings.ISLET, meanings.LINK),
}
ON_FOOT = (meanings.LINK, meanings.VILLAGE)
STEPS = (
    "program a card",
    "put a stone",
    "choose a plank",
    "lay the chosen plank",
    "remove a plank or a stone",
    "move",
    "make the first step of move2",
    "make the second step of move2",
    "jump",
)


def decision(game: Any, action: int, rules: Rules) -> str:
    """An action in the words of the step in which it is made."""
    kind, _ = meanings.decode(action, rules)
    text, step = meanings.text(action, rules, int(game["seat"])), int(game["step"])
    if kind not in KINDS.get(step, ON_FOOT) or step == OVER or kind == meanings.CARD:
        return text
    if step == STONE:
        return f"put a stone on {text}"
    if step == PLANK:
        return f"choose {text}"
    if step == LINK:
        return f"lay plank {game['chosen']} on {text}"
    if step == REMOVE:
        return f"take the {'plank' if kind == meanings.LINK else 'stone'} from {text}"
    verb = "jump" if step == JUMP else "move"
    return f"{verb} {'onto' if kind == meanings.LINK else 'into'} {text}"


def position(game: Any, rules: Rules, viewer: int | None = None) -> str:
    """A position in words; a viewer is told the cards that their seat knows, None all."""
    return "\n".join(_lines(Table(game, rules), viewer))


def _lines(table: Table, viewer: int | None) -> Iterator[str]:
    game, rules = table.game, table.rules
    colours, first = rules.colours, int(game["first"])
    slot = "" if game["step"] == PROGRAM else f", slot {game['slot'] + 1} of {rules.slots}"
    yield f"round {game['round']} of {rules.max_rounds}{slot}, {colours[first]} is first player"
    yield _turn(table)
    yield f"stones: {' '.join(map(str, table.stones)) or 'none'}"
    board = rules.map
    laid = [
        f"{board.link_text(link)} {table.plank_text(plank)}"
        for link, plank in sorted(table.planks.items())
    ]
    yield f"planks: {', '.join(laid) or 'none'}"
    lost = ", ".join(map(table.plank_text, table.lost))
    if lost:
        yield f"lost: {lost}"
    for seat, colour in enumerate(colours):
        held = ", ".join(map(table.plank_text, table.reserve(seat))) or "nothing"
        yield f"{colour}: {_where(table, seat)}, holds {held}" + _cards(table, seat, viewer)


def _where(table: Table, seat: int) -> str:
    place = table.pawn(seat)
    return f"{'in' if place >= VILLAGE else 'on'} {table.place_text(place)}"


def _turn(table: Table) -> str:
    game, colour = table.game, table.rules.colours[table.seat]
    if game["end"] == WON:
        return f"{colour} has won"
    if game["end"] == CUT_OFF:
        return "the game was cut off"
    text = f"{colour} is to {STEPS[int(game['step'])]}"
    if game["chosen"]:
        text += f", number {game['chosen']}"
    if game["left"] > 1:
        text += f" ({game['left']} left)"
    if game["origin"] != NOWHERE and game["step"] > MOVE + 1:
        text += f" from {table.place_text(int(game['origin']))}"
    return text


def _cards(table: Table, seat: int, viewer: int | None) -> str:
    """The cards of a seat, those that the viewer does not know as a question mark."""
    words = [
        "?" if card is None else meanings.card_text(card, table.rules, seat)
        for card in table.known(seat, viewer)
    ]
    return f"; cards: {', '.join(words)}" if words else ""
