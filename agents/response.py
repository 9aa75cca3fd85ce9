"""`response`: the best first step if all play on like a policy that it is told.

`response:to=heuristic` answers the heuristic; `response:to=heuristic,told=true` also sees what is
hidden, but not what chance will bring. See docs/skill.md.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.judging import Judge, series
from drago_env.core.chance import mix
from drago_env.core.checks import real, select, whole
from drago_env.core.planning import SearchResult
from drago_env.game import Game, State
from drago_env.policy import View, planned, resolve, row_numbers

MOST_PLAYOUTS = 1_000_000


@dataclass
class Response:
    """Tries the legal actions by playouts to the very end, in which `to` has every seat.

    By sequential halving: all candidates of a position meet the same worlds, the better half goes
    on. It is what `search` does with `playout` and `depth=0`, for any policy, and slow with a slow
    one. The policy's own choice has a head start, since few playouts tell little.
    """

    to: str = "heuristic"  # the policy that all are thought to have
    _: KW_ONLY
    playouts: int = 64  # for each decision
    lead: float = 2.0  # playouts won with which the policy's own choice begins
    told: bool = False  # see what is hidden, but not what chance will bring

    name: str = field(default="response", init=False)
    plans: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole("playouts", self.playouts, 1, MOST_PLAYOUTS)
        real("lead", self.lead, 0, MOST_PLAYOUTS)
        if not isinstance(self.told, bool):
            raise ValueError(f"told must be true or false, not {self.told!r:.60}")
        self.sees_all = self.told
        self._judges: dict[int, Judge] = {}

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> NDArray[np.int64]:
        """The best first step in each row of the view."""
        game, state = planned(view, self.name)
        return self.search(game, state, row_numbers(rng, len(state))).best()

    def digest(self, game: str) -> str:
        """What tells the weights of the policy that it is told from others, if it has any."""
        told = resolve(self.to, game)
        return told.digest(game) if hasattr(told, "digest") else ""

    def search(self, game: Game, state: State, seeds: NDArray[np.uint64]) -> SearchResult:
        """Playouts and mean values of every legal action."""
        if id(game) not in self._judges:
            self._judges[id(game)] = Judge(game, self.to)
        judge = self._judges[id(game)]
        legal = game.legal(state)
        alive = np.arange(legal.actions.shape[1]) < legal.counts[:, None]
        own = legal.actions == judge.choose(state, seeds)[:, None]
        totals, visits = self.lead * (own & alive), np.zeros(alive.shape, np.int64)
        rounds = np.ceil(np.log2(np.maximum(legal.counts, 2))).astype(np.int64)
        while (alive.sum(1) > 1).any():
            alive &= alive.sum(1, keepdims=True) > 1
            worlds = np.maximum(self.playouts // (rounds * np.maximum(alive.sum(1), 1)), 1)
            seeds = mix(seeds)
            rows, places = np.nonzero(alive)
            times = worlds[rows]
            which, tried = np.repeat(rows, times), np.repeat(places, times)
            nth = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
            numbers = mix(seeds[which] + series(int(times.max()))[nth])
            actions = legal.actions[which, tried].astype(np.int64)
            found = judge.worth(select(state, which), actions, numbers, self.told)
            np.add.at(totals, (which, tried), found)
            visits[rows, places] += times
            means = np.where(alive, totals / np.maximum(visits, 1), -np.inf)
            order = np.argsort(np.argsort(-means, axis=1, kind="stable"), axis=1, kind="stable")
            alive &= order < (alive.sum(1, keepdims=True) + 1) // 2
        return SearchResult(legal.actions, legal.counts, visits, totals / np.maximum(visits, 1))


make = Response


def told_search(game: Any, policy: str, playouts: int) -> str:
    """The spec of a search in whose playouts everybody plays like this policy.

    It is the game's own if that knows the policy: where the game can tell what a cut is worth, cut
    playouts err far less than those to the end; where decisions are hidden, it draws what others
    are likely to choose.
    """
    planner: Any = getattr(game, "planner", None)
    known = planner is not None and policy in planner.playouts
    if known and (planner.depth or game.spec.hides_decisions):
        return f"search:playouts={playouts},playout={policy}"
    return f"response:playouts={playouts},to={policy}"
