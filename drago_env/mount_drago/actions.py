"""The numbering of actions (clause 10): what is done with a card, and with which kind of card."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

# Played and its dragon ridden (5.1), played and the own dragon kept (5.3), discarded (7.1): each
# has a block of as many actions as there are card kinds. Behind them is the end of discarding.
TO_PLAY, TO_KEEP, TO_DISCARD, TO_END = range(4)

Number = TypeVar("Number", int, NDArray[np.int64])


def count(kinds: int) -> int:
    """How many actions there are with so many card kinds."""
    return TO_END * kinds + 1


def decode(action: Number, kinds: int) -> tuple[Number, Number]:
    """What is done, and with which card kind, of one action or many; no action (-1) is -1 first."""
    return divmod(action, kinds)


def encode(what: int, card: Number, kinds: int) -> Number:
    """The action that does this with a card kind: the other way round."""
    return what * kinds + card


def by_card(mask: NDArray[np.int8], kinds: int) -> NDArray[np.int8]:
    """A mask of all actions as `(n, what is done, card kind)`, but for the end of discarding."""
    return mask[:, : TO_END * kinds].reshape(len(mask), TO_END, kinds)
