"""The planners' rules of thumb and searches, slowly and obviously: an oracle for tests.

Plays are tried on clones of the reference game, and what a play is worth stays apart by
thoughts, so that one look at a position serves for any weights. Of the engine nothing is used but
the names of the weights, and by the searches its worlds, moves and playouts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from drago_env import MountDrago
from drago_env.core.chance import unmixed
from drago_env.core.planning import Plan
from drago_env.game import State
from drago_env.mount_drago import planning
from drago_env.mount_drago.planning import Weights, WinChance
from drago_env.mount_drago.rules import EDITIONS
from drago_env.mount_drago.state import PHASES
from tests.mount_drago.reference import Reference

HIGHEST_CLASS = 15  # gains of the next rider are told apart by whole points, up to this
FARTHEST_LEAD = 10  # more points than these hasten nothing


def reference(game: MountDrago, it: Any) -> Reference:
    """The reference in the position of one game of a batch."""
    rules, players = game.rules[0], int(it["players"])
    board = game.boards[int(it["board"])]
    covered = [card for card, count in enumerate(it["pile"].tolist()) for _ in range(count)]
    side = Reference(
        players=players,
        edition=EDITIONS[int(it["edition"])],
        colours=rules.colours,
        copies=list(rules.copies),
        hand_limit=rules.hand,
        summit_dragons=rules.summit_dragons,
        board=list(zip(board.values, board.kinds, strict=True)),
        hands=[it["hand"][seat, : it["hand_size"][seat]].tolist() for seat in range(players)],
        piles=[[top] for top in it["top"][:players].tolist()],
        discards=covered,  # it is the same whether they lie there or in the piles
        deck=Counter(),
        position=it["position"][: rules.colours].tolist(),
        scores=it["score"][:players].tolist(),
        seat=int(it["seat"]),
        step=PHASES[it["phase"]],
        discarded=int(it["discarded"]),
    )
    side.deck = side.full_set() - side.count_cards()
    return side


# ---------------------------------------------------------------- what a play does at once


class Tried(NamedTuple):
    """A card played by a seat, before anything is discarded or drawn."""

    after: Reference
    scoring: str
    points: list[int]

    def gain(self, seat: int) -> float:
        """A seat's points less the mean of the others'."""
        others = [points for other, points in enumerate(self.points) if other != seat]
        return self.points[seat] - sum(others) / len(others)


def tried(side: Reference, seat: int, card: int, keep: bool = False) -> Tried:
    """What comes of a card, whether the seat holds it or not."""
    after = replace(
        side,
        seat=seat,
        piles=[pile.copy() for pile in side.piles],
        position=side.position.copy(),
        scores=side.scores.copy(),
        events=[],
    )
    before = side.position[side.colour(card)]
    after.move(card)
    after.change_or_keep(card, choice=keep, keep=keep)
    scoring = after.triggered(side.colour(card), before)
    return Tried(after, scoring, after.score(scoring))


def best_gain(side: Reference, seat: int, hand: Sequence[int]) -> float:
    """The most that one of these cards would bring the seat; no play is made that costs."""
    return max([0.0, *(tried(side, seat, card).gain(seat) for card in hand)])


# ---------------------------------------------------------------- what else there is to a position


def space_value(side: Reference, seat: int) -> int:
    return side.board[side.position[side.ridden(seat)]][0]


def value_ahead(side: Reference, seat: int) -> float:
    """The mean value of the spaces to which one card would take the seat's dragon."""
    space, last = side.position[side.ridden(seat)], len(side.board) - 1
    values = range(1, len(side.copies) + 1)
    return sum(side.board[min(space + value, last)][0] for value in values) / len(side.copies)


def lead(scores: Sequence[int], seat: int) -> int:
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)


def danger(side: Reference, seat: int, unseen: Counter[int], following: int | None = None) -> float:
    """What a rider's best scoring, by default the next one's, is expected to bring the seat.

    Their hand is a random one of the unseen cards. Cards that gain them as many whole points are
    one class; they play a card of the best class of which they hold any.
    """
    rider = (seat + 1) % side.players if following is None else following
    classes: dict[int, list[float]] = defaultdict(list)  # what each card brings the seat
    for card, count in unseen.items():
        play = tried(side, rider, card)
        if play.gain(rider) > 0:
            whole = min(math.floor(play.gain(rider)), HIGHEST_CLASS)
            classes[whole] += [play.gain(seat)] * count
    expected, nothing_better, left = 0.0, 1.0, sum(unseen.values())
    for whole in sorted(classes, reverse=True):
        gains = classes[whole]
        none = math.exp(-len(side.hands[rider]) * len(gains) / left)
        expected += nothing_better * (1 - none) * sum(gains) / len(gains)
        nothing_better *= none
        left -= len(gains)
    return expected


# ---------------------------------------------------------------- what a play is worth


class Thoughts(NamedTuple):
    """What speaks for an action: what it gains at once, and what each weight is to be of."""

    gain: float
    weighted: Weights

    def worth(self, weights: Sequence[float]) -> float:
        products = (
            weight * thought for weight, thought in zip(weights, self.weighted, strict=True)
        )
        return self.gain + sum(products)


def thoughts(side: Reference) -> list[Thoughts]:
    """The thoughts about each legal action, in their order."""
    think = think_of_play if side.step == "play" else think_of_discard
    return [think(side, action) for action in side.legal()]


def think_of_discard(side: Reference, action: int) -> Thoughts:
    """Summit cards go, except those that still lift the own dragon; weights do not matter."""
    nothing = Weights(0, 0, 0, 0, 0, 0, 0, 0)
    if action == 3 * side.kinds:
        return Thoughts(0.0, nothing)
    dragon = side.colour(action - 2 * side.kinds)
    lifts = side.ridden(side.seat) == dragon and side.position[dragon] < len(side.board) - 1
    return Thoughts(-1.0 if lifts else 1.0, nothing)


def think_of_play(side: Reference, action: int) -> Thoughts:
    block, card = divmod(action, side.kinds)
    rest = side.hands[side.seat].copy()
    rest.remove(card)
    return think_of_card(side, side.seat, card, block == 1, rest)


def think_of_card(
    side: Reference, seat: int, card: int, keep: bool, rest: Sequence[int], light: bool = False
) -> Thoughts:
    """The thoughts about a card, whether the seat holds it or not, that leaves this hand.

    Light ones neither plan nor reckon with danger.
    """
    play = tried(side, seat, card, keep=keep)
    after, ahead = play.after, lead(play.after.scores, seat)
    reaches = "summit" in after.events
    ends = sum(map(after.on_summit, range(after.colours))) >= after.summit_dragons
    lost_draw = -1.0 if play.scoring != "none" and rest else 0.0
    if ends:  # nothing follows
        sign = (ahead > 0) - (ahead < 0)
        return Thoughts(play.gain(seat), Weights(lost_draw, 0, 0, 0, 0, 0, sign, 0))
    rivals = [space_value(after, other) for other in range(side.players) if other != seat]
    tempo = min(max(ahead, -FARTHEST_LEAD), FARTHEST_LEAD) if reaches else 0
    weighted = Weights(
        draw=lost_draw,
        place=space_value(after, seat),
        rival=-sum(rivals) / len(rivals),
        ahead=value_ahead(after, seat),
        plan=0.0 if light else best_gain(after, seat, rest),
        danger=0.0 if light else danger(after, seat, side.unseen(seat)),
        end=0,
        tempo=tempo,
    )
    return Thoughts(play.gain(seat), weighted)


# ---------------------------------------------------------------- chances to win


def steps_left(side: Reference) -> int:
    """Steps that the foremost dragons need until as many are on the summit as end the game."""
    summit = [kind for _, kind in side.board].index("summit")
    below = sorted(summit - space for space in side.position if space < summit)
    arrived = side.colours - len(below)
    return sum(below[: side.summit_dragons - arrived])


def chances(side: Reference, weights: WinChance) -> list[float]:
    """Each seat's chance to win; after the end its share of the victory."""
    if side.over:
        winners = side.winners()
        return [1 / len(winners) if seat in winners else 0.0 for seat in range(side.players)]
    spread = spread_of(side, weights)
    standing = [standing_of(side, seat, weights) / spread for seat in range(side.players)]
    odds = [math.exp(own - max(standing)) for own in standing]
    return [own / sum(odds) for own in odds]


def spread_of(side: Reference, weights: WinChance) -> float:
    return math.exp(weights.spread) * (1 + steps_left(side)) ** weights.length


def standing_of(side: Reference, seat: int, weights: WinChance) -> float:
    """What a rider has, and what they may expect, in points."""
    of_threat = weights.threat + (weights.turn if seat == side.seat else 0)
    return holdings(side, seat, weights) + of_threat * best_gain(side, seat, side.hands[seat])


def holdings(side: Reference, seat: int, weights: WinChance) -> float:
    """What a rider has, in points."""
    return (
        side.scores[seat]
        + weights.space * space_value(side, seat)
        + weights.road * value_ahead(side, seat)
        + weights.cards * len(side.hands[seat])
    )


# ---------------------------------------------------------------- search


def leaf(side: Reference, margin: bool, win_chance: WinChance) -> list[float]:
    """What a position is worth to each seat."""
    if not margin:
        return chances(side, win_chance)
    total, others = sum(side.scores), side.players - 1
    return [0.5 + (own - (total - own) / others) / 64 for own in side.scores]


class Search:
    """One search without noise, playout by playout; worlds and moves are the engine's."""

    def __init__(
        self,
        game: MountDrago,
        state: State,
        seed: int,
        plan: Plan,
        weights: Any,
        win_chance: Any,
        start: Sequence[float] = (),
    ) -> None:
        assert plan.noise == 0
        kind = int(state["players"][0]) - 2
        self.game, self.state, self.seed, self.plan = game, state, seed, plan
        self.table, self.weights = weights, weights[kind]
        self.win_chance = WinChance(*win_chance[kind])
        self.seat = int(state["seat"][0])
        self.actions = reference(game, state[0]).legal()
        self.visits = dict.fromkeys(self.actions, 0)
        self.totals = dict.fromkeys(self.actions, 0.0)
        self.totals.update(zip(self.actions, start, strict=False))

    def world(self) -> State:
        """The true game if the search sees all, else the next one that its seat reckons with."""
        self.seed = (self.seed + 0x9E3779B97F4A7C15) % 2**64
        if self.plan.sees_all:
            return self.state.copy()
        seed = ~unmixed(self.seed) % 2**64  # `Game.determinize` mixes what it is given
        return self.game.determinize(self.state, self.seat, [seed])

    def played_on(self, world: State) -> list[float]:
        """What comes of a world after a few decisions by the rules of thumb."""
        planning.roll(self.game, world, [0], self.table, depth=self.plan.depth)
        return leaf(reference(self.game, world[0]), self.plan.margin, self.win_chance)

    def flat(self) -> None:
        """Every candidate in the same worlds, then the better half of them, and so on."""
        alive = list(self.actions)
        rounds = max(1, math.ceil(math.log2(len(alive))))
        while len(alive) > 1:
            for _ in range(max(1, self.plan.playouts // (rounds * len(alive)))):
                world = self.world()
                for action in alive:
                    tried_world = world.copy()
                    self.game.step(tried_world, [action])
                    self.visits[action] += 1
                    self.totals[action] += self.played_on(tried_world)[self.seat]
            alive = sorted(alive, key=lambda action: -round(self.worth(action), 9))
            alive = alive[: (len(alive) + 1) // 2]

    def worth(self, action: int) -> float:
        return self.totals[action] / max(self.visits[action], 1)

    def tree(self) -> None:
        """Every playout goes down the same tree in a world of its own, and adds one node."""
        root = Node()
        for _ in range(self.plan.playouts):
            world, path = self.world(), [root]
            while not self.game.over(world)[0]:
                action = self.chosen(path[-1], reference(self.game, world[0]))
                new = action not in path[-1].children
                path.append(path[-1].children.setdefault(action, Node()))
                path[-1].could += new
                self.game.step(world, [action])
                if new:
                    break
            worth = self.played_on(world)
            for node in path:
                node.visits += 1
                node.totals = [a + b for a, b in zip(node.totals, worth, strict=False)]
        for action, child in root.children.items():
            self.visits[action], self.totals[action] = child.visits, child.totals[self.seat]

    def chosen(self, node: Node, side: Reference) -> int:
        """PUCT among what is legal in this world: the mean, and a bonus for what is little known.

        What was never tried is thought to be as good as the node itself.
        """
        worth = [thought.worth(self.weights) for thought in thoughts(side)]
        closeness = 1 / self.plan.prior_temperature
        prior = [math.exp(closeness * (own - max(worth))) for own in worth]
        best, best_score = -1, -math.inf
        for action, share in zip(side.legal(), prior, strict=True):
            child = node.children.get(action)
            if child:
                child.could += 1
                mean, tried, could = (
                    child.totals[side.seat] / child.visits,
                    child.visits,
                    child.could,
                )
            else:
                mean, tried, could = node.totals[side.seat] / max(node.visits, 1), 0, node.visits
            bonus = share / sum(prior) * math.sqrt(could + 1) / (1 + tried)
            if mean + self.plan.explore * bonus > best_score + 1e-12:
                best, best_score = action, mean + self.plan.explore * bonus
        return best


class Node:
    """What was played since the root: what came of it, and how often it could have been."""

    def __init__(self) -> None:
        self.visits = self.could = 0
        self.totals = [0.0] * 5
        self.children: dict[int, Node] = {}
