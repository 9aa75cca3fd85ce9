"""The kernel equals the reference: whole games, move by move, with every corner met often."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pytest

from drago_env.game import StateError
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import EDITIONS, Rules
from tests.mount_drago import fuzz
from tests.mount_drago.fuzz import POLICIES, random_board, random_sizes, valid
from tests.mount_drago.oracle import FIELDS, Difference, Match, Policy, play_compared

BATCH = 40
PLAYERS = (2, 3, 4, 5)
OFTEN = 100

# ---------------------------------------------------------------- rules for a batch


def printed(rng: random.Random, edition: str) -> list[Rules]:
    """All player counts, each on both sides of the board (1.4)."""
    return [Rules(n, edition, Board.side(side)) for n in PLAYERS for side in (2, 5)]


def crowded(rng: random.Random) -> list[Rules]:
    """The printed game for five, where slow riders empty the deck (7.3)."""
    return [Rules(5, edition) for edition in EDITIONS]


def new_boards(rng: random.Random) -> list[Rules]:
    boards = [Board.random(rng.getrandbits(32), rng.randint(12, 30)) for _ in range(4)]
    return [Rules(n, e, rng.choice(boards)) for n in PLAYERS for e in EDITIONS]


def scoring_path(rng: random.Random) -> list[Rules]:
    """The printed cards on a track where nearly every landing scores."""
    kinds = rng.choices(["plain", "blue", "green"], [1, 6, 3], k=16)
    values = [rng.randint(-2, 8) for _ in range(20)]
    board = Board((0, *values), ("start", *kinds, *["summit"] * 4))
    return [Rules(n, e, board) for n in PLAYERS for e in EDITIONS]


def tiny(rng: random.Random) -> list[Rules]:
    """Clause 11 refuses the tiny game for three riders in the italian edition, and only that."""
    rules = valid([partial(Rules.tiny, n, e) for n in (2, 3) for e in EDITIONS])
    assert [(r.players, r.edition) for r in rules] == [(2, "german"), (2, "italian"), (3, "german")]
    return rules


def small(rng: random.Random) -> list[Rules]:
    return random_sizes(rng, [random_board(rng) for _ in range(3)])


def scarce(rng: random.Random) -> list[Rules]:
    """Few cards beside the hands and the tops, and dragons that wait on the summit."""
    make = partial(Rules, board=random_board(rng, path=20), colours=5, copies=(2, 2, 2), hand=3)
    return valid([partial(make, n, e, summit_dragons=4) for n in PLAYERS for e in EDITIONS])


def below_zero(rng: random.Random) -> list[Rules]:
    return random_sizes(rng, [random_board(rng, low=-6, high=0) for _ in range(3)])


def flat(rng: random.Random) -> list[Rules]:
    """Few scorings with values of 0 and 1, so that many riders end with equal scores (6.8)."""
    make = partial(Rules, colours=7, copies=(2, 2, 2), hand=3, summit_dragons=1)
    boards = [random_board(rng, low=0, high=1, path=4) for _ in range(3)]
    return [make(n, e, rng.choice(boards)) for n in (3, 4, 5) for e in EDITIONS]


class Group(NamedTuple):
    games: int
    rules: Callable[[random.Random], list[Rules]]
    corners: Sequence[str]  # each is met OFTEN in this group alone
    policies: Sequence[Policy] = POLICIES


GROUPS = {
    "german": Group(320, partial(printed, edition="german"), ["discard_german", "below_zero"]),
    "italian": Group(320, partial(printed, edition="italian"), ["discard_italian", "last_space"]),
    "crowded": Group(160, crowded, ["reshuffle"], [fuzz.slow]),
    "new boards": Group(280, new_boards, ["keep", "take", "under", "zero_move"]),
    "scoring path": Group(160, scoring_path, ["four_scorings", "last_card", "refill_empty_hand"]),
    "tiny": Group(400, tiny, ["last_card", "refill_empty_hand", "summit"]),
    "small": Group(480, small, ["zero_move", "last_space", "reshuffle_mid_draw", "refused"]),
    "scarce": Group(320, scarce, ["reshuffle_mid_draw", "all_summit_discarded"]),
    "below zero": Group(320, below_zero, ["all_negative", "below_zero"]),
    "flat": Group(600, flat, ["tie", "tie_of_three"]),
}
CORNERS = {
    *("reshuffle_mid_draw", "refill_empty_hand", "zero_move", "last_space", "last_card"),
    *("four_scorings", "discard_german", "discard_italian", "all_summit_discarded"),
    *("tie", "tie_of_three", "below_zero", "all_negative"),
}


@pytest.mark.parametrize("name", GROUPS)
def test_the_kernel_equals_the_reference(name: str) -> None:
    group = GROUPS[name]
    corners: Counter[str] = Counter()
    for batch in range(group.games // BATCH):
        seed = f"{name} {batch}"
        rules = group.rules(random.Random(seed))
        play_compared(rules, seed, BATCH, group.policies, corners)
    assert corners["finished"] == group.games
    assert {corner: corners[corner] for corner in group.corners if corners[corner] < OFTEN} == {}


def test_the_groups_are_large_and_meet_every_corner() -> None:
    assert sum(group.games for group in GROUPS.values()) >= 2000
    assert {corner for group in GROUPS.values() for corner in group.corners} >= CORNERS


# ---------------------------------------------------------------- the comparison itself


def midgame() -> Match:
    match = Match([Rules(3)], [1, 2], [0, 0], Counter(), every=1)
    for _ in range(4):
        match.step({row: match.legal[row][0] for row in match.live})
    return match


@pytest.mark.parametrize("name", FIELDS)
def test_a_wrong_state_is_noticed(name: str) -> None:
    match = midgame()
    match.state[name].reshape(2, -1)[1, 0] ^= 1
    with pytest.raises(StateError if name == "hand_size" else Difference, match="row 1"):
        match.compare()


@pytest.mark.parametrize(
    ("method", "part"),
    [
        *[("observe", ""), ("observe_compact", ""), ("features", ""), ("winners", "")],
        *[("legal", "actions"), ("legal", "counts"), ("legal", "mask")],
        *[("step", "points"), ("step", "rewards")],
    ],
)
def test_a_wrong_answer_is_noticed(method: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(MountDrago, method)

    def wrong(*given: Any) -> Any:
        """The same answer, with one number of the second game changed."""
        answer = right(*given)
        cells = (getattr(answer, part) if part else answer).reshape(2, -1)
        cells[1, 0] = cells[1, 0] == 0
        return answer

    match = midgame()
    actions = {row: match.legal[row][0] for row in match.live}
    monkeypatch.setattr(MountDrago, method, wrong)
    listed = method == "legal" and part != "mask"  # features look at lists first
    with pytest.raises(ValueError if listed else Difference, match="row 1"):
        match.step(actions)
