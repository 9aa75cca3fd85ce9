"""Whole games between policies, batched: the loop for those who need no environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.game import Game, Seeds, mix, seed_array, select
from drago_env.policy import Policy, RowGenerator, ask, resolve


class Played(NamedTuple):
    """How the games came out."""

    scores: NDArray[np.int16]  # (games, seats)
    winners: NDArray[np.bool_]  # (games, seats)
    records: list[dict[str, Any]]  # empty unless asked for


def play(
    game: Game, policies: Sequence[str | Policy], seeds: Seeds, records: bool = True
) -> Played:
    """Plays one game for each seed, policy k in seat k, all of them side by side.

    Policies are objects or specs such as `"uniform"`; each is asked for all its games at once.
    The same seeds give the same games, however many are played together.
    """
    riders = [resolve(policy) for policy in policies]
    state = game.new(seeds)
    numbers = mix(~seed_array(seeds))
    if (game.players(state) != len(riders)).any():
        raise ValueError(
            f"{game.players(state).max()} seats need as many policies, not {len(riders)}"
        )
    rng = RowGenerator(np.random.PCG64(int(numbers[0]) if len(numbers) else 0))
    start, turn = select(state), game.look(state)
    moves: list[NDArray[np.int64]] = []
    while (running := turn.legal.counts > 0).any():
        chosen = np.full(len(state), -1)
        numbers[running] = mix(numbers[running])
        for seat, rider in enumerate(riders):
            rows = np.flatnonzero(running & (game.current_player(state) == seat))
            if len(rows):
                chosen[rows] = ask(rider, game, state, turn, rows, rng, numbers[rows])
        game.turn_unchecked(state, chosen, turn)
        moves.append(chosen)
    written = _records(game, start, moves, seeds, riders) if records else []
    return Played(game.scores(state).copy(), game.winners(state), written)


def _records(
    game: Game, start: Any, moves: list[NDArray[np.int64]], seeds: Seeds, riders: list[Policy]
) -> list[dict[str, Any]]:
    names = [rider.name for rider in riders]
    made = []
    for row, seed in enumerate(seed_array(seeds).tolist()):
        actions = [int(chosen[row]) for chosen in moves if chosen[row] >= 0]
        made.append(game.record(start[row : row + 1], actions, seed=seed, riders=names))
    return made
