"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` make a file beside `path`, then puts it there, safe from a loss of power."""
    part = path.with_name(path.name + ".part")
    try:
        write(part)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except SafetensorError as error:  # such as a full disk
        raise OSError(f"{path} cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """A text as a file."""
    replace(path, lambda part: part.write_text(text, encoding="utf-8"))
