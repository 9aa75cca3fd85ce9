"""Who sits where: the deals of an arena, and the function that plays a stretch of them.

Deal i follows from the arena's seed and i alone, whoever plays and however many deals there are.
A deal is played once in every rotation of its seating order, so that each of its agents holds
every seat, with the same luck. In a game without chance a deal is a random opening.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.shorthand import WORDS
from drago_env.core.chance import mix
from drago_env.core.checks import whole
from drago_env.core.outcome import standings
from drago_env.game import Game, State
from drago_env.games import DEFAULT, GAMES, make, name_of, register
from drago_env.moved import refuses
from drago_env.play import Played, play
from drago_env.policy import Policy, View, plans, resolve, sees_all

Columns = dict[str, NDArray[Any]]

GAMES_AT_ONCE = 1024  # the most games that are played side by side
# A planner may be slow, so its games come in so many chunks: not much is lost by an interrupt.
PLANNED_CHUNKS, PLANNED_AT_ONCE = 64, 16  # chunks if possible, games at least
OPENING = 4  # random decisions for each seat at the start of a deal, in a game without chance


@refuses(f"Config(agents, game='{DEFAULT}:players=2', games, seed)", *WORDS, game=int)
@dataclass(frozen=True)
class Config:
    """An arena: everything that its results depend on.

    Agents are specs such as `"search:playouts=64"`, with a name in front if wanted
    (`"mine=search:playouts=64"`), or policies that are made already; the game is a spec as well.
    """

    agents: Sequence[str | Policy]
    game: str = DEFAULT
    games: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.agents, str) or not self.agents:
            raise ValueError(
                f"agents must list at least one agent, such as ['uniform'], not {self.agents!r}"
            )
        object.__setattr__(self, "agents", tuple(self.agents))
        whole("games", self.games, 1, 2**48)
        whole("seed", self.seed, 0, 2**64 - 1)
        _ = self.rule_book  # refuses a game that it does not know

    def __reduce__(self) -> Any:
        module = GAMES[self.rule_book.spec.name]
        return _received, (module, type(self), [getattr(self, one.name) for one in fields(self)])

    @cached_property
    def rule_book(self) -> Game:
        """The game that is played."""
        return make(self.game)

    @cached_property
    def players(self) -> int:
        """Seats at the table."""
        return int(self.rule_book.players(self.rule_book.new(0))[0])

    @property
    def opening(self) -> int:
        """With how many random decisions a deal begins: none where chance deals."""
        return 0 if self.rule_book.spec.has_chance else OPENING * self.players

    @property
    def columns(self) -> tuple[str, ...]:
        """What results hold of each seat of each game."""
        spec = self.rule_book.spec
        return (
            *("deal", "rotation", "seat", "agent"),
            *(("points",) if spec.has_points else ()),
            *("win_share", "rank"),
            *(("margin",) if spec.has_points else ()),
            *(("truncated",) if spec.can_truncate else ()),
        )

    @property
    def rows(self) -> int:
        """How many rows a game has in the results."""
        return self.players

    @property
    def asked(self) -> dict[str, Any]:
        """What else the results depend on."""
        return {}

    @property
    def deals(self) -> int:
        """The games asked for, rounded up to whole deals."""
        return -(-self.games // self.players)

    @property
    def names(self) -> list[str]:
        """What results call the agents."""
        return names_of(self.agents)

    @property
    def chunk(self) -> int:
        """How many deals are played side by side; no matter how many workers there are."""
        games = GAMES_AT_ONCE
        if any(plans(policy) for policy in self.policies()):
            games = min(max(self.games // PLANNED_CHUNKS, PLANNED_AT_ONCE), GAMES_AT_ONCE)
        return max(games // self.players, 1)

    def policies(self) -> list[Policy]:
        """The agents at work; those named by a spec are made once in a run of a process."""
        game = self.rule_book.spec.name
        return [
            _resolved(split(agent)[1], game) if isinstance(agent, str) else resolve(agent)
            for agent in self.agents
        ]

    def play(self, first: int, last: int, records: bool) -> Chunk:
        """Plays the deals from `first` up to, but not with, `last`."""
        return play_deals(self, first, last, records)


def _received(module: str, kind: type[Config], values: Sequence[Any]) -> Config:
    """An arena in another process, which may not know yet a game from outside."""
    register(name_of(values[1]), module)
    return kind(*values)


_resolved = cache(resolve)
forget = _resolved.cache_clear  # before a run: a file may hold other weights by now


def split(agent: str) -> tuple[str, str]:
    """The name and the spec of an agent: `mine=search:playouts=64` is called mine."""
    name, equals, spec = agent.partition("=")
    return (name, spec) if equals and name.isidentifier() else (agent, agent)


def names_of(agents: Sequence[str | Policy]) -> list[str]:
    """What results call these agents: a name of their own, and which one of equals."""
    names: list[str] = []
    for agent in agents:
        plain = split(agent)[0] if isinstance(agent, str) else agent.name
        numbered = (f"{plain}#{number}" for number in itertools.count(2))
        names.append(plain if plain not in names else next(n for n in numbered if n not in names))
    return names


# ---------------------------------------------------------------- deals


class Deals(NamedTuple):
    """A stretch of deals."""

    seeds: NDArray[np.uint64]  # (deals,): what chance does
    seating: NDArray[np.int64]  # (deals, rotations, seats): the agent on each seat
    choices: NDArray[np.uint64]  # (deals, rotations): what agents decide by chance
    openings: NDArray[np.uint64]  # (deals, opening): the first decisions, the same in all rotations


_CHANCE, _ORDER, _CHOICES, _OPENINGS = range(4)  # what random numbers are for


def deals(config: Config, first: int, last: int) -> Deals:
    """The deals from `first` up to, but not with, `last`."""
    numbers, seats = np.arange(first, last), np.arange(config.players)
    each = numbers[:, None] * config.players + seats
    first_moves = np.arange(config.opening)
    order = np.argsort(_random(config.seed, _ORDER, each), axis=1)
    seated = np.take_along_axis(who_plays(len(config.agents), config.players, numbers), order, 1)
    rotations = (seats[:, None] + seats) % config.players
    # Choices differ between rotations; else equal agents would play the same game each time.
    return Deals(
        _random(config.seed, _CHANCE, numbers),
        seated[:, rotations],
        _random(config.seed, _CHOICES, each),
        _random(config.seed, _OPENINGS, numbers[:, None] * config.opening + first_moves),
    )


def who_plays(agents: int, seats: int, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
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


def play_all(
    config: Config, dealt: Deals, watch: Callable[..., None], records: bool = False
) -> tuple[list[Timed], Played]:
    """Plays these deals in all their rotations, and takes the time of the agents."""
    named, seats = zip(config.policies(), config.names, strict=True), config.players
    seated = [Timed(policy, name) for policy, name in named]
    played = play(
        config.rule_book,
        seated,
        np.repeat(dealt.seeds, seats),
        records=records,
        seating=dealt.seating.reshape(-1, seats),
        choices=dealt.choices.ravel(),
        watch=watch,
        openings=np.repeat(dealt.openings, seats, axis=0),
    )
    return seated, played


def play_deals(config: Config, first: int, last: int, records: bool = False) -> Chunk:
    """Plays the deals from `first` up to, but not with, `last` in all their rotations."""
    dealt, seats, game = deals(config, first, last), config.players, config.rule_book
    batch: list[State] = []  # the array that all its games are played in
    seated, played = play_all(config, dealt, lambda state, *_: batch.append(state), records)
    state = batch[-1]
    result = standings(game, state)
    deal, rotation, seat = np.indices(dealt.seating.shape).reshape(3, -1, seats)
    found = {
        "deal": deal + first,
        "rotation": rotation,
        "seat": seat,
        "agent": dealt.seating,
        "points": played.scores.astype(np.int64),
        "win_share": result.share[:, :seats],
        "rank": result.rank[:, :seats],
        "margin": result.margin[:, :seats],
        "truncated": np.repeat(game.truncated(state)[:, None], seats, axis=1),
    }
    return Chunk(
        {name: found[name].ravel() for name in config.columns},
        np.array([agent.seconds for agent in seated]),
        np.array([agent.decisions for agent in seated]),
        list(played.records),
    )


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Chunks as one, in the order of the deals, without records."""
    names = chunks[0].columns
    joined = {name: np.concatenate([chunk.columns[name] for chunk in chunks]) for name in names}
    order = np.lexsort((joined["seat"], joined["rotation"], joined["deal"]))
    return Chunk(
        {name: column[order] for name, column in joined.items()},
        np.sum([chunk.seconds for chunk in chunks], 0),
        np.sum([chunk.decisions for chunk in chunks], 0),
        [],
    )


class Timed:
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
