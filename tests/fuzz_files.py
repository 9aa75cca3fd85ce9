"""Damaged files of every kind at the doors that read them: `make fuzz-files`.

    python -m tests.fuzz_files --files 1000 --seed 0 [--kind records-mount_drago ...]

Each file must be refused in words that name it, or be read without harm. A kind is a line of
`KINDS`: what writes a sound file (or a folder, of which one file is damaged), and the door that
opens it. The kinds `records`, `views`, `states` and `snapshots` are there for every game.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import drago_env
from drago_env import games
from drago_env.__main__ import main as command
from drago_env.core.files import read_arrays
from drago_env.dragon_delta.map import Map
from drago_env.mount_drago import planning, position
from drago_env.mount_drago.board import Board
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.wrappers.makers import makers
from tests.adapters import picks
from tests.games import SHORT
from tests.mutations import mutated

ROOT = Path(__file__).parents[1]
SECONDS = 60.0  # for one file
MEMORY = 1 << 30  # bytes that one file may take
GOOD = ("read", "refused")


class Refused(Exception):  # noqa: N818
    """What a door said by a code and a message instead of an exception."""


class Kind(NamedTuple):
    """A kind of file."""

    write: Callable[[Path], Any]  # puts a sound file into a folder, or several of which one breaks
    read: Callable[[Path, Path], Any]  # the door: gets the folder, and the file that was damaged
    names: bool = True  # the door knows what the file is called


def _file(
    name: str, write: Callable[[Path], Any], read: Callable[[Path], Any], **more: Any
) -> Kind:
    return Kind(lambda folder: write(folder / name), lambda _, file: read(file), **more)


# ---------------------------------------------------------------- files of games


def _played(name: str) -> list[Any]:
    game = drago_env.make(name, players=2, **SHORT.get(name, {}))
    return list(drago_env.play(game, ["uniform", "uniform"], [1, 2]).records)


def _records(name: str) -> Kind:
    files = games.records_of(name)
    read = partial(_read_records, drawn=hasattr(files, "pictures"))
    return _file("games.jsonl", lambda path: files.write(path, _played(name)), read)


def _views(name: str) -> Kind:
    files = games.records_of(name)

    def write(path: Path) -> None:
        files.write(path, [files.view(made, 1) for made in _played(name)[:1]])

    read = partial(_read_records, drawn=hasattr(files, "pictures"))
    return _file("view.jsonl", write, read)


def _read_records(path: Path, drawn: bool) -> None:
    """Verified, and drawn as a page."""
    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(said):
        code = command(["verify", str(path)])
        if drawn:
            code = command(["page", str(path), "--out", str(path.with_suffix(".html"))])
    if code:
        raise Refused(f"{path}: {said.getvalue()}")


def _begun(name: str) -> tuple[Any, Any]:
    game: Any = drago_env.make(name, players=2, **SHORT.get(name, {}))
    state = game.new(range(3))
    for _ in range(6):
        legal = game.legal(state)
        game.step(state, game.sample(legal, game.picks(range(3))).astype(np.int64))
    return game, state


def _states(name: str) -> Kind:
    storage = import_module(f"{games.GAMES[name]}.storage")

    def read(path: Path) -> None:
        game, state = storage.load(path)
        game.finished(state, range(len(state)))

    return _file("states.npz", lambda path: storage.save(path, *_begun(name)), read)


def _environments(name: str) -> list[Any]:
    words, of = {"players": 2, **SHORT.get(name, {})}, makers(name)
    made: list[Any] = [of.selfplay_env(3, **words), of.vector_env(3, **words)]
    made += [of.single_env(**words), of.raw_env(**words)]
    for env in made:
        env.reset(seed=1)
    return made


def _snapshots(name: str) -> Kind:
    def write(folder: Path) -> None:
        for number, env in enumerate(_environments(name)):
            np.savez(folder / f"{number}.npz", **env.snapshot())

    def read(folder: Path, file: Path) -> None:
        env, rng = _environments(name)[int(file.stem)], np.random.default_rng(0)
        env.restore(read_arrays(file))
        for _ in range(3):
            if hasattr(env, "action_masks"):
                actions = picks(np.atleast_2d(env.action_masks()), rng)
                env.step(actions if file.stem in "01" else int(actions[0]))

    return Kind(write, read, names=False)


# ---------------------------------------------------------------- files of agents and training


def _write_checkpoint(path: Path) -> None:
    from agents import neural
    from agents.network import Shape
    from train.network import Network

    game = drago_env.make("mount_drago")
    shape = Shape.of(game, trunk=(8,), action=(8,))
    neural.save(path, Network(shape).weights(), shape, game.signature)


def _read_checkpoint(path: Path) -> None:
    from agents.neural import neural

    game = drago_env.make("mount_drago", players=2)
    drago_env.play(game, [neural(str(path)), "uniform"], [1], records=False)


def _training(out: Path) -> Any:
    from train.arguments import Arguments

    told = Arguments(players=(2,), num_envs=4, num_steps=16, steps=4 * 16 * 4, minibatch_size=32)
    told = replace(told, trunk=(8,), action=(8,), opponents=("uniform",), evaluate_games=2)
    told = replace(told, evaluate_against=("uniform",), pool_share=0.5, threads=1, save_every=1)
    return replace(told, evaluate_every=1, out=out, update_epochs=1)


def _write_run(folder: Path) -> None:
    from train.ppo import begin

    training = begin(_training(folder / "run"))
    for _ in range(2):
        training.go_on()
    training.run.close()
    shutil.rmtree(folder / "run" / "tensorboard")


def _read_run(folder: Path, file: Path) -> None:
    from train.arguments import Arguments
    from train.ppo import begin

    training = begin(Arguments(resume=folder / "run"))
    asked = training.arguments
    try:
        if asked.num_envs * asked.num_steps <= 1024 and asked.evaluate_games <= 100:
            training.go_on()
    finally:
        training.run.close()


def _sb3(**words: Any) -> Any:
    from train.sb3_ppo import Arguments

    told = Arguments(players=2, num_envs=4, num_steps=16, minibatch_size=32, steps=128)
    told = replace(told, opponents=("uniform",), update_epochs=1, save_every=1)
    return replace(told, evaluate_every=64, evaluate_games=2, **words)


def _write_sb3_run(folder: Path) -> None:
    from train.sb3_ppo import train

    train(_sb3(out=folder / "run"))
    shutil.rmtree(folder / "run" / "tensorboard")
    (folder / "run" / "model.zip").unlink()  # which is pickled, and never read


def _read_sb3_run(folder: Path, file: Path) -> None:
    from train.sb3_ppo import Arguments, progress_table, start

    started = start(Arguments(resume=folder / "run"))
    asked, model = started.arguments, started.model
    with closing(started.run):
        progress_table(started.run.path / "progress.csv", model.num_timesteps).close()
        if asked.num_envs * asked.num_steps <= 1024 and asked.evaluate_games <= 100:
            model.learn(1, reset_num_timesteps=False)


def _arena() -> Any:
    from agents.arena import Config

    return Config(["uniform", "other=uniform"], "mount_drago:players=2", games=16, seed=1)


def _write_arena(folder: Path) -> None:
    from agents.arena import run
    from agents.folder import Folder
    from agents.seating import play_deals

    run(_arena(), folder / "arena", "csv", records=True, workers=1)
    more = replace(_arena(), games=32)
    Folder(folder / "arena", more, "csv", True).add(play_deals(more, 8, 12, True))


def _read_arena(folder: Path, file: Path) -> None:
    from agents.arena import run

    run(replace(_arena(), games=32), folder / "arena", "csv", records=True, workers=1).report()


def _copy(name: str, package: str = "drago_env") -> Callable[[Path], Any]:
    """Writes a file that a package has."""
    return lambda path: path.write_bytes((ROOT / package / name).read_bytes())


def _read_plan(path: Path) -> None:
    from agents.leaderboard import Arguments, Leaderboard

    Leaderboard(Arguments(plan=path))


def _table() -> Any:
    from agents.play import Command, seating

    return seating(Command(("uniform",)))


def _write_session(path: Path) -> None:
    from agents.session import Session

    session = Session(_table(), 7)
    for _ in range(5):
        session.play(session.version, session.position()["legal"][0]["action"])
    session.write(path)


def _read_session(path: Path) -> None:
    from agents.session import Session

    Session.read(path, lambda chosen: _table()).position(since=0)


def _kinds() -> Iterator[tuple[str, Kind]]:
    yield "boards", _file("b.txt", lambda p: p.write_text(Board.side(2).text()), Board.read)
    yield (
        "positions",
        _file(
            "position.txt",
            lambda p: p.write_text(position.write(*_begun("mount_drago"))),
            lambda p: position.read(p.read_text(encoding="utf-8")),
            names=False,
        ),
    )
    yield "maps", _file("map.json", _copy("dragon_delta/maps/delta-1.json"), Map.read)
    yield "graphs", _file("graph.json", _copy("rupe_dei_draghi/graphs/rupe-85.json"), Graph.read)
    yield "weights", _file("weights.json", _copy("mount_drago/weights.json"), planning.read)
    for name in games.BUILT_IN:
        yield f"records-{name}", _records(name)
        if hasattr(games.records_of(name), "view"):
            yield f"views-{name}", _views(name)
        if find_spec(f"{games.GAMES[name]}.storage"):
            yield f"states-{name}", _states(name)
        yield f"snapshots-{name}", _snapshots(name)
    yield "checkpoints", _file("n.safetensors", _write_checkpoint, _read_checkpoint)
    yield "runs", Kind(_write_run, _read_run)
    yield "runs-sb3", Kind(_write_sb3_run, _read_sb3_run)
    yield "arenas", Kind(_write_arena, _read_arena)
    yield "sessions", _file("game.json", _write_session, _read_session)
    yield (
        "leaderboards",
        _file("plan.toml", _copy("mount_drago/leaderboard.toml", "agents"), _read_plan),
    )


KINDS = dict(_kinds())


# ---------------------------------------------------------------- one file after the other


class Answer(NamedTuple):
    """What came of a file."""

    sort: str  # read, refused, unclear, traceback, memory, hang or crash
    words: str = ""


class Tried:
    """A kind with its sound files, of which copies are damaged."""

    def __init__(self, name: str, room: Path) -> None:
        self.name, self.kind, self._room = name, KINDS[name], room
        self._sound = room / "sound"
        self._sound.mkdir(parents=True)
        self.kind.write(self._sound)
        self._files = sorted(p for p in self._sound.rglob("*") if p.is_file())

    def sound(self) -> Answer:
        """What the door says to a file that nobody has damaged; it compiles what others need."""
        folder = self._room / "whole"
        shutil.copytree(self._sound, folder)
        return self._open(folder, folder / self._files[0].relative_to(self._sound))

    def answer(self, number: int, seed: int) -> Answer:
        """What the door says to the damaged file with this number."""
        rng = Random(zlib.crc32(f"{self.name} {seed} {number}".encode()))
        folder, victim = self._room / f"{number}", rng.choice(self._files)
        shutil.copytree(self._sound, folder)
        file = folder / victim.relative_to(self._sound)
        file.write_bytes(mutated(victim.read_bytes(), victim.suffix, rng))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = self._open(folder, file)
        took = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        shutil.rmtree(folder)
        return Answer("memory", f"{took:,} bytes") if took > MEMORY else found

    def _open(self, folder: Path, file: Path) -> Answer:
        try:
            self.kind.read(folder, file)
        except (Refused, ValueError, OSError) as error:
            words = str(error)
            if "Traceback" in words or (self.kind.names and str(folder) not in words):
                return Answer("unclear", f"{words} ({file.name})\n{traceback.format_exc()[-1500:]}")
            return Answer("refused", words)
        except BaseException:
            return Answer("traceback", traceback.format_exc()[-3000:])
        return Answer("read")


def _work(line: Any, name: str, seed: int, room: str) -> None:
    """A process that opens damaged files, until it is killed."""
    sys.stderr = sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    import torch

    torch.set_num_threads(1)
    tried = Tried(name, Path(room))
    line.send(tried.sound())
    while True:
        line.send(tried.answer(line.recv(), seed))


def fuzz(name: str, numbers: Sequence[int], seed: int) -> Iterator[tuple[int, Answer]]:
    """What the door of a kind says to each of so many damaged files."""
    spawn = multiprocessing.get_context("spawn")
    waiting = list(reversed(numbers))
    while waiting:
        line, theirs = spawn.Pipe()
        with tempfile.TemporaryDirectory() as room:
            process = spawn.Process(target=_work, args=(theirs, name, seed, room), daemon=True)
            process.start()
            theirs.close()
            try:
                sound = line.recv()
                assert sound.sort == "read", sound.words
                yield from _ask(line, waiting, process)
            finally:
                process.kill()
                process.join()
                line.close()


def _ask(line: Any, waiting: list[int], process: Any) -> Iterator[tuple[int, Answer]]:
    """Asks one process until all is answered, or it hangs or dies."""
    while waiting:
        number = waiting.pop()
        line.send(number)
        if not line.poll(SECONDS):
            yield number, Answer("hang")
            return
        try:
            yield number, line.recv()
        except EOFError:
            process.join()
            yield number, Answer("crash", f"exit code {process.exitcode}")
            return


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000, help="damaged files of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--kind", nargs="*", choices=KINDS, default=list(KINDS))
    asked, bad = parser.parse_args(arguments), 0
    for name in asked.kind:
        counts: Counter[str] = Counter()
        numbers = range(asked.first, asked.first + asked.files)
        for number, answer in fuzz(name, numbers, asked.seed):
            counts[answer.sort] += 1
            if answer.sort not in GOOD:
                print(f"{name} {number}: {answer.sort}\n{answer.words}", file=sys.stderr)
        bad += sum(count for sort, count in counts.items() if sort not in GOOD)
        told = ", ".join(f"{count} {sort}" for sort, count in sorted(counts.items()))
        print(f"{name}: {told}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
