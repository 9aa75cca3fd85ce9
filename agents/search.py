"""`search`: determinised Monte Carlo, flat or as a tree."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from agents import weights
from agents.thinker import Thinker, one_of, real, whole
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.planning import END_OF_GAME, Plan, Thought, search

METHODS = ("flat", "tree")
PLAYOUTS = ("uniform", "greedy", "light", "heuristic")
LEAVES = ("outlook", "margin")


@dataclass
class Search(Thinker):
    """Tries the legal actions in worlds that fit what the seat knows.

    Each playout starts in a world with new hidden cards, goes on for a few decisions by rules
    of thumb, and is worth the fitted chance to win from there. `flat` gives all candidates the
    same worlds and sends the better half on (sequential halving); `tree` grows one tree over
    all worlds, in which each seat does what is best for itself (ISMCTS with max^n values).
    """

    method: str = "flat"  # flat (sequential halving) or tree (ISMCTS)
    _: KW_ONLY
    depth: int = 5  # decisions after which a playout is cut; 0 plays to the end
    playout: str = "light"  # who plays on: uniform, greedy, light or heuristic
    leaf: str = "outlook"  # what the cut is worth: chance to win (outlook) or margin
    noise: float = 0.0  # share of a playout's decisions that are random
    explore: float = 1.0  # tree only: the bonus for what is little known
    sharpness: float = 0.5  # tree only: how closely that bonus follows the rules of thumb

    name: str = field(default="search", init=False)
    sees_all: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("method", self.method, METHODS)
        one_of("playout", self.playout, PLAYOUTS)
        one_of("leaf", self.leaf, LEAVES)
        whole("depth", self.depth, 0, END_OF_GAME)
        real("noise", self.noise, 0, 1)
        real("explore", self.explore, 0, 1000)
        real("sharpness", self.sharpness, 0, 1000)

    def _search(self, game: MountDrago, state: Any, seeds: Any, playouts: int) -> Thought:
        plan = Plan(
            self.method,
            playouts,
            self.depth or END_OF_GAME,
            1.0 if self.playout == "uniform" else self.noise,
            self.explore,
            self.sharpness,
            self.leaf == "margin",
            self.sees_all,
        )
        policy = "light" if self.playout == "uniform" else self.playout
        return search(game, state, seeds, plan, weights.array(policy), weights.array("outlook"))


make = Search
