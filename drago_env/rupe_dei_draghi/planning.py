"""What planners ask of the game."""

from __future__ import annotations

from drago_env.core.planning import Planner
from drago_env.rupe_dei_draghi.kernel.planning import SEARCHES

PLANNER = Planner(SEARCHES)
