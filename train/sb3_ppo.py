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

import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback, EveryNTimesteps
from stable_baselines3.common.logger import CSVOutputFormat, Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from agents import neural
from agents.files import replace
from drago_env import mount_drago_v0
from drago_env.policy import resolve
from train import runs
from train.evaluate import Evaluation, evaluate, table
from train.runs import Run
from train.sb3_policy import LegalActionsPolicy


@dataclass(frozen=True)
class Arguments:
    """Trains one network with MaskablePPO against named agents."""

    out: Path = Path("runs/sb3")
    """the run folder; it must not exist yet"""
    seed: int = 0
    """of everything that is random"""
    players: int = 2
    """number of riders"""
    edition: str = "german"
    """edition of the rules: german or italian"""
    opponents: tuple[str, ...] = ("uniform", "greedy")
    """agents that hold the other seats; each deal draws one for each of them"""

    steps: int = 1_000_000
    """decisions of the learner in all"""
    games: int = 512
    """games side by side"""
    n_steps: int = 32
    """decisions in each game between two updates"""
    minibatch: int = 1024
    """decisions in one step of the optimiser"""
    epochs: int = 4
    """times that an update goes through its decisions"""
    lr: float = 1e-3
    """learning rate at the start; it falls to 0 in a straight line"""

    evaluate_every: int = 250_000
    """decisions between two arenas against each of the opponents"""
    evaluate_games: int = 400
    """games of each arena"""

    def __post_init__(self) -> None:
        least = {"steps": 1, "games": 1, "n_steps": 2, "minibatch": 2, "epochs": 1, "seed": 0}
        least |= {"evaluate_every": 1, "evaluate_games": 1}
        for name, low in least.items():
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be {low} or more, not {getattr(self, name)}")
        if not 0 < self.lr <= 1:
            raise ValueError(f"lr must be above 0 and at most 1, not {self.lr}")
        if self.games * self.n_steps % self.minibatch == 1:
            raise ValueError("games * n_steps leaves a minibatch of a single decision")
        if not self.opponents:
            raise ValueError("opponents must name at least one agent")


def make_env(arguments: Arguments) -> VecMonitor:
    """The games: each observation holds the mask and the features of every action."""
    return VecMonitor(
        mount_drago_v0.sb3_env(
            arguments.games,
            players=arguments.players,
            edition=arguments.edition,
            opponents=arguments.opponents,
            flat=False,
            action_features=True,
        )
    )


def make_model(arguments: Arguments, env: VecEnv) -> MaskablePPO:
    return MaskablePPO(
        LegalActionsPolicy,
        env,
        learning_rate=LinearSchedule(arguments.lr, 0.0, 1.0),
        n_steps=arguments.n_steps,
        batch_size=arguments.minibatch,
        n_epochs=arguments.epochs,
        gamma=1.0,  # a game has an end, and only its outcome counts
        ent_coef=0.01,
        seed=arguments.seed,
        device="cpu",
    )


class Arena(BaseCallback):
    """Plays the network, as it is, against each opponent, and keeps it to play with."""

    def __init__(self, arguments: Arguments, run: Run) -> None:
        super().__init__()
        self._arguments, self._run = arguments, run
        self._signature = mount_drago_v0.game(arguments.players, arguments.edition).signature
        self.found: list[Evaluation] = []

    def _on_step(self) -> bool:
        self.play()
        return True

    def play(self) -> None:
        arguments, policy = self._arguments, self.model.policy
        assert isinstance(policy, LegalActionsPolicy)
        file = self._run.path / runs.NETWORK
        saved = (policy.network.weights(), policy.shape, self._signature)
        self.found = evaluate(
            neural.Neural(neural.Checkpoint(file, *saved, {})),
            arguments.opponents,
            (arguments.players,),
            arguments.edition,
            arguments.evaluate_games,
            arguments.seed,
        )
        rows = [{"steps": self.num_timesteps} | asdict(evaluation) for evaluation in self.found]
        self._run.log(runs.EVALUATIONS, rows)
        for e in self.found:
            tag = f"win share, {e.players} riders/{e.opponent}"
            self._run.curve(tag, e.win_share, self.num_timesteps)
        neural.save(file, *saved, self._run.config | {"evaluations": rows})


def train(arguments: Arguments, progress: bool = False) -> list[Evaluation]:
    """Trains to the end; returns how the network plays then."""
    for spec in arguments.opponents:
        resolve(spec)  # an agent that is not known is told before any folder is made
    runs.check_vacant(arguments.out, "choose another --out")
    model = make_model(arguments, make_env(arguments))
    run = Run.new(arguments.out, asdict(arguments) | {"out": str(arguments.out)})
    csv, curves = str(run.path / "progress.csv"), str(run.path / "tensorboard")
    logger = Logger(None, [CSVOutputFormat(csv), TensorBoardOutputFormat(curves)])
    with closing(run), closing(logger):
        model.set_logger(logger)
        arena = Arena(arguments, run)
        every = EveryNTimesteps(arguments.evaluate_every, arena)
        model.learn(arguments.steps, callback=every, progress_bar=progress)
        arena.play()
        replace(run.path / "model.zip", model.save)
    return arena.found


def main(words: Sequence[str] | None = None) -> int:
    try:
        options = (tyro.conf.FlagCreatePairsOff,)
        arguments = tyro.cli(Arguments, prog="python -m train.sb3_ppo", args=words, config=options)
        found = train(arguments, progress=True)
    except (OSError, ValueError, TypeError, ImportError, MemoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = "the run folder has the network of the last arena, if one was played"
        print(f"interrupted; {kept}", file=sys.stderr)
        return 130
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
