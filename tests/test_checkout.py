"""The command `drago`, and files of others that bear the names of the checkout's packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drago_env.__main__ import main
from drago_env.checkout import hidden_by, load, stranger

ROOT = Path(__file__).parent.parent


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A Python that finds what lies in a folder before it finds the checkout."""
    env = {**os.environ, "PYTHONPATH": f"{cwd}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True
    )


def test_the_checkouts_own_packages_are_no_strangers() -> None:
    assert [stranger(package) for package in ("agents", "train", "nothing_at_all")] == [None] * 3
    assert hidden_by("agents") == ""
    assert load("agents.arena", "a test").__name__ == "agents.arena"


@pytest.mark.parametrize("kind", ["module", "package"])
def test_a_file_of_the_same_name_is_told_of_and_not_run(kind: str, tmp_path: Path) -> None:
    place = tmp_path / ("agents.py" if kind == "module" else "agents/__init__.py")
    place.parent.mkdir(exist_ok=True)
    place.write_text("raise SystemExit('mine was run')\n", encoding="utf-8")
    for command in (["-m", "drago_env", "arena", "greedy"], ["-c", RESOLVE]):
        done = run(*command, cwd=tmp_path)
        said = done.stdout + done.stderr
        assert f"Python finds {place} by the name 'agents'" in said
        assert "rename that file, or start in another folder" in said
        assert "mine was run" not in said
        assert "Traceback" not in said


RESOLVE = """
from drago_env import resolve
print(resolve("greedy").name)
try:
    resolve("clairvoyant")
except ValueError as error:
    print(error)
"""


def test_training_says_which_file_hides_the_agents(tmp_path: Path) -> None:
    (tmp_path / "agents.py").write_text("", encoding="utf-8")
    said = run("-m", "train.ppo", "--help", cwd=tmp_path).stderr
    assert f"training needs drago-env's agents: Python finds {tmp_path / 'agents.py'}" in said


def test_commands_of_a_checkout_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("agents", "agents.arena"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("drago_env.checkout.find_spec", lambda name: None)
    assert main(["arena"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "error: drago arena belongs to a checkout of the repository: there, "
        'say pip install -e ".[agents]"\n'
    )


COMMANDS = (
    *("agents.play", "agents.arena", "agents.leaderboard", "agents.solve", "agents.skill"),
    *("agents.mount_drago.tune", "train.ppo", "train.sb3_ppo"),
)
WITHOUT_TYRO = """
import importlib.util as util
find = util.find_spec
util.find_spec = lambda name, *more: None if name == "tyro" else find(name, *more)
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_lacks_a_library_says_so_in_a_sentence(command: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_TYRO, encoding="utf-8")
    done = run("-m", command, "--help", cwd=tmp_path)
    package = command.partition(".")[0]
    why = f'error: {package} needs tyro: in the checkout, say pip install -e ".[{package}]"\n'
    assert (done.returncode, done.stderr) == (1, why)


def test_the_command_lists_all_that_it_can(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"], prog="drago")
    shown = capsys.readouterr().out
    assert shown.startswith("usage: drago ")
    for command in ("verify", "replay", "page", "gif", "demo", "play", "arena", "train"):
        assert f"\n    {command} " in shown


@pytest.mark.parametrize("command", ["play", "arena", "train"])
def test_commands_are_handed_over(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert "--seed" in capsys.readouterr().out
