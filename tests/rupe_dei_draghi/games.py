"""Positions of many games for the tests of knowledge, observation and features."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

from drago_env.rupe_dei_draghi.rules import Rules
from drago_env.rupe_dei_draghi.state import STATE
from tests.rupe_dei_draghi.fuzz import random_sizes
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.oracle import Game
from tests.rupe_dei_draghi.players import meddler, miser, seeker
from tests.rupe_dei_draghi.position import Map
from tests.rupe_dei_draghi.reference import Reference

VARIANTS: dict[str, list[Rules]] = {
    "standard": [Rules(n, reuse=reuse) for n in (2, 3, 4) for reuse in ("top", "under")],
    "tiny": [Rules.tiny(), Rules.tiny(20)],
    "odd": [random_sizes(random.Random(18), 3)],
}
NUMBER = {"standard": 24, "tiny": 64, "odd": 12}
ROUNDS = {"standard": 400, "tiny": 60, "odd": 300}


@cache
def positions(name: str) -> Batch:
    """Every position of some goal-directed games, from the deal on."""
    batch, sides = played(name)
    del sides
    return batch


def played(
    name: str, follow: list[tuple[np.void, Reference]] | None = None
) -> tuple[Batch, list[Game]]:
    """Plays the games of a variant; all positions become the state of the batch."""
    rules, games = VARIANTS[name], NUMBER[name]
    batch = Batch(rules, games, 7)
    charts = [Map(r.graph.as_dict()) for r in rules]
    rng = random.Random(name)
    sides = [
        Game(batch.rules_of(i), game, charts[int(game["map"])], rng)
        for i, game in enumerate(batch.state)
    ]
    policies = [[rng.choice((seeker, meddler, miser)) for _ in range(4)] for _ in sides]
    met = [batch.state.copy()]
    for _ in range(ROUNDS[name]):
        running = batch.state["end"] == 0
        if not running.any():
            break
        legal = batch.legal()
        chosen = [-1] * games
        for i in np.flatnonzero(running):
            side = sides[i].side
            chosen[i] = policies[i][side.seat](side, rng, legal[i])
        seats = batch.state["seat"].copy()
        rewards = batch.step(chosen)
        hands = batch.state["hand"][np.arange(games), seats].tolist()
        for i in np.flatnonzero(running):
            sides[i].apply(chosen[i], hands[i], rewards[i])
            if follow is not None:
                follow.append((batch.state[i].copy(), sides[i].side))
        met.append(batch.state[running])
    batch.state = np.concatenate(met)
    return batch, sides


def of_rows(batch: Batch, rows: Any) -> Batch:
    """The same rules with some of the positions."""
    part = Batch(batch.rules, 1)
    part.state = batch.state[rows].copy()
    assert part.state.dtype == STATE
    return part
