"""Records of environments, judged by their JSON alone."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from drago_env import rupe_dei_draghi_v0
from drago_env.rupe_dei_draghi import record
from drago_env.rupe_dei_draghi.graph import Graph
from tests.rupe_dei_draghi.players import POLICIES
from tests.rupe_dei_draghi.referee import begun, chance, judge, judge_view

# of the standard sizes, for which the kernels are compiled already
OWN = Graph.standard().as_dict() | {"name": "mine"}
OWN["edges"] = [*OWN["edges"], ["A0", "B0"], ["T1", "R2"]]
WORDS: list[dict[str, Any]] = [
    {"players": 2, "turn_cap": 150},
    {"players": 3, "turn_cap": 100, "reuse": "under"},
    {"players": 4, "turn_cap": 100, "stop": False, "graph": "rupe-85"},
    {"players": 3, "turn_cap": 60, "hand": 4, "rob": 1, "spoils": 0, "dragons": 2, "bridges": 4},
    {"players": 2, "turn_cap": 60, "copies": [6, 3, 2, 2, 3, 2, 4, 2, 3, 1], "rainbows": 1},
    {"rules": "tiny", "turn_cap": 30},
    {"players": 4, "turn_cap": 60, "graph": OWN, "hand": 5},
]


@pytest.mark.parametrize("words", WORDS, ids=range(len(WORDS)))
@pytest.mark.parametrize("seed", range(3))
def test_an_environments_record_keeps_every_clause(words: dict[str, Any], seed: int) -> None:
    env, rng = rupe_dei_draghi_v0.raw_env(**words), random.Random(seed)
    env.reset(seed=seed)
    it = begun(json.loads(json.dumps(env.record())))
    cut, number = rng.choice([None, rng.randrange(60)]), 0
    while not it.over and number != cut:
        action = rng.choice(POLICIES)(it, rng, it.legal())
        key, held = chance(it, action), it.hands[it.seat]
        hand = env.unwrapped._state["hand"][0, it.seat]
        env.step(action)
        number += 1
        after = Counter({kind: int(n) for kind, n in enumerate(hand)})
        brought = after if key == "drawn" else after - held if key == "taken" else Counter()
        it.apply(action, sorted(brought.elements()) or None)
    made = json.loads(json.dumps(env.unwrapped.record()))
    judge(made)
    assert made["seed"] == seed
    record.verify(made)
    for seat in range(it.players):
        view = record.view(made, seat)
        judge_view(view, made, seat)
        record.verify(view)
