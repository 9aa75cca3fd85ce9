"""Who sits where: the deals of an arena, and the function that plays a stretch of them.

Deal i follows from the arena's seed and i alone, whoever plays and however many deals there are.
A deal is played once in every rotation of its seating order, so that each of its agents holds
every seat, with the same cards.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env import mount_drago_v0
from drago_env.core.chance import mix
from drago_env.game import Game
from drago_env.play import play
from drago_env.policy import Policy, View, plans, resolve, sees_all

Columns = dict[str, NDArray[Any]]
COLUMNS = ("deal", "rotation", "seat", "agent", "points", "win_share", "rank", "margin")

GAMES_AT_ONCE = 1024  # the most games that are played side by side
# A planner may be slow, so its games come in so many chunks: not much is lost by an interrupt.
PLANNED_CHUNKS, PLANNED_AT_ONCE = 64, 16  # chunks if possible, games at least


@dataclass(frozen=True)
class Config:
    """An arena: everything that its results depend on.

    Agents are specs such as `"search:playouts=64"`, or policies that are made already.
    """

    agents: Sequence[str | Policy]
    players: int = 2
    edition: str = "german"
    board: str | None = None
    games: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.agents, str) or not self.agents:
            raise ValueError(
                f"agents must list at least one agent, such as ['uniform'], not {self.agents!r}"
            )
        object.__setattr__(self, "agents", tuple(self.agents))
        _whole("games", self.games, 1, 2**48)
        _whole("seed", self.seed, 0, 2**64 - 1)
        make_game(self)  # the rules refuse a table that they do not know

    @property
    def deals(self) -> int:
        """The games asked for, rounded up to whole deals."""
        return -(-self.games // self.players)

    @property
    def names(self) -> list[str]:
        """What results call the agents: the spec or the policy's name, and which one of equals."""
        names: list[str] = []
        for agent in self.agents:
            plain = agent if isinstance(agent, str) else agent.name
            numbered = (f"{plain}#{number}" for number in itertools.count(2))
            names.append(
                plain if plain not in names else next(n for n in numbered if n not in names)
            )
        return names

    @property
    def chunk(self) -> int:
        """How many deals are played side by side; no matter how many workers there are."""
        games = GAMES_AT_ONCE
        if any(plans(policy) for policy in self.policies()):
            games = min(max(self.games // PLANNED_CHUNKS, PLANNED_AT_ONCE), GAMES_AT_ONCE)
        return max(games // self.players, 1)

    def policies(self) -> list[Policy]:
        """The agents at work; those named by a spec are made once in a process."""
        return [_made(agent) if isinstance(agent, str) else resolve(agent) for agent in self.agents]


_made = cache(resolve)


def make_game(config: Config) -> Game:
    """The rule book: the one place where the arena knows which game is played."""
    return mount_drago_v0.game(config.players, config.edition, config.board)


def _whole(name: str, number: Any, low: int, high: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {number!r}")


# ---------------------------------------------------------------- deals


class Deals(NamedTuple):
    """A stretch of deals."""

    seeds: NDArray[np.uint64]  # (deals,): the cards
    seating: NDArray[np.int64]  # (deals, rotations, seats): the agent on each seat
    choices: NDArray[np.uint64]  # (deals, rotations): what agents decide by chance


_CARDS, _ORDER, _CHOICES = range(3)  # what random numbers are for


def deals(config: Config, first: int, last: int) -> Deals:
    """The deals from `first` up to, but not with, `last`."""
    numbers, seats = np.arange(first, last), np.arange(config.players)
    each = numbers[:, None] * config.players + seats
    order = np.argsort(_random(config.seed, _ORDER, each), axis=1)
    seated = np.take_along_axis(guests(len(config.agents), config.players, numbers), order, 1)
    rotations = (seats[:, None] + seats) % config.players
    # Choices differ between rotations; else equal agents would play the same game each time.
    return Deals(
        _random(config.seed, _CARDS, numbers),
        seated[:, rotations],
        _random(config.seed, _CHOICES, each),
    )


def guests(agents: int, seats: int, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Who plays in the deals with these numbers, one agent for each seat, in no order yet.

    Too few agents go round the table again, and the surplus seats go on from deal to deal where
    the last deal stopped. Of too many, every subset that fills the table takes its turn.
    """
    if agents <= seats:
        return np.asarray((numbers[:, None] * (seats % agents) + np.arange(seats)) % agents)
    subsets = np.array(list(itertools.combinations(range(agents), seats)))
    return np.asarray(subsets[numbers % len(subsets)])


def _random(seed: int, purpose: int, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A random number for each number: the same ones for the same seed and purpose."""
    key = mix(mix(np.array([seed], np.uint64)) + np.uint64(purpose))
    return mix(key + numbers.astype(np.uint64))


# ---------------------------------------------------------------- games


class Chunk(NamedTuple):
    """What came out of a stretch of deals."""

    columns: Columns  # a row for each game and seat; agents by their numbers
    seconds: NDArray[np.float64]  # (agents,): time spent on decisions
    decisions: NDArray[np.int64]  # (agents,)
    records: list[dict[str, Any]]  # one for each game, if asked for


def play_deals(config: Config, first: int, last: int, records: bool = False) -> Chunk:
    """Plays the deals from `first` up to, but not with, `last` in all their rotations."""
    seeds, seating, choices = deals(config, first, last)
    named = zip(config.policies(), config.names, strict=True)
    riders = [_Timed(policy, name) for policy, name in named]
    places = seating.reshape(-1, config.players)
    played = play(
        make_game(config),
        riders,
        np.repeat(seeds, config.players),
        records=records,
        seating=places,
        choices=choices.ravel(),
    )
    points = played.scores[:, : config.players].astype(np.int64)
    results = outcome(points, played.winners[:, : config.players])
    where = np.indices(seating.shape).reshape(3, -1)
    where[0] += first
    columns = (*where, places, points, *results)
    return Chunk(
        {name: column.ravel() for name, column in zip(COLUMNS, columns, strict=True)},
        np.array([rider.seconds for rider in riders]),
        np.array([rider.decisions for rider in riders]),
        played.records,
    )


def outcome(
    points: NDArray[np.int64], winners: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Win share, rank and margin of every seat of every game.

    Winners come first, then points decide, so that a game without points has ranks as well.
    """
    win_share = winners / winners.sum(1, keepdims=True)
    own, other = (points[:, :, None], winners[:, :, None]), (points[:, None], winners[:, None])
    equal = (own[0] == other[0]) & (own[1] == other[1])
    behind = np.where(own[1] == other[1], other[0] > own[0], other[1])
    rank = 1 + behind.sum(2) + (equal.sum(2) - 1) / 2
    seats = points.shape[1]
    margin = (points * seats - points.sum(1, keepdims=True)) / (seats - 1)
    return win_share, rank, margin


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Chunks as one, in the order of the deals, without records."""
    joined = {name: np.concatenate([chunk.columns[name] for chunk in chunks]) for name in COLUMNS}
    order = np.lexsort((joined["seat"], joined["rotation"], joined["deal"]))
    return Chunk(
        {name: column[order] for name, column in joined.items()},
        np.sum([chunk.seconds for chunk in chunks], 0),
        np.sum([chunk.decisions for chunk in chunks], 0),
        [],
    )


class _Timed:
    """A policy under the arena's name for it, with a clock."""

    def __init__(self, policy: Policy, name: str) -> None:
        self.policy, self.name = policy, name
        self.plans, self.sees_all = plans(policy), sees_all(policy)
        self.seconds, self.decisions = 0.0, 0

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        view: View | None = None,
    ) -> NDArray[np.int64]:
        start = time.perf_counter()
        actions = self.policy.act(observation, mask, rng, view)
        self.seconds += time.perf_counter() - start
        self.decisions += len(mask)
        return actions
