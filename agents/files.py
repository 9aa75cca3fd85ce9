"""Whole files of tensors: what their library cannot write is an `OSError` like any other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from drago_env.core import files


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """`drago_env.core.files.replacing`, for what safetensors writes."""
    try:
        with files.replacing(path) as part:
            yield part
    except SafetensorError as error:  # such as a full disk
        raise OSError(f"{path} cannot be written: {error}") from error
