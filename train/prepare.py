"""What is settled before a run begins or goes on, and told before any folder is made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from agents import neural
from agents.cluster import connect
from agents.network import THUMBS, Shape
from drago_env.core.files import reading
from drago_env.game import Game
from drago_env.games import make
from drago_env.policy import resolve
from drago_env.thumbs import has_thumbs, weights_of
from train import runs
from train.arguments import (
    Arguments,
    check_resumed,
    make_game,
    more_steps,
    rewarded,
    simple_agents,
)
from train.collect import find_teacher
from train.network import STRAIGHT
from train.runs import Run, RunError

SIZES = ("trunk", "action", "thumbs")  # what of the shape a run may choose


def completed(arguments: Arguments) -> Arguments:
    """The same with what depends on the game by default."""
    if arguments.reward is None:
        arguments = replace(arguments, game=tuple(map(rewarded, arguments.game)))
    simple = simple_agents(arguments.specs[0])
    if arguments.opponents is None:
        arguments = replace(arguments, opponents=tuple(n for n in simple if n == "heuristic"))
    if arguments.evaluate_against is None:
        arguments = replace(arguments, evaluate_against=simple)
    arguments = replace(arguments, steps=arguments.total)
    if arguments.thumbs is None:
        there = "heuristic" in simple and has_thumbs(make(arguments.specs[0]))
        arguments = replace(arguments, thumbs=there)
    return arguments


def shape_of(game: Game, arguments: Arguments) -> Shape:
    """The shape of the network that the arguments ask for."""
    return Shape.of(game, **{name: getattr(arguments, name) for name in SIZES})


def prepared(arguments: Arguments) -> tuple[Arguments, neural.Checkpoint | None]:
    """The arguments of a new run, complete, and the checkpoint that it starts with."""
    tell, (game, _) = bool(arguments.thumbs), make_game(arguments.specs)
    arguments = completed(arguments)
    _check_agents(arguments, game, trust=True)
    if arguments.ray is not None:
        connect(arguments.ray)
    started = neural.load(arguments.start) if arguments.start else None
    if started:
        neural.check_game(started, game)
        started = told(started) if tell and not started.shape.thumbs else started
        sizes = {name: getattr(started.shape, name) for name in SIZES}
        arguments = replace(arguments, **sizes)
    shape_of(game, arguments)
    if arguments.thumbs:
        weights_of(game, "heuristic")
    advice = f"choose another --out, or go on with --resume {arguments.out}"
    runs.check_vacant(arguments.out, advice)
    return arguments, started


def told(started: neural.Checkpoint) -> neural.Checkpoint:
    """The same network, told what the rules of thumb think: that adds to its logits at first."""
    weights, first = dict(started.weights), started.shape.action[0]
    read = weights.get("features.weight", np.zeros((first, 0), np.float32))
    weights["features.weight"] = np.pad(read, ((0, 0), (0, THUMBS)))
    weights["thumbs.weight"] = np.array([STRAIGHT], np.float32)
    return replace(started, weights=weights, shape=replace(started.shape, thumbs=True))


def opened(folder: Path, arguments: Arguments) -> tuple[Arguments, Run]:
    """The arguments that a run folder holds, perhaps with more steps, and the folder."""
    check_resumed(arguments, folder)
    run = Run.open(folder)
    with reading(run.path / "config.json", RunError):
        known = Arguments.read(run.config["arguments"])
        game, _ = make_game(known.specs)
        shape_of(game, known)
        _check_agents(known, game, trust=arguments.trust)
    return replace(known, steps=more_steps(known.total, arguments.steps)), run


def _check_agents(arguments: Arguments, game: Game, *, trust: bool) -> None:
    """Refuses agents that are not there, and without `trust` those that are somebody's code."""
    for spec in (*(arguments.opponents or ()), *(arguments.evaluate_against or ())):
        resolve(spec, game, trust=trust)
    if arguments.lessons:
        find_teacher(arguments.teacher, game, trust=trust)
