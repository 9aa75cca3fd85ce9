"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(
    total: float, done: int = 0, show: bool = True
) -> Iterator[Callable[[float, str], None]]:
    """Shows how far a training is; what it yields is called with that and some words."""
    if not show:
        yield lambda done, words: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), "{task.percentage:.0f}%")
    times = (TimeElapsedColumn(), "left", TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True)) as bar:
        task = bar.add_task("training", total=total, completed=done)
        yield lambda done, words: bar.update(task, completed=done, description=words)
