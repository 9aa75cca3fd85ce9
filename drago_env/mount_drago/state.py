"""The state: one record of 248 bytes a game, so that a batch is one plain numpy array.

`state["position"]` is the `(num_envs, 10)` view that numpy users expect, and `state[i]` is one
whole game: clone (`state.copy()`), select, compare and save are one line each. Everything is
kept in one canonical form (hands sorted, unused slots empty), so equal games are equal bytes.
"""

import numpy as np

from drago_env.mount_drago.rules import (
    MAX_CARD_KINDS,
    MAX_CARDS,
    MAX_COLOURS,
    MAX_HAND,
    MAX_PLAYERS,
)

PLAY, DISCARD, OVER = 0, 1, 2  # state["phase"]
PHASES = ("play", "discard", "over")
EMPTY = 255  # an unused slot of a hand; the space of a dragon that the rules do not have

STATE = np.dtype(
    [
        ("rng", "<u8"),  # the generator of chance: the deal, the draws, the reshuffles
        ("score", "<i2", (MAX_PLAYERS,)),  # points of each seat; may fall below 0 (6.6)
        ("board", "<u2"),  # which of the batch's boards
        ("position", "u1", (MAX_COLOURS,)),  # the space of each dragon; 255: no such colour
        ("hand", "u1", (MAX_PLAYERS, MAX_HAND)),  # sorted, EMPTY at the end; HIDDEN
        ("hand_size", "u1", (MAX_PLAYERS,)),
        ("top", "u1", (MAX_PLAYERS,)),  # top card of each face-up pile: the dragon ridden (2.2)
        ("pile", "u1", (MAX_CARD_KINDS,)),  # cards of each kind under the tops or discarded (7.3)
        ("deck", "u1", (MAX_CARDS,)),  # a bag: a random one of the first deck_size is drawn; HIDDEN
        ("deck_size", "u1"),
        ("drawn", "u1", (MAX_HAND,)),  # cards drawn by the last move, in order; HIDDEN
        ("drawn_size", "u1"),
        ("players", "u1"),
        ("edition", "u1"),  # index into rules.EDITIONS
        ("seat", "u1"),  # who decides; after the end, who made the last move
        ("phase", "u1"),  # PLAY, DISCARD or OVER
        ("summit", "u1"),  # dragons on the summit
        ("discarded", "u1"),  # cards discarded so far in this discard step
        ("script", "u1"),  # see core/chance.py; 0 in play, as is `options`
        ("options", "u1"),
        ("spare", "u1", (2,)),  # always zero, in place of padding, which numpy leaves undefined
    ],
    align=True,
)
