"""Other libraries on these environments: `make clients` runs them and writes docs/use-with.md.

    python -m benchmarks.clients --pythons .venv-clients/bin/python --write docs/use-with.md

A recipe is a function: it uses a library as a newcomer would, and returns how many decisions it
made after its first ones. Its text is what the page shows.
"""

from __future__ import annotations

import argparse
import inspect
import json
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

AS_IT_IS, LINES = "works as it is", "works with these lines"
TIMEOUT_SECONDS = 1200


# ---------------------------------------------------------------- the recipes


def torchrl_aec(clock: Callable[[], None]) -> int:
    from torchrl.envs import PettingZooWrapper

    from drago_env import mount_drago_v0

    env = PettingZooWrapper(mount_drago_v0.env(players=2), use_mask=True)
    env.rollout(10)
    clock()
    return env.rollout(300, break_when_any_done=False).numel()


def torchrl_batch(clock: Callable[[], None]) -> int:
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

    from drago_env import mount_drago_v0

    games = mount_drago_v0.vector_env(64, players=2, autoreset_mode="Disabled")
    env = TransformedEnv(GymWrapper(games, categorical_action_encoding=True), ActionMask())
    env.rollout(3, break_when_any_done=False)
    clock()
    return env.rollout(60, break_when_any_done=False).numel()


def single_file(clock: Callable[[], None]) -> int:
    import torch
    from torch.distributions import Categorical

    from drago_env import mount_drago_v0

    envs = mount_drago_v0.vector_env(256, players=2, opponents=["uniform"])
    size, actions = 308, int(envs.single_action_space.n)
    body = torch.nn.Sequential(torch.nn.Linear(size, 128), torch.nn.Tanh())
    actor, critic = torch.nn.Linear(128, actions), torch.nn.Linear(128, 1)
    optimizer = torch.optim.Adam(
        [*body.parameters(), *actor.parameters(), *critic.parameters()], lr=1e-3
    )

    def heads(seen: dict[str, Any]) -> tuple[Categorical, torch.Tensor]:
        hidden = body(torch.as_tensor(seen["observation"]))
        forbidden = torch.as_tensor(seen["action_mask"]) == 0
        logits = actor(hidden).masked_fill(forbidden, -1e9)
        return Categorical(logits=logits), critic(hidden).squeeze(1)

    seen, _ = envs.reset(seed=0)
    steps, horizon = 0, 16
    for update in range(6):
        if update == 1:
            clock()
            steps = 0
        rows, rewards, going = [], [], []
        for _ in range(horizon):
            with torch.no_grad():
                policy, value = heads(seen)
                chosen = policy.sample()
            rows.append((seen, chosen, policy.log_prob(chosen), value))
            seen, reward, terminated, truncated, _ = envs.step(chosen.numpy())
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            going.append(torch.as_tensor(~(terminated | truncated)))
            steps += envs.num_envs
        with torch.no_grad():
            target = heads(seen)[1]
        for (before, chosen, old, value), reward, on in zip(
            reversed(rows), reversed(rewards), reversed(going), strict=True
        ):
            target = reward + 0.99 * target * on
            policy, predicted = heads(before)
            advantage = target - value
            ratio = (policy.log_prob(chosen) - old).exp()
            surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            loss = (predicted - target).square().mean() - surrogate
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return steps


def tianshou(clock: Callable[[], None]) -> int:
    from tianshou.env import DummyVectorEnv
    from tianshou.env.pettingzoo_env import PettingZooEnv

    from drago_env import mount_drago_v0

    envs = DummyVectorEnv([lambda: PettingZooEnv(mount_drago_v0.env(players=2)) for _ in range(8)])
    seen, _ = envs.reset(seed=0)
    clock()
    steps = 0
    for _ in range(100):
        chosen = [row["mask"].index(True) for row in seen]
        seen, _, terminated, truncated, _ = envs.step(chosen)
        steps += len(chosen)
        ended = (terminated | truncated).nonzero()[0]
        if len(ended):
            seen[ended], _ = envs.reset(ended)
    return steps


def supersuit(clock: Callable[[], None]) -> int:
    import supersuit

    from drago_env import mount_drago_v0

    env = supersuit.observation_lambda_v0(
        mount_drago_v0.env(players=3),
        lambda seen, space: seen["observation"],
        lambda space: space["observation"],
    )
    env = supersuit.frame_stack_v1(env, 2)
    steps = 0
    for game in range(4):
        env.reset(seed=game)
        if game == 1:
            clock()
            steps = 0
        for agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            mask = env.unwrapped.observe(agent)["action_mask"]
            env.step(None if terminated or truncated else env.action_space(agent).sample(mask))
            steps += 1
    return steps


def minari(clock: Callable[[], None]) -> int:
    import os

    import gymnasium
    import minari

    import drago_env  # noqa: F401  (registers the environments)

    os.environ["MINARI_DATASETS_PATH"] = tempfile.mkdtemp()
    env = minari.DataCollector(gymnasium.make("MountDrago-v0", players=2), record_infos=True)
    env.reset(seed=0)
    clock()
    for game in range(5):
        _, info = env.reset(seed=game)
        over = False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
    return env.create_dataset("mount-drago/uniform-v0").total_steps


def optuna(clock: Callable[[], None]) -> int:
    import optuna

    import drago_env

    game, steps = drago_env.make("mount_drago"), 0

    def share(trial: Any) -> float:
        nonlocal steps
        playouts = trial.suggest_int("playouts", 4, 64, log=True)
        played = drago_env.play(game, [f"search:playouts={playouts}", "heuristic"], range(20))
        steps += sum(len(record["moves"]) for record in played.records)
        return float(played.winners[:, 0].mean())

    study = optuna.create_study(direction="maximize")
    study.optimize(share, n_trials=1)
    clock()
    steps = 0
    study.optimize(share, n_trials=4)
    return steps


def wandb(clock: Callable[[], None]) -> int:
    import wandb

    import drago_env

    game = drago_env.make("mount_drago")
    drago_env.play(game, ["greedy", "uniform"], range(10))
    steps = 0
    with wandb.init(mode="offline", project="drago", dir=tempfile.mkdtemp()) as run:
        clock()
        for part in range(10):
            played = drago_env.play(
                game, ["greedy", "uniform"], range(100 * part, 100 * part + 100)
            )
            run.log({"win_share": float(played.winners[:, 0].mean())})
            steps += sum(len(record["moves"]) for record in played.records)
    return steps


def openspiel(clock: Callable[[], None]) -> int:
    import numpy as np

    from drago_env.wrappers import openspiel

    rng, steps = np.random.default_rng(0), 0
    game = openspiel.load("mount_drago:players=2")
    for number in range(4):
        if number == 1:
            clock()
            steps = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([a for a, _ in state.chance_outcomes()])))
            else:
                state.apply_action(int(rng.choice(state.legal_actions())))
                steps += 1
    return steps


def pufferlib(clock: Callable[[], None]) -> int:
    import numpy as np

    import drago_env
    from drago_env.wrappers.puffer import LearnerPufferEnv

    game, rng = drago_env.make("mount_drago"), np.random.default_rng(0)
    env, size = LearnerPufferEnv(game, num_envs=1024), game.spec.observation_size
    env.reset(seed=0)
    for step in range(110):
        if step == 10:
            clock()
        masks = env.observations[:, size:]  # the mask stands behind each observation
        env.step((masks * rng.random(masks.shape, np.float32)).argmax(1))
    return 100 * 1024


# ---------------------------------------------------------------- running them


class Client(NamedTuple):
    """A library, what it is used for here, and its recipe."""

    title: str
    package: str
    what: str
    verdict: str
    recipe: Callable[[Callable[[], None]], int]


CLIENTS = (
    Client("TorchRL", "torchrl", "AEC with masks, one game", AS_IT_IS, torchrl_aec),
    Client("TorchRL, batch", "torchrl", "the native batch, 64 games", LINES, torchrl_batch),
    Client("Tianshou 2", "tianshou", "its PettingZoo wrapper, 8 games", AS_IT_IS, tianshou),
    Client("One file of PyTorch", "torch", "PPO with training, 256 games", LINES, single_file),
    Client("SuperSuit", "supersuit", "the vector out of the dict, stacked", LINES, supersuit),
    Client("Minari", "minari", "a dataset with infos, one game", AS_IT_IS, minari),
    Client("Optuna", "optuna", "the playouts of a search, 20 games a trial", AS_IT_IS, optuna),
    Client("Weights & Biases", "wandb", "offline logs of games between agents", AS_IT_IS, wandb),
    Client("OpenSpiel", "open_spiel", "random games draw by draw", LINES, openspiel),
    Client("PufferLib", "pufferlib", "native, 1,024 games", LINES, pufferlib),
)


def run(client: Client) -> dict[str, Any]:
    """Runs a recipe in this process; decisions a second of its CPU time."""
    began = time.process_time()

    def clock() -> None:
        nonlocal began
        began = time.process_time()

    steps = client.recipe(clock)
    return {
        "version": version(client.package),
        "steps_per_second": round(steps / (time.process_time() - began)),
    }


def run_apart(client: Client, pythons: list[str]) -> dict[str, Any]:
    """Runs a recipe with the first interpreter that has the library, in a process of its own."""
    for python in pythons:
        has = [python, "-c", f"from importlib.metadata import version; version('{client.package}')"]
        if subprocess.run(has, capture_output=True).returncode:
            continue
        command = [python, "-m", "benchmarks.clients", "--run", client.title]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        if done.returncode:
            return {"error": (done.stderr.strip().splitlines() or ["no words"])[-1][:160]}
        return dict(json.loads(done.stdout.splitlines()[-1]))
    return {"error": "not installed in these environments"}


HEAD = """# Use it with ...

Made by `make clients`, which runs every recipe below in environments of its own and writes this
page. Libraries with pages of their own: [Stable-Baselines3](stable-baselines3.md),
[RLlib](training-rllib.md), [Ray](ray.md), [OpenSpiel](openspiel.md). Steps a second are decisions
by one process's CPU time, with the library's own work; they compare libraries, not machines.

"""
REASONS = """
## What stands in the way

- **PufferLib 3.0** wants numpy below 2, and its set-up downloads raylib from another host.
  `drago_env.wrappers.puffer.LearnerPufferEnv(game, num_envs=1024)` is a native environment for it;
  the tests run it on a stand-in for its base class where PufferLib is not installed.
- **AgileRL** pins a tensordict that TorchRL 0.14 does not take, so it needs an environment of its
  own; it is not among the recipes.
- **d3rlpy**, **imitation** and other trainers without masks, such as Stable-Baselines3's PPO and
  DQN: `illegal="random"` or `illegal="end"` ([environments](environments.md)); not among the
  recipes.
"""


def page(rows: dict[str, dict[str, Any]]) -> str:
    """The documentation's page."""
    lines = [
        "| library | version | what | how | steps a second |",
        "| --- | --- | --- | --- | ---: |",
    ]
    for client in CLIENTS:
        row = rows[client.title]
        failed = "error" in row
        verdict = f"not run: {row['error']}" if failed else client.verdict
        speed = "" if failed else f"{row['steps_per_second']:,}"
        told = row.get("version", "")
        lines.append(f"| {client.title} | {told} | {client.what} | {verdict} | {speed} |")
    parts = [HEAD + "\n".join(lines) + "\n"]
    for client in CLIENTS:
        source = inspect.getsource(client.recipe).split("\n", 1)[1]
        code = "\n".join(
            line for line in textwrap.dedent(source).rstrip().split("\n") if "clock()" not in line
        )
        parts.append(f"\n## {client.title}\n\n```py\n{code}\n```\n")
    return "".join(parts) + REASONS


def main() -> None:
    """Runs the recipes and prints or writes what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pythons", nargs="+", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--write", type=Path, help="the page to write")
    parser.add_argument("--run", metavar="NAME", help="one recipe, in this process")
    given = parser.parse_args()
    if given.run:
        (client,) = (client for client in CLIENTS if client.title == given.run)
        print(json.dumps(run(client)))
        return
    rows = {}
    for client in CLIENTS:
        rows[client.title] = run_apart(client, given.pythons)
        print(client.title, rows[client.title], flush=True)
    if given.write:
        given.write.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
