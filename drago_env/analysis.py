"""Records of any game as arrays for learners, and as Minari datasets.

What else is here is the default game's: tables of moves, and means with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Space
from numpy.typing import NDArray

from drago_env import games
from drago_env.core.records import Record, RecordError
from drago_env.core.records import table as shared_table
from drago_env.core.transitions import Columns
from drago_env.core.transitions import transitions as of_frames
from drago_env.wrappers.spaces import decision_space


def transitions(records: Sequence[Record], reward: str = "win") -> Columns:
    """Every decision of whole recorded games of one kind, as arrays for imitation and offline RL.

    Rows are sorted by game and move: `observation`, `mask` and `action` of the seat that decides;
    its `reward` up to its own next decision, which has `next_observation` and `next_mask`; `done`
    if the game ended before that, `truncated` if it was cut off; `return`, all that the seat is
    still paid; and `game`, `move` and `seat`.
    """
    return of_frames(_module(records).walk(records, reward), records)


def table(records: Sequence[Record]) -> Columns:
    """One row for each move, as equally long columns: `pandas.DataFrame(table(records))`.

    Records of the default game have its own columns, those of others what all games share.
    """
    own = games.records_of(games.DEFAULT).FORMAT
    kinds = {str(made.get("format")) for made in records if isinstance(made, dict)}
    if len(kinds) == 1 and own not in kinds:
        _module(records)  # refuses a game that there is not
        return shared_table(records)
    found: Columns = __getattr__("table")(records)
    return found


def minari_dataset(
    dataset_id: str, records: Sequence[Record], reward: str = "win", **words: Any
) -> Any:
    """Recorded games as a Minari dataset: an episode for each seat of each game.

    Observations are dicts of `observation` and `action_mask`. `words` are those of Minari's
    `create_dataset_from_buffers`, such as `author`, `algorithm_name` or `description`.
    """
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ImportError as error:
        raise ImportError('this needs Minari: pip install "minari[hdf5]" pillow') from error
    made, episodes = transitions(records, reward), list[Any]()
    order = np.lexsort((made["move"], made["seat"], made["game"]))
    for rows in np.split(order, np.flatnonzero(made["done"][order])[:-1] + 1):
        episodes.append(_episode(EpisodeBuffer, made, rows, len(episodes)))
    spec = next(_module(records).walk(records[:1], reward)).game.spec
    spaces: dict[str, Space[Any]] = {"observation_space": decision_space(spec, False)}
    spaces["action_space"] = Discrete(spec.num_actions)
    return minari.create_dataset_from_buffers(dataset_id, episodes, **{**spaces, **words})


def _episode(kind: Any, made: Columns, rows: NDArray[np.int64], number: int) -> Any:
    """The decisions of one seat in one game, with what it saw at the end."""
    last = rows[-1:]
    seen = np.concatenate([made["observation"][rows], made["next_observation"][last]])
    masks = np.concatenate([made["mask"][rows], made["next_mask"][last]])
    return kind(
        id=number,
        observations={"observation": seen, "action_mask": masks},
        actions=made["action"][rows],
        rewards=made["reward"][rows],
        terminations=(made["done"] & ~made["truncated"])[rows],
        truncations=made["truncated"][rows],
    )


def _module(records: Sequence[Record]) -> Any:
    """Where the game of these records replays them."""
    if not records:
        raise RecordError("there are no records")
    found = {games.of_record(record) for record in records}
    if len(found) > 1:
        raise RecordError("the records are of several games, which have no common arrays")
    return found.pop()


def __getattr__(name: str) -> Any:
    return getattr(import_module(f"{games.GAMES[games.DEFAULT]}.analysis"), name)
