"""What a search asks of the game."""

from __future__ import annotations

from drago_env.core.advice import Advice
from drago_env.core.search import searches
from drago_env.rupe_dei_draghi.kernel.costs import WORK
from drago_env.rupe_dei_draghi.kernel.game import FUNCTIONS
from drago_env.rupe_dei_draghi.kernel.heuristic import assess_all
from drago_env.rupe_dei_draghi.kernel.win_chance import leaf_values

ADVICE = Advice(assess=assess_all, leaf=leaf_values)
SEARCHES = searches(__name__, FUNCTIONS._replace(work=WORK), ADVICE)
