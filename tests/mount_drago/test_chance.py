"""Chance against exact enumeration: the deal (2.2), the draws (7.3) and determinize (8.4).

Every test enumerates all arrangements of the individual cards of a small game and compares
them with many games by a chi-square test. Seeds are fixed, so each gives the same every time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest

from drago_env import Board, MountDrago, Rules, storage
from drago_env.game import State
from drago_env.mount_drago.rules import EDITIONS
from tests.conftest import Table, at

MANY = 60_000
FITS, DIFFERS = 3.5, 10.0  # standard deviations
# The board of the tiny game, for `at`.
TINY = ", ".join(f"{value} {kind}" for value, kind in Board.tiny().pairs())

Hands = tuple[tuple[int, ...], ...]


def surprise(observed: Mapping[Any, int], chances: Mapping[Any, float]) -> float:
    """How far the counts are from the chances: chi-square in standard deviations.

    By the cube root of Wilson and Hilferty; outcomes expected fewer than 8 times are one.
    """
    if not observed.keys() <= chances.keys():
        return inf
    share = sum(observed.values()) / sum(chances.values())
    pairs = [(observed.get(key, 0), chance * share) for key, chance in chances.items()]
    common = [pair for pair in pairs if pair[1] >= 8]
    rare = [pair for pair in pairs if pair[1] < 8]
    if rare:
        common.append((sum(o for o, _ in rare), sum(e for _, e in rare)))
    freedom = len(common) - 1
    chi_square = sum((count - mean) ** 2 / mean for count, mean in common)
    spread = 2 / (9 * freedom)
    return float(((chi_square / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def arrangements(
    cards: Sequence[int], sizes: Sequence[int], fits: Callable[[Hands], bool] = lambda hands: True
) -> Counter[Hands]:
    """In how many ways the individual cards make hands of these sizes, by the kinds in them."""
    ways: Counter[Hands] = Counter()

    def deal(left: list[int], hands: Hands) -> None:
        if len(hands) == len(sizes):
            ways[hands] += fits(hands)
            return
        for chosen in combinations(range(len(left)), sizes[len(hands)]):
            hand = tuple(left[i] for i in chosen)
            deal([card for i, card in enumerate(left) if i not in chosen], (*hands, hand))

    deal(sorted(cards), ())
    return +ways


def hands(state: State, *seats: int) -> list[Hands]:
    """The cards that these seats hold, for each game."""
    columns = [
        map(tuple, state["hand"][:, seat, : state["hand_size"][0, seat]].tolist()) for seat in seats
    ]
    return list(zip(*columns, strict=True))


def test_the_yardstick_tells_fair_from_loaded() -> None:
    fair = {"a": 1, "b": 2, "c": 3}
    assert surprise({"a": 1010, "b": 1990, "c": 3000}, fair) < 0
    assert surprise({"a": 1200, "b": 1800, "c": 3000}, fair) > 5
    assert surprise({"a": 1000, "d": 1}, fair) == inf
    assert arrangements([1, 1, 2], [1, 1]) == {((1,), (1,)): 2, ((1,), (2,)): 2, ((2,), (1,)): 2}


# ---------------------------------------------------------------- determinize (8.4)


def unseen(table: Table, seat: int) -> list[int]:
    """The cards that the seat does not see, each by itself."""
    it, rules = table.state[0], table.rules
    cards = Counter(dict(enumerate(rules.copies * rules.colours)))
    cards.subtract(it["hand"][seat, : it["hand_size"][seat]].tolist())
    cards.subtract(it["top"][: rules.players].tolist())
    cards.subtract({card: int(n) for card, n in enumerate(it["pile"][: rules.card_kinds])})
    return sorted(cards.elements())


def may_discard(table: Table, hand: Sequence[int]) -> bool:
    position, summit = table.state["position"][0], table.rules.board.summit
    return any(position[card // table.rules.values] >= summit for card in hand)


def tiny(dragons: dict[str, int], held: list[str], rides: list[str], **other: Any) -> Table:
    numbers = {"colours": 3, "copies": "3 3", "hand": 2, "summit_dragons": 2, **other}
    return at(dragons, held, rides, board=TINY, **numbers)


TWO = ["blue 1", "brown 2"]
THREE = ["blue 1", "brown 2", "black 2"]
HELD = ["brown 1, black 1", "blue 1, black 2", "blue 2, brown 1"]
# What `tiny` is told, the seat that wonders, and a move whose first draw is compared too.
Case = tuple[dict[str, Any], int, str | None]
CASES: dict[str, Case] = {
    "two at the start": (
        {"dragons": {}, "held": ["black 1, black 2", "blue 1, blue 2"], "rides": TWO},
        0,
        "play black 1",
    ),
    "three": (
        {"dragons": {"blue": 3}, "held": HELD, "rides": THREE, "covered": "blue 1"},
        0,
        "play black 1",
    ),
    "another on turn": (
        {"dragons": {"blue": 5}, "held": HELD[:2], "rides": TWO, "covered": "black 1, black 2"},
        1,
        None,
    ),
    "own discard step": (
        {
            "dragons": {"blue": 6},
            "held": ["blue 1", "blue 2, black 1"],
            "rides": TWO,
            "turn": "seat 0, discard",
        },
        0,
        "done discarding",
    ),
    "over": (
        {
            "dragons": {"blue": 6, "black": 7},
            "held": HELD[:2],
            "rides": TWO,
            "turn": "seat 1, over",
        },
        0,
        None,
    ),
}
CONDITIONED: dict[str, Case] = {
    "italian": (
        {
            "dragons": {"blue": 6},
            "held": HELD[:2],
            "rides": TWO,
            "turn": "seat 1, discard",
            "covered": "blue 1, black 1",
            "edition": "italian",
        },
        0,
        None,
    ),
    "three, one discarded": (
        {
            "dragons": {"blue": 6},
            "held": HELD,
            "rides": THREE,
            "turn": "seat 1, discard, 1 discarded",
            "covered": "blue 2, black 1",
            "hand": 3,
        },
        0,
        "done discarding",
    ),
    "the seat before": (
        {
            "dragons": {"black": 7},
            "held": HELD,
            "rides": THREE,
            "turn": "seat 0, discard",
            "hand": 3,
        },
        2,
        "done discarding",
    ),
}


def compared(case: Case, bound: bool) -> float:
    """How far many determinisations are from the exact chances, the next card drawn included."""
    table, seat, move = tiny(**case[0]), *case[1:]
    game, it = table.game, table.state[0]
    others = [other for other in range(table.rules.players) if other != seat]
    sizes = [int(it["hand_size"][other]) for other in others]
    first = others.index(int(it["seat"])) if bound else 0
    exact = arrangements(
        unseen(table, seat),
        [*sizes, 1] if move else sizes,
        lambda hands: not bound or may_discard(table, hands[first]),
    )
    clones = game.determinize(np.repeat(table.state, MANY), seat, range(MANY))
    storage.check(game, clones)
    found = hands(clones, *others)
    if move:
        game.step(clones, np.full(MANY, table.actions[move]))
        drawn = map(tuple, clones["drawn"][:, :1].tolist())
        found = [(*held, card) for held, card in zip(found, drawn, strict=True)]
    return surprise(Counter(found), exact)


@pytest.mark.parametrize("case", CASES)
def test_8_4_every_arrangement_is_equally_likely(case: str) -> None:
    assert compared(CASES[case], bound=False) < FITS


@pytest.mark.parametrize("case", CONDITIONED)
def test_8_4_a_rider_in_his_discard_step_can_discard(case: str) -> None:
    assert compared(CONDITIONED[case], bound=True) < FITS
    assert compared(CONDITIONED[case], bound=False) > DIFFERS


def test_8_4_cards_count_and_not_their_kinds() -> None:
    """Three copies are three times as likely as one: a draw by kinds would be found out."""
    table, seat = tiny(**CASES["another on turn"][0]), 1
    by_kinds = arrangements(sorted(set(unseen(table, seat))), [2])
    clones = table.game.determinize(np.repeat(table.state, MANY), seat, range(MANY))
    assert surprise(Counter(hands(clones, 0)), by_kinds) > DIFFERS


# ---------------------------------------------------------------- the deal (2.2)


def drawn(cards: Counter[int]) -> Iterator[tuple[int, float, Counter[int]]]:
    """Each kind of card that can be drawn, its chance, and the cards then left."""
    total = cards.total()
    for card, count in cards.items():
        if count:
            yield card, count / total, cards - Counter([card])


def tops(cards: Counter[int], shown: tuple[int, ...], out: int, rejects: bool) -> Iterator[Any]:
    """Ways to deal two face-up cards of different colours: tops, how many went out, chance."""
    if len(shown) == 2:
        yield shown, out, 1.0, cards
        return
    taken = [card // 2 for card in shown]
    if not rejects:
        cards_free = Counter({c: n for c, n in cards.items() if c // 2 not in taken})
        for card, chance, _ in drawn(cards_free):
            for *end, more, left in tops(cards - Counter([card]), (*shown, card), out, rejects):
                yield *end, chance * more, left
        return
    for card, chance, left in drawn(cards):
        refused = card // 2 in taken
        now = shown if refused else (*shown, card)
        for *end, more, rest in tops(left, now, out + refused, rejects):
            yield *end, chance * more, rest


def deals(edition: str) -> dict[Any, float]:
    """The chance of each (own hand, tops, number of rejected cards) in the tiny game."""
    cards = Counter(dict.fromkeys(range(6), 3))
    chances: dict[Any, float] = defaultdict(float)
    if edition == "german":
        for shown, out, chance, left in tops(cards, (), 0, rejects=False):
            for one, first, rest in drawn(left):
                for two, second, _ in drawn(rest):
                    chances[tuple(sorted((one, two))), shown, out] += chance * first * second
        return chances
    for one, first, left in drawn(cards):
        for two, second, rest in drawn(left):
            for shown, out, chance, _ in tops(rest, (), 0, rejects=True):
                chances[tuple(sorted((one, two))), shown, out] += first * second * chance
    return chances


@pytest.mark.parametrize("edition", EDITIONS)
def test_2_2_the_deal_is_the_one_that_the_edition_describes(edition: str) -> None:
    state = MountDrago(Rules.tiny(2, edition)).new(range(MANY))
    shown = [tuple(top) for top in state["top"][:, :2].tolist()]
    assert all(one // 2 != two // 2 for one, two in shown)
    rejected = state["pile"].sum(1).tolist()
    exact = deals(edition)
    assert sum(exact.values()) == pytest.approx(1)
    for seat in (0, 1):
        held = [hand for (hand,) in hands(state, seat)]
        found = Counter(zip(held, shown, rejected, strict=True))
        assert surprise(found, exact) < FITS
    if edition == "italian":  # the two editions are told apart
        assert surprise(found, deals("german")) > DIFFERS


@pytest.mark.parametrize("edition", EDITIONS)
def test_2_2_two_hands_are_dealt_from_the_same_cards(edition: str) -> None:
    """All 18 cards are alike before the tops are seen: two of them in each hand."""
    state = MountDrago(Rules.tiny(2, edition)).new(range(MANY, 2 * MANY))
    if edition == "italian":
        exact = arrangements(range(18), [2, 2])
        kinds: Counter[Hands] = Counter()
        for pair, ways in exact.items():
            kinds[tuple(tuple(card // 3 for card in hand) for hand in pair)] += ways
        assert surprise(Counter(hands(state, 0, 1)), kinds) < FITS
    else:
        blue_and_brown = state[(state["top"][:, 0] == 0) & (state["top"][:, 1] == 2)]
        exact = arrangements([0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5], [2, 2])
        assert len(blue_and_brown) > MANY / 30
        assert surprise(Counter(hands(blue_and_brown, 0, 1)), exact) < FITS


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_2_2_the_tops_of_the_full_game_are_uniform(players: int) -> None:
    for edition in EDITIONS:
        top = MountDrago(Rules(players, edition)).new(range(MANY))["top"][:, :players]
        colours = np.sort(top // 5, 1)
        assert (np.diff(colours, axis=1) > 0).all()
        cards = dict(enumerate([2, 2, 3, 2, 2] * 10))
        for seat in range(players):
            assert surprise(Counter(top[:, seat].tolist()), cards) < FITS


# ---------------------------------------------------------------- draws (7.3)


def after(table: Table, move: str) -> State:
    """One position with many states of the generator, after a move."""
    state = np.repeat(table.state, MANY)
    state["rng"] = np.random.default_rng(7).integers(2**64, size=MANY, dtype=np.uint64)
    table.game.step(state, np.full(MANY, table.actions[move]))
    return state


def test_7_1_every_card_of_the_deck_is_drawn_equally_often() -> None:
    deck = "black 1, brown 1, black 1, blue 2, black 1, blue 2"
    state = after(tiny({"black": 2}, ["black 2", "brown 1"], TWO, deck=deck), "play black 2")
    found = Counter(map(tuple, state["drawn"][:, :2].tolist()))
    assert (state["drawn_size"] == 2).all()
    chances: dict[Any, float] = defaultdict(float)
    for one, first, left in drawn(Counter([4, 2, 4, 1, 4, 1])):
        for two, second, _ in drawn(left):
            chances[one, two] += first * second
    assert surprise(found, chances) < FITS


def test_7_3_the_reshuffled_cards_are_drawn_equally_often() -> None:
    table = tiny({"black": 2}, ["black 2", "brown 1"], TWO, deck="blue 2")
    covered = Counter(map(table.rules.card, table.covered))
    state = after(table, "play black 2")
    assert (state["drawn"][:, 0] == 1).all()  # what was left of the deck comes first
    covered[0] += 1  # black is taken, so that the own top is covered, and then drawn with the rest
    assert surprise(Counter(state["drawn"][:, 1].tolist()), covered) < FITS
