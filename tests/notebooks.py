"""The notebooks: `python -m tests.notebooks` runs them and keeps what they show."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))


def run(path: Path) -> None:
    """Runs a notebook from a clean kernel; nothing is written that differs from day to day."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=600, record_timing=False, resources=where).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for path in PATHS:
        if not wanted or path.stem in wanted:
            start = time.perf_counter()
            run(path)
            print(f"{path.name}: {time.perf_counter() - start:.1f} s")
