"""What a search asks of the game."""

from __future__ import annotations

from typing import Any

from drago_env.core.advice import Advice
from drago_env.core.compiled import inlined
from drago_env.core.search import searches
from drago_env.rupe_dei_draghi.kernel.costs import WORK
from drago_env.rupe_dei_draghi.kernel.game import FUNCTIONS
from drago_env.rupe_dei_draghi.kernel.heuristic import assess_all
from drago_env.rupe_dei_draghi.kernel.win_chance import leaf_values
from drago_env.rupe_dei_draghi.rules import MIN_PLAYERS
from drago_env.rupe_dei_draghi.state import TURN


@inlined
def kind(game: Any) -> Any:
    """Chances to win are fitted for each number of riders."""
    return game["players"] - MIN_PLAYERS


@inlined
def quiet(game: Any) -> Any:
    """Between two turns."""
    return game["step"] == TURN


ADVICE = Advice(kind, assess_all, leaf_values, quiet=quiet)
SEARCHES = searches(__name__, FUNCTIONS._replace(work=WORK), ADVICE)
