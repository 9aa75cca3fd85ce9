"""`python -m agents.solve`: small games solved, and how far agents can be exploited in them.

    python -m agents.solve --game my_game:rules=tiny --agents uniform greedy

From Python: `solve("my_game:rules=tiny", agents=["uniform"])`. See docs/solve.md.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from agents.shell import Shell, parsed
from agents.shorthand import GameOptions
from agents.solving.graph import Graph, Progress, expand
from agents.solving.methods import Answers, Exact, Mccfr, against, answers, policy_of, sizes
from drago_env import games
from drago_env.core.checks import whole
from drago_env.game import Game
from drago_env.policy import resolve

PARTS = 10  # how often MCCFR is measured on its way


@dataclass
class Command(GameOptions):
    """Solves a small game, and measures how far agents can be exploited in it."""

    open: bool = False
    """Everything is open: no seat has secrets, and chance is all that is not known."""
    method: Literal["exact", "mccfr"] = "exact"
    """exact: backwards, by linear programs where something is hidden. mccfr: external sampling."""
    iterations: int = 10_000
    """Of MCCFR."""
    agents: tuple[str, ...] = ()
    """Agents whose best responses and exploitability are measured, such as uniform greedy."""
    draws: int = 16
    """How often an agent is asked in each information set for the chances of its choices."""
    seed: int = 0
    """Of MCCFR and of what agents draw."""
    most_states: int = 1_000_000
    """A game with more positions is refused."""
    json: bool = False
    """Print one JSON object on standard output."""


def solve(
    game: Game | str,
    *,
    open: bool = False,
    method: str = "exact",
    iterations: int = 10_000,
    agents: Sequence[Any] = (),
    draws: int = 16,
    seed: int = 0,
    most_states: int = 1_000_000,
    progress: Progress = lambda line: None,
) -> dict[str, Any]:
    """All that the command finds out, as plain numbers."""
    whole("iterations", iterations, 1)
    whole("most_states", most_states, 1)
    book = games.make(game) if isinstance(game, str) else game
    seated = {str(getattr(agent, "name", agent)): resolve(agent, book) for agent in agents}
    began = time.perf_counter()
    graph, samples = expand(book, open, most_states, progress)
    found: dict[str, Any] = {
        "title": book.spec.title,
        "game": game if isinstance(game, str) else book.spec.name,
        "open": open,
        "sizes": sizes(graph),
        "seconds": {"graph": time.perf_counter() - began},
    }
    began = time.perf_counter()
    if method == "exact":
        found["exact"] = _exact(graph, progress)
    else:
        found["mccfr"] = _mccfr(graph, iterations, seed, progress)
    found["seconds"][method] = time.perf_counter() - began
    policies = {
        name: policy_of(graph, book, samples, agent, draws, seed) for name, agent in seated.items()
    }
    found["agents"] = {name: _numbers(answers(graph, p)) for name, p in policies.items()}
    found["matches"] = [
        {"seat_0": a, "seat_1": b, "value": against(graph, p, q)}
        for a, p in policies.items()
        for b, q in policies.items()
        if a != b
    ]
    return found


def _exact(graph: Graph, progress: Progress) -> dict[str, Any]:
    solver = Exact(graph, progress)
    values = solver.run()
    found: dict[str, Any] = {"values": values.tolist()}
    if graph.players == 2:
        found["exploitability"] = answers(graph, solver.policy).exploitability
    return found


def _mccfr(graph: Graph, iterations: int, seed: int, progress: Progress) -> dict[str, Any]:
    learner = Mccfr(graph, seed)
    for part in range(1, PARTS + 1):
        learner.run(iterations * part // PARTS - learner.iterations)
        now = answers(graph, learner.policy)
        progress(
            f"{learner.iterations:,} iterations: value {now.value:.6f}, "
            f"exploitability {now.exploitability:.6f}"
        )
    return {"iterations": iterations, **_numbers(now)}


def _numbers(found: Answers) -> dict[str, Any]:
    return {
        "value": found.value,
        "best_responses": list(found.responses),
        "exploitability": found.exploitability,
    }


# ---------------------------------------------------------------- in words


def fraction(value: float) -> str:
    """A number, and the fraction that it is if that is a simple one."""
    near = Fraction(value).limit_denominator(1000)
    simple = near.denominator > 1 and abs(float(near) - value) < 1e-9
    return f"{value:.9f} ({near})" if simple else f"{value:.9f}"


def show(found: dict[str, Any], write: Callable[[str], Any] = print) -> None:
    """What was found, line by line."""
    counts = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in found["sizes"].items())
    write(f"{found['title']} ({found['game']}{', open' if found['open'] else ''}): {counts}")
    if "exact" in found:
        for seat, value in enumerate(found["exact"]["values"]):
            write(f"exact value of seat {seat}: {fraction(value)}")
        if "exploitability" in found["exact"]:
            write(f"exploitability of that play: {found['exact']['exploitability']:.9f}")
    else:
        write(f"mccfr, {found['mccfr']['iterations']:,} iterations: {_line(found['mccfr'])}")
    for name, numbers in found["agents"].items():
        write(f"{name}: {_line(numbers)}")
    for match in found["matches"]:
        write(f"{match['seat_0']} as seat 0 against {match['seat_1']}: {match['value']:+.6f}")


def _line(numbers: dict[str, Any]) -> str:
    first, second = numbers["best_responses"]
    return (
        f"exploitability {numbers['exploitability']:.6f}; value of seat 0 {numbers['value']:+.6f}; "
        f"best response as seat 0 {first:+.6f}, as seat 1 {second:+.6f}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    command = parsed(Command, "python -m agents.solve", arguments)
    with Shell("", ArithmeticError) as shell:
        found = solve(
            command.spec,
            open=command.open,
            method=command.method,
            iterations=command.iterations,
            agents=command.agents,
            draws=command.draws,
            seed=command.seed,
            most_states=command.most_states,
            progress=lambda line: print(line, file=sys.stderr, flush=True),
        )
        if command.json:
            print(json.dumps(found))
        else:
            show(found)
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
