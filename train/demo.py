"""`python -m train.demo`: a player in a few minutes on two cores.

It trains a network by lessons about its own games, plays it against the simple agents that there
are, and leaves the learning curve and the replay page of a game in the run folder. The weights
begin at random; in a game with rules of thumb the network is told what they think.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents import neural
from agents.shell import Shell
from drago_env.core.files import write
from drago_env.games import DEFAULT, make, of_record
from drago_env.pictures import page
from drago_env.play import play
from train import runs
from train.arguments import Arguments, parse, players_of, simple_agents
from train.evaluate import as_markdown, evaluate
from train.ppo import train
from train.prepare import completed

LAST = "game.html"  # the last file of a demo


@dataclass(frozen=True)
class Demo:
    """Trains a network and plays it against the simple agents."""

    out: Path = Path("runs/demo")
    """the run folder; what was interrupted goes on, beside anything else a new one is made"""
    game: str = DEFAULT
    """what is played, as NAME:players=3"""
    seed: int = 0
    """of the training"""
    steps: int = 600_000
    """decisions to learn from"""
    lessons: int | None = None
    """the first so many of them have a search as teacher, by default all; then comes self-play"""
    thumbs: bool | None = None
    """begin where the rules of thumb are, by default if the game has any, or else from nothing"""
    games: int = 2000
    """of each arena at the end"""

    def __post_init__(self) -> None:
        if self.games < 1:  # told before the training, not after it
            raise ValueError(f"games must be a whole number from 1, not {self.games}")

    def training(self, folder: Path) -> Arguments:
        """What the training is asked for."""
        return Arguments(
            out=folder,
            seed=self.seed,
            game=(self.game,),
            steps=self.steps,
            lessons=self.steps if self.lessons is None else self.lessons,
            # few playouts about many positions: what they err by averages out
            teacher="search:method=even,playouts=32,head_start=0",
            lesson_kl="reverse",
            lesson_own=1.0,
            lesson_epochs=2,
            temperature=0.01,
            learning_rate=0.002,
            minibatch_size=2048,
            trunk=(64,),
            action=(128, 64),
            thumbs=self.thumbs,
            pool_share=0.5,  # half of the games are against the heuristic, if there is one
            pool_size=0,
            evaluate_every=3,
            evaluate_games=200,
        )


def main(words: Sequence[str] | None = None) -> int:
    with Shell("interrupted; the same command goes on from here") as shell:
        folder = demonstrate(parse(Demo, "train.demo", words))
        print(f"\nLearning curve: {folder / 'curve.svg'}\nA game to watch: {folder / LAST}")
    return shell.code


def demonstrate(demo: Demo) -> Path:
    """Trains, plays and shows; returns the run folder."""
    folder, goes_on = _folder(demo)
    arguments = Arguments(resume=folder) if goes_on else demo.training(folder)
    told = completed(demo.training(folder)).thumbs
    start = "from the rules of thumb" if told else "from nothing"
    print(f"Training a network for {demo.game}, {start}: {demo.steps:,} decisions ({folder})")
    training = train(arguments, progress=True)
    minutes = training.seconds / 60
    print(
        f"Trained in {minutes:.1f} minutes. Now {demo.games:,} games against each of the others:\n"
    )
    network = neural.Neural(neural.load(folder / runs.NETWORK))
    game = make(demo.game)
    rivals = simple_agents(game)
    # other deals than those that were played during the training
    text = as_markdown(evaluate(network, rivals, [demo.game], demo.games, demo.seed + 1))
    print(text)
    write(folder / "arena.md", text + "\n")
    others = [rivals[-1]] * (players_of(game) - 1)
    record = play(game, [network, *others], [demo.seed]).records[0]
    write(folder / LAST, page.html(of_record(record).pictures(record)))
    return folder


def _folder(demo: Demo) -> tuple[Path, bool]:
    """The folder to use, and whether it holds the same demo, interrupted."""
    number, folder = 1, demo.out
    while folder.exists():
        if _interrupted(demo, folder):
            return folder, True
        number += 1
        folder = demo.out.with_name(f"{demo.out.name}-{number}")
    return folder, False


def _interrupted(demo: Demo, folder: Path) -> bool:
    if (folder / LAST).exists() or not (folder / runs.RESUME).exists():
        return False
    try:
        asked = Arguments.read(runs.Run.open(folder).config["arguments"])
    except (KeyError, TypeError, ValueError):  # it is not a run of ours
        return False
    return asked == completed(demo.training(folder))


if __name__ == "__main__":
    sys.exit(main())
