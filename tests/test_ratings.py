"""Intervals that keep their promise, ratings, and the share of the deal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from statistics import mean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from openskill.models import PlackettLuce

from agents import ratings, seating
from agents.arena import Config, Result, run
from agents.ratings import Bootstrap, Estimate, Sample
from drago_env.policy import View

TAKER = "tests.test_ratings:Taker"
Columns = dict[str, NDArray[Any]]


class Taker:
    """Takes the most points that one move can bring: clearly better than chance."""

    name = "taker"
    plans = True

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> Any:
        assert view is not None
        game, state = view
        legal, seats = game.legal(state), game.current_player(state)
        every = np.arange(len(state))
        best, most = legal.actions[:, 0].astype(np.int64), np.full(len(state), -math.inf)
        for column in range(int(legal.counts.max())):
            actions = np.where(column < legal.counts, legal.actions[:, column].astype(int), -1)
            points = game.step(state.copy(), actions).points.astype(float)
            gain = points[every, seats] * 2 - points.sum(1)
            better = (actions >= 0) & (gain > most)
            best, most = np.where(better, actions, best), np.where(better, gain, most)
        return best


def cubes(**values: Any) -> Columns:
    """Columns of cubes over deal, rotation and seat."""
    made: dict[str, NDArray[Any]] = {name: np.asarray(cube) for name, cube in values.items()}
    shape = made["agent"].shape
    made |= zip(("deal", "rotation", "seat"), np.indices(shape), strict=True)
    return {name: cube.ravel() for name, cube in made.items()}


def seated(deals: int, *agents: int) -> NDArray[np.int64]:
    """The same order in every deal, in all rotations."""
    turns = [agents[number:] + agents[:number] for number in range(len(agents))]
    return np.array([turns] * deals)


@cache
def long_arena(agents: tuple[str, ...], players: int, deals: int) -> Result:
    return run(Config(agents, f"mount_drago:players={players}", deals * players, 17), workers=1)


def small_arenas(result: Result, deals: int) -> Iterator[Sample]:
    """A long arena cut into small ones of so many deals, which are independent of each other."""
    config, rows = result.config, deals * result.config.players**2
    for first in range(0, config.deals * config.players**2, rows):
        here = {name: column[first : first + rows] for name, column in result.columns.items()}
        yield Sample(here, config.names)


# ---------------------------------------------------------------- honesty

ARENAS = 300
# 95% of them, give or take four standard deviations of a binomial
LEAST, MOST = (0.95 * ARENAS + sign * 4 * math.sqrt(ARENAS * 0.05 * 0.95) for sign in (-1, 1))


@pytest.mark.parametrize(
    ("players", "agents", "deals"),
    [(2, 2, 4), (2, 2, 12), (2, 2, 30), (3, 3, 4), (3, 3, 12), (3, 3, 30), (3, 2, 12), (2, 3, 30)],
)
@pytest.mark.usefixtures("fewer_resamples")
def test_intervals_of_equal_agents_cover_equality(players: int, agents: int, deals: int) -> None:
    most = 30 if agents == players else deals  # one long arena serves all sizes
    result = long_arena(("uniform",) * agents, players, ARENAS * most)
    truths = dict.fromkeys(("margin", "win_share gap", "margin gap"), 0.0)
    truths |= {"win_share": 1 / players, "rank": (players + 1) / 2, "ahead": 0.5}
    covered = dict.fromkeys(truths, 0)
    for seed, sample in zip(range(ARENAS), small_arenas(result, deals), strict=False):
        for name, (_, low, high) in estimates(sample, seed).items():
            covered[name] += low <= truths[name] <= high
    for name, count in covered.items():
        assert count >= LEAST, name
        if deals / agents >= 4:  # of fewer deals, what has limits is told with more caution
            assert count <= MOST, name


@pytest.fixture
def fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the sake of time; fewer make an interval rougher, not longer or shorter."""
    monkeypatch.setattr(ratings, "RESAMPLES", 500)


def estimates(sample: Sample, seed: int) -> dict[str, Estimate]:
    bootstrap = Bootstrap(len(sample), seed)
    return {
        **{n: ratings.means(sample, n, bootstrap)[0] for n in ("win_share", "margin", "rank")},
        **{
            f"{name} gap": ratings.difference(sample, name, 0, 1, bootstrap).estimate
            for name in ("win_share", "margin")
        },
        "ahead": ratings.ahead(sample, 0, 1, bootstrap),
    }


@pytest.mark.usefixtures("fewer_resamples")
def test_intervals_of_unequal_agents_cover_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "PLANNED_AT_ONCE", 1024)
    result = long_arena((TAKER, "uniform"), 2, 2000)
    whole = estimates(next(small_arenas(result, 2000)), 0)
    assert whole["win_share"].mean > 0.9  # some small arenas see no loss at all
    covered = dict.fromkeys(whole, 0)
    for seed, sample in enumerate(small_arenas(result, 10)):
        for name, (_, low, high) in estimates(sample, seed).items():
            covered[name] += low <= whole[name].mean <= high
    for name, count in covered.items():  # of 200
        assert count >= 180, name


def test_a_known_edge_is_found() -> None:
    report = run(Config([TAKER, "uniform"], games=120, seed=3), workers=1).report()
    (pair,) = report.pairs
    assert (pair.a.name, pair.b.name) == (TAKER, "uniform")
    assert pair.win_share.estimate.low > 0
    assert pair.margin is not None
    assert pair.margin.estimate.low > 5
    assert pair.win_share.more == 0
    assert pair.a.rating.low > pair.b.rating.high
    assert report.standings[0].win_share.low > 0.5 > report.standings[1].win_share.high
    assert "separated." in report.notes()[0]
    (_, own, won), (_, lost, other) = report.cross()
    assert (own, other) == ("", "")
    assert float(won) > 90
    assert float(won) + float(lost) == pytest.approx(100)


# ---------------------------------------------------------------- means and differences


def test_means_by_hand() -> None:
    # two deals of two seats: agent 0 gets 1, 0.5 and 0, 1; agent 1 the rest
    win = [[[1, 0], [0.5, 0.5]], [[0, 1], [0, 1]]]
    sample = Sample(cubes(agent=seated(2, 0, 1), win_share=win), ["a", "b"])
    assert sample.sums("win_share").tolist() == [[1.5, 0.5], [1, 1]]
    assert sample.held.tolist() == [[2, 2], [2, 2]]
    bootstrap = Bootstrap(2, 0)
    first, second = ratings.means(sample, "win_share", bootstrap)
    assert (first.mean, second.mean) == (0.625, 0.375)
    assert (first.low, first.high) == (0, 1)  # two deals tell next to nothing
    gap = ratings.difference(sample, "win_share", 0, 1, bootstrap)
    assert (gap.estimate.mean, gap.deals) == (0.25, 2)


def test_several_seats_count_each() -> None:
    agent = np.array([[[0, 0, 1], [0, 1, 0], [1, 0, 0]], [[1, 0, 1], [0, 1, 1], [1, 1, 0]]])
    points = np.arange(18).reshape(2, 3, 3)
    sample = Sample(cubes(agent=agent, points=points), ["a", "b"])
    bootstrap = Bootstrap(2, 0)
    means = [float(points[agent == number].mean()) for number in (0, 1)]
    assert [found.mean for found in ratings.means(sample, "points", bootstrap)] == means
    gap = ratings.difference(sample, "points", 0, 1, bootstrap).estimate.mean
    assert gap == pytest.approx(means[0] - means[1])


def test_differences_are_over_the_deals_in_which_both_sit() -> None:
    agent = np.concatenate([seated(1, 0, 1), seated(1, 0, 2), seated(1, 1, 2)])
    points = np.array([[[1, 3], [5, 9]], [[90, 0], [0, 90]], [[50, 0], [0, 50]]])
    sample = Sample(cubes(agent=agent, points=points), ["a", "b", "c"])
    bootstrap = Bootstrap(3, 0)
    gap = ratings.difference(sample, "points", 0, 1, bootstrap)
    assert (gap.estimate.mean, gap.deals) == ((1 + 9) / 2 - (3 + 5) / 2, 1)
    assert math.isnan(gap.estimate.low)  # one deal tells no spread
    assert gap.more is None
    assert ratings.means(sample, "points", bootstrap)[0].mean == (1 + 9 + 90 + 90) / 4


def test_ahead_by_hand() -> None:
    rank = [[[1, 2], [1.5, 1.5]], [[2, 1], [1, 2]]]
    sample = Sample(cubes(agent=seated(2, 0, 1), rank=rank), ["a", "b"])
    bootstrap = Bootstrap(2, 0)
    assert ratings.ahead(sample, 0, 1, bootstrap).mean == (1 + 0.5 + 0 + 0) / 4
    assert ratings.ahead(sample, 1, 0, bootstrap).mean == (0 + 0.5 + 1 + 1) / 4


@pytest.mark.parametrize("deals", [500, 9000])
def test_many_deals_have_the_normal_interval(deals: int) -> None:
    values = np.random.default_rng(2).normal(3, 2, deals)
    bootstrap = Bootstrap(deals, 1)
    sums = bootstrap.sums(np.stack([values, np.ones(deals)], 1))
    found = bootstrap.estimate(sums[:, 0] / sums[:, 1], deals)
    assert found.mean == pytest.approx(values.mean())
    half = 1.96 * values.std() / math.sqrt(deals)
    assert found.high - found.mean == pytest.approx(half, rel=0.12)
    assert found.mean - found.low == pytest.approx(half, rel=0.12)


def test_few_deals_have_students_interval() -> None:
    for deals, quantile in ((2, 12.706), (5, 2.776), (30, 2.045)):
        assert ratings.student(deals) == pytest.approx(quantile / 1.96, rel=1e-3)
        values = np.random.default_rng(deals).normal(size=deals)
        bootstrap = Bootstrap(deals, 1)
        found = bootstrap.estimate(bootstrap.sums(values[:, None])[:, 0] / deals, deals)
        width = 2 * quantile * values.std(ddof=1) / math.sqrt(deals)
        assert found.high - found.low == pytest.approx(width, rel=0.15)


def test_what_did_not_happen_yet_still_may() -> None:
    win = np.broadcast_to([[1, 0], [0, 1]], (20, 2, 2))
    sample = Sample(cubes(agent=seated(20, 0, 1), win_share=win, margin=win), ["a", "b"])
    bootstrap = Bootstrap(20, 0)
    found = ratings.means(sample, "win_share", bootstrap)
    assert (found[0].mean, found[0].high, found[1].low, found[1].mean) == (1, 1, 0, 0)
    # none of 40 games lost: the exact 95% interval of a binomial ends at 0.912
    assert found[0].low == pytest.approx(0.912, abs=0.02)
    gap = ratings.difference(sample, "win_share", 0, 1, bootstrap).estimate
    assert gap.low == pytest.approx(2 * found[0].low - 1, abs=0.02)
    assert ratings.difference(sample, "margin", 0, 1, bootstrap).estimate == (1, 1, 1)


def test_one_deal_has_no_interval() -> None:
    report = run(Config(["uniform", "uniform"], games=1), workers=1).report()
    assert report.deals == 1
    found = report.standings[0].win_share
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert '"low": null' in report.json()
    assert "nan" not in report.json().lower().replace("null", "")
    assert "[?, ?]" in report.markdown()


def test_an_agent_that_had_no_turn_yet_comes_last() -> None:
    report = run(Config(["uniform"] * 3, games=2), workers=1).report()
    assert report.standings[-1].games == 0
    assert '"agent": "uniform#3", "games": 0, "win_share": {"mean": null' in report.json()
    assert "?" in report.markdown()


def test_how_many_deals_are_needed() -> None:
    # agent 0 is better by 0.1 on average, with a deviation of 0.5 from deal to deal
    deals = 60
    gap = 0.1 + 0.5 * np.tile([1, -1], deals // 2)
    cube = np.stack([gap, np.zeros(deals)], 1)
    values = np.stack([cube, cube[:, ::-1]], 1)
    sample = Sample(cubes(agent=seated(deals, 0, 1), margin=values), ["a", "b"])
    found = ratings.difference(sample, "margin", 0, 1, Bootstrap(deals, 0))
    assert found.estimate.low < 0 < found.estimate.high
    wanted = ((1.96 + 0.84) * 0.5 / 0.1) ** 2  # of 80% power at 5%
    assert found.more is not None
    assert found.more + deals == pytest.approx(wanted, rel=0.1)
    same = ratings.difference(sample, "margin", 0, 0, Bootstrap(deals, 0))
    assert (same.estimate, same.more) == (Estimate(0, 0, 0), None)


# ---------------------------------------------------------------- ratings


def luce(strengths: list[float], agents: NDArray[np.int64], seed: int) -> Columns:
    """Games of the Plackett-Luce model with these ratings."""
    scale = 25 / 6 * math.sqrt(agents.shape[2])
    noise = np.random.default_rng(seed).gumbel(size=agents.shape)
    rank = (-(np.array(strengths)[agents] / scale + noise)).argsort(2).argsort(2) + 1.0
    return cubes(agent=agents, rank=rank)


@pytest.mark.parametrize(
    ("strengths", "seats"),
    [([27, 23], (0, 1)), ([28, 25, 22], (0, 1, 2)), ([26.5, 23.5], (0, 1, 0, 1))],
)
def test_ratings_find_the_strengths_behind_the_games(
    strengths: list[float], seats: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratings, "RATING_RESAMPLES", 20)
    names = ["a", "b", "c"][: len(strengths)]
    covered = []
    for seed in range(20):
        sample = Sample(luce(strengths, seated(24, *seats), seed), names)
        found = ratings.rate(sample, seed)
        assert mean(rating.mean for rating in found) == pytest.approx(25)
        covered.append(found[0].low <= strengths[0] <= found[0].high)
    assert 15 <= sum(covered) <= 20
    long = ratings.rate(Sample(luce(strengths, seated(400, *seats), 99), names), 0)
    for rating, strength in zip(long, strengths, strict=True):
        assert rating.mean == pytest.approx(strength, abs=0.7)
        assert rating.high - rating.low < 2


@pytest.mark.parametrize("seats", [(2, 0, 1), (0, 1, 0)])
def test_games_are_rated_as_openskill_does(seats: tuple[int, ...]) -> None:
    rank = [[2.5, 1, 2.5], [1.0, 2, 3], [3.0, 1, 2]]
    agent = seated(1, *seats)
    number = max(seats) + 1
    sample = Sample(cubes(agent=agent, rank=[rank]), ["a", "b", "c"][:number])
    model = PlackettLuce(tau=0.0, gamma=lambda *_: 1.0)
    own = [(model.mu, model.sigma)] * number
    for turn, places in zip(agent[0].tolist(), rank, strict=True):
        teams = model.rate([[model.rating(*own[a])] for a in turn], ranks=places)
        for a in range(number):  # who has two seats gets the mean of what openskill makes of them
            here = [team[0] for team, other in zip(teams, turn, strict=True) if other == a]
            own[a] = (mean(rating.mu for rating in here), mean(rating.sigma for rating in here))
    centre = mean(mu for mu, _ in own) - 25
    found = [rating.mean for rating in ratings.rate(sample, 0)]
    assert found == pytest.approx([mu - centre for mu, _ in own])
    assert max(found) - min(found) > 1


def test_where_one_always_wins_the_rating_has_no_interval() -> None:
    sample = Sample(cubes(agent=seated(30, 0, 1), rank=seated(30, 1, 2)), ["a", "b"])
    best, other = ratings.rate(sample, 0)
    assert best.mean > other.mean + 10
    assert all(math.isnan(end) for end in (*best[1:], *other[1:]))


def test_ratings_of_a_long_arena_are_brought_to_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = Sample(luce([26, 24], seated(200, 0, 1), 5), ["a", "b"])
    whole = ratings.rate(sample, 0)[0]
    monkeypatch.setattr(ratings, "RESAMPLED_GAMES", 100)
    part = ratings.rate(sample, 0)[0]
    assert part.mean == whole.mean
    assert part.high - part.low == pytest.approx(whole.high - whole.low, rel=0.4)
    monkeypatch.setattr(ratings, "RATED_GAMES", 100)
    assert ratings.rate(sample, 0)[0].high - whole.mean > 1.4 * (whole.high - whole.mean)


# ---------------------------------------------------------------- luck and skill


@pytest.mark.parametrize(
    ("deal", "skill", "rest"), [(3.0, 0.0, 1.0), (2.0, 2.0, 2.0), (0.0, 1.0, 3.0), (1.0, 0.0, 0.0)]
)
@pytest.mark.parametrize("seats", [2, 3])
def test_the_shares_of_luck_and_skill(deal: float, skill: float, rest: float, seats: int) -> None:
    rng, number = np.random.default_rng(4), 2000
    agent = seated(number, *range(seats))
    worth = np.linspace(-1, 1, seats)
    margin = deal * rng.normal(size=(number, 1, seats)) + rest * rng.normal(size=agent.shape)
    margin = margin + skill * (worth / worth.std())[agent]
    names = np.array(["a", "b", "c"])
    table = {**cubes(agent=agent, margin=margin)}
    table["agent"] = names[table["agent"]]
    found = ratings.deal_share(table)
    total = deal**2 + skill**2 + rest**2
    for share, part in zip(found, (deal, skill, rest), strict=True):
        assert share.mean == pytest.approx(part**2 / total, abs=0.04)
        assert 0 <= share.low <= share.mean <= share.high <= 1
    assert sum(share.mean for share in found) == pytest.approx(1)


def test_equal_agents_have_no_share_of_skill() -> None:
    rng, none = np.random.default_rng(6), 0
    for seed in range(60):
        sample = Sample(cubes(agent=seated(5, 0, 1), margin=rng.normal(size=(5, 2, 2))), ["a", "b"])
        none += ratings.shares(sample, Bootstrap(5, seed)).skill.mean == 0
    assert none > 20  # chance alone looks like skill, so as much is taken off


def test_the_share_of_the_deal_has_an_honest_interval() -> None:
    rng, covered = np.random.default_rng(8), 0
    for seed in range(200):
        agent = seated(50, 0, 1)
        half = rng.normal(size=(50, 1, 1)) + rng.normal(size=(50, 2, 1))
        sample = Sample(cubes(agent=agent, margin=half * [1, -1]), ["a", "b"])
        covered += (found := ratings.shares(sample, Bootstrap(50, seed)).deal).low <= 0.5
        covered -= found.high < 0.5
    assert covered >= 180


def test_a_table_from_a_file_is_read_as_it_stands() -> None:
    result = long_arena(("uniform", "uniform"), 2, 200)
    shuffled = result.table.sample(frac=1, random_state=1)
    assert ratings.deal_share(shuffled, result.config.seed) == result.report().luck


def test_rotations_are_the_same_if_decided_deals_are() -> None:
    agent = seated(12, 0, 1)
    for rank, same in (
        (seated(12, 1, 2), False),
        ([[[1, 2]] * 2] * 12, True),
        ([[[1.5] * 2] * 2] * 12, False),
    ):
        sample = Sample(cubes(agent=agent, rank=rank), ["a", "b"])
        assert sample.same_rotations(["rank"]) == same


def test_a_margin_that_never_varies_has_no_shares() -> None:
    sample = Sample(cubes(agent=seated(12, 0, 1), margin=np.zeros((12, 2, 2))), ["a", "b"])
    for share in ratings.shares(sample, Bootstrap(12, 0)):
        assert all(math.isnan(number) for number in share)
