"""A game to look through: one HTML page that needs nothing else, or a GIF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from drago_env.game import Game, Move, State
from drago_env.pictures import canvas
from drago_env.pictures.canvas import WIDTH
from drago_env.pictures.chart import chart
from drago_env.pictures.column import BOARD, is_beside, signed
from drago_env.pictures.picture import Picture

_PAUSE = 3000  # milliseconds that a GIF rests on the last frame


class Frame(NamedTuple):
    """A position of a game, and the move that led there."""

    picture: Picture
    last: Move | None  # as the viewer heard of it; None: the deal, or an end that came unheard
    scores: tuple[int, ...]  # of every seat; none in a game without points


class Replay(NamedTuple):
    """A game as somebody saw it."""

    title: str
    names: list[str]
    frames: list[Frame]


def replay(
    game: Game,
    positions: Iterable[tuple[State, int]],
    viewer: int | None = None,
    names: Sequence[str] | None = None,
) -> Replay:
    """A game out of its positions (one row each) and the action made in each, -1 in the last.

    A decision that the viewer does not hear of has no frame of its own.
    """
    frames = list(_frames(game, positions, viewer, names))
    called = frames[0].picture.names
    return Replay(f"{game.spec.title}: {', '.join(called)}", called, frames)


def _frames(
    game: Game,
    positions: Iterable[tuple[State, int]],
    viewer: int | None,
    names: Sequence[str] | None,
) -> Iterator[Frame]:
    last, heard = None, True
    before: tuple[int, ...] = ()
    for state, action in positions:
        players = int(game.players(state)[0])
        scores = tuple(game.scores(state)[0, :players].tolist()) if game.spec.has_points else ()
        if heard or action < 0:
            last = last if heard else None
            if last is not None:
                gains = [now - then for now, then in zip(scores, before, strict=True)]
                last = last._replace(points=gains)
            yield Frame(Picture(game, state, 0, viewer, last, names), last, scores)
            before = scores
        if action >= 0:
            words = game.told(state, 0, action, viewer)
            heard = words is not None
            last = Move(int(game.current_player(state)[0]), action, words or "", ())


def html(film: Replay, title: str | None = None) -> str:
    """A game as one HTML page: the drawing, buttons, the moves in words, a chart of the scores."""
    frames, first = film.frames, film.frames[0].picture
    board = [part for part in first.parts if not is_beside(part)]
    beside = [part for part in first.parts if is_beside(part)]
    values = {
        "title": escape(film.title if title is None else title),
        "board": canvas.svg((*first.ground, *board), BOARD),
        "column": canvas.svg(beside, WIDTH - BOARD, BOARD),
        "total": str(len(frames) - 1),
        "chart": _chart(film),
        "moves": "\n".join(_item(film, number) for number in range(len(frames))),
        "data": json.dumps(_data(frames), separators=(",", ":")).replace("<", "\\u003c"),
    }
    template = (resources.files(__package__) / "page.html").read_text(encoding="utf-8")
    return re.sub(r"@@(\w+)@@", lambda found: values[found[1]], template)


def gif(film: Replay, path: str | Path, milliseconds: int = 600) -> None:
    """A game as an animated GIF: the deal and then a frame for each move; needs Pillow."""
    image = canvas.pillow().Image
    pictures = [frame.picture for frame in film.frames]
    palette = image.fromarray(pictures[len(pictures) // 2].rgb()).quantize(256)
    frames = (  # one at a time: as pixels, a long game is large
        image.fromarray(picture.rgb()).quantize(palette=palette, dither=image.Dither.NONE)
        for picture in pictures
    )
    durations = [milliseconds] * (len(pictures) - 1) + [max(milliseconds, _PAUSE)]
    next(frames).save(path, "GIF", save_all=True, append_images=frames, duration=durations, loop=0)


def move_text(film: Replay, number: int) -> str:
    """The move that led to a frame, in words."""
    last = film.frames[number].last
    if last is None:
        return "the end" if number else "the deal"
    return f"{film.names[last.seat]}: {last.text}"


def _chart(film: Replay) -> str:
    """The scores, where there are any."""
    if not film.frames[0].scores:
        return ""
    drawn = chart([frame.scores for frame in film.frames], film.names)
    return f'<div class="card" id="scores">{drawn}</div>'


def _item(film: Replay, number: int) -> str:
    """One line of the list of moves."""
    last = film.frames[number].last
    scored = last is not None and any(last.points)
    note = f"<small>{signed(last.points)}</small>" if last and scored else ""
    inside = f"<span>{number}</span><span>{escape(move_text(film, number))}</span>{note}"
    return f'<li><button data-move="{number}">{inside}</button></li>'


def _data(frames: Iterable[Frame]) -> dict[str, Any]:
    """Every shape once, and for each frame the parts that differ from the frame before.

    A part is x, y, scale, data and the numbers of its shapes, or 0 for the same as before; null
    if it is there no more. What is beside the board is named.
    """
    shapes: dict[str, int] = {}
    told, beside = [], set()
    before: dict[str, canvas.Part] = {}
    for frame in frames:
        parts = {part.name: part for part in frame.picture.parts}
        changes: dict[str, list[Any] | None] = {name: None for name in before if name not in parts}
        for name, part in parts.items():
            old = before.get(name)
            if part != old:
                place = [round(part.x, 1), round(part.y, 1), round(part.scale, 3)]
                drawn = [shapes.setdefault(shape.svg(), len(shapes)) for shape in part.shapes]
                same = old is not None and old.shapes == part.shapes
                changes[name] = [*place, part.data, 0 if same else drawn]
        before = parts
        beside |= {name for name, part in parts.items() if is_beside(part)}
        told.append(changes)
    return {"shapes": list(shapes), "beside": sorted(beside), "frames": told}
