"""Clause 9: what a seat cannot see changes nothing for it, and determinize redraws just that."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import OVER, PROGRAM
from tests.dragon_delta.engine import Engine
from tests.dragon_delta.fuzz import POLICIES, random_rules
from tests.dragon_delta.oracle import reference_of
from tests.dragon_delta.reference import Reference

State = NDArray[np.void]


@cache
def positions() -> list[tuple[Engine, State, Reference]]:
    """Positions of random games of all kinds, one in five of each game."""
    met, rng = [], random.Random(9)
    for _ in range(60):
        rules = random_rules(rng)
        book, it = Engine(rules), reference_of(rules)
        state = book.new()
        policies = [rng.choice(POLICIES) for _ in range(rules.players)]
        while not it.over:
            action = policies[it.seat](it, rng, it.options())
            it.apply(action)
            book.step(state, action)
            if rng.random() < 0.2 or it.over:
                met.append((book, state.copy(), snapshot(it)))
    return met


def snapshot(it: Reference) -> Reference:
    """As much of a game as its knowledge needs."""
    copy = object.__new__(Reference)
    copy.__dict__.update(it.__dict__, programs=[list(cards) for cards in it.programs])
    return copy


def known(book: Engine, state: State, seat: int) -> list[Any]:
    """All that the engine tells a seat."""
    told: list[Any] = [book.observe(state, seat).tobytes(), book.compact(state, seat).tobytes()]
    if state[0]["seat"] == seat:
        legal = book.legal(state)
        told += [legal, book.features(state, legal).tobytes()]
    return told


# ---------------------------------------------------------------- nothing leaks


def test_the_positions_are_of_every_kind() -> None:
    steps = Counter(int(state[0]["step"]) for _, state, _ in positions())
    assert set(steps) == set(range(10))
    assert sum(steps.values()) > 500


def test_9_2_hidden_cards_change_nothing_for_a_seat() -> None:
    rng, changed = random.Random(2), 0
    for book, state, it in positions():
        seat = rng.randrange(it.players)
        other = state.copy()
        for rival in range(it.players):
            if rival != seat:
                laid = len(it.programs[rival])
                five = rng.choice(some_fives(it, rival, rng))
                other[0]["program"][rival, :laid] = five[:laid]
        changed += other.tobytes() != state.tobytes()
        assert known(book, state, seat) == known(book, other, seat)
    assert changed > 200


def some_fives(it: Reference, seat: int, rng: random.Random) -> list[tuple[int, ...]]:
    """A legal program that agrees with what is revealed, drawn without listing all."""
    known_cards = tuple(it.programs[seat][: it.open_slots()])
    every = [*it.kinds, *(7 + k for k in range(1, it.players))]
    rest = [card for card in every if card not in known_cards]
    while True:
        five = known_cards + tuple(rng.sample(rest, it.slots - len(known_cards)))
        if sum(card >= 8 for card in five) <= 1:
            return [five]


def test_9_1_the_own_cards_and_the_revealed_ones_are_seen() -> None:
    for book, state, it in positions():
        open_slots = it.open_slots()
        for seat in range(it.players):
            part = next(p for p in book.layout if p.name == "cards")
            cards = part.of(book.compact(state, seat))
            assert (cards[0] > 0).sum() == len(it.programs[seat])
            for k in range(1, it.players):
                rival = (seat + k) % it.players
                assert (cards[k] > 0).sum() == min(open_slots, len(it.programs[rival]))


# ---------------------------------------------------------------- determinize


def test_9_3_determinize_keeps_all_that_the_seat_knows() -> None:
    for number, (book, state, it) in enumerate(positions()):
        seat = number % it.players
        other = state.copy()
        book.determinize(other, seat, [number])
        assert known(book, state, seat) == known(book, other, seat)
        for name in other.dtype.names or ():
            if name != "program":
                assert (other[name] == state[name]).all()
        own = state[0]["program"][seat]
        assert (other[0]["program"][seat] == own).all()
        if it.over and it.truncated:
            assert other.tobytes() == state.tobytes()


def test_9_3_determinize_depends_on_knowledge_and_seed_alone() -> None:
    rng = random.Random(3)
    for number, (book, state, it) in enumerate(positions()[::3]):
        seat = number % it.players
        one, other = state.copy(), state.copy()
        book.determinize(other, seat, [rng.getrandbits(60)])
        seed = rng.getrandbits(60)
        book.determinize(one, seat, [seed])
        book.determinize(other, seat, [seed])
        assert one.tobytes() == other.tobytes()


RULES = [
    Rules(3, kinds=(0, 2, 4, 5), slots=3),
    Rules(2, kinds=(1, 3, 6), slots=3),
    Rules(4, kinds=(0, 1, 2, 5, 7), slots=2),
    Rules.tiny(),
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_9_3_every_program_is_equally_likely(rules: Rules, seed: int) -> None:
    """Counts what determinize draws, and compares it with all that the clause allows."""
    rng, book, it = random.Random(seed), Engine(rules), reference_of(rules)
    state = book.new()
    for _ in range(rng.randint(1, 14)):
        action = rng.choice(it.options())
        before, kept = state.copy(), snapshot(it)
        it.apply(action)
        book.step(state, action)
        if it.over:
            state, it = before, kept
            break
    seat = rng.randrange(rules.players)
    draws = 12000
    many = np.repeat(state, draws)
    book.determinize(many, seat, np.arange(draws) + 10**6 * seed)
    for rival in range(rules.players):
        laid = len(it.programs[rival])
        if rival == seat or laid == 0:
            continue
        want = Counter(five[:laid] for five in it.fives(rival))
        total = sum(want.values())
        have = Counter(map(tuple, many["program"][:, rival, :laid].tolist()))
        assert set(have) <= set(want)
        chi = sum((have[f] - draws * n / total) ** 2 / (draws * n / total) for f, n in want.items())
        freedom = len(want) - 1
        assert chi <= freedom + 5 * (2 * freedom) ** 0.5 + 1e-9


def test_9_3_the_seats_are_independent() -> None:
    rules = Rules(3, kinds=(0, 1), slots=1)
    book = Engine(rules)
    state = book.new()
    for action in (0, 0, 0)[:2]:
        book.step(state, action)
    draws = 16000
    many = np.repeat(state, draws)
    book.determinize(many, 2, np.arange(draws))
    pairs = Counter(map(tuple, many["program"][:, :2, 0].tolist()))
    assert len(pairs) == 16  # two kinds and two dragons each
    assert max(abs(count - 1000) for count in pairs.values()) < 160


# ---------------------------------------------------------------- conservation


def check_conserved(rules: Rules, game: Any) -> None:
    """Every stone, plank and pawn is in exactly one place that the rules allow."""
    board, n = rules.map, rules.players
    planks = game["plank"][:n, : rules.planks]
    rest = np.ones((6, 8), bool)
    rest[:n, : rules.planks] = False
    assert (game["plank"][rest] == 255).all()
    links = planks[planks < MAX_LINKS].tolist()
    assert len(set(links)) == len(links)
    laid = sum(int(word) << 64 * i for i, word in enumerate(game["laid"]))
    assert laid == sum(1 << link for link in links)
    assert not any(a in links and b in links for a, b in board.crossings)
    stones = int(game["stones"])
    assert stones.bit_count() <= rules.stones
    bears: Counter[int] = Counter()
    for link in links:
        a, b, _ = board.links[link]
        bears.update((a, b))
        assert all(node >= len(board.islets) or stones >> node & 1 for node in (a, b))
    assert all(count <= rules.support for count in bears.values())
    pawns = [place for place in game["pawn"][:n].tolist() if place < MAX_LINKS]
    assert len(set(pawns)) == len(pawns)
    assert set(pawns) <= set(links)
    for seat in range(n):
        held = np.argwhere(planks == MAX_LINKS + seat)
        assert len({number for _, number in held}) == len(held)
        assert len({colour for colour, _ in held}) <= 2


@pytest.mark.parametrize("players", range(2, 7))
def test_conservation_after_every_step(players: int) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        rules = Rules(players, long_planks=seed == 3, max_rounds=6)
        book = Engine(rules)
        state = book.new()
        while state[0]["step"] != OVER:
            check_conserved(rules, state[0])
            book.step(state, rng.choice(book.legal(state)))
        check_conserved(rules, state[0])


def test_a_new_round_has_no_cards() -> None:
    for _, state, it in positions():
        if state[0]["step"] == PROGRAM and it.seat == it.marker and not it.programs[it.seat]:
            assert (state[0]["program"] == 255).all()
