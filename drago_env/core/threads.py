"""Threads that share a batch: each call of a kernel is split into slices of its rows."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

Task = tuple[Callable[..., None], tuple[Any, ...], list[BaseException | None], SimpleQueue[None]]


class ThreadTeam:
    """So many threads in all, the caller being one of them; kernels release the GIL.

    Plain queues wake a thread faster than an executor's futures, and a batch of a few thousand
    games is done in less than a millisecond.
    """

    def __init__(self, threads: int) -> None:
        self._helpers = threads - 1
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._free = threading.Lock()
        self._todo: SimpleQueue[Task | None] = SimpleQueue()
        for _ in range(self._helpers):
            threading.Thread(target=_work, args=(self._todo,), daemon=True).start()

    def run(self, function: Callable[..., None], parts: list[tuple[Any, ...]]) -> None:
        """Calls the function with each list of arguments, one of them in this thread.

        Callers in several threads wait for each other: nobody can tell whose part is done.
        """
        if self._process != os.getpid():  # a fork copies no threads
            self._start()
        with self._free:
            errors: list[BaseException | None] = []
            done: SimpleQueue[None] = SimpleQueue()  # of this call: what is interrupted leaves none
            for arguments in parts[1:]:
                self._todo.put((function, arguments, errors, done))
            try:
                function(*parts[0])
                for _ in parts[1:]:
                    done.get()
            finally:
                while len(errors) < len(parts) - 1:  # they write to the caller's arrays
                    time.sleep(0.001)
        for error in filter(None, errors):
            raise error

    def __del__(self) -> None:
        for _ in range(self._helpers):
            self._todo.put(None)


def _work(todo: SimpleQueue[Task | None]) -> None:
    while (task := todo.get()) is not None:
        function, arguments, errors, done = task
        try:
            function(*arguments)
            errors.append(None)
        except BaseException as error:
            errors.append(error)
        done.put(None)
