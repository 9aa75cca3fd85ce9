"""Damaged files are refused in words, or read without harm: the short form of `make fuzz-files`."""

from __future__ import annotations

import json
import resource
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drago_env
from agents.arena import Config, run
from agents.folder import Folder
from agents.seating import play_deals
from drago_env import games, record, storage
from drago_env.core.files import read_arrays, read_json
from drago_env.game import StateError
from tests import fuzz_files
from tests.fuzz_files import GOOD, KINDS, Kind, Refused, Tried, fuzz
from train.arguments import Arguments
from train.ppo import begin
from train.runs import RESUME, Run, RunError

FILES = 30
ARENA = Config(["uniform", "other=uniform"], "mount_drago:players=2", games=16, seed=1)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.usefixtures("one_thread")
def test_no_damaged_file_does_harm(name: str, tmp_path: Path) -> None:
    tried = Tried(name, tmp_path)
    sound = tried.sound()
    assert sound.sort == "read", sound.words
    answers = {number: tried.answer(number, seed=1) for number in range(FILES)}
    bad = {number: answer for number, answer in answers.items() if answer.sort not in GOOD}
    assert not bad, "\n".join(f"{number}: {a.sort}\n{a.words}" for number, a in bad.items())
    assert sum(answer.sort == "refused" for answer in answers.values()) >= FILES // 5


def test_every_game_has_its_files_damaged() -> None:
    for name in games.BUILT_IN:
        assert {f"records-{name}", f"snapshots-{name}"} <= KINDS.keys()


def test_every_answer_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, Any] = {
        "traceback": lambda folder, file: [][0],
        "unclear": lambda folder, file: int("x"),
        "refused": lambda folder, file: _refuse(file),
        "read": lambda folder, file: None,
        "memory": lambda folder, file: bytearray(_peak() + 300_000_000),
    }
    monkeypatch.setattr(fuzz_files, "MEMORY", 200_000_000)
    for sort, read in said.items():
        monkeypatch.setitem(KINDS, sort, Kind(lambda folder: (folder / "a").write_text("a"), read))
        assert Tried(sort, tmp_path / sort).answer(0, 0).sort == sort


def _peak() -> int:
    """The most memory that this process ever took."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _refuse(file: Path) -> None:
    raise Refused(f"{file} is not to be read")


def test_files_are_opened_in_another_process() -> None:
    assert {answer.sort for _, answer in fuzz("boards", range(5), 0)} <= {*GOOD}


# ---------------------------------------------------------------- each remedy by itself


def test_deeply_nested_json_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text("[" * 100_000)
    with pytest.raises(ValueError, match=f"{file} cannot be read: RecursionError"):
        read_json(file)


def test_every_fault_of_an_archive_is_told(tmp_path: Path) -> None:
    """What zip and numpy's header raise is of many kinds."""
    file = tmp_path / "states.npz"
    np.savez(file, state=np.zeros(3))
    sound = file.read_bytes()
    deflated = bytearray(sound)
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):  # what says how a member is packed
        deflated[sound.index(mark) + (8 if mark[2] == 3 else 10)] = 8
    unclosed = sound.replace(b"{'descr'", b"('descr'")
    for broken in (bytes(deflated), unclosed):
        file.write_bytes(broken)
        with pytest.raises(ValueError, match=str(file)):
            read_arrays(file)


def test_a_file_that_would_grow_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "bomb.npz"
    game: Any = drago_env.make("mount_drago")
    state = np.zeros(50_000_000, np.uint8)
    np.savez_compressed(file, about=np.array("{}"), state=state)
    assert file.stat().st_size < 100_000
    for door in (storage.load, read_arrays):
        with pytest.raises(ValueError, match="would unpack from"):
            door(file)
    storage.save(file, game, game.new(range(3)))
    assert len(storage.load(file)[1]) == 3
    file.write_bytes(b"PK")
    with pytest.raises(StateError, match=f"{file} cannot be read"):
        storage.load(file)


def test_a_view_with_huge_counts_is_refused() -> None:
    made = fuzz_files._played("mount_drago")[0]
    view = record.view(made, 1)
    hidden = next(k for k, move in enumerate(view["moves"]) if move["seat"] == 0)
    for change in (10**12, -1, True, None, "6", [0]):
        broken = json.loads(json.dumps(view))
        broken["start"]["hands"][0] = change
        with pytest.raises(record.RecordError):
            record.pictures(broken)
        broken = json.loads(json.dumps(view))
        broken["moves"][hidden]["drawn"] = change
        with pytest.raises(record.RecordError):
            record.pictures(broken)
    assert len(record.pictures(view).frames) == len(view["moves"]) + 1


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_changed_result_of_an_arena_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "arena"
    run(ARENA, out, "csv", records=True, workers=1)
    for name, old, new in (
        ("results.csv", "other", "uniform"),
        ("times.json", '"decisions": ', '"decisions": 1'),
        ("records.jsonl", '"seed":', '"sead":'),
    ):
        sound = (out / name).read_bytes()
        changed(out / name, old, new)
        with pytest.raises(ValueError, match=f"{out / name} was changed"):
            run(ARENA, out, "csv", records=True, workers=1)
        (out / name).write_bytes(sound)
    run(ARENA, out, "csv", records=True, workers=1)
    (out / "checksums.json").unlink()
    with pytest.raises(ValueError, match=r"checksums\.json is missing"):
        run(ARENA, out, "csv", records=True, workers=1)


def test_a_changed_chunk_of_an_arena_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "arena"
    Folder(out, ARENA, "csv", True).add(play_deals(ARENA, 0, 4, True))
    (part,) = (out / "parts").glob("*.npz")
    arrays = read_arrays(part)
    for name in ("win_share", "agent", "seconds"):
        np.savez(part, **{**arrays, name: arrays[name][::-1] + 1})  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=f"{part} was changed"):
            run(ARENA, out, "csv", records=True, workers=1)
    np.savez(part, **arrays)  # type: ignore[arg-type]
    changed(part.with_suffix(".jsonl"), '"seed":', '"sead":')
    with pytest.raises(ValueError, match=f"{part} was changed"):
        run(ARENA, out, "csv", records=True, workers=1)


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("training")
    fuzz_files._write_run(folder)
    return folder / "run"


@pytest.mark.usefixtures("one_thread")
def test_a_config_without_steps_is_refused(training: Path) -> None:
    file = training / "config.json"
    sound = file.read_text()
    config = json.loads(sound)
    del config["arguments"]["steps"]
    file.write_text(json.dumps(config))
    with pytest.raises(RunError, match=f"{file} cannot be read: the arguments lack steps"):
        begin(Arguments(resume=training))
    file.write_text(sound)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("collector.0.state", lambda a: a * 0 + 255),
        ("collector.0.who", lambda a: a + 100),
        ("collector.0.seeds", lambda a: a[:1]),
        ("network.value.bias", lambda a: a * np.float32("nan")),
        ("network.value.bias", lambda a: a[:0]),
        ("optimiser.0.exp_avg", lambda a: a[:1]),
        ("optimiser.0.step", lambda a: a * np.float32("inf")),
        ("optimiser.0.step", lambda a: a * 0 - 1),
        ("optimiser.0.exp_avg_sq", lambda a: a - 1),
        ("rng", lambda a: a[:-1]),
    ],
)
def test_a_resume_file_with_other_arrays_is_refused(training: Path, name: str, change: Any) -> None:
    file, run_folder = training / RESUME, Run.open(training)
    sound = file.read_bytes()
    tensors, about = run_folder.load()
    run_folder.save({**tensors, name: np.ascontiguousarray(change(tensors[name]))}, about)
    with pytest.raises(ValueError, match=str(training)):
        begin(Arguments(resume=training))
    file.write_bytes(sound)
    begin(Arguments(resume=training)).run.close()


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_every_game_has_state_files(name: str, tmp_path: Path) -> None:
    files = import_module(f"{games.GAMES[name]}.storage")
    game, file = drago_env.make(name, players=3, reward="win"), tmp_path / "states.npz"
    state = game.new(range(3))
    files.save(file, game, state)
    again, loaded = files.load(file)
    assert (again.rules, again.reward) == (game.rules, "win")  # type: ignore[attr-defined]
    assert loaded.tobytes() == state.tobytes()
    state["seat"][1] = 3
    files.save(file, game, state)
    with pytest.raises(StateError, match=f"{file}, row 1"):
        files.load(file)
