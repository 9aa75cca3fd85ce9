"""Mount Drago: 2 to 5 riders, ten dragons, 110 cards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drago_env.moved import moved_modules

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


_OWN, _PICTURES = "drago_env.mount_drago", "drago_env.pictures"
moved_modules(
    __name__,
    {
        "census": (f"{_OWN}.statistics", {"Fork": "LastDragonChoice"}),
        "canvas": (f"{_PICTURES}.canvas", {}),
        "chart": (f"{_PICTURES}.chart", {}),
        "team": ("drago_env.core.threads", {"Team": "ThreadTeam"}),
        "drawing": (
            f"{_PICTURES}.picture",
            {
                "Window": f"{_PICTURES}.window:Window",
                "CODES": f"{_OWN}.visible:CODES",
                "Move": ("", "drago_env.game.Move, which has the move in words as well"),
                "terminal": ("", "str(game.draw(state, row, viewer)), or its ansi() in colour"),
            },
        ),
        "page": (
            f"{_PICTURES}.page",
            {
                "html": (f"{_OWN}.former:html", f"{_PICTURES}.page.html(record.pictures(...))"),
                "gif": (f"{_OWN}.former:gif", f"{_PICTURES}.page.gif(record.pictures(...), path)"),
                "sights": ("", f"{_OWN}.record.pictures(record, seat).frames"),
            },
        ),
        "sight": (
            f"{_OWN}.visible",
            {
                "Move": ("", "drago_env.game.Move, which has the move in words as well"),
                "Sight": ("", f"{_OWN}.visible.Visible, whose last move is a drago_env.game.Move"),
                "sight": ("", f"{_OWN}.visible.visible(game, state, viewer, last, names)"),
                "names": ("", f"{_PICTURES}.table.names_of(game, state, names)"),
                "move_text": ("", "game.told(state, row, action, viewer)"),
            },
        ),
    },
)
