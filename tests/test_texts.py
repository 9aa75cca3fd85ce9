"""Positions and decisions in words, on the environments of every game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from drago_env import IllegalAction, mount_drago_v0
from tests.adapters import pick, same
from tests.games import NAMES, short_makers

MAKERS = {name: short_makers(name) for name in NAMES}


@pytest.mark.parametrize("maker", ["env", "raw_env"])
@pytest.mark.parametrize("name", NAMES)
def test_every_agent_is_told_what_it_knows(name: str, maker: str) -> None:
    env, rng = getattr(MAKERS[name], maker)(players=3), np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(12):
        if any(env.last()[2:4]):  # over
            break
        game, state = env.game, env.unwrapped._state
        for seat, agent in enumerate(env.agents):
            told = env.describe(agent)
            assert told == game.describe(state, 0, seat)
            # nothing hidden: a game that the agent cannot tell apart is told alike
            assert told == game.describe(env.view(agent).state, 0, seat)
        legal = np.flatnonzero(env.last()[0]["action_mask"]).tolist()
        texts = env.legal_texts()
        assert [env.action_from_text(text) for text in texts] == legal
        assert [env.action_from_text(f"  {text.upper()}. ") for text in texts] == legal
        assert [env.action_from_text(game.action_text(action)) for action in legal] == legal
        assert "text" not in env.last()[4]
        env.step(int(rng.choice(legal)))


@pytest.mark.parametrize("name", NAMES)
def test_the_learner_is_told_what_it_knows(name: str) -> None:
    plain, told = (MAKERS[name].single_env(players=2, text=text) for text in (False, True))
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        plain.describe()
    rng, over = np.random.default_rng(0), False
    _, bare = plain.reset(seed=0)
    _, info = told.reset(seed=0)
    while not over:
        assert info.keys() - bare.keys() == {"text", "legal_texts"}
        assert info["text"] == plain.describe() == told.describe()
        assert info["legal_texts"] == plain.legal_texts()
        legal = np.flatnonzero(bare["action_mask"]).tolist()
        assert [plain.action_from_text(text) for text in plain.legal_texts()] == legal
        action = pick(bare["action_mask"], rng)
        *first, bare = plain.step(action)
        *second, info = told.step(action)
        assert same(first, second)
        over = first[2] or first[3]
    assert info["legal_texts"] == plain.legal_texts() == []
    assert info["text"] == plain.describe()


@pytest.mark.parametrize("name", NAMES)
def test_infos_have_words_when_they_are_asked_for(name: str) -> None:
    env, rng = MAKERS[name].env(players=2, text=True), np.random.default_rng(1)
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        over = terminated or truncated
        assert info["text"] == env.describe(agent)
        assert info["legal_texts"] == env.legal_texts()
        assert bool(env.legal_texts()) == (not over)
        env.step(None if over else pick(seen["action_mask"], rng))


def on_green() -> Any:
    """A game in which the rider on turn may play a card of their own dragon, and keep it."""
    env, rng = mount_drago_v0.raw_env(), np.random.default_rng(0)
    env.reset(seed=0)
    while not any("keep" in text for text in env.legal_texts()):
        env.step(env.action_from_text(str(rng.choice(env.legal_texts()))))
    return env


def test_some_of_the_words_will_do() -> None:
    env = on_green()
    kept = next(text for text in env.legal_texts() if text.endswith("and keep"))
    card = kept.removeprefix("play ").removesuffix(" and keep")
    assert env.action_from_text(f"{card} keep") == env.action_from_text(kept)
    assert env.action_from_text(f"play {card}") != env.action_from_text(kept)
    with pytest.raises(ValueError, match=f"can mean 'play {card}' or '{kept}'"):
        env.action_from_text(card)


def test_what_cannot_be_done_is_refused_with_a_reason() -> None:
    env = on_green()
    held = {text for text in env.legal_texts() if text.startswith("play")}
    other = next(t for t in (f"play blue {value}" for value in range(1, 6)) if t not in held)
    with pytest.raises(IllegalAction, match=rf"cannot {other}.*Legal: "):
        env.action_from_text(other)
    with pytest.raises(ValueError, match="is no action"):
        env.action_from_text("I resign")
    with pytest.raises(ValueError, match="is no action"):
        env.action_from_text("")
    assert same(env.legal_texts(), env.legal_texts())
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        mount_drago_v0.raw_env().legal_texts()
