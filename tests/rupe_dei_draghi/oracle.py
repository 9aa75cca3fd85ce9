"""Kernel and reference side by side: the same games, compared after every decision."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from drago_env.rupe_dei_draghi.rules import Rules
from drago_env.rupe_dei_draghi.state import STATE
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.position import RENEW, Map
from tests.rupe_dei_draghi.reference import Reference

Policy = Callable[[Reference, random.Random, list[int]], int]
STEP_NAMES = [
    "turn",
    "magic",
    "rainbow_from",
    "rainbow_to",
    "bridge_from",
    "bridge_to",
    "dragon_from",
    "dragon_to",
    "swap",
    "cloud",
    "cloud_to",
    "move",
    "duel",
    "spoils",
    "rob",
    "crossed",
    "crossed_to",
    "over",
]
NONE, BESIDE = 255, 254


class Difference(AssertionError):  # noqa: N818  (a finding, not a fault of the tests)
    """Kernel and reference disagree; the message says where."""


def reference_of(rules: Rules, game: Any, chart: Map) -> Reference:
    """The reference at the start of a game that the kernel has dealt."""
    numbers = {k: v for k, v in rules.as_dict().items() if k not in ("players", "copies")}
    hands = [np.repeat(np.arange(10), game["hand"][s]).tolist() for s in range(rules.players)]
    princesses = game["princess"][: len(chart.forts)].tolist()
    return Reference(
        chart,
        players=rules.players,
        copies=list(rules.copies),
        hands=hands,
        princesses=princesses,
        **numbers,
    )


def counts(cards: Counter[int]) -> list[int]:
    return [cards.get(kind, 0) for kind in range(10)]


def padded(values: Sequence[int], size: int, filler: int = 0) -> list[int]:
    return [*values, *[filler] * (size - len(values))]


def words(numbers: Sequence[int]) -> list[int]:
    bits = sum(1 << number for number in numbers)
    return [bits >> 64 * word & (1 << 64) - 1 for word in range(4)]


def expected(
    side: Reference, before: list[int], steps: list[int], fixed: dict[str, Any]
) -> dict[str, Any]:
    """The state that the reference is in, field by field, as the kernel's record holds it."""
    chart, players = side.map, side.players
    index = chart.index
    step = "over" if side.over else side.step
    moving = step == "move"
    targets = words([index[end] for end in side.destinations]) if moving else [0] * 4
    dragons = sorted(index[space] for space in side.dragons)
    closed = [index[s] for s in side.dragons | set(side.free_bridge_sites())]
    picked = side.picked
    if picked is None or side.over:
        picked = NONE
    elif picked == "beside":
        picked = BESIDE
    elif isinstance(picked, str):
        picked = index[picked]
    marks = [[[0] * 10 for _ in range(4)] for _ in range(4)]
    for rider in range(players):
        for rival in range(players):
            if side.marks[rider][rival]:
                marks[rider][rival] = counts(side.marks[rider][rival])
    crossed = side.crossed if step in ("crossed", "duel", "spoils") else set()
    empty = [[0] * 10 for _ in range(4 - players)]
    rival = side.rival if side.rival is not None and not side.over else NONE
    return fixed | {
        "closed": words(closed),
        "targets": targets,
        "laid": sum(1 << site for site in side.rainbows),
        "crossed": sum(1 << site for site in crossed),
        "turns": side.turns,
        "options": 0,
        "path": [0] * 10,
        "script": 0,
        "seat": side.seat,
        "step": STEP_NAMES.index(step),
        "end": 1 if side.winner is not None else 2 if side.truncated else 0,
        "fresh": int(side.fresh),
        "card": side.points + 4 if moving else NONE,
        "picked": picked,
        "rival": rival,
        "taken": side.taken if step in ("rob", "spoils") else 0,
        "opened": int(side.opened),
        "rainbows": side.rainbows_beside,
        "bridges": side.bridges_beside,
        "deck_size": side.deck.total(),
        "pile_size": len(side.pile),
        "armour": padded(list(map(int, side.armour)), 4),
        "doubles": padded(list(map(int, side.doubles)), 4),
        "looks": padded([sum(1 << f for f in looks) for looks in side.looks], 4),
        "knight": padded([index[space] for space in side.knights], 4, NONE),
        "steps": steps,
        "before": before,
        "hand_size": padded([hand.total() for hand in side.hands], 4),
        "dragons": padded(dragons, 8, NONE),
        "princess": padded(side.princesses, 8, NONE),
        "deck": counts(side.deck),
        "hand": [*(counts(hand) for hand in side.hands), *empty],
        "marks": marks,
        "pile": padded(side.pile, 96, NONE),
        "spare": [0] * 5,
    }


class Game:
    """One game of a batch with its reference."""

    def __init__(self, rules: Rules, game: Any, chart: Map, rng: random.Random) -> None:
        self.side, self.rng = reference_of(rules, game, chart), rng
        self.fixed = {name: game[name].item() for name in ("map", "players", "under", "stop")}
        assert self.fixed["under"] == (rules.reuse == "under")
        assert self.fixed["stop"] == rules.stop
        self.steps = padded([self.side.needed(s) for s in range(rules.players)], 4)
        self.before = self.steps
        self.moves: list[int] = []

    def check(self, row: dict[str, Any], legal: list[int], mask: list[bool]) -> None:
        """Everything but the generator, the list of legal actions, and each action alone."""
        wanted = expected(self.side, self.before, self.steps, self.fixed)
        for name, value in wanted.items():
            if row[name] != value:
                self.differ(name, row[name], value)
        answers = self.side.legal()
        if legal != answers:
            self.differ("legal", legal, answers)
        alone = [i - 8 for i, allowed in enumerate(mask) if allowed]
        if alone != answers:
            self.differ("is_legal", alone, answers)

    def differ(self, what: str, kernel: Any, reference: Any) -> None:
        raise Difference(
            f"{what}: kernel {kernel}, reference {reference}\n"
            f"after {self.moves} in step {self.side.step} of seat {self.side.seat}"
        )

    def apply(self, action: int, hand: list[int], rewards: Any) -> list[str]:
        """The same decision, with what chance brought read off the seat's new hand."""
        side = self.side
        seat, before = side.seat, counts(side.own)
        cards: list[int] | None = None
        if side.step == "turn" and action == RENEW:
            cards = [kind for kind, n in enumerate(hand) for _ in range(n)]
        elif side.step in ("rob", "spoils") and action != 13:
            cards = [kind for kind in range(10) if hand[kind] > before[kind]]
        self.moves.append(action)
        self.before = self.steps
        side.apply(action, cards)
        self.steps = padded([side.needed(s) for s in range(side.players)], 4)
        self.check_rewards(rewards)
        assert seat < side.players
        return side.events

    def check_rewards(self, rewards: Any) -> None:
        wins = padded(self.side.rewards(), 4)  # type: ignore[arg-type]
        steps = [b - a for b, a in zip(self.before, self.steps, strict=True)]
        progress = [w + s / 16 for w, s in zip(wins, steps, strict=True)]
        wanted = np.array([wins, progress], np.float32)
        if not (rewards == wanted).all():
            self.differ("rewards", rewards, wanted)


FIELDS = [name for name in STATE.names or () if name != "rng"]


def rows_of(state: Any) -> list[dict[str, Any]]:
    columns = [state[name].tolist() for name in FIELDS]
    return [dict(zip(FIELDS, values, strict=True)) for values in zip(*columns, strict=True)]


def play_compared(
    rules: list[Rules], seed: str, games: int, policies: Sequence[Policy], limit: int
) -> Counter[str]:
    """Plays games with random ones of the policies, compared at every step; counts what happened.

    `limit` is how many decisions are made in all before the games still running are left.
    """
    rng = random.Random(seed)
    batch = Batch(rules, games, rng.getrandbits(60))
    charts = [Map(r.graph.as_dict()) for r in rules]
    sides = [
        Game(batch.rules_of(i), game, charts[int(game["map"])], random.Random(f"{seed} {i}"))
        for i, game in enumerate(batch.state)
    ]
    players = [[rng.choice(policies) for _ in range(4)] for _ in sides]
    seen: Counter[str] = Counter(games=games)
    while seen["decisions"] < limit:
        legal, masks = batch.legal(), batch.mask().tolist()
        rows = rows_of(batch.state)
        chosen = [-1] * games
        for i, game in enumerate(sides):
            if game.rng is None:
                continue
            game.check(rows[i], legal[i], masks[i])
            if game.side.over:
                seen["ended"] += 1
                game.rng = None  # type: ignore[assignment]  # compared to the last
                continue
            seat = game.side.seat
            chosen[i] = players[i][seat](game.side, game.rng, legal[i])
        if max(chosen) < 0:
            break
        seats = batch.state["seat"].copy()
        rewards = batch.step(chosen)
        hands = batch.state["hand"][np.arange(games), seats].tolist()
        for i, action in enumerate(chosen):
            if action >= 0:
                seen["decisions"] += 1
                seen["step " + sides[i].side.step] += 1
                seen.update(sides[i].apply(action, hands[i], rewards[i]))
    return seen
