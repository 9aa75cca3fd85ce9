"""Plays a game's leaderboard and writes its page: `python -m agents.leaderboard [--game GAME]`.

What is played stands in `agents/<game>/leaderboard.toml`. First agents are measured between a base
and the fair ceiling (`agents.skill`), and answered (`agents.exploit`). For each number of players
all agents meet in one arena, and pairs of them alone in longer ones. Variants of an agent meet a
yardstick, and equal players each other, to see what luck does. Finished arenas are kept in a
folder: an interrupted run goes on from there. The page goes to that folder, and to docs/ only if
told so.
"""

from __future__ import annotations

import datetime
import math
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import exploit, skill
from agents.arena import Config, run
from agents.ratings import Estimate
from agents.report import Report, interval, markdown_table
from agents.seating import split
from agents.shell import Shell, parsed
from drago_env import __version__
from drago_env.core.checks import whole
from drago_env.core.files import reading
from drago_env.games import DEFAULT, make, name_of
from drago_env.policy import resolve


@dataclass
class Arguments:
    """Play a leaderboard and write its page."""

    game: str = DEFAULT
    """the game, with words that hold for all its tables"""
    plan: Path | None = None
    """what to play, instead of the game's own agents/<game>/leaderboard.toml"""
    out: Path = Path("runs/leaderboard")
    """where the arenas are kept, and the page is written"""
    write: bool = False
    """write the page and its plots to docs/ instead"""
    seed: int = 1
    """of every arena"""
    scale: float = 1.0
    """so many times the games; less is a trial"""
    trust: bool = False
    """let agents of --plan be classes of your own (my_module:MyPolicy)"""

    @property
    def page(self) -> Path:
        """The page to write; its plots go beside it."""
        name = name_of(self.game).replace("_", "-")
        folder = Path("docs") if self.write else self.out
        default = name_of(self.game) == DEFAULT
        return folder / ("leaderboard.md" if default else f"leaderboard-{name}.md")


class Leaderboard:
    """The plan of a game's leaderboard, and the arenas that it is played in."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        if not 0 < arguments.scale < math.inf:
            raise ValueError(f"scale must be more than 0, not {arguments.scale}")
        if arguments.write and arguments.scale < 1:
            raise ValueError(
                f"a scale of {arguments.scale} is a trial, whose page goes to --out: leave --write"
            )
        own = Path(__file__).parent / name_of(arguments.game) / "leaderboard.toml"
        path = arguments.plan or own
        if not path.exists():
            raise ValueError(f"{name_of(arguments.game)} has no leaderboard: there is no {path}")
        with reading(path):
            self.plan: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
            missing = [key for key in ("agents", "players", "games") if key not in self.plan]
            if missing:
                raise ValueError(f"{path} must say {', '.join(missing)}")
            if isinstance(self.plan.get("exploit"), dict):
                raise ValueError("there may be several sections of answers: write [[exploit]]")
            trust = arguments.trust or path == own
            for policy in self._thought_of():
                resolve(policy, arguments.game, trust=trust)
            for agents, players, games in self._arenas():
                for agent in agents:
                    resolve(split(agent)[1], arguments.game, trust=trust)
                self.config(agents, players, whole("games", games, 1))

    def _thought_of(self) -> Iterator[str]:
        """Policies that are asked in playouts alone."""
        if "base" in self.plan.get("skill", ()):
            yield self.plan["skill"]["base"]
        for section in self.plan.get("exploit", ()):
            if "model" in section:
                yield section["model"]

    def _arenas(self) -> Iterator[tuple[Sequence[str], int, int]]:
        """All that is to be played: agents, seats and games."""
        plan = self.plan
        measured = [(section, "games") for section in plan.get("exploit", ())]
        if "skill" in plan:
            measured.append((plan["skill"], "positions"))
        for section, size in measured:
            for players in section["players"]:
                yield section["agents"], players, section[size]
        for players in plan["players"]:
            yield plan["agents"], players, plan["games"]
            for section in plan.get("duels", ()):
                for first, second, games in section["pairs"]:
                    yield (first, second), players, games
            if luck := plan.get("luck"):
                yield (luck["agent"], luck["agent"]), players, luck["games"]
        if variants := plan.get("variants"):
            for players in variants["players"]:
                for agent in variants["agents"]:
                    yield (agent, variants["against"]), players, variants["games"]

    def page(self) -> str:
        """Plays what is not played yet; the whole page, with its plots beside it."""
        plan, players = self.plan, self.plan["players"]
        title = make(self.spec(players[0])).spec.title
        parts = [f"# Leaderboard of {title}", self._introduction()]
        if "skill" in plan:
            parts += ["## Between the base and the ceiling", _SKILL]
            parts += [self._skill(plan["skill"], number) for number in plan["skill"]["players"]]
        if "exploit" in plan:
            rows = [row for section in plan["exploit"] for row in self._exploit(section)]
            table = markdown_table(("players", "agent", *exploit.HEADINGS), rows)
            parts += ["## What an answer wins", _EXPLOIT, table]
        for section in plan.get("duels", ()):
            parts += [f"## {section['title']}", f"{section['text']} {_APART}", self._duels(section)]
        parts += [self._pool(number) for number in players]
        if "luck" in plan:
            parts += self._luck(plan["luck"])
        if variants := plan.get("variants"):
            parts += [f"## {variants['title']}", variants["text"], self._variants(variants)]
        return "\n\n".join(parts) + "\n"

    def _introduction(self) -> str:
        asked, date = self.arguments, datetime.date.today().isoformat()
        scale = "" if asked.scale == 1 else f" with {asked.scale} times the games"
        words = "" if asked.game == DEFAULT else f" --game {asked.game}"
        return (
            f"Made by `python -m agents.leaderboard{words}`{scale} with drago-env {__version__} on "
            f"{date}, seed {asked.seed}. Duplicate deals in every rotation; in brackets 95% "
            "intervals over the deals. [The arena](arena.md) says what the columns mean, "
            "[the agents](agents.md) who plays."
        )

    # ------------------------------------------------------------ arenas

    def spec(self, players: int) -> str:
        """The game with so many seats."""
        colon = "," if ":" in self.arguments.game else ":"
        return f"{self.arguments.game}{colon}players={players}"

    def scaled(self, number: int, least: int) -> int:
        """So much of what the plan asks for."""
        return max(int(number * self.arguments.scale), least)

    def config(self, agents: Sequence[str], players: int, games: int) -> Config:
        """An arena with so many seats."""
        games = self.scaled(games, 2 * players)
        return Config(agents, self.spec(players), games, self.arguments.seed)

    def folder(self, config: Config) -> Path:
        """Where an arena is kept."""
        return self._folder(config.game, *config.names, str(config.games))

    def _folder(self, *words: str) -> Path:
        """Where what these words name is kept."""
        name = re.sub(r"[^\w=.-]", "_", "-".join(words))  # some systems mind colons
        return self.arguments.out / name

    def play(self, config: Config) -> Report:
        """Plays an arena, or reads it from its folder."""
        print(_command(config), flush=True)
        report = run(config, self.folder(config), progress=True).report()
        report.write(self.folder(config))
        return report

    # ------------------------------------------------------------ sections

    def _skill(self, section: dict[str, Any], players: int) -> str:
        asked, spec, page = self.arguments, self.spec(players), self.arguments.page
        sizes = {name: section[name] for name in ("each", "worlds", "playouts") if name in section}
        command = skill.Command(
            game=spec,
            agents=tuple(section["agents"]),
            base=section["base"],
            positions=self.scaled(section["positions"], 2 * players),
            matches=self.scaled(section["matches"], 2 * players) if "matches" in section else 0,
            seed=asked.seed,
            out=str(self._folder("skill", spec)),
            **sizes,
        )
        report = skill.measure(command, progress=True)
        plot = page.with_name(f"{page.stem}-skill-{players}.svg")
        report.plot(plot)
        return (
            f"### Skill, {players} players\n\n{report.markdown()}\n\n"
            f"![Agents between {command.base} and the ceiling, {players} players]({plot.name})"
        )

    def _exploit(self, section: dict[str, Any]) -> Iterator[tuple[str, ...]]:
        for players in section["players"]:
            for agent in section["agents"]:
                spec = self.spec(players)
                command = exploit.Command(
                    game=spec,
                    agent=agent,
                    model=section.get("model"),
                    steps=self.scaled(section["steps"], 1) if section["steps"] else 0,
                    playouts=section["playouts"],
                    games=self.scaled(section["games"], 2 * players),
                    seed=self.arguments.seed,
                    out=self._folder("exploit", spec, agent),
                )
                for answer in exploit.exploit(command, progress=True):
                    yield str(players), agent, *exploit.row(answer)

    def _pool(self, players: int) -> str:
        config = self.config(self.plan["agents"], players, self.plan["games"])
        report, page = self.play(config), self.arguments.page
        plot = page.with_name(f"{page.stem}-{players}.svg")
        shutil.copyfile(self.folder(config) / "report.svg", plot)
        notes = "\n".join(f"- {line}" for line in report.notes())
        return (
            f"## {players} players\n\n`{_command(config)}`\n\n"
            f"{markdown_table(report.headings, report.rows())}\n\n{notes}\n\n"
            f"![{report.plotted} with intervals, {players} players]({plot.name})"
        )

    def _duels(self, section: dict[str, Any]) -> str:
        rows = [
            _duel(self.play(config), config.names[0])
            for players in self.plan["players"]
            for *pair, games in section["pairs"]
            for config in [self.config(pair, players, games)]
        ]
        return _table(rows)

    def _variants(self, variants: dict[str, Any]) -> str:
        rows = [
            _variant(self.play(self.config(pair, players, variants["games"])), variant)
            for players in variants["players"]
            for variant in variants["agents"]
            for pair in [(variant, variants["against"])]
        ]
        return _table(rows)

    def _luck(self, luck: dict[str, Any]) -> list[str]:
        """Nothing, in a game without points."""
        agent, page = luck["agent"], self.arguments.page
        reports = {
            players: self.play(self.config((agent, agent), players, luck["games"]))
            for players in self.plan["players"]
        }
        if not all(report.luck for report in reports.values()):
            return []
        plot = page.with_name(f"{page.stem}-luck.svg")
        plot_luck(reports, plot)
        return [
            "## Luck and skill",
            f"Where the variance of a seat's final margin comes from when equal players ({agent}) "
            "sit on every seat: the seat and what comes to it (deal), who sits there (skill; they "
            "are alike), and what players decide by chance, with all that follows (rest). "
            "[How](arena.md#luck-and-skill).",
            _table(
                {
                    "players": str(players),
                    **{
                        f"{name}, %": interval(share, 100, 1)
                        for name, share in zip(_PARTS, report.luck or (), strict=True)
                    },
                    "games": str(report.games),
                }
                for players, report in reports.items()
            ),
            f"![Stacked bars of the three shares by players]({plot.name})",
        ]


_PARTS = ("deal", "skill", "rest")
_SKILL = (
    "What one seat wins among the base, by the worth of its decisions and in games, and what the "
    "best choices win that anybody fair could make. [What this means](skill.md)."
)
_EXPLOIT = (
    "One seat for somebody who is out for the agent that has all others: the network that ships, "
    "trained on against it alone, and a search that is told its policy or one that stands for it. "
    "[What this means](skill.md#an-answer-to-one-agent)."
)
_APART = (
    "Two are separated when the interval of their difference of win shares does not hold 0. Beside "
    "it stands how long they thought."
)


def _command(config: Config) -> str:
    words = shlex.join(str(agent) for agent in config.agents)
    options = f"--game {config.game} --games {config.games} --seed {config.seed}"
    return f"python -m agents.arena {words} {options}"


def _table(rows: Any) -> str:
    """Rows of the same columns, by their headings."""
    rows = list(rows)
    return markdown_table(list(rows[0]), [list(row.values()) for row in rows])


def _duel(report: Report, first: str) -> dict[str, str]:
    """How far the first agent is ahead."""
    (pair,) = report.pairs
    sign = 1 if pair.a.name == first else -1
    agents = (pair.a, pair.b)[::sign]
    row = {
        "players": str(report.players),
        "who": f"{agents[0].label} over {agents[1].label}",
        "win share difference, %": interval(_times(sign, pair.win_share.estimate), 100, 1),
    }
    if pair.margin:
        row["margin difference"] = interval(_times(sign, pair.margin.estimate), 1, 2)
    separated = "no" if pair.win_share.more != 0 else "yes" if sign > 0 else "the other way round"
    times = ", ".join(f"{agent.seconds * 1e3:.2g}" for agent in agents)
    return row | {"games": str(report.games), "separated": separated, "ms a decision": times}


def _times(sign: int, estimate: Estimate) -> Estimate:
    return estimate if sign > 0 else Estimate(-estimate.mean, -estimate.high, -estimate.low)


def _variant(report: Report, agent: str) -> dict[str, str]:
    (one,) = (standing for standing in report.standings if standing.name == split(agent)[0])
    row = {
        "players": str(report.players),
        "variant": f"`{one.name}`",
        "win share, %": interval(one.win_share, 100, 1),
    }
    if one.margin:
        row["margin"] = interval(one.margin, 1, 2)
    return row | {"ms a decision": f"{one.seconds * 1e3:.2f}"}


def plot_luck(reports: dict[int, Report], path: Path) -> None:
    """Where the variance of the final margin comes from, for each number of players."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure((6, 3), layout="constrained")
    axis = figure.add_subplot()
    bottom = [0.0] * len(reports)
    for part, colour, hatch in zip(_PARTS, ("0.35", "0.85", "0.65"), ("", "//", ".."), strict=True):
        means = [100 * getattr(report.luck, part).mean for report in reports.values()]
        axis.bar(list(map(str, reports)), means, 0.6, bottom, color=colour, hatch=hatch, label=part)
        bottom = [low + mean for low, mean in zip(bottom, means, strict=True)]
    axis.set(xlabel="players", ylabel="share of the margin's variance, %", ylim=(0, 100))
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    with rc_context({"svg.hashsalt": "luck", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def main(words: Sequence[str] | None = None) -> int:
    """The command line."""
    with Shell() as shell:
        asked = parsed(Arguments, "python -m agents.leaderboard", words, description=__doc__)
        board = Leaderboard(asked)
        asked.page.parent.mkdir(parents=True, exist_ok=True)
        page = board.page()
        asked.page.write_text(page, encoding="utf-8")
        print(asked.page)
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
