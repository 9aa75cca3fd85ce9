"""The command of every game's fuzz: batches in several processes, up to the first difference."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

Seen = Counter[str]


class Fuzz(NamedTuple):
    """What is compared, and how much of it is done is counted under `unit`."""

    module: str
    play: Callable[[int, int], Seen]  # the batch of a number and a seed; raises at a difference
    difference: type[Exception]  # says all by itself; of anything else the traceback is reported
    unit: str
    default: int

    def batch(self, number: int, seed: int) -> tuple[Seen, str]:
        """What was seen in one batch, and the report of a difference or nothing."""
        try:
            return self.play(number, seed), ""
        except Exception as error:  # a crash is a finding too
            found = str(error) if isinstance(error, self.difference) else traceback.format_exc()
            return Counter(), f"--seed {seed} --batch {number} repeats this\n{found}"

    def run(self, amount: int, seed: int, workers: int) -> tuple[Seen, str]:
        """At least so much, compared; what was seen, and the first report."""
        seen: Seen = Counter()
        shown = started = time.monotonic()
        with multiprocessing.get_context("spawn").Pool(workers) as pool:  # leaving ends it
            first = 0
            while seen[self.unit] < amount:
                numbers = range(first, first + 8 * workers)  # a pool would take all there are
                first = numbers.stop
                for met, report in pool.imap_unordered(partial(self.batch, seed=seed), numbers):
                    seen.update(met)
                    if report:
                        return seen, report
                    if time.monotonic() - shown > 5:
                        shown, done = time.monotonic(), seen[self.unit]
                        rate = done / (shown - started)
                        print(f"{done} {self.unit}, {rate:.0f}/s", file=sys.stderr, flush=True)
        return seen, ""

    def main(self, words: Sequence[str] | None = None) -> int:
        """The command line."""
        parser = argparse.ArgumentParser(
            prog=f"python -m {self.module}",
            description="Plays random rules with the kernel and with the reference and stops, with "
            "exit code 1 and a report, at the first difference.",
        )
        parser.add_argument(f"--{self.unit}", type=int, default=self.default, help="%(default)s")
        parser.add_argument("--seed", type=int, default=0, help="of everything (%(default)s)")
        cores = os.cpu_count() or 1
        parser.add_argument("--workers", type=int, default=cores, help="processes (all cores)")
        parser.add_argument("--batch", type=int, help="play only the batch of this number")
        asked = parser.parse_args(words)
        amount = getattr(asked, self.unit)
        if amount < 1 or asked.workers < 1 or (asked.batch or 0) < 0:
            parser.error(f"--{self.unit} and --workers must be at least 1, --batch at least 0")
        started = time.monotonic()
        if asked.batch is None:
            seen, report = self.run(amount, asked.seed, asked.workers)
        else:
            seen, report = self.batch(asked.batch, asked.seed)
        if report:
            print(report)
            return 1
        seconds = time.monotonic() - started
        print(f"{seen[self.unit]} {self.unit} in {seconds:.0f} s without a difference")
        for name, number in sorted(seen.items()):
            print(f"{number:>10} {name}")
        return 0
