"""One game whose arrays are the fields of one record: a call of a kernel unpacks little."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numba import typeof

from drago_env.core.batches import NO_ACTION
from drago_env.game import GameSpec, Legal, Outcome, SingleGame, Turn


class Single:
    """The part of a compiled game that serves loops over a single game."""

    loops: ClassVar[Any]
    state_type: ClassVar[Any]
    spec: GameSpec
    new: Any
    _shared: Any

    def single(self) -> SingleGame:
        """One game in arrays of its own, with its turns as a call that costs little."""
        spec = self.spec
        fields: list[Any] = [
            ("state", self.state_type),
            ("count", "<i8"),
            ("observation", "<f4", (spec.observation_size,)),
            ("rewards", "<f4", (spec.seats,)),
            ("points", "<i2", (spec.seats,)),
            ("actions", "<u2", (spec.max_legal,)),
            ("mask", "i1", (spec.num_actions,)),
        ]
        cells = np.zeros(1, np.dtype(fields, align=True))
        cells["state"] = self.new(0)
        legal = Legal(cells["actions"], cells["count"], cells["mask"])
        outcome = Outcome(cells["points"], cells["rewards"])
        turn = Turn(legal, cells["observation"], outcome)
        turn_one = self.loops.turn_one
        turn_one(cells, self._shared, NO_ACTION)  # compiled before its entry point is taken
        # the entry point itself spares numba's choice among forms at every call
        kind = getattr(turn_one, "nopython_signatures", None)
        entry = turn_one if kind is None else _entry_point(turn_one, (cells, self._shared))
        return SingleGame(cells["state"], turn, partial(entry, cells, self._shared))


def _entry_point(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """The compiled form of a dispatcher for these arguments and a whole number."""
    kind_of: Any = typeof
    kinds = tuple(kind_of(argument) for argument in (*arguments, 0))
    return dispatcher.overloads[kinds].entry_point
