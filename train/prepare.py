"""What is settled before a run begins or goes on, and told before any folder is made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents import neural
from agents.cluster import connect
from agents.network import Shape
from drago_env.core.files import reading
from drago_env.game import Game
from drago_env.policy import resolve
from train import runs
from train.arguments import Arguments, make_game, simple_agents
from train.collect import find_teacher
from train.runs import Run, RunError


def completed(arguments: Arguments) -> Arguments:
    """The same with the agents that are met by default."""
    simple = simple_agents(arguments.specs[0])
    if arguments.opponents is None:
        arguments = replace(arguments, opponents=tuple(n for n in simple if n == "heuristic"))
    if arguments.evaluate_against is None:
        arguments = replace(arguments, evaluate_against=simple)
    return arguments


def prepared(arguments: Arguments) -> tuple[Arguments, neural.Checkpoint | None]:
    """The arguments of a new run, complete, and the checkpoint that it starts with."""
    arguments, (game, _) = completed(arguments), make_game(arguments.specs)
    _check_agents(arguments, game, trust=True)
    if arguments.ray is not None:
        connect(arguments.ray)
    started = neural.load(arguments.start) if arguments.start else None
    if started:
        neural.check_game(started, game)
        arguments = replace(arguments, trunk=started.shape.trunk, action=started.shape.action)
    Shape.of(game, trunk=arguments.trunk, action=arguments.action)
    advice = f"choose another --out, or go on with --resume {arguments.out}"
    runs.check_vacant(arguments.out, advice)
    return arguments, started


def opened(folder: Path, arguments: Arguments) -> tuple[Arguments, Run]:
    """The arguments that a run folder holds, and the folder."""
    if replace(arguments, trust=False) != Arguments(resume=folder):
        raise ValueError("--resume takes all other arguments from the run folder: leave them out")
    run = Run.open(folder)
    with reading(run.path / "config.json", RunError):
        known = Arguments.read(run.config["arguments"])
        game, _ = make_game(known.specs)
        Shape.of(game, trunk=known.trunk, action=known.action)
        _check_agents(known, game, trust=arguments.trust)
    return known, run


def _check_agents(arguments: Arguments, game: Game, *, trust: bool) -> None:
    """Refuses agents that are not there, and without `trust` those that are somebody's code."""
    for spec in (*(arguments.opponents or ()), *(arguments.evaluate_against or ())):
        resolve(spec, game, trust=trust)
    if arguments.lessons:
        find_teacher(arguments.teacher, game, trust=trust)
