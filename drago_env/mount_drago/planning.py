"""Rules of thumb, win chances and search on batches of positions: the planners' kernels.

The weights are arguments: agents hold the numbers, this module says what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.game import Seeds, State, seed_array
from drago_env.mount_drago import kernel
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import MAX_PLAYERS, MIN_PLAYERS

END_OF_GAME = 1 << 30  # a depth that no game reaches
LEAST_PRIOR = 1e-9  # smaller ones count as this
_KINDS = MAX_PLAYERS - MIN_PLAYERS + 1  # rows of weights, one for each number of players


class Weights(NamedTuple):
    """What a play is worth, in points, besides what the rider gains at once by it.

    What he gains is his points less the mean of the others'.
    """

    draw: float  # price of a draw that is lost by a scoring
    place: float  # for each point of the own space's value
    rival: float  # against the mean value of the rivals' spaces
    ahead: float  # for the mean value of the spaces ahead of the own dragon
    plan: float  # for the best gain that the rest of the hand could make next
    danger: float  # for what the next rider's best scoring is likely to bring us
    end: float  # for ending the game as a sole leader; lost by ending it behind
    haste: float  # for each point of the lead when another dragon reaches the summit


class Outlook(NamedTuple):
    """A rider's standing in points, from which chances to win are a softmax."""

    space: float  # for each point of his space's value
    road: float  # for the mean value of the spaces ahead of his dragon
    threat: float  # for the best gain that his hand could make at once
    turn: float  # for the same, if it is his turn
    cards: float  # for each card in his hand
    spread: float  # logarithm of the points by which a lead counts, at the end of the game
    length: float  # power of the steps left by which that grows


class Thought(NamedTuple):
    """What a search found out about each legal action."""

    actions: NDArray[np.uint8]  # (n, max_legal)
    counts: NDArray[np.int64]  # (n,)
    visits: NDArray[np.int64]  # (n, max_legal), playouts of each
    values: NDArray[np.float64]  # (n, max_legal), the mean of what came of them

    def best(self) -> NDArray[np.int64]:
        """The action with the most playouts in each game, the better mean among equals.

        It is -1 after the end.
        """
        known = np.arange(self.actions.shape[1]) < self.counts[:, None]
        most = np.where(known, self.visits, -1)
        front = most == most.max(1, keepdims=True)
        place = np.where(front, self.values, -np.inf).argmax(1)
        actions = self.actions[np.arange(len(place)), place].astype(np.int64)
        return np.where(self.counts > 0, actions, kernel.NO_ACTION)


class Plan(NamedTuple):
    """How to search."""

    method: str  # flat or tree
    playouts: int  # for each decision
    depth: int  # decisions of a playout after the one tried (flat) or the tree (tree)
    noise: float  # share of a playout's decisions that are random
    explore: float  # weight of the tree's bonus for what is little known
    sharpness: float  # how closely that bonus follows the rules of thumb
    margin: bool  # a playout is worth its margin, not the chance to win
    told: bool  # knows all hands and the deck
    trust: float = 0.0  # flat: playouts won that the logarithm of a prior is worth


_PLAN = np.dtype(
    [
        ("playouts", "<i8"),
        ("depth", "<i8"),
        ("noise", "<f8"),
        ("explore", "<f8"),
        ("sharpness", "<f8"),
        ("margin", "?"),
        ("told", "?"),
    ],
    align=True,
)


def by_players(table: Mapping[int, Sequence[float]]) -> NDArray[np.float64]:
    """Weights for every number of players as the array that the kernels take."""
    return np.array([table[n] for n in range(MIN_PLAYERS, MAX_PLAYERS + 1)], np.float64)


def _check_weights(name: str, weights: NDArray[np.float64], kind: Any, rows: int | None) -> None:
    """Kernels do not look: an array of another shape would be read beyond its end."""
    wanted = ("any number of" if rows is None else rows, len(kind._fields))
    known = isinstance(weights, np.ndarray) and weights.dtype == np.float64 and weights.ndim == 2
    if not known or weights.shape[1] != wanted[1] or rows not in (None, len(weights)):
        raise ValueError(
            f"{name} must be float64, {wanted[0]} rows of {wanted[1]} numbers (see by_players), "
            f"not {getattr(weights, 'dtype', type(weights).__name__)} of shape "
            f"{getattr(weights, 'shape', ())}"
        )


def _check_seeds(seeds: Seeds, n: int) -> NDArray[np.uint64]:
    array = seed_array(seeds)
    if len(array) != n:
        raise ValueError(f"{n} games need as many seeds, not {len(array)}")
    return array


def assess(game: MountDrago, state: State, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best action of each game by the rules of thumb; -1 after the end."""
    _check_weights("weights", weights, Weights, _KINDS)
    best = np.empty(len(state), np.int64)
    game.run(kernel.assess, len(state), state, game.tables, weights, best, shared=[weights])
    return best


def outlook(game: MountDrago, state: State, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each seat's chance to win, `(n, seats)`; after the end its share of the victory."""
    _check_weights("weights", weights, Outlook, _KINDS)
    out = np.zeros((len(state), MAX_PLAYERS))
    game.run(kernel.outlook, len(state), state, game.tables, weights, out, shared=[weights])
    return out


def roll(
    game: MountDrago,
    state: State,
    seeds: Seeds,
    weights: NDArray[np.float64],
    who: NDArray[np.int64] | None = None,
    depth: int = END_OF_GAME,
    noise: float = 0.0,
) -> None:
    """Plays on in place by the rules of thumb, each decision with probability `noise` at random.

    Seat k of game i follows `weights[who[i, k]]`, by default those for its number of players.
    """
    _check_weights("weights", weights, Weights, _KINDS if who is None else None)
    if who is None:
        places = state["players"].astype(np.int64)[:, None] - MIN_PLAYERS
        who = np.repeat(places, MAX_PLAYERS, axis=1)
    elif who.shape != (len(state), MAX_PLAYERS) or not ((who >= 0) & (who < len(weights))).all():
        raise ValueError(
            f"who must be of shape {(len(state), MAX_PLAYERS)} and name weights 0 to "
            f"{len(weights) - 1}, not of shape {who.shape}"
        )
    picks = game.picks(_check_seeds(seeds, len(state)))
    arguments = (state, picks, depth, noise, who, game.tables, weights)
    game.run(kernel.roll_unchecked, len(state), *arguments, shared=[weights])


def search(
    game: MountDrago,
    state: State,
    seeds: Seeds,
    plan: Plan,
    weights: NDArray[np.float64],
    outlook: NDArray[np.float64],
    priors: NDArray[np.float32] | None = None,
) -> Thought:
    """Thinks about every game's legal actions by playouts.

    Unless it is `told`, it looks at nothing that the seat on turn cannot see: each playout
    starts from hands, deck and generator that are drawn anew. A flat search may be guided by
    `priors`, the probability of each listed action `(n, max_legal)`; what they are worth is then
    part of the values.
    """
    _check_weights("weights", weights, Weights, _KINDS)
    _check_weights("outlook", outlook, Outlook, _KINDS)
    legal = game.legal(state)
    totals = _head_start(plan, priors, (len(state), game.spec.max_legal))
    visits = np.zeros(totals.shape, np.int64)
    settings = np.array([plan[1:-1]], _PLAN)
    game.run(
        kernel.search_flat if plan.method == "flat" else kernel.search_tree,
        len(state),
        *(state, _check_seeds(seeds, len(state)), game.tables, settings, weights, outlook),
        *(legal.actions, legal.counts, totals, visits),
        shared=[settings, weights, outlook],
    )
    return Thought(legal.actions, legal.counts, visits, totals / np.maximum(visits, 1))


def _head_start(
    plan: Plan, priors: NDArray[np.float32] | None, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """What the listed actions have before any playout; as for weights, kernels do not look."""
    if priors is None:
        return np.zeros(shape)
    if plan.method != "flat":
        raise ValueError(f"priors guide a flat search, not one with the method {plan.method!r}")
    if priors.shape != shape:
        raise ValueError(f"priors must be of shape {shape}, not {priors.shape}")
    return plan.trust * np.log(np.maximum(priors, LEAST_PRIOR, dtype=np.float64))
