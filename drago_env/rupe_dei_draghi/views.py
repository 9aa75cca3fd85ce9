"""A seat's view of a record, verified: a game is kept that the seat cannot tell from the true one.

When a rival plays a card, or a look turns out in vain, the game kept may say otherwise. Then what
the seat cannot see is exchanged so that it fits, as clauses 12.3 and 12.5 allow; if nothing fits,
the view is wrong.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.game import State
from drago_env.rupe_dei_draghi.actions import DONE, RENEW
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, CARDS, POINTS, Rules
from drago_env.rupe_dei_draghi.state import MAGIC


class Guess:
    """What a viewer takes to be so, changed as the record goes on."""

    def __init__(self, rules: Rules, state: State, viewer: int) -> None:
        self.rules, self.game, self.viewer = rules, state[0], viewer

    def hides(self, key: str, seat: int, action: int) -> bool:
        """Whether the viewer is not told what a move brought."""
        if key == "taken" and (seat + action - 14) % self.rules.players == self.viewer:
            return False
        return seat != self.viewer

    def fit_action(self, action: int) -> None:
        """Gives a rival, if possible, the cards by which the action is legal."""
        game, seat = self.game, int(self.game["seat"])
        if seat == self.viewer:
            return
        if action < RENEW and game["hand"][seat, action] == 0:
            self.give(seat, action)
        elif action == DONE and game["step"] == MAGIC:  # 4.3: no points card is in the hand
            may_stop = bool(game["fresh"] and game["stop"])
            for kind in range(POINTS, CARD_KINDS):
                while not may_stop and game["hand"][seat, kind] and self.rid(seat, kind):
                    pass

    def fit_chance(self, key: str, told: Any, action: int, won: bool) -> str | None:
        """Fits hands and princesses to what a move brought; a fault if nothing fits."""
        if key == "seen":
            return self.fit_princesses(action, told, won)
        if isinstance(told, list):
            self.fit_deck(told)
            return None
        if key == "taken" and told is not None:
            rival = (int(self.game["seat"]) + action - 14) % self.rules.players
            lacking = rival != self.viewer and self.game["hand"][rival, told] == 0
            if lacking and not self.give(rival, told):
                return f"{CARDS[told]} was taken, but the rival cannot hold it (clause 12.5)"
        return None

    def forget(self) -> None:
        """Takes off the marks between two others, as clause 12.6 does: their cards are guesses."""
        others = np.delete(np.arange(len(self.game["marks"])), self.viewer)
        self.game["marks"][np.ix_(others, others)] = 0

    # ------------------------------------------------------------ cards

    def loose(self, seat: int) -> NDArray[np.int64]:
        """The cards of a rival that the viewer does not know."""
        hand = self.game["hand"][seat].astype(np.int64)
        return np.asarray(hand - self.game["marks"][self.viewer, seat])

    def give(self, seat: int, kind: int) -> bool:
        """Exchanges an unknown card of a rival for one of this kind, wherever it is unseen."""
        own = self.loose(seat)
        return any(self.exchange(seat, int(other), kind) for other in np.flatnonzero(own))

    def fit_deck(self, drawn: list[int]) -> None:
        """Brings what the viewer draws into the deck, for cards that are not drawn (4.4)."""
        game = self.game
        heap = game["deck"].astype(np.int64) + game["hand"][self.viewer]
        if heap.sum() <= self.rules.hand:
            pile = game["pile"][: game["pile_size"]]
            heap += np.bincount(pile, minlength=CARD_KINDS)
        spare = heap - np.bincount(np.array(drawn, int), minlength=CARD_KINDS)
        rivals = [rider for rider in range(self.rules.players) if rider != self.viewer]
        for kind in np.repeat(np.arange(CARD_KINDS), np.maximum(-spare, 0)):
            surplus = np.flatnonzero((spare > 0) & (game["deck"] > 0))
            holders = [rider for rider in rivals if self.loose(rider)[kind] > 0]
            if not len(surplus) or not holders:
                return
            other, holder = surplus[0], holders[0]
            game["deck"][other] -= 1
            game["deck"][kind] += 1
            game["hand"][holder, kind] -= 1
            game["hand"][holder, other] += 1
            spare[other] -= 1

    def rid(self, seat: int, kind: int) -> bool:
        """Exchanges an unknown points card of a rival for a magic one."""
        if self.loose(seat)[kind] == 0:
            return False
        return any(self.exchange(seat, kind, magic) for magic in range(POINTS))

    def exchange(self, seat: int, away: int, kind: int) -> bool:
        """One card of a rival for another of the deck or of another rival's unknown ones."""
        game = self.game
        heaps = [game["deck"]] if game["deck"][kind] else []
        others = [r for r in range(self.rules.players) if r not in (seat, self.viewer)]
        heaps += [game["hand"][rival] for rival in others if self.loose(rival)[kind] > 0]
        if not heaps or away == kind:
            return False
        heaps[0][kind] -= 1
        heaps[0][away] += 1
        game["hand"][seat, kind] += 1
        game["hand"][seat, away] -= 1
        return True

    # ------------------------------------------------------------ princesses

    def fit_princesses(self, action: int, told: int | None, won: bool) -> str | None:
        """An arrangement that fits all looks so far and this one (12.3)."""
        game, rules = self.game, self.rules
        space = action - rules.num_actions + len(rules.graph)
        fort, seat = rules.graph.strongholds.index(space), int(game["seat"])
        forts = range(len(rules.graph.starts))
        colours = [rules.colour(rider) for rider in range(rules.players)]
        known = {f: int(game["princess"][f]) for f in forts if game["looks"][self.viewer] >> f & 1}
        if seat == self.viewer and told is not None:
            if known.get(fort, told) != told or (told == colours[seat]) != won:
                return f"the princess there cannot be {told} (clause 12.3)"
            known[fort] = told
        for order in permutations(forts):
            own = all(order[f] == colour for f, colour in known.items())
            vain = not any(
                order[f] == colours[rider]
                for rider in range(rules.players)
                for f in forts
                if game["looks"][rider] >> f & 1
            )
            if own and vain and (order[fort] == colours[seat]) == won:
                game["princess"][: len(order)] = order
                return None
        return "no arrangement of the princesses fits what was seen (clause 12.3)"
