"""`python -m train.sb3_ppo`: MaskablePPO of sb3-contrib on the native `VecEnv`.

    python -m train.sb3_ppo --out runs/sb3 --opponents uniform greedy --steps 1000000

The learner holds one seat, drawn at each deal; named agents hold the others. The run folder gets
`network.safetensors`, the file to exchange, which holds no code and plays anywhere:

    python -m agents.arena neural:path=runs/sb3/network.safetensors greedy

and `model.zip`, Stable-Baselines3's own form, which holds pickled objects: load none but your own.
To go on with it:

    model = MaskablePPO.load("runs/sb3/model.zip", env=make_env(arguments))
    model.learn(1_000_000, reset_num_timesteps=False)

It needs `pip install "drago-env[sb3,train]"`. For self-play see `python -m train.ppo`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback, EveryNTimesteps
from stable_baselines3.common.logger import CSVOutputFormat, Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from agents import neural
from agents.network import Shape
from agents.shorthand import GamesOptions
from drago_env.core.files import in_words, replacing
from drago_env.games import make
from drago_env.policy import resolve_all
from drago_env.wrappers.sb3 import LearnerVecEnv
from drago_env.wrappers.sb3_policy import LegalActionsPolicy
from train import runs
from train.arguments import Hyperparameters, make_game, parse, rewarded, simple_agents
from train.evaluate import Evaluation, arena_games, as_markdown, evaluate
from train.runs import Run

MANY = 50  # games after which it is told that all of them paid the same
_Agents = Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[AGENT ...]")]


@dataclass
class Arguments(Hyperparameters, GamesOptions):
    """Trains one network with MaskablePPO against named agents."""

    out: Path = Path("runs/sb3")
    """the run folder; it must not exist yet"""
    opponents: _Agents = None
    """agents that hold the other seats, drawn at each deal; by default uniform and greedy"""

    steps: int = 1_000_000
    """decisions of the learner in all"""
    num_steps: int = 32
    """decisions in each game between two updates"""

    evaluate_every: int = 250_000
    """decisions between two arenas against each of the opponents"""
    evaluate_games: int = 400
    """games of each arena; one for each number of players, in the first game that has it"""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check({"steps": 1, "num_steps": 2, "evaluate_every": 1, "evaluate_games": 1})
        if self.num_envs * self.num_steps % self.minibatch_size == 1 or self.minibatch_size == 1:
            raise ValueError("num_envs * num_steps leaves a minibatch of a single decision")
        if self.opponents == ():
            raise ValueError("opponents must name at least one agent")

    @property
    def specs(self) -> list[str]:
        """The game that these words mean, with its reward, or the one that suits learning."""
        return [rewarded(spec, self.reward) for spec in super().specs]

    @property
    def rivals(self) -> tuple[str, ...]:
        """Who holds the other seats."""
        simple = tuple(name for name in simple_agents(self.spec) if name != "heuristic")
        return simple if self.opponents is None else self.opponents


def make_env(arguments: Arguments) -> LearnerVecEnv:
    """The games: each observation holds the mask and the features of every action."""
    game, variants = make_game(arguments.specs)
    return LearnerVecEnv(
        game,
        arguments.num_envs,
        arguments.rivals,
        flat=False,
        action_features=game.spec.feature_size > 0,
        variants=variants.tolist(),
    )


def make_model(arguments: Arguments, env: VecEnv) -> MaskablePPO:
    bound = make(arguments.spec).spec.reward_bound
    return MaskablePPO(
        LegalActionsPolicy,
        env,
        learning_rate=LinearSchedule(arguments.learning_rate, 0.0, 1.0),
        n_steps=arguments.num_steps,
        batch_size=arguments.minibatch_size,
        n_epochs=arguments.update_epochs,
        gamma=1.0,  # a game has an end, and only its outcome counts
        gae_lambda=arguments.gae_lambda,
        clip_range=arguments.clip_coef,
        ent_coef=arguments.ent_coef,
        vf_coef=arguments.vf_coef,
        max_grad_norm=arguments.max_grad_norm,
        policy_kwargs={"value_bound": float(bound)},
        seed=arguments.seed,
        device="cpu",
    )


class Arena(BaseCallback):
    """Plays the network, as it is, against each opponent, and keeps it to play with."""

    def __init__(self, arguments: Arguments, run: Run) -> None:
        super().__init__()
        self._arguments, self._run = arguments, run
        self._signature = make(arguments.spec).signature
        self.found: list[Evaluation] = []
        self._played = -1  # the steps of the last arena

    def _on_step(self) -> bool:
        self.play()
        return True

    def play(self) -> None:
        """One arena against each opponent, unless the network has played these already."""
        if self._played == self.num_timesteps:
            return
        self._played = self.num_timesteps
        self._advise()
        arguments, policy = self._arguments, self.model.policy
        assert isinstance(policy, LegalActionsPolicy)
        file = self._run.path / runs.NETWORK
        shape = Shape(**policy.shape._asdict())
        saved = (policy.network.weights(), shape, self._signature)
        self.found = evaluate(
            neural.Neural(neural.Checkpoint(file, *saved, {})),
            arguments.rivals,
            arena_games(arguments.specs),
            arguments.evaluate_games,
            arguments.seed,
        )
        rows = [{"steps": self.num_timesteps} | evaluation.row() for evaluation in self.found]
        self._run.log(runs.EVALUATIONS, rows)
        for e in self.found:
            tag = f"win share, {e.players} players/{e.opponent}"
            self._run.curve(tag, e.win_share, self.num_timesteps)
        neural.save(file, *saved, self._run.config | {"evaluations": rows})

    def _advise(self) -> None:
        """Says so where all games pay the same: there is nothing to learn from."""
        paid = {round(game["r"], 6) for game in self.model.ep_info_buffer or ()}
        if len(paid) == 1 and len(self.model.ep_info_buffer or ()) >= MANY:
            print(
                f"note: each of the last games paid {paid.pop():g}, so nothing tells a better "
                "decision from a worse one: add weaker --opponents, such as uniform, or choose a "
                "--reward that also counts points, where the game has one",
                file=sys.stderr,
            )


def train(arguments: Arguments, progress: bool = False) -> list[Evaluation]:
    """Trains to the end; returns how the network plays then."""
    # an agent that is not known is told before any folder is made
    resolve_all(arguments.rivals, arguments.spec)
    rollout = arguments.num_envs * arguments.num_steps
    steps = -(-arguments.steps // rollout) * rollout  # whole rollouts, as they are collected
    runs.check_vacant(arguments.out, "choose another --out")
    model = make_model(arguments, make_env(arguments))
    told = asdict(arguments) | {"out": str(arguments.out), "opponents": arguments.rivals}
    run = Run.new(arguments.out, told)
    csv, curves = str(run.path / "progress.csv"), str(run.path / "tensorboard")
    logger = Logger(None, [CSVOutputFormat(csv), TensorBoardOutputFormat(curves)])
    with closing(run), closing(logger):
        model.set_logger(logger)
        arena = Arena(arguments, run)
        every = EveryNTimesteps(arguments.evaluate_every, arena)
        model.learn(steps, callback=every, progress_bar=progress)
        arena.play()
        with replacing(run.path / "model.zip") as part:
            model.save(part)
    return arena.found


def main(words: Sequence[str] | None = None) -> int:
    try:
        found = train(parse(Arguments, "train.sb3_ppo", words), progress=True)
    except (OSError, ValueError, TypeError, ImportError, MemoryError) as error:
        print(f"error: {in_words(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = "the run folder has the network of the last arena, if one was played"
        print(f"interrupted; {kept}", file=sys.stderr)
        return 130
    print(as_markdown(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
