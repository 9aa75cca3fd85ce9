"""Games of self-play: a batch that goes on from call to call.

The learner plays most games against itself. In the others it holds one seat, and who has the rest
is drawn at the deal from the pool: named agents and frozen former selves. In lessons a teacher who
searches plays, and says how good it thinks each legal action is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.network import Shape
from agents.neural import Checkpoint, Neural, inputs
from drago_env.core.chance import mix
from drago_env.core.checks import checked_arrays, select
from drago_env.core.planning import softmax
from drago_env.core.threads import ThreadPool
from drago_env.core.trajectories import OPEN, trajectories
from drago_env.game import Game, Legal
from drago_env.moved import moved
from drago_env.policy import Policy, RowGenerator, ask, plans, resolve, sees_all
from train.network import Network
from train.tensors import pack, unpack

Weights = Mapping[str, torch.Tensor]
Snapshot = dict[str, NDArray[Any]]

_LEAST = np.float32(1e-30)
LEARNER = -1  # a seat that the learner holds; the others hold the number of a pool member
_VARIANT, _SEATS = np.uint64(0x7AB1E), np.uint64(0x5EA7)  # what a deal's random numbers are for


@dataclass(frozen=True)
class Setup:
    """What a collector plays, and how much of it."""

    game: Game
    variants: NDArray[np.int64]  # numbers of the game's rules; every deal draws one of them
    shape: Shape
    num_envs: int  # games side by side
    num_steps: int  # decisions in each game before the learner learns
    pool_share: float  # of the games that are played against the pool, if anybody is in it
    threads: int  # each has its part of the games, so that the game itself needs none
    teacher: str = "search"  # who gives lessons
    temperature: float = 0.06  # of lessons: a difference in value that makes e times the share
    lesson_own: float = 0.25  # share of the decisions in lessons that the network makes itself
    specs: tuple[str, ...] = ()  # what the game was made of; needed where it must be made again


# what the arguments of a run say
TOLD = [f.name for f in fields(Setup) if f.name not in ("game", "variants", "shape", "specs")]


class Rollout(NamedTuple):
    """A stretch of decisions, `(steps, games, ...)`, each with what its seat got from it."""

    observation: NDArray[np.float32]
    actions: NDArray[np.int32]  # the legal ones, up to the count
    counts: NDArray[np.int64]
    features: NDArray[np.float32]  # (sum of the counts, ...): those of the listed actions alone
    picks: NDArray[np.int64]  # the place of the chosen action in the list
    log_probs: NDArray[np.float32]
    values: NDArray[np.float32]
    rewards: NDArray[np.float32]  # up to the seat's next decision
    following: NDArray[np.int64]  # the step of that decision, or ENDED, or OPEN
    learned: NDArray[np.bool_]  # decisions of the learner, of which it is known how they went on
    seconds: float  # that the games took, without the network
    lessons: NDArray[np.float32]  # how much the teacher likes each action; empty if none was there


class Member(NamedTuple):
    """An agent of the pool: a spec, or a frozen former self."""

    name: str
    frozen: Checkpoint | None = None

    def policy(self, game: Game) -> Policy:
        """Who plays; a former self draws its actions, so that its games differ."""
        if self.frozen is None:
            return resolve(self.name, game)
        return Neural(self.frozen, temperature=1.0, name=self.name)


def find_teacher(spec: str, game: Game | None = None, *, trust: bool = True) -> Any:
    """The agent that a spec names, if it can give lessons."""
    teacher = resolve(spec, game, trust=trust)
    if not plans(teacher) or not hasattr(teacher, "search") or sees_all(teacher):
        raise ValueError(
            f"{spec!r} cannot teach: it takes an agent that searches and does not cheat, "
            "such as search:playouts=256 or guided"
        )
    return teacher


class Collector:
    """A batch of games that goes on from call to call."""

    def __init__(self, setup: Setup, seed: int) -> None:
        torch.set_num_threads(1)  # the threads here are those of the setup
        self._setup, self._game, n = setup, setup.game, setup.num_envs
        self._network = Network(setup.shape)
        self._threads = ThreadPool(setup.threads)
        parts = np.array_split(np.arange(n), min(setup.threads, n))
        self._parts = [slice(int(part[0]), int(part[-1]) + 1) for part in parts]
        self._rng = RowGenerator(np.random.PCG64(seed))
        self._teacher: Any = None  # until the first lesson
        self._members: dict[int, Policy] = {}
        self._drawn = np.zeros(0, np.int64)  # the members that new deals draw from
        self._seeds = mix(self._rng.integers(0, 2**64, n, dtype=np.uint64))
        self._state = self._game.new(self._seeds)
        self._turn = self._game.look(self._state)
        self._who = np.full((n, self._game.spec.seats), LEARNER)
        self._buffers = _buffers(setup)
        self._features = np.zeros((n, self._game.spec.max_legal, setup.shape.inputs), np.float32)
        self._deal(np.arange(n))

    def draw_from(self, members: Mapping[int, Member]) -> None:
        """The pool from the next deals on; games that are under way go on as they are."""
        self._drawn = np.array(sorted(members), np.int64)
        going = set(np.unique(self._who).tolist())
        kept = {number: policy for number, policy in self._members.items() if number in going}
        made = {n: m.policy(self._game) for n, m in members.items() if n not in self._members}
        self._members = kept | {n: self._members[n] for n in members if n in self._members} | made

    def collect(self, weights: Weights, lesson: bool = False) -> Rollout:
        """As many decisions in each game as the setup says, by a network with these weights.

        In a lesson the teacher decides, and the network now and then.
        """
        self._network.load_state_dict(weights)
        game, buffers = self._game, self._buffers
        steps, rows, seconds = self._setup.num_steps, np.arange(self._setup.num_envs), 0.0
        listed = game.spec.max_legal if lesson else 0
        lessons = np.zeros((steps, len(rows), listed), np.float32)
        features: list[NDArray[np.float32]] = []
        for step in range(steps):
            seats = game.current_player(self._state).astype(np.int64)
            buffers["seats"][step] = seats
            log_probs, took = self._answer(step)
            seconds += took
            features.append(self._features[_listed(self._turn.legal)])
            picks = self._draw(log_probs)
            if lesson:
                lessons[step], picks = self._learn(seats, picks)
            buffers["picks"][step] = picks
            buffers["log_probs"][step] = log_probs[rows, picks]
            chosen = buffers["actions"][step, rows, picks].astype(np.int64)
            members = self._who[rows, seats]
            buffers["learners"][step] = members == LEARNER
            self._ask(members, chosen)
            start = time.perf_counter()
            game.turn_unchecked(self._state, chosen, self._turn)
            buffers["paid"][step] = self._turn.outcome.rewards
            over = self._turn.legal.counts == 0
            buffers["done"][step] = over
            seconds += time.perf_counter() - start
            buffers["truncated"][step] = self._left(over)
            start = time.perf_counter()
            if over.any():
                self._deal(np.flatnonzero(over))
            seconds += time.perf_counter() - start
        return self._rollout(seconds, lessons, np.concatenate(features))

    def _left(self, over: NDArray[np.bool_]) -> NDArray[np.float32]:
        """What each seat could still expect of the games that were cut off; 0 of all others."""
        game, left = self._game, np.zeros((len(over), self._game.spec.seats), np.float32)
        if not game.spec.can_truncate or not over.any():
            return left
        rows = np.flatnonzero(over & game.truncated(self._state))
        players = game.players(self._state)
        for seat in range(game.spec.seats if len(rows) else 0):
            seated = rows[players[rows] > seat]
            seen = game.observe(select(self._state, seated), np.full(len(seated), seat))
            with torch.no_grad():
                left[seated, seat] = self._network.values(torch.from_numpy(seen)).numpy()
        return left

    def _answer(self, step: int) -> tuple[NDArray[np.float32], float]:
        """The network's logarithms of the probabilities; what it sees and its values are kept.

        Every thread does all of this for its part of the games. Also returns the seconds that the
        games took, without the network.
        """
        turn, kept = self._turn, {name: array[step] for name, array in self._buffers.items()}

        def answer(part: slice) -> tuple[NDArray[np.float32], float]:
            start = time.perf_counter()
            legal = Legal._make(array[part] for array in turn.legal)
            kept["observation"][part] = turn.observation[part]
            kept["actions"][part] = legal.actions
            kept["counts"][part] = legal.counts
            self._features[part] = inputs(self._game, self._state[part], legal, self._setup.shape)
            seconds = time.perf_counter() - start
            with torch.no_grad():
                asked = [kept[name][part] for name in ("observation", "actions", "counts")]
                tensors = map(torch.from_numpy, (*asked, self._features[part]))
                logits, values = self._network(*tensors)
                kept["values"][part] = values.numpy()
                return torch.log_softmax(logits, 1).numpy(), seconds

        answers = self._threads.map(answer, self._parts)
        return np.concatenate([logs for logs, _ in answers]), fmean(took for _, took in answers)

    def _draw(self, log_probs: NDArray[np.float32]) -> NDArray[np.int64]:
        """Draws from a distribution: the largest of logits with Gumbel noise."""
        noise = self._rng.standard_exponential(log_probs.shape, np.float32)
        np.maximum(noise, _LEAST, out=noise)  # 0 would draw even what is not legal
        picks: NDArray[np.int64] = (log_probs - np.log(noise)).argmax(1)
        return picks

    def _learn(
        self, seats: NDArray[np.int64], picks: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """How much the teacher likes each listed action, and what is played.

        Some decisions are left to the network, so that the lessons are also about where its own
        play leads.
        """
        self._teacher = self._teacher or find_teacher(self._setup.teacher, self._game)
        numbers = self._rng.integers(0, 2**64, len(seats), dtype=np.uint64)
        worlds = self._game.determinize(select(self._state), seats, mix(~numbers))

        def teach(part: slice) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
            found = self._teacher.search(self._game, worlds[part], numbers[part])
            best = (found.actions == found.best()[:, None]).argmax(1)
            return softmax(found, self._setup.temperature), best

        parts = zip(*self._threads.map(teach, self._parts), strict=True)
        shares, best = map(np.concatenate, parts)
        own = self._rng.random(len(seats)) < self._setup.lesson_own
        return shares, np.where(own, picks, best)

    def _ask(self, members: NDArray[np.int64], chosen: NDArray[np.int64]) -> None:
        """Puts the decisions of the pool in the place of the learner's."""
        for number in np.unique(members[members != LEARNER]).tolist():
            rows = np.flatnonzero(members == number)
            numbers = self._rng.integers(0, 2**64, len(rows), dtype=np.uint64)
            policy = self._members[number]
            chosen[rows] = ask(
                policy, self._game, self._state, self._turn, rows, self._rng, numbers
            )

    def _deal(self, rows: NDArray[np.int64]) -> None:
        """New games, each with its rules and who plays, which follow from the deal's seed."""
        self._seeds[rows] = seeds = mix(self._seeds[rows])
        drawn = mix(seeds ^ _VARIANT) % np.uint64(len(self._setup.variants))
        self._game.reset(self._state, seeds, rows, self._setup.variants[drawn.astype(np.int64)])
        self._game.look(self._state, self._turn, rows)
        self._who[rows] = LEARNER
        if not len(self._drawn):
            return
        numbers = mix(seeds ^ _SEATS)
        pooled = (numbers >> np.uint64(32)) < np.uint64(self._setup.pool_share * 2**32)
        met, numbers = rows[pooled], mix(numbers[pooled])
        learner = numbers % self._game.players(self._state)[met]
        for seat in range(self._game.spec.seats):
            numbers = mix(numbers)
            self._who[met, seat] = self._drawn[(numbers % np.uint64(len(self._drawn))).astype(int)]
        self._who[met, learner.astype(np.int64)] = LEARNER

    def _rollout(
        self, seconds: float, lessons: NDArray[np.float32], features: NDArray[np.float32]
    ) -> Rollout:
        b = self._buffers
        rewards, following = trajectories(b["seats"], b["paid"], b["done"], b["truncated"])
        learned = b["learners"] & (following != OPEN)
        known = {name: b[name] for name in Rollout._fields if name in b}
        return Rollout(
            **known,
            features=features,
            rewards=rewards,
            following=following,
            learned=learned,
            seconds=seconds,
            lessons=lessons,
        )

    # ------------------------------------------------------------ keeping

    def snapshot(self) -> Snapshot:
        """All that the next call depends on, but for the weights and the pool, as plain arrays."""
        return {
            "state": select(self._state).view(np.uint8),
            "seeds": self._seeds.copy(),
            "who": self._who.copy(),
            "rng": pack(self._rng.bit_generator.state),
        }

    def restore(self, snapshot: Snapshot, members: Mapping[int, Member]) -> None:
        """Goes on from a snapshot; `members` are those that its games were dealt with."""
        like: Snapshot = {
            "state": self._state.view(np.uint8),
            "seeds": self._seeds,
            "who": self._who,
        }
        packed, seeds, who = checked_arrays(snapshot, like)
        state = packed.view(self._state.dtype)
        self._game.check(state)
        strangers = {*np.unique(who).tolist()} - {LEARNER, *members}
        if strangers:
            raise ValueError(f"nobody in the pool has the number {min(strangers)}")
        self._rng.bit_generator.state = unpack(snapshot["rng"])
        self._members = {number: m.policy(self._game) for number, m in members.items()}
        self._state[:], self._seeds[:], self._who[:] = state, seeds, who
        self._game.look(self._state, self._turn)


def _listed(legal: Legal) -> NDArray[np.bool_]:
    """The places of the lists that mean something."""
    return np.arange(legal.actions.shape[1]) < legal.counts[:, None]


def _buffers(setup: Setup) -> dict[str, NDArray[Any]]:
    spec, size = setup.game.spec, (setup.num_steps, setup.num_envs)
    return {
        "observation": np.zeros((*size, spec.observation_size), np.float32),
        "actions": np.zeros((*size, spec.max_legal), np.int32),
        "counts": np.zeros(size, np.int64),
        "picks": np.zeros(size, np.int64),
        "log_probs": np.zeros(size, np.float32),
        "values": np.zeros(size, np.float32),
        "seats": np.zeros(size, np.int64),
        "learners": np.zeros(size, np.bool_),
        "paid": np.zeros((*size, spec.seats), np.float32),
        "done": np.zeros(size, np.bool_),
        "truncated": np.zeros((*size, spec.seats), np.float32),
    }


_NEW = "train.collect.Setup, with num_envs, num_steps and temperature"
__getattr__ = moved(
    __name__,
    {
        "Table": ("", f"{_NEW} for games, steps and softness"),
        "Here": "train.collectors:Here",
        "Cluster": "train.collectors:Cluster",
        "collector_seed": "train.collectors:collector_seed",
    },
)
