"""Games of self-play: one batch in this process, or many on a Ray cluster.

The learner plays most games against itself. In the others it holds one seat, and the rest of the
table is drawn at the deal from the pool: named agents and frozen former selves. In lessons a
teacher who searches plays, and says how good it thinks each legal action is.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.cluster import connect
from agents.network import Shape
from agents.neural import Checkpoint, Neural
from drago_env.core.chance import mix
from drago_env.core.checks import select
from drago_env.game import Game, Legal
from drago_env.policy import Policy, RowGenerator, ask, plans, resolve, sees_all
from drago_env.wrappers.selfplay import OPEN, trajectories
from train.network import Network

Weights = Mapping[str, torch.Tensor]
Snapshot = dict[str, NDArray[Any]]

_LEAST = np.float32(1e-30)
OWN = 0.25  # share of the decisions in a lesson that the network makes itself
LEARNER = -1  # a seat that the learner holds; the others hold the number of a pool member
_VARIANT, _TABLE = np.uint64(0x7AB1E), np.uint64(0x5EA7)  # what a deal's random numbers are for


@dataclass(frozen=True)
class Table:
    """What a collector plays, and how much of it."""

    game: Game
    variants: int  # of the game's rules; every deal draws one
    shape: Shape
    games: int  # side by side
    steps: int  # decisions in each game before the learner learns
    pool_share: float  # of the games that are played against the pool, if anybody is in it
    threads: int  # each has its part of the games, so that the game itself needs none
    teacher: str = "search"  # who gives lessons
    softness: float = 0.06  # of the lessons: a difference in value that makes e times the share


class Rollout(NamedTuple):
    """A stretch of decisions, `(steps, games, ...)`, each with what its seat got from it."""

    observation: NDArray[np.float32]
    actions: NDArray[np.int64]  # the legal ones, up to the count
    counts: NDArray[np.int64]
    features: NDArray[np.float32]
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

    def policy(self) -> Policy:
        return (
            Neural(self.frozen, temperature=1.0, name=self.name)
            if self.frozen
            else resolve(self.name)
        )


def find_teacher(spec: str) -> Any:
    """The agent that a spec names, if it can give lessons."""
    teacher = resolve(spec)
    if not plans(teacher) or not hasattr(teacher, "think") or sees_all(teacher):
        raise ValueError(
            f"{spec!r} cannot teach: it takes an agent that searches and does not cheat, "
            "such as search:playouts=256 or guided"
        )
    return teacher


class Collector:
    """A batch of games that goes on from call to call."""

    def __init__(self, table: Table, seed: int) -> None:
        torch.set_num_threads(1)  # the threads here are those of the table
        self._table, self._game = table, table.game
        self._network = Network(table.shape)
        self._threads = ThreadPoolExecutor(table.threads)
        parts = np.array_split(np.arange(table.games), min(table.threads, table.games))
        self._parts = [slice(int(part[0]), int(part[-1]) + 1) for part in parts]
        self._rng = RowGenerator(np.random.PCG64(seed))
        self._teacher: Any = None  # until the first lesson
        self._members: dict[int, Policy] = {}
        self._drawn = np.zeros(0, np.int64)  # the members that new deals draw from
        self._seeds = mix(self._rng.integers(0, 2**64, table.games, dtype=np.uint64))
        self._state = self._game.new(self._seeds)
        self._turn = self._game.look(self._state)
        self._who = np.full((table.games, self._game.spec.seats), LEARNER)
        self._buffers = _buffers(table)
        self._deal(np.arange(table.games))

    def draw_from(self, members: Mapping[int, Member]) -> None:
        """The pool from the next deals on; games that are under way go on as they are."""
        self._drawn = np.array(sorted(members), np.int64)
        going = set(np.unique(self._who).tolist())
        kept = {number: policy for number, policy in self._members.items() if number in going}
        made = {n: m.policy() for n, m in members.items() if n not in self._members}
        self._members = kept | {n: self._members[n] for n in members if n in self._members} | made

    def collect(self, weights: Weights, lesson: bool = False) -> Rollout:
        """As many decisions in each game as the table says, by a network with these weights.

        In a lesson the teacher decides, and the network now and then.
        """
        self._network.load_state_dict(weights)
        table, game, buffers, rows = (
            self._table,
            self._game,
            self._buffers,
            np.arange(self._table.games),
        )
        seconds, lessons = 0.0, np.zeros((table.steps, table.games, 0), np.float32)
        if lesson:
            lessons = np.zeros((table.steps, table.games, game.spec.max_legal), np.float32)
        for step in range(table.steps):
            seats = game.current_player(self._state).astype(np.int64)
            buffers["seats"][step] = seats
            log_probs, took = self._answer(step)
            seconds += took
            picks = self._draw(log_probs)
            if lesson:
                lessons[step], picks = self._learn(seats, picks)
            buffers["picks"][step] = picks
            buffers["log_probs"][step] = log_probs[rows, picks]
            chosen = buffers["actions"][step, rows, picks]
            members = self._who[rows, seats]
            buffers["learners"][step] = members == LEARNER
            self._ask(members, chosen)
            start = time.perf_counter()
            game.turn_unchecked(self._state, chosen, self._turn)
            buffers["paid"][step] = self._turn.outcome.rewards
            over = self._turn.legal.counts == 0
            buffers["done"][step] = over
            if over.any():
                self._deal(np.flatnonzero(over))
            seconds += time.perf_counter() - start
        return self._rollout(seconds, lessons)

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
            self._game.features(self._state[part], legal, kept["features"][part])
            seconds = time.perf_counter() - start
            with torch.no_grad():
                names = ("observation", "actions", "counts", "features")
                logits, values = self._network(*(torch.from_numpy(kept[n][part]) for n in names))
                kept["values"][part] = values.numpy()
                return torch.log_softmax(logits, 1).numpy(), seconds

        answers = list(self._threads.map(answer, self._parts))
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
        self._teacher = self._teacher or find_teacher(self._table.teacher)
        numbers = self._rng.integers(0, 2**64, len(seats), dtype=np.uint64)
        worlds = self._game.determinize(select(self._state), seats, mix(~numbers))

        def teach(part: slice) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
            thought = self._teacher.think(self._game, worlds[part], numbers[part])
            known = np.arange(thought.values.shape[1]) < thought.counts[:, None]
            liking = np.where(known, thought.values, -np.inf)
            shares = np.exp((liking - liking.max(1, keepdims=True)) / self._table.softness)
            shares /= shares.sum(1, keepdims=True)
            best = (thought.actions == thought.best()[:, None]).argmax(1)
            return shares.astype(np.float32), best

        parts = zip(*self._threads.map(teach, self._parts), strict=True)
        shares, best = map(np.concatenate, parts)
        own = self._rng.random(len(seats)) < OWN
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
        """New games, each with its variant and its riders, which follow from the deal's seed."""
        self._seeds[rows] = seeds = mix(self._seeds[rows])
        variants = mix(seeds ^ _VARIANT) % np.uint64(self._table.variants)
        self._game.reset(self._state, seeds, rows, variants.astype(np.int64))
        self._game.look(self._state, self._turn, rows)
        self._who[rows] = LEARNER
        if not len(self._drawn):
            return
        numbers = mix(seeds ^ _TABLE)
        pooled = (numbers >> np.uint64(32)) < np.uint64(self._table.pool_share * 2**32)
        met, numbers = rows[pooled], mix(numbers[pooled])
        learner = numbers % self._game.players(self._state)[met]
        for seat in range(self._game.spec.seats):
            numbers = mix(numbers)
            self._who[met, seat] = self._drawn[(numbers % np.uint64(len(self._drawn))).astype(int)]
        self._who[met, learner.astype(np.int64)] = LEARNER

    def _rollout(self, seconds: float, lessons: NDArray[np.float32]) -> Rollout:
        b = self._buffers
        rewards, following = trajectories(b["seats"], b["paid"], b["done"])
        learned = b["learners"] & (following != OPEN)
        known = {name: b[name] for name in Rollout._fields if name in b}
        return Rollout(
            **known,
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
        self._members = {number: member.policy() for number, member in members.items()}
        self._state[:] = snapshot["state"].view(self._state.dtype)
        self._seeds[:], self._who[:] = snapshot["seeds"], snapshot["who"]
        self._rng.bit_generator.state = unpack(snapshot["rng"])
        self._game.look(self._state, self._turn)


def _buffers(table: Table) -> dict[str, NDArray[Any]]:
    spec, size = table.game.spec, (table.steps, table.games)
    return {
        "observation": np.zeros((*size, spec.observation_size), np.float32),
        "actions": np.zeros((*size, spec.max_legal), np.int64),
        "counts": np.zeros(size, np.int64),
        "features": np.zeros((*size, spec.max_legal, spec.feature_size), np.float32),
        "picks": np.zeros(size, np.int64),
        "log_probs": np.zeros(size, np.float32),
        "values": np.zeros(size, np.float32),
        "seats": np.zeros(size, np.int64),
        "learners": np.zeros(size, np.bool_),
        "paid": np.zeros((*size, spec.seats), np.float32),
        "done": np.zeros(size, np.bool_),
    }


def pack(state: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(state).encode(), np.uint8)


def unpack(packed: NDArray[np.uint8]) -> Any:
    return json.loads(packed.tobytes())


def collector_seed(seed: int, place: int, life: int = 0) -> int:
    """The seed of the collector at this place; one that follows a lost one has another life."""
    numbers = np.random.SeedSequence([seed, place, life]).generate_state(1, np.uint64)
    return int(numbers[0])


class Here:
    """One collector, in this process."""

    def __init__(self, table: Table, seed: int) -> None:
        self._collector = Collector(table, collector_seed(seed, 0))

    def collect(self, weights: Weights, lesson: bool = False) -> list[Rollout]:
        return [self._collector.collect(weights, lesson)]

    def draw_from(self, members: Mapping[int, Member]) -> None:
        self._collector.draw_from(members)

    def snapshot(self) -> dict[int, Snapshot]:
        return {0: self._collector.snapshot()}

    def restore(self, snapshots: Mapping[int, Snapshot], members: Mapping[int, Member]) -> None:
        self._collector.restore(snapshots[0], members)

    def close(self) -> None:
        """There is nothing to end."""


START_SECONDS = 60.0  # within which the collectors of a new cluster should be there


class Cluster:
    """Collectors as actors on a Ray cluster.

    All of them collect with the same weights, then the learner learns from what they bring. One
    that is lost with its node is replaced as soon as the cluster has room for another; until then
    the others go on. Only its games are lost.
    """

    def __init__(self, table: Table, seed: int, address: str, count: int) -> None:
        self._ray = connect(address)
        self._actor = self._ray.remote(num_cpus=1)(Collector)
        self._table, self._seed = table, seed
        self._members: Mapping[int, Member] = {}
        self._lives = [0] * count
        self._actors = [self._start(place) for place in range(count)]
        self._ready = [actor.draw_from.remote({}) for actor in self._actors]
        there, _ = self._ray.wait(self._ready, num_returns=count, timeout=START_SECONDS)
        if not there:
            raise ConnectionError(
                f"after {START_SECONDS:.0f} seconds the cluster at {address!r} has no room for a "
                "collector: each needs a core (`ray status` shows what is free)"
            )

    def _start(self, place: int) -> Any:
        seed = collector_seed(self._seed, place, self._lives[place])
        return self._actor.remote(self._table, seed)

    def collect(self, weights: Weights, lesson: bool = False) -> list[Rollout]:
        """What all collectors that are there bring, in the order of their places."""
        shared = self._ray.put({name: tensor.clone() for name, tensor in weights.items()})
        brought: list[Rollout] = []
        while not brought:
            if not self._there():  # all are lost: nothing to do until one is back
                self._ray.wait(self._ready, num_returns=1)
            tasks = {
                place: self._actors[place].collect.remote(shared, lesson) for place in self._there()
            }
            for place, task in tasks.items():
                rollout = self._answer(place, task)
                if rollout is not None:
                    brought.append(rollout)
        return brought

    def _answer(self, place: int, task: Any) -> Any:
        """The answer of a collector, or None if it is lost; then another takes its place."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(task)
        except errors.RayTaskError:
            raise  # a fault of the program, not of the cluster
        except errors.RayError:
            self._replace(place)
            return None

    def _replace(self, place: int) -> None:
        """Another collector in this place, with other deals."""
        self._lives[place] += 1
        self._actors[place] = self._start(place)
        self._ready[place] = self._actors[place].draw_from.remote(self._members)

    def _there(self) -> list[int]:
        """The places whose collectors have answered, so that they are not waited for in vain."""
        there, _ = self._ray.wait(self._ready, num_returns=len(self._ready), timeout=0)
        return [place for place, ready in enumerate(self._ready) if ready in there]

    def draw_from(self, members: Mapping[int, Member]) -> None:
        """As for one collector; those that are there have the pool when this returns."""
        there, self._members = self._there(), members
        self._ready = [actor.draw_from.remote(members) for actor in self._actors]
        if there:
            self._ray.wait([self._ready[place] for place in there], num_returns=len(there))

    def snapshot(self) -> dict[int, Snapshot]:
        """Which life each place is in, and the snapshots of the collectors that are there."""
        tasks = {place: self._actors[place].snapshot.remote() for place in self._there()}
        kept = {place: {"life": np.array([life])} for place, life in enumerate(self._lives)}
        for place, task in tasks.items():
            kept[place] |= self._answer(place, task) or {}
        return kept

    def restore(self, snapshots: Mapping[int, Snapshot], members: Mapping[int, Member]) -> None:
        """Goes on from snapshots; where a collector was lost, the next one deals."""
        tasks = {}
        for place, snapshot in snapshots.items():
            self._lives[place] = int(snapshot["life"][0])
            if "state" in snapshot:
                tasks[place] = self._actors[place].restore.remote(snapshot, members)
            else:
                self._ray.kill(self._actors[place])
                self._replace(place)
        for place in tasks.keys() & self._there():
            self._answer(place, tasks[place])

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
