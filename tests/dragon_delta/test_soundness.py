"""States that break a rule are refused in words, and no damaged one does harm."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import LINK, SECOND, STATE
from drago_env.game import State, StateError
from tests.dragon_delta.table import Table, at

LINKS = {Map.standard().link_text(i): i for i in range(150)}


def fault(table: Table) -> str:
    game = DragonDelta(table.rules)
    with pytest.raises(StateError) as caught:
        game.check(table.state)
    return str(caught.value)


def changed(table: Table, name: str, value: Any, *where: int) -> str:
    """What is said of a position in which one thing was changed."""
    DragonDelta(table.rules).check(table.state)
    if where:
        table.state[name][(0, *where)] = value
    else:
        table.state[name] = value
    return fault(table)


NUMBERS = [
    ("map", 1, "no such map"),
    ("players", 1, "no seats for so many players"),
    ("players", 7, "no seats for so many players"),
    ("move2_village", 2, "move2_village is neither 0 nor 1"),
    ("long_planks", 9, "long_planks is neither 0 nor 1"),
    ("step", 10, "no such step"),
    ("end", 3, "no such end"),
    ("end", 1, "the step and the end do not agree"),
    ("seat", 2, "no such seat"),
    ("first", 2, "no such seat"),
    ("round", 0, "rounds run from 1 to 20"),
    ("round", 21, "rounds run from 1 to 20"),
    ("slot", 1, "no such slot"),
    ("spare", 1, "spare bytes are not zero"),
    ("left", 1, "so much cannot be left to do"),
    ("chosen", 1, "a plank is chosen at the wrong time"),
    ("origin", 3, "a move2 began at the wrong time"),
    ("stones", 1 << 27, "a stone lies beyond the islets"),
    ("full", 1, "the full stones and beaches are miscounted"),
    ("laid", 1, "the links with planks are miscounted"),
    ("blocked", 1, "the blocked links are miscounted"),
]


@pytest.mark.parametrize(("name", "value", "message"), NUMBERS)
def test_numbers_that_do_not_fit(name: str, value: int, message: str) -> None:
    assert message in changed(Table(Rules()), name, value)


def test_cards_that_do_not_fit() -> None:
    def programmed() -> Table:
        table = Table(Rules(3))
        table.act("program stone1", "program dragon against red")
        return table

    for where, value, message in (
        ((0, 3), 4, "a card is laid after an empty slot"),
        ((1, 0), 4, "so many cards cannot be laid"),
        ((5, 0), 4, "so many cards cannot be laid"),
        ((0, 1), 10, "a card does not exist"),
        ((0, 1), 0, "a card is laid twice"),
        ((0, 0), 9, "two dragons"),
    ):
        assert message in changed(programmed(), "program", value, *where)


def test_planks_that_do_not_fit() -> None:
    def laid() -> Table:
        return at({"13-27": "white 2", "13-15": "black 4"}, stones=[0, 1, 2, 5, 9])

    for where, value, message in (
        ((2, 0), 192, "a plank does not exist"),
        ((0, 6), 192, "a plank does not exist"),
        ((0, 0), 194, "a plank is nowhere"),
        ((0, 0), 150, "a plank is nowhere"),
        ((0, 0), 193, "two planks of one number"),
        ((1, 1), LINKS["13-27"], "two planks lie on one link"),
        ((0, 5), LINKS["0-1"], "a plank lies where it does not fit"),
        ((0, 2), LINKS["9-27"], "the links with planks are miscounted"),
    ):
        assert message in changed(laid(), "plank", value, *where)


def test_three_colours_crossings_and_supports() -> None:
    colours = at(players=3, reserves={"white": "white 1, red 2"})
    assert "three colours" in changed(colours, "plank", 192, 2, 2)
    crossing = at({"0-5": "white 1", "1-2": "white 5"})
    assert "two planks cross (clause 6.3)" in fault(crossing)
    heavy = at("9-27 13-27 17-27 20-27")
    assert "bears too many planks (clause 6.3)" in fault(heavy)
    bare = at("13-27")
    assert "rests on no stone (clause 6.3)" in changed(bare, "stones", 0)
    many = at(stock=2, stones=[0, 1])
    assert "too many stones" in changed(many, "stones", 7)


def test_pawns_that_do_not_fit() -> None:
    assert "nobody has has a pawn" in changed(Table(Rules()), "pawn", 0, 4)
    assert "no plank and in no village" in changed(Table(Rules()), "pawn", 0, 0)
    assert "no plank and in no village" in changed(Table(Rules()), "pawn", 198, 0)
    both = at("13-27", {"white": "13-27"})
    assert "two pawns stand on one plank" in changed(both, "pawn", LINKS["13-27"], 1)
    assert "only that, wins (clause 8.1)" in changed(Table(Rules()), "pawn", 195, 0)
    won = at("18-30", {"white": "18-30"})
    won.program("move1", "jump")
    won.act("black's village")
    assert "only that, wins (clause 8.1)" in changed(won, "pawn", 192, 0)
    cut = at(round=20)
    cut.program("jump", "jump")
    assert "cut off before the end of the last round" in changed(cut, "round", 19)


def test_steps_that_do_not_fit() -> None:
    def stone() -> Table:
        table = at(slots=2)
        table.program("stones2 jump", "move1 jump")
        return table

    assert "no step of its own" in changed(stone(), "program", 8, 0, 0)
    assert "not one of the card (clause 11.2)" in changed(stone(), "program", 4, 0, 0)
    assert "cancelled by a dragon (clause 5.3)" in changed(stone(), "program", 8, 1, 0)
    assert "so much cannot be left" in changed(stone(), "left", 3)
    empty = at(stones=range(26))
    empty.program("stone1", "jump")
    assert "there is nothing to decide" in changed(empty, "stones", 2**27 - 1)


def test_a_chosen_plank_and_a_half_done_move2() -> None:
    laying = at(stones=[13], reserves={"white": "white 2"})
    laying.program("plank1", "jump")
    laying.act("plank 2")
    assert laying.game["step"] == LINK
    assert "the chosen plank is not in the reserve" in changed(laying, "chosen", 3)

    def half(**more: Any) -> Table:
        table = at("13-27 13-15 15-16 0-1", {"white": "13-27", "black": "0-1"}, **more)
        table.program("move2", "jump")
        table.act("13-15")
        assert table.game["step"] == SECOND
        return table

    assert "began nowhere" in changed(half(), "origin", LINKS["0-1"])
    assert "began nowhere" in changed(half(), "origin", 255)
    assert "began too far away" in changed(half(), "origin", 192)
    first = at("13-27 13-15", {"white": "13-27"})
    first.program("move2", "jump")
    assert "begins where the pawn stands" in changed(first, "origin", LINKS["13-15"])
    flag = at("4-29 2-29", {"white": "4-29"}, players=3, move2_village=True)
    flag.program("move2", "jump", "jump")
    flag.act("red's village")
    assert "stops in a village" in changed(flag, "move2_village", 0)


def test_damaged_bytes_are_refused_or_play_on() -> None:
    """Whatever passes the check can be played to its end."""
    rng, game = random.Random(1), DragonDelta(Rules(4, max_rounds=4))
    state: State = game.new(range(64))
    refused = played = 0
    for _ in range(60):
        legal = game.legal(state)
        running = legal.counts > 0
        picks = [rng.randrange(max(1, count)) for count in legal.counts.tolist()]
        actions = legal.actions[np.arange(64), picks].astype(np.int64)
        game.step(state, np.where(running, actions, -1))
        for row in range(0, 64, 8):
            raw = state[row : row + 1].copy().view(np.uint8)
            raw[rng.randrange(STATE.itemsize)] = rng.randrange(256)
            damaged = raw.view(STATE)
            try:
                game.check(damaged)
            except StateError:
                refused += 1
                continue
            played += 1
            game.check(game.finished(damaged, [row]))
    assert refused > 300
    assert played > 5
