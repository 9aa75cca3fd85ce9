"""The rules of thumb and the win chances: the kernels against the slow oracle, and by hand."""

from __future__ import annotations

import math
import sys
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env import Board, MountDrago, Rules
from drago_env.core.planning import Plan
from drago_env.game import State
from drago_env.mount_drago import planning
from drago_env.mount_drago.planning import Weights, WinChance
from drago_env.mount_drago.rules import EDITIONS
from drago_env.mount_drago.state import DISCARD, OVER, PLAY
from tests.conftest import Table, at
from tests.mount_drago.games import SCARCE, STANDARD, TINY, along, picked
from tests.mount_drago.test_knowledge import shuffled
from tests.mount_drago.thumbs import Thoughts, chances, reference, thoughts
from tests.test_package import PLAIN, run

PLAYERS = (2, 3, 4, 5)
NONE = Weights(0, 0, 0, 0, 0, 0, 0, 0)
FLAT = WinChance(0, 0, 0, 0, 0, 0, 0)
STEEP = Board(
    (0, 50, -50, 9, 50, -7, 50, 49), ("start", "plain", *["blue", "green"] * 2, *["summit"] * 2)
)
RANDOM = tuple(Rules(n, edition, Board.random(n, 14 + n)) for n in PLAYERS for edition in EDITIONS)
VARIANTS = {
    "standard": STANDARD,
    "random": (*RANDOM, Rules(3, board=STEEP)),
    "tiny": TINY,
    "scarce": SCARCE,
}
NUMBER = {"standard": 260, "random": 260, "tiny": 240, "scarce": 220}  # of positions
BOARDS = pytest.mark.parametrize("name", VARIANTS)


@cache
def positions(name: str) -> tuple[MountDrago, State]:
    """Positions of random games: ends, the last ones before, discard steps, and any others."""
    game, rng = MountDrago(*VARIANTS[name]), np.random.default_rng(5)
    games = max(72, 8 * len(game.rules))
    state = game.new(range(games), np.arange(games) % len(game.rules))
    met, last = [], state.copy()
    while not game.over(state).all():
        running = ~game.over(state)
        last[running] = state[running]
        met.append(state[running].copy())
        game.step(state, picked(game, state, rng))
    among = rng.permutation(np.concatenate(met))
    discards, plays = (among[among["phase"] == phase] for phase in (DISCARD, PLAY))
    some = np.concatenate([state, last, discards[:40], plays])
    return game, some[: NUMBER[name]].copy()


@cache
def oracle(name: str) -> list[list[Thoughts]]:
    """The thoughts about every legal action of every position."""
    game, state = positions(name)
    return [thoughts(reference(game, it)) for it in state]


def same_for_all(numbers: Weights | WinChance) -> NDArray[np.float64]:
    return np.tile(np.array(numbers, np.float64), (len(PLAYERS), 1))


def alone(field: str, weight: float) -> NDArray[np.float64]:
    """One weight and no other."""
    return same_for_all(NONE._replace(**{field: weight}))


def check(name: str, weights: NDArray[np.float64], exact: bool = False) -> None:
    """The chosen action is worth the most, and if numbers are exact it is the first of these."""
    game, state = positions(name)
    legal, before = game.legal(state), state.tobytes()
    best = planning.assess(game, state, weights)
    assert state.tobytes() == before
    for row, thought in enumerate(oracle(name)):
        if state["phase"][row] == OVER:
            assert best[row] == -1
            continue
        worth = [t.worth(weights[state["players"][row] - 2]) for t in thought]
        place = legal.actions[row, : legal.counts[row]].tolist().index(best[row])
        assert worth[place] >= max(worth) - 1e-9, (row, worth)
        if exact and state["players"][row] != 4:  # a third has no exact number
            assert place == worth.index(max(worth)), (row, worth)


def test_the_positions_are_of_every_kind() -> None:
    for name in VARIANTS:
        game, state = positions(name)
        assert len(state) == NUMBER[name]
        assert (state["phase"] == DISCARD).sum() > 15
        assert (state["phase"] == OVER).sum() > 20
        assert len(set(state["board"].tolist())) == len(game.boards)
        weighted = [t.weighted for row in oracle(name) for t in row]
        for field in Weights._fields:
            assert len({getattr(w, field) for w in weighted}) > 1, (name, field)
    _, standard = positions("standard")
    assert set(zip(standard["players"].tolist(), standard["edition"].tolist(), strict=True)) == {
        (n, edition) for n in PLAYERS for edition in (0, 1)
    }


# ---------------------------------------------------------------- against the oracle


@BOARDS
@pytest.mark.parametrize("field", Weights._fields)
def test_each_weight_alone_is_followed(name: str, field: str) -> None:
    for weight in (0.25, 4.0, 64.0, -0.25, -4.0, -64.0):
        check(name, alone(field, weight), exact=field not in ("ahead", "danger"))


@BOARDS
def test_what_is_gained_at_once_needs_no_weight(name: str) -> None:
    check(name, same_for_all(NONE), exact=True)


@BOARDS
def test_any_weights_are_followed(name: str) -> None:
    rng = np.random.default_rng(6)
    sizes = np.array([1, 0.5, 0.5, 0.5, 0.5, 1, 8, 0.3])
    for _ in range(60):  # other ones for each number of players
        check(name, rng.normal(size=(len(PLAYERS), len(sizes))) * sizes)


@BOARDS
def test_chances_are_those_of_the_oracle(name: str) -> None:
    game, state = positions(name)
    rng, before = np.random.default_rng(7), state.tobytes()
    tables = [rng.normal(size=(len(PLAYERS), len(FLAT))) for _ in range(3)]
    tables += [same_for_all(FLAT._replace(**{field: 1.5})) for field in WinChance._fields]
    for weights in tables:
        told = planning.win_chances(game, state, weights)
        for it, row in zip(state, told, strict=True):
            expected = chances(reference(game, it), WinChance(*weights[it["players"] - 2]))
            assert row[: it["players"]] == pytest.approx(expected, abs=1e-9)
            assert not row[it["players"] :].any()
        assert told.sum(1) == pytest.approx(1)
    assert state.tobytes() == before


@BOARDS
def test_chances_after_the_end_are_shares_of_the_victory(name: str) -> None:
    game, state = positions(name)
    over = state[state["phase"] == OVER]
    over["score"][::2, 1] = over["score"][::2, 0] = over["score"][::2].max(1)  # some ties
    winners = game.winners(over)
    shares = winners / winners.sum(1, keepdims=True)
    told = planning.win_chances(game, over, same_for_all(FLAT._replace(space=9, cards=-9)))
    assert np.array_equal(told, shares)
    assert len(np.unique(told)) > 2


# ---------------------------------------------------------------- nothing else matters


@BOARDS
def test_what_the_seat_cannot_see_does_not_change_its_choice(name: str) -> None:
    game, state = positions(name)
    state, rng = state[state["phase"] != OVER], np.random.default_rng(8)
    for seat in range(int(state["players"].max())):
        own = state[state["seat"] == seat]
        views = [own, shuffled(game, own, seat, rng)]
        views += [game.determinize(own, seat, np.arange(len(own)) + k) for k in (0, 1000)]
        for weights in (rng.normal(size=(4, 8)), alone("danger", -9.0), alone("plan", 9.0)):
            first, *others = [planning.assess(game, view, weights) for view in views]
            assert all(np.array_equal(first, other) for other in others)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_and_the_size_of_the_batch_change_nothing(threads: int) -> None:
    game, state = positions("standard")
    several = MountDrago(*game.rules, threads=threads)
    rng = np.random.default_rng(9)
    weights, win_chance = rng.normal(size=(4, 8)), rng.normal(size=(4, 7))
    best = planning.assess(game, state, weights)
    told = planning.win_chances(game, state, win_chance)
    assert np.array_equal(best, planning.assess(several, state, weights))
    assert np.array_equal(told, planning.win_chances(several, state, win_chance))
    for row in range(0, len(state), 9):
        one = state[row : row + 1].copy()
        assert planning.assess(game, one, weights)[0] == best[row]
        assert np.array_equal(planning.win_chances(game, one, win_chance)[0], told[row])


# ---------------------------------------------------------------- by hand, on the short track


def prefers(table: Table, **weights: float) -> str:
    """What the rules of thumb choose with these weights alone."""
    (best,) = planning.assess(table.game, table.state, same_for_all(NONE._replace(**weights)))
    return table.game.action_text(int(best))


def test_a_lost_draw_has_its_price() -> None:
    table = at({"blue": 1}, ["blue 1, red 1"])  # blue gains 2 at once
    assert prefers(table) == prefers(table, draw=1.9) == "play blue 1"
    assert prefers(table, draw=2.1) == "play red 1"


def test_the_own_space_counts_by_its_value() -> None:
    table = at({"blue": 1, "black": 4}, ["blue 1, black 1"])  # 2 at once, or a space of 6
    assert prefers(table, place=0.49) == "play blue 1"  # 2 + 0.98 against 2.94
    assert prefers(table, place=0.51) == "play black 1"


def test_the_rivals_spaces_count_by_their_mean() -> None:
    # blue brings us 2 and green 3; or green falls from 3 to -1; yellow stays on 0
    rides = ("red 1", "green 1", "yellow 1")
    table = at({"blue": 1, "green": 3}, ["blue 1, green 3"], rides=rides)
    assert prefers(table, rival=0.24) == "play blue 1"  # 0.5 - 1.5 w against 0.5 w
    assert prefers(table, rival=0.26) == "play green 3"


def test_spaces_ahead_count_by_their_mean() -> None:
    # from 4 one comes to 6, -1, 3, 5, -2: 2.2 each; from 2 to 3, 4, 6, -1, 3: 3 each
    table = at({"blue": 3, "black": 1}, ["blue 1, black 1"])
    assert prefers(table, ahead=2.49) == "play blue 1"  # 4 + 2.2 w against 2 + 3 w
    assert prefers(table, ahead=2.51) == "play black 1"


def test_the_last_space_is_ahead_of_itself() -> None:
    table = at({"blue": 15, "black": 13}, ["blue 1, black 1"])  # 7 each; 7 but for a 7: 6, 7, ...
    assert prefers(table, ahead=1.0) == "play blue 1"


def test_a_plan_is_the_best_gain_of_the_other_cards() -> None:
    table = at({"blue": 1}, ["blue 1, red 1"])  # 2 now, or the same 2 next time
    assert prefers(table, plan=0.9) == "play blue 1"
    assert prefers(table, plan=1.1) == "play red 1"
    twice = at({"blue": 1}, ["blue 1, blue 1, red 1"])  # the second one finds blue on 2
    assert prefers(twice, plan=1.1) == "play red 1"


def test_danger_is_the_next_riders_likely_gain() -> None:
    """Of six unseen cards one, green 2, takes them to the blue 2; they have three cards.

    With red on 1 that brings them 2 and us 1; with red on 3 it gains them nothing.
    """
    held, deck = "green 2, brown 1, brown 3", "gray 1, gray 3, purple 1"
    danger = -(1 - math.exp(-3 / 6))
    for hand, rest in ((held, deck), (deck, held)):  # whether they really hold it is hidden
        table = at(hands=["red 1, red 3", hand], deck=rest)
        assert prefers(table, danger=1, place=0.505 * danger) == "play red 1"  # 1 p + d, or 3 p
        assert prefers(table, danger=1, place=0.495 * danger) == "play red 3"


def test_danger_is_the_gain_of_the_best_card_first() -> None:
    """They hold two of five unseen cards: green 4 brings 4 and us 1, green 2 brings 2 and 1."""
    table = at(hands=["red 1, red 3", "gray 1, gray 3"], deck="green 4, green 2, purple 1")
    four, two = 1 - math.exp(-2 / 5), math.exp(-2 / 5) * (1 - math.exp(-2 / 4))
    low = -3 * four - 1 * two  # with red on 1
    high = -1 * four  # with red on 3: they gain by the 4 alone
    even = (low - high) / 2
    assert prefers(table, danger=1, place=1.01 * even) == "play red 1"
    assert prefers(table, danger=1, place=0.99 * even) == "play red 3"


FIRST_TWO = {"black": 15, "yellow": 12}  # on the summit


@pytest.mark.parametrize(
    ("lead", "chosen"), [(0, "blue 1"), (3, "blue 1"), (4, "red 1"), (9, "red 1")]
)
def test_the_end_is_sought_by_the_sole_leader_and_shunned_by_others(lead: int, chosen: str) -> None:
    # blue reaches the summit: 4 for us, 1 for the rival; then the game is over
    table = at({**FIRST_TWO, "blue": 11, "green": 1}, ["blue 1, red 1"], scores=[0, lead])
    assert prefers(table, end=0.0) == "play blue 1"
    assert prefers(table, end=3.1) == f"play {chosen}"
    assert prefers(table, end=-3.1) == ("play red 1" if lead < 3 else "play blue 1")
    assert prefers(table, end=2.9) == "play blue 1"  # what is gained weighs more


def test_after_the_end_nothing_counts() -> None:
    # blue gains 3 and ends the game; red 3 comes to a space of 3 and leaves blue in the hand
    table = at({**FIRST_TWO, "blue": 11, "green": 1}, ["blue 1, red 3"])
    assert prefers(table, place=0.99) == "play blue 1"
    assert prefers(table, place=1.01) == "play red 3"
    assert prefers(table, plan=0.99) == "play blue 1"
    assert prefers(table, plan=1.01) == "play red 3"


@pytest.mark.parametrize(
    ("scores", "even"),
    [([0, 9], 4 / 5), ([0, 14], 4 / 10), ([0, 30], 4 / 10), ([1, 0], -4 / 5), ([30, 0], -4 / 10)],
)
def test_the_lead_decides_whether_the_end_is_hastened(scores: list[int], even: float) -> None:
    # blue is the second dragon on the summit and brings us 4; ten points of a lead count
    table = at({"black": 15, "blue": 11}, ["blue 1, red 1"], scores=scores)
    assert prefers(table, tempo=0.99 * even) == "play blue 1"
    assert prefers(table, tempo=1.01 * even) == "play red 1"


def test_in_the_discard_step_the_own_cards_stay_while_they_lift() -> None:
    hands = ["black 1, yellow 1, red 1, blue 2"]
    spaces = {"black": 15, "yellow": 12}
    table = at(spaces, hands, rides=("yellow 3", "green 1"), turn="seat 0, discard")
    assert prefers(table) == prefers(table, place=99.0, end=-99.0) == "discard black 1"
    table.act("discard black 1")
    assert prefers(table) == "done discarding"
    at_last = at(
        {**spaces, "yellow": 15}, hands, rides=("yellow 3", "green 1"), turn="seat 0, discard"
    )
    at_last.act("discard black 1")
    assert prefers(at_last) == "discard yellow 1"


# ---------------------------------------------------------------- without a compiler


def answers() -> str:
    """What the kernels answer along a few games, as text."""
    rng, told = np.random.default_rng(3), []
    weights, win_chance = rng.normal(size=(4, 8)), rng.normal(size=(4, 7))
    for rules in (Rules.tiny(3), Rules.tiny(2, "italian"), Rules(5, board=STEEP)):
        game = MountDrago(rules)
        for state in along(game, range(3), [0] * 3):
            told += [planning.win_chances(game, state, win_chance).round(9).tolist()]
            told += [planning.assess(game, state, weights).tolist()]
            if rules.hand == 2:
                for method in ("flat", "tree"):
                    plan = Plan(method, 12, 3, 0.3, 0.5, 2.0, False, False)
                    thought = planning.search(game, state, [4, 5, 6], plan, weights, win_chance)
                    told += [thought.visits.tolist(), thought.values.round(9).tolist()]
    return repr(told)


def test_planning_without_the_compiler_is_the_same() -> None:
    code = "from tests.mount_drago.test_thumbs import answers; print(answers())"
    python = (sys.executable, "-W", "ignore::RuntimeWarning")  # the generator wraps around
    assert run(*python, "-c", code, env=PLAIN).strip() == answers()
