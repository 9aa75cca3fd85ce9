"""Tables that are chosen on the page, games that are watched, and finished ones looked at again."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import review
from agents.lobby import Lobby
from agents.play import Command, seating
from agents.routes import Games
from agents.session import Early, Refused, Session
from drago_env import games
from drago_env.game import Game
from drago_env.pictures.table import table_of
from drago_env.policy import known
from tests.games import NAMES, SHORT
from tests.test_server import ask, serving
from tests.test_table import finish


def table(name: str, **more: Any) -> dict[str, Any]:
    """What the page asks for: two agents, and the person as the first seat."""
    return {"game": name, "agents": ["uniform", "uniform"], "seat": 0, "options": {}, **more}


# ---------------------------------------------------------------- what can be chosen


def test_every_game_is_in_the_lists() -> None:
    lists = {one["name"]: one for one in Lobby().lists}
    assert set(NAMES) <= set(lists)
    for name in NAMES:
        game = games.make(name)
        assert lists[name]["title"] == game.spec.title
        assert lists[name]["players"] == [game.spec.min_players, game.spec.max_players]
        assert {*lists[name]["agents"], "human"} == {*known(name), "human"}
        assert "human" not in lists[name]["agents"]
        assert lists[name]["default"] in lists[name]["agents"]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_made_of_what_was_chosen(name: str) -> None:
    chosen = table(name, seat=1)
    made = Lobby().seating(chosen)
    assert list(made.names) == ["uniform#2", "human", "uniform"]
    assert sorted(made.others) == [0, 2]
    assert made.chosen == chosen
    watched = Lobby().seating(table(name, seat=None))
    assert list(watched.names) == ["uniform", "uniform#2"]
    assert (watched.seat, sorted(watched.others)) == (None, [0, 1])


@pytest.mark.parametrize("name", NAMES)
def test_every_option_changes_the_rules(name: str) -> None:
    """The first value is what is played without it."""
    plain = seating(Command(("uniform", "uniform"), game=name)).game
    for option in table_of(plain).options:
        seen = []
        for number in range(len(option.values)):
            game = Lobby().seating(table(name, options={option.word: number})).game
            seen.append(_rules(game))
        assert seen[0] == _rules(plain)
        assert len(set(seen)) == len(option.values)


def _rules(game: Game) -> str:
    return json.dumps(game.record(game.new(0), [], seed=0))


BAD = [
    ({"game": "mount_dargo"}, "game must be one of mount_drago, dragon_delta"),
    ({"game": 3}, "game must be one of"),
    ({"game": ["mount_drago"]}, "game must be one of"),
    ({"agents": ["os:system"]}, "agents must be a list of "),
    ({"agents": ["tests.test_server:Cheat"]}, "agents must be a list of "),
    ({"agents": ["search:playouts=1000000"]}, "agents must be a list of "),
    ({"agents": ["human"]}, "agents must be a list of "),
    ({"agents": "uniform"}, "agents must be a list of "),
    ({"agents": [["uniform"]]}, "agents must be a list of "),
    ({"agents": []}, "Mount Drago is for 2 to 5, not for 1"),
    ({"agents": ["uniform"] * 5}, "Mount Drago is for 2 to 5, not for 6"),
    ({"agents": ["uniform"], "seat": None}, "not for 1"),
    ({"seat": 3}, "seat must be from 0 to 2, not 3"),
    ({"seat": "0"}, "seat must be from 0 to 2|seat must be a whole number"),
    ({"seat": True}, "seat must be"),
    ({"options": {"edition": 2}}, "edition must be from 0 to 1, not 2"),
    ({"options": {"edition": "german"}}, "edition must be a whole number"),
    ({"options": {"board": 0}}, "options may have edition"),
    ({"options": []}, "options may have edition"),
    ({"seed": 1}, "a table has agents, game, options, seat"),
]


@pytest.mark.parametrize(("wrong", "words"), BAD, ids=[str(wrong) for wrong, _ in BAD])
def test_nothing_else_can_be_asked_for(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        Lobby().seating({**table("mount_drago"), **wrong})


def test_agents_of_the_command_line_can_be_chosen_too() -> None:
    lobby = Lobby({"mount_drago": ["tests.adapters:First"]})
    made = lobby.seating(table("mount_drago", agents=["tests.adapters:First"]))
    assert list(made.names) == ["human", "tests.adapters:First"]
    with pytest.raises(Refused, match="agents must be"):
        lobby.seating(table("race", agents=["tests.adapters:First"]))


def test_an_agent_that_cannot_play_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*arguments: Any) -> None:
        raise ValueError("there is no network for it")

    monkeypatch.setattr("agents.lobby.ask", missing)
    with pytest.raises(Refused, match="uniform cannot play Mount Drago: there is no network"):
        Lobby().seating(table("mount_drago"))


# ---------------------------------------------------------------- over the wire


def test_a_server_without_a_table_leads_to_the_lists(tmp_path: Path) -> None:
    def empty() -> Games:
        return Games(None, count(7).__next__, lambda made: None, tmp_path)

    with serving(games=empty()) as server:
        assert ask(server, "/").headers["Location"] == "/new"
        assert ask(server, "/new").status == 200
        lists = ask(server, "/api/lobby").json
        assert (lists["newest"], len(lists["games"])) == (False, len(games.GAMES))
        made = ask(server, "/api/games", table("race", seat=2))
        assert (made.status, made.json["seat"]) == (201, 2)
        refused = ask(server, "/api/games", table("race", agents=["nobody"]))
        assert refused.status == 422
        assert "agents must be a list of" in refused.json["error"]
        game = made.json["game"]
        assert ask(server, "/").headers["Location"] == f"/games/{game}"
        again = ask(server, "/api/games", {"again": game}).json
        assert (again["seat"], again["title"], again["game"] != game) == (2, "The race", True)
    with serving(games=empty()) as server:  # what was chosen is kept with the game
        assert ask(server, f"/api/games/{game}").json["seat"] == 2


def test_who_opens_an_unknown_address_gets_a_page() -> None:
    with serving() as server:
        for path in ("/games/<b>nothing", "/nowhere"):
            reply = ask(server, path, headers={"Accept": "text/html,application/xhtml+xml"})
            assert reply.status == 404
            assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
            assert b'href="/new"' in reply.body
            assert b"<b>" not in reply.body
        assert "error" in ask(server, "/games/nothing").json


def test_a_game_is_watched_move_by_move() -> None:
    ended: list[Any] = []
    with serving(ended=ended.append) as server:
        made = ask(server, "/api/games", table("race", seat=None)).json
        game, moves = f"/api/games/{made['game']}", 0
        assert (made["legal"], made["seat"]) == ([], None)
        while not made["over"]:
            made = ask(server, f"{game}/advance", {"version": made["version"]}).json
            moves += 1
            assert [frame["move"] for frame in made["frames"]] == [moves]
        assert moves == len(made["log"])
        assert ask(server, f"{game}/advance", {"version": made["version"]}).status == 422
        assert ask(server, f"{game}/advance", {"version": 0}).status == 409
        assert len(ended) == 1
        assert len(json.loads(ask(server, f"{game}/record").body)["moves"]) == moves


# ---------------------------------------------------------------- sessions


def watched(name: str) -> Session:
    chosen = table(name, seat=None)
    made = Lobby().seating(chosen)
    words = SHORT.get(name, {})
    return Session(
        type(made)(games.make(name, players=2, **words), None, made.names, made.others), 5
    )


@pytest.mark.parametrize("name", NAMES)
def test_who_watches_sees_all_and_decides_nothing(name: str) -> None:
    session = watched(name)
    for wish in (lambda: session.play(0, 0), lambda: session.hint(0), session.view):
        with pytest.raises(Refused, match="watch"):
            wish()
    with pytest.raises(Early):
        session.record()
    while not session.over:
        session.advance(session.version)
    made = session.record()
    heard = [move.text for move in session.heard]
    whole = games.of_record(made).pictures(made).frames
    assert [frame.last.text for frame in whole if frame.last] == heard
    with pytest.raises(Refused, match="no move of yours"):
        session.undo(session.version)


@pytest.mark.parametrize("name", NAMES)
def test_a_finished_game_is_looked_at_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "THINKING", 0.5)
    words = "".join(f",{key}={value}" for key, value in SHORT.get(name, {}).items())
    session = Session(seating(Command(("uniform",), game=f"{name}:players=2{words}", seat=1)), 5)
    with pytest.raises(Early, match="after the end"):
        session.review()
    finish(session, np.random.default_rng(1))
    told = session.review()
    while told["left"]:
        assert told["total"] == session.moves
        known_moves = len(told["moves"])
        told = session.review()
        assert len(told["moves"]) >= known_moves
    seats = {one["move"]: one["seat"] for one in told["moves"]}
    assert set(seats.values()) == {0, 1}
    states = [moment.state for moment in session._moments]
    forced = [
        n for n, state in enumerate(states[:-1], 1) if session._game.legal(state).counts[0] == 1
    ]
    assert sorted({*seats, *forced}) == [*range(1, session.moves + 1)]
    for one in told["moves"]:
        assert 0 <= one["chance"] <= 1
        assert one["best"]
        assert not one["mistake"] or one["best_chance"] - one["chance"] >= review.MISTAKE
    assert told["chart"].count("<polyline data-line") == 2
    shares = session._game.shares(states[-1])[0]
    for name, share in zip(session.names, shares, strict=False):  # the lines end with the outcome
        assert f">{name} {100 * share:.0f}%</text>" in told["chart"]
    own = sum(one["mistake"] for one in told["moves"] if one["seat"] == 1)
    assert told["chart"].count("data-mark") == own
    assert bool(session.scores()) == session._game.spec.has_points


def test_a_blunder_is_marked() -> None:
    """Whoever plays at random against a search makes mistakes, and follows no hint."""
    session = Session(seating(Command(("heuristic",))), 124)
    finish(session, np.random.default_rng(2))
    told = session.review()
    while told["left"]:
        told = session.review()
    assert any(one["mistake"] for one in told["moves"] if one["seat"] == 0)


@pytest.mark.parametrize("name", NAMES)
def test_earlier_positions_are_shown_as_they_were_seen(name: str) -> None:
    words = "".join(f",{key}={value}" for key, value in SHORT.get(name, {}).items())
    session = Session(seating(Command(("uniform",), game=f"{name}:players=2{words}")), 6)
    rng = np.random.default_rng(3)
    seen: dict[int, Any] = {}
    while not session.over and len(seen) < 12:
        seen[session.moves] = session.position()["frames"][-1]
        legal = [choice["action"] for choice in session.position()["legal"]]
        session.play(session.version, int(rng.choice(legal)))
    heard = {0, session.moves, *(line["move"] for line in session.position()["log"])}
    for move, frame in seen.items():
        if session.over or move in heard:
            assert session.frame(move) == frame
        else:
            with pytest.raises(Refused, match="nothing to be seen yet"):
                session.frame(move)
    with pytest.raises(Refused, match=f"the moves 0 to {session.moves}, not {session.moves + 1}"):
        session.frame(session.moves + 1)


@pytest.mark.parametrize("name", NAMES)
def test_standings_put_winners_first(name: str) -> None:
    session = Session(seating(Command(("uniform",), game=f"{name}:players=2", seat=1)), 8)
    assert session.position()["standings"] == []
    finish(session, np.random.default_rng(4))
    position = session.position()
    listed = position["standings"]
    wins = [seat["wins"] for seat in position["frames"][-1]["seats"]]
    assert sorted(one["seat"] for one in listed) == [0, 1]
    assert [one["wins"] for one in listed] == sorted(wins, reverse=True)
    assert all(one["place"] == 1 for one in listed if one["wins"])
    if session._game.spec.has_points:
        points = [one["points"] for one in listed]
        assert points == sorted(points, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_every_game_says_its_goal_and_marks_the_own_pieces(name: str) -> None:
    session = Session(seating(Command(("uniform",), game=name, seat=1)), 9)
    position = session.position()
    parts = [part["name"] for part in position["frames"][-1]["parts"]]
    rings = [part for part in parts if part.startswith("own-")]
    assert bool(position["goal"]) == bool(rings) == (name != "race")
    for ring in rings:
        assert parts[parts.index(ring) + 1] == ring.removeprefix("own-")
