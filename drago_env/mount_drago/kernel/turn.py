"""A turn: play and move, change or keep, scoring, discard and draw (3 to 7), and what is paid."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, TO_KEEP
from drago_env.mount_drago.kernel.cards import draw_cards, remove_card
from drago_env.mount_drago.kernel.legal import has_discard
from drago_env.mount_drago.rules import (
    ITALIAN,
    LANDINGS,
    MAJOR,
    MARGIN,
    MARGIN_SCALE,
    MAX_HAND,
    MINOR_LIMIT,
    RANK,
)
from drago_env.mount_drago.rules import MAX_PLAYERS as SEATS
from drago_env.mount_drago.state import DISCARD, EMPTY, OVER, PLAY


@inlined
def ridden_by_other(game: Any, seat: Any, dragon: Any, rules: Any) -> Any:
    found = False
    for rider in range(game["players"]):
        found |= (rider != seat) & (rules["colour"][game["top"][rider]] == dragon)
    return found


@inlined
def score_riders(game: Any, triggered: Any, rules: Any, points: Any) -> None:
    """What each rider gets for the dragon that they ride now (6.2, 6.3, 6.5)."""
    for rider in range(game["players"]):
        dragon = rules["colour"][game["top"][rider]]
        value = rules["space_value"][game["position"][dragon]]
        points[rider] = value if triggered == MAJOR or value <= MINOR_LIMIT else 0


@inlined
def triggers(game: Any, card: Any, rules: Any) -> Any:
    """What the landing of the card's dragon would trigger (6.1 to 6.4)."""
    before = game["position"][rules["colour"][card]]
    first = LANDINGS - 1 + rules["values"]
    return rules["next_spaces"][before, first + np.int64(rules["value"][card])]


@inlined
def play_card(game: Any, card: Any, keep: Any, rules: Any, points: Any) -> None:
    seat = np.int64(game["seat"])
    italian = game["edition"] == ITALIAN
    # play a card and move (4)
    remove_card(game, seat, card)
    dragon = rules["colour"][card]
    value = np.int64(rules["value"][card])
    before = np.int64(game["position"][dragon])
    after = min(before + value, np.int64(rules["last"]))
    game["position"][dragon] = after
    # change or keep the dragon (5)
    if keep | ridden_by_other(game, seat, dragon, rules):
        game["pile"][card] += 1
    else:
        game["pile"][game["top"][seat]] += 1
        game["top"][seat] = card
    # scoring (6)
    triggered = rules["next_spaces"][before, LANDINGS - 1 + rules["values"] + value]
    if triggered != 0:
        score_riders(game, triggered, rules, points)
        for rider in range(game["players"]):
            game["score"][rider] += points[rider]
        if after >= rules["summit"]:
            game["summit"] += 1
            if game["summit"] == rules["summit_dragons"]:  # 6.7
                game["phase"] = OVER
                return
    # discard and draw (7)
    refill = triggered == 0 or game["hand_size"][seat] == 0
    if refill and italian:
        fill_hand(game, seat, rules)
    if (refill or italian) and has_discard(game, seat, rules):
        game["phase"] = DISCARD
        return
    if refill and not italian:
        fill_hand(game, seat, rules)
    next_seat(game)


@inlined
def fill_hand(game: Any, seat: Any, rules: Any) -> None:
    draw_cards(game, seat, np.int64(rules["hand"]) - np.int64(game["hand_size"][seat]), rules)


@inlined
def next_seat(game: Any) -> None:
    seat = np.int64(game["seat"]) + 1
    game["seat"] = 0 if seat == game["players"] else seat


@inlined
def end_discards(game: Any, rules: Any) -> None:
    """Draws to a full hand (7.1) or as many as were discarded (7.2)."""
    seat = np.int64(game["seat"])
    if game["edition"] == ITALIAN:
        draw_cards(game, seat, np.int64(game["discarded"]), rules)
    else:
        fill_hand(game, seat, rules)
    game["discarded"] = 0
    game["phase"] = PLAY
    next_seat(game)


@inlined
def apply(game: Any, action: Any, rules: Any, points: Any) -> None:
    """One decision; `points` gets what each seat scored by it."""
    kinds = np.int64(rules["card_kinds"])
    for seat in range(SEATS):
        points[seat] = 0
    for i in range(MAX_HAND):
        game["drawn"][i] = EMPTY
    game["drawn_size"] = 0
    if action < TO_DISCARD * kinds:
        keep = action >= TO_KEEP * kinds
        play_card(game, action - TO_KEEP * kinds if keep else action, keep, rules, points)
        return
    if action < TO_END * kinds:
        card = action - TO_DISCARD * kinds
        remove_card(game, np.int64(game["seat"]), card)
        game["pile"][card] += 1
        game["discarded"] += 1
        if has_discard(game, game["seat"], rules):
            return
    end_discards(game, rules)


@inlined
def reward(game: Any, scheme: Any, points: Any, rules: Any, rewards: Any) -> None:
    """What each seat is paid for the move that scored `points`."""
    players = np.int64(game["players"])
    score = game["score"]
    for seat in range(SEATS):
        rewards[seat] = 0.0
    if scheme == MARGIN:
        total: Any = 0
        for seat in range(players):
            total += np.int64(points[seat])
        for seat in range(players):
            own = np.int64(points[seat])
            rewards[seat] = (own - (total - own) / (players - 1)) / MARGIN_SCALE
    elif game["phase"] == OVER:
        for seat in range(players):
            better = 0
            equal = 0
            for other in range(players):
                better += score[other] > score[seat]
                equal += score[other] == score[seat]
            if scheme == RANK:
                rewards[seat] = 1.0 - 2.0 * (better + 0.5 * (equal - 1)) / (players - 1)
            elif better == 0:
                rewards[seat] = (players - equal) / (equal * (players - 1))
            else:
                rewards[seat] = -1.0 / (players - 1)


@inlined
def shares(game: Any, out: Any) -> None:
    """Each seat's share of the victory: 1 for a sole winner, 1 / k for each of k."""
    best = game["score"][0]
    for rider in range(1, game["players"]):
        best = max(best, game["score"][rider])
    winners = 0
    for rider in range(game["players"]):
        winners += game["score"][rider] == best
    for rider in range(game["players"]):
        out[rider] = (game["score"][rider] == best) / winners
