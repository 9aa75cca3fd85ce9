"""The rule book: the promises of the seam, batches of variants, words and refusals."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drago_env.core.planning import Plan, search
from drago_env.dragon_delta import make
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import Rules, RulesError
from drago_env.game import IllegalAction
from drago_env.testing import check_game, refused_states
from tests.dragon_delta.fuzz import POLICIES, engine, random_rules, scatter
from tests.dragon_delta.oracle import expected, reference_of
from tests.dragon_delta.table import at

VARIANTS: list[dict[str, Any]] = [
    {"rules": "tiny"},
    {"max_rounds": 4},
    {"players": 3, "max_rounds": 3, "reward": "rank"},
    {"players": 6, "max_rounds": 2, "move2_village": True, "long_planks": True},
    {"players": 4, "kinds": (0, 2, 5), "slots": 2, "stones": 9, "support": 2, "threads": 2},
]


@pytest.mark.parametrize("words", VARIANTS)
def test_the_promises_of_the_seam(words: dict[str, Any]) -> None:
    game = make(**words)
    check_game(game)
    assert list(refused_states(game, game.new(0))) == ["zeros", "ones"]


def test_a_batch_mixes_players_flags_and_maps() -> None:
    other = Map.from_dict({**Map.standard().as_dict(), "name": "other", "symmetries": []})
    rules = [
        Rules(2, max_rounds=2),
        Rules(6, max_rounds=2, long_planks=True),
        Rules(4, max_rounds=2, move2_village=True, map=other),
    ]
    game = DragonDelta(*rules)
    assert game.spec.max_legal == 150
    state = game.new(range(30), np.arange(30) % 3)
    assert [game.row_rules(state, row) for row in range(3)] == rules
    end = game.finished(state, range(30))
    assert game.over(end).all()
    game.check(end)
    alone = DragonDelta(rules[1])
    assert alone.finished(alone.new([1]), [1])["plank"].tolist() == end["plank"][1:2].tolist()


def test_rules_of_one_batch_have_equal_sizes() -> None:
    with pytest.raises(RulesError, match="equal sizes"):
        DragonDelta(Rules(), Rules.tiny())
    with pytest.raises(RulesError, match="expected Rules"):
        DragonDelta(3)  # type: ignore[arg-type]


def test_make_takes_the_words_of_clause_12(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({**Map.standard().as_dict(), "name": "own"}))
    game = make(3, map=path, max_rounds=5, slots=4, reward="rank")
    assert game.rules[0] == Rules(3, max_rounds=5, slots=4, map=Map.read(path))
    with pytest.raises(RulesError, match="full or tiny"):
        make(rules="huge")
    with pytest.raises(RulesError, match="tiny rules"):
        make(rules="tiny", stones=3)
    with pytest.raises(ValueError, match="win, rank"):
        make(reward="points")


def test_a_search_treats_others_cards_as_hidden() -> None:
    game = make(rules="tiny")
    state = game.new(range(4))
    for _ in range(4):
        legal = game.legal(state)
        game.step(state, legal.actions[:, 0].astype(np.int64))
    seats = game.current_player(state).astype(np.int64)
    world = game.determinize(state, seats, range(4))
    plan = Plan("tree", 200, 0, 0.0, 1.0, 2.0, False, False)
    found = [search(game, s, range(4), plan) for s in (state, world)]
    assert found[0].visits.tobytes() == found[1].visits.tobytes()


# ---------------------------------------------------------------- refusals in words


def refused(table: Any, text: str) -> str:
    """The error of an action that the table refuses."""
    game = DragonDelta(table.rules)
    action = game.action_from_text(text)
    with pytest.raises(IllegalAction) as caught:
        game.step(table.state, [action])
    return str(caught.value)


def test_refusals_of_planks() -> None:
    table = at("13-27 13-15", stones=[9, 0, 1, 2, 5], reserves={"white": "white 1, white 5"})
    table.program("plank1", "jump")
    assert "cannot choose plank 4 (action 43): it is not in the reserve (clause 6.3)" in refused(
        table, "plank 4"
    )
    assert "row 0, white: cannot put" not in refused(table, "islet 3")
    assert "it is time to choose a plank (clause 11.2)" in refused(table, "islet 3")
    table.act("plank 1")
    said = refused(table, "13-20")
    assert said.startswith("row 0, white: cannot lay plank 1 on 13-20 (action ")
    assert "too short (clause 6.3). Legal: " in said
    assert "a plank lies there" not in refused(table, "13-27")
    assert "no stone on islet 6" in refused(table, "6-9")
    five = at("0-5", stones=[1, 2, 20])
    five.program("plank1", "jump")
    five.act("plank 5")
    assert "it would cross the plank on 0-5 (clause 6.3)" in refused(five, "1-2")
    assert "too long (clause 6.3)" in refused(five, "0-1")
    full = at({"9-27": "white 1", "13-27": "white 2", "17-27": "white 6"}, stones=[0, 20])
    full.program("plank1", "jump")
    full.act("plank 5")
    assert "white's village bears 3 planks already (clause 6.3)" in refused(full, "20-27")
    lies = at({"20-27": "black 5"}, stones=[0])
    lies.program("plank1", "jump")
    lies.act("plank 5")
    assert "a plank lies there already (clause 6.3)" in refused(lies, "20-27")


def test_refusals_of_removals() -> None:
    planks = {"13-27": "black 2", "9-27": "black 1", "14-30": "black 3"}
    table = at(planks, {"black": "14-30"}, stones=[5], reserves={"white": "white 2"})
    table.program("remove", "stone1")
    assert "take the plank from 13-27" in refused(table, "13-27")
    assert "the reserve holds a plank 2 already (clause 6.5)" in refused(table, "13-27")
    assert "a pawn stands on it (clause 6.5)" in refused(table, "14-30")
    assert "no plank lies there (clause 6.5)" in refused(table, "0-1")
    assert "the stone bears a plank (clause 6.5)" in refused(table, "islet 13")
    assert "there is no stone (clause 6.5)" in refused(table, "islet 0")
    three = at(
        {"13-27": "blue 2", "9-27": "red 1"}, players=3, reserves={"white": "white 4, red 5"}
    )
    three.program("remove", "jump", "jump")
    assert "three colours (clause 6.5)" in refused(three, "13-27")


def test_refusals_on_foot() -> None:
    table = at("13-27 13-15 15-16 0-1", {"white": "13-27", "black": "0-1"})
    table.program("move2", "stone1")
    assert "the first step must lead onto a plank (clause 6.7)" in refused(table, "white's village")
    assert "a pawn stands there (clause 6.7)" in refused(table, "0-1")
    assert "cannot move onto 15-16" in refused(table, "15-16")
    assert "it is not next to 13-27 (clause 6.6)" in refused(table, "15-16")
    table.act("13-15")
    assert "may not lead back while there is another (clause 6.7)" in refused(table, "13-27")
    jump = at("13-27 13-15 15-18", {"white": "13-27", "black": "13-15"})
    jump.program("jump", "stone1")
    assert "cannot jump into white's village" in refused(jump, "white's village")
    assert "jumped over to get there (clause 6.8)" in refused(jump, "white's village")


def test_refusals_of_cards_stones_and_after_the_end() -> None:
    table = at(slots=3, kinds=(0, 1, 2, 3))
    table.program("@black")
    assert "a dragon is laid already, and at most one may be (clause 4.2)" not in refused(
        table, "program jump"
    )
    assert "these rules have no such card (clause 12.1)" in refused(table, "program jump")
    assert "only 2 play (clause 2.3)" in refused(table, "program dragon +2")
    assert "it is laid already (clause 4.2)" in refused(table, "program dragon +1")
    three = at(slots=3, players=3)
    three.act("program dragon against red")
    assert "at most one may be (clause 4.2)" in refused(three, "program dragon +2")
    stone = at(stones=[3])
    stone.program("stone1", "jump")
    assert "put a stone on islet 3" in refused(stone, "islet 3")
    assert "there is a stone already (clause 6.1)" in refused(stone, "islet 3")
    cut = at(round=20)
    cut.program("jump", "jump")
    assert "the game is over (clause 8.3)" in refused(cut, "plank 1")


def test_every_illegal_action_has_a_reason() -> None:
    rng = random.Random(4)
    for _ in range(25):
        rules = random_rules(rng)
        game, it = DragonDelta(rules), reference_of(rules)
        state = engine(rules).new()
        scatter(it, rng)
        for name, value in expected(it).items():
            state[0][name] = value
        while not it.over:
            game.check(state)
            legal = it.options()
            for action in rng.sample(range(rules.num_actions), min(12, rules.num_actions)):
                if action not in legal:
                    text, clause = game.why_illegal(state, 0, action)
                    assert text
                    assert clause.split(".")[0].isdigit()
                    assert game.decision_text(state, 0, action)
            action = rng.choice(POLICIES)(it, rng, legal)
            it.apply(action)
            game.step(state, [action])
        game.check(state)


# ---------------------------------------------------------------- words


def test_positions_in_words() -> None:
    table = at({"13-27": "black 2"}, {"white": "13-27"}, stones=[5], slots=2)
    game = DragonDelta(table.rules)
    table.act("program planks2", "program jump", "program dragon against white")
    lines = game.describe(table.state, 0, viewer=0).split("\n")
    assert lines[0] == "round 1 of 20, white is first player"
    assert lines[1] == "black is to program a card"
    assert lines[2] == "stones: 5 13"
    assert lines[3] == "planks: 13-27 black 2"
    assert lines[4].startswith("white: on 13-27, holds white 1, white 2")
    assert lines[4].endswith("cards: planks2, jump")
    assert lines[5].endswith("cards: ?")
    assert "dragon against white" in game.describe(table.state)
    table.act("program stone1")
    assert game.describe(table.state).split("\n")[0].startswith("round 1 of 20, slot 2 of 2")


def test_what_others_hear_of_a_program() -> None:
    game = make()
    state = game.new(0)
    assert game.told(state, 0, 0, 0) == game.told(state, 0, 0, None) == "program stone1"
    for action in (0, 1, 2, 3, 4, 0, 1, 2, 3, 4):
        other = 1 - int(state["seat"][0])
        heard = "program 5 cards" if action == 4 else None
        assert game.told(state, 0, action, other) == heard
        game.step(state, [action])
    assert game.told(state, 0, 13, 1) == "put a stone on islet 0"
