"""The state: one record a game, so that a batch is one plain numpy array.

Everything is kept in one canonical form (dragons sorted, unused slots empty, scratch at rest), so
equal games are equal bytes.
"""

import numpy as np

from drago_env.rupe_dei_draghi.graph import MAX_STARTS
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, MAX_CARDS, MAX_PLAYERS, WORDS

MAX_PATH = 10  # steps of the longest move: 5 doubled (10.4)

# The steps of a turn (14.2): state["step"]
TURN, MAGIC, RAINBOW_FROM, RAINBOW_TO, BRIDGE_FROM, BRIDGE_TO, DRAGON_FROM, DRAGON_TO = range(8)
SWAP, CLOUD_WHOM, CLOUD_TO, MOVE, DUEL, SPOILS, ROBBERY, CROSSED, CROSSED_TO, OVER = range(8, 18)
STEPS = (
    "turn",
    "after a magic card",
    "rainbow from",
    "rainbow to",
    "bridge from",
    "bridge to",
    "dragon from",
    "dragon to",
    "teleswap",
    "cloud",
    "cloud to",
    "move",
    "duel",
    "spoils",
    "rob",
    "crossed rainbow",
    "crossed rainbow to",
    "over",
)
RUNNING, WON, CUT_OFF = 0, 1, 2  # state["end"]

STATE = np.dtype(
    [
        ("rng", "<u8"),  # the generator of chance: deal, princesses, renewals, cards taken
        ("closed", "<u8", (WORDS,)),  # spaces with a dragon, bridge sites without a bridge (6.3)
        ("targets", "<u8", (WORDS,)),  # destinations of the move that is being made, else zero
        ("laid", "<u8"),  # rainbow sites with a rainbow
        ("crossed", "<u8"),  # sites crossed by this move whose rainbow may yet be moved, else zero
        ("turns", "<u4"),  # turns that have ended
        ("map", "<u2"),  # which of the batch's tables
        ("options", "<u2"),  # see core/chance.py
        ("path", "<u2", (MAX_PATH,)),  # of the search for destinations; at rest zero
        ("script", "u1"),
        ("players", "u1"),
        ("seat", "u1"),  # who decides; after the end, who made the last move
        ("step", "u1"),  # TURN to OVER
        ("end", "u1"),  # RUNNING, WON (by `seat`) or CUT_OFF
        ("under", "u1"),  # reuse: a used top discard goes under the pile (15.2)
        ("stop", "u1"),  # the turn may end after a magic top discard (15.2)
        ("fresh", "u1"),  # the last magic card was a top discard, none of the hand followed yet
        ("card", "u1"),  # the points card of the move that is being made, or NONE
        ("picked", "u1"),  # what is moved: a site, a space, BESIDE_BOARD, or NONE
        ("rival", "u1"),  # the seat that is sent away or plundered, or NONE
        ("taken", "u1"),  # cards taken so far in this robbery or as spoils
        ("opened", "u1"),  # somebody has looked in vain (10.5)
        ("rainbows", "u1"),  # beside the board
        ("bridges", "u1"),  # beside the board
        ("deck_size", "u1"),
        ("pile_size", "u1"),
        ("armour", "u1", (MAX_PLAYERS,)),
        ("doubles", "u1", (MAX_PLAYERS,)),  # moves by p or 2p (10.4)
        ("looks", "u1", (MAX_PLAYERS,)),  # strongholds where each seat looked in vain, as bits
        ("knight", "u1", (MAX_PLAYERS,)),  # the space of each knight, or NONE
        ("steps", "u1", (MAX_PLAYERS,)),  # steps that each seat still needs; 0 once it is won
        ("before", "u1", (MAX_PLAYERS,)),  # the same before the last decision
        ("hand_size", "u1", (MAX_PLAYERS,)),
        ("dragons", "u1", (MAX_STARTS,)),  # their spaces, sorted, NONE at the end
        ("princess", "u1", (MAX_STARTS,)),  # the colour in each stronghold, or NONE; HIDDEN
        ("deck", "u1", (CARD_KINDS,)),  # cards of each kind: their order is chance; HIDDEN
        ("hand", "u1", (MAX_PLAYERS, CARD_KINDS)),  # cards of each kind; HIDDEN
        # cards of each kind that the first seat knows to be in the second one's hand (12.4)
        ("marks", "u1", (MAX_PLAYERS, MAX_PLAYERS, CARD_KINDS)),
        ("pile", "u1", (MAX_CARDS,)),  # the discard pile, the top card last, NONE beyond it
        ("spare", "u1", (5,)),  # always zero, in place of padding, which numpy leaves undefined
    ],
    align=True,
)
BESIDE_BOARD = 254  # state["picked"]: a piece from beside the board
