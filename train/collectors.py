"""Those who collect: one batch of games in this process, or many on a Ray cluster."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from agents.cluster import connect
from agents.network import Shape
from drago_env.games import GAMES, register
from train.arguments import make_game
from train.collect import TOLD, Collector, Member, Rollout, Setup, Snapshot, Weights


def collector_seed(seed: int, place: int, restarts: int = 0) -> int:
    """The seed of the collector at this place; one that follows a lost one has another."""
    numbers = np.random.SeedSequence([seed, place, restarts]).generate_state(1, np.uint64)
    return int(numbers[0])


class Here:
    """One collector, in this process."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self._collector = Collector(setup, collector_seed(seed, 0))

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


class Remote(Collector):
    """A collector in another process: it is sent specs, JSON and arrays, and makes the rest."""

    def __init__(self, told: Mapping[str, Any], seed: int) -> None:
        register(*told["game"])  # it may be a game from outside
        game, variants = make_game(told["specs"])
        shape: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v for n, v in told["shape"].items()
        }
        super().__init__(Setup(game, variants, Shape(**shape), **told["sizes"]), seed)

    def collect(self, weights: Any, lesson: bool = False) -> Rollout:
        return super().collect({n: torch.from_numpy(w.copy()) for n, w in weights.items()}, lesson)


def plain(setup: Setup) -> dict[str, Any]:
    """A setup as a `Remote` gets it."""
    name = setup.game.spec.name
    told = {
        "game": [name, GAMES[name]],
        "specs": list(setup.specs),
        "shape": asdict(setup.shape),
        "sizes": {name: getattr(setup, name) for name in TOLD},
    }
    return json.loads(json.dumps(told))  # type: ignore[no-any-return]


START_SECONDS = 120.0  # within which new collectors should be there; the first ever compile


class Cluster:
    """Collectors as actors on a Ray cluster.

    All of them collect with the same weights, then the learner learns from what they bring. One
    that is lost with its node is replaced as soon as the cluster has room for another; until then
    the others go on. Only its games are lost.
    """

    def __init__(self, setup: Setup, seed: int, address: str, count: int) -> None:
        self._ray = connect(address)
        self._actor = self._ray.remote(num_cpus=1)(Remote)
        self._setup, self._seed = plain(setup), seed
        self._members: Mapping[int, Member] = {}
        self._restarts = [0] * count
        self._actors = [self._start(place) for place in range(count)]
        self._ready = [actor.draw_from.remote({}) for actor in self._actors]
        there, _ = self._ray.wait(self._ready, num_returns=count, timeout=START_SECONDS)
        if not there:
            raise ConnectionError(
                f"after {START_SECONDS:.0f} seconds the cluster at {address!r} has no room for a "
                "collector: each needs a core (`ray status` shows what is free)"
            )

    def _start(self, place: int) -> Any:
        seed = collector_seed(self._seed, place, self._restarts[place])
        return self._actor.remote(self._setup, seed)

    def collect(self, weights: Weights, lesson: bool = False) -> list[Rollout]:
        """What all collectors that are there bring, in the order of their places."""
        shared = self._ray.put({name: tensor.numpy().copy() for name, tensor in weights.items()})
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
        self._restarts[place] += 1
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
        """How often each place began anew, and the snapshots of the collectors that are there."""
        tasks = {place: self._actors[place].snapshot.remote() for place in self._there()}
        kept = {place: {"restarts": np.array([n])} for place, n in enumerate(self._restarts)}
        for place, task in tasks.items():
            kept[place] |= self._answer(place, task) or {}
        return kept

    def restore(self, snapshots: Mapping[int, Snapshot], members: Mapping[int, Member]) -> None:
        """Goes on from snapshots; where a collector was lost, the next one deals."""
        tasks = {}
        for place, snapshot in snapshots.items():
            self._restarts[place] = int(snapshot["restarts"][0])
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
