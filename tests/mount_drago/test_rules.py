"""Rules: what clause 11 refuses, in words that help, and what equal rules share."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from drago_env import Board, MountDrago, Rules, RulesError
from tests.mount_drago.games import ALL_RULES, name

SMALL: dict[str, Any] = {"colours": 3, "copies": (3, 3), "hand": 2, "summit_dragons": 2}

NO_COPIES: tuple[Any, ...] = ((), [], None, 5, {2, 3}, "")
REFUSED: list[tuple[dict[str, Any], str]] = [
    *(({"players": n}, f"players must be from 2 to 5, not {n}") for n in (1, 0, 6, -2, 10**30)),
    *(
        ({"players": n}, f"players must be a whole number from 2 to 5, not {n!r}")
        for n in (True, 2.5, 3.0, "3", None, [3], float("nan"))
    ),
    *(
        ({"edition": e}, f"edition must be german or italian, not {e!r}")
        for e in ("French", "German", "", None, 0, ["german"])
    ),
    *(
        ({"board": b}, f"board must be a Board (see Board.read), not {b!r}")
        for b in ("mine.txt", 3, [0, 1])
    ),
    *(({"colours": c}, f"colours must be from 1 to 10, not {c}") for c in (0, 11, -1)),
    ({"colours": 2.0}, "colours must be a whole number from 1 to 10, not 2.0"),
    *(({"copies": c}, "copies must list a number for each card value") for c in NO_COPIES),
    ({"copies": (2, 0, 3)}, "copies of value 2 must be from 1 to 110, not 0"),
    ({"copies": (2, -1)}, "copies of value 2 must be from 1 to 110, not -1"),
    ({"copies": ("2", 2)}, "copies of value 1 must be a whole number from 1 to 110, not '2'"),
    ({"copies": "22322"}, "copies of value 1 must be a whole number"),
    ({"copies": (2, True)}, "copies of value 2 must be a whole number from 1 to 110, not True"),
    ({"copies": (2, [2])}, "copies of value 2 must be a whole number"),
    ({"copies": (1,) * 6}, "the number of card values must be from 1 to 5, not 6"),
    ({"copies": (3, 3, 3, 3)}, "must be from 1 to 110, not 120"),
    *(({"hand": h}, f"hand must be from 1 to 6, not {h}") for h in (0, 7, -1)),
    ({"hand": "6"}, "hand must be a whole number from 1 to 6, not '6'"),
    *(
        ({"summit_dragons": s}, f"summit_dragons must be from 1 to 10, not {s}")
        for s in (0, 11, -3)
    ),
    ({**SMALL, "summit_dragons": 4}, "summit_dragons must be from 1 to 3, not 4"),
    ({**SMALL, "players": 4}, "4 players need as many colours, not 3 (clause 11)"),
    ({**SMALL, "players": 3, "hand": 6}, "need 21 cards, not 18 (clause 11)"),
    ({**SMALL, "players": 3, "edition": "italian"}, "could run dry: 12 cards are left"),
]


@pytest.mark.parametrize(("numbers", "words"), REFUSED)
def test_impossible_rules_are_refused(numbers: dict[str, Any], words: str) -> None:
    with pytest.raises(RulesError) as refusal:
        Rules(**numbers)
    assert words in str(refusal.value)


def test_least_possible_rules() -> None:
    """The refusals of clause 11 begin just below these."""
    least = Rules(3, "german", colours=3, copies=(7,), hand=6, summit_dragons=3)
    assert least.cards == least.players * (least.hand + 1)
    assert MountDrago(least).new(0)["deck_size"][0] == 0
    italian = Rules(3, "italian", colours=3, copies=(3, 4), hand=2, summit_dragons=1)
    assert italian.cards - 6 == 2 * italian.cards_per_colour + 1


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_set_up_works_for_all_rules(rules: Rules) -> None:
    state = MountDrago(rules).new(range(50))
    assert (state["hand_size"][:, : rules.players] == rules.hand).all()
    left = rules.cards - rules.players * (rules.hand + 1) - state["pile"].sum(1)
    assert (state["deck_size"] == left).all()


def test_printed_game_is_the_default() -> None:
    rules = Rules()
    assert (rules.players, rules.edition, rules.cards, rules.num_actions) == (2, "german", 110, 151)
    assert rules.board == Board.side(2)
    assert Rules(4).board == Board.side(4)


def test_tiny_game_is_that_of_clause_11() -> None:
    assert Rules.tiny().sizes == (3, (3, 3), 2, 2)
    assert Rules.tiny().board == Board.tiny()


def test_equal_rules_hash_equal() -> None:
    one = Rules(3)
    listed: Any = [2, 2, 3, 2, 2]
    others = [Rules(3, board=Board.side(3)), Rules(3, copies=listed), Rules(np.int64(3))]
    assert all(other == one for other in others)
    assert {one, *others} == {one}
    assert Rules(3, "italian") != one != Rules(2)


@pytest.mark.parametrize("field", ["players", "colours", "hand", "summit_dragons", "copies"])
def test_numpy_numbers_are_fine_and_become_plain(field: str) -> None:
    """Records and state files write these numbers as JSON."""
    plain = getattr(Rules(), field)
    given: Any = [np.int64(copies) for copies in plain] if field == "copies" else np.int64(plain)
    rules = Rules(**{field: given})
    assert rules == Rules()
    assert json.dumps(rules.as_dict()) == json.dumps(Rules().as_dict())


def test_cards_in_words_and_back() -> None:
    for rules in (Rules(), Rules.tiny()):
        words = [rules.card_text(card) for card in range(rules.card_kinds)]
        assert [rules.card(text) for text in words] == list(range(rules.card_kinds))
    assert Rules().card("lightblue 4") == 38


@pytest.mark.parametrize(
    "text", ["", "blue", "blue 0", "blue 6", "white 1", "3 blue", "blue 1.0", "blue ²", "blue -1"]
)
def test_unknown_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no card; a card is a colour .* from 1 to 5"):
        Rules().card(text)


# ---------------------------------------------------------------- one batch of several rules


@pytest.mark.parametrize(
    "other",
    [
        Rules.tiny(),
        Rules(colours=9),
        Rules(copies=(2, 2, 3, 2, 1)),
        Rules(hand=5),
        Rules(summit_dragons=2),
    ],
)
def test_sizes_must_match_in_one_batch(other: Rules) -> None:
    with pytest.raises(RulesError, match="must have equal sizes"):
        MountDrago(Rules(), other)


def test_players_editions_and_boards_may_differ_in_one_batch() -> None:
    several = [Rules(n, e, Board.random(n)) for n in (2, 5) for e in ("german", "italian")]
    game = MountDrago(*several)
    state = game.new(range(4), range(4))
    assert [game.row_rules(state, row) for row in range(4)] == several


@pytest.mark.parametrize("other", ["german", None, 3, {"players": 2}])
def test_what_is_no_rules_is_refused(other: Any) -> None:
    with pytest.raises(RulesError, match="expected Rules"):
        MountDrago(Rules(), other)
