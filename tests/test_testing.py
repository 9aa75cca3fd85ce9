"""Games that break a promise, each of which `check_game` must find out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from drago_env.game import ChanceOutcome, Move, State
from drago_env.testing import check_game
from tests import toy
from tests.toy import Picture, Race


class Described(Race):
    """Whatever is drawn, its words are as they should be."""

    def describe(self, state: State, row: int = 0, viewer: int | None = None) -> str:
        return self.words(state, row, viewer, None)


class Doubtful(Described):
    """The probabilities do not add up."""

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        return [one._replace(probability=0.5) for one in super().outcomes(state, action)]


class Doubled(Described):
    """One outcome stands there twice."""

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        (one,) = super().outcomes(state, action)
        return [one._replace(probability=0.5)] * 2


class Elsewhere(Described):
    """An outcome is not what comes of its draws."""

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        return [one._replace(state=state.copy()) for one in super().outcomes(state, action)]


class Stepping(Described):
    """To list what may come is to let it come."""

    def outcomes(self, state: State, action: int | None = None) -> list[ChanceOutcome]:
        found = super().outcomes(state, action)
        state[:] = found[0].state
        return found


class Drawn(Described):
    """Every seat is drawn what one is drawn who sees all."""

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> Picture:
        return super().draw(state, row, None, last, names)


class Blank(Described):
    """There is a drawing, but nothing is on it."""

    def draw(self, *given: Any, **named: Any) -> Picture:
        return Picture("")


class Failing(Described):
    """One seat cannot be drawn for."""

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> Picture:
        return super().draw(state, row, [0, 1][viewer or 0], last, names)


class Undrawn(Described):
    """A game without a drawing, which is allowed."""

    def draw(self, *given: Any, **named: Any) -> Picture:
        raise NotImplementedError


def race(kind: type[Race]) -> Race:
    return kind(toy.Rules(3, 12, 4))


@pytest.mark.parametrize("kind", [Described, Undrawn])
def test_a_sound_game_passes(kind: type[Race]) -> None:
    check_game(race(kind))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Doubtful, "probabilities of outcomes add up to 0.5"),
        (Doubled, "two outcomes have the same draws"),
        (Elsewhere, "an outcome is not what its draws make"),
        (Stepping, "outcomes changed the game"),
        (Drawn, "a drawing leaks"),
        (Blank, "a drawing is empty"),
    ],
)
def test_a_broken_promise_is_named(kind: type[Race], told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_game(race(kind))


def test_a_drawing_that_fails_for_one_seat_is_found() -> None:
    with pytest.raises(IndexError):
        check_game(race(Failing))
