"""`python -m train.sb3_ppo`: MaskablePPO of sb3-contrib on the native `VecEnv`.

    python -m train.sb3_ppo --out runs/sb3 --opponents uniform greedy --steps 1000000

The learner holds one seat, drawn at each deal; named agents hold the others. The run folder gets
`network.safetensors`, the file to exchange, which holds no code and plays anywhere:

    python -m agents.arena neural:path=runs/sb3/network.safetensors greedy

A run that was interrupted, or that is to have more `--steps`, goes on with `--resume runs/sb3`. At
the end there is also `model.zip`, Stable-Baselines3's own form, which holds pickled objects: load
none but your own.

It needs `pip install "drago-env[sb3,train]"`. For self-play see `python -m train.ppo`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback, EveryNTimesteps
from stable_baselines3.common.logger import CSVOutputFormat, Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from agents import neural
from agents.network import Shape
from agents.shell import Shell
from drago_env.core.checks import whole
from drago_env.core.files import reading, replacing
from drago_env.core.threads import uninterrupted
from drago_env.games import make
from drago_env.policy import resolve, resolve_all
from drago_env.wrappers.sb3 import LearnerVecEnv
from drago_env.wrappers.sb3_policy import LegalActionsPolicy
from train import runs, sb3_state
from train.arguments import (
    AgainstOthers,
    check_resumed,
    go_on,
    make_game,
    more_steps,
    parse,
)
from train.evaluate import Evaluation, arena_games, as_markdown, evaluate
from train.runs import Run, RunError

STEPS = "time/total_timesteps"  # a column of the library's table
MANY = 50  # games after which it is told that all of them paid the same
_Agents = Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[AGENT ...]")]


@dataclass
class Arguments(AgainstOthers):
    """Trains one network with MaskablePPO against named agents."""

    out: Path = Path("runs/sb3")
    """the run folder; it must not exist yet"""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """go on with this run exactly where it was; all but --steps is read from its folder"""
    trust: bool = False
    """with --resume: run code of others that the folder names, such as my_module:MyPolicy"""
    opponents: _Agents = None
    """agents that hold the other seats, drawn at each deal; by default uniform and greedy"""

    steps: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None
    """decisions of the learner in all, by default 1,000,000; with --resume more than before"""
    num_steps: int = 32
    """decisions in each game between two updates"""

    save_every: int = 20
    """updates between two saves of the state to go on from"""
    evaluate_every: int = 250_000
    """decisions between two arenas against each of the opponents"""
    evaluate_games: int = 400
    """games of each arena; one for each number of players, in the first game that has it"""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check({"steps": 1} if self.steps is not None else {})
        self._check({"num_steps": 2, "save_every": 1, "evaluate_every": 1, "evaluate_games": 1})
        if self.num_envs * self.num_steps % self.minibatch_size == 1 or self.minibatch_size == 1:
            raise ValueError("num_envs * num_steps leaves a minibatch of a single decision")
        if self.opponents == ():
            raise ValueError("opponents must name at least one agent")

    @property
    def total(self) -> int:
        """Decisions in all: whole rollouts, as they are collected."""
        rollout = self.num_envs * self.num_steps
        return -(-(1_000_000 if self.steps is None else self.steps) // rollout) * rollout


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

    def state(self) -> dict[str, Any]:
        """What it found last, to go on from."""
        return {"played": self._played, "found": [asdict(one) for one in self.found]}

    def restore(self, kept: dict[str, Any]) -> None:
        """Goes on from what `state` said."""
        self._played = whole("played", kept["played"], -1)
        self.found = [Evaluation(**one) for one in kept["found"]]

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


class Saving(BaseCallback):
    """Keeps all that the next update depends on, between two rollouts."""

    def __init__(self, run: Run, every: int, arena: Arena, clock: EveryNTimesteps) -> None:
        super().__init__()
        self._run, self._every, self._arena, self._clock = run, every, arena, clock

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        model: Any = self.model
        if self.num_timesteps // (model.n_envs * model.n_steps) % self._every == 0:
            self.save()

    def save(self) -> None:
        tensors, about = sb3_state.state(self.model)  # type: ignore[arg-type]
        arena = self._arena.state() | {"clock": self._clock.last_time_trigger}
        self._run.save(tensors, about | {"arena": arena})


def opened(folder: Path, asked: Arguments) -> tuple[Arguments, Run]:
    """The arguments that a run folder holds, perhaps with more steps, and the folder."""
    check_resumed(asked, folder)
    run = Run.open(folder)
    with reading(run.path / "config.json", RunError):
        told: dict[str, Any] = run.config["arguments"] | {"out": folder}
        lists = {name: tuple(told[name]) for name in ("game", "opponents")}
        known = Arguments(**told | lists)
        for spec in known.rivals:
            resolve(spec, known.spec, trust=asked.trust)
    return replace(known, steps=more_steps(known.total, asked.steps)), run


def begun(arguments: Arguments) -> tuple[Arguments, MaskablePPO, Run]:
    """A new run, or the one that `resume` names; the model has not learned anything yet."""
    if arguments.resume is not None:
        arguments, run = opened(arguments.resume, arguments)
        with reading(run.path / "config.json", RunError):
            return arguments, make_model(arguments, make_env(arguments)), run
    # an agent that is not known is told before any folder is made
    resolve_all(arguments.rivals, arguments.spec)
    runs.check_vacant(
        arguments.out, f"choose another --out, or go on with --resume {arguments.out}"
    )
    model = make_model(arguments, make_env(arguments))
    told = asdict(arguments) | {"out": str(arguments.out), "opponents": arguments.rivals}
    return arguments, model, Run.new(arguments.out, told | {"steps": arguments.total})


class Started(NamedTuple):
    """A run that is ready to learn."""

    arguments: Arguments
    model: MaskablePPO
    run: Run
    arena: Arena
    clock: EveryNTimesteps
    noted: dict[str, float]  # for the next line of the tables


def start(asked: Arguments) -> Started:
    """A new run, or the one that `resume` names, where it was."""
    arguments, model, run = begun(asked)
    arena = Arena(arguments, run)
    clock, noted = EveryNTimesteps(arguments.evaluate_every, arena), dict[str, float]()
    if asked.resume is not None:
        with reading(run.path / runs.RESUME, RunError):
            tensors, about = run.load()
            sb3_state.restore(model, tensors, about)
            arena.restore(about["arena"])
            clock.last_time_trigger = whole("clock", about["arena"]["clock"], 0)
            noted = {str(name): float(note) for name, note in about["noted"].items()}
        run.go_on_after(model.num_timesteps, arguments.total)
    return Started(arguments, model, run, arena, clock, noted)


def train(asked: Arguments, progress: bool = False) -> list[Evaluation]:
    """Trains to the end; returns how the network plays then."""
    arguments, model, run, arena, clock, noted = start(asked)
    curves = [progress_table(run.path / "progress.csv", model.num_timesteps)]
    logger = Logger(None, [*curves, Curves(str(run.path / "tensorboard"))])
    with closing(run), closing(logger):
        model.set_logger(logger)
        for name, note in noted.items():
            logger.record(name, note)
        saving = Saving(run, arguments.save_every, arena, clock)
        left, new = arguments.total - model.num_timesteps, asked.resume is None
        model.learn(left, [clock, saving], reset_num_timesteps=new, progress_bar=progress)
        arena.play()
        saving.save()
        with replacing(run.path / "model.zip") as part:
            model.save(part)
    return arena.found


class Curves(TensorBoardOutputFormat):
    """The library's curves; Ctrl-C waits until they are written."""

    def write(self, *told: Any) -> None:
        with uninterrupted():
            super().write(*told)


def progress_table(path: Path, steps: int) -> CSVOutputFormat:
    """The library's table of its progress, with what it said up to these steps."""
    with reading(path, RunError):
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        rows = [line.split(",") for line in lines]
    heads = rows[0] if rows and STEPS in rows[0] else []  # a kill may have cut what is written last
    place = heads.index(STEPS) if heads else 0
    whole = [cells for cells in rows[1:] if len(cells) == len(heads) and cells[place].isdecimal()]
    kept = [cells for cells in whole if int(cells[place]) <= steps]
    table = CSVOutputFormat(str(path))
    if heads:
        table.keys = heads
        table.file.writelines(",".join(cells) + "\n" for cells in (heads, *kept))
        table.file.flush()
    return table


def main(words: Sequence[str] | None = None) -> int:
    with Shell(go_on("train.sb3_ppo"), MemoryError) as shell:
        asked = parse(Arguments, "train.sb3_ppo", words)
        shell.interrupted = go_on("train.sb3_ppo", asked.resume or asked.out)
        found = train(asked, progress=True)
        print(as_markdown(found))
    return shell.code


if __name__ == "__main__":
    sys.exit(main())
