"""How good is it? The arena, played against each opponent in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agents import ratings
from agents.arena import Config, run
from agents.report import markdown_table
from agents.shorthand import WORDS
from drago_env.games import make
from drago_env.moved import moved, refuses
from drago_env.policy import Policy
from train.arguments import players_of


@dataclass(frozen=True)
class Evaluation:
    """What one arena found for an agent; bounds are those of a 95% interval."""

    players: int
    opponent: str
    games: int
    win_share: float  # of a seat that the agent holds; even is 1 / players
    difference: float  # between the win shares of the agent and the opponent, on the same deals
    low: float
    high: float
    margin: float | None = None  # the same for points less the mean of the others', if there are
    margin_low: float | None = None
    margin_high: float | None = None
    truncated: int | None = None  # games that were cut off, if the game can be

    def row(self) -> dict[str, Any]:
        """As a row of a table: without what the game does not have."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def arena_games(specs: Sequence[str]) -> list[str]:
    """The first of the games with each number of players, the fewest first."""
    first = {players_of(make(spec)): spec for spec in reversed(specs)}
    return [first[players] for players in sorted(first)]


@refuses(
    "evaluate(agent, opponents, specs, games, seed), with a spec for each game",
    *WORDS,
    games=str,
)
def evaluate(
    agent: str | Policy,
    opponents: Sequence[str | Policy],
    specs: Sequence[str],
    games: int,
    seed: int,
    ray: str | None = None,
) -> list[Evaluation]:
    """Plays the agent against each opponent, in the game of each spec, on the same deals."""
    return [
        _duel(Config([agent, opponent], spec, games, seed), ray)
        for spec in specs
        for opponent in opponents
    ]


def _duel(config: Config, ray: str | None) -> Evaluation:
    columns = run(config, workers=1, ray=ray).columns
    sample = ratings.Sample(columns, config.names)
    bootstrap = ratings.Bootstrap(len(sample), config.seed)
    share = ratings.means(sample, "win_share", bootstrap)[0].mean
    kinds = [name for name in ("win_share", "margin") if name in columns]
    gaps = [ratings.difference(sample, name, 0, 1, bootstrap) for name in kinds]
    numbers: list[Any] = [number for gap in gaps for number in gap.estimate]
    played = config.deals * config.players
    found = Evaluation(config.players, config.names[1], played, share, *numbers)
    if "truncated" not in columns:
        return found
    return replace(found, truncated=int(columns["truncated"].sum()) // config.players)


def as_markdown(evaluations: Sequence[Evaluation]) -> str:
    """Evaluations as a table in Markdown, without columns that the game does not have."""
    columns = {
        "players": [str(e.players) for e in evaluations],
        "opponent": [e.opponent for e in evaluations],
        "games": [str(e.games) for e in evaluations],
        "cut off": [str(e.truncated) for e in evaluations if e.truncated is not None],
        "win share": [f"{e.win_share:.3f}" for e in evaluations],
        "win share difference": [
            f"{e.difference:+.3f} [{e.low:+.3f}, {e.high:+.3f}]" for e in evaluations
        ],
        "margin difference": [
            f"{e.margin:+.2f} [{e.margin_low:+.2f}, {e.margin_high:+.2f}]"
            for e in evaluations
            if e.margin is not None
        ],
    }
    there = {head: column for head, column in columns.items() if len(column) == len(evaluations)}
    return markdown_table(tuple(there), list(zip(*there.values(), strict=True)))


def draw_curve(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """The learning curve of a run: win share differences over the decisions.

    `rows` are those of `evaluations.csv`; each number of players has a panel. Former selves are
    left out: each is met only once.
    """
    import matplotlib
    from matplotlib.figure import Figure

    known = [row for row in rows if not row["opponent"].startswith("self-")]
    numbers = sorted({int(row["players"]) for row in known})
    opponents = list(dict.fromkeys(row["opponent"] for row in known))
    figure = Figure((1.5 + 3.5 * max(len(numbers), 1), 4), layout="constrained")
    for place, players in enumerate(numbers):
        axis = figure.add_subplot(1, len(numbers), place + 1)
        axis.axhline(0, color="0.6", linewidth=1)
        for opponent, mark in zip(opponents, "os^vD" * len(opponents), strict=False):
            own = [r for r in known if r["opponent"] == opponent and int(r["players"]) == players]
            steps = [int(row["steps"]) / 1e6 for row in own]
            means, lows, highs = (
                [100 * float(row[name]) for row in own] for name in ("difference", "low", "high")
            )
            (line,) = axis.plot(steps, means, marker=mark, markersize=4, label=f"over {opponent}")
            axis.fill_between(steps, lows, highs, color=line.get_color(), alpha=0.2, linewidth=0)
        axis.set(title=f"{players} players", xlabel="million decisions", ylim=(-105, 105))
        if place == 0:
            axis.set_ylabel("win share difference (%), 95% interval")
            axis.legend(loc="lower right")
    with matplotlib.rc_context({"svg.hashsalt": "curve", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})


__getattr__ = moved(__name__, {"table": "as_markdown"})
