"""Plays the leaderboard and writes docs/leaderboard.md: `make leaderboard`.

For each number of players all agents meet in one arena, and each meets the next weaker one alone
in a longer one. Variants of the search meet the heuristic, and equal players each other, to see
what luck does. Finished arenas are kept in a folder: an interrupted run goes on from there.
"""

from __future__ import annotations

import datetime
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.arena import Config, run
from agents.ratings import Estimate
from agents.report import HEADINGS, Pair, Report, Standing, interval, markdown_table
from drago_env import __version__

# the strongest first
AGENTS = ("clairvoyant", "guided", "search", "neural", "heuristic", "greedy", "uniform")
PLAYERS = (2, 3, 4, 5)
POOL_GAMES = 1000
# What the search is made of: each part exchanged for another, at about the same time a decision.
VARIANTS = (
    "search:playouts=256",
    "search:playouts=256,depth=2",
    "search:playouts=256,depth=9",
    "search:playouts=256,leaf=margin",
    "search:playouts=256,playout=greedy",
    "search:playouts=64,playout=heuristic",
    "search:playouts=128,playout=uniform,depth=0",
    "search:playouts=128,method=tree",
)
VARIANT_PLAYERS, VARIANT_GAMES = (2, 4), 1000
# What a network's advice is worth: the search with and without it, in about the same time.
ADVICE = {
    ("guided:playouts=40", "search:playouts=64"): 8000,
    ("guided:playouts=230", "search:playouts=256"): 4000,
    ("guided", "search"): 2000,
}
EQUALS = ("search:playouts=64", "search:playouts=64")  # strong, alike, and not deterministic
LUCK_GAMES = 4000
DUELS = {  # the stronger first, and how many games
    ("clairvoyant", "guided"): 500,
    ("guided", "search"): 2000,
    ("guided", "neural"): 2000,
    ("search", "neural"): 1000,
    ("neural", "heuristic"): 8000,
    ("heuristic", "greedy"): 8000,
    ("greedy", "uniform"): 4000,
}


@dataclass
class Arguments:
    """Play the leaderboard and write its page."""

    page: Path = Path("docs/leaderboard.md")
    """the page to write; its plots go beside it"""
    out: Path = Path("runs/leaderboard")
    """where the arenas are kept"""
    seed: int = 1
    """of every arena"""
    scale: float = 1.0
    """so many times the games; less is a trial"""


def main(arguments: Arguments) -> None:
    pools: list[str] = []
    duels: list[list[str]] = []
    advice: list[list[str]] = []
    luck: dict[int, Report] = {}
    for players in PLAYERS:
        config = _config(AGENTS, players, POOL_GAMES, arguments)
        report = _play(config, arguments)
        plot = arguments.page.with_name(f"leaderboard-{players}.svg")
        shutil.copyfile(_folder(config, arguments) / "report.svg", plot)
        pools.append(_pool(config, report, plot.name))
        duels += [_duel(report) for report in _duels(DUELS, players, arguments)]
        advice += [_duel(report) for report in _duels(ADVICE, players, arguments)]
        luck[players] = _play(_config(EQUALS, players, LUCK_GAMES, arguments), arguments)
    variants = [
        _variant(
            _play(_config((variant, "heuristic"), players, VARIANT_GAMES, arguments), arguments)
        )
        for players in VARIANT_PLAYERS
        for variant in VARIANTS
    ]
    plot_luck(luck, arguments.page.with_name("luck.svg"))
    page = _page(pools, duels, advice, variants, luck, arguments)
    arguments.page.write_text(page, encoding="utf-8")


def _duels(
    pairs: dict[tuple[str, str], int], players: int, arguments: Arguments
) -> Iterator[Report]:
    for pair, games in pairs.items():
        yield _play(_config(pair, players, games, arguments), arguments)


def _config(agents: tuple[str, ...], players: int, games: int, arguments: Arguments) -> Config:
    games = max(int(games * arguments.scale), 2 * players)
    return Config(agents, players, games=games, seed=arguments.seed)


def _folder(config: Config, arguments: Arguments) -> Path:
    words = re.sub(r"[^\w=.-]", "_", "-".join(config.names))  # no colons: some systems mind
    return arguments.out / f"{config.players}-{words}"


def _play(config: Config, arguments: Arguments) -> Report:
    print(_command(config), flush=True)
    folder = _folder(config, arguments)
    report = run(config, folder, progress=True).report()
    report.write(folder)
    return report


def _command(config: Config) -> str:
    words = shlex.join(str(agent) for agent in config.agents)
    options = f"--players {config.players} --games {config.games} --seed {config.seed}"
    return f"python -m agents.arena {words} {options}"


def _pool(config: Config, report: Report, plot: str) -> str:
    notes = "\n".join(f"- {line}" for line in report.notes())
    return (
        f"## {config.players} players\n\n`{_command(config)}`\n\n"
        f"{markdown_table(HEADINGS, report.rows())}\n\n{notes}\n\n"
        f"![Win share, margin and rating with intervals, {config.players} players]({plot})"
    )


def _duel(report: Report) -> list[str]:
    (pair,) = report.pairs
    first, second = _listed(pair)
    sign = 1 if first is pair.a else -1
    return [
        str(report.players),
        f"{first.label} over {second.label}",
        interval(_times(sign, pair.win_share.estimate), 100, 1),
        interval(_times(sign, pair.margin.estimate), 1, 2),
        str(report.games),
        "no" if pair.win_share.more != 0 else "yes" if sign > 0 else "the other way round",
        ", ".join(f"{agent.seconds * 1e3:.2g}" for agent in (first, second)),
    ]


def _listed(pair: Pair) -> tuple[Standing, Standing]:
    """Both agents, the one first that is listed first."""
    a, b = sorted((pair.a, pair.b), key=lambda agent: AGENTS.index(agent.name.partition(":")[0]))
    return a, b


def _times(sign: int, estimate: Estimate) -> Estimate:
    return estimate if sign > 0 else Estimate(-estimate.mean, -estimate.high, -estimate.low)


def _variant(report: Report) -> list[str]:
    (pair,) = report.pairs
    one = pair.b if pair.a.name == "heuristic" else pair.a
    return [
        str(report.players),
        f"`{one.name}`",
        interval(one.win_share, 100, 1),
        interval(one.margin, 1, 2),
        f"{one.seconds * 1e3:.2f}",
    ]


def plot_luck(reports: dict[int, Report], path: Path) -> None:
    """Where the variance of the final margin comes from, for each number of players."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure((6, 3), layout="constrained")
    axis = figure.add_subplot()
    bottom = [0.0] * len(reports)
    for part, colour, hatch in (
        ("deal", "0.35", ""),
        ("skill", "0.85", "//"),
        ("rest", "0.65", ".."),
    ):
        means = [100 * getattr(report.luck, part).mean for report in reports.values()]
        axis.bar(list(map(str, reports)), means, 0.6, bottom, color=colour, hatch=hatch, label=part)
        bottom = [low + mean for low, mean in zip(bottom, means, strict=True)]
    axis.set(xlabel="players", ylabel="share of the margin's variance, %", ylim=(0, 100))
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    with rc_context({"svg.hashsalt": "luck", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def _luck(reports: dict[int, Report]) -> str:
    rows = [
        [str(players), *(interval(share, 100, 1) for share in report.luck), str(report.games)]
        for players, report in reports.items()
    ]
    return markdown_table(("players", "deal, %", "skill, %", "rest, %", "games"), rows)


def _page(
    pools: list[str],
    duels: list[list[str]],
    advice: list[list[str]],
    variants: list[list[str]],
    luck: dict[int, Report],
    arguments: Arguments,
) -> str:
    headings = (
        "players",
        "who",
        "win share difference, %",
        "margin difference",
        "games",
        "shown",
        "ms a decision",
    )
    date = datetime.date.today().isoformat()
    scale = "" if arguments.scale == 1 else f" with {arguments.scale} times the games"
    parts = [
        "# Leaderboard",
        f"Made by `make leaderboard`{scale} with drago-env {__version__} on {date}, seed "
        f"{arguments.seed}. The german edition, duplicate deals in every rotation; in brackets 95% "
        "intervals over the deals. [The arena](arena.md) says what the columns mean, "
        "[the agents](agents.md) who plays.",
        "## Who beats whom",
        "Two agents alone at the table, in equal shares of the seats: "
        "`python -m agents.arena A B --players P --games G --seed "
        f"{arguments.seed}`. A difference of win shares is shown when its interval does not "
        "hold 0. Beside it stands how long the two thought.",
        markdown_table(headings, duels),
        "## What the network's advice is worth",
        "`guided` is `search` with a network's advice. Here both think for about the same time, "
        "first a short one.",
        markdown_table(headings, advice),
        *pools,
        "## Luck and skill",
        f"Where the variance of a seat's final margin comes from when equal players ({EQUALS[0]}) "
        "sit on every seat: the seat and its cards (deal), who sits there (skill; they are alike), "
        "and what players decide by chance, with all that follows (rest). "
        "[How](arena.md#luck-and-skill).",
        _luck(luck),
        "![Stacked bars of the three shares for 2 to 5 players](luck.svg)",
        "## What the search is made of",
        "Variants against `heuristic`, half of the seats each; `search` itself has 1024 playouts.",
        markdown_table(("players", "variant", "win share, %", "margin", "ms a decision"), variants),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main(tyro.cli(Arguments, description=__doc__))
