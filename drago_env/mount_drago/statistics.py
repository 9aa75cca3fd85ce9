"""Games counted while they are played, for questions about the game itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import seed_array, select
from drago_env.game import Seeds, State, Turn
from drago_env.mount_drago import planning
from drago_env.mount_drago.actions import TO_KEEP, TO_PLAY, by_card, decode, encode
from drago_env.mount_drago.game import MountDrago
from drago_env.play import play
from drago_env.policy import Policy


class Census(NamedTuple):
    """What happened in a batch of games: a row for each of them."""

    scores: NDArray[np.int64]  # (games, players)
    win_share: NDArray[np.float64]  # (games, players): 1 for the winner, 1/k for k of them
    turns: NDArray[np.int64]  # (games,): cards played
    points: NDArray[np.int64]  # (games, spaces): what riders got for standing on each space
    choices: NDArray[np.int64]  # (games,): turns with a dragon in hand that might be left (5.3)
    kept: NDArray[np.int64]  # (games,): how often one was left


def census(game: MountDrago, policies: Sequence[str | Policy], seeds: Seeds) -> Census:
    """Plays one game for each seed, policy k in seat k, and counts; all by the same rules."""
    (rules,) = game.rules
    counted = _Counts(game, len(seed_array(seeds)))
    played = play(game, policies, seeds, records=False, watch=counted.watch)
    return Census(
        played.scores[:, : rules.players].astype(np.int64),
        game.shares(counted.state)[:, : rules.players],
        counted.turns,
        counted.points,
        counted.choices,
        counted.kept,
    )


class _Counts:
    """The watcher of a batch: points of a round are seen in the next one."""

    def __init__(self, game: MountDrago, games: int) -> None:
        self.rules, self.state = game.rules[0], np.zeros(0, np.void)
        self.turns, self.choices, self.kept = (np.zeros(games, np.int64) for _ in range(3))
        self.points = np.zeros((games, len(self.rules.board)), np.int64)

    def watch(self, state: State, turn: Turn, actions: NDArray[np.int64]) -> None:
        kinds = self.rules.card_kinds
        self.state = state
        what, _ = decode(actions, kinds)
        self.turns += np.isin(what, (TO_PLAY, TO_KEEP))
        self.choices += _pairs(turn.legal.mask, kinds).any(1)
        self.kept += what == TO_KEEP
        paid, seats = np.nonzero(turn.outcome.points)
        colours = state["top"][paid, seats] // self.rules.values
        spaces = state["position"][paid, colours]
        np.add.at(self.points, (paid, spaces), turn.outcome.points[paid, seats])


def _pairs(mask: NDArray[np.int8], kinds: int) -> NDArray[np.bool_]:
    """Which cards may be played both ways: taking the dragon, and keeping the present one."""
    done = by_card(mask, kinds)
    return np.asarray((done[:, TO_PLAY] & done[:, TO_KEEP]) == 1)


class LastDragonChoice(NamedTuple):
    """Decisions about the last dragon, each played on both ways with the same cards."""

    rows: NDArray[np.int64]  # which games had one
    kept: NDArray[np.bool_]  # whether the rider left the dragon
    gain: NDArray[np.float64]  # their final margin after leaving it, less that after taking it


def last_dragon(game: MountDrago, state: State, weights: NDArray[np.float64]) -> LastDragonChoice:
    """What it is worth to leave the last dragon (clause 5.3), in games that stand at any move.

    Everybody plays by the rules of thumb with these weights (see `planning`). A decision counts
    where they choose a card that may be played both ways; the games themselves stay as they are.
    """
    kinds = game.rules[0].card_kinds
    chosen = planning.assess(game, state, weights)
    pairs = _pairs(game.legal(state).mask, kinds)
    what, card = decode(chosen, kinds)
    plays = np.isin(what, (TO_PLAY, TO_KEEP))
    rows = np.flatnonzero(plays & pairs[np.arange(len(card)), card])
    taken, left = (
        _margin_after(game, select(state, rows), encode(way, card[rows], kinds), weights)
        for way in (TO_PLAY, TO_KEEP)
    )
    return LastDragonChoice(rows, what[rows] == TO_KEEP, left - taken)


def _margin_after(
    game: MountDrago, state: State, actions: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mover's final points less the mean of the others', when all play on after their move."""
    seats, players = state["seat"].astype(np.int64), state["players"].astype(np.int64)
    game.step(state, actions)
    planning.roll(game, state, np.zeros(len(state), np.uint64), weights)
    own = state["score"][np.arange(len(state)), seats].astype(np.float64)
    others = state["score"].sum(1, dtype=np.int64) - own
    return np.asarray(own - others / (players - 1))
