"""A game that a person plays: versions, refusals, going back, hints, and what is never told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agents.frames import CARD
from agents.play import Command, seating
from agents.session import Early, Failed, Refused, Session, Stale
from drago_env import play, record
from drago_env.game import Move, State
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.record import Record
from drago_env.mount_drago.rules import EDITIONS

SEED = 2**63 + 12345678987654321  # so long that it is not met by chance
TABLES = [
    Command(("uniform",)),
    Command(("greedy", "heuristic"), seat=1, edition="italian"),
    Command(("uniform",), players=5, seat=4),
]


def sit(command: Command = TABLES[0], seed: int = SEED) -> Session:
    return Session(seating(command), seed)


def legal(session: Session) -> list[int]:
    return [move["action"] for move in session.position()["legal"]]


def go_on(session: Session, rng: np.random.Generator, moves: int = 10**6) -> None:
    """Random moves for the person, up to the end or so many."""
    while not session.over and moves:
        session.play(session.version, int(rng.choice(legal(session))))
        moves -= 1


def everything(session: Session) -> str:
    """All that the page can learn of a running game."""
    told: list[Any] = [session.position(since=0), session.view(), session.board()]
    if not session.over:
        told.append(session.hint(session.version))
    return json.dumps(told)


# ---------------------------------------------------------------- the game


@pytest.mark.parametrize("command", TABLES)
def test_it_is_the_game_that_the_play_loop_plays(command: Command) -> None:
    """The same seed and the same moves of the person give the same game."""
    table = seating(command)
    session = Session(table, SEED)
    go_on(session, np.random.default_rng(1))
    made = session.record()
    record.verify(made)
    mine = iter([move["action"] for move in made["moves"] if move["seat"] == command.seat])

    class Person:
        name = "human"

        def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
            return np.array([next(mine)])

    riders: list[Any] = [
        table.others.get(seat, Person()) for seat in range(len(table.names))
    ]  # policies without a memory play alike in both
    played = play(table.game, riders, SEED).records[0]
    assert played["moves"] == made["moves"]
    assert (played["scores"], played["seed"]) == (made["scores"], SEED)
    assert made["riders"] == list(table.names)
    assert "study" not in made


def test_it_waits_for_the_person() -> None:
    for command in TABLES:
        session = sit(command)
        rng = np.random.default_rng(2)
        while not session.over:
            position = session.position()
            frame = position["frames"][-1]
            assert position["seat"] == command.seat
            assert [seat["acts"] for seat in frame["seats"]].index(True) == command.seat
            assert frame["status"].startswith("Your turn: ")
            assert frame["hand"]
            go_on(session, rng, 1)
        position = session.position()
        assert position["over"]
        assert position["legal"] == []
        assert any(seat["wins"] for seat in position["frames"][-1]["seats"])


def test_frames_are_the_moves_one_by_one() -> None:
    session = sit(TABLES[2])
    go_on(session, np.random.default_rng(3), 4)
    before = session.moves
    go_on(session, np.random.default_rng(4), 1)
    position = session.position(before)
    assert [frame["move"] for frame in position["frames"]] == [
        *range(before + 1, session.moves + 1)
    ]
    for frame in position["frames"]:
        line = position["log"][frame["move"] - 1]
        assert line["move"] == frame["move"]
        assert line["text"].startswith("you: " if line["seat"] == 4 else "uniform")
    for since in (None, session.moves, 10**9):
        assert [frame["move"] for frame in session.position(since)["frames"]] == [session.moves]


def test_the_question_of_clause_5_3_is_two_choices_of_one_card() -> None:
    session = sit()
    position = session.position()
    choices = position["legal"]
    twice = [choice["button"] for choice in choices if choice["text"].endswith("and keep")]
    assert twice
    assert set(twice) <= {card["name"] for card in position["frames"][-1]["hand"]}
    assert all(card["size"] == CARD for card in position["frames"][-1]["hand"])
    for card in twice:
        take, keep = [choice for choice in choices if choice["button"] == card]
        assert (take["key"], keep["key"]) == ("t", "k")
        assert take["asked"] == keep["asked"] != ""
        assert "you ride it" in take["effect"]
        assert "you stay" in keep["effect"]
        # all dragons stand on the start
        assert take["parts"][0] == keep["parts"][0] == f"space-{card.split()[1]}"
        assert set(take["parts"]) <= parts(session)


def parts(session: Session) -> set[str]:
    """The names of all that is drawn."""
    ground = set(re.findall(r'data-part="([^"]+)"', session.board()))
    return ground | {part["name"] for part in session.position()["frames"][-1]["parts"]}


class Counting(MountDrago):
    """A rule book that counts the decisions that it makes."""

    steps = 0

    def step(self, *arguments: Any, **more: Any) -> Any:
        self.steps += 1
        return super().step(*arguments, **more)


def test_a_click_does_not_replay_the_game() -> None:
    table = seating(TABLES[2])
    counting = Counting(*table.game.rules)  # type: ignore[attr-defined]
    session = Session(replace(table, game=counting), SEED)
    go_on(session, np.random.default_rng(12), 12)
    before, counting.steps = session.moves, 0
    go_on(session, np.random.default_rng(13), 1)
    session.position(before)
    assert counting.steps == session.moves - before < before


# ---------------------------------------------------------------- versions and refusals


def test_what_is_stale_changes_nothing() -> None:
    session = sit()
    first = legal(session)[0]
    session.play(0, first)
    before = everything(session)
    wishes: list[Callable[[int], Any]] = [
        lambda version: session.play(version, legal(session)[0]),
        session.undo,
        session.hint,
    ]
    for version in (0, 2, -1, 10**30):
        for wish in wishes:
            with pytest.raises(Stale, match=f"has the version 1, not {str(version)[:40]}"):
                wish(version)
    assert everything(session) == before


@pytest.mark.parametrize(
    ("action", "words"), [(-1, "from 0 to 150"), (151, "not 151"), (150, "10.3")]
)
def test_an_illegal_action_changes_nothing(action: int, words: str) -> None:
    session = sit()
    before = everything(session)
    with pytest.raises(Refused, match=words):
        session.play(0, action)
    assert everything(session) == before
    assert not session.study


def test_after_the_end_nothing_is_played_or_advised() -> None:
    session = sit()
    go_on(session, np.random.default_rng(5))
    version = session.version
    with pytest.raises(Refused, match=r"the game is over \(clause 6\.7\)"):
        session.play(version, 0)
    with pytest.raises(Refused, match="no move to advise"):
        session.hint(version)
    assert session.version == version


class Failing:
    """A policy that breaks down at its third move."""

    name = "failing"

    def __init__(self) -> None:
        self.left = 3

    def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
        self.left -= 1
        if not self.left:
            raise RuntimeError("no idea")
        return mask.argmax(1)


def test_a_policy_that_fails_leaves_the_game_as_it_was() -> None:
    session = sit(Command(("tests.test_session:Failing",)))
    go_on(session, np.random.default_rng(0), 2)
    before, version = everything(session), session.version
    with pytest.raises(Failed, match=r"Failing failed$"):
        session.play(version, legal(session)[0])
    assert everything(session) == before
    session.play(version, legal(session)[0])  # it has found itself again
    assert session.version == version + 1


# ---------------------------------------------------------------- going back


def test_undo_goes_back_to_the_own_decision_and_marks_the_game() -> None:
    session = sit(TABLES[1])
    start = session.position()
    with pytest.raises(Refused, match="no move of yours"):
        session.undo(0)
    seen, rng = [start], np.random.default_rng(6)
    for _ in range(6):
        go_on(session, rng, 1)
        seen.append(session.position())
    assert not session.study
    for before in reversed(seen[:-1]):
        session.undo(session.version)
        now = session.position()
        assert now.pop("study")
        assert now.pop("version") > 6
        assert now == {key: before[key] for key in now}
    assert session.view()["study"] is True
    session.play(session.version, legal(session)[0])
    go_on(session, rng)
    assert session.study
    assert session.record()["study"] is True
    record.verify(session.record())


def test_the_same_move_again_meets_the_same_answer() -> None:
    session = sit(Command(("search:playouts=16",), players=3))
    action = legal(session)[-1]
    session.play(0, action)
    log = session.position()["log"]
    session.undo(1)
    session.play(2, action)
    assert session.position()["log"] == log


def test_a_finished_game_can_be_taken_back_and_its_record_is_closed_again() -> None:
    session = sit()
    go_on(session, np.random.default_rng(7))
    assert session.record()["seed"] == SEED
    assert "<title>" in session.replay()
    session.undo(session.version)
    assert not session.over
    for wish in (session.record, session.replay):
        with pytest.raises(Early, match="when the game is over"):
            wish()


# ---------------------------------------------------------------- hints


def test_a_hint_is_what_search_finds() -> None:
    for command in TABLES:
        session, rng = sit(command), np.random.default_rng(8)
        while not session.over:
            hint = session.hint(session.version)
            assert sorted(move["action"] for move in hint["moves"]) == legal(session)
            assert hint["best"] == hint["moves"][0]["action"]
            for move in hint["moves"]:
                forced = len(hint["moves"]) == 1
                assert move["chance"] is None if forced else 0 <= move["chance"] <= 1
            assert session.hint(session.version) == hint
            go_on(session, rng, 4)


def test_hints_win() -> None:
    """Who follows them beats random riders, in every one of these games."""
    session = sit()
    while not session.over:
        session.play(session.version, session.hint(session.version)["best"])
    assert session.record()["winners"] == [0]


# ---------------------------------------------------------------- what must not be told


class Secretive(MountDrago):
    """A game in which nobody hears of a play by another seat, and of a discard only that."""

    def told(self, state: State, row: int, action: int, viewer: int | None) -> str | None:
        words = super().told(state, row, action, viewer)
        if viewer is None or viewer == int(state["seat"][row]):
            return words
        return None if action < 100 else "discards something"


def test_hidden_decisions_reach_nobody() -> None:
    table = seating(Command(("uniform",), players=3, seat=1))
    secret = Secretive(*table.game.rules)  # type: ignore[attr-defined]
    session = Session(replace(table, game=secret), SEED)
    rng, said = np.random.default_rng(11), set[str]()
    while not session.over:
        before = session.moves
        go_on(session, rng, 1)
        position = session.position(before)
        own = {choice["text"] for choice in position["legal"]}
        others = [line["text"] for line in position["log"] if line["seat"] != 1]
        said |= set(others)
        assert all(line.endswith(": discards something") for line in others)
        # the own move is shown, then what was heard of, and always how it stands now
        moved = [n for n in range(before + 1, session.moves) if heard(session, n)]
        assert [frame["move"] for frame in position["frames"]] == [*moved, session.moves]
        told = json.dumps(position | {"legal": [], "rules": ""})
        for text in set(re.findall(r"(?:play|discard) \w+ \d", told)):
            assert text in own | {m.text.removesuffix(" and keep") for m in mine(session)}
        unheard = [n for n in range(1, session.moves + 1) if not heard(session, n)]
        if unheard and not session.over:
            with pytest.raises(Refused, match="nothing to be seen yet"):
                session.frame(unheard[0])
    assert said
    assert len(session.heard) < session.moves


def heard(session: Session, number: int) -> bool:
    return session._moments[number].last is not None


def mine(session: Session) -> list[Move]:
    return [move for move in session.heard if move.seat == session.seat]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_what_is_told_does_not_change_when_hidden_cards_are_shuffled(
    players: int, edition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = seating(Command(("uniform",), players=players, edition=edition, seat=1))
    session, rng, differ = Session(table, SEED), np.random.default_rng(players), 0
    while not session.over:
        told, made, true = everything(session), session._record(), session._moments
        for seed in (1, 2):
            session._moments = [
                moment._replace(state=table.game.determinize(moment.state, [1], seed))
                for moment in true
            ]
            differ += int((session._moments[-1].state["hand"] != true[-1].state["hand"]).any())
            hidden = without_hidden_cards(made, 1)
            monkeypatch.setattr(session, "_record", lambda hidden=hidden: hidden)
            assert everything(session) == told
            monkeypatch.undo()
        session._moments = true
        go_on(session, rng, 3)
    assert differ > 5


def without_hidden_cards(made: Record, seat: int) -> Record:
    """The record with other cards, and another seed, where the seat cannot see them."""
    spoilt: Record = json.loads(json.dumps({**made, "seed": 1}))
    for other, hand in enumerate(spoilt["start"]["hands"]):
        hand[:] = hand if other == seat else [0] * len(hand)
    for move in spoilt["moves"]:
        move["drawn"] = move["drawn"] if move["seat"] == seat else [0] * len(move["drawn"])
    return spoilt


def test_the_seed_and_the_generator_are_not_told() -> None:
    session = sit(TABLES[2])
    go_on(session, np.random.default_rng(9), 5)
    told = everything(session)
    states = [moment.state for moment in session._moments]
    for number in (SEED, *(int(state["rng"][0]) for state in states)):
        assert str(number) not in told
        assert f"{number:x}" not in told
    assert session.view()["seed"] is None
    with pytest.raises(Early, match="it can be had when the game is over"):
        session.record()


def test_names_of_games_tell_nothing() -> None:
    """Two games with one seed have different names."""
    names = {sit().name for _ in range(20)}
    assert len(names) == 20
