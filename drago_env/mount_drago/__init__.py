"""Mount Drago: 2 to 5 riders, ten dragons, 110 cards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drago_env.moved import moved

if TYPE_CHECKING:
    from drago_env.mount_drago.board import Board
    from drago_env.mount_drago.game import MountDrago


def make(
    players: int = 2,
    edition: str = "german",
    board: Board | str | Path | None = None,
    reward: str = "win",
    threads: int = 1,
    rules: str = "full",
) -> MountDrago:
    """The rule book; `board` is a `Board`, a board file, or by default the built-in side.

    `board="random-7"` is `Board.random(7)`.
    `rules="tiny"` are the small rules of clause 11, `mini` and `micro` still smaller ones that can
    be solved exactly; all three have a board of their own.
    """
    from drago_env.mount_drago.board import Board
    from drago_env.mount_drago.game import MountDrago
    from drago_env.mount_drago.rules import Rules, RulesError

    small = {"tiny": Rules.tiny, "mini": Rules.mini, "micro": Rules.micro}
    if rules not in ("full", *small):
        raise RulesError(f"rules must be full, {', '.join(small)}, not {rules!r}")
    if rules != "full":
        if board is not None:
            raise RulesError(f"the {rules} rules have a board of their own: leave board out")
        return MountDrago(small[rules](players, edition), reward=reward, threads=threads)
    kind, _, seed = str(board).partition("-")
    if kind == "random" and seed.isdecimal():
        board = Board.random(int(seed))
    elif isinstance(board, str | Path):
        board = Board.read(board)
    chosen = Rules(players, edition, board) if board else Rules(players, edition)
    return MountDrago(chosen, reward=reward, threads=threads)


__getattr__ = moved(
    __name__,
    {
        "census": "drago_env.mount_drago.statistics",
        "sight": "drago_env.mount_drago.visible",
        "drawing": "drago_env.pictures.picture",
        "page": "drago_env.pictures.page",
        "canvas": "drago_env.pictures.canvas",
        "chart": "drago_env.pictures.chart",
        "team": "drago_env.core.threads",
    },
)
