"""What is settled before a run begins or goes on, and told before any folder is made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from agents import neural
from agents.cluster import connect
from agents.network import Shape
from drago_env.core.files import reading
from drago_env.core.planning import foresight_size
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
    game = make(arguments.specs[0])
    if arguments.thumbs is None:
        there = "heuristic" in simple and has_thumbs(game)
        arguments = replace(arguments, thumbs=there)
    if arguments.foresight is None:
        there = bool(arguments.thumbs and foresight_size(game))
        arguments = replace(arguments, foresight=there)
    return arguments


def shape_of(game: Game, arguments: Arguments) -> Shape:
    """The shape of the network that the arguments ask for."""
    sizes = {name: getattr(arguments, name) for name in SIZES}
    return Shape.of(game, **sizes, foresight=foresight_size(game) if arguments.foresight else 0)


def prepared(arguments: Arguments) -> tuple[Arguments, neural.Checkpoint | None]:
    """The arguments of a new run, complete, and the checkpoint that it starts with."""
    tell, (game, _) = (arguments.thumbs, arguments.foresight), make_game(arguments.specs)
    arguments = completed(arguments)
    _check_agents(arguments, game, trust=True)
    if arguments.ray is not None:
        connect(arguments.ray)
    started = neural.load(arguments.start) if arguments.start else None
    if started:
        neural.check_game(started, game)
        started = told(started, game, *map(bool, tell))
        sizes = {name: getattr(started.shape, name) for name in SIZES}
        arguments = replace(arguments, **sizes, foresight=bool(started.shape.foresight))
    if arguments.foresight and not foresight_size(game):
        raise ValueError(f"{game.spec.name} foresees nothing that a network could be told")
    shape_of(game, arguments)
    if arguments.thumbs:
        weights_of(game, "heuristic")
    advice = f"choose another --out, or go on with --resume {arguments.out}"
    runs.check_vacant(arguments.out, advice)
    return arguments, started


def told(
    started: neural.Checkpoint, game: Game, thumbs: bool, foresight: bool
) -> neural.Checkpoint:
    """The same network, told more: what the rules of thumb think adds to its logits at first."""
    old, weights = started.shape, dict(started.weights)
    new = replace(
        old,
        thumbs=old.thumbs or thumbs,
        foresight=old.foresight or (foresight_size(game) if foresight else 0),
    )
    if new == old:
        return started
    read = weights.get("features.weight", np.zeros((old.action[0], 0), np.float32))
    line = weights.get("thumbs.weight", np.array([STRAIGHT], np.float32))
    place, more = old.feature_size, new.foresight - old.foresight
    read = np.insert(read, [place] * more, 0, axis=1)
    weights["features.weight"] = np.pad(read, ((0, 0), (0, new.inputs - read.shape[1])))
    weights["thumbs.weight"] = np.pad(line, ((0, 0), (new.told - line.shape[1], 0)))
    return replace(started, weights=weights, shape=new)


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
