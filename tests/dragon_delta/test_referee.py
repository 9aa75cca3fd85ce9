"""Records of environments, judged by their JSON alone."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from drago_env import dragon_delta_v0
from drago_env.dragon_delta import record
from drago_env.dragon_delta.map import Map
from tests.dragon_delta.fuzz import POLICIES
from tests.dragon_delta.referee import begun, judge, judge_view

# of the standard sizes, for which the kernels are compiled already
OWN = {k: v for k, v in Map.standard().as_dict().items() if k not in ("crossings", "symmetries")}
WORDS: list[dict[str, Any]] = [
    {"players": 2, "max_rounds": 6},
    {"players": 3, "max_rounds": 3, "move2_village": True},
    {"players": 4, "max_rounds": 3, "long_planks": True},
    {"players": 5, "max_rounds": 2, "map": "delta-1"},
    {"players": 6, "max_rounds": 2, "kinds": [0, 2, 4, 5, 6, 7], "slots": 4, "support": 2},
    {"stones": 9, "slots": 8, "max_rounds": 4, "map": {**OWN, "name": "mine"}},
    {"rules": "tiny"},
    {"map": "tiny", "kinds": [0, 3, 5], "slots": 3, "planks": 2, "max_rounds": 30},
]


@pytest.mark.parametrize("words", WORDS, ids=range(len(WORDS)))
@pytest.mark.parametrize("seed", range(3))
def test_an_environments_record_keeps_every_clause(words: dict[str, Any], seed: int) -> None:
    env, rng = dragon_delta_v0.raw_env(**words), random.Random(seed)
    env.reset(seed=seed)
    it = begun(json.loads(json.dumps(env.record())), json.dumps)
    cut, number = rng.choice([None, rng.randrange(60)]), 0
    while not it.over and number != cut:
        action = rng.choice(POLICIES)(it, rng, it.options())
        env.step(action)
        it.apply(action)
        number += 1
    made = json.loads(json.dumps(env.unwrapped.record()))
    judge(made, json.dumps)
    assert made["seed"] == seed
    record.verify(made)
    for seat in range(it.players):
        view = record.view(made, seat)
        judge_view(view, made, seat, json.dumps)
        record.verify(view)
