"""Bad input to a training run: one clear sentence, exit code 2, and nothing half done."""

from __future__ import annotations

import json
import re
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents import neural
from agents.network import Shape
from drago_env import MountDrago, Rules
from train import runs, sb3_ppo
from train.arguments import FORMER, Arguments, parse
from train.network import Network
from train.ppo import begin, main, train
from train.rllib_command import FORMER as RLLIB
from train.rllib_command import Command
from train.runs import METRICS, NETWORK, RESUME, Run

TOLD = Arguments(
    players=(2,),
    num_envs=2,
    num_steps=16,
    steps=64,
    trunk=(8,),
    action=(8,),
    opponents=(),
    save_every=1,
    evaluate_against=("uniform",),
    evaluate_games=2,
    threads=1,
)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has been saved."""
    out = tmp_path_factory.mktemp("runs") / "made"
    train(replace(TOLD, out=out))
    return out


@pytest.fixture
def run(tmp_path: Path, made: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def files(out: Path) -> dict[str, bytes]:
    found = (path for path in out.rglob("*") if path.is_file() and "tfevents" not in path.name)
    return {str(path.relative_to(out)): path.read_bytes() for path in found}


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """What is said by a command that ends with code 2, in one line and without a traceback."""
    capsys.readouterr()
    try:
        code: Any = main([str(word) for word in words])
    except SystemExit as end:  # the command line itself is wrong: it is shown in a frame
        code = end.code
    shown = capsys.readouterr()
    assert code == 2
    assert shown.out == ""
    assert "Traceback" not in shown.err
    said = " ".join(re.sub(r"[│╭╮╰╯─]", " ", shown.err).split())
    assert re.search("(^|left [-:0-9]* )error: |^Value error|^Unrecognized", said)
    return said


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--num-envs 0", "num_envs must be from 1 to .*, not 0"),
        ("--num-steps 1", "num_steps must be from 2 to .*, not 1"),
        ("--steps 1.5", "--steps.*'1.5'"),
        ("--gae-lambda 2", "gae_lambda must be from 0 to 1, not 2.0"),
        ("--pool-share -0.1", "pool_share must be from 0 to 1, not -0.1"),
        ("--learning-rate -1", "learning_rate must be from 0 to 1000, not -1.0"),
        ("--learning-rate nan", "learning_rate must be from 0 to 1000, not nan"),
        ("--clip-coef inf", "clip_coef must be from 0 to 1000, not inf"),
        ("--seed -1", "seed must be from 0 to .*, not -1"),
        ("--random-boards -1", "random_boards must be from 0 to .*, not -1"),
        ("--threads 0", "threads must be from 1 to .*, not 0"),
        ("--players 7", "players must be from 2 to 5, not 7"),
        ("--players 2 1", "players must be from 2 to 5, not 1"),
        ("--game nothing", "unknown game 'nothing'"),
        ("--game mount_drago:players=7", "players must be from 2 to 5, not 7"),
        ("--game mount_drago:speed=7", "'mount_drago:speed=7' cannot be made"),
        ("--game mount_drago --players 3", "does not go with --game: say --game mount_drago:play"),
        ("--game mount_drago mount_drago:rules=tiny", "must have equal sizes"),
        ("--editions x", "edition must be german or italian, not 'x'"),
        ("--trunk 0", "a width of trunk must be a whole number from 1 to 4096, not 0"),
        ("--action", r"action must be a tuple of 1 to 8 widths, not \(\)"),
        ("--collectors 2", "several collectors need a Ray cluster: --ray auto"),
        ("--opponents nobody", "unknown policy 'nobody'; mount_drago has .*uniform"),
        ("--evaluate-against nobody", "unknown policy 'nobody'"),
        ("--opponents greedy:speed=2", "'greedy:speed=2' cannot be made"),
        (
            "--lessons 9 --teacher uniform",
            "'uniform' cannot teach: it takes an agent that searches",
        ),
        ("--lessons 9 --teacher clairvoyant", "'clairvoyant' cannot teach"),
        ("--temperature 0", "temperature must be from 1e-06 to 1000, not 0.0"),
        ("--start nowhere.safetensors", "there is no checkpoint nowhere.safetensors"),
        ("--speed 3", "--speed"),
    ],
)
def test_nonsense_is_told_before_any_folder_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    out = tmp_path / "deep" / "run"
    assert re.search(said, refused(capsys, *words.split(), "--out", out))
    assert not out.parent.exists()


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_a_former_name_is_refused_with_the_new_one(
    capsys: pytest.CaptureFixture[str], former: str, now: str
) -> None:
    told = {
        "ppo": (Arguments, "n_steps evaluation_games address"),
        "sb3": (sb3_ppo.Arguments, "horizon softness evaluation_games address"),
        "rllib": (Command, "horizon n_steps softness"),
    }
    for kind, never in told.values():
        if former in never.split():
            continue
        for word in (f"--{former.replace('_', '-')}", f"--{former}=3"):
            renamed = "num_games" if (kind, former) == (Command, "games") else now
            told_so = f"is now --{renamed.replace('_', '-')}$"
            with pytest.raises(ValueError, match=told_so):
                parse(kind, "x", [word, "3"], **(RLLIB if kind is Command else {}))
            assert renamed in kind.__dataclass_fields__  # type: ignore[attr-defined]


def test_a_former_name_is_told_like_any_other_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "--minibatch", "3") == "error: --minibatch is now --minibatch-size"


@pytest.mark.parametrize("value", [True, "3", None, 2**63])
def test_numbers_of_another_kind_are_refused(value: Any) -> None:
    for name in ("num_envs", "seed"):
        with pytest.raises(ValueError, match=f"{name} must be from . to .*, not {value!r}"):
            replace(TOLD, **{name: value})


def test_an_arena_against_nobody_is_no_error(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = replace(TOLD, out=out, evaluate_against=()).command().split()[3:]
    assert main(words) == 0
    assert (out / "card.md").exists()


def test_a_horizon_too_short_to_learn_from_does_no_harm(tmp_path: Path) -> None:
    """With five players none decides twice in two steps: every decision stays open."""
    told = replace(TOLD, out=tmp_path / "run", players=(5,), num_steps=2, steps=8, evaluate_every=9)
    training = train(told)
    assert training.update == 2
    neural.load(tmp_path / "run" / NETWORK)


# ---------------------------------------------------------------- checkpoints to start with


def checkpoint(path: Path, rules: Rules, **other: Any) -> Path:
    game = MountDrago(rules)
    shape = Shape.of(game, trunk=(8,), action=(8,))
    neural.save(path, Network(shape).weights(), shape, {**game.signature, **other})
    return path


def test_a_checkpoint_that_does_not_fit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, file = tmp_path / "run", tmp_path / "it.safetensors"
    whole = checkpoint(file, Rules()).read_bytes()
    file.write_bytes(whole[:-7])
    said = refused(capsys, "--start", file, "--out", out)
    assert f"{file} cannot be read" in said
    checkpoint(file, Rules(hand=5))
    said = refused(capsys, "--start", file, "--out", out)
    assert "was trained for hand 5, but this game has hand 6" in said
    checkpoint(file, Rules(), observation=999)
    said = refused(capsys, "--start", file, "--out", out)
    assert re.search(r"was trained for observation 999, but this game has observation \d", said)
    checkpoint(file, Rules.tiny())
    assert "was trained for colours 3" in refused(capsys, "--start", file, "--out", out)
    assert not out.exists()


# ---------------------------------------------------------------- folders


def test_a_folder_that_holds_anything_is_refused_and_left_alone(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(run)
    said = refused(capsys, "--out", run)
    assert f"{run} exists already; choose another --out, or go on with --resume {run}" in said
    assert files(run) == before
    file = tmp_path / "file"
    file.write_text("mine")
    assert f"{file} exists already" in refused(capsys, "--out", file)
    assert str(file / "inside") in refused(capsys, "--out", file / "inside")
    assert file.read_text() == "mine"


def test_resume_takes_no_other_arguments(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(run)
    said = refused(capsys, "--resume", run, "--seed", "99")
    assert "--resume takes all other arguments but --steps from the run folder" in said
    said = refused(capsys, "--resume", run, "--steps", "1")
    assert "a run can be lengthened, not cut: --steps from" in said
    assert files(run) == before


def test_what_is_no_run_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "--resume", tmp_path)
    assert f"{tmp_path} is not the folder of a training run" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not the folder of a training run"),
        ('{"version": 1, "argum', "is not the folder of a training run"),
        ("[]", "config.json must be of version 1 or 2 of run folders, not None"),
        ('{"version": 9, "arguments": {}}', "must be of version 1 or 2 of run folders, not 9"),
        ('{"version": 1}', "config.json cannot be read: it names no arguments"),
        ('{"version": 1, "arguments": {}}', "config.json cannot be read"),
        ('{"version": 1, "arguments": {"out": 3}}', "config.json cannot be read"),
    ],
)
def test_a_corrupt_config_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (run / "config.json").write_text(text)
    before = files(run)
    assert said in refused(capsys, "--resume", run)
    assert files(run) == before


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("num_envs", 0, "num_envs must be from 1"),
        ("players", [9], "players must be from 2 to 5, not 9"),
        ("opponents", ["nobody"], "unknown policy 'nobody'"),
        ("speed", 1, "'speed'"),
    ],
)
def test_a_config_with_nonsense_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str], name: str, value: Any, said: str
) -> None:
    config = json.loads((run / "config.json").read_text())
    config["arguments"][name] = value
    (run / "config.json").write_text(json.dumps(config))
    assert said in refused(capsys, "--resume", run)


def test_a_folder_runs_no_code_that_it_names_unless_it_is_trusted(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, made = json.loads((run / "config.json").read_text()), tmp_path / "made"
    evil = f"subprocess:call:args=touch {made},shell=1"
    for name, value in {"opponents": [evil], "evaluate_against": [evil], "teacher": evil}.items():
        told = config["arguments"] | {name: value} | {"lessons": 64}
        (run / "config.json").write_text(json.dumps(config | {"arguments": told}))
        said = refused(capsys, "--resume", run)
        assert "would run code of your own, and a file asked for it: say --trust" in said
        assert "names no policy: neither a class" in refused(capsys, "--resume", run, "--trust")
        assert not made.exists()
    told = config["arguments"] | {"opponents": ["tests.adapters:First"]}
    (run / "config.json").write_text(json.dumps(config | {"arguments": told}))
    assert "say --trust" in refused(capsys, "--resume", run)
    assert main(["--resume", str(run), "--trust"]) == 0


@pytest.mark.parametrize("size", [0, 9, 1000, -1])
def test_a_truncated_state_is_refused(
    run: Path, capsys: pytest.CaptureFixture[str], size: int
) -> None:
    (run / RESUME).write_bytes((run / RESUME).read_bytes()[:size])
    before = files(run)
    assert f"{run / RESUME} cannot be read" in refused(capsys, "--resume", run)
    assert files(run) == before  # the tables too


def test_a_state_of_something_else_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    train(replace(TOLD, out=other, trunk=(9,), steps=32))
    for state in (run / NETWORK, other / RESUME):  # sound, but no state; the state of another
        shutil.copy(state, run / RESUME)
        before = files(run)
        assert f"{run / RESUME} cannot be read" in refused(capsys, "--resume", run)
        assert files(run) == before


def test_what_cannot_begin_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert "Unable to allocate" in refused(
        capsys, "--out", out, "--num-steps", "100000", "--num-envs", "100000"
    )
    assert not out.exists()


def test_a_run_that_was_never_saved_says_so(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / RESUME).unlink()
    said = refused(capsys, "--resume", run)
    assert f"{run} was ended before its first save; start it anew under another name" in said


# ---------------------------------------------------------------- a full disk


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file can grow beyond this size: the system itself refuses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("size", "name", "grows"),
    [(4_000, NETWORK, False), (30_000, RESUME, False), (2_000, METRICS, True)],
)
def test_a_full_disk_ends_the_run_and_keeps_what_is_good(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    name: str,
    grows: bool,
) -> None:
    out = tmp_path / "run"
    monkeypatch.setattr(Run, "curve", lambda *point: None)  # TensorBoard complains for itself
    training = begin(replace(TOLD, out=out, steps=32 * 40, save_every=40 if grows else 1))
    training.go_on()
    training.save()
    training.run.close()
    kept = (out / name).read_bytes()
    with room(size):
        said = refused(capsys, "--resume", out)
    assert "File too large" in said
    assert grows or f"{out / name} cannot be written" in said
    assert (out / name).read_bytes().startswith(kept)
    assert grows or (out / name).read_bytes() == kept
    assert not list(out.rglob("*.part"))
    assert main(["--resume", str(out)]) == 0
    assert [int(row["update"]) for row in runs.read_table(out / METRICS)] == list(range(1, 41))


def test_no_space_left_is_told_and_leaves_no_half_file(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> None:
        write(path, data[:4])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    before = files(run)
    opened = Run.open(run)
    with pytest.raises(OSError, match=rf"{RESUME} cannot be written: .*No space left"):
        opened.save({}, {})
    found = neural.load(run / NETWORK)
    with pytest.raises(OSError, match=rf"{NETWORK} cannot be written: .*No space left"):
        neural.save(run / NETWORK, found.weights, found.shape, found.signature)
    opened.close()
    assert files(run) == before


def test_a_folder_for_which_there_is_no_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    with room(100):
        assert "File too large" in refused(capsys, *replace(TOLD, out=out).command().split()[3:])
    assert files(out) == {}
