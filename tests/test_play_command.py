"""`python -m agents.play`: a game at the terminal, the table that a command describes, the page."""

from __future__ import annotations

import http.client
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.play import Command, main, seating
from drago_env import make, record
from drago_env.games import BUILT_IN
from drago_env.pictures.table import table_of
from tests.mount_drago.test_page import until


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_game_at_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    for seed in (3, 4):
        type_in(monkeypatch, "1\n" * 500)
        words = f"greedy clairvoyant:playouts=16 --seat 1 --seed {seed} --record {file}"
        assert main(words.split()) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^greedy: play \w+ \d", shown.replace("): ", "\n"), re.MULTILINE)
    assert "clairvoyant:playouts=16: play" in shown
    assert re.search(r"^you: play .*\(you \+\d", shown.replace("): ", "\n"), re.MULTILINE)
    assert "rider 2, greedy: " in shown  # in the list of riders
    assert "you are rider 1" in shown
    ends = re.findall(
        r"^(?:You win|.* wins|.* share the victory), .*\byou -?\d+", shown, re.MULTILINE
    )
    assert len(ends) == 2
    games = record.read(file)
    assert record.verify_all(games) == [None, None]
    assert [made["seed"] for made in games] == [3, 4]
    assert games[0]["riders"] == ["clairvoyant:playouts=16", "human", "greedy"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_line_at_the_terminal_is_too_long(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, "1\n2\n" * 12 + "u\nu\nu\nq\n")
    assert main(["uniform", "greedy", "--game", name, "--seed", "5", "--seat", "1"]) == 0
    shown = re.sub(r"your move \([^)]*\): ", "\n", capsys.readouterr().out)
    assert [line for line in shown.split("\n") if len(line) > 80] == []
    assert table_of(make(name)).goal(make(name).new(0)).split()[0] in shown.split("\n")[0]


def test_hints_and_undo_at_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, "u\nh\n1\nu\nq\n")
    assert main(["uniform", "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    assert "there is no move of yours to take back" in shown
    hint = shown.partition("best moves and your chance to win after each:\n")[2]
    assert re.match(r"  play \w+ \d( and keep)? +\d+%\n", hint)
    boards = re.findall(r"-> .*\n(?:   .*\n)+", shown)
    assert len(boards) == 3  # a hint does not show the position anew
    assert boards[2] == boards[0] != boards[1]


def test_leaving_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, "1\nq\n")
    assert main(["uniform"]) == 0
    assert capsys.readouterr().out.endswith("you left the game\n")


def test_who_sits_where() -> None:
    table = seating(Command(("greedy", "uniform"), players=5, seat=3))
    assert list(table.names) == ["uniform", "greedy#2", "uniform#2", "human", "greedy"]
    names = [table.others[seat].name for seat in (0, 1, 2, 4)]
    assert names == ["uniform", "greedy", "uniform", "greedy"]
    assert list(seating(Command()).names) == ["human", "search"]


def test_a_game_is_a_spec() -> None:
    for command in (
        Command(("uniform",), game="mount_drago:players=3,edition=italian"),
        Command(("uniform",), players=3, edition="italian"),
    ):
        table = seating(command)
        assert list(table.names) == ["human", "uniform", "uniform#2"]
        assert table.game.table.variant(table.game.new(0)) == "italian edition"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("uniform --seat 2", "seat must be from 0 to 1, not 2"),
        ("uniform --seat -1", "seat must be from 0 to 1, not -1"),
        ("uniform uniform --players 2", "2 players leave room for 1 to 1 opponents"),
        ("--players 6", "players must be"),
        ("--game mount_dargo", "unknown game 'mount_dargo': perhaps mount_drago?"),
        ("--game mount_drago:colour=red", "cannot be made"),
        ("--game race --players 4", "say --game race:players=4"),
        ("--edition french", "edition must be german or italian"),
        ("nobody", "unknown policy 'nobody'"),
        ("uniform --board nowhere.txt", "nowhere.txt"),
        ("uniform --seed -1", "seeds must be whole numbers"),
        ("uniform --record no/such/folder.jsonl", "there is no folder no/such: make it"),
        ("human --web", "human plays at the terminal"),
        ("uniform --web --port 70000", "port must be from 0 to 65535"),
        ("--web --terminal", "do not go together"),
    ],
)
def test_wrong_words_are_refused(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err


def test_the_page_is_served_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agents.play", "uniform", "--web", "--port", "0"]
    process: Any = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/\?token=[\w-]{20,})", line)
        assert found, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
        connection.request("GET", found[2])
        assert connection.getresponse().status == 303
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_page_is_opened_in_the_browser(tmp_path: Path) -> None:
    """`drago play` leads to the lists, and the browser of the user's choice gets the address."""
    opened = tmp_path / "opened"
    browser = tmp_path / "browser.py"
    browser.write_text(f"import sys\nopen({str(opened)!r}, 'w').write(sys.argv[1])\n")
    command = [sys.executable, "-m", "drago_env", "play", "--port", "0"]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "BROWSER": f"{sys.executable} {browser} %s"}
    process: Any = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/\?token=\S+)", process.stdout.readline())
        assert found
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        connection.request("GET", found[2])
        assert connection.getresponse().headers["Location"] == "/new"
        connection.close()
        until(lambda: opened.is_file() and opened.read_text() == found[0], 60)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
