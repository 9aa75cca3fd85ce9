"""Names of version 0.1 that have moved are found in their old places, with a warning."""

from __future__ import annotations

from importlib import import_module

import pytest

OLD = [
    ("drago_env.game", "mix"),
    ("drago_env.game", "seed_array"),
    ("drago_env.game", "select"),
    ("drago_env.wrappers.selfplay", "trajectories"),
    ("drago_env.wrappers.selfplay", "OPEN"),
    ("drago_env.mount_drago.planning", "Outlook"),
    ("drago_env.mount_drago.planning", "Thought"),
    ("drago_env.mount_drago", "census"),
    ("drago_env.mount_drago", "drawing"),
    ("drago_env.mount_drago", "page"),
    ("agents", "search"),
    ("agents", "weights"),
    ("agents", "tables"),
]


@pytest.mark.parametrize(("module", "name"), OLD)
def test_an_old_name_is_found_with_a_warning(module: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{module}.{name} is now "):
        assert getattr(import_module(module), name) is not None


def test_other_names_are_not_there() -> None:
    for module in {module for module, _ in OLD}:
        with pytest.raises(AttributeError, match="nobody"):
            getattr(import_module(module), "nobody")  # noqa: B009
