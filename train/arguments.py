"""What training can be told, in the words of the field, and the game that it plays."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from numpy.typing import NDArray

from agents.shell import Kind, parsed
from agents.shorthand import GamesOptions, shorthand
from drago_env.core.checks import one_of
from drago_env.game import Game
from drago_env.games import DEFAULT, make, module_of, name_of
from drago_env.policy import known
from drago_env.specs import parse as parse_spec

_File = Annotated[Path | None, tyro.conf.arg(metavar="FILE")]
_Folder = Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")]
_Address = Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")]
_Agents = Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[AGENT ...]")]
_Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]
_Name = Annotated[str | None, tyro.conf.arg(metavar="NAME")]
_Editions = Annotated[tuple[str, ...], tyro.conf.arg(aliases=["--edition"])]
_Board = Annotated[str | None, tyro.conf.arg(metavar="FILE")]

# what version 0.1 called them, in the command lines and in its run folders
FORMER = {
    "games": "num_envs",
    "horizon": "num_steps",
    "n_steps": "num_steps",
    "smoothing": "gae_lambda",
    "clip": "clip_coef",
    "entropy": "ent_coef",
    "value_weight": "vf_coef",
    "largest_gradient": "max_grad_norm",
    "minibatch": "minibatch_size",
    "epochs": "update_epochs",
    "lr": "learning_rate",
    "softness": "temperature",
    "evaluation_games": "evaluate_games",
    "address": "ray",
}
MOST = 2**17  # more of what takes room or time for each is a slip, or a damaged file
# what its first run folders did not know yet
LATER = (
    *("game", "trust", "lessons", "teacher", "lesson_epochs", "temperature"),
    *("thumbs", "foresight", "board", "reward", "lesson_kl", "lesson_own"),
)


@dataclass
class Hyperparameters:
    """What PPO can be told, whoever runs it."""

    num_envs: int = 512
    """games side by side, in each process that plays"""
    minibatch_size: int = 1024
    """decisions in one step of the optimiser"""
    update_epochs: int = 4
    """times that an update goes through its decisions"""
    learning_rate: float = 1e-3
    """of Adam, at the start"""
    gae_lambda: float = 0.95
    """of the advantage estimate: 1 waits for the end of the game, 0 trusts the value"""
    clip_coef: float = 0.2
    """how far an update may change the probability of an action, as a share of it"""
    ent_coef: float = 0.01
    """reward for not being sure"""
    vf_coef: float = 0.5
    """of the value's error in the loss"""
    max_grad_norm: float = 0.5
    """longer gradients are cut to this length"""
    seed: int = 0
    """of everything that is random"""
    reward: _Name = None
    """what is paid, such as win; by default what the game's spec says, or the game's default"""

    def __post_init__(self) -> None:
        self._check({"minibatch_size": 1, "seed": 0})
        self._check({"num_envs": 1, "update_epochs": 1}, MOST)
        check_number("gae_lambda", self.gae_lambda, 0, 1, float)
        for name in ("learning_rate", "clip_coef", "ent_coef", "vf_coef", "max_grad_norm"):
            check_number(name, getattr(self, name), 0, 1000, float)

    def _check(self, least: Mapping[str, int], most: int = 2**62) -> None:
        """Refuses numbers that are not whole, or out of bounds."""
        for name, low in least.items():
            check_number(name, getattr(self, name), low, most, int)


class AgainstOthers(Hyperparameters, GamesOptions):
    """What a learner is told that meets named agents, in a trainer that others wrote."""

    opponents: _Agents

    @property
    def specs(self) -> list[str]:
        """The game that these words mean, with its reward, or the one that suits learning."""
        return [rewarded(spec, self.reward) for spec in super().specs]

    @property
    def rivals(self) -> tuple[str, ...]:
        """Whom the learner meets besides itself."""
        return self.simple if self.opponents is None else self.opponents

    @property
    def simple(self) -> tuple[str, ...]:
        """The agents that every game has."""
        return tuple(name for name in simple_agents(self.spec) if name != "heuristic")


@dataclass
class Arguments(Hyperparameters):
    """Trains one network by self-play. A killed run goes on with `--resume FOLDER`."""

    out: Path = Path("runs/ppo")
    """the run folder; it must not exist yet"""
    resume: _Folder = None
    """go on with this run exactly where it was; all but --steps is read from its folder"""
    trust: bool = False
    """with --resume: run code of others that the folder names, such as my_module:MyPolicy"""
    start: _File = None
    """begin with the weights of this checkpoint instead of random ones, and with its sizes"""

    game: tuple[str, ...] = ()
    """what is played, as NAME:players=3; each deal draws one of several specs of a game"""
    players: tuple[int, ...] = ()
    """of the default game: numbers of players, each deal draws one; without --game all there are"""
    editions: _Editions = ()
    """of the default game: editions of the rules; each deal draws one"""
    board: _Board = None
    """of the default game: a board file instead of the built-in one"""
    random_boards: int = 0
    """of the default game: so many random boards besides that one; each deal draws one"""

    steps: _Number = None
    """decisions to collect in all, by default 20,000,000; with --resume more than it had before"""
    num_steps: int = 64
    """decisions in each game between two updates"""
    update_epochs: int = 2
    gae_lambda: float = 0.9
    trunk: tuple[int, ...] = (256, 128)
    """widths of the layers that read the observation"""
    action: tuple[int, ...] = (64, 32)
    """widths of the layers that score an action"""
    thumbs: bool | None = None
    """tell it what the rules of thumb think; by default if there are any, or as --start was told"""
    foresight: bool | None = None
    """besides, what an action may lead to; by default with thumbs if the game foresees it"""

    lessons: int = 0
    """the first so many of the decisions: they are the teacher's, and the network copies them"""
    teacher: str = "search:playouts=64"
    """who gives lessons: search or guided"""
    lesson_epochs: int = 8
    """times that an update goes through the decisions of a lesson"""
    temperature: float = 0.06
    """an action that the teacher values so much less is copied 1 / e times as often"""
    lesson_kl: Literal["forward", "reverse"] = "forward"
    """forward: copy all that the teacher likes; reverse: do what it likes most, in the mean"""
    lesson_own: float = 0.25
    """share of the decisions in lessons that the network makes: 1 is about its own games alone"""

    opponents: _Agents = None
    """named agents in the pool, such as search:playouts=64; by default heuristic, if it exists"""
    pool_share: float = 0.2
    """share of the games in which all seats but one come from the pool"""
    pool_size: int = 8
    """the newest former selves that are in the pool"""

    save_every: int = 20
    """updates between two saves of the state to go on from; every lesson is saved"""
    evaluate_every: int = 100
    """updates between two arenas; each time the network also joins the pool"""
    evaluate_against: _Agents = None
    """whom the arenas are against, besides the newest former self; by default the simple agents"""
    evaluate_games: int = 400
    """games of each arena; one for each number of players, in the first game that has it"""

    threads: int = 2
    """an update works on so many parts at once; part of the result, to the last bit"""
    ray: _Address = None
    """collect on this Ray cluster (auto, or host:port) instead of in this process"""
    collectors: int = 1
    """Ray actors that collect, each with its own games"""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check({"steps": 1} if self.steps is not None else {})
        self._check({"lessons": 0, "save_every": 1, "evaluate_every": 1})
        self._check({"num_steps": 2, "lesson_epochs": 1}, MOST)
        self._check({"pool_size": 0, "random_boards": 0, "collectors": 1, "threads": 1}, 1024)
        self._check({"evaluate_games": 1}, MOST**2)
        check_number("pool_share", self.pool_share, 0, 1, float)
        check_number("temperature", self.temperature, 1e-6, 1000, float)
        check_number("lesson_own", self.lesson_own, 0, 1, float)
        one_of("lesson_kl", self.lesson_kl, ("forward", "reverse"))
        if self.collectors > 1 and self.ray is None:
            raise ValueError("several collectors need a Ray cluster: --ray auto, or its address")

    @property
    def total(self) -> int:
        """Decisions to collect in all."""
        return 20_000_000 if self.steps is None else self.steps

    @property
    def specs(self) -> list[str]:
        """The games that deals draw from."""
        players, boards = self.players, [self.board, *self._boards]
        if not self.game and not players:
            spec = make(DEFAULT).spec
            players = tuple(range(spec.min_players, spec.max_players + 1))
        specs = shorthand(self.game, players, self.editions, boards if any(boards) else None)
        return [rewarded(spec, self.reward) for spec in specs] if self.reward else specs

    @property
    def _boards(self) -> list[str]:
        return [f"random-{self.seed + number}" for number in range(self.random_boards)]

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Arguments:
        """Arguments from what `plain` made of them, now or in version 0.1."""
        values: dict[str, Any] = {
            FORMER.get(n, n): tuple(v) if isinstance(v, list) else v for n, v in plain.items()
        }
        missing = [f.name for f in fields(cls) if f.name not in values and f.name not in LATER]
        if missing:
            raise ValueError(f"the arguments lack {', '.join(missing)}")
        for name in ("thumbs", "foresight"):  # older networks were not told
            values.setdefault(name, False)
        for name in ("out", "resume", "start"):
            values[name] = values[name] and Path(values[name])
        return cls(**values)

    def plain(self) -> dict[str, Any]:
        """Every argument as JSON holds it."""
        return {n: str(v) if isinstance(v, Path) else v for n, v in asdict(self).items()}

    def command(self) -> str:
        """The words that ask for these arguments."""
        words = ["python -m train.ppo"]
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                listed = value if isinstance(value, tuple) else (value,)
                words += [f"--{field.name.replace('_', '-')}", *(quote(str(v)) for v in listed)]
        return " ".join(words)


def check_number(name: str, value: Any, low: float, high: float, kind: type) -> None:
    """Refuses what is no number of this kind within bounds."""
    allowed = isinstance(value, kind | int) and not isinstance(value, bool)
    if not allowed or not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value!r}")


def check_resumed(asked: Any, folder: Path) -> None:
    """Refuses arguments beside those that a run may go on with."""
    if replace(asked, trust=False, steps=None) != type(asked)(resume=folder):
        raise ValueError(
            "--resume takes all other arguments but --steps from the run folder: leave them out"
        )


def more_steps(before: int, asked: int | None) -> int:
    """How many a run that goes on is to have: as many as before, or more."""
    if asked is not None and asked < before:
        raise ValueError(f"a run can be lengthened, not cut: --steps from {before}, not {asked}")
    return before if asked is None else asked


# ---------------------------------------------------------------- what is played


def make_game(specs: Sequence[str]) -> tuple[Any, NDArray[np.int64]]:
    """The rule book of all specs, and the number of each one's rules in it.

    A spec that is there twice is drawn twice as often.
    """
    game: Any = make(*specs)
    if len(specs) == 1:
        return game, np.zeros(1, np.int64)
    rules = [make(spec).rules[0] for spec in specs]  # type: ignore[attr-defined]
    return game, np.array([game.rules.index(one) for one in rules])


def rewarded(spec: str, reward: str | None = None) -> str:
    """The spec with this reward, or with what its game thinks best to learn from, if it has one."""
    named = "reward" in parse_spec(spec)[1]
    if reward is not None and named:
        raise ValueError(f"the game {spec} names its reward already: leave out --reward {reward}")
    best = reward or getattr(make(spec), "training_reward", None)
    if best is None or named:
        return spec
    return f"{spec}{',' if ':' in spec else ':'}reward={best}"


def players_of(game: Game) -> int:
    """How many play by the first of the game's rules."""
    return int(game.players(game.new(0))[0])


def simple_agents(game: Game | str) -> tuple[str, ...]:
    """Whom a first training should meet: those of them that there are for the game."""
    name = name_of(game)
    module_of(name)  # refuses a game that there is not
    there = known(name)
    return tuple(name for name in ("uniform", "greedy", "heuristic") if name in there)


# ---------------------------------------------------------------- command lines


def parse(kind: type[Kind], module: str, words: Sequence[str] | None, **more: str) -> Kind:
    """The arguments in these words, by default those that the program was started with.

    What is called otherwise since version 0.1 (`more` beside `FORMER`) is refused by its new name.
    """
    words = sys.argv[1:] if words is None else words
    there = kind.__dataclass_fields__  # type: ignore[attr-defined]
    for word in words:
        name = word.partition("=")[0].removeprefix("--").replace("-", "_")
        now = {**FORMER, **more}.get(name)
        if word.startswith("--") and name not in there and now is not None and now in there:
            raise ValueError(f"--{name.replace('_', '-')} is now --{now.replace('_', '-')}")
    return parsed(kind, f"python -m {module}", words)


def go_on(module: str, folder: Path | str | None = "FOLDER") -> str:
    """How to go on with a run that was interrupted."""
    return f"interrupted; go on with: python -m {module} --resume {folder}"
