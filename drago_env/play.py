"""Whole games between policies, batched: the loop for those who need no environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.chance import mix
from drago_env.core.checks import seed_array, select
from drago_env.core.outcome import standings
from drago_env.game import Game, Seeds, State, Turn
from drago_env.policy import Policy, RowGenerator, ask, resolve, streams

# Sees the games before each round of decisions, what the last round brought, and what is chosen
# now; -1 for games that are over.
Watch = Callable[[State, Turn, NDArray[np.int64]], object]


class Records(Sequence[dict[str, Any]]):
    """The records of games, each made when it is asked for."""

    def __init__(self, made: Sequence[Callable[[], dict[str, Any]]]) -> None:
        self._made = list(made)
        self._kept: dict[int, dict[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        if row not in self._kept:
            self._kept[row] = self._made[row]()
        return self._kept[row]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return list, (list(self),)

    def __repr__(self) -> str:
        return f"<records of {len(self)} games>"


class _Played(NamedTuple):
    scores: NDArray[np.int16]  # (games, players)
    winners: NDArray[np.bool_]  # (games, players)
    records: Sequence[dict[str, Any]]  # each made when it is asked for; none with records=False


class Played(_Played):
    """How the games came out: scores, winners and records."""

    _table: dict[str, NDArray[Any]]

    def table(self) -> dict[str, NDArray[Any]]:
        """One row for each game and seat, as equally long columns: `pandas.DataFrame(...)`.

        `win_share` is 1 for a winner, 1 / k for each of k; `rank` 1 for the best, equals share the
        mean of their places; `score` and `margin` (own points less the mean of the others') only
        in games with points, `truncated` in those that can be cut off.
        """
        return self._table


def play(
    game: Game,
    policies: Sequence[str | Policy],
    seeds: Seeds,
    records: bool = True,
    seating: ArrayLike | None = None,
    choices: Seeds | None = None,
    watch: Watch | None = None,
    openings: NDArray[np.uint64] | None = None,
) -> Played:
    """Plays one game for each seed, policy k in seat k, all of them side by side.

    Policies are objects or specs such as `"uniform"`; each is asked for all its games at once.
    With `seating`, seat k of game i is played by the policy with the number `seating[i, k]`.
    The same seeds give the same games, however many are played together: `seeds` fix the deals,
    `choices` what the policies draw at random (by default that follows from the deal's seed).
    `watch(state, turn, actions)` is called before every round of decisions, and once more after
    the last one; it may look at the arrays, and copy them, but change nothing.
    With `openings`, random numbers `(games, decisions)`, the first decisions of each game are
    drawn by them from the legal actions; nobody is asked for these.
    """
    players = [resolve(policy, game) for policy in policies]
    state = game.new(seeds)
    numbers = streams(seeds if choices is None else choices)
    if len(numbers) != len(state):
        raise ValueError(f"{len(state)} games need as many choices, not {len(numbers)}")
    places, start = _seating(game, state, len(players), seating), select(state)
    moves = play_on(game, players, state, numbers, places, watch, openings)
    seats = int(game.players(state).max(initial=0))
    names = np.array([policy.name for policy in players], object)[places]
    kept = _records(game, start, moves, seeds, names) if records else []
    scores, winners = game.scores(state)[:, :seats].copy(), game.winners(state)[:, :seats]
    played = Played(scores, winners, kept)
    played._table = _table(game, state, seeds, names)
    return played


def play_on(
    game: Game,
    players: Sequence[Policy],
    state: State,
    numbers: NDArray[np.uint64],
    places: NDArray[np.int64],
    watch: Watch | None = None,
    openings: NDArray[np.uint64] | None = None,
) -> list[NDArray[np.int64]]:
    """Plays games that are under way to their end, in place; returns the decisions of each round.

    `numbers`, one for each game, are used up: all that the policies draw follows from them. The
    rest is as for `play`.
    """
    rng = RowGenerator(np.random.PCG64(int(numbers[0]) if len(numbers) else 0))
    turn = game.look(state)
    moves: list[NDArray[np.int64]] = []
    while (running := turn.legal.counts > 0).any():
        chosen = np.full(len(state), -1)
        numbers[running] = mix(numbers[running])
        on_turn = places[np.arange(len(state)), game.current_player(state)]
        if openings is not None and len(moves) < openings.shape[1]:
            rows = np.flatnonzero(running)
            drawn = openings[rows, len(moves)] % turn.legal.counts[rows].astype(np.uint64)
            chosen[rows], on_turn[rows] = turn.legal.actions[rows, drawn], -1
        for number, policy in enumerate(players):
            rows = np.flatnonzero(running & (on_turn == number))
            if len(rows):
                chosen[rows] = ask(policy, game, state, turn, rows, rng, numbers[rows])
        if watch:
            watch(state, turn, chosen)
        game.turn_unchecked(state, chosen, turn)
        moves.append(chosen)
    if watch:
        watch(state, turn, np.full(len(state), -1))
    return moves


def _seating(game: Game, state: State, policies: int, seating: ArrayLike | None) -> Any:
    seats = game.players(state)
    if seating is None:
        if (seats != policies).any():
            raise ValueError(f"{seats.max()} seats need as many policies, not {policies}")
        return np.broadcast_to(np.arange(policies), (len(state), policies))
    places = np.asarray(seating)
    wanted = (len(state), int(seats.max(initial=0)))
    if places.shape != wanted or places.dtype.kind not in "iu":
        raise ValueError(
            f"seating must be whole numbers of shape {wanted}, not {places.dtype} of shape "
            f"{places.shape}"
        )
    if places.size and not 0 <= places.min() <= places.max() < policies:
        raise ValueError(
            f"seating must name policies 0 to {policies - 1}, not {places.min()} to {places.max()}"
        )
    return places


def _records(
    game: Game,
    start: State,
    moves: list[NDArray[np.int64]],
    seeds: Seeds,
    names: NDArray[np.object_],
) -> Records:
    seats, chosen = game.players(start), np.array(moves, np.int64).reshape(len(moves), len(start))

    def made(row: int, seed: int) -> dict[str, Any]:
        actions, own = chosen[:, row], names[row, : seats[row]].tolist()
        return game.record(start[row : row + 1], actions[actions >= 0], seed=seed, names=own)

    numbers = enumerate(seed_array(seeds).tolist())
    return Records([partial(made, row, seed) for row, seed in numbers])


def _table(
    game: Game, state: State, seeds: Seeds, names: NDArray[np.object_]
) -> dict[str, NDArray[Any]]:
    rows, seats = np.nonzero(np.arange(names.shape[1]) < game.players(state)[:, None])
    found = standings(game, state)
    table = {
        "game": rows,
        "seed": seed_array(seeds)[rows],
        "seat": seats,
        "agent": names[rows, seats],
        "win_share": found.share[rows, seats],
        "rank": found.rank[rows, seats],
    }
    if game.spec.has_points:
        table |= {"score": game.scores(state)[rows, seats], "margin": found.margin[rows, seats]}
    if game.spec.can_truncate:
        table["truncated"] = game.truncated(state)[rows]
    return table
