"""The learning curve of runs of `train.ppo`: how far they are above a base against CPU time.

    python -m benchmarks.curve RUN ... [--base heuristic] [--positions 2000] [--write FILE]

Every former self that a run has kept, and the network that it ended with, is measured as
`python -m agents.skill` does it, by the worth of its decisions, on the same deals. CPU time is
that of collecting and learning, without arenas.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib
from matplotlib.figure import Figure

from agents import neural
from agents.ratings import Estimate
from agents.report import interval, markdown_table
from agents.skill import Command, measure
from drago_env.core.files import replacing
from train import runs
from train.arguments import Arguments


class Point(NamedTuple):
    """A network of a run, and what one seat of it wins among the base."""

    steps: int
    minutes: float  # of CPU time
    share: Estimate


def points(folder: Path, base: str, positions: int, seed: int) -> list[Point]:
    """The curve of one run."""
    rows = runs.read_table(folder / runs.METRICS)
    spec = Arguments.read(runs.Run.open(folder).config["arguments"]).specs[0]
    found = []
    for file in [*sorted((folder / "checkpoints").glob("*.safetensors")), folder / runs.NETWORK]:
        steps = neural.load(file).card["steps"]
        spent = sum(float(row["cpu_seconds"]) for row in rows if int(row["steps"]) <= steps)
        agents = (f"neural:path={file}",)
        report = measure(
            Command(agents, base, positions, playouts=0, seed=seed, game=spec), progress=True
        )
        advantage = report.skills[0].advantage
        assert advantage is not None  # a network is not told what is hidden
        share = Estimate(*(report.even + number for number in advantage))
        found.append(Point(steps, spent / 60, share))
    return found


def plot(curves: dict[str, list[Point]], base: str, path: Path) -> None:
    """A line for each run, with its intervals."""
    figure = Figure((8, 4), layout="constrained")
    axis = figure.add_subplot()
    for name, curve in curves.items():
        minutes = [point.minutes for point in curve]
        means, lows, highs = zip(*(point.share for point in curve), strict=True)
        axis.plot(minutes, means, marker="o", markersize=3, label=name)
        axis.fill_between(minutes, lows, highs, alpha=0.15)
    axis.set(xlabel="minutes of CPU time", ylabel=f"share of the victory of one seat among {base}")
    axis.legend(frameon=False)
    with (
        matplotlib.rc_context({"svg.hashsalt": "curve", "svg.fonttype": "none"}),
        replacing(path) as part,
    ):
        figure.savefig(part, format="svg", metadata={"Date": None})


def markdown(curves: dict[str, list[Point]]) -> str:
    """A line for each network."""
    heads = ("run", "decisions", "minutes of CPU time", "by its decisions, %")
    rows = [
        [name, f"{point.steps:,}", f"{point.minutes:.1f}", interval(point.share, 100, 1)]
        for name, curve in curves.items()
        for point in curve
    ]
    return markdown_table(heads, rows)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.curve", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("--base", default="heuristic", help="whom they are measured against")
    parser.add_argument("--positions", type=int, default=2000, help="decisions that are judged")
    parser.add_argument("--seed", type=int, default=0, help="of the deals and worlds")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the picture, as SVG")
    asked = parser.parse_args(words)
    curves = {
        folder.name: points(folder, asked.base, asked.positions, asked.seed)
        for folder in asked.runs
    }
    print(markdown(curves))
    if asked.write:
        plot(curves, asked.base, asked.write)


if __name__ == "__main__":
    main()
