"""Threads that share a batch, and how Ctrl-C meets them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

Part = TypeVar("Part")
Answer = TypeVar("Answer")
Parts = Iterator[tuple[Any, ...]]
Task = tuple[Callable[..., None], Parts, list[BaseException | None], SimpleQueue[None]]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of the block; a second one does not.

    Python's executors and queues keep locks that an exception in their midst leaves locked, or a
    thread asleep that was to be woken: the program would not end.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    came: list[tuple[int, Any]] = []

    def note(number: int, frame: Any) -> None:
        if came:
            usual(number, frame)
        came.append((number, frame))

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            usual(*came[0])


class ThreadPool:
    """Threads that answer for parts of a batch; Ctrl-C waits until all have answered."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads)

    def map(self, function: Callable[[Part], Answer], parts: Iterable[Part]) -> list[Answer]:
        """What the function says of each part."""
        with uninterrupted():
            return list(self._pool.map(function, parts))


class ThreadTeam:
    """Threads for calls of a kernel that are split into slices of rows.

    So many threads in all, the caller being one of them; kernels release the GIL. Plain queues
    wake a thread faster than an executor's futures, and a batch of a few thousand games is done in
    less than a millisecond.
    """

    def __init__(self, threads: int) -> None:
        self._helpers = threads - 1
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._free = threading.Lock()
        self._todo: SimpleQueue[Task | None] = SimpleQueue()
        for _ in range(self._helpers):
            threading.Thread(target=_help, args=(self._todo,), daemon=True).start()

    def run(self, function: Callable[..., None], parts: list[tuple[Any, ...]]) -> None:
        """Calls the function with each list of arguments, the first one in this thread.

        Who is done with a part takes the next one: where there are more parts than threads, a
        thread that the machine holds up keeps nobody waiting. Callers in several threads wait for
        each other: nobody can tell whose part is done.
        """
        if self._process != os.getpid():  # a fork copies no threads
            self._start()
        helpers = min(self._helpers, len(parts) - 1)
        with self._free:
            errors: list[BaseException | None] = []
            done: SimpleQueue[None] = SimpleQueue()  # of this call: what is interrupted leaves none
            rest = iter(parts[1:])  # one step of it is never cut in two by another thread
            for _ in range(helpers):
                self._todo.put((function, rest, errors, done))
            try:
                function(*parts[0])
                for arguments in rest:
                    function(*arguments)
                for _ in range(helpers):
                    done.get()
            finally:
                while len(errors) < helpers:  # they write to the caller's arrays
                    time.sleep(0.001)
        for error in filter(None, errors):
            raise error

    def __del__(self) -> None:
        for _ in range(self._helpers):
            self._todo.put(None)


def _help(todo: SimpleQueue[Task | None]) -> None:
    while (task := todo.get()) is not None:
        function, parts, errors, done = task
        try:
            for arguments in parts:
                function(*arguments)
            errors.append(None)
        except BaseException as error:
            errors.append(error)
        done.put(None)
