"""The game behind the seam: conformance, refusals, soundness, files."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drago_env.game import IllegalAction, StateError
from drago_env.rupe_dei_draghi import make, storage
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import Rules, RulesError
from drago_env.rupe_dei_draghi.state import STATE
from drago_env.testing import check_game, refused_states
from tests.rupe_dei_draghi.games import VARIANTS, positions
from tests.rupe_dei_draghi.table import Table, at

STANDARD = RupeDeiDraghi(*VARIANTS["standard"])
FAR_OFF = ("O20", "O21", "O22")  # where dragons are in nobody's way


@pytest.mark.parametrize(
    "game",
    [
        RupeDeiDraghi(
            *(Rules(n, turn_cap=25, reuse=r) for n in (2, 3, 4) for r in ("top", "under"))
        ),
        RupeDeiDraghi(Rules.tiny(), Rules.tiny(12), reward="progress"),
        RupeDeiDraghi(Rules(3, turn_cap=30), reward="progress", threads=2),
    ],
    ids=["mixed", "tiny", "progress"],
)
def test_the_game_keeps_to_the_seam(game: RupeDeiDraghi) -> None:
    check_game(game)


def test_make() -> None:
    assert make().rules == (Rules(2),)
    game = make(3, turn_cap=9, reuse="under", stop=False, reward="progress")
    assert game.rules == (Rules(3, turn_cap=9, reuse="under", stop=False),)
    assert not game.pays_at_end
    assert make(graph="tiny", copies=[1] * 10, hand=2, dragons=1).rules[0].graph == Graph.tiny()
    assert make(rules="tiny", turn_cap=4).rules == (Rules.tiny(4),)
    for words in (
        {"rules": "small"},
        {"rules": "tiny", "players": 3},
        {"rules": "tiny", "hand": 2},
    ):
        with pytest.raises(RulesError):
            make(**words)


def test_graphs_of_one_batch_have_one_size() -> None:
    with pytest.raises(RulesError, match="equal sizes"):
        RupeDeiDraghi(Rules(2), Rules.tiny())
    with pytest.raises(RulesError, match="expected Rules"):
        RupeDeiDraghi("tiny")  # type: ignore[arg-type]


def test_the_signature_tells_graphs_apart() -> None:
    data = Graph.standard().as_dict()
    data["edges"].append(["A0", "B0"])
    own = RupeDeiDraghi(Rules(2, Graph.from_dict(data)))
    assert STANDARD.signature["graphs"] == ["rupe-85"]
    assert own.signature["graphs"] != ["rupe-85"]
    assert (
        own.signature["graphs"]
        == RupeDeiDraghi(Rules(3, Graph.from_dict(data))).signature["graphs"]
    )


# ---------------------------------------------------------------- refusals


def refused(table: Table, words: str) -> str:
    game = RupeDeiDraghi(table.rules)
    state, before = table.batch.state, table.batch.state.tobytes()
    with pytest.raises(IllegalAction) as error:
        game.step(state, [game.action_from_text(words)])
    assert state.tobytes() == before
    return str(error.value)


@pytest.mark.parametrize(
    ("words", "reason", "clause"),
    [
        ("card 2", "2 is not in the hand", "4.2"),
        ("card teleswap", "the card would have no effect", "5.1"),
        ("done", "a turn plays, renews, robs or uses the top discard", "4.1"),
        ("rob", "no rival has a card", "4.5"),
        ("top discard", "the discard pile is empty", "4.6"),
        ("space C", "the step asks for a card", "14.2"),
        ("rival +2", "2 riders have no such rival", "14.1"),
    ],
)
def test_refusals_of_a_turn(words: str, reason: str, clause: str) -> None:
    table = at({0: "C", 1: "C"}, ["teleswap 1", ""], armour=[0, 1])
    said = refused(table, words)
    assert reason in said
    assert f"(clause {clause})" in said
    assert "row 0, seat 0" in said
    assert "Legal: card 1, renew" in said


def test_refusals_after_magic() -> None:
    table = at(hands=["rainbow 1", "1"], pile="2")
    table.act("card rainbow")
    assert "14.2" in refused(table, "renew")
    assert "no rainbow lies there (clause 5.2)" in refused(table, "site R0-C")
    table.act("beside the board")
    assert "the rainbow comes from there (clause 5.1)" in refused(table, "beside the board")
    assert "not open and free (clause 5.2)" in refused(table, "site R0-F0")
    table.act("site R0-C")
    assert "must end with one (clause 4.3)" in refused(table, "done")
    assert "only a turn begins so (clause 4.6)" in refused(table, "top discard")
    table.act("card 1")
    assert "the knight must move if it can (clause 6.1)" in refused(table, "done")
    assert "no path of exactly so many steps ends there (clause 6.1)" in refused(table, "space C")


def test_refusals_of_the_other_steps() -> None:
    table = at(hands=["bridge dragon cloud", "1"])
    table.act("card bridge")
    assert "5.3" in refused(table, "space X0")
    table.act("beside the board")
    assert "no free bridge site (clause 5.3)" in refused(table, "space A0")
    table.act("space X0", "card dragon")
    assert "no dragon stands there (clause 5.4)" in refused(table, "space A0")
    table.act("space F0")
    assert "5.4" in refused(table, "space A0")
    table.act("space B0", "card cloud", "rival +1")
    assert "no free start (clause 5.6)" in refused(table, "space A0")
    table = at(hands=["1", "2"])
    table.act("rob")
    assert "one card must be taken (clause 4.5)" in refused(table, "done")
    over = at(turn_cap=1)
    over.act("renew")
    assert "the game is over (clause 11.2)" in refused(over, "renew")


def test_the_clause_that_keeps_a_knight_out_is_named() -> None:
    """Where a path of the right length leads, too."""
    table = at({0: "J02", 1: "R0"}, ["1", ""], dragons=["J01", *FAR_OFF])
    table.act("card 1")
    assert "another knight stands there (clause 6.5)" in refused(table, "space R0")
    assert "a dragon stands there (clause 6.3)" in refused(table, "space J01")
    assert "no space comes twice (clause 6.1)" in refused(table, "space J02")
    assert "so many steps ends there (clause 6.1)" in refused(table, "space M0")
    for armour, rival, bridges, reason in (
        ([], "A2", ["G0"], "nobody enters a stronghold without armour (clause 10.1)"),
        ([0, 1], "F0", ["G0"], "another knight stands there (clause 6.5)"),
        ([0], "A2", [], "no path of exactly so many steps ends there (clause 6.1)"),
    ):
        table = at(
            {0: "M0", 1: rival},
            ["2", ""],
            dragons=["Q21", *FAR_OFF],
            armour=armour,
            bridges=bridges,
        )
        table.act("card 2")
        assert reason in refused(table, "space F0")
    assert "no bridge lies there (clause 6.3)" in refused(table, "space G0")


def test_every_illegal_action_has_a_reason() -> None:
    state = positions("standard").state
    picked = [int(np.flatnonzero(state["step"] == step)[3]) for step in range(18)]
    rows = state[picked].copy()
    legal = STANDARD.legal(rows)
    for row, action in itertools.product(range(18), range(111)):
        if not legal.mask[row, action]:
            reason, clause = STANDARD.why_illegal(rows, row, action)
            assert reason
            assert clause[0].isdigit()


# ---------------------------------------------------------------- soundness


@pytest.mark.parametrize("name", VARIANTS)
def test_every_position_is_sound(name: str) -> None:
    RupeDeiDraghi(*VARIANTS[name]).check(positions(name).state)


def fault(change: Callable[[Any], None], step: int = 0) -> str:
    state = positions("standard").state
    rows = np.flatnonzero((state["step"] == step) & (state["turns"] > 12) & (state["map"] == 2))
    broken = state[rows[:1]].copy()
    STANDARD.check(broken)
    change(broken[0])
    with pytest.raises(StateError) as error:
        STANDARD.check(broken)
    return str(error.value)


def setting(field: str, value: Any) -> Callable[[Any], None]:
    def change(it: Any) -> None:
        it[field] = value

    return change


def more(field: str, *index: int) -> Callable[[Any], None]:
    def change(it: Any) -> None:
        if index:
            it[field][index] += 1
        else:
            it[field] += 1

    return change


BROKEN: list[tuple[Callable[[Any], None], int, str]] = [
    (setting("map", 99), 0, "no such rules"),
    (setting("players", 4), 0, "players"),
    (more("under"), 0, "flags"),
    (setting("step", 18), 0, "no such step"),
    (setting("end", 3), 0, "no such end"),
    (setting("end", 1), 0, "over in one field"),
    (setting("seat", 3), 0, "no such seat"),
    (setting("turns", 501), 0, "turns do not fit"),
    (more("turns"), 0, "another seat"),
    (more("script"), 0, "scripted"),
    (more("spare", 0), 0, "spare"),
    (more("path", 0), 0, "spare"),
    (more("hand", 0, 0), 0, "a hand is miscounted"),
    (more("deck", 1), 0, "the deck is miscounted"),
    (setting("pile_size", 97), 0, "too large"),
    (lambda it: it["pile"].__setitem__(95, 0), 0, "unused slot of the discard pile"),
    (more("marks", 0, 0, 0), 0, "mark"),
    (setting("knight", 90), 0, "a knight stands on no space"),
    (setting("dragons", 0), 0, "dragon"),
    (more("closed", 3), 0, "closed by nothing"),
    (more("bridges"), 0, "bridges do not add up"),
    (more("rainbows"), 0, "rainbows do not add up"),
    (more("laid"), 0, "rainbow"),
    (setting("princess", 0), 0, "princess"),
    (setting("looks", 16), 0, "no stronghold"),
    (setting("armour", 2), 0, "armour"),
    (setting("card", 5), 0, "a card in use"),
    (setting("card", 255), 11, "a card in use"),
    (setting("rival", 1), 0, "a rival is named"),
    (setting("taken", 9), 14, "more cards were taken"),
    (setting("fresh", 1), 0, "fresh"),
    (setting("crossed", 1), 0, "crossed"),
    (setting("crossed", 0), 15, "crossed"),
    (setting("picked", 3), 0, "what is moved"),
    (setting("picked", 255), 7, "what is moved"),
    (more("steps", 0), 0, "steps still needed"),
    (setting("before", 255), 0, "before are too many"),
    (setting("targets", 1), 0, "destinations belong"),
    (setting("targets", 1), 11, "destinations are not those"),
]


@pytest.mark.parametrize(("change", "step", "words"), BROKEN, ids=[w for _, _, w in BROKEN])
def test_a_broken_state_is_refused(change: Callable[[Any], None], step: int, words: str) -> None:
    assert words in fault(change, step)


def test_zeros_and_ones_are_refused() -> None:
    state = STANDARD.new(range(3))
    assert list(refused_states(STANDARD, state)) == ["zeros", "ones"]


def test_random_bytes_are_refused_or_sound() -> None:
    """A changed byte either breaks a rule or leaves a game that can be played on."""
    rng = np.random.default_rng(0)
    state = positions("standard").state
    refusals = 0
    for _ in range(400):
        one = state[rng.integers(len(state))].copy().reshape(1)
        raw = one.view(np.uint8)
        raw[rng.integers(8, raw.size)] = rng.integers(256)
        try:
            STANDARD.check(one)
        except StateError:
            refusals += 1
            continue
        STANDARD.legal(one)
        STANDARD.determinize(one, 0, 5)
    assert refusals > 250


def test_states_are_saved_and_loaded(tmp_path: Path) -> None:
    path, state = tmp_path / "games.npz", positions("standard").state[::50].copy()
    storage.save(path, STANDARD, state)
    game, loaded = storage.load(path)
    assert game.rules == STANDARD.rules
    assert loaded.tobytes() == state.tobytes()
    state["deck_size"][3] += 1
    storage.save(path, STANDARD, state)
    with pytest.raises(StateError, match="row 3: the deck is miscounted"):
        storage.load(path)


def test_a_loaded_game_goes_on_in_the_same_way() -> None:
    state = STANDARD.new(range(6), range(6))
    again = state.copy()
    rng = np.random.default_rng(1)
    for _ in range(60):
        legal = STANDARD.legal(state)
        chosen = [
            int(rng.choice(a[:n])) if n else -1
            for a, n in zip(legal.actions, legal.counts, strict=True)
        ]
        STANDARD.step(state, chosen)
        STANDARD.step(again, chosen)
    assert state.tobytes() == again.tobytes()
    assert state.dtype == STATE
