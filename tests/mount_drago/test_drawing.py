"""The drawing, judged by what it shows: as text, as SVG, as pixels, in a window."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from drago_env import Board, MountDrago, Rules
from drago_env.game import Move, State
from drago_env.mount_drago import scene
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.visible import CODES
from drago_env.pictures import canvas
from drago_env.pictures.picture import Picture
from drago_env.pictures.window import Window
from tests.mount_drago.games import SCARCE, STANDARD, TINY, name, play

LONG = Rules(5, board=Board.random(4, spaces=64))
SHORT = Rules(2, board=Board((0, -50, 50), ("start", "green", "summit")))
SOME = (*STANDARD, *TINY, SCARCE[0], LONG, SHORT)
SVG = "{http://www.w3.org/2000/svg}"


def called(rules: Rules) -> str:
    return f"{name(rules)}-{len(rules.board)}-spaces"


def pictures(rules: Rules, viewer: int | None = None) -> list[tuple[Picture, State]]:
    """The start, the middle and the end of a game, and a crowd on one space."""
    played = play(rules)
    shown = []
    for number in sorted({0, len(played.actions) // 2, len(played.actions)}):
        state = played.states[number]
        last = None
        if number:
            before = played.states[number - 1]
            points = state["score"][0] - before["score"][0]
            action = played.actions[number - 1]
            words = played.game.action_text(action)
            last = Move(int(before["seat"][0]), action, words, points.tolist())
        shown.append((Picture(played.game, state, 0, viewer, last), state))
    crowd = played.states[0].copy()
    crowd["position"][0, : rules.colours] = rules.board.summit - 1
    return [*shown, (Picture(played.game, crowd, 0, viewer), crowd)]


def groups(picture: Picture, key: str) -> dict[str, ElementTree.Element]:
    """The groups of the SVG that carry this data, by its value."""
    root = ElementTree.fromstring(picture.svg())
    found = [group for group in root.iter(f"{SVG}g") if f"data-{key}" in group.attrib]
    return {group.attrib[f"data-{key}"]: group for group in found}


def place(group: ElementTree.Element) -> tuple[float, float, float]:
    """Where a group lies and how large it is."""
    found = re.fullmatch(r"translate\((\S+) (\S+)\) scale\((\S+)\)", group.attrib["transform"])
    assert found
    x, y, scale = (float(number) for number in found.groups())
    return x, y, scale


def texts(group: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in group.iter(f"{SVG}text")]


def spaces(picture: Picture) -> list[ElementTree.Element]:
    return [g for key, g in groups(picture, "part").items() if key.startswith("space-")]


def area(space: ElementTree.Element) -> tuple[float, float, float, float]:
    left, top, width, height = (float(n) for n in space.attrib["data-area"].split())
    return left, top, width, height


# ---------------------------------------------------------------- SVG


@pytest.mark.parametrize("rules", SOME, ids=called)
def test_each_dragon_stands_on_its_space(rules: Rules) -> None:
    for picture, state in pictures(rules):
        areas = [area(space) for space in spaces(picture)]
        dragons = groups(picture, "dragon")
        assert list(dragons) == list(COLOURS[: rules.colours])
        for number, (colour, group) in enumerate(dragons.items()):
            space = int(state["position"][0, number])
            x, y, _ = place(group)
            within = [
                i for i, (a, b, w, h) in enumerate(areas) if a <= x <= a + w and b <= y <= b + h
            ]
            assert within == [space], colour
            assert group.attrib["data-space"] == str(space)
            assert texts(group)[0] == CODES[number]


@pytest.mark.parametrize("rules", SOME, ids=called)
def test_dragons_do_not_cover_each_other(rules: Rules) -> None:
    for picture, _ in pictures(rules):
        places = [place(group) for group in groups(picture, "dragon").values()]
        for (x, y, scale), (other_x, other_y, other) in combinations(places, 2):
            assert math.hypot(x - other_x, y - other_y) > 14 * (scale + other)


@pytest.mark.parametrize("rules", SOME, ids=called)
def test_each_space_shows_its_value_and_kind(rules: Rules) -> None:
    drawn = spaces(pictures(rules)[0][0])
    letters = {"start": [], "plain": [], "blue": ["B"], "green": ["G"], "summit": ["S"]}
    shapes = {"start": "rect", "plain": "rect", "blue": "rect", "green": "polygon"}
    assert len(drawn) == len(rules.board)
    for space, group in enumerate(drawn):
        kind, value = rules.board.kinds[space], str(rules.board.values[space])
        assert group.attrib["data-space"] == str(space)
        assert (group.attrib["data-kind"], group.attrib["data-value"]) == (kind, value)
        assert texts(group) == [*letters[kind], value]
        assert group[0].tag == SVG + shapes.get(kind, "polygon")
        left, top, width, height = area(group)
        assert left >= 0
        assert left + width <= 640
        assert top >= 0
        assert top + height <= canvas.HEIGHT
    heights = [place(group)[1] for group in drawn]
    assert heights[0] == max(heights)
    assert heights[-1] <= min(heights) + 15  # the path ends on the summit


def test_the_column_tells_who_rides_what_and_how_it_stands() -> None:
    played = play(Rules(4), 1)
    for state in played.states[::9]:
        picture = Picture(played.game, state, names=["Ann", "Bob", "Cleo", "Dan"])
        parts, it = groups(picture, "part"), state[0]
        dragons = groups(picture, "dragon")
        for seat, rider in enumerate(["Ann", "Bob", "Cleo", "Dan"]):
            assert {str(seat), rider, str(it["score"][seat])} <= set(texts(parts[f"seat-{seat}"]))
            ridden, value = divmod(int(it["top"][seat]), 5)
            assert dragons[COLOURS[ridden]].attrib["data-rider"] == str(seat)
            assert texts(dragons[COLOURS[ridden]]) == [CODES[ridden], str(seat)]
            cards = [
                (int(card) % 5 + 1, CODES[card // 5]) for card in it["hand"][seat] if card < 50
            ]
            shown = texts(parts[f"cards-{seat}"])
            assert shown == [str(x) for pair in [(value + 1, CODES[ridden]), *cards] for x in pair]
        assert sum("data-rider" in group.attrib for group in dragons.values()) == 4
        assert f"deck {it['deck_size']}" in texts(parts["status"])
        peaks = [peak.attrib["fill"] for peak in parts["status"].iter(f"{SVG}polygon")]
        assert len(peaks) == 3
        assert sum(fill != "#ffffff" for fill in peaks) == it["summit"]


def status(picture: Picture) -> str:
    return texts(groups(picture, "part")["status"])[0]


def test_turn_step_and_end_are_told() -> None:
    steps = set()
    for rules in SCARCE[:2]:
        played = play(rules, 2)
        for state in played.states:
            picture = Picture(played.game, state)
            seat, phase = state["seat"][0], state["phase"][0]
            steps.add(int(phase))
            if phase < 2:
                assert status(picture) == f"rider {seat} {('to play', 'may discard')[phase]}"
                notes = texts(groups(picture, "part")[f"seat-{seat}"])
                assert ("to play", "may discard")[phase] in notes
            else:
                winners = np.flatnonzero(played.game.winners(state)[0])
                for seat in winners:
                    assert f"rider {seat}" in status(picture)
                    assert "wins" in texts(groups(picture, "part")[f"seat-{seat}"])
                assert "win" in status(picture)
    assert steps == {0, 1, 2}


def test_a_tie_names_all_winners() -> None:
    played = play(Rules(3))
    state = played.states[-1].copy()
    state["score"][0, :3] = [7, 7, 3]
    picture = Picture(played.game, state)
    assert status(picture) == "rider 0, rider 1 win"
    assert "WINS" not in str(picture).splitlines()[-1]
    assert str(picture).count("WINS") == 2


def test_the_last_move_is_told_in_words_with_its_points() -> None:
    game = MountDrago(Rules(3))
    state = game.new(0)
    picture = Picture(game, state, last=Move(2, 18, "play red 4", [4, -1, 0, 0, 0]))
    assert texts(groups(picture, "part")["last"]) == [
        "last move by rider 2",
        "play red 4",
        "points +4, -1, 0",
    ]
    assert "+4" in texts(groups(picture, "part")["seat-0"])
    assert "last move: rider 2: play red 4, points 4, -1, 0" in str(picture)
    assert texts(groups(Picture(game, state), "part")["last"]) == ["no move yet"]


def test_names_are_escaped_and_cleaned() -> None:
    game = MountDrago(Rules(2))
    names = ['<b>&"\x1b[31m', "W" * 300]
    picture = Picture(game, game.new(0), names=names)
    assert '<b>&"\ufffd[31m' in texts(groups(picture, "part")["seat-0"])  # well-formed, too
    assert "\x1b" not in str(picture)
    assert texts(groups(picture, "part")["seat-1"])[1].endswith("W...")


@pytest.mark.parametrize("rules", SOME, ids=called)
@pytest.mark.parametrize("viewer", [None, 0])
def test_texts_neither_overlap_nor_leave_the_canvas(rules: Rules, viewer: int | None) -> None:
    draw = canvas.pillow().ImageDraw.Draw(canvas.pillow().Image.new("RGB", (8, 8)))
    font = canvas.pillow().ImageFont.load_default
    for picture, _ in pictures(rules, viewer):
        boxes = []
        for part in (*picture.ground, *picture.parts):
            for text in part.shapes:
                if isinstance(text, canvas.Text):
                    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[text.anchor]
                    x = part.x + text.x * part.scale
                    y = part.y + (text.y + 0.36 * text.size) * part.scale
                    size = font(text.size * part.scale)
                    boxes.append((text.text, draw.textbbox((x, y), text.text, size, anchor)))
        for _, (left, top, right, bottom) in boxes:
            assert left >= 4
            assert right <= 640 - 4 or (left >= 650 and right <= 950)
            assert top >= 2
            assert bottom <= canvas.HEIGHT - 2
        for (one, (a, b, c, d)), (other, (e, f, g, h)) in combinations(boxes, 2):
            assert c <= e or g <= a or d <= f or h <= b, (one, other)


def test_a_notebook_shows_the_svg() -> None:
    game = MountDrago(Rules(2))
    picture = Picture(game, game.new(0))
    assert picture._repr_svg_() == picture.svg()


# ---------------------------------------------------------------- what a viewer may see


@pytest.mark.parametrize("rules", [Rules(2), Rules(3, "italian"), Rules(5)], ids=called)
def test_hidden_cards_appear_nowhere(rules: Rules) -> None:
    played = play(rules)
    for state in played.states[:40:7]:
        one, other = (played.game.determinize(state, [1], seed) for seed in (1, 2))
        assert one["hand"].tobytes() != other["hand"].tobytes()
        seen = [Picture(played.game, s, viewer=1) for s in (one, other)]
        assert seen[0].svg() == seen[1].svg()
        assert seen[0].ansi() == seen[1].ansi()
        assert str(seen[0]) == str(seen[1])
        assert (seen[0].rgb() == seen[1].rgb()).all()
        assert vars(seen[0]) == vars(seen[1])  # not even kept
        open_hands = [Picture(played.game, s).svg() for s in (one, other)]
        assert open_hands[0] != open_hands[1]


def test_other_hands_are_backs_with_a_count() -> None:
    played = play(Rules(3))
    state = played.states[20]
    parts = groups(Picture(played.game, state, viewer=1), "part")
    for seat in (0, 2):
        held = int(state["hand_size"][0, seat])
        assert texts(parts[f"cards-{seat}"])[2:] == [str(held)]
        assert len(parts[f"cards-{seat}"].findall(f"{SVG}rect")) == 1 + 2 * held
    assert len(texts(parts["cards-1"])) == 2 + 2 * state["hand_size"][0, 1]


def test_wrong_viewers_and_names_are_refused() -> None:
    game = MountDrago(Rules(3))
    state = game.new(0)
    for viewer in (-1, 3):
        with pytest.raises(ValueError, match=f"viewer must be a seat from 0 to 2, not {viewer}"):
            Picture(game, state, viewer=viewer)
    with pytest.raises(ValueError, match="3 riders need as many names, not 2"):
        Picture(game, state, names=["a", "b"])


def test_a_picture_stays_when_the_game_goes_on() -> None:
    game = MountDrago(Rules(2), Rules(4))
    state = game.new([5, 6], [0, 1])
    picture = Picture(game, state, row=1)
    before = picture.svg()
    game.step(state, game.legal(state).actions[:, 0])
    assert picture.svg() == before != Picture(game, state, row=1).svg()
    assert len(picture.names) == 4


# ---------------------------------------------------------------- pixels


@pytest.mark.parametrize("rules", SOME, ids=called)
def test_pixels_have_the_dragons_colours_where_they_stand(rules: Rules) -> None:
    for picture, state in pictures(rules):
        rgb = picture.rgb()
        assert rgb.shape == (640, 960, 3)
        assert rgb.dtype == np.uint8
        if state["position"][0].min() > 0 and rules is LONG:
            continue  # ten dragons on one of 64 spaces are too small for single pixels
        for number, group in enumerate(groups(picture, "dragon").values()):
            x, y, scale = place(group)
            pixel = rgb[int(y - 9 * scale), int(x)]  # in the middle, just above the letters
            assert "#" + pixel.tobytes().hex() == scene.TINTS[number]


def test_pixels_are_a_fresh_copy() -> None:
    game = MountDrago(Rules(2))
    picture = Picture(game, game.new(0))
    first, second = picture.rgb(), picture.rgb()
    assert first.flags.writeable
    assert first.flags.c_contiguous
    first[:] = 0
    assert (second == picture.rgb()).all()
    assert second.any()


def test_pixels_show_a_move() -> None:
    game = MountDrago(Rules(2))
    state = game.new(0)
    before = Picture(game, state).rgb()
    game.step(state, game.legal(state).actions[:, 0])
    after = Picture(game, state).rgb()
    assert (before != after).any(-1)[:, :640].sum() > 100  # on the mountain
    assert (before == after).all(-1)[:, :640].mean() > 0.9


def test_only_svg_and_text_without_extra_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import sys, drago_env; from drago_env.pictures import page, picture, window\n"
        "game = drago_env.MountDrago(); drawn = picture.Picture(game, game.new(0))\n"
        "drawn.svg(), drawn.ansi(), window.Window('a game')\n"
        "print({'PIL', 'pygame', 'selenium', 'tkinter', 'matplotlib'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "set()\n", ran.stderr
    game = MountDrago(Rules(2))
    picture = Picture(game, game.new(0))
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=re.escape('pip install "drago-env[render]"')):
        picture.rgb()
    with pytest.raises(ImportError, match=re.escape('pip install "drago-env[render]"')):
        Window("a game").show(np.zeros((640, 960, 3), np.uint8))


def test_a_text_of_any_length_is_cut_at_once() -> None:
    assert canvas.fit("W" * 10**6, 10, 100) == canvas.fit("W" * 50, 10, 100)
    assert canvas.fit("W" * 5, 10, 100) == "W" * 5
