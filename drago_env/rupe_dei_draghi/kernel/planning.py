"""What a search asks of the game."""

from __future__ import annotations

from drago_env.core.batches import scratch
from drago_env.core.search import searches
from drago_env.rupe_dei_draghi.graph import MAX_ACTIONS
from drago_env.rupe_dei_draghi.kernel.game import FUNCTIONS
from drago_env.rupe_dei_draghi.rules import MAX_PLAYERS

WORK = scratch(MAX_PLAYERS, MAX_ACTIONS)
SEARCHES = searches(__name__, FUNCTIONS._replace(work=WORK))
