"""What learns with Stable-Baselines3: `python -m benchmarks.learning`.

Every policy learns from nothing with MaskablePPO, against uniform and greedy, once for each seed;
then it plays the action that it likes best, over the same games against each of the two.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from drago_env.games import DEFAULT
from drago_env.specs import parse
from drago_env.wrappers.makers import makers
from drago_env.wrappers.sb3_policy import LegalActionsPolicy

BEGIN, END = "<!-- measured: learning -->", "<!-- end of learning -->"
OPPONENTS = ("uniform", "greedy")
ENTROPY = 0.01  # the reward for not being sure
# what each policy sees and is paid, how many games side by side, and what it is told of learning
POLICIES: dict[str, tuple[Any, dict[str, Any], int, dict[str, Any]]] = {
    "LegalActionsPolicy": (
        LegalActionsPolicy,
        {"flat": False, "action_features": True},
        128,
        {"n_steps": 32, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "learning_rate": 1e-3},
    ),
    "MlpPolicy": (
        "MlpPolicy",
        {"flat": "thumbs", "reward": "margin"},
        64,
        {
            "n_steps": 64,
            "batch_size": 512,
            "n_epochs": 4,
            "gamma": 0.7,
            "learning_rate": 1e-3,
            "policy_kwargs": {"net_arch": {"pi": [], "vf": [64, 64]}},
        },
    ),
}


def made(game: str, num_envs: int, **words: Any) -> Any:
    """Environments of a game's spec, with more words."""
    name, said = parse(game)
    return makers(name).sb3_env(num_envs, **{**words, **said})


def train(game: str, name: str, steps: int, seed: int) -> MaskablePPO:
    """A model of this policy after as many whole rollouts as there are in so many decisions."""
    policy, words, num_envs, settings = POLICIES[name]
    envs = made(game, num_envs, opponents=list(OPPONENTS), **words)
    model = MaskablePPO(policy, envs, seed=seed, device="cpu", ent_coef=ENTROPY, **settings)
    return model.learn(steps - steps % (num_envs * settings["n_steps"]))


def win_share(model: MaskablePPO, game: str, name: str, opponent: str, games: int) -> float:
    """How much of the victory the model gets over so many games, each with a seed of its own."""
    words = POLICIES[name][1]
    envs = made(game, games, opponents=[opponent], **words)
    envs.seed(1_000_000)
    seen: Any = envs.reset()
    shares = np.full(games, np.nan)
    while np.isnan(shares).any():
        masks = envs.env_method("action_masks")[0]
        actions, _ = model.predict(seen, action_masks=masks, deterministic=True)
        seen, _, done, infos = envs.step(actions)
        for row in np.flatnonzero(done & np.isnan(shares)):
            won = infos[row]["winners"]
            shares[row] = won[infos[row]["seat"]] / won.sum()
    return float(shares.mean())


def measure(game: str, name: str, steps: int, games: int, seeds: int) -> dict[str, Any]:
    """The win shares of every seed, and how long the learning took."""
    found: dict[str, Any] = {opponent: [] for opponent in OPPONENTS}
    seconds = []
    for seed in range(seeds):
        start = time.process_time()
        model = train(game, name, steps, seed)
        seconds.append(time.process_time() - start)
        for opponent in OPPONENTS:
            found[opponent].append(win_share(model, game, name, opponent, games))
    return found | {"seconds": float(np.mean(seconds))}


def row(name: str, found: dict[str, Any]) -> str:
    """A line of the table: the mean over the seeds, and the least."""
    told = "".join(
        f" {100 * np.mean(found[o]):.1f}% ({100 * np.min(found[o]):.1f}%) |" for o in OPPONENTS
    )
    return f"| `{name}` |{told} {found['seconds']:.0f} s |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--game", default=DEFAULT, metavar="SPEC", help=f"by default {DEFAULT}")
    parser.add_argument("--policies", nargs="+", choices=list(POLICIES), default=list(POLICIES))
    parser.add_argument("--steps", type=int, default=100_000, help="decisions to learn from")
    parser.add_argument("--games", type=int, default=2000, help="games against each opponent")
    parser.add_argument("--seeds", type=int, default=5, help="so many runs of each policy")
    parser.add_argument("--write", metavar="PAGE", type=Path, help=f"put the table after {BEGIN}")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    lines = [
        "| policy | over `uniform`, mean (least) | over `greedy`, mean (least) | CPU time |",
        "| --- | --- | --- | --- |",
    ]
    print(*lines, sep="\n", flush=True)
    for name in chosen.policies:
        lines.append(
            row(name, measure(chosen.game, name, chosen.steps, chosen.games, chosen.seeds))
        )
        print(lines[-1], flush=True)
    if chosen.write:
        head, found, rest = chosen.write.read_text(encoding="utf-8").partition(BEGIN)
        if not found:
            parser.error(f"{chosen.write} has no line {BEGIN}")
        tail = rest.partition(END)[2]
        text = "\n".join([head + BEGIN, "", *lines, "", END]) + tail
        chosen.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
