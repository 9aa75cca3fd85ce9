"""A recorded game to look through: one HTML page that needs nothing else, or a GIF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from drago_env.mount_drago import canvas, scene
from drago_env.mount_drago import record as records
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.record import Record, RecordError
from drago_env.mount_drago.rules import Rules, landing
from drago_env.mount_drago.visible import (
    DISCARD,
    OPEN,
    OVER,
    PLAY,
    Move,
    Rider,
    Sight,
    move_text,
    names,
    sight,
)
from drago_env.pictures.chart import chart

_PAUSE = 3000  # milliseconds that a GIF rests on the last frame


def html(record: Record, title: str | None = None, seat: int | None = None) -> str:
    """A record as one HTML page: the board, buttons, the moves in words, a chart of the scores.

    With a `seat` the page holds what this seat sees, and so it does for one seat's view of a
    record (`record.view`). The whole record is verified first; a view cannot be.
    """
    seen = sights(record, seat)
    called = [rider.name for rider in seen[0].riders]
    values = {
        "title": escape(title if title is not None else f"Mount Drago: {', '.join(called)}"),
        "board": canvas.svg((*scene.ground(seen[0].rules.board), *scene.parts(seen[0]))),
        "total": str(len(seen) - 1),
        "chart": chart([[rider.score for rider in one.riders] for one in seen], called),
        "moves": "\n".join(_item(number, one) for number, one in enumerate(seen)),
        "data": json.dumps(_data(seen), separators=(",", ":")).replace("<", "\\u003c"),
    }
    template = (resources.files(__package__) / "page.html").read_text(encoding="utf-8")
    return re.sub(r"@@(\w+)@@", lambda found: values[found[1]], template)


def gif(record: Record, path: str | Path, milliseconds: int = 600, seat: int | None = None) -> None:
    """A record as an animated GIF: the deal and then a frame for each move; needs Pillow."""
    image = canvas.pillow().Image
    seen = sights(record, seat)
    ground = scene.ground(seen[0].rules.board)
    frames = [image.fromarray(canvas.pixels(ground, scene.parts(one))) for one in seen]
    palette = frames[len(frames) // 2].quantize(256)
    small = [frame.quantize(palette=palette, dither=image.Dither.NONE) for frame in frames]
    durations = [milliseconds] * (len(small) - 1) + [max(milliseconds, _PAUSE)]
    small[0].save(path, "GIF", save_all=True, append_images=small[1:], duration=durations, loop=0)


def sights(record: Record, seat: int | None = None) -> list[Sight]:
    """What is seen after the deal and after each move of a record."""
    riders = record.get("riders")
    if riders is not None and not isinstance(riders, list):
        raise RecordError(f"riders must be a list of names or null, not {riders!r:.40}")
    if _is_view(record):
        try:
            return list(_view(record, seat))
        except (KeyError, TypeError, IndexError) as error:
            raise RecordError(f"this view of a record cannot be read: {error!r}") from error
    records.verify(record)
    seen = []
    for frame in records.walk([record]):
        last = _move(record, frame.move)
        seen.append(sight(frame.game, frame.state, 0, seat, last, riders))
    return seen


def _move(record: Record, number: int) -> Move | None:
    """The move that led to the position with this number."""
    if not number:
        return None
    move = record["moves"][number - 1]
    return Move(move["seat"], move["action"], move["points"])


def _item(number: int, seen: Sight) -> str:
    """One line of the list of moves."""
    text = escape(seen.last or "the deal")
    points = ", ".join(f"{points:+d}" if points else "0" for points in seen.points)
    note = f"<small>{points}</small>" if points else ""
    inside = f"<span>{number}</span><span>{text}</span>{note}"
    return f'<li><button data-move="{number}">{inside}</button></li>'


def _data(seen: Iterable[Sight]) -> dict[str, Any]:
    """Every shape once, and for each frame the parts that differ from the frame before.

    A part is x, y, scale, data and the numbers of its shapes, or 0 for the same as before.
    """
    shapes: dict[str, int] = {}
    frames = []
    before: dict[str, canvas.Part] = {}
    for one in seen:
        changes: dict[str, list[Any]] = {}
        for part in scene.parts(one):
            old = before.get(part.name)
            if part != old:
                place = [round(part.x, 1), round(part.y, 1), round(part.scale, 3)]
                drawn = [shapes.setdefault(shape.svg(), len(shapes)) for shape in part.shapes]
                same = old is not None and old.shapes == part.shapes
                changes[part.name] = [*place, part.data, 0 if same else drawn]
                before[part.name] = part
        frames.append(changes)
    return {"shapes": list(shapes), "frames": frames}


# ---------------------------------------------------------------- one seat's view of a record


def _is_view(record: Record) -> bool:
    start = record.get("start")
    hands = start.get("hands") if isinstance(start, dict) else None
    return isinstance(hands, list) and any(isinstance(hand, int) for hand in hands)


def _view(record: Record, seat: int | None) -> Iterator[Sight]:
    """The same for a view: all that is drawn is public or the seat's own (clause 8)."""
    numbers = {name: record["rules"][name] for name in Rules().as_dict()}
    rules = Rules(board=Board.from_pairs(record["board"]), **numbers)
    game, called = MountDrago(rules), names(rules, record.get("riders"))
    hands = [hand if isinstance(hand, int) else list(hand) for hand in record["start"]["hands"]]
    viewer = next(s for s, hand in enumerate(hands) if not isinstance(hand, int))
    if seat not in (None, viewer):
        raise ValueError(f"the record is the view of seat {viewer}, not of seat {seat}")
    tops, moves = list(record["start"]["tops"]), record["moves"]
    scores, dragons = [0] * rules.players, [0] * rules.colours
    deck = rules.cards - rules.players * (rules.hand + 1) - len(record["start"]["discard"])
    for number in range(len(moves) + 1):
        last = _move(record, number)
        if last is not None:
            _apply(rules, moves[number - 1], hands, tops, dragons)
            scores = [a + b for a, b in zip(scores, last.points, strict=True)]
            deck = moves[number - 1]["deck"]
        phase, turn = _turn(rules, moves, number, "winners" in record)
        winners = record["winners"] if phase == OVER else []
        riders = tuple(
            Rider(
                seat=s,
                name=called[s],
                score=scores[s],
                top=tops[s],
                cards=hand if isinstance(hand, int) else len(hand),
                hand=None if isinstance(hand, int) else tuple(hand),
                gained=last.points[s] if last else 0,
                wins=s in winners,
            )
            for s, hand in enumerate(hands)
        )
        words, points = move_text(game, last, called)
        yield Sight(rules, tuple(dragons), riders, turn, phase, deck, words, points)


def _turn(rules: Rules, moves: list[Any], number: int, ended: bool) -> tuple[str, int]:
    """The phase and who decides: hidden cards may decide that, so the next move must tell."""
    if number == len(moves):
        return (OVER, moves[-1]["seat"]) if ended else (OPEN, 0) if moves else (PLAY, 0)
    discards = moves[number]["action"] >= 2 * rules.card_kinds
    return DISCARD if discards else PLAY, moves[number]["seat"]


def _apply(rules: Rules, move: Any, hands: list[Any], tops: list[int], dragons: list[int]) -> None:
    """What a move does to the cards and the dragons (clauses 4, 5 and 7)."""
    seat, drawn = move["seat"], move["drawn"]
    block, card = divmod(move["action"], rules.card_kinds)
    if block < 2:
        dragon, value = divmod(card, rules.values)
        dragons[dragon] = landing(rules.board, dragons[dragon], value + 1)
        others = [top // rules.values for s, top in enumerate(tops) if s != seat]
        if block == 0 and dragon not in others:
            tops[seat] = card
    if isinstance(hands[seat], int):
        hands[seat] += drawn - (block < 3)
        return
    if block < 3:
        hands[seat].remove(card)
    hands[seat] = sorted([*hands[seat], *drawn])
