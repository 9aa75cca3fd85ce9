"""The positions of a record one by one, also of one seat's view of it, which hides cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from drago_env.core.checks import whole
from drago_env.game import State
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, decode
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules
from drago_env.mount_drago.state import DISCARD, EMPTY, OVER, PLAY
from drago_env.mount_drago.visible import OPEN_END


def view_seat(record: dict[str, Any]) -> int | None:
    """Whose view a record is; None for a whole record."""
    start = record.get("start")
    hands = start.get("hands") if isinstance(start, dict) else None
    if not isinstance(hands, list) or not any(isinstance(hand, int) for hand in hands):
        return None
    shown = [seat for seat, hand in enumerate(hands) if not isinstance(hand, int)]
    if len(shown) != 1:
        raise ValueError(f"a view shows the hand of one seat, not of {len(shown)}")
    return shown[0]


def view_game(record: dict[str, Any], viewer: int) -> MountDrago:
    """The rule book of a view's game; cards and counts that it cannot have are refused."""
    numbers = {name: record["rules"][name] for name in Rules().as_dict()}
    rules = Rules(board=Board.from_pairs(record["board"]), **numbers)
    game, start, seats = MountDrago(rules), record["start"], range(rules.players)
    if len(start["hands"]) != rules.players or len(start["tops"]) != rules.players:
        raise ValueError(f"{rules.players} riders need as many tops and hands")
    for seat, hand in enumerate(start["hands"]):
        _cards("a hand", hand, rules, seat == viewer, rules.hand)
    for cards in (start["tops"], start["discard"]):
        _cards("start", cards, rules, True)
    for number, move in enumerate(record["moves"]):
        seat = whole(f"the seat of move {number}", move["seat"], seats[0], seats[-1])
        whole(f"the action of move {number}", move["action"], 0, game.spec.num_actions - 1)
        _cards(f"move {number}", move["drawn"], rules, seat == viewer)
    return game


def _cards(where: str, cards: Any, rules: Rules, seen: bool, size: int | None = None) -> None:
    """Refuses what is no list of cards, or where they are hidden no number of them."""
    count = len(cards) if seen else cards
    whole(f"the cards of {where}", count, size or 0, size or rules.cards)
    for card in cards if seen else ():
        whole(f"a card of {where}", card, 0, rules.card_kinds - 1)


def view_positions(
    game: MountDrago, record: dict[str, Any], viewer: int
) -> Iterator[tuple[State, int]]:
    """The position before each move of a view, and its action (-1 at the end).

    Hidden hands hold cards of which the rules make what the record tells.
    """
    moves, card_kinds = record["moves"], game.rules[0].card_kinds
    state = _deal(game, record["start"])
    for number, move in enumerate(moves):
        yield state, move["action"]
        state = _stepped(game, state, move, viewer)
        it = state[0]
        if it["phase"] != OVER and number + 1 < len(moves):  # hidden cards decide who is next
            what, _ = decode(moves[number + 1]["action"], card_kinds)
            it["phase"] = PLAY if what < TO_DISCARD else DISCARD
            it["seat"] = moves[number + 1]["seat"]
    if moves and state["phase"][0] != OVER:
        state["phase"] = OPEN_END
    yield state, -1


def _deal(game: MountDrago, start: dict[str, Any]) -> State:
    """The dealt cards, with whatever cards in the hidden hands and the deck."""
    rules, state = game.rules[0], game.new(0)
    it = state[0]
    left = np.tile(rules.copies, rules.colours)
    own = [card for hand in start["hands"] if not isinstance(hand, int) for card in hand]
    np.subtract.at(left, [*start["tops"], *start["discard"], *own], 1)
    unseen = np.repeat(np.arange(rules.card_kinds), left).tolist()
    for seat, hand in enumerate(start["hands"]):
        it["top"][seat] = start["tops"][seat]
        _set_hand(it, seat, [unseen.pop() for _ in range(hand)] if isinstance(hand, int) else hand)
    it["pile"] = np.bincount(np.array(start["discard"], int), minlength=len(it["pile"]))
    it["deck"], it["deck_size"] = EMPTY, len(unseen)
    it["deck"][: len(unseen)] = unseen
    return state


def _stepped(game: MountDrago, state: State, move: Any, viewer: int) -> State:
    """The position after a move, with hands that bring what the view tells."""
    seat, players = move["seat"], int(state["players"][0])
    own = state["hand"][0, seat, : state["hand_size"][0, seat]].tolist()
    drawn = move["drawn"] if seat != viewer else len(move["drawn"])
    for hand in [own] if seat == viewer else _likely_hands(game.rules[0], state[0], move):
        after = state.copy()
        it = after[0]
        _set_hand(it, seat, hand)
        points = game.step(after, [move["action"]]).points[0, :players].tolist()
        if [points, it["drawn_size"], it["deck_size"]] == [move["points"], drawn, move["deck"]]:
            if seat == viewer:
                kept = it["hand"][seat, : it["hand_size"][seat]].tolist()
                for card in it["drawn"][:drawn].tolist():
                    kept.remove(card)
                _set_hand(it, seat, [*kept, *move["drawn"]])
            return after
    raise ValueError(f"{game.action_text(move['action'])} does not bring what it tells")


def _likely_hands(rules: Rules, it: Any, move: Any) -> Iterator[list[int]]:
    """Hidden hands for a move: one with nothing to discard after it, and one with something."""
    what, card = decode(move["action"], rules.card_kinds)
    moved = card // rules.values if what < TO_DISCARD else -1
    hand, size = [card] if what < TO_END else [], int(it["hand_size"][move["seat"]])
    above = [bool(it["position"][dragon] >= rules.board.summit) for dragon in range(rules.colours)]
    order = sorted(range(rules.colours), key=lambda dragon: (above[dragon], dragon == moved))
    for dragon in (order[0], order[-1]):
        yield [*hand, *[dragon * rules.values] * (size - len(hand))]


def _set_hand(it: Any, seat: int, cards: list[int]) -> None:
    it["hand"][seat] = EMPTY
    it["hand"][seat, : len(cards)] = sorted(cards)
    it["hand_size"][seat] = len(cards)
