"""Collecting: whose decisions, against whom, paid by what; and the same again from a seed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import tests.games  # noqa: F401  (registers the toy)
from agents.network import Shape
from agents.neural import Checkpoint
from drago_env import Board, MountDrago, Rules, make
from drago_env.core.planning import SearchResult
from drago_env.core.trajectories import ENDED, OPEN, trajectories
from drago_env.game import State, Turn
from drago_env.policy import RowGenerator, Uniform, resolve
from tests.adapters import First, same, win
from train import collect
from train.arguments import Arguments, make_game
from train.collect import LEARNER, Collector, Member, Rollout, Setup, find_teacher
from train.collectors import Here
from train.network import Network
from train.ppo import make_collectors

RULES = [
    Rules(players, edition, board)
    for players in (2, 3, 4, 5)
    for edition in ("german", "italian")
    for board in (Board.side(players), Board.random(7))
]
SHAPE = Shape.of(MountDrago(), trunk=(16, 8), action=(8, 4))


pytestmark = pytest.mark.usefixtures("one_thread")


def network(seed: int = 0) -> Network:
    torch.manual_seed(seed)
    made = Network(SHAPE)
    with torch.no_grad():
        made.policy.weight.mul_(100.0)
    return made


WEIGHTS = network().state_dict()


def former(seed: int) -> Member:
    """A frozen self."""
    game = MountDrago(Rules())
    name, weights = f"self-{seed:06d}", network(seed).weights()
    return Member(name, Checkpoint(Path(name), weights, SHAPE, game.signature, {}))


@dataclass
class Watched:
    """A collector whose every step goes through the checked `turn`, and is noted."""

    rules: list[Rules]
    games: int = 24
    steps: int = 50
    share: float = 0.5
    threads: int = 1
    seed: int = 5
    own: float = 0.25
    before: list[State] = field(default_factory=list)  # a step's states,
    actions: list[NDArray[np.int64]] = field(default_factory=list)  # what was done there,
    who: list[NDArray[np.int64]] = field(default_factory=list)  # who sat where,
    paid: list[NDArray[np.float32]] = field(default_factory=list)
    ended: list[NDArray[np.bool_]] = field(default_factory=list)
    scores: list[NDArray[np.int16]] = field(default_factory=list)  # after the step

    def __post_init__(self) -> None:
        self.game = MountDrago(*self.rules, threads=self.threads)
        checked = MountDrago(*self.rules)

        def turn(state: State, actions: NDArray[np.int64], out: Turn) -> None:
            self.before.append(state.copy())
            self.actions.append(actions.copy())
            self.who.append(self.collector.snapshot()["who"])
            checked.turn(state, actions, out)
            self.paid.append(out.outcome.rewards.copy())
            self.ended.append(checked.over(state).copy())
            self.scores.append(checked.scores(state).copy())

        self.game.turn_unchecked = turn
        sizes = (SHAPE, self.games, self.steps, self.share, self.threads)
        setup = Setup(self.game, np.arange(len(self.rules)), *sizes, lesson_own=self.own)
        self.collector = Collector(setup, self.seed)

    def collect(self, lesson: bool = False) -> Rollout:
        """A rollout of its own: the collector uses its arrays again; without time and padding."""
        rollout = self.collector.collect(WEIGHTS, lesson)._replace(seconds=0.0)
        copied = Rollout._make([np.copy(part) for part in rollout])
        copied.actions[np.arange(12) >= copied.counts[..., None]] = 0
        return copied

    @property
    def seats(self) -> NDArray[np.int64]:
        return np.array([state["seat"] for state in self.before], np.int64)

    def stretches(self) -> Iterator[tuple[int, int, int]]:
        """Row, first and last step of every game that was dealt and ended while watched."""
        ended = np.array(self.ended)
        for row in range(self.games):
            ends = np.flatnonzero(ended[:, row]).tolist()
            yield from ((row, start + 1, end) for start, end in pairwise(ends))


POOL = {0: Member("greedy"), 1: Member("uniform"), 4: former(4)}


@pytest.fixture(scope="module")
def watched() -> Watched:
    """Many games of every kind, while the pool changes."""
    made = Watched(RULES, games=96, steps=60)
    for pool in (POOL, {0: POOL[0]}, {0: POOL[0], 5: former(5)}, {5: former(5), 6: former(6)}, {}):
        made.collector.draw_from(pool)
        made.collect()
        made.collect()
    return made


# ---------------------------------------------------------------- who plays


def test_riders_change_only_at_the_deal(watched: Watched) -> None:
    who, games = np.array(watched.who), 0
    for row, start, end in watched.stretches():
        assert (who[start : end + 1, row] == who[start, row]).all()
        games += 1
    assert games > 300
    assert {*np.unique(who).tolist()} == {LEARNER, 0, 1, 4, 5, 6}
    for step in (59, 119, 239, 359, 479):  # the pool changes, and all games go on
        going = ~watched.ended[step]
        assert (who[step + 1, going] == who[step, going]).all()


def test_only_the_pool_of_the_deal_is_drawn_from(watched: Watched) -> None:
    pools = [{0, 1, 4}] * 120 + [{0}] * 120 + [{0, 5}] * 120 + [{5, 6}] * 120 + [set[int]()] * 120
    for row, start, _ in watched.stretches():
        # a game is dealt in the step before its first one
        players = watched.before[start]["players"][row]
        riders = {*watched.who[start][row, :players].tolist()} - {LEARNER}
        assert riders <= pools[start - 1]


def test_every_kind_of_game_is_dealt(watched: Watched) -> None:
    names = ["players", "edition", "board"]
    dealt = {tuple(watched.before[at][names][row]) for row, at, _ in watched.stretches()}
    assert len(dealt) == len(RULES)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_so_many_games_are_played_against_the_pool(share: float) -> None:
    """And the learner's seat is any; the others are drawn one by one."""
    rules = [Rules(3, colours=3, copies=(3, 3), hand=2, summit_dragons=1, board=Board.tiny())]
    game = MountDrago(*rules)
    shape = Shape.of(game, trunk=(4,), action=(4,))
    collector = Collector(Setup(game, np.zeros(1, np.int64), shape, 4000, 30, share, 1), 8)
    collector.draw_from({3: Member("uniform"), 9: Member("uniform")})
    collector.collect(Network(shape).state_dict())
    who = collector.snapshot()["who"][:, :3]  # all first games are over by now
    met = (who != LEARNER).any(1)
    assert abs(met.mean() - share) <= 4 * np.sqrt(share * (1 - share) / 4000)
    assert ((who[met] == LEARNER).sum(1) == 1).all()
    if share:
        n = met.sum()
        for seat in range(3):
            assert abs((who[met, seat] == LEARNER).mean() - 1 / 3) < 4 * np.sqrt(2 / 9 / n)
        others = who[met][who[met] != LEARNER].reshape(-1, 2)
        pairs = Counter(map(tuple, others.tolist()))
        assert len(pairs) == 4
        for number in pairs.values():
            assert abs(number / n - 1 / 4) < 4 * np.sqrt(3 / 16 / n)


def test_each_seat_is_asked_of_whom_it_belongs_to(monkeypatch: pytest.MonkeyPatch) -> None:
    policies = {"first": First(), "last": First("last", last=True)}
    monkeypatch.setattr(collect, "resolve", lambda name, game: policies[name])
    made = Watched(RULES, games=40, steps=100, share=0.7)
    made.collector.draw_from({0: Member("first"), 1: Member("last")})
    rollout, games = made.collect(), np.arange(40)
    asked = {LEARNER: 0, 0: 0, 1: 0}
    for step in range(100):
        legal = made.game.legal(made.before[step])
        riders = made.who[step][games, made.seats[step]]
        first, last = legal.actions[:, 0], legal.actions[games, legal.counts - 1]
        own = rollout.actions[step, games, rollout.picks[step]]
        expected = np.select([riders == 0, riders == 1], [first, last], own)
        assert (made.actions[step] == expected).all()
        for rider in asked:
            asked[rider] += int((riders == rider).sum())
    assert min(asked.values()) > 200
    assert sum(policies["first"].asked) == asked[0]


def test_only_the_learners_own_decisions_are_learned() -> None:
    made = Watched(RULES)
    made.collector.draw_from(POOL)
    for number in range(3):
        rollout = made.collect()
        part = slice(number * 50, (number + 1) * 50)
        seats, who = made.seats[part], np.array(made.who[part])
        riders = np.take_along_axis(who, seats[..., None], 2)[..., 0]
        expected = (riders == LEARNER) & (rollout.following != OPEN)
        assert (rollout.learned == expected).all()
    assert (riders != LEARNER).mean() > 0.2
    assert 0.3 < rollout.learned.mean() < 0.9


# ---------------------------------------------------------------- what is noted


def test_a_rollout_is_what_was_seen_and_done() -> None:
    made = Watched(RULES, share=0.0)  # every step went through the checked `turn`
    rollout, answer = made.collect(), network()
    ends = rollout.counts.sum(1).cumsum().tolist()
    for step, state in enumerate(made.before):
        turn = made.game.look(state)
        counts = turn.legal.counts
        assert same(rollout.observation[step], turn.observation)
        assert same(rollout.counts[step], counts)
        listed = np.arange(12) < counts[:, None]
        assert (rollout.actions[step][listed] == turn.legal.actions[listed]).all()
        features = made.game.features(state, turn.legal)[listed]
        noted = rollout.features[ends[step] - len(features) : ends[step]]
        assert same(noted, features)
        rows = np.arange(made.games)
        assert (rollout.picks[step] < counts).all()
        assert (rollout.actions[step, rows, rollout.picks[step]] == made.actions[step]).all()
        with torch.no_grad():
            parts = (*(part[step] for part in rollout[:3]), noted)
            logits, values = answer(*map(torch.from_numpy, parts))
        chances = torch.log_softmax(logits, 1).numpy()[rows, rollout.picks[step]]
        assert np.abs(chances - rollout.log_probs[step]).max() < 1e-5
        assert np.abs(values.numpy() - rollout.values[step]).max() < 1e-6


def test_picks_are_drawn_from_the_distribution_of_the_network() -> None:
    made = Watched(RULES[:1], games=200, steps=100, share=0.0)
    rollout = made.collect()
    chances = np.exp(rollout.log_probs.astype(np.float64))
    # of the picks' own probability p, the expectation is the sum of all p squared
    with torch.no_grad():
        flat = [torch.from_numpy(part.reshape(-1, *part.shape[2:])) for part in rollout[:3]]
        flat.append(torch.from_numpy(rollout.features))
        squares = torch.softmax(network()(*flat)[0], 1).double().square().sum(1).numpy()
    assert chances.mean() == pytest.approx(squares.mean(), abs=4 * chances.std() / np.sqrt(20_000))
    assert squares.std() > 0.05


def test_a_draw_of_zero_does_not_pick_what_is_not_legal() -> None:
    class Zeros(RowGenerator):
        """Noise that is 0 everywhere but in the first slot."""

        first = 0.0

        def standard_exponential(self, size: Any = None, *more: Any) -> Any:  # type: ignore[override]
            noise = np.zeros(size, np.float32)
            noise[:, 0] = self.first
            return noise

    for first in (0.0, 1.0, 50.0):
        made = Watched(RULES, share=0.0)  # whose turns are checked
        made.collector._rng = rng = Zeros(np.random.PCG64(0))
        rng.first = first
        rollout = made.collect()
        assert (rollout.picks < rollout.counts).all()
        assert (rollout.log_probs > -100).all()


# ---------------------------------------------------------------- who is paid


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_seat_learns_from_how_its_own_game_ended(players: int) -> None:
    """The loser from losing: the pay of each seat's last decision follows from the scores."""
    made = Watched([Rules(players)], games=12, steps=400, share=0.0)
    rollout = made.collect()
    turned = trajectories(made.seats, np.array(made.paid), np.array(made.ended))
    assert same(rollout.rewards, turned.rewards)
    assert same(rollout.following, turned.following)
    won = lost = 0
    for row, start, end in made.stretches():
        scores = made.scores[end][row, :players].tolist()
        seats = made.seats[start : end + 1, row]
        for seat in range(players):
            own = start + np.flatnonzero(seats == seat)
            assert rollout.rewards[own[:-1], row].tolist() == [0.0] * (len(own) - 1)
            assert rollout.following[own, row].tolist() == [*own[1:].tolist(), ENDED]
            assert rollout.learned[own, row].all()
            paid = rollout.rewards[own[-1], row]
            assert paid == pytest.approx(win(scores, seat), abs=1e-6)
            alone = scores.count(max(scores)) == 1
            won += alone and scores[seat] == max(scores) and paid == 1
            lost += scores[seat] < max(scores) and paid < 0
            assert (paid < 0) == (scores[seat] < max(scores)) or not alone
    assert won > 10
    assert lost > 10


# ---------------------------------------------------------------- lessons


class Teacher:
    """Notes what it is shown, and likes the later of the listed actions better."""

    def __init__(self) -> None:
        self.shown: list[State] = []

    def search(self, game: MountDrago, state: State, seeds: NDArray[np.uint64]) -> SearchResult:
        self.shown.append(state.copy())
        legal = game.legal(state)
        values = np.broadcast_to(np.arange(12) / 10, legal.actions.shape)
        visits = np.where(np.arange(12) < legal.counts[:, None], 1, 0)
        return SearchResult(legal.actions, legal.counts, visits, values)


@pytest.fixture(scope="module")
def taught() -> tuple[Watched, Teacher, Rollout]:
    made, teacher = Watched(RULES, games=60), Teacher()
    made.collector._teacher = teacher
    return made, teacher, made.collect(lesson=True)


def test_a_lesson_is_a_softmax_of_what_the_teacher_thinks(
    taught: tuple[Watched, Teacher, Rollout],
) -> None:
    _, _, rollout = taught
    for count in np.unique(rollout.counts):
        shares = np.exp(np.arange(count) / 10 / 0.06)
        expected = np.append(shares / shares.sum(), np.zeros(12 - count))
        assert np.abs(rollout.lessons[rollout.counts == count] - expected).max() < 1e-6
    assert len(np.unique(rollout.counts)) > 5


def test_the_teacher_plays_but_for_some_decisions(
    taught: tuple[Watched, Teacher, Rollout],
) -> None:
    made, _, rollout = taught
    best = rollout.picks == rollout.counts - 1
    several = rollout.counts > 4
    own = made.collector._setup.lesson_own  # it hits the teacher's choice now and then
    assert 1 - own < best[several].mean() < 1 - own / 2
    rows = np.arange(made.games)
    for step, actions in enumerate(made.actions):
        assert (rollout.actions[step, rows, rollout.picks[step]] == actions).all()
    assert rollout.learned.any()


def test_how_much_of_a_lesson_is_the_network_s_own_can_be_told() -> None:
    shares = []
    for own in (0.0, 1.0):
        made = Watched(RULES, games=60, own=own)
        made.collector._teacher = Teacher()
        rollout = made.collect(lesson=True)
        shares.append((rollout.picks == rollout.counts - 1)[rollout.counts > 4].mean())
    assert shares[0] == 1
    assert shares[1] < 0.3
    asked = Arguments(players=(2,), num_envs=2, num_steps=2, lesson_own=0.75)
    collectors = make_collectors(asked, *make_game(asked.specs), SHAPE)
    assert isinstance(collectors, Here)
    assert collectors._collector._setup.lesson_own == 0.75


def test_the_teacher_is_not_told_what_the_seat_cannot_see(
    taught: tuple[Watched, Teacher, Rollout],
) -> None:
    made, teacher, _ = taught
    other = 0
    for true, shown in zip(made.before, teacher.shown, strict=True):
        assert same(made.game.observe(true), made.game.observe(shown))
        rows = np.arange(made.games)
        following = (true["seat"] + 1) % true["players"]
        other += (true["hand"][rows, following] != shown["hand"][rows, following]).any(1).sum()
        assert (true["rng"] != shown["rng"]).all()
    assert other > 0.9 * made.games * made.steps


def test_lessons_and_self_play_take_turns() -> None:
    made = Watched(RULES[:1], games=4, steps=8)
    made.collector._teacher = Teacher()
    assert made.collect(lesson=True).lessons.shape == (8, 4, 12)
    assert made.collect().lessons.shape == (8, 4, 0)


def test_every_game_gets_its_own_lesson_however_many_threads() -> None:
    taught = []
    for threads in (1, 3):
        made = Watched(RULES, games=10, steps=12, threads=threads)
        made.collector._teacher = resolve("search:playouts=8")
        rollout = made.collect(lesson=True)
        taught.append((rollout.lessons, rollout.picks))
    assert same(*taught)


@pytest.mark.parametrize("spec", ["uniform", "neural", "clairvoyant"])
def test_who_cannot_teach_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match=f"'{spec}' cannot teach: it takes an agent that searches"):
        find_teacher(spec)


# ---------------------------------------------------------------- the same again


def rollouts(threads: int, slow: Callable[[], None] = lambda: None) -> list[Rollout]:
    class Slow(Uniform):
        def act(self, *asked: Any) -> NDArray[np.int64]:
            slow()
            return super().act(*asked)

    made = Watched(RULES, threads=threads)
    made.collector.draw_from({0: Member("greedy"), 4: former(4)})
    got = [made.collect(), made.collect()]
    made.collector.draw_from({4: former(4), 5: former(5)})
    made.collector._members[4] = Slow()
    return [*got, made.collect(), made.collect()]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_seed_gives_the_same_decisions_to_the_last_bit(threads: int) -> None:
    assert same(rollouts(threads), rollouts(threads, lambda: time.sleep(0.001)))


def test_another_seed_gives_other_games() -> None:
    one, other = (Watched(RULES, seed=seed).collect().observation[0] for seed in (0, 1))
    assert not np.array_equal(one, other)


def test_a_snapshot_goes_on_identically() -> None:
    """Also in games with riders that have left the pool."""
    made = Watched(RULES)
    made.collector.draw_from(POOL)
    made.collect()
    made.collect()
    newer = {0: POOL[0], 5: former(5)}
    made.collector.draw_from(newer)
    kept = made.collector.snapshot()
    assert {1, 4} & {*np.unique(kept["who"]).tolist()}  # they are no more in the pool
    expected = [made.collect(), made.collect()]
    twin = Watched(RULES, seed=99)
    twin.collector.restore({name: part.copy() for name, part in kept.items()}, {**POOL, **newer})
    twin.collector.draw_from(newer)
    for rollout in expected:
        assert same(twin.collect(), rollout)


# ---------------------------------------------------------------- games that are cut off


def test_what_was_cut_off_is_bootstrapped_from_what_each_seat_saw_then() -> None:
    """In a game whose actions have no features, too."""
    game: Any = make("race:players=3")
    shape = Shape.of(game, trunk=(16, 8), action=(8, 4))
    assert "features.weight" not in shape.tensors
    torch.manual_seed(3)
    answer = Network(shape)
    with torch.no_grad():
        answer.value.weight.mul_(100.0)
    collector = Collector(Setup(game, np.zeros(1, np.int64), shape, 16, 300, 0.0, 1), 1)
    ends: list[Any] = []
    plain = game.turn_unchecked

    def turn(state: State, actions: NDArray[np.int64], out: Turn) -> None:
        seats = state["seat"].copy()
        plain(state, actions, out)
        over, cut = game.over(state), game.truncated(state)
        ends.append((seats, over.copy(), cut, state.copy(), out.outcome.rewards.copy()))

    game.turn_unchecked = turn
    rollout = collector.collect(answer.state_dict())
    assert rollout.features.shape == (rollout.counts.sum(), 0)
    last, whole, bootstrapped = np.full((16, 3), -1), 0, 0
    for step, (seats, over, cut, state, paid) in enumerate(ends):
        last[np.arange(16), seats] = step
        for row in np.flatnonzero(over):
            for seat in range(3):
                seen = torch.from_numpy(game.observe(state[row : row + 1].copy(), seat))
                with torch.no_grad():
                    value = float(answer.values(seen)[0])
                due = paid[row, seat] + (value if cut[row] else 0.0)
                assert rollout.rewards[last[row, seat], row] == pytest.approx(due, abs=1e-5)
                assert rollout.following[last[row, seat], row] == ENDED
                bootstrapped += bool(cut[row]) and abs(value) > 0.01
                whole += not cut[row]
    assert bootstrapped > 9
    assert whole > 30


def test_rules_that_are_named_twice_are_drawn_twice_as_often() -> None:
    game, variants = make_game([f"mount_drago:players={players}" for players in (2, 3, 2)])
    assert (len(game.rules), variants.tolist()) == (2, [0, 1, 0])
    shape = Shape.of(game, trunk=(4,), action=(4,))
    collector = Collector(Setup(game, variants, shape, 3000, 2, 0.0, 1), 8)
    players = collector.snapshot()["state"].view(game.state_type)["players"]
    assert abs((players == 2).mean() - 2 / 3) < 4 * np.sqrt(2 / 9 / 3000)
