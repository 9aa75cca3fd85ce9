"""How a record begins: its rules, its graph and its deal, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.records import Record, RecordError, head_fault, is_count, is_int, names_fault
from drago_env.game import State
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import BUILT_IN, Graph, GraphError
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, CARDS, Rules

_NUMBERS = ("players", "copies", "hand", "rob", "spoils", "dragons", "rainbows", "bridges")
_NAMES = (*_NUMBERS, "turn_cap", "reuse", "stop")


def opened(
    made: Any, form: str, reward: str = "win"
) -> tuple[Rules, RupeDeiDraghi, State, int | None]:
    """The rules, the game after the deal, and of a view the seat whose view it is."""
    parts = {"rules": dict, "start": dict, "moves": list}
    fault = head_fault(made, form, parts, _NAMES)
    if fault:
        raise RecordError(fault)
    rules = _rules(made)
    fault = names_fault(made, "players", rules.players)
    if fault:
        raise RecordError(fault)
    hands, princesses = made["start"].get("hands"), made["start"].get("princesses")
    viewer = _viewer(hands, princesses, rules)
    try:
        _check_hands(hands, rules)
        _check_princesses(princesses, rules)
    except RecordError as error:
        raise RecordError(f"the deal is wrong: {error}") from None
    game = RupeDeiDraghi(rules, reward=reward)
    return rules, game, _dealt(game, hands, princesses), viewer


def _rules(made: Record) -> Rules:
    graph = made.get("graph")
    try:
        if graph in BUILT_IN and isinstance(graph, str):
            chosen = Graph.called(graph)
        elif isinstance(graph, str):
            raise RecordError(f"the graph {graph!r:.40} is unknown; a record holds its own whole")
        else:
            chosen = Graph.from_dict(graph)
        return Rules(graph=chosen, **{name: made["rules"][name] for name in _NAMES})
    except GraphError as error:
        raise RecordError(f"the graph is wrong: {error}") from None
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(f"the rules are wrong: {error}") from None


def _viewer(hands: Any, princesses: Any, rules: Rules) -> int | None:
    """Whose view it is, or None for a whole record."""
    if not isinstance(hands, list) or len(hands) != rules.players:
        raise RecordError(
            f"the deal is wrong: {rules.players} riders need as many hands (clause 3.5)"
        )
    shown = [seat for seat, hand in enumerate(hands) if isinstance(hand, list)]
    if len(shown) == rules.players:
        if princesses is None:
            raise RecordError("the deal is wrong: the princesses are missing (clause 3.2)")
        return None
    if len(shown) != 1 or princesses is not None:
        raise RecordError("the deal is wrong: a view shows one hand and no princess (clause 12.2)")
    return shown[0]


def _check_hands(hands: list[Any], rules: Rules) -> None:
    hidden = [hand for hand in hands if not isinstance(hand, list)]
    if hidden and (len(hidden) + 1 != len(hands) or not all(map(is_count, hidden))):
        raise RecordError(f"{hidden[0]!r:.40} is no hand")
    for hand in hands:
        if (hand if is_int(hand) else len(hand)) != rules.hand:
            raise RecordError(f"each hand has {rules.hand} cards (clause 3.5)")
    shown = [hand for hand in hands if isinstance(hand, list)]
    cards = [card for hand in shown for card in hand]
    strange = [c for c in cards if not is_int(c) or not 0 <= c < CARD_KINDS]
    if strange:
        raise RecordError(f"{strange[0]!r:.40} is no card; cards run from 0 to 9 (clause 1.3)")
    if any(hand != sorted(hand) for hand in shown):
        raise RecordError("a hand is not sorted")
    for kind, most in enumerate(rules.copies):
        if cards.count(kind) > most:
            raise RecordError(
                f"{cards.count(kind)} cards {CARDS[kind]} are more than there are (clause 1.3)"
            )


def _check_princesses(princesses: Any, rules: Rules) -> None:
    forts = len(rules.graph.starts)
    if princesses is None:
        return
    whole = isinstance(princesses, list) and all(map(is_int, princesses))
    if not whole or sorted(princesses) != list(range(forts)):
        raise RecordError(
            f"princesses must be the colours 0 to {forts - 1}, each once, not {princesses!r:.60} "
            "(clause 3.2)"
        )


def _dealt(game: RupeDeiDraghi, hands: list[Any], princesses: list[int] | None) -> State:
    """The state after the deal; hidden hands are made of what is left, in any way."""
    state, rules = game.new(0), game.rules[0]
    it, left = state[0], np.array(rules.copies)
    it["rng"] = 0
    it["hand"] = 0
    for seat, hand in enumerate(hands):
        if isinstance(hand, list):
            it["hand"][seat] = np.bincount(np.array(hand, int), minlength=CARD_KINDS)
    left -= it["hand"].sum(0, dtype=np.int64)
    for seat, hand in enumerate(hands):
        if is_int(hand):
            cards = np.repeat(np.arange(CARD_KINDS), left)[:hand]
            it["hand"][seat] = np.bincount(cards, minlength=CARD_KINDS)
            left -= it["hand"][seat]
    it["deck"] = left
    if princesses is not None:
        it["princess"][: len(princesses)] = princesses
    return state
