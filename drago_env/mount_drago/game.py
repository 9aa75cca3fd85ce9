"""Mount Drago as a `Game`: its rules, its words and its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import one_batch, select
from drago_env.game import GameSpec, Seeds, State, Turn
from drago_env.mount_drago import observation, words
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.kernel.game import LOOPS
from drago_env.mount_drago.rules import (
    EDITIONS,
    MARGIN,
    MAX_LEGAL,
    MAX_PLAYERS,
    MIN_PLAYERS,
    RANK,
    WIN,
    Rules,
    RulesError,
    constants,
)
from drago_env.mount_drago.state import EMPTY, OVER, STATE
from drago_env.moved import moved, renamed, warn
from drago_env.parts import GameInParts


class MountDrago(GameInParts):
    """The game as a rule book over batches: it holds rules, never a game.

    `MountDrago(Rules(players=4))` plays one variant; `MountDrago(rules, other, ...)` lets a
    batch mix player counts, editions and boards, the sizes being equal. Rewards are
    `win` (a sole winner 1, each other -1 / (n - 1), ties in between), `margin` (own points of
    the move minus the others' mean, / 20) or `rank` (from 1 for the first to -1 for the last).
    `threads` splits every batch over so many threads; the games stay the same.
    """

    loops = LOOPS
    state_type = STATE
    rewards = {"win": WIN, "margin": MARGIN, "rank": RANK}  # noqa: RUF012
    rules: tuple[Rules, ...]

    def __init__(self, *rules: Rules, reward: str = "win", threads: int = 1) -> None:
        sizes = "colours, copies, hand, summit_dragons"
        rules = one_batch(rules, Rules, RulesError, sizes)
        self.boards: tuple[Board, ...] = tuple(dict.fromkeys(r.board for r in rules))
        variants = np.zeros(len(rules), STATE)
        for row, variant in zip(variants, rules, strict=True):
            row["players"] = variant.players
            row["edition"] = EDITIONS.index(variant.edition)
            row["board"] = self.boards.index(variant.board)
        super().__init__(
            rules,
            reward,
            threads,
            variants=variants,
            tables=constants(rules[0], self.boards),
            layout=observation.layout(rules[0]),
            features=observation.FEATURES,
        )
        self.spec = GameSpec(
            name="mount_drago",
            title="Mount Drago",
            seat_name="rider",
            min_players=MIN_PLAYERS,
            max_players=MAX_PLAYERS,
            seats=MAX_PLAYERS,
            num_actions=rules[0].num_actions,
            max_legal=MAX_LEGAL,
            observation_size=len(self.scale),
            observation_bound=8.0,  # the value of a space is at most 50, times 1 / 8
            feature_size=len(self.feature_scale),
            # of a margin on the printed boards, in practice; one with larger values can pay more
            reward_bound=8.0 if reward == "margin" else 1.0,
            has_points=True,
            has_chance=True,
            can_truncate=False,
            hides_decisions=False,
        )

    @property
    def pays_at_end(self) -> bool:
        """Whether no reward comes before the last move: `margin` pays with every scoring."""
        return self.reward != "margin"

    @property
    def signature(self) -> dict[str, Any]:  # type: ignore[override]  # made when asked for
        """What fixes the meaning of observations and actions, whoever plays on which board."""
        return {
            "game": self.spec.name,
            "colours": self.rules[0].colours,
            "copies": list(self.rules[0].copies),
            "hand": self.rules[0].hand,
            "num_actions": self.spec.num_actions,
            "observation": observation.VERSION,
        }

    def row_rules(self, state: State, row: int) -> Rules:
        """The rules that one row is played by."""
        game = state[row]
        return replace(
            self.rules[0],
            players=int(game["players"]),
            edition=EDITIONS[int(game["edition"])],
            board=self.boards[int(game["board"])],
        )

    def canonical(self, state: State) -> State:
        """Clones without what is chance or report only: the deck's order, the cards last drawn."""
        clones = select(state)
        clones["deck"].sort(axis=1)
        clones["drawn"], clones["drawn_size"] = EMPTY, 0
        return clones

    # ------------------------------------------------------------ how it stands

    def over(self, state: State) -> NDArray[np.bool_]:
        """Which games have ended (clause 6.7)."""
        return np.asarray(state["phase"] == OVER)

    def scores(self, state: State) -> NDArray[np.int16]:
        """The points of every seat, as a view of the state."""
        return state["score"]

    def playout(self, state: State, seeds: Seeds) -> NDArray[np.int16]:
        """Final scores after uniformly random play from here; the games themselves stay."""
        return self.finished(state, seeds)["score"].copy()

    # ------------------------------------------------------------ in words

    def why_illegal(self, state: State, row: int, action: int) -> tuple[str, str]:
        """The reason and the clause that forbid an action in a game."""
        from drago_env.mount_drago.refusals import why_illegal

        return why_illegal(self.row_rules(state, row), state[row], action)

    def action_text(self, action: int) -> str:
        """An action in words: `play blue 3`, `play blue 3 and keep`, `discard blue 3`, `done`."""
        return words.action_text(action, self.rules[0])

    # ------------------------------------------------------------ as version 0.1 had it

    record = renamed(riders="names")(GameInParts.record)
    draw = renamed(riders="names")(GameInParts.draw)

    def bound_turn(self, state: State, actions: NDArray[np.int64], out: Turn) -> Callable[[], None]:
        """`turn_unchecked` on these very arrays."""
        warn("MountDrago.bound_turn", "MountDrago.single")
        return partial(self.turn_unchecked, state, actions, out)

    def window(self, fps: float | None = None) -> Any:
        """A window for pictures."""
        from drago_env.pictures.window import Window

        warn("MountDrago.window", "drago_env.pictures.window.Window")
        return Window(self.spec.title, fps)


__getattr__ = moved(__name__, {"REWARDS": ("", "MountDrago.rewards")})
