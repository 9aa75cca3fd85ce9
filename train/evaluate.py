"""How good is it? The arena, played against each opponent in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents import ratings
from agents.arena import Config, run
from agents.report import markdown_table
from drago_env.policy import Policy


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
    margin: float  # the same for points less the mean of the others'
    margin_low: float
    margin_high: float


def evaluate(
    agent: str | Policy,
    opponents: Sequence[str | Policy],
    players: Sequence[int],
    edition: str,
    games: int,
    seed: int,
    ray: str | None = None,
) -> list[Evaluation]:
    """Plays the agent against each opponent, at each number of players, on the same deals."""
    return [
        _duel(Config([agent, opponent], number, edition, games=games, seed=seed), ray)
        for number in players
        for opponent in opponents
    ]


def _duel(config: Config, ray: str | None) -> Evaluation:
    columns = run(config, workers=1, ray=ray).columns
    sample = ratings.Sample(columns, config.names)
    bootstrap = ratings.Bootstrap(len(sample), config.seed)
    share = ratings.means(sample, "win_share", bootstrap)[0].mean
    gaps = [ratings.difference(sample, name, 0, 1, bootstrap) for name in ("win_share", "margin")]
    numbers = [number for gap in gaps for number in gap.estimate]
    played = config.deals * config.players
    return Evaluation(config.players, config.names[1], played, share, *numbers)


def table(evaluations: Sequence[Evaluation]) -> str:
    """Evaluations as a table in Markdown."""
    heads = (
        "riders",
        "opponent",
        "games",
        "win share",
        "win share difference",
        "margin difference",
    )
    return markdown_table(
        heads,
        [
            (
                *(str(e.players), e.opponent, str(e.games), f"{e.win_share:.3f}"),
                f"{e.difference:+.3f} [{e.low:+.3f}, {e.high:+.3f}]",
                f"{e.margin:+.2f} [{e.margin_low:+.2f}, {e.margin_high:+.2f}]",
            )
            for e in evaluations
        ],
    )


def draw_curve(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """The learning curve of a run: win share differences over the decisions, one panel a table.

    `rows` are those of `evaluations.csv`. Former selves are left out: each is met only once.
    """
    import matplotlib
    from matplotlib.figure import Figure

    known = [row for row in rows if not row["opponent"].startswith("self-")]
    riders = sorted({int(row["players"]) for row in known})
    opponents = list(dict.fromkeys(row["opponent"] for row in known))
    figure = Figure((1.5 + 3.5 * max(len(riders), 1), 4), layout="constrained")
    for place, players in enumerate(riders):
        axis = figure.add_subplot(1, len(riders), place + 1)
        axis.axhline(0, color="0.6", linewidth=1)
        for opponent, mark in zip(opponents, "os^vD" * len(opponents), strict=False):
            own = [r for r in known if r["opponent"] == opponent and int(r["players"]) == players]
            steps = [int(row["steps"]) / 1e6 for row in own]
            means, lows, highs = (
                [100 * float(row[name]) for row in own] for name in ("difference", "low", "high")
            )
            (line,) = axis.plot(steps, means, marker=mark, markersize=4, label=f"over {opponent}")
            axis.fill_between(steps, lows, highs, color=line.get_color(), alpha=0.2, linewidth=0)
        axis.set(title=f"{players} riders", xlabel="million decisions", ylim=(-105, 105))
        if place == 0:
            axis.set_ylabel("win share difference (%), 95% interval")
            axis.legend(loc="lower right")
    with matplotlib.rc_context({"svg.hashsalt": "curve", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
