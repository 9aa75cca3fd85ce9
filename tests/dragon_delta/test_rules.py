"""Clauses 11 and 12: actions, sizes, maps, and what is refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from drago_env.dragon_delta import actions
from drago_env.dragon_delta.map import Map, MapError
from drago_env.dragon_delta.rules import TABLE, Rules, RulesError, constants
from drago_env.dragon_delta.state import STATE

STANDARD = Map.standard().as_dict()
TINY = Map.tiny().as_dict()

# ---------------------------------------------------------------- actions (11)


def test_11_1_the_action_space() -> None:
    rules = Rules(6)
    spans = {kind: (span.start, span.stop - 1) for kind, span in actions.ranges(rules).items()}
    assert spans == {
        "card": (0, 12),
        "islet": (13, 39),
        "plank": (40, 45),
        "link": (46, 195),
        "village": (196, 201),
    }
    assert rules.num_actions == 202


def test_11_1_decode_and_encode_are_each_others_inverse() -> None:
    for rules in (Rules(6), Rules.tiny()):
        for action in range(rules.num_actions):
            assert actions.encode(*actions.decode(action, rules), rules) == action
        for action in (-1, rules.num_actions):
            with pytest.raises(ValueError, match=r"clause 11\.1"):
                actions.decode(action, rules)
    with pytest.raises(ValueError, match="no plank 7"):
        actions.encode("plank", 7, Rules())


def test_11_1_actions_in_words() -> None:
    rules = Rules(4)
    assert actions.text(0, rules) == "program stone1"
    assert actions.text(8, rules, seat=1) == "program dragon against blue"
    assert actions.text(9, rules) == "program dragon +2"
    assert actions.text(13, rules) == "islet 0"
    assert actions.text(40, rules) == "plank 1"
    assert actions.text(46, rules) == "0-1"
    assert actions.text(196, rules) == "white's village"


def test_11_4_at_most_45_and_150_with_long_planks() -> None:
    assert Rules(6).max_legal == 45
    assert Rules(6, long_planks=True).max_legal == 150


# ---------------------------------------------------------------- sizes (12.1, 12.2)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"slots": 3, "kinds": (0, 1)}, r"slots must be at most the 2 kinds.*12\.2"),
        ({"players": 7}, r"players must be from 2 to 6, not 7 \(clause 1\.1\)"),
        ({"players": 1}, "players"),
        ({"players": True}, "players must be a whole number"),
        ({"players": 3, "map": Map.tiny()}, r"players must be one of 2.*12\.2"),
        ({"slots": 0}, r"slots must be from 1 to 8, not 0 \(clause 12\.2\)"),
        ({"planks": 0}, r"planks.*12\.2"),
        ({"planks": 5}, r"links\[3\] \(0-11\): plank numbers run from 1 to 5, not 6"),
        ({"support": 0}, r"support.*12\.2"),
        ({"max_rounds": 0}, r"max_rounds.*12\.2"),
        ({"stones": -1}, "stones must be from 0"),
        ({"stones": 2.0}, "stones must be a whole number"),
        ({"kinds": (0, 0, 1, 2, 3)}, "each card once"),
        ({"kinds": (0, 8)}, "a kind must be from 0 to 7"),
        ({"kinds": 5}, "kinds must list"),
        ({"move2_village": 1}, "move2_village must be True or False"),
        ({"map": "delta-1"}, "map must be a Map"),
    ],
)
def test_12_2_rules_that_are_refused(numbers: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**numbers)


def test_12_1_rules_as_records_write_them() -> None:
    assert Rules().as_dict() == {
        "players": 2,
        "kinds": [0, 1, 2, 3, 4, 5, 6, 7],
        "slots": 5,
        "planks": 6,
        "stones": 27,
        "support": 3,
        "max_rounds": 20,
        "move2_village": False,
        "long_planks": False,
    }


def test_12_3_the_tiny_game() -> None:
    rules = Rules.tiny()
    assert rules.num_actions == 9 + 1 + 2 + 2 + 2
    assert (rules.slots, rules.planks, rules.stones, rules.max_rounds) == (3, 2, 1, 2)
    assert rules.map.crossings == ()
    assert rules.colours == ("white", "black")


def test_a_state_is_small_and_has_no_padding() -> None:
    assert STATE.itemsize <= 640
    assert sum(STATE[name].itemsize for name in STATE.names or ()) == STATE.itemsize
    assert constants(Rules(), [Map.standard()]).dtype == TABLE


# ---------------------------------------------------------------- maps (1, 12.2)


def changed(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of a map with one thing changed, such as `links.3.2`."""
    made: Any = copy.deepcopy(data)
    *way, last = path.split(".")
    inner = made
    for key in way:
        inner = inner[int(key) if isinstance(inner, list) else key]
    inner[int(last) if isinstance(inner, list) else last] = value
    return made


BAD = [
    ("links.0", [27, 28, [1]], r"links\[0\] \(27-28\): no link joins two villages \(clause 1\.4\)"),
    ("links.1", [0, 1, [2]], r"links\[1\] \(0-1\) is given twice \(clause 12\.2\)"),
    ("links.1", [2, 0, [2]], r"links\[1\] \(2-0\): the smaller node comes first \(clause 12\.2\)"),
    ("links.1", [0, 2, []], r"links\[1\] \(0-2\) fits no plank \(clause 12\.2\)"),
    ("links.1", [0, 2, [0]], r"links\[1\].*plank numbers run from 1"),
    ("links.1", [0, 2, [2, 2]], r"links\[1\].*twice"),
    ("links.1", [0, 33, [2]], r"links\[1\].*nodes run from 0 to 32"),
    ("links.1", [0, 2], r"links\[1\]: a link is \[node, node"),
    ("links.1", [0, True, [2]], r"links\[1\]: a link is \[node, node"),
    ("crossings", [], r"the links 0 \(0-1\) and 128 \(5-28\) cross but are not listed"),
    ("crossings.0", [0, 1], r"crossings\[0\]: the links \[0, 1\] do not cross \(clause 1\.6\)"),
    ("crossings.1", [128, 0], r"crossings\[1\]: \[128, 0\] is given twice"),
    ("crossings", 5, "crossings must be a list"),
    ("islets.3", [0.5, 1], r"islets\[3\]: a place is \[x, y\] in whole numbers"),
    ("islets.1", [0, 93], "islet 1 lies at the same place as islet 0"),
    ("islets", [], "1 to 58 islets"),
    ("villages.2.colour", "white", r"villages\[2\]: there is a village of white already"),
    ("villages.2.goal", "pink", r"villages\[2\]: the goal of red must be another village"),
    ("villages.2.goal", "red", r"villages\[2\]: the goal of red must be another village"),
    ("villages.2.at", None, r"villages\[2\]\.at: a place"),
    ("villages.2", "red", r"villages\[2\]: a village has a colour"),
    ("villages", [], "2 to 6 villages"),
    ("seats", {}, "at least one player count"),
    ("seats.3", ["white", "red"], r"seats\['3'\] lists 2 colours"),
    ("seats.2", ["white", "white"], "seats a colour twice"),
    ("seats.2", ["white", "pink"], "no village of 'pink'"),
    ("symmetries.1.0", 0, r"symmetries\[1\] does not send every node"),
    ("symmetries.0", [1, 0, *range(2, 33)], r"symmetries\[0\] sends the link"),
    ("symmetries", [[]], r"symmetries\[0\]"),
    ("symmetries", 3, "symmetries must be a list"),
    ("name", "", "name must be a text"),
]


@pytest.mark.parametrize(("path", "value", "message"), BAD)
def test_12_2_maps_that_are_refused_with_their_place(path: str, value: Any, message: str) -> None:
    with pytest.raises(MapError, match=message):
        Map.from_dict(changed(STANDARD, path, value))


def test_12_2_a_new_colour_needs_a_goal() -> None:
    data = changed(TINY, "villages.0", {"colour": "pink", "at": [-45, 0]})
    with pytest.raises(MapError, match=r"villages\[0\]: pink needs a goal"):
        Map.from_dict(data)


def test_the_crossings_may_be_left_out() -> None:
    data = {key: value for key, value in STANDARD.items() if key != "crossings"}
    assert Map.from_dict(data) == Map.standard()


def test_goals_follow_from_the_usual_colours() -> None:
    data = copy.deepcopy(TINY)
    for village in data["villages"]:
        del village["goal"]
    assert Map.from_dict(data) == Map.tiny()


def test_segments_that_only_touch_meet_too() -> None:
    villages = [{"colour": "white", "at": [9, 9]}, {"colour": "black", "at": [9, 8]}]
    seats = {"2": ["white", "black"]}
    points = [[0, 0], [4, 0], [2, 0], [2, 3], [1, 0], [3, 0], [6, 0], [8, 0]]
    links = [[0, 1, [1]], [2, 3, [1]], [4, 5, [1]], [6, 7, [1]]]
    data = {"name": "lines", "islets": points, "villages": villages, "links": links, "seats": seats}
    # 0-1 is touched by 2-3 in the middle and overlapped by 4-5; 6-7 lies beyond it
    assert Map.from_dict(data).crossings == ((0, 1), (0, 2), (1, 2))


def test_a_map_file_is_read_and_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(STANDARD))
    assert Map.read(path) == Map.standard()
    path.write_text(json.dumps(changed(STANDARD, "links.1", [0, 1, [2]])))
    with pytest.raises(MapError, match=r"own\.json: links\[1\]"):
        Map.read(path)
    path.write_text('{"name": ')
    with pytest.raises(MapError, match=r"own\.json: .*line 1"):
        Map.read(path)
    path.write_text("[1]")
    with pytest.raises(MapError, match="a map is an object"):
        Map.read(path)
    with pytest.raises(MapError, match="cannot read"):
        Map.read(tmp_path / "nothing.json")


def test_without_symmetries_a_map_is_seen_as_it_is() -> None:
    assert Map.tiny().seen_from(1) == (0, 1, 2)
