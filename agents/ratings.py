"""What results say: means with 95% intervals over the deals, ratings, and the share of luck.

The deals of an arena are independent of each other, the games of one deal are not. So every
interval resamples whole deals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce, PlackettLuceRating
from scipy.special import stdtrit

Floats = NDArray[np.float64]
Limits = tuple[float, float] | None  # what a number can be at least and at most

RESAMPLES = 2000
GROUPS = 2000  # more deals than this are resampled in groups of neighbours, to bound the work
IMAGINED = 4  # results, after Agresti and Coull
ENOUGH = 10  # decided deals that do not come out alike in all rotations by luck
NORMAL, POWER = 1.959964, 0.841621  # quantiles: 95% two-sided, and 80%


class Estimate(NamedTuple):
    """A mean with its 95% interval; the ends are nan where the deals cannot tell."""

    mean: float
    low: float
    high: float

    def within(self, least: float, most: float) -> Estimate:
        """Cut off at what the number can be at all."""
        return Estimate(*(min(max(number, least), most) for number in self))


class Sample:
    """Results as cubes over deal, rotation and seat; agents are numbers into `names`."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], names: Sequence[str]) -> None:
        self.names, self.seats = list(names), int(columns["seat"].max()) + 1
        order = np.lexsort((columns["seat"], columns["rotation"], columns["deal"]))
        shape = (-1, self.seats, self.seats)
        self._cubes = {name: column[order].reshape(shape) for name, column in columns.items()}
        every = np.arange(len(self.names))
        self._seated = self["agent"][..., None] == every  # deal, rotation, seat, agent
        self.held: Floats = self._seated.sum((1, 2)).astype(np.float64)  # seats by deal and agent

    @classmethod
    def of(cls, table: Any) -> Sample:
        """The sample of a table with the agents' names: a data frame, or a file read as one."""
        columns = {name: np.asarray(table[name]) for name in table}
        names, columns["agent"] = np.unique(columns["agent"].astype(str), return_inverse=True)
        return cls(columns, names.tolist())

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._cubes[column]

    def __len__(self) -> int:
        return len(self["deal"])

    def same_rotations(self, columns: Sequence[str]) -> bool:
        """Whether these columns are the same in all rotations of each deal, and that is no luck."""
        same = all(bool((self[name] == self[name][:, :1]).all()) for name in columns)
        decided = (self["rank"] != self["rank"][..., :1]).any((1, 2)).sum()
        return same and bool(decided >= ENOUGH)

    def sums(self, column: str) -> Floats:
        """The column added up over the seats that each agent held in each deal."""
        values = self[column].astype(np.float64)
        return np.asarray(np.einsum("drs,drsa->da", values, self._seated))


class Bootstrap:
    """The deals as they were, and drawn anew with replacement many times."""

    def __init__(self, deals: int, seed: int) -> None:
        self._starts = np.unique(np.linspace(0, deals, min(deals, GROUPS), False).astype(np.int64))
        groups = len(self._starts)
        rng = np.random.default_rng([seed, groups])
        drawn = rng.multinomial(groups, np.full(groups, 1 / groups), RESAMPLES)
        self._weights = np.concatenate([np.ones((1, groups)), drawn])
        self._noise = rng.normal(size=(2, RESAMPLES))

    def sums(self, values: Floats) -> Floats:
        """Sums over the deals (the first axis): row 0 as they were, the others drawn anew."""
        return np.asarray(self._weights @ np.add.reduceat(values, self._starts, axis=0))

    def estimate(
        self, rows: Floats, deals: int, limits: Limits = None, results: float = 0
    ) -> Estimate:
        """The interval of a number that was made from `sums`, for so many deals behind it.

        Bare percentiles of few resampled deals are too narrow, so there is some help for them:
        a little noise fills the gaps between the few means that can come out, and brings the
        variance to size; the interval is one of Student's; and for a mean of so many results
        between limits, four more are imagined, two at each limit: what never happened still may.
        """
        mean = float(rows[0])
        if deals < 2 or math.isnan(mean):  # such as shares of a variance that is 0
            return Estimate(mean, math.nan, math.nan)
        drawn = rows[1:] + self._noise[0] * np.nanstd(rows[1:]) / math.sqrt(deals - 1)
        centre = mean
        if limits:
            middle, reach = sum(limits) / 2, (limits[1] - limits[0]) / 2
            weight = IMAGINED / (results + IMAGINED)
            drawn += weight * (middle - drawn + self._noise[1] * reach / math.sqrt(IMAGINED))
            centre += weight * (middle - mean)
        wide = student(deals)
        low, high = (centre + wide * (np.nanquantile(drawn, (0.025, 0.975)) - centre)).tolist()
        found = Estimate(mean, min(low, mean), max(high, mean))
        return found.within(*limits) if limits else found


def student(deals: int) -> float:
    """How much wider Student's interval for so many deals is than the normal one."""
    return float(stdtrit(deals - 1, 0.975)) / NORMAL


def _ratio(sums: Floats, counts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # a resample without the agent says nothing
        return np.asarray(sums / counts)


def means(sample: Sample, column: str, bootstrap: Bootstrap) -> list[Estimate]:
    """For each agent, the mean of a column over the seats that it held."""
    rows = _ratio(bootstrap.sums(sample.sums(column)), bootstrap.sums(sample.held))
    deals, held = (sample.held > 0).sum(0).tolist(), sample.held.sum(0).tolist()
    limits = {"win_share": (0.0, 1.0), "rank": (1.0, float(sample.seats))}.get(column)
    return [
        bootstrap.estimate(rows[:, agent], deals[agent], limits, held[agent])
        for agent in range(len(deals))
    ]


# ---------------------------------------------------------------- pairs


class Difference(NamedTuple):
    """How two agents differ over the deals in which both sit."""

    estimate: Estimate
    deals: int
    more: int | None  # deals until it is likely told from 0, 0 if it is; None if unknown


def difference(sample: Sample, column: str, a: int, b: int, bootstrap: Bootstrap) -> Difference:
    """The first agent's mean minus the second one's."""
    both = (sample.held[:, a] > 0) & (sample.held[:, b] > 0)
    pair = [a, b]
    values, held = (all_[:, pair] * both[:, None] for all_ in (sample.sums(column), sample.held))
    rows = _ratio(bootstrap.sums(values), bootstrap.sums(held))
    gap, deals = rows[:, 0] - rows[:, 1], int(both.sum())
    limits = (-1.0, 1.0) if column == "win_share" else None
    estimate = bootstrap.estimate(gap, deals, limits, held.sum(0).min())
    return Difference(estimate, deals, more(estimate, gap[1:], len(sample)))


def more(estimate: Estimate, resampled: Floats, deals: int) -> int | None:
    """So many more deals that, if the difference is what it seems, 4 of 5 arenas would show it."""
    if estimate.low > 0 or estimate.high < 0:
        return 0
    if math.isnan(estimate.low) or estimate.mean == 0:
        return None
    enough = deals * ((NORMAL + POWER) * float(np.nanstd(resampled)) / estimate.mean) ** 2
    return max(math.ceil(enough) - deals, 1)


def ahead(sample: Sample, a: int, b: int, bootstrap: Bootstrap) -> Estimate:
    """How often a seat of the first agent ends before a seat of the second; a tie is a half."""
    agent, rank = sample["agent"], sample["rank"]
    pairs = (agent[..., :, None] == a) & (agent[..., None, :] == b)
    before = (np.sign(rank[..., None, :] - rank[..., :, None]) + 1) / 2
    won, met = (pairs * before).sum((1, 2, 3)), pairs.sum((1, 2, 3)).astype(np.float64)
    rows = _ratio(bootstrap.sums(won[:, None]), bootstrap.sums(met[:, None]))
    deals = int((met > 0).sum())
    return bootstrap.estimate(rows[:, 0], deals, (0, 1), met.sum())


# ---------------------------------------------------------------- ratings

START = 25.0  # the rating of every agent before the first game, and the mean of all after it
RATED_GAMES = 50_000  # the rating reads so many games at most
RATING_RESAMPLES, RESAMPLED_GAMES = 40, 500


def rate(sample: Sample, seed: int) -> list[Estimate]:
    """The rating of each agent by openskill's PlackettLuce, game by game in the order of deals.

    Its spread is that of ratings over deals drawn anew. A resample is shorter than a long arena;
    the spread shrinks with the root of the number of deals, and is brought to scale by that.
    """
    deals = min(len(sample), max(RATED_GAMES // sample.seats, 1))
    agents, ranks = sample["agent"].tolist(), sample["rank"].tolist()
    mean = _rated(range(deals), agents, ranks, len(sample.names))
    if deals < 2:
        return [Estimate(mu, math.nan, math.nan) for mu in mean]
    drawn = min(deals, RESAMPLED_GAMES // sample.seats)
    rng = np.random.default_rng([seed, deals, drawn])
    resamples = rng.integers(0, deals, (RATING_RESAMPLES, drawn)).tolist()
    spread = np.std([_rated(r, agents, ranks, len(mean)) for r in resamples], axis=0, ddof=1)
    spread[spread < 1e-9] = math.nan  # all the same, as if there were no luck: nothing is known
    error = spread * math.sqrt(drawn / (deals - 1)) * NORMAL * student(deals)
    return [Estimate(mu, mu - e, mu + e) for mu, e in zip(mean, error.tolist(), strict=True)]


def _rated(deals: Any, agents: Any, ranks: Any, number: int) -> list[float]:
    """The ratings after these deals; an agent on several seats gets the mean of their changes."""
    model = PlackettLuce(mu=START, tau=0.0, gamma=_steady)
    seats = len(ranks[0][0])
    # Two seats of one agent must be two objects, since openskill changes each on its own.
    stock = [[model.rating() for _ in range(seats)] for _ in range(number)]
    for deal in deals:
        for seated, places in zip(agents[deal], ranks[deal], strict=True):
            teams = [[stock[agent][seat]] for seat, agent in enumerate(seated)]
            after = model.rate(teams, ranks=places)
            for agent in set(seated):
                own = [after[seat][0] for seat, other in enumerate(seated) if other == agent]
                _settle(stock[agent], own)
    # Ranks tell differences only, so the mean of all agents stays where it was.
    mean = sum(ratings[0].mu for ratings in stock) / number
    return [ratings[0].mu - mean + START for ratings in stock]


def _settle(stock: list[PlackettLuceRating], after: list[PlackettLuceRating]) -> None:
    mu = sum(rating.mu for rating in after) / len(after)
    sigma = sum(rating.sigma for rating in after) / len(after)
    for rating in stock:
        rating.mu, rating.sigma = mu, sigma


def _steady(*_: Any) -> float:
    """Agents do not change while they play, so every game counts in full and equally."""
    return 1.0


# ---------------------------------------------------------------- luck and skill


class Shares(NamedTuple):
    """What the variance of the final margin comes from; the three add up to 1."""

    deal: Estimate  # the seat and what comes to it, the same in every rotation
    skill: Estimate  # who sits there
    rest: Estimate  # what agents decide by chance, and how all this works together


def deal_share(table: Any, seed: int = 0) -> Shares:
    """How much of the variance of the margin is the deal, in a table of results."""
    sample = Sample.of(table)
    return shares(sample, Bootstrap(len(sample), seed))


def shares(sample: Sample, bootstrap: Bootstrap) -> Shares:
    """Analysis of variance: groups are a seat of a deal, replicates its rotations.

    Rotations bring each agent of a deal to each seat equally often, so that the sums of squares
    of groups and agents add up. Components are unbiased, and cut off at 0.
    """
    margin = sample["margin"].astype(np.float64)
    times, agents = sample.seats, len(sample.names)
    whole = np.stack([margin.sum((1, 2)), (margin**2).sum((1, 2))], 1)
    grouped = (margin.sum(1) ** 2).sum(1, keepdims=True) / times
    deals = bootstrap.sums(np.ones((len(sample), 1)))[:, 0]
    total, square = bootstrap.sums(whole).T
    rows, centre = deals * times**2, total**2 / (deals * times**2)
    held = bootstrap.sums(sample.held)
    by_agent = bootstrap.sums(sample.sums("margin")) ** 2 / np.maximum(held, 1)
    ss_deal = bootstrap.sums(grouped)[:, 0] - centre
    ss_skill = by_agent.sum(1) - centre
    free = rows - deals * times - agents + 1
    within = np.maximum(square - centre - ss_deal - ss_skill, 0) / np.maximum(free, 1)
    between = np.maximum(ss_deal / np.maximum(deals * times - 1, 1) - within, 0) / times
    skill = np.maximum(ss_skill - (agents - 1) * within, 0) / rows
    parts = np.stack([between, skill, within])
    parts = _ratio(parts, parts.sum(0))
    return Shares(*(bootstrap.estimate(part, len(sample)).within(0, 1) for part in parts))
