"""Files of tensors: what their library finds wrong with them is an error like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import save

from drago_env.core import files
from drago_env.moved import moved


def write_tensors(
    path: str | Path, tensors: Mapping[str, NDArray[Any]], texts: dict[str, str]
) -> None:
    """Tensors and texts as a file.

    The library's own writer has a half-written file of its own, which a kill would leave behind.
    """
    with files.replacing(path) as part:
        part.write_bytes(save(dict(tensors), texts))


@contextmanager
def reading(path: str | Path, error: type[ValueError] = ValueError) -> Iterator[None]:
    """`drago_env.core.files.reading`, for what safetensors reads."""
    with files.reading(path, error):
        try:
            yield
        except SafetensorError as fault:
            raise error(str(fault)) from fault


__getattr__ = moved(
    __name__,
    {
        "write": "drago_env.core.files:write",
        "replace": ("", "drago_env.core.files.replacing(path), a context manager"),
    },
)
