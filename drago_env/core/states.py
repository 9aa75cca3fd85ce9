"""State files (`.npz`): games at any move, with what their rule book is made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from drago_env.core.files import read_arrays, reading, replacing
from drago_env.game import State, StateError

FORMAT = "drago-state/1"


def save(path: str | Path, about: dict[str, Any], state: State) -> None:
    """Writes a state whole or not at all; nothing is pickled."""
    about = {"format": FORMAT, **about}
    with replacing(path) as part, part.open("wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), state=state)


def load(path: str | Path, make: Callable[[dict[str, Any]], Any]) -> tuple[Any, State]:
    """The games of a state file; a damaged or edited file is refused, never believed."""
    arrays = read_arrays(path, StateError)
    with reading(path, StateError):
        about, state = json.loads(str(arrays["about"])), arrays["state"]
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise StateError(f"{path} is not a state file of the format {FORMAT}")
        game = make(about)
        if state.dtype != game.state_type or state.ndim != 1:
            raise StateError(f"{path}: the state has the wrong type or shape")
        state = state.view(game.state_type)  # files forget that records are aligned
        try:
            game.check(state)
        except StateError as error:
            raise StateError(f"{path}, {error}") from None
    return game, state


class StateFiles(NamedTuple):
    """The state files of a game, with the board that its rules hold beside numbers."""

    game: Callable[..., Any]  # the rule book, made of rules and a reward
    rules: Callable[..., Any]
    board: str  # what the rules call it
    told: Callable[[Any], Any]  # as it is written
    made: Callable[[Any], Any]

    def save(self, path: str | Path, game: Any, state: State) -> None:
        """Writes games at any move, with their rules, to a plain `.npz` (nothing is pickled)."""
        told = [{**r.as_dict(), self.board: self.told(getattr(r, self.board))} for r in game.rules]
        save(path, {"rules": told, "reward": game.reward}, state)

    def load(self, path: str | Path) -> tuple[Any, State]:
        """The games of a state file; a damaged or edited file is refused, never believed."""
        return load(path, self._book)

    def _book(self, about: dict[str, Any]) -> Any:
        told = [{**rules, self.board: self.made(rules[self.board])} for rules in about["rules"]]
        return self.game(*(self.rules(**rules) for rules in told), reward=about["reward"])
