"""What is foreseen of a play, slowly and obviously: an oracle for tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from drago_env.mount_drago.planning import Weights, WinChance
from tests.mount_drago.reference import Reference
from tests.mount_drago.thumbs import (
    best_gain,
    danger,
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
    **dict.fromkeys(("reply_worth", "later_danger", "follow_worth", "follow_danger"), 0.0),
    "follow_win": 0.0,
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
        card: think_of_card(side, rider, card, False, rest, light=True).worth(weights)
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


def chance(side: Reference, seat: int, expected: float, spread: float, leaf: WinChance) -> float:
    """A seat's chance to win that expects so many points."""
    own = holdings(side, seat, leaf) + expected
    others = [rider for rider in range(side.players) if rider != seat]
    return 1 / (1 + sum(math.exp((holdings(side, r, leaf) - own) / spread) for r in others))


def following(
    side: Reference,
    seat: int,
    hand: list[int],
    unseen: Any,
    spread: float,
    weights: Weights,
    leaf: WinChance,
) -> dict[str, float]:
    """What the best card of a hand leads to by the rules of thumb, the first of equals."""
    if not hand:
        return {"follow_win": chance(side, seat, 0.0, spread, leaf)}
    rest = side.hands[seat][1:]  # how many there are is all that matters
    worth = [
        think_of_card(side, seat, card, False, rest, light=True).worth(weights) for card in hand
    ]
    best = max(range(len(hand)), key=lambda place: round(worth[place], 9))
    left, after = hand[:best] + hand[best + 1 :], tried(side, seat, hand[best]).after
    found = {"follow_worth": worth[best]}
    if ended(after):
        return found | {"follow_win": (1 + sign(lead(after.scores, seat))) / 2}
    loss = danger(after, seat, unseen)
    expected = leaf.threat * best_gain(after, seat, left) + (leaf.threat + leaf.turn) * loss
    win = chance(after, seat, expected, spread, leaf)
    return found | {"follow_danger": loss, "follow_win": win}


def foreseen(side: Reference, action: int, weights: Weights, leaf: WinChance) -> dict[str, Any]:
    """By the names of `observation.FORESIGHT`, not scaled."""
    found = dict(NOTHING)
    if side.step != "play":
        return found
    seat, (block, card) = side.seat, divmod(action, side.kinds)
    after = tried(side, seat, card, keep=block == 1).after
    if ended(after):
        verdict = (1 + sign(lead(after.scores, seat))) / 2
        return found | {"win": verdict, "follow_win": verdict}
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
    spread, unseen = spread_of(after, leaf), side.unseen(seat)
    for rider in range(side.players - 2):
        sums["later_danger"] += danger(after, seat, unseen, (seat + 2 + rider) % side.players)
    after.seat = (seat + 1) % side.players
    for reply, share, worth in likely(after, weights, unseen):
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
            sums["follow_win"] += share * (1 + verdict) / 2
            continue
        threat = best_gain(then, seat, rest)
        others = [rider for rider in range(side.players) if rider != seat]
        expected = (leaf.threat + leaf.turn) * threat
        sums["win"] += share * chance(then, seat, expected, spread, leaf)
        for name, value in following(then, seat, rest, unseen, spread, weights, leaf).items():
            sums[name] += share * value
        sums["next_gain"] += share * threat
        sums["own_value"] += share * space_value(then, seat)
        sums["rival_value"] += share * sum(space_value(then, r) for r in others) / len(others)
    return found | {
        "gains": (gains + [0.0] * 3)[:3],
        "gainful": float(sum(gain > 0 for gain in gains)),
        "reach": float(max([0, *reached])),
        **sums,
    }
