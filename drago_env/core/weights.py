"""Weights of rules of thumb and of chances to win that were found by play, kept in a JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drago_env.core.checks import real
from drago_env.core.files import read_json, reading


def read_weights(path: Path, kinds: Mapping[str, Any]) -> dict[str, dict[int, Any]]:
    """Every set by its name and number of players; `kinds` says what numbers each has."""
    sets = read_json(path)
    with reading(path):
        found = {
            name: {int(players): kinds[name](**numbers) for players, numbers in table.items()}
            for name, table in sets.items()
        }
        for name, table in found.items():
            for players, numbers in table.items():
                for key, number in numbers._asdict().items():
                    real(f"{key} of {name}, {players} players,", number, -1e6, 1e6)
    return found
