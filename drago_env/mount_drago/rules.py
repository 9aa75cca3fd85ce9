"""The numbers of the game (clause 11), checked when made, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import whole
from drago_env.mount_drago import actions
from drago_env.mount_drago.board import MAX_SPACES, Board

COLOURS = (
    "blue",
    "brown",
    "black",
    "red",
    "yellow",
    "green",
    "gray",
    "lightblue",
    "purple",
    "orange",
)
EDITIONS = ("german", "italian")
ITALIAN = EDITIONS.index("italian")

# Capacities: those of the full game. Smaller rules use less of them.
MIN_PLAYERS = 2
MAX_PLAYERS = 5
MAX_COLOURS = len(COLOURS)
MAX_VALUES = 5
MAX_CARD_KINDS = MAX_COLOURS * MAX_VALUES
MAX_CARDS = 110
MAX_HAND = 6
MAX_LEGAL = 2 * MAX_HAND

NEXT_WIDTH = 16  # of 3 + 2 * MAX_VALUES: whole vector registers are copied faster
SUMMIT_STEPS, LANDINGS = 1, 3  # places in such a row of what a dragon has before it
# Scales are powers of two, so that scaled numbers are exact.
SPACE_SCALE, SPACE_VALUE_SCALE, TRIGGER_SCALE = 1 / 32, 1 / 8, 1 / 2

NO_SCORING, MINOR, MAJOR = 0, 1, 2  # what a landing triggers (clause 6)
MINOR_LIMIT = 3  # a minor scoring counts spaces of at most this value (6.2)
WIN, MARGIN, RANK = 0, 1, 2  # reward schemes
MARGIN_SCALE = 20.0


class RulesError(ValueError):
    """Numbers that make no game; the message names the number and what is allowed."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game: who plays, by which edition, on which board, with which cards.

    Every default is the printed game for two riders; `board=None` takes the built-in side for
    the number of players. A batch of games may mix players, editions and boards, as long as
    the sizes (colours, copies, hand, summit_dragons) are the same.
    """

    players: int = 2
    edition: str = "german"
    board: Board = field(default=None)  # type: ignore[assignment]  # filled in when made
    colours: int = 10
    copies: tuple[int, ...] = (2, 2, 3, 2, 2)  # copies[v - 1]: cards of value v in each colour
    hand: int = 6
    summit_dragons: int = 3  # so many dragons on the summit end the game (clause 6.7)

    def __post_init__(self) -> None:
        whole("players", self.players, MIN_PLAYERS, MAX_PLAYERS, RulesError)
        if self.edition not in EDITIONS:
            raise RulesError(f"edition must be {' or '.join(EDITIONS)}, not {self.edition!r}")
        board = Board.side(self.players) if self.board is None else self.board
        if not isinstance(board, Board):
            raise RulesError(f"board must be a Board (see Board.read), not {board!r:.60}")
        object.__setattr__(self, "board", board)
        whole("colours", self.colours, 1, MAX_COLOURS, RulesError)
        if not isinstance(self.copies, Sequence) or not self.copies:
            raise RulesError(f"copies must list a number for each card value, not {self.copies!r}")
        for value, copies in enumerate(self.copies, 1):
            whole(f"copies of value {value}", copies, 1, MAX_CARDS, RulesError)
        object.__setattr__(self, "copies", tuple(int(copies) for copies in self.copies))
        whole("the number of card values", self.values, 1, MAX_VALUES, RulesError)
        whole("cards (colours x copies)", self.cards, 1, MAX_CARDS, RulesError)
        whole("hand", self.hand, 1, MAX_HAND, RulesError)
        whole("summit_dragons", self.summit_dragons, 1, self.colours, RulesError)
        for name in ("players", "colours", "hand", "summit_dragons"):
            object.__setattr__(self, name, int(getattr(self, name)))
        if self.players > self.colours:
            raise RulesError(
                f"{self.players} players need as many colours, not {self.colours} (clause 11)"
            )
        needed = self.players * (self.hand + 1)
        if self.cards < needed:
            raise RulesError(
                f"{self.players} players with {self.hand} cards in hand and one face up need "
                f"{needed} cards, not {self.cards} (clause 11)"
            )
        left = self.cards - self.players * self.hand
        if self.edition == "italian" and left <= (self.players - 1) * self.cards_per_colour:
            raise RulesError(
                f"the italian set-up could run dry: {left} cards are left after the hands, more "
                f"than {(self.players - 1) * self.cards_per_colour} are needed (clause 11)"
            )

    @classmethod
    def tiny(cls, players: int = 2, edition: str = "german") -> Rules:
        """The tiny game of clause 11, for tests on the same engine."""
        return cls(
            players, edition, Board.tiny(), colours=3, copies=(3, 3), hand=2, summit_dragons=2
        )

    @classmethod
    def mini(cls, players: int = 2, edition: str = "german") -> Rules:
        """A game with real choices and hidden hands that is small enough to be solved exactly."""
        board = Board((0, 1, 2, 3), ("start", "blue", "green", "summit"))
        return cls(players, edition, board, colours=3, copies=(3,), hand=2, summit_dragons=1)

    @classmethod
    def micro(cls, players: int = 2, edition: str = "german") -> Rules:
        """A game with hidden hands that is small enough to be solved in seconds."""
        board = Board((0, 1, 3), ("start", "blue", "summit"))
        return cls(players, edition, board, colours=2, copies=(2, 2), hand=2, summit_dragons=1)

    @property
    def values(self) -> int:
        """The highest card value."""
        return len(self.copies)

    @property
    def card_kinds(self) -> int:
        """How many different cards there are: `values * colour + value - 1` runs over them."""
        return self.colours * len(self.copies)

    @property
    def cards_per_colour(self) -> int:
        """How many cards each colour has."""
        return sum(self.copies)

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return self.colours * self.cards_per_colour

    @property
    def num_actions(self) -> int:
        """Play, play and keep, discard (a block of card kinds each), and done (clause 10)."""
        return actions.count(self.card_kinds)

    @property
    def sizes(self) -> tuple[int, tuple[int, ...], int, int]:
        """What must be equal within a batch."""
        return (self.colours, self.copies, self.hand, self.summit_dragons)

    def card_text(self, card: int) -> str:
        """A card in words, such as `blue 3`."""
        return f"{COLOURS[card // self.values]} {card % self.values + 1}"

    def card(self, text: str) -> int:
        """The card kind of words such as `blue 3`."""
        colour, _, value = text.strip().rpartition(" ")
        names = COLOURS[: self.colours]
        if colour not in names or value not in map(str, range(1, self.values + 1)):
            raise ValueError(
                f"{text!r} is no card; a card is a colour ({', '.join(names)}) "
                f"and a value from 1 to {self.values}, such as 'blue 1'"
            )
        return names.index(colour) * self.values + int(value) - 1

    def as_dict(self) -> dict[str, Any]:
        """The numbers as records write them; the board stands beside them."""
        numbers = asdict(self)
        del numbers["board"]
        return {**numbers, "copies": list(self.copies)}


# ---------------------------------------------------------------- what the kernels are given

TABLE = np.dtype(
    [
        # the sizes, the same for every board of a batch
        ("colours", "u1"),
        ("values", "u1"),
        ("card_kinds", "u1"),
        ("cards", "u1"),
        ("hand", "u1"),
        ("summit_dragons", "u1"),
        ("colour", "u1", (MAX_CARD_KINDS,)),  # of each card kind
        ("value", "u1", (MAX_CARD_KINDS,)),  # of each card kind
        ("copies", "u1", (MAX_CARD_KINDS,)),  # of each card kind
        ("bag", "u1", (MAX_CARDS,)),  # every card of the game, sorted
        # the board
        ("last", "u1"),  # the last space
        ("summit", "u1"),  # the first summit space
        ("space_value", "i1", (MAX_SPACES,)),  # the value of each space
        # What a dragon on each space has before it: the space, the steps to the summit
        # (SUMMIT_STEPS), the value of the space; then (LANDINGS) for each card value the value of
        # the space where it lands; then for each card value what that landing triggers. Padded to
        # NEXT_WIDTH.
        ("next_spaces", "i1", (MAX_SPACES, NEXT_WIDTH)),
        # the same in the observation's scale
        ("next_spaces_scaled", "<f4", (MAX_SPACES, NEXT_WIDTH)),
    ],
    align=True,
)


def trigger(board: Board, before: int, after: int) -> int:
    """What a dragon's move from one space to another triggers."""
    if after == before:  # 6.1: standing still triggers nothing
        return NO_SCORING
    if after >= board.summit:  # 6.4: only when newly reached
        return MAJOR if before < board.summit else NO_SCORING
    return {"blue": MINOR, "green": MAJOR}.get(board.kinds[after], NO_SCORING)  # 6.2, 6.3


def landing(board: Board, before: int, value: int) -> int:
    """Where a dragon lands that moves by a card of this value (clauses 4.2 and 4.3)."""
    return min(before + value, board.last)


def constants(rules: Rules, boards: Sequence[Board]) -> NDArray[np.void]:
    """One record for each board, with the sizes of these rules in every one of them."""
    table = np.zeros(len(boards), TABLE)
    for name in ("colours", "values", "card_kinds", "cards", "hand", "summit_dragons"):
        table[name] = getattr(rules, name)
    kinds = np.arange(rules.card_kinds)
    copies = np.tile(rules.copies, rules.colours)
    table["colour"][:, : len(kinds)] = kinds // rules.values
    table["value"][:, : len(kinds)] = kinds % rules.values + 1
    table["copies"][:, : len(kinds)] = copies
    table["bag"] = 255
    table["bag"][:, : rules.cards] = np.repeat(kinds, copies)
    steps, scale = range(1, rules.values + 1), next_spaces_scale(rules)
    for line, board in zip(table, boards, strict=True):
        line["last"], line["summit"] = board.last, board.summit
        line["space_value"][: len(board)] = board.values
        for space in range(len(board)):
            goals = [landing(board, space, step) for step in steps]
            row = [
                space,
                board.summit - space,
                board.values[space],
                *(board.values[goal] for goal in goals),
                *(trigger(board, space, goal) for goal in goals),
            ]
            line["next_spaces"][space, : len(row)] = row
            line["next_spaces_scaled"][space, : len(row)] = np.multiply(row, scale)
    return table


def next_spaces_scale(rules: Rules) -> list[float]:
    """The scale of each number of a `next_spaces` row."""
    values = [SPACE_VALUE_SCALE] * rules.values
    return [SPACE_SCALE, SPACE_SCALE, SPACE_VALUE_SCALE, *values, *[TRIGGER_SCALE] * rules.values]
