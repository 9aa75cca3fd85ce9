"""Random games for tests, with every state and the record; and ways to spoil a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env import MountDrago, Rules, record
from drago_env.game import State
from drago_env.mount_drago.record import Record
from drago_env.mount_drago.rules import EDITIONS

STANDARD = tuple(Rules(n, edition) for n in (2, 3, 4, 5) for edition in EDITIONS)
TINY = (Rules.tiny(2), Rules.tiny(3), Rules.tiny(2, "italian"))
# Many dragons must arrive and the cards are few: discards and reshuffles in every game.
SCARCE = tuple(
    Rules(n, edition, colours=6, copies=(3, 3, 2), hand=4, summit_dragons=5)
    for n in (2, 3, 4)
    for edition in EDITIONS
)
ALL_RULES = (*STANDARD, *TINY, *SCARCE)


def name(rules: Rules) -> str:
    """A short name for the tables of pytest."""
    return f"{rules.players}-{rules.edition}-{rules.cards}-cards"


@dataclass(frozen=True)
class Played:
    """A game with the state before each decision and, last, the one after them all."""

    game: MountDrago
    seed: int
    states: tuple[State, ...]  # one row each
    actions: tuple[int, ...]

    def record(self, moves: int | None = None) -> Record:
        """A fresh record of the game, or of its first moves."""
        riders = [f"rider {seat}" for seat in range(self.game.rules[0].players)]
        actions = self.actions[:moves]
        return record.record(self.game, self.states[0], actions, seed=self.seed, names=riders)


def picked(game: MountDrago, state: State, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each row, -1 where the game is over."""
    legal = game.legal(state)
    choice = (rng.random(len(state)) * legal.counts).astype(np.int64)
    actions = legal.actions[np.arange(len(state)), choice].astype(np.int64)
    return np.where(legal.counts > 0, actions, -1)


@cache
def play(rules: Rules, seed: int = 0) -> Played:
    """One whole random game."""
    game, rng = MountDrago(rules), np.random.default_rng(seed)
    state = game.new(seed)
    states, actions = [state.copy()], []
    while not game.over(state)[0]:
        action = picked(game, state, rng)
        game.step(state, action)
        states.append(state.copy())
        actions.append(int(action[0]))
    return Played(game, seed, tuple(states), tuple(actions))


def along(game: MountDrago, seeds: Sequence[int], variants: Sequence[int]) -> Iterator[State]:
    """A batch of random games after each move, until all are over; the same array each time."""
    rng = np.random.default_rng(len(seeds))
    state = game.new(seeds, variants)
    while True:
        yield state
        if game.over(state).all():
            return
        game.step(state, picked(game, state, rng))


def find(rules: Rules, phase: int) -> State:
    """Some state of a random game in this phase."""
    for seed in range(100):
        for state in play(rules, seed).states:
            if state["phase"][0] == phase:
                return state.copy()
    raise AssertionError(f"no game comes to phase {phase}")


# ---------------------------------------------------------------- spoilt records

Edit = Callable[[Record, Played], int]  # spoils the record, returns the number of the wrong move


def put(*path: Any) -> Callable[[Record], None]:
    """Sets the entry at the end of a path to the last of the arguments."""

    def edit(made: Any) -> None:
        *way, key, value = path
        for step in way:
            made = made[step]
        made[key] = value

    return edit


def paths(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a JSON value, containers too."""
    if not isinstance(part, dict | list):
        return [path]
    items = part.items() if isinstance(part, dict) else enumerate(part)
    inner = [p for key, value in items for p in paths(value, (*path, key))]
    return [path, *inner] if path else inner


def where(played: Played, wanted: Callable[[State, State], bool]) -> int:
    """The first move whose states before and after are as wanted."""
    pairs = zip(played.states, played.states[1:], strict=False)
    found = [i for i, (before, after) in enumerate(pairs) if wanted(before, after)]
    if not found:
        raise LookupError("no such move")
    return found[0]


def set_at(i: int, key: str, change: Callable[[Any], Any]) -> Edit:
    """Changes one entry of a move, counted from the end if negative."""

    def edit(made: Record, played: Played) -> int:
        made["moves"][i][key] = change(made["moves"][i][key])
        return i % len(made["moves"])

    return edit


def act(phase: int, choose: Callable[[State, Rules], int | None]) -> Edit:
    """Puts another action where the state is in this phase and the choice finds one."""

    def edit(made: Record, played: Played) -> int:
        rules = played.game.rules[0]
        i = where(played, lambda s, _: s["phase"][0] == phase and choose(s, rules) is not None)
        made["moves"][i]["action"] = choose(played.states[i], rules)
        return i

    return edit


def hand_of(state: State) -> list[int]:
    """The hand of the seat on turn."""
    seat = state["seat"][0]
    return state["hand"][0, seat, : state["hand_size"][0, seat]].tolist()


def missing_card(state: State, rules: Rules) -> int:
    return next(card for card in range(rules.card_kinds) if card not in hand_of(state))


def no_choice(state: State, rules: Rules) -> int | None:
    """To play a card of a dragon that somebody rides, and keep."""
    ridden = [top // rules.values for top in state["top"][0, : rules.players].tolist()]
    kept = [card for card in hand_of(state) if card // rules.values in ridden]
    return rules.card_kinds + kept[0] if kept else None


def below_summit(state: State, rules: Rules) -> int | None:
    """To discard a card of a dragon that is not on the summit."""
    spaces = state["position"][0]
    low = [c for c in hand_of(state) if spaces[c // rules.values] < rules.board.summit]
    return 2 * rules.card_kinds + low[0] if low else None


def not_in_deck(place: int, mid_draw: bool) -> Edit:
    """Draws a card that the deck does not hold: before, or after, a reshuffle in mid-draw."""

    def edit(made: Record, played: Played) -> int:
        def absent(before: State, after: State) -> list[int]:
            there = {*(after if place < 0 else before)["deck"][0], *after["drawn"][0]}
            return sorted(set(range(played.game.rules[0].card_kinds)) - there)

        def wanted(before: State, after: State) -> bool:
            deck, drawn = before["deck_size"][0], after["drawn_size"][0]
            fits = 0 < deck < drawn if mid_draw else deck > drawn > 0
            return bool(fits) and bool(absent(before, after))

        i = where(played, wanted)
        made["moves"][i]["drawn"][place] = absent(*played.states[i : i + 2])[0]
        return i

    return edit


def extra_move(made: Record, played: Played) -> int:
    made["moves"].append(dict(made["moves"][-1]))
    return len(made["moves"]) - 1
