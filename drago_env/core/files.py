"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
