"""The demo: it trains, plays and shows; a second one takes a folder beside the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from train import demo, runs
from train.arguments import parse

pytestmark = pytest.mark.usefixtures("one_thread")


def test_it_trains_plays_and_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "demo"
    words = ["--out", str(out), "--steps", "1", "--lessons", "0", "--games", "4"]
    assert demo.main(words) == 0
    told = capsys.readouterr().out
    assert "from the rules of thumb: 1 decisions" in told
    for opponent in ("uniform", "greedy", "heuristic"):
        assert f"| 2 | {opponent} | 4 |" in told
    assert (out / "arena.md").read_text(encoding="utf-8").strip() in told
    assert "<svg" in (out / "curve.svg").read_text(encoding="utf-8")
    page = (out / "game.html").read_text(encoding="utf-8")
    assert "heuristic" in page
    assert f"A game to watch: {out / 'game.html'}" in told
    asked = runs.Run.open(out).config["arguments"]
    assert asked["game"] == ["mount_drago"]
    assert asked["thumbs"] is True  # as it says


def test_it_may_begin_from_nothing(tmp_path: Path) -> None:
    told = parse(demo.Demo, "train.demo", ["--thumbs", "False"])
    assert told.training(tmp_path).thumbs is False


def test_all_of_it_is_lessons_unless_told(tmp_path: Path) -> None:
    assert demo.Demo(steps=7).training(tmp_path).lessons == 7
    assert demo.Demo(steps=7, lessons=3).training(tmp_path).lessons == 3


def test_a_demo_goes_on_wherever_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "demo"
    words = ["--out", str(out), "--steps", "1", "--lessons", "0", "--games", "4"]
    for place in ("train.ppo.Training.go_on", "train.demo.evaluate", "train.demo.play"):
        with monkeypatch.context() as patch:
            patch.setattr(place, interrupt)
            assert demo.main(words) == 130
        assert "the same command goes on" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    other = demo._folder(demo.Demo(out, seed=1, steps=1, lessons=0))  # this is another demo
    assert other == (tmp_path / "demo-2", False)
    assert demo.main(words) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    finished = demo._folder(demo.Demo(out, steps=1, lessons=0))
    assert finished == (tmp_path / "demo-2", False)


def interrupt(*words: Any, **named: Any) -> None:
    raise KeyboardInterrupt


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / runs.RESUME).touch()
    assert demo._folder(demo.Demo(tmp_path / "demo")) == (tmp_path / "demo-2", False)


def test_nonsense_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["--out", str(tmp_path / "demo"), "--steps", "0"]) == 2
    assert capsys.readouterr().err.startswith("error: steps must be from 1 to")
    with pytest.raises(SystemExit, match="2"):
        demo.main(["--out", str(tmp_path / "demo"), "--games", "0"])
    assert "games must be a whole number from 1, not 0" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()
