"""The leaderboard's page, from a few games of quick agents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents import leaderboard
from agents.leaderboard import Arguments


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three quick agents instead of the real ones, at two tables."""
    monkeypatch.setattr(leaderboard, "AGENTS", ("heuristic", "greedy", "uniform"))
    duels = {("heuristic", "greedy"): 8000, ("greedy", "uniform"): 4000}
    monkeypatch.setattr(leaderboard, "DUELS", duels)
    monkeypatch.setattr(leaderboard, "ADVICE", {("heuristic", "uniform"): 1000})
    monkeypatch.setattr(leaderboard, "PLAYERS", (2, 3))
    monkeypatch.setattr(leaderboard, "VARIANTS", ("greedy",))
    monkeypatch.setattr(leaderboard, "VARIANT_PLAYERS", (2,))
    monkeypatch.setattr(leaderboard, "EQUALS", ("uniform", "uniform"))


@pytest.mark.usefixtures("quick")
def test_the_page_has_every_arena_and_comes_out_the_same_from_its_folder(tmp_path: Path) -> None:
    arguments = Arguments(tmp_path / "page.md", tmp_path / "arenas", scale=0.02)
    leaderboard.main(arguments)
    page = arguments.page.read_text(encoding="utf-8")
    lines = page.splitlines()
    for players in (2, 3):
        assert f"## {players} players" in lines
        for pair in ("heuristic over greedy", "greedy over uniform", "heuristic over uniform"):
            assert sum(line.startswith(f"| {players} | {pair} |") for line in lines) == 1
        assert (tmp_path / f"leaderboard-{players}.svg").read_text().startswith("<?xml")
    assert sum("| `greedy` |" in line for line in lines) == 1  # the variant
    assert sum("python -m agents.arena heuristic greedy uniform" in line for line in lines) == 2
    assert "with 0.02 times the games" in page
    assert (tmp_path / "luck.svg").exists()
    folders = sorted(path.name for path in arguments.out.iterdir())
    assert len(folders) == 2 * (1 + 2 + 1 + 1) + 1
    plotted = (tmp_path / "leaderboard-2.svg").read_bytes()
    leaderboard.main(arguments)  # nothing is played again
    assert (tmp_path / "leaderboard-2.svg").read_bytes() == plotted


@pytest.mark.usefixtures("quick")
def test_a_weaker_agent_that_wins_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaderboard, "AGENTS", ("uniform", "greedy", "heuristic"))
    monkeypatch.setattr(leaderboard, "DUELS", {("uniform", "greedy"): 1000})
    monkeypatch.setattr(leaderboard, "PLAYERS", (2,))
    arguments = Arguments(tmp_path / "page.md", tmp_path / "arenas", scale=0.2)
    leaderboard.main(arguments)
    page = arguments.page.read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| 2 | uniform over greedy |"))
    mean, low, high = map(float, re.findall(r"-?\d+\.\d", row)[:3])
    assert -100 <= low <= mean <= high < 0
    assert "| the other way round |" in row
