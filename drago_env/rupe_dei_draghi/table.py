"""What people are shown of La rupe dei draghi: the graph, the riders, and decisions in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from drago_env.game import Move, State
from drago_env.pictures.canvas import Part
from drago_env.pictures.column import Card, Fact, Seat
from drago_env.pictures.table import Choice, Option, Table
from drago_env.rupe_dei_draghi import scene, terminal, tokens
from drago_env.rupe_dei_draghi import state as steps
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, ROB, TOP, decode
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import BRIDGE, CLOUD, DRAGON, POINTS, RAINBOW, TELESWAP
from drago_env.rupe_dei_draghi.terminal import card_words
from drago_env.rupe_dei_draghi.visible import Rider, Visible, visible

_EFFECTS = {
    RAINBOW: "lay, move or take off a rainbow",
    BRIDGE: "lay, move or take off a bridge",
    DRAGON: "move a dragon",
    TELESWAP: "change places with a rival",
    CLOUD: "send a rival to a start",
}
_PLAIN = {  # effect, drawn part, key
    RENEW: ("shuffle hand and deck, draw anew; ends the turn", "deck", "n"),
    ROB: ("take cards of rivals; ends the turn", "", "r"),
    TOP: ("", "pile", "t"),
    DONE: ("", "", "d"),
}


class RupeDeiDraghiTable(Table):
    """The table of La rupe dei draghi."""

    rules = """\
- Whoever finds the princess of their colour wins. She is in one of the strongholds (F); you need
  armour to look, and armour is in the castle (C), which only rainbows lead to.
- On your turn play any number of magic cards and then one card of points, or use the top discard,
  or renew your hand, or rob up to three cards.
- Points move your knight exactly so many steps; no space twice. Castle and strongholds are entered
  by the last step only. A star (T) lets you fly to any other for nothing.
- Dragons close spaces; gaps (G) and craters (X) are closed without a bridge. Rainbows join a rock
  (R) with the castle, and after somebody's first look in vain with a stronghold, too.
- A move that ends on a rival's knight sends it to a start, and you may take two of their cards.
- Whoever has looked in vain moves by the points or by twice the points.
- The network of spaces is a reconstruction: the printed one is in no source at hand."""
    legend = """\
Spaces are named by their kind and their quarter, 0 to 3: A0 is the start of quarter 0, F0 its
stronghold, R0 its rock, T0 its star, G0 its gap, X0 its crater; C is the castle. In each quarter
  A - i0 - B - i1 - next A          the inner ring
  B - J1 - J2 - J3 - M - G - F      outwards, and J2 - R
  A - Q1 - X - Q2 - T               to the star
  T - O0 - O1 - O2 - M - O3 - O4 - O5 - next T    the outer ring"""
    options = (
        Option(
            "reuse",
            "A used top discard",
            (("top", "stays on top"), ("under", "goes to the bottom")),
        ),
        Option(
            "stop",
            "After a magic top discard",
            ((True, "the turn may end"), (False, "points must follow")),
        ),
    )

    # ------------------------------------------------------------ the board

    def ground(self, state: State) -> tuple[Part, ...]:
        return scene.ground(self._graph(state))

    def parts(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Part]:
        return scene.parts(visible(self.game, state, viewer, last, names))

    def words(self, state: State, viewer: int | None, names: Sequence[str]) -> str:
        seen = visible(self.game, state, viewer, None, names)
        places = self._graph(state).names
        knights = [
            ", ".join([f"{rider.name} at {places[rider.space]}", *terminal.traits_of(seen, rider)])
            for rider in seen.riders
        ]
        told = [*knights, *terminal.board(seen), *terminal.princesses(seen)]
        return f"The graph, {len(places)} spaces. {'. '.join(told)}."

    def text(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> str:
        return terminal.position(visible(self.game, state, viewer, last, names))

    def own(self, state: State, seat: int) -> tuple[str, ...]:
        return (f"knight-{seat}",)

    def _graph(self, state: State) -> Graph:
        graph: Graph = self.game.row_rules(state, 0).graph
        return graph

    # ------------------------------------------------------------ the riders

    def goal(self, state: State) -> str:
        cap = self.game.row_rules(state, 0).turn_cap
        return (
            "Find the princess of your colour: get armour in the castle, then look into "
            f"strongholds; after {cap} turns nobody wins."
        )

    def variant(self, state: State) -> str:
        rules = self.game.row_rules(state, 0)
        flags = [] if rules.reuse == "top" else ["used discards go under"]
        flags += [] if rules.stop else ["no stop"]
        return ", ".join([rules.graph.name, *flags])

    def count(self, state: State) -> str:
        it, cap = state[0], self.game.row_rules(state, 0).turn_cap
        turn = min(int(it["turns"]) + 1, cap)
        return f"turn {turn} of {cap}, {it['deck_size']} in the deck"

    def doing(self, state: State) -> tuple[str, str]:
        return terminal.DOING[int(state["step"][0])]

    def seats(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Seat]:
        seen = visible(self.game, state, viewer, last, names)
        return [self._seat(seen, rider) for rider in seen.riders]

    def _seat(self, seen: Visible, rider: Rider) -> Seat:
        graph, acts = seen.rules.graph, rider.seat == seen.seat and not seen.over
        note = "wins" if rider.wins else terminal.DOING[seen.step][0] if acts else ""
        known = (f"holds {terminal.cards(rider.known)}",) if rider.known else ()
        cards = f"{rider.cards} card{'' if rider.cards == 1 else 's'}"
        facts = (*terminal.traits_of(seen, rider), cards, *known)
        at = Fact(f"at {graph.names[rider.space]}", scene.tint(graph, rider.colour)[0])
        return Seat(
            rider.name,
            note,
            acts,
            rider.wins,
            facts=(at, *map(Fact, facts)),
            shown=tuple(tokens.card(kind) for kind in rider.known),
            hand=None if rider.hand is None else tuple(tokens.card(kind) for kind in rider.hand),
            held=rider.cards - len(rider.known),
        )

    def hand(self, state: State, viewer: int) -> list[Card]:
        return [tokens.card(kind) for kind in _counted(state["hand"][0, viewer])]

    # ------------------------------------------------------------ decisions

    def choices(self, state: State, names: Sequence[str]) -> list[Choice]:
        return [self._pointed(choice, state, names) for choice in super().choices(state, names)]

    def _pointed(self, choice: Choice, state: State, names: Sequence[str]) -> Choice:
        """A choice with what it does, and the parts of the drawing that it is about."""
        it, graph, action = state[0], self._graph(state), choice.action
        kind, index = decode(action, graph)
        if kind == "card":
            return choice._replace(button=card_words(action), effect=_effect(it, action))
        if kind == "rival":
            rival = (int(it["seat"]) + index) % len(names)
            effect = f"{names[rival]}, {it['hand_size'][rival]} cards"
            return choice._replace(parts=(f"knight-{rival}",), effect=effect)
        if kind in ("site", "space"):
            asked = terminal.DOING[int(it["step"])][1]
            choice = choice._replace(button=asked, asked=f"{asked}, here or on the board")
        if kind == "site":
            label = terminal.site_words(graph, index)
            return choice._replace(parts=(f"site-{index}",), label=label)
        if kind == "space":
            parts = (*_standing(it, index, graph), f"space-{index}")
            effect = _arrival(it, index, graph, names)
            return choice._replace(parts=parts, label=graph.names[index], effect=effect)
        if action == BESIDE:
            rainbow = int(it["step"]) in (steps.RAINBOW_FROM, steps.RAINBOW_TO)
            return choice._replace(parts=("rainbows" if rainbow else "bridges",), key="b")
        effect, part, key = _PLAIN[action]
        if action == TOP:
            effect = _effect(it, int(it["pile"][it["pile_size"] - 1]))
        return choice._replace(effect=effect, parts=(part,) if part else (), key=key)

    def news(self, before: State, action: int, after: State, viewer: int) -> str:
        old, new, graph = before[0], after[0], self._graph(after)
        seat, step = int(old["seat"]), int(old["step"])
        if step == steps.TURN and new["turns"] > old["turns"] and seat == viewer:  # renewed
            return f"drew {terminal.cards(_counted(new['hand'][seat])) or 'nothing'}"
        if step in (steps.ROBBERY, steps.SPOILS):
            more = new["hand"][seat].astype(int) - old["hand"][seat]
            got = _counted(np.maximum(more, 0))
            robbed = bool(new["hand_size"][viewer] != old["hand_size"][viewer])
            return f"it was {terminal.cards(got)}" if got and robbed else ""
        space = int(new["knight"][seat])
        entered = step == steps.MOVE and space != old["knight"][seat]
        if seat == viewer and entered and space in graph.strongholds:
            princess = int(new["princess"][graph.strongholds.index(space)])
            return f"saw the {graph.colours[princess]} princess"
        return ""


def _counted(counts: Any) -> list[int]:
    """Cards counted by kinds, one by one."""
    return np.repeat(np.arange(len(counts)), counts).tolist()


def _standing(it: Any, space: int, graph: Graph) -> list[str]:
    """The pieces on a space: whoever points at one of them means the space."""
    knights = np.flatnonzero(it["knight"][: int(it["players"])] == space).tolist()
    parts = [f"knight-{seat}" for seat in knights]
    parts += [f"dragon-{space}"] if space in it["dragons"].tolist() else []
    closed = int(it["closed"][space // 64]) >> space % 64 & 1
    return [*parts, *([f"bridge-{space}"] if space in graph.bridge_sites and not closed else [])]


def _effect(it: Any, kind: int) -> str:
    """What a card does."""
    if kind < POINTS:
        return _EFFECTS[kind]
    points = kind - POINTS + 1
    steps_far = f"{points} or {2 * points}" if it["doubles"][int(it["seat"])] else f"{points}"
    return f"move {steps_far} step{'' if steps_far == '1' else 's'}; ends the turn"


def _arrival(it: Any, space: int, graph: Graph, names: Sequence[str]) -> str:
    """What a knight meets where it goes."""
    if it["step"] != steps.MOVE:
        return ""
    if graph.kinds[space] == "castle":
        return "" if it["armour"][int(it["seat"])] else "armour"
    if graph.kinds[space] == "stronghold":
        return "look at the princess"
    rivals = [names[s] for s in range(len(names)) if it["knight"][s] == space and s != it["seat"]]
    return f"duel with {rivals[0]}" if rivals else ""
