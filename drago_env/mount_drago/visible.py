"""What is to be seen of a position: plain data that every drawing is made of.

A `Sight` holds what its viewer may know and nothing else, so no drawing of it can leak a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.game import State
from drago_env.mount_drago import state as phases
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules

CODES = ("bu", "br", "bk", "re", "ye", "gn", "gy", "lb", "pu", "or")  # beside each colour's tint
PLAY, DISCARD, OVER, OPEN = "play", "discard", "over", "open"  # open: the record ends here


class Move(NamedTuple):
    """A decision that was made: who made it, the action, the points that each seat got by it."""

    seat: int
    action: int
    points: Sequence[int] | NDArray[np.integer[Any]]


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
class Sight:
    """One position as one viewer sees it."""

    rules: Rules
    dragons: tuple[int, ...]  # the space of each
    riders: tuple[Rider, ...]
    seat: int  # who decides
    phase: str  # PLAY, DISCARD, OVER or OPEN
    deck: int
    last: str  # the last move in words; empty before the first
    points: tuple[int, ...]  # of the last move; empty if nobody got any

    @property
    def summit(self) -> int:
        """How many dragons are on the summit."""
        return sum(space >= self.rules.board.summit for space in self.dragons)

    @property
    def mounts(self) -> dict[int, int]:
        """The seat that rides each dragon; a dragon without a rider is not in it."""
        return {rider.top // self.rules.values: rider.seat for rider in self.riders}

    @property
    def turn(self) -> tuple[str, str]:
        """Whose turn it is and what he does, or who won: a name or names, and the rest."""
        if self.phase == OPEN:
            return "", "the record ends here"
        if self.phase == OVER:
            winners = [rider.name for rider in self.riders if rider.wins]
            return ", ".join(winners), " wins" if len(winners) == 1 else " win"
        return self.riders[self.seat].name, " to play" if self.phase == PLAY else " may discard"


def sight(
    game: MountDrago,
    state: State,
    row: int = 0,
    viewer: int | None = None,
    last: Move | None = None,
    riders: Sequence[str] | None = None,
) -> Sight:
    """What a viewer sees of one game: his own hand only, or with None every hand."""
    rules, it = game.row_rules(state, row), state[row]
    if viewer is not None and not 0 <= viewer < rules.players:
        raise ValueError(f"viewer must be a seat from 0 to {rules.players - 1}, not {viewer}")
    called = names(rules, riders)
    wins = game.winners(state[[row]])[0]
    seats = []
    for seat in range(rules.players):
        held = int(it["hand_size"][seat])
        seen = viewer is None or viewer == seat
        hand = tuple(it["hand"][seat, :held].tolist()) if seen else None
        gained = int(last.points[seat]) if last else 0
        score, top = int(it["score"][seat]), int(it["top"][seat])
        seats.append(
            Rider(seat, called[seat], score, top, held, hand, gained, wins=bool(wins[seat]))
        )
    words, points = move_text(game, last, called)
    return Sight(
        rules,
        tuple(it["position"][: rules.colours].tolist()),
        tuple(seats),
        int(it["seat"]),
        {phases.PLAY: PLAY, phases.DISCARD: DISCARD, phases.OVER: OVER}[int(it["phase"])],
        int(it["deck_size"]),
        words,
        points,
    )


def names(rules: Rules, riders: Sequence[str] | None) -> list[str]:
    """The riders' names, fit to be printed: `rider 0` where there is none."""
    if riders is not None and len(riders) != rules.players:
        raise ValueError(f"{rules.players} riders need as many names, not {len(riders)}")
    given = [_printable(str(name)) for name in riders or [""] * rules.players]
    return [name or f"rider {seat}" for seat, name in enumerate(given)]


def move_text(
    game: MountDrago, last: Move | None, called: Sequence[str]
) -> tuple[str, tuple[int, ...]]:
    """A move in words, and its points if anybody got any."""
    if last is None:
        return "", ()
    points = tuple(int(number) for number in last.points[: len(called)])
    text = f"{called[last.seat]}: {game.action_text(int(last.action))}"
    return text, points if any(points) else ()


def _printable(name: str) -> str:
    """Without what would break a line, a terminal or an XML file."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name).strip()
