"""What a rider sees, as one flat vector with named slices, and as words.

The vector is relative to the observer (seat 0 is their own, 1 the next rider's) and padded to five
seats, so that one network plays any number of riders. Its numbers are scaled by powers of two
to about [-1, 1]; the compact int8 form holds the same numbers unscaled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.layout import Slice, laid_out, named, starts
from drago_env.mount_drago import rules as numbers
from drago_env.mount_drago.rules import COLOURS, EDITIONS, MAX_PLAYERS, Rules
from drago_env.moved import moved

VERSION = 2  # of the meaning of the vector and of the features; goes up when either changes


_TAIL = (
    ("hand_size", (MAX_PLAYERS,), 1 / 8, "cards in each hand"),
    ("top_value", (MAX_PLAYERS,), 1 / 8, "value of the top card of each pile"),
    ("lead", (MAX_PLAYERS - 1,), 1 / 32, "each other rider's points less the own, up to 127"),
    ("turn", (MAX_PLAYERS,), 1.0, "who decides; nobody when the game is over"),
    ("discarding", (1,), 1.0, "the decision is a discard"),
    ("discarded", (1,), 1 / 8, "cards discarded so far in this step"),
    ("deck", (1,), 1 / 128, "cards in the deck"),
    ("summit_left", (1,), 1 / 4, "dragons that must still reach the summit to end the game"),
    ("players", (4,), 1.0, "two, three, four or five riders"),
    ("italian", (1,), 1.0, "the italian edition"),
)
# where the parts of the tail begin, after what each dragon and each rider's dragon take
HAND_SIZE, TOP_VALUE, LEAD, TURN, DISCARDING, DISCARDED, DECK, SUMMIT_LEFT, PLAYERS, EDITION = (
    starts(laid_out(*_TAIL))
)


def layout(rules: Rules) -> tuple[Slice, ...]:
    """The slices of the observation, in the order in which the kernel writes them."""
    kinds, colours = rules.card_kinds, rules.colours
    card = 2.0 ** -np.ceil(np.log2(max(rules.copies)))
    spaces = numbers.next_spaces_scale(rules)
    return laid_out(
        ("hand", (kinds,), card, "own cards of each kind"),
        ("unseen", (kinds,), card, "cards of each kind in the other hands or the deck"),
        (
            "dragons",
            (colours, len(spaces)),
            tuple(spaces),
            "for each dragon: space, steps to the summit, value there; then for each card value "
            "the value where it lands; then what the landing triggers (1 minor, 2 major)",
        ),
        ("rides", (MAX_PLAYERS, colours), 1.0, "which dragon each rider rides"),
        *_TAIL,
    )


FEATURES = laid_out(
    ("points", (MAX_PLAYERS,), 1 / 8, "what each rider gets at once, the own first"),
    ("own_value", (1,), 1 / 8, "value of the own dragon's space after it"),
    ("own_steps", (1,), 1 / 32, "steps from there to the summit"),
    ("trigger", (1,), 1 / 2, "1 a minor, 2 a major scoring"),
    ("no_draw", (1,), 1.0, "the hand stays a card short"),
    ("changes", (1,), 1.0, "the own dragon changes"),
    ("ends", (1,), 1.0, "the game ends"),
    ("discards", (1,), 1.0, "it discards a card"),
    ("done", (1,), 1.0, "it ends the discarding"),
    ("rival_value", (1,), 1 / 8, "after a play: mean value of the others' spaces"),
    (
        "own_road",
        (1,),
        1 / 8,
        "after a play: mean value of the spaces to which one card takes the own dragon",
    ),
    ("next_gain", (1,), 1 / 8, "after a play: the most that a card left in the hand would gain"),
    (
        "danger",
        (1,),
        1 / 8,
        "after a play: what the next rider's best scoring is expected to gain for the own seat, "
        "mostly a loss",
    ),
    ("lead", (1,), 1 / 8, "after a play: own points less the best other's, up to 63"),
    (
        "verdict",
        (1,),
        1.0,
        "of a play that ends the game: 1 a victory, 0 a shared one, -1 a defeat",
    ),
    fractions=("rival_value", "own_road", "next_gain", "danger"),
)
(
    POINTS,
    OWN_VALUE,
    OWN_STEPS,
    TRIGGER,
    NO_DRAW,
    CHANGES,
    ENDS,
    DISCARDS,
    DONE,
    RIVAL_VALUE,
    OWN_ROAD,
    NEXT_GAIN,
    DANGER,
    OWN_LEAD,
    VERDICT,
) = starts(FEATURES)

FORESIGHT = laid_out(
    (
        "gains",
        (3,),
        1 / 8,
        "after a play: what the three best of the cards left in the hand would gain",
    ),
    ("gainful", (1,), 1 / 8, "how many of them would gain anything"),
    ("reach", (1,), 1 / 8, "the highest value of a space to which one of them takes the own seat"),
    ("reply_scores", (1,), 1.0, "chance that the next rider's reply scores"),
    ("reply_gain", (1,), 1 / 8, "what the reply is expected to gain for the own seat"),
    ("reply_ends", (1,), 1.0, "chance that the reply ends the game"),
    ("reply_verdict", (1,), 1.0, "what that brings: 1 a victory, 0 a shared one, -1 a defeat"),
    ("win", (1,), 1.0, "chance to win after the reply, by `win_chance` and what the seat sees"),
    ("next_gain", (1,), 1 / 8, "after the reply: the most that a card left would gain"),
    ("own_value", (1,), 1 / 8, "after the reply: value of the own dragon's space"),
    ("rival_value", (1,), 1 / 8, "after the reply: mean value of the others' spaces"),
    ("reply_worth", (1,), 1 / 8, "what the reply is worth to who makes it, in points"),
    (
        "later_danger",
        (1,),
        1 / 8,
        "what the best scorings of the riders after the next one are expected to gain for the own "
        "seat, mostly a loss",
    ),
    ("follow_worth", (1,), 1 / 8, "what the own best card after the reply is worth, in points"),
    ("follow_danger", (1,), 1 / 8, "after that card: `danger`, as among the features"),
    ("follow_win", (1,), 1.0, "after that card: chance to win, with `follow_danger`"),
    fractions=(
        *("gains", "reply_scores", "reply_gain", "reply_ends", "reply_verdict", "win"),
        *("next_gain", "own_value", "rival_value", "reply_worth"),
        *("later_danger", "follow_worth", "follow_danger", "follow_win"),
    ),
)
(
    GAINS,
    GAINFUL,
    REACH,
    REPLY_SCORES,
    REPLY_GAIN,
    REPLY_ENDS,
    REPLY_VERDICT,
    WIN,
    THEN_GAIN,
    THEN_OWN_VALUE,
    THEN_RIVAL_VALUE,
    REPLY_WORTH,
    LATER_DANGER,
    FOLLOW_WORTH,
    FOLLOW_DANGER,
    FOLLOW_WIN,
) = starts(FORESIGHT)


def describe(vector: NDArray[Any], rules: Rules | None = None) -> str:
    """An observation in words; the sizes are those of `rules`, by default of the full game."""
    rules = rules or Rules()
    see = named(vector, layout(rules))
    players = int(see["players"].argmax()) + 2
    names = ["you", *(f"rider +{k}" for k in range(1, players))]
    turn = [name for name, on in zip(names, see["turn"], strict=False) if on]
    step = "discard" if see["discarding"][0] else "play"
    edition = EDITIONS[int(see["italian"][0])]
    lines = [
        f"{players} riders, {edition} edition, {_count(see['deck'][0], 'card')} in the deck, "
        f"{_count(see['summit_left'][0], 'dragon')} from the end",
        f"{turn[0]} {step}{'' if turn[0] == 'you' else 's'}" if turn else "the game is over",
        f"your hand: {_cards(see['hand'], rules)}",
    ]
    if see["discarded"][0]:
        lines[1] += f", {_count(see['discarded'][0], 'card')} discarded so far"
    for k, name in enumerate(names):
        dragon = COLOURS[int(see["rides"][k].argmax())]
        cards = _count(see["hand_size"][k], "card")
        line = f"{name}: on {dragon} by a {see['top_value'][k]}, {cards}"
        if k:
            line += f", {see['lead'][k - 1]:+d} against you"
        lines.append(line)
    values = rules.values
    for colour, row in zip(COLOURS, see["dragons"], strict=False):
        marks = {0: "", 1: "b", 2: "G"}
        steps = zip(row[3 : 3 + values], row[3 + values :], strict=True)
        ahead = " ".join(f"{value}{marks[int(trigger)]}" for value, trigger in steps)
        place = f"{_count(row[1], 'step')} to the summit" if row[1] > 0 else "on the summit"
        lines.append(f"{colour} on space {row[0]} (value {row[2]}, {place}), ahead: {ahead}")
    lines.append(f"unseen: {_cards(see['unseen'], rules)}")
    return "\n".join(lines)


def _count(number: Any, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _cards(counts: NDArray[np.int64], rules: Rules) -> str:
    held = [f"{rules.card_text(int(card))} x{counts[card]}" for card in np.flatnonzero(counts)]
    return ", ".join(held) or "nothing"


__getattr__ = moved(__name__, {"scale": "drago_env.core.layout:scale"})
