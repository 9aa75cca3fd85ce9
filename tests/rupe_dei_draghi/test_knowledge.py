"""Clause 12: what a seat cannot see changes nothing for it, and determinize redraws just that."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env.rupe_dei_draghi.rules import Rules
from drago_env.rupe_dei_draghi.state import STATE
from tests.rupe_dei_draghi.games import VARIANTS, of_rows, positions
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.oracle import reference_of
from tests.rupe_dei_draghi.position import Map
from tests.rupe_dei_draghi.table import Table, at

GAMES = pytest.mark.parametrize("name", VARIANTS)
HIDDEN = ("rng", "princess", "deck", "hand", "marks")  # the last three in part
PUBLIC = [name for name in STATE.names or () if name not in HIDDEN]


def arrangements(batch: Batch, row: int, seat: int) -> list[tuple[int, ...]]:
    """Clause 12.3 read off a state, by the reference's own words."""
    game, rules = batch.state[row], batch.rules_of(row)
    looks, players = game["looks"], rules.players
    forts = len(rules.graph.starts)
    princess = game["princess"].tolist()
    found = []
    for order in permutations(range(forts)):
        own = all(order[f] == princess[f] for f in range(forts) if looks[seat] >> f & 1)
        vain = all(
            order[f] != rules.colour(s)
            for s in range(players)
            for f in range(forts)
            if looks[s] >> f & 1
        )
        won = True
        if game["end"] == 1:
            fort = rules.graph.strongholds.index(int(game["knight"][game["seat"]]))
            won = order[fort] == rules.colour(int(game["seat"]))
        if own and vain and won:
            found.append(order)
    return found


def shuffled(batch: Batch, seat: int, rng: np.random.Generator) -> Batch:
    """The same games for all that the seat knows: what is hidden from it is mixed."""
    clone = of_rows(batch, np.arange(len(batch.state)))
    for row, it in enumerate(clone.state):
        players, forts = int(it["players"]), len(clone.rules_of(row).graph.starts)
        orders = arrangements(batch, row, seat)
        it["princess"][:forts] = orders[rng.integers(len(orders))]
        rivals = [other for other in range(players) if other != seat]
        loose = [it["hand"][other] - it["marks"][seat, other] for other in rivals]
        pool = np.repeat(np.arange(10), it["deck"].astype(int) + sum(loose, np.zeros(10, int)))
        rng.shuffle(pool)
        for other, hand in zip(rivals, loose, strict=True):
            drawn, pool = np.split(pool, [int(hand.sum())])
            new = np.bincount(drawn, minlength=10).astype(np.uint8)
            it["hand"][other] = it["marks"][seat, other] + new
        it["deck"] = np.bincount(pool, minlength=10)
        for one in rivals:  # what others know of each other is hidden too
            for other in rivals:
                it["marks"][one, other] = 0
        it["rng"] = rng.integers(2**64, dtype=np.uint64)
    return clone


def known(batch: Batch, seat: int) -> dict[str, NDArray[Any]]:
    """All that the game tells a seat; actions and features in the rows where it is on turn."""
    own = of_rows(batch, batch.state["seat"] == seat)
    actions, counts = own.lists()
    listed = np.arange(actions.shape[1]) < counts[:, None]
    return {
        "observation": batch.observe(seat),
        "compact": batch.observe(seat, compact=True),
        "actions": np.where(listed, actions, 0),
        "mask": own.mask(),
        "features": own.features(),
    }


@cache
def seats(name: str) -> list[tuple[int, Batch, Batch]]:
    """Each seat with every third position of games that have it, and with these shuffled."""
    batch, found = positions(name), []
    for seat in range(4):
        rows = np.flatnonzero(batch.state["players"] > seat)[seat % 3 :: 3]
        if len(rows):
            part = of_rows(batch, rows)
            found.append((seat, part, shuffled(part, seat, np.random.default_rng(seat))))
    return found


# ---------------------------------------------------------------- nothing leaks


@GAMES
def test_12_2_what_is_hidden_changes_nothing_for_the_seat(name: str) -> None:
    for seat, batch, clone in seats(name):
        before, after = known(batch, seat), known(clone, seat)
        for part, numbers in before.items():
            assert numbers.tobytes() == after[part].tobytes(), (part, seat)
        assert (clone.state["hand"] != batch.state["hand"]).any()
        assert (clone.state["princess"] != batch.state["princess"]).any() or name == "tiny"


@GAMES
def test_determinize_depends_on_the_knowledge_and_the_seed_alone(name: str) -> None:
    for seat, batch, clone in seats(name):
        seeds = np.arange(len(batch.state))
        one, other = of_rows(batch, seeds), of_rows(clone, seeds)
        one.determinize(seat, seeds)
        other.determinize(seat, seeds)
        assert one.state.tobytes() == other.state.tobytes()
        again = of_rows(batch, seeds)
        again.determinize(seat, seeds + 10**6)
        assert again.state.tobytes() != one.state.tobytes()


@GAMES
def test_determinize_keeps_what_the_seat_knows(name: str) -> None:
    for seat, batch, _ in seats(name):
        redrawn = of_rows(batch, np.arange(len(batch.state)))
        redrawn.determinize(seat, np.arange(len(batch.state)))
        for field in PUBLIC:
            assert (redrawn.state[field] == batch.state[field]).all(), field
        assert (redrawn.state["hand"][:, seat] == batch.state["hand"][:, seat]).all()
        assert (redrawn.state["marks"][:, seat] == batch.state["marks"][:, seat]).all()
        assert (redrawn.state["marks"][:, :, seat] == batch.state["marks"][:, :, seat]).all()
        others = np.delete(np.delete(redrawn.state["marks"], seat, 1), seat, 2)
        assert (others == 0).all()  # 12.6
        assert (redrawn.state["hand"] >= redrawn.state["marks"][:, seat]).all()
        assert (redrawn.observe(seat) == batch.observe(seat)).all()
        check_conserved(redrawn)


# ---------------------------------------------------------------- its distribution


def test_12_5_every_arrangement_of_single_cards_is_equally_likely() -> None:
    """By enumeration on the tiny game: seat 0 holds 2 2 2, a mark says that seat 1 holds a 1."""
    table = at(hands=["2 2 2", "1 2 rainbow"], rules=Rules.tiny())
    table.game["marks"][0, 1, 5] = 1
    unseen = [0, 2, 6]  # rainbow, dragon, 2: two of them in the other hand
    wanted = Counter(tuple(sorted((5, *pair))) for pair in combinations(unseen, 2))
    found = redrawn(table, 0, 6000, lambda it: np.repeat(np.arange(10), it["hand"][1]))
    check_distribution(found, wanted)


def test_12_5_copies_are_told_apart() -> None:
    table = at(hands=["1 dragon rainbow", "2 2 2"], rules=Rules.tiny())
    found = redrawn(table, 1, 6000, lambda it: np.repeat(np.arange(10), it["hand"][0]))
    single = [0, 2, 5, 6]
    check_distribution(found, Counter(tuple(sorted(c)) for c in combinations(single, 3)))
    table = at(hands=["1 1 2", "3 3 4"], deck="4 4")
    hands = redrawn(table, 0, 8000, lambda it: np.repeat(np.arange(10), it["hand"][1]))
    cards = [7, 7, 8, 8, 8]  # 3 3 4 of the rival, 4 4 of the deck
    wanted = Counter(tuple(sorted(cards[i] for i in c)) for c in combinations(range(5), 3))
    assert sum(wanted.values()) == comb(5, 3)
    check_distribution(hands, wanted)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_12_3_every_arrangement_that_fits_is_equally_likely(seat: int) -> None:
    position: dict[str, Any] = {"players": 3, "princesses": [3, 2, 0, 1]}
    table = at(looks={0: [0, 1], 1: [1]}, **position)
    chart = Map(table.graph.as_dict())
    side = reference_of(table.rules, at(**position).game, chart)
    side.looks = [{0, 1}, {1}, set()]
    wanted = Counter(side.arrangements(seat))
    assert len(wanted) == [2, 4, 8][seat]
    found = redrawn(table, seat, 9000, lambda it: it["princess"][:4])
    check_distribution(found, wanted)


def test_12_3_after_the_end_the_winners_princess_is_known() -> None:
    table = at(
        {0: "G0"}, ["1", "1"], bridges=["G0"], armour=[0], dragons=[], princesses=[0, 1, 2, 3]
    )
    table.act("card 1", "space F0")
    found = redrawn(table, 1, 3000, lambda it: it["princess"][:4])
    check_distribution(found, Counter((0, *rest) for rest in permutations((1, 2, 3))))


def redrawn(table: Table, seat: int, number: int, part: Any) -> Counter[tuple[int, ...]]:
    batch = Batch([table.rules], 1)
    batch.state = np.repeat(table.batch.state, number)
    batch.determinize(seat, np.arange(number))
    return Counter(tuple(part(it).tolist()) for it in batch.state)


def check_distribution(found: Counter[Any], wanted: Counter[Any]) -> None:
    assert set(found) == set(wanted)
    number, weight = found.total(), wanted.total()
    for outcome, share in wanted.items():
        mean = number * share / weight
        assert abs(found[outcome] - mean) < 5 * mean**0.5, (outcome, found, wanted)


# ---------------------------------------------------------------- marks (12.4)


def test_12_4_the_marks_of_the_one_who_was_robbed() -> None:
    table = at(hands=["1", "dragon dragon", "2"], players=3)
    table.act("rob", "rival +1", "rival +1")
    assert table.marks(1, 0) == "dragon dragon"
    table.act("rival +1" if "rival +1" in table.legal else "done")
    table.act("rob", "rival +2", "done")  # seat 1 takes one back
    taken = table.hand(1)
    assert table.marks(0, 1) == taken
    assert table.marks(1, 0) == ("dragon dragon" if taken != "dragon" else "dragon")


def test_12_4_by_the_top_discard_no_mark_goes() -> None:
    table = at(hands=["1 2", "dragon dragon"], pile="dragon")
    table.game["marks"][0, 1, 2] = 1
    table.act("renew", "top discard", "space F0", "space J01")
    assert table.marks(0, 1) == "dragon"
    table.act("card dragon")
    assert table.marks(0, 1) == ""


def test_12_4_all_marks_go_by_a_renewal() -> None:
    table = at(hands=["dragon 1", "1", "2"], players=3)
    table.game["marks"][1, 0, 2] = table.game["marks"][2, 0, 5] = 1
    table.game["marks"][0, 1, 5] = 1
    table.act("renew")
    assert (table.marks(1, 0), table.marks(2, 0), table.marks(0, 1)) == ("", "", "1")


# ---------------------------------------------------------------- conservation


def check_conserved(batch: Batch) -> None:
    """Cards, pieces, and one knight where the rules say so."""
    for row, it in enumerate(batch.state):
        rules = batch.rules_of(row)
        graph, players = rules.graph, rules.players
        pile = it["pile"][: it["pile_size"]]
        cards = it["hand"].sum(0, dtype=int) + it["deck"] + np.bincount(pile, minlength=10)
        assert cards.tolist() == list(rules.copies)
        assert (it["pile"][it["pile_size"] :] == 255).all()
        assert it["hand_size"].tolist() == it["hand"].sum(1, dtype=int).tolist()
        assert it["deck_size"] == it["deck"].sum(dtype=int)
        for seat in range(4):
            assert (it["marks"][seat, seat] == 0).all()
            assert (it["marks"][seat] <= it["hand"]).all()
        closed = {i for i in range(len(graph)) if int(it["closed"][i // 64]) >> i % 64 & 1}
        dragons = it["dragons"][: rules.dragons].tolist()
        assert len(set(dragons)) == rules.dragons
        assert dragons == sorted(dragons)
        bridges = set(graph.bridge_sites) - closed
        assert closed == set(dragons) | (set(graph.bridge_sites) - bridges)
        assert len(bridges) + it["bridges"] == rules.bridges
        assert int(it["laid"]).bit_count() + it["rainbows"] == rules.rainbows
        knights = it["knight"][:players].tolist()
        assert not set(knights) & closed
        shared = [s for s in set(knights) if knights.count(s) > 1 and s != graph.castle]
        assert not shared or it["step"] == 12  # a duel
        assert sorted(it["princess"][: len(graph.starts)]) == list(range(len(graph.starts)))
        assert (it["path"] == 0).all()


@GAMES
def test_cards_and_pieces_are_conserved_after_every_step(name: str) -> None:
    check_conserved(positions(name))


def test_the_positions_are_of_every_kind() -> None:
    state = positions("standard").state
    assert len(state) > 5000
    assert set(range(17)) <= set(state["step"].tolist())
    assert state["opened"].any()
    assert state["marks"].any()
    assert set(state["players"].tolist()) == {2, 3, 4}
