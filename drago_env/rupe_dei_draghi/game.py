"""La rupe dei draghi as a `Game`: its rules, its words and its records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import one_batch
from drago_env.game import GameSpec, State
from drago_env.parts import GameInParts
from drago_env.rupe_dei_draghi import actions, observation
from drago_env.rupe_dei_draghi.kernel.game import LOOPS
from drago_env.rupe_dei_draghi.kernel.rewards import PROGRESS, STEP_VALUE, WIN
from drago_env.rupe_dei_draghi.rules import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    REUSES,
    Rules,
    RulesError,
    constants,
)
from drago_env.rupe_dei_draghi.state import CUT_OFF, RUNNING, STATE


class RupeDeiDraghi(GameInParts):
    """The game as a rule book over batches: it holds rules, never a game.

    `RupeDeiDraghi(Rules(players=3))` plays one variant; with several rules a batch mixes player
    counts, cards, flags and graphs of one size. Rewards are `win` (the winner 1, each other
    -1 / (n - 1), nothing if the game is cut off) or `progress` (the same, and 1/16 for each step
    less that a seat still needs; over a whole game that sums up to the same for every way to
    play, so with a discount of 1 the best policy stays the best).
    `threads` splits every batch over so many threads; the games stay the same.
    """

    loops = LOOPS
    state_type = STATE
    rewards = {"win": WIN, "progress": PROGRESS}  # noqa: RUF012
    training_reward = "progress"  # a game is long, and this tells on the way
    rules: tuple[Rules, ...]

    def __init__(self, *rules: Rules, reward: str = "win", threads: int = 1) -> None:
        sizes = "spaces, rainbow sites, bridge sites, starts"
        rules = one_batch(rules, Rules, RulesError, sizes, "graphs")
        variants = np.zeros(len(rules), STATE)
        for row, (game, variant) in enumerate(zip(variants, rules, strict=True)):
            game["map"], game["players"] = row, variant.players
            game["under"] = REUSES.index(variant.reuse)
            game["stop"] = variant.stop
        super().__init__(
            rules,
            reward,
            threads,
            variants=variants,
            tables=constants(rules, observation.offsets(rules[0])),
            layout=observation.layout(rules[0]),
            features=observation.FEATURES,
        )
        self.spec = GameSpec(
            name="rupe_dei_draghi",
            title="La rupe dei draghi",
            seat_name="rider",
            min_players=MIN_PLAYERS,
            max_players=MAX_PLAYERS,
            seats=MAX_PLAYERS,
            num_actions=rules[0].num_actions,
            max_legal=max(variant.max_legal for variant in rules),
            observation_size=len(self.scale),
            observation_bound=max(map(observation.bound, rules)),
            feature_size=len(self.feature_scale),
            reward_bound=1.0 if reward == "win" else 1.0 + STEP_VALUE * self._most_steps(),
            has_points=False,
            has_chance=True,
            can_truncate=True,
            hides_decisions=False,
        )

    def _most_steps(self) -> int:
        """More steps nobody can need."""
        spaces, _, _, forts = self.rules[0].sizes
        castle = self.tables["castle_steps"][:, :spaces]
        return int(castle.max() + self.tables["fort_steps"][:, :spaces, :forts].max())

    @property
    def pays_at_end(self) -> bool:
        """Whether no reward comes before the last move: `progress` pays for every step."""
        return self.reward == "win"

    @property
    def signature(self) -> dict[str, Any]:  # type: ignore[override]  # made when asked for
        """What fixes the meaning of observations and actions."""
        graphs = list(dict.fromkeys(rules.graph for rules in self.rules))
        return {
            "game": self.spec.name,
            "graphs": [graph.fingerprint for graph in graphs],
            "num_actions": self.spec.num_actions,
            "observation": observation.VERSION,
        }

    def row_rules(self, state: State, row: int) -> Rules:
        """The rules that one row is played by."""
        return self.rules[int(state["map"][row])]

    # ------------------------------------------------------------ how it stands

    def over(self, state: State) -> NDArray[np.bool_]:
        """Which games have ended (clause 11)."""
        return np.asarray(state["end"] != RUNNING)

    def truncated(self, state: State) -> NDArray[np.bool_]:
        """Which of them were cut off (clause 11.2)."""
        return np.asarray(state["end"] == CUT_OFF)

    # ------------------------------------------------------------ in words

    def why_illegal(self, state: State, row: int, action: int) -> tuple[str, str]:
        """The reason and the clause that forbid an action in a game."""
        from drago_env.rupe_dei_draghi.refusals import why_illegal

        return why_illegal(self.row_rules(state, row), state[row], action)

    def action_text(self, action: int) -> str:
        """An action in words: `card 3`, `rob`, `rival +1`, `site R0-C`, `space J02`."""
        return actions.text(action, self.rules[0].graph)

    def decision_text(self, state: State, row: int, action: int) -> str:
        """An action in the words of the graph and the step in which it is made."""
        from drago_env.rupe_dei_draghi.words import decision

        return decision(self.row_rules(state, row), state[row], action)

    def told(self, state: State, row: int, action: int, viewer: int | None) -> str | None:
        """What a viewer hears of a decision: all of it, for who does what is public (12.1)."""
        from drago_env.rupe_dei_draghi.terminal import told

        return told(self.row_rules(state, row), state[row], action)

    def describe(self, state: State, row: int = 0, viewer: int | None = None) -> str:
        """A position in words; a `viewer` is told what their seat knows, None all."""
        from drago_env.rupe_dei_draghi.words import describe

        return describe(self.row_rules(state, row), state[row], viewer)
