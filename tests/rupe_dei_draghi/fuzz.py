"""Kernel against reference over many games; `python -m tests.rupe_dei_draghi.fuzz --help`."""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Any

from drago_env.rupe_dei_draghi.graph import Graph, GraphError
from drago_env.rupe_dei_draghi.rules import Rules, RulesError
from tests.fuzzing import Fuzz
from tests.rupe_dei_draghi.oracle import Difference, play_compared
from tests.rupe_dei_draghi.players import POLICIES

GAMES = 16  # of one batch
LIMIT = 5000  # decisions of one batch
RARE = (
    "look in vain",
    "look again",
    "win",
    "duel on a road",
    "duel on a start",
    "duel on a star",
    "duel on a bridge",
    "spoils",
    "teleswap into the castle",
    "teleswap into a stronghold",
    "cloud out of a stronghold",
    "renewal with the discards",
    "mark gained",
    "mark lost by a play",
    "mark lost by taking",
    "marks lost by a renewal",
    "marks lost by a third rider's taking",
    "rainbow crossed",
    "crossed rainbow moved",
    "doubled move",
    "move without destination",
    "top magic",
    "top points",
    "stopped after magic",
    "empty hand after magic",
    "truncation",
)


def random_graph(rng: random.Random) -> dict[str, Any]:
    """A small graph in the manner of clause 2, with roads at random."""
    starts = rng.randint(2, 5)
    numbers = {"start": starts, "stronghold": starts, "rock": rng.randint(0, 3)}
    numbers |= {"star": rng.randint(0, 4), "gap": rng.randint(0, 2), "crater": rng.randint(0, 2)}
    numbers["green"] = rng.randint(0, 10)
    nodes = [{"name": "C", "kind": "castle"}]
    for kind, number in numbers.items():
        nodes += [{"name": f"{kind}{i}", "kind": kind} for i in range(number)]
    rng.shuffle(nodes)
    of = {k: [n["name"] for n in nodes if n["kind"] == k] for k in ("castle", *numbers)}
    others = [node["name"] for node in nodes if node["kind"] != "castle"]
    roads = {tuple(sorted(rng.sample(others, 2))) for _ in range(len(others) * 3 // 2)}
    sites = [[rock, end] for rock in of["rock"] for end in of["castle"] + of["stronghold"]]
    sites = [site for site in sites if rng.random() < 0.6]
    bridge_sites = of["gap"] + of["crater"]
    for names in (of["start"], of["stronghold"], bridge_sites, sites):
        rng.shuffle(names)
    return {
        "name": "random",
        "nodes": nodes,
        "edges": [list(road) for road in sorted(roads)],
        "starts": of["start"],
        "strongholds": of["stronghold"],
        "rainbow_sites": sites,
        "bridge_sites": bridge_sites,
    }


def random_sizes(rng: random.Random, players: int) -> Rules:
    graph = Graph.from_dict(random_graph(rng))
    return Rules(
        players,
        graph,
        copies=tuple(rng.randint(0, 4) for _ in range(10)),
        hand=rng.randint(0, 8),
        rob=rng.randint(1, 4),
        spoils=rng.randint(0, 3),
        dragons=rng.randint(0, len(graph.starts)),
        rainbows=rng.randint(0, 5),
        bridges=rng.randint(0, 3),
        turn_cap=rng.choice([1, 7, 60, 200]),
        reuse=rng.choice(["top", "under"]),
        stop=rng.random() < 0.5,
    )


def random_rules(rng: random.Random) -> list[Rules]:
    """Rules for one batch: mostly the game as it is, for all numbers of riders and both flags."""
    if rng.random() < 0.65:
        caps = [500, 500, 100, 20]
        return [
            Rules(players, turn_cap=rng.choice(caps), reuse=reuse, stop=rng.random() < 0.6)
            for players in (2, 3, 4)
            for reuse in ("top", "under")
        ]
    if rng.random() < 0.3:
        return [Rules.tiny(), Rules.tiny(12)]
    while True:
        try:
            return [random_sizes(rng, rng.randint(2, 4))]
        except (RulesError, GraphError):
            continue


def run_batch(number: int, seed: int) -> Counter[str]:
    """Plays one batch on both sides; returns what was seen."""
    rules = random_rules(random.Random(f"rules {seed} {number}"))
    return play_compared(rules, f"{seed} {number}", GAMES, POLICIES, LIMIT)


FUZZ = Fuzz("tests.rupe_dei_draghi.fuzz", run_batch, Difference, "decisions", 1_000_000)

if __name__ == "__main__":
    sys.exit(FUZZ.main())
