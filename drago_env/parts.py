"""A compiled game in a folder of its own, whose larger parts are loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from drago_env.core.compiled_game import CompiledGame
from drago_env.core.planning import Planner
from drago_env.game import Drawing, Faults, Move, State
from drago_env.games import GAMES

if TYPE_CHECKING:
    from drago_env.pictures.table import Table


class GameInParts(CompiledGame):
    """A rule book beside which stand the modules `record`, `soundness`, `planning` and `table`.

    The table of a game `Example` is the class `ExampleTable`.
    """

    def part(self, name: str) -> Any:
        """A module of the game's folder."""
        return import_module(f"{GAMES[self.spec.name]}.{name}")

    @cached_property
    def planner(self) -> Planner:
        """What planners ask of the game."""
        planner: Planner = self.part("planning").PLANNER
        return planner

    @cached_property
    def table(self) -> Table:
        """What people are shown of a game."""
        name = self.spec.name.title().replace("_", "")
        table: Table = getattr(self.part("table"), f"{name}Table")(self)
        return table

    def faults(self, state: State) -> Faults:
        """What is wrong with which rows of a state."""
        faults: Faults = self.part("soundness").faults(self, state)
        return faults

    def record(
        self,
        start: State,
        actions: ArrayLike,
        *,
        seed: int | None = None,
        names: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """The record of one game, from its state after the deal and its decisions."""
        made: dict[str, Any] = self.part("record").record(
            self, start, actions, seed=seed, names=names
        )
        return made

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> Drawing:
        """One game as a picture; a `viewer` sees what their seat may see, None sees all."""
        from drago_env.pictures.picture import Picture

        return Picture(self, state, row, viewer, last, names)
