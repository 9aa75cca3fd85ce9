"""Engine and reference over many games, in which rare things must have happened."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.dragon_delta.fuzz import run_game

GAMES, BLOCKS = 2000, 4  # in blocks, which may run side by side
# at least so many of each in every block
RARE = {
    "win by move": 10,
    "win by second": 2,
    "win by first": 2,  # the flag of 6.7
    "win by jump": 1,
    "dead-end move2": 20,
    "lost plank": 100,
    "support limit": 200,
    "crossing refused": 200,
    "two-colour reserve": 20,
    "plank of a two-colour reserve": 10,
    "taking refused": 20,
    "several dragons on one target": 10,
    "dragon against a dragon": 20,
    "fall from a plank by first": 10,
    "fall from a plank by jump": 20,
    "fall from a plank by move": 2,
    "jump from a village": 2,
    "jump onto a village": 4,
    "jump onto a link": 10,
    "foreign village": 10,
    "stone removed": 20,
    "truncated": 100,
    "tiny games": 10,
    "small maps": 40,
    "games with long_planks": 20,
    "games with move2_village": 20,
    **{f"{players} players": 25 for players in range(2, 7)},
}


@pytest.mark.parametrize("block", range(BLOCKS))
def test_engine_and_reference_agree_over_many_games(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(block, GAMES, BLOCKS):
        try:
            seen.update(run_game(seed))
        except AssertionError as error:
            raise AssertionError(f"run_game({seed}): {error}") from error
    assert seen["games"] == GAMES // BLOCKS
    missing = {name: seen[name] for name, least in RARE.items() if seen[name] < least}
    assert not missing
