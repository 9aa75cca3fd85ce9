"""Files that are there as a whole or not at all, and that are read without belief in them."""

from __future__ import annotations

import json
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

# what the contents of a damaged file can raise, wherever they are first made use of
DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LZMAError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,  # a RecursionError is one
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def in_words(error: BaseException) -> str:
    """What an error says, without the numbers of the operating system and with what to do."""
    if not isinstance(error, OSError) or error.filename is None:
        inner = error.__cause__
        told = isinstance(inner, OSError) and inner.filename is not None
        return str(error).replace(str(inner), in_words(inner)) if inner and told else str(error)
    path = Path(os.fsdecode(error.filename))
    if isinstance(error, FileNotFoundError):
        if not path.parent.exists():
            return f"there is no folder {path.parent}: make it, or name another"
        shown = path.name.removesuffix(".part")
        return f"there is no {shown} in {path.parent.resolve()}: is the name right?"
    if isinstance(error, FileExistsError):
        return f"{path} exists already: name another"
    if isinstance(error, PermissionError):
        return f"{path} may not be read or written by you: name another"
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder: name a file"
    if isinstance(error, NotADirectoryError):
        return f"{path} runs through a file as if it were a folder: name another"
    return f"{path}: {(error.strerror or str(error)).lower()}"


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yields a path beside `path`; what is written there takes its place, even if power fails."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        if error.filename is None:  # such as a full disk
            raise OSError(f"{path} cannot be written: {error}") from error
        raise
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
    """The arrays of a file that `numpy.savez` has written; nothing is unpickled."""
    with reading(path, error), Path(path).open("rb") as raw:
        return unpacked(raw)


def unpacked(raw: BinaryIO) -> dict[str, NDArray[Any]]:
    """The arrays of an open file of `numpy.savez`.

    It compresses nothing, so what would take more room than the file is refused unread.
    """
    room = raw.seek(0, os.SEEK_END)
    with zipfile.ZipFile(raw) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > room:
        raise ValueError(f"it would unpack from {room:,} to {size:,} bytes, and is not sound")
    raw.seek(0)
    with np.load(raw, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
