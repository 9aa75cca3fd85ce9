"""Functions of version 0.1 that took something else, in their old form for one more version."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drago_env.core.records import Record
from drago_env.mount_drago import planning
from drago_env.mount_drago.record import pictures
from drago_env.pictures import page


def html(record: Record, title: str | None = None, seat: int | None = None) -> str:
    """A record as one HTML page, as the seat saw it."""
    return page.html(pictures(record, seat), title)


def gif(record: Record, path: str | Path, milliseconds: int = 600, seat: int | None = None) -> None:
    """A record as an animated GIF, as the seat saw it."""
    page.gif(pictures(record, seat), path, milliseconds)


def array(name: str) -> NDArray[np.float64]:
    """Tuned weights by the name that they had."""
    return planning.weights("win_chance" if name == "outlook" else name)
