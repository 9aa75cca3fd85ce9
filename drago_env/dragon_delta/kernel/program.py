"""What a program does for the own way, if nobody meddles, and if a dragon cancels one card of it.

The way is a row of places: which of them bear a plank, behind which a stone lacks, and how far the
pawn has come. A card changes these three and may cost or bring something besides (`loss`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, bit, lowest, size
from drago_env.core.compiled import compiled, inlined
from drago_env.dragon_delta.rules import MAX_KINDS
from drago_env.dragon_delta.state import EMPTY

STONE1, STONES2, PLANK1, PLANKS2, REMOVE, MOVE1, MOVE2, JUMP = range(MAX_KINDS)
_DRAGONS = np.uint64(MAX_KINDS)
WIN = 30.0  # a way that is done within the program
SOONER = 8.0  # and for each slot before its end: more than any dragon is worth
RISK, WASTE = 0, 1  # of `planning.Weights`
_THERE_AND_BACK = 0.2  # steps that lead nowhere are seldom wanted


@inlined
def _ahead(at: Any, laid: Any, work: Any) -> Any:
    """Whether the place at this point of the way can be entered."""
    here = bit(at)
    return at < work["length"] and laid & ~work["taken"] & here != ZERO


@inlined
def _fall_at(at: Any, work: Any) -> Any:
    """What a fall costs; at home nothing."""
    return work["fall"] + at + (0.0 if at == 0 and work["fall"] == 0 else 1.0)


@inlined
def _back(at: Any, steps: Any, loss: Any, work: Any) -> Any:
    """Must step, and cannot go on: back, or into the water."""
    if at > 0:
        return max(at - steps, 0), loss
    return at, loss + (np.float64(steps) if work["exits"] > 0 else _fall_at(at, work))


@inlined
def _lay_next(laid: Any, lacking: Any, loss: Any, weights: Any, work: Any) -> Any:
    every = bit(work["length"]) - ONE
    ready = every & ~laid & ~lacking & ~(lacking << ONE)
    if ready == ZERO:
        return laid, loss + weights[WASTE] * (1.0 if work["spare"] <= 0 else 0.5)
    return laid | (ready & (~ready + ONE)), loss


@inlined
def _step2(game: Any, at: Any, laid: Any, loss: Any, work: Any) -> Any:
    link = work["links"] & bit(at) != ZERO or game["move2_village"] > 0
    if not link or not _ahead(at, laid, work):
        return _back(at, 2, loss, work)
    if at + 1 == work["length"]:
        return at + 1, loss
    if _ahead(at + 1, laid, work):
        return at + 2, loss
    return at, loss + _THERE_AND_BACK


@inlined
def carry_out(game: Any, card: Any, slot: Any, row: Any, loss: Any, weights: Any, work: Any) -> Any:
    """One card; `row` is the places laid, those that lack a stone, and how far the pawn is."""
    laid, lacking, at = row
    if card <= STONES2:
        for _ in range(1 + card - STONE1):
            lacking &= lacking - ONE if lacking != ZERO else ZERO
    elif card <= PLANKS2:
        for _ in range(1 + card - PLANK1):
            laid, loss = _lay_next(laid, lacking, loss, weights, work)
    elif card == REMOVE:
        loss -= work["removal"][slot]
    elif card == MOVE1:
        if _ahead(at, laid, work):
            at += 1
        else:
            at, loss = _back(at, 1, loss, work)
    elif card == MOVE2:
        at, loss = _step2(game, at, laid, loss, work)
    elif card == JUMP:
        behind = at + 1 < work["length"] and work["taken"] & bit(at) != ZERO
        if behind and _ahead(at + 1, laid, work):
            at += 2
        else:
            loss += _fall_at(at, work)
            at = 0
    else:
        loss -= work["dragon"][card - MAX_KINDS, slot]
    return (laid, lacking, at), loss


@inlined
def value_of(row: Any, loss: Any, slots: Any, work: Any) -> Any:
    """What stands at the end, in stones, planks and steps that are not needed any more."""
    laid, lacking, at = row
    length = work["length"]
    if at >= length:
        return WIN + SOONER * slots - loss
    missing = bit(length) - ONE
    return -(size(lacking) + size(missing & ~laid) + length - at + loss)


@compiled
def carry_out_all(
    game: Any, first: Any, last: Any, without: Any, weights: Any, rules: Any, work: Any
) -> Any:
    """The value of the cards of `work["cards"]`, one of them cancelled (-1: none)."""
    row = work["laid"], work["lacking"], np.int64(0)
    loss = 0.0
    for slot in range(first, last):
        if slot != without:
            row, loss = carry_out(game, work["cards"][slot], slot, row, loss, weights, work)
            if row[2] >= work["length"]:
                return value_of(row, loss, last - slot, work)
    return value_of(row, loss, 0, work)


@inlined
def _with_risk(
    game: Any, value: Any, first: Any, last: Any, weights: Any, rules: Any, work: Any
) -> Any:
    """The value of a whole program, given that a dragon may cancel a card of it."""
    risk = weights[RISK]
    if risk <= 0.0:
        return value
    total = (1.0 - risk * (last - first)) * value
    for slot in range(first, last):
        total += risk * carry_out_all(game, first, last, slot, weights, rules, work)
    return total


@inlined
def _hopeful(game: Any, cards: Any, slot: Any, row: Any, loss: Any, weights: Any, work: Any) -> Any:
    """The cards that bring something in a slot, and of the dragons the best; else the best card."""
    before = value_of(row, loss, 0, work)
    good, best, dragon = ZERO, -1e9, ZERO
    single, most = ZERO, -1e9
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        after, lost = carry_out(game, card, slot, row, loss, weights, work)
        value = value_of(after, lost, 0, work)
        if value > most:
            single, most = bit(card), value
        if card >= MAX_KINDS:
            if value > best and value > before:
                dragon, best = bit(card), value
        elif value > before:
            good |= bit(card)
    return good | dragon if good | dragon != ZERO else single


@inlined
def _without(cards: Any, card: Any) -> Any:
    """What can be programmed after a card: each once, one dragon in all (4.2)."""
    low = bit(_DRAGONS) - ONE
    return cards & low if card >= MAX_KINDS else cards & ~bit(card)


@compiled
def best_rest(
    game: Any, cards: Any, first: Any, slot: Any, last: Any, weights: Any, rules: Any, work: Any
) -> Any:
    """The best value of a program whose cards up to, but not with, a slot are fixed."""
    row = work["laid"], work["lacking"], np.int64(0)
    loss = 0.0
    for i in range(first, slot):
        row, loss = carry_out(game, work["cards"][i], i, row, loss, weights, work)
        if row[2] >= work["length"]:
            value = value_of(row, loss, last - i, work)
            return _with_risk(game, value, first, slot, weights, rules, work)
    best = -1e9
    depth: Any = slot
    trail, left = work["trail"], work["left"]
    trail[depth, 0], trail[depth, 1], trail[depth, 2] = row[0], row[1], np.uint64(row[2])
    work["loss"][depth] = loss
    if slot >= last:
        return _with_risk(game, value_of(row, loss, 0, work), first, last, weights, rules, work)
    left[depth] = _hopeful(game, cards, depth, row, loss, weights, work)
    work["hand"][depth] = cards
    while depth >= slot:
        if left[depth] == ZERO:
            depth -= 1
            continue
        card = lowest(left[depth])
        left[depth] &= left[depth] - ONE
        work["cards"][depth] = card
        row = trail[depth, 0], trail[depth, 1], np.int64(trail[depth, 2])
        row, loss = carry_out(game, card, depth, row, work["loss"][depth], weights, work)
        won = row[2] >= work["length"]
        if won or depth + 1 == last:
            value = value_of(row, loss, last - depth if won else 0, work)
            if value > best:  # a dragon does not make it better
                value = _with_risk(game, value, first, depth + 1, weights, rules, work)
                best = max(best, value)
            continue
        hand = _without(work["hand"][depth], card)
        depth += 1
        trail[depth, 0], trail[depth, 1], trail[depth, 2] = row[0], row[1], np.uint64(row[2])
        work["loss"][depth] = loss
        work["hand"][depth] = hand
        left[depth] = _hopeful(game, hand, depth, row, loss, weights, work)
    return best


@compiled
def assess_cards(game: Any, count: Any, done: Any, weights: Any, rules: Any, work: Any) -> None:
    """`work["values"]` of the cards that the seat on turn may program next.

    Its first `done` cards have been carried out already.
    """
    seat, last = np.int64(game["seat"]), np.int64(rules["slots"])
    slot: Any = 0
    while game["program"][seat, slot] != EMPTY:
        work["cards"][slot] = np.int64(game["program"][seat, slot])
        slot += 1
    hand = ZERO
    for i in range(count):
        hand |= bit(work["actions"][i])
    for i in range(count):
        card = np.int64(work["actions"][i])
        work["cards"][slot] = card
        rest = _without(hand, card)
        work["values"][i] = best_rest(game, rest, done, slot + 1, last, weights, rules, work)
