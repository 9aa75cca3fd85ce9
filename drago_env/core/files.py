"""Files that are there as a whole or not at all, and that are read without belief in them."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# what the contents of a damaged file can raise, wherever they are first made use of
DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,  # a RecursionError is one
    TypeError,
    ValueError,
    zipfile.BadZipFile,
)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yields a path beside `path`; what is written there takes its place, even if power fails."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.chmod(0o644)  # some writers leave it readable to its owner alone
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write(path: str | Path, text: str) -> None:
    """A text as a file."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


@contextmanager
def reading(path: str | Path, error: type[ValueError] = ValueError) -> Iterator[None]:
    """Whatever is wrong with what a file holds becomes an error that names the file.

    That the file is not there is told as it is.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except DAMAGE as fault:
        if isinstance(fault, error) and str(path) in str(fault):
            raise
        plain = isinstance(fault, ValueError | OSError)
        words = str(fault) if plain else f"{type(fault).__name__}: {fault}"
        raise error(f"{path} cannot be read: {words:.300}") from fault


def read_json(path: str | Path, error: type[ValueError] = ValueError) -> Any:
    """What a JSON file holds."""
    with reading(path, error):
        return json.loads(Path(path).read_bytes().decode("utf-8"))


def read_arrays(path: str | Path, error: type[ValueError] = ValueError) -> dict[str, NDArray[Any]]:
    """The arrays of a file that `numpy.savez` has written; nothing is unpickled.

    It compresses nothing, so what would take more room than the file is refused unread.
    """
    with reading(path, error), Path(path).open("rb") as raw:
        with zipfile.ZipFile(raw) as archive:
            size = sum(member.file_size for member in archive.infolist())
        room = os.fstat(raw.fileno()).st_size
        if size > room:
            raise error(f"{path} would unpack from {room:,} to {size:,} bytes: it is not sound")
        raw.seek(0)
        with np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
