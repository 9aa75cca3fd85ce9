"""Clauses 1, 2 and 11: components, set-up, and sizes as parameters."""

from __future__ import annotations

from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drago_env import Board, BoardError, MountDrago, Rules, RulesError
from drago_env.mount_drago import storage
from drago_env.mount_drago.rules import COLOURS
from tests.conftest import Table, at

EDITIONS = pytest.mark.parametrize("edition", ["german", "italian"])
PLAYERS = pytest.mark.parametrize("players", [2, 3, 4, 5])
TINY = "0 start, 1 plain, 2 blue, 3 plain, 2 green, -1 plain, 4 summit, 5 summit"


def dealt(rules: Rules, seed: int = 0) -> Table:
    game = MountDrago(rules)
    state = game.new(seed)
    storage.check(game, state)
    return Table(game, state)


def colour(card: str) -> str:
    return card.split()[0]


# ---------------------------------------------------------------- components


@PLAYERS
def test_1_1_two_to_five_riders_ten_dragons_110_cards(players: int) -> None:
    table = dealt(Rules(players))
    assert table.game.players(table.state).tolist() == [players]
    assert (table.rules.colours, table.rules.cards) == (10, 110)
    assert (table.state["position"][0] == 0).sum() == 10


@pytest.mark.parametrize("players", [-1, 0, 1, 6, 2.0, True, "2"])
def test_1_1_other_numbers_of_riders_are_refused(players: Any) -> None:
    with pytest.raises(RulesError, match="players"):
        Rules(players)


def test_1_2_ten_colours_in_this_order() -> None:
    names = [
        "blue",
        "brown",
        "black",
        "red",
        "yellow",
        "green",
        "gray",
        "lightblue",
        "purple",
        "orange",
    ]
    assert [colour(Rules().card_text(5 * number)) for number in range(10)] == names
    assert [Rules().card(f"{name} 1") for name in names] == list(range(0, 50, 5))


def test_1_2_no_white_dragon_exists() -> None:
    with pytest.raises(ValueError, match="white"):
        Rules().card("white 1")


@EDITIONS
@PLAYERS
def test_1_3_each_colour_has_the_same_eleven_cards(players: int, edition: str) -> None:
    table = dealt(Rules(players, edition))
    cards = table.deck + table.covered
    for seat in range(players):
        cards += [*table.hand(seat), table.rides(seat)]
    for name in COLOURS:
        values = sorted(int(card.split()[1]) for card in cards if colour(card) == name)
        assert values == [1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5]


def test_1_4_a_board_has_two_sides() -> None:
    few, many = Board.side(2), Board.side(4)
    assert few == Board.side(3)
    assert many == Board.side(5)
    assert few.kinds == many.kinds  # they differ in the values only
    assert few.values != many.values
    assert [Rules(n).board for n in (2, 3, 4, 5)] == [few, few, many, many]


@pytest.mark.parametrize("board", [Board.side(2), Board.side(4), Board.random(7)])
def test_1_5_the_track(board: Board) -> None:
    assert (board.kinds[0], board.values[0]) == ("start", 0)
    assert board.kinds[-4:] == ("summit",) * 4
    kinds = Counter(board.kinds)
    assert (kinds["start"], kinds["blue"], kinds["green"], kinds["summit"]) == (1, 4, 3, 4)
    assert set(board.values) <= set(range(-2, 9))


@pytest.mark.parametrize("players", [2, 4])
def test_1_5_values_run_from_minus_2_to_8(players: int) -> None:
    values = Board.side(players).values
    assert (min(values), max(values)) == (-2, 8)


@pytest.mark.parametrize(
    ("spaces", "message"),
    [
        ("1 start, 1 plain, 1 summit", "value 0"),
        ("0 plain, 1 plain, 1 summit", "start"),
        ("0 start, 0 start, 1 summit", "start"),
        ("0 start, 1 summit, 1 plain", "after the summit"),
        ("0 start, 1 summit, 1 summit", "path spaces"),
        ("0 start, 1 plain, 1 plain", "ends on the summit"),
        ("0 start, 1 red, 1 summit", "kind"),
        ("0 start, 1.5 plain, 1 summit", "whole number"),
    ],
)
def test_1_5_other_tracks_are_refused(spaces: str, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        Board.parse("drago-board/1\n" + spaces.replace(", ", "\n"))


@pytest.mark.parametrize("name", ["riders-2-3.txt", "riders-4-5.txt"])
def test_1_6_the_built_in_values_are_called_a_reconstruction(name: str) -> None:
    text = (resources.files("drago_env.mount_drago") / "boards" / name).read_text("utf-8")
    assert "reconstruction" in text


def test_1_6_a_board_is_data_that_can_be_replaced(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("drago-board/1\n0 start\n8 blue # a comment\n-7 green\n3 summit\n")
    own = Board.read(file)
    assert own == Board((0, 8, -7, 3), ("start", "blue", "green", "summit"))
    assert Board.parse(own.text()) == own
    assert dealt(Rules(board=own)).rules.board == own
    table = at({"green": 2}, ["red 1"], board=", ".join(f"{v} {k}" for v, k in own.pairs()))
    assert table.act("play red 1") == [0, -7]


# ---------------------------------------------------------------- set-up


@EDITIONS
@PLAYERS
def test_2_1_all_dragons_on_the_start_and_all_scores_0(players: int, edition: str) -> None:
    table = dealt(Rules(players, edition))
    assert [table.space(name) for name in COLOURS] == [0] * 10
    assert table.scores == [0] * players
    assert table.turn == "seat 0, play"


@EDITIONS
@PLAYERS
def test_2_2_six_cards_and_a_face_up_card_of_an_own_colour(players: int, edition: str) -> None:
    for seed in range(20):
        table = dealt(Rules(players, edition), seed)
        assert [len(table.hand(seat)) for seat in range(players)] == [6] * players
        assert len({colour(table.rides(seat)) for seat in range(players)}) == players
        assert len(table.deck) + len(table.covered) == 110 - 7 * players


@PLAYERS
def test_2_2_german_puts_nothing_aside(players: int) -> None:
    for seed in range(20):
        assert dealt(Rules(players), seed).covered == []


def test_2_2_german_face_up_cards_may_be_any() -> None:
    tops = {dealt(Rules(5), seed).rides(seat) for seed in range(80) for seat in range(5)}
    assert len(tops) == 50


def test_2_2_italian_discards_the_colours_that_another_shows() -> None:
    rejected = 0
    for seed in range(20):
        table = dealt(Rules(5, "italian"), seed)
        # the last rider's colour was never in the way of another
        shown = {colour(table.rides(seat)) for seat in range(4)}
        assert {colour(card) for card in table.covered} <= shown
        rejected += len(table.covered)
    assert rejected > 0


def test_2_2_another_seed_deals_other_cards() -> None:
    state = MountDrago().new(range(20))
    assert len({row.tobytes() for row in state}) == 20
    assert MountDrago().new(7).tobytes() == MountDrago().new(7).tobytes()


@EDITIONS
@PLAYERS
def test_2_3_seat_0_begins_then_clockwise(players: int, edition: str) -> None:
    table = dealt(Rules(players, edition))
    for turn in range(2 * players + 1):
        assert table.game.current_player(table.state).tolist() == [turn % players]
        table.act(min(table.legal))


# ---------------------------------------------------------------- sizes


def test_11_the_sizes_are_parameters() -> None:
    rules = Rules(3, "italian", Board.tiny(), 4, (5, 4, 3), hand=3, summit_dragons=1)
    table = dealt(rules)
    assert (rules.cards, rules.card_kinds, rules.num_actions) == (48, 12, 37)
    assert [len(table.hand(seat)) for seat in range(3)] == [3, 3, 3]
    cards = Counter(table.deck + table.covered + [table.rides(seat) for seat in range(3)])
    for seat in range(3):
        cards += Counter(table.hand(seat))
    copies = {f"{name} {value}": 6 - value for name in COLOURS[:4] for value in (1, 2, 3)}
    assert cards == Counter(copies)
    assert table.game.action_text(36) == "done discarding"
    assert table.game.action_text(12 + 11) == "play red 3 and keep"


def test_11_the_track_and_its_summit_are_parameters() -> None:
    path = ", ".join(["1 plain"] * 61)
    table = at({"blue": 61, "green": 1}, ["blue 5"], board=f"0 start, {path}, 2 summit, 9 summit")
    assert table.act("play blue 5") == [9, 1]
    assert table.space("blue") == 63  # the last of 64 spaces


@pytest.mark.parametrize("ends", [1, 2, 4])
def test_11_the_number_of_dragons_that_end_the_game_is_a_parameter(ends: int) -> None:
    up = dict.fromkeys(COLOURS[: ends - 1], 12)
    table = at(up | {"orange": 11}, ["orange 1", "gray 1"], summit_dragons=ends)
    table.act("play orange 1")
    assert table.turn == "seat 0, over"


def test_11_the_3_of_a_minor_scoring_is_no_parameter() -> None:
    tiny: dict[str, Any] = {"board": TINY, "colours": 3, "copies": "3 3", "hand": 2}
    for space, points in ((3, 3), (4, 2), (5, -1), (6, 0)):
        dragons = {"blue": 1, "brown": space}
        table = at(dragons, ["blue 1", "black 1"], ["blue 2", "brown 1"], **tiny)
        assert table.act("play blue 1") == [2, points]


def test_11_the_tiny_game() -> None:
    for tiny in (Rules.tiny(), Rules.tiny(3), Rules.tiny(2, "italian")):
        sizes = (tiny.colours, tiny.copies, tiny.hand, tiny.summit_dragons)
        assert sizes == (3, (3, 3), 2, 2)
        assert ", ".join(f"{value} {kind}" for value, kind in tiny.board.pairs()) == TINY
    dragons = {"blue": 6, "brown": 5}
    table = at(
        dragons,
        ["brown 2, black 1", "brown 1"],
        ["blue 1", "black 2"],
        board=TINY,
        colours=3,
        copies="3 3",
        hand=2,
        summit_dragons=2,
    )
    # black is ridden and last of the three; seven colours that do not exist are not
    assert table.legal == {"play brown 2", "play black 1"}
    assert table.act("play brown 2") == [5, 0]
    assert table.turn == "seat 0, over"


def test_11_last_place_is_among_the_colours_of_the_rules() -> None:
    tiny: dict[str, Any] = {"board": TINY, "colours": 3, "copies": "3 3", "hand": 2}
    table = at({"brown": 1}, ["black 1, brown 1", "blue 1"], ["blue 2", "brown 2"], **tiny)
    assert table.legal == {"play black 1", "play black 1 and keep", "play brown 1"}


def test_11_a_track_of_more_than_64_spaces_is_refused() -> None:
    def track(spaces: int) -> Board:
        return Board((0,) * spaces, ("start", *["plain"] * (spaces - 2), "summit"))

    assert len(track(64)) == 64
    with pytest.raises(BoardError, match="clause 11"):
        track(65)
    with pytest.raises(BoardError, match="clause 11"):
        Board.parse(track(64).text() + "0 summit\n")


def test_11_more_players_than_colours_are_refused() -> None:
    assert dealt(Rules(4, colours=4)).rules.players == 4
    with pytest.raises(RulesError, match=r"5 players need as many colours.*clause 11"):
        Rules(5, colours=4)


def test_11_too_few_cards_are_refused() -> None:
    table = dealt(Rules(3, colours=3, copies=(4, 3), hand=6))  # just enough
    assert table.deck == []
    table.act(min(table.legal))
    with pytest.raises(RulesError, match=r"need 21 cards, not 18.*clause 11"):
        Rules(3, colours=3, copies=(3, 3), hand=6)


def test_11_an_italian_set_up_that_could_run_dry_is_refused() -> None:
    for seed in range(20):
        dealt(Rules(2, "italian", colours=3, copies=(3, 3), hand=5), seed)  # 8 left, 6 in the way
    Rules(2, "german", colours=3, copies=(3, 3), hand=6)
    with pytest.raises(RulesError, match=r"run dry.*clause 11"):
        Rules(2, "italian", colours=3, copies=(3, 3), hand=6)  # 6 left, 6 in the way
    with pytest.raises(RulesError, match=r"run dry.*clause 11"):
        Rules.tiny(3, "italian")  # 12 left, 12 in the way


@pytest.mark.parametrize(
    "wrong",
    [
        {"colours": 11},
        {"colours": 0},
        {"copies": ()},
        {"copies": (0, 3)},
        {"copies": (1, 1, 1, 1, 1, 1)},
        {"copies": (12,)},
        {"copies": 3},
        {"hand": 0},
        {"hand": 7},
        {"summit_dragons": 0},
        {"summit_dragons": 11},
        {"edition": "french"},
        {"board": "board.txt"},
    ],
    ids=str,
)
def test_11_other_sizes_are_refused_by_name(wrong: dict[str, Any]) -> None:
    name = next(iter(wrong))
    with pytest.raises(RulesError, match=f"{name}|card"):
        Rules(**wrong)


def test_11_a_batch_has_one_size() -> None:
    with pytest.raises(RulesError, match="equal sizes"):
        MountDrago(Rules(), Rules(hand=5))
    mixed = MountDrago(Rules(2), Rules(5, "italian"))
    assert mixed.players(mixed.new(np.arange(4), [0, 1, 1, 0])).tolist() == [2, 5, 5, 2]
