"""Records: written, read, verified, refused with move and clause; views of one seat."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from drago_env.rupe_dei_draghi import record, storage
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.record import Record, RecordError
from drago_env.rupe_dei_draghi.rules import Rules
from tests.rupe_dei_draghi.oracle import Game
from tests.rupe_dei_draghi.players import meddler, miser, seeker, uniform
from tests.rupe_dei_draghi.position import Map

PLAYERS = (seeker, meddler, uniform, miser)


@cache
def played(players: int, seed: int, cap: int = 300, graph: str = "rupe-85") -> str:
    """The record of a goal-directed game, as text, so that nobody changes it."""
    rules = Rules(players, turn_cap=cap) if graph == "rupe-85" else Rules.tiny(cap)
    game, rng = RupeDeiDraghi(rules), random.Random(seed)
    start = game.new(seed)
    state, actions = start.copy(), []
    side = Game(rules, state[0], Map(rules.graph.as_dict()), rng)
    while not game.over(state)[0]:
        legal = game.legal(state)
        seat = side.side.seat
        choice = PLAYERS[seat](side.side, rng, legal.actions[0, : legal.counts[0]].tolist())
        game.step(state, [choice])
        follow(side, choice, state["hand"][0, seat].tolist())
        actions.append(choice)
    return json.dumps(game.record(start, actions, seed=seed, names=["a", "b", "c", "d"][:players]))


def follow(side: Game, action: int, hand: list[int]) -> None:
    """The reference makes the same decision."""
    it = side.side
    before = [it.own[kind] for kind in range(10)]
    cards = None
    if it.step == "turn" and action == 10:
        cards = [kind for kind, n in enumerate(hand) for _ in range(n)]
    elif it.step in ("rob", "spoils") and action != 13:
        cards = [kind for kind in range(10) if hand[kind] > before[kind]]
    it.apply(action, cards)


def whole(players: int = 3, seed: int = 4) -> Record:
    made: Record = json.loads(played(players, seed))
    return made


def find(made: Record, key: str, wanted: Callable[[Any], bool] = lambda move: True) -> int:
    return next(i for i, move in enumerate(made["moves"]) if key in move and wanted(move))


GAMES = [(players, seed) for players in (2, 3, 4) for seed in range(4)]


@pytest.mark.parametrize(("players", "seed"), GAMES)
def test_a_record_and_every_view_are_verified(players: int, seed: int) -> None:
    made = whole(players, seed)
    record.verify(made)
    for seat in range(players):
        record.verify(record.view(made, seat))


def test_the_games_have_everything_in_them() -> None:
    moves = [move for case in GAMES for move in whole(*case)["moves"]]
    for key in ("drawn", "taken", "seen"):
        assert sum(key in move for move in moves) > 20
    assert any(whole(*case)["winners"] for case in GAMES)


def test_the_form() -> None:
    made = whole()
    assert list(made)[:7] == ["format", "rules", "graph", "seed", "players", "start", "moves"]
    assert (made["format"], made["graph"], made["seed"]) == ("rupe-dei-draghi/1", "rupe-85", 4)
    assert made["rules"] == Rules(3, turn_cap=300).as_dict()
    assert all(hand == sorted(hand) and len(hand) == 7 for hand in made["start"]["hands"])
    for move in made["moves"]:
        assert set(move) <= {"seat", "action", "drawn", "taken", "seen", "deck"}
    assert made["truncated"] is (made["winners"] == [])


def test_a_replay_is_the_game() -> None:
    made = whole()
    game, state = record.replay(made)
    assert game.over(state)[0]
    game.check(state)
    for number in (0, 5, 40):
        _, early = record.replay(made, number)
        game.check(early)
        assert early["seat"][0] == made["moves"][number]["seat"]
    with pytest.raises(ValueError, match="moves 0 to"):
        record.replay(made, 10**6)


def test_a_replay_of_a_view_is_a_game_that_the_seat_cannot_tell_apart() -> None:
    made = whole()
    game, state = record.replay(made, 60)
    for seat in range(3):
        _, guess = record.replay(record.view(made, seat), 60)
        game.check(guess)
        assert game.observe(guess, seat).tobytes() == game.observe(state, seat).tobytes()


def test_a_graph_of_ones_own_is_written_whole() -> None:
    data = Graph.standard().as_dict() | {"name": "mine"}
    data["edges"].append(["A0", "B0"])
    game = RupeDeiDraghi(Rules(2, Graph.from_dict(data), turn_cap=1))
    made = game.record(game.new(3), [10])
    assert made["graph"] == data
    assert made["truncated"] is True
    record.verify(json.loads(json.dumps(made)))


def test_an_unfinished_game() -> None:
    made = whole()
    made["moves"] = made["moves"][:20]
    with pytest.raises(RecordError, match="winners is given but the game is not over"):
        record.verify(made)
    del made["winners"], made["truncated"]
    record.verify(made)


def test_unknown_keys_and_nulls_are_kept(tmp_path: Path) -> None:
    made = whole() | {"seed": None, "players": None, "place": "a table"}
    path = tmp_path / "games.jsonl"
    record.write(path, [made, whole(2)])
    again = record.read(path)
    assert again == [made, whole(2)]
    assert record.verify_all(again) == [None, None]
    assert record.view(again[0], 1)["place"] == "a table"


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"format": 1}\n{'])
def test_files_that_are_no_records(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match="line"):
        record.read(path)


# ---------------------------------------------------------------- views


def test_a_replay_of_a_view_can_be_kept(tmp_path: Path) -> None:
    """Clause 12.6: what two others know of each other is not part of a seat's game."""
    for players, seed in GAMES:
        made = whole(players, seed)
        for seat in range(players):
            for frame in record.walk([record.view(made, seat)]):
                frame.game.check(frame.state)
            storage.save(tmp_path / "game.npz", frame.game, frame.state)
            assert (storage.load(tmp_path / "game.npz")[1] == frame.state).all()


def test_what_a_view_hides() -> None:
    made = whole()
    seen = record.view(made, 1)
    assert seen["seed"] is None
    assert seen["start"]["princesses"] is None
    assert seen["start"]["hands"] == [7, made["start"]["hands"][1], 7]
    for move, true in zip(seen["moves"], made["moves"], strict=True):
        rival = (true["seat"] + true["action"] - 14) % 3
        if true["seat"] == 1:
            assert move == true
        elif "drawn" in true:
            assert move["drawn"] == len(true["drawn"])
        elif "taken" in true:
            assert move["taken"] == (true["taken"] if rival == 1 else None)
        elif "seen" in true:
            assert move["seen"] is None
    with pytest.raises(ValueError, match="one seat's view"):
        record.view(seen, 1)
    with pytest.raises(ValueError, match="seat must be"):
        record.view(made, 3)


def test_a_view_with_too_much_in_it_is_refused() -> None:
    made, seen = whole(), record.view(whole(), 1)
    number = find(made, "drawn", lambda move: move["seat"] != 1)
    seen["moves"][number] = made["moves"][number]
    with pytest.raises(RecordError, match=rf"move {number}: drawn is hidden .*clause 12.2"):
        record.verify(seen)


def test_a_view_with_an_impossible_card_is_refused() -> None:
    seen = record.view(whole(), 1)
    number = find(seen, "taken", lambda move: move["taken"] is not None and move["seat"] == 1)
    seen["moves"][number]["taken"] = 3 if 3 in seen["start"]["hands"][1] else 4
    fault = record.verify_all([seen])[0]
    assert fault is None or "clause" in fault


# ---------------------------------------------------------------- refused


def wrong(change: Callable[[Record], Any], players: int = 3) -> str:
    made = whole(players)
    change(made)
    with pytest.raises(RecordError) as error:
        record.verify(made)
    assert record.verify_all([made]) == [str(error.value)]
    return str(error.value)


def changed(*path: Any, to: Any) -> Callable[[Record], None]:
    def change(made: Record) -> None:
        place: Any = made
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


BEGINNINGS: list[tuple[Callable[[Record], None], str]] = [
    (changed("format", to="rupe-dei-draghi/2"), "not a record of the format"),
    (changed("moves", to=None), "moves is missing"),
    (changed("rules", to=[]), "rules is missing or not an object"),
    (changed("rules", "rob", to=0), "the rules are wrong: rob must be from 1"),
    (changed("graph", to="other"), "the graph 'other' is unknown"),
    (changed("graph", to={"name": "x"}), "the graph is wrong: graph: nodes: expected a list"),
    (changed("seed", to=-1), "seed must be null or a whole number"),
    (changed("players", to=["a"]), "players must be null or 3 names"),
    (changed("start", "hands", to=[[1]]), "3 riders need as many hands"),
    (changed("start", "hands", 0, to=[0, 0, 0]), "each hand has 7 cards"),
    (changed("start", "hands", 0, to=[4, 4, 5, 5, 6, 6, 7]), "more than there are (clause 1.3)"),
    (changed("start", "hands", 0, to=[5, 4, 5, 5, 6, 6, 7]), "a hand is not sorted"),
    (changed("start", "hands", 0, to=[0, 1, 2, 3, 4, 5, 10]), "10 is no card"),
    (changed("start", "hands", 0, to=7), "a view shows one hand and no princess (clause 12.2)"),
    (changed("start", "princesses", to=[0, 1, 2, 2]), "princesses must be the colours"),
    (changed("start", "princesses", to=None), "the princesses are missing (clause 3.2)"),
    (changed("winners", to=[3]), "winners must be"),
    (changed("truncated", to=None), "truncated must be"),
]


@pytest.mark.parametrize(("change", "words"), BEGINNINGS, ids=[words for _, words in BEGINNINGS])
def test_wrong_beginnings_and_ends(change: Callable[[Record], None], words: str) -> None:
    assert words in wrong(change)


def test_missing_rules() -> None:
    assert "the rules lack stop" in wrong(lambda made: made["rules"].pop("stop"))


def test_moves_that_break_a_rule() -> None:
    made = whole()
    seat = made["moves"][0]["seat"]
    assert wrong(changed("moves", 0, to=7)) == "move 0: a move is an object, not 7"
    assert "action must be a whole number" in wrong(changed("moves", 0, "action", to=None))
    assert "turn, not seat 2's (clause 4.7)" in wrong(changed("moves", 0, "seat", to=seat + 2))
    assert "actions run from 0 to 110" in wrong(changed("moves", 0, "action", to=111))
    missing = next(k for k in range(10) if k not in made["start"]["hands"][0])
    assert wrong(changed("moves", 0, "action", to=missing)).endswith(
        "is not in the hand (clause 4.2)"
    )
    assert "move 0: " in wrong(changed("moves", 0, "deck", to=99))
    extra = made["moves"] + [made["moves"][-1]]
    assert "the game is over already (clause 11" in wrong(changed("moves", to=extra))


def test_chance_that_cannot_be() -> None:
    made = whole()
    renewed, robbed, looked = (find(made, key) for key in ("drawn", "taken", "seen"))
    drawn = made["moves"][renewed]["drawn"]
    assert "drawn is missing" in wrong(lambda m: m["moves"][renewed].pop("drawn"))
    assert "6 cards" in wrong(changed("moves", renewed, "drawn", to=drawn[:6])) or drawn
    assert "(clause 4.4)" in wrong(changed("moves", renewed, "drawn", to=[3] * 7))
    assert "in order" in wrong(changed("moves", renewed, "drawn", to=[9, *drawn[1:]]))
    assert "taken does not belong" in wrong(changed("moves", renewed, "taken", to=1))
    assert "taken must be from 0 to 9" in wrong(changed("moves", robbed, "taken", to=None))
    true = made["moves"][looked]["seen"]
    said = wrong(changed("moves", looked, "seen", to=(true + 1) % 4))
    assert (
        said == f"move {looked}: the princess there is {true}, not {(true + 1) % 4} (clause 10.2)"
    )


def test_a_card_taken_that_the_rival_does_not_hold() -> None:
    made = whole()
    for number, move in enumerate(made["moves"]):
        if "taken" in move:
            for kind in range(10):
                fault = record.verify_all([made | {"moves": _with(made, number, kind)}])[0]
                if fault and "was taken but is not in the rival's hand (clause 4.5)" in fault:
                    assert fault.startswith(f"move {number}: ")
                    return
    pytest.fail("no such card was found")


def _with(made: Record, number: int, kind: int) -> list[Any]:
    moves = json.loads(json.dumps(made["moves"]))
    moves[number]["taken"] = kind
    return list(moves)


@pytest.mark.parametrize("seed", range(3))
def test_a_record_with_any_value_changed_is_refused_or_sound(seed: int) -> None:
    """Nothing but a `RecordError` ever comes out of a damaged record."""
    rng = random.Random(seed)
    odd: list[Any] = [None, -1, 0, 3, 255, 10**30, 0.5, "x", [], {}, True, [1, 2]]
    for _ in range(60):
        made = whole(2, 1)
        place: Any = made
        while True:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            if not keys:
                break
            key = rng.choice(list(keys))
            if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
                place = place[key]
                continue
            place[key] = rng.choice(odd)
            break
        fault = record.verify_all([made])[0]
        assert fault is None or isinstance(fault, str)
