"""Clause 8: what a rider knows, in their observation and in the worlds that they think possible."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from drago_env.mount_drago import storage
from drago_env.mount_drago.rules import COLOURS
from tests.conftest import RIDES, Table, at

COPIES = [2, 2, 3, 2, 2] * 10  # of each card kind


def example(**changes: Any) -> Table:
    position: dict[str, Any] = {
        "dragons": {"blue": 12, "green": 5, "red": 3},
        "hands": ["gray 1, gray 1", "blue 1, black 3", "purple 2"],
        "rides": ("red 1", "green 5", "yellow 2"),
        "scores": [4, -3, 10],
        "turn": "seat 1, play",
        "covered": "black 3, black 3, orange 5",
    }
    return at(**{**position, **changes})


def knows(table: Table, seat: int) -> tuple[bytes, bytes]:
    """All that the package tells a seat: the observation and the imagined worlds."""
    worlds = [table.game.determinize(table.state, [seat], seed) for seed in range(3)]
    return table.game.observe(table.state, [seat]).tobytes(), b"".join(w.tobytes() for w in worlds)


def cards(table: Table, counts: list[int]) -> Counter[str]:
    return Counter({table.rules.card_text(card): n for card, n in enumerate(counts) if n})


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_8_1_every_seat_sees_what_is_public(seat: int) -> None:
    table = example()
    seen = table.sees(seat)
    order = [(seat + k) % 3 for k in range(3)]  # the own seat first
    colours = [COLOURS.index(table.rides(rider).split()[0]) for rider in order]
    assert [row.index(1) for row in seen["rides"][:3]] == colours
    assert seen["top_value"] == [*(int(table.rides(rider)[-1]) for rider in order), 0, 0]
    assert seen["hand_size"] == [*(len(table.hand(rider)) for rider in order), 0, 0]
    leads = [table.scores[rider] - table.scores[seat] for rider in order[1:]]
    assert seen["lead"] == [*leads, 0, 0]
    assert seen["turn"] == [*(int(rider == 1) for rider in order), 0, 0]
    assert seen["deck"] == [len(table.deck)]
    assert seen["summit_left"] == [2]
    assert [row[0] for row in seen["dragons"]] == [12, 0, 0, 3, 0, 5, 0, 0, 0, 0]
    assert [row[2] for row in seen["dragons"]] == [4, 0, 0, 3, 0, 6, 0, 0, 0, 0]


def test_8_1_the_board_is_seen() -> None:
    red = example().sees(0)["dragons"][3]
    # red on space 3: nine steps from the summit, on a 3; ahead of it 4 6 -1 3 5, green and blue
    assert red == [3, 9, 3, 4, 6, -1, 3, 5, 2, 0, 0, 1, 0]


def test_8_1_piles_and_discards_are_counted() -> None:
    before, after = example(covered=""), example()
    fewer = Counter(cards(before, before.sees(0)["unseen"]))
    fewer.subtract(cards(after, after.sees(0)["unseen"]))
    assert +fewer == Counter({"black 3": 2, "orange 5": 1})


def test_8_2_a_rider_sees_his_own_hand() -> None:
    table = example()
    assert cards(table, table.sees(0)["hand"]) == Counter({"gray 1": 2})
    assert cards(table, table.sees(1)["hand"]) == Counter({"blue 1": 1, "black 3": 1})
    assert cards(table, table.sees(2)["hand"]) == Counter({"purple 2": 1})


def test_8_2_other_hands_and_the_order_of_the_deck_are_hidden() -> None:
    one = example()
    other = example(hands=["gray 1, gray 1", "orange 1, red 1", "blue 1"])
    assert knows(one, 0) == knows(other, 0)
    assert knows(one, 1) != knows(other, 1)
    turned = example(deck=", ".join(reversed(one.deck)))
    assert one.state.tobytes() != turned.state.tobytes()
    for seat in range(3):
        assert knows(one, seat) == knows(turned, seat)


def test_8_2_drawn_cards_and_the_chance_to_come_are_hidden() -> None:
    one, other = example(), example(deck=", ".join(reversed(example().deck)))
    for table in (one, other):
        table.act("play black 3", "done discarding")  # draws five
    assert one.drawn != other.drawn
    assert knows(one, 0) == knows(other, 0)
    assert knows(one, 1) != knows(other, 1)


def test_8_3_the_discard_step_and_each_discard_are_public() -> None:
    hands = ["gray 1", "blue 1, blue 1, brown 1, brown 3"]
    table = at({"blue": 12}, hands, RIDES[:3], turn="seat 1, play")
    assert [table.sees(seat)["discarding"] for seat in range(3)] == [[0], [0], [0]]
    table.act("play brown 3")
    unseen = Counter(cards(table, table.sees(0)["unseen"]))
    assert [table.sees(seat)["discarding"] for seat in range(3)] == [[1], [1], [1]]
    assert [table.sees(seat)["discarded"] for seat in range(3)] == [[0], [0], [0]]
    table.act("discard blue 1")
    assert [table.sees(seat)["discarding"] for seat in range(3)] == [[1], [1], [1]]
    assert [table.sees(seat)["discarded"] for seat in range(3)] == [[1], [1], [1]]
    assert table.sees(0)["hand_size"][:3] == [1, 2, 1]
    assert unseen - cards(table, table.sees(0)["unseen"]) == Counter({"blue 1": 1})
    table.act("done discarding")
    assert [table.sees(seat)["discarding"] for seat in range(3)] == [[0], [0], [0]]
    assert [table.sees(seat)["discarded"] for seat in range(3)] == [[0], [0], [0]]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_8_4_unseen_is_all_less_what_is_seen(seat: int) -> None:
    table = example()
    seen = Counter(table.hand(seat) + table.covered + [table.rides(k) for k in range(3)])
    unseen = cards(table, table.sees(seat)["unseen"])
    assert unseen + seen == cards(table, COPIES)
    hidden = Counter(table.deck)
    for rider in {0, 1, 2} - {seat}:
        hidden += Counter(table.hand(rider))
    assert unseen == hidden


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_8_4_possible_worlds_keep_what_the_seat_knows(seat: int) -> None:
    table = example()
    hands = set()
    for seed in range(20):
        world = Table(table.game, table.game.determinize(table.state, [seat], seed))
        storage.check(world.game, world.state)
        assert world.hand(seat) == table.hand(seat)
        assert world.sees(seat) == table.sees(seat)
        hands.add(str([world.hand(rider) for rider in range(3)]))
    assert len(hands) > 10  # and the rest is drawn anew


def test_8_4_a_rider_who_discards_holds_a_card_that_he_may_discard() -> None:
    table = example(turn="seat 1, discard")
    first = set()
    for seed in range(40):
        world = Table(table.game, table.game.determinize(table.state, [0], seed))
        storage.check(world.game, world.state)
        blue = [card for card in world.hand(1) if card.startswith("blue")]
        assert blue
        first.update(blue)
    assert len(first) > 1  # which one is not known


def test_8_4_nothing_is_inferred_from_the_last_reshuffle() -> None:
    """A card that was out at the reshuffle cannot be in the deck, but may be in any world's."""
    hand = "gray 1, gray 1, gray 2, gray 2, gray 3, red 1"
    table = at(hands=[hand, "purple 5"], deck="")
    table.act("play red 1")  # reshuffles; seat 1 has held the purple 5 all the time
    worlds = [table.game.determinize(table.state, [0], seed) for seed in range(20)]
    assert any(Table(table.game, world).hand(1) != ["purple 5"] for world in worlds)
