"""Judges a record by nothing but its JSON and the clauses, as the reference has them."""

from __future__ import annotations

from typing import Any

from tests.dragon_delta.oracle import MAPS, board_of
from tests.dragon_delta.reference import Reference

FLAGS = {"move2_village", "long_planks"}
NUMBERS = {"players", "slots", "planks", "stones", "support", "max_rounds"}
HEAD = {"format", "rules", "map", "seed", "players", "moves"}


def begun(made: dict[str, Any], dumps: Any) -> Reference:
    """The game that a record begins."""
    assert made["format"] == "dragon-delta/1"
    assert set(made["rules"]) == NUMBERS | FLAGS | {"kinds"}
    assert all(type(made["rules"][name]) is int for name in NUMBERS)
    assert all(type(made["rules"][name]) is bool for name in FLAGS)
    standard = (MAPS / "delta-1.json").read_text()
    text = standard if made["map"] == "delta-1" else dumps(made["map"])
    return Reference(board_of(text), **made["rules"])


def judge(made: dict[str, Any], dumps: Any) -> Reference:
    """Replays a whole record and asserts every field of it; returns the game after it."""
    it = begun(made, dumps)
    assert made["players"] is None or len(made["players"]) == it.players
    for move in made["moves"]:
        assert set(move) == {"seat", "action", "pawns", "planks"}
        assert move["seat"] == it.seat
        assert move["action"] in it.options()
        it.apply(move["action"])
        assert move["pawns"] == [it.place_action(place) for place in it.pawns]
        assert move["planks"] == len(it.on_map)
    assert set(made) == HEAD | ({"winners", "truncated"} if it.over else set())
    if it.over:
        assert made["winners"] == ([] if it.winner is None else [it.winner])
        assert made["truncated"] is it.truncated
    return it


def judge_view(view: dict[str, Any], whole: dict[str, Any], seat: int, dumps: Any) -> None:
    """A view is the record without its seed and the others' cards that were never revealed."""
    it, cards = begun(whole, dumps), list[tuple[int, int, int]]()
    for number, move in enumerate(whole["moves"]):
        if it.step == "program" and it.seat != seat:
            cards.append((number, it.round, len(it.programs[it.seat])))
        it.apply(move["action"])
    hidden = {
        number for number, turn, slot in cards if turn == it.round and slot >= it.open_slots()
    }
    moves = [
        {**move, "action": None if number in hidden else move["action"]}
        for number, move in enumerate(whole["moves"])
    ]
    assert view == {**whole, "seed": None, "moves": moves}
