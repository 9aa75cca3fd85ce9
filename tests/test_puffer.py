"""Every game as a native environment of PufferLib, also where PufferLib does not install."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import drago_env
from drago_env.wrappers.vector import LearnerVectorEnv
from tests.games import NAMES, SHORT

INSTALLED = find_spec("pufferlib") is not None


class StandIn:
    """What `PufferEnv` of PufferLib 3.0 does with an environment: it hands out its arrays."""

    def __init__(self: Any, buf: Any = None) -> None:
        shape, n = self.single_observation_space.shape, self.num_agents
        fresh = {
            "observations": np.zeros((n, *shape), self.single_observation_space.dtype),
            "rewards": np.zeros(n, np.float32),
            "terminals": np.zeros(n, np.bool_),
            "truncations": np.zeros(n, np.bool_),
        }
        for name, array in (buf or fresh).items():
            setattr(self, name, array)


@pytest.fixture
def puffer(monkeypatch: pytest.MonkeyPatch) -> Any:
    if not INSTALLED:
        module = ModuleType("pufferlib")
        module.PufferEnv = StandIn  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pufferlib", module)
    yield import_module("drago_env.wrappers.puffer")
    sys.modules.pop("drago_env.wrappers.puffer", None)


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_of_the_native_batch(puffer: Any, name: str) -> None:
    """Same games, decisions and rewards; the mask stands behind each observation."""
    game = drago_env.make(name, **SHORT.get(name, {}))
    env = puffer.LearnerPufferEnv(game, num_envs=6)
    twin = LearnerVectorEnv(game, 6, autoreset_mode="SameStep")
    seen, infos = env.reset(seed=3)
    expected, told = twin.reset(seed=3)
    size, rng, ends = game.spec.observation_size, np.random.default_rng(0), 0
    assert infos == []
    for _ in range(120):
        assert seen is env.observations
        assert (seen[:, :size] == expected["observation"]).all()
        assert (seen[:, size:] == told["action_mask"]).all()
        assert env.single_observation_space.contains(seen[0])
        actions = (seen[:, size:] * rng.random(seen[:, size:].shape)).argmax(1).astype(np.int32)
        seen, rewards, terminals, truncations, infos = env.step(actions)
        expected, paid, over, cut_off, told = twin.step(actions)
        assert (rewards == paid.astype(np.float32)).all()
        assert (terminals == over).all()
        assert (truncations == cut_off).all()
        ended = over | cut_off
        ends += int(ended.sum())
        assert bool(infos) == bool(ended.any())
        if infos:
            assert infos[0]["games"] == ended.sum()
            rank = np.mean(told["final_info"]["rank"][ended])
            assert infos[0]["rank"] == pytest.approx(rank)
    assert ends > 0


def test_it_writes_into_arrays_that_it_is_given(puffer: Any) -> None:
    game = drago_env.make("mount_drago")
    width = game.spec.observation_size + game.spec.num_actions
    given = {
        "observations": np.zeros((2, width), np.float32),
        "rewards": np.zeros(2, np.float32),
        "terminals": np.zeros(2, np.bool_),
        "truncations": np.zeros(2, np.bool_),
        "masks": np.ones(2, np.bool_),
        "actions": np.zeros(2, np.int32),
    }
    env = puffer.LearnerPufferEnv(game, 2, buf=given, seed=5)
    seen, _ = env.reset()
    assert seen is given["observations"]
    assert seen.any(1).all()


def test_an_illegal_action_is_refused_or_replaced(puffer: Any) -> None:
    game = drago_env.make("mount_drago")
    env = puffer.LearnerPufferEnv(game, 2)
    seen, _ = env.reset(seed=0)
    wrong = seen[:, game.spec.observation_size :].argmin(1)
    with pytest.raises(drago_env.IllegalAction):
        env.step(wrong)
    free = puffer.LearnerPufferEnv(game, 2, illegal="random")
    free.reset(seed=0)
    free.step(wrong)
