"""The report of an arena: as a terminal table, Markdown, a plot and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, TextIO

from numpy.typing import NDArray

from agents import ratings
from agents.ratings import Difference, Estimate, Shares
from agents.seating import Config
from drago_env.moved import moved


@dataclass(frozen=True)
class Standing:
    """One agent's results."""

    name: str
    sees_all: bool
    games: int
    win_share: Estimate
    rank: Estimate
    rating: Estimate
    seconds: float  # for one decision; not reproducible, so no part of the JSON
    margin: Estimate | None = None  # without points there is neither
    points: Estimate | None = None

    @property
    def label(self) -> str:
        """The name, marked if the agent sees all."""
        return f"{self.name} (sees all)" if self.sees_all else self.name


@dataclass(frozen=True)
class Pair:
    """Two agents, the better one first, over the deals in which both sit."""

    a: Standing
    b: Standing
    win_share: Difference
    margin: Difference | None  # None without points
    ahead: Estimate  # how often a ends before b


@dataclass(frozen=True)
class Report:
    """What an arena found, best agent first."""

    game: str  # its spec
    players: int
    seed: int
    deals: int
    even: float  # the win share of agents that are all alike
    opening: int  # random decisions at the start of every deal, in a game without chance
    truncated: int | None  # games that were cut off; None where none can be
    same_rotations: bool  # whether every deal came out the same in all its rotations
    standings: list[Standing]
    pairs: list[Pair]
    luck: Shares | None  # None without points

    @classmethod
    def of(
        cls,
        config: Config,
        columns: Mapping[str, NDArray[Any]],
        sees_all: Sequence[bool],
        seconds: Sequence[float],
    ) -> Report:
        """The report on a table of results, agents by their numbers."""
        sample = ratings.Sample(columns, config.names)
        bootstrap = ratings.Bootstrap(len(sample), config.seed)
        counted = [name for name in _MEANS if name in columns]
        means = {name: ratings.means(sample, name, bootstrap) for name in counted}
        rated = ratings.rate(sample, config.seed)
        points = "points" in columns
        games = ((sample.held > 0).sum(0) * sample.seats).tolist()
        found = [
            Standing(
                name,
                sees_all[a],
                games[a],
                rating=rated[a],
                seconds=seconds[a],
                **{column: means[column][a] for column in counted},
            )
            for a, name in enumerate(config.names)
        ]
        order = sorted(range(len(found)), key=lambda a: _strength(found[a]), reverse=True)
        pairs = [
            Pair(
                found[a],
                found[b],
                ratings.difference(sample, "win_share", a, b, bootstrap),
                ratings.difference(sample, "margin", a, b, bootstrap) if points else None,
                ratings.ahead(sample, a, b, bootstrap),
            )
            for a, b in combinations(order, 2)
        ]
        return cls(
            config.game,
            config.players,
            config.seed,
            len(sample),
            even=float(sample["win_share"].mean()),
            opening=config.opening,
            truncated=int(sample["truncated"][..., 0].sum()) if "truncated" in columns else None,
            same_rotations=sample.same_rotations(counted),
            standings=[found[a] for a in order],
            pairs=pairs,
            luck=ratings.shares(sample, bootstrap) if points else None,
        )

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.deals * self.players

    @property
    def title(self) -> str:
        """The game, how often it was played, and the even share in one line."""
        played = f"{self.games} games ({self.deals} deals), seed {self.seed}"
        even = f"an even win share is {100 * self.even:.1f}%"
        return f"{self.game}, {self.players} players, {played}; {even}"

    @property
    def headings(self) -> list[str]:
        """Those of `rows`."""
        return [heading for name, heading, *_ in _TABLE if self._knows(name)]

    def _knows(self, column: str) -> bool:
        """Whether the game has it."""
        return self.luck is not None or column not in ("margin", "points")

    # ------------------------------------------------------------ JSON

    def json(self) -> str:
        """One JSON object: the same for the same seed, so without times."""
        numbers = [name for name in _NUMBERS if self._knows(name)]
        whole: dict[str, Any] = {
            "game": self.game,
            "players": self.players,
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "even": round(self.even, 6),
            "agents": [
                {
                    "agent": one.name,
                    "games": one.games,
                    **{name: plain(getattr(one, name)) for name in numbers},
                    "sees_all": one.sees_all,
                }
                for one in self.standings
            ],
            "pairs": [
                {
                    "a": pair.a.name,
                    "b": pair.b.name,
                    "win_share_difference": plain(pair.win_share.estimate),
                    **({"margin_difference": plain(pair.margin.estimate)} if pair.margin else {}),
                    "ahead": plain(pair.ahead),
                }
                for pair in self.pairs
            ],
        }
        if self.opening:
            whole["opening"] = self.opening
        if self.truncated is not None:
            whole["truncated"] = self.truncated
        if self.luck:
            whole["luck"] = {name: plain(share) for name, share in self.luck._asdict().items()}
        return json.dumps(whole)

    # ------------------------------------------------------------ tables

    def rows(self) -> list[list[str]]:
        """A line for each agent under the headings; an interval stands behind its mean."""
        shown = [column for column in _TABLE if self._knows(column[0])]
        return [[cell(getattr(one, name)) for name, _, cell in shown] for one in self.standings]

    def cross(self) -> list[list[str]]:
        """How often, in percent, the agent of the row ends before that of the column."""
        share = {(pair.a.name, pair.b.name): pair.ahead.mean for pair in self.pairs}
        share |= {(b, a): 1 - mean for (a, b), mean in share.items()}
        names = [one.name for one in self.standings]
        return [
            [f"{number} {one.label}", *(_percent(share.get((one.name, name))) for name in names)]
            for number, one in enumerate(self.standings, 1)
        ]

    def notes(self) -> list[str]:
        """Neighbours in the table, what the deals are, luck, and who cheats."""
        found = {(pair.a.name, pair.b.name): pair for pair in self.pairs}
        lines = [_neighbours(found[a.name, b.name]) for a, b in pairwise(self.standings)]
        if len(self.standings) == 1:
            lines.append("One agent holds every seat, so its win share is even whatever it does.")
        if self.same_rotations:
            lines.append(
                "In every deal all rotations came out the same, as if one game were played again "
                "and again. So it is with equal agents that leave nothing to chance: the rotations "
                f"are the same game, and {self.games} games tell as much as {self.deals}. An error "
                "is that of the deals' means; one over all rows would be too small."
            )
        if self.opening:
            lines.append(
                "The game has no chance: each deal is an opening of "
                f"{self.opening} random decisions, the same in all rotations."
            )
        if self.truncated is not None:
            lines.append(
                f"{self.truncated} of {self.games} games "
                f"({100 * self.truncated / self.games:.1f}%) were cut off; what they pay is the "
                "game's word, and is in the win shares."
            )
        if self.luck:
            deal, skill, rest = (interval(share, 100, 0) for share in self.luck)
            lines.append(
                f"Of the margin's variance the deal makes up {deal} percent, who plays {skill}, "
                f"the rest (choices, and how all this works together) {rest}."
            )
        lines += [
            f"{one.name} sees all: it is told what is hidden. It cheats; it is a yardstick, not a "
            "player."
            for one in self.standings
            if one.sees_all
        ]
        return lines

    def markdown(self) -> str:
        """The report as a page."""
        parts = [
            f"# Arena\n\n{self.title}. In brackets: 95% intervals over the deals.",
            markdown_table(self.headings, self.rows()),
            "\n".join(f"- {line}" for line in self.notes()),
            f"{CROSS}:",
            markdown_table(self._numbers(), self.cross()),
            f"![{self.plotted} of each agent](report.svg)",
        ]
        return "\n\n".join(parts) + "\n"

    def show(self, file: TextIO) -> None:
        """Prints the tables for a terminal."""
        from rich.console import Console

        console = Console(file=file, width=None if file.isatty() else 120, highlight=False)
        folded = [[cell.replace(" [", "\n[") for cell in row] for row in self.rows()]
        console.print(f"\n{self.title}", markup=False)
        console.print(terminal_table(self.headings, folded))
        for line in self.notes():
            console.print(line, markup=False)
        if len(self.standings) > 1:
            console.print(f"\n{CROSS}:")
            console.print(terminal_table(self._numbers(), self.cross()))

    def _numbers(self) -> list[str]:
        """The headings of the cross table: the numbers of its rows, since names are long."""
        return ["", *(str(number) for number in range(1, len(self.standings) + 1))]

    # ------------------------------------------------------------ files

    def write(self, folder: Path) -> None:
        """The page and its plot."""
        self.plot(folder / "report.svg")
        (folder / "report.md").write_text(self.markdown(), encoding="utf-8")

    def plot(self, path: Path) -> None:
        """Win share, rating and margin if any, with intervals; the ending says which format."""
        import matplotlib
        from matplotlib.figure import Figure

        figure = Figure((10, 1.6 + 0.4 * len(self.standings)), layout="constrained")
        places, panels = range(len(self.standings), 0, -1), self._panels()
        for number, (name, title, even, scale) in enumerate(panels, 1):
            axis = figure.add_subplot(1, len(panels), number)
            axis.axvline(even, color="0.8", zorder=0)
            for place, one in zip(places, self.standings, strict=True):
                mean, low, high = (scale * number for number in getattr(one, name))
                axis.plot([low, high], [place, place], color="C0")
                axis.plot(mean, place, "s" if one.sees_all else "o", color="C0")
            axis.set(title=title, ylim=(0.5, len(self.standings) + 0.5))
            axis.set_yticks(places, [one.label for one in self.standings] if number == 1 else "")
        # without a date and random names, the same results give the same file
        with matplotlib.rc_context({"svg.hashsalt": "arena", "svg.fonttype": "none"}):
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)

    def _panels(self) -> list[tuple[str, str, float, float]]:
        """What is drawn, its title, where agents stand that are all alike, and the unit."""
        panels = [
            ("win_share", "win share, %", 100 * self.even, 100.0),
            ("margin", "margin", 0.0, 1.0),
            ("rating", "rating", ratings.START, 1.0),
        ]
        return [panel for panel in panels if self._knows(panel[0])]

    @property
    def plotted(self) -> str:
        """What the plot shows, in words."""
        *first, last = (title.partition(",")[0] for _, title, *_ in self._panels())
        return f"{', '.join(first)} and {last}".capitalize()


# ---------------------------------------------------------------- words

_MEANS = ("win_share", "rank", "margin", "points")
_NUMBERS = ("win_share", "margin", "rank", "rating", "points")
EQUAL = 50_000  # who needs more deals than this to be told apart is about equal
CROSS = "How often, in percent, a row ends before a column (a tie is a half)"


def _strength(one: Standing) -> tuple[float, float]:
    """What the table is sorted by; an agent that had no turn yet comes last."""
    if math.isnan(one.win_share.mean):
        return -1.0, 0.0
    return one.win_share.mean, one.margin.mean if one.margin else -one.rank.mean


def plain(estimate: Estimate) -> dict[str, float | None]:
    """Rounded, so that no machine's last bit shows; null where a number is not known."""
    return {
        name: None if math.isnan(number) else round(number, 6) + 0.0
        for name, number in estimate._asdict().items()
    }


def interval(estimate: Estimate, scale: float, digits: int) -> str:
    """A mean with its interval in brackets, such as `52.3 [50.1, 54.5]`."""
    mean, low, high = (
        "?" if math.isnan(number) else f"{round(number * scale, digits) + 0.0:.{digits}f}"
        for number in estimate
    )
    return f"{mean} [{low}, {high}]"


def _percent(share: float | None) -> str:
    return "" if share is None else "?" if math.isnan(share) else f"{100 * share:.1f}"


def _time(seconds: float) -> str:
    if math.isnan(seconds):
        return "?"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def _interval(scale: float, digits: int) -> Callable[[Estimate], str]:
    return lambda estimate: interval(estimate, scale, digits)


# what the table of agents shows: the field of a standing, its heading, and how it is written
_TABLE: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("label", "agent", str),
    ("win_share", "win share %", _interval(100, 1)),
    ("rank", "rank", _interval(1, 2)),
    ("margin", "margin", _interval(1, 2)),
    ("points", "points", _interval(1, 1)),
    ("rating", "rating", _interval(1, 1)),
    ("seconds", "decision", _time),
)


def _neighbours(pair: Pair) -> str:
    found = pair.win_share
    gap = f"{pair.a.label} over {pair.b.label}: win share {interval(found.estimate, 100, 1)}, "
    if found.more == 0:
        return gap + "separated."
    if found.more is None:
        return gap + "no difference to go by."
    if found.more > EQUAL:
        return gap + f"about equal: not even {EQUAL} more deals would likely tell."
    deals = "deal" if found.more == 1 else "deals"
    return gap + f"not separated; about {found.more} more {deals} would likely tell."


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def terminal_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    """A table for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


__getattr__ = moved(__name__, {"HEADINGS": ("", "agents.report.Report.headings, of each report")})
