"""What people are shown of Mount Drago: the mountain, the riders, and their moves in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.layout import named
from drago_env.game import Move, State
from drago_env.mount_drago import scene, terminal
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, TO_KEEP, decode
from drago_env.mount_drago.observation import FEATURES
from drago_env.mount_drago.rules import COLOURS, EDITIONS, Rules, landing
from drago_env.mount_drago.visible import DISCARD, OPEN, OVER, PLAY, Visible, visible
from drago_env.pictures.canvas import Part, Shape
from drago_env.pictures.column import Card, Fact, Seat
from drago_env.pictures.table import Choice, Option, Table

_NOTES = {PLAY: "to play", DISCARD: "may discard", OPEN: "", OVER: ""}
_ASKED = {
    PLAY: "play a card",
    DISCARD: "discard cards of summit dragons, or be done",
    OPEN: "",
    OVER: "",
}


class MountDragoTable(Table):
    """The table of Mount Drago."""

    rules = """\
- A card moves the dragon of its colour by its value. If nobody else rides that dragon, you now do.
- You may keep your own dragon only if the one that moves was in last place and nobody rode it.
- Points come when the moved dragon lands: on blue (B) each rider gets the value of their dragon's
  space if it is 3 or less; on green (G), or when it reaches the summit (S), whatever it is.
- After a scoring you draw no card, so a short hand is the price of points.
- The game ends at once when the last dragon that it waits for reaches the summit."""
    legend = """\
Where you may take a dragon or keep your own, 'blue 3' takes it and 'blue 3 keep' keeps yours.
In the picture bu@0 is the blue dragon with rider 0 on it, b a blue space, g a green one, ^ the
summit; the numbers are the values of the spaces."""
    options = (Option("edition", "Edition", tuple((name, name) for name in EDITIONS)),)

    # ------------------------------------------------------------ the mountain

    def ground(self, state: State) -> tuple[Part, ...]:
        return scene.ground(self.game.row_rules(state, 0).board)

    def parts(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Part]:
        return scene.dragons(visible(self.game, state, viewer, last, names))

    def words(self, state: State, viewer: int | None, names: Sequence[str]) -> str:
        seen = visible(self.game, state, viewer, None, names)
        values, mounts = seen.rules.board.values, seen.mounts
        told = []
        for dragon, space in enumerate(seen.dragons):
            ridden = f", ridden by {names[mounts[dragon]]}" if dragon in mounts else ""
            told.append(f"{COLOURS[dragon]} on space {space}, value {values[space]}{ridden}")
        return f"The mountain, {len(values)} spaces. {'; '.join(told)}."

    def text(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> str:
        return terminal.text(visible(self.game, state, viewer, last, names))

    def own(self, state: State, seat: int) -> tuple[str, ...]:
        rules = self.game.row_rules(state, 0)
        return (f"dragon-{int(state['top'][0, seat]) // rules.values}",)

    # ------------------------------------------------------------ the riders

    def goal(self, state: State) -> str:
        number = self.game.row_rules(state, 0).summit_dragons
        last = {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
        return f"Most points win. The game ends when the {last} dragon reaches the summit."

    def variant(self, state: State) -> str:
        return f"{self.game.row_rules(state, 0).edition} edition"

    def count(self, state: State) -> str:
        seen = self._public(state)
        left = seen.rules.summit_dragons - seen.summit
        ends = f"{left} dragon{'' if left == 1 else 's'} from the end" if left else "over"
        return f"deck {seen.deck}, {ends}"

    def tally(self, state: State) -> list[Shape]:
        return scene.tally(self._public(state))

    def doing(self, state: State) -> tuple[str, str]:
        phase = self._public(state).phase
        return _NOTES[phase], _ASKED[phase]

    def turn(self, state: State, names: Sequence[str]) -> tuple[str, str]:
        if self._public(state).phase == OPEN:
            return "", "the record ends here"
        return super().turn(state, names)

    def seats(
        self, state: State, viewer: int | None, last: Move | None, names: Sequence[str]
    ) -> list[Seat]:
        seen = visible(self.game, state, viewer, last, names)
        seats = []
        for rider in seen.riders:
            acts = rider.seat == seen.seat and seen.phase in (PLAY, DISCARD)
            dragon = rider.top // seen.rules.values
            cards = f"{rider.cards} card{'' if rider.cards == 1 else 's'}"
            hand = rider.hand
            seats.append(
                Seat(
                    rider.name,
                    "wins" if rider.wins else _NOTES[seen.phase] if acts else "",
                    acts,
                    rider.wins,
                    rider.score,
                    rider.gained,
                    (Fact(f"on {COLOURS[dragon]}", scene.TINTS[dragon]), Fact(cards)),
                    (scene.card(seen.rules, rider.top),),
                    hand if hand is None else tuple(scene.card(seen.rules, c) for c in hand),
                    rider.cards,
                )
            )
        return seats

    def hand(self, state: State, viewer: int) -> list[Card]:
        it, rules = state[0], self.game.row_rules(state, 0)
        held = it["hand"][viewer, : it["hand_size"][viewer]]
        return [scene.card(rules, card) for card in held.tolist()]

    def _public(self, state: State) -> Visible:
        """What nobody's hand is needed for."""
        return visible(self.game, state, None, None, [""] * int(state["players"][0]))

    # ------------------------------------------------------------ decisions

    def choices(self, state: State, names: Sequence[str]) -> list[Choice]:
        game, rules = self.game, self.game.row_rules(state, 0)
        legal = game.legal(state)
        features = game.features(state, legal)[0]
        seat = int(state["seat"][0])
        others = [*names[seat:], *names[:seat]]
        mine = COLOURS[int(state["top"][0, seat]) // rules.values]
        choices = []
        for place in range(int(legal.counts[0])):
            action = int(legal.actions[0, place])
            brings = effect(named(features[place], FEATURES), others)
            choice = Choice(action, game.action_text(action), brings)
            choices.append(_pointed(choice, state, rules, mine))
        return choices

    def news(self, before: State, action: int, after: State, viewer: int) -> str:
        it, rules = after[0], self.game.row_rules(after, 0)
        if int(before["seat"][0]) != viewer or not it["drawn_size"]:
            return ""
        drawn = it["drawn"][: it["drawn_size"]].tolist()
        return f"drew {', '.join(rules.card_text(card) for card in drawn)}"


def _pointed(choice: Choice, state: State, rules: Rules, mine: str) -> Choice:
    """A choice with the card that it is made with, and what it moves."""
    what, card = decode(choice.action, rules.card_kinds)
    if what == TO_END:
        return choice._replace(key="d")
    button = rules.card_text(card)
    if what == TO_DISCARD:
        return choice._replace(button=button, label="discard")
    dragon, value = divmod(card, rules.values)
    colour = COLOURS[dragon]
    to = landing(rules.board, int(state["position"][0, dragon]), value + 1)
    return choice._replace(
        parts=(f"space-{to}", f"dragon-{dragon}"),
        button=button,
        label=f"keep {mine}" if what == TO_KEEP else f"take {colour}",
        asked=f"{colour} was in last place and nobody rides it: take it, or keep {mine}?",
        key="k" if what == TO_KEEP else "t",
    )


def effect(seen: Mapping[str, NDArray[Any]], names: Sequence[str]) -> str:
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
    stands = "you ride it" if seen["changes"][0] else "you stay"
    return "; ".join([*words, f"{stands}, value {seen['own_value'][0]}"])


def _scoring(points: NDArray[np.int64], names: Sequence[str]) -> str:
    """Who gets what."""
    gains = [f"{name} {gain:+d}" for name, gain in zip(names, points, strict=False) if gain]
    return ", ".join(gains) or "a scoring, but no points"
