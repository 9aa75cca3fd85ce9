"""Golden games: whole records that must never change in a version.

The file was made by the engine itself with the policy below. `python -m
tests.dragon_delta.test_golden` writes it anew, on purpose; the difference then tells what changed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from drago_env.dragon_delta import record
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.record import Record
from drago_env.dragon_delta.rules import Rules

FILE = Path(__file__).parent / "golden" / "records.jsonl"
GAMES = [
    Rules.tiny(),
    Rules(2),
    *(Rules(players, max_rounds=3) for players in (3, 4, 5, 6)),
    Rules(3, max_rounds=3, move2_village=True, long_planks=True),
    Rules(2, kinds=(0, 2, 5), slots=3, planks=8, stones=12, support=2, max_rounds=6),
]


def golden_record(rules: Rules) -> Record:
    """The golden policy takes, of the legal actions in order, number 7 * move + 3."""
    game = DragonDelta(rules)
    start = game.new(0)
    state, actions = start.copy(), list[int]()
    while not game.over(state)[0]:
        legal = game.legal(state)
        place = (7 * len(actions) + 3) % int(legal.counts[0])
        actions.append(int(legal.actions[0, place]))
        game.step(state, actions[-1:])
    return game.record(start, actions, seed=0)


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_golden_records_do_not_change(number: int) -> None:
    assert golden_record(GAMES[number]) == record.read(FILE)[number]


def test_golden_records_are_sound() -> None:
    assert record.verify_all(record.read(FILE)) == [None] * len(GAMES)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    record.write(FILE, map(golden_record, GAMES))
