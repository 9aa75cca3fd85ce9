"""Runs: what is in their folder, and that an interrupted one goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import neural
from agents.arena import Config
from agents.arena import run as arena
from train import ppo, runs
from train.arguments import FORMER, Arguments
from train.ppo import Training, begin, main, train
from train.runs import METRICS, NETWORK, RESUME, read_table

UPDATES = 9
# Lessons, then self-play. Every update a new self joins the pool and soon an old one leaves it, in
# the midst of its games; every second update is saved.
TOLD = Arguments(
    players=(2, 3),
    editions=("german", "italian"),
    random_boards=1,
    num_envs=8,
    num_steps=24,
    steps=8 * 24 * UPDATES,
    update_epochs=1,
    minibatch_size=64,
    trunk=(8,),
    action=(8,),
    lessons=8 * 24 * 2 + 1,  # the third update is the last lesson
    teacher="search:playouts=8",
    lesson_epochs=2,
    opponents=("greedy",),
    pool_share=0.5,
    pool_size=1,
    save_every=2,
    evaluate_every=1,
    evaluate_against=("uniform",),
    evaluate_games=2,
    threads=1,
)
TIMES = {"seconds", "steps_per_second", "cpu_seconds", "collecting", "environment"}
FILES = {"config.json", "metrics.csv", "evaluations.csv", "tensorboard", NETWORK, "checkpoints"}
FILES |= {RESUME, "card.md", "curve.svg"}


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has interrupted."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    train(replace(TOLD, out=out))
    return out


def go(training: Training, updates: int) -> None:
    """So many updates, and then no more: as if the process had ended."""
    with closing(training.run):
        for _ in range(updates):
            training.go_on()


def resumed(out: Path) -> Training:
    return begin(Arguments(resume=out))


def to_the_end(out: Path) -> None:
    train(Arguments(resume=out))


def rows(out: Path, name: str = METRICS) -> list[dict[str, str]]:
    return [{k: v for k, v in row.items() if k not in TIMES} for row in read_table(out / name)]


def tensors(out: Path) -> dict[str, Any]:
    found, about = runs.Run.open(out).load()
    del about["seconds"]
    return {"about": json.dumps(about)} | {n: (t.dtype, t.tobytes()) for n, t in found.items()}


def weights(file: Path) -> dict[str, bytes]:
    return {name: w.tobytes() for name, w in neural.load(file).weights.items()}


def assert_same_run(one: Path, other: Path) -> None:
    """To the last bit: networks, former selves, games, generators and tables, but for times."""
    assert tensors(one) == tensors(other)
    for name in (METRICS, runs.EVALUATIONS):
        assert rows(one, name) == rows(other, name)
    selves = sorted(path.name for path in (one / "checkpoints").iterdir())
    assert selves == sorted(path.name for path in (other / "checkpoints").iterdir())
    for name in (NETWORK, *(f"checkpoints/{name}" for name in selves)):
        assert weights(one / name) == weights(other / name)


def files(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}


# ---------------------------------------------------------------- going on


@pytest.mark.parametrize("updates", [2, 5])
def test_an_interrupted_run_ends_like_a_whole_one(
    tmp_path: Path, whole: Path, updates: int
) -> None:
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out)), updates)
    assert len(rows(out)) == updates
    training = resumed(out)
    assert training.update == updates // 2 * 2
    # what came after the last save is dropped, and made again
    for name in (METRICS, runs.EVALUATIONS):
        early = [row for row in rows(whole, name) if int(row["update"]) <= training.update]
        assert rows(out, name) == early
    go(training, 0)
    to_the_end(out)
    assert_same_run(out, whole)


def test_what_was_interrupted_in_its_first_update_goes_on(tmp_path: Path, whole: Path) -> None:
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out)), 0)
    assert resumed(out).update == 0
    to_the_end(out)
    assert_same_run(out, whole)


def test_a_run_can_be_lengthened(tmp_path: Path, whole: Path) -> None:
    """One that has not begun yet becomes the longer one to the last bit; one that ended goes on."""
    out, steps = tmp_path / "run", TOLD.total
    go(begin(replace(TOLD, out=out, steps=steps // 2)), 0)
    train(Arguments(resume=out, steps=steps))
    assert_same_run(out, whole)
    more = train(Arguments(resume=out, steps=2 * steps))
    assert more.steps >= 2 * steps
    assert [int(row["update"]) for row in rows(out)] == list(range(1, more.update + 1))
    assert resumed(out).finished
    config = json.loads((out / "config.json").read_text())
    assert (config["arguments"]["steps"], config["lengthened"]) == (2 * steps, [steps // 2, steps])
    card = (out / "card.md").read_text()
    assert f"- lengthened: it was to end after {steps // 2:,} and {steps:,} decisions" in card


def test_the_curve_comes_even_if_the_run_was_killed_before_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out, steps=8 * 24)), 1)
    assert resumed(out).finished
    assert not (out / "curve.svg").exists()
    to_the_end(out)
    assert "<svg" in (out / "curve.svg").read_text()


def test_curves_of_what_is_made_again_are_shown_once(tmp_path: Path) -> None:
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out)), 5)
    to_the_end(out)
    shown = EventAccumulator(str(out / "tensorboard")).Reload().Scalars("training/entropy")
    assert [point.step for point in shown] == [8 * 24 * (k + 1) for k in range(UPDATES)]


def test_games_with_selves_that_have_left_the_pool_go_on(tmp_path: Path, whole: Path) -> None:
    """Otherwise the runs above prove less than they say."""
    out = tmp_path / "run"
    training = begin(replace(TOLD, out=out))
    go(training, 6)
    found, about = training.run.load()
    riders = {*np.unique(found["collector.0.who"]).tolist()}
    assert len(about["selves"]) == 1
    assert {number for number in riders if number > 0} - {*about["selves"]}
    assert 0 in riders


def test_interrupted_again_and_again(tmp_path: Path, whole: Path) -> None:
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out)), 3)
    go(resumed(out), 1)
    go(resumed(out), 3)
    to_the_end(out)
    assert_same_run(out, whole)


def test_the_seed_alone_decides(tmp_path: Path, whole: Path) -> None:
    train(replace(TOLD, out=tmp_path / "again"))
    assert_same_run(tmp_path / "again", whole)
    train(replace(TOLD, out=tmp_path / "other", seed=1, steps=200))
    assert rows(tmp_path / "other")[0] != rows(whole)[0]


def test_a_finished_run_has_nothing_left_to_do(whole: Path) -> None:
    before = {name: data for name, data in files(whole).items() if "tensorboard" not in name}
    assert resumed(whole).finished
    to_the_end(whole)
    assert before == {n: data for n, data in files(whole).items() if "tensorboard" not in n}


def test_a_folder_of_version_0_1_goes_on(tmp_path: Path, whole: Path) -> None:
    """Its arguments had other names, and its tables may have fewer columns."""
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out)), 4)
    config = json.loads((out / "config.json").read_text())
    others = ("n_steps", "lr", "evaluation_games", "address")  # of the other scripts
    former = {now: name for name, now in FORMER.items() if name not in others}
    kept = {former.get(n, n): v for n, v in config["arguments"].items()}
    assert {"games", "horizon", "smoothing", "largest_gradient", "softness"} <= kept.keys()
    del kept["game"], kept["trust"]
    (out / "config.json").write_text(json.dumps(config | {"version": 1, "arguments": kept}))
    to_the_end(out)
    assert_same_run(out, whole)


def test_the_run_of_the_notebook_is_read() -> None:
    folder = Path(__file__).parents[1] / "notebooks" / "run"
    told = Arguments.read(runs.Run.open(folder).config["arguments"])
    assert (told.num_envs, told.num_steps, told.opponents) == (512, 64, ("heuristic",))
    assert told.specs == ["mount_drago:players=2,edition=german"]
    assert neural.load(folder / NETWORK).shape.value_bound == 1


def test_files_are_as_readable_as_any(whole: Path, tmp_path: Path) -> None:
    (plain := tmp_path / "plain").touch()
    found = [path for path in whole.rglob("*") if path.is_file() and "tfevents" not in path.name]
    assert {path.stat().st_mode for path in found} == {plain.stat().st_mode}


def test_a_torn_row_is_dropped(tmp_path: Path, whole: Path) -> None:
    out = tmp_path / "run"
    go(begin(replace(TOLD, out=out)), 4)
    with (out / METRICS).open("a") as file:
        file.write("1")  # of 10,...
    to_the_end(out)
    assert_same_run(out, whole)


def test_a_run_can_start_with_the_weights_of_another(tmp_path: Path, whole: Path) -> None:
    told = Arguments(out=tmp_path / "run", start=whole / NETWORK, num_envs=2, num_steps=8)
    training = begin(told)
    go(training, 0)
    started = {n: w.tobytes() for n, w in training.learner.network.weights().items()}
    assert started == weights(whole / NETWORK)
    assert (training.arguments.trunk, training.arguments.action) == ((8,), (8,))


# ---------------------------------------------------------------- crashes while writing


def half_of(name: str) -> Callable[[Path, bytes], None]:
    """Writes half of the file of this name, and fails."""
    write = Path.write_bytes

    def fail(path: Path, data: bytes) -> None:
        if not path.name.startswith(name):
            write(path, data)
            return
        write(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    return fail


@pytest.mark.parametrize(
    ("way", "name"),
    [
        *(("half", NETWORK), ("half", RESUME), ("rename", NETWORK), ("rename", "card.md")),
        *(("killed", NETWORK), ("killed", RESUME)),
    ],
)
def test_a_crash_while_writing_leaves_the_last_good_file(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, name: str, way: str
) -> None:
    out = tmp_path / "run"
    training = begin(replace(TOLD, out=out))
    for _ in range(3):
        training.go_on()
    before = (out / name).read_bytes()
    move = os.replace

    def refuse(source: Path, target: Path) -> None:
        if Path(target).name == name:
            if way == "killed":  # nothing more is done, not even cleaning up
                monkeypatch.setattr(Path, "unlink", lambda path, missing_ok=False: None)
            raise KeyboardInterrupt if way == "killed" else OSError("crash")
        move(source, target)

    with monkeypatch.context() as patch, closing(training.run):
        if way == "half":
            patch.setattr(Path, "write_bytes", half_of(name))
        else:
            patch.setattr(os, "replace", refuse)
        with pytest.raises((OSError, KeyboardInterrupt)):
            training.go_on()
    monkeypatch.undo()
    assert (out / name).read_bytes() == before
    assert (out / f"{name}.part").exists() == (way == "killed")
    neural.load(out / NETWORK)
    assert resumed(out).update == 3  # the last lesson
    to_the_end(out)
    assert_same_run(out, whole)
    assert not list(out.rglob("*.part"))


def test_a_killed_process_goes_on(tmp_path: Path) -> None:
    """Ctrl-C first, then a kill without warning, each in mid-training."""
    out = tmp_path / "run"
    told = replace(TOLD, out=out, steps=8 * 24 * 60, evaluate_every=25, players=(2,))
    command = [sys.executable, *told.command().split()[1:]]

    def process(words: list[str], updates: int) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        started = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True)
        deadline = time.monotonic() + 300
        while not (out / METRICS).exists() or len(rows(out)) < updates:
            assert started.poll() is None, started.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return started

    first = process(command, 3)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=60)
    assert first.returncode == 130
    assert f"interrupted; go on with: python -m train.ppo --resume {out}" in errors
    assert "Traceback" not in errors
    done = len(rows(out))
    assert done < 50
    second = process([*command[:3], "--resume", str(out)], done + 3)
    second.kill()
    second.communicate()
    assert len(rows(out)) < 60
    assert main(["--resume", str(out)]) == 0
    assert [int(row["update"]) for row in rows(out)] == list(range(1, 61))
    assert {path.name for path in out.iterdir()} == FILES


# ---------------------------------------------------------------- arenas


def test_a_former_self_with_the_same_weights_is_as_good_as_the_learner(tmp_path: Path) -> None:
    """In the pool it draws its actions, in the arena both play their best."""
    training = begin(replace(TOLD, out=tmp_path / "run", evaluate_games=40))
    go(training, 1)
    training._evaluate()
    found = [e for e in training.evaluations if e.opponent.startswith("self-")]
    assert len(found) == 2
    assert all(e.difference == 0 for e in found)


def test_the_learner_is_not_taken_for_its_opponents(tmp_path: Path) -> None:
    told = replace(TOLD, out=tmp_path / "run", evaluate_against=("neural",))
    training = begin(told)
    go(training, 1)
    assert {e.opponent for e in training.evaluations} == {"neural"}


# ---------------------------------------------------------------- the command


def test_the_command_trains_a_network_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    told = replace(TOLD, out=out, steps=8 * 24 * 2, seed=5)
    assert main(told.command().split()[3:]) == 0
    shown = capsys.readouterr()
    assert "training" in shown.err or "steps/s" in shown.err
    assert {path.name for path in out.iterdir()} == FILES
    card = (out / "card.md").read_text()
    assert shown.out.strip() == card.strip()
    assert (
        replace(told, thumbs=True, foresight=True).command() in card
    )  # what it did not say is said here
    assert "384 decisions, 2 updates" in card
    assert "seed: 5" in card
    assert all(f"{name} " in card for name in runs.PACKAGES)
    results = [line for line in card.splitlines() if line.startswith("|")]
    assert len(results) == 2 + 2 * 2  # two numbers of players against uniform and the former self
    assert "uniform" in card
    assert "self-000001" in card
    config = json.loads((out / "config.json").read_text())
    assert Arguments.read(config["arguments"]) == replace(told, thumbs=True, foresight=True)
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["self-000001.safetensors"]
    assert list((out / "tensorboard").iterdir())
    player = f"neural:path={out / NETWORK}"
    result = arena(Config([player, "uniform"], games=4), workers=1)
    assert len(result.columns["deal"]) == 8
    about = neural.load(out / NETWORK).card
    assert about["steps"] == 384
    assert len(about["evaluations"]) == 4


def test_help_names_every_argument(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    shown = capsys.readouterr().out
    for name in Arguments.__dataclass_fields__:
        assert f"--{name.replace('_', '-')} " in shown


def test_the_command_of_a_card_asks_for_the_same_run() -> None:
    told = replace(TOLD, out=Path("my x"), start=Path("y"), seed=3, learning_rate=2e-4)
    words = shlex.split(told.command())[3:]
    found: list[Arguments] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppo, "train", lambda arguments, progress: found.append(arguments))
        with pytest.raises(AttributeError):  # nothing was trained, so there is no card to show
            main(words)
    assert found == [told]
    assert Arguments.read(json.loads(json.dumps(told.plain()))) == told
