"""Checkpoint files: saved ones come back, damaged ones are refused, and so is another game."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from agents.files import write_tensors
from agents.network import Shape
from agents.neural import Checkpoint, CheckpointError, Neural, fingerprint, load, save
from drago_env import Board, MountDrago, Rules, play
from tests.adapters import same

GAME = MountDrago(Rules(3))
SHAPE = Shape.of(GAME, trunk=(48, 24), action=(16, 8))


def weights(shape: Shape = SHAPE) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=size).astype(np.float32) for name, size in shape.tensors.items()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "best.safetensors"
    save(path, weights(), SHAPE, GAME.signature, {"steps": 7, "seed": 0})
    return path


@pytest.fixture
def player(file: Path) -> Neural:
    return Neural(load(file))


# ---------------------------------------------------------------- saving and loading


def test_a_file_gives_back_what_was_saved(file: Path, tmp_path: Path) -> None:
    read = load(file)
    assert same(dict(read.weights), weights())
    assert (read.shape, read.signature, read.path) == (SHAPE, GAME.signature, file)
    assert read.card == {"steps": 7, "seed": 0}
    again = tmp_path / "again.safetensors"
    save(again, read.weights, read.shape, read.signature, read.card)
    assert again.read_bytes() == file.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [again.name, file.name]


def test_weights_in_any_layout_are_saved_as_they_are(tmp_path: Path) -> None:
    turned: Any = {name: np.asfortranarray(w.astype(np.float64)) for name, w in weights().items()}
    save(tmp_path / "it", turned, SHAPE, GAME.signature)
    assert same(dict(load(tmp_path / "it").weights), weights())


def test_what_cannot_be_loaded_is_not_saved(file: Path) -> None:
    broken, whole = weights(), file.read_bytes()
    broken["value.bias"] = np.array([np.nan], np.float32)
    with pytest.raises(CheckpointError, match=r"value\.bias has numbers that are not finite"):
        save(file, broken, SHAPE, GAME.signature)
    del broken["value.bias"]
    with pytest.raises(CheckpointError, match=r"value\.bias is missing"):
        save(file, broken, SHAPE, GAME.signature)
    assert file.read_bytes() == whole


def test_a_write_that_fails_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_bytes

    def fail(path: Path, data: bytes) -> None:
        write(path, data[:9])
        raise OSError("no space left on device")

    whole = file.read_bytes()
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="no space left"):
        save(file, weights(), SHAPE, GAME.signature)
    assert file.read_bytes() == whole


def again_and_again(path: Path) -> None:
    while True:
        write_tensors(path, {"a": np.zeros(1 << 19)}, {})


def test_a_kill_leaves_no_file_that_nobody_knows(tmp_path: Path) -> None:
    for moment in range(12):
        (tmp_path / "it").unlink(missing_ok=True)
        writer = multiprocessing.Process(target=again_and_again, args=(tmp_path / "it",))
        writer.start()
        while not (tmp_path / "it").exists():
            assert writer.is_alive()
            time.sleep(0.01)
        time.sleep(0.007 * moment)
        writer.kill()
        writer.join()
    assert {path.name for path in tmp_path.iterdir()} <= {"it", "it.part"}
    assert load_file(tmp_path / "it")["a"].size == 1 << 19


def test_the_fingerprint_is_a_hash_of_the_signature_alone() -> None:
    signature = GAME.signature
    assert set(signature) == {"game", "colours", "copies", "hand", "num_actions", "observation"}
    mark = fingerprint(signature)
    assert len(mark) == 64
    assert mark == fingerprint(dict(reversed(signature.items())))
    for key, value in signature.items():
        assert fingerprint({**signature, key: [value, 1]}) != mark
    boards = (Rules(5, "italian"), Rules(2, board=Board.random(3)), Rules(summit_dragons=2))
    assert {fingerprint(MountDrago(rules).signature) for rules in boards} == {mark}


# ---------------------------------------------------------------- damaged files


@pytest.mark.parametrize("size", [0, 1, 8, 9, 500, -1])
def test_a_truncated_file_is_refused(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(CheckpointError, match=f"{file} cannot be read"):
        load(file)


@pytest.mark.parametrize(
    "content",
    [
        b"what is this?" * 9,
        pickle.dumps(print),
        b"\xff" * 64,
        (1 << 40).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"{}",
    ],
)
def test_another_kind_of_file_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match=str(file)):
        load(file)


def test_a_folder_is_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=f"{tmp_path} is a folder; name the file in it"):
        load(tmp_path)


def about(file: Path) -> Any:
    """What a file says of itself."""
    raw = file.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert header["__metadata__"].keys() == {"about"}  # several would be in a random order
    return json.loads(header["__metadata__"]["about"])


def test_the_file_says_what_it_is(file: Path) -> None:
    said = about(file)
    assert said["format"] == "drago-network/1"
    assert said["signature"]["copies"] == [2, 2, 3, 2, 2]
    assert said["fingerprint"] == fingerprint(GAME.signature)
    assert said["shape"]["trunk"] == [48, 24]


WIDE = 10**9
ABOUTS: list[tuple[Any, str]] = [
    ({"format": "drago-network/2"}, "must be of the format 'drago-network/1', not 'drago-network"),
    ({"format": None}, "must be of the format"),
    ({"shape": None}, "the shape cannot be read"),
    ({"shape": {"trunk": [8], "action": [8]}}, "the shape cannot be read"),
    ({"trunk": [WIDE]}, f"a width of trunk must be a whole number from 1 to 4096, not {WIDE}"),
    ({"trunk": [8] * 9}, "trunk must be a tuple of 1 to 8 widths"),
    ({"trunk": [8] * 100_000}, "trunk must be a tuple of 1 to 8 widths"),
    ({"trunk": 8}, "the shape cannot be read"),
    ({"action": []}, "action must be a tuple of 1 to 8 widths"),
    ({"action": [8.5]}, "a width of action must be a whole number"),
    ({"action": [True]}, "a width of action must be a whole number"),
    ({"observation_size": -1}, "observation_size must be a whole number"),
    ({"extra": 1}, "the shape cannot be read"),
    ({"trunk": [4096] * 8}, "the tensor context.weight must be F32 of shape"),
    ({"signature": []}, "must be JSON objects"),
    ({"card": "free"}, "must be JSON objects"),
    ({"signature": {"colours": 3}}, "the fingerprint is not that of the signature"),
    ({"fingerprint": "0" * 64}, "the fingerprint is not that of the signature"),
    ("no json", "no JSON"),
    ("[" * 100_000, "no JSON"),
    ("[]", "must be of the format"),
    (None, "must be of the format"),
]


@pytest.mark.parametrize(("change", "words"), ABOUTS, ids=range(len(ABOUTS)))
def test_what_a_file_says_is_not_believed(file: Path, change: Any, words: str) -> None:
    if isinstance(change, dict):
        said = about(file)
        for key, value in change.items():
            part = said if key in said else said["shape"]
            part[key] = value
        change = json.dumps(said)
    save_file(load_file(file), file, None if change is None else {"about": change})
    with pytest.raises(CheckpointError, match=words) as refusal:
        load(file)
    assert str(file) in str(refusal.value)
    assert len(str(refusal.value)) < 500 + len(str(file))


def without(tensors: dict[str, Any], name: str) -> dict[str, Any]:
    return {other: tensor for other, tensor in tensors.items() if other != name}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda w: without(w, "trunk.1.bias"), r"the tensor trunk\.1\.bias is missing"),
        (lambda w: w | {"more": w["value.bias"]}, "'more' does not belong to its shape"),
        (lambda w: w | {"value.bias": w["trunk.0.bias"]}, r"must be F32 of shape \(1,\)"),
        (lambda w: w | {"value.bias": w["value.bias"].astype(float)}, "not F64 of shape"),
        (lambda w: w | {"value.bias": w["value.bias"] * np.nan}, "not finite"),
        (lambda w: w | {"trunk.0.bias": w["trunk.0.bias"] + np.inf}, "not finite"),
        (lambda w: w | {"trunk.0.bias": w["trunk.0.bias"] + 2e6}, "beyond 1,000,000"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(file: Path, change: Any, words: str) -> None:
    save_file(change(load_file(file)), file, {"about": json.dumps(about(file))})
    with pytest.raises(CheckpointError, match=words) as refusal:
        load(file)
    assert str(file) in str(refusal.value)


# ---------------------------------------------------------------- the wrong game


@pytest.mark.parametrize(
    ("rules", "was", "now"),
    [
        (Rules.tiny(), "colours 10, copies .2, 2, 3, 2, 2., hand 6,", "colours 3, copies .3, 3."),
        (Rules(colours=9), "colours 10, num_actions 151", "colours 9, num_actions 136"),
        (Rules(hand=5), "hand 6", "hand 5"),
        (Rules(copies=(2, 3, 2, 2, 2)), r"copies .2, 2, 3, 2, 2.", "copies .2, 3, 2, 2, 2."),
    ],
)
def test_another_game_is_refused(player: Neural, rules: Rules, was: str, now: str) -> None:
    game = MountDrago(rules)
    state = game.new(0)
    wanted = f"best.safetensors was trained for {was}.*but this game has {now}.*train a network"
    with pytest.raises(CheckpointError, match=wanted):
        player.evaluate(game, state)
    with pytest.raises(CheckpointError, match=wanted):
        play(game, [player, "uniform"], [0])


def test_another_version_of_the_observation_is_refused(file: Path) -> None:
    read = load(file)
    old = Neural(replace(read, signature={**read.signature, "observation": 0}))
    with pytest.raises(CheckpointError, match="for observation 0, but this game has observation 2"):
        old.evaluate(GAME, GAME.new(0))


def test_sizes_that_contradict_the_signature_are_refused() -> None:
    shape = replace(SHAPE, observation_size=300, num_actions=100)
    odd = Neural(Checkpoint(Path("odd"), weights(shape), shape, GAME.signature, {}))
    with pytest.raises(CheckpointError, match="num_actions 100, observation_size 300, but"):
        odd.evaluate(GAME, GAME.new(0))


@pytest.mark.parametrize("rules", [Rules(5, "italian"), Rules(2, board=Board.random(3))])
def test_players_edition_and_board_may_differ(player: Neural, rules: Rules) -> None:
    riders: list[Any] = [player, *["uniform"] * (rules.players - 1)]
    assert play(MountDrago(rules), riders, range(3)).winners.any(1).all()
