"""Mount Drago, slowly and obviously: the rule sheet's clauses as plain Python, an oracle for tests.

The numbers in the comments are the clauses of the rule sheet. Nothing here is fast and nothing is
shared with the engine. Chance stays outside: whoever calls `apply` says which cards were drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Cards = Sequence[int]  # card kinds: len(copies) * colour + (value - 1)
Draw = Callable[[], int]


@dataclass
class Reference:
    players: int
    edition: str  # "german" or "italian"
    colours: int
    copies: list[int]  # copies[v - 1] cards of value v in each colour
    hand_limit: int
    summit_dragons: int  # so many dragons on the summit end the game
    board: list[tuple[int, str]]  # (value, kind): start, plain, blue, green or summit
    hands: list[list[int]]  # per seat, sorted
    piles: list[list[int]]  # per seat, bottom first, the last one is the top card
    discards: list[int]
    deck: Counter[int]  # a multiset: the order is chance
    position: list[int]  # per dragon, the index of its space
    scores: list[int]
    seat: int = 0
    step: str = "play"  # "play", "discard" or "over"
    discarded: int = 0  # cards discarded so far in the present discard step
    events: list[str] = field(default_factory=list)  # what happened during the last `apply`
    streak: Counter[int] = field(default_factory=Counter)  # per seat: scoring turns in a row

    @classmethod
    def start(
        cls, *, hands: Sequence[Cards], tops: Cards, discards: Cards = (), **rules: Any
    ) -> Reference:
        """The position after set-up (2) with these cards; rules: players to board, as above."""
        game = cls(
            **rules,
            hands=[sorted(hand) for hand in hands],
            piles=[[top] for top in tops],
            discards=list(discards),
            deck=Counter(),
            position=[0] * rules["colours"],  # 2.1: all dragons stand on the start space
            scores=[0] * rules["players"],  # 2.1
        )
        assert game.edition in ("german", "italian")
        assert 2 <= game.players <= min(5, game.colours)  # 1.1, 11
        assert [len(hand) for hand in hands] == [game.hand_limit] * game.players  # 2.2
        shown = [game.colour(top) for top in tops]
        assert len(set(shown)) == len(tops) == game.players  # 2.2: all different
        # 2.2: german, nothing is rejected; italian, only a colour that an earlier rider shows
        assert all(game.edition == "italian" and game.colour(c) in shown[:-1] for c in discards)
        assert game.count_cards() <= game.full_set()  # no card is dealt more often than it exists
        game.deck = game.full_set() - game.count_cards()  # 2.2: what is left is the draw deck
        return game

    @property
    def kinds(self) -> int:
        return self.colours * len(self.copies)  # K in the numbering of the actions (10)

    def colour(self, card: int) -> int:
        return card // len(self.copies)

    def value(self, card: int) -> int:
        return card % len(self.copies) + 1

    def full_set(self) -> Counter[int]:
        return Counter({c: self.copies[self.value(c) - 1] for c in range(self.kinds)})  # 1.3

    def count_cards(self) -> Counter[int]:
        """All cards, wherever they are: always the full set."""
        held = Counter(card for cards in self.hands + self.piles for card in cards)
        return held + Counter(self.discards) + self.deck

    def covered(self) -> Counter[int]:
        """7.3: the cards of a reshuffle: the piles except each top card, and the discard pile."""
        return Counter(self.discards) + Counter(c for pile in self.piles for c in pile[:-1])

    def unseen(self, seat: int) -> Counter[int]:
        """8.4: all cards less the own hand, the piles with their tops, and the discard pile."""
        piled = Counter(card for pile in self.piles for card in pile)
        return self.full_set() - Counter(self.hands[seat]) - piled - Counter(self.discards)

    def ridden(self, seat: int) -> int:
        return self.colour(self.piles[seat][-1])  # 2.2: the top card says which dragon

    def riders_of(self, dragon: int) -> list[int]:
        return [seat for seat in range(self.players) if self.ridden(seat) == dragon]

    def on_summit(self, dragon: int) -> bool:
        return self.board[self.position[dragon]][1] == "summit"

    def may_choose(self, card: int) -> bool:
        """5.3, asked before the move: ridden by nobody (5.4: not by oneself) and in last place."""
        last = self.position[self.colour(card)] == min(self.position)  # of all dragons; ties count
        return last and not self.riders_of(self.colour(card))

    def may_discard(self) -> list[int]:
        """7.1, 7.2: the present rider's hand cards of dragons that stand on the summit."""
        return [card for card in self.hands[self.seat] if self.on_summit(self.colour(card))]

    @property
    def over(self) -> bool:
        return self.step == "over"

    def legal(self) -> list[int]:
        """10: the legal actions, ascending."""
        actions: set[int] = set()
        if self.step == "play":
            actions |= set(self.hands[self.seat])  # 4.1, 10.1: any card of the hand, no passing
            actions |= {self.kinds + card for card in actions if self.may_choose(card)}  # 10.2
        elif self.step == "discard":
            actions |= {2 * self.kinds + card for card in self.may_discard()}  # 10.3
            actions.add(3 * self.kinds)  # 10.3: done
        return sorted(actions)

    def apply(self, action: int, draw: Draw) -> list[int]:
        """Play an action; return the points that each seat got by it."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action} for seat {self.seat} in step {self.step}")
        self.events = []
        block, card = divmod(action, self.kinds)
        if block <= 1:
            return self.play(card, block == 1, draw)  # 10.1, 10.2
        if block == 2:
            self.discard(card, draw)  # 10.3
        else:
            self.events.append("done")  # 10.3
            self.end_discard_step(draw)
        return [0] * self.players

    # A turn (3): play a card and move (4), change or keep the dragon (5), scoring (6), then 7

    def play(self, card: int, keep: bool, draw: Draw) -> list[int]:
        choice = self.may_choose(card)  # 5.3: before the move
        self.hands[self.seat].remove(card)  # 4.1
        if not self.hands[self.seat]:
            self.events.append("last_card")
        before = self.position[self.colour(card)]
        self.move(card)
        self.change_or_keep(card, choice, keep)
        scoring = self.triggered(self.colour(card), before)
        points = self.score(scoring)
        self.streak[self.seat] = self.streak[self.seat] + 1 if scoring != "none" else 0
        if self.streak[self.seat] >= 4:
            self.events.append("four_scorings")  # 7.4
        if sum(map(self.on_summit, range(self.colours))) >= self.summit_dragons:  # 6.7: at once
            self.step = "over"
            self.events.append("over")
        else:
            self.discard_and_draw(scoring != "none", draw)
        return points

    def move(self, card: int) -> None:
        origin, last = self.position[self.colour(card)], len(self.board) - 1
        target = origin + self.value(card)  # 4.2
        if origin == last:
            self.events.append("zero_move")  # 4.4
        elif target > last:
            self.events.append("last_space")  # 4.3: the surplus is lost
        self.position[self.colour(card)] = min(target, last)

    def change_or_keep(self, card: int, choice: bool, keep: bool) -> None:
        pile = self.piles[self.seat]
        if any(rider != self.seat for rider in self.riders_of(self.colour(card))):
            pile.insert(0, card)  # 5.1: ridden by another, under the own pile
            self.events.append("under")
        elif choice and keep:
            pile.insert(0, card)  # 5.3: keep the present dragon
            self.events.append("keep")
        else:
            pile.append(card)  # 5.2: compulsory; 5.3: take; 5.4: the own colour
            if choice:
                self.events.append("take")

    def triggered(self, dragon: int, before: int) -> str:
        """6.1: only the dragon just moved and the space on which it lands: none, minor or major."""
        if self.position[dragon] == before or self.board[before][1] == "summit":
            return "none"  # 6.1: standing still (4.4); 6.4, 7.5: a move inside the summit
        if self.on_summit(dragon):
            self.events.append("summit")
            return "major"  # 6.4: newly reached
        kind = self.board[self.position[dragon]][1]
        return {"blue": "minor", "green": "major"}.get(kind, "none")  # 6.2, 6.3

    def score(self, scoring: str) -> list[int]:
        points = [0] * self.players
        if scoring == "none":
            return points
        self.events.append(scoring)
        for seat in range(self.players):
            value = self.board[self.position[self.ridden(seat)]][0]  # 6.5: ridden after clause 5
            if scoring == "major" or value <= 3:  # 6.3 all; 6.2 three or less, negatives included
                points[seat] = value
                self.scores[seat] += value  # 6.6: may fall below 0
        return points

    def discard_and_draw(self, scored: bool, draw: Draw) -> None:
        italian, empty = self.edition == "italian", not self.hands[self.seat]
        drawing = not scored or empty  # 7.1, and the same in 7.2
        if scored and empty:
            self.events.append("refill_empty_hand")
        if italian and drawing:
            self.refill(draw)  # 7.2: the refill comes first
        # 7.1: if the rider draws; 7.2: every turn. 10.3: skipped when there is nothing to discard
        if (italian or drawing) and self.may_discard():
            self.step = "discard"
            self.events.append("discard_step")
            return
        if drawing and not italian:
            self.refill(draw)  # 7.1
        self.next_seat()

    def discard(self, card: int, draw: Draw) -> None:
        self.hands[self.seat].remove(card)
        self.discards.append(card)
        self.discarded += 1
        self.events.append("discard")
        if not self.may_discard():  # 10.3: ends by itself
            self.events.append("all_summit_discarded")
            self.end_discard_step(draw)

    def end_discard_step(self, draw: Draw) -> None:
        if self.edition == "german":
            self.refill(draw)  # 7.1: to the full hand
        else:
            self.draw_cards(self.discarded, draw)  # 7.2: as many again, after all were chosen
        self.discarded = 0
        self.next_seat()

    def refill(self, draw: Draw) -> None:  # 7.1: to exactly the limit, compulsory
        self.draw_cards(self.hand_limit - len(self.hands[self.seat]), draw)

    def draw_cards(self, count: int, draw: Draw) -> None:
        for drawn in range(count):
            if not self.deck.total():  # 7.3: when a card must be drawn, not before
                self.reshuffle()
                if drawn:
                    self.events.append("reshuffle_mid_draw")
            card = draw()
            assert self.deck[card] > 0, f"card {card} is not in the deck"
            self.deck -= Counter([card])
            self.hands[self.seat] = sorted([*self.hands[self.seat], card])

    def reshuffle(self) -> None:
        self.deck, self.discards = self.covered(), []  # 7.3
        self.piles = [[pile[-1]] for pile in self.piles]  # 7.3: each pile's top card stays
        self.events.append("reshuffle")

    def next_seat(self) -> None:
        self.seat = (self.seat + 1) % self.players  # 2.3, 3
        self.step = "play"

    def winners(self) -> list[int]:
        """6.8: the seats with the most points, several on a tie; nobody while the game runs."""
        return [s for s, own in enumerate(self.scores) if self.over and own == max(self.scores)]

    def rewards(self, scheme: str, points: Sequence[int]) -> list[float]:
        """The reward of each seat for a move that gave these points; always a sum of zero."""
        assert scheme in ("win", "margin", "rank")
        n = self.players
        if scheme == "margin":  # own points against the mean of the others' points
            return [(own - (sum(points) - own) / (n - 1)) / 20 for own in points]
        if not self.over:
            return [0.0] * n
        if scheme == "win":  # the winners share what the losers pay
            k = len(self.winners())
            share, loss = (n - k) / (k * (n - 1)), -1 / (n - 1)
            return [share if seat in self.winners() else loss for seat in range(n)]
        order = sorted(self.scores, reverse=True)  # rank: from +1 for place 0 to -1 for place n - 1
        first = [order.index(own) for own in self.scores]  # the best place of the tied seats
        tied = [order.count(own) for own in self.scores]  # they share the mean of their places
        return [1 - 2 * (first[s] + (tied[s] - 1) / 2) / (n - 1) for s in range(n)]
