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
from drago_env import record


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
    assert re.search(r"^rider 2, greedy: play \w+ \d", shown.replace("): ", "\n"), re.MULTILINE)
    assert "rider 0, clairvoyant:playouts=16: play" in shown
    assert "you are rider 1" in shown
    ends = re.findall(
        r"^(?:You win|.* wins|.* share the victory), .*\byou -?\d+", shown, re.MULTILINE
    )
    assert len(ends) == 2
    games = record.read(file)
    assert record.verify_all(games) == [None, None]
    assert [made["seed"] for made in games] == [3, 4]
    assert games[0]["riders"] == ["clairvoyant:playouts=16", "human", "greedy"]


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
        ("uniform --record no/such/folder.jsonl", "no/such/folder.jsonl"),
        ("human --web", "human plays at the terminal"),
        ("uniform --web --port 70000", "port must be from 0 to 65535"),
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
