"""How fast the agents think: `python -m benchmarks.planners [--game GAME] [--seconds 5]`.

One core, CPU time, the fastest of many slices, beside plain playouts of the core in the same
run. Positions are those of 256 games in their middle. Prints Markdown. Agents that a game does not
have are left out.
"""

import argparse
from typing import Any

import numpy as np

from benchmarks.speed import Play, playouts, rate
from drago_env import Policy, make, resolve
from drago_env.games import DEFAULT
from drago_env.policy import View, known
from drago_env.search import Search

GAMES = 256
PLAYOUTS = 10_000
PLAYERS = (2, 3, 4, 5)
# agents, and how many positions each is asked for at once
AGENTS = {
    "greedy": GAMES // 2,
    "heuristic": GAMES // 2,
    "search": 4,
    "search:method=tree": 4,
    "clairvoyant": 4,
    "neural": GAMES // 2,
    "guided": 4,
}


def random_playouts(spec: str, method: str) -> Play:
    """Uniformly random playouts to the end, from the start, inside a search."""
    game = make(spec)
    state = game.new(np.arange(8))
    search = Search(method, playout="uniform", depth=0, playouts=PLAYOUTS // 8)
    seeds = np.arange(8, dtype=np.uint64)

    def play() -> int:
        seeds[:] += np.uint64(8)
        return int(search.search(game, state, seeds).visits.sum())

    return play


def decisions(policy: Policy, spec: str, batch: int) -> Play:
    """Decisions in the middle of games, in batches."""
    game: Any = make(spec)
    state = game.new(np.arange(GAMES))
    picks, legal = game.picks(np.arange(GAMES)), game.legal(state)
    for _ in range(30):
        game.step(state, game.sample(legal, picks))
        game.legal(state, legal)
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
    parser.add_argument("--game", default=DEFAULT, help=f"its name (default {DEFAULT})")
    chosen = parser.parse_args()
    spec, seconds = chosen.game, chosen.seconds
    plain = rate(playouts(spec), seconds)
    print(f"| random playouts of {spec} from the start to the end | a second | of the core's |")
    print("| --- | ---: | ---: |")
    print(f"| plain, by the core | {plain:,.0f} | 1.00 |")
    for method in ("flat", "tree"):
        inside = rate(random_playouts(spec, method), seconds)
        print(f"| inside `search:method={method}` | {inside:,.0f} | {inside / plain:.2f} |")
    limits = make(spec).spec
    seats = [n for n in PLAYERS if limits.min_players <= n <= limits.max_players]
    print(f"\n| milliseconds for a decision, players: | {' | '.join(map(str, seats))} |")
    print("| --- |" + " ---: |" * len(seats))
    for name, batch in AGENTS.items():
        if name.partition(":")[0] in known(spec):
            policy = resolve(name, spec)
            tables = [f"{spec}:players={players}" for players in seats]
            speeds = [rate(decisions(policy, table, batch), seconds) for table in tables]
            print(f"| `{name}` | " + " | ".join(f"{1e3 / speed:.4f}" for speed in speeds) + " |")


if __name__ == "__main__":
    main()
