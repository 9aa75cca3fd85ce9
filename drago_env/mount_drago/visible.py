"""What is to be seen of a position: plain data that every drawing is made of.

A `Visible` holds what its viewer may know and nothing else, so no drawing of it can leak a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from drago_env.game import Move, State
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules

CODES = ("bu", "br", "bk", "re", "ye", "gn", "gy", "lb", "pu", "or")  # beside each colour's tint
# as in state["phase"]; open: one seat's view of a game ends here, and cannot say who is next
PLAY, DISCARD, OVER, OPEN = "play", "discard", "over", "open"
OPEN_END = 3  # the number of `open`


@dataclass(frozen=True)
class Rider:
    """One seat as the viewer sees it."""

    seat: int
    name: str
    score: int
    top: int  # the card that names the dragon ridden
    cards: int  # how many are in the hand
    hand: tuple[int, ...] | None  # None: hidden from the viewer
    gained: int  # by the last move
    wins: bool


@dataclass(frozen=True)
class Visible:
    """One position as one viewer sees it."""

    rules: Rules
    dragons: tuple[int, ...]  # the space of each
    riders: tuple[Rider, ...]
    seat: int  # who decides
    phase: str  # PLAY, DISCARD, OVER or OPEN
    deck: int
    last: Move | None

    @property
    def summit(self) -> int:
        """How many dragons are on the summit."""
        return sum(space >= self.rules.board.summit for space in self.dragons)

    @property
    def mounts(self) -> dict[int, int]:
        """The seat that rides each dragon; a dragon without a rider is not in it."""
        return {rider.top // self.rules.values: rider.seat for rider in self.riders}


def visible(
    game: MountDrago,
    state: State,
    viewer: int | None,
    last: Move | None,
    names: Sequence[str],
) -> Visible:
    """What a viewer sees of the one game of a state: their own hand only, or with None all."""
    rules, it = game.row_rules(state, 0), state[0]
    wins = game.winners(state)[0] if game.over(state)[0] else np.zeros(len(names), np.bool_)
    riders = []
    for seat, name in enumerate(names):
        held = int(it["hand_size"][seat])
        seen = viewer is None or viewer == seat
        hand = tuple(it["hand"][seat, :held].tolist()) if seen else None
        gained = int(last.points[seat]) if last else 0
        score, top = int(it["score"][seat]), int(it["top"][seat])
        riders.append(Rider(seat, name, score, top, held, hand, gained, wins=bool(wins[seat])))
    return Visible(
        rules,
        tuple(it["position"][: rules.colours].tolist()),
        tuple(riders),
        int(it["seat"]),
        (PLAY, DISCARD, OVER, OPEN)[int(it["phase"])],
        int(it["deck_size"]),
        last,
    )
