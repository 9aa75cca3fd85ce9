"""Golden games: whole records and a readable playthrough that must never change in a version.

The files were made by the engine itself with the policy below, and say so where a change of
rules, chance, observation or text goes unnoticed elsewhere.
`python -m tests.rupe_dei_draghi.test_golden` writes them anew, on purpose.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from drago_env.game import State
from drago_env.rupe_dei_draghi import record
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.record import Record
from drago_env.rupe_dei_draghi.rules import REUSES, Rules

FOLDER = Path(__file__).parent / "golden"
CASES = [(players, reuse, seed) for players in (2, 3, 4) for reuse in REUSES for seed in (1, 2)]
CAP = 60


def rules_of(players: int, reuse: str) -> Rules:
    return Rules(players, turn_cap=CAP, reuse=reuse, stop=reuse == "top")


def choose(game: RupeDeiDraghi, state: State, move: int) -> int:
    """The golden policy: of the legal actions, in ascending order, number 7 * move + 3."""
    legal = game.legal(state)
    return int(legal.actions[0, (7 * move + 3) % legal.counts[0]])


def golden_record(players: int, reuse: str, seed: int) -> Record:
    game = RupeDeiDraghi(rules_of(players, reuse))
    start = game.new(seed)
    state = start.copy()
    actions: list[int] = []
    while not game.over(state)[0]:
        actions.append(choose(game, state, len(actions)))
        game.step(state, actions[-1:])
    return record.record(game, start, actions, seed=seed)


def playthrough() -> str:
    return "\n".join(_playthrough(RupeDeiDraghi(Rules.tiny(6)), 5)) + "\n"


def _playthrough(game: RupeDeiDraghi, seed: int) -> Iterator[str]:
    state, move = game.new(seed), 0
    yield f"# A tiny game of the golden policy from seed {seed}."
    while not game.over(state)[0]:
        seat = int(state["seat"][0])
        yield f"\n## Decision {move}"
        yield game.describe(state)
        seen = game.observe(state)[0]
        digest = hashlib.sha256(seen.tobytes()).hexdigest()[:16]
        yield f"observation of seat {seat}: {digest}"
        legal = game.legal(state)
        listed = legal.actions[0, : legal.counts[0]].tolist()
        yield "legal: " + ", ".join(f"{game.action_text(a)} ({a})" for a in listed)
        action = choose(game, state, move)
        yield f"seat {seat}: {game.action_text(action)}"
        game.step(state, [action])
        move += 1
    yield "\n## The end"
    yield game.describe(state)


def files() -> dict[str, str]:
    """Every golden file and what should be in it."""
    records = "".join(_line(golden_record(*case)) for case in CASES)
    return {"records.jsonl": records, "tiny.txt": playthrough()}


def _line(made: Record) -> str:
    return json.dumps(made, separators=(",", ":")) + "\n"


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_recorded_game_is_played_again(case: tuple[int, str, int]) -> None:
    assert golden_record(*case) == record.read(FOLDER / "records.jsonl")[CASES.index(case)]


def test_the_stored_records_are_sound_and_compact() -> None:
    stored = record.read(FOLDER / "records.jsonl")
    assert record.verify_all(stored) == [None] * len(CASES)
    for made in stored:
        views = [record.view(made, seat) for seat in range(made["rules"]["players"])]
        assert record.verify_all(views) == [None] * len(views)
    assert "".join(map(_line, stored)) == read("records.jsonl")
    assert len(read("records.jsonl")) < 150_000


def test_the_playthrough_reads_the_same() -> None:
    for number, (line, old) in enumerate(
        zip(playthrough().splitlines(), read("tiny.txt").splitlines(), strict=True), 1
    ):
        assert line == old, f"tiny.txt, line {number}"


def test_there_are_no_other_files() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(files())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in files().items():
        (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {file}, {len(text)} characters")
