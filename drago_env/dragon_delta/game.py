"""Dragon Delta as a `Game`: its rules, its words and its records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import one_batch
from drago_env.dragon_delta import actions as meanings
from drago_env.dragon_delta import observation
from drago_env.dragon_delta.kernel.game import LOOPS
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    RANK,
    WIN,
    Rules,
    RulesError,
    constants,
)
from drago_env.dragon_delta.state import CUT_OFF, EMPTY, OVER, PROGRAM, STATE
from drago_env.game import GameSpec, State
from drago_env.parts import GameInParts


class DragonDelta(GameInParts):
    """The game as a rule book over batches: it holds rules, never a game.

    `DragonDelta(Rules(players=4))` plays one variant; `DragonDelta(rules, other, ...)` lets a
    batch mix player counts, flags and maps, the sizes being equal. Rewards are `win` (1 for the
    winner, -1 / (n - 1) for the others, 0 for all when the game is cut off) or `rank` (from 1 for
    the nearest to its goal to -1 for the farthest). `threads` splits every batch over so many
    threads; the games stay the same.
    """

    loops = LOOPS
    state_type = STATE
    rewards = {"win": WIN, "rank": RANK}  # noqa: RUF012
    training_reward = "rank"  # what is cut off teaches too
    rules: tuple[Rules, ...]

    def __init__(self, *rules: Rules, reward: str = "win", threads: int = 1) -> None:
        sizes = "kinds, slots, planks, stones, support, max_rounds, islets, villages and links"
        rules = one_batch(rules, Rules, RulesError, sizes)
        self.maps: tuple[Map, ...] = tuple(dict.fromkeys(r.map for r in rules))
        variants = np.zeros(len(rules), STATE)
        for row, variant in zip(variants, rules, strict=True):
            row["players"], row["map"] = variant.players, self.maps.index(variant.map)
            row["move2_village"] = variant.move2_village
            row["long_planks"] = variant.long_planks
        super().__init__(
            rules,
            reward,
            threads,
            variants=variants,
            tables=constants(rules[0], self.maps),
            layout=observation.layout(rules[0]),
            features=observation.FEATURES,
        )
        self.spec = GameSpec(
            name="dragon_delta",
            title="Dragon Delta",
            seat_name="player",
            min_players=MIN_PLAYERS,
            max_players=MAX_PLAYERS,
            seats=MAX_PLAYERS,
            num_actions=rules[0].num_actions,
            max_legal=max(variant.max_legal for variant in rules),
            observation_size=len(self.scale),
            observation_bound=32.0,  # no number is above 127, and few are scaled by 1 / 4
            feature_size=len(self.feature_scale),
            reward_bound=1.0,
            has_points=False,
            has_chance=False,
            can_truncate=True,
            hides_decisions=True,
        )

    @property
    def signature(self) -> dict[str, Any]:  # type: ignore[override]  # made when asked for
        """What fixes the meaning of observations and actions, whoever plays by which flags."""
        board = self.maps[0]
        return {
            "game": self.spec.name,
            "islets": len(board.islets),
            "villages": len(board.villages),
            "links": len(board.links),
            "planks": self.rules[0].planks,
            "num_actions": self.spec.num_actions,
            "observation": observation.VERSION,
        }

    def row_rules(self, state: State, row: int) -> Rules:
        """The rules that one row is played by."""
        game = state[row]
        return replace(
            self.rules[0],
            players=int(game["players"]),
            move2_village=bool(game["move2_village"]),
            long_planks=bool(game["long_planks"]),
            map=self.maps[int(game["map"])],
        )

    # ------------------------------------------------------------ how it stands

    def over(self, state: State) -> NDArray[np.bool_]:
        """Which games have ended (clauses 8.1 and 8.3)."""
        return np.asarray(state["step"] == OVER)

    def truncated(self, state: State) -> NDArray[np.bool_]:
        """Which of them were cut off after the last round (clause 8.3)."""
        return np.asarray(state["end"] == CUT_OFF)

    # ------------------------------------------------------------ in words

    def action_text(self, action: int) -> str:
        """An action in words: `program stone1`, `islet 3`, `plank 4`, `13-27`, ..."""
        return meanings.text(action, self.rules[0])

    def seat_text(self, state: State, row: int, seat: int) -> str:
        """A seat as its colour."""
        return self.row_rules(state, row).colours[seat]

    def decision_text(self, state: State, row: int, action: int) -> str:
        """An action in the words of the step in which it is made."""
        from drago_env.dragon_delta.words import decision

        return decision(state[row], action, self.row_rules(state, row))

    def told(self, state: State, row: int, action: int, viewer: int | None) -> str | None:
        """What a viewer hears of a decision: of others' programs when the last card is laid."""
        game, slots = state[row], self.rules[0].slots
        if viewer in (None, int(game["seat"])) or game["step"] != PROGRAM:
            return self.decision_text(state, row, action)
        laid = int((game["program"][game["seat"]] != EMPTY).sum())
        return f"program {slots} cards" if laid + 1 == slots else None

    def why_illegal(self, state: State, row: int, action: int) -> tuple[str, str]:
        """The reason and the clause that forbid an action in a game."""
        from drago_env.dragon_delta.refusals import reason

        return reason(state[row], action, self.row_rules(state, row))

    def describe(self, state: State, row: int = 0, viewer: int | None = None) -> str:
        """A position in words; a `viewer` is told the cards that their seat knows, None all."""
        from drago_env.dragon_delta.words import position

        return position(state[row], self.row_rules(state, row), viewer)
