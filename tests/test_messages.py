"""What goes wrong is told in a sentence that says what to do; what was written is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import drago_env
from agents import arena
from benchmarks import speed
from drago_env.__main__ import main
from drago_env.core import compiled
from drago_env.core.files import in_words
from drago_env.games import records_of
from train import ppo, sb3_ppo
from train.arguments import Arguments


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    made = drago_env.play(drago_env.make("mount_drago:rules=tiny"), ["uniform"] * 2, [1]).records
    records_of("mount_drago").write(path, made)
    return path


def refused(capsys: pytest.CaptureFixture[str], code: int) -> str:
    """What was said of a refusal: one sentence, nothing raw."""
    said = capsys.readouterr().err
    assert code == 2
    for raw in ("Errno", "Traceback"):
        assert raw not in said
    return said


def test_errors_of_the_system_are_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    tries: list[tuple[Any, str]] = [
        (lambda: (tmp_path / "x").read_text(), f"there is no x in {tmp_path}"),
        (lambda: (tmp_path / "no" / "x").read_text(), f"there is no folder {tmp_path / 'no'}"),
        (lambda: tmp_path.read_text(), "is a folder: name a file"),
        (lambda: (tmp_path / "file" / "x").read_text(), "as if it were a folder"),
        (lambda: tmp_path.mkdir(), "exists already: name another"),
    ]
    for attempt, words in tries:
        with pytest.raises(OSError, match="Errno") as error:
            attempt()
        assert words in in_words(error.value)
        assert "Errno" not in in_words(error.value)
    assert in_words(ValueError("as it is")) == "as it is"
    assert "may not be read" in in_words(PermissionError(13, "no", "x"))


@pytest.mark.parametrize("words", ["verify nofile", "replay nofile", "page nofile --out x"])
def test_a_missing_file_is_told(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no nofile in" in refused(capsys, main(words.split()))


def test_a_seat_that_there_is_not(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, main(["replay", str(games), "--seat", "7"]))
    assert "--seat must be from 0 to 1, not 7" in said


@pytest.mark.parametrize("command", ["replay", "page --out x", "gif --out x"])
def test_a_records_number_is_no_game(
    command: str, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*command.split(), str(games)]
    assert "--game 0 is now --record 0" in refused(capsys, main([*words, "--game", "0"]))
    assert "a record says itself what was played" in refused(capsys, main([*words, "--game", "x"]))
    with pytest.raises(SystemExit):
        main([command.split()[0], "--help"])
    told = capsys.readouterr().out
    assert "--record N" in told
    assert "--game" not in told


def test_what_was_written_is_named(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = games.with_name("game.html")
    assert main(["page", str(games), "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == f"wrote {out}"


def test_an_arena_without_agents_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, arena.main([]))
    assert "python -m agents.arena greedy uniform" in said
    assert "heuristic" in said


def test_a_name_that_is_nearly_right(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, arena.main(["gredy", "uniform"]))
    assert "perhaps greedy?" in said
    assert "heuristic" in said


def test_a_board_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, arena.main(["uniform", "--board", "nofile"]))
    assert "cannot read the board file nofile: there is no nofile in" in said


def test_a_run_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, ppo.main(["--resume", str(tmp_path / "no")]))
    assert "is not the folder of a training run: there is no folder" in said


def test_an_interrupted_run_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(arguments: Arguments, progress: bool) -> None:
        raise KeyboardInterrupt

    for script in (ppo, sb3_ppo):
        monkeypatch.setattr(script, "train", interrupt)
        assert script.main(["--out", "runs/x"]) == 130
        told = f"go on with: python -m {script.__name__} --resume runs/x"
        assert told in capsys.readouterr().err


@pytest.mark.parametrize("package", ["agents", "train"])
def test_a_package_alone_lists_its_commands(package: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", package], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert f"python -m {package}." in run.stderr
    assert "Traceback" not in run.stderr


def test_peers_without_python_are_told_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["speed", "--quick", "--peers", "nopython"])
    monkeypatch.setattr(speed, "own_figures", None)
    with pytest.raises(SystemExit) as end:
        speed.main()
    assert "there is no Python nopython" in refused(capsys, int(end.value.code or 0))


def test_compiling_is_announced_once_and_only_when_it_happens(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels_of_a_test.py"
    kernels.write_text(
        "from drago_env.core.compiled import compiled\n"
        "@compiled\ndef one(x):\n    return x + 1\n"
        "@compiled\ndef two(x):\n    return x + 2\n"
        "assert (one(1), two(1)) == (2, 3)\n"
    )
    words = [sys.executable, "-c", "import kernels_of_a_test"]
    path = os.pathsep.join([str(tmp_path), str(Path(compiled.__file__).parents[2])])
    said = [
        subprocess.run(
            words,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        for _ in range(2)
    ]
    assert said[0].count("compiling for this machine, once") == 1
    assert said[1] == ""
