"""`python -m train.average`: one network whose weights are the mean of several.

Networks of one descent, such as a run's checkpoints and the network it began with, differ mostly by
what the chance of their last games has taught them. Their mean forgets most of that.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from agents import neural
from agents.shell import Shell
from train.arguments import parse


@dataclass(frozen=True)
class Average:
    """Writes a network whose weights are the mean of those in several files."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """checkpoints of one descent; a file named twice counts twice"""
    out: Path
    """the file to write; it must not exist yet"""


def average(asked: Average) -> neural.Checkpoint:
    """Reads, checks and writes; the card holds the cards of all of them."""
    if len(asked.files) < 2:
        raise ValueError(f"a mean needs two checkpoints or more, not {len(asked.files)}")
    if asked.out.exists():
        raise ValueError(f"{asked.out} exists already; choose another --out")
    first, *others = read = [neural.load(path) for path in asked.files]
    for other in others:
        if other.shape != first.shape or other.signature != first.signature:
            raise ValueError(f"{other.path} has other sizes or another game than {first.path}")
    mean = {
        name: np.stack([one.weights[name] for one in read]).mean(0, np.float64).astype(np.float32)
        for name in first.weights
    }
    card = {"mean_of": [one.card for one in read]}
    neural.save(asked.out, mean, first.shape, first.signature, card)
    return neural.load(asked.out)


def main(words: Sequence[str] | None = None) -> int:
    """The command line."""
    with Shell() as shell:
        made = average(parse(Average, "train.average", words))
        print(f"{made.path}: play it as neural:path={made.path}")
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
