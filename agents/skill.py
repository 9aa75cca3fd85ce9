"""`python -m agents.skill`: how far agents are above a base policy, and how far anybody can be.

    python -m agents.skill --game NAME:players=2 --agents search neural greedy

By the performance difference lemma an agent wins as much more than the base as its decisions are
worth more than the base's would have been, added up over its games. So decisions are judged, by
playouts of the base to the very end, instead of games. See docs/skill.md.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy as np
import tyro
from numpy.typing import NDArray

from agents.arena import Config, run
from agents.ratings import Bootstrap, Estimate, Sample, means, more
from agents.report import interval, markdown_table, plain, terminal_table
from agents.seating import split
from agents.shell import Shell, parsed
from agents.shorthand import GameOptions
from agents.survey import Survey
from drago_env.core.checks import whole
from drago_env.policy import resolve, sees_all


@dataclass
class Command(GameOptions):
    """Measures how far agents are above a base policy, by judging their decisions."""

    agents: Annotated[tuple[str, ...], tyro.conf.arg(metavar="AGENT ...")]
    """Who is measured, the strongest fair one first: the ceiling is that of its positions."""
    base: str = "heuristic"
    """The policy that has all other seats, and with which decisions are compared."""
    positions: int = 4000
    """Decisions of each agent that are judged."""
    each: int = 16
    """How many of them come from one game, at most."""
    worlds: int = 128
    """In so many worlds each decision is played on to the end."""
    playouts: int = 4096
    """With so many the best choice is looked for, for the ceiling; 0: no ceiling."""
    matches: int = 0
    """Also play so many games of each fair agent among the base, to compare; 0: its own alone."""
    seed: int = 0
    """Of everything that is random: the same seed gives the same results."""
    out: Annotated[str | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Where results go; what was interrupted goes on in its folder."""
    workers: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None
    """Processes that work; by default one for each core."""
    json: bool = False
    """Print the results as one JSON object on standard output, all else on standard error."""


@dataclass(frozen=True)
class Skill:
    """One agent's results; shares of the victory are those of its one seat."""

    name: str
    sees_all: bool
    games: int
    positions: int
    decisions: float  # of a game, by its seat
    same: float  # share of them in which the base would have done the same
    advantage: Estimate | None  # in shares of the victory; None of who sees what is hidden
    more: int | None  # positions until it is likely told from 0, as in the arena
    won: Estimate  # its share of the victory in games
    won_games: int
    ceiling: Estimate | None  # the advantage of the best choices in its positions
    seconds: float  # for one decision; not reproducible, so no part of the JSON

    @property
    def label(self) -> str:
        """The name, marked if the agent sees what is hidden."""
        return f"{self.name} (sees all)" if self.sees_all else self.name


@dataclass(frozen=True)
class SkillReport:
    """What was found for each agent, in the order in which they were named."""

    command: Command
    even: float  # what the base wins among itself
    skills: list[Skill]

    @property
    def ceiling(self) -> Estimate | None:
        """The advantage that nobody fair can be far above."""
        return next((one.ceiling for one in self.skills if one.ceiling), None)

    @property
    def words(self) -> str:
        """The command that measures this."""
        asked, options = self.command, ("base", "positions", "each", "worlds", "playouts")
        more = "".join(f" --{name} {getattr(asked, name)}" for name in (*options, "matches"))
        words = f"--game {asked.spec} --agents {' '.join(asked.agents)}{more}"
        return f"python -m agents.skill {words} --seed {asked.seed}"

    # ------------------------------------------------------------ words

    @property
    def headings(self) -> list[str]:
        """Those of `rows`."""
        heads = ["agent", "by its decisions, %", "in games, %", "positions", "games"]
        return [*heads, "as the base, %", "decisions a game", "ms a decision"]

    def rows(self) -> list[list[str]]:
        """A line for each agent, and one for the ceiling."""
        lines = [
            [
                one.label,
                self._share(one.advantage),
                interval(one.won, 100, 1),
                str(one.positions) if one.advantage else "",
                str(one.won_games),
                f"{100 * one.same:.0f}" if one.advantage else "",
                f"{one.decisions:.1f}" if one.advantage else "",
                f"{1e3 * one.seconds:.2g}",
            ]
            for one in self.skills
        ]
        if self.ceiling:
            lines.insert(0, ["fair ceiling", self._share(self.ceiling), *[""] * 6])
        return lines

    def _share(self, advantage: Estimate | None) -> str:
        if advantage is None:
            return ""
        return interval(Estimate(*(self.even + number for number in advantage)), 100, 1)

    def notes(self) -> list[str]:
        """What the table does not say."""
        base, lines = self.command.base, []
        for one in self.skills:
            if one.advantage and one.more:
                lines.append(
                    f"{one.name} is not told from {base} yet; about {one.more} more positions "
                    "would likely tell."
                )
            elif one.advantage and one.more is None:
                lines.append(f"{one.name} does what {base} does.")
            elif one.advantage is None:
                lines.append(f"{one.name} is told what is hidden: a yardstick, not a player.")
        if self.ceiling:
            lines.append(
                f"The ceiling is that of the positions of {self.skills[0].name}: the best of the "
                f"legal actions, found with {self.command.playouts} playouts and judged in other "
                "worlds. The search for it is finite, so that it is met from below."
            )
        return [*lines, f"Even is {100 * self.even:.1f}%: what {base} wins among its like."]

    def show(self, file: TextIO) -> None:
        """Prints the table for a terminal."""
        from rich.console import Console

        console = Console(file=file, width=None if file.isatty() else 120, highlight=False)
        folded = [[cell.replace(" [", "\n[") for cell in row] for row in self.rows()]
        console.print(f"\n{self.words}", markup=False)
        console.print(terminal_table(self.headings, folded))
        for line in self.notes():
            console.print(line, markup=False)

    def markdown(self) -> str:
        """The table and its notes."""
        notes = "\n".join(f"- {line}" for line in self.notes())
        return f"`{self.words}`\n\n{markdown_table(self.headings, self.rows())}\n\n{notes}"

    def json(self) -> str:
        """One JSON object: the same for the same seed, so without times."""
        asked = self.command
        names = ("base", "positions", "each", "worlds", "playouts", "matches", "seed")
        whole_ = {"game": asked.spec, **{name: getattr(asked, name) for name in names}}
        agents = [
            {
                "agent": one.name,
                "sees_all": one.sees_all,
                "positions": one.positions,
                "games": one.won_games,
                "decisions": round(one.decisions, 6),
                "same": round(one.same, 6),
                "advantage": one.advantage and plain(one.advantage),
                "more_positions": one.more,
                "win_share": plain(one.won),
            }
            for one in self.skills
        ]
        ceiling = self.ceiling and plain(self.ceiling)
        return json.dumps(whole_ | {"even": self.even, "ceiling": ceiling, "agents": agents})

    # ------------------------------------------------------------ picture

    def plot(self, path: Path) -> None:
        """Every agent as a bar from the base, up to the ceiling and beyond it."""
        import matplotlib
        from matplotlib.figure import Figure

        figure = Figure((8, 1.4 + 0.35 * len(self.skills)), layout="constrained")
        axis = figure.add_subplot()
        names = [one.label for one in reversed(self.skills)]
        for place, one in enumerate(reversed(self.skills)):
            found = one.won if one.advantage is None else one.advantage
            mean, low, high = (n if one.advantage is None else self.even + n for n in found)
            colour = "0.75" if one.sees_all else "C0"
            axis.barh(place, mean - self.even, 0.6, self.even, color=colour, alpha=0.6)
            axis.plot([low, high], [place, place], color="0.2")
            axis.plot(one.won.mean, place, "o", color="0.2", markersize=3)
        axis.axvline(self.even, color="0.2", label=self.command.base)
        if self.ceiling:
            mean, low, high = (self.even + number for number in self.ceiling)
            axis.axvspan(low, high, color="C1", alpha=0.2)
            axis.axvline(mean, color="C1", label="fair ceiling")
        axis.set_yticks(range(len(names)), names)
        low, high = axis.get_xlim()
        axis.set_xlim(max(low, -0.02), min(high, 1.02))  # no share is beyond
        axis.set(xlabel="share of the victory of one seat (bar: by decisions; dot: in games)")
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        with matplotlib.rc_context({"svg.hashsalt": "skill", "svg.fonttype": "none"}):
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)

    def write(self, folder: Path) -> None:
        """The table and its picture."""
        self.plot(folder / "skill.svg")
        text = f"# Skill\n\n{self.markdown()}\n\n![Agents between base and ceiling](skill.svg)\n"
        (folder / "skill.md").write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- measuring


def measure(command: Command, progress: bool = False) -> SkillReport:
    """Plays and judges what is not in the folder yet."""
    if not command.agents:
        raise ValueError("--agents must name at least one agent, such as search")
    for name in ("positions", "each"):
        whole(name, getattr(command, name), 1, 2**40)
    whole("matches", command.matches, 0, 2**40)
    players = Config(["uniform"], command.spec).players
    fair = [a for a in command.agents if not sees_all(resolve(split(a)[1], command.spec))]
    skills = []
    for agent in command.agents:
        table = (agent, *[command.base] * (players - 1))
        playouts = command.playouts if agent in fair[:1] else 0
        games, seed = -(-command.positions // command.each), command.seed
        survey = Survey(table, command.spec, games, seed, command.each, command.worlds, playouts)
        longer = command.matches and agent in fair
        match = Config(table, command.spec, command.matches, seed) if longer else None
        skills.append(_skill(command, survey, match, progress))
    return SkillReport(command, 1 / players, skills)


def _skill(command: Command, survey: Survey, match: Config | None, progress: bool) -> Skill:
    name = survey.names[0]

    def played(config: Config, kind: str) -> Any:
        word = re.sub(r"[^\w=.-]", "_", name)  # some systems mind colons
        out = None if command.out is None else Path(command.out) / f"{word}-{kind}"
        return run(config, out, workers=command.workers, progress=progress)

    found = played(survey, "skill")
    columns = found.columns
    judged = columns["weight"] > 0
    cheats = sees_all(survey.policies()[0])
    bootstrap = Bootstrap(survey.deals, survey.seed)
    advantage, resampled = _total(survey, bootstrap, columns["weight"] * columns["gain"])
    ceiling = None
    if survey.playouts and not cheats:
        ceiling, _ = _total(survey, bootstrap, columns["weight"] * columns["best"])
    deals = more(advantage, resampled, survey.deals)
    won = _won(columns["win_share"], survey, bootstrap)
    if match:
        sample = Sample(played(match, "games").columns, match.names)
        won = means(sample, "win_share", Bootstrap(len(sample), match.seed))[0]
    weight = columns["weight"].sum()
    return Skill(
        name,
        cheats,
        games=survey.deals * survey.players,
        positions=int(judged.sum()),
        decisions=weight / (survey.deals * survey.players),
        same=float((columns["weight"] * columns["same"]).sum() / max(weight, 1)),
        advantage=None if cheats else advantage,
        more=None if deals is None else math.ceil(deals * judged.sum() / survey.deals),
        won=won,
        won_games=(match or survey).deals * survey.players,
        ceiling=ceiling,
        seconds=float(found.seconds[0] / max(found.decisions[0], 1)),
    )


def _total(
    survey: Survey, bootstrap: Bootstrap, values: NDArray[np.float64]
) -> tuple[Estimate, NDArray[np.float64]]:
    """What a game adds up to in the mean, and in the resamples of the deals."""
    games = values.reshape(survey.deals, -1).sum(1, keepdims=True) / survey.players
    sums = bootstrap.sums(games)[:, 0]
    rows = sums / bootstrap.sums(np.ones_like(games))[:, 0]
    return bootstrap.estimate(rows, survey.deals), rows[1:]


def _won(shares: NDArray[np.float64], survey: Survey, bootstrap: Bootstrap) -> Estimate:
    """The agent's mean share of the victory in the games of the survey."""
    games = shares.reshape(survey.deals, survey.players, -1)[:, :, 0].mean(1, keepdims=True)
    rows = bootstrap.sums(games)[:, 0] / bootstrap.sums(np.ones_like(games))[:, 0]
    return bootstrap.estimate(rows, survey.deals, (0, 1), survey.deals * survey.players)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    command = parsed(Command, "python -m agents.skill", arguments)
    go_on = "interrupted; with --out the same command goes on from there"
    with Shell(go_on, BrokenExecutor) as shell:
        report = measure(command, progress=True)
        report.show(sys.stderr if command.json else sys.stdout)
        if command.json:
            print(report.json())
        if command.out is not None:
            report.write(Path(command.out))
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
