"""The page and the GIF of a record: what they hold, and how the page behaves in a browser."""

from __future__ import annotations

import json
import re
import time
import weakref
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from drago_env import Rules, record
from drago_env.__main__ import main
from drago_env.mount_drago.record import Record, RecordError
from drago_env.mount_drago.rules import COLOURS
from drago_env.pictures import page
from drago_env.pictures.chart import BOTTOM, LEFT, chart
from tests.mount_drago.games import SCARCE, STANDARD, TINY, name, play

EVIL = "<script>alert(1)</script>"


def data(text: str) -> Any:
    """What the page's script is given."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    assert found
    return json.loads(found[1])


def html(made: Record, title: str | None = None, seat: int | None = None) -> str:
    return page.html(record.pictures(made, seat), title)


def positions(made: Record, move: int) -> list[int]:
    game, state = record.replay(made, move)
    spaces: list[int] = state["position"][0, : game.rules[0].colours].tolist()
    return spaces


# ---------------------------------------------------------------- what a page holds


@pytest.mark.parametrize("rules", [*STANDARD[::3], *TINY, *SCARCE[::3]], ids=name)
def test_the_frames_are_the_replayed_positions(rules: Rules) -> None:
    made = play(rules).record()
    text = html(made)
    frames, beside = data(text)["frames"], data(text)["beside"]
    assert {"status", "last", "seat-0", "cards-0"} <= set(beside) <= set(frames[0])
    assert "dragon-0" not in beside
    assert len(frames) == len(made["moves"]) + 1
    spaces = [0] * rules.colours
    for move, frame in enumerate(frames):
        for dragon in range(rules.colours):
            if f"dragon-{dragon}" in frame:
                spaces[dragon] = frame[f"dragon-{dragon}"][3]["space"]
        if move % 5 == 0 or move == len(frames) - 1:
            assert spaces == positions(made, move)
    assert len(text) < 300_000


def test_the_moves_are_listed_in_words() -> None:
    played = play(Rules(3))
    made = played.record()
    items = re.findall(r'<button data-move="(\d+)">(.*?)</button>', html(made))
    assert [int(number) for number, _ in items] == list(range(len(made["moves"]) + 1))
    for (_, item), move in zip(items[1:], made["moves"], strict=True):
        words = f"rider {move['seat']}: {played.game.action_text(move['action'])}"
        assert f"<span>{words}</span>" in item
        points = ", ".join(f"{n:+d}" if n else "0" for n in move["points"])
        assert ("<small>" in item) == any(move["points"])
        assert not any(move["points"]) or f"<small>{points}</small>" in item


def test_a_page_needs_nothing_else() -> None:
    text = html(play(Rules(2)).record())
    assert set(re.findall(r"\w+://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(img|iframe|object)|src=|@import|url\(|fetch\(|import\(", text)


def test_names_and_title_are_escaped() -> None:
    made = {**play(Rules(2)).record(), "riders": [EVIL, "@@data@@ \" ' & </title>"]}
    for text in (html(made), html(made, title=EVIL)):
        assert EVIL not in text
        assert text.count("<script") == text.count("</script>") == 2
        assert text.count("</title>") == 1
        shapes = data(text)["shapes"]
        assert not any("<script" in shape for shape in shapes)
        assert any("&lt;script" in shape for shape in shapes)
    assert f"<h1>{escape(EVIL)}</h1>" in html(made, title=EVIL)


@pytest.mark.parametrize("rules", [*STANDARD, *TINY, *SCARCE], ids=name)
def test_a_view_is_shown_as_the_seat_saw_the_game(rules: Rules) -> None:
    """A view does not hold the hidden cards, so equal pages show that none is on them."""
    made = play(rules, 1).record()
    for seat in range(rules.players):
        view = record.view(made, seat)
        assert seen(record.pictures(view)) == seen(record.pictures(made, seat))
    assert html(view) == html(made, seat=seat) != html(made)


def seen(film: page.Replay) -> list[Any]:
    """All that a replay shows."""
    return [(vars(frame.picture), frame.last, frame.scores) for frame in film.frames]


def test_a_running_game_is_shown() -> None:
    for moves in (0, 1, 25):
        made = play(SCARCE[3]).record(moves)
        film = record.pictures(made)
        assert len(film.frames) == moves + 1
        assert re.search("to play|may discard", status(film))
        assert data(html(made))["frames"]
        view = record.pictures(record.view(made, 1))
        assert seen(view)[:-1] == seen(record.pictures(made, 1))[:-1]
        # hidden cards tell whether another rider may discard, so a view cannot say who is next
        assert status(view) == ("the record ends here" if moves else status(film))


def status(film: page.Replay) -> str:
    """Whose turn it is at the end."""
    parts = {part.name: part.inner() for part in film.frames[-1].picture.parts}
    found = re.search(r"<text[^>]*>([^<]*)</text>", parts["status"])
    assert found
    return found[1]


def test_wrong_records_are_refused() -> None:
    made = play(Rules(2)).record()
    broken: Any = json.loads(json.dumps(made))
    broken["moves"][3]["points"] = [9, 9]
    with pytest.raises(RecordError, match=r"^move 3: the points are .* \(clause 6\)"):
        html(broken)
    with pytest.raises(ValueError, match="viewer must be a seat from 0 to 1, not 2"):
        html(made, seat=2)
    with pytest.raises(RecordError, match="riders must be null or 2 names"):
        html({**made, "riders": 3})
    view = record.view(made, 1)
    view["moves"][5]["deck"] += 1
    with pytest.raises(RecordError, match=r"cannot be read: .* does not bring what it tells"):
        html(view)
    view = record.view(made, 1)
    with pytest.raises(ValueError, match="the view of seat 1, not of seat 0"):
        html(view, seat=0)
    with pytest.raises(RecordError, match="riders must be null or 2 names"):
        html({**view, "riders": [[0] * 1000, "b"]})
    with pytest.raises(ValueError, match="shows the hand of one seat, not of 0"):
        html({**view, "start": {**view["start"], "hands": [6, 6]}})
    del view["moves"][4]["drawn"]
    with pytest.raises(RecordError, match="this view of a record cannot be read: KeyError"):
        html(view)


def test_the_chart_has_a_line_for_every_seat() -> None:
    text = chart([[0] * 8, [*range(8)]], [f"seat {seat}" for seat in range(8)])
    assert len(re.findall("<polyline data-line", text)) == 8


def test_the_chart_draws_the_scores() -> None:
    scores = [[0, 0], [0, 0], [5, -5], [5, -5], [10, 0]]
    text = chart(scores, ["Ann", "B & B"])
    lines = re.findall(r'<polyline data-line="(\d)" points="([^"]+)"[^>]*dasharray="([^"]*)"', text)
    assert [seat for seat, _, _ in lines] == ["0", "1"]
    assert len({dashes for _, _, dashes in lines}) == 2
    for seat, points, _ in lines:
        pairs = [[float(n) for n in point.split(",")] for point in points.split()]
        assert len(pairs) == 5
        heights = [-5 + 15 * (BOTTOM - y) / (BOTTOM - 14) for _, y in pairs]
        assert heights == pytest.approx([row[int(seat)] for row in scores], abs=0.05)
        assert [x for x, _ in pairs] == pytest.approx([LEFT + 189 * i for i in range(5)])
    labels = [unescape(label) for label in re.findall(r"<text[^>]*>([^<]+)</text>", text)]
    assert {"Ann 10", "B & B 0", "-4", "0", "10", "moves"} <= set(labels)


# ---------------------------------------------------------------- files


def test_a_gif_has_a_frame_for_each_move(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="a GIF needs Pillow")
    made = play(TINY[0]).record()
    page.gif(record.pictures(made), tmp_path / "game.gif", milliseconds=200)
    with image.open(tmp_path / "game.gif") as film:
        assert film.n_frames == len(made["moves"]) + 1
        assert film.size == (960, 640)
        assert film.info["duration"] == 200
        assert film.info["loop"] == 0


def test_a_gif_draws_one_frame_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long game in full colours would need more than a gigabyte."""
    image = pytest.importorskip("PIL.Image", reason="a GIF needs Pillow")
    made, drawn, most = image.fromarray, [], 0

    def draw(pixels: Any) -> Any:
        nonlocal most
        picture = made(pixels)
        drawn.append(weakref.ref(picture))
        most = max(most, sum(one() is not None for one in drawn))
        return picture

    monkeypatch.setattr(image, "fromarray", draw)
    played = play(TINY[0]).record()
    page.gif(record.pictures(played), tmp_path / "game.gif")
    assert len(drawn) > len(played["moves"]) > 4
    assert most == 1


def test_the_shell_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [play(TINY[0], seed).record() for seed in range(2)]
    file, out = tmp_path / "games.jsonl", tmp_path / "out"
    record.write(file, games)
    assert main(["page", str(file), "--record", "1", "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == html(games[1])
    assert main(["page", str(file), "--seat", "1", "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == html(games[0], seat=1)
    assert main(["gif", str(file), "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"GIF89a")
    assert main(["page", str(file), "--record", "2", "--out", str(out)]) == 2
    assert "the file has the records 0 to 1, not 2" in capsys.readouterr().err


# ---------------------------------------------------------------- in a browser


class Shown:
    """A page in the browser, spoken of in words."""

    def __init__(self, browser: Any, file: Path, made: Record, seat: int | None = None) -> None:
        file.write_text(html(made, seat=seat), encoding="utf-8")
        self.browser, self.made = browser, made
        browser.get(file.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def click(self, selector: str) -> None:
        self.browser.find_element("css selector", selector).click()

    def press(self, key: str) -> None:
        self.browser.find_element("css selector", "body").send_keys(key)

    def shows(self, move: int) -> None:
        """The count, the slider, the list, the chart, the dragons and the scores agree."""
        total = len(self.made["moves"])
        assert self.run("return document.getElementById('count').textContent") == (
            f"move {move} of {total}"
        )
        assert self.run("return document.getElementById('slider').value") == str(move)
        marked = "return [...document.querySelectorAll('[aria-current]')].map(e => e.dataset.move)"
        assert self.run(marked) == [str(move)]
        cursor = self.run(
            "const chart = document.querySelector('[data-chart]').getScreenCTM();"
            "const mark = document.querySelector('[data-cursor]').getScreenCTM();"
            "return (mark.e - chart.e) / chart.a"
        )
        assert cursor == pytest.approx(756 * move / total, abs=0.1)
        self.dragons_stand(move)
        scores = [sum(m["points"][s] for m in self.made["moves"][:move]) for s in range(3)]
        texts = (
            "return [...document.querySelectorAll('[data-part^=seat-]')]"
            ".map((e) => Number(e.querySelectorAll('text')[2].textContent))"
        )
        assert self.run(texts) == scores

    def dragons_stand(self, move: int) -> None:
        """Each dragon's middle on the screen lies in the room of the space that it stands on."""
        script = """
            const board = document.querySelector("#board svg").getScreenCTM();
            const areas = [...document.querySelectorAll("[data-area]")]
              .map((e) => e.dataset.area.split(" ").map(Number));
            return [...document.querySelectorAll("[data-dragon]")].map((e) => {
              const at = e.getScreenCTM();
              const [x, y] = [(at.e - board.e) / board.a, (at.f - board.f) / board.d];
              const on = areas.findIndex(
                ([a, b, w, h]) => a <= x && x <= a + w && b <= y && y <= b + h);
              return [e.dataset.dragon, Number(e.dataset.space), on];
            })"""
        spaces = positions(self.made, move)
        wanted = [[colour, s, s] for colour, s in zip(COLOURS, spaces, strict=False)]
        until(lambda: self.run(script) == wanted)  # they glide there

    def errors(self) -> list[Any]:
        return [line for line in self.browser.get_log("browser") if line["level"] != "INFO"]


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


HOME, END, LEFT_KEY, RIGHT_KEY = "\ue011", "\ue010", "\ue012", "\ue014"


def test_the_page_is_looked_through(browser: Any, tmp_path: Path) -> None:
    made = {**play(Rules(3)).record(), "riders": ["Ann", EVIL, "W" * 60]}
    total = len(made["moves"])
    shown = Shown(browser, tmp_path / "game.html", made)
    shown.shows(0)
    for move in (1, 2, 3):
        shown.click("#forward")
        shown.shows(move)
    shown.click("#back")
    shown.shows(2)
    shown.click("#last")
    shown.shows(total)
    shown.click("#forward")
    shown.shows(total)
    shown.click("#first")
    shown.shows(0)
    shown.press(RIGHT_KEY)
    shown.press(RIGHT_KEY)
    shown.press(LEFT_KEY)
    shown.shows(1)
    shown.press(END)
    shown.shows(total)
    shown.press(HOME)
    shown.shows(0)
    slide = (
        "const slider = document.getElementById('slider'); slider.value = arguments[0];"
        "slider.dispatchEvent(new Event('input'))"
    )
    shown.run(slide, total // 2)
    shown.shows(total // 2)
    browser.find_element("css selector", "#slider").send_keys(RIGHT_KEY)
    shown.shows(total // 2 + 1)
    shown.click("[data-move='5']")
    shown.shows(5)
    lines = "return document.querySelectorAll('#scores polyline[data-line]').length"
    assert shown.run(lines) == 3
    assert shown.run("return document.querySelectorAll('script').length") == 2
    assert shown.errors() == []


def test_the_page_plays_and_pauses(browser: Any, tmp_path: Path) -> None:
    made = play(Rules(3)).record(4)
    shown = Shown(browser, tmp_path / "game.html", made)
    label = "return document.getElementById('play').textContent"
    slider = "return Number(document.getElementById('slider').value)"
    shown.click("#play")
    assert shown.run(label) == "pause"
    until(lambda: shown.run(slider) >= 2)
    shown.press(" ")
    assert shown.run(label) == "play"
    stopped = shown.run(slider)
    time.sleep(1)
    assert shown.run(slider) == stopped < 4
    shown.press(" ")
    until(lambda: shown.run(slider) == 4 and shown.run(label) == "play")  # stops at the end
    shown.shows(4)
    shown.click("#play")  # and starts again from the deal
    assert shown.run(slider) < 2
    shown.click("#play")
    assert shown.errors() == []


@pytest.mark.parametrize("seat", [None, 2])
def test_texts_do_not_overlap_in_the_browser(
    browser: Any, tmp_path: Path, seat: int | None
) -> None:
    made = {**play(Rules(5)).record(), "riders": ["Ann", "WM" * 30, "i" * 90, EVIL, "\u4e2d" * 40]}
    shown = Shown(browser, tmp_path / "game.html", made, seat)
    script = """
        const board = document.querySelector("#board svg").getBoundingClientRect();
        const boxes = [...document.querySelectorAll("#board text")].map((e) => {
          const { left, right, top, bottom } = e.getBoundingClientRect();
          const y = (top + bottom) / 2 - board.top;
          return [e.textContent, left - board.left, right - board.left, y];
        });
        const width = board.width;
        const out = boxes.filter(([, left, right]) => left < 0 || right > width * 950 / 960);
        const over = boxes.filter(([, left, right, y], i) => boxes.slice(i + 1).some(
          ([, a, b, z]) => Math.abs(y - z) < 3 && left < b && a < right));
        return [...out, ...over]"""
    for key in (HOME, END):
        shown.press(key)
        time.sleep(0.5)
        assert shown.run(script) == []
    chart_script = """
        const chart = document.querySelector("#scores svg");
        const { left, right, bottom } = chart.getBoundingClientRect();
        return [...document.querySelectorAll("#scores text")].filter((e) => {
          const box = e.getBoundingClientRect();
          return box.right > right || box.left < left || box.bottom > bottom;
        }).length"""
    assert shown.run(chart_script) == 0
    assert shown.errors() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(browser: Any, tmp_path: Path, scheme: str) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
    try:
        made = {**play(Rules(3)).record(), "riders": ["Ann", EVIL, "W" * 60]}
        shown = Shown(browser, tmp_path / "game.html", made)
        assert shown.run("return document.documentElement.scrollWidth") <= 390
        beyond = (
            "return [...document.querySelectorAll('button, input, svg, li, output')].filter((e) =>"
            " e.getBoundingClientRect().right > 390.5).map((e) => e.outerHTML)"
        )
        assert shown.run(beyond) == []
        names = "return document.querySelector('[data-part=seat-2]').getBoundingClientRect().width"
        assert shown.run(names) > 300  # wide enough to be read
        back = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        assert (max(shown.run(back)) < 100) == (scheme == "dark")
        shown.click("#last")
        shown.shows(len(made["moves"]))
        assert shown.errors() == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
