"""What the tests of the environments share: ways to choose, policies to spy with, comparisons."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from numpy.typing import NDArray

from drago_env.mount_drago.rules import EDITIONS
from drago_env.policy import View

PLAYERS = (2, 3, 4, 5)
VARIANTS = [(players, edition) for players in PLAYERS for edition in EDITIONS]
ACTIONS = 151
DISCARDS = 100  # the first action of a discard step


def pick(mask: Any, rng: np.random.Generator) -> int:
    """A random legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def picks(masks: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each row."""
    return np.array([pick(mask, rng) for mask in masks])


def illegal(mask: Any) -> int:
    """The first action that the mask forbids."""
    return int(np.flatnonzero(np.asarray(mask) == 0)[0])


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal to the last bit, with their types and shapes."""
    return data_equivalence(one, other, exact=True)


Step = tuple[Any, float, bool, bool, dict[str, Any]]


def episode(single: Any, seed: int = 0) -> list[Step]:
    """Random play from here to the end of the game."""
    rng = np.random.default_rng(seed)
    steps: list[Step] = []
    while not steps or not steps[-1][2]:
        mask = single.get_wrapper_attr("action_masks")()
        steps.append(single.step(pick(mask, rng)))
    return steps


def begun(single: Any, moves: int, seed: int = 0) -> Any:
    """The environment after so many random moves of the learner."""
    single.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(moves):
        single.step(pick(single.get_wrapper_attr("action_masks")(), rng))
    return single


class Kept:
    """Results that were handed out, beside copies of what they were then."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Any, Any]] = []

    def add(self, result: Any) -> None:
        self._pairs.append((result, copy.deepcopy(result)))

    def unchanged(self) -> bool:
        return bool(self._pairs) and all(same(now, then) for now, then in self._pairs)


def margin(scores: Any, seat: int) -> float:
    """A seat's final points minus the others' mean, on the scale of the rewards."""
    others = [int(score) for other, score in enumerate(scores) if other != seat]
    return (int(scores[seat]) - sum(others) / len(others)) / 20


def win(scores: Any, seat: int) -> float:
    """1 for a sole winner, -1 / (n - 1) for each other; winners that tie share what is paid."""
    best = [other for other, score in enumerate(scores) if score == max(scores)]
    pot = 1 - (len(best) - 1) / (len(scores) - 1)
    return pot / len(best) if seat in best else -1 / (len(scores) - 1)


def rank(scores: Any, seat: int) -> float:
    """From 1 for the first to -1 for the last; who ties gets the mean of the ranks."""
    above = sum(int(score > scores[seat]) for score in scores)
    below = sum(int(score < scores[seat]) for score in scores)
    return (below - above) / (len(scores) - 1)


REWARDS = {"win": win, "margin": margin, "rank": rank}

# ---------------------------------------------------------------- policies


class First:
    """The first legal action, or the last one; notes how many games it was asked for at once."""

    name: str

    def __init__(self, name: str = "first", last: bool = False) -> None:
        self.name, self.last = name, last
        self.asked: list[int] = []

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> Any:
        assert view is None
        assert observation.shape[0] == len(mask)
        assert mask.any(1).all()
        self.asked.append(len(mask))
        return ACTIONS - 1 - mask[:, ::-1].argmax(1) if self.last else mask.argmax(1)


class Dice:
    """A random legal action straight from the generator, without a number for each row."""

    name = "dice"

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> Any:
        return (mask * rng.random(mask.shape)).argmax(1)


class Planner:
    """Keeps the views that it gets, with what it saw; plays the first legal action."""

    name = "planner"
    plans = True

    def __init__(self) -> None:
        self.seen: list[tuple[View, Any]] = []

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> Any:
        assert view is not None
        assert len(view.state) == len(mask)
        self.seen.append((View(view.game, view.state.copy()), observation.copy()))
        while not view.game.over(view.state).all():  # what it does to the clones is its affair
            legal = view.game.legal(view.state)
            view.game.step(view.state, np.where(legal.counts > 0, legal.mask.argmax(1), -1))
        return mask.argmax(1)


class Cheat(Planner):
    """A planner that is told everything."""

    name = "cheat"
    sees_all = True


class Wrong:
    """Answers with something that is no legal action."""

    name = "wrong"

    def __init__(self, answer: str = "illegal") -> None:
        self.answer = answer

    def act(
        self, observation: Any, mask: Any, rng: np.random.Generator, view: View | None = None
    ) -> Any:
        forbidden = mask.argmin(1)
        if self.answer == "scribble":
            mask[:] = 1
        return {
            "illegal": forbidden,
            "scribble": forbidden,
            "outside": np.full(len(mask), ACTIONS),
            "negative": np.full(len(mask), -1),
            "shape": mask.argmax(1)[:, None],
            "dtype": mask.argmax(1).astype(float),
            "nothing": None,
        }[self.answer]
