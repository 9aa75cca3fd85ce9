"""The notebooks as they are committed: run, whole and readable. nbmake runs them anew."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.notebooks import PATHS

NAMES = [path.stem for path in PATHS]
# a path of somebody's machine; not a web address, and not a / between words
ABSOLUTE = re.compile(r"(?<![\w:/.<])(/(home|root|work|tmp|usr|opt|Users|var)/|[A-Z]:\\)")


def code(path: Path) -> list[Any]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def outputs(path: Path) -> list[Any]:
    return [output for cell in code(path) for output in cell.outputs]


def test_there_are_seven() -> None:
    wanted = ["1-tour", "2-benchmark", "3-training", "4-the-game", "5-dragon-delta"]
    assert [*wanted, "6-rupe-dei-draghi", "7-learning"] == NAMES


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_cells_were_run_once_in_order(path: Path) -> None:
    cells = code(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_outputs_are_there_without_errors_or_warnings(path: Path) -> None:
    found = outputs(path)
    assert any("image/png" in output.get("data", {}) for output in found)
    assert not [output for output in found if output.output_type == "error"]
    assert not [output.text for output in found if output.get("name") == "stderr"]


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_no_output_tells_where_it_was_made(path: Path) -> None:
    for output in outputs(path):
        texts = [output.get("text", ""), *map(str, output.get("data", {}).values())]
        assert not [text for text in texts if ABSOLUTE.search(text)]


def test_the_run_folder_holds_what_the_notebook_reads() -> None:
    folder = PATHS[0].parent / "run"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("card.md", "config.json", "evaluations.csv", "metrics.csv", "network.safetensors"),
    ]
    for path in folder.glob("*.[jmc]*"):
        assert not ABSOLUTE.search(path.read_text(encoding="utf-8")), path
