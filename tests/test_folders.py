"""The same thing has the same file name in every game; what a game has besides is told here."""

from __future__ import annotations

from pathlib import Path

import pytest

from drago_env.games import BUILT_IN

ROOT = Path(__file__).parent.parent
# of every game; its kernel begins with what the seam and the planners call
GAME = {
    *("__init__", "actions", "game", "greedy", "heuristic", "observation", "planning", "record"),
    *("refusals", "rules", "scene", "soundness", "state", "storage", "table", "terminal"),
    *("visible", "words"),
    *(f"kernel/{name}" for name in ("__init__", "features", "game", "heuristic", "knowledge")),
    *(f"kernel/{name}" for name in ("legal", "planning", "win_chance")),
}
# of one game alone, and what it is there for
OWN = {
    "mount_drago": {
        "analysis": "columns of its records",
        "board": "the track as data",
        "former": "what version 0.1 called otherwise",
        "moves": "its records read side by side",
        "position": "a position as text that can be read back",
        "replay": "a seat's view of a record, replayed",
        "statistics": "questions about the game itself",
        "track": "the drawing's path",
        "kernel/cards": "hands and piles",
        "kernel/deal": "the set-up",
        "kernel/foresight": "features of the next two plays",
        "kernel/turn": "a turn",
    },
    "dragon_delta": {
        "cards": "the drawing's cards and pawns",
        "map": "islets, villages and links as data",
        "news": "what follows from a decision by itself",
        "kernel/options": "what can be chosen in a step",
        "kernel/play": "the set-up, a round and the cards",
        "kernel/program": "what a program does",
        "kernel/result": "what is paid at the end",
        "kernel/sight": "the observation",
        "kernel/way": "the way that a seat plans",
        "kernel/ways": "distances over the planks",
    },
    "rupe_dei_draghi": {
        "graph": "spaces and roads as data",
        "opening": "how its records begin",
        "tokens": "the drawing's pieces",
        "views": "a seat's view of a record, verified",
        "kernel/cards": "hands and piles",
        "kernel/costs": "the price of a way",
        "kernel/deal": "the set-up",
        "kernel/doors": "ways that the own hand opens",
        "kernel/look": "the observation",
        "kernel/paths": "moving by points",
        "kernel/pieces": "what may be done with pieces",
        "kernel/pieces_tried": "ways after an answer",
        "kernel/places": "what places are worth",
        "kernel/rewards": "what is paid",
        "kernel/turn": "a turn",
        "kernel/ways": "distances as they are now",
    },
}
AGENTS = {"__init__.py", "leaderboard.toml", "network.md", "network.safetensors"}
TUNED = {"tune.py", "tuning"}  # where the planners' weights were searched for


def test_every_game_says_what_is_its_own() -> None:
    assert set(OWN) == set(BUILT_IN)


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_games_folder_has_the_files_of_every_game(game: str) -> None:
    folder = ROOT / "drago_env" / game
    found = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.py")}
    assert sorted(GAME - found) == []
    assert sorted(found - GAME) == sorted(OWN[game])


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_games_agents_have_the_files_of_every_game(game: str) -> None:
    found = {path.name for path in (ROOT / "agents" / game).iterdir()} - {"__pycache__"}
    assert found - AGENTS in (set(), TUNED)
    assert found >= AGENTS
