"""What is foreseen of a play, slowly and obviously: an oracle for tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from drago_env.mount_drago.planning import Weights, WinChance
from tests.mount_drago.reference import Reference
from tests.mount_drago.thumbs import (
    best_gain,
    holdings,
    lead,
    space_value,
    spread_of,
    think_of_card,
    tried,
)

UNLIKELY = 0.01
NOTHING: dict[str, Any] = {
    "gains": [0.0, 0.0, 0.0],
    **dict.fromkeys(("gainful", "reach", "reply_scores", "reply_gain", "reply_ends"), 0.0),
    **dict.fromkeys(("reply_verdict", "win", "next_gain", "own_value", "rival_value"), 0.0),
    "reply_worth": 0.0,
}


def ended(side: Reference) -> bool:
    return sum(map(side.on_summit, range(side.colours))) >= side.summit_dragons


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def likely(
    side: Reference, weights: Weights, unseen: dict[int, int]
) -> Iterator[tuple[int, float, float]]:
    """The replies of the rider on turn, best first: card, its chance, what it is worth to them."""
    rider = side.seat
    rest = side.hands[rider][1:]  # how many there are is all that matters
    worth = {
        card: think_of_card(side, rider, card, False, rest).worth(weights)
        for card, count in sorted(unseen.items())
        if count
    }
    order = sorted(worth, key=lambda card: -round(worth[card], 9))
    left, cards = 1.0, sum(unseen.values())
    for card in order:
        none = math.exp(-len(side.hands[rider]) * unseen[card] / cards)
        if left * none < UNLIKELY or card == order[-1]:
            yield card, left, worth[card]
            return
        yield card, left * (1 - none), worth[card]
        left, cards = left * none, cards - unseen[card]


def foreseen(side: Reference, action: int, weights: Weights, leaf: WinChance) -> dict[str, Any]:
    """By the names of `observation.FORESIGHT`, not scaled."""
    found = dict(NOTHING)
    if side.step != "play":
        return found
    seat, (block, card) = side.seat, divmod(action, side.kinds)
    after = tried(side, seat, card, keep=block == 1).after
    if ended(after):
        return found | {"win": (1 + sign(lead(after.scores, seat))) / 2}
    rest = side.hands[seat].copy()
    rest.remove(card)
    plays = [tried(after, seat, left) for left in rest]
    gains = sorted((max(play.gain(seat), 0.0) for play in plays), reverse=True)
    ridden = {after.ridden(rider) for rider in range(side.players) if rider != seat}
    reached = [
        play.after.board[play.after.position[side.colour(left)]][0]
        for play, left in zip(plays, rest, strict=True)
        if side.colour(left) not in ridden
    ]
    sums = dict.fromkeys(
        (name for name in NOTHING if name not in ("gains", "gainful", "reach")), 0.0
    )
    spread = spread_of(after, leaf)
    after.seat = (seat + 1) % side.players
    for reply, share, worth in likely(after, weights, side.unseen(seat)):
        play = tried(after, after.seat, reply)
        then = play.after
        sums["reply_worth"] += share * worth
        sums["reply_scores"] += share * (play.scoring != "none")
        sums["reply_gain"] += share * play.gain(seat)
        if ended(then):
            verdict = sign(lead(then.scores, seat))
            sums["reply_ends"] += share
            sums["reply_verdict"] += share * verdict
            sums["win"] += share * (1 + verdict) / 2
            continue
        threat = best_gain(then, seat, rest)
        others = [rider for rider in range(side.players) if rider != seat]
        own = holdings(then, seat, leaf) + (leaf.threat + leaf.turn) * threat
        odds = [math.exp((holdings(then, rider, leaf) - own) / spread) for rider in others]
        sums["win"] += share / (1 + sum(odds))
        sums["next_gain"] += share * threat
        sums["own_value"] += share * space_value(then, seat)
        sums["rival_value"] += share * sum(space_value(then, r) for r in others) / len(others)
    return found | {
        "gains": (gains + [0.0] * 3)[:3],
        "gainful": float(sum(gain > 0 for gain in gains)),
        "reach": float(max([0, *reached])),
        **sums,
    }
