"""Rules of thumb: what a play is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.batches import scratch
from drago_env.core.compiled import inlined
from drago_env.mount_drago.actions import TO_DISCARD, TO_END, TO_KEEP
from drago_env.mount_drago.kernel.knowledge import count_unseen
from drago_env.mount_drago.kernel.turn import ridden_by_other, score_riders, triggers
from drago_env.mount_drago.rules import (
    LANDINGS,
    MAJOR,
    MAX_CARD_KINDS,
    MAX_COLOURS,
    MAX_LEGAL,
    MAX_VALUES,
    MINOR,
    MINOR_LIMIT,
)
from drago_env.mount_drago.rules import MAX_PLAYERS as SEATS

# Weights are fitted for each number of players; `planning.Weights` says what each means.
DRAW, PLACE, RIVAL, AHEAD, PLAN, DANGER, END, TEMPO = range(8)
NOBODY = SEATS
SPARE = MAX_CARD_KINDS  # where the threats of the dragon go that a play has moved
GAIN_CLASSES = 16  # by whole points
WORK = scratch(
    SEATS,
    MAX_LEGAL,
    ("unseen", "i1", (MAX_CARD_KINDS,)),  # cards of each kind
    ("counts", "i1", (MAX_CARD_KINDS,)),  # the same, for `determinize`
    ("unseen_size", "<i8"),  # all of them
    ("threats", "i1", (SPARE + MAX_VALUES, 4)),  # see `list_threats`
    ("first", "i1", (MAX_COLOURS + 1,)),  # each dragon's first one; then where they stop
    ("gains", "<f8", (2, GAIN_CLASSES)),
    ("rider", "u1", (MAX_COLOURS,)),  # who rides each dragon, or NOBODY
    ("value", "<i8", (3, SEATS)),  # what a minor or major scoring would give each seat
    ("sums", "<i8", (3,)),
    ("terms", "<f8", (3, SEATS + 1, 5)),  # see `danger_of`
    ("replies", "<f8", (MAX_CARD_KINDS,)),  # what each card is worth to who replies with it
    ("best_first", "<i8", (MAX_CARD_KINDS,)),
    ("played", "<i2", (3, SEATS)),  # points of a play, of the reply to it and of what follows
)


@inlined
def weigh(game: Any, rules: Any, work: Any) -> None:
    """Who rides each dragon, and what a minor and a major scoring now would give each rider.

    A play moves one dragon and so changes the space of one rider at most: with these sums, the
    gain of any card is found without looking at every rider again.
    """
    riders = work["rider"]
    held = work["value"]
    for dragon in range(riders.shape[0]):
        riders[dragon] = NOBODY
    minor: Any = 0
    major: Any = 0
    for rider in range(game["players"]):
        dragon = rules["colour"][game["top"][rider]]
        value = np.int64(rules["space_value"][game["position"][dragon]])
        small = value if value <= MINOR_LIMIT else 0
        riders[dragon] = rider
        held[MINOR, rider] = small
        held[MAJOR, rider] = value
        minor += small
        major += value
    work["sums"][MINOR] = minor
    work["sums"][MAJOR] = major


@inlined
def gain_of(seat: Any, triggered: Any, others: Any, work: Any) -> Any:
    """What a scoring now would bring a seat: its points less the mean of the others'."""
    own = work["value"][triggered, seat]
    return own - (work["sums"][triggered] - own) / others


@inlined
def gain_with(seat: Any, card: Any, spaces: Any, others: Any, rules: Any, work: Any) -> Any:
    """What a card would gain a seat at once; `spaces` is the row of its dragon's space."""
    landing = LANDINGS - 1 + np.int64(rules["value"][card])
    triggered = np.int64(spaces[landing + np.int64(rules["values"])])
    if triggered == 0:
        return 0.0
    value: Any = np.int64(spaces[landing])
    if triggered == MINOR and value > MINOR_LIMIT:
        value = 0
    moved = np.int64(work["rider"][rules["colour"][card]])
    if moved == NOBODY:
        moved = seat
    total = work["sums"][triggered] - work["value"][triggered, moved] + value
    own = value if moved == seat else work["value"][triggered, seat]
    return own - (total - own) / others


@inlined
def best_gain(game: Any, seat: Any, without: Any, rules: Any, work: Any) -> Any:
    """The most that a seat's hand could gain at once; one card `without` is out of it."""
    others = np.int64(game["players"]) - 1
    best = 0.0
    for i in range(game["hand_size"][seat]):
        card = np.int64(game["hand"][seat, i])
        if card == without:
            without = -1
            continue
        spaces = rules["next_spaces"][game["position"][rules["colour"][card]]]
        best = max(best, gain_with(seat, card, spaces, others, rules, work))
    return best


@inlined
def value_ahead(space: Any, rules: Any) -> Any:
    """The mean value of the spaces that one card leads to."""
    values = np.int64(rules["values"])
    total: Any = 0
    for k in range(values):
        total += np.int64(rules["next_spaces"][space, LANDINGS + k])
    return total / values


@inlined
def list_threats(game: Any, dragon: Any, place: Any, rules: Any, work: Any) -> Any:
    """Lists the unseen cards of a dragon that would trigger a scoring; returns where they stop.

    Each is a row of the dragon, what it triggers, what its rider would get, and how many there
    are. As in `list_legal`, rows are written first and then counted or not.
    """
    values = np.int64(rules["values"])
    spaces = rules["next_spaces"][game["position"][dragon]]
    for k in range(values):
        triggered = spaces[LANDINGS + values + k]
        value = spaces[LANDINGS + k]
        count = work["unseen"][dragon * values + k]
        threat = work["threats"][place]
        threat[0] = dragon
        threat[1] = triggered
        threat[2] = 0 if (triggered == MINOR) & (value > MINOR_LIMIT) else value
        threat[3] = count
        place += (triggered != 0) & (count > 0)
    return place


@inlined
def list_all_threats(game: Any, rules: Any, work: Any) -> None:
    """The threats of every dragon, and where each one's begin."""
    colours = np.int64(rules["colours"])
    place: Any = 0
    for dragon in range(colours):
        work["first"][dragon] = place
        place = list_threats(game, dragon, place, rules, work)
    work["first"][colours] = place


@inlined
def foresee(game: Any, rules: Any, work: Any) -> None:
    """What the seat on turn must reckon with; `danger_of` needs it, the same for every play."""
    count_unseen(game, game["seat"], rules, np.int8(1), work["unseen"])
    size: Any = 0
    for card in range(np.int64(rules["card_kinds"])):
        size += np.int64(work["unseen"][card])
    work["unseen_size"] = size
    list_all_threats(game, rules, work)


@inlined
def danger_of(game: Any, seat: Any, following: Any, moved: Any, rules: Any, work: Any) -> Any:
    """What the following rider's best scoring is likely to bring this seat, mostly a loss.

    They are taken to hold a random hand of the unseen cards and to play the one that gains them
    most, if any gains. `gains[0]` counts such cards by that gain, `gains[1]` adds up ours.
    Since `foresee` one dragon has moved, and `weigh` has seen it.

    A threat changes the value of one rider's space. Whatever the new value is, all the others
    get `terms[0]`, the next rider `terms[1] + terms[2] * value`, this seat the same with 3 and 4:
    so each threat is reckoned without a branch, which would be hard to predict.
    """
    gains = work["gains"]
    players = np.int64(game["players"])
    for k in range(GAIN_CLASSES):
        gains[0, k] = 0.0
        gains[1, k] = 0.0
    share = 1.0 / (players - 1)
    held = work["value"]
    first = work["first"]
    terms = work["terms"]
    for rider in range(players):
        for triggered in range(MINOR, MAJOR + 1):
            terms[triggered, rider, 0] = work["sums"][triggered] - held[triggered, rider]
            terms[triggered, rider, 1] = held[triggered, following]
            terms[triggered, rider, 2] = 0
            terms[triggered, rider, 3] = held[triggered, seat]
            terms[triggered, rider, 4] = 0
    for triggered in range(MINOR, MAJOR + 1):
        terms[triggered, following, 1] = 0
        terms[triggered, following, 2] = 1
        terms[triggered, seat, 3] = 0
        terms[triggered, seat, 4] = 1
        for k in range(5):  # they take what nobody rides
            terms[triggered, NOBODY, k] = terms[triggered, following, k]
    best: Any = 0
    for third in range(3):  # the dragons before the one that moved, this one, those after it
        if third == 0:
            start, stop = 0, np.int64(first[moved])
        elif third == 1:
            start, stop = SPARE, list_threats(game, moved, SPARE, rules, work)
        else:
            start, stop = first[moved + 1], first[rules["colours"]]
        for i in range(start, stop):
            threat = work["threats"][np.uint64(i)]
            value = np.float64(threat[2])
            term = terms[np.uint8(threat[1]), work["rider"][np.uint8(threat[0])]]
            everyone = term[0] + value
            theirs = term[1] + term[2] * value
            own = term[3] + term[4] * value
            gain = theirs - (everyone - theirs) * share
            # what gains nothing counts nothing
            count = np.float64(np.int64(threat[3]) * (gain > 0))
            points: Any = min(max(np.int64(gain), 0), GAIN_CLASSES - 1)
            whole = np.uint64(points)
            gains[0, whole] += count
            gains[1, whole] += count * (own - (everyone - own) * share)
            best = max(best, points)
    hand = np.float64(game["hand_size"][following])
    total = np.float64(work["unseen_size"])
    expected = 0.0
    left = 1.0  # the chance that they have nothing better
    for k in range(best, -1, -1):
        if gains[0, k] > 0:
            without = np.exp(-hand * gains[0, k] / max(total, 1.0))
            expected += left * (1.0 - without) * gains[1, k] / gains[0, k]
            left *= without
            total -= gains[0, k]
    return expected


@inlined
def lead_of(game: Any, seat: Any, points: Any) -> Any:
    """Points of a seat less those of the best other one, with these points added."""
    best: Any = -(1 << 20)
    for rider in range(game["players"]):
        if rider != seat:
            best = max(best, np.int64(game["score"][rider]) + np.int64(points[rider]))
    return np.int64(game["score"][seat]) + np.int64(points[seat]) - best


@inlined
def try_play(game: Any, seat: Any, card: Any, keep: Any, rules: Any) -> Any:
    """Moves and rides as a play would (4, 5), and nothing else; returns the top card before it."""
    dragon = rules["colour"][card]
    own_top = game["top"][seat]
    if not keep and not ridden_by_other(game, seat, dragon, rules):
        game["top"][seat] = card
    goal = np.int64(game["position"][dragon]) + np.int64(rules["value"][card])
    game["position"][dragon] = min(goal, np.int64(rules["last"]))
    return own_top


@inlined
def take_back(game: Any, seat: Any, dragon: Any, before: Any, own_top: Any) -> None:
    game["position"][dragon] = before
    game["top"][seat] = own_top


@inlined
def assess_discard(game: Any, action: Any, rules: Any) -> Any:
    """Cards of summit dragons go, except those that still lift the own dragon."""
    kinds = np.int64(rules["card_kinds"])
    if action == TO_END * kinds:
        return 0.0
    dragon = rules["colour"][action - TO_DISCARD * kinds]
    own = rules["colour"][game["top"][game["seat"]]] == dragon
    return -1.0 if own and game["position"][dragon] < rules["last"] else 1.0


@inlined
def assess(game: Any, action: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What a play of the seat on turn is worth by the rules of thumb, in points.

    It is tried on the record itself and taken back. `foresee` is needed for DANGER alone.
    """
    kinds = np.int64(rules["card_kinds"])
    if action >= TO_DISCARD * kinds:
        return assess_discard(game, action, rules)
    players = np.int64(game["players"])
    seat = np.int64(game["seat"])
    keep = action >= TO_KEEP * kinds
    card = action - TO_KEEP * kinds if keep else action
    dragon = rules["colour"][card]
    before = game["position"][dragon]
    triggered = triggers(game, card, rules)
    own_top = try_play(game, seat, card, keep, rules)
    weigh(game, rules, work)
    value = 0.0
    ends = False
    if triggered != 0:
        value += gain_of(seat, triggered, players - 1, work)
        if game["hand_size"][seat] > 1:
            value -= weights[DRAW]
        if game["position"][dragon] >= rules["summit"]:
            score_riders(game, triggered, rules, work["points"])
            lead = lead_of(game, seat, work["points"])
            ends = game["summit"] + 1 == rules["summit_dragons"]
            if ends and lead != 0:
                value += weights[END] if lead > 0 else -weights[END]
            elif not ends:
                value += weights[TEMPO] * min(max(lead, -10), 10)
    if not ends:
        for rider in range(players):
            space = np.int64(game["position"][rules["colour"][game["top"][rider]]])
            if rider == seat:
                value += weights[PLACE] * rules["space_value"][space]
                value += weights[AHEAD] * value_ahead(space, rules)
            else:
                value -= weights[RIVAL] * rules["space_value"][space] / (players - 1)
        if weights[PLAN] != 0.0:
            value += weights[PLAN] * best_gain(game, seat, card, rules, work)
        if weights[DANGER] != 0.0:
            following = seat + 1 if seat + 1 < players else 0
            value += weights[DANGER] * danger_of(game, seat, following, dragon, rules, work)
    take_back(game, seat, dragon, before, own_top)
    return value


@inlined
def assess_all(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What each listed action is worth; returns the place of the best, the first of equals."""
    if weights[DANGER] != 0.0:
        foresee(game, rules, work)
    values = work["values"]
    best = 0
    for i in range(count):
        values[i] = assess(game, np.int64(work["actions"][i]), rules, weights, work)
        if values[i] > values[best]:
            best = i
    return best
