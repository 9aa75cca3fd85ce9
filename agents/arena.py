"""`python -m agents.arena`: agents against each other, on the same deals in every rotation.

    python -m agents.arena greedy heuristic --games 2000 --seed 1 --out results/

From Python: `run(Config(["greedy", "uniform"], games=2000)).report()`. See docs/arena.md.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.cluster import run_on_cluster
from agents.folder import Folder
from agents.seating import Chunk, Columns, Config, forget, join, split
from drago_env.core.files import in_words
from drago_env.policy import sees_all

if TYPE_CHECKING:
    from agents.command import Command
    from agents.report import Report

__all__ = ["Config", "Result", "run"]

Job = tuple[int, int]  # deals, from the first up to, but not with, the last
Played = Generator[Chunk, None, None]


@dataclass(frozen=True)
class Result:
    """A finished arena."""

    config: Config
    columns: Columns  # a row for each game and seat; agents by their numbers
    seconds: NDArray[np.float64]  # each agent's time for all its decisions
    decisions: NDArray[np.int64]

    @property
    def table(self) -> Any:
        """The results as a pandas data frame, agents by name."""
        import pandas

        names = np.array(self.config.names, object)
        return pandas.DataFrame({**self.columns, "agent": names[self.columns["agent"]]})

    def report(self) -> Report:
        """What the results say."""
        from agents.report import Report

        cheats = [sees_all(policy) for policy in self.config.policies()]
        with np.errstate(invalid="ignore"):  # an agent may have had no turn yet
            seconds = (self.seconds / self.decisions).tolist()
        return Report.of(self.config, self.columns, cheats, seconds)


def run(
    config: Config,
    out: str | Path | None = None,
    format: str = "parquet",
    records: bool = False,
    workers: int | None = None,
    progress: bool = False,
    ray: str | None = None,
) -> Result:
    """Plays an arena to its end; what `out` holds of it already is not played again.

    The results do not depend on `workers`; by default all cores work. Policies that are made
    already play in this process, with one worker. With `ray`, the address of a Ray cluster, its
    cores work instead; there agents are named by specs, and only networks may be made already.
    """
    here = any(not isinstance(agent, str) for agent in config.agents)
    workers = workers if workers is not None else 1 if here else os.cpu_count() or 1
    if workers < 1 or (here and workers > 1):
        raise ValueError(
            f"workers must be at least 1, and 1 for policies that are made already, not {workers}"
        )
    if ray is not None and any(_is_foreign(agent) for agent in config.agents):
        raise ValueError("agents on a cluster are named by specs, such as my_module:MyPolicy")
    if records and out is None:
        raise ValueError("records are written to a folder: name one (--out)")
    forget()
    config.policies()  # an agent that cannot be made is told before any game
    folder = Folder(out, config, format, records) if out is not None else None
    chunks = folder.read() if folder else []
    jobs = list(_jobs(config, chunks))
    with (
        _bar(config, jobs, progress) as advance,
        closing(_played(config, jobs, records, min(workers, len(jobs)), ray)) as played,
    ):
        for chunk in played:
            if folder:
                folder.add(chunk)
            chunks.append(chunk._replace(records=[]))
            advance(len(chunk.columns["deal"]) // config.rows)
    whole = join(chunks)
    if folder:
        folder.finish(whole)
    return Result(config, whole.columns, whole.seconds, whole.decisions)


def _is_foreign(agent: Any) -> bool:
    """Whether this is an object of somebody's own class; only specs of such ones travel."""
    return type(agent).__module__.partition(".")[0] not in ("builtins", "agents", "drago_env")


def _jobs(config: Config, chunks: Sequence[Chunk]) -> Iterator[Job]:
    """The deals that are still to play, on a grid that is the same for every run.

    So even an agent that does not keep its games apart meets the same batches again.
    """
    missing = np.ones(config.deals, np.bool_)
    for chunk in chunks:
        missing[chunk.columns["deal"]] = False
    for first in range(0, config.deals, config.chunk):
        numbers = np.flatnonzero(missing[first : first + config.chunk]) + first
        for stretch in np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1):
            if len(stretch):
                yield int(stretch[0]), int(stretch[-1]) + 1


# ---------------------------------------------------------------- workers


def _played(
    config: Config, jobs: Sequence[Job], records: bool, workers: int, ray: str | None
) -> Played:
    """The finished jobs as they come."""
    if ray is not None:
        yield from run_on_cluster(ray, _play, ((config, *job, records) for job in jobs))
        return
    if workers <= 1:
        for first, last in jobs:
            yield _play(config, first, last, records)
        return
    before = set(multiprocessing.active_children())
    # Never fork: compiled code and its threads do not survive it.
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=spawn, initializer=_start_worker)
    try:
        with _one_thread():
            tasks = [pool.submit(_play, config, *job, records) for job in jobs]
        for task in as_completed(tasks):
            yield task.result()
        pool.shutdown()
    except BaseException:  # an interrupt as well: what is under way is given up
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that start meanwhile compute on one thread each, unless the user says otherwise.

    They share the cores already; libraries read it when they are loaded, as the worker starts.
    """
    name = "OMP_NUM_THREADS"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]


def _play(config: Config, first: int, last: int, records: bool) -> Chunk:
    return config.play(first, last, records)


def _start_worker() -> None:
    """The parent hears Ctrl-C and ends its workers; without a parent they end themselves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _bar(config: Config, jobs: Sequence[Job], show: bool) -> Iterator[Callable[[int], object]]:
    """A progress bar on standard error that counts games."""
    if not show:
        yield lambda games: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), "games", TimeRemainingColumn())
    total = config.deals * config.players
    left = sum(last - first for first, last in jobs) * config.players
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, completed=total - left)
        yield lambda games: bar.advance(task, games)


# ---------------------------------------------------------------- command line


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        from agents.command import parse
    except ModuleNotFoundError as error:
        return _failed(f'error: the arena needs {error.name}: pip install -e ".[agents]"', 2)
    try:
        command = parse(arguments)
        if any(split(agent)[1] == "human" for agent in command.agents):
            raise ValueError("nobody can be asked in an arena; `python -m agents.play` seats human")
        result = run(
            command.config(),
            command.out,
            command.format,
            command.records,
            command.workers,
            progress=True,
            ray=command.ray,
        )
        report = result.report()
        report.show(sys.stderr if command.json else sys.stdout)
        if command.json:
            print(report.json())
        if command.out is not None:
            report.write(Path(command.out))
            print(f"results and report: {command.out}", file=sys.stderr)
    except BrokenExecutor as error:
        return _failed(f"error: a worker died ({error}). {_advice(command)}", 1)
    except (OSError, ValueError, TypeError, ImportError) as error:
        return _failed(f"error: {in_words(error)}", 2)
    except KeyboardInterrupt:
        return _failed(f"interrupted. {_advice(command)}", 130)
    return 0


def _failed(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


def _advice(command: Command) -> str:
    if command.out is None:
        return "Nothing is kept; with --out the next run would go on from here."
    return f"Finished deals are in {command.out}; the same command goes on from there."


if __name__ == "__main__":
    sys.exit(main())
