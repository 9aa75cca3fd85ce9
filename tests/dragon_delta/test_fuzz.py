"""Engine and reference over many games, in which rare things must have happened."""

from __future__ import annotations

from collections import Counter

from tests.dragon_delta.fuzz import run_game

GAMES = 2000
RARE = {
    "win by move": 50,
    "win by second": 10,
    "win by first": 10,  # the flag of 6.7
    "win by jump": 5,
    "dead-end move2": 100,
    "lost plank": 500,
    "support limit": 1000,
    "crossing refused": 1000,
    "two-colour reserve": 100,
    "plank of a two-colour reserve": 50,
    "taking refused": 100,
    "several dragons on one target": 50,
    "dragon against a dragon": 100,
    "fall from a plank by first": 50,
    "fall from a plank by jump": 100,
    "fall from a plank by move": 10,
    "jump from a village": 10,
    "jump onto a village": 20,
    "jump onto a link": 50,
    "foreign village": 50,
    "stone removed": 100,
    "truncated": 500,
    "tiny games": 50,
    "small maps": 200,
    "games with long_planks": 100,
    "games with move2_village": 100,
    **{f"{players} players": 100 for players in range(2, 7)},
}


def test_engine_and_reference_agree_over_many_games() -> None:
    seen: Counter[str] = Counter()
    for seed in range(GAMES):
        try:
            seen.update(run_game(seed))
        except AssertionError as error:
            raise AssertionError(f"run_game({seed}): {error}") from error
    assert seen["games"] == GAMES
    missing = {name: seen[name] for name, least in RARE.items() if seen[name] < least}
    assert not missing
