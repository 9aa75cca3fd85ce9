"""Boards: the file format, the built-in sides, random boards, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drago_env import Board, BoardError

HEAD = "drago-board/1\n"
SMALL = HEAD + " 0 start\n 3 blue\n 5 summit\n"
KINDS = ("start", "plain", "summit")


def board(values: Any, kinds: Any = KINDS) -> Board:
    return Board(values, kinds)


# ---------------------------------------------------------------- the file format


@pytest.mark.parametrize(
    "made", [Board.side(2), Board.side(5), Board.tiny(), *map(Board.random, range(5))]
)
def test_file_round_trip(made: Board, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(made.text(), encoding="utf-8")
    assert Board.read(path) == Board.read(str(path)) == made
    assert Board.from_pairs(made.pairs()) == made
    assert hash(Board.read(path)) == hash(made)


def test_comments_blank_lines_signs_and_windows_line_ends_are_fine() -> None:
    text = SMALL.replace(" 3 blue", "# path\n\n +3   blue # here").replace("\n", "\r\n")
    assert Board.parse(text) == Board.parse(SMALL)


BAD_TEXTS = {
    "empty": ("", 1, "drago-board/1"),
    "first line": ("0 start\n", 1, "drago-board/1"),
    "other version": (SMALL.replace("/1", "/2"), 1, "drago-board/1"),
    "one word": (HEAD + "0 start\n3\n5 summit", 3, "a value and a kind"),
    "three words": (HEAD + "0 start\n3 blue x\n5 summit", 3, "a value and a kind"),
    "word": (HEAD + "0 start\nthree blue\n5 summit", 3, "whole number"),
    "nan": (HEAD + "0 start\nnan blue\n5 summit", 3, "whole number"),
    "inf": (HEAD + "0 start\n-inf blue\n5 summit", 3, "whole number"),
    "half": (HEAD + "0 start\n3.5 blue\n5 summit", 3, "whole number"),
    "kind": (HEAD + "0 start\n3 blue\n5 sumit", 4, "'sumit'"),
    "kind case": (HEAD + "0 start\n3 Blue\n5 summit", 3, "'Blue'"),
    "start not first": (HEAD + "3 blue\n0 start\n5 summit", 2, "first space"),
    "two starts": (HEAD + "0 start\n0 start\n5 summit", 3, "first space"),
    "start value": (HEAD + "1 start\n3 blue\n5 summit", 2, "value 0"),
    "summit in the middle": (HEAD + "0 start\n1 blue\n5 summit\n1 plain\n5 summit", 5, "1.5"),
    "no summit": (HEAD + "0 start\n1 blue\n1 plain", 4, "ends on the summit"),
    "no path": (HEAD + "0 start\n1 summit\n1 summit", 4, "path spaces"),
    "start alone": (HEAD + "0 start", 2, "3 to 64 spaces"),
    "nothing": (HEAD, 1, "3 to 64 spaces"),
    "too many": (HEAD + "0 start\n" + 64 * "1 plain\n" + "1 summit", 66, "64 spaces"),
    "high value": (HEAD + "0 start\n51 blue\n5 summit", 3, "-50 to 50, not 51"),
    "low value": (HEAD + "0 start\n-51 blue\n5 summit", 3, "-50 to 50, not -51"),
    "huge value": (HEAD + f"0 start\n{10**30} blue\n5 summit", 3, "-50 to 50"),
    "endless value": (HEAD + f"0 start\n{'9' * 5000} blue\n5 summit", 3, "value"),
}


@pytest.mark.parametrize(("text", "line", "words"), BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_bad_text_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(BoardError) as refusal:
        Board.parse(text, "mine.txt")
    assert f"mine.txt, line {line}:" in str(refusal.value)
    assert words in str(refusal.value)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\x00\xff", b"\x00" * 64])
def test_file_that_is_no_board_is_refused_with_its_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(content)
    with pytest.raises(BoardError, match=r"mine\.txt"):
        Board.read(path)


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_path_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="cannot read the board file"):
        Board.read(tmp_path / name)


# ---------------------------------------------------------------- boards as data


@pytest.mark.parametrize(
    "value", [float("nan"), np.nan, float("inf"), 2.5, None, "3", True, [3], 51, -51, 10**30, 1j]
)
def test_bad_value_is_refused(value: Any) -> None:
    with pytest.raises(BoardError, match="space 1: the value must be"):
        board((0, value, 5))


@pytest.mark.parametrize("kind", ["sumit", "", None, 3, ["blue"]])
def test_bad_kind_is_refused(kind: Any) -> None:
    with pytest.raises(BoardError, match="space 1: the kind must be one of start, plain, blue"):
        board((0, 1, 5), ("start", kind, "summit"))


def test_values_and_kinds_must_be_equally_many() -> None:
    with pytest.raises(BoardError, match="4 values and 3 kinds"):
        board((0, 1, 2, 5))


@pytest.mark.parametrize("pairs", [None, 5, "0 start", [[0, "start", 1]], [0], {"0": "start"}])
def test_bad_pairs_are_refused(pairs: Any) -> None:
    with pytest.raises(BoardError, match=r"a list of \[value, kind\]"):
        Board.from_pairs(pairs)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16])
def test_numpy_numbers_are_fine(kind: Any) -> None:
    made = board(tuple(map(kind, (0, 1, 5))))
    assert made == board((0, 1, 5))
    assert hash(made) == hash(board((0, 1, 5)))
    assert all(type(value) is int for value in made.values)


def test_lists_make_the_same_board_as_tuples() -> None:
    made = board([0, 1, 5], list(KINDS))
    assert made == board((0, 1, 5))
    assert hash(made) == hash(board((0, 1, 5)))


def test_longest_and_shortest_tracks() -> None:
    longest = Board((0, *[1] * 63), ("start", *["plain"] * 62, "summit"))
    assert (len(longest), longest.last, longest.summit) == (64, 63, 63)
    assert len(board((0, -50, 50))) == 3


# ---------------------------------------------------------------- built-in and random boards


def keeps_clause_1_5(made: Board) -> bool:
    path = made.kinds[1 : made.summit]
    return (
        made.values[0] == 0
        and all(-2 <= value <= 8 for value in made.values)
        and made.kinds[-4:] == ("summit",) * 4
        and "summit" not in path
        and path.count("blue") == 4
        and path.count("green") == 3
        and path.count("plain") == len(path) - 7
    )


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_built_in_sides_keep_clause_1_5(players: int) -> None:
    assert keeps_clause_1_5(Board.side(players))


def test_built_in_sides_keep_clause_1_4() -> None:
    small, large = Board.side(2), Board.side(4)
    assert small == Board.side(3)
    assert large == Board.side(5)
    assert small.values != large.values
    assert small.kinds == large.kinds


def test_tiny_board_is_that_of_clause_11() -> None:
    kinds = ("start", "plain", "blue", "plain", "green", "plain", "summit", "summit")
    assert Board.tiny() == Board((0, 1, 2, 3, 2, -1, 4, 5), kinds)


def test_random_boards_keep_clause_1_5_and_differ() -> None:
    boards = [Board.random(seed) for seed in range(200)]
    assert all(keeps_clause_1_5(made) for made in boards)
    assert {len(made) for made in boards} == {len(Board.side(2))}
    assert len(set(boards)) == 200
    assert boards == [Board.random(seed) for seed in range(200)]


@pytest.mark.parametrize("spaces", [12, 13, 40, 64])
def test_random_boards_of_other_lengths(spaces: int) -> None:
    made = Board.random(1, spaces)
    assert len(made) == spaces
    assert keeps_clause_1_5(made)


@pytest.mark.parametrize("spaces", [11, 65, 0, -5])
def test_random_board_of_impossible_length_is_refused(spaces: int) -> None:
    with pytest.raises(BoardError, match=f"12 to 64 spaces, not {spaces}"):
        Board.random(1, spaces)


def test_random_board_is_pinned() -> None:
    """A seed names the same board for ever, in every Python."""
    path = ["green", "green", "blue", "plain", "blue", "green", "blue", "blue", "plain"]
    values = (0, 3, 2, 6, 8, 1, 5, 3, 6, 8, 0, 6, 3, 5)
    assert Board.random(2024, 14) == Board(values, ("start", *path, *["summit"] * 4))
