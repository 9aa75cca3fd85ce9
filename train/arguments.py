"""What a training run can be told, and what it plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import tyro

from drago_env.game import Game
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.rules import Rules

_File = Annotated[Path | None, tyro.conf.arg(metavar="FILE")]
_Folder = Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")]
_Address = Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")]


@dataclass(frozen=True)
class Arguments:
    """Trains one network by self-play. A killed run goes on with `--resume FOLDER`."""

    out: Path = Path("runs/ppo")
    """the run folder; it must not exist yet"""
    resume: _Folder = None
    """go on with this run exactly where it was; everything else is read from its folder"""
    start: _File = None
    """begin with the weights of this checkpoint instead of random ones, and with its sizes"""
    seed: int = 0
    """of everything that is random"""

    players: tuple[int, ...] = (2, 3, 4, 5)
    """numbers of riders; each deal draws one"""
    editions: tuple[str, ...] = ("german",)
    """editions of the rules, german or italian; each deal draws one"""
    random_boards: int = 0
    """so many random boards besides the built-in side; each deal draws one"""

    steps: int = 20_000_000
    """decisions to collect in all"""
    games: int = 512
    """games side by side, in each collector"""
    horizon: int = 64
    """decisions in each game between two updates"""
    epochs: int = 2
    """times that an update goes through its decisions"""
    minibatch: int = 1024
    """decisions in one step of the optimiser"""
    learning_rate: float = 1e-3
    """at the start; it falls to 0 in a straight line"""
    smoothing: float = 0.9
    """lambda of the advantage estimate: 1 waits for the end of the game, 0 trusts the value"""
    clip: float = 0.2
    """how far an update may change the probability of an action, as a share of it"""
    entropy: float = 0.01
    """reward for not being sure"""
    value_weight: float = 0.5
    """of the value's error in the loss"""
    largest_gradient: float = 0.5
    """longer gradients are cut to this length"""
    trunk: tuple[int, ...] = (256, 128)
    """widths of the layers that read the observation"""
    action: tuple[int, ...] = (64, 32)
    """widths of the layers that score an action"""

    lessons: int = 0
    """the first so many of the decisions: they are the teacher's, and the network copies them"""
    teacher: str = "search:playouts=256"
    """who gives lessons: search or guided"""
    lesson_epochs: int = 8
    """times that an update goes through the decisions of a lesson"""
    softness: float = 0.06
    """an action that the teacher values so much less is copied 1 / e times as often"""

    opponents: tuple[str, ...] = ("heuristic",)
    """named agents in the pool, such as greedy or search:playouts=64"""
    pool_share: float = 0.2
    """share of the games in which all riders but one come from the pool"""
    pool_size: int = 8
    """the newest former selves that are in the pool"""

    save_every: int = 20
    """updates between two saves of the state to go on from; every lesson is saved"""
    evaluate_every: int = 100
    """updates between two arenas; each time the network also joins the pool"""
    evaluate_against: tuple[str, ...] = ("uniform", "greedy", "heuristic")
    """whom the arenas are played against, besides the newest former self"""
    evaluate_games: int = 400
    """games of each arena, in the first of the editions and on the built-in sides"""

    threads: int = 2
    """an update works on so many parts at once; part of the result, to the last bit"""
    ray: _Address = None
    """collect on this Ray cluster (auto, or host:port) instead of in this process"""
    collectors: int = 1
    """Ray actors that collect, each with its own games"""

    def __post_init__(self) -> None:
        whole = {"steps": 1, "games": 1, "horizon": 2, "epochs": 1, "minibatch": 1, "threads": 1}
        whole |= {"save_every": 1, "evaluate_every": 1, "evaluate_games": 1, "collectors": 1}
        whole |= {"random_boards": 0, "pool_size": 0, "seed": 0, "lessons": 0, "lesson_epochs": 1}
        for name, low in whole.items():
            _check(name, getattr(self, name), low, 2**62, int)
        for name in ("smoothing", "pool_share"):
            _check(name, getattr(self, name), 0, 1, float)
        for name in ("learning_rate", "clip", "entropy", "value_weight", "largest_gradient"):
            _check(name, getattr(self, name), 0, 1000, float)
        _check("softness", self.softness, 1e-6, 1000, float)
        if not self.players or not self.editions:
            raise ValueError("players and editions must name at least one each")
        if self.collectors > 1 and self.ray is None:
            raise ValueError("several collectors need a Ray cluster: --ray auto, or its address")

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Arguments:
        """Arguments from what `plain` made of them."""
        values: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v for n, v in plain.items()
        }
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


def _check(name: str, value: Any, low: float, high: float, kind: type) -> None:
    known = isinstance(value, kind | int) and not isinstance(value, bool)
    if not known or not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value!r}")


def make_game(arguments: Arguments) -> tuple[Game, int]:
    """The game and its number of variants: the one place where training knows what is played."""
    boards = [Board.random(arguments.seed + number) for number in range(arguments.random_boards)]
    rules = [
        Rules(players, edition, board)
        for players in arguments.players
        for edition in arguments.editions
        for board in (Board.side(players), *boards)
    ]
    return MountDrago(*rules), len(rules)
