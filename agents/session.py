"""One game that a person plays or watches: it is kept here, and shown as the seat sees it."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents import frames
from agents.review import WIDE, Decision, Review, standings
from drago_env import games
from drago_env.core.chance import mix
from drago_env.core.checks import select, whole
from drago_env.core.files import read_json, reading, write
from drago_env.core.planning import planner_of
from drago_env.game import Game, Move, State
from drago_env.pictures import canvas, page
from drago_env.pictures.chart import chart
from drago_env.pictures.column import BOARD
from drago_env.pictures.picture import Picture
from drago_env.pictures.table import table_of
from drago_env.policy import Policy, RowGenerator, View, ask, streams
from drago_env.search import Search

PLAYOUTS = 8192  # of a hint: eight times those of `search`, since its numbers are read
FORMAT = "drago-session/1"
Record = dict[str, Any]


class Refused(ValueError):  # noqa: N818  (a refusal at the table, not a fault of the program)
    """A wish that cannot be granted; nothing has changed."""


class Stale(Refused):
    """A wish about a position that is no longer the present one."""


class Failed(RuntimeError):  # noqa: N818
    """An opponent that fails; why is its cause, which may tell what is hidden."""


class Early(Refused):
    """A wish that must wait until the game is over."""


@dataclass(frozen=True)
class Seating:
    """Who sits where."""

    game: Game
    seat: int | None  # the person's; None: they watch, and see all
    names: Sequence[str]  # of all seats, as the record has them
    others: Mapping[int, Policy]  # who plays the other seats
    chosen: Mapping[str, Any] | None = None  # what was chosen on the page; None: by the command


class Moment(NamedTuple):
    """A position, and what the person heard of the decision that led there."""

    state: State
    seat: int | None = None  # who decided; None: the deal
    action: int = -1
    last: Move | None = None  # None: they did not even hear that one was made
    news: str = ""  # what they learnt besides


class Session:
    """A game that goes on until the person is to decide, and waits there.

    A game that the person only watches goes on move by move, by `advance`, and shows them all.

    Every change gives the position a new `version`, and a wish names the version that it is about:
    what was asked of an older position is `Stale`, so two windows on one game cannot spoil it.
    Whoever goes back makes the game a study, for good.

    All that it shows, except a finished record, is made from clones in which what the seat cannot
    see was drawn anew; of the others' decisions it tells what `Game.told` lets the seat hear. The
    seed would give the deal away, so it is not shown either.
    """

    def __init__(self, seating: Seating, seed: int) -> None:
        self._moments = self._answered(self._sit(seating, seed))

    def _sit(self, seating: Seating, seed: int) -> list[Moment]:
        """The deal, before anybody decides."""
        self.name = secrets.token_hex(4)
        self.version = 0
        self.study = False
        self._seating, self._seed = seating, seed
        self._game, self._table = seating.game, table_of(seating.game)
        self._adviser = Search(playouts=PLAYOUTS, head_start=0)  # chances and nothing else
        self._review: Review | None = None
        return [Moment(seating.game.new(seed))]

    # ------------------------------------------------------------ at rest

    def write(self, path: Path) -> None:
        """Keeps the game in a file, which holds the seed and so all that is hidden."""
        kept = {
            "format": FORMAT,
            "table": _table(self._seating),
            "chosen": self._seating.chosen,
            "name": self.name,
            "version": self.version,
            "study": self.study,
            "seed": self._seed,
            "actions": [moment.action for moment in self._moments[1:]],
        }
        write(path, json.dumps(kept) + "\n")

    @classmethod
    def read(cls, path: Path, table: Callable[[Any], Seating]) -> Session:
        """The game that `write` has kept; `table` makes its table of what was chosen for it."""
        kept = read_json(path)
        with reading(path):
            seating = table(kept.get("chosen"))
            if kept["format"] != FORMAT or kept["table"] != _table(seating):
                raise ValueError("it is of another table than this server's")
            if not re.fullmatch("[0-9a-f]{8}", kept["name"]) or type(kept["study"]) is not bool:
                raise ValueError("its name or what it says of its study is not sound")
            session = cls.__new__(cls)
            moments = session._sit(seating, whole("seed", kept["seed"], 0, 2**64 - 1))
            session.name, session.study = kept["name"], kept["study"]
            session.version = whole("version", kept["version"], 0)
            for action in kept["actions"]:
                moments.append(session._step(moments[-1], whole("action", action, 0)))
            session._moments = session._answered(moments)
        return session

    @property
    def seating(self) -> Seating:
        return self._seating

    # ------------------------------------------------------------ wishes

    def play(self, version: int, action: int) -> None:
        """Makes a move, and those of the others up to the next decision."""
        self._check(version)
        if self.seat is None:
            raise Refused("you watch this game: the agents play it")
        state = self._moments[-1].state
        legal = self._game.legal(state)
        if action not in legal.actions[0, : legal.counts[0]].tolist():
            most = self._game.spec.num_actions - 1
            if not 0 <= action <= most:
                raise Refused(f"action must be a number from 0 to {most}, not {action!r:.40}")
            raise Refused(str(self._game.illegal(state, 0, action)))
        # a policy that fails leaves the game where it was
        self._moments = self._answered([*self._moments, self._step(self._moments[-1], action)])
        self.version += 1

    def advance(self, version: int) -> None:
        """One move of whoever is on turn, in a game that is watched."""
        self._check(version)
        if self.seat is not None or self.over:
            raise Refused("the game is over" if self.over else "the game waits for you")
        self._moments = [*self._moments, self._answer(self._moments)]
        self.version += 1

    def undo(self, version: int) -> None:
        """Goes back to the seat's last decision, to study what else could have been done."""
        self._check(version)
        own = [k for k, moment in enumerate(self._moments) if k and moment.seat == self.seat]
        if not own:
            raise Refused("there is no move of yours to take back")
        self._moments = self._moments[: own[-1]]
        self._review = None
        self.study = True
        self.version += 1

    def hint(self, version: int) -> dict[str, Any]:
        """What `search` would do, and how it rates the seat's chance to win after each move."""
        self._check(version)
        if self.over or self.seat is None:
            why = "the game is over" if self.over else "you watch this game"
            raise Refused(f"{why}: there is no move to advise")
        try:
            planner_of(self._game, "a hint")
        except ValueError as error:
            raise Refused(str(error)) from None
        clone = self._seen(self._moments[-1])
        result = self._adviser.search(self._game, clone, np.array([len(self._moments)], np.uint64))
        best = int(result.best()[0])
        words = {choice.action: choice.text for choice in self._table.choices(clone, self.names)}
        moves = []
        for place in range(int(result.counts[0])):
            action, visits = int(result.actions[0, place]), int(result.visits[0, place])
            chance = float(result.values[0, place]) if visits else None  # a forced move has none
            order = (action != best, -visits, -(chance or 0))
            moves.append((order, {"action": action, "text": words[action], "chance": chance}))
        listed = [move for _, move in sorted(moves, key=lambda pair: pair[0])]
        return {"version": self.version, "best": best, "moves": listed}

    def _check(self, version: int) -> None:
        if version != self.version:
            raise Stale(f"the position has the version {self.version}, not {version!r:.40}")

    # ------------------------------------------------------------ how it goes on

    def _answered(self, moments: list[Moment]) -> list[Moment]:
        """The moments, and those after them until the seat decides or the game is over."""
        game = self._game
        while self.seat is not None and not game.over(moments[-1].state)[0]:
            if int(game.current_player(moments[-1].state)[0]) == self.seat:
                break
            moments.append(self._answer(moments))
        return moments

    def _answer(self, moments: Sequence[Moment]) -> Moment:
        """What comes of the move of the policy on turn."""
        game, state = self._game, moments[-1].state
        seat = int(game.current_player(state)[0])
        number = streams(self._seed)
        for _ in moments:  # the same at the same move, so a study meets the same luck
            number = mix(number)
        rng = RowGenerator(np.random.PCG64(int(number[0])))
        turn, rows = game.look(state), np.zeros(1, np.int64)
        try:
            chosen = ask(self._seating.others[seat], game, state, turn, rows, rng, number)
        except Exception as error:
            raise Failed(f"The opponent {self.names[seat]} failed") from error
        return self._step(moments[-1], int(chosen[0]))

    def _step(self, before: Moment, action: int) -> Moment:
        game, state = self._game, select(before.state)
        seat = int(game.current_player(state)[0])
        words = game.told(state, 0, action, self.seat)
        points = game.step(state, [action]).points[0, : len(self.names)].tolist()
        news = "" if self.seat is None else self._table.news(before.state, action, state, self.seat)
        gains = points if game.spec.has_points else []
        last = None if words is None else Move(seat, action, words, gains)
        return Moment(state, seat, action, last, news)

    # ------------------------------------------------------------ what is seen

    @property
    def seat(self) -> int | None:
        return self._seating.seat

    @property
    def names(self) -> list[str]:
        """The seats as the person hears of them."""
        return ["you" if s == self.seat else name for s, name in enumerate(self._seating.names)]

    @property
    def kind(self) -> str:
        """What files of this game are called."""
        return self._game.spec.name.replace("_", "-")

    @property
    def over(self) -> bool:
        return bool(self._game.over(self._moments[-1].state)[0])

    @property
    def moves(self) -> int:
        """How many were made."""
        return len(self._moments) - 1

    @property
    def heard(self) -> list[Move]:
        """The decisions so far that the person heard of, in their words."""
        return [moment.last for moment in self._moments if moment.last]

    def look(self) -> View:
        """The present position as a policy in the person's place gets it."""
        return View(self._game, self._seen(self._moments[-1]))

    def position(self, since: int | None = None) -> dict[str, Any]:
        """How the game stands, with a frame for every move heard of after the first `since` ones.

        There is always the last frame, which is the present position.
        """
        first = self.moves if since is None else min(since + 1, self.moves)
        shown = [n for n in range(first, self.moves) if self._moments[n].last or not n]
        now = self._seen(self._moments[-1])
        idle = self.over or self.seat is None
        choices = [] if idle else self._table.choices(now, self.names)
        return {
            "game": self.name,
            "title": self._game.spec.title,
            "variant": self._table.variant(now),
            "rules": self._table.rules,
            "goal": self._table.goal(now),
            "version": self.version,
            "study": self.study,
            "over": self.over,
            "seat": self.seat,
            "frames": [self._frame(number) for number in [*shown, self.moves]],
            "legal": [
                choice._asdict() | {"button": choice.button or choice.text} for choice in choices
            ],
            "log": self._log(),
            "standings": standings(self._game, now, self.names) if self.over else [],
        }

    def frame(self, number: int) -> dict[str, Any]:
        """The position after so many moves, as the person saw it then."""
        if number > self.moves:
            raise Refused(f"the game has the moves 0 to {self.moves}, not {number}")
        if number and not self.over and self._moments[number].last is None:
            raise Refused(f"of move {number} there is nothing to be seen yet")
        return self._frame(number)

    def review(self) -> dict[str, Any]:
        """What is known so far of how well was played; each call finds out more."""
        if not self.over:
            raise Early("a review tells what search would have done: it comes after the end")
        if self._review is None:
            made = [
                Decision(number, int(moment.seat or 0), before.state, moment.action)
                for number, (before, moment) in enumerate(
                    zip(self._moments, self._moments[1:], strict=False), 1
                )
            ]
            try:
                end = self._moments[-1].state
                self._review = Review(self._game, self._table, self.names, made, end, self.seat)
            except ValueError as error:
                raise Refused(str(error)) from None
        return self._review.go_on()

    def scores(self) -> str:
        """The scores so far as a chart; nothing in a game without points."""
        if not self._game.spec.has_points:
            return ""
        states = [moment.state for moment in self._moments]
        players = len(self.names)
        scores = [self._game.scores(state)[0, :players].tolist() for state in states]
        return chart(scores, self.names, WIDE)

    def board(self) -> str:
        """The empty board as SVG."""
        return canvas.svg(self._table.ground(self._seen(self._moments[0])), BOARD)

    def view(self) -> Record:
        """The record as the seat sees it."""
        if self.seat is None:
            raise Refused("who watches sees all: the record can be had when the game is over")
        made = self._record()
        records = games.records_of(self._game.spec.name)
        if not hasattr(records, "view"):
            raise Refused(f"{self._game.spec.title} has no records for one seat's eyes")
        seen: Record = records.view(made, self.seat)
        return seen

    def record(self) -> Record:
        """The whole record, once the game is over."""
        if not self.over:
            raise Early(
                "the whole record shows what is hidden: it can be had when the game is over"
            )
        return self._record()

    def replay(self) -> str:
        """The finished game as a page to look through."""
        if not self.over:
            raise Early("a replay shows what is hidden: it can be had when the game is over")
        states = [moment.state for moment in self._moments]
        actions = [*(moment.action for moment in self._moments[1:]), -1]
        positions = zip(states, actions, strict=True)
        return page.html(page.replay(self._game, positions, None, self._seating.names))

    def picture(self) -> str:
        """The present position for a terminal: all of it once the game is over."""
        moment, viewer = self._moments[-1], None if self.over else self.seat
        return Picture(self._game, moment.state, 0, viewer, moment.last, self.names).ansi()

    def outcome(self) -> str:
        """Who has won, in words."""
        state = self._moments[-1].state
        winners = [self.names[seat] for seat in np.flatnonzero(self._game.winners(state)[0])]
        if not winners:
            won = "The game was cut off: nobody wins"
        elif len(winners) > 1:
            won = f"{' and '.join(winners)} share the victory"
        else:
            won = "You win" if winners == ["you"] else f"{winners[0]} wins"
        if not self._game.spec.has_points:
            return f"{won}."
        scores = zip(self.names, self._game.scores(state)[0].tolist(), strict=False)
        return f"{won}, {', '.join(f'{name} {score}' for name, score in scores)}."

    def _record(self) -> Record:
        actions = [moment.action for moment in self._moments[1:]]
        seating = self._seating
        made = self._game.record(
            self._moments[0].state, actions, seed=self._seed, names=seating.names
        )
        return made | ({"study": True} if self.study else {})

    def _seen(self, moment: Moment) -> State:
        """A clone that tells nothing but what the seat knows; who watches sees all."""
        if self.seat is None:
            return select(moment.state)
        return self._game.determinize(moment.state, [self.seat], 0)

    def _frame(self, number: int) -> dict[str, Any]:
        moment, table = self._moments[number], self._table
        state, names = self._seen(moment), self.names
        parts = table.parts(state, self.seat, moment.last, names)
        own = () if self.seat is None else table.own(state, self.seat)
        hand = [] if self.seat is None else table.hand(state, self.seat)
        return {
            "move": number,
            "status": self._status(state),
            "count": table.count(state),
            "words": table.words(state, self.seat, names),
            "parts": list(frames.parts(parts, own)),
            "seats": [
                frames.seat(seat) for seat in table.seats(state, self.seat, moment.last, names)
            ],
            "hand": [frames.card(card) for card in hand],
        }

    def _status(self, state: State) -> str:
        """What is to be done now, or how the game ended."""
        if self._game.over(state)[0]:
            return self.outcome()
        seat = int(self._game.current_player(state)[0])
        note, asked = self._table.doing(state)
        return f"Your turn: {asked}." if seat == self.seat else f"{self.names[seat]} {note} ..."

    def _log(self) -> list[dict[str, Any]]:
        """Every move that the person heard of, in words, and what they learnt by it."""
        lines, names = [], self.names
        for number, moment in enumerate(self._moments):
            if moment.last:
                seat, _, text, gains = moment.last
                points = [[name, n] for name, n in zip(names, gains, strict=False) if n]
                line = {"move": number, "seat": seat, "text": f"{names[seat]}: {text}"}
                lines.append(line | {"points": points, "news": moment.news})
        return lines


def _table(seating: Seating) -> str:
    """What tells tables apart: the rules, the seat and the names."""
    dealt = seating.game.record(seating.game.new(0), [], seed=0, names=seating.names)
    told = json.dumps([seating.seat, dealt], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()
