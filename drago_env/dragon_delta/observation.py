"""What a player sees, as one flat vector with named slices; and the features of an action.

The vector is relative to the observer (seat 0 is they themselves, 1 the next seat) and padded to
six seats. The map is turned or mirrored so that the own village is always village 0, as far as
the map has symmetries (1.7); actions stay as they are everywhere (11.1). Numbers are scaled by
powers of two to about [-1, 1]; the compact int8 form holds the same numbers unscaled.
"""

from __future__ import annotations

from drago_env.core.layout import Slice, laid_out, starts
from drago_env.dragon_delta.map import MAX_PLANKS, MAX_VILLAGES
from drago_env.dragon_delta.rules import MAX_KINDS, MAX_PLAYERS, MAX_SLOTS, Rules
from drago_env.dragon_delta.state import STEPS

VERSION = 1  # of the meaning of the vector and of the features; goes up when either changes

SEATS = MAX_PLAYERS
CARD_COLUMNS = MAX_KINDS + SEATS  # the kinds, then a dragon against each seat from the observer on
PAWN_COLUMNS = MAX_VILLAGES + 3
PLANK_CODE = 64  # a link's plank is PLANK_CODE + number - 1 + 8 * colour, negative under a pawn
FARTHEST = 15  # greater distances are cut to it
SHORT = 127  # what else could be large is cut to it


def _parts(islets: int, links: int) -> tuple[Slice, ...]:
    return laid_out(
        ("step", (STEPS,), 1.0, "program, stone, plank, link, remove, move, first and second "
         "step of move2, jump; none when the game is over"),
        ("turn", (SEATS,), 1.0, "who decides; nobody when the game is over"),
        ("marker", (SEATS,), 1.0, "who has the first-player marker"),
        ("slot", (MAX_SLOTS,), 1.0, "the slot that is carried out; none while cards are laid"),
        ("players", (SEATS - 1,), 1.0, "two to six players"),
        ("flags", (2,), 1.0, "move2_village, long_planks"),
        ("rounds_left", (1,), 1 / 16, "rounds after this one, up to 127"),
        ("stones_left", (1,), 1 / 16, "stones in the common reserve, up to 127"),
        ("left", (1,), 1 / 2, "stones or planks that the card still asks for"),
        ("chosen", (MAX_PLANKS,), 1.0, "the number of a chosen plank that is not laid yet"),
        ("origin", (2,), 1 / 32, "where a move2 that is half done began, as in pawns"),
        ("laid", (SEATS,), 1 / 4, "cards that each player has laid"),
        ("cancelled", (SEATS,), 1.0, "a dragon of this slot is against them"),
        ("cards", (SEATS, CARD_COLUMNS), 1 / 4, "for each card the slot (from 1) in which it is "
         "known to lie: kinds, then dragons against the observer, the next seat, ..."),
        ("home", (SEATS,), 1 / 4, "each player's village, from 1, turned"),
        ("goal", (SEATS,), 1 / 4, "each player's goal, from 1, turned"),
        ("pawns", (SEATS, PAWN_COLUMNS), (*[1.0] * MAX_VILLAGES, 1 / 32, 1 / 32, 1 / 4),
         "the village in which the pawn stands; the nodes of its plank, from 1, or of its village "
         "and 0, turned; steps to the goal if every link had a free plank (8.5), up to 15"),
        ("reserves", (SEATS, MAX_PLANKS), 1 / 4, "planks of each number that each player "
         "holds: 0, or 1 for the observer's colour, 2 for the next seat's, ..."),
        ("lost", (SEATS,), 1 / 4, "planks of each player's colour out of the game"),
        ("links", (links,), 1 / 64, "the planks on the links, turned: 0, or 64 + number - 1 + "
         "8 * colour (0 for the observer's, 1 for the next seat's, ...); negative under a pawn"),
        ("stones", (islets,), 1.0, "islets with a stone, turned"),
    )  # fmt: skip


def layout(rules: Rules) -> tuple[Slice, ...]:
    """The slices of the observation; what depends on the map stands at the end."""
    return _parts(len(rules.map.islets), len(rules.map.links))


STARTS = starts(_parts(1, 1))

FEATURES = laid_out(
    ("card", (MAX_KINDS + 1,), 1.0, "programs this card; the last is a dragon"),
    ("slot", (1,), 1 / 4, "programs this slot, from 1"),
    ("planned", (4,), 1 / 2, "steps, planks, stones and jumps in the cards laid before"),
    ("does", (7,), 1.0, "puts a stone, chooses a plank, lays it, takes a plank, takes a stone, "
     "moves, jumps"),
    ("number", (1,), 1 / 8, "number of the plank that it is about"),
    ("colour", (2,), 1.0, "the plank that it is about is of the own colour, of another's"),
    ("wins", (1,), 1.0, "wins the game"),
    ("own_cost", (2,), 1 / 16, "what the own way costs before and after it: 1 for each link with a "
     "plank, 2 where an own one could be laid, 4 where a stone lacks (31: no way)"),
    ("rival_cost", (2,), 1 / 16, "the same for the rival with the cheapest way, by any planks"),
    ("own_steps", (2,), 1 / 8, "steps to the own goal on the planks that lie, before and after"),
    ("rival_steps", (2,), 1 / 8, "the same for that rival"),
    ("distance", (1,), 1 / 8, "the own distance of 8.5 after it"),
    ("exits", (2,), 1 / 4, "steps that the own pawn then has, and that rival's"),
    ("target", (3,), 1 / 8, "of a dragon: the target's cost, steps and order in the slot"),
    ("own_way", (2,), 1.0, "touches the cheapest way: of the own pawn, of that rival"),
    ("works", (1,), 1 / 16, "of a card: options that it would have if it were carried out now"),
    ("where", (2,), 1 / 64, "where on the map it points, turned: x and y from -64 to 64"),
    ("readies", (1,), 1 / 4, "of a stone: links on which a plank could then be laid"),
    ("links", (1,), 1 / 16, "links on which the chosen plank could lie now"),
    ("hinders", (1,), 1 / 4, "free links that the plank would block"),
    ("time", (2,), 1 / 8, "rounds left up to 15; cards of this round still to be carried out"),
)  # fmt: skip
FEATURE_STARTS = starts(FEATURES)
