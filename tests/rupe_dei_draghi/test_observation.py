"""The observation and the features: every number against the reference, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from drago_env.core.layout import named
from drago_env.rupe_dei_draghi import actions, observation
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.rules import CARDS, Rules
from tests.rupe_dei_draghi.games import VARIANTS, played
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.oracle import STEP_NAMES, counts
from tests.rupe_dei_draghi.reference import Reference
from tests.rupe_dei_draghi.table import Table, at

SEATS = 4


def one_hot(index: int | None, size: int) -> list[int]:
    return [int(i == index) for i in range(size)]


def seen_by(side: Reference, seat: int, names: list[str]) -> dict[str, Any]:
    """What a seat should see; `names` are the spaces in the order in which it sees them."""
    order = [(seat + on) % side.players for on in range(side.players)]
    pad = [0] * (SEATS - side.players)
    rivals = order[1:]
    step = None if side.over else STEP_NAMES.index(side.step)
    exposed = [max(side.marks[r][seat][kind] for r in rivals) for kind in range(10)]
    moving = side.step == "move" and not side.over
    return {
        "hand": counts(side.hands[seat]),
        "unseen": counts(side.unseen(seat)),
        "spent": [side.pile.count(kind) for kind in range(10)],
        "top": one_hot(side.pile[-1] if side.pile else None, 10),
        "marks": [*(counts(side.marks[seat][r]) for r in rivals), *[[0] * 10 for _ in pad]],
        "exposed": exposed,
        "hand_size": [*(side.hands[r].total() for r in order), *pad],
        "deck": [side.deck.total()],
        "pile": [len(side.pile)],
        "armour": [*(int(side.armour[r]) for r in order), *pad],
        "doubles": [*(int(side.doubles[r]) for r in order), *pad],
        "in_castle": [*(int(side.knights[r] == side.map.castle) for r in order), *pad],
        "opened": [int(side.opened)],
        "turn": one_hot(None if side.over else order.index(side.seat), SEATS),
        "step": one_hot(step, 17),
        "card": one_hot(side.points + 4 if moving else None, 10),
        "fresh": [int(side.fresh)],
        "taken": [side.taken if side.step in ("rob", "spoils") and not side.over else 0],
        "rainbows_left": [side.rainbows_beside],
        "bridges_left": [side.bridges_beside],
        "turns_left": [min(side.turn_cap - side.turns, 127)],
        "players": one_hot(side.players - 2, 3),
        "under": [int(side.reuse == "under")],
        "stop": [int(side.stop)],
        "castle_steps": [*(side.map.steps(side.knights[r], side.map.castle) for r in order), *pad],
        "knight": [int(name == side.knights[seat]) for name in names],
        "dragons": [
            int(n in side.dragons) + int(side.step == "dragon_to" and n == side.picked)
            for n in names
        ],
        "rivals": [
            max((on for on, r in enumerate(order) if on and side.knights[r] == name), default=0)
            for name in names
        ],
    }


@pytest.mark.parametrize("name", ["standard", "tiny", "odd"])
def test_every_number_is_what_the_seat_sees(name: str) -> None:
    checked = 0

    class Checked(list):  # type: ignore[type-arg]
        def append(self, pair: Any) -> None:  # the reference goes on: compare at once
            nonlocal checked
            state, side = pair
            checked += 1
            if checked % 7 == 0:
                compare(np.array([state]), side)

    one = Batch(VARIANTS[name], 1)
    layouts = {id(r): observation.layout(r) for r in one.rules}

    def compare(state: Any, side: Reference) -> None:
        one.state = state
        rules = one.rules_of(0)
        line = one.tables[int(state["map"][0])]
        for seat in range(side.players):
            see = named(one.observe(seat)[0], layouts[id(rules)])
            turn = line["turn"][rules.colour(seat), : len(rules.graph)].tolist()
            names = [rules.graph.names[turn.index(i)] for i in range(len(turn))]
            for part, wanted in seen_by(side, seat, names).items():
                found = see[part].tolist()
                assert found == wanted, (part, seat)
            check_strongholds(side, seat, see, line["turn_fort"][rules.colour(seat)].tolist())
            compact = named(one.observe(seat, compact=True)[0], layouts[id(rules)])
            assert all((compact[part] == see[part]).all() for part in see)

    played(name, Checked())
    assert checked > 200


def check_strongholds(side: Reference, seat: int, see: dict[str, Any], turn: list[int]) -> None:
    forts = len(side.map.forts)
    order = [(seat + on) % side.players for on in range(side.players)]
    possible = side.arrangements(seat)
    for fort, space in enumerate(side.map.forts):
        place = turn[fort]
        for on, rider in enumerate(order):
            assert see["looks"][on, place] == (fort in side.looks[rider])
            assert see["fort_steps"][on, place] == side.map.steps(side.knights[rider], space)
        for colour in range(forts):
            told = see["princess"][place, turn[colour]]
            can_be = any(princesses[fort] == colour for princesses in possible)
            assert told >= can_be  # what follows from several looks together is not drawn
            if fort in side.looks[seat]:
                assert told == can_be
    assert see["colour"].tolist() == one_hot(turn[side.colours[seat]], forts)


def test_sizes() -> None:
    rules = Rules(3)
    assert observation.size(rules) == 470
    assert observation.size(rules) * 4 + rules.num_actions <= 2048


def test_the_own_start_is_always_the_same() -> None:
    batch = Batch([Rules(4)], 1)
    layout = observation.layout(batch.rules[0])
    first = named(batch.observe(0)[0], layout)
    for seat in range(1, 4):
        see = named(batch.observe(seat)[0], layout)
        for part in ("knight", "rivals", "dragons", "fort_steps", "castle_steps", "colour"):
            assert (see[part] == first[part]).all(), part


def test_pieces_that_are_being_moved() -> None:
    table = at(hands=["rainbow bridge", "1"], rainbows=[1], bridges=["X2"])
    table.act("card rainbow", "site R1-C")
    assert look(table)["rainbows"].tolist() == [0, 2, 0, 0, 0, 0, 0, 0]
    table.act("site R2-C", "card bridge", "space X2")
    assert look(table)["bridges"].tolist() == [0, 0, 2, 0, 0, 0, 0, 0]
    assert look(table, 1)["bridges"].tolist() == [2, 0, 0, 0, 0, 0, 0, 0]  # turned by half


def look(table: Table, seat: int = 0) -> dict[str, Any]:
    return named(table.batch.observe(seat)[0], observation.layout(table.rules))


def test_the_rival_who_is_sent_away() -> None:
    table = at(hands=["cloud", "1", "1"], players=3)
    table.act("card cloud", "rival +2")
    assert look(table)["rival"].tolist() == [0, 1, 0]
    assert look(table, 1)["rival"].tolist() == [1, 0, 0]
    assert look(table, 2)["rival"].tolist() == [0, 0, 0]


# ---------------------------------------------------------------- features


def features(table: Table, words: str) -> dict[str, Any]:
    legal = table.batch.legal()[0]
    row = table.batch.features()[0, legal.index(actions.parse(words, table.graph))]
    found = named(row, observation.FEATURES)
    return {
        name: part.tolist() if len(part) > 1 else part[0].item() for name, part in found.items()
    }


def test_features_of_cards() -> None:
    table = at(hands=["rainbow 1 1", "1"], pile="dragon")
    found = features(table, "card 1")
    assert found["card"] == one_hot(CARDS.index("1"), 10)
    assert (found["gained"], found["points_left"]) == (-1, 1)
    assert features(table, "top discard")["card"] == one_hot(2, 10)
    assert features(table, "renew")["gained"] == 4
    assert features(table, "rob")["rob"] == 1


def test_features_of_a_move() -> None:
    table = at({0: "J02", 1: "J03"}, ["2 1", "1 1"], rainbows=[0])
    table.act("card 2")
    castle, away = features(table, "space C"), features(table, "space B0")
    assert (castle["own_steps"], castle["own_gain"], castle["armour"]) == (2, 2, 1)
    assert (castle["own_left"], away["own_left"], away["own_gain"]) == (2, 6, -2)
    table = at({0: "J02", 1: "J03"}, ["2 1", "1 1"], rainbows=[0])
    table.act("card 1")
    duel = features(table, "space J03")
    assert (duel["duel"], duel["rival"], duel["rival_cards"], duel["rival_leads"]) == (1, 1, 2, 1)


def test_features_of_a_look() -> None:
    table = at({0: "G0"}, ["1", "1"], bridges=["G0"], armour=[0], dragons=[], looks={0: [2]})
    table.act("card 1")
    found = features(table, "space F0")
    assert (found["look"], found["hope"]) == (1, 1)
    assert found["chance"] == pytest.approx(1 / 3)


def test_features_of_ways_opened_and_closed() -> None:
    table = at({0: "J01", 1: "R2"}, ["rainbow dragon", "1"])
    table.act("card rainbow", "beside the board")
    assert features(table, "site R0-C")["opens"] == [31 - 3, 31 - 15, 0, 0]
    assert features(table, "site R2-C")["opens"][1] == 31 - 1
    table.act("site R0-C", "card dragon", "space F0")
    assert features(table, "space J02")["closes"] == [1, 1, 0, 0]
    assert features(table, "space J12")["closes"] == [0, 0, 0, 0]


def test_features_have_names() -> None:
    names = [part.name for part in observation.FEATURES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("copies", "hand", "rob"),
    [
        ((0, 0, 0, 0, 0, 30, 30, 0, 0, 0), 30, 40),
        ((2, 2, 2, 2, 2, 6, 6, 6, 6, 6), 20, 40),
        ((0, 0, 0, 0, 0, 20, 20, 20, 20, 16), 48, 40),
    ],
)
def test_no_number_is_beyond_the_bound_with_other_sizes(
    copies: tuple[int, ...], hand: int, rob: int
) -> None:
    game = RupeDeiDraghi(Rules(players=2, copies=copies, hand=hand, rob=rob))
    state, most = game.new(range(20)), 0.0
    for _ in range(300):
        legal = game.legal(state)
        robbing = [
            next((a for a in listed[:n] if a in (actions.ROB, actions.RIVAL)), listed[n - 1])
            for listed, n in zip(legal.actions.tolist(), legal.counts.tolist(), strict=True)
        ]
        for seat in (0, 1):
            most = max(most, float(abs(game.observe(state, seat)).max()))
        most = max(most, float(abs(game.features(state, legal)).max()))
        game.step(state, np.where(legal.counts > 0, robbing, -1))
    assert 12.375 < most <= game.spec.observation_bound  # more than the usual sizes allow
