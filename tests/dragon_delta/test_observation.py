"""The observation: its size, its parts, and the map turned to the own village (1.7)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from drago_env.core.layout import scale
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import MAX_LINKS, Map
from drago_env.dragon_delta.observation import FEATURES, layout
from drago_env.dragon_delta.rules import Rules
from drago_env.game import State


def test_observation_and_mask_take_at_most_about_2_kb() -> None:
    game = DragonDelta(Rules(4))
    assert 4 * game.spec.observation_size + game.spec.num_actions <= 2048
    assert game.new(0).itemsize <= 640


def test_scales_are_powers_of_two_and_parts_have_a_meaning() -> None:
    for slices in (layout(Rules()), layout(Rules.tiny()), FEATURES):
        factors = scale(slices)
        assert (np.log2(factors) % 1 == 0).all()
        assert all(part.meaning for part in slices)
        assert slices[-1].stop == len(factors)


def positions(rules: Rules, games: int) -> State:
    game, met = DragonDelta(rules), []
    state, picks = game.new(range(games)), game.picks(range(games))
    while not game.over(state).all():
        game.step(state, game.sample(game.legal(state), picks))
        met.append(state.copy())
    every = np.concatenate(met)
    return np.asarray(every[:: max(1, len(every) // 1500)])


def turned(state: State, symmetry: tuple[int, ...], seats: int) -> State:
    """The same games with the map turned and every colour moved on by so many seats."""
    board, made = Map.standard(), state.copy()
    number = board.link_numbers
    image = np.arange(256)
    for link, (a, b, _) in enumerate(board.links):
        one, other = symmetry[a], symmetry[b]
        image[link] = number[min(one, other), max(one, other)]
    for village in range(6):
        image[MAX_LINKS + village] = MAX_LINKS + symmetry[27 + village] - 27
    made["pawn"] = np.roll(image[state["pawn"]], seats, 1)
    made["origin"] = image[state["origin"]]
    made["program"] = np.roll(state["program"], seats, 1)
    held = (state["plank"] >= MAX_LINKS) & (state["plank"] < MAX_LINKS + 6)
    holder = MAX_LINKS + (state["plank"].astype(int) - MAX_LINKS + seats) % 6
    made["plank"] = np.roll(np.where(held, holder, image[state["plank"]]), seats, 1)
    for name in ("seat", "first"):
        made[name] = (state[name].astype(int) + seats) % 6
    for row in range(len(state)):
        made["stones"][row] = bits(int(state["stones"][row]), symmetry)
        made["full"][row] = bits(int(state["full"][row]), symmetry)
        for name in ("laid", "blocked"):
            words = sum(int(word) << 64 * i for i, word in enumerate(state[name][row]))
            moved = bits(words, tuple(image.tolist()))
            made[name][row] = [moved >> 64 * i & 2**64 - 1 for i in range(3)]
    return made


def bits(numbers: int, image: tuple[int, ...]) -> int:
    return sum(1 << image[i] for i in range(numbers.bit_length()) if numbers >> i & 1)


@pytest.mark.parametrize("turn", [2, 4])
def test_1_7_a_turned_game_looks_the_same_to_the_turned_seat(turn: int) -> None:
    rules = Rules(6, max_rounds=4)
    game, state = DragonDelta(rules), positions(rules, 12)
    other = turned(state, rules.map.symmetries[turn], turn)
    game.check(other)
    for seat in range(6):
        here, there = game.observe(state, seat), game.observe(other, (seat + turn) % 6)
        assert here.tobytes() == there.tobytes()
    rng = random.Random(0)
    legal, moved = game.legal(state), game.legal(other)
    assert (legal.counts == moved.counts).all()
    features, turned_features = game.features(state, legal), game.features(other, moved)
    for row in rng.sample(range(len(state)), 200):
        count = legal.counts[row]
        ours, theirs = features[row, :count], turned_features[row, :count]
        assert sorted(map(bytes, ours)) == sorted(map(bytes, theirs))


def test_1_7_the_own_village_is_always_the_first_and_the_goal_across() -> None:
    for players in range(2, 7):
        rules = Rules(players)
        game = DragonDelta(rules)
        state = game.new(0)
        for seat in range(players):
            parts = {p.name: p.of(game.observe_compact(state, seat)[0]) for p in game.layout}
            assert parts["home"][0] == 1
            assert parts["goal"][0] == 4
            assert parts["pawns"][0, :6].tolist() == [1, 0, 0, 0, 0, 0]
