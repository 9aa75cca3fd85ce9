"""What is legal (10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, TO_KEEP, TO_PLAY
from drago_env.mount_drago.state import DISCARD, OVER


@inlined
def may_discard(game: Any, card: Any, rules: Any) -> Any:
    """Whether this is a card of a dragon on the summit (7.1, 7.2)."""
    return game["position"][rules["colour"][card]] >= rules["summit"]


@inlined
def has_discard(game: Any, seat: Any, rules: Any) -> Any:
    if game["summit"] > 0:
        for i in range(game["hand_size"][seat]):
            if may_discard(game, game["hand"][seat, i], rules):
                return True
    return False


@inlined
def ridden_dragons(game: Any, rules: Any) -> Any:
    """The dragons that somebody rides, as bits."""
    bits: Any = 0
    for rider in range(game["players"]):
        bits |= 1 << np.int64(rules["colour"][game["top"][rider]])
    return bits


@inlined
def find_last_place(game: Any) -> Any:
    place = game["position"][0]
    for dragon in range(1, game["position"].shape[0]):
        place = min(place, game["position"][dragon])
    return place


@inlined
def may_keep(game: Any, card: Any, ridden: Any, last_place: Any, rules: Any) -> Any:
    """The last-dragon choice: nobody rides it, and nobody is behind it (5.3)."""
    dragon = np.int64(rules["colour"][card])
    return (game["position"][dragon] == last_place) & (ridden >> dragon & 1 == 0)


@inlined
def list_legal(game: Any, rules: Any, actions: Any) -> Any:
    """Lists the legal actions, ascending, and returns how many there are.

    Each candidate is written and then counted or not: branches on cards are hard to predict.
    """
    if game["phase"] == OVER:
        return 0
    kinds = np.int64(rules["card_kinds"])
    seat = np.int64(game["seat"])
    hand = game["hand"][seat]
    size = np.int64(game["hand_size"][seat])
    if game["phase"] == DISCARD:
        n = 0
        for i in range(size):
            new = i == 0 or hand[i] != hand[i - 1]
            actions[n] = TO_DISCARD * kinds + hand[i]
            n += new & may_discard(game, hand[i], rules)
        actions[n] = TO_END * kinds
        return n + 1
    actions[0] = hand[0]
    n = 1
    for i in range(1, size):  # 4.1
        actions[n] = hand[i]
        n += hand[i] != hand[i - 1]
    plays = n
    ridden = ridden_dragons(game, rules)
    last_place = find_last_place(game)
    for i in range(plays):
        actions[n] = TO_KEEP * kinds + actions[i]
        n += may_keep(game, actions[i], ridden, last_place, rules)
    return n


@inlined
def is_legal(game: Any, action: Any, rules: Any) -> Any:
    kinds = np.int64(rules["card_kinds"])
    seat = np.int64(game["seat"])
    if game["phase"] == OVER or action < 0 or action > TO_END * kinds:
        return False
    if action == TO_END * kinds:
        return game["phase"] == DISCARD
    what = TO_PLAY
    card = action
    while card >= kinds:
        card -= kinds
        what += 1
    held = False
    for i in range(game["hand_size"][seat]):
        held |= game["hand"][seat, i] == card
    if not held or (what == TO_DISCARD) != (game["phase"] == DISCARD):
        return False
    if what == TO_KEEP:
        return may_keep(game, card, ridden_dragons(game, rules), find_last_place(game), rules)
    return what == TO_PLAY or may_discard(game, card, rules)
