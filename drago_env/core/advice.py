"""What a game can tell a search besides its rules, and what stands in where it tells nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

from drago_env.core.compiled import inlined


class Advice(NamedTuple):
    """What a game can tell a search besides its rules."""

    kind: Any = None  # (game) -> the row of the weights that it is played with
    assess: Any = None  # (game, count, rules, weights, work) -> the best place; work["values"]
    leaf: Any = None  # (game, rules, plan, weights, work): work["leaf"], a value for each seat
    hidden: Any = None  # (game, seat) -> whether the decision on turn is hidden from this seat
    # (game, action, rules, weights, leaf_weights, work, out): what it is likely to lead to
    foresight: Any = None
    quiet: Any = None  # (game) -> whether a playout may be cut here, such as between turns


class Mind(NamedTuple):
    """What all playouts of one decision share."""

    rules: Any
    plan: Any
    work: Any


@inlined
def no_kind(game: Any) -> Any:
    return 0


@inlined
def seen(game: Any, seat: Any) -> Any:
    return False


@inlined
def anywhere(game: Any) -> Any:
    return True


@inlined
def alike(game: Any, count: Any, rules: Any, weights: Any, work: Any) -> Any:
    """Without rules of thumb all actions are worth the same."""
    for i in range(count):
        work["values"][i] = 0.0
    return 0
