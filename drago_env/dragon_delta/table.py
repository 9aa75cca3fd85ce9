"""What people are shown of Dragon Delta: the delta, the programs, and decisions in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from drago_env.core.layout import named
from drago_env.dragon_delta import actions as meanings
from drago_env.dragon_delta import scene, terminal, visible
from drago_env.dragon_delta.actions import card_text, decode
from drago_env.dragon_delta.cards import card, looks
from drago_env.dragon_delta.news import news
from drago_env.dragon_delta.observation import FEATURES
from drago_env.dragon_delta.rules import MAX_KINDS
from drago_env.dragon_delta.state import (
    LINK,
    MOVE,
    OVER,
    PROGRAM,
    REMOVE,
    STONE,
    VILLAGE,
)
from drago_env.dragon_delta.words import STEPS
from drago_env.game import Move, State
from drago_env.pictures.canvas import Part
from drago_env.pictures.column import Card, Fact, Seat
from drago_env.pictures.table import Choice, Option, Table

_ASKED = (
    "lay a card in your next slot",
    "put a stone on an islet",
    "choose a plank of your reserve",
    "lay the plank on a link",
    "take a plank or a stone from the map",
    "move your pawn",
    "make the first of two steps",
    "make the second step",
    "jump over a pawn",
)
_CARDS = (
    "one stone on an islet",
    "two stones on islets",
    "lay a plank",
    "lay two planks",
    "take a plank or a stone",
    "one step",
    "two steps",
    "over a pawn beside yours",
)


class DragonDeltaTable(Table):
    """The table of Dragon Delta."""

    rules = """\
Bring your pawn into the village opposite yours; the first to enter their goal wins.
- Each round everybody lays five different cards face down, at most one dragon among them. Then all
  first cards are revealed and carried out from the first player on, then all second cards, ...
- Stones go on islets. A plank lies between two stones, or a stone and a village, where its number
  fits; it may not cross another, and a stone or village bears three. A plank that fits nowhere is
  lost.
- remove takes a plank without a pawn into your reserve (each number once, two colours at most), or
  a stone that bears nothing.
- Pawns walk on planks of every colour, one pawn to a plank. Who must move or jump and cannot falls
  into the water and begins at home again.
- A dragon cancels what the player it is against would do in the same slot.
- After the last round the game is cut off, and nobody wins."""
    legend = """\
Islets and villages have numbers; 13-27 is the link between the two. 'red 4' is red's plank 4. A
card that you may not see is a question mark."""
    options = (
        Option(
            "move2_village",
            "The first of two steps",
            ((False, "ends on a plank"), (True, "may enter a village")),
        ),
        Option(
            "long_planks",
            "Planks",
            ((False, "fit their length"), (True, "fit shorter links, too")),
        ),
    )

    def _table(self, state: State) -> visible.Table:
        return visible.Table(state[0], self.game.row_rules(state, 0))

    # ------------------------------------------------------------ the delta

    def ground(self, state: State) -> tuple[Part, ...]:
        return scene.ground(self.game.row_rules(state, 0))

    def parts(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Part]:
        return scene.parts(self._table(state), viewer)

    def text(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> str:
        return terminal.text(self._table(state), viewer, last, names)

    def own(self, state: State, seat: int) -> tuple[str, ...]:
        return (f"pawn-{seat}",)

    # ------------------------------------------------------------ the players

    def goal(self, state: State) -> str:
        rounds = self.game.row_rules(state, 0).max_rounds
        return (
            "Be the first to bring your pawn over planks into the village opposite yours; "
            f"after {rounds} rounds nobody wins."
        )

    def variant(self, state: State) -> str:
        rules = self.game.row_rules(state, 0)
        flags = [name for name in ("move2_village", "long_planks") if getattr(rules, name)]
        return ", ".join([f"map {rules.map.name}", *flags])

    def count(self, state: State) -> str:
        it, table = state[0], self._table(state)
        rules = table.rules
        slot = f", slot {it['slot'] + 1}" if table.revealed else ""
        left = rules.stones - len(table.stones)
        stones = f"{left} stone{'' if left == 1 else 's'} left"
        return f"round {it['round']} of {rules.max_rounds}{slot}, {stones}"

    def doing(self, state: State) -> tuple[str, str]:
        step = int(state["step"][0])
        if step == OVER:
            return "", ""
        return f"to {STEPS[step]}", _ASKED[step]

    def seats(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Seat]:
        table = self._table(state)
        plain = super().seats(state, viewer, last, names)
        return [seat._replace(facts=tuple(_facts(table, n))) for n, seat in enumerate(plain)]

    def hand(self, state: State, viewer: int) -> list[Card]:
        table = self._table(state)
        if table.game["step"] != PROGRAM:
            return []
        rules, laid = table.rules, table.cards(viewer)
        dragons = range(MAX_KINDS, MAX_KINDS + rules.players - 1)
        return [card(n, viewer, rules) for n in (*rules.kinds, *dragons) if n not in laid]

    # ------------------------------------------------------------ decisions

    def choices(self, state: State, names: Sequence[str]) -> list[Choice]:
        game, table = self.game, self._table(state)
        legal = game.legal(state)
        features = game.features(state, legal)[0]
        choices = []
        for place in range(int(legal.counts[0])):
            action = int(legal.actions[0, place])
            kind, index = decode(action, table.rules)
            seen = named(features[place], FEATURES)
            choices.append(
                Choice(
                    action,
                    game.told(state, 0, action, table.seat),
                    _effect(table, kind, index, seen),
                    tuple(_about(table, kind, index)),
                    card_text(index, table.rules, table.seat) if kind == meanings.CARD else "",
                )
            )
        return choices

    def news(self, before: State, action: int, after: State, viewer: int) -> str:
        return "; ".join(news(self._table(before), action, self._table(after)))


def _facts(table: visible.Table, seat: int) -> Iterator[Fact]:
    """A seat's colour, where its pawn is, and how far it has to go."""
    rules = table.rules
    colour, place = rules.colours[seat], table.pawn(seat)
    yield Fact(colour, looks(rules.map.colours)[colour].tint)
    on = f"{'in' if place >= VILLAGE else 'on'} {table.place_text(place)}"
    at = "at home" if place == table.home(seat) else on
    yield Fact(at)
    yield Fact(table.way_text(seat))


def _about(table: visible.Table, kind: str, index: int) -> Iterator[str]:
    """The drawn parts that an action is about."""
    seat, step = table.seat, int(table.game["step"])
    if kind == meanings.CARD:
        yield f"slot-{seat}-{len(table.cards(seat))}"
    elif kind == meanings.PLANK:
        yield f"reserve-{seat}-{index}"
    elif kind == meanings.ISLET:
        yield f"islet-{index}" if step == STONE else f"stone-{index}"
    elif kind == meanings.LINK:
        yield f"link-{index}" if step == LINK else f"plank-{index}"
    else:
        yield f"village-{index}"
    if step >= MOVE:
        yield f"pawn-{seat}"


def _effect(table: visible.Table, kind: str, index: int, seen: Mapping[str, NDArray[Any]]) -> str:
    """What an action does at once, in words."""
    step = int(table.game["step"])
    if kind == meanings.CARD:
        return _CARDS[index] if index < MAX_KINDS else "cancels their card of this slot"
    if kind == meanings.PLANK:
        links = int(seen["links"][0])
        return f"fits {links} link{'' if links == 1 else 's'} now" if links else "no link: lost"
    if step == REMOVE and kind == meanings.LINK:
        return f"{table.plank_text(table.planks[index])} comes to your reserve"
    if step < MOVE:
        return ""
    place = index if kind == meanings.LINK else VILLAGE + index
    wins = table.steps_left(table.seat, place) == 0
    return "wins" if wins else table.way_text(table.seat, place)
