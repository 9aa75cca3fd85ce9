"""What networks may be told of what an action is likely to lead to: against a slow oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from drago_env.core.layout import named
from drago_env.core.planning import foresee, foresight_size
from drago_env.games import make
from drago_env.mount_drago.kernel.planning import SEARCHES
from drago_env.mount_drago.observation import FORESIGHT
from drago_env.mount_drago.planning import Weights, WinChance, by_players, weights
from drago_env.mount_drago.state import DISCARD, OVER
from tests.mount_drago.foresight import foreseen
from tests.mount_drago.test_thumbs import BOARDS, PLAYERS, positions
from tests.mount_drago.thumbs import reference

# sums of these are exact, so that equals are equals, but for the thirds of four riders
EXACT = Weights(0.5, 0.25, 0.375, 0, 0, 0, 8, 0.125)
LEAF = WinChance(0.3, -0.2, 0.4, 0.5, 0.1, 0.2, 0.45)


@BOARDS
def test_it_is_what_the_oracle_foresees(name: str) -> None:
    game, state = positions(name)
    legal, before = game.legal(state), state.tobytes()
    tables = (by_players(dict.fromkeys(PLAYERS, EXACT)), by_players(dict.fromkeys(PLAYERS, LEAF)))
    out = np.full((*legal.actions.shape, foresight_size(game)), 9.0, np.float32)
    game.run(
        SEARCHES.foresee,
        len(state),
        state,
        (game.tables, *tables),
        legal.actions,
        legal.counts,
        out,
    )
    assert state.tobytes() == before
    seen: dict[str, set[Any]] = {part.name: set() for part in FORESIGHT}
    rows = np.flatnonzero((state["players"] != 4) & (state["phase"] != OVER))
    for row in rows[:: max(len(rows) // 60, 1)]:  # the oracle is slow
        side = reference(game, state[row])
        for place in range(legal.counts[row]):
            wanted = foreseen(side, int(legal.actions[row, place]), EXACT, LEAF)
            found = named(out[row, place], FORESIGHT)
            for part, value in wanted.items():
                assert found[part] == pytest.approx(np.atleast_1d(value), abs=2e-5, rel=2e-5), (
                    row,
                    part,
                )
                seen[part].add(str(value))
    assert all(len(values) > 3 for part, values in seen.items() if part != "gainful"), seen
    assert (out[legal.counts == 0] == 9).all()


def test_nothing_is_foreseen_of_discards() -> None:
    game, state = positions("standard")
    discards = state[state["phase"] == DISCARD]
    assert len(discards)
    assert not foresee(game, discards, game.legal(discards)).any()


def test_chances_are_chances() -> None:
    game, state = positions("standard")
    legal = game.legal(state)
    found = foresee(game, state, legal)
    told = {part.name: part.of(found) for part in FORESIGHT}
    for part in ("reply_scores", "reply_ends", "win", "follow_win"):
        assert told[part].min() >= 0
        assert told[part].max() <= 1 + 1e-6
    assert (np.abs(told["reply_verdict"]) <= told["reply_ends"] + 1e-6).all()


def test_other_games_foresee_nothing() -> None:
    for name in ("dragon_delta", "rupe_dei_draghi"):
        game: Any = make(name)
        assert foresight_size(game) == 0
        state = game.new([0])
        with pytest.raises(ValueError, match=f"{name} foresees nothing"):
            foresee(game, state, game.legal(state))


def test_the_weights_are_those_of_the_light_rules_of_thumb() -> None:
    """They must not reckon with danger, which is prepared for the seat on turn alone."""
    names = Weights._fields
    light = weights("light")
    assert not light[:, names.index("danger")].any()
    game, state = positions("standard")
    legal = game.legal(state)
    out = np.zeros((*legal.actions.shape, foresight_size(game)), np.float32)
    shared = (game.tables, light, weights("win_chance"))
    game.run(SEARCHES.foresee, len(state), state, shared, legal.actions, legal.counts, out)
    assert (foresee(game, state, legal) == out).all()
