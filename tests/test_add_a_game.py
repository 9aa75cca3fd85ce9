"""The tutorial of a new game, as a reader would follow it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
GAME = re.findall(r'```python title="coins.py"\n(.*?)```', TEXT, re.DOTALL)
USE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_game_is_small() -> None:
    assert len(GAME[0].strip().split("\n")) < 150


def test_the_tutorial_makes_a_game_that_keeps_all_promises(tmp_path: Path) -> None:
    (tmp_path / "coins.py").write_text(GAME[0], encoding="utf-8")
    (tmp_path / "use.py").write_text(USE[0], encoding="utf-8")
    paths = os.pathsep.join((str(tmp_path), str(ROOT)))
    told = subprocess.run(
        [sys.executable, "-W", "error", "use.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    shares = [float(share) for share in re.findall(r"\d\.\d*", told.stdout)]
    assert shares[0] > 0.45  # a search beats two random players
