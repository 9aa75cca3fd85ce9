"""Golden games: whole records and readable playthroughs that must never change in a version.

The files were made by the engine itself with the policy below, and say so where a change of
rules, chance, observation or text goes unnoticed elsewhere. `python -m tests.test_golden`
writes them anew, on purpose; the difference then tells what has changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from drago_env import MountDrago, Rules, observation, position, record
from drago_env.game import State
from drago_env.mount_drago.record import Record
from drago_env.mount_drago.rules import EDITIONS

FOLDER = Path(__file__).parent / "golden"
SEEDS = (1, 2)
RECORDS = [
    (players, edition, seed) for players in (2, 3, 4, 5) for edition in EDITIONS for seed in SEEDS
]
PLAYTHROUGHS = {
    "german-2.txt": (Rules(2, "german"), 41),
    "tiny-italian-2.txt": (Rules.tiny(2, "italian"), 24),
}
# In a playthrough, what is the same in every position or only noise for a reader is left out.
CONSTANT = (position.FORMAT, "rules:", "board:")
NOISE = ("deck:", "chance:", "covered:")


def choose(game: MountDrago, state: State, move: int) -> tuple[list[int], int]:
    """The golden policy: of the legal actions, in ascending order, number 7 * move + 3."""
    legal = game.legal(state)
    actions = legal.actions[0, : legal.counts[0]].tolist()
    return actions, actions[(7 * move + 3) % len(actions)]


def golden_record(players: int, edition: str, seed: int) -> Record:
    game = MountDrago(Rules(players, edition))
    start = game.new(seed)
    state = start.copy()
    actions: list[int] = []
    while not game.over(state)[0]:
        actions.append(choose(game, state, len(actions))[1])
        game.step(state, actions[-1:])
    return record.record(game, start, actions, seed=seed)


def playthrough(rules: Rules, seed: int) -> str:
    return "\n".join(_playthrough(MountDrago(rules), seed)) + "\n"


def _playthrough(game: MountDrago, seed: int) -> Iterator[str]:
    state = game.new(seed)
    yield f"# A game of the golden policy from seed {seed}; see tests/test_golden.py."
    yield from (line for line in _lines(game, state) if line.startswith(CONSTANT))
    move, seen = 0, [""] * game.rules[0].players
    while not game.over(state)[0]:
        yield f"\n## Move {move}"
        yield from _moment(game, state)
        seat = int(state["seat"][0])
        view, before = observation.describe(game.observe(state)[0], game.rules[0]), seen[seat]
        yield f"\nseat {seat} sees (what it saw at its last decision is left out):"
        yield from (f"  {line}" for line in view.split("\n") if line not in before.split("\n"))
        seen[seat] = view
        actions, action = choose(game, state, move)
        yield "legal: " + ", ".join(f"{game.action_text(a)} ({a})" for a in actions)
        yield f"seat {seat}: {game.action_text(action)}"
        points = game.step(state, [action]).points[0, : game.rules[0].players]
        if points.any():
            yield f"points: {' '.join(map(str, points))}"
        move += 1
    yield "\n## The end"
    yield from _moment(game, state)
    winners = [str(seat) for seat, won in enumerate(game.winners(state)[0]) if won]
    yield f"winners: {' '.join(winners)}"


def _lines(game: MountDrago, state: State) -> list[str]:
    return position.write(game, state).splitlines()


def _moment(game: MountDrago, state: State) -> list[str]:
    return [line for line in _lines(game, state) if not line.startswith(CONSTANT + NOISE)]


def files() -> dict[str, str]:
    """Every golden file and what should be in it."""
    made = (golden_record(*case) for case in RECORDS)
    texts = {"records.jsonl": "".join(_line(one) for one in made)}
    return texts | {name: playthrough(*case) for name, case in PLAYTHROUGHS.items()}


def _line(made: Record) -> str:
    return json.dumps(made, separators=(",", ":")) + "\n"


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("players", "edition", "seed"), RECORDS)
def test_the_recorded_game_is_played_again(players: int, edition: str, seed: int) -> None:
    stored = record.read(FOLDER / "records.jsonl")[RECORDS.index((players, edition, seed))]
    assert golden_record(players, edition, seed) == stored


def test_the_stored_records_are_sound_and_compact() -> None:
    stored = record.read(FOLDER / "records.jsonl")
    assert record.verify_all(stored) == [None] * len(RECORDS)
    assert "".join(_line(made) for made in stored) == read("records.jsonl")
    assert len(read("records.jsonl")) < 100_000
    steps = {move["action"] // 50 for made in stored for move in made["moves"]}
    assert steps == {0, 1, 2, 3}  # plays, keeps, discards and dones all occur


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_the_playthrough_reads_the_same(name: str) -> None:
    new, stored = playthrough(*PLAYTHROUGHS[name]).splitlines(), read(name).splitlines()
    for number, (line, old) in enumerate(zip(new, stored, strict=False), 1):
        assert line == old, f"{name}, line {number}"
    assert len(new) == len(stored)


def test_there_are_no_other_files() -> None:
    names = {path.name for path in FOLDER.iterdir()}
    assert names == {"records.jsonl", *PLAYTHROUGHS}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in files().items():
        (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote tests/golden/{file}, {len(text)} characters")
