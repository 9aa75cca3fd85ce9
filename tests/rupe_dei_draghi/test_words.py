"""The game in words: refusals as sentences, positions as each viewer may know them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from tests.rupe_dei_draghi.games import VARIANTS, positions
from tests.rupe_dei_draghi.table import Table, at
from tests.rupe_dei_draghi.test_game import FAR_OFF, refused


def test_refusals_are_sentences() -> None:
    """Sites, spaces, rivals and the rest stand in them with a verb."""

    def cannot(words: str) -> str:
        return re.findall(r"cannot (.*) \(action", refused(table, words))[0]

    table = at({0: "J02"}, ["rainbow bridge dragon cloud teleswap 1", "1"], players=2)
    for words, told in (
        ("space F2", "go to F2"),
        ("site R0-C", "choose the site R0-C"),
        ("rival +1", "choose rider 1"),
        ("rival +3", "choose rival +3"),
        ("top discard", "use the top discard"),
        ("beside the board", "choose what lies beside the board"),
        ("done", "be done"),
        ("card 2", "play the card 2"),
    ):
        assert cannot(words) == told
    for decision, words, told in (
        ("card rainbow", "site R0-C", "take a rainbow from R0-C"),
        ("beside the board", "site R0-F0", "lay the rainbow on R0-F0"),
        (None, "beside the board", "put the rainbow beside the board"),
        ("site R0-C", "renew", "renew the hand"),
        ("card bridge", "space X0", "take a bridge from X0"),
        ("beside the board", "space A0", "lay the bridge on A0"),
        ("space X0", "rob", "rob"),
        ("card dragon", "space A0", "take a dragon from A0"),
        ("space F0", "space A0", "send the dragon to A0"),
        ("space B0", "done", "be done"),
        ("card cloud", "rival +2", "send rival +2 away"),
        ("rival +1", "space C", "send rider 1 to C"),
        ("space A0", "done", "be done"),
        ("card 1", "space F2", "go to F2"),
    ):
        if decision:
            table.act(decision)
        assert cannot(words) == told
    table = at({0: "C", 1: "C"}, ["1", ""], rainbows=[0], armour=[0, 1])
    table.act("card 1", "space R0")
    assert cannot("site R1-C") == "take a rainbow from R1-C"
    table.act("site R0-C")
    assert cannot("site R1-F1") == "lay the rainbow on R1-F1"


def test_a_description_tells_what_the_viewer_knows() -> None:
    table = at(
        {0: "F0"}, ["1 rainbow", "dragon 2"], rainbows=[1], bridges=["G0"], armour=[0],
        looks={0: [0]}, princesses=[1, 0, 2, 3], dragons=["B1"], pile="cloud",
    )  # fmt: skip
    table.game["marks"][0, 1, 2] = 1
    game = RupeDeiDraghi(table.rules)
    told = game.describe(table.batch.state, 0, 0)
    assert told.splitlines() == [
        "rider 0, turn; turn 1 of 500",
        "dragons: B1",
        "rainbows: R1-C; 3 beside the board",
        "bridges: G0; 1 beside the board",
        "discard pile: cloud on top of 1; 26 in the deck",
        "rider 0 (red): F0, armour, doubles, looked in F0; 2 cards: rainbow x1, 1 x1",
        "rider 1 (green): A2; 2 cards, of these dragon x1",
        "in F0: the yellow princess",
    ]
    assert "princess" not in game.describe(table.batch.state, 0, 1)
    assert game.describe(table.batch.state).count("princess") == 4
    with pytest.raises(ValueError, match="viewer must be"):
        game.describe(table.batch.state, 0, 2)


def moment(table: Table, viewer: int | None = 0) -> str:
    return RupeDeiDraghi(table.rules).describe(table.batch.state, 0, viewer).splitlines()[0]


def test_a_description_tells_what_is_being_moved() -> None:
    table = at(
        hands=["rainbow rainbow bridge bridge dragon 1", ""],
        rainbows=[1],
        bridges=["X0"],
        dragons=["F2", *FAR_OFF],
    )
    for card, piece, to, told in (
        ("rainbow", "site R1-C", "site R2-C", "the rainbow from R1-C"),
        ("rainbow", "beside the board", "site R1-C", "a rainbow from beside the board"),
        ("bridge", "space X0", "space X1", "the bridge from X0"),
        ("bridge", "beside the board", "space X0", "a bridge from beside the board"),
        ("dragon", "space F2", "space B0", "the dragon from F2"),
    ):
        table.act(f"card {card}", piece)
        for viewer in (0, 1):
            assert moment(table, viewer).endswith(f"; moves {told}")
        table.act(to)
    table = at({0: "C"}, ["1", ""], rainbows=[0, 1], armour=[0])
    table.act("card 1", "space R1", "site R1-C")
    assert (
        moment(table) == "rider 0, crossed rainbow to; turn 1 of 500; moves the rainbow from R1-C"
    )


def test_a_description_tells_what_was_taken_to_those_who_know() -> None:
    table = at(hands=["1", "dragon", "cloud"], players=3)
    game = RupeDeiDraghi(table.rules)
    table.act("rob")
    assert moment(table, 2).endswith("; 0 of up to 3 cards taken")
    table.act("rival +1")
    told = [game.describe(table.batch.state, 0, viewer) for viewer in range(3)]
    assert all("; 1 of up to 3 cards taken" in text for text in told)
    assert "2 cards: dragon x1, 1 x1; rider 1 knows of dragon x1" in told[0]
    assert "2 cards, of these dragon x1" in told[1]
    assert "dragon x1" not in told[2]
    assert "knows of" not in told[1] + told[2]
    beaten = at({0: "i00", 1: "A1"}, ["3", "1 2"], players=2)
    beaten.act("card 3", "space A1", "space A2")
    assert moment(beaten).endswith("; rival: rider 1; 0 of up to 2 cards taken")


def test_a_description_tells_of_the_top_discard_and_of_all_below() -> None:
    table = at(hands=["rainbow 1", "1"], pile="3 dragon 3 cloud bridge")
    told = RupeDeiDraghi(table.rules).describe(table.batch.state, 0, 1)
    assert "discard pile: bridge on top of 5, below it cloud, 3, dragon, 3; " in told
    table.act("top discard", "beside the board", "space X0")
    assert moment(table).endswith("; the magic card was the top discard")
    table.act("card rainbow", "beside the board", "site R0-C")
    assert "top discard" not in moment(table)


def test_the_look_that_wins_is_a_look() -> None:
    table = at(
        {0: "G0"}, ["1", ""], bridges=["G0"], dragons=["Q21", *FAR_OFF], armour=[0],
        looks={0: [1]}, princesses=[0, 1, 2, 3],
    )  # fmt: skip
    table.act("card 1", "space F0")
    game = RupeDeiDraghi(table.rules)
    told = game.describe(table.batch.state, 0, 1)
    assert "rider 0 has won" in told
    assert "looked in F0 F1" in told
    assert "looked in F0, F1" in game.table.text(table.batch.state, 1, None, ["a", "b"])


def test_a_description_tells_nothing_hidden() -> None:
    """Games that the viewer cannot tell apart are told alike, in every step."""
    game, state = RupeDeiDraghi(*VARIANTS["standard"]), positions("standard").state
    rows = {int(row) for step in range(18) for row in np.flatnonzero(state["step"] == step)[::40]}
    for row in rows:
        one = state[row : row + 1]
        for viewer in range(int(one["players"][0])):
            told = game.describe(one, 0, viewer)
            for seed in (1, 2):
                assert game.describe(game.determinize(one, [viewer], [seed]), 0, viewer) == told
