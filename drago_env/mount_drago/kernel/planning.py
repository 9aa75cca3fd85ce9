"""What a search asks of Mount Drago."""

from __future__ import annotations

from typing import Any

from drago_env.core.advice import Advice
from drago_env.core.compiled import inlined
from drago_env.core.search import searches
from drago_env.mount_drago.kernel.foresight import write_foresight
from drago_env.mount_drago.kernel.game import FUNCTIONS
from drago_env.mount_drago.kernel.heuristic import assess_all
from drago_env.mount_drago.kernel.win_chance import leaf_values
from drago_env.mount_drago.rules import MIN_PLAYERS


@inlined
def kind(game: Any) -> Any:
    """Weights are fitted for each number of players."""
    return game["players"] - MIN_PLAYERS


ADVICE = Advice(kind, assess_all, leaf_values, foresight=write_foresight)
SEARCHES = searches(__name__, FUNCTIONS, ADVICE)
