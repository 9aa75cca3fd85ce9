"""The state: one record of 184 bytes a game, so that a batch is one plain numpy array.

Links are bits of three words, nodes (islets, then villages) bits of one. A plank stands for
itself, not for a link: `plank[colour, number - 1]` says where it is. Everything is kept in one
canonical form, so equal games are equal bytes. There is no chance in this game (2.4).
"""

import numpy as np

from drago_env.dragon_delta.map import LINK_WORDS, MAX_LINKS, MAX_PLANKS
from drago_env.dragon_delta.rules import MAX_PLAYERS, MAX_SLOTS

# where a plank is: on a link, in the reserve of seat s (RESERVE + s), or out of the game
# where a pawn is: on a link, or in village v (VILLAGE + v)
RESERVE = VILLAGE = MAX_LINKS
NOWHERE = 255  # a lost plank, one that the rules do not have, no place
EMPTY = 255  # a slot without a card

# the steps (11.2), and no step when the game is over
PROGRAM, STONE, PLANK, LINK, REMOVE, MOVE, FIRST, SECOND, JUMP, OVER = range(10)
STEPS = OVER
RUNNING, WON, CUT_OFF = 0, 1, 2  # state["end"]

STATE = np.dtype(
    [
        ("stones", "<u8"),  # islets with a stone
        ("full", "<u8"),  # nodes that bear as many planks as they can
        ("laid", "<u8", (LINK_WORDS,)),  # links with a plank
        ("blocked", "<u8", (LINK_WORDS,)),  # those, and the links that cross them
        ("round", "<u2"),  # from 1
        ("map", "<u2"),  # which of the batch's maps
        ("plank", "u1", (MAX_PLAYERS, MAX_PLANKS)),  # where each is, by colour (seat) and number
        ("program", "u1", (MAX_PLAYERS, MAX_SLOTS)),  # cards as actions, or EMPTY; HIDDEN in part
        ("pawn", "u1", (MAX_PLAYERS,)),  # where each is; NOWHERE for a seat that nobody has
        ("players", "u1"),
        ("seat", "u1"),  # who decides; after the end, who made the last move
        ("first", "u1"),  # who has the marker
        ("slot", "u1"),  # the present one; 0 while cards are programmed
        ("step", "u1"),  # PROGRAM to JUMP, OVER
        ("end", "u1"),  # RUNNING, WON (by `seat`) or CUT_OFF
        ("left", "u1"),  # stones or planks that the card still asks for
        ("chosen", "u1"),  # the number of a chosen plank that is not laid yet, else 0
        ("origin", "u1"),  # where a `move2` that is half done began, else NOWHERE
        ("move2_village", "u1"),  # the flag of 6.7
        ("long_planks", "u1"),  # the flag of 6.3
        ("spare", "u1", (3,)),  # always zero, in place of padding, which numpy leaves undefined
    ],
    align=True,
)
