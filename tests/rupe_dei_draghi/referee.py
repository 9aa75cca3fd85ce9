"""Judges a record by nothing but its JSON and the clauses, as the reference has them."""

from __future__ import annotations

from typing import Any

from tests.rupe_dei_draghi.position import RENEW, Map, load
from tests.rupe_dei_draghi.reference import Reference

NUMBERS = {"players", "hand", "rob", "spoils", "dragons", "rainbows", "bridges", "turn_cap"}
HEAD = {"format", "rules", "graph", "seed", "players", "start", "moves"}


def begun(made: dict[str, Any]) -> Reference:
    """The game that a record begins."""
    rules = made["rules"]
    assert made["format"] == "rupe-dei-draghi/1"
    assert set(rules) == NUMBERS | {"copies", "reuse", "stop"}
    assert all(type(rules[name]) is int for name in NUMBERS)
    assert type(rules["stop"]) is bool
    assert set(made["start"]) == {"hands", "princesses"}
    assert all(hand == sorted(hand) for hand in made["start"]["hands"])
    graph = load("rupe-85") if made["graph"] == "rupe-85" else made["graph"]
    return Reference(Map(graph), **rules, **made["start"])


def chance(it: Reference, action: int) -> str | None:
    """What a decision brings besides itself."""
    if it.step == "turn" and action == RENEW:
        return "drawn"
    if it.step in ("rob", "spoils") and action != 13:
        return "taken"
    first = 18 + len(it.map.sites)
    if it.step == "move" and action >= first:
        return "seen" if it.map.kind[it.map.names[action - first]] == "stronghold" else None
    return None


def follow(it: Reference, move: dict[str, Any]) -> None:
    """One move, and every field of it."""
    action, key = move["action"], chance(it, move["action"])
    assert set(move) == {"seat", "action", "deck"} | ({key} if key else set())
    assert move["seat"] == it.seat
    assert action in it.legal()
    seat, cards = it.seat, None
    if key == "drawn":
        cards = move["drawn"]
        assert cards == sorted(cards)
    elif key == "taken":
        cards = [move["taken"]]
    it.apply(action, cards)
    if key == "seen":
        assert move["seen"] == it.princesses[it.map.forts.index(it.knights[seat])]
    assert move["deck"] == it.deck.total()


def judge(made: dict[str, Any]) -> Reference:
    """Replays a whole record and asserts every field of it; returns the game after it."""
    it = begun(made)
    assert made["players"] is None or len(made["players"]) == it.players
    for move in made["moves"]:
        follow(it, move)
    assert set(made) == HEAD | ({"winners", "truncated"} if it.over else set())
    if it.over:
        assert made["winners"] == ([] if it.winner is None else [it.winner])
        assert made["truncated"] is it.truncated
    return it


def judge_view(view: dict[str, Any], whole: dict[str, Any], seat: int) -> None:
    """A view is the record without what clause 12.2 hides from the seat."""
    start, players = whole["start"], whole["rules"]["players"]
    hands = [h if s == seat else len(h) for s, h in enumerate(start["hands"])]
    moves = []
    for move in whole["moves"]:
        other = dict(move)
        if move["seat"] != seat:
            if "drawn" in move:
                other["drawn"] = len(move["drawn"])
            if "seen" in move:
                other["seen"] = None
            if "taken" in move and (move["seat"] + move["action"] - 14) % players != seat:
                other["taken"] = None
        moves.append(other)
    start = {"hands": hands, "princesses": None}
    assert view == {**whole, "seed": None, "start": start, "moves": moves}
