"""Files of tensors: what their library finds wrong with them is an error like any other."""

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


@contextmanager
def reading(path: str | Path, error: type[ValueError] = ValueError) -> Iterator[None]:
    """`drago_env.core.files.reading`, for what safetensors reads."""
    with files.reading(path, error):
        try:
            yield
        except SafetensorError as fault:
            raise error(str(fault)) from fault
