"""Recorded games as arrays of transitions, each of them one seat's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.records import VIEW, Frame, Record, RecordError, is_view
from drago_env.core.trajectories import ENDED, trajectories

Columns = dict[str, NDArray[Any]]


def transitions(frames: Iterable[Frame], records: Sequence[Record]) -> Columns:
    """Every decision of whole games, from the frames of their replay, by game and move.

    `observation`, `mask` and `action` of the seat that decides; the `reward` that it gets up to its
    own next decision, with `next_observation` and `next_mask` of that one, or `done` if the game
    ended before: then they are what the seat sees at the end and the mask of a finished game, in
    which the last action is allowed. `truncated` are those that a cut-off ended; `return` is all
    that the seat is still paid. `game`, `move` and `seat` tell the rows apart.
    """
    running = [index for index, record in enumerate(records) if "winners" not in record]
    if running:
        raise RecordError(f"record {running[0]}: the game has not ended, so it has no return")
    if not records:
        raise RecordError("there are no records")
    kept: list[Frame] = []
    parts: list[Columns] = []
    ends: list[Columns] = []
    for frame in frames:
        if kept and frame.move == 0:  # the frames of other games begin
            ends.append(_ends(kept[-1]))
        kept.append(frame)
        parts.append(_decisions(frame))
    for index, record in enumerate(records):
        if is_view(record):
            raise RecordError(f"record {index}: {VIEW}")
    ends.append(_ends(kept[-1]))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((joined["move"], joined["game"]))
    joined = {name: column[order] for name, column in joined.items()}
    return joined | _outcomes(joined, kept, ends)


def _decisions(frame: Frame) -> Columns:
    state = frame.state[frame.rows]
    return {
        "observation": frame.game.observe(state),
        "action": frame.actions[frame.rows],
        "mask": frame.game.legal(state).mask,
        "seat": frame.game.current_player(state).astype(np.int64),
        "game": frame.records[frame.rows],
        "move": np.full(len(state), frame.move),
    }


def _ends(frame: Frame) -> Columns:
    """What every seat sees at the end of the games of a replay's last frame."""
    last = frame.game.players(frame.state) - 1  # a seat that nobody has sees what the last one does
    seats = range(frame.game.spec.seats)
    seen = [frame.game.observe(frame.state, np.minimum(seat, last)) for seat in seats]
    truncated = frame.game.truncated(frame.state)
    return {"games": frame.records, "seen": np.stack(seen, 1), "truncated": truncated}


def _outcomes(joined: Columns, frames: list[Frame], ends: list[Columns]) -> Columns:
    """What came of each decision for the seat that made it."""
    game, move, seat = joined["game"], joined["move"], joined["seat"]
    games, steps, seats = int(game.max()) + 1, int(move.max()) + 1, ends[0]["seen"].shape[1]
    paid = np.zeros((steps, games, seats), np.float32)
    for frame in frames:
        if len(frame.rows):  # else it is the end
            paid[frame.move, frame.records[frame.rows]] = frame.rewards[frame.rows]
    places = np.full((steps, games), -1)
    places[move, game] = np.arange(len(game))
    movers, over = np.zeros((steps, games), np.int64), np.zeros((steps, games), np.bool_)
    movers[move, game] = seat
    over[np.bincount(game) - 1, np.arange(games)] = True
    own = trajectories(movers, paid, over)
    following = own.following[move, game]
    done = following == ENDED
    after = places[np.where(done, 0, following), game]  # of those that are not done
    seen, mask = joined["observation"][after], joined["mask"][after]
    last, cut = np.empty((games, *ends[0]["seen"].shape[1:]), np.float32), np.empty(games, np.bool_)
    for end in ends:
        last[end["games"]], cut[end["games"]] = end["seen"], end["truncated"]
    seen[done] = last[game[done], seat[done]]
    mask[done], mask[done, -1] = 0, 1
    still = paid[::-1].cumsum(0, dtype=np.float64)[::-1].astype(np.float32)
    return {
        "reward": own.rewards[move, game],
        "done": done,
        "truncated": done & cut[game],
        "next_observation": seen,
        "next_mask": mask,
        "return": still[move, game, seat],
    }
