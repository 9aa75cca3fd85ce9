"""A seed is a game: whatever the batch, the threads, the process or the global generators."""

from __future__ import annotations

import multiprocessing
import pickle
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from threading import Barrier, Event, Timer, current_thread, main_thread
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env import Board, Legal, MountDrago, Rules, storage
from drago_env.core.threads import ThreadTeam
from drago_env.game import State
from drago_env.mount_drago.state import OVER, STATE
from tests.mount_drago.games import ALL_RULES, STANDARD, name

MIXED = (*STANDARD, Rules(3, board=Board.random(1)), Rules(5, "italian", Board.random(2, 40)))
MOVES = 150  # more than any of these games has

# ---------------------------------------------------------------- helpers


@cache
def choices(seed: int) -> NDArray[np.int64]:
    """What a row that is dealt from this seed chooses, move by move."""
    return np.random.default_rng(seed).integers(2**32, size=MOVES)


def act(game: MountDrago, state: State, choice: NDArray[np.int64]) -> None:
    """One decision in every game that runs: the chosen one of the legal actions."""
    legal = game.legal(state)
    pick = choice % np.maximum(legal.counts, 1)
    actions = legal.actions[np.arange(len(state)), pick].astype(np.int64)
    game.step(state, np.where(legal.counts > 0, actions, -1))


def played(game: MountDrago, state: State, choice: NDArray[np.int64], moves: int) -> State:
    """The batch after each of so many moves; `choice` has a row for each game."""
    path = [state.copy()]
    while len(path) <= moves:
        act(game, state, choice[:, len(path) - 1])
        path.append(state.copy())
    return np.stack(path)


def variant(seed: int) -> int:
    return seed * 7 % len(MIXED)


def batch(size: int, moves: int = 60, threads: int = 1) -> State:
    """The first moves of the seeds 0, 1, 2, ... in one batch of mixed rules."""
    game = MountDrago(*MIXED, threads=threads)
    state = game.new(range(size), [variant(seed) for seed in range(size)])
    return played(game, state, np.stack([choices(seed) for seed in range(size)]), moves)


def middle(game: MountDrago, size: int = 40) -> State:
    """Games of every variant after 15 moves."""
    state = game.new(range(size), np.arange(size) % len(game.rules))
    for move in range(15):
        act(game, state, np.full(size, move))
    return state


# ---------------------------------------------------------------- the batch


BOOKS = tuple(MountDrago(rules) for rules in MIXED)
BOARDS = MountDrago(*MIXED).boards


@cache
def alone(seed: int) -> State:
    """A whole game by itself, with rules that know nothing of the other variants."""
    game, choice = BOOKS[variant(seed)], choices(seed)
    state = game.new(seed)
    path = [state.copy()]
    while state["phase"][0] != OVER:
        act(game, state, choice[len(path) - 1 : len(path)])
        path.append(state.copy())
    whole = np.concatenate(path)
    # the one field that is about the batch: which of its boards
    whole["board"] = BOARDS.index(game.boards[0])
    return whole


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_row_of_a_batch_is_the_single_game_with_its_seed(size: int) -> None:
    path = batch(size, MOVES)
    assert (path["phase"][-1] == OVER).all()
    for seed in range(0, size, 3 if size > 100 else 1):
        single = alone(seed)
        assert np.array_equal(path[: len(single), seed], single)
        assert (path[len(single) :, seed] == single[-1]).all()  # a finished game rests


def test_equal_games_are_equal_bytes() -> None:
    """As the state's own page promises."""
    game = MountDrago(*MIXED)
    state = middle(game)
    every = np.arange(len(state))
    # bytes between the fields would not be copied
    assert STATE.itemsize == sum(STATE[field].itemsize for field in STATE.names or ())
    for clone in (state.copy(), state[every], np.concatenate([state[:9], state[9:]])):
        assert np.array_equal(clone, state)
        assert clone.tobytes() == state.tobytes()


def test_seeds_run_from_0_to_the_last_of_64_bits() -> None:
    game = MountDrago()
    seeds = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]
    state = game.new(np.array(seeds, np.uint64))
    assert len(np.unique(state["rng"])) == len(seeds)
    assert np.array_equal(game.new(seeds), state)
    for row, seed in enumerate(seeds):
        assert game.new(seed)[0] == state[row]


def test_a_reset_of_some_rows_leaves_the_others_alone() -> None:
    game = MountDrago(*MIXED)
    state = middle(game)
    before, rows = state.copy(), np.array([31, 3, 4, 39])
    game.reset(state, [5, 6, 7, 8], rows, [0, 9, 2, 3])
    others = np.setdiff1d(np.arange(len(state)), rows)
    assert np.array_equal(state[others], before[others])
    assert np.array_equal(state[rows], game.new([5, 6, 7, 8], [0, 9, 2, 3]))


# ---------------------------------------------------------------- threads


def told(game: MountDrago, state: State) -> dict[str, NDArray[Any]]:
    """All that a game answers about a batch."""
    legal = game.legal(state)
    seeds = np.arange(len(state))
    seats = seeds % state["players"]
    return {
        **legal._asdict(),
        "observation": game.observe(state),
        "compact": game.observe_compact(state, seats),
        "features": game.features(state, legal),
        "determinized": game.determinize(state, seats, seeds),
        "playout": game.playout(state, seeds),
    }


@pytest.mark.parametrize("size", [3, 4, 101])
def test_threads_change_nothing(size: int) -> None:
    one, two = MountDrago(*MIXED, reward="margin"), MountDrago(*MIXED, reward="margin", threads=2)
    state = one.new(range(size), np.arange(size) % len(MIXED))
    other = two.new(range(size), np.arange(size) % len(MIXED))
    for move in range(100):
        assert np.array_equal(state, other)
        for part, answer in told(one, state).items():
            assert np.array_equal(answer, told(two, other)[part]), (part, move)
        legal = one.legal(state)
        actions = np.where(legal.counts > 0, legal.actions[:, 0].astype(np.int64), -1)
        first, second = one.step(state, actions), two.step(other, actions)
        assert first.points.tobytes() == second.points.tobytes()
        assert first.rewards.tobytes() == second.rewards.tobytes()
    assert one.over(state).any()


def test_a_whole_batch_on_two_threads() -> None:
    assert np.array_equal(batch(200, threads=1), batch(200, threads=2))


def test_callers_in_several_threads_do_not_take_each_others_parts_for_their_own() -> None:
    """The helper that is free is done at once with its part; the other caller's is not done."""
    team, go_on, finished = ThreadTeam(3), Event(), []

    def caller(name: str, task: Callable[[], Any]) -> None:
        team.run(lambda part: part(), [(bool,), (task,)])
        finished.append(name)

    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(caller, "slow", go_on.wait)
        quick = threads.submit(caller, "quick", bool)
        wait([slow, quick], timeout=0.2)
        early = list(finished)
        go_on.set()
    assert "slow" not in early
    assert sorted(finished) == ["quick", "slow"]


def test_who_is_done_with_a_part_takes_the_next_one() -> None:
    """The helper is held up in its first part; the caller does all others meanwhile."""
    team, go_on, seen = ThreadTeam(2), Event(), []

    def part(number: int) -> None:
        if current_thread() is not main_thread():
            assert go_on.wait(10)
        seen.append(number)
        if len(seen) == 5:
            go_on.set()

    team.run(part, [(number,) for number in range(6)])
    assert sorted(seen) == list(range(6))


def test_a_part_that_fails_is_told_however_late_it_comes() -> None:
    team, begun = ThreadTeam(2), Barrier(2)

    def part(number: int) -> None:
        if number < 2:
            begun.wait(10)  # both threads are at work
        if number == 1:
            raise ValueError("the second part")

    with pytest.raises(ValueError, match="the second part"):
        team.run(part, [(number,) for number in range(9)])


def test_what_is_interrupted_leaves_nothing_behind_for_the_next_call() -> None:
    team, go_on, seen = ThreadTeam(2), Event(), []

    def stopped() -> None:
        raise KeyboardInterrupt

    def slow() -> None:
        go_on.wait()
        seen.append("slow")

    for first, told in ((stopped, pytest.raises(KeyboardInterrupt)), (bool, nullcontext())):
        seen.clear()
        go_on.clear()
        later = Timer(0.05, go_on.set)
        later.start()
        with told:
            team.run(lambda part: part(), [(first,), (slow,)])
        assert seen == ["slow"]  # it had the caller's arrays
        later.join()


# ---------------------------------------------------------------- nothing global


@pytest.fixture
def global_generators() -> Iterator[None]:
    """Gives the global generators back as they were."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    yield
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002


def global_state() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate(), name, np.asarray(keys).tobytes(), rest


@pytest.mark.usefixtures("global_generators")
def test_global_generators_are_neither_read_nor_written() -> None:
    size, calm = 30, batch(30)
    game = MountDrago(*MIXED)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    state = game.new(range(size), [variant(seed) for seed in range(size)])
    choice = np.stack([choices(seed) for seed in range(size)])
    for move in range(60):
        random.seed(move)
        np.random.seed(move)  # noqa: NPY002
        random.random()
        np.random.random(3)  # noqa: NPY002
        before = global_state()
        assert np.array_equal(state, calm[move])
        answers = told(game, state)
        act(game, state, choice[:, move])
        assert Board.random(1) == MIXED[8].board
        assert global_state() == before
        if move == 20:
            seen = answers
    for part, answer in told(game, calm[20].copy()).items():
        assert np.array_equal(answer, seen[part]), part


# ---------------------------------------------------------------- elsewhere and later


def test_a_clone_goes_on_like_the_original() -> None:
    game = MountDrago(*MIXED)
    state = middle(game)
    clone = state.copy()
    choice = np.stack([choices(seed) for seed in range(len(state))])
    assert np.array_equal(played(game, state, choice, 60), played(game, clone, choice, 60))


def test_a_saved_game_goes_on_like_the_original(tmp_path: Path) -> None:
    game = MountDrago(*MIXED, reward="rank")
    state = middle(game)
    storage.save(tmp_path / "games.npz", game, state)
    again, loaded = storage.load(tmp_path / "games.npz")
    assert (again.rules, again.reward) == (game.rules, "rank")
    assert np.array_equal(loaded, state)
    choice = np.stack([choices(seed) for seed in range(len(state))])
    assert np.array_equal(played(game, state, choice, 60), played(again, loaded, choice, 60))


def test_games_and_states_can_be_pickled_in_mid_game() -> None:
    game = MountDrago(*MIXED, reward="rank", threads=2)
    state = middle(game)
    again, loaded = pickle.loads(pickle.dumps((game, state)))
    assert (again.rules, again.reward, again.threads) == (game.rules, "rank", 2)
    assert np.array_equal(loaded, state)
    choice = np.stack([choices(seed) for seed in range(len(state))])
    assert np.array_equal(played(game, state, choice, 60), played(again, loaded, choice, 60))


def test_another_process_plays_the_same_games() -> None:
    game = MountDrago(*MIXED)
    state = middle(game)
    choice = np.stack([choices(seed) for seed in range(len(state))])
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        dealt = pool.submit(batch, 20).result()
        went_on = pool.submit(played, game, state, choice, 60).result()
    assert np.array_equal(dealt, batch(20))
    assert np.array_equal(went_on, played(game, state, choice, 60))


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_the_cards_drawn_depend_on_the_seed_alone_until_the_reshuffle(rules: Rules) -> None:
    """Duplicate deals rely on it: the same seed, 30 ways to play, one order of cards."""
    game, longest, emptied = MountDrago(rules), 0, False
    for seed in range(5):
        state = game.new([seed] * 30)
        deck = int(state["deck_size"][0])
        rng = np.random.default_rng(seed)
        cards: list[list[int]] = [[] for _ in state]
        while not game.over(state).all():
            running = ~game.over(state)
            act(game, state, rng.integers(2**32, size=30))
            for row in np.flatnonzero(running):
                cards[row] += state["drawn"][row, : state["drawn_size"][row]].tolist()
        order = max(cards, key=len)[:deck]
        longest, emptied = max(longest, len(order)), emptied or len(order) == deck
        for drawn in cards:
            assert drawn[:deck] == order[: len(drawn)]
    assert emptied or longest > 30


# ---------------------------------------------------------------- random play, by hand

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """The output function of splitmix64."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def below(z: int, n: int) -> int:
    return (mix(z) >> 32) * n >> 32


SEEDS = np.array([0, 1, 77, 2**32, 2**63 + 5, 2**64 - 1, 12, 13, 14, 15], np.uint64)


def test_a_playout_is_random_play_on_a_clone() -> None:
    game = MountDrago(*MIXED)
    for state in (game.new(range(10), range(10)), middle(game, 10)):
        before = state.copy()
        scores = game.playout(state, SEEDS)
        assert np.array_equal(state, before)
        for row, seed in enumerate(SEEDS.tolist()):
            one, pick = state[row : row + 1].copy(), mix(~seed & MASK)
            while not game.over(one)[0]:
                legal = game.legal(one)
                pick = pick + GOLDEN & MASK
                game.step(one, [legal.actions[0, below(pick, int(legal.counts[0]))]])
            assert scores[row].tolist() == one["score"][0].tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_random_step_picks_steps_and_deals_again_from_the_next_seed(threads: int) -> None:
    game = MountDrago(*MIXED, reward="margin", threads=threads)
    state, seeds, picks = game.new(SEEDS, range(10)), SEEDS.copy(), game.picks(SEEDS)
    assert picks.tolist() == [mix(~seed & MASK) for seed in SEEDS.tolist()]
    legal, n = game.legal(state), len(state)
    seen = np.empty((n, game.spec.observation_size), np.float32)
    rewards, done, games = np.empty((n, 5), np.float32), np.empty(n, np.bool_), 0
    own, own_seeds, own_picks = state.copy(), SEEDS.tolist(), picks.tolist()
    for _ in range(250):
        listed = game.legal(own)
        own_picks = [pick + GOLDEN & MASK for pick in own_picks]
        chosen = [below(pick, int(k)) for pick, k in zip(own_picks, listed.counts, strict=True)]
        paid = game.step(own, listed.actions[np.arange(n), chosen]).rewards
        over = game.over(own)
        for row in np.flatnonzero(over).tolist():
            own_seeds[row] = mix(own_seeds[row] + GOLDEN & MASK)
            game.reset(own, [own_seeds[row]], [row], row)
        game.random_step_unchecked(state, picks, seeds, legal, seen, rewards, done)
        assert np.array_equal(state, own)
        assert (picks.tolist(), seeds.tolist()) == (own_picks, own_seeds)
        assert np.array_equal(done, over)
        assert rewards.tobytes() == paid.tobytes()
        assert seen.tobytes() == game.observe(own).tobytes()
        assert same_legal(legal, game.legal(own))
        games += int(done.sum())
    assert games > 20


def same_legal(one: Legal, two: Legal) -> bool:
    listed = np.arange(one.actions.shape[1]) < one.counts[:, None]
    return (
        np.array_equal(one.counts, two.counts)
        and np.array_equal(one.mask, two.mask)
        and np.array_equal(one.actions[listed], two.actions[listed])
    )
