"""The table for people over every game and the toy: session, terminal, page and replay."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drago_env
from agents.play import Command, main, seating
from agents.session import Refused, Session
from drago_env import games
from drago_env.__main__ import main as shell
from drago_env.game import Game, State
from drago_env.pictures import page
from drago_env.pictures.picture import Picture
from drago_env.pictures.table import Choice, names_of, table_of
from tests.games import ALL, NAMES
from tests.test_add_a_game import GAME
from tests.test_server import ask, game_of, serving
from tests.toy import Race

WAYS = re.compile(r"run \d by way \d+")
PAGE = Path(__file__).parents[1] / "agents" / "web"


def positions(game: Game, seed: int, every: int = 7) -> list[State]:
    """Some positions of a random game, the end among them."""
    state, rng, found = game.new(seed), np.random.default_rng(seed), []
    while not game.over(state)[0]:
        found.append(state.copy())
        legal = game.legal(state)
        game.step(state, [int(rng.choice(legal.actions[0, : legal.counts[0]]))])
    return [*found[::every], state]


def finish(session: Session, rng: np.random.Generator) -> None:
    while not session.over:
        legal = [choice["action"] for choice in session.position()["legal"]]
        session.play(session.version, int(rng.choice(legal)))


# ---------------------------------------------------------------- what a game describes


@pytest.mark.parametrize("spec", ALL)
def test_choices_are_the_legal_actions(spec: str) -> None:
    game = drago_env.make(spec)
    table = table_of(game)
    for state in positions(game, 1):
        names = names_of(game, state)
        legal = game.legal(state)
        choices = table.choices(state, names)
        assert [c.action for c in choices] == legal.actions[0, : legal.counts[0]].tolist()
        assert len({choice.text for choice in choices}) == len(choices)
        drawn = {part.name for part in (*table.ground(state), *table.scene(state, 0, None, names))}
        for choice in choices:
            assert set(choice.parts) <= drawn
            assert choice.key not in ("h", "u")  # for hints and undo
        _can_be_told_apart(choices)


def _can_be_told_apart(choices: list[Choice]) -> None:
    """Behind one button every choice has words and a key of its own."""
    behind: dict[str, list[Choice]] = {}
    for choice in choices:
        behind.setdefault(choice.button or choice.text, []).append(choice)
    for options in behind.values():
        assert len({choice.label or choice.text for choice in options}) == len(options)
        keys = [choice.key for choice in options if choice.key]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("spec", ALL)
def test_parts_and_seats_are_drawn_for_everybody(spec: str) -> None:
    game = drago_env.make(spec)
    table = table_of(game)
    for state in positions(game, 2):
        players = int(game.players(state)[0])
        names = names_of(game, state)
        for viewer in (None, *range(players)):
            parts = [*table.ground(state), *table.scene(state, viewer, None, names)]
            assert len({part.name for part in parts}) == len(parts)
            seats = table.seats(state, viewer, None, names)
            assert [seat.name for seat in seats] == names
            assert [seat.wins for seat in seats] == game.winners(state)[0, :players].tolist()
            over = bool(game.over(state)[0])
            acting = [number for number, seat in enumerate(seats) if seat.acts]
            assert acting == ([] if over else [int(game.current_player(state)[0])])
            assert all((seat.points is None) != game.spec.has_points for seat in seats)
        assert table.words(state, 0, names)
        assert isinstance(table.count(state) + table.variant(state), str)


@pytest.mark.parametrize("spec", ALL)
def test_what_is_shown_tells_nothing_hidden(spec: str) -> None:
    """Worlds that a viewer cannot tell apart look and read alike."""
    game = drago_env.make(spec)
    table = table_of(game)
    for state in positions(game, 3):
        names = names_of(game, state)
        for viewer in range(int(game.players(state)[0])):
            worlds = [game.determinize(state, [viewer], [seed]) for seed in (1, 2)]
            one, other = (vars(Picture(game, world, 0, viewer, None, names)) for world in worlds)
            assert one == other
            shown = [
                (table.seats(w, viewer, None, names), table.words(w, viewer, names), table.count(w))
                for w in worlds
            ]
            assert shown[0] == shown[1]
            assert table.hand(worlds[0], viewer) == table.hand(worlds[1], viewer)
            if not game.over(state)[0] and viewer == int(game.current_player(state)[0]):
                assert table.choices(worlds[0], names) == table.choices(worlds[1], names)


# ---------------------------------------------------------------- games that people play


@pytest.mark.parametrize("name", NAMES)
def test_every_game_can_be_played_at_the_table(name: str) -> None:
    session = Session(seating(Command(("uniform",), game=name, seat=1)), 5)
    finish(session, np.random.default_rng(1))
    position = session.position(since=0)
    assert position["over"]
    assert position["title"] == drago_env.make(name).spec.title
    assert position["frames"][-1]["status"] == session.outcome()
    made = session.record()
    assert len(made["moves"]) == session.moves
    film = games.of_record(made).pictures(made, 1)
    heard = [move.text for move in session.heard]
    assert [frame.last.text for frame in film.frames if frame.last] == heard
    assert ("<polyline data-line" in session.replay()) == drago_env.make(name).spec.has_points


def test_the_toy_tells_nobody_what_the_others_chose() -> None:
    session = Session(seating(Command(("uniform",), game="race:players=4", seat=2)), 6)
    rng = np.random.default_rng(2)
    while not session.over:
        position = session.position(since=0)
        for line in position["log"]:
            secret = line["seat"] != 2
            assert (line["text"].endswith(": chooses a way")) == secret
        own = {choice["text"] for choice in position["legal"]}
        own |= {move.text for move in session.heard if move.seat == 2}
        told = [position, session.view(), session.hint(session.version)]
        assert set(WAYS.findall(json.dumps(told))) <= own
        others = [move["action"] for move in session.view()["moves"] if move["seat"] != 2]
        assert set(others) <= {None}
        legal = [choice["action"] for choice in position["legal"]]
        session.play(session.version, int(rng.choice(legal)))
    made = session.record()
    for frame in games.of_record(made).pictures(made, 2).frames:
        assert frame.last is None or (frame.last.text == "chooses a way") == (frame.last.seat != 2)
    whole = page.html(games.of_record(made).pictures(made))
    assert len(set(WAYS.findall(whole))) > len({m.text for m in session.heard if m.seat == 2})


def test_a_decision_that_is_not_even_mentioned_has_no_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told(self: Race, state: State, row: int, action: int, viewer: int | None) -> str | None:
        return self.action_text(action) if viewer in (None, int(state["seat"][row])) else None

    monkeypatch.setattr(Race, "told", told)
    session = Session(seating(Command(("uniform",), game="race:players=3", seat=0)), 7)
    finish(session, np.random.default_rng(3))
    assert {move.seat for move in session.heard} == {0}
    assert {line["seat"] for line in session.position()["log"]} == {0}
    made = session.record()
    frames = games.of_record(made).pictures(made, 0).frames
    own = [move["seat"] for move in made["moves"]].count(0)
    assert len(frames) == 1 + own + 1  # the deal, the own decisions, the end
    assert page.move_text(games.of_record(made).pictures(made, 0), len(frames) - 1) == "the end"


def test_how_it_ends_is_told_in_words() -> None:
    ends = set()
    for seed in range(12):
        session = Session(seating(Command(("uniform",), game="race:players=2,rounds=5")), seed)
        finish(session, np.random.default_rng(seed))
        ends.add(re.sub("uniform|You", "X", session.outcome()))
    assert ends <= {"X wins.", "X win.", "you and X share the victory."} | {CUT_OFF}
    assert CUT_OFF in ends


CUT_OFF = "The game was cut off: nobody wins."


def test_the_toy_at_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 100))
    assert main(["uniform", "--game", "race:players=3", "--seed", "1", "--seat", "1"]) == 0
    shown = capsys.readouterr().out
    assert "you are runner 1; your moves:" in shown
    assert re.search(r"^uniform#2: chooses a way$", shown, re.MULTILINE)
    before, after = shown.split("you are runner 1", 1)
    assert not WAYS.search(before)
    assert re.search(r"wins?\b|victory", after.splitlines()[-1])


def test_the_game_of_the_tutorial_needs_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "coins.py").write_text(GAME[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(games.GAMES, "coins", "coins")
    session = Session(seating(Command(("search:playouts=16",), game="coins")), 8)
    while not session.over:
        session.play(session.version, session.hint(session.version)["best"])
    assert "take 1" in session.replay()
    assert re.fullmatch("0 coins, player . takes", session.picture())
    assert session.outcome() in ("You win.", "search:playouts=16 wins.")
    with pytest.raises(Refused, match="Coins has no records for one seat's eyes"):
        session.view()


def test_the_toy_on_the_page(browser: Any) -> None:
    with serving(Command(("uniform",), game="race:players=3", seat=1), seed=3) as server:
        browser.get(server.url)
        busy = "return document.getElementById('table').getAttribute('aria-busy')"
        for _ in range(100):
            told = ask(server, game_of(server)).json
            if browser.execute_script(busy) == "false":
                if told["over"]:
                    break
                cards = browser.find_elements("css selector", ".card:enabled")
                assert len(cards) == len(told["legal"])
                browser.execute_script("document.getElementById('pace').value = '0'")
                cards[0].click()
        assert browser.find_element("css selector", "#status").text == told["frames"][-1]["status"]
        assert browser.find_element("css selector", "#title").text == "The race"
        seats = browser.find_elements("css selector", ".seat .score")
        assert [seat.text for seat in seats] == ["", "", ""]
        browser.get(f"http://127.0.0.1:{server.server_port}/api/games/{told['game']}/replay")
        assert "of " in browser.find_element("css selector", "#count").text
        browser.find_element("css selector", "#last").click()
        log = [line for line in browser.get_log("browser") if line["level"] != "INFO"]
        assert log == []


# ---------------------------------------------------------------- the shell, and words


@pytest.mark.parametrize("name", NAMES)
def test_a_demo_of_every_game(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "game.jsonl", tmp_path / "game.html"
    assert shell(["demo", "--game", name, "--seed", "3", "--out", str(file)]) == 0
    assert shell(["replay", str(file), "--move", "1"]) == 0
    assert "after 1 moves: uniform: " in capsys.readouterr().out
    assert shell(["page", str(file), "--out", str(out)]) == 0
    title = drago_env.make(name).spec.title
    assert f"<title>{title}: uniform, " in out.read_text(encoding="utf-8")
    assert shell(["replay", str(file), "--move", "9999"]) == 2
    assert "not 9999" in capsys.readouterr().err


def test_the_demo_has_the_default_games_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert shell(["demo", "--players", "4", "--edition", "italian", "--every", "1000"]) == 0
    assert "italian edition" in capsys.readouterr().out
    assert shell(["demo", "--game", "race", "--players", "4"]) == 2
    assert "say it in the spec race" in capsys.readouterr().err


def test_records_of_several_games_are_verified_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.jsonl"
    assert shell(["demo", "--out", str(file)]) == 0
    made = json.loads(file.read_text(encoding="utf-8"))
    other = {**made, "format": "checkers/1"}
    broken = {**made, "moves": made["moves"][1:]}
    file.write_text("".join(f"{json.dumps(r)}\n" for r in (made, other, broken, made)))
    capsys.readouterr()
    assert shell(["verify", str(file)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("record 1: no game has records of the format 'checkers/1'")
    assert shown[1].startswith("record 2: move 0: ")
    assert shown[2] == "2 of 4 records are sound"


def test_the_page_knows_no_game() -> None:
    files = [*PAGE.iterdir(), Path(page.__file__).with_suffix(".html")]
    assert {path.suffix for path in files} == {".html", ".css", ".js"}
    for path in files:
        found = re.findall(r"(?i)rider|dragon|edition|mount", path.read_text(encoding="utf-8"))
        assert found == [], path
