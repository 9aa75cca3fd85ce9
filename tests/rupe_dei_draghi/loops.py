"""Loops over the rows of a batch around the kernel's functions, for tests and measurements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.chance import GOLDEN, below
from drago_env.core.compiled import compiled
from drago_env.core.layout import scale as scale_of
from drago_env.rupe_dei_draghi import observation
from drago_env.rupe_dei_draghi.kernel.deal import deal
from drago_env.rupe_dei_draghi.kernel.features import features, prepare
from drago_env.rupe_dei_draghi.kernel.knowledge import determinize
from drago_env.rupe_dei_draghi.kernel.legal import is_legal, legal
from drago_env.rupe_dei_draghi.kernel.look import observe
from drago_env.rupe_dei_draghi.kernel.rewards import reward, shares
from drago_env.rupe_dei_draghi.kernel.turn import apply
from drago_env.rupe_dei_draghi.kernel.ways import WORK
from drago_env.rupe_dei_draghi.rules import MAX_PLAYERS, Rules, constants
from drago_env.rupe_dei_draghi.state import RUNNING, STATE


@compiled
def deal_rows(state: Any, seeds: Any, tables: Any) -> None:
    for row in range(state.shape[0]):
        deal(state[row], seeds[row], tables[state[row]["map"]])


@compiled
def legal_rows(state: Any, tables: Any, actions: Any, counts: Any) -> None:
    for row in range(state.shape[0]):
        counts[row] = legal(state[row], tables[state[row]["map"]], actions[row])


@compiled
def legal_mask_rows(state: Any, tables: Any, mask: Any) -> None:
    """`is_legal` of every action, also of some that do not exist."""
    for row in range(state.shape[0]):
        for i in range(mask.shape[1]):
            mask[row, i] = is_legal(state[row], i - 8, tables[state[row]["map"]])


@compiled
def apply_rows(state: Any, chosen: Any, tables: Any, rewards: Any) -> None:
    """Rewards by both schemes; rows with -1 are left alone."""
    points = np.empty(MAX_PLAYERS, np.int16)
    for row in range(state.shape[0]):
        if chosen[row] >= 0:
            rules = tables[state[row]["map"]]
            apply(state[row], chosen[row], rules, points)
            for scheme in range(2):
                reward(state[row], scheme, points, rules, rewards[row, scheme])


@compiled
def observe_rows(state: Any, seat: Any, tables: Any, scale: Any, out: Any) -> None:
    for row in range(state.shape[0]):
        observe(state[row], seat, tables[state[row]["map"]], scale, out[row])


@compiled
def determinize_rows(state: Any, seat: Any, seeds: Any, tables: Any, work: Any) -> None:
    for row in range(state.shape[0]):
        determinize(state[row], seat, seeds[row], tables[state[row]["map"]], work[0])


@compiled
def feature_rows(
    state: Any, tables: Any, actions: Any, counts: Any, scale: Any, work: Any, out: Any
) -> None:
    for row in range(state.shape[0]):
        rules = tables[state[row]["map"]]
        if counts[row] > 0:
            prepare(state[row], rules, work[0])
        for i in range(counts[row]):
            features(state[row], actions[row, i], rules, scale, work[0], out[row, i])


@compiled
def share_rows(state: Any, out: Any) -> None:
    for row in range(state.shape[0]):
        shares(state[row], out[row])


@compiled
def random_rows(
    state: Any, pick: Any, tables: Any, rounds: Any, scale: Any, actions: Any, mask: Any, out: Any
) -> Any:
    """Random games with mask, observation, reward and restart: what is measured."""
    points = np.empty(MAX_PLAYERS, np.int16)
    rewards = np.empty(MAX_PLAYERS, np.float32)
    ended = 0
    for _ in range(rounds):
        for row in range(state.shape[0]):
            game = state[row]
            rules = tables[game["map"]]
            count = legal(game, rules, actions)
            for action in range(mask.shape[1]):
                mask[row, action] = 0
            for i in range(count):
                mask[row, actions[i]] = 1
            observe(game, game["seat"], rules, scale, out[row])
            pick += GOLDEN
            apply(game, np.int64(actions[below(pick, count)]), rules, points)
            reward(game, 0, points, rules, rewards)
            if game["end"] != RUNNING:
                ended += 1
                deal(game, pick, rules)
    return ended


class Batch:
    """Games side by side, each by one of the given rules, in turn."""

    def __init__(self, rules: list[Rules], games: int, seed: int = 0) -> None:
        self.rules = rules
        self.tables = constants(rules, observation.offsets(rules[0]))
        self.state = np.zeros(games, STATE)
        self.scale = scale_of(observation.layout(rules[0]))
        self.feature_scale = scale_of(observation.FEATURES)
        self.most = max(r.max_legal for r in rules)
        self.work = np.zeros(1, WORK)
        for row, game in enumerate(self.state):
            which = row % len(rules)
            game["map"] = which
            game["players"] = rules[which].players
            game["under"] = rules[which].reuse == "under"
            game["stop"] = rules[which].stop
        deal_rows(self.state, np.arange(seed, seed + games, dtype=np.uint64), self.tables)

    def rules_of(self, row: int) -> Rules:
        return self.rules[int(self.state[row]["map"])]

    def legal(self) -> list[list[int]]:
        actions, counts = self.lists()
        return [list(map(int, a[:n])) for a, n in zip(actions, counts, strict=True)]

    def lists(self) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        actions = np.zeros((len(self.state), self.most), np.uint16)
        counts = np.zeros(len(self.state), np.int64)
        legal_rows(self.state, self.tables, actions, counts)
        return actions, counts

    def mask(self) -> NDArray[np.bool_]:
        """`is_legal` of all actions from -8 to 8 beyond the last one."""
        mask = np.zeros((len(self.state), self.rules[0].num_actions + 16), np.bool_)
        legal_mask_rows(self.state, self.tables, mask)
        return mask

    def step(self, chosen: Any) -> NDArray[np.float32]:
        rewards = np.zeros((len(self.state), 2, MAX_PLAYERS), np.float32)
        apply_rows(self.state, np.asarray(chosen, np.int64), self.tables, rewards)
        return rewards

    def observe(self, seat: int, compact: bool = False) -> NDArray[Any]:
        out = np.empty((len(self.state), len(self.scale)), np.int8 if compact else np.float32)
        scale = np.ones(len(self.scale), np.int8) if compact else self.scale
        observe_rows(self.state, seat, self.tables, scale, out)
        return out

    def features(self) -> NDArray[np.float32]:
        actions, counts = self.lists()
        out = np.zeros((len(self.state), self.most, len(self.feature_scale)), np.float32)
        feature_rows(self.state, self.tables, actions, counts, self.feature_scale, self.work, out)
        return out

    def determinize(self, seat: int, seeds: Any) -> None:
        seeds = np.asarray(seeds, np.uint64)
        determinize_rows(self.state, seat, seeds, self.tables, self.work)

    def shares(self) -> NDArray[np.float64]:
        out = np.zeros((len(self.state), MAX_PLAYERS))
        share_rows(self.state, out)
        return out
