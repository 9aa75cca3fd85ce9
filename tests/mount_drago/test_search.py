"""Search: who gets how many playouts, what they are worth, and that nothing hidden is looked at."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env import MountDrago, Rules
from drago_env.core.planning import Plan, SearchResult
from drago_env.core.search import END_OF_GAME
from drago_env.game import State
from drago_env.mount_drago import planning
from drago_env.mount_drago.planning import Weights, WinChance
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.state import OVER
from tests.conftest import Table, at
from tests.mount_drago.games import play
from tests.mount_drago.oracle import clone
from tests.mount_drago.reference import Reference
from tests.mount_drago.test_knowledge import shuffled
from tests.mount_drago.test_thumbs import VARIANTS, positions, same_for_all
from tests.mount_drago.thumbs import Search, reference

THUMBS = same_for_all(Weights(0.8, 0.3, 0.2, 0.1, 0.1, 0.3, 8, 0.05))
LIGHT = same_for_all(Weights(0.8, 0.3, 0.2, 0.1, 0, 0, 8, 0.05))
WIN_CHANCE = same_for_all(WinChance(0.3, 0.1, 0.4, 0.4, 0.1, 0.5, 0.5))
GENTLE = same_for_all(WinChance(0.3, 0.1, 0.4, 0.4, 0.1, 3, 0.5))  # no chance is nearly 0 or 1
FLAT = Plan("flat", 64, 5, 0.0, 0.3, 2.0, False, False)
TREE = FLAT._replace(method="tree")
SEES_ALL = FLAT._replace(sees_all=True)
UNIFORM = FLAT._replace(depth=END_OF_GAME, noise=1.0)  # by random play to the end
METHODS = pytest.mark.parametrize("plan", [FLAT, TREE], ids=["flat", "tree"])
BOARDS = pytest.mark.parametrize("name", VARIANTS)


def running(name: str, number: int = 60) -> tuple[MountDrago, State]:
    """Some positions in which there is something to decide, in any order."""
    game, state = positions(name)
    rows = np.random.default_rng(number).permutation(np.flatnonzero(state["phase"] != OVER))
    return game, state[rows[:number]].copy()


def search(
    game: MountDrago, state: State, seeds: Any, plan: Plan, weights: NDArray[np.float64] = LIGHT
) -> SearchResult:
    before = state.tobytes()
    result = planning.search(game, state, seeds, plan, weights, WIN_CHANCE)
    assert state.tobytes() == before  # it thinks about copies
    return result


def listed(result: SearchResult) -> NDArray[np.bool_]:
    return np.asarray(np.arange(result.actions.shape[1]) < result.counts[:, None])


def same(one: SearchResult, other: SearchResult) -> bool:
    """Equal to the last bit; what stands beyond the count of an action list means nothing."""
    parts = zip(one[1:], other[1:], strict=True)
    equal_lists = np.array_equal(one.actions[listed(one)], other.actions[listed(other)])
    return equal_lists and all(np.array_equal(a, b) for a, b in parts)


def rows_of(result: SearchResult, rows: Any) -> SearchResult:
    actions, counts, visits, values = result
    return SearchResult(actions[rows], counts[rows], visits[rows], values[rows])


def choice(table: Table, plan: Plan, weights: NDArray[np.float64] = LIGHT, seed: int = 1) -> str:
    (action,) = search(table.game, table.state, [seed], plan, weights).best()
    return table.game.action_text(int(action))


# ---------------------------------------------------------------- who gets the playouts

RED = [f"red {value}" for value in range(1, 6)]  # the own dragon: one action each
# dragons of nobody, in last place: two actions each
FREE = [f"{colour} 1" for colour in ("blue", "brown", "black", "gray", "purple", "orange")]


@pytest.mark.parametrize(
    ("hand", "playouts", "visits"),
    [
        (RED[:2], 10, [5, 5]),
        (RED[:2], 11, [5, 5]),
        (RED[:3], 12, [2, 5, 5]),
        (RED[:4], 16, [2, 2, 6, 6]),
        (RED, 1024, [68, 68, 181, 351, 351]),
        (FREE[:4], 1024, [42, 42, 42, 42, 127, 127, 297, 297]),
        (FREE, 1024, [21] * 6 + [63] * 3 + [148, 276, 276]),
        (RED[:2], 1, [1, 1]),
        (RED, 1, [1, 1, 2, 3, 3]),
        (FREE, 1, [1] * 6 + [2] * 3 + [3, 4, 4]),
    ],
)
def test_half_of_the_candidates_goes_on(hand: list[str], playouts: int, visits: list[int]) -> None:
    table = at(hands=[", ".join(hand), "yellow 1"])
    result = search(table.game, table.state, [3], FLAT._replace(playouts=playouts))
    assert sorted(result.visits[0, : len(visits)].tolist()) == visits
    assert not result.visits[0, len(visits) :].any()


@METHODS
@BOARDS
def test_a_search_is_that_of_the_oracle(name: str, plan: Plan) -> None:
    game, state = running(name, 6)
    rng = np.random.default_rng(4)
    for row, one in enumerate(np.split(state, len(state))):
        asked = plan._replace(
            playouts=24 + row,
            depth=row % 3,
            explore=0.1 + row / 6,
            prior_temperature=6 / row if row else math.inf,
            margin=bool(row & 1),
            sees_all=bool(row & 2),
        )
        weights, seed = THUMBS + rng.normal(size=THUMBS.shape) / 8, int(rng.integers(2**63))
        slow = Search(game, one, seed, asked, weights, GENTLE)
        getattr(slow, plan.method)()
        result = planning.search(game, one, [seed], asked, weights, GENTLE)
        count = result.counts[0]
        assert result.actions[0, :count].tolist() == slow.actions
        if count == 1:
            assert not result.visits.any()
            continue
        assert result.visits[0, :count].tolist() == list(slow.visits.values())
        totals = result.values[0, :count] * result.visits[0, :count]
        assert totals.tolist() == pytest.approx(list(slow.totals.values()), abs=1e-9)


@BOARDS
def test_every_candidate_of_a_flat_search_is_tried(name: str) -> None:
    game, state = running(name)
    for playouts in (1, 5, 64):
        result = search(game, state, range(len(state)), FLAT._replace(playouts=playouts))
        several = result.counts > 1
        assert (result.visits[several][listed(result)[several]] > 0).all()
        assert not result.visits[~listed(result)].any()
        assert not result.values[~listed(result)].any()


@BOARDS
@pytest.mark.parametrize("playouts", [1, 2, 64])
def test_every_playout_of_a_tree_passes_a_candidate(name: str, playouts: int) -> None:
    game, state = running(name)
    result = search(game, state, range(len(state)), TREE._replace(playouts=playouts))
    assert (result.visits.sum(1) == np.where(result.counts > 1, playouts, 0)).all()
    assert not result.visits[~listed(result)].any()


@METHODS
def test_a_single_action_needs_no_playouts(plan: Plan) -> None:
    table = at({"blue": 1}, ["blue 2"])
    result = search(table.game, table.state, [0], plan)
    assert result.counts.tolist() == [1]
    assert not result.visits.any()
    assert choice(table, plan) == "play blue 2"


@METHODS
def test_a_finished_game_among_others_is_left_alone(plan: Plan) -> None:
    game, state = positions("standard")
    result = search(game, state, range(len(state)), plan._replace(playouts=8))
    over = state["phase"] == OVER
    assert over.any()
    assert not result.counts[over].any()
    assert not result.visits[over].any()
    assert len(search(game, state[:0].copy(), [], plan).best()) == 0


def test_the_best_has_the_most_playouts_and_then_the_better_mean() -> None:
    actions = np.array([[7, 8, 9, 200]] * 3, np.uint16)
    visits = np.array([[4, 5, 1, 0], [5, 5, 1, 0], [0, 0, 0, 0]])
    values = np.array([[0.9, 0.1, 0.9, 0.0], [-0.2, -0.1, 0.9, 0.0], [0.0, 0.0, 0.0, 0.0]])
    result = SearchResult(actions, np.array([3, 3, 1]), visits, values)
    assert result.best().tolist() == [8, 8, 7]


# ---------------------------------------------------------------- what a playout is worth


def each_action(game: MountDrago, state: State) -> Iterator[tuple[int, int, State]]:
    """Row and place of every legal action, and the game after it."""
    legal = game.legal(state)
    for row, count in enumerate(legal.counts):
        for i in range(count):
            after = state[row : row + 1].copy()
            game.step(after, [int(legal.actions[row, i])])
            yield row, i, after


@pytest.mark.parametrize("depth", [0, 1, 4, END_OF_GAME])
@pytest.mark.parametrize("margin", [False, True])
def test_in_a_known_world_a_value_is_that_of_the_position_reached(depth: int, margin: bool) -> None:
    game, state = running("standard", 24)
    plan = SEES_ALL._replace(depth=depth, margin=margin)
    result = search(game, state, range(len(state)), plan, THUMBS)
    for row, i, after in each_action(game, state):
        seat, players = state["seat"][row], state["players"][row]
        planning.roll(game, after, [0], THUMBS, depth=depth)
        worth = planning.win_chances(game, after, WIN_CHANCE)[0, seat]
        if margin:
            scores = after["score"][0, :players].tolist()
            worth = 0.5 + (scores[seat] - (sum(scores) - scores[seat]) / (players - 1)) / 64
        if result.counts[row] > 1:
            assert result.values[row, i] == pytest.approx(worth, abs=1e-9)


@pytest.mark.parametrize("plan", [FLAT._replace(depth=0), FLAT._replace(noise=0.5), UNIFORM])
def test_all_candidates_meet_the_same_worlds_and_the_same_dice(plan: Plan) -> None:
    """Two cards of a dragon on the last space do the same, so they are worth exactly the same."""
    table = at(
        {"red": 15},
        ["red 4, red 5", "green 1, yellow 2"],
        ("blue 1", "red 1"),
        covered="red 4, red 5",
    )
    for seed in range(20):
        one, other = search(table.game, table.state, [seed], plan).values[0, :2]
        assert one == other
        assert 0 < one < 1


@pytest.mark.parametrize("depth", [0, 3])
def test_candidates_of_a_game_that_is_decided_are_equal(depth: int) -> None:
    table = at({"blue": 1}, ["blue 1, red 1, green 2"], scores=[9999, 0])
    values = search(table.game, table.state, [2], FLAT._replace(depth=depth)).values[0]
    assert values[:3].tolist() == [1.0] * 3


@BOARDS
def test_playing_on_follows_the_rules_of_thumb(name: str) -> None:
    game, state = running(name)
    played, by_hand = state.copy(), state.copy()
    planning.roll(game, played, range(len(state)), THUMBS, depth=7)
    for _ in range(7):
        game.step(by_hand, planning.assess(game, by_hand, THUMBS))
    assert np.array_equal(played, by_hand)
    planning.roll(game, played, range(len(state)), THUMBS)
    assert game.over(played).all()


def test_each_seat_may_follow_weights_of_its_own() -> None:
    game, state = running("standard")
    table = np.random.default_rng(1).normal(size=(7, 8))
    who = np.random.default_rng(2).integers(7, size=(len(state), 5))
    played = state.copy()
    planning.roll(game, played, range(len(state)), table, who, depth=6)
    for row in range(len(state)):
        one = state[row : row + 1].copy()
        for _ in range(6):
            own = np.tile(table[who[row, one["seat"][0]]], (4, 1))
            game.step(one, planning.assess(game, one, own))
        assert one[0] == played[row]


@pytest.mark.parametrize("noise", [1.0, 0.25])
def test_noise_is_the_share_of_random_decisions(noise: float) -> None:
    table, rows = at({"blue": 1}, ["blue 1, red 1, red 2, green 2", "yellow 1"]), 20_000
    state = np.repeat(table.state, rows)
    (best,) = planning.assess(table.game, table.state, LIGHT)
    planning.roll(table.game, state, range(rows), LIGHT, depth=1, noise=noise)
    legal = table.game.legal(table.state).actions[0, :4].tolist()
    for action in legal:
        after = table.state.copy()
        table.game.step(after, [action])
        share = (state["position"] == after["position"]).all(1).mean()
        expected = noise / 4 + (1 - noise) * (action == best)
        assert abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / rows)


# ---------------------------------------------------------------- won and lost positions

THIRD = {"black": 15, "yellow": 12, "blue": 11}  # blue 1 is the third to reach the summit
MOVES = "blue 1, red 1, red 3, gray 1, purple 2"


@METHODS
@pytest.mark.parametrize("playout", [LIGHT, THUMBS], ids=["light", "heuristic"])
@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("depth", [1, 5, END_OF_GAME])
def test_a_win_at_hand_is_taken_and_a_loss_avoided(
    plan: Plan, playout: NDArray[np.float64], noise: float, depth: int
) -> None:
    plan = plan._replace(playouts=200, noise=noise, depth=depth)
    for rides in (("red 1", "green 1"), ("red 1", "green 1", "brown 1")):
        # blue pays 4 to us and nothing to the others
        ahead = at(THIRD, [MOVES], rides, scores=[5, 8, 8])
        assert choice(ahead, plan, playout) == "play blue 1"
        behind = at(THIRD, [MOVES], rides, scores=[3, 8, 2])
        assert choice(behind, plan, playout) != "play blue 1"


@METHODS
def test_a_shared_victory_is_half_of_one(plan: Plan) -> None:
    table = at(THIRD, ["blue 1, red 1"], scores=[0, 4])
    result = search(table.game, table.state, [1], plan)
    assert result.values[0, 0] == 0.5


# ---------------------------------------------------------------- exact expectations

TINY: dict[str, Any] = {
    "board": "0 start, 1 plain, 2 blue, 3 plain, 2 green, -1 plain, 4 summit, 5 summit",
    "colours": 3,
    "copies": "3 3",
    "hand": 2,
    "summit_dragons": 2,
    "rides": ("blue 1", "brown 1"),
}
ENDGAMES = {  # edition, spaces of blue, brown and black, own hand, scores
    "keep": ("italian", (7, 5, 4), "brown 2, black 1", [3, 4]),
    "take": ("german", (7, 5, 4), "brown 2, black 1", [2, 5]),
    "tie": ("german", (4, 3, 7), "blue 2, brown 1", [3, 4]),
    "wait": ("german", (4, 3, 7), "blue 2, brown 1", [2, 5]),
    "end": ("italian", (5, 5, 7), "blue 1, black 1", [2, 5]),
}
FARTHEST = 4  # decisions that are looked ahead


class Unknown(Exception):  # noqa: N818  (no fault of the program)
    """A card must be drawn that the script does not name."""


def drawn(side: Reference, action: int) -> Iterator[tuple[float, Reference]]:
    """All that may come of an action, by the cards drawn, with probabilities."""
    scripts: list[tuple[list[int], float]] = [([], 1.0)]
    while scripts:
        script, probability = scripts.pop()
        after, cards = clone(side), iter(script)

        def draw(cards: Iterator[int] = cards) -> int:
            for card in cards:
                return card
            raise Unknown

        try:
            after.apply(action, draw)
            yield probability, after
        except Unknown:
            total = after.deck.total()
            scripts += [([*script, c], probability * n / total) for c, n in after.deck.items()]


def frozen(side: Reference, depth: int) -> Any:
    covered = tuple(sorted(side.covered().items()))
    hands, tops = tuple(map(tuple, side.hands)), tuple(pile[-1] for pile in side.piles)
    where = (tuple(side.position), tuple(side.scores), side.seat, side.step, side.discarded)
    return hands, tops, covered, where, depth


def expected(side: Reference, depth: int, known: dict[Any, NDArray[Any]]) -> NDArray[Any]:
    """Each seat's share of the victory under random play; last, the chance to see no end."""
    if side.over:
        shares = [(seat in side.winners()) / len(side.winners()) for seat in range(side.players)]
        return np.array([*shares, 0.0])
    if depth == 0:
        return np.array([0.0] * side.players + [1.0])
    key = frozen(side, depth)
    if key not in known:
        legal = side.legal()
        ways = [(p, after) for action in legal for p, after in drawn(side, action)]
        parts = [p * expected(after, depth - 1, known) for p, after in ways]
        known[key] = np.sum(parts, 0) / len(legal)
    return known[key]


def values_by_hand(side: Reference) -> list[tuple[float, float]]:
    """For each action of seat 0 the least and the most that it can be worth, over all worlds."""
    unseen, size = sorted(side.unseen(0).elements()), len(side.hands[1])
    hands = Counter(itertools.combinations(unseen, size))
    known: dict[Any, NDArray[Any]] = {}
    values = []
    for action in side.legal():
        total = np.zeros(side.players + 1)
        for hand, count in hands.items():
            world = clone(side)
            world.hands[1] = list(hand)
            world.deck = world.deck + Counter(side.hands[1]) - Counter(hand)
            for p, after in drawn(world, action):
                total += count * p * expected(after, FARTHEST, known)
        total /= hands.total()
        values.append((total[0], total[0] + total[-1]))
    return values


@pytest.mark.parametrize("name", ENDGAMES)
def test_values_are_the_expected_shares_of_the_victory_under_random_play(name: str) -> None:
    edition, spaces, own, scores = ENDGAMES[name]
    dragons, hands = dict(zip(COLOURS, spaces, strict=False)), [own, "blue 1, blue 2"]
    table, rows = at(dragons, hands, scores=scores, edition=edition, **TINY), 200
    bounds = values_by_hand(reference(table.game, table.state[0]))
    plan = UNIFORM._replace(playouts=2000)
    result = search(table.game, np.repeat(table.state, rows), range(rows), plan)
    visits = result.visits.sum(0)
    means = (result.visits * result.values).sum(0) / np.maximum(visits, 1)
    for (low, high), mean, number in zip(bounds, means, visits, strict=False):
        error = 5 * 0.5 / np.sqrt(number)
        assert low - error < mean < high + error
    best = max(range(len(bounds)), key=bounds.__getitem__)
    assert (result.best() == result.actions[0, best]).mean() > 0.95


# ---------------------------------------------------------------- known worlds, solved


class Solver:
    """Shares of the victory in a known world of two: if both do their best, and at random."""

    def __init__(self, game: MountDrago) -> None:
        self.game = game
        self.known: dict[bytes, NDArray[Any]] = {}

    def after(self, state: State) -> list[State]:
        return [after for _, _, after in each_action(self.game, state)]

    def shares(self, state: State, depth: int = 0) -> NDArray[Any]:
        """Best play first, random play second; one row each."""
        key = state.tobytes()
        if key not in self.known:
            if len(self.known) > 1000 or depth > 30:
                raise LookupError("the world is too large")
            winners = self.game.winners(state)[:, :2]
            if winners.any():
                self.known[key] = np.repeat(winners / winners.sum(), 2, 0)
            else:
                parts = np.array([self.shares(after, depth + 1) for after in self.after(state)])
                best = parts[parts[:, 0, state["seat"][0]].argmax(), 0]
                self.known[key] = np.array([best, parts[:, 1].mean(0)])
        return self.known[key]


@cache
def solved() -> list[tuple[MountDrago, State, NDArray[Any]]]:
    """Late positions in which it matters what is played; for each action what it is worth."""
    found = []
    for rules, seed in itertools.product((Rules.tiny(), Rules.tiny(2, "italian")), range(60)):
        played = play(rules, seed)
        for state in played.states[-7:-3]:
            solver = Solver(played.game)
            try:
                parts = [solver.shares(after) for after in solver.after(state)]
            except LookupError:
                continue
            values = np.array(parts)[:, :, state["seat"][0]]
            if np.ptp(values[:, 0]) > 0:
                found.append((played.game, state, values))
                break
    return found


def worth_of(result: SearchResult, action: int, values: NDArray[Any]) -> float:
    return values[result.actions[0].tolist().index(action)]


def test_the_tree_finds_the_best_play_against_the_best_replies() -> None:
    plan = UNIFORM._replace(
        method="tree", playouts=2000, explore=1.0, prior_temperature=math.inf, sees_all=True
    )
    missed = 0
    for game, state, values in solved():
        result, best = search(game, state, [5], plan), values[:, 0]
        assert worth_of(result, int(result.best()[0]), best) == best.max()
        # who takes the most at once misses it now and then
        greedy = planning.assess(game, state, same_for_all(Weights(0, 1 / 1024, 0, 0, 0, 0, 0, 0)))
        missed += worth_of(result, int(greedy[0]), best) < best.max()
    assert len(solved()) > 15
    assert missed > 3


def test_in_a_known_world_the_dice_alone_are_left_to_chance() -> None:
    plan, rows = UNIFORM._replace(sees_all=True, playouts=400), 100
    for game, state, values in solved():
        result = search(game, np.repeat(state, rows), range(rows), plan)
        visits = result.visits.sum(0)[: len(values)]
        means = (result.visits * result.values).sum(0)[: len(values)] / visits
        assert (abs(means - values[:, 1]) < 5 * 0.5 * np.sqrt(2 / visits)).all()


def test_playouts_do_not_depend_on_each_other() -> None:
    """So the mean of 64 of them varies 64 times less than one."""
    plan, rows = UNIFORM._replace(sees_all=True), 2000
    ratios = []
    for game, state, values in solved():
        if len(values) == 2 and 0.1 < values[0, 1] < 0.9:
            many = np.repeat(state, rows)
            one, mean = (
                search(game, many, range(rows), plan._replace(playouts=2 * number))
                .values[:, 0]
                .var()
                for number in (1, 64)
            )
            ratios.append(64 * mean / one)
    assert len(ratios) > 3
    assert max(abs(np.array(ratios) - 1)) < 0.25, ratios


# ---------------------------------------------------------------- the tree


def test_the_bonus_spreads_the_playouts_and_follows_the_rules_of_thumb() -> None:
    game, state = running("standard")
    plan = TREE._replace(playouts=240)
    best = planning.assess(game, state, LIGHT)

    def shares(explore: float, temperature: float) -> tuple[NDArray[Any], NDArray[Any]]:
        asked = plan._replace(explore=explore, prior_temperature=temperature)
        result = search(game, state, range(len(state)), asked)
        several = result.counts > 1
        share = result.visits / np.maximum(result.visits.sum(1, keepdims=True), 1)
        own = share[result.actions == best[:, None]]
        return own, (share.max(1) * result.counts)[several]

    _, wide = shares(1000.0, math.inf)
    assert wide.max() < 1.2  # all candidates get about as many
    followed, _ = shares(1000.0, 0.001)
    assert np.median(followed) > 0.9  # but for equals, the favourite gets nearly all
    _, narrow = shares(0.001, math.inf)
    assert narrow.mean() > 2 * wide.mean()  # the best mean gets the most


# ---------------------------------------------------------------- what an answer depends on


@METHODS
@BOARDS
def test_what_the_seat_cannot_see_changes_nothing(name: str, plan: Plan) -> None:
    game, state = running(name)
    seeds, rng, changed = np.arange(len(state)), np.random.default_rng(3), 0
    for seat in range(int(state["players"].max())):
        rows = np.flatnonzero(state["seat"] == seat)
        own = state[rows].copy()
        first = search(game, own, seeds[rows], plan, THUMBS)
        views = [shuffled(game, own, seat, rng), game.determinize(own, seat, seeds[rows])]
        for view in views:
            assert same(first, search(game, view, seeds[rows], plan, THUMBS))
            all_known = plan._replace(sees_all=True)
            known = [search(game, v, seeds[rows], all_known) for v in (own, view)]
            changed += (known[0].best() != known[1].best()).sum()
    assert changed  # who is told all makes use of it


@METHODS
def test_the_batch_and_its_order_and_threads_change_nothing(plan: Plan) -> None:
    game, state = running("standard", 50)  # all numbers of players, both editions and boards
    assert len(set(state["players"].tolist())) == 4
    seeds = np.random.default_rng(1).integers(2**64, size=len(state), dtype=np.uint64)
    plan = plan._replace(noise=0.3)
    first = search(game, state, seeds, plan)
    assert same(first, search(game, state, seeds, plan))
    for threads in (2, 3):
        several = MountDrago(*game.rules, threads=threads)
        assert same(first, search(several, state, seeds, plan))
    order = np.random.default_rng(2).permutation(len(state))
    mixed = search(game, state[order].copy(), seeds[order], plan)
    assert same(rows_of(first, order), mixed)
    for row in range(0, len(state), 5):
        alone = search(game, state[row : row + 1].copy(), seeds[row : row + 1], plan)
        assert same(rows_of(first, [row]), alone)


@METHODS
def test_another_seed_gives_other_playouts(plan: Plan) -> None:
    game, state = running("standard")
    one, other = (search(game, state, np.arange(len(state)) + k, plan) for k in (0, 1000))
    several = one.counts > 1
    assert (one.values != other.values).any(1)[several].mean() > 0.6


@METHODS
def test_equal_rows_with_other_seeds_are_other_searches(plan: Plan) -> None:
    game, state = running("standard", 1)
    result = search(game, np.repeat(state, 20), range(20), plan)
    assert len(np.unique(result.values[:, 0])) > 10
