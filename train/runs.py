"""The folder of a training run: what it was asked, what came of it, and where to go on.

    config.json           the arguments, seed, git revision and package versions
    metrics.csv           a row for each update
    evaluations.csv       a row for each arena
    tensorboard/          both as curves
    network.safetensors   the newest network, to play with: neural:path=.../network.safetensors
    checkpoints/          frozen former selves, by the number of the update
    resume.safetensors    all that the next update depends on
    card.md               the model card
    curve.svg             the learning curve, at the end

Tables grow by rows, and one that a kill has cut is dropped; every other file is written under
another name first, so that one with its own name is whole.
"""

from __future__ import annotations

import csv
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import safe_open

from agents.files import reading, write_tensors
from drago_env.core.files import in_words, read_json, replacing, write
from drago_env.core.records import is_count
from drago_env.core.threads import uninterrupted
from train.tensors import Tensors

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

VERSION = 2  # in version 1 some arguments had other names
PACKAGES = ("drago-env", "numpy", "numba", "torch", "safetensors")
RESUME, NETWORK = "resume.safetensors", "network.safetensors"
METRICS, EVALUATIONS = "metrics.csv", "evaluations.csv"
LENGTHENED = "lengthened"  # in config.json: the steps that were asked for before, if any


class RunError(ValueError):
    """A run folder that cannot be used; the message names it, and says what to do."""


def check_vacant(path: Path, advice: str) -> None:
    """A run needs a folder that is not there yet, or empty."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise RunError(f"{path} exists already; {advice}")


class Run:
    """A run folder; `Run.new` makes one, `Run.open` goes on with one."""

    def __init__(self, path: Path, config: dict[str, Any]) -> None:
        self.path, self.config = path, config
        self.checkpoints = path / "checkpoints"
        self._past: int | None = None  # the steps up to which its curves count, if it goes on

    @cached_property
    def _curves(self) -> SummaryWriter:
        from torch.utils.tensorboard import SummaryWriter

        past = None if self._past is None else self._past + 1
        return SummaryWriter(str(self.path / "tensorboard"), purge_step=past)

    @classmethod
    def new(cls, path: str | Path, arguments: Mapping[str, Any]) -> Run:
        """An empty folder of this name; one that holds anything already is refused."""
        path = Path(path)
        check_vacant(path, "choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        config = {
            "version": VERSION,
            "arguments": dict(arguments),
            "revision": revision(),
            "versions": versions(),
        }
        run = cls(path, config)
        run._write_config()
        run.checkpoints.mkdir()
        return run

    def _write_config(self) -> None:
        self.write("config.json", json.dumps(self.config, indent=2) + "\n")

    @classmethod
    def open(cls, path: str | Path) -> Run:
        """A folder that an earlier run has left."""
        path = Path(path)
        try:
            config = read_json(path / "config.json", RunError)
        except (OSError, RunError) as error:
            raise RunError(
                f"{path} is not the folder of a training run: {in_words(error)}"
            ) from error
        version = config.get("version") if isinstance(config, dict) else None
        if version not in (1, VERSION):
            raise RunError(
                f"{path}/config.json must be of version 1 or {VERSION} of run folders, "
                f"not {version!r:.40}"
            )
        for name, kind in (("arguments", dict), ("versions", dict), ("revision", str | None)):
            if name not in config or not isinstance(config[name], kind):
                raise RunError(f"{path}/config.json cannot be read: it names no {name}")
        before = config.get(LENGTHENED, [])
        if not isinstance(before, list) or not all(map(is_count, before)):
            raise RunError(f"{path}/config.json cannot be read: {LENGTHENED} is {before!r:.40}")
        return cls(path, config)

    # ------------------------------------------------------------ where to go on

    def save(self, tensors: Tensors, about: Mapping[str, Any]) -> None:
        """Keeps all that the next update depends on."""
        texts = {"about": json.dumps(about)}
        write_tensors(self.path / RESUME, tensors, texts)

    def load(self) -> tuple[Tensors, dict[str, Any]]:
        """What `save` kept last."""
        path = self.path / RESUME
        try:
            with reading(path, RunError), safe_open(path, framework="numpy") as file:
                about = json.loads((file.metadata() or {})["about"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except FileNotFoundError:
            raise RunError(
                f"{self.path} was ended before its first save; start it anew under another name"
            ) from None
        if not isinstance(about, dict):
            raise RunError(f"{path} says nothing of itself")
        return tensors, about

    def go_on_after(self, steps: int, total: int) -> None:
        """Drops what the tables and curves say of later steps: they come again.

        A `total` that is not the one that was asked for is noted.
        """
        for name in (METRICS, EVALUATIONS):
            self._cut(self.path / name, steps)
        self._past, asked = steps, self.config["arguments"]["steps"]
        if total != asked:
            self.config[LENGTHENED] = [*self.config.get(LENGTHENED, []), asked]
            self.config["arguments"]["steps"] = total
            self._write_config()

    @staticmethod
    def _cut(path: Path, steps: int) -> None:
        if not path.exists():
            return
        with reading(path, RunError):
            whole = [row for row in read_table(path) if None not in {*row, *row.values()}]
            kept = [r for r in whole if r["steps"].isdecimal() and int(r["steps"]) <= steps]
        with replacing(path) as part:
            _write_rows(part, kept)

    # ------------------------------------------------------------ what came of it

    def log(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Adds rows to a table; one that was begun keeps its columns."""
        if not rows:
            return
        path = self.path / name
        heads: list[str] = []
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                heads = next(csv.reader(file), [])
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, heads or list(rows[0]), extrasaction="ignore")
            if not heads:
                writer.writeheader()
            writer.writerows(rows)

    def curve(self, tag: str, value: float, steps: int) -> None:
        with uninterrupted():
            self._curves.add_scalar(tag, value, steps)

    def write(self, name: str, text: str) -> None:
        write(self.path / name, text)

    def close(self) -> None:
        if "_curves" in vars(self):
            self._curves.close()


def _write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        if rows:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of one of the tables; none if it was never begun."""
    if not path.exists():
        return []
    with reading(path, RunError), path.open(newline="", encoding="utf-8") as file:
        try:
            return list(csv.DictReader(file))
        except csv.Error as error:
            raise RunError(f"{path} is not a sound table: {error}") from error


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """What the run was made with."""
    return {"python": platform.python_version()} | {
        name: metadata.version(name) for name in packages
    }


def revision() -> str | None:
    """The git revision of the checkout, marked if files differ from it; None without git."""
    # without its optional locks: a run that is killed meanwhile would leave one in the checkout
    git = ("git", "--no-optional-locks", "-C", str(Path(__file__).parent))
    try:
        head = subprocess.run(
            [*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--untracked-files=no"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")


def card(config: Mapping[str, Any], facts: Mapping[str, str], command: str, results: str) -> str:
    """The model card: what the network is, how it was made, and how well it plays."""
    made = ", ".join(f"{name} {version}" for name, version in config["versions"].items())
    grown = " and ".join(f"{steps:,}" for steps in config.get(LENGTHENED, []))
    longer = f"it was to end after {grown} decisions, and its learning rate fell towards 0 there"
    lines = [*facts.items(), *([("lengthened", longer)] if grown else [])]
    lines += [("revision", config["revision"] or "unknown"), ("versions", made)]
    listed = "\n".join(f"- {name}: {fact}" for name, fact in lines)
    return f"""# Model card

Made for playing and for comparing agents, as `neural:path=...`. It refuses a game whose sizes or
observations are others; rules of the same sizes that it was not trained on it plays, untested.

{listed}

Arenas at the end of the training, on the same deals in every rotation; 95% intervals:

{results}

Command:

    {command}
"""
