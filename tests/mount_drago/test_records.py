"""Records: written, read, replayed and viewed; whatever breaks a rule is refused in words."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drago_env import Rules, record, storage
from drago_env.game import State
from drago_env.mount_drago.record import Record, RecordError
from tests.mount_drago.games import (
    ALL_RULES,
    SCARCE,
    STANDARD,
    TINY,
    Edit,
    act,
    below_summit,
    extra_move,
    hand_of,
    missing_card,
    name,
    no_choice,
    not_in_deck,
    paths,
    picked,
    play,
    put,
    set_at,
)

GERMAN, ITALIAN = SCARCE[2], SCARCE[3]  # three riders, many discards and reshuffles
PUBLIC = [
    *("position", "score", "hand", "hand_size", "top", "pile", "deck_size"),
    *("players", "edition", "seat", "phase", "summit", "discarded"),
]


def assert_same(state: State, other: State) -> None:
    """The same game; the order of the deck and the generator are the engine's own."""
    for field in PUBLIC:
        assert (state[field] == other[field]).all(), field
    assert (np.sort(state["deck"]) == np.sort(other["deck"])).all()


def refusal(made: Any) -> str:
    with pytest.raises(RecordError) as error:
        record.verify(made)
    return str(error.value)


# ---------------------------------------------------------------- sound records


def test_whole_and_running_games_verify() -> None:
    games = [play(rules, seed) for rules in ALL_RULES for seed in range(3)]
    whole = [played.record() for played in games]
    running = [played.record(len(played.actions) * k // 4) for played in games for k in range(4)]
    assert record.verify_all(whole + running) == [None] * 5 * len(games)
    for played, made in zip(games, whole, strict=True):
        n = played.game.rules[0].players
        assert made["scores"] == played.states[-1]["score"][0, :n].tolist()
        best = max(made["scores"])
        assert made["winners"] == [s for s in range(n) if made["scores"][s] == best]
    assert not any("scores" in made or "winners" in made for made in running)


def test_file_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [play(rules).record() for rules in ALL_RULES]
    record.write(path, records)
    assert record.read(path) == records
    assert len(path.read_text().splitlines()) == len(records)
    path.write_text("\n" + path.read_text().replace("\n", "\n\n"))  # blank lines are fine
    assert record.read(str(path)) == records
    record.write(path, [])
    assert record.read(path) == []


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    made = play(GERMAN).record(5)
    made["event"] = {"name": "Zürich", "round": [1, None]}
    made["moves"][2]["clock"] = 1.5
    record.write(tmp_path / "games.jsonl", [made])
    assert record.read(tmp_path / "games.jsonl") == [made]
    record.verify(made)
    assert record.view(made, 0)["event"] == made["event"]
    assert record.view(made, 0)["moves"][2]["clock"] == 1.5


def test_seed_and_riders_may_be_null() -> None:
    played = play(GERMAN)
    made = record.record(played.game, played.states[0], played.actions)
    assert made["seed"] is made["riders"] is None
    record.verify(made)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_replay_gives_the_states_of_the_engine(rules: Rules) -> None:
    played = play(rules, 1)
    made, total = played.record(), len(played.actions)
    frames = 0
    for frame in record.walk([made]):
        assert_same(frame.state, played.states[frame.move])
        frames += 1
    assert frames == total + 1
    for move in {0, 1, total // 3, total // 2, total - 1, total}:
        game, state = record.replay(made, move)
        assert game.rules == (rules,)
        assert_same(state, played.states[move])
    assert_same(record.replay(made)[1], played.states[-1])


@pytest.mark.parametrize("rules", [*STANDARD[:2], *TINY[:1], GERMAN, ITALIAN], ids=name)
def test_replayed_state_goes_on(rules: Rules) -> None:
    played, rng = play(rules, 2), np.random.default_rng(3)
    for move in (0, len(played.actions) // 2, len(played.actions) - 2):
        game, state = record.replay(played.record(), move)
        while not game.over(state)[0]:
            game.step(state, picked(game, state, rng))
            storage.check(game, state)


@pytest.mark.parametrize("rules", [STANDARD[0], ITALIAN], ids=name)
def test_replayed_state_is_sound_and_knows_what_was_drawn(rules: Rules) -> None:
    played = play(rules, 2)
    for move in range(0, len(played.actions) + 1, 7):
        game, state = record.replay(played.record(), move)
        assert (state["drawn_size"] == played.states[move]["drawn_size"]).all()
        assert (state["drawn"] == played.states[move]["drawn"]).all()
        storage.check(game, state)


@pytest.mark.parametrize("move", [-1, 1000])
def test_replay_beyond_the_record_is_refused(move: int) -> None:
    with pytest.raises(ValueError, match=f"the record has the moves 0 to .*, not {move}"):
        record.replay(play(GERMAN).record(), move)


def test_replay_refuses_a_wrong_move_only_when_it_comes_to_it() -> None:
    made = play(GERMAN).record()
    made["moves"][10]["deck"] += 1
    record.replay(made, 10)
    with pytest.raises(RecordError, match=r"move 10: .*clause 7"):
        record.replay(made, 11)


@pytest.mark.parametrize("actions", [[-1], [0.0], [151], [True]])
def test_record_of_impossible_actions_is_refused(actions: Any) -> None:
    played = play(STANDARD[0])
    with pytest.raises((ValueError, TypeError)):
        record.record(played.game, played.states[0], actions)


def test_record_is_of_one_game() -> None:
    game = play(STANDARD[0]).game
    with pytest.raises(ValueError, match="a record is of one game"):
        record.record(game, game.new([1, 2]), [])


# ---------------------------------------------------------------- views (clause 8)


@pytest.mark.parametrize("rules", [*STANDARD, GERMAN, ITALIAN], ids=name)
def test_view_hides_what_clause_8_hides(rules: Rules) -> None:
    made = play(rules).record()
    before = copy.deepcopy(made)
    for seat in range(rules.players):
        seen = record.view(made, seat)
        assert json.loads(json.dumps(seen)) == seen
        assert seen["seed"] is None
        for other, hand in enumerate(seen["start"]["hands"]):
            assert hand == (made["start"]["hands"][seat] if other == seat else rules.hand)
        for move, whole in zip(seen["moves"], made["moves"], strict=True):
            own = whole["seat"] == seat
            assert move == {**whole, "drawn": whole["drawn"] if own else len(whole["drawn"])}
        hidden = {"seed", "start", "moves"}
        assert {k: v for k, v in seen.items() if k not in hidden} == {
            k: v for k, v in made.items() if k not in hidden
        }
        assert "one seat's view, which hides cards" in refusal(seen)
    assert made == before


@pytest.mark.parametrize("seat", [-1, 3])
def test_view_of_an_unknown_seat_is_refused(seat: int) -> None:
    with pytest.raises(ValueError, match=f"seat must be from 0 to 2, not {seat}"):
        record.view(play(GERMAN).record(), seat)


# ---------------------------------------------------------------- wrong moves

DRAWS = 0  # the first move of these games draws a card
WRONG_MOVES: dict[str, tuple[Edit, str]] = {
    "seat": (set_at(3, "seat", lambda s: (s + 1) % 3), "clause 3"),
    "seat beyond": (set_at(3, "seat", lambda s: 3), "clause 3"),
    "not in hand": (act(0, missing_card), "clause 4.1"),
    "keep, not in hand": (act(0, lambda s, r: r.card_kinds + missing_card(s, r)), "clause 4.1"),
    "keep without choice": (act(0, no_choice), "clause 5.3"),
    "discard outside": (act(0, lambda s, r: 2 * r.card_kinds + hand_of(s)[0]), "clause 10.3"),
    "done outside": (act(0, lambda s, r: 3 * r.card_kinds), "clause 10.3"),
    "play twice": (act(1, lambda s, r: hand_of(s)[0]), "clause 3"),
    "discard below the summit": (act(1, below_summit), "clause 7.[12]"),
    "discard, not in hand": (
        act(1, lambda s, r: 2 * r.card_kinds + missing_card(s, r)),
        "clause 7.[12]",
    ),
    "no action": (set_at(2, "action", lambda a: 55), "clause 10"),
    "huge action": (set_at(2, "action", lambda a: 10**30), "clause 10"),
    "more points": (set_at(4, "points", lambda p: [p[0] + 1, *p[1:]]), "clause 6"),
    "padded points": (set_at(4, "points", lambda p: [*p, 0, 0]), "clause 6"),
    "no points": (set_at(4, "points", lambda p: []), "clause 6"),
    "one drawn too many": (set_at(DRAWS, "drawn", lambda d: [*d, 3]), "clause 7"),
    "none drawn": (set_at(DRAWS, "drawn", lambda d: []), "clause 7"),
    "drawn at the end": (set_at(-1, "drawn", lambda d: [3]), "clause 6.7"),
    "no such card": (set_at(DRAWS, "drawn", lambda d: [18]), "clause 1.3"),
    "huge card": (set_at(DRAWS, "drawn", lambda d: [10**30]), "clause 1.3"),
    "negative card": (set_at(DRAWS, "drawn", lambda d: [-1]), "clause 1.3"),
    "not in the deck": (not_in_deck(0, False), "is not in the deck .clause 7.3"),
    "not in the old deck": (not_in_deck(0, True), "is not in the deck .clause 7.3"),
    "not in the new deck": (not_in_deck(-1, True), "is not in the deck .clause 7.3"),
    "deck": (set_at(6, "deck", lambda n: n - 1), "clause 7"),
    "deck at the end": (set_at(-1, "deck", lambda n: n + 1), "clause 7"),
    "after the end": (extra_move, "over already .clause 6.7"),
}


@pytest.mark.parametrize("rules", [GERMAN, ITALIAN], ids=name)
@pytest.mark.parametrize("kind", WRONG_MOVES)
def test_wrong_move_is_refused_with_number_and_clause(rules: Rules, kind: str) -> None:
    edit, words = WRONG_MOVES[kind]
    for played in (play(rules, seed) for seed in range(20)):
        made = played.record()
        try:
            number = edit(made, played)
        except LookupError:  # not every game has such a move
            continue
        break
    assert re.search(rf"^move {number}: .*{words}", refusal(made))


# ---------------------------------------------------------------- wrong ends and deals


def false_winner(made: Record) -> None:
    made["winners"] = [(made["winners"][0] + 1) % 3]


WRONG: dict[str, tuple[Callable[[Record], Any], str]] = {
    "no scores": (lambda made: made.pop("scores"), r"the scores are .*clause 6\)"),
    "false scores": (put("scores", [1, 2, 3]), r"the scores are .*clause 6\)"),
    "no winners": (lambda made: made.pop("winners"), "the winners are .*6.8"),
    "false winners": (false_winner, "the winners are .*6.8"),
    "no winner": (put("winners", []), "the winners are .*6.8"),
    "not over": (lambda made: made["moves"].pop(), "scores are given but .*6.7"),
    "too many copies": (put("start", "hands", 0, [0, 0, 0, 0]), "more than there are .*1.3"),
    "equal tops": (put("start", "tops", [0, 1, 9]), "same colour .*2.2"),
    "short hand": (lambda made: made["start"]["hands"][1].pop(), "4 cards .*2.2"),
    "long hand": (lambda made: made["start"]["hands"][1].append(17), "4 cards .*2.2"),
    "no hand": (lambda made: made["start"]["hands"].pop(), "as many tops and hands .*2.2"),
    "more tops": (lambda made: made["start"]["tops"].append(17), "as many tops and hands .*2.2"),
    "unsorted hand": (lambda made: made["start"]["hands"][0].reverse(), "not sorted"),
    "no card": (put("start", "hands", 0, 3, 18), "18 is no card"),
    "discards": (put("start", "discard", [10]), "german edition .*2.2"),
    "format": (put("format", "mount-drago/2"), "format mount-drago/1"),
    "rules": (put("rules", "players", 6), "players must be from 2 to 5"),
    "board": (put("board", 3, [9, "red"]), "the kind must be"),
    "no path": (put("board", [[0, "start"], [1, "summit"], [2, "summit"]]), "path spaces"),
    "other size": (put("rules", "hand", 3), "each hand has 3 cards"),
    **{
        f"no {key}": (lambda made, key=key: made.pop(key), key)  # type: ignore[misc]
        for key in ("format", "rules", "board", "start", "moves")
    },
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_end_or_deal_is_refused(kind: str) -> None:
    made = play(GERMAN).record()
    edit, words = WRONG[kind]
    edit(made)
    assert re.search(words, refusal(made))


def test_italian_reject_of_a_colour_that_nobody_showed_is_refused() -> None:
    made = play(ITALIAN).record(0)
    made["start"]["tops"], made["start"]["discard"] = [0, 3, 6], [7]
    made["start"]["hands"] = [[9, 10, 11, 12], [9, 10, 11, 12], [13, 14, 15, 16]]
    assert re.search("nobody showed yet .*2.2", refusal(made))
    made["start"]["discard"] = [1, 4]
    record.verify(made)


def test_each_record_is_judged_by_itself() -> None:
    good = [play(rules).record() for rules in ALL_RULES]
    bad = [play(rules).record() for rules in ALL_RULES]
    for number, made in enumerate(bad):
        made["moves"][number % 5]["deck"] += 1
    mixed: list[Any] = [x for pair in zip(good, bad, strict=True) for x in pair]
    mixed += [None, {}, good[0], "moves"]
    faults = record.verify_all(mixed)
    assert faults[:-4:2] == [None] * len(good)
    for number, fault in enumerate(faults[1:-4:2]):
        assert fault is not None
        assert fault.startswith(f"move {number % 5}: ")
    assert [fault is None for fault in faults[-4:]] == [False, False, True, False]
    assert record.verify_all([]) == []


# ---------------------------------------------------------------- files and wrong types


def test_truncated_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record.write(path, [play(rules).record(3) for rules in TINY])
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    for cut in range(second + 1, whole.index(b"\n", second), 29):
        path.write_bytes(whole[:cut])
        with pytest.raises(RecordError, match=r"games\.jsonl, line 2: not a whole record"):
            record.read(path)


@pytest.mark.parametrize(
    "line",
    [b"5", b"[]", b"null", b'"moves"', b"{", b"{}}", b"\xff\xfe\x00", b"[" * 100_000, b"9" * 5000],
    ids=lambda line: str(line[:8]),
)
def test_line_that_is_no_record_is_refused(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(json.dumps(play(TINY[0]).record()).encode() + b"\n" + line + b"\n")
    with pytest.raises(RecordError, match=r"games\.jsonl, line 2"):
        record.read(path)


STRANGE: tuple[Any, ...] = (
    *(None, True, False, "x", "", "0", 0.5, float("nan"), float("inf"), -1, 10**30, -(10**30)),
    *([], {}, [[1]], [None], [True], ["x"], {"a": 1}, [10**30]),
)


def plain(value: Any) -> bool:
    """A number that another record could have in this place."""
    return isinstance(value, int) and not isinstance(value, bool) and -50 <= value <= 50


@pytest.mark.parametrize("rules", [STANDARD[2], GERMAN, ITALIAN, TINY[0]], ids=name)
def test_mutated_records_are_refused_and_never_crash(rules: Rules) -> None:
    """Four times 130 mutations of one value each, judged as `verify` judges them."""
    rng = np.random.default_rng(11)
    whole = {**play(rules).record(), "event": ["x", 1]}
    places = paths(whole)
    heads = [path for path in places if path[0] != "moves" or len(path) < 3]
    tried = []
    for k in range(130):
        few = heads if k % 2 else places  # the moves have most of the places
        path = few[int(rng.integers(len(few)))]
        value = STRANGE[int(rng.integers(len(STRANGE)))]
        made = copy.deepcopy(whole)
        put(*path, value)(made)
        tried.append((path, value, made))
    for (path, value, made), fault in zip(
        tried, record.verify_all([made for *_, made in tried]), strict=True
    ):
        unchanged = json.dumps(made) == json.dumps(whole)
        free = path in (("seed",), ("riders",)) and value is None
        free = free or (path[0] == "seed" and plain(value) and value >= 0)
        free = free or (len(path) == 2 and path[0] == "riders" and isinstance(value, str))
        harmless = free or path[0] == "event" or unchanged
        # another board value is another game, in which nobody need have landed there
        other_game = path[0] == "board" and len(path) == 3 and plain(value)
        if harmless:
            assert fault is None, (path, value)
        elif not other_game:
            assert fault is not None, (path, value)


@pytest.mark.parametrize(
    ("key", "kind"), [("scores", float), ("winners", float), ("winners", bool)]
)
def test_end_in_other_types_is_refused(key: str, kind: Any) -> None:
    """`[0.0]` and `[false]` equal `[0]` in Python and nowhere else."""
    games = (play(TINY[0], seed).record() for seed in range(9))
    made = next(made for made in games if max(made["winners"]) < 2)
    made[key] = [kind(x) for x in made[key]]
    assert key in refusal(made)
