"""Clause 8: what a seat cannot see changes nothing for it, and determinize redraws just that."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env import MountDrago, Rules, storage
from drago_env.game import State
from drago_env.mount_drago.state import DISCARD, OVER, STATE
from tests.mount_drago.games import SCARCE, STANDARD, TINY, picked

# Clause 8.2; of the drawn cards nobody but who drew them knows: they stand in that hand.
HIDDEN = ("hand", "deck", "drawn", "drawn_size", "rng")
PUBLIC = [name for name in STATE.names or () if name not in HIDDEN]

VARIANTS = {"standard": STANDARD, "tiny": TINY, "scarce": SCARCE}
NUMBER = {"standard": 56, "tiny": 256, "scarce": 36}  # of random games
GAMES = pytest.mark.parametrize("name", VARIANTS)


@cache
def positions(name: str) -> tuple[MountDrago, State]:
    """Every position of random games, from the deal to the end."""
    game, games = MountDrago(*VARIANTS[name]), NUMBER[name]
    state = game.new(range(games), np.arange(games) % len(game.rules))
    met, rng = [state.copy()], np.random.default_rng(games)
    while not game.over(state).all():
        running = ~game.over(state)
        game.step(state, picked(game, state, rng))
        met.append(state[running])
    return game, np.concatenate(met)


@cache
def seats_of(name: str) -> list[tuple[MountDrago, int, State, State]]:
    """Each seat with all the positions of games that have it, and with these shuffled."""
    (game, state), rng = positions(name), np.random.default_rng(8)
    rows = [(seat, state[state["players"] > seat]) for seat in range(5)]
    return [(game, seat, own, shuffled(game, own, seat, rng)) for seat, own in rows if len(own)]


def shuffled(game: MountDrago, state: State, seat: int, rng: np.random.Generator) -> State:
    """The same games for all that the seat knows: what is hidden from it is mixed."""
    clone = state.copy()
    for it in clone:
        size, on_turn = int(it["deck_size"]), int(it["seat"])
        others = [other for other in range(it["players"]) if other != seat]
        hands = [it["hand"][other, : it["hand_size"][other]] for other in others]
        cards = np.concatenate([it["deck"][:size], *hands])
        ends = np.cumsum([size] + [len(hand) for hand in hands])
        bound = it["phase"] == DISCARD and on_turn != seat
        summit = game.boards[int(it["board"])].summit
        while True:
            rng.shuffle(cards)
            dealt = [np.sort(hand) for hand in np.split(cards, ends[:-1])[1:]]
            # 8.4: a rider in their discard step holds a card that they may discard
            if not bound or any(
                it["position"][card // game.rules[0].values] >= summit
                for card in dealt[others.index(on_turn)]
            ):
                break
        it["deck"][:size] = cards[:size]
        for hand, new in zip(hands, dealt, strict=True):
            hand[:] = new
        drawn = int(it["drawn_size"])
        it["drawn"][:drawn] = rng.integers(game.rules[0].card_kinds, size=drawn)
        it["rng"] = rng.integers(2**64, dtype=np.uint64)
    storage.check(game, clone)
    return clone


def known(game: MountDrago, state: State, seat: int) -> dict[str, NDArray[Any]]:
    """All that the game tells a seat; the legal actions in the rows where it is on turn."""
    own = state[state["seat"] == seat]
    legal = game.legal(own)
    listed = np.arange(legal.actions.shape[1]) < legal.counts[:, None]
    return {
        "observation": game.observe(state, seat),
        "compact": game.observe_compact(state, seat),
        "mask": legal.mask,
        "counts": legal.counts,
        "actions": np.where(listed, legal.actions, 0),
        "features": game.features(own, legal),
    }


# ---------------------------------------------------------------- nothing leaks


def test_the_positions_are_many_and_of_every_kind() -> None:
    for name in VARIANTS:
        _, state = positions(name)
        assert len(state) > 500
        assert (state["phase"] == DISCARD).sum() > 40
        assert (state["phase"] == OVER).sum() == NUMBER[name]
        assert (state["drawn_size"] > 0).any()
    _, standard = positions("standard")
    assert len(standard) > 2000
    assert set(standard["players"].tolist()) == {2, 3, 4, 5}
    assert set(standard["edition"].tolist()) == {0, 1}


@GAMES
def test_8_2_what_is_hidden_changes_nothing_for_the_seat(name: str) -> None:
    for game, seat, state, clone in seats_of(name):
        before, after = known(game, state, seat), known(game, clone, seat)
        for part, numbers in before.items():
            assert numbers.tobytes() == after[part].tobytes(), (part, seat)
        # the shuffle was one: hands and deck are others now, and their riders see it
        assert (clone["hand"] != state["hand"]).any((1, 2)).mean() > 0.5
        assert (clone["deck"] != state["deck"]).any(1).mean() > 0.5
        other = np.where(seat > 0, seat - 1, state["players"] - 1)
        seen = game.observe(clone, other) != game.observe(state, other)
        assert seen.any(1).mean() > 0.3


def swap(it: Any, place: NDArray[np.uint8]) -> None:
    """Exchanges the first card there with one of another kind in the deck."""
    deck = it["deck"][: it["deck_size"]]
    i = int(np.flatnonzero(deck // 5 != place[0] // 5)[0])
    place[0], deck[i] = deck[i], place[0]


def swap_own(it: Any) -> None:
    swap(it, it["hand"][0])
    it["hand"][0].sort()


def swap_covered(it: Any) -> None:
    there = np.flatnonzero(it["pile"])[:1].astype(np.uint8)
    it["pile"][there] -= 1
    swap(it, there)
    it["pile"][there] += 1


def hand_over(it: Any) -> None:
    """A card from the hand of seat 1 to the deck."""
    last = int(it["hand_size"][1]) - 1
    it["deck"][it["deck_size"]], it["hand"][1, last] = it["hand"][1, last], 255
    it["deck_size"] += 1
    it["hand_size"][1] -= 1


def cover(it: Any) -> None:
    """A card from the deck to the piles."""
    it["deck_size"] -= 1
    it["pile"][it["deck"][it["deck_size"]]] += 1
    it["deck"][it["deck_size"]] = 255


def add(name: str, *index: int) -> Callable[[Any], None]:
    def change(it: Any) -> None:
        if index:
            it[name][index] += 1
        else:
            it[name] += 1

    return change


PUBLIC_CHANGES: dict[str, Callable[[Any], None]] = {
    "own hand": swap_own,
    "covered cards": swap_covered,
    "own top": lambda it: swap(it, it["top"][:1]),
    "another's top": lambda it: swap(it, it["top"][2:]),
    "hand size": hand_over,
    "deck size": cover,
    "dragon": add("position", 4),
    "own score": add("score", 0),
    "another's score": add("score", 2),
    "turn": add("seat"),
    "discard step": add("phase"),
    "discarded": add("discarded"),
    "summit": add("summit"),
    "edition": add("edition"),
    "players": add("players"),
    "board": add("board"),
}


@pytest.mark.parametrize("what", PUBLIC_CHANGES)
def test_8_1_what_the_seat_knows_changes_its_vector(what: str) -> None:
    game = MountDrago(Rules(3), Rules(4))  # two boards
    state = game.new(3)
    for _ in range(7):
        game.step(state, game.legal(state).actions[:, 0])
    clone = state.copy()
    PUBLIC_CHANGES[what](clone[0])
    assert (game.observe(clone, 0) != game.observe(state, 0)).any()
    assert (game.observe_compact(clone, 0) != game.observe_compact(state, 0)).any()


def test_8_2_another_hand_is_seen_by_its_rider_alone() -> None:
    game = MountDrago(Rules(3))
    state = game.new(5)
    clone = state.copy()
    swap(clone[0], clone[0]["hand"][1])
    clone[0]["hand"][1].sort()
    for seat in range(3):
        changed = (game.observe(clone, seat) != game.observe(state, seat)).any()
        assert changed == (seat == 1)


# ---------------------------------------------------------------- determinize


@GAMES
def test_determinize_depends_on_the_knowledge_and_the_seed_alone(name: str) -> None:
    rng = np.random.default_rng(4)
    for game, seat, state, other in seats_of(name):
        seeds = rng.integers(2**64, size=len(state), dtype=np.uint64)
        one = game.determinize(state, seat, seeds)
        assert np.array_equal(one, game.determinize(other, seat, seeds))
        assert np.array_equal(one, game.determinize(one, seat, seeds))


@GAMES
def test_determinize_keeps_what_the_seat_knows_and_redraws_the_rest(name: str) -> None:
    for game, seat, state, _ in seats_of(name):
        before = state.copy()
        clone = game.determinize(state, seat, np.arange(len(state)))
        assert np.array_equal(state, before)
        storage.check(game, clone)  # the cards add up, and 8.4 holds in a discard step
        for field in PUBLIC:
            assert clone[field].tobytes() == state[field].tobytes(), field
        assert clone["hand"][:, seat].tobytes() == state["hand"][:, seat].tobytes()
        assert (clone["hand"] != state["hand"]).any((1, 2)).mean() > 0.5
        assert not clone["drawn_size"].any()
        for part, numbers in known(game, state, seat).items():
            assert numbers.tobytes() == known(game, clone, seat)[part].tobytes(), part


@GAMES
def test_determinize_redraws_the_generator(name: str) -> None:
    for game, seat, state, _ in seats_of(name):
        clone = game.determinize(state, seat, np.arange(len(state)))
        assert (clone["rng"] != state["rng"]).all()
        assert len(np.unique(clone["rng"])) == len(state)
        other = game.determinize(state, seat, np.arange(len(state)) + len(state))
        assert not np.isin(other["rng"], clone["rng"]).any()


def test_determinize_takes_a_seat_for_each_row() -> None:
    game, state = positions("standard")
    state, seeds = state[:300], np.arange(300)
    seats = seeds % state["players"]
    together = game.determinize(state, seats, seeds)
    for row in range(0, 300, 7):
        alone = game.determinize(state[row : row + 1], seats[row : row + 1], [row])
        assert alone[0] == together[row]


def test_a_planner_on_the_clone_does_not_see_the_future() -> None:
    """The same move draws other cards on clones than in the true game, and on each other."""
    game = MountDrago(Rules(2))
    state = np.repeat(game.new(11), 200)
    clones = game.determinize(state, 0, range(200))
    action = game.legal(state).actions[:, 0]
    game.step(state, action)
    game.step(clones, action)
    assert state["drawn_size"][0] == 1
    assert len(np.unique(clones["drawn"][:, 0])) > 20
