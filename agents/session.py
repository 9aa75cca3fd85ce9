"""One game that a person plays on a page: it is kept here, and shown as the seat sees it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.human import effect
from agents.search import Search
from drago_env.core.chance import mix
from drago_env.core.checks import seed_array, select
from drago_env.game import State
from drago_env.mount_drago import canvas, page, record, scene
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.observation import FEATURES, named
from drago_env.mount_drago.record import Record
from drago_env.mount_drago.rules import COLOURS, landing
from drago_env.mount_drago.visible import CODES, Move, Sight, sight
from drago_env.policy import Policy, RowGenerator, ask

PLAYOUTS = 8192  # of a hint: eight times those of `search`, since its numbers are read
_BLOCKS = ("play", "keep", "discard", "done")  # of the actions, in the order of clause 10


class Refused(ValueError):  # noqa: N818  (a refusal at the table, not a fault of the program)
    """A wish that cannot be granted; nothing has changed."""


class Stale(Refused):
    """A wish about a position that is no longer the present one."""


class Early(Refused):
    """A wish that must wait until the game is over."""


@dataclass(frozen=True)
class Seating:
    """Who sits where; the same for every game of a server."""

    game: MountDrago
    seat: int  # the person's
    names: Sequence[str]  # of all riders, as the record has them
    others: Mapping[int, Policy]  # who plays the other seats


class _Moment(NamedTuple):
    """A position, and the move that led there."""

    state: State
    last: Move | None


class Session:
    """A game that goes on until the person is to decide, and waits there.

    Every change gives the position a new `version`, and a wish names the version that it is about:
    what was asked of an older position is `Stale`, so two windows on one game cannot spoil it.
    Whoever goes back makes the game a study, for good.

    All that it shows, except a finished record, is made from clones in which what the seat cannot
    see was drawn anew. The seed would give the deal away, so it is not shown either.
    """

    def __init__(self, seating: Seating, seed: int) -> None:
        self.name = secrets.token_hex(4)
        self.version = 0
        self.study = False
        self._seating, self._seed = seating, seed
        self._adviser = Search(playouts=PLAYOUTS)
        self._moments = self._answered([_Moment(seating.game.new(seed), None)])

    # ------------------------------------------------------------ wishes

    def play(self, version: int, action: int) -> None:
        """Makes a move, and those of the others up to the next decision."""
        self._check(version)
        game, state = self._seating.game, self._moments[-1].state
        legal = game.legal(state)
        if action not in legal.actions[0, : legal.counts[0]].tolist():
            most = game.spec.num_actions - 1
            if not 0 <= action <= most:
                raise Refused(f"action must be a number from 0 to {most}, not {action!r:.40}")
            raise Refused(str(game.illegal(state, 0, action)))
        # a policy that fails leaves the game where it was
        self._moments = self._answered([*self._moments, self._step(self._moments[-1], action)])
        self.version += 1

    def undo(self, version: int) -> None:
        """Goes back to the seat's last decision, to study what else could have been done."""
        self._check(version)
        own = [k for k, (_, move) in enumerate(self._moments) if move and move.seat == self.seat]
        if not own:
            raise Refused("there is no move of yours to take back")
        self._moments = self._moments[: own[-1]]
        self.study = True
        self.version += 1

    def hint(self, version: int) -> dict[str, Any]:
        """What `search` would do, and how it rates the seat's chance to win after each move."""
        self._check(version)
        if self.over:
            raise Refused("the game is over: there is no move to advise")
        game, clone = self._seating.game, self._seen(self._moments[-1])
        thought = self._adviser.think(game, clone, np.array([len(self._moments)], np.uint64))
        best = int(thought.best()[0])
        moves = []
        for place in range(int(thought.counts[0])):
            action, visits = int(thought.actions[0, place]), int(thought.visits[0, place])
            chance = float(thought.values[0, place]) if visits else None  # a forced move has none
            words = game.action_text(action)
            order = (action != best, -visits, -(chance or 0))
            moves.append((order, {"action": action, "text": words, "chance": chance}))
        listed = [move for _, move in sorted(moves, key=lambda pair: pair[0])]
        return {"version": self.version, "best": best, "moves": listed}

    def _check(self, version: int) -> None:
        if version != self.version:
            raise Stale(f"the position has the version {self.version}, not {version!r:.40}")

    # ------------------------------------------------------------ how it goes on

    def _answered(self, moments: list[_Moment]) -> list[_Moment]:
        """The moments, and those after them until the seat decides or the game is over."""
        seating = self._seating
        while not seating.game.over(moments[-1].state)[0]:
            state = moments[-1].state
            seat = int(seating.game.current_player(state)[0])
            if seat == seating.seat:
                break
            number = mix(~seed_array(self._seed))
            for _ in moments:  # the same at the same move, so a study meets the same luck
                number = mix(number)
            rng = RowGenerator(np.random.PCG64(int(number[0])))
            turn, rows = seating.game.look(state), np.zeros(1, np.int64)
            chosen = ask(seating.others[seat], seating.game, state, turn, rows, rng, number)
            moments.append(self._step(moments[-1], int(chosen[0])))
        return moments

    def _step(self, before: _Moment, action: int) -> _Moment:
        game, state = self._seating.game, select(before.state)
        seat = int(game.current_player(state)[0])
        points = game.step(state, [action]).points[0, : len(self._seating.names)].tolist()
        return _Moment(state, Move(seat, action, points))

    # ------------------------------------------------------------ what is seen

    @property
    def seat(self) -> int:
        return self._seating.seat

    @property
    def over(self) -> bool:
        return bool(self._seating.game.over(self._moments[-1].state)[0])

    @property
    def moves(self) -> int:
        """How many were made."""
        return len(self._moments) - 1

    def position(self, since: int | None = None) -> dict[str, Any]:
        """How the game stands, with a frame for every move after the first `since` ones.

        There is always the last frame, which is the present position.
        """
        rules = self._seating.game.rules[0]
        first = self.moves if since is None else min(since + 1, self.moves)
        colours = [
            {"name": COLOURS[dragon], "code": CODES[dragon]}
            | {"tint": scene.TINTS[dragon], "ink": scene.ink(dragon)}
            for dragon in range(rules.colours)
        ]
        return {
            "game": self.name,
            "version": self.version,
            "study": self.study,
            "over": self.over,
            "seat": self.seat,
            "edition": rules.edition,
            "values": rules.values,
            "summit_dragons": rules.summit_dragons,
            "board": rules.board.pairs(),
            "colours": colours,
            "frames": [self._frame(number) for number in range(first, self.moves + 1)],
            "legal": self._legal(),
            "log": self._log(),
        }

    def board(self) -> str:
        """The empty mountain as SVG."""
        rules = self._seating.game.rules[0]
        return canvas.svg(scene.ground(rules.board), scene.MOUNTAIN)

    def view(self) -> Record:
        """The record as the seat sees it."""
        return record.view(self._record(), self.seat)

    def record(self) -> Record:
        """The whole record, once the game is over."""
        if not self.over:
            raise Early("the whole record shows every hand: it can be had when the game is over")
        return self._record()

    def replay(self) -> str:
        """The finished game as a page to look through."""
        return page.html(self.record())

    def _record(self) -> Record:
        actions = [moment.last.action for moment in self._moments if moment.last]
        seating = self._seating
        made = seating.game.record(
            self._moments[0].state, actions, seed=self._seed, riders=seating.names
        )
        return made | ({"study": True} if self.study else {})

    def _seen(self, moment: _Moment) -> State:
        """A clone that tells nothing but what the seat knows."""
        return self._seating.game.determinize(moment.state, [self.seat], 0)

    @property
    def _called(self) -> list[str]:
        """The riders as the person hears of them."""
        return ["you" if s == self.seat else name for s, name in enumerate(self._seating.names)]

    def _frame(self, number: int) -> dict[str, Any]:
        moment = self._moments[number]
        seen = sight(
            *(self._seating.game, self._seen(moment), 0, self.seat, moment.last, self._called)
        )
        riders = [
            {"name": rider.name, "score": rider.score, "top": rider.top, "cards": rider.cards}
            | {"hand": rider.hand, "gained": rider.gained, "wins": rider.wins}
            for rider in seen.riders
        ]
        return {
            "move": number,
            "turn": seen.seat,
            "phase": seen.phase,
            "text": seen.last,
            "deck": seen.deck,
            "summit": seen.summit,
            "riders": riders,
            "dragons": _dragons(seen),
        }

    def _legal(self) -> list[dict[str, Any]]:
        """What the seat may do, and what it would bring."""
        game, clone = self._seating.game, self._seen(self._moments[-1])
        legal = game.legal(clone)
        features = game.features(clone, legal)[0]
        rules, called = game.rules[0], self._called
        names = called[self.seat :] + called[: self.seat]
        listed = []
        for place in range(int(legal.counts[0])):
            action = int(legal.actions[0, place])
            block, card = divmod(action, rules.card_kinds)
            dragon, value = divmod(card, rules.values)
            before, moves = int(clone["position"][0, dragon]), block < _BLOCKS.index("discard")
            listed.append(
                {
                    "action": action,
                    "text": game.action_text(action),
                    "kind": _BLOCKS[block],
                    "card": None if _BLOCKS[block] == "done" else card,
                    "to": landing(rules.board, before, value + 1) if moves else None,
                    "effect": effect(named(features[place], FEATURES), names),
                }
            )
        return listed

    def _log(self) -> list[dict[str, Any]]:
        """Every move in words; cards drawn are told to those who drew them."""
        game, rules, called = self._seating.game, self._seating.game.rules[0], self._called
        lines = []
        for move in self.view()["moves"]:
            own = move["seat"] == self.seat
            drawn = [rules.card_text(card) for card in move["drawn"]] if own else []
            text = f"{called[move['seat']]}: {game.action_text(move['action'])}"
            points = [[name, n] for name, n in zip(called, move["points"], strict=True) if n]
            lines.append({"seat": move["seat"], "text": text, "points": points, "drawn": drawn})
        return lines


def _dragons(seen: Sight) -> list[dict[str, Any]]:
    """The dragons as parts of the drawing, each with its place."""
    return [
        {"x": round(part.x, 1), "y": round(part.y, 1), "scale": round(part.scale, 3)}
        | {"space": part.data["space"], "rider": part.data.get("rider"), "inner": part.inner()}
        for part in scene.dragons(seen)
    ]
