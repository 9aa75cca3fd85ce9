"""How good is it? The arena, played against each opponent in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
) -> list[Evaluation]:
    """Plays the agent against each opponent, at each number of players, on the same deals."""
    return [
        _duel(Config([agent, opponent], number, edition, games=games, seed=seed))
        for number in players
        for opponent in opponents
    ]


def _duel(config: Config) -> Evaluation:
    columns = run(config, workers=1).columns
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
