"""What the page is told of a drawn position: parts, seats and cards as JSON holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from drago_env.pictures import canvas
from drago_env.pictures.column import Card, Seat

CARD = (72, 96)  # width and height of a card in the hand
RING = 19.0  # around one's own pieces


def parts(drawn: Sequence[canvas.Part], own: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The parts, with a ring below those that are one's own."""
    for part in drawn:
        if part.name in own:
            shapes = (
                canvas.Circle(0, 0, RING, "none", "#ffffff", 7),
                canvas.Circle(0, 0, RING, "none", "#d0006f", 4),
            )
            ring = canvas.Part(f"own-{part.name}", shapes, part.x, part.y, part.scale, part.data)
            yield _part(ring)
        yield _part(part)


def _part(part: canvas.Part) -> dict[str, Any]:
    place = {"x": round(part.x, 1), "y": round(part.y, 1), "scale": round(part.scale, 3)}
    return {"name": part.name, **place, "data": dict(part.data), "inner": part.inner()}


def seat(told: Seat) -> dict[str, Any]:
    facts = told._asdict() | {"facts": [fact._asdict() for fact in told.facts]}
    return {key: facts[key] for key in facts if key not in ("shown", "hand", "held")}


def card(held: Card) -> dict[str, Any]:
    face = canvas.Part("face", tuple(held.face(*CARD)))
    return {"name": held.name, "inner": face.inner(), "size": CARD}
