"""Kernel and reference side by side: all that the public interface tells, compared at every step.

A `Match` is a batch of games that the kernel plays and, row by row, a `Reference` plays after
it with the cards that the kernel drew. The numbers in brackets are the clauses of the rules.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NoReturn

import numpy as np

from drago_env.game import IllegalAction, Legal, Outcome
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.observation import FEATURES
from drago_env.mount_drago.rules import Rules
from tests.mount_drago import thumbs
from tests.mount_drago.reference import Reference

SEATS, CARD_KINDS, CARDS, HAND, DRAGONS = 5, 50, 110, 6, 10  # what the state is padded to
EMPTY = 255
SCHEMES = ("win", "margin", "rank")
FIELDS = (
    *("position", "score", "hand", "hand_size", "top", "pile", "deck", "deck_size", "drawn"),
    *("drawn_size", "seat", "phase", "summit", "discarded", "players", "edition"),
)
Policy = Callable[[Reference, random.Random, list[int]], int]  # picks a legal action


class Difference(AssertionError):  # noqa: N818  (a finding, not a fault of the tests)
    """Kernel and reference disagree; the message holds all that is needed to see it again."""


class Match:
    """A batch of games, played by the kernel and by references, compared at every step.

    State, legal actions, points and all rewards are compared always, features, observations
    and the refusal of illegal actions for one row in `every`, and always when a game ends.
    """

    def __init__(
        self,
        rules: Sequence[Rules],
        seeds: Sequence[int],
        variants: Sequence[int],
        corners: Counter[str],
        every: int = 7,
    ) -> None:
        self.games = {scheme: MountDrago(*rules, reward=scheme) for scheme in SCHEMES}
        self.game = self.games["win"]
        self.rules = [rules[variant] for variant in variants]
        self.seeds, self.corners, self.every = seeds, corners, every
        self.rng = random.Random(f"illegal {list(seeds)}")
        self.state = self.game.new(np.array(seeds, np.uint64), list(variants))
        self.sides = [start(rules, row) for rules, row in zip(self.rules, self.state, strict=True)]
        self.bag = sorted(self.sides[0].full_set().elements())
        self.moves: list[list[int]] = [[] for _ in seeds]
        self.drawn: list[list[int]] = [[] for _ in seeds]  # by the last move of each row
        self.live = list(range(len(seeds)))
        self.legal: dict[int, list[int]] = {}
        self.steps = 0
        corners["games"] += len(seeds)
        self.compare()

    def step(self, actions: dict[int, int]) -> None:
        """One move in each of the rows that are still live."""
        asked = [actions.get(row, -1) for row in range(len(self.seeds))]
        before, outcomes = self.state, {}
        for scheme, game in self.games.items():
            self.state = before.copy()
            outcomes[scheme] = game.step(self.state, asked)
        self.steps += 1
        rest = np.array(asked) < 0
        assert np.array_equal(self.state[rest], before[rest]), "a row without an action changed"
        for outcome in outcomes.values():
            assert not outcome.points[rest].any(), "points without an action"
            assert not outcome.rewards[rest].any(), "rewards without an action"
        for row, action in actions.items():
            self._apply(row, action, outcomes)
        self.compare()
        self.live = [row for row in self.live if not self.sides[row].over]

    def _apply(self, row: int, action: int, outcomes: dict[str, Outcome]) -> None:
        """The move on the reference's side, and what it gave."""
        side, game = self.sides[row], self.state[row]
        self.moves[row].append(action)
        self.drawn[row] = game["drawn"][: game["drawn_size"]].tolist()
        draws = iter(self.drawn[row])
        try:
            expected = side.apply(action, lambda: next(draws, -1))
        except (AssertionError, ValueError) as error:
            self.differ(row, "the move", str(error), f"drawn {self.drawn[row]}")
        self.same(row, "cards drawn too many", [], list(draws))
        for scheme, got in outcomes.items():
            self.same(row, "points", padded(expected, SEATS), got.points[row].tolist())
            wanted, rewards = side.rewards(scheme, expected), got.rewards[row].tolist()
            if any(abs(a - b) > 1e-6 for a, b in zip(padded(wanted, SEATS), rewards, strict=True)):
                self.differ(row, f"{scheme} rewards", wanted, rewards)
        count_corners(side, expected, self.corners)

    def compare(self) -> None:
        """Everything that can be asked about the present position."""
        legal = self.game.legal(self.state)
        features = self.game.features(self.state, legal)
        seen = [
            row for row in self.live if (row + self.steps) % self.every == 0 or self.sides[row].over
        ]
        if seen:
            self._compare_observations(seen)
        winners = self.game.winners(self.state).tolist()
        fields = {name: self.state[name].tolist() for name in FIELDS}
        for row in self.live:
            side = self.sides[row]
            got = {name: values[row] for name, values in fields.items()}
            size = got["deck_size"]
            got["deck"][:size] = sorted(got["deck"][:size])
            for name, expected in expected_state(side, self.drawn[row]).items():
                self.same(row, name, expected, got[name])
            self.same(row, "all cards", self.bag, all_cards(got))
            won = [seat in side.winners() for seat in range(SEATS)]
            self.same(row, "winners", won, winners[row])
            self._compare_legal(row, legal)
        for row in seen:
            self._compare_features(row, features[row])
            self._compare_refusal(row)

    def _compare_legal(self, row: int, legal: Legal) -> None:
        self.legal[row] = expected = self.sides[row].legal()
        self.same(row, "legal", expected, legal.actions[row, : legal.counts[row]].tolist())
        mask = [0] * self.rules[row].num_actions
        for action in expected:
            mask[action] = 1
        self.same(row, "mask", mask, legal.mask[row].tolist())

    def _compare_observations(self, rows: list[int]) -> None:
        for seat in range(SEATS):
            seats = np.minimum(seat, self.state["players"] - 1)
            compact = self.game.observe_compact(self.state, seats)
            scaled = self.game.observe(self.state, seats)
            for row in rows:
                if seat >= self.rules[row].players:
                    continue
                expected = expected_observation(self.sides[row], seat)
                for part in self.game.layout:
                    what = f"observation of seat {seat}: {part.name}"
                    self.same(row, what, expected.pop(part.name), part.of(compact[row]).tolist())
                self.same(row, "what an observation leaves out", {}, expected)
                rescaled = compact[row] * self.game.scale
                self.same(row, "scaled observation", rescaled.tolist(), scaled[row].tolist())

    def _compare_features(self, row: int, features: Any) -> None:
        for i, action in enumerate(self.legal[row]):
            expected = expected_features(self.sides[row], action)
            for part in FEATURES:
                wanted = np.multiply(expected.pop(part.name), part.scale).astype(np.float32)
                got = part.of(features[i])
                # the exponential function is not the same to the last bit everywhere
                close = part.name == "danger" and np.allclose(wanted, got, rtol=1e-6, atol=1e-6)
                if not close:
                    what = f"feature of action {action}: {part.name}"
                    self.same(row, what, wanted.tolist(), got.tolist())
            self.same(row, "what the features leave out", {}, expected)
        self.same(row, "unused features", False, bool(features[len(self.legal[row]) :].any()))

    def _compare_refusal(self, row: int) -> None:
        """An illegal action, most often one with a card of the hand, must change nothing."""
        side = self.sides[row]
        card = self.rng.choice([*side.hands[side.seat], self.rng.randrange(side.kinds)])
        action = self.rng.choice([card, card + side.kinds, card + 2 * side.kinds, 3 * side.kinds])
        if action in self.legal[row]:
            return
        one = self.state[row : row + 1].copy()
        refused = False
        try:
            self.game.step(one, [action])
        except IllegalAction:
            refused = bool((one == self.state[row : row + 1]).all())
        self.same(row, f"refusal of the illegal action {action}", True, refused)
        self.corners["refused"] += 1

    def same(self, row: int, what: str, expected: Any, got: Any) -> None:
        if expected != got:
            self.differ(row, what, expected, got)

    def differ(self, row: int, what: str, expected: Any, got: Any) -> NoReturn:
        raise Difference(
            f"{what}\n  expected {expected}\n  got      {got}\n"
            f"after {len(self.moves[row])} moves of row {row}; to see it again:\n"
            "from drago_env.mount_drago.rules import Board, Rules\n"
            "from tests.mount_drago.oracle import replay\n"
            f"replay({self.rules[row]!r}, {self.seeds[row]}, {self.moves[row]})"
        )


def play_compared(
    rules: Sequence[Rules],
    seed: int | str,
    games: int,
    policies: Sequence[Policy],
    corners: Counter[str],
    *,
    limit: int = 400,
    every: int = 7,
) -> None:
    """Plays a batch, rows taking turns in rules and policies, and raises a `Difference`.

    Half of all moves beyond `limit` are uniformly random, and at twice the limit a game is left
    unfinished: with some sizes it could go on for ever.
    """
    rng = random.Random(seed)
    variants = [(row + rng.randrange(len(rules))) % len(rules) for row in range(games)]
    seeds = [rng.getrandbits(64) for _ in range(games)]
    match = Match(rules, seeds, variants, corners, every)
    chosen = [rng.choice(policies) for _ in range(games)]
    while match.live and match.steps < 2 * limit:
        actions = {}
        for row in match.live:
            tired = match.steps > limit and rng.random() < 0.5
            policy = rng.choice if tired else partial(chosen[row], match.sides[row], rng)
            actions[row] = policy(match.legal[row])
        match.step(actions)
    corners["unfinished"] += len(match.live)


def replay(rules: Rules, seed: int, moves: Sequence[int]) -> None:
    """Plays one game again, comparing everything at every step."""
    match = Match([rules], [seed], [0], Counter(), every=1)
    for move in moves:
        match.step({0: move})


# ---------------------------------------------------------------- what the reference expects


def start(rules: Rules, game: Any) -> Reference:
    """The reference that begins with the cards of a game just dealt."""
    dealt = range(rules.players)
    return Reference.start(
        hands=[game["hand"][seat, : rules.hand].tolist() for seat in dealt],
        tops=[int(game["top"][seat]) for seat in dealt],
        discards=[card for card in range(CARD_KINDS) for _ in range(game["pile"][card])],
        players=rules.players,
        edition=rules.edition,
        colours=rules.colours,
        copies=list(rules.copies),
        hand_limit=rules.hand,
        summit_dragons=rules.summit_dragons,
        board=list(zip(rules.board.values, rules.board.kinds, strict=True)),
    )


def padded(numbers: Sequence[Any], length: int, filler: Any = 0) -> list[Any]:
    return [*numbers, *[filler] * (length - len(numbers))]


def all_cards(got: dict[str, Any]) -> list[int]:
    """Every card of a kernel's game, wherever it is: none may get lost."""
    cards = [card for hand in got["hand"] for card in hand if card != EMPTY]
    cards += got["top"][: got["players"]] + got["deck"][: got["deck_size"]]
    cards += [card for card, count in enumerate(got["pile"]) for _ in range(count)]
    return sorted(cards)


def expected_state(side: Reference, drawn: list[int]) -> dict[str, Any]:
    covered = side.covered()
    hands = [padded(hand, HAND, EMPTY) for hand in side.hands]
    return {
        "players": side.players,
        "edition": int(side.edition == "italian"),
        "position": padded(side.position, DRAGONS, EMPTY),
        "score": padded(side.scores, SEATS),
        "hand": padded(hands, SEATS, [EMPTY] * HAND),
        "hand_size": padded([len(hand) for hand in side.hands], SEATS),
        "top": padded([pile[-1] for pile in side.piles], SEATS),
        "pile": [covered[card] for card in range(CARD_KINDS)],
        "deck": padded(sorted(side.deck.elements()), CARDS, EMPTY),
        "deck_size": side.deck.total(),
        "drawn": padded(drawn, HAND, EMPTY),
        "drawn_size": len(drawn),
        "seat": side.seat,
        "phase": ("play", "discard", "over").index(side.step),
        "summit": summit_count(side),
        "discarded": side.discarded,
    }


def summit_count(side: Reference) -> int:
    return sum(map(side.on_summit, range(side.colours)))


def summit_space(side: Reference) -> int:
    return [kind for _, kind in side.board].index("summit")


@lru_cache(maxsize=100_000)
def landing(board: tuple[tuple[int, str], ...], space: int, value: int) -> tuple[int, int]:
    """Where a card takes a dragon (4.2, 4.3), and what that triggers: 1 minor, 2 major (6)."""
    goal = min(space + value, len(board) - 1)
    if goal == space or board[space][1] == "summit":  # 6.1, 6.4
        return goal, 0
    return goal, {"blue": 1, "green": 2, "summit": 2}.get(board[goal][1], 0)


def expected_observation(side: Reference, seat: int) -> dict[str, list[Any]]:
    """What a seat knows (8.1, 8.2, 8.4), in whole numbers; seats count from the observer."""
    board = tuple(side.board)
    order = [(seat + k) % side.players for k in range(side.players)]
    unseen = side.unseen(seat)
    dragons = []
    for space in side.position:
        goals = [landing(board, space, value + 1) for value in range(len(side.copies))]
        ahead = [board[goal][0] for goal, _ in goals] + [trigger for _, trigger in goals]
        dragons.append([space, summit_space(side) - space, board[space][0], *ahead])
    rides = [[int(side.ridden(s) == c) for c in range(side.colours)] for s in order]
    leads = [side.scores[s] - side.scores[seat] for s in order[1:]]
    return {
        "hand": [side.hands[seat].count(card) for card in range(side.kinds)],
        "unseen": [unseen[card] for card in range(side.kinds)],
        "dragons": dragons,
        "rides": padded(rides, SEATS, [0] * side.colours),
        "hand_size": padded([len(side.hands[s]) for s in order], SEATS),
        "top_value": padded([side.value(side.piles[s][-1]) for s in order], SEATS),
        "lead": padded([min(max(lead, -127), 127) for lead in leads], SEATS - 1),  # int8 holds this
        "turn": padded([int(s == side.seat and not side.over) for s in order], SEATS),
        "discarding": [int(side.step == "discard")],
        "discarded": [side.discarded],
        "deck": [side.deck.total()],
        "summit_left": [side.summit_dragons - summit_count(side)],
        "players": [int(side.players == n) for n in (2, 3, 4, 5)],
        "italian": [int(side.edition == "italian")],
    }


def clone(side: Reference) -> Reference:
    return replace(
        side,
        hands=[hand.copy() for hand in side.hands],
        piles=[pile.copy() for pile in side.piles],
        discards=side.discards.copy(),
        deck=side.deck.copy(),
        position=side.position.copy(),
        scores=side.scores.copy(),
        streak=side.streak.copy(),
    )


def expected_features(side: Reference, action: int) -> dict[str, list[Any]]:
    """What an action does, seen by doing it; which cards are drawn afterwards does not matter."""
    after, seat = clone(side), side.seat
    points = after.apply(action, lambda: next(iter(after.deck)))
    trigger = 2 if "major" in after.events else int("minor" in after.events)
    space = after.position[after.ridden(seat)]
    return {
        "points": padded(points[seat:] + points[:seat], SEATS),
        "own_value": [side.board[space][0]],
        "own_steps": [summit_space(side) - space],
        "trigger": [trigger],
        "no_draw": [int(trigger > 0 and "last_card" not in after.events)],  # 7.1
        "changes": [int(after.ridden(seat) != side.ridden(seat))],
        "ends": [int(after.over)],
        "discards": [int("discard" in after.events)],
        "done": [int("done" in after.events)],
        **expected_prospects(side, action),
    }


def expected_prospects(side: Reference, action: int) -> dict[str, list[float]]:
    """What follows from a play for the next turns, though it ends the game; else nothing."""
    block, card = divmod(action, side.kinds)
    if block > 1:
        names = ("rival_value", "own_road", "next_gain", "danger", "lead", "verdict")
        return {name: [0.0] for name in names}
    seat, rest = side.seat, side.hands[side.seat].copy()
    rest.remove(card)
    after = thumbs.tried(side, seat, card, keep=block == 1).after
    rivals = [thumbs.space_value(after, other) for other in range(side.players) if other != seat]
    return {
        "rival_value": [sum(rivals) / len(rivals)],
        "own_road": [thumbs.value_ahead(after, seat)],
        "next_gain": [thumbs.best_gain(after, seat, rest)],
        "danger": [thumbs.danger(after, seat, side.unseen(seat))],
        "lead": [min(max(thumbs.lead(after.scores, seat), -63), 63)],
        "verdict": [verdict(side, action)],
    }


def verdict(side: Reference, action: int) -> int:
    """How a play that ends the game ends it for its rider; 0 for any other."""
    after = clone(side)
    after.apply(action, lambda: next(iter(after.deck)))
    if not after.over or side.seat not in after.winners():
        return -int(after.over)
    return int(len(after.winners()) == 1)


def count_corners(side: Reference, points: list[int], corners: Counter[str]) -> None:
    """Counts what the last move was an example of."""
    corners.update(side.events)
    corners["moves"] += 1
    before = [score - got for score, got in zip(side.scores, points, strict=True)]
    corners["below_zero"] += min(side.scores) < 0 <= min(before)  # 6.6
    if "discard" in side.events:
        corners[f"discard_{side.edition}"] += 1
    if side.over:
        corners["finished"] += 1
        corners[f"finished_{side.players}_{side.edition}"] += 1
        corners["tie"] += len(side.winners()) >= 2
        corners["tie_of_three"] += len(side.winners()) >= 3
        corners["all_negative"] += max(side.scores) < 0
