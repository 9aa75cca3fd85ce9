"""Engine against reference over many games; `python -m tests.dragon_delta.fuzz --help`."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from drago_env.core.layout import named
from drago_env.dragon_delta.map import GOALS, Map
from drago_env.dragon_delta.rules import Rules
from tests.dragon_delta.engine import Engine
from tests.dragon_delta.oracle import difference, expected, reference_of, sight
from tests.dragon_delta.reference import Reference
from tests.fuzzing import Fuzz

Policy = Callable[[Reference, random.Random, list[int]], int]
COLOURS = ("white", "black", "red", "green", "blue", "yellow")
BATCH = 25  # games
EVERY = 9  # observations are slow to work out, and many games make up for it

# ---------------------------------------------------------------- ways to play


def uniform(it: Reference, rng: random.Random, legal: list[int]) -> int:
    return rng.choice(legal)


def far(it: Reference, action: int) -> float:
    """How far from the goal of the seat on turn an action points."""
    kind, index = it.meaning(action)
    goal = it.goals[it.seat]
    if kind in ("link", "village"):
        return it.board.distance((kind, index), goal)
    if kind == "islet":
        links = it.board.at(index)
        return min((it.board.distance(("link", i), goal) for i in links), default=99)
    return 0


def goal_directed(it: Reference, rng: random.Random, legal: list[int]) -> int:
    """Moves and builds toward the goal, mostly."""
    if it.step == "program" or rng.random() < 0.2:
        return rng.choice(legal)
    if it.step == "remove":
        return max(legal, key=lambda action: (far(it, action), rng.random()))
    own = it.board.distance(it.pawns[it.seat], it.goals[it.seat])
    near = [action for action in legal if far(it, action) >= own - 2] or legal
    if it.step in ("stone", "link"):
        return min(near, key=lambda action: (far(it, action), rng.random()))
    return min(legal, key=lambda action: (far(it, action), rng.random()))


def dragon_rider(it: Reference, rng: random.Random, legal: list[int]) -> int:
    """Plays its dragon early, against the seat before or after it."""
    dragons = [action for action in legal if it.step == "program" and action >= 8]
    return rng.choice(dragons or legal) if rng.random() < 0.7 else rng.choice(legal)


def mover(it: Reference, rng: random.Random, legal: list[int]) -> int:
    """Programs moves and jumps, and goes for the goal."""
    if it.step == "program":
        moves = [action for action in legal if 4 <= action < 8]
        return rng.choice(moves or legal)
    return min(legal, key=lambda action: (far(it, action), rng.random()))


POLICIES: tuple[Policy, ...] = (uniform, goal_directed, dragon_rider, mover)

# ---------------------------------------------------------------- rules of all kinds


def random_map(rng: random.Random) -> Map:
    """A small map with random places and links."""
    villages, islets = rng.randint(2, 6), rng.randint(1, 7)
    points = rng.sample([[x, y] for x in range(9) for y in range(9)], villages + islets)
    colours = [c for pair in rng.sample(range(3), 3) for c in COLOURS[2 * pair : 2 * pair + 2]]
    colours = colours[:villages]
    pairs = {c: [GOALS[c], *(d for d in colours if d != c)] for c in colours}
    goals = [next(d for d in pairs[c] if d in colours) for c in colours]
    nodes = range(islets + villages)
    joined = [[a, b] for a in nodes for b in nodes if a < b and a < islets]
    chosen = rng.sample(joined, rng.randint(1, min(len(joined), 30)))
    links = [[a, b, sorted(rng.sample(range(1, 5), rng.randint(1, 3)))] for a, b in chosen]
    places = zip(colours, points[islets:], goals, strict=True)
    return Map.from_dict(
        {
            "name": "random",
            "islets": points[:islets],
            "villages": [{"colour": c, "at": at, "goal": goal} for c, at, goal in places],
            "links": links,
            "seats": {str(n): rng.sample(colours, n) for n in range(2, villages + 1)},
        }
    )


def random_rules(rng: random.Random) -> Rules:
    flags: dict[str, Any] = {"move2_village": rng.random() < 0.3, "long_planks": rng.random() < 0.2}
    rounds = rng.choice([1, 1, 2, 3, 4])
    kind = rng.random()
    if kind < 0.6:
        return Rules(rng.randint(2, 6), max_rounds=rounds, **flags)
    if kind < 0.65:
        return Rules.tiny()
    if kind < 0.8:  # the standard map, other sizes
        cards = rng.sample(range(8), rng.randint(1, 8))
        return Rules(
            rng.randint(2, 6),
            kinds=tuple(cards),
            slots=rng.randint(1, len(cards)),
            planks=rng.randint(6, 8),
            stones=rng.choice([0, 5, 12, 27, 40]),
            support=rng.randint(1, 4),
            max_rounds=rounds,
            **flags,
        )
    small = random_map(rng)
    return Rules(
        rng.choice(small.player_counts),
        planks=rng.randint(4, 8),
        stones=rng.randint(0, 8),
        support=rng.randint(1, 4),
        max_rounds=rounds + 2,
        map=small,
        **flags,
    )


@lru_cache(200)
def engine(rules: Rules) -> Engine:
    return Engine(rules)


# ---------------------------------------------------------------- positions


def scatter(it: Reference, rng: random.Random) -> None:
    """Puts a game right after its start into a random position that keeps the rules."""
    islets = list(range(it.board.islets))
    rng.shuffle(islets)
    it.stoned = set(islets[: min(it.stones, rng.randint(0, len(islets)))])
    planks = [plank for reserve in it.reserves for plank in reserve]
    rng.shuffle(planks)
    for colour, number in planks[: rng.randint(0, len(planks))]:
        links = [i for i in range(len(it.board.links)) if it.may_lie(number, i)]
        it.reserves[colour].remove((colour, number))
        if links:
            it.on_map[rng.choice(links)] = (colour, number)
        elif rng.random() < 0.5:
            it.lost.add((colour, number))
        else:
            it.reserves[colour].add((colour, number))
    free = list(it.on_map)
    rng.shuffle(free)
    for seat in range(it.players):
        near = sorted(free, key=lambda i, s=seat: it.board.distance(("link", i), it.goals[s]))  # type: ignore[misc]
        if free and rng.random() < 0.8:
            link = near[0] if rng.random() < 0.5 else free[-1]
            free.remove(link)
            it.pawns[seat] = ("link", link)
    it.round = rng.randint(1, it.max_rounds)
    it.seat = it.marker = rng.randrange(it.players)
    it.events.clear()


class DifferenceError(AssertionError):
    """Engine and reference disagree."""


def same(what: str, have: Any, want: Any) -> None:
    if not (np.array_equal(have, want) if isinstance(want, np.ndarray) else have == want):
        raise DifferenceError(f"{what}: the engine has {have}, the reference {want}")


def look(book: Engine, state: np.ndarray, it: Reference, seat: int) -> None:
    """Compares what a seat sees."""
    want = sight(it, seat)
    for vector in (book.observe(state, seat), book.compact(state, seat)):
        seen = named(vector, book.layout)
        for name, part in want.items():
            same(f"what seat {seat} sees of {name}", seen[name], part)


def decide(book: Engine, state: np.ndarray, it: Reference, action: int) -> None:
    """Takes a decision on both sides."""
    it.apply(action)
    rewards = book.step(state, action)
    fault = difference(state[0], it)
    if fault:
        raise DifferenceError(f"after {action}: {fault}")
    for scheme, paid in zip(("win", "rank"), rewards, strict=True):
        due = np.array([*it.rewards(scheme), *[0.0] * (6 - it.players)], np.float32)
        same(f"reward {scheme}", np.abs(paid - due).max() < 1e-6, True)


def play(rules: Rules, policies: list[Policy], rng: random.Random, start: bool) -> Counter[str]:
    """Plays one game on both sides and compares them at every step."""
    book, it = engine(rules), reference_of(rules)
    state = book.new()
    same("the deal", difference(state[0], it), None)
    if not start:
        scatter(it, rng)
        for name, value in expected(it).items():
            state[0][name] = value
    while not it.over:
        legal = it.options()
        same("legal", book.legal(state), legal)
        same("max_legal", 0 < len(legal) <= rules.max_legal, True)
        for action in (rng.randrange(-3, rules.num_actions + 3), rng.choice(legal)):
            same(f"is_legal {action}", book.is_legal(state, action), action in legal)
        if it.events["decisions"] % EVERY == 0:
            look(book, state, it, rng.randrange(it.players))
        decide(book, state, it, policies[it.seat](it, rng, legal))
        it.events["decisions"] += 1
    same("legal after the end", book.legal(state), [])
    same("is_legal after the end", book.is_legal(state, 0), False)
    look(book, state, it, rng.randrange(it.players))
    return it.events


def run_game(seed: int) -> Counter[str]:
    rng = random.Random(seed)
    rules = random_rules(rng)
    policies = [rng.choice(POLICIES) for _ in range(rules.players)]
    start = rng.random() < 0.35
    events = play(rules, policies, rng, start)
    events[f"{rules.players} players"] += 1
    events["tiny games"] += rules.map.name == "tiny"
    events["small maps"] += rules.map.name == "random"
    events["games with move2_village"] += rules.move2_village
    events["games with long_planks"] += rules.long_planks
    events["games"] += 1
    return events


def run_batch(number: int, seed: int) -> Counter[str]:
    """Plays some games on both sides; returns what was seen."""
    seen: Counter[str] = Counter()
    for game in range(number * BATCH, (number + 1) * BATCH):
        try:
            seen.update(run_game(seed * 1_000_003 + game))
        except DifferenceError as error:
            raise DifferenceError(f"run_game({seed * 1_000_003 + game}): {error}") from error
    return seen


FUZZ = Fuzz("tests.dragon_delta.fuzz", run_batch, DifferenceError, "games", 100_000)

if __name__ == "__main__":
    sys.exit(FUZZ.main())
