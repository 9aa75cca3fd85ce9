"""The page to play on, in a real browser: clicks, keys, reloads, two windows, every width."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from agents.play import Command
from agents.routes import Games
from agents.server import Server
from drago_env import record
from drago_env.mount_drago import scene
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.visible import CODES
from tests.games import NAMES
from tests.mount_drago.test_page import until
from tests.test_server import ask, game_of, serving

LEFT_KEY, RIGHT_KEY, ENTER, ESCAPE, TAB = "\ue012", "\ue014", "\ue007", "\ue00c", "\ue004"


class Window:
    """The page in the browser, spoken of in words."""

    def __init__(self, browser: Any, server: Server, pace: str = "at once") -> None:
        self.browser, self.server = browser, server
        browser.get(server.url)
        self.wait()
        for option in self.all("#pace option"):
            if option.text == pace:
                option.click()
        self.run("document.activeElement.blur()")  # a list of choices keeps its keys to itself

    def all(self, selector: str) -> list[Any]:
        return [e for e in self.browser.find_elements("css selector", selector) if e.is_displayed()]

    def text(self, selector: str) -> str:
        return "\n".join(element.text for element in self.all(selector))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def wait(self) -> None:
        """Until it is the person's turn, or the end."""
        busy = "return document.querySelector('[aria-busy]')?.getAttribute('aria-busy')"
        until(lambda: self.run(busy) == "false", 120)  # the first hint may be compiled

    def click(self, selector: str, number: int = 0) -> None:
        self.all(selector)[number].click()
        self.wait()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)
            self.wait()

    @property
    def position(self) -> Any:
        return ask(self.server, game_of(self.server)).json

    def shows_the_game(self) -> None:
        """Parts, seats, hand, buttons and log are those of the server."""
        told = self.position
        frame = told["frames"][-1]
        parts = self.run(
            "return [...document.querySelectorAll('#board .part')]"
            ".map((e) => [e.dataset.part, e.dataset.space])"
        )
        assert parts == [[part["name"], str(part["data"]["space"])] for part in frame["parts"]]
        seats = self.run(
            "return [...document.querySelectorAll('.seat')].map(e => [e.querySelector('strong')"
            ".textContent, +e.querySelector('.score').lastChild.textContent])"
        )
        assert seats == [[seat["name"], seat["points"]] for seat in frame["seats"]]
        names = "return [...document.querySelectorAll('.card')].map(e => e.dataset.name)"
        cards, behind = [card["name"] for card in frame["hand"]], buttons(told)
        assert self.run(names) == [*cards, *(name for name in behind if name not in cards)]
        enabled = self.run(names.replace(".card", ".card:enabled"))
        assert list(dict.fromkeys(enabled)) == sorted(behind, key=enabled.index)
        assert self.run("return document.querySelectorAll('#log li').length") == len(told["log"])
        assert told["game"] in self.text("#name")
        assert self.text("#title") == self.browser.title == told["title"]

    def errors(self) -> list[Any]:
        return [line for line in self.browser.get_log("browser") if line["level"] != "INFO"]


def buttons(position: Any) -> list[str]:
    """What the choices lie behind."""
    return list(dict.fromkeys(choice["button"] for choice in position["legal"]))


DONE = "[data-name='done discarding']"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Command(("uniform",)), seed=124) as started:
        yield started


@pytest.fixture
def tie() -> Iterator[Server]:
    with serving(Command(("uniform",)), seed=1072) as started:  # with discards, shared at the end
        yield started


# ---------------------------------------------------------------- clicks


def test_a_whole_game_by_clicks(browser: Any, tie: Server) -> None:
    window, server, seen = Window(browser, tie), tie, set[str]()
    window.shows_the_game()
    assert window.text("#status") == "Your turn: play a card."
    while not window.position["over"]:
        assert not window.all("#record, #replay, #review")
        if window.all(DONE):
            window.click(DONE if "discard" in seen else ".card:enabled")
            seen.add("done" if "discard" in seen else "discard")
        else:
            cards = window.all(".card:enabled")
            asked = "keep " in cards[0].text
            window.click(".card:enabled")
            assert asked == bool(window.all("#question"))
            if asked:
                answer = "keep" if "take" in seen else "take"
                seen.add(answer)
                moves = [move["text"] for move in window.position["legal"]]
                window.click(f"[data-key={answer[0]}]")
                last = [line["text"] for line in window.position["log"] if line["seat"] == 0][-1]
                assert last.removeprefix("you: ") in moves
                assert last.endswith("and keep") == (answer == "keep")
        if window.position["version"] % 5 == 0:
            window.shows_the_game()
    window.shows_the_game()
    assert seen == {"take", "keep", "discard", "done"}
    assert "share the victory" in window.text("#status")
    files = [link.text for link in window.all("#files a")]
    assert files == ["Download your view", "Download the record"]
    made = json.loads(ask(server, f"{game_of(server)}/record").body)
    record.verify(made)
    scores = f"you {made['scores'][0]}, uniform {made['scores'][1]}."
    assert window.text("#status").endswith(scores)
    browser.get(window.all("#replay")[0].get_attribute("href"))
    assert f"of {len(made['moves'])}" in window.text("#count")
    assert window.errors() == []


def test_the_others_move_one_by_one(browser: Any) -> None:
    with serving(Command(("greedy",), players=4, seat=2), seed=4) as server:
        window = Window(browser, server, "fast")
        window.run(
            "window.told = []; window.spaces = []; new MutationObserver(() => {"
            "  told.push(document.getElementById('told').textContent);"
            "  spaces.push(JSON.stringify([...document.querySelectorAll('#board .part')]"
            "    .map((e) => e.dataset.space)));"
            "}).observe(document.getElementById('told'), { childList: true })"
        )
        before = len(window.position["log"])
        window.click(".card:enabled")
        if window.all("#answers button"):
            window.click("#answers button")
        lines = [line["text"] for line in window.position["log"][before:]]
        told = window.run("return window.told")
        assert len(lines) == 4
        for line, words in zip(lines, told, strict=False):
            assert words.startswith(line)
        assert told[-1].endswith("Your turn: play a card.")
        assert len(set(window.run("return window.spaces"))) == 4  # each move is on the board
        assert window.text("#lately").splitlines()[0].startswith(lines[1])
        assert window.errors() == []


def test_reload_keeps_the_game(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    for _ in range(3):
        window.click(".card:enabled")
        if window.all("#answers button"):
            window.click("#answers button")
    name, log = window.position["game"], window.text("#log")
    browser.refresh()
    window.wait()
    window.shows_the_game()
    assert (window.position["version"], window.text("#log")) == (3, log)
    assert window.run("return document.getElementById('pace').value") == "0"
    window.click("#undo")
    assert window.text("#study") == "study"
    browser.refresh()
    window.wait()
    assert window.text("#study") == "study"
    window.shows_the_game()
    window.all("#new")[0].click()
    until(lambda: browser.current_url.endswith("/new"))
    window.wait()
    window.click("#newest")
    until(lambda: browser.current_url.endswith(name))  # it is kept
    assert window.errors() == []


def test_two_windows_do_not_spoil_a_game(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    other = Window(browser, server)
    other.press("1")
    if other.all("#answers button"):
        other.click("#answers button")
    other.shows_the_game()
    browser.close()
    browser.switch_to.window(first)
    assert len(window.all("#log li")) == 0  # it is behind
    window.click(".card:enabled")
    if window.all("#answers button"):
        window.click("#answers button")
    assert window.position["version"] == 1
    assert "gone on in another window" in window.text("#message")
    window.shows_the_game()
    window.errors()  # the browser tells of the 409
    window.click(".card:enabled")
    if window.all("#answers button"):
        window.click("#answers button")
    assert window.position["version"] == 2
    assert not window.all("#message")
    window.shows_the_game()
    assert window.errors() == []


def test_a_hint_shows_chances(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    assert not window.all("#moves li")
    window.click("#hint")
    hint = ask(server, f"{game_of(server)}/hint?version=0").json
    lines = [item.text.split("\n") for item in window.all("#moves li")]
    assert len(lines) == len(hint["moves"])
    assert lines[0][0] == "\u2605 " + hint["moves"][0]["text"]
    widths = window.run(
        "return [...document.querySelectorAll('.bar')].map("
        "(e) => e.firstChild.getBoundingClientRect().width / e.clientWidth)"
    )
    assert widths == pytest.approx([move["chance"] for move in hint["moves"]], abs=0.02)
    (best,) = window.all(".card.best")
    (choice,) = [one for one in window.position["legal"] if one["action"] == hint["best"]]
    assert best.get_attribute("data-name") == choice["button"]
    assert "best" in best.text  # in words besides the border
    point = "arguments[0].dispatchEvent(new MouseEvent('mouseenter'))"
    window.run(point, window.all("#moves button")[1])
    second = next(c for c in window.position["legal"] if c["action"] == hint["moves"][1]["action"])
    assert [e.get_attribute("data-part") for e in window.all(".target")] == second["parts"][:1]
    window.click("#moves button", 1)
    assert window.position["log"][0]["text"] == f"you: {second['text']}"
    assert not window.all("#moves li")  # it was about the position before
    assert window.errors() == []


def test_the_board_can_be_clicked(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    choices = window.position["legal"]
    spaces = sorted({choice["parts"][0] for choice in choices})
    reach = "return [...document.querySelectorAll('.reach')].map((e) => e.dataset.part)"
    assert sorted(window.run(reach)) == spaces
    about = [choice for choice in choices if choice["parts"][0] == spaces[0]]
    window.click(f"[data-part={spaces[0]}]")
    if len(about) > 1:
        answers = [answer.text.split("\n")[0] for answer in window.all("#answers button")]
        assert len(answers) == len(about) + 1
        window.click("#answers button")
    assert window.position["version"] == 1
    own = [line["text"] for line in window.position["log"] if line["seat"] == 0]
    assert own == [f"you: {about[0]['text']}"]
    window.shows_the_game()
    ground = "document.querySelector('[data-part=mountain]')"
    window.run(f"{ground}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
    window.wait()  # nothing is about the ground
    assert window.position["version"] == 1
    assert window.errors() == []


# ---------------------------------------------------------------- keys


def focused(window: Window) -> str:
    return str(window.run("return document.activeElement.getAttribute('aria-label') ?? ''"))


def test_it_can_be_played_with_keys_alone(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    number = next(n for n, card in enumerate(window.all(".card"), 1) if "keep " in card.text)
    window.press(str(number))
    assert window.all("#question")
    assert window.run("return document.activeElement.dataset.key") == "t"
    window.press(ESCAPE)
    assert not window.all("#question")
    assert "; or keep " in focused(window)
    window.press(ENTER, RIGHT_KEY, ENTER)  # the second answer is to keep
    assert window.position["log"][0]["text"].endswith("and keep")
    assert focused(window).startswith(window.all(".card")[0].get_attribute("data-name"))
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert window.run(outline) == "solid"
    window.press(RIGHT_KEY, RIGHT_KEY, LEFT_KEY)
    assert window.run("return document.activeElement.dataset.name") == (
        window.all(".card")[1].get_attribute("data-name")
    )
    assert len(window.all(".target")) == len(window.all(".mover")) == 1
    window.press("h")
    assert window.all("#moves li")
    window.press("u")
    assert window.position["version"] == 2
    assert window.text("#study") == "study"
    window.press(str(number), "t")
    assert not window.position["log"][0]["text"].endswith("and keep")
    window.press("9", "x", "d", "k", "t", ESCAPE)  # nothing that they could mean now
    assert window.position["version"] == 3
    assert window.errors() == []


def test_tab_reaches_everything(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    window.run("document.activeElement.blur()")
    reached = set()
    for _ in range(20):
        window.press(TAB)
        reached.add(window.run("const e = document.activeElement; return e.id || e.className"))
    assert {"hint", "new", "pace", "card", "log", "view"} <= reached
    window.run("document.getElementById('hint').focus()")
    window.press(ENTER)
    assert window.run("return document.activeElement.id") == "hint"  # the focus is not lost


# ---------------------------------------------------------------- everybody can read it


def test_words_for_those_who_do_not_see_the_board(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    label = window.run("return document.getElementById('board').getAttribute('aria-label')")
    for colour in COLOURS:
        assert f"{colour} on space 0, value 0" in label
    assert label.count("ridden by") == 2
    assert (
        window.run("return document.getElementById('told').getAttribute('aria-live')") == "polite"
    )
    for card in window.all(".card"):
        name = card.get_attribute("data-name")
        assert card.get_attribute("aria-label").startswith(f"{name}: ")
        assert card.text.count(name) == 1  # a colour is named once
        assert name.split()[1] in card.text.split("\n")
    nameless = (
        "return [...document.querySelectorAll('button, a, select')]"
        ".filter((e) => !(e.textContent + e.ariaLabel).trim()).length"
    )
    assert window.run(nameless) == 0


@pytest.mark.parametrize("width", [360, 1000, 1400])
def test_it_fits_every_width(browser: Any, width: int) -> None:
    names = ("search:playouts=16,depth=3,noise=0.1", "greedy", "uniform", "heuristic")
    with serving(Command(names), seed=2) as server:
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        try:
            window = Window(browser, server)
            for _ in range(3):
                window.press("1")
                if window.all("#answers button"):
                    window.press("t")
            window.click("#hint")
            assert window.run("return document.documentElement.scrollWidth") <= width
            beyond = window.run(
                "return [...document.querySelectorAll('button, li, p, strong, .face > kbd, a')]"
                ".filter((e) => e.getClientRects().length && !e.closest('.unseen')"
                "  && (e.getBoundingClientRect().right > arguments[0] + 0.5"
                "  || e.scrollWidth > e.clientWidth + 1 && e.clientWidth))"
                ".map((e) => e.outerHTML)",
                width,
            )
            assert beyond == []
            board = window.run("return document.querySelector('#board svg').clientWidth")
            assert board > min(0.85 * width, 480)
            assert window.errors() == []
        finally:
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_who_prefers_less_motion_gets_none(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    glide = "return getComputedStyle(document.querySelector('#board .part')).transitionDuration"
    assert window.run(glide) == "0.45s"
    reduced = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", reduced)
    try:
        assert window.run(glide) == "0s"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_letters_stand_out_from_their_card() -> None:
    """Large letters need a contrast of 3 (WCAG 2.2, 1.4.3)."""

    def light(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for dragon, tint in enumerate(scene.TINTS):
        low, high = sorted([light(tint), light(scene.ink(dragon))])
        assert (high + 0.05) / (low + 0.05) >= 3
    assert len(set(CODES)) == len(scene.TINTS)


# ---------------------------------------------------------------- from the start to the end


@contextmanager
def screen(browser: Any, width: int, height: int, scheme: str = "light") -> Iterator[None]:
    """Another size of the window, and what its user prefers."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def choose(window: Window, select: str, text: str) -> None:
    options = window.browser.find_elements("css selector", f"{select} option")
    next(option for option in options if option.text == text).click()


def test_a_table_is_chosen_on_the_page(browser: Any) -> None:
    with serving(games=Games(None, count(7).__next__, lambda made: None)) as server:
        browser.get(server.url)
        window = Window.__new__(Window)
        window.browser, window.server = browser, server
        window.run("localStorage.clear()")
        browser.refresh()
        window.wait()
        assert browser.current_url.endswith("/new")
        titles = [label.text.split("\n")[0] for label in window.all(".game")]
        assert {"Mount Drago", "Dragon Delta", "La rupe dei draghi"} <= {*titles}
        choose(window, "#players", "5 riders")
        choose(window, "#seat", "play as rider 2")
        choose(window, "#options select", "italian")
        selects = window.all("#agents select")
        assert len(selects) == 4
        for number in range(1, 5):
            choose(window, f"#agents label:nth-child({number}) select", "greedy")
        window.all("#start")[0].click()
        until(lambda: "/games/" in browser.current_url, 60)
        window.wait()
        told = window.position
        assert (told["seat"], told["variant"]) == (2, "italian edition")
        assert [seat["name"] for seat in told["frames"][-1]["seats"]][2] == "you"
        tops = window.run("return [...document.querySelectorAll('.seat')].map((e) => e.offsetTop)")
        assert len(tops) == 5
        assert len(set(tops)) == 1  # in one row
        assert window.text("#goal").startswith("Most points win.")
        browser.get(browser.current_url.rpartition("/games/")[0] + "/new")
        window.wait()
        assert window.run("return document.getElementById('players').value") == "5"
        assert window.errors() == []


def test_agents_are_watched(browser: Any) -> None:
    with serving(games=Games(None, count(7).__next__, lambda made: None)) as server:
        wish: dict[str, Any] = {
            "game": NAMES[-1],
            "agents": ["uniform"] * 3,
            "seat": None,
            "options": {},
        }
        browser.get(server.url)
        browser.execute_script("localStorage.setItem('pace', '0')")
        made = ask(server, "/api/games", wish).json
        browser.get(f"http://127.0.0.1:{server.server_port}/games/{made['game']}")
        window = Window.__new__(Window)
        window.browser, window.server = browser, server
        until(lambda: window.position["version"] >= 2, 60)  # it goes on by itself
        window.all("#go")[0].click()
        until(lambda: window.text("#go").startswith("Go on"))
        window.wait()
        version = window.position["version"]
        assert not window.all("#hint, #undo, #view")
        window.click("#one")
        assert window.position["version"] == version + 1
        window.all("#go")[0].click()
        until(lambda: window.position["over"], 60)
        until(lambda: bool(window.all("#standings")))
        assert len(window.all("#standings tr")) == 3
        until(lambda: "Click a move" in window.text("#progress"), 60)
        assert window.errors() == []


def test_the_end_has_standings_charts_and_every_position(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.review.THINKING", 5.0)
    with serving(Command(("uniform",), game="mount_drago:rules=tiny"), seed=5) as server:
        session = server.games.newest
        while not session.over:
            session.play(session.version, session.position()["legal"][0]["action"])
        window = Window(browser, server)
        until(lambda: "Click a move" in window.text("#progress"), 60)
        table = [row.text.split() for row in window.all("#standings tr")]
        listed = window.position["standings"]
        assert table == [[f"{s['place']}.", s["name"], f"{s['points']}"] for s in listed]
        assert (
            len(window.all("#scores [data-line]")) == len(window.all("#chances [data-line]")) == 2
        )
        judged = session.review()["moves"]
        own = [one["move"] for one in judged if one["mistake"] and one["seat"] == 0]
        marked = "return [...document.querySelectorAll('#log .mistake')].map(e => +e.dataset.move)"
        assert window.run(marked) == own
        assert len(window.all("#chances [data-mark]")) == len(own)
        place = (
            "return [...document.querySelectorAll('#board .part')]"
            ".map((e) => [e.dataset.part, e.dataset.space])"
        )
        for move in (1, session.moves // 2):
            window.all(f"#log [data-move='{move}']")[0].click()
            wanted = f"Move {move}, "
            until(lambda wanted=wanted: wanted in window.text("#looked"))  # type: ignore[misc]
            parts = session.frame(move)["parts"]
            assert window.run(place) == [[p["name"], str(p["data"]["space"])] for p in parts]
        window.press("\ue015")  # down: one move on
        until(lambda: f"Move {session.moves // 2 + 1}, " in window.text("#looked"))
        window.press(ESCAPE)
        until(lambda: not window.all("#looking"))
        window.shows_the_game()
        window.run(
            "const box = arguments[0].getBoundingClientRect(); arguments[0].dispatchEvent(new"
            " MouseEvent('click', { bubbles: true, clientX: box.left + 1, clientY: box.top + 9 }))",
            window.all("#scores svg")[0],
        )
        until(lambda: "The deal" in window.text("#looked"))
        window.all("#again")[0].click()
        until(lambda: not browser.current_url.endswith(session.name))
        window.wait()
        assert window.position["version"] == 0
        assert window.errors() == []


PLACES = (
    "return ['place', 'seats', 'advice', 'history'].map("
    "(id) => { const box = document.getElementById(id).getBoundingClientRect();"
    " return [id, Math.round(box.top + scrollY), Math.round(box.height)]; })"
)


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_jumps(browser: Any, width: int) -> None:
    with screen(browser, width, 800), serving(Command(("greedy",) * 3), seed=4) as server:
        window = Window(browser, server, "fast")
        places = window.run(PLACES)
        window.run(
            "window.seen = []; new MutationObserver(() => {"
            f" seen.push(JSON.stringify((() => {{ {PLACES} }})()));"
            "}).observe(document.getElementById('table'),"
            " { childList: true, subtree: true, attributes: true })"
        )
        card = next(card for card in window.all(".card") if "keep " in card.text)
        card.click()
        assert window.all("#question")
        window.click("#answers button")
        window.click("#hint")
        assert {*window.run("return window.seen")} == {json.dumps(places, separators=(",", ":"))}
        assert window.errors() == []


def test_dark_is_dark(browser: Any, server: Server) -> None:
    light = (
        "return [...document.querySelectorAll('body, #desk, .card, .seat, #log')].map((e) =>"
        " getComputedStyle(e).backgroundColor).filter((c) => !c.endsWith(', 0)'))"
        ".map((c) => Math.max(...c.match(/\\d+/g).slice(0, 3).map(Number)))"
    )
    window = Window(browser, server)
    assert min(window.run(light)) > 200
    with screen(browser, 1280, 800, "dark"):
        assert max(window.run(light)) < 100


def test_an_unknown_game_is_told_on_a_page(browser: Any, server: Server) -> None:
    window = Window(browser, server)
    browser.get(f"http://127.0.0.1:{server.server_port}/games/nothing")
    assert "there is no game 'nothing'" in window.text("#problem")
    browser.find_element("link text", "Choose a new game").click()
    until(lambda: browser.current_url.endswith("/new"))
    window.wait()
    window.errors()  # the browser tells of the 404


def test_a_server_that_is_gone_is_told_of(browser: Any) -> None:
    with serving(seed=11) as server:
        window = Window(browser, server)
    window.click("#hint")
    assert "server does not answer" in window.text("#message")
    assert window.all(".card:enabled")
    window.errors()
