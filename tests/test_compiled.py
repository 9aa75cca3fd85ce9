"""Compiled functions are compiled anew exactly when what they are made of changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba import njit

from drago_env.core.compiled import inlined

ROOT = Path(__file__).parent.parent
HELPER = "from drago_env.core.compiled import inlined\nfrom made.numbers import TEN\n\n"
HELPER += "@inlined\ndef grown(x):\n    return x + TEN\n"
KERNEL = """from drago_env.core.compiled import compiled
from made.helper import grown

@compiled
def total(n):
    s = 0
    for i in range(n):
        s += grown(i)
    return s
"""
GENERAL = """from drago_env.core.compiled import compiled_for

def loops(module, grown):
    @compiled_for(module)
    def twice(n):
        return 2 * grown(n)
    return twice
"""
GAME = """from made.general import loops
from made.helper import grown

twice = loops(__name__, grown)
"""
OTHER = """from drago_env.core.compiled import inlined
from made.general import loops

@inlined
def shrunk(x):
    return x - 1

twice = loops(__name__, shrunk)
"""
RUN = """
from made import game, kernel, other
print(kernel.total(3), game.twice(1), other.twice(1))
for function in (kernel.total, game.twice, other.twice):
    stats = getattr(function, "stats", None)
    print("plain" if stats is None else "hit" if sum(stats.cache_hits.values()) else "miss")
"""


class Made:
    """A small package in a folder of its own, run in new processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "made"
        self.folder.mkdir()
        self.cache = folder / "cache"
        files = {"numbers": "TEN = 10\n", "helper": HELPER, "kernel": KERNEL, "__init__": ""}
        files |= {"general": GENERAL, "game": GAME, "other": OTHER, "words": "TEXT = 'a'\n"}
        for name, text in files.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.folder / f"{name}.py").write_text(text, encoding="utf-8")

    def run(self, **env: str) -> tuple[str, list[str]]:
        """What the functions answer, and for each whether it was there."""
        paths = os.pathsep.join((str(self.folder.parent), str(ROOT)))
        given = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(self.cache), **env}
        told = subprocess.run(
            [sys.executable, "-W", "error", "-c", RUN],
            env={**os.environ, **given},
            cwd=self.folder.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stderr
        answers, *stats = told.stdout.split("\n")
        return answers, stats[:3]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def test_what_is_compiled_is_kept_until_what_it_is_made_of_changes(made: Made) -> None:
    assert made.run() == ("33 22 0", ["miss", "miss", "miss"])
    assert made.run() == ("33 22 0", ["hit", "hit", "hit"])
    made.write("helper", HELPER.replace("x + TEN", "x + TEN * 2"))  # a helper, in another file
    assert made.run() == ("63 42 0", ["miss", "miss", "hit"])
    made.write("numbers", "TEN = 100\n")  # a constant, in a third
    assert made.run() == ("603 402 0", ["miss", "miss", "hit"])
    made.write("words", "TEXT = 'b'\n")  # nothing is made of it
    (made.folder / "helper.py").touch()
    assert made.run() == ("603 402 0", ["hit", "hit", "hit"])
    made.write("general", GENERAL.replace("2 * grown", "3 * grown"))  # general code, for each game
    assert made.run() == ("603 603 0", ["hit", "miss", "miss"])


def test_what_compiles_them_is_among_what_they_are_made_of(made: Made) -> None:
    core = made.folder.parent / "drago_env" / "core"
    core.mkdir(parents=True)
    for folder in (core.parent, core):
        (folder / "__init__.py").touch()
    source = (ROOT / "drago_env" / "core" / "compiled.py").read_text(encoding="utf-8")
    options = '"boundscheck": False'
    assert options in source
    (core / "compiled.py").write_text(source, encoding="utf-8")
    assert made.run()[1] == ["miss"] * 3
    assert made.run()[1] == ["hit"] * 3
    (core / "compiled.py").write_text(source.replace(options, '"boundscheck": True'), "utf-8")
    assert made.run()[1] == ["miss"] * 3


def test_without_the_compiler_they_are_plain_functions(made: Made) -> None:
    assert made.run(NUMBA_DISABLE_JIT="1") == ("33 22 0", ["plain"] * 3)


def test_where_nothing_can_be_written_they_are_kept_in_memory(made: Made, tmp_path: Path) -> None:
    (made.folder / "__pycache__").write_text("a file where a folder is wanted")
    nowhere = str(made.folder / "__pycache__" / "below-a-file")
    env = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), nowhere)
    assert made.run(**env) == ("33 22 0", ["miss"] * 3)


def test_a_read_only_package_is_kept_in_the_users_folder(made: Made, tmp_path: Path) -> None:
    (made.folder / "__pycache__").write_text("a file where a folder is wanted")
    home = tmp_path / "home"
    env = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(home))
    assert made.run(**env, NUMBA_CACHE_DIR="")[1] == ["miss"] * 3
    assert list(home.rglob("kernel.total-*.nbc"))
    assert made.run(**env, NUMBA_CACHE_DIR="")[1][0] == "hit"


def test_a_helper_is_refused_to_python_before_and_after_it_is_compiled() -> None:
    @inlined
    def grown(x: int) -> int:
        return x + 1

    kernel = njit(lambda x: grown(x) * 2)
    for _ in range(2):
        with pytest.raises(TypeError, match="grown is a part of kernels: call its py_func"):
            grown(3)
        assert kernel(3) == 8
    assert grown.py_func(3) == 4


def test_functions_are_handed_over_once(made: Made) -> None:
    made.write("game", GAME + "again = loops(__name__, grown)\n")
    with pytest.raises(AssertionError, match="hand it over once"):
        made.run()


def test_the_cache_of_a_package_without_files_is_none(tmp_path: Path) -> None:
    code = "from drago_env.core.compiled import stamp, compiled\n"
    code += "assert stamp('__main__') is None\n@compiled\ndef f(x):\n    return x + 1\n"
    code += "print(f(1))"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "2"
    shutil.rmtree(tmp_path)
