"""What people see of Dragon Delta: programs face down, clickable parts, news, lines, replays."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agents.play import Command
from drago_env.dragon_delta import record
from drago_env.dragon_delta.actions import card_text, encode
from drago_env.dragon_delta.cards import looks
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import Map
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import LINK, MOVE, PLANK, PROGRAM, REMOVE, STONE
from drago_env.game import Move, State
from drago_env.pictures.page import Replay
from drago_env.pictures.picture import plain
from drago_env.pictures.table import names_of
from tests.dragon_delta.oracle import reference_of
from tests.dragon_delta.reference import Reference
from tests.test_server import ask, game_of, serving

KINDS = ("stone1", "plank1", "move1", "stones2", "jump")


def random_game(rules: Rules, seed: int) -> tuple[DragonDelta, list[tuple[State, int]]]:
    """A rule book, and the positions of a random game with what is done in each."""
    game, rng = DragonDelta(rules), np.random.default_rng(seed)
    state, found = game.new(seed), []
    while not game.over(state)[0]:
        legal = game.legal(state)
        action = int(rng.choice(legal.actions[0, : legal.counts[0]]))
        found.append((state.copy(), action))
        game.step(state, [action])
    return game, [*found, (state, -1)]


def slots(game: DragonDelta, state: State, seat: int, viewer: int | None) -> list[str]:
    """What the slots of a seat show."""
    parts = game.table.parts(state, viewer, None, names_of(game, state))
    data = {part.name: part.data for part in parts}
    return [data[f"slot-{seat}-{slot}"]["card"] for slot in range(game.rules[0].slots)]


def test_cards_lie_face_down_until_their_slot() -> None:
    game, played = random_game(Rules(3, max_rounds=2), 1)
    open_ones = 0
    for state, _ in played:
        it, rules = state[0], game.rules[0]
        shown = 0 if it["step"] == PROGRAM else int(it["slot"]) + 1
        for seat in range(3):
            laid = [card_text(card, rules, seat) for card in it["program"][seat] if card != 255]
            empty = [""] * (5 - len(laid))
            assert slots(game, state, seat, seat) == slots(game, state, seat, None) == laid + empty
            hidden = ["?" if slot >= shown else card for slot, card in enumerate(laid)]
            assert slots(game, state, seat, (seat + 1) % 3) == hidden + empty
            open_ones += shown
    assert open_ones


def test_choices_point_at_what_is_clicked() -> None:
    kinds = {PROGRAM: "slot", STONE: "islet", PLANK: "reserve", LINK: "link"}
    game, played = random_game(Rules(6, max_rounds=5), 2)
    seen = set()
    for state, _ in played[:-1]:
        step = int(state["step"][0])
        seen.add(step)
        for choice in game.table.choices(state, names_of(game, state)):
            first = choice.parts[0].split("-")[0]
            if step == REMOVE:
                assert first in ("stone", "plank")
            elif step >= MOVE:
                assert first in ("plank", "village")
                assert choice.parts[1] == f"pawn-{state['seat'][0]}"
            else:
                assert first == kinds[step]
    assert seen >= {*kinds, REMOVE, MOVE}


def test_a_hand_is_what_is_not_laid_yet() -> None:
    game = DragonDelta(Rules(4))
    state = game.new(0)
    before = [card.name for card in game.table.hand(state, 0)]
    assert len(before) == 11  # clause 2.3
    assert before[-3:] == [f"dragon against {colour}" for colour in ("red", "blue", "green")]
    game.step(state, [encode("card", 9, game.rules[0])])
    assert [card.name for card in game.table.hand(state, 0)] == [*before[:9], before[10]]
    choices = game.table.choices(state, names_of(game, state))
    assert [choice.button for choice in choices] == before[:8]  # one dragon is enough (4.2)


class Watched(Reference):
    """The reference, which writes down what happens between two decisions."""

    rules: Rules

    def __post_init__(self) -> None:
        super().__post_init__()
        self.seen: list[str] = []

    def begins(self, seat: int) -> bool:
        colours = self.board.data["seats"][str(self.players)]
        if seat == self.marker:  # 5.1
            cards = [program[self.slot] for program in self.programs]
            shown = [
                f"{c} {card_text(n, self.rules, s)}"
                for s, (c, n) in enumerate(zip(colours, cards, strict=True))
            ]
            self.seen.append(f"slot {self.slot + 1}: {', '.join(shown)}")
        before = self.pawns[seat]
        asks = super().begins(seat)
        if self.pawns[seat] != before:  # 7.1
            self.seen.append(f"{colours[seat]} falls")
        return asks

    @classmethod
    def of(cls, rules: Rules) -> Watched:
        plain = reference_of(rules)
        made = cls(**{part.name: getattr(plain, part.name) for part in fields(plain)})
        made.rules = rules
        return made

    def follow(self, action: int) -> str:
        """What comes of an action."""
        self.seen, lost, number = [], set(self.lost), self.round
        self.apply(action)
        colours = self.board.data["seats"][str(self.players)]
        told = [f"{colours[colour]} {n} is lost" for colour, n in self.lost - lost] + self.seen
        if self.round > number:
            told.append(f"round {self.round}, {colours[self.marker]} is first")
        return "; ".join(told)


def test_news_tell_what_was_revealed_and_what_followed() -> None:
    told = []
    for seed in range(12):
        rules = Rules(2 + seed % 5, max_rounds=6, move2_village=seed % 2 > 0)
        game, played = random_game(rules, seed)
        reference = Watched.of(rules)
        for (before, action), (after, _) in pairwise(played):
            news = game.table.news(before, action, after, 0)
            assert news == reference.follow(action)
            told.append(news)
    everything = "; ".join(filter(None, told))
    for word in ("falls", "is lost", "round 2, ", "falls; slot"):
        assert word in everything
    assert "" in told


def news_of(rules: Rules, actions: str) -> list[str]:
    """What the news tell of each of these actions from the start."""
    game = DragonDelta(rules)
    state, told = game.new(0), []
    for action in map(int, actions.split()):
        before = state.copy()
        game.step(state, [action])
        told.append(game.table.news(before, action, state, 0))
    return told


@pytest.mark.parametrize("max_rounds", [1, 20])
def test_the_last_card_of_a_program_is_revealed_though_nobody_decides(max_rounds: int) -> None:
    *quiet, last = news_of(Rules(max_rounds=max_rounds), "5 6 7 4 8  6 5 7 8 4")
    assert quiet == [""] * 9  # face down
    assert "slot 5: white dragon against black, black remove" in last
    assert last.count("slot") == 5
    assert ("round 2" in last) == (max_rounds > 1)


def test_a_pawn_that_steps_and_falls_in_one_move_is_told_to_fall() -> None:
    told = news_of(Rules(), "0 2 5 7 1  5 6 7 4 8  26 41 168 168")
    assert told[-1].startswith("slot 4: white jump, black remove; white falls")


def test_a_pawn_that_could_have_gone_home_and_falls_later_is_told_to_fall() -> None:
    program = "program stones2,program planks2,program move1,program stone1,program plank1,"
    build = "islet 13,islet 15,plank 2,13-27,plank 4,13-15,13-27,"
    again = "program move1,program jump,program stone1,program stones2,program plank1,13-15"
    idle = "program jump,program move1,program move2,program stone1,program plank1,"
    wishes = (program + build + again).split(","), (idle + idle).split(",")
    game = DragonDelta(Rules())
    state = game.new(0)
    while wishes[0]:
        wished, legal = wishes[int(state["seat"][0])], game.legal(state)
        words = [game.action_text(a) for a in legal.actions[0, : legal.counts[0]].tolist()]
        home_was_open = "white's village" in words
        before = state.copy()
        action = game.action_from_text(wished.pop(0) if wished[0] in words else words[0])
        game.step(state, [action])
        told = game.table.news(before, action, state, 0)
    assert home_was_open
    assert "white jump" in told
    assert "white falls" in told


@pytest.mark.parametrize("players", [2, 6])
def test_no_line_is_longer_than_a_terminal(players: int) -> None:
    game, played = random_game(Rules(players, max_rounds=8), players)
    names = [f"a player whose name is long {seat}" for seat in range(players)]
    for state, action in played[::9]:
        last = Move(0, max(action, 0), "take the plank from 13-27", ())
        lines = plain(game.table.text(state, None, last, names)).splitlines()
        assert max(map(len, lines)) <= 80
        assert sum(line.startswith("> ") for line in lines) == (not game.over(state)[0])
        assert any(line.endswith(f"{names[0]}: {last.text}") for line in lines)


def test_a_view_is_shown_as_the_seat_saw_the_game() -> None:
    for moves in (None, 24):  # to the end, and to where others have laid cards that stay hidden
        game, played = random_game(Rules(3, max_rounds=2), 5)
        actions = [action for _, action in played[:-1]][:moves]
        made = game.record(game.new(5), actions)
        for seat in range(3):
            view = record.view(made, seat)
            assert seen(record.pictures(view, seat)) == seen(record.pictures(made, seat))
    hiding = record.view(game.record(game.new(5), actions[:15]), 2)
    assert seen(record.pictures(hiding)) == seen(record.pictures(hiding, 2))
    with pytest.raises(ValueError, match="hides cards of seat 0"):
        record.pictures(hiding, 0)


def seen(film: Replay) -> list[Any]:
    """All that a replay shows."""
    return [(vars(frame.picture), frame.last and frame.last.text) for frame in film.frames]


def test_colours_of_any_map_can_be_told_apart() -> None:
    colours = ("white", "pink", "plum", "blue", "brown", "p")
    drawn = looks(colours)
    assert len({look.letter for look in drawn.values()}) == 6
    assert len({look.tint for look in drawn.values()}) == 6
    data = Map.tiny().as_dict()
    for village, (colour, goal) in zip(
        data["villages"], (("pink", "plum"), ("plum", "pink")), strict=True
    ):
        village |= {"colour": colour, "goal": goal}
    data["seats"] = {"2": ["pink", "plum"]}
    game = DragonDelta(Rules(kinds=(0, 3, 5), slots=3, map=Map.from_dict(data)))
    assert "plum" in game.draw(game.new(0)).svg()


def test_a_round_is_played_by_clicks_on_the_page(browser: Any) -> None:
    with serving(Command(("uniform",), game="dragon_delta", seat=0), seed=3) as server:
        browser.get(server.url)
        click = "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        busy = "return document.getElementById('table').getAttribute('aria-busy')"
        done: list[str] = []
        while not {"slot", "islet", "reserve", "link"} <= set(done):
            while browser.execute_script(busy) != "false":
                pass
            browser.execute_script("document.getElementById('pace').value = '0'")
            told = ask(server, game_of(server)).json
            lays = told["legal"][0]["parts"][0].startswith("slot")
            card = KINDS[done.count("slot") % 5] if lays else ""
            fitting = [c for c in told["legal"] if c["button"] == card] or told["legal"]
            choice = max(fitting, key=lambda c: "islet 13" in c["text"] or "fits" in c["effect"])
            part = choice["parts"][0]
            where = f"[data-name='{card}']" if card else f"[data-part='{part}'] > :first-child"
            reached = browser.find_elements("css selector", "#board .reach")
            assert part in [node.get_attribute("data-part") for node in reached]
            browser.execute_script(click, browser.find_element("css selector", where))
            done.append(part.split("-")[0])
            assert len(done) < 40
        assert done[:5] == ["slot"] * 5
        assert [line for line in browser.get_log("browser") if line["level"] != "INFO"] == []
