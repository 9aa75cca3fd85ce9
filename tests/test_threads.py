"""Ctrl-C while threads are at work: it comes when nothing is locked, and never gets lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drago_env.core.threads import ThreadPool, uninterrupted


@pytest.fixture(autouse=True)
def same_handler() -> Iterator[None]:
    """Whatever happens, Ctrl-C means afterwards what it meant before."""
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def held(*acts: Callable[[], None]) -> None:
    with uninterrupted():
        for act in acts:
            act()


def test_ctrl_c_waits_for_the_end_of_the_block() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        held(ctrl_c, lambda: done.append("done"))
    assert done == ["done"]


def test_a_second_ctrl_c_does_not_wait() -> None:
    with pytest.raises(KeyboardInterrupt):
        held(ctrl_c, ctrl_c, lambda: pytest.fail("it has waited"))


def test_ctrl_c_is_not_lost_where_the_block_fails() -> None:
    def fail() -> None:
        raise ValueError

    with pytest.raises(KeyboardInterrupt) as caught:
        held(ctrl_c, fail)
    assert isinstance(caught.value.__context__, ValueError)


def test_who_has_a_handler_of_their_own_keeps_it() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with uninterrupted():
            ctrl_c()
            assert not heard
        assert heard == [signal.SIGINT]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with uninterrupted():
            ctrl_c()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_have_nothing_to_wait_for() -> None:
    """Only the main thread hears signals, and may say who hears them."""
    heard: list[str] = []

    def work() -> None:
        with uninterrupted():
            heard.append("worked")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == ["worked"]


def test_a_pool_answers_before_ctrl_c_comes() -> None:
    pool, answered = ThreadPool(2), []

    def answer(part: int) -> int:
        if part == 0:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)  # the main thread hears of it meanwhile
        answered.append(part)
        return part

    with pytest.raises(KeyboardInterrupt):
        pool.map(answer, range(3))
    assert sorted(answered) == [0, 1, 2]
    assert pool.map(abs, [-1, -2]) == [1, 2]


# Ctrl-C comes where the queue of the curves' thread has woken it, but not yet noted that: the next
# one to wake it would wake nobody, and to close the curves would take two minutes.
BETWEEN = """
import signal, sys, time
{make}
time.sleep(0.5)  # its thread waits for something to write

def interrupt(frame, event, called):
    if event == "c_return" and called.__name__ == "release" and frame.f_code.co_name == "notify":
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)

try:
    sys.setprofile(interrupt)
    {write}
except KeyboardInterrupt:
    began = time.monotonic()
    {close}
    print("ended" if time.monotonic() - began < 60 else "slept")
"""
RUN = """
from train.runs import Run
run = Run.new(sys.argv[1], {})
run.curve("tag", 1.0, 1)
"""
SB3 = """
from train.sb3_ppo import Curves
curves = Curves(sys.argv[1])
curves.write({"tag": 1.0}, {"tag": None}, 1)
"""


@pytest.mark.parametrize(
    ("make", "write", "close"),
    [
        (RUN, 'run.curve("tag", 2.0, 2)', "run.close()"),
        (SB3, 'curves.write({"tag": 2.0}, {"tag": None}, 2)', "curves.close()"),
    ],
    ids=["run", "sb3"],
)
def test_curves_end_after_ctrl_c(tmp_path: Path, make: str, write: str, close: str) -> None:
    program = BETWEEN.format(make=make, write=write, close=close)
    words = [sys.executable, "-c", program, str(tmp_path / "run")]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert (ended.stdout, ended.returncode) == ("ended\n", 0), ended.stderr
