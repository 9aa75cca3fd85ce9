"""Records: written, read, verified, refused by move and clause, seen by one seat."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from drago_env.dragon_delta import record
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.record import Record, RecordError
from drago_env.dragon_delta.rules import Rules
from tests.dragon_delta.fuzz import goal_directed, mover, random_rules
from tests.dragon_delta.oracle import reference_of


def played(rules: Rules, seed: int, moves: int | None = None) -> Record:
    """The record of a game; one that is won if the rules make that easy."""
    rng, game, it = random.Random(seed), DragonDelta(rules), reference_of(rules)
    actions: list[int] = []
    while not it.over and len(actions) != moves:
        policy = mover if rng.random() < 0.5 else goal_directed
        actions.append(policy(it, rng, it.options()))
        it.apply(actions[-1])
    made = game.record(game.new(0), actions, seed=seed, names=["a"] * rules.players)
    if it.over:
        assert made["winners"] == ([] if it.winner is None else [it.winner])
        assert made["truncated"] == it.truncated
    for move, pawns in ((made["moves"][-1], it.pawns),):
        assert move["pawns"] == [it.place_action(place) for place in pawns]
        assert move["planks"] == len(it.on_map)
    return made


SHORT = Rules(3, max_rounds=2)


def test_a_record_says_what_the_format_asks_for() -> None:
    made = played(SHORT, 1)
    assert list(made) == [
        *("format", "rules", "map", "seed", "players", "moves", "winners", "truncated"),
    ]
    assert made["format"] == "dragon-delta/1"
    assert made["map"] == "delta-1"
    assert made["rules"] == SHORT.as_dict()
    assert list(made["moves"][0]) == ["seat", "action", "pawns", "planks"]
    assert made["moves"][0]["pawns"] == [196, 198, 200]


def test_records_of_all_kinds_verify_and_replay() -> None:
    rng = random.Random(8)
    easy = Rules(2, (0, 2, 5), 3, 2, 1, max_rounds=30, map=Map.tiny())
    kinds = [random_rules(rng) for _ in range(34)] + [easy] * 6
    records = [played(rules, seed) for seed, rules in enumerate(kinds)]
    assert record.verify_all(records) == [None] * 40
    assert {made["truncated"] for made in records} == {True, False}
    for made in records[:6]:
        game, state = record.replay(made)
        assert game.over(state)[0]
        half = len(made["moves"]) // 2
        game, state = record.replay(made, half)
        assert state["seat"][0] == made["moves"][half]["seat"]
    with pytest.raises(ValueError, match="the record has the moves"):
        record.replay(records[0], 10**6)


def test_another_map_is_written_whole() -> None:
    rules = Rules.tiny()
    made = played(rules, 3)
    assert made["map"] == Map.tiny().as_dict()
    record.verify(made)
    del made["map"]["crossings"]
    record.verify(made)


def test_unknown_keys_are_kept() -> None:
    made = played(SHORT, 1)
    made["note"] = made["rules"]["note"] = made["moves"][0]["note"] = "kept"
    record.verify(made)
    assert record.view(made, 1)["moves"][0]["note"] == "kept"


def test_files_of_records(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [played(SHORT, seed) for seed in range(3)]
    record.write(path, records)
    assert record.read(path) == records
    path.write_text(json.dumps(records[0]) + "\n\n{")
    with pytest.raises(RecordError, match=r"games\.jsonl, line 3: not a whole record"):
        record.read(path)
    path.write_text("[1]\n")
    with pytest.raises(RecordError, match="line 1: a record is an object"):
        record.read(path)


# ---------------------------------------------------------------- refused


def broken(made: Record, path: str, value: Any) -> Record:
    changed: Any = copy.deepcopy(made)
    *way, last = path.split(".")
    inner = changed
    for key in way:
        inner = inner[int(key) if isinstance(inner, list) else key]
    place = int(last) if isinstance(inner, list) else last
    if value is KeyError:
        del inner[place]
    else:
        inner[place] = value
    return changed


BAD = [
    ("format", "dragon-delta/2", "not a record of the format dragon-delta/1"),
    ("rules", [], "rules is missing or not an object"),
    ("moves", KeyError, "moves is missing or not a list"),
    ("rules.support", KeyError, "the rules lack support"),
    ("rules.slots", 9, r"the rules are wrong: slots must be from 1 to 8, not 9 \(clause 12\.2\)"),
    ("rules.players", 2.0, "the rules are wrong: players must be a whole number"),
    ("rules.long_planks", 0, "long_planks must be True or False"),
    ("rules.kinds", "01234567", "kinds must be a list"),
    ("map", "delta-2", "map must be 'delta-1' or a whole map"),
    ("map", {"name": "x"}, "the rules are wrong: map: islets must be a list"),
    ("seed", -1, "seed must be null or a whole number"),
    ("players", ["a"], "players must be null or 3 names"),
    ("moves.0", 5, "move 0: a move is an object"),
    ("moves.0.seat", 1, r"move 0: it is seat 0's turn, not seat 1's \(clause 4\.3\)"),
    ("moves.0.seat", True, "move 0: seat must be a whole number"),
    ("moves.0.action", 13, r"move 0: cannot islet 0: it is time to program a card \(clause 11\.2"),
    ("moves.0.action", 999, r"move 0: actions run from 0 to 201, not 999 \(clause 11\.1\)"),
    ("moves.0.action", KeyError, "move 0: action must be a whole number"),
    ("moves.0.action", "0", "move 0: action must be a whole number"),
    ("moves.0.action", None, r"move 0: the action is null, but the card is revealed"),
    ("moves.0.pawns", KeyError, "move 0: pawns must be a list"),
    ("moves.0.pawns", [196, 198], r"move 0: the pawns are \[196, 198, 200\], not"),
    ("moves.0.pawns", [196, 198, 200.0], "move 0: pawns must be a list of whole numbers"),
    ("moves.0.planks", 1, r"move 0: 0 planks lie, not 1 \(clause 6\.3\)"),
    ("moves.0.planks", None, "move 0: planks must be a whole number"),
    ("winners", [0, 1], r"the winners are .*clause 8\.2"),
    ("winners", KeyError, "the winners are"),
    ("truncated", 1, r"truncated is .*clause 8\.3"),
]


@pytest.mark.parametrize(("path", "value", "message"), BAD)
def test_a_wrong_record_is_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        record.verify(broken(played(SHORT, 1), path, value))


def test_a_second_card_of_a_kind_a_move_too_many_and_an_end_too_early() -> None:
    made = played(SHORT, 1)
    twice = broken(made, "moves.1.action", made["moves"][0]["action"])
    with pytest.raises(RecordError, match=r"move 1: cannot program .* laid already.*4\.2"):
        record.verify(twice)
    longer = copy.deepcopy(made)
    longer["moves"].append(made["moves"][-1])
    with pytest.raises(RecordError, match=r"the game is over already \(clause 8\."):
        record.verify(longer)
    short = {**made, "moves": made["moves"][:-1]}
    with pytest.raises(RecordError, match="winners is given but the game is not over"):
        record.verify(short)
    for key in ("winners", "truncated"):
        del short[key]
    record.verify(short)


# ---------------------------------------------------------------- views


def test_a_view_hides_what_was_never_revealed_and_verifies() -> None:
    hidden = 0
    for seed in range(30):
        rules = Rules(3, max_rounds=3, move2_village=True)
        made = played(rules, seed, None if seed < 10 else 5 + 7 * seed % 60)
        for seat in range(3):
            seen = record.view(made, seat)
            record.verify(seen)
            assert seen["seed"] is None
            assert made["seed"] == seed
            nulls = [m for m in seen["moves"] if m["action"] is None]
            hidden += len(nulls)
            assert all(move["seat"] != seat for move in nulls)
            told = [(a, b) for a, b in zip(made["moves"], seen["moves"], strict=True) if a != b]
            assert len(told) == len(nulls)
    assert hidden > 100


def test_a_view_in_the_middle_of_the_programming_hides_every_other_card() -> None:
    made = played(SHORT, 1, 12)
    seen = record.view(made, 0)
    assert [m["action"] is None for m in seen["moves"]] == [False] * 5 + [True] * 7
    record.verify(seen)


def test_a_view_in_the_middle_of_a_slot_shows_the_open_cards() -> None:
    made = played(SHORT, 1, 16)
    state = record.replay(made)[1]
    slot = int(state["slot"][0])
    seen = record.view(made, 2)
    for number, move in enumerate(seen["moves"][:15]):
        assert (move["action"] is None) == (move["seat"] != 2 and number % 5 > slot)


def test_null_is_refused_anywhere_else() -> None:
    made = played(SHORT, 1, 16)
    with pytest.raises(RecordError, match=r"move 15: the action is null, but everybody sees it"):
        record.verify(broken(made, "moves.15.action", None))
    everybody = copy.deepcopy(made)
    for number in (4, 9, 14):
        everybody["moves"][number]["action"] = None
    with pytest.raises(RecordError, match=r"every seat is null.*clause 9\.2"):
        record.verify(everybody)


@pytest.mark.parametrize(("key", "value"), [("seat", []), ("seat", {}), ("action", [1])])
def test_what_is_no_number_is_refused_beside_a_null(key: str, value: object) -> None:
    made = broken(played(SHORT, 1, 16), "moves.0.action", None)
    number = 0 if key == "seat" else 1
    with pytest.raises(RecordError, match=f"move {number}"):
        record.verify(broken(made, f"moves.{number}.{key}", value))


def test_views_are_taken_of_whole_records() -> None:
    seen = record.view(played(SHORT, 1, 12), 0)
    with pytest.raises(ValueError, match="one seat's view, which hides"):
        record.view(seen, 1)
    with pytest.raises(ValueError, match="seat must be from 0 to 2"):
        record.view(played(SHORT, 1, 12), 3)


def test_a_record_starts_after_the_deal() -> None:
    game = DragonDelta(SHORT)
    state = game.new([0, 1])
    with pytest.raises(ValueError, match="one game"):
        game.record(state, [])
    game.step(state, [0, 0])
    with pytest.raises(ValueError, match="right after the deal"):
        game.record(state[:1], [])
    with pytest.raises(ValueError, match="no idle moves"):
        game.record(game.new(0), [-1])
