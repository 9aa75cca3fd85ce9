"""A person at the terminal: what is shown and what is not, every way to answer, and leaving."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.human import HELP, PROMPT, Human, Quit, find
from drago_env import MountDrago, Rules, play, resolve, storage
from drago_env.game import Game, State
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago_v0 import single_env
from drago_env.policy import Policy, View, plans
from tests.adapters import VARIANTS, episode
from tests.conftest import Table, at, random_game

RNG = np.random.default_rng(0)


def ask(policy: Policy, game: Game, state: State) -> Any:
    return policy.act(game.observe(state), game.legal(state).mask, RNG, View(game, state))


class Person:
    """A human whose lines are known beforehand; keeps all that is shown."""

    def __init__(self, lines: Iterable[str], colour: bool = False) -> None:
        self._lines: Iterator[str] = iter(lines)
        self.shown: list[str] = []
        self.prompts = 0
        self.policy = Human(self._read, self.shown.append, colour)

    def _read(self, prompt: str) -> str:
        assert prompt == PROMPT
        self.prompts += 1
        for line in self._lines:
            return line
        raise EOFError

    @property
    def text(self) -> str:
        return "\n".join(self.shown)

    def choose(self, game: Game, state: State) -> list[int]:
        """What the human does in these games, which must stay as they are."""
        mask, before = game.legal(state).mask, state.tobytes()
        chosen = ask(self.policy, game, state)
        assert state.tobytes() == before
        assert mask[np.arange(len(mask)), chosen].all()
        assert (chosen.shape, chosen.dtype) == ((len(mask),), np.int64)
        return [int(action) for action in chosen]


def answered(table: Table, *lines: str) -> str:
    """The move that these lines choose, in words."""
    (action,) = Person(lines).choose(table.game, table.state)
    return table.game.action_text(action)


def positions(every: int) -> Iterator[tuple[Table, list[str]]]:
    """Positions of random games of every kind, with their legal moves in the order of the list."""
    for seed, (players, edition) in enumerate(VARIANTS):
        for number, table in enumerate(random_game(Rules(players, edition), seed)):
            legal = table.game.legal(table.state)
            discarding = legal.counts[0] and legal.actions[0, 0] >= 100
            if legal.counts[0] and (discarding or number % every == 0):
                listed = legal.actions[0, : legal.counts[0]].tolist()
                yield table, [table.game.action_text(action) for action in listed]


# ---------------------------------------------------------------- answers


def test_every_move_can_be_chosen_by_number_and_by_its_words() -> None:
    seen = set()
    for table, moves in positions(17):
        for number, move in enumerate(moves, 1):
            short = move.removeprefix("play ").replace(" and keep", " keep")
            for line in (str(number), f" {number} ", move, short, short.upper().replace(" ", "  ")):
                assert answered(table, line) == move
        seen |= {word for move in moves for word in move.split()}
    assert {"keep", "discard", "done", "lightblue", "orange", "5"} <= seen


BLUE = ["play blue 3", "play black 3", "play red 2", "play blue 3 and keep", "play red 2 and keep"]
LIGHT = ["play blue 1", "play blue 4", "play lightblue 1"]
DISCARDS = ["discard red 2", "discard red 3", "discard gray 3", "done discarding"]


@pytest.mark.parametrize(
    ("moves", "line", "meant"),
    [
        (BLUE, "1", 0),
        (BLUE, "4", 3),
        (BLUE, "blue 3", 0),  # clause 10.1: it takes the dragon
        (BLUE, "play blue 3", 0),
        (BLUE, "blue 3 keep", 3),
        (BLUE, "blue3keep", 3),
        (BLUE, "play blue 3 and keep", 3),
        (BLUE, "blue 3, keep", 3),
        (BLUE, "blu", 0),
        (BLUE, "bla", 1),
        (BLUE, "r k", 4),
        (BLUE, "red", 2),
        (LIGHT, "light blue 1", 2),
        (LIGHT, "light  blue1", 2),
        (LIGHT, "lightblue", 2),
        (LIGHT, "blue 1", 0),
        (DISCARDS, "red 2", 0),
        (DISCARDS, "discard red 3", 1),
        (DISCARDS, "dis g", 2),
        (DISCARDS, "done", 3),
        (DISCARDS, "do", 3),
    ],
)
def test_words_find_their_move(moves: list[str], line: str, meant: int) -> None:
    assert find(line, moves) == [moves[meant]]


@pytest.mark.parametrize(
    ("moves", "line", "meant"),
    [
        (BLUE, "bl 3", [0, 1, 3]),
        (BLUE, "keep", [3, 4]),
        (BLUE, "play", [0, 1, 2, 3, 4]),
        (LIGHT, "blue", [0, 1]),
        (DISCARDS, "red", [0, 1]),
        (DISCARDS, "d", [0, 1, 2, 3]),
    ],
)
def test_what_fits_several_moves_names_them(moves: list[str], line: str, meant: list[int]) -> None:
    assert find(line, moves) == [moves[place] for place in meant]


NOTHING = [
    *("", "0", "6", "-1", "+1", "1.0", "1e0", "01", "3 3", "9" * 5000, "\u00b2", "\x00", "1\x001"),
    *("3 blue", "blue 2", "blue -3", "blue 33", "blue 3!", "blue 3 keep keep", "black 3 keep"),
    *("lightblue 3", "discard blue 3", "done", "blau 3", "b" * 5000, "\ud800", "blue \u0663"),
]


@pytest.mark.parametrize("line", NOTHING, ids=range(len(NOTHING)))
def test_what_is_no_move_fits_nothing(line: str) -> None:
    assert find(line, BLUE) == []


def test_a_bad_line_is_answered_and_asked_again() -> None:
    table = at(hands=["blue 3, black 3, red 2", "orange 1"], rides=["red 1", "green 1"])
    person = Person(["bl 3", "banana", "", "99", "?", "black 3"])
    assert person.choose(table.game, table.state) == [table.actions["play black 3"]]
    assert person.prompts == 6
    *_, first, second, third, fourth, helped = person.shown
    assert "'bl 3' may mean: play blue 3, play black 3" in first
    for line, answer in (("banana", second), ("", third), ("99", fourth)):
        assert answer.startswith(f"'{line}' is none of your moves: type 1 to 5,")
    assert helped.startswith(HELP)
    assert helped.endswith(table.game.table.rules)
    assert table.game.table.legend in helped


TABLE = at(hands=["blue 3, black 3, red 2", "orange 1"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=12) | st.text("bluekep123 ?,-", max_size=12), max_size=4))
def test_no_line_breaks_it(lines: list[str]) -> None:
    person = Person([*lines, "2"])
    try:
        assert len(person.choose(TABLE.game, TABLE.state)) == 1
    except Quit:
        assert any(line.strip().lower() in ("q", "quit") for line in lines)
    person.text.encode("ascii")  # every terminal can show it


def test_bytes_that_are_no_text_are_a_bad_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = at(hands=["blue 3", "orange 1"])
    lines = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), encoding="utf-8", errors="strict")
    monkeypatch.setattr(sys, "stdin", lines)
    with pytest.raises(Quit):
        ask(Human(), table.game, table.state)
    assert "is none of your moves: type 1 to 2" in capsys.readouterr().out


# ---------------------------------------------------------------- what is shown


def test_the_list_has_every_move_with_its_number() -> None:
    for table, moves in positions(29):
        person = Person("1")
        person.choose(table.game, table.state)
        shown = re.findall(r"^ +(\d+)  (\S.*?)(?:  .*)?$", person.text, re.MULTILINE)
        assert [move for number, move in shown][-len(moves) :] == moves
        assert [int(number) for number, _ in shown][-len(moves) :] == [*range(1, len(moves) + 1)]
        assert f"you are rider {table.state['seat'][0]}" in person.text


def test_the_words_beside_a_move_are_what_it_does() -> None:
    told = {"points": 0, "ends": 0, "changes": 0, "no draw": 0}
    for table, moves in positions(5):
        person = Person("1")
        person.choose(table.game, table.state)
        for move, line in zip(moves, person.shown[-len(moves) :], strict=True):
            words = line.partition(move)[2].removeprefix(" and keep")
            effect = " ".join(words.split())  # in several lines where it is long
            _compare(table, move, effect, told)
    assert min(told.values()) > 3


def _compare(table: Table, move: str, effect: str, told: dict[str, int]) -> None:
    """The words against the move itself, made in a clone."""
    game, state = table.game, table.state
    seat, clone = int(state["seat"][0]), state.copy()
    outcome = game.step(clone, [table.actions[move]])
    gains = [int(gain) for gain in outcome.points[0, : table.rules.players]]
    called = ["you" if other == seat else f"rider {other}" for other in range(len(gains))]
    for name, gain in zip(called, gains, strict=True):
        assert (f"{name} {gain:+d}" in effect.split("; ")[0].split(", ")) == (gain != 0)
    ends = bool(game.over(clone)[0])
    changes = table.rides(seat)[:-2] != Table(game, clone).rides(seat)[:-2]
    assert ("the game ends" in effect) == ends
    if effect and not ends:
        assert ("you ride it" in effect) == changes
        space = clone["position"][0, COLOURS.index(Table(game, clone).rides(seat)[:-2])]
        assert effect.endswith(f", value {table.rules.board.values[space]}")
    if effect and not ends and clone["seat"][0] != seat:  # neither ended nor about to discard
        short = clone["hand_size"][0, seat] < state["hand_size"][0, seat]
        assert ("no draw" in effect) == short
    told["points"] += any(gains)
    told["ends"] += ends
    told["changes"] += changes
    told["no draw"] += "no draw" in effect


def test_nothing_hidden_is_shown() -> None:
    differ = 0
    for table, _ in positions(19):
        seat = int(table.state["seat"][0])
        texts, hands = set(), set()
        for seed in range(3):
            clone = table.game.determinize(table.state, [seat], [seed])
            person = Person(["?", "nonsense", "1"])
            person.choose(table.game, clone)
            texts.add(person.text)
            hands.add(clone["hand"].tobytes())
        assert len(texts) == 1
        differ += len(hands) > 1
    assert differ > 30


def test_colours_are_shown_where_they_help() -> None:
    table = at(hands=["blue 3"])
    plain, coloured = Person("1"), Person("1", colour=True)
    for person in (plain, coloured):
        person.choose(table.game, table.state)
    assert "\x1b[" in coloured.text
    assert "\x1b" not in plain.text
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured.text) == plain.text


@pytest.mark.parametrize(("terminal", "variable"), [(True, None), (True, "1"), (False, None)])
def test_the_policy_by_name_looks_at_the_terminal(
    terminal: bool, variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    if variable:
        monkeypatch.setenv("NO_COLOR", variable)
    table = at(hands=["blue 3"])
    ask(resolve("human"), table.game, table.state)
    assert ("\x1b[" in screen.getvalue()) == (terminal and not variable)


def test_several_games_are_asked_one_by_one() -> None:
    game = MountDrago(Rules(3))
    person = Person(["2", "what", "1", "3"])
    state = game.new(range(3))
    listed = game.legal(state).actions[[0, 1, 2], [1, 0, 2]]
    assert person.choose(game, state) == listed.tolist()
    assert re.findall(r"game . of .", person.text) == [f"game {n} of 3" for n in (1, 2, 3)]


# ---------------------------------------------------------------- games


def test_a_whole_game_against_others() -> None:
    game = MountDrago(Rules(2))
    person = Person(iter(lambda: "1", ""))
    played = play(game, [person.policy, "uniform"], [7])
    (record,) = played.records
    assert record["riders"] == ["human", "uniform"]
    assert person.prompts == sum(move["seat"] == 0 for move in record["moves"]) > 5
    assert played.winners.any()


def test_the_name_human() -> None:
    policy: Any = resolve("human")
    assert isinstance(policy, Human)
    assert policy.name == "human"
    assert plans(policy)
    with pytest.raises(ValueError, match="cannot be made"):
        resolve("human:name=eve")


def test_without_a_view_it_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="needs a view"):
        Human().act(np.zeros((1, 308), np.float32), np.ones((1, 151), np.int8), RNG)


@pytest.mark.parametrize("line", ["q", " Q ", "quit", None, KeyboardInterrupt])
def test_leaving(line: Any) -> None:
    def read(prompt: str) -> str:
        if isinstance(line, str):
            return line
        raise line or EOFError

    table, shown = at(hands=["blue 3"]), list[str]()
    before = table.state.tobytes()
    with pytest.raises(Quit, match="you left"):
        ask(Human(read, shown.append), table.game, table.state)
    assert table.state.tobytes() == before
    with pytest.raises(Quit):
        play(table.game, ["uniform", Human(read, shown.append)], [1])


def test_a_game_that_was_left_is_not_broken() -> None:
    person = Person(["1", "1", "q", *["1"] * 500])
    single: Any = single_env(opponents=person.policy, seat=0)
    single.reset(seed=3)
    with pytest.raises(Quit):
        episode(single)
    storage.check(MountDrago(Rules(2)), single.snapshot()["state"])
    single.reset(seed=3)
    assert episode(single)[-1][2]
