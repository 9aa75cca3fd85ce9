"""Policies: who plays. The protocol, the uniform policy, and names that become policies."""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from drago_env import games
from drago_env.checkout import hidden_by
from drago_env.core.chance import mix
from drago_env.core.checks import seed_array, select
from drago_env.game import Game, Seeds, State, Turn
from drago_env.specs import near, parameters

_KEY = b"what policies draw tells nothing of the deal"


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
    """Whether a policy is told what is hidden: a yardstick, not a fair player."""
    return bool(getattr(policy, "sees_all", False))


def streams(seeds: Seeds) -> NDArray[np.uint64]:
    """Where the numbers that policies get in games with these seeds begin.

    The function has no inverse, so that nobody finds the deal in the numbers they are handed.
    """
    hashed = [
        hashlib.blake2b(seed.to_bytes(8, "little"), digest_size=8, key=_KEY).digest()
        for seed in seed_array(seeds).tolist()
    ]
    return np.frombuffer(b"".join(hashed), "<u8").astype(np.uint64)


def planned(view: View | None, policy: str) -> View:
    """The view that a policy which plans must be given."""
    if view is None:
        raise ValueError(f"{policy} plans: it must be given a view of the game")
    return view


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


def resolve(spec: str | Policy, game: Game | str | None = None, *, trust: bool = True) -> Policy:
    """The policy that a spec names; a policy stands for itself.

    `uniform` and `search` are always there, `greedy` and `heuristic` where the game has them;
    other names are modules of the folder `agents` of a checkout. Each is a module with `make`,
    looked for in the game's own package, then here, then in `agents`; without a game the default
    one is meant. `my_module:MyPolicy` is a class of your own, or a function that is annotated to
    return a policy; it is refused without `trust`, as a spec in somebody's file should be.
    """
    if not isinstance(spec, str):
        return _checked(spec)
    if not trust and _names_code(spec):
        raise ValueError(
            f"the policy {spec!r} would run code of your own, and a file asked for it: "
            "say --trust if you trust that file"
        )
    name, _, rest = spec.partition(":")
    attribute, _, more = rest.partition(":")
    if attribute and "=" not in attribute:
        made, rest = _load(name, attribute, spec), more
        if not _makes_policies(made):
            raise ValueError(
                f"{spec!r} names no policy: neither a class with a name and a method act nor a "
                "function that is annotated to return a Policy"
            )
    else:
        made = Uniform if name == "uniform" else _find(name, spec, games.name_of(game))
    try:
        policy = made(**parameters(rest, spec))
    except TypeError as error:
        raise ValueError(f"the policy {spec!r} cannot be made: {error}") from error
    return _checked(policy)


def resolve_all(
    specs: str | Policy | Sequence[str | Policy] | None,
    game: Game | str | None = None,
    *,
    trust: bool = True,
) -> list[Policy]:
    """The policies of a list of specs; one spec is a list of one, None is `uniform`."""
    if specs is None:
        specs = ["uniform"]
    if isinstance(specs, str) or not isinstance(specs, Sequence):
        specs = [specs]
    if not specs:
        raise ValueError("opponents must name at least one policy, such as 'uniform'")
    return [resolve(spec, game, trust=trust) for spec in specs]


def known(game: Game | str | None = None) -> list[str]:
    """The names of the policies that can be found for a game."""
    found = {"uniform"}
    for package in _packages(games.name_of(game)):
        for path in getattr(_import(package), "__path__", ()):
            texts = ((file.stem, file.read_text("utf-8")) for file in Path(path).glob("*.py"))
            found |= {stem for stem, text in texts if re.search(r"^make = ", text, re.M)}
    return sorted(found)


def _packages(game: str) -> tuple[str, ...]:
    """Where policies are looked for; what only bears the name of `agents` is not run."""
    own = games.module_of(game).__name__, __package__
    return own if hidden_by("agents") else (*own, f"agents.{game}", "agents")


def _names_code(spec: str) -> bool:
    """Whether a spec, or a spec among its parameters, names a module and what to call there."""
    rest = spec.partition(":")[2]
    attribute = rest.partition(":")[0]
    if attribute and "=" not in attribute:
        return True
    given = parameters(rest, spec).items()
    return any(isinstance(v, str) and key != "path" and _names_code(v) for key, v in given)


def _find(name: str, spec: str, game: str) -> Any:
    if name.isidentifier() and not name.startswith("_"):
        for package in _packages(game):
            made = getattr(_import(f"{package}.{name}"), "make", None)
            if made is not None and _makes_policies(made):
                return made
    there = known(game)
    hint = f"; {hidden}" if (hidden := hidden_by("agents")) else ""
    if "agents" not in sys.modules and not hint:
        hint = "; more agents belong to a checkout of the repository"
    raise ValueError(
        f"unknown policy {spec!r}{near(name, there)}; {game} has {', '.join(there)}{hint}; "
        "a policy of your own is 'my_module:MyPolicy'"
    )


def _import(module: str) -> Any:
    """A module, or None if it is not there; what it lacks itself is an error all the same."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        return None


def _load(module: str, attribute: str, spec: str) -> Any:
    found = _import(module)
    if found is None:
        raise ValueError(f"unknown policy {spec!r}: there is no module {module!r}")
    if not hasattr(found, attribute):
        raise ValueError(f"unknown policy {spec!r}: {module!r} has no {attribute!r}")
    return getattr(found, attribute)


def _makes_policies(made: Any) -> bool:
    """Only what says that it is a policy, or makes one, is called."""
    if isinstance(made, type):
        named = hasattr(made, "name") or "name" in getattr(made, "__annotations__", {})
        return named and hasattr(made, "act")
    returns = getattr(made, "__annotations__", {}).get("return")
    return hasattr(returns, "act") or str(returns).rpartition(".")[2] == "Policy"


def _checked(policy: Any) -> Policy:
    named = isinstance(getattr(policy, "name", None), str)
    if isinstance(policy, type) or not named or not callable(getattr(policy, "act", None)):
        raise TypeError(
            "a policy is an object with a name and a method act(observation, mask, rng, view), "
            f"not {policy!r:.60}"
        )
    return policy  # type: ignore[no-any-return]
