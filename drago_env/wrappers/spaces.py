"""What adapters have in common: their spaces, render modes, and what they tell of ended games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from drago_env.game import Game, GameSpec

RENDER_MODES = ("human", "ansi", "rgb_array")
FPS = 4  # pictures a second in a window
CLOSED = "the environment is closed: call reset() to open it again"


def check_render_mode(mode: str | None) -> None:
    """Refuses a render mode that there is not."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be None or one of {RENDER_MODES}, not {mode!r}")


def decision_space(spec: GameSpec, action_features: bool) -> spaces.Dict:
    """What a seat sees when it decides; with features also the list of its legal actions."""
    bound = spec.observation_bound
    parts: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(-bound, bound, (spec.observation_size,), np.float32),
        "action_mask": spaces.Box(0, 1, (spec.num_actions,), np.int8),
    }
    if action_features:
        shape = (spec.max_legal, spec.feature_size)
        parts["legal_actions"] = spaces.Box(-1, spec.num_actions - 1, shape[:1], np.int64)
        parts["action_features"] = spaces.Box(-bound, bound, shape, np.float32)
    return spaces.Dict(parts)


def at_row(seen: Any, row: int) -> Any:
    """What is seen in one game of a batch."""
    return {key: part[row] for key, part in seen.items()} if isinstance(seen, dict) else seen[row]


def final(over: NDArray[np.bool_], seen: Iterable[Any], info: dict[str, Any]) -> dict[str, Any]:
    """What Gymnasium's same-step mode tells of the games that have ended, the last seen of each."""
    last = np.full(len(over), None, object)
    for row, observation in zip(np.flatnonzero(over), seen, strict=True):
        last[row] = observation
    return {"final_obs": last, "_final_obs": over, "final_info": info, "_final_info": over}


def told(env: Any, game: Game, *more: str) -> str:
    """What an environment is, for its `repr`."""
    players = int(game.players(game.new(0))[0])
    words = ", ".join([game.spec.title, f"{players} players", *more])
    return f"<{type(env).__name__}: {words}>"
