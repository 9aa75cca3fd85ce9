"""Clauses 7 and 10: discarding, drawing, reshuffling, and decisions as actions."""

from __future__ import annotations

from collections import Counter

import pytest

from drago_env import Rules
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.storage import StateError
from tests.conftest import RIDES, at, random_game

EDITIONS = pytest.mark.parametrize("edition", ["german", "italian"])
ON_SUMMIT = {"blue": 12, "brown": 13}
FULL = "blue 1, blue 1, brown 2, red 1, gray 1, gray 2"  # three cards of summit dragons
SIX = "purple 1, purple 1, purple 2, purple 2, purple 3, purple 3"  # and none


# ---------------------------------------------------------------- the german edition


@EDITIONS
@pytest.mark.parametrize("size", [1, 2, 5, 6])
def test_7_1_without_a_scoring_the_hand_is_refilled(edition: str, size: int) -> None:
    hand = ["red 3", "red 3", "gray 1", "gray 1", "gray 2", "gray 2"][:size]
    table = at(hands=[", ".join(hand)], edition=edition)
    table.act("play red 3")
    assert len(table.hand(0)) == 6
    assert len(table.drawn) == 6 - (size - 1)
    assert Counter(table.hand(0)) == Counter(hand[1:] + table.drawn)
    assert table.turn == "seat 1, play"


@EDITIONS
@pytest.mark.parametrize("card", ["red 2", "red 4"])
def test_7_1_after_a_scoring_nothing_is_drawn(edition: str, card: str) -> None:
    table = at(hands=[f"{card}, gray 1"], edition=edition)
    deck = table.deck
    table.act(f"play {card}")
    assert table.hand(0) == ["gray 1"]
    assert table.deck == deck
    assert table.turn == "seat 1, play"


@EDITIONS
@pytest.mark.parametrize("card", ["red 2", "red 4"])
def test_7_1_an_empty_hand_is_refilled_even_after_a_scoring(edition: str, card: str) -> None:
    table = at(hands=[card], edition=edition)
    table.act(f"play {card}")
    assert len(table.hand(0)) == len(table.drawn) == 6
    assert table.turn == "seat 1, play"


def test_7_1_discards_come_before_the_refill() -> None:
    table = at(ON_SUMMIT, [FULL])
    table.act("play red 1")
    assert table.hand(0) == ["blue 1", "blue 1", "brown 2", "gray 1", "gray 2"]
    assert table.drawn == []
    assert table.legal == {"discard blue 1", "discard brown 2", "done discarding"}
    table.act("discard blue 1")
    assert table.hand(0) == ["blue 1", "brown 2", "gray 1", "gray 2"]
    assert table.covered == ["blue 1", "red 1"]
    assert table.drawn == []
    table.act("done discarding")
    assert len(table.hand(0)) == 6
    assert len(table.drawn) == 2
    assert Counter(["blue 1", "brown 2", "gray 1", "gray 2"]) <= Counter(table.hand(0))


def test_7_1_nothing_need_be_discarded() -> None:
    table = at(ON_SUMMIT, [FULL])
    table.act("play red 1", "done discarding")
    assert len(table.drawn) == 1
    assert len(table.hand(0)) == 6


def test_7_1_the_whole_hand_may_be_discarded() -> None:
    table = at(ON_SUMMIT, ["blue 1, blue 2, blue 3, brown 4, brown 5, red 1"])
    table.act("play red 1", *(f"discard {c}" for c in ("blue 1", "blue 2", "blue 3")))
    table.act("discard brown 4", "discard brown 5")
    assert len(table.hand(0)) == len(table.drawn) == 6


def test_7_1_after_a_scoring_nothing_is_discarded() -> None:
    table = at(ON_SUMMIT, ["blue 1, red 2"])
    table.act("play red 2")
    assert table.turn == "seat 1, play"
    assert table.hand(0) == ["blue 1"]


@pytest.mark.parametrize(("edition", "clause"), [("german", "7.1"), ("italian", "7.2")])
def test_7_1_and_7_2_only_cards_of_summit_dragons_are_discarded(edition: str, clause: str) -> None:
    # gray stands on the space before the summit; black and blue 5 are not in the hand
    hand, deck = FULL.replace("red 1", "red 3"), "purple 1, purple 2"
    table = at(ON_SUMMIT | {"gray": 11}, [hand], edition=edition, deck=deck)
    table.act("play red 3")
    for card in ("gray 1", "black 1", "blue 5"):
        table.refuses(f"discard {card}", clause)


# ---------------------------------------------------------------- the italian edition


def test_7_2_the_refill_comes_before_the_discards() -> None:
    table = at(ON_SUMMIT, [FULL], edition="italian", deck="purple 1, purple 1")
    table.act("play red 1")
    assert table.drawn == ["purple 1"]
    assert len(table.hand(0)) == 6
    assert table.legal == {"discard blue 1", "discard brown 2", "done discarding"}


def test_7_2_a_card_of_the_refill_may_be_discarded() -> None:
    table = at(ON_SUMMIT, ["red 1, gray 1"], edition="italian", deck="blue 1, blue 2, blue 3, " * 2)
    table.act("play red 1")
    assert len(table.drawn) == 5
    assert table.turn == "seat 0, discard"
    assert table.legal >= {"discard blue 2", "done discarding"}


def test_7_2_draws_as_many_as_were_discarded_when_all_are_chosen() -> None:
    table = at(ON_SUMMIT, [FULL], edition="italian", deck="purple 1, purple 2, purple 3, purple 4")
    table.act("play red 1", "discard blue 1", "discard brown 2")
    assert len(table.hand(0)) == 4  # choose all, then draw
    assert len(table.deck) == 3
    table.act("done discarding")
    assert len(table.hand(0)) == 6
    assert len(table.drawn) == 2
    assert table.turn == "seat 1, play"


def test_7_2_discards_after_a_scoring_too() -> None:
    table = at(ON_SUMMIT, ["blue 1, brown 2, gray 1, red 2"], edition="italian")
    table.act("play red 2")
    assert table.drawn == []  # no refill
    assert table.legal == {"discard blue 1", "discard brown 2", "done discarding"}
    table.act("discard blue 1", "done discarding")
    assert len(table.drawn) == 1
    assert len(table.hand(0)) == 3  # as many again, not to a full hand


def test_7_2_discards_after_a_scoring_with_the_last_card() -> None:
    deck = "blue 1, blue 1, blue 2, blue 2, blue 3, blue 3"
    table = at(ON_SUMMIT, ["red 2"], edition="italian", deck=deck)
    table.act("play red 2")
    assert table.turn == "seat 0, discard"
    assert table.hand(0) == deck.split(", ")


@pytest.mark.parametrize("last", ["discard blue 3", "done discarding"])
def test_7_2_a_card_just_drawn_is_not_offered_again(last: str) -> None:
    hand = "blue 1, blue 3, gray 1, red 2"
    table = at(ON_SUMMIT, [hand], edition="italian", deck="blue 2, brown 1, brown 2, brown 3")
    table.act("play red 2", "discard blue 1", last)
    assert set(table.drawn) <= {"blue 2", "brown 1", "brown 2", "brown 3"}
    assert table.turn == "seat 1, play"


def test_7_2_nothing_need_be_discarded() -> None:
    table = at(ON_SUMMIT, ["blue 1, red 2"], edition="italian")
    table.act("play red 2", "done discarding")
    assert table.hand(0) == ["blue 1"]
    assert table.drawn == []


# ---------------------------------------------------------------- an empty deck


def everything_but(*cards: str) -> Counter[str]:
    copies = {1: 2, 2: 2, 3: 3, 4: 2, 5: 2}
    return Counter({f"{c} {v}": n for c in COLOURS for v, n in copies.items()}) - Counter(cards)


@EDITIONS
def test_7_3_a_deck_drawn_empty_is_not_reshuffled_yet(edition: str) -> None:
    table = at(
        hands=["red 1, gray 1, gray 1, gray 2, gray 2"], edition=edition, deck="blue 1, " * 2
    )
    covered = table.covered
    table.act("play red 1")
    assert table.deck == []
    assert Counter(table.covered) == Counter([*covered, "red 1"])


@EDITIONS
def test_7_3_no_reshuffle_when_nothing_is_drawn(edition: str) -> None:
    table = at(hands=["red 2, gray 1"], edition=edition, deck="")
    covered = table.covered
    table.act("play red 2")
    assert table.deck == []
    assert Counter(table.covered) == Counter([*covered, "red 1"])


@EDITIONS
def test_7_3_a_draw_under_way_goes_on(edition: str) -> None:
    table = at(hands=["red 3, gray 1, gray 2"], edition=edition, deck="blue 1, blue 2")
    table.act("play red 3")
    assert sorted(table.drawn[:2]) == ["blue 1", "blue 2"]
    assert len(table.drawn) == 4
    assert Counter(table.drawn) <= Counter(table.hand(0))
    assert len(table.hand(0)) == 6
    # the tops, also that of the card just played, and the hands stay; all the rest is the deck
    assert (table.rides(0), table.rides(1)) == ("red 3", "green 1")
    out = [*table.hand(0), *table.hand(1), "red 3", "green 1"]
    assert Counter(table.deck) == everything_but(*out)
    assert table.covered == []


@EDITIONS
def test_7_3_discards_go_into_the_new_deck(edition: str) -> None:
    hand = "blue 1, blue 1, gray 1, gray 1, gray 2, red 2"
    table = at(ON_SUMMIT, [hand], edition=edition, deck="")
    table.act("play red 2" if edition == "italian" else "play gray 1")
    table.act("discard blue 1", "discard blue 1")
    assert table.covered == []
    out = [*table.hand(0), *table.hand(1), table.rides(0), "green 1"]
    assert Counter(table.deck) == everything_but(*out)
    assert "blue 1" in table.deck + table.drawn


def test_7_3_a_reshuffle_completes_the_largest_draw() -> None:
    """The most cards are out: five full hands and tops, the last rider draws six."""
    hands = [SIX.replace("purple", colour) for colour in ("blue", "black", "lightblue", "purple")]
    table = at(hands=[*hands, "red 2"], rides=RIDES, turn="seat 4, play", deck="")
    table.act("play red 2")
    assert len(table.hand(4)) == 6
    assert len(table.deck) == 110 - 5 * 7


@EDITIONS
def test_7_4_nobody_starts_a_turn_without_a_card(edition: str) -> None:
    for seed in range(3):
        for table in random_game(Rules.tiny(2, edition), seed):
            if table.turn.endswith("play"):
                assert table.hand(int(table.turn[5]))


@pytest.mark.parametrize("hands", [["", "blue 1"], ["blue 1", ""]])
def test_7_4_no_position_has_a_rider_without_a_card(hands: list[str]) -> None:
    with pytest.raises(StateError, match=r"clause 7\.4"):
        at(hands=hands)


@EDITIONS
def test_7_5_reaching_the_summit_draws_nothing(edition: str) -> None:
    table = at({"blue": 11}, ["blue 1, gray 1"], edition=edition)
    table.act("play blue 1")
    assert table.hand(0) == ["gray 1"]


@EDITIONS
@pytest.mark.parametrize("before", [12, 15])
def test_7_5_moving_inside_the_summit_draws(edition: str, before: int) -> None:
    table = at(
        {"blue": before}, ["blue 1, gray 1"], edition=edition, deck="red 2, red 3, " * 2 + "red 3"
    )
    table.act("play blue 1")
    assert len(table.hand(0)) == 6


# ---------------------------------------------------------------- actions


def test_10_1_to_10_3_actions_are_numbered_by_card() -> None:
    table = at()
    words = {action: text for text, action in table.actions.items()}
    assert table.game.spec.num_actions == len(words) == 151
    for colour, name in enumerate(COLOURS):
        for value in range(1, 6):
            card = 5 * colour + value - 1
            assert words[card] == f"play {name} {value}"
            assert words[50 + card] == f"play {name} {value} and keep"
            assert words[100 + card] == f"discard {name} {value}"
    assert words[150] == "done discarding"


def test_10_1_a_play_takes_where_there_is_a_choice() -> None:
    table = at(hands=["gray 3"])
    table.game.step(table.state, [5 * 6 + 2])
    assert table.rides(0) == "gray 3"


def test_10_2_a_keep_is_legal_only_with_the_choice() -> None:
    table = at({"blue": 1}, ["blue 1, red 1, green 1, gray 3"])
    assert {move for move in table.legal if move.endswith("keep")} == {"play gray 3 and keep"}
    for move in ("play blue 1 and keep", "play red 1 and keep", "play green 1 and keep"):
        table.refuses(move, "5.3")
    table.game.step(table.state, [50 + 5 * 6 + 2])
    assert table.rides(0) == "red 1"


@EDITIONS
def test_10_3_the_step_is_skipped_without_a_card_to_discard(edition: str) -> None:
    table = at(
        {"blue": 12}, ["red 1, gray 1"], edition=edition, deck="gray 2, gray 3, " * 2 + "gray 3"
    )
    table.act("play red 1")
    assert table.turn == "seat 1, play"


@EDITIONS
def test_10_3_the_step_ends_by_itself_when_no_card_is_left(edition: str) -> None:
    hand = "blue 1, blue 1, gray 1, gray 1, gray 2, red 1"
    table = at({"blue": 12}, [hand], edition=edition, deck=SIX)
    table.act("play red 1", "discard blue 1")
    assert table.turn == "seat 0, discard"
    assert table.legal == {"discard blue 1", "done discarding"}  # the second copy
    table.act("discard blue 1")
    assert table.turn == "seat 1, play"
    assert len(table.hand(0)) == 6


@EDITIONS
def test_10_3_done_ends_the_step_at_once(edition: str) -> None:
    table = at({"blue": 12}, ["blue 1, red 1"], edition=edition)
    table.act("play red 1", "done discarding")
    assert table.turn == "seat 1, play"
    assert "blue 1" in table.hand(0)


@EDITIONS
@pytest.mark.parametrize("players", [2, 5])
def test_10_4_something_is_legal_until_the_end(edition: str, players: int) -> None:
    for table in random_game(Rules(players, edition), players):
        legal = len(table.legal)
        assert legal <= table.game.spec.max_legal
        assert (legal == 0) == table.turn.endswith("over")


def test_10_4_every_card_and_every_keep_at_once_are_listed() -> None:
    table = at(hands=["blue 1, brown 1, black 1, gray 1, purple 1, orange 1"])
    assert len(table.legal) == 12 == table.game.spec.max_legal
