"""The rules as compiled loops over the state array: every numba function of the game.

Only numpy and numba are imported, and rules come in as `tables` arguments, because numba's
cache does not notice a change in another file. `game` is one record of the state array,
changed in place; `tables` is made by `rules.tables`. Numbers in brackets cite the rule clauses.
Nothing here is checked: callers pass legal actions, sound states and arrays of the right shape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

PLAY, DISCARD, OVER = 0, 1, 2  # state["phase"]
MINOR, MAJOR = 1, 2  # what a landing triggers; 0 is nothing
MINOR_LIMIT = 3  # a minor scoring counts spaces of at most this value (6.2)
ITALIAN = 1  # state["edition"]
WIN, MARGIN, RANK = 0, 1, 2  # reward schemes
MARGIN_SCALE = 20.0
SEATS = 5  # what arrays with one entry a seat are padded to
MAX_HAND = 6
NO_ACTION = -1  # leaves a row as it is
EMPTY = 255  # an unused slot of a hand; the space of a dragon that the rules do not have

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def _jit(function: Callable[..., Any]) -> Any:
    """Compiles on first use and caches on disk, or only in memory where no disk is writable."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}
    options["forceinline"] = function.__name__.startswith("_")
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder for its cache
        return njit(**options)(function)


# ---------------------------------------------------------------- chance


@_jit
def _mix(z: Any) -> Any:
    """The output function of splitmix64."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@_jit
def _below(z: Any, n: Any) -> Any:
    """A number from 0 to n - 1 out of 64 random bits; n < 256 keeps the bias below 2 ** -24."""
    return np.int64(((_mix(z) >> _S32) * np.uint64(n)) >> _S32)


@_jit
def _chance(game: Any, n: Any) -> Any:
    game["rng"] = game["rng"] + _GOLDEN
    return _below(game["rng"], n)


# ---------------------------------------------------------------- cards


@_jit
def _add_card(game: Any, seat: Any, card: Any) -> None:
    """Keeps the hand sorted, without a branch: every slot is the middle one of three."""
    hand = game["hand"][seat]
    card = np.uint8(card)
    for i in range(MAX_HAND - 1, 0, -1):
        hand[i] = max(hand[i - 1], min(hand[i], card))
    hand[0] = min(hand[0], card)
    game["hand_size"][seat] += 1


@_jit
def _remove_card(game: Any, seat: Any, card: Any) -> None:
    """Closes the gap, without a branch: cards below the given one stay, the others move up."""
    hand = game["hand"][seat]
    for i in range(MAX_HAND - 1):
        hand[i] = hand[i] if hand[i] < card else hand[i + 1]
    hand[MAX_HAND - 1] = EMPTY
    game["hand_size"][seat] -= 1


@_jit
def _reshuffle(game: Any, rules: Any) -> None:
    """All cards but the tops and the hands become the new deck (7.3)."""
    size = 0
    for card in range(rules["card_kinds"]):
        for _ in range(game["pile"][card]):
            game["deck"][size] = card
            size += 1
        game["pile"][card] = 0
    game["deck_size"] = size


@_jit
def _take_from_deck(game: Any, i: Any) -> Any:
    size = np.int64(game["deck_size"]) - 1
    card = game["deck"][i]
    game["deck"][i] = game["deck"][size]
    game["deck"][size] = EMPTY
    game["deck_size"] = size
    return card


@_jit
def _return_card(game: Any, card: Any) -> None:
    size = np.int64(game["deck_size"])
    game["deck"][size] = card
    game["deck_size"] = size + 1


@_jit
def _random_card(game: Any) -> Any:
    return _take_from_deck(game, _chance(game, game["deck_size"]))


@_jit
def _draw(game: Any, seat: Any, count: Any, rules: Any) -> None:
    for _ in range(count):
        if game["deck_size"] == 0:
            _reshuffle(game, rules)
        card = _random_card(game)
        _add_card(game, seat, card)
        drawn = np.int64(game["drawn_size"])
        game["drawn"][drawn] = card
        game["drawn_size"] = drawn + 1


# ---------------------------------------------------------------- set-up (2)


@_jit
def _shown(game: Any, seat: Any, colour: Any, rules: Any) -> Any:
    """Whether a seat before this one shows the colour."""
    found = False
    for other in range(seat):
        found |= rules["colour"][game["top"][other]] == colour
    return found


@_jit
def _deal_top(game: Any, seat: Any, rules: Any) -> None:
    """A face-up card of a colour that nobody else shows (2.2).

    A random card whose colour is free is a random free colour and a random card of it, since
    all free colours have equally many cards left: that is the german set-up, where rejected
    cards stay in the deck. In the italian one they go to the discard pile.
    """
    italian = game["edition"] == ITALIAN
    while True:
        i = _chance(game, game["deck_size"])
        card = game["deck"][i]
        free = not _shown(game, seat, rules["colour"][card], rules)
        if free or italian:
            _take_from_deck(game, i)
        if free:
            game["top"][seat] = card
            return
        if italian:
            game["pile"][card] += 1


@_jit
def _deal(game: Any, seed: Any, rules: Any) -> None:
    """Sets up a new game in a record whose players, edition and board are set (2)."""
    game["rng"] = _mix(seed)
    for i in range(game["deck"].shape[0]):
        game["deck"][i] = rules["bag"][i]
    game["deck_size"] = rules["cards"]
    for i in range(game["pile"].shape[0]):
        game["pile"][i] = 0
    for i in range(game["position"].shape[0]):
        game["position"][i] = 0 if i < rules["colours"] else EMPTY  # 2.1
    for i in range(MAX_HAND):
        game["drawn"][i] = EMPTY
    for seat in range(SEATS):
        game["score"][seat] = 0
        game["top"][seat] = 0
        game["hand_size"][seat] = 0
        for i in range(MAX_HAND):
            game["hand"][seat, i] = EMPTY
    game["drawn_size"] = 0
    game["seat"] = 0  # 2.3
    game["phase"] = PLAY
    game["summit"] = 0
    game["discarded"] = 0
    if game["edition"] != ITALIAN:
        for seat in range(game["players"]):
            _deal_top(game, seat, rules)
    for seat in range(game["players"]):
        for _ in range(rules["hand"]):
            _add_card(game, seat, _random_card(game))
    if game["edition"] == ITALIAN:
        for seat in range(game["players"]):
            _deal_top(game, seat, rules)


# ---------------------------------------------------------------- what is legal (10)


@_jit
def _may_discard(game: Any, card: Any, rules: Any) -> Any:
    """Whether this is a card of a dragon on the summit (7.1, 7.2)."""
    return game["position"][rules["colour"][card]] >= rules["summit"]


@_jit
def _has_discard(game: Any, seat: Any, rules: Any) -> Any:
    if game["summit"] > 0:
        for i in range(game["hand_size"][seat]):
            if _may_discard(game, game["hand"][seat, i], rules):
                return True
    return False


@_jit
def _ridden(game: Any, rules: Any) -> Any:
    """The dragons that somebody rides, as bits."""
    bits: Any = 0
    for rider in range(game["players"]):
        bits |= 1 << np.int64(rules["colour"][game["top"][rider]])
    return bits


@_jit
def _last_place(game: Any) -> Any:
    place = game["position"][0]
    for dragon in range(1, game["position"].shape[0]):
        place = min(place, game["position"][dragon])
    return place


@_jit
def _may_keep(game: Any, card: Any, ridden: Any, last_place: Any, rules: Any) -> Any:
    """The last-dragon choice: nobody rides it, and nobody is behind it (5.3)."""
    dragon = np.int64(rules["colour"][card])
    return (game["position"][dragon] == last_place) & (ridden >> dragon & 1 == 0)


@_jit
def _legal(game: Any, rules: Any, actions: Any) -> Any:
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
            actions[n] = 2 * kinds + hand[i]
            n += new & _may_discard(game, hand[i], rules)
        actions[n] = 3 * kinds
        return n + 1
    actions[0] = hand[0]
    n = 1
    for i in range(1, size):  # 4.1
        actions[n] = hand[i]
        n += hand[i] != hand[i - 1]
    plays = n
    ridden = _ridden(game, rules)
    last_place = _last_place(game)
    for i in range(plays):
        actions[n] = kinds + actions[i]
        n += _may_keep(game, actions[i], ridden, last_place, rules)
    return n


@_jit
def _is_legal(game: Any, action: Any, rules: Any) -> Any:
    kinds = np.int64(rules["card_kinds"])
    seat = np.int64(game["seat"])
    if game["phase"] == OVER or action < 0 or action > 3 * kinds:
        return False
    if action == 3 * kinds:
        return game["phase"] == DISCARD
    block = 0
    card = action
    while card >= kinds:
        card -= kinds
        block += 1
    held = False
    for i in range(game["hand_size"][seat]):
        held |= game["hand"][seat, i] == card
    if not held or (block == 2) != (game["phase"] == DISCARD):
        return False
    if block == 1:
        return _may_keep(game, card, _ridden(game, rules), _last_place(game), rules)
    return block == 0 or _may_discard(game, card, rules)


# ---------------------------------------------------------------- a turn (3)


@_jit
def _ridden_by_other(game: Any, seat: Any, dragon: Any, rules: Any) -> Any:
    found = False
    for rider in range(game["players"]):
        found |= (rider != seat) & (rules["colour"][game["top"][rider]] == dragon)
    return found


@_jit
def _score(game: Any, triggered: Any, rules: Any, points: Any) -> None:
    """What each rider gets for the dragon that he rides now (6.2, 6.3, 6.5)."""
    for rider in range(game["players"]):
        dragon = rules["colour"][game["top"][rider]]
        value = rules["worth"][game["position"][dragon]]
        points[rider] = value if triggered == MAJOR or value <= MINOR_LIMIT else 0


@_jit
def _triggers(game: Any, card: Any, rules: Any) -> Any:
    """What the landing of the card's dragon would trigger (6.1 to 6.4)."""
    before = game["position"][rules["colour"][card]]
    return rules["ahead"][before, 2 + rules["values"] + np.int64(rules["value"][card])]


@_jit
def _play(game: Any, card: Any, keep: Any, rules: Any, points: Any) -> None:
    seat = np.int64(game["seat"])
    italian = game["edition"] == ITALIAN
    # play a card and move (4)
    _remove_card(game, seat, card)
    dragon = rules["colour"][card]
    value = np.int64(rules["value"][card])
    before = np.int64(game["position"][dragon])
    after = min(before + value, np.int64(rules["last"]))
    game["position"][dragon] = after
    # change or keep the dragon (5)
    if keep | _ridden_by_other(game, seat, dragon, rules):
        game["pile"][card] += 1
    else:
        game["pile"][game["top"][seat]] += 1
        game["top"][seat] = card
    # scoring (6)
    triggered = rules["ahead"][before, 2 + rules["values"] + value]
    if triggered != 0:
        _score(game, triggered, rules, points)
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
        _refill(game, seat, rules)
    if (refill or italian) and _has_discard(game, seat, rules):
        game["phase"] = DISCARD
        return
    if refill and not italian:
        _refill(game, seat, rules)
    _next_seat(game)


@_jit
def _refill(game: Any, seat: Any, rules: Any) -> None:
    _draw(game, seat, np.int64(rules["hand"]) - np.int64(game["hand_size"][seat]), rules)


@_jit
def _next_seat(game: Any) -> None:
    seat = np.int64(game["seat"]) + 1
    game["seat"] = 0 if seat == game["players"] else seat


@_jit
def _end_discards(game: Any, rules: Any) -> None:
    """Draws to a full hand (7.1) or as many as were discarded (7.2)."""
    seat = np.int64(game["seat"])
    if game["edition"] == ITALIAN:
        _draw(game, seat, np.int64(game["discarded"]), rules)
    else:
        _refill(game, seat, rules)
    game["discarded"] = 0
    game["phase"] = PLAY
    _next_seat(game)


@_jit
def _apply(game: Any, action: Any, rules: Any, points: Any) -> None:
    """One decision; `points` gets what each seat scored by it."""
    kinds = np.int64(rules["card_kinds"])
    for seat in range(SEATS):
        points[seat] = 0
    for i in range(MAX_HAND):
        game["drawn"][i] = EMPTY
    game["drawn_size"] = 0
    if action < 2 * kinds:
        keep = action >= kinds
        _play(game, action - kinds if keep else action, keep, rules, points)
        return
    if action < 3 * kinds:
        card = action - 2 * kinds
        _remove_card(game, np.int64(game["seat"]), card)
        game["pile"][card] += 1
        game["discarded"] += 1
        if _has_discard(game, game["seat"], rules):
            return
    _end_discards(game, rules)


@_jit
def _reward(game: Any, scheme: Any, points: Any, rewards: Any) -> None:
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


# ---------------------------------------------------------------- what a rider knows (8)


@_jit
def _unseen(game: Any, seat: Any, rules: Any, one: Any, counts: Any) -> None:
    """Cards of each kind in the other hands or the deck, for all that the seat knows (8.4).

    `one` is what a card counts: 1, or the scale of an observation.
    """
    for card in range(rules["card_kinds"]):
        counts[card] = np.int8(rules["copies"][card] - game["pile"][card]) * one
    for rider in range(game["players"]):
        counts[game["top"][rider]] -= one
    for i in range(game["hand_size"][seat]):
        counts[game["hand"][seat, i]] -= one


@_jit
def _observe(game: Any, seat: Any, rules: Any, ahead: Any, scale: Any, out: Any) -> None:
    """One seat's knowledge, in the order of `observation.layout`.

    The same code writes small whole numbers (`ahead`, `scale` and `out` are int8) and scaled
    ones (all float32): a scale is a power of two, so nothing is rounded.
    """
    kinds = np.int64(rules["card_kinds"])
    colours = np.int64(rules["colours"])
    players = np.int64(game["players"])
    for j in range(kinds):
        out[j] = 0
    for i in range(game["hand_size"][seat]):
        out[game["hand"][seat, i]] += scale[0]
    _unseen(game, seat, rules, scale[kinds], out[kinds:])
    k = 2 * kinds
    for dragon in range(colours):
        # whole rows: what is too much is overwritten by what follows
        row = ahead[game["position"][dragon]]
        block = out[k:]
        for j in range(row.shape[0]):
            block[j] = row[j]
        k += 3 + 2 * np.int64(rules["values"])
    rest = out[k:]
    scale = scale[k:]
    for j in range(rest.shape[0]):
        rest[j] = 0
    hands = SEATS * colours
    values = hands + SEATS
    scores = values + SEATS
    turn = scores + SEATS - 1
    own = np.int64(game["score"][seat])
    rider: Any = np.int64(seat)
    for other in range(players):  # relative: 0 is the observer himself
        top = game["top"][rider]
        rest[other * colours + rules["colour"][top]] = 1
        rest[hands + other] = np.int8(game["hand_size"][rider]) * scale[hands]
        rest[values + other] = np.int8(rules["value"][top]) * scale[values]
        if other > 0:
            lead: Any = min(max(np.int64(game["score"][rider]) - own, -127), 127)
            rest[scores + other - 1] = np.int8(lead) * scale[scores]
        rest[turn + other] = (rider == game["seat"]) & (game["phase"] != OVER)
        rider = 0 if rider + 1 == players else rider + 1
    k = turn + SEATS
    rest[k] = game["phase"] == DISCARD
    rest[k + 1] = np.int8(game["discarded"]) * scale[k + 1]
    rest[k + 2] = np.int8(game["deck_size"]) * scale[k + 2]
    rest[k + 3] = np.int8(rules["summit_dragons"] - game["summit"]) * scale[k + 3]
    rest[k + 4 + players - 2] = 1
    rest[k + 8] = game["edition"]


@_jit
def _try(game: Any, seat: Any, card: Any, keep: Any, rules: Any) -> Any:
    """Moves and rides as a play would (4, 5), and nothing else; returns the top card before it."""
    dragon = rules["colour"][card]
    own_top = game["top"][seat]
    if not keep and not _ridden_by_other(game, seat, dragon, rules):
        game["top"][seat] = card
    goal = np.int64(game["position"][dragon]) + np.int64(rules["value"][card])
    game["position"][dragon] = min(goal, np.int64(rules["last"]))
    return own_top


@_jit
def _untry(game: Any, seat: Any, dragon: Any, before: Any, own_top: Any) -> None:
    game["position"][dragon] = before
    game["top"][seat] = own_top


@_jit
def _determinize(game: Any, seat: Any, seed: Any, rules: Any, counts: Any) -> None:
    """Redraws all that the seat cannot see, uniformly (8.4), and the generator.

    The unseen cards are laid out in sorted order first, so that the result depends on the
    seat's knowledge and on the seed alone.
    """
    players = np.int64(game["players"])
    game["rng"] = _mix(seed)
    _unseen(game, seat, rules, np.int8(1), counts)
    size = 0
    for card in range(rules["card_kinds"]):
        for _ in range(counts[card]):
            game["deck"][size] = card
            size += 1
    for i in range(size, game["deck"].shape[0]):
        game["deck"][i] = EMPTY
    game["deck_size"] = size
    for i in range(MAX_HAND):
        game["drawn"][i] = EMPTY
    game["drawn_size"] = 0
    # A rider in his discard step comes first: he holds a card that he may discard.
    first = np.int64(game["seat"])
    bound = game["phase"] == DISCARD
    for other in range(players):
        rider = first + other
        if rider >= players:
            rider -= players
        if rider == seat:
            continue
        count = np.int64(game["hand_size"][rider])
        while True:
            for i in range(MAX_HAND):
                game["hand"][rider, i] = EMPTY
            game["hand_size"][rider] = 0
            for _ in range(count):
                _add_card(game, rider, _random_card(game))
            if rider != first or not bound or _has_discard(game, rider, rules):
                break
            for i in range(count):
                _return_card(game, game["hand"][rider, i])


@_jit
def _redraw(game: Any, seat: Any, played: Any, deck_before: Any, cards: Any, rules: Any) -> Any:
    """Replaces what the last move of a seat drew by the given cards, as a record tells it.

    Returns the first place in `cards` that the deck could not give, or -1. With a reshuffle
    in mid-draw the cards before it are the whole old deck, in any order.
    """
    count = np.int64(game["drawn_size"])
    old = np.int64(deck_before) if deck_before < count else 0
    for i in range(old):
        asked = 0
        there = 0
        for j in range(old):
            asked += cards[j] == cards[i]
            there += game["drawn"][j] == cards[i]
        if asked > there:
            return i
    for i in range(old, count):
        _return_card(game, game["drawn"][i])
        _remove_card(game, seat, game["drawn"][i])
    for i in range(count):
        if i >= old:
            j = 0
            while j < game["deck_size"] and game["deck"][j] != cards[i]:
                j += 1
            if j == game["deck_size"]:
                return i
            _add_card(game, seat, _take_from_deck(game, j))
        game["drawn"][i] = cards[i]
    if count > 0 and played and game["edition"] == ITALIAN:
        # after a refill, the cards drawn decide whether a discard step follows (7.2)
        game["seat"] = seat
        game["phase"] = PLAY
        if _has_discard(game, seat, rules):
            game["phase"] = DISCARD
        else:
            _next_seat(game)
    return -1


# ---------------------------------------------------------------- rules of thumb

# Weights are fitted for each number of players; `planning.Weights` and `planning.Outlook` say
# what each means. The row of an array of weights is `players - 2`.
DRAW, PLACE, RIVAL, AHEAD, PLAN, DANGER, END, HASTE = range(8)
SPACE, ROAD, THREAT, TURN, CARDS, SPREAD, LENGTH = range(7)
NOBODY = SEATS
SPARE = 50  # where the threats of the dragon go that a play has moved
_GAINS = 16  # classes of gains, by whole points
# scratch space: what one decision is thought over in
_WORK = np.dtype(
    [
        ("actions", "u1", (2 * MAX_HAND,)),
        ("values", "<f8", (2 * MAX_HAND,)),  # of each listed action
        ("unseen", "i1", (50,)),  # cards of each kind
        ("counts", "i1", (50,)),  # the same, for determinize
        ("unseen_size", "<i8"),  # all of them
        ("threats", "i1", (SPARE + 5, 4)),  # see `_threats`
        ("first", "i1", (11,)),  # the place of each dragon's first one; then where they stop
        ("gains", "<f8", (2, _GAINS)),
        ("rider", "u1", (10,)),  # who rides each dragon, or NOBODY
        ("value", "<i8", (3, SEATS)),  # what a minor or major scoring would give each seat
        ("sums", "<i8", (3,)),
        ("terms", "<f8", (3, SEATS + 1, 5)),  # see `_danger`
        ("points", "<i2", (SEATS,)),
        ("leaf", "<f8", (SEATS,)),
        ("order", "<i8", (2 * MAX_HAND,)),
    ],
    align=True,
)


@_jit
def _weigh(game: Any, rules: Any, work: Any) -> None:
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
        value = np.int64(rules["worth"][game["position"][dragon]])
        small = value if value <= MINOR_LIMIT else 0
        riders[dragon] = rider
        held[MINOR, rider] = small
        held[MAJOR, rider] = value
        minor += small
        major += value
    work["sums"][MINOR] = minor
    work["sums"][MAJOR] = major


@_jit
def _gain(seat: Any, triggered: Any, others: Any, work: Any) -> Any:
    """What a scoring now would bring a seat: its points less the mean of the others'."""
    own = work["value"][triggered, seat]
    return own - (work["sums"][triggered] - own) / others


@_jit
def _best_gain(game: Any, seat: Any, without: Any, rules: Any, work: Any) -> Any:
    """The most that a seat's hand could gain at once; one card `without` is out of it."""
    others = np.int64(game["players"]) - 1
    values = np.int64(rules["values"])
    held = work["value"]
    best = 0.0
    for i in range(game["hand_size"][seat]):
        card = np.int64(game["hand"][seat, i])
        if card == without:
            without = -1
            continue
        dragon = np.int64(rules["colour"][card])
        landing = 2 + np.int64(rules["value"][card])
        ahead = rules["ahead"][game["position"][dragon]]
        triggered = np.int64(ahead[landing + values])
        if triggered != 0:
            value: Any = np.int64(ahead[landing])
            if triggered == MINOR and value > MINOR_LIMIT:
                value = 0
            moved = np.int64(work["rider"][dragon])
            if moved == NOBODY:
                moved = seat
            total = work["sums"][triggered] - held[triggered, moved] + value
            own = value if moved == seat else held[triggered, seat]
            best = max(best, own - (total - own) / others)
    return best


@_jit
def _road(space: Any, rules: Any) -> Any:
    """The mean value of the spaces that one card leads to."""
    values = np.int64(rules["values"])
    total: Any = 0
    for k in range(values):
        total += np.int64(rules["ahead"][space, 3 + k])
    return total / values


@_jit
def _threats(game: Any, dragon: Any, place: Any, rules: Any, work: Any) -> Any:
    """Lists the unseen cards of a dragon that would trigger a scoring; returns where they stop.

    Each is a row of the dragon, what it triggers, what its rider would get, and how many there
    are. As in `_legal`, rows are written first and then counted or not.
    """
    values = np.int64(rules["values"])
    ahead = rules["ahead"][game["position"][dragon]]
    for k in range(values):
        triggered = ahead[3 + values + k]
        value = ahead[3 + k]
        count = work["unseen"][dragon * values + k]
        threat = work["threats"][place]
        threat[0] = dragon
        threat[1] = triggered
        threat[2] = 0 if (triggered == MINOR) & (value > MINOR_LIMIT) else value
        threat[3] = count
        place += (triggered != 0) & (count > 0)
    return place


@_jit
def _foresee(game: Any, rules: Any, work: Any) -> None:
    """What the seat on turn must reckon with; `_danger` needs it, the same for every play."""
    _unseen(game, game["seat"], rules, np.int8(1), work["unseen"])
    size: Any = 0
    for card in range(np.int64(rules["card_kinds"])):
        size += np.int64(work["unseen"][card])
    work["unseen_size"] = size
    colours = np.int64(rules["colours"])
    place: Any = 0
    for dragon in range(colours):
        work["first"][dragon] = place
        place = _threats(game, dragon, place, rules, work)
    work["first"][colours] = place


@_jit
def _danger(game: Any, seat: Any, moved: Any, rules: Any, work: Any) -> Any:
    """What the next rider's best scoring is likely to bring this seat, mostly a loss.

    He is taken to hold a random hand of the unseen cards and to play the one that gains him
    most, if any gains. `gains[0]` counts such cards by his gain, `gains[1]` adds up ours.
    Since `_foresee` one dragon has moved, and `_weigh` has seen it.

    A threat changes the value of one rider's space. Whatever the new value is, all the others
    get `terms[0]`, the next rider `terms[1] + terms[2] * value`, this seat the same with 3 and 4:
    so each threat is reckoned without a branch, which would be hard to predict.
    """
    gains = work["gains"]
    players = np.int64(game["players"])
    following = seat + 1 if seat + 1 < players else 0
    for k in range(_GAINS):
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
        for k in range(5):  # he takes what nobody rides
            terms[triggered, NOBODY, k] = terms[triggered, following, k]
    best: Any = 0
    for third in range(3):  # the dragons before the one that moved, this one, those after it
        if third == 0:
            start, stop = 0, np.int64(first[moved])
        elif third == 1:
            start, stop = SPARE, _threats(game, moved, SPARE, rules, work)
        else:
            start, stop = first[moved + 1], first[rules["colours"]]
        for i in range(start, stop):
            threat = work["threats"][np.uint64(i)]
            value = np.float64(threat[2])
            term = terms[np.uint8(threat[1]), work["rider"][np.uint8(threat[0])]]
            everyone = term[0] + value
            his = term[1] + term[2] * value
            own = term[3] + term[4] * value
            gain = his - (everyone - his) * share
            # what gains nothing counts nothing
            count = np.float64(np.int64(threat[3]) * (gain > 0))
            points: Any = min(max(np.int64(gain), 0), _GAINS - 1)
            whole = np.uint64(points)
            gains[0, whole] += count
            gains[1, whole] += count * (own - (everyone - own) * share)
            best = max(best, points)
    hand = np.float64(game["hand_size"][following])
    total = np.float64(work["unseen_size"])
    expected = 0.0
    left = 1.0  # the chance that he has nothing better
    for k in range(best, -1, -1):
        if gains[0, k] > 0:
            without = np.exp(-hand * gains[0, k] / max(total, 1.0))
            expected += left * (1.0 - without) * gains[1, k] / gains[0, k]
            left *= without
            total -= gains[0, k]
    return expected


@_jit
def _lead(game: Any, seat: Any, points: Any) -> Any:
    """Points of a seat less those of the best other one, with these points added."""
    best: Any = -(1 << 20)
    for rider in range(game["players"]):
        if rider != seat:
            best = max(best, np.int64(game["score"][rider]) + np.int64(points[rider]))
    return np.int64(game["score"][seat]) + np.int64(points[seat]) - best


@_jit
def _assess_discard(game: Any, action: Any, rules: Any) -> Any:
    """Cards of summit dragons go, except those that still lift the own dragon."""
    kinds = np.int64(rules["card_kinds"])
    if action == 3 * kinds:
        return 0.0
    dragon = rules["colour"][action - 2 * kinds]
    own = rules["colour"][game["top"][game["seat"]]] == dragon
    return -1.0 if own and game["position"][dragon] < rules["last"] else 1.0


@_jit
def _assess(game: Any, action: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What a play of the seat on turn is worth by the rules of thumb, in points.

    It is tried on the record itself and taken back. `_foresee` is needed for DANGER alone.
    """
    kinds = np.int64(rules["card_kinds"])
    if action >= 2 * kinds:
        return _assess_discard(game, action, rules)
    players = np.int64(game["players"])
    seat = np.int64(game["seat"])
    keep = action >= kinds
    card = action - kinds if keep else action
    dragon = rules["colour"][card]
    before = game["position"][dragon]
    triggered = _triggers(game, card, rules)
    own_top = _try(game, seat, card, keep, rules)
    _weigh(game, rules, work)
    value = 0.0
    ends = False
    if triggered != 0:
        value += _gain(seat, triggered, players - 1, work)
        if game["hand_size"][seat] > 1:
            value -= weights[DRAW]
        if game["position"][dragon] >= rules["summit"]:
            _score(game, triggered, rules, work["points"])
            lead = _lead(game, seat, work["points"])
            ends = game["summit"] + 1 == rules["summit_dragons"]
            if ends and lead != 0:
                value += weights[END] if lead > 0 else -weights[END]
            elif not ends:
                value += weights[HASTE] * min(max(lead, -10), 10)
    if not ends:
        for rider in range(players):
            space = np.int64(game["position"][rules["colour"][game["top"][rider]]])
            if rider == seat:
                value += weights[PLACE] * rules["worth"][space]
                value += weights[AHEAD] * _road(space, rules)
            else:
                value -= weights[RIVAL] * rules["worth"][space] / (players - 1)
        if weights[PLAN] != 0.0:
            value += weights[PLAN] * _best_gain(game, seat, card, rules, work)
        if weights[DANGER] != 0.0:
            value += weights[DANGER] * _danger(game, seat, dragon, rules, work)
    _untry(game, seat, dragon, before, own_top)
    return value


@_jit
def _assess_all(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> Any:
    """What each listed action is worth; returns the place of the best, the first of equals."""
    if weights[DANGER] != 0.0:
        _foresee(game, rules, work)
    values = work["values"]
    best = 0
    for i in range(count):
        values[i] = _assess(game, np.int64(work["actions"][i]), rules, weights, work)
        if values[i] > values[best]:
            best = i
    return best


@_jit
def _features(game: Any, action: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """What an action of the seat on turn does, in the order of `observation.FEATURES`.

    A play is tried on the record itself and taken back, so that it scores by `_score` too.
    `_foresee` must have been called.
    """
    points = work["points"]
    kinds = np.int64(rules["card_kinds"])
    players = np.int64(game["players"])
    seat = np.int64(game["seat"])
    for k in range(out.shape[0]):
        out[k] = 0
    own_top = game["top"][seat]
    rides = rules["colour"][own_top]
    space = np.int64(game["position"][rides])
    if action >= 2 * kinds:
        out[SEATS + 6] = action < 3 * kinds
        out[SEATS + 7] = action == 3 * kinds
    else:
        keep = action >= kinds
        card = action - kinds if keep else action
        dragon = rules["colour"][card]
        before = np.int64(game["position"][dragon])
        triggered = _triggers(game, card, rules)
        _try(game, seat, card, keep, rules)
        after = game["position"][dragon]
        takes = game["top"][seat] == card and not keep
        space = np.int64(game["position"][rules["colour"][game["top"][seat]]])
        for k in range(players):
            points[k] = 0
        if triggered != 0:
            _score(game, triggered, rules, points)
            for other in range(players):
                rider = seat + other
                if rider >= players:
                    rider -= players
                out[other] = np.int8(points[rider]) * scale[other]
        arrives = after >= rules["summit"] and before < rules["summit"]
        ends = arrives and game["summit"] + 1 == rules["summit_dragons"]
        lead = _lead(game, seat, points)
        _prospects(game, seat, card, rules, scale, work, out)
        _untry(game, seat, dragon, before, own_top)
        out[SEATS + 2] = triggered * scale[SEATS + 2]
        out[SEATS + 3] = triggered != 0 and game["hand_size"][seat] > 1
        out[SEATS + 4] = takes and dragon != rides
        out[SEATS + 5] = ends
        out[SEATS + 9] = _road(space, rules) * scale[SEATS + 9]
        out[SEATS + 12] = min(max(lead, -63), 63) * scale[SEATS + 12]
        if ends:
            out[SEATS + 13] = min(max(lead, -1), 1)
    out[SEATS] = rules["worth"][space] * scale[SEATS]
    out[SEATS + 1] = rules["ahead"][space, 1] * scale[SEATS + 1]


@_jit
def _prospects(
    game: Any, seat: Any, card: Any, rules: Any, scale: Any, work: Any, out: Any
) -> None:
    """The features that look beyond the play that is being tried, by the rules of thumb."""
    _weigh(game, rules, work)
    others = work["sums"][MAJOR] - work["value"][MAJOR, seat]
    out[SEATS + 8] = others / (np.int64(game["players"]) - 1) * scale[SEATS + 8]
    out[SEATS + 10] = _best_gain(game, seat, card, rules, work) * scale[SEATS + 10]
    danger = _danger(game, seat, rules["colour"][card], rules, work)
    out[SEATS + 11] = danger * scale[SEATS + 11]


@_jit
def _steps_left(game: Any, rules: Any) -> Any:
    """Steps that the leading dragons still need to end the game."""
    total: Any = 0
    counted: Any = 0
    for _ in range(np.int64(rules["summit_dragons"]) - np.int64(game["summit"])):
        best: Any = -1
        leader = 0
        for dragon in range(np.int64(rules["colours"])):
            place = np.int64(game["position"][dragon])
            if place < rules["summit"] and place > best and counted >> dragon & 1 == 0:
                best = place
                leader = dragon
        counted |= 1 << leader
        total += np.int64(rules["summit"]) - best
    return total


@_jit
def _final_shares(game: Any, out: Any) -> None:
    """Each seat's share of the victory: 1 for a sole winner, 1 / k for each of k."""
    best = game["score"][0]
    for rider in range(1, game["players"]):
        best = max(best, game["score"][rider])
    winners = 0
    for rider in range(game["players"]):
        winners += game["score"][rider] == best
    for rider in range(game["players"]):
        out[rider] = (game["score"][rider] == best) / winners


@_jit
def _outlook(game: Any, rules: Any, weights: Any, work: Any, out: Any) -> None:
    """Each seat's chance to win: a softmax of what the riders have and may expect."""
    if game["phase"] == OVER:
        _final_shares(game, out)
        return
    players = np.int64(game["players"])
    _weigh(game, rules, work)
    spread = np.exp(weights[SPREAD] + weights[LENGTH] * np.log(1.0 + _steps_left(game, rules)))
    top = -1e9
    for rider in range(players):
        space = np.int64(game["position"][rules["colour"][game["top"][rider]]])
        value = game["score"][rider] + weights[SPACE] * rules["worth"][space]
        value += weights[ROAD] * _road(space, rules)
        value += weights[CARDS] * game["hand_size"][rider]
        threat = _best_gain(game, rider, -1, rules, work)
        value += (weights[THREAT] + weights[TURN] * (rider == game["seat"])) * threat
        out[rider] = value / spread
        top = max(top, out[rider])
    total = 0.0
    for rider in range(players):
        out[rider] = np.exp(out[rider] - top)
        total += out[rider]
    for rider in range(players):
        out[rider] /= total


# ---------------------------------------------------------------- search


@_jit
def _leaf(game: Any, rules: Any, plan: Any, outlook: Any, work: Any) -> None:
    """What a position is worth to each seat: its chance to win, or its margin on that scale."""
    out = work["leaf"]
    if plan["margin"]:
        players = np.int64(game["players"])
        total: Any = 0
        for rider in range(players):
            total += np.int64(game["score"][rider])
        for rider in range(players):
            own = np.int64(game["score"][rider])
            out[rider] = 0.5 + (own - (total - own) / (players - 1)) / 64.0
    else:
        _outlook(game, rules, outlook, work, out)


@_jit
def _roll(game: Any, pick: Any, depth: Any, noise: Any, rules: Any, weights: Any, work: Any) -> Any:
    """Plays on for so many decisions, each with probability `noise` at random."""
    limit = np.uint64(noise * 4294967296.0)
    for _ in range(depth):
        if game["phase"] == OVER:
            break
        count = _legal(game, rules, work["actions"])
        pick += _GOLDEN
        if (_mix(pick) >> _S32) < limit:
            pick += _GOLDEN
            best = _below(pick, count)
        else:
            best = _assess_all(game, count, rules, weights, work)
        _apply(game, np.int64(work["actions"][best]), rules, work["points"])
    return pick


@_jit
def _flat(
    state: Any,
    row: Any,
    seed: Any,
    rules: Any,
    plan: Any,
    weights: Any,
    outlook: Any,
    worlds: Any,
    work: Any,
    actions: Any,
    count: Any,
    totals: Any,
    visits: Any,
) -> None:
    """Sequential halving: all candidates meet the same worlds, the better half goes on.

    What their playouts are worth is added to what `totals` holds already.
    `worlds[0]` is a possible world, `worlds[1]` the game played on in it.
    """
    seat = state[row]["seat"]
    order = work["order"]
    scores = work["values"]
    for i in range(count):
        order[i] = i
    alive = count
    rounds = 1
    while 1 << rounds < alive:
        rounds += 1
    while alive > 1:
        for _ in range(max(1, plan["playouts"] // (rounds * alive))):
            seed += _GOLDEN
            worlds[0] = state[row]
            if not plan["told"]:
                _determinize(worlds[0], seat, seed, rules, work["counts"])
            for i in range(alive):
                worlds[1] = worlds[0]
                game = worlds[1]
                _apply(game, np.int64(actions[order[i]]), rules, work["points"])
                _roll(game, _mix(~seed), plan["depth"], plan["noise"], rules, weights, work)
                _leaf(game, rules, plan, outlook, work)
                totals[order[i]] += work["leaf"][seat]
                visits[order[i]] += 1
        for i in range(alive):
            scores[order[i]] = totals[order[i]] / visits[order[i]]
        _best_first(order, alive, scores)
        alive = (alive + 1) // 2


@_jit
def _best_first(order: Any, count: Any, scores: Any) -> None:
    """Sorts the first places of `order` by their scores; equals keep their order."""
    for i in range(1, count):
        candidate = order[i]
        j = i
        while j > 0 and scores[order[j - 1]] < scores[candidate]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = candidate


@_jit
def _find_child(table: Any, edge: Any) -> Any:
    """The slot of an edge in a hash table of (edge, child), or the free slot where it goes."""
    mask = table.shape[0] - 1
    slot = np.int64(_mix(np.uint64(edge)) & np.uint64(mask))
    while table[slot, 0] != edge and table[slot, 0] != NO_ACTION:
        slot = (slot + 1) & mask
    return slot


@_jit
def _select(
    node: Any, game: Any, count: Any, plan: Any, work: Any, table: Any, visits: Any, totals: Any
) -> Any:
    """The place of the action to try next: the best mean for the seat on turn, with a bonus.

    The bonus is for what is little known, and follows what the rules of thumb think of it
    (`work["values"]`, by a softmax), as in PUCT. Only what is legal in this world takes part, so
    a child counts in `visits[child, 1]` how often it could have been chosen.
    """
    seat = game["seat"]
    values = work["values"]
    top = values[0]
    for i in range(1, count):
        top = max(top, values[i])
    total = 0.0
    for i in range(count):
        values[i] = np.exp((values[i] - top) * plan["sharpness"])
        total += values[i]
    mean = totals[node, seat] / max(visits[node, 0], 1)
    best = 0
    best_score = -1e9
    for i in range(count):
        slot = _find_child(table, node * 256 + np.int64(work["actions"][i]))
        score = mean
        tried = 0
        chances = visits[node, 0]
        if table[slot, 0] != NO_ACTION:
            child = table[slot, 1]
            visits[child, 1] += 1
            tried = visits[child, 0]
            chances = visits[child, 1]
            score = totals[child, seat] / tried
        score += plan["explore"] * values[i] / total * np.sqrt(chances + 1.0) / (1.0 + tried)
        if score > best_score:
            best_score = score
            best = i
    return best


@_jit
def _descend(
    game: Any,
    rules: Any,
    plan: Any,
    weights: Any,
    work: Any,
    table: Any,
    visits: Any,
    totals: Any,
    path: Any,
    nodes: Any,
) -> Any:
    """Follows the tree in one world to a new node, or to the end; returns the path's length."""
    node = 0
    length = 1
    path[0] = 0
    while game["phase"] != OVER and length < path.shape[0]:
        count = _legal(game, rules, work["actions"])
        _assess_all(game, count, rules, weights, work)
        best = _select(node, game, count, plan, work, table, visits, totals)
        action = np.int64(work["actions"][best])
        slot = _find_child(table, node * 256 + action)
        new = table[slot, 0] == NO_ACTION
        if new:
            table[slot, 0] = node * 256 + action
            table[slot, 1] = nodes
            visits[nodes, 1] = 1
        node = table[slot, 1]
        path[length] = node
        length += 1
        _apply(game, action, rules, work["points"])
        if new:
            break
    return length


@_jit
def _tree(
    state: Any,
    row: Any,
    seed: Any,
    rules: Any,
    plan: Any,
    weights: Any,
    outlook: Any,
    worlds: Any,
    work: Any,
    table: Any,
    visits: Any,
    totals: Any,
    path: Any,
) -> None:
    """Information-set tree search: every playout is a new world, all of them share one tree.

    A node is what was played since the root. It adds up what came of it for each seat, and each
    seat chooses what is best for itself (max^n). Node 0 is the root.
    """
    seat = state[row]["seat"]
    for slot in range(table.shape[0]):
        table[slot, 0] = NO_ACTION
    for node in range(visits.shape[0]):
        visits[node, 0] = 0
        visits[node, 1] = 0
        for rider in range(SEATS):
            totals[node, rider] = 0.0
    nodes = 1
    for _ in range(plan["playouts"]):
        seed += _GOLDEN
        worlds[0] = state[row]
        game = worlds[0]
        if not plan["told"]:
            _determinize(game, seat, seed, rules, work["counts"])
        length = _descend(game, rules, plan, weights, work, table, visits, totals, path, nodes)
        nodes = max(nodes, path[length - 1] + 1)
        _roll(game, _mix(~seed), plan["depth"], plan["noise"], rules, weights, work)
        _leaf(game, rules, plan, outlook, work)
        for i in range(length):
            visits[path[i], 0] += 1
            for rider in range(game["players"]):
                totals[path[i], rider] += work["leaf"][rider]


# ---------------------------------------------------------------- whole batches


@_jit
def deal(state: Any, rows: Any, seeds: Any, kinds: Any, variants: Any, tables: Any) -> None:
    """Sets up new games in these rows; `variants[kinds]` tells players, edition and board."""
    for k in range(rows.shape[0]):
        game = state[rows[k]]
        kind = variants[kinds[k]]
        game["players"] = kind["players"]
        game["edition"] = kind["edition"]
        game["board"] = kind["board"]
        _deal(game, seeds[k], tables[game["board"]])


@_jit
def find_illegal(state: Any, actions: Any, tables: Any) -> Any:
    """The first row whose action is not legal, or -1."""
    for row in range(state.shape[0]):
        game = state[row]
        rules = tables[game["board"]]
        if actions[row] != NO_ACTION and not _is_legal(game, actions[row], rules):
            return row
    return -1


@_jit
def _take(game: Any, action: Any, rules: Any, scheme: Any, points: Any, rewards: Any) -> Any:
    """One decision with its points and rewards; False if the row is to stay as it is."""
    if action == NO_ACTION:
        for seat in range(SEATS):
            points[seat] = 0
            rewards[seat] = 0.0
        return False
    _apply(game, action, rules, points)
    _reward(game, scheme, points, rewards)
    return True


@_jit
def step_unchecked(
    state: Any, actions: Any, tables: Any, scheme: Any, points: Any, rewards: Any
) -> None:
    """One decision in every game; rows with NO_ACTION stay as they are."""
    for row in range(state.shape[0]):
        game = state[row]
        rules = tables[game["board"]]
        _take(game, actions[row], rules, scheme, points[row], rewards[row])


@_jit
def _write_mask(actions: Any, count: Any, mask: Any) -> None:
    for action in range(mask.shape[0]):
        mask[action] = 0
    for i in range(count):
        mask[actions[i]] = 1


@_jit
def legal(state: Any, tables: Any, actions: Any, counts: Any, mask: Any) -> None:
    """The legal actions as a list, a count and a mask."""
    for row in range(state.shape[0]):
        rules = tables[state[row]["board"]]
        counts[row] = _legal(state[row], rules, actions[row])
        _write_mask(actions[row], counts[row], mask[row])


@_jit
def observe(state: Any, seats: Any, tables: Any, scale: Any, out: Any) -> None:
    """The scaled observation of one seat in each game."""
    for row in range(state.shape[0]):
        rules = tables[state[row]["board"]]
        _observe(state[row], seats[row], rules, rules["ahead_scaled"], scale, out[row])


@_jit
def observe_compact(state: Any, seats: Any, tables: Any, ones: Any, out: Any) -> None:
    """The same in small whole numbers."""
    for row in range(state.shape[0]):
        rules = tables[state[row]["board"]]
        _observe(state[row], seats[row], rules, rules["ahead"], ones, out[row])


@_jit
def features(state: Any, actions: Any, counts: Any, tables: Any, scale: Any, out: Any) -> None:
    """Features of the listed actions, one row each; rows past the count are zero."""
    works = np.empty(1, _WORK)
    for row in range(state.shape[0]):
        work = works[0]
        game = state[row]
        rules = tables[game["board"]]
        if counts[row] > 0:
            _foresee(game, rules, work)
        for i in range(counts[row]):
            action = np.int64(actions[row, i])
            _features(game, action, rules, scale, work, out[row, i])
        for i in range(counts[row], out.shape[1]):
            for k in range(out.shape[2]):
                out[row, i, k] = 0


@_jit
def _look(game: Any, rules: Any, scale: Any, actions: Any, mask: Any, out: Any) -> Any:
    """The list, the mask and the observation of the seat on turn; returns the list's length."""
    count = _legal(game, rules, actions)
    _write_mask(actions, count, mask)
    _observe(game, game["seat"], rules, rules["ahead_scaled"], scale, out)
    return count


@_jit
def look(
    state: Any, rows: Any, tables: Any, scale: Any, actions: Any, counts: Any, mask: Any, out: Any
) -> None:
    """What the seat on turn may do and sees, in these rows."""
    for k in range(rows.shape[0]):
        row = rows[k]
        game = state[row]
        rules = tables[game["board"]]
        counts[row] = _look(game, rules, scale, actions[row], mask[row], out[row])


@_jit
def turn_unchecked(
    state: Any,
    chosen: Any,
    tables: Any,
    scheme: Any,
    scale: Any,
    actions: Any,
    counts: Any,
    mask: Any,
    out: Any,
    points: Any,
    rewards: Any,
) -> None:
    """Step and look in one: rows with NO_ACTION keep their lists, masks and observations."""
    for row in range(state.shape[0]):
        game = state[row]
        rules = tables[game["board"]]
        if _take(game, chosen[row], rules, scheme, points[row], rewards[row]):
            counts[row] = _look(game, rules, scale, actions[row], mask[row], out[row])


@_jit
def determinize(state: Any, seats: Any, seeds: Any, tables: Any) -> None:
    """Redraws what one seat of each game cannot see."""
    counts = np.empty(state["pile"].shape[1], np.int8)
    for row in range(state.shape[0]):
        rules = tables[state[row]["board"]]
        _determinize(state[row], seats[row], seeds[row], rules, counts)


@_jit
def redraw(
    state: Any, seats: Any, actions: Any, decks: Any, cards: Any, tables: Any, faults: Any
) -> None:
    """Replaces the cards drawn by the last moves; `faults` gets -1 or the impossible card."""
    for row in range(state.shape[0]):
        faults[row] = -1
        if actions[row] == NO_ACTION:
            continue
        game = state[row]
        rules = tables[game["board"]]
        played = actions[row] < 2 * np.int64(rules["card_kinds"])
        faults[row] = _redraw(game, seats[row], played, decks[row], cards[row], rules)


@_jit
def sample(actions: Any, counts: Any, picks: Any, chosen: Any) -> None:
    """A uniformly random listed action for each game; NO_ACTION where none is listed."""
    for row in range(counts.shape[0]):
        chosen[row] = NO_ACTION
        if counts[row] > 0:
            picks[row] += _GOLDEN
            chosen[row] = actions[row, _below(picks[row], counts[row])]


@_jit
def playout_unchecked(state: Any, picks: Any, tables: Any) -> None:
    """Plays every game to its end, choosing uniformly among the legal actions."""
    actions = np.empty(2 * MAX_HAND, np.uint8)
    points = np.empty(SEATS, np.int16)
    for row in range(state.shape[0]):
        game = state[row]
        rules = tables[game["board"]]
        pick = picks[row]
        while game["phase"] != OVER:
            count = _legal(game, rules, actions)
            pick += _GOLDEN
            _apply(game, np.int64(actions[_below(pick, count)]), rules, points)
        picks[row] = pick


@_jit
def assess(state: Any, tables: Any, weights: Any, best: Any) -> None:
    """The best legal action of each game by the rules of thumb."""
    works = np.empty(1, _WORK)
    for row in range(state.shape[0]):
        work = works[0]
        game = state[row]
        rules = tables[game["board"]]
        count = _legal(game, rules, work["actions"])
        best[row] = NO_ACTION
        if count > 0:
            place = _assess_all(game, count, rules, weights[game["players"] - 2], work)
            best[row] = np.int64(work["actions"][place])


@_jit
def outlook(state: Any, tables: Any, weights: Any, out: Any) -> None:
    """Each seat's chance to win, by the fitted estimate."""
    works = np.empty(1, _WORK)
    for row in range(state.shape[0]):
        game = state[row]
        for seat in range(SEATS):
            out[row, seat] = 0.0
        _outlook(game, tables[game["board"]], weights[game["players"] - 2], works[0], out[row])


@_jit
def roll_unchecked(
    state: Any, picks: Any, depth: Any, noise: Any, who: Any, tables: Any, weights: Any
) -> None:
    """Plays on for so many decisions; seat k of a row has the weights number `who[row, k]`."""
    works = np.empty(1, _WORK)
    for row in range(state.shape[0]):
        work = works[0]
        game = state[row]
        rules = tables[game["board"]]
        for _ in range(depth):
            if game["phase"] == OVER:
                break
            own = weights[who[row, game["seat"]]]
            picks[row] = _roll(game, picks[row], 1, noise, rules, own, work)


@_jit
def search_flat(
    state: Any,
    seeds: Any,
    tables: Any,
    plan: Any,
    weights: Any,
    outlook: Any,
    actions: Any,
    counts: Any,
    totals: Any,
    visits: Any,
) -> None:
    """Playouts of the listed actions, by sequential halving; see `_flat`."""
    works = np.empty(1, _WORK)
    worlds = np.empty(2, state.dtype)
    for row in range(state.shape[0]):
        kind = state[row]["players"] - 2
        rules = tables[state[row]["board"]]
        _flat(
            state,
            row,
            seeds[row],
            rules,
            plan[0],
            weights[kind],
            outlook[kind],
            worlds,
            works[0],
            actions[row],
            counts[row],
            totals[row],
            visits[row],
        )


@_jit
def search_tree(
    state: Any,
    seeds: Any,
    tables: Any,
    plan: Any,
    weights: Any,
    outlook: Any,
    actions: Any,
    counts: Any,
    totals: Any,
    visits: Any,
) -> None:
    """Playouts of the listed actions, by a tree for each game; see `_tree`."""
    works = np.empty(1, _WORK)
    worlds = np.empty(1, state.dtype)
    nodes = plan[0]["playouts"] + 1
    size = 16
    while size < 2 * nodes:
        size *= 2
    table = np.empty((size, 2), np.int64)
    node_visits = np.empty((nodes, 2), np.int64)
    node_totals = np.empty((nodes, SEATS))
    path = np.empty(64, np.int64)
    for row in range(state.shape[0]):
        if counts[row] < 2:
            continue
        seat = state[row]["seat"]
        kind = state[row]["players"] - 2
        rules = tables[state[row]["board"]]
        _tree(
            state,
            row,
            seeds[row],
            rules,
            plan[0],
            weights[kind],
            outlook[kind],
            worlds,
            works[0],
            table,
            node_visits,
            node_totals,
            path,
        )
        for i in range(counts[row]):
            slot = _find_child(table, np.int64(actions[row, i]))
            if table[slot, 0] != NO_ACTION:
                totals[row, i] = node_totals[table[slot, 1], seat]
                visits[row, i] = node_visits[table[slot, 1], 0]


@_jit
def random_step_unchecked(
    state: Any,
    picks: Any,
    seeds: Any,
    tables: Any,
    scheme: Any,
    scale: Any,
    actions: Any,
    counts: Any,
    mask: Any,
    observation: Any,
    rewards: Any,
    done: Any,
) -> None:
    """One uniformly random move in every game, and a new game where one has ended.

    `actions` and `counts` hold the legal lists from the call before; `seeds[row]` moves on to
    the seed of the row's next game when that is dealt.
    """
    points = np.empty(SEATS, np.int16)
    for row in range(state.shape[0]):
        game = state[row]
        rules = tables[game["board"]]
        picks[row] += _GOLDEN
        action = np.int64(actions[row, _below(picks[row], counts[row])])
        _apply(game, action, rules, points)
        _reward(game, scheme, points, rewards[row])
        done[row] = game["phase"] == OVER
        if done[row]:
            seeds[row] = next_seed(seeds[row])
            _deal(game, seeds[row], rules)
        counts[row] = _look(game, rules, scale, actions[row], mask[row], observation[row])


@_jit
def next_seed(seed: Any) -> Any:
    """The seed of the game that follows in the same row."""
    return _mix(seed + _GOLDEN)


@_jit
def start_picks(seeds: Any, picks: Any) -> None:
    """Generators for the choice of actions, apart from those of chance."""
    for row in range(seeds.shape[0]):
        picks[row] = _mix(~seeds[row])
