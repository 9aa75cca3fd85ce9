"""The leaderboard's page, from a few games of quick agents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents import leaderboard
from tests import games

PLAN = """
agents = ["heuristic", "greedy", "uniform"]
players = [2, 3]
games = 1000
[[duels]]
title = "Who beats whom"
text = "Two alone."
pairs = [["heuristic", "greedy", 8000], ["greedy", "uniform", 4000]]
[[duels]]
title = "Advice"
text = "What it is worth."
pairs = [["heuristic", "uniform", 1000]]
[luck]
agent = "uniform"
games = 4000
[variants]
title = "Variants"
text = "Made of what?"
against = "heuristic"
players = [2]
games = 1000
agents = ["greedy"]
"""


def made(tmp_path: Path, plan: str, scale: str, *words: str) -> str:
    """The page of this plan."""
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    out = tmp_path / "arenas"
    given = ["--plan", str(tmp_path / "plan.toml"), "--out", str(out), "--scale", scale]
    assert leaderboard.main([*given, *words]) == 0
    (page,) = out.glob("*.md")
    return page.read_text(encoding="utf-8")


def test_the_page_has_every_arena_and_comes_out_the_same_from_its_folder(tmp_path: Path) -> None:
    page, out = made(tmp_path, PLAN, "0.02"), tmp_path / "arenas"
    lines = page.splitlines()
    for players in (2, 3):
        assert f"## {players} players" in lines
        for pair in ("heuristic over greedy", "greedy over uniform", "heuristic over uniform"):
            assert sum(line.startswith(f"| {players} | {pair} |") for line in lines) == 1
        assert (out / f"leaderboard-{players}.svg").read_text().startswith("<?xml")
    assert sum("| `greedy` |" in line for line in lines) == 1  # the variant
    assert sum("python -m agents.arena heuristic greedy uniform" in line for line in lines) == 2
    assert "with 0.02 times the games" in page
    assert (out / "leaderboard-luck.svg").exists()
    folders = sorted(path.name for path in out.iterdir() if path.is_dir())
    assert len(folders) == 2 * (1 + 2 + 1 + 1) + 1
    plotted = (out / "leaderboard-2.svg").read_bytes()
    made(tmp_path, PLAN, "0.02")  # nothing is played again
    assert (out / "leaderboard-2.svg").read_bytes() == plotted


def test_a_weaker_agent_that_wins_is_told(tmp_path: Path) -> None:
    plan = """
        agents = ["uniform", "greedy"]
        players = [2]
        games = 20
        [[duels]]
        title = "Who beats whom"
        text = ""
        pairs = [["uniform", "greedy", 200]]
        """
    page = made(tmp_path, plan, "1")
    (row,) = (line for line in page.splitlines() if line.startswith("| 2 | uniform over greedy |"))
    mean, low, high = map(float, re.findall(r"-?\d+\.\d", row)[:3])
    assert -100 <= low <= mean <= high < 0
    assert "| the other way round |" in row


def test_a_game_without_points_has_a_page_without_them(tmp_path: Path) -> None:
    plan = PLAN.replace("heuristic", "tests.adapters:First").replace(
        "greedy", "tests.adapters:Dice"
    )
    page = made(tmp_path, plan, "0.01", "--game", "race", "--trust")
    assert "were cut off" in page
    assert "random decisions" in page
    for word in ("margin", "points", "Luck", "luck.svg", "nan"):
        assert word not in page
    assert (tmp_path / "arenas" / "leaderboard-race.md").exists()
    assert (tmp_path / "arenas" / "leaderboard-race-3.svg").exists()


@pytest.mark.parametrize("scale", ["0", "-1", "nan"])
def test_a_scale_of_nothing_is_refused(scale: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert leaderboard.main(["--scale", scale]) == 2
    assert f"error: scale must be more than 0, not {float(scale)}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ('agents = ["os:system"]\nplayers = [2]\ngames = 1', "say --trust"),
        ('agents = ["response:to=os:system"]\nplayers = [2]\ngames = 1', "say --trust"),
        (
            'agents = ["uniform"]\nplayers = [2]\ngames = 1\n[skill]\nbase = "os:system"\n'
            'players = [2]\npositions = 1\nagents = ["uniform"]',
            "say --trust",
        ),
        (
            'agents = ["uniform"]\nplayers = [2]\ngames = 1\n[[exploit]]\nmodel = "os:system"\n'
            'players = [2]\ngames = 1\nagents = ["uniform"]',
            "say --trust",
        ),
        ('agents = ["nobody"]\nplayers = [2]\ngames = 1', "unknown policy 'nobody'"),
        ('agents = ["uniform"]', "must say players, games"),
        ('agents = ["uniform"]\nplayers = [2]\ngames = 1\n[exploit]', "write [[exploit]]"),
        ("agents = [", "cannot be read"),
        (None, "there is no"),
    ],
)
def test_a_bad_plan_is_refused_before_any_game(
    tmp_path: Path, plan: str | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.toml"
    if plan is not None:
        path.write_text(plan, encoding="utf-8")
    assert leaderboard.main(["--plan", str(path), "--out", str(tmp_path / "arenas")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "arenas").exists()


def test_a_trial_never_takes_the_place_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert leaderboard.main(["--write", "--scale", "0.5"]) == 2
    assert "error: a scale of 0.5 is a trial" in capsys.readouterr().err


SKILL = """
agents = ["greedy", "uniform"]
players = [2]
games = 10
[skill]
base = "greedy"
players = [2, 3]
positions = 320
worlds = 2
playouts = 4
agents = ["heuristic", "clairvoyant:playouts=4"]
[[exploit]]
players = [2]
steps = 0
playouts = 8
games = 20
agents = ["greedy", "uniform"]
"""


def test_skill_and_answers_come_first(tmp_path: Path) -> None:
    page = made(tmp_path, SKILL, "0.5")
    titles = [line for line in page.splitlines() if line.startswith("#")]
    assert titles[:5] == [
        "# Leaderboard of Mount Drago",
        "## Between the base and the ceiling",
        "### Skill, 2 players",
        "### Skill, 3 players",
        "## What an answer wins",
    ]
    for players in (2, 3):
        assert (tmp_path / "arenas" / f"leaderboard-skill-{players}.svg").exists()
    asked = "--agents heuristic clairvoyant:playouts=4 --base greedy --positions 160 "
    assert f"`python -m agents.skill --game mount_drago:players=2 {asked}" in page
    assert page.count("| fair ceiling |") == 2
    assert "| clairvoyant:playouts=4 (sees all) |" in page
    assert "| 2 | greedy | told search |" in page
    assert "| 2 | uniform | told search |" in page


def test_only_if_told_so_the_docs_are_written() -> None:
    asked = leaderboard.Arguments()
    assert asked.page == asked.out / "leaderboard.md"
    assert leaderboard.Arguments(write=True).page == Path("docs/leaderboard.md")


@pytest.mark.parametrize("game", games.NAMES)
def test_the_plan_of_a_game_can_be_played(game: str) -> None:
    asked = leaderboard.Arguments(game)
    if not (Path(leaderboard.__file__).parent / game / "leaderboard.toml").exists():
        pytest.skip("has no leaderboard yet")
    board = leaderboard.Leaderboard(asked)
    for players in board.plan["players"]:
        assert board.config(board.plan["agents"], players, 1).players == players
