"""How fast the agents think: `python -m benchmarks.planners [--seconds 5]`.

One core, CPU time, the fastest of many slices, beside plain playouts of the core in the same
run. Positions are those of 256 games in their middle. Prints Markdown.
"""

import argparse
from collections.abc import Callable

import numpy as np

from agents import weights
from agents.clairvoyant import Clairvoyant
from agents.search import Search
from benchmarks.speed import Play, playouts, rate
from drago_env import MountDrago, Policy, Rules, resolve
from drago_env.mount_drago import planning
from drago_env.policy import View

GAMES = 256
PLAYOUTS = 10_000


def random_playouts(method: str) -> Play:
    """Uniformly random playouts to the end, from the start, inside a search."""
    game = MountDrago(Rules(2))
    state = game.new(np.arange(8))
    search = Search(method, playout="uniform", depth=0, playouts=PLAYOUTS // 8)
    seeds = np.arange(8, dtype=np.uint64)

    def play() -> int:
        seeds[:] += np.uint64(8)
        return int(search.think(game, state, seeds).visits.sum())

    return play


def decisions(policy: Policy, players: int, batch: int) -> Play:
    """Decisions in the middle of games, in batches."""
    game = MountDrago(Rules(players))
    state = game.new(np.arange(GAMES))
    planning.roll(game, state, np.arange(GAMES), weights.array("greedy"), depth=30, noise=0.2)
    state = state[~game.over(state)]
    parts = np.array_split(state, len(state) // batch)
    turns = [game.look(part) for part in parts]
    rng = np.random.default_rng(0)
    now = 0

    def play() -> int:
        nonlocal now
        now = (now + 1) % len(parts)
        turn = turns[now]
        policy.act(turn.observation, turn.legal.mask, rng, View(game, parts[now]))
        return len(parts[now])

    return play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each line (default 5)")
    seconds = parser.parse_args().seconds
    plain = rate(playouts(), seconds)
    print("| random playouts from the start to the end, 2 riders | a second | of the core's |")
    print("| --- | ---: | ---: |")
    print(f"| plain, by the core | {plain:,.0f} | 1.00 |")
    for method in ("flat", "tree"):
        inside = rate(random_playouts(method), seconds)
        print(f"| inside `search:method={method}` | {inside:,.0f} | {inside / plain:.2f} |")
    agents: list[tuple[str, Callable[[], Policy], int]] = [
        ("greedy", lambda: resolve("greedy"), GAMES // 2),
        ("heuristic", lambda: resolve("heuristic"), GAMES // 2),
        ("search", Search, 4),
        ("search:method=tree", lambda: Search("tree"), 4),
        ("clairvoyant", Clairvoyant, 4),
        ("neural", lambda: resolve("neural"), GAMES // 2),
        ("guided", lambda: resolve("guided"), 4),
    ]
    print("\n| milliseconds for a decision | 2 riders | 3 | 4 | 5 |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, make, batch in agents:
        speeds = [rate(decisions(make(), players, batch), seconds) for players in (2, 3, 4, 5)]
        print(f"| `{name}` | " + " | ".join(f"{1e3 / speed:.4f}" for speed in speeds) + " |")


if __name__ == "__main__":
    main()
