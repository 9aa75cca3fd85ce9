"""Games at rest: state files and position texts come back exactly, damaged ones never."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drago_env import MountDrago, Rules, position, storage
from drago_env.game import State
from drago_env.mount_drago import state as phases
from drago_env.mount_drago.state import STATE
from drago_env.mount_drago.storage import StateError
from tests.mount_drago.games import (
    ALL_RULES,
    SCARCE,
    STANDARD,
    TINY,
    along,
    find,
    hand_of,
    name,
    picked,
    play,
)

BATCHES = {"standard": STANDARD, "tiny": TINY, "scarce": SCARCE}
EMPTY = 255


def batch(rules: tuple[Rules, ...], games: int = 60) -> tuple[MountDrago, range, list[int]]:
    return MountDrago(*rules), range(games), [i % len(rules) for i in range(games)]


# ---------------------------------------------------------------- soundness


@pytest.mark.parametrize("kind", BATCHES)
def test_every_state_of_random_games_is_sound(kind: str) -> None:
    game, seeds, variants = batch(BATCHES[kind])
    for state in along(game, seeds, variants):
        storage.check(game, state)


def test_equal_games_are_equal_bytes() -> None:
    """A record without gaps: numpy leaves gaps as they are when it copies rows."""
    fields = [STATE.fields[field][0].itemsize for field in STATE.names]  # type: ignore[index,union-attr]
    assert sum(fields) == STATE.itemsize


# ---------------------------------------------------------------- state files


@pytest.mark.parametrize("kind", BATCHES)
def test_saved_games_go_on_bit_by_bit(kind: str, tmp_path: Path) -> None:
    game, seeds, variants = batch(BATCHES[kind], 20)
    rng = np.random.default_rng(2)
    path = tmp_path / "games.npz"
    discarding = 0
    for move, state in enumerate(along(game, seeds, variants)):
        if move % 4 == 3:
            storage.save(path, game, state)
            other, loaded = storage.load(path)
            assert other.rules == game.rules
            assert (loaded == state).all()
            discarding += int((state["phase"] == phases.DISCARD).sum())
            going = state.copy()
            for _ in range(10):
                actions = picked(game, going, rng)
                paid, again = game.step(going, actions), other.step(loaded, actions)
                assert (going == loaded).all()
                assert (paid.points == again.points).all()
                assert (paid.rewards == again.rewards).all()
    assert discarding > 0
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("rules", SCARCE[:2], ids=name)
def test_game_saved_in_a_discard_step(rules: Rules, tmp_path: Path) -> None:
    state = find(rules, phases.DISCARD)
    storage.save(tmp_path / "games.npz", MountDrago(rules, reward="rank"), state)
    game, loaded = storage.load(str(tmp_path / "games.npz"))
    assert (loaded == state).all()
    assert game.reward == "rank"
    assert game.step(loaded, [3 * rules.card_kinds]).points.sum() == 0


def test_missing_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        storage.load(tmp_path / "games.npz")


def test_batch_without_games_can_be_saved(tmp_path: Path) -> None:
    storage.save(tmp_path / "games.npz", MountDrago(), MountDrago().new([]))
    assert len(storage.load(tmp_path / "games.npz")[1]) == 0


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A tiny game at some move."""
    played = play(TINY[0])
    storage.save(tmp_path / "games.npz", played.game, played.states[4])
    return tmp_path / "games.npz"


def test_truncated_file_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for size in [*range(0, len(whole), 23), len(whole) - 1]:
        saved.write_bytes(whole[:size])
        with pytest.raises(StateError):
            storage.load(saved)


def test_flipped_byte_is_refused_or_harmless(saved: Path) -> None:
    """The archive has bytes that mean nothing, such as dates; nothing else gets through."""
    whole, state = saved.read_bytes(), storage.load(saved)[1]
    headers = [*range(100), *range(len(whole) - 200, len(whole))]
    crashes = []
    for place in sorted({*headers, *range(0, len(whole), 11)}):
        for bits in (0x01, 0xFF):
            saved.write_bytes(whole[:place] + bytes([whole[place] ^ bits]) + whole[place + 1 :])
            try:
                assert (storage.load(saved)[1] == state).all()
            except StateError:
                continue
            except Exception as error:
                crashes.append((place, bits, repr(error)))
    assert crashes == []


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", b"\x80\x04N.", b"\x93NUMPY"])
def test_file_of_another_kind_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"games\.npz"):
        storage.load(path)


def test_plain_array_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "games.npz").open("wb") as file:
        np.save(file, MountDrago().new(0))
    with pytest.raises(StateError, match=r"games\.npz"):
        storage.load(tmp_path / "games.npz")


def rebuilt(path: Path, **changes: Any) -> None:
    """Loads the file, lets each change make a new array of the old one, and saves it again."""
    with np.load(path) as file:
        arrays = {key: changes.get(key, lambda array: array)(file[key]) for key in file}
    with path.open("wb") as out:
        np.savez(out, **{key: array for key, array in arrays.items() if array is not None})


def about(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda array: np.array(json.dumps(change(json.loads(str(array)))))


def dropped(key: str) -> Callable[[Any], Any]:
    return about(lambda told: {k: v for k, v in told.items() if k != key})


BAD_FILES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "no about": {"about": lambda array: None},
    "no state": {"state": lambda array: None},
    "pickled about": {"about": lambda array: array.astype(object)},
    "pickled state": {"state": lambda array: array.astype(object)},
    "about no text": {"about": lambda array: np.array(5)},
    "about no json": {"about": lambda array: np.array("{")},
    "about a list": {"about": about(lambda told: [told])},
    "other format": {"about": about(lambda told: {**told, "format": "drago-state/2"})},
    "no format": {"about": dropped("format")},
    "no rules": {"about": dropped("rules")},
    "empty rules": {"about": about(lambda told: {**told, "rules": []})},
    "rules a number": {"about": about(lambda told: {**told, "rules": 5})},
    "rules of text": {"about": about(lambda told: {**told, "rules": ["german"]})},
    "one number missing": {
        "about": about(lambda told: {**told, "rules": [{**told["rules"][0], "hand": None}]})
    },
    "unknown number": {
        "about": about(lambda told: {**told, "rules": [{**told["rules"][0], "dice": 2}]})
    },
    "no board": {"about": about(lambda told: {**told, "rules": [{"players": 2}]})},
    "no reward": {"about": dropped("reward")},
    "unknown reward": {"about": about(lambda told: {**told, "reward": "gold"})},
    "reward a list": {"about": about(lambda told: {**told, "reward": []})},
    "2-D": {"state": lambda array: array[:, None]},
    "one record": {"state": lambda array: array[0]},
    "numbers": {"state": lambda array: np.zeros(1)},
    "fewer fields": {"state": lambda array: array[["rng", "score"]].copy()},
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_edited_file_is_refused(saved: Path, kind: str) -> None:
    rebuilt(saved, **BAD_FILES[kind])
    with pytest.raises(StateError, match=r"games\.npz"):
        storage.load(saved)


# ---------------------------------------------------------------- edited states


def put(field: str, value: Any, *index: Any) -> Callable[[State], None]:
    def edit(state: State) -> None:
        state[field][(0, *index)] = value

    return edit


def swap_hand(state: State) -> None:
    state["hand"][0, 0, :2] = [17, 0]


def move_hand_to_deck(seat: int) -> Callable[[State], None]:
    """A rider without a card; every card is still there."""

    def edit(state: State) -> None:
        size, deck = int(state["hand_size"][0, seat]), int(state["deck_size"][0])
        state["deck"][0, deck : deck + size] = state["hand"][0, seat, :size]
        state["deck_size"] += size
        state["hand"][0, seat] = EMPTY
        state["hand_size"][0, seat] = 0

    return edit


def same_dragon(state: State) -> None:
    """Takes a card of the other rider's colour from the deck on top, and puts the top there."""
    colour = int(state["top"][0, 1]) // 3
    place = int(np.flatnonzero(state["deck"][0] // 3 == colour)[0])
    state["deck"][0, place], state["top"][0, 0] = state["top"][0, 0], state["deck"][0, place]


PLAY_EDITS: dict[str, tuple[Callable[[State], None], str]] = {
    "one player": (put("players", 1), "players must be from 2 to 5"),
    "six players": (put("players", 6), "players must be from 2 to 5"),
    "another player": (put("players", 4), "."),
    "edition": (put("edition", 2), "edition"),
    "board": (put("board", 9), "board"),
    "phase": (put("phase", 7), "step of the turn"),
    "seat": (put("seat", 3), "seat"),
    "hand size": (put("hand_size", 5, 0), "a hand holds 0 to 4 cards"),
    "seat without rider": (put("hand_size", 1, 4), "a hand holds"),
    "unsorted": (swap_hand, "sorted"),
    "no such card": (put("hand", 18, 0, 3), "a card in a hand does not exist"),
    "card duplicated": (put("top", 0, 2), "the cards do not add up"),
    "covered card too many": (put("pile", 9, 0), "do not add up"),
    "card lost": (put("deck_size", 0), "an unused slot of the deck"),
    "deck too large": (put("deck_size", 111), "the deck is too large"),
    "rubbish after the deck": (put("deck", 0, 109), "an unused slot of the deck"),
    "no such top": (put("top", 18, 0), "a top card does not exist"),
    "too many drawn": (put("drawn_size", 5), "too many cards were drawn"),
    "same dragon": (same_dragon, "two riders ride the same dragon"),
    "beyond the board": (put("position", 28, 0), "beyond the last space"),
    "nowhere": (put("position", EMPTY, 0), "beyond the last space"),
    "dragon without colour": (put("position", 0, 9), "no colour"),
    "summit": (put("summit", 3), "miscounted"),
    "over": (put("phase", 2), "over"),
    "discard step": (put("phase", 1), "nothing can be discarded"),
    "discarded": (put("discarded", 1), "outside a discard step"),
    "own hand empty": (move_hand_to_deck(0), "without a card"),
    "other hand empty": (move_hand_to_deck(1), "without a card"),
    "score of nobody": (put("score", 1, 4), "nobody"),
}


@pytest.mark.parametrize("kind", PLAY_EDITS)
def test_edited_state_is_refused(kind: str, tmp_path: Path) -> None:
    played = play(SCARCE[2])
    state = played.states[6].copy()
    edit, words = PLAY_EDITS[kind]
    state["seat"] = 0
    storage.check(played.game, state)
    edit(state)
    with pytest.raises(StateError, match=f"row 0: .*{words}"):
        storage.check(played.game, state)
    storage.save(tmp_path / "games.npz", played.game, state)
    with pytest.raises(StateError, match=rf"games\.npz, row 0: .*{words}"):
        storage.load(tmp_path / "games.npz")


@pytest.mark.parametrize("rules", SCARCE[:2], ids=name)
def test_more_discarded_than_the_hand_lacks_is_refused(rules: Rules) -> None:
    """The draw that follows would not fit into the hand."""
    state = find(rules, phases.DISCARD)
    state["discarded"] = rules.hand - len(hand_of(state)) + 1
    with pytest.raises(StateError):
        storage.check(MountDrago(rules), state)


def test_first_bad_row_is_named() -> None:
    game = MountDrago()
    state = game.new(range(10))
    state["phase"][[7, 4]] = 7
    with pytest.raises(StateError, match="row 4: "):
        storage.check(game, state)


# ---------------------------------------------------------------- position texts


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_position_text_round_trip(rules: Rules) -> None:
    played = play(rules, 3)
    for state in played.states[:: 3 if rules.cards > 20 else 1] + played.states[-1:]:
        text = position.write(played.game, state)
        game, again = position.read(text)
        assert game.rules == (rules,)
        assert (again == state).all()
        assert position.write(game, again) == text


def text_of(phase: int = phases.PLAY) -> str:
    return position.write(MountDrago(SCARCE[2]), find(SCARCE[2], phase))


def test_lines_may_stand_in_any_order_with_comments() -> None:
    text = text_of(phases.DISCARD)
    first, *rest = text.splitlines()
    rest = [rest[i] for i in np.random.default_rng(6).permutation(len(rest))]
    mixed = "\n\n".join(["# a puzzle", first, "# below", *rest])
    assert (position.read(mixed)[1] == position.read(text)[1]).all()


def test_short_text_takes_the_other_cards_as_the_deck() -> None:
    text = text_of()
    short = [
        line
        for line in text.splitlines()
        if line.partition(":")[0] not in ("deck", "drawn", "chance")
    ]
    state, whole = position.read("\n".join(short))[1], position.read(text)[1]
    assert (np.sort(state["deck"]) == np.sort(whole["deck"])).all()
    assert state["rng"][0] == state["drawn_size"][0] == 0


def with_line(key: str, rest: str) -> str:
    lines = text_of().splitlines()
    return "\n".join(f"{key}: {rest}" if line.startswith(key + ":") else line for line in lines)


def without(key: str) -> str:
    return "\n".join(line for line in text_of().splitlines() if not line.startswith(key + ":"))


BLUE = ", ".join(["blue 1"] * 5)
BAD_TEXTS: dict[str, tuple[str, str]] = {
    "empty": ("", "drago-position/1"),
    "first line": (text_of().replace("/1", "/2", 1), "drago-position/1"),
    "no colon": (text_of() + "hello", "line 16: .*hello"),
    "twice": (text_of() + "deck: ", "line 16: .*deck"),
    "unknown key": (text_of() + "dice: 3", "line 16: unknown key 'dice'"),
    "unknown seat": (text_of() + "seat 3: 0 points, rides blue 1", "line 16: .*seat 3"),
    **{
        f"no {key}": (without(key), f"'{key}: ...' is missing")
        for key in ("rules", "board", "turn", "dragons", "seat 1", "hand 2")
    },
    "rules": (with_line("rules", "german"), "line 2: .*'german'"),
    "players": (text_of().replace("3 players", "6 players"), "line 2: .* from 2 to 5, not 6"),
    "board words": (with_line("board", "0 start, blue 3"), "line 3: .*blue 3"),
    "board": (with_line("board", "0 start, 3 blue, 4 plain"), "line 3: .*summit"),
    "huge board value": (with_line("board", f"0 start, {10**30} blue, 4 summit"), "line 3: .*50"),
    "turn": (with_line("turn", "seat 0, sleep"), "line 4: .*sleep"),
    "turn seat": (with_line("turn", "seat 7, play"), "no such seat"),
    "dragon missing": (with_line("dragons", "blue 3"), "line 5: .*one space for each of blue"),
    "dragon": (with_line("dragons", "blue three"), "line 5: .*blue three"),
    "dragon twice": (with_line("dragons", text_of().splitlines()[4][9:] + ", blue 3"), "line 5: "),
    "dragon beyond": (
        with_line("dragons", "blue 99, brown 0, black 0, red 0, yellow 0, green 0"),
        "line 5: the last space is 27",
    ),
    "seat": (with_line("seat 0", "many points"), "line 6: .*many points"),
    "seat top": (with_line("seat 0", "3 points, rides white 1"), "line 6: .*white 1"),
    "points": (with_line("seat 0", f"{10**30} points, rides blue 1"), "line 6: "),
    "hand card": (with_line("hand 0", "blue 9"), "line 7: 'blue 9' is no card"),
    "hand too large": (with_line("hand 0", BLUE + ", blue 1, blue 2"), "line 7|hand 0"),
    "cards": (with_line("covered", BLUE), "the cards do not add up"),
    "covered wraps": (with_line("covered", ", ".join(["blue 1"] * 256)), "line 12|add up"),
    "drawn too many": (with_line("drawn", BLUE + ", red 1, red 2"), "line 14|drawn"),
    "deck too many": (with_line("deck", ", ".join(["blue 1"] * 200)), "line 13|deck"),
    "chance word": (with_line("chance", "heads"), "line 15: .*heads"),
    "chance too large": (with_line("chance", hex(2**64)), "line 15|chance"),
    "chance negative": (with_line("chance", "-1"), "line 15|chance"),
}


@pytest.mark.parametrize("kind", BAD_TEXTS)
def test_bad_position_text_is_refused_with_its_line_or_key(kind: str) -> None:
    text, words = BAD_TEXTS[kind]
    with pytest.raises(StateError, match=words):
        position.read(text)


def test_a_position_tells_the_most_points_that_a_board_can_bring() -> None:
    game = MountDrago()
    state = game.new(0)
    state["score"][0, :2] = (31_500, -31_500)
    assert (position.read(position.write(game, state))[1]["score"] == state["score"]).all()
