"""The tutorial of a new game, as a reader would follow it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
GAME = re.findall(r'```python title="coins.py"\n(.*?)```', TEXT, re.DOTALL)
RUN = re.findall(r'```python title="run_coins.py"\n(.*?)```', TEXT, re.DOTALL)
USE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_game_is_small() -> None:
    assert len(GAME[0].strip().split("\n")) < 150


def test_the_tutorial_makes_a_game_that_keeps_all_promises(tmp_path: Path) -> None:
    (tmp_path / "coins.py").write_text(GAME[0], encoding="utf-8")
    (tmp_path / "use.py").write_text(USE[0], encoding="utf-8")
    told = said(tmp_path, "-W", "error", "use.py")
    shares = [float(share) for share in re.findall(r"\d\.\d*", told)]
    assert shares[0] > 0.45  # a search beats two random players


def test_the_commands_play_and_train_it(tmp_path: Path) -> None:
    (tmp_path / "coins.py").write_text(GAME[0], encoding="utf-8")
    (tmp_path / "run_coins.py").write_text(RUN[0], encoding="utf-8")
    arena = "arena search:playouts=64 uniform --games 40 --workers 2 --json"
    best = json.loads(said(tmp_path, "run_coins.py", *arena.split()))["agents"][0]
    assert best["agent"] == "search:playouts=64"
    assert best["win_share"]["low"] > 0.5
    sizes = "--num-envs 16 --num-steps 16 --minibatch-size 128 --evaluate-games 10"
    said(tmp_path, "run_coins.py", "train", "--out", "run", "--steps", "512", *sizes.split())
    table = "arena neural:path=run/network.safetensors uniform --games 4 --workers 1 --json"
    agents = json.loads(said(tmp_path, "run_coins.py", *table.split()))["agents"]
    assert "neural:path=run/network.safetensors" in {one["agent"] for one in agents}
    assert " coins, player 0 takes" in said(tmp_path, "run_coins.py", "play", "--terminal")


def said(folder: Path, *words: str) -> str:
    paths = os.pathsep.join((str(folder), str(ROOT)))
    told = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        input="q\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout
