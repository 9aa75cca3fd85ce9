"""The drawing in the terminal, read back from its columns, and in a window."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from drago_env import Board, MountDrago, Rules
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.visible import CODES
from drago_env.pictures.picture import Picture
from drago_env.pictures.window import Window
from tests.mount_drago.games import play
from tests.mount_drago.test_drawing import SOME, called, pictures


def read_terminal(text: str, board: Board) -> dict[str, int]:
    """The space of each dragon, read back from the columns of the text."""
    lines = text.splitlines()
    found, checked = {}, 0
    for number, line in enumerate(lines):
        if line[:3] not in ("-> ", "<- "):
            continue
        rows = sum(other[:3] in ("-> ", "<- ") for other in lines[number + 1 :])
        row = range(14 * rows, 14 * rows + 14)
        for cell, space in enumerate(row if line.startswith("->") else reversed(row)):
            if space >= len(board):
                continue
            column = 3 + 5 * cell
            assert int(line[column : column + 3]) == board.values[space]
            mark = {"blue": "b", "green": "g", "summit": "^"}.get(board.kinds[space], " ")
            assert line[column + 3 : column + 4].ljust(1) == mark
            checked += 1
            below = number + 1
            while lines[below]:
                code = lines[below][column : column + 5].strip()
                if code:
                    found[code] = space
                below += 1
    assert checked == len(board)
    return found


@pytest.mark.parametrize("rules", SOME, ids=called)
def test_the_terminal_has_the_dragons_under_the_right_values(rules: Rules) -> None:
    for picture, state in pictures(rules):
        it = state[0]
        riders = {int(it["top"][seat]) // rules.values: seat for seat in range(rules.players)}
        wanted = {
            CODES[d] + (f"@{riders[d]}" if d in riders else ""): int(it["position"][d])
            for d in range(rules.colours)
        }
        assert read_terminal(str(picture), rules.board) == wanted
        assert re.sub(r"\x1b\[[\d;]*m", "", picture.ansi()) == str(picture)
        assert "\x1b[" in picture.ansi()


def test_the_terminal_tells_hands_and_scores() -> None:
    played = play(Rules(2))
    state = played.states[11]
    text = played.game.describe(state, viewer=0)
    assert text == str(Picture(played.game, state, viewer=0))
    it, rules = state[0], Rules(2)
    *mine, other = text[re.search("^. rider 0", text, re.MULTILINE).start() :].splitlines()  # type: ignore[union-attr]
    mine = " ".join(line.strip() if number else line for number, line in enumerate(mine))
    hand = ", ".join(rules.card_text(card) for card in it["hand"][0, : it["hand_size"][0]])
    assert mine.endswith(
        f": {it['score'][0]} points, on {COLOURS[it['top'][0] // 5]}; hand: {hand}"
    )
    assert other.endswith(f"hand: {it['hand_size'][1]} cards")
    assert [line[0] for line in (mine, other)] == [">", " "][:: -1 if it["seat"] else 1]


# ---------------------------------------------------------------- the window


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame", reason="a window needs pygame-ce")


def test_a_window_shows_pixels(pygame: Any) -> None:
    game = MountDrago(Rules(2))
    rgb = Picture(game, game.new(0)).rgb()
    window = Window("a game", fps=200)
    window.close()  # nothing is open yet
    window.show(rgb)
    surface = window._window.get_surface()
    shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    assert (shown == rgb).all()
    window.show(rgb[::-1])
    assert surface.get_at((0, 0))[:3] == tuple(rgb[-1, 0])
    window.close()
    window.close()
    window.show(rgb)  # opens anew
    window.close()


def test_a_window_closed_by_the_user_stays_closed(pygame: Any) -> None:
    window, rgb = Window("a game"), np.zeros((640, 960, 3), np.uint8)
    window.show(rgb)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(rgb)
    assert window.dismissed
    window.show(rgb)
    assert window._window is None
