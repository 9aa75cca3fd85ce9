"""The compiled functions over rows of a state array, for tests of them alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.compiled import compiled
from drago_env.core.layout import scale
from drago_env.dragon_delta.kernel.features import features as features_one
from drago_env.dragon_delta.kernel.features import prepare as prepare_one
from drago_env.dragon_delta.kernel.knowledge import determinize as determinize_one
from drago_env.dragon_delta.kernel.legal import is_legal as is_legal_one
from drago_env.dragon_delta.kernel.legal import legal as legal_one
from drago_env.dragon_delta.kernel.play import apply as apply_one
from drago_env.dragon_delta.kernel.play import deal as deal_one
from drago_env.dragon_delta.kernel.play import rules_of
from drago_env.dragon_delta.kernel.result import reward as reward_one
from drago_env.dragon_delta.kernel.result import shares as shares_one
from drago_env.dragon_delta.kernel.sight import observe as observe_one
from drago_env.dragon_delta.kernel.ways import WORK
from drago_env.dragon_delta.observation import FEATURES, layout
from drago_env.dragon_delta.rules import Rules, constants
from drago_env.dragon_delta.state import STATE


@compiled
def _deal(state: Any, tables: Any) -> None:
    for row in range(len(state)):
        deal_one(state[row], np.uint64(row), rules_of(state[row], tables))


@compiled
def _legal(state: Any, row: Any, tables: Any, actions: Any) -> Any:
    return legal_one(state[row], rules_of(state[row], tables), actions)


@compiled
def _is_legal(state: Any, row: Any, action: Any, tables: Any) -> Any:
    return is_legal_one(state[row], np.int64(action), rules_of(state[row], tables))


@compiled
def _apply(state: Any, row: Any, action: Any, tables: Any, points: Any, rewards: Any) -> None:
    rules = rules_of(state[row], tables)
    apply_one(state[row], np.int64(action), rules, points)
    for scheme in range(2):
        reward_one(state[row], scheme, points, rules, rewards[scheme])


@compiled
def _observe(state: Any, row: Any, seat: Any, tables: Any, scale: Any, out: Any) -> None:
    observe_one(state[row], seat, rules_of(state[row], tables), scale, out)


@compiled
def _determinize(state: Any, seat: Any, seeds: Any, tables: Any) -> None:
    for row in range(len(state)):
        determinize_one(state[row], seat, seeds[row], rules_of(state[row], tables), 0)


@compiled
def _features(
    state: Any, row: Any, actions: Any, tables: Any, scale: Any, work: Any, out: Any
) -> None:
    rules = rules_of(state[row], tables)
    prepare_one(state[row], rules, work[0])
    for i in range(len(actions)):
        features_one(state[row], actions[i], rules, scale, work[0], out[i])


@compiled
def _shares(state: Any, row: Any, out: Any) -> None:
    shares_one(state[row], out)


class Engine:
    """The functions of the game for rules of one size."""

    def __init__(self, *rules: Rules) -> None:
        self.rules = rules
        self.maps = list(dict.fromkeys(rule.map for rule in rules))
        self.tables = constants(rules[0], self.maps)
        self.layout = layout(rules[0])
        self.scale = scale(self.layout)
        self._actions = np.zeros(rules[0].num_actions, np.uint16)

    def new(self) -> NDArray[np.void]:
        """A row for each of the rules."""
        state = np.zeros(len(self.rules), STATE)
        for row, rule in zip(state, self.rules, strict=True):
            row["players"], row["map"] = rule.players, self.maps.index(rule.map)
            row["move2_village"], row["long_planks"] = rule.move2_village, rule.long_planks
        _deal(state, self.tables)
        return state

    def legal(self, state: NDArray[np.void], row: int = 0) -> list[int]:
        count = _legal(state, row, self.tables, self._actions)
        return list(map(int, self._actions[:count]))

    def is_legal(self, state: NDArray[np.void], action: int, row: int = 0) -> bool:
        return bool(_is_legal(state, row, action, self.tables))

    def step(self, state: NDArray[np.void], action: int, row: int = 0) -> NDArray[np.float32]:
        """Takes one decision; returns the rewards by scheme and seat."""
        points, rewards = np.ones(6, np.int16), np.ones((2, 6), np.float32)
        _apply(state, row, action, self.tables, points, rewards)
        assert not points.any()
        return rewards

    def observe(self, state: NDArray[np.void], seat: int, row: int = 0) -> NDArray[np.float32]:
        out = np.full(len(self.scale), np.nan, np.float32)
        _observe(state, row, seat, self.tables, self.scale, out)
        return out

    def compact(self, state: NDArray[np.void], seat: int, row: int = 0) -> NDArray[np.int8]:
        out = np.full(len(self.scale), 99, np.int8)
        _observe(state, row, seat, self.tables, np.ones(len(self.scale), np.int8), out)
        return out

    def determinize(self, state: NDArray[np.void], seat: int, seeds: Any) -> None:
        _determinize(state, seat, np.asarray(seeds, np.uint64), self.tables)

    def features(
        self, state: NDArray[np.void], actions: list[int], row: int = 0
    ) -> NDArray[np.float32]:
        factors = scale(FEATURES)
        out = np.full((len(actions), len(factors)), np.nan, np.float32)
        numbers, work = np.array(actions, np.int64), np.zeros(1, WORK)
        _features(state, row, numbers, self.tables, factors, work, out)
        return out

    def shares(self, state: NDArray[np.void], row: int = 0) -> NDArray[np.float64]:
        out = np.empty(6)
        _shares(state, row, out)
        return out
