"""PettingZoo's usual wrappers around a game, without their cost."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils import wrappers

from drago_env.wrappers.aec import Observation, as_number
from drago_env.wrappers.spaces import told


class Ordered(wrappers.OrderEnforcingWrapper[str, Observation, int]):  # type: ignore[misc]
    """PettingZoo's wrappers, asked only where they have something to say.

    A legal move goes to the game itself: each attribute that is asked through the chain of
    wrappers costs as much as a move.
    """

    def __init__(self, guard: wrappers.TerminateIllegalWrapper[str, Observation, int]) -> None:
        super().__init__(wrappers.AssertOutOfBoundsWrapper(guard))
        self._guard, self._game = guard, guard.unwrapped

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        last = self._game.last if self._has_reset else super().last
        return last(observe)  # type: ignore[no-any-return]

    def step(self, action: int | None) -> None:
        game = self._game
        if type(action) is bool:  # the wrappers below would take it for a mask
            as_number(action)
        if not self._has_reset or not game.agents:
            super().step(action)
        elif game._closed:
            game.step(action)  # which says so
        else:
            self._has_updated = True
            if game._running and not self._guard._terminated and game._may(action):
                self._guard._prev_obs = None  # as if the wrappers had let it through
                game.step(action)
            else:
                self.env.step(action)

    def __str__(self) -> str:
        return str(self.env)

    def __repr__(self) -> str:
        return told(self, self._game.game)
