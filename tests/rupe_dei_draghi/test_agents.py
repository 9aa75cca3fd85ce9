"""Agents: what they may know, doors that they must see, and games that must come to an end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drago_env.core import planning
from drago_env.games import make
from drago_env.policy import resolve
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.kernel import costs
from drago_env.rupe_dei_draghi.planning import Weights, WinChance, weights, win_chances
from drago_env.search import Search
from tests.rupe_dei_draghi.table import Table, at

GAMES = 100
AWAY = ("F0", "F3", "O00", "O10")  # dragons: F1 and F2 are open


@pytest.fixture(scope="module", params=[2, 3, 4])
def game(request: pytest.FixtureRequest) -> Any:
    return make(f"rupe_dei_draghi:players={request.param}")


def rolled(game: Any, name: str, depth: int, noise: float) -> NDArray[np.void]:
    """Games played on by rules of thumb."""
    state = game.new(np.arange(GAMES))
    who = np.zeros((GAMES, game.spec.seats), np.int64)
    planning.roll(game, state, np.arange(GAMES), weights(name), who, depth, noise)
    return state


def follow(table: Table, name: str = "heuristic") -> list[str]:
    """A whole turn by the rules of thumb, in words."""
    game = RupeDeiDraghi(table.rules)
    seat, turns, words = table.game["seat"], table.game["turns"], []
    while (table.game["seat"], table.game["turns"]) == (seat, turns) and not table.game["end"]:
        action = int(planning.assess(game, table.batch.state, weights(name))[0])
        words.append(game.action_text(action))
        table.act(words[-1])
    return words


def test_weights_are_named_in_the_order_of_the_kernel() -> None:
    for place, name in enumerate(Weights._fields):
        assert getattr(costs, name.upper()) == place
    assert WinChance._fields[:4] == Weights._fields[:4]


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_games_come_to_an_end(game: Any, name: str) -> None:
    state = rolled(game, name, 1 << 30, 0.0)
    assert game.over(state).all()
    assert game.truncated(state).sum() <= 1


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_rules_of_thumb_change_nothing_and_know_nothing_hidden(game: Any, name: str) -> None:
    """In another world that fits what the seat knows they choose the same."""
    for depth in (3, 30, 80):
        state = rolled(game, "heuristic", depth, 0.2)
        before = state.copy()
        chosen = planning.assess(game, state, weights(name))
        assert state.tobytes() == before.tobytes()
        seats = game.current_player(state).astype(np.int64)
        for seed in (1, 2):
            worlds = game.determinize(state, seats, np.arange(GAMES) + 1000 * seed)
            np.testing.assert_array_equal(planning.assess(game, worlds, weights(name)), chosen)


def test_armour_by_a_rainbow_in_one_turn() -> None:
    table = at({0: "J01"}, ["rainbow 3 5", "1"])
    assert follow(table)[:4] == ["card rainbow", "beside the board", "site R0-C", "card 3"]
    assert table.knight(0) == "C"


def test_the_top_discard_opens_what_the_hand_cannot() -> None:
    table = at({0: "J01"}, ["3 5 dragon", "1"], pile="rainbow")
    assert follow(table)[0] == "top discard"
    assert table.knight(0) == "C"


def test_a_dragon_goes_and_a_bridge_comes_before_the_look() -> None:
    table = at({0: "M1"}, ["bridge dragon 2", "1"], armour=[0], princesses=[1, 0, 2, 3])
    words = follow(table)
    assert {"card bridge", "card dragon", "space G1", "space F1"} <= set(words)
    assert table.game["end"] == 1


def test_who_looked_in_vain_leaves_for_another_stronghold() -> None:
    table = at({0: "F1"}, ["3 1", "1"], armour=[0], looks={0: [1]}, bridges=["G1"], dragons=AWAY)
    follow(table)
    assert table.knight(0) != "F1"


def test_who_cannot_leave_renews() -> None:
    table = at({0: "F0"}, ["3 1 2 4", "1"], armour=[0], looks={0: [1]}, dragons=AWAY)
    assert follow(table)[0] in ("renew", "rob")


def test_a_dragon_keeps_a_rival_out() -> None:
    """Seat 1 could look into F2 next turn."""
    table = at({0: "A0", 1: "G2"}, ["dragon 1 2", "1"], armour=[1], bridges=["G2"], dragons=AWAY)
    words = follow(table)
    assert words[0] == "card dragon"
    assert words[2] == "space F2"


def test_a_beaten_rival_is_not_put_where_the_top_discard_leads_back() -> None:
    """From A0 and A1 a 4 would lead back to J02 (13.12)."""
    table = at({0: "A0", 1: "J02"}, ["1", "5"], armour=[0, 1], pile="4")
    table.act("top discard", "space J02")
    assert follow(table)[0] in ("space A2", "space A3")


def test_chances_to_win(game: Any) -> None:
    state = rolled(game, "heuristic", 40, 0.2)
    chances = win_chances(game, state)
    np.testing.assert_allclose(chances.sum(1), 1)
    players = int(game.players(state)[0])
    assert (chances[:, :players] >= 0).all()
    assert (chances[:, players:] == 0).all()
    ended = game.over(state)
    np.testing.assert_array_equal(chances[ended], game.shares(state)[ended])


def test_armour_is_worth_something() -> None:
    plain, armoured = at(hands=["1", "1"]), at(hands=["1", "1"], armour=[0])
    game = RupeDeiDraghi(plain.rules)
    before, after = (win_chances(game, t.batch.state)[0, 0] for t in (plain, armoured))
    assert after > before


@pytest.mark.parametrize("method", ["flat", "tree"])
def test_search_finds_the_winning_look(method: str) -> None:
    table = at({0: "G1"}, ["1 2 3", "1"], armour=[0], looks={0: [0, 2, 3]}, bridges=["G1"],
               dragons=AWAY, princesses=[1, 0, 2, 3])  # fmt: skip
    game = RupeDeiDraghi(table.rules)
    found = Search(method, playouts=200).search(game, table.batch.state, np.ones(1, np.uint64))
    assert game.action_text(int(found.best()[0])) == "card 1"
    assert found.values.max() > 0.9


def test_agents_are_found_by_name() -> None:
    game = make("rupe_dei_draghi:players=2")
    assert [resolve(name, game).name for name in ("greedy", "heuristic")] == ["greedy", "heuristic"]
