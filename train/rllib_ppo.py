"""`python -m train.rllib_ppo`: PPO in RLlib, for those who live there.

    python -m train.rllib_ppo --out runs/rllib --seconds 600

One module plays every seat of a part of the games; in the others it meets the `--opponents` and
frozen past selves of its own. See docs/training-rllib.md.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from math import isnan, nan
from pathlib import Path
from typing import Any

from agents.cluster import reach
from agents.network import Shape
from agents.neural import save
from agents.shell import Shell
from drago_env.core.files import write
from drago_env.games import make
from drago_env.wrappers.aec import GameAEC
from train.arguments import parse
from train.evaluate import arena_games, as_markdown, evaluate
from train.progress import progress_bar
from train.rllib_command import FORMER, Command, check

CONFIG, METRICS, NETWORK = "config.json", "metrics.csv", "network.safetensors"
OBJECT_STORE = 200 * 2**20  # bytes; the games of a batch need a tenth of it


def train(command: Command) -> Path:
    """Trains to the end, and returns the file of the network."""
    check(command)
    aec, out = GameAEC(make(*command.specs), action_features=True), command.out
    with _ray(command):
        algorithm = configure(command, aec).build_algo()
        out.mkdir(parents=True, exist_ok=True)
        told = asdict(command) | {"out": str(out), "opponents": command.rivals}
        write(out / CONFIG, json.dumps(told, indent=2) + "\n")
        try:
            _loop(command, algorithm, aec, out)
        finally:
            algorithm.stop()
    return out / NETWORK


@contextmanager
def _ray(command: Command) -> Iterator[None]:
    """Ray at hand: the cluster of `--ray`, or one of our own that ends with us."""
    try:
        import ray

        from train import rllib_league  # noqa: F401  (names all that RLlib needs)
    except ModuleNotFoundError as error:
        raise ImportError('RLlib needs Ray: pip install "drago-env[rllib]"') from error
    options: dict[str, Any] = {"address": command.ray}
    if command.ray is None:
        # as many as are needed: Ray would wait without a word for those that are not there
        cpus = max(command.num_env_runners, 1)
        options = {"address": "local", "num_cpus": cpus, "object_store_memory": OBJECT_STORE}
        options |= {"include_dashboard": False}
    else:
        reach(command.ray)
    ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()


def configure(command: Command, aec: Any) -> Any:
    """The whole of RLlib's settings."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
    from ray.tune import register_env

    from train import rllib_league as league

    spaces = {
        "observation_space": aec.observation_space(aec.possible_agents[0]),
        "action_space": aec.action_space(aec.possible_agents[0]),
    }
    model = {"shape": asdict(Shape.of(aec.game))}
    classes = {league.SHARED: league.Learner}
    classes |= dict.fromkeys(league.past(command.past_selves), league.Player)
    modules = {
        name: RLModuleSpec(module_class=kind, model_config=model, **spaces)
        for name, kind in classes.items()
    }
    env_config = {
        "game": command.specs,
        "opponents": command.rivals,
        "past_selves": command.past_selves,
        "selfplay": command.selfplay,
        "num_games": -(-command.num_games // max(command.num_env_runners, 1)),
    }
    register_env("drago", league.LeagueEnv)
    config = PPOConfig()
    # the check that is disabled would step with illegal actions
    config.environment("drago", env_config=env_config, disable_env_checking=True)
    config.env_runners(
        env_runner_cls=league.GameRunner,
        num_env_runners=command.num_env_runners,
        num_envs_per_env_runner=command.num_envs,
        batch_mode="complete_episodes",  # so no past self is replaced in mid-game
        sample_timeout_s=None,  # a slow runner is waited for
    )
    config.multi_agent(
        policies=set(modules),
        policy_mapping_fn=league.module_of,
        policies_to_train=[league.SHARED],
    )
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
    config.training(
        lr=command.learning_rate,
        gamma=1.0,  # a game is short, and only its end counts
        lambda_=command.gae_lambda,
        # at least: the games make the batch
        train_batch_size_per_learner=command.minibatch_size,
        minibatch_size=command.minibatch_size,
        num_epochs=command.update_epochs,
        clip_param=command.clip_coef,
        use_kl_loss=False,
        entropy_coeff=command.ent_coef,
        vf_loss_coeff=command.vf_coef,
        vf_clip_param=float("inf"),
        grad_clip=command.max_grad_norm,
    )
    config.callbacks(on_episode_end=league.log_win_share)
    return config.debugging(seed=command.seed, log_level="ERROR")


# ---------------------------------------------------------------- the loop


def _loop(command: Command, algorithm: Any, aec: Any, out: Path) -> None:
    import torch

    torch.set_num_threads(1)  # minibatches are small: threads wait for each other
    rows: list[dict[str, Any]] = []
    start, past = time.perf_counter(), 0.0
    with progress_bar(command.iterations or command.seconds) as show:
        while len(rows) < command.iterations if command.iterations else past < command.seconds:
            before, result = past, algorithm.train()
            past = time.perf_counter() - start
            rows.append(_row(command, len(rows) + 1, past, past - before, result))
            write(out / METRICS, _table_text(rows))
            _save(out / NETWORK, algorithm, aec, {"algorithm": "PPO in RLlib", **rows[-1]})
            if command.past_selves and len(rows) % command.freeze_every == 0:
                _freeze(algorithm, len(rows) // command.freeze_every % command.past_selves)
            show(len(rows) if command.iterations else past, _words(rows[-1]))


def _row(
    command: Command, iteration: int, seconds: float, took: float, result: dict[str, Any]
) -> dict[str, Any]:
    """What an iteration came to; a win share is empty until the opponent was met."""
    played, learnt = result["env_runners"], result["learners"]["shared"]
    shares = played.get("win_share", {})
    names = [*command.rivals, *(["past"] if command.past_selves else [])]
    known = {name: share for name in names if not isnan(share := float(shares.get(name, nan)))}
    steps = int(played["num_env_steps_sampled"])
    return {
        "iteration": iteration,
        "seconds": round(seconds, 1),
        "steps": int(played["num_env_steps_sampled_lifetime"]),
        "steps_per_second": round(steps / took),
        **{name: float(learnt[name]) for name in ("policy_loss", "vf_loss", "entropy")},
        **{f"win_share:{name}": known.get(name, "") for name in names},
    }


def _freeze(algorithm: Any, slot: int) -> None:
    """Copies the learner over a past self, in the learner process and in every runner."""
    from train.rllib_league import SHARED, past

    group = algorithm.learner_group
    weights = {past(slot + 1)[slot]: group.get_weights([SHARED])[SHARED]}
    group.set_weights(weights)
    # not sync_weights: runners ignore it unless the learner was updated since the last time
    algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.set_state({"rl_module": weights})
    )


def _save(path: Path, algorithm: Any, aec: Any, card: dict[str, Any]) -> None:
    state = algorithm.learner_group.get_weights(["shared"])["shared"]
    weights = {name.removeprefix("network."): weight for name, weight in state.items()}
    save(path, weights, Shape.of(aec.game), aec.game.signature, card)


def _table_text(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _words(row: dict[str, Any]) -> str:
    """Speed and the latest win shares."""
    shares = [
        f"{key.partition(':')[2]} {share:.0%}"
        for key, share in row.items()
        if key.startswith("win_share:") and share != ""
    ]
    return ", ".join([f"{row['steps_per_second']} steps/s", *shares])


# ---------------------------------------------------------------- command line


def main(arguments: Sequence[str] | None = None) -> int:
    with Shell("interrupted. What was saved so far is in the run folder.") as shell:
        command = parse(Command, "train.rllib_ppo", arguments, **FORMER)
        player = f"neural:path={train(command)}"
        if games := command.evaluate_games:
            found = evaluate(player, command.simple, arena_games(command.specs), games, 1)
            print(as_markdown(found))
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
