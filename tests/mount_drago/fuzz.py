"""Kernel against reference over many games of random rules."""

from __future__ import annotations

import random
import sys
from collections import Counter
from functools import partial

from drago_env.mount_drago.board import Board
from drago_env.mount_drago.rules import EDITIONS, MAX_CARDS, Rules, RulesError
from tests.fuzzing import Fuzz
from tests.mount_drago.oracle import Difference, Policy, landing, play_compared
from tests.mount_drago.reference import Reference

BATCH = 32
EVERY = 19  # features and observations are slow to work out, and many games make up for it

# ---------------------------------------------------------------- ways to play


def uniform(side: Reference, rng: random.Random, legal: list[int]) -> int:
    return rng.choice(legal)


def slow(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Avoids the summit and scorings, moves little, keeps, discards all: the deck runs out."""
    if rng.random() < 0.1:
        return rng.choice(legal)
    board = tuple(side.board)

    def haste(action: int) -> tuple[float, ...]:
        block, card = divmod(action, side.kinds)
        if block >= 2:
            return (block, rng.random())
        space = side.position[side.colour(card)]
        goal, trigger = landing(board, space, side.value(card))
        arrives = board[goal][1] == "summit" != board[space][1]
        return (arrives, trigger > 0, goal - space, block == 0, rng.random())

    return min(legal, key=haste)


def zero_mover(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Brings a dragon to the last space and then moves it by nothing (4.4)."""
    last = len(side.board) - 1
    there = last in side.position

    def worth(action: int) -> tuple[float, ...]:
        block, card = divmod(action, side.kinds)
        if block >= 2:
            return (block, rng.random())  # done: the cards are kept
        space = side.position[side.colour(card)]
        return (space == last, -space if there else space, rng.random())

    return max(legal, key=worth)


def scorer(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Triggers a scoring wherever it can, so that the hand shrinks to the last card (7.4)."""
    board = tuple(side.board)

    def worth(action: int) -> tuple[float, ...]:
        block, card = divmod(action, side.kinds)
        if block >= 2:
            return (0, 0, rng.random())
        space = side.position[side.colour(card)]
        goal, trigger = landing(board, space, side.value(card))
        return (trigger > 0, board[goal][1] != "summit", rng.random())

    return max(legal, key=worth)


def discarder(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Discards all that it may."""
    return rng.choice([action for action in legal if action < 3 * side.kinds])


def never_discards(side: Reference, rng: random.Random, legal: list[int]) -> int:
    return legal[-1] if legal[-1] == 3 * side.kinds else rng.choice(legal)


POLICIES: tuple[Policy, ...] = (uniform, slow, zero_mover, scorer, discarder, never_discards)

# ---------------------------------------------------------------- rules of all kinds


def valid(rules: list[partial[Rules]]) -> list[Rules]:
    """Those that clause 11 does not refuse."""
    made = []
    for make in rules:
        try:
            made.append(make())
        except RulesError:
            continue
    return made


def random_board(rng: random.Random, low: int = -2, high: int = 8, path: int = 0) -> Board:
    """A board in the manner of clause 1.5, with at most so many path spaces; 0 is any number."""
    path = rng.randint(1, path or rng.choice([4, 10, 24, 56]))
    summit = rng.randint(1, 5)
    kinds = rng.choices(["plain", "blue", "green"], [rng.random() for _ in range(3)], k=path)
    values = [rng.randint(low, high) for _ in range(path + summit)]
    return Board((0, *values), ("start", *kinds, *["summit"] * summit))


def random_sizes(rng: random.Random, boards: list[Board]) -> list[Rules]:
    """Rules of some random size, for all players and editions that the size allows."""
    while True:
        colours = rng.randint(2, 10)
        values = rng.randint(1, 5)
        copies = tuple(rng.randint(1, 4) for _ in range(values))
        hand, summit = rng.randint(1, 6), rng.randint(1, colours)
        if colours * sum(copies) > MAX_CARDS:
            continue
        # a game that needs many dragons on a far summit takes long and shows nothing new
        if summit > 4 and max(len(board) for board in boards) > 16:
            continue
        sizes = {"colours": colours, "copies": copies, "hand": hand, "summit_dragons": summit}
        made = valid(
            [
                partial(Rules, players, edition, rng.choice(boards), **sizes)  # type: ignore[arg-type]
                for players in (2, 3, 4, 5)
                for edition in EDITIONS
            ]
        )
        if made:
            return made


def random_rules(rng: random.Random) -> list[Rules]:
    """Rules for one batch: of one size, with a mixture of players, editions and boards."""
    kind = rng.random()
    if kind < 0.3:  # the printed game
        boards = [Board.side(2), Board.side(5), Board.random(rng.getrandbits(32))]
        boards.append(Board.random(rng.getrandbits(32), rng.randint(12, 36)))
        return [Rules(n, e, rng.choice(boards)) for n in (2, 3, 4, 5) for e in EDITIONS]
    if kind < 0.4:
        return valid([partial(Rules.tiny, n, e) for n in (2, 3) for e in EDITIONS])
    low, high = rng.choice([(-2, 8), (-2, 8), (0, 1), (-6, 0), (-50, 50)])
    return random_sizes(rng, [random_board(rng, low, high) for _ in range(3)])


# ---------------------------------------------------------------- many games


def run_batch(number: int, seed: int) -> Counter[str]:
    """Plays one batch on both sides; returns what was seen."""
    corners: Counter[str] = Counter()
    rules = random_rules(random.Random(f"rules {seed} {number}"))
    play_compared(rules, f"{seed} {number}", BATCH, POLICIES, corners, limit=200, every=EVERY)
    return corners


FUZZ = Fuzz("tests.mount_drago.fuzz", run_batch, Difference, "games", 200_000)

if __name__ == "__main__":
    sys.exit(FUZZ.main())
