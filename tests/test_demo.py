"""The demo: it trains, plays and shows; a second one takes a folder beside the first."""

from __future__ import annotations

from pathlib import Path

import pytest

from train import demo, runs

pytestmark = pytest.mark.usefixtures("one_thread")


def test_it_trains_plays_and_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "demo"
    words = ["--out", str(out), "--steps", "1", "--lessons", "0", "--games", "4"]
    assert demo.main(words) == 0
    told = capsys.readouterr().out
    assert "from nothing: 1 decisions" in told
    for opponent in demo.OPPONENTS:
        assert f"| 2 | {opponent} | 4 |" in told
    assert (out / "arena.md").read_text(encoding="utf-8").strip() in told
    assert "<svg" in (out / "curve.svg").read_text(encoding="utf-8")
    page = (out / "game.html").read_text(encoding="utf-8")
    assert "heuristic" in page
    assert f"A game to watch: {out / 'game.html'}" in told
    assert runs.Run.open(out).config["arguments"]["players"] == [2]


def test_a_folder_is_gone_on_with_only_if_its_run_was_interrupted(tmp_path: Path) -> None:
    wanted = tmp_path / "demo"
    assert demo._folder(wanted) == (wanted, False)
    wanted.mkdir()
    (wanted / runs.RESUME).touch()
    assert demo._folder(wanted) == (wanted, True)
    (wanted / "curve.svg").touch()  # it has come to its end
    assert demo._folder(wanted) == (tmp_path / "demo-2", False)
    (tmp_path / "demo-2").mkdir()  # killed before anything was saved
    assert demo._folder(wanted) == (tmp_path / "demo-3", False)


def test_nonsense_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["--out", str(tmp_path / "demo"), "--steps", "0"]) == 2
    assert capsys.readouterr().err.startswith("error: steps must be from 1 to")
    assert not (tmp_path / "demo").exists()
