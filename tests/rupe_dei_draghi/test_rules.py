"""Clause 15: sizes, flags, graphs of one's own, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drago_env.rupe_dei_draghi.graph import Graph, GraphError, turned
from drago_env.rupe_dei_draghi.rules import CARDS, Rules, RulesError, constants
from tests.rupe_dei_draghi.loops import Batch
from tests.rupe_dei_draghi.table import at

Data = dict[str, Any]


def test_15_1_parameters_and_their_defaults() -> None:
    assert Rules(3).as_dict() == {
        "players": 3,
        "copies": [4, 3, 5, 1, 1, 4, 4, 4, 4, 1],
        "hand": 7,
        "rob": 3,
        "spoils": 2,
        "dragons": 4,
        "rainbows": 4,
        "bridges": 2,
        "turn_cap": 500,
        "reuse": "top",
        "stop": True,
    }
    assert list(Rules(3).as_dict()) == [
        *("players", "copies", "hand", "rob", "spoils", "dragons", "rainbows"),
        *("bridges", "turn_cap", "reuse", "stop"),
    ]


def test_15_2_reuse_under_puts_the_used_card_at_the_bottom_first() -> None:
    table = at(hands=["1", "1"], pile="rainbow 2 3", reuse="under")
    table.act("top discard")
    assert table.pile == "3 rainbow 2"


@pytest.mark.parametrize("stop", [True, False])
def test_15_2_stop_after_a_magic_top_discard(stop: bool) -> None:
    table = at(hands=["1", "1"], pile="rainbow", stop=stop)
    table.act("top discard", "beside the board", "site R0-C")
    assert table.legal == ({"card 1", "done"} if stop else {"card 1"})


def test_15_3_the_tiny_game() -> None:
    rules = Rules.tiny()
    assert (rules.players, rules.hand, rules.rob, rules.spoils, rules.turn_cap) == (2, 3, 1, 1, 3)
    assert rules.graph.names == ("C", "A0", "A1", "R", "p", "F0", "F1")
    table = at(rules=rules)
    assert (table.knight(0), table.knight(1), table.dragons) == ("A0", "A1", ["F0"])
    assert table.game["deck_size"] == 1


def test_3_1_colours_with_more_starts() -> None:
    assert [Rules(3).colour(seat) for seat in range(3)] == [0, 1, 2]
    assert [Rules(2).colour(seat) for seat in range(2)] == [0, 2]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"players": 1}, "players must be from 2 to 4, not 1"),
        ({"players": 5}, "players must be from 2 to 4, not 5"),
        ({"players": 2.0}, "players must be a whole number"),
        ({"players": True}, "players must be a whole number"),
        ({"players": 3, "graph": Graph.tiny()}, "3 players need as many starts, not 2"),
        ({"dragons": 5}, "dragons must be one a stronghold at most, from 0 to 4, not 5"),
        ({"dragons": -1}, "dragons must be"),
        ({"players": 4, "hand": 10}, "need 40 cards, not 36"),
        ({"turn_cap": 0}, "turn_cap must be from 1"),
        ({"rob": 0}, "rob must be from 1"),
        ({"spoils": -1}, "spoils must be from 0"),
        ({"hand": -1}, "hand must be from 0"),
        ({"rainbows": -1}, "rainbows must be from 0"),
        ({"bridges": -1}, "bridges must be from 0"),
        ({"copies": (1, 2)}, "copies must list ten numbers"),
        ({"copies": (1, 1, 1, 1, 1, 1, 1, 1, 1, -1)}, "copies of 5 must be from 0"),
        ({"copies": (90, 90, 0, 0, 0, 0, 0, 0, 0, 0)}, "cards"),
        ({"reuse": "bottom"}, "reuse must be top or under"),
        ({"stop": 1}, "stop must be true or false"),
        ({"graph": "rupe-85"}, "graph must be a Graph"),
    ],
)
def test_15_4_refused_numbers(numbers: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**numbers)


def test_15_4_what_is_on_the_edge_is_played() -> None:
    rules = Rules(2, spoils=0, dragons=0, rainbows=0, bridges=0, hand=0, turn_cap=1, rob=1)
    table = at(rules=rules)
    assert table.legal == {"renew"}
    table.act("renew")
    assert table.game["end"] == 2


# ---------------------------------------------------------------- graphs


def drop_castle(data: Data) -> None:
    data["nodes"][0]["kind"] = "green"


def second_castle(data: Data) -> None:
    data["nodes"][1]["kind"] = "castle"


def odd_kind(data: Data) -> None:
    data["nodes"][2]["kind"] = "swamp"


def site_from_green(data: Data) -> None:
    data["rainbow_sites"][1] = ["B0", "C"]


def site_to_green(data: Data) -> None:
    data["rainbow_sites"][5] = ["R0", "B0"]


def site_twice(data: Data) -> None:
    data["rainbow_sites"][3] = ["R0", "C"]


def road_to_castle(data: Data) -> None:
    data["edges"].append(["A0", "C"])


def start_twice(data: Data) -> None:
    data["starts"][1] = "A0"


def start_missing(data: Data) -> None:
    data["starts"].pop()
    data["colours"].pop()


def stronghold_twice(data: Data) -> None:
    data["strongholds"][2] = "F0"


def stronghold_missing(data: Data) -> None:
    data["strongholds"].pop()


def fewer_strongholds(data: Data) -> None:
    data["strongholds"].pop()
    next(node for node in data["nodes"] if node["name"] == "F3")["kind"] = "green"
    data["rainbow_sites"].pop()


def too_many_actions(data: Data) -> None:
    data["nodes"] += [{"name": f"n{i}", "kind": "green"} for i in range(146)]


def unknown_name(data: Data) -> None:
    data["edges"][7] = ["A0", "nowhere"]


def name_twice(data: Data) -> None:
    data["nodes"][4]["name"] = "A0"


def no_list(data: Data) -> None:
    data["edges"] = "A0-A1"


def no_pair(data: Data) -> None:
    data["edges"][3] = ["A0"]


def no_node(data: Data) -> None:
    data["nodes"][9] = "B0"


def odd_place(data: Data) -> None:
    data["nodes"][9]["x"] = "left"


def gap_not_listed(data: Data) -> None:
    data["bridge_sites"].pop()


def start_of_another_kind(data: Data) -> None:
    data["starts"][0] = "B0"


def road_twice(data: Data) -> None:
    data["edges"].append(data["edges"][0][::-1])


def colours_missing(data: Data) -> None:
    data["colours"].pop()


FAULTS: list[tuple[Callable[[Data], None], str]] = [
    (drop_castle, r"nodes: there must be one castle, not 0 \(clause 15.4\)"),
    (second_castle, r"nodes: there must be one castle, not 2"),
    (odd_kind, r"nodes\[2\] \(i00\): the kind must be one of"),
    (site_from_green, r"rainbow_sites\[1\]: a site leads from a rock"),
    (site_to_green, r"rainbow_sites\[5\]: a site leads from a rock"),
    (site_twice, r"rainbow_sites\[3\]: the site is given twice"),
    (road_to_castle, r"edges\[92\]: the road from A0 to C leads to the castle"),
    (start_twice, r"starts\[1\]: A0 is listed twice"),
    (start_missing, r"starts: A3 is a start and not listed"),
    (stronghold_twice, r"strongholds\[2\]: F0 is listed twice"),
    (stronghold_missing, r"strongholds: F3 is a stronghold and not listed"),
    (fewer_strongholds, r"strongholds: there must be as many as starts, 4, not 3"),
    (too_many_actions, r"make 257 actions, more than 256 \(clause 15.4\)"),
    (unknown_name, r"edges\[7\]: no node is called 'nowhere'"),
    (name_twice, r"nodes\[4\]: 'A0' is the name of nodes\[1\] already"),
    (no_list, r"edges: expected a list, found 'A0-A1'"),
    (no_pair, r"edges\[3\]: expected two names"),
    (no_node, r"nodes\[9\]: expected an object"),
    (odd_place, r"nodes\[9\] \(R0\): x and y must be numbers, not 'left'"),
    (gap_not_listed, r"bridge_sites: G3 is a gap and not listed"),
    (start_of_another_kind, r"starts\[0\]: B0 must be a start, not a green"),
    (road_twice, r"edges\[92\]: the road .* given twice"),
    (colours_missing, r"colours: expected one for each of 4 starts"),
]


@pytest.mark.parametrize(("spoil", "message"), FAULTS, ids=[f.__name__ for f, _ in FAULTS])
def test_15_4_refused_graphs(spoil: Callable[[Data], None], message: str, tmp_path: Path) -> None:
    data = Graph.standard().as_dict()
    spoil(data)
    with pytest.raises(GraphError, match=message):
        Graph.from_dict(data)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(GraphError, match=r"mine\.json: .*" + message):
        Graph.read(path)


def test_a_graph_at_the_limit_of_actions_is_played(tmp_path: Path) -> None:
    data = Graph.standard().as_dict()
    data["nodes"] += [{"name": f"n{i}", "kind": "green"} for i in range(145)]
    chain = ["A0", *(f"n{i}" for i in range(145))]
    data["edges"] += [list(pair) for pair in itertools.pairwise(chain)]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    rules = Rules(2, Graph.called(str(path)))
    assert rules.num_actions == 256
    table = at({0: "n130"}, ["5 dragon", "1"], rules=rules)
    table.act("card dragon", "space F0", "space n144", "card 5")
    assert table.spaces == {"n125", "n135"}


@pytest.mark.parametrize("text", ["", "[1", "[]", '"graph"', "{}"])
def test_a_file_that_is_no_graph(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GraphError, match=r"broken\.json"):
        Graph.read(path)
    with pytest.raises(GraphError, match="cannot read"):
        Graph.read(tmp_path / "missing.json")


def test_a_graph_is_written_and_read(tmp_path: Path) -> None:
    for graph in (Graph.standard(), Graph.tiny()):
        path = tmp_path / "graph.json"
        path.write_text(json.dumps(graph.as_dict()), encoding="utf-8")
        again = Graph.read(path)
        assert again == graph
        assert again.as_dict() == graph.as_dict()
    assert Graph.called("rupe-85") == Graph.standard()


# ---------------------------------------------------------------- symmetry and tables


def test_the_graph_is_turned_by_quarters() -> None:
    graph = Graph.standard()
    for by in range(4):
        way = turned(graph, by)
        assert way is not None
        names = [graph.names[space] for space in way]
        assert names[graph.names.index(f"J{by}2")] == "J02"
        assert names[graph.names.index(f"O{(by + 1) % 4}5")] == "O15"


def test_a_graph_without_symmetry_stays_as_it_is() -> None:
    data = Graph.standard().as_dict()
    data["edges"].append(["A0", "B0"])
    graph = Graph.from_dict(data)
    assert turned(graph, 1) is None
    table = constants([Rules(2, graph)])[0]
    assert (table["turn"][:4, :85] == range(85)).all()
    assert (table["turn_fort"][:4, :4] == range(4)).all()


def test_the_tiny_graph_is_turned_too() -> None:
    assert turned(Graph.tiny(), 1) == [0, 2, 1, 3, 4, 6, 5]


def test_rules_of_one_batch_may_differ_in_all_but_the_graphs_sizes() -> None:
    batch = Batch([Rules(2, hand=3), Rules(4, turn_cap=9, reuse="under"), Rules(3, stop=False)], 6)
    assert batch.state["hand_size"].sum(1).tolist() == [6, 28, 21] * 2
    assert len({rules.sizes for rules in batch.rules}) == 1


def test_cards_have_names() -> None:
    assert CARDS[:5] == ("rainbow", "bridge", "dragon", "teleswap", "cloud")
