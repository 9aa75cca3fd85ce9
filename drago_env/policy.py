"""Policies: who plays. The protocol, the uniform policy, and names that become policies."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from drago_env.game import Game, State, Turn, mix, select


class View(NamedTuple):
    """What a planner gets: clones in which all that its seats cannot see is drawn anew.

    Whoever runs the game makes it. A policy that declares `sees_all` gets plain clones.
    """

    game: Game
    state: State


@runtime_checkable
class Policy(Protocol):
    """Chooses for a batch of games at once.

    `observation` is `(n, observation_size)`, `mask` is `(n, num_actions)` with at least one 1 in
    every row, and the answer is `(n,)` legal actions. Randomness comes from `rng` alone; with
    `row_numbers(rng, n)` a game goes the same way in a batch of any size.
    """

    name: str

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        view: View | None = None,
    ) -> NDArray[np.int64]:
        """A legal action for each row; `view` is given to policies that plan, else None."""
        ...


def plans(policy: Policy) -> bool:
    """Whether a policy asks for a view (`plans = True` or `sees_all = True` on its class)."""
    return bool(getattr(policy, "plans", False)) or sees_all(policy)


def sees_all(policy: Policy) -> bool:
    """Whether a policy is told all hands and the deck: a yardstick, not a fair player."""
    return bool(getattr(policy, "sees_all", False))


class RowGenerator(np.random.Generator):
    """A numpy generator that also holds a fresh number for each row, from the row's own seed."""

    rows: NDArray[np.uint64] | None = None

    def __reduce__(self) -> Any:
        return RowGenerator, (self.bit_generator,)


def row_numbers(rng: np.random.Generator, n: int) -> NDArray[np.uint64]:
    """A random number for each row: its own where the runner provides it, else drawn now."""
    rows = getattr(rng, "rows", None)
    if rows is not None and len(rows) == n:
        return np.asarray(rows)
    return rng.integers(0, 2**64, n, dtype=np.uint64)


class Uniform:
    """Every legal action is equally likely."""

    name = "uniform"

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        view: View | None = None,
    ) -> NDArray[np.int64]:
        """A random legal action for each row."""
        rows, actions = np.nonzero(mask.view(np.bool_))
        counts = np.bincount(rows, minlength=len(mask)).astype(np.uint64)
        numbers = row_numbers(rng, len(mask)) >> np.uint64(32)
        picks = (numbers * counts >> np.uint64(32)) + np.cumsum(counts) - counts
        return actions[picks.astype(np.int64)]


def ask(
    policy: Policy,
    game: Game,
    state: State,
    turn: Turn,
    rows: NDArray[np.int64],
    rng: RowGenerator,
    numbers: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """What a policy chooses for the seats on turn in these rows, checked.

    `numbers` is a fresh random number for each of them. A planner gets its view.
    """
    observation, mask, view = turn.observation[rows], turn.legal.mask[rows], None
    if plans(policy):
        clones = select(state, rows)
        if not sees_all(policy):
            seats = game.current_player(clones).astype(np.int64)
            clones = game.determinize(clones, seats, mix(~numbers))
        view = View(game, clones)
    rng.rows = numbers
    try:
        actions = np.asarray(policy.act(observation, mask, rng, view))
    finally:
        rng.rows = None
    if actions.shape != (len(mask),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"the policy {policy.name!r} must answer with {len(mask)} whole numbers, "
            f"not {actions.dtype} of shape {actions.shape}"
        )
    inside = (actions >= 0) & (actions < mask.shape[1])
    legal = inside & (turn.legal.mask[rows, np.where(inside, actions, 0)] == 1)
    if not legal.all():
        k = int(np.flatnonzero(~legal)[0])
        allowed = ", ".join(
            game.action_text(int(a)) for a in np.flatnonzero(turn.legal.mask[rows[k]])
        )
        raise ValueError(
            f"the policy {policy.name!r} chose the illegal action {actions[k]}; legal: {allowed}"
        )
    return actions.astype(np.int64)


def resolve(spec: str | Policy) -> Policy:
    """The policy that a spec names; a policy stands for itself.

    `uniform` is always there. `greedy`, `search:playouts=64` and the like are modules of the
    folder `agents` of a checkout, each with a function `make(**parameters)`; `my_module:MyPolicy`
    is a class of your own.
    """
    if not isinstance(spec, str):
        named = isinstance(getattr(spec, "name", None), str)
        if isinstance(spec, type) or not named or not callable(getattr(spec, "act", None)):
            raise TypeError(
                "a policy is an object with a name and a method act(observation, mask, rng, view), "
                f"not {spec!r:.60}"
            )
        return spec
    name, _, rest = spec.partition(":")
    attribute, _, more = rest.partition(":")
    if attribute and "=" not in attribute:
        made, rest = _load(name, attribute, spec), more
    elif name == "uniform":
        made = Uniform
    else:
        made = _load(f"agents.{name}", "make", spec)
    parameters = _parameters(rest, spec)
    try:
        policy = made(**parameters)
    except TypeError as error:
        raise ValueError(f"the policy {spec!r} cannot be made: {error}") from error
    return resolve(policy)


def resolve_all(specs: str | Policy | Sequence[str | Policy] | None) -> list[Policy]:
    """The policies of a list of specs; one spec is a list of one, None is `uniform`."""
    if specs is None:
        specs = ["uniform"]
    if isinstance(specs, str) or not isinstance(specs, Sequence):
        specs = [specs]
    if not specs:
        raise ValueError("opponents must name at least one policy, such as 'uniform'")
    return [resolve(spec) for spec in specs]


def _load(module: str, attribute: str, spec: str) -> Any:
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ValueError(
            f"unknown policy {spec!r}: there is no module {module!r}. 'uniform' is always there; "
            "the agents of the folder agents/ belong to a checkout of the repository, and take "
            "parameters like key=value; a policy of your own is 'my_module:MyPolicy'"
        ) from error
    except AttributeError as error:
        raise ValueError(f"unknown policy {spec!r}: {module!r} has no {attribute!r}") from error


def _parameters(text: str, spec: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for word in filter(None, text.split(",")):
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise ValueError(f"{spec!r}: expected parameters like key=value, found {word!r}")
        parameters[key] = _value(value)
    return parameters


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
