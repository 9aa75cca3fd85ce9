"""What people are shown: nothing hidden, every piece to point at, words that fit the terminal."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.play import Command
from drago_env.game import State
from drago_env.pictures import page
from drago_env.pictures.picture import Picture
from drago_env.pictures.table import names_of
from drago_env.rupe_dei_draghi import record, scene
from drago_env.rupe_dei_draghi import state as steps
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.record import Record
from drago_env.rupe_dei_draghi.rules import NONE, Rules
from drago_env.rupe_dei_draghi.visible import _possible, visible
from tests.rupe_dei_draghi.games import VARIANTS, positions
from tests.rupe_dei_draghi.test_records import played
from tests.test_server import ask, game_of, serving

ROOT = Path(__file__).parents[2]


def game_of_rules(name: str) -> RupeDeiDraghi:
    return RupeDeiDraghi(*VARIANTS[name])


def some(name: str, every: int) -> list[State]:
    """Positions of goal-directed games, and one at least of every step."""
    state = positions(name).state
    rows = {*range(0, len(state), every)}
    rows |= {int(np.flatnonzero(state["step"] == step)[0]) for step in np.unique(state["step"])}
    return [state[row : row + 1] for row in sorted(rows)]


# ---------------------------------------------------------------- in words


@pytest.mark.parametrize("name", VARIANTS)
def test_positions_fit_the_terminal_and_decisions_have_words_of_their_own(name: str) -> None:
    game, met = game_of_rules(name), set()
    for state in some(name, 97):
        names = names_of(game, state)
        for viewer in (None, 0, 1):
            lines = str(Picture(game, state, 0, viewer, None, names)).splitlines()
            assert max(map(len, lines)) <= 80
        met.add(int(state["step"][0]))
        if not game.over(state)[0]:
            texts = [choice.text for choice in game.table.choices(state, names)]
            assert len(set(texts)) == len(texts)
    assert name != "standard" or met == set(range(steps.OVER + 1))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_place_is_a_part_of_its_own(name: str) -> None:
    """Spaces, sites and rivals are chosen by a click, also on what stands there."""
    game = game_of_rules(name)
    for state in some(name, 97):
        names = names_of(game, state)
        graph = game.row_rules(state, 0).graph
        drawn = [
            p.name for p in (*game.table.ground(state), *game.table.parts(state, 0, None, names))
        ]
        first = 18 + len(graph.sites)
        for choice in [] if game.over(state)[0] else game.table.choices(state, names):
            if choice.action >= 15:
                wanted = f"knight-{(int(state['seat'][0]) + choice.action - 14) % len(names)}"
                if choice.action >= 18:
                    wanted = f"site-{choice.action - 18}"
                if choice.action >= first:
                    wanted = f"space-{choice.action - first}"
                assert choice.parts[-1] == wanted
                assert choice.parts[0] == max(choice.parts, key=drawn.index)  # nothing covers it


# ---------------------------------------------------------------- what is hidden


@pytest.mark.parametrize(("players", "seed", "cap"), [(2, 1, 300), (3, 4, 300), (4, 2, 60)])
def test_a_view_is_shown_as_the_seat_saw_the_game(players: int, seed: int, cap: int) -> None:
    """A view does not hold what is hidden, so equal pictures show that none of it is drawn."""
    made: Record = json.loads(played(players, seed, cap))
    for seat in range(players):
        view = record.view(made, seat)
        assert seen(record.pictures(view)) == seen(record.pictures(made, seat))
    assert seen(record.pictures(made)) != seen(record.pictures(made, 0))
    with pytest.raises(ValueError, match=f"the view of seat {players - 1}, not of seat 0"):
        record.pictures(view, 0)


def seen(film: page.Replay) -> list[Any]:
    return [(vars(frame.picture), frame.last) for frame in film.frames]


def test_only_those_who_learn_something_hear_of_it() -> None:
    game, state = RupeDeiDraghi(Rules(3)), RupeDeiDraghi(Rules(3)).new(5)
    for action, hearers in ((11, []), (15, [0, 1]), (13, []), (10, [1])):  # rob, of 1, done; renew
        after = state.copy()
        game.step(after, [action])
        news = [game.table.news(state, action, after, viewer) for viewer in range(3)]
        assert [viewer for viewer, text in enumerate(news) if text] == hearers
        state = after
    assert news[1].startswith("drew ")


def test_the_princesses_that_can_be_somewhere() -> None:
    """As clause 12.3 has it, for all that two riders of four may have seen."""
    cases = [
        ((NONE,) * 4, frozenset()),
        ((NONE, 2, NONE, NONE), frozenset({(1, 0)})),
        ((NONE, 2, NONE, NONE), frozenset({(1, 0), (0, 1), (2, 1)})),
        ((NONE, 2, NONE, 1), frozenset({(1, 0), (3, 0), (0, 3)})),
    ]
    for known, vain in cases:
        fitting = [
            order
            for order in permutations(range(4))
            if all(k in (NONE, colour) for k, colour in zip(known, order, strict=True))
            and not vain & set(enumerate(order))
        ]
        wanted = tuple(tuple(sorted({order[fort] for order in fitting})) for fort in range(4))
        assert _possible(known, vain) == wanted


def test_a_mark_lies_open_before_the_rival() -> None:
    game = RupeDeiDraghi(Rules(3))
    state = game.new(5)
    game.step(state, [11])
    game.step(state, [15])
    shown = [
        [len(seat.shown) for seat in game.table.seats(state, viewer, None, ["a", "b", "c"])]
        for viewer in range(3)
    ]
    assert shown == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]  # the robbed rider knows what is gone
    assert visible(game, state, 1, None, ["a", "b", "c"]).riders[0].cards == 8


# ---------------------------------------------------------------- graphs


def test_graphs_are_drawn_where_they_say_and_without_places() -> None:
    graph = Graph.standard()
    bare = replace(graph, places=())
    spots = {(part.x, part.y) for part in scene.ground(bare) if part.name.startswith("space-")}
    assert len(spots) == len(graph)
    moved = replace(graph, places=tuple((y, x) for x, y in graph.places if x is not None))  # type: ignore[misc]
    assert moved == graph
    assert scene.ground(moved) != scene.ground(graph)
    assert scene.ground(replace(graph, colours=("blue", "red", "yellow", "green"))) != scene.ground(
        graph
    )


def test_the_graph_of_the_documentation_can_be_played_and_drawn() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (example,) = [found for found in examples if "rainbow_sites" in found]
    game = RupeDeiDraghi(Rules(2, graph=Graph.from_dict(json.loads(example)), dragons=2))
    assert 'data-space="F1"' in game.draw(game.new(0)).svg()


# ---------------------------------------------------------------- on the page


def test_the_page_is_played_by_pointing_at_the_board(browser: Any) -> None:
    command = Command(("uniform",), game="rupe_dei_draghi:players=3,turn_cap=9", seat=0)
    with serving(command, seed=3) as server:
        browser.get(server.url)
        clicked = set()
        while not (told := ask(server, game_of(server)).json)["over"]:
            busy = "return document.getElementById('table').getAttribute('aria-busy')"
            if browser.execute_script(busy) != "false":
                continue
            browser.execute_script("document.getElementById('pace').value = '0'")
            pointed = [choice for choice in told["legal"] if choice["parts"]]
            name = pointed[-1]["parts"][0]
            assert browser.execute_script(POINTED, name) == name
            browser.find_element("css selector", f'[data-part="{name}"] > :last-child').click()
            clicked.add(name.split("-")[0])
        assert {"space"} < clicked
        assert [line for line in browser.get_log("browser") if line["level"] != "INFO"] == []


POINTED = """
const part = document.querySelector(`#board [data-part="${arguments[0]}"]`);
const {x, y, width, height} = part.lastElementChild.getBoundingClientRect();
const at = document.elementFromPoint(x + width / 2, y + height / 2);
return at.closest("[data-part]").dataset.part;
"""
