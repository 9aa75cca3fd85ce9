"""The mean of several networks: what it holds, and what has none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents import neural
from agents.network import Shape
from drago_env import make
from train.average import main

GAME = make("mount_drago:players=2")


def network(path: Path, number: float, trunk: tuple[int, ...] = (8,)) -> Path:
    shape = Shape.of(GAME, trunk=trunk, action=(4,))
    weights = {name: np.full(size, number, np.float32) for name, size in shape.tensors.items()}
    neural.save(path, weights, shape, GAME.signature, {"steps": int(number)})
    return path


def test_each_weight_is_the_mean_and_the_card_names_all(tmp_path: Path) -> None:
    files = [network(tmp_path / f"{n}.safetensors", n) for n in (1, 2, 6)]
    out = tmp_path / "mean.safetensors"
    assert main([*map(str, files), "--out", str(out)]) == 0
    made = neural.load(out)
    assert all((weight == 3).all() for weight in made.weights.values())
    assert made.card == {"mean_of": [{"steps": 1}, {"steps": 2}, {"steps": 6}]}
    assert (made.shape, made.signature) == (neural.load(files[0]).shape, GAME.signature)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "two checkpoints or more, not 1"),
        (["a", "wide"], "has other sizes or another game"),
        (["a", "missing"], "there is no checkpoint"),
    ],
)
def test_what_has_no_mean_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str], said: str
) -> None:
    network(tmp_path / "a.safetensors", 1)
    network(tmp_path / "wide.safetensors", 1, (16,))
    out = tmp_path / "mean.safetensors"
    files = [str(tmp_path / f"{name}.safetensors") for name in names]
    assert main([*files, "--out", str(out)]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_a_file_that_exists_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = network(tmp_path / "a.safetensors", 1)
    assert main([str(file), str(file), "--out", str(file)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert (neural.load(file).weights["value.bias"] == 1).all()
