"""The package as others meet it: its wheel and version, and life without the compiler."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import drago_env
from tests import constraints

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "drago_env"

# ---------------------------------------------------------------- other processes


def run(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """What a command prints; its errors are shown if it fails. An empty variable is as none."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0", **(env or {})},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


QUIET = """
import random, sys
import numpy as np
before = random.getstate(), str(np.random.get_state())
import drago_env
assert (random.getstate(), str(np.random.get_state())) == before
loud = "torch", "tkinter", "pygame", "matplotlib", "stable_baselines3", "ray", "IPython"
print(*(name for name in loud if name in sys.modules))
"""


def test_the_import_is_quiet() -> None:
    """No learning framework, no window system, and no touch on the global generators."""
    assert run(sys.executable, "-W", "error", "-c", QUIET).strip() == ""


def test_the_environments_of_every_game_are_there_without_an_import_of_their_own() -> None:
    code = "import drago_env; print(*(getattr(drago_env, f'{n}_v0').env for n in drago_env.GAMES))"
    assert run(sys.executable, "-c", code).count("function env") == 3


# A whole game, printed as its record; works wherever the package is installed.
GAME = """
import json
from drago_env import MountDrago, Rules, record
game = MountDrago(Rules(3, "italian"))
start = game.new(5)
state, actions = start.copy(), []
while not game.over(state)[0]:
    legal = game.legal(state)
    actions.append(int(legal.actions[0, 5 * len(actions) % legal.counts[0]]))
    game.step(state, actions[-1:])
made = record.record(game, start, actions, seed=5)
record.verify(made)
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def game_here() -> str:
    """What `GAME` prints in the checkout."""
    return run(sys.executable, "-c", GAME)


# ---------------------------------------------------------------- the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built in a copy, so that nothing is left in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = shutil.ignore_patterns(".git", *(line.strip("/") for line in lines))
    shutil.copytree(ROOT, folder / "checkout", ignore=ignored)
    build = ("-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist")
    run(sys.executable, *build, cwd=folder / "checkout")
    (made,) = (folder / "dist").glob("*.whl")
    return made


def test_the_wheel_is_the_environment_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        text = archive.read(metadata).decode()
    about = f"drago_env-{drago_env.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"drago_env", about}
    there = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("drago_env/")} == there
    assert {"drago_env/py.typed", "drago_env/mount_drago/boards/tiny.txt"} <= names
    needed = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra)", text, re.MULTILINE)
    assert set(needed) == {"numpy", "numba", "gymnasium", "pettingzoo"}


@pytest.fixture(scope="module")
def empty_venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("venv")
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    run(sys.executable, "-m", "venv", *(["--without-pip"] if uv else []), folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    what = (wheel, "-c", ROOT / "constraints.txt")
    if uv:
        links = os.environ.get("PIP_FIND_LINKS")
        env = {"UV_FIND_LINKS": links} if links else {}
        run(uv, "pip", "install", "--quiet", "--python", python, *what, env=env)
    else:
        run(python, "-m", "pip", "install", "--quiet", *what)
    return python


INSTALLED = """
from importlib.metadata import version
from importlib.util import find_spec
import drago_env
assert version("drago-env") == drago_env.__version__
print(drago_env.__file__)
print(*(name for name in ("torch", "agents", "train", "tests") if find_spec(name)))
"""


def test_the_wheel_plays_in_an_empty_environment(
    empty_venv: Path, tmp_path: Path, game_here: str
) -> None:
    file, others = run(empty_venv, "-I", "-c", INSTALLED, cwd=tmp_path).split("\n")[:2]
    assert Path(file).is_relative_to(empty_venv.parent.parent)
    assert others == ""
    assert run(empty_venv, "-I", "-W", "error", "-c", GAME, cwd=tmp_path) == game_here


AGENTS = """
import drago_env
for name in drago_env.GAMES:
    game = drago_env.make(name, players=2)
    for agent in ("uniform", "greedy", "heuristic", "search:playouts=4"):
        assert drago_env.resolve(agent, game).name == agent.partition(":")[0]
game = drago_env.make("mount_drago:rules=tiny")
print(drago_env.play(game, ["greedy", "heuristic"], [1]).winners.any())
"""


def test_the_wheel_has_agents_and_a_command(empty_venv: Path, tmp_path: Path) -> None:
    assert run(empty_venv, "-I", "-c", AGENTS, cwd=tmp_path) == "True\n"
    drago = empty_venv.with_name("drago")
    out = run(drago, "demo", "--rules", "tiny", "--out", "game.jsonl", cwd=tmp_path)
    assert "after 1 moves" in out or "the deal" in out
    assert run(drago, "verify", "game.jsonl", cwd=tmp_path) == "1 of 1 records are sound\n"
    assert "game.html" in run(drago, "page", "game.jsonl", "--out", "game.html", cwd=tmp_path)
    for command, extra in (("play", "agents"), ("arena", "agents"), ("train", "train")):
        done = subprocess.run([drago, command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.endswith(f'there, say pip install -e ".[{extra}]"\n')


# ---------------------------------------------------------------- without a compiler

PLAIN = {"NUMBA_DISABLE_JIT": "1"}
# Everything that the kernels answer, move by move, as one digest.
DIGEST = """
from hashlib import sha256
import numba
from drago_env import MountDrago, Rules
print(numba.config.DISABLE_JIT)
digest = sha256()
for variants in ([Rules(2), Rules(5, "italian")], [Rules.tiny(3), Rules.tiny(2, "italian")]):
    game = MountDrago(*variants, reward="rank")
    state = game.new([8, 9], [0, 1])
    for move in range(400):
        legal = game.legal(state)
        listed = [n[: legal.counts[row]].tobytes() for row, n in enumerate(legal.actions)]
        clone = game.determinize(state, move % 2, [move, 2**62])
        answers = [legal.mask, game.observe(state), game.observe_compact(state, [1, 0])]
        answers += [game.features(state, legal), game.playout(clone, [move, 1])]
        for games in (state, clone):
            answers += [games[name] for name in games.dtype.names]
        digest.update(b"".join([*listed, *(answer.tobytes() for answer in answers)]))
        if game.over(state).all():
            break
        pick = [legal.actions[row, 3 * move % max(n, 1)] for row, n in enumerate(legal.counts)]
        pick = [int(a) if n else -1 for a, n in zip(pick, legal.counts)]
        digest.update(game.step(state, pick).rewards.tobytes())
    assert game.over(state).all()
print(digest.hexdigest())
"""


def test_a_game_without_the_compiler_is_the_same_game(game_here: str) -> None:
    python = (sys.executable, "-W", "ignore::RuntimeWarning")  # the generator wraps around
    assert run(*python, "-c", GAME, env=PLAIN) == game_here
    plain = run(*python, "-c", DIGEST, env=PLAIN).split()
    compiled = run(*python, "-c", DIGEST).split()
    assert (plain[0], compiled[0]) == ("1", "0")
    assert plain[1] == compiled[1]


def test_the_clauses_hold_without_the_compiler() -> None:
    files = sorted((ROOT / "tests").glob("*/test_clauses*.py"))
    assert files
    quiet = ("-q", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning")
    assert " passed" in run(sys.executable, "-m", "pytest", *quiet, *files, env=PLAIN)


# ---------------------------------------------------------------- the version


def test_the_version_is_the_one_of_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d.*?)\]", text, re.MULTILINE)  # after what is unreleased
    assert newest
    assert newest[1] == drago_env.__version__ == importlib.metadata.version("drago-env")


def test_the_version_to_cite_is_the_same() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([\w-]+): (.+)$", text, re.MULTILINE))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert fields["version"] == drago_env.__version__
    assert f"## [{fields['version']}] - {fields['date-released'].strip(chr(34))}" in changes
    assert fields["license"] == importlib.metadata.metadata("drago-env")["License-Expression"]


def test_every_dependency_has_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    listed = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for requirement in (*listed, *(one for extra in extras for one in extra)):
        assert requirement.startswith("drago-env[") or ",<" in requirement, requirement


@pytest.mark.skipif(sys.platform != "linux", reason="the pins are those of the checks")
def test_every_installed_package_is_pinned() -> None:
    lines = constraints.FILE.read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert constraints.pins().items() <= pinned.items()


def test_actions_and_containers_are_pinned() -> None:
    text = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)@(\S+)", text)
    assert used
    assert all(re.fullmatch(r"[0-9a-f]{40}", version) for _, version in used)
    for image in re.findall(r"container: (\S+)", text):
        assert re.search(r":\d+\.\d+\.\d+", image), image
