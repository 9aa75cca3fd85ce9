"""What a play leaves in the hand, and what the next two plays are likely to leave of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.compiled import inlined
from drago_env.mount_drago.actions import TO_KEEP
from drago_env.mount_drago.kernel.heuristic import (
    NOBODY,
    assess,
    best_gain,
    danger_of,
    gain_of,
    gain_with,
    lead_of,
    list_all_threats,
    take_back,
    try_play,
    weigh,
)
from drago_env.mount_drago.kernel.turn import score_riders, triggers
from drago_env.mount_drago.kernel.win_chance import THREAT, TURN, spread_of, standing
from drago_env.mount_drago.observation import (
    FOLLOW_DANGER,
    FOLLOW_WIN,
    FOLLOW_WORTH,
    GAINFUL,
    GAINS,
    LATER_DANGER,
    REACH,
    REPLY_ENDS,
    REPLY_GAIN,
    REPLY_SCORES,
    REPLY_VERDICT,
    REPLY_WORTH,
    THEN_GAIN,
    THEN_OWN_VALUE,
    THEN_RIVAL_VALUE,
    WIN,
)
from drago_env.mount_drago.rules import LANDINGS, MAJOR
from drago_env.mount_drago.state import PLAY

UNLIKELY = 0.01  # the last so many of the replies are taken to be like the one before them
POINTS = 1 / 8  # the scale of what is told in points


@inlined
def make_play(
    game: Any, seat: Any, player: Any, card: Any, keep: Any, rules: Any, points: Any
) -> Any:
    """A player's play with its points; neither cards nor the turn change.

    Returns the top card before it and by how much the seat leads after it.
    """
    dragon = rules["colour"][card]
    before = np.int64(game["position"][dragon])
    triggered = triggers(game, card, rules)
    own_top = try_play(game, player, card, keep, rules)
    for rider in range(game["players"]):
        points[rider] = 0
    if triggered != 0:
        score_riders(game, triggered, rules, points)
    lead = lead_of(game, seat, points)
    for rider in range(game["players"]):
        game["score"][rider] += points[rider]
    game["summit"] += (before < rules["summit"]) & (game["position"][dragon] >= rules["summit"])
    return own_top, lead


@inlined
def unmake_play(
    game: Any, player: Any, card: Any, before: Any, own_top: Any, rules: Any, points: Any
) -> None:
    """Takes a play back, with its points."""
    dragon = rules["colour"][card]
    game["summit"] -= (before < rules["summit"]) & (game["position"][dragon] >= rules["summit"])
    for rider in range(game["players"]):
        game["score"][rider] -= points[rider]
    take_back(game, player, dragon, before, own_top)


@inlined
def chance_to_win(game: Any, seat: Any, threat: Any, spread: Any, rules: Any, weights: Any) -> Any:
    """As `win_chances`, for a seat that will be on turn and sees no other hand."""
    own = standing(game, seat, rules, weights) + (weights[THREAT] + weights[TURN]) * threat
    total = 1.0
    for rider in range(game["players"]):
        if rider != seat:
            total += np.exp((standing(game, rider, rules, weights) - own) / spread)
    return 1.0 / total


@inlined
def look_at_hand(game: Any, seat: Any, without: Any, rules: Any, work: Any, out: Any) -> None:
    """What the cards could do that a play leaves in the hand; `weigh` has seen it."""
    others = np.int64(game["players"]) - 1
    reach: Any = 0
    for i in range(game["hand_size"][seat]):
        card = np.int64(game["hand"][seat, i])
        if card == without:
            without = -1
            continue
        dragon = rules["colour"][card]
        spaces = rules["next_spaces"][game["position"][dragon]]
        rider = work["rider"][dragon]
        if rider in (NOBODY, seat):
            reach = max(reach, np.int64(spaces[LANDINGS - 1 + np.int64(rules["value"][card])]))
        gain = gain_with(seat, card, spaces, others, rules, work) * POINTS
        out[GAINFUL] += (gain > 0) * POINTS
        for k in range(3):
            if gain > out[GAINS + k]:
                out[GAINS + k], gain = gain, np.float64(out[GAINS + k])
    out[REACH] = reach * POINTS


@inlined
def list_replies(game: Any, rules: Any, weights: Any, work: Any) -> Any:
    """Every unseen card by what it is worth to the rider on turn, best first; how many there are.

    They ride the dragon if they may.
    """
    order, worth = work["best_first"], work["replies"]
    count = 0
    for card in range(np.int64(rules["card_kinds"])):
        if work["unseen"][card] > 0:
            worth[card] = assess(game, card, rules, weights, work)
            place = count
            while place > 0 and worth[order[place - 1]] < worth[card]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = card
            count += 1
    return count


@inlined
def best_card(game: Any, seat: Any, without: Any, rules: Any, weights: Any, work: Any) -> Any:
    """The card of the seat on turn that the rules of thumb think best, -1 if there is none.

    One card `without` is out of the hand. Also returns what it is worth.
    """
    best: Any = -1
    most = -np.inf
    for i in range(game["hand_size"][seat]):
        card = np.int64(game["hand"][seat, i])
        if card == without:
            without = -1
            continue
        worth = assess(game, card, rules, weights, work)
        if worth > most:
            best = card
            most = worth
    return best, most


@inlined
def gain_left(game: Any, seat: Any, cards: Any, rules: Any, work: Any) -> Any:
    """As `best_gain`, when two cards are out of the hand."""
    first, second = cards
    others = np.int64(game["players"]) - 1
    best = 0.0
    for i in range(game["hand_size"][seat]):
        card = np.int64(game["hand"][seat, i])
        if card == first:
            first = -1
        elif card == second:
            second = -1
        else:
            spaces = rules["next_spaces"][game["position"][rules["colour"][card]]]
            best = max(best, gain_with(seat, card, spaces, others, rules, work))
    return best


@inlined
def dangers(game: Any, seat: Any, first: Any, last: Any, card: Any, rules: Any, work: Any) -> Any:
    """`danger_of` the riders who follow the seat as the `first` to the `last`, after this card."""
    players = np.int64(game["players"])
    list_all_threats(game, rules, work)
    total = 0.0
    for k in range(first, last + 1):
        rider = seat + k if seat + k < players else seat + k - players
        total += danger_of(game, seat, rider, rules["colour"][card], rules, work)
    return total


@inlined
def add_follow_up(
    game: Any, seat: Any, without: Any, share: Any, rules: Any, minds: Any, work: Any, out: Any
) -> None:
    """Adds what the own best card after a reply leads to, by the share of the reply."""
    thumbs, spread, weights = minds
    card, worth = best_card(game, seat, without, rules, thumbs, work)
    if card < 0:
        out[FOLLOW_WIN] += share * chance_to_win(game, seat, 0.0, spread, rules, weights)
        return
    before = np.int64(game["position"][rules["colour"][card]])
    top, lead = make_play(game, seat, seat, card, False, rules, work["played"][2])
    out[FOLLOW_WORTH] += share * worth * POINTS
    if game["summit"] == rules["summit_dragons"]:
        out[FOLLOW_WIN] += share * (1 + min(max(lead, -1), 1)) / 2
    else:
        weigh(game, rules, work)
        threat = gain_left(game, seat, (without, card), rules, work)
        danger = dangers(game, seat, 1, 1, card, rules, work)
        # it is no longer the seat's turn, which is all that the danger counts by
        gain = threat * weights[THREAT] / (weights[THREAT] + weights[TURN]) + danger
        out[FOLLOW_DANGER] += share * danger * POINTS
        out[FOLLOW_WIN] += share * chance_to_win(game, seat, gain, spread, rules, weights)
    unmake_play(game, seat, card, before, top, rules, work["played"][2])


@inlined
def add_reply(
    game: Any,
    seat: Any,
    without: Any,
    reply: Any,
    share: Any,
    rules: Any,
    minds: Any,
    work: Any,
    out: Any,
) -> None:
    """Adds what one reply leaves, by its share.

    `minds` are the weights of the rules of thumb, the spread, and the weights of leaves.
    """
    _, spread, weights = minds
    players, player = np.int64(game["players"]), np.int64(game["seat"])
    before = np.int64(game["position"][rules["colour"][reply]])
    triggered = triggers(game, reply, rules)
    top, lead = make_play(game, seat, player, reply, False, rules, work["played"][1])
    weigh(game, rules, work)
    out[REPLY_WORTH] += share * work["replies"][reply] * POINTS
    if triggered != 0:
        out[REPLY_SCORES] += share
        out[REPLY_GAIN] += share * gain_of(seat, triggered, players - 1, work) * POINTS
    if game["summit"] == rules["summit_dragons"]:
        verdict = min(max(lead, -1), 1)
        out[REPLY_ENDS] += share
        out[REPLY_VERDICT] += share * verdict
        out[WIN] += share * (1 + verdict) / 2
        out[FOLLOW_WIN] += share * (1 + verdict) / 2
    else:
        threat = best_gain(game, seat, without, rules, work)
        own = work["value"][MAJOR, seat]
        others = (work["sums"][MAJOR] - own) / (players - 1)
        out[WIN] += share * chance_to_win(game, seat, threat, spread, rules, weights)
        out[THEN_GAIN] += share * threat * POINTS
        out[THEN_OWN_VALUE] += share * own * POINTS
        out[THEN_RIVAL_VALUE] += share * others * POINTS
        game["seat"] = seat
        add_follow_up(game, seat, without, share, rules, minds, work, out)
        game["seat"] = player
    unmake_play(game, player, reply, before, top, rules, work["played"][1])


@inlined
def write_foresight(
    game: Any, action: Any, rules: Any, weights: Any, leaf_weights: Any, work: Any, out: Any
) -> None:
    """What is foreseen of a play of the seat on turn, in the order of `observation.FORESIGHT`.

    The next rider is taken to hold a random hand of the unseen cards, and to play the one that
    the rules of thumb with these weights think best; then the own seat plays its best card by
    them, of those that it holds now. Plays are tried on the record itself and taken back. A play
    that ends the game has no reply, a discard none that is foreseen. `foresee` must have been
    called.
    """
    for k in range(out.shape[0]):
        out[k] = 0
    kinds, players = np.int64(rules["card_kinds"]), np.int64(game["players"])
    if game["phase"] != PLAY:
        return
    seat = np.int64(game["seat"])
    keep = action >= TO_KEEP * kinds
    card = action - TO_KEEP * kinds if keep else action
    before = np.int64(game["position"][rules["colour"][card]])
    top, lead = make_play(game, seat, seat, card, keep, rules, work["played"][0])
    if game["summit"] == rules["summit_dragons"]:
        out[WIN] = (1 + min(max(lead, -1), 1)) / 2
        out[FOLLOW_WIN] = out[WIN]
    else:
        weigh(game, rules, work)
        look_at_hand(game, seat, card, rules, work, out)
        if players > 2:
            danger = dangers(game, seat, 2, players - 1, card, rules, work)
            out[LATER_DANGER] = danger * POINTS
        minds = weights, spread_of(game, rules, leaf_weights), leaf_weights
        game["seat"] = seat + 1 if seat + 1 < players else 0
        count = list_replies(game, rules, weights, work)
        hand = np.float64(game["hand_size"][game["seat"]])
        unseen = np.float64(work["unseen_size"])
        left = 1.0  # the chance that they have nothing better
        for place in range(count):
            reply = work["best_first"][place]
            cards = np.float64(work["unseen"][reply])
            none = np.exp(-hand * cards / unseen)
            if left * none < UNLIKELY or place + 1 == count:
                none = 0.0
            add_reply(game, seat, card, reply, left * (1.0 - none), rules, minds, work, out)
            left *= none
            unseen -= cards
            if none == 0.0:
                break
        game["seat"] = seat
    unmake_play(game, seat, card, before, top, rules, work["played"][0])
