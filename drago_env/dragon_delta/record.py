"""Game records: one game as one JSON object, replayed and verified against the rules.

A record holds the rules, the map and every decision with where the pawns then stand and how many
planks lie; many records are one file with a record on each line (`.jsonl`). See docs/formats.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core import records
from drago_env.core.batches import NO_ACTION
from drago_env.core.records import Frame, Record, RecordError, is_count, is_int, read, write
from drago_env.dragon_delta.game import DragonDelta
from drago_env.dragon_delta.map import MAX_LINKS, STANDARD, Map
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import CUT_OFF, EMPTY, OVER, PROGRAM, WON
from drago_env.game import State

__all__ = [
    "FORMAT",
    "Frame",
    "Record",
    "RecordError",
    "pictures",
    "read",
    "record",
    "replay",
    "verify",
    "verify_all",
    "view",
    "walk",
    "write",
]

if TYPE_CHECKING:
    from drago_env.pictures.page import Replay

FORMAT = "dragon-delta/1"


# ---------------------------------------------------------------- writing


def record(
    game: DragonDelta,
    start: State,
    actions: ArrayLike,
    *,
    seed: int | None = None,
    names: Sequence[str] | None = None,
) -> Record:
    """The record of one game: its state right after the deal (one row) and its decisions."""
    state = records.one_game(start)
    if game.outcomes(state)[0].state.tobytes() != state.tobytes():
        raise ValueError(records.NOT_DEALT)
    rules = game.row_rules(state, 0)
    made: Record = {
        "format": FORMAT,
        "rules": rules.as_dict(),
        "map": STANDARD if rules.map == Map.standard() else rules.map.as_dict(),
        **records.signed(seed, names),
        "moves": [],
    }
    for move, *_ in records.decisions(game, state, actions):
        made["moves"].append({**move, **_standing(game, state, 0)})
    if game.over(state)[0]:
        made |= _end(game, state, 0)
    return made


def _standing(game: DragonDelta, state: State, row: int) -> dict[str, Any]:
    """Where each pawn stands, as the action that points there, and how many planks lie."""
    it, line = state[row], game.tables[state["map"][row]]
    pawns = it["pawn"][: it["players"]].astype(np.int64)
    villages = int(line["first_village"]) - MAX_LINKS
    places = np.where(pawns < MAX_LINKS, int(line["first_link"]) + pawns, villages + pawns)
    return {"pawns": places.tolist(), "planks": int((it["plank"] < MAX_LINKS).sum())}


def _end(game: DragonDelta, state: State, row: int) -> dict[str, Any]:
    it = state[row]
    winners = [int(it["seat"])] if it["end"] == WON else []
    return {"winners": winners, "truncated": bool(it["end"] == CUT_OFF)}


def view(made: Record, seat: int) -> Record:
    """What one seat may see of a record: the others' cards that stayed hidden, and the seed, not.

    A view can be verified like any record.
    """
    players = made["rules"]["players"]
    if records.is_view(made):
        raise ValueError(records.VIEW)
    if not is_int(seat) or not 0 <= seat < players:
        raise ValueError(f"seat must be from 0 to {players - 1}, not {seat!r:.20}")
    laid: list[_Card] = []
    for frame in walk([made]):
        if len(frame.rows) and frame.state["step"][0] == PROGRAM:
            laid.append(_next_card(frame.state, 0, frame.move))
        state = frame.state  # the last one is that after all moves
    hidden = {card.move for card in laid if card.seat != seat and not card.is_open(state[0])}
    whole = deepcopy(made)
    for number in hidden:
        whole["moves"][number]["action"] = None
    return {**whole, "seed": None}


def pictures(made: Record, seat: int | None = None) -> Replay:
    """A record drawn move by move: all of it, or what a seat saw; a view as its seat saw it."""
    from drago_env.pictures.page import replay as replay_of

    verify(made)
    hiding = {move["seat"] for move in made["moves"] if move["action"] is None}
    if hiding:
        seers = [other for other in range(made["rules"]["players"]) if other not in hiding]
        if seat not in (None, *seers):
            raise ValueError(f"the record is a view that hides cards of seat {seat}")
        seat = seers[0] if seat is None else seat
    walked = [(f.game, f.state.copy(), int(f.actions[0])) for f in walk([made])]
    return replay_of(walked[0][0], [at[1:] for at in walked], seat, made.get("players"))


# ---------------------------------------------------------------- replaying


class _Card(NamedTuple):
    """A card that a move programs, and where it lies."""

    move: int
    seat: int
    round: int
    slot: int

    def is_open(self, game: Any) -> bool:
        """Whether it has been revealed in a game (5.1)."""
        past = game["round"] > self.round
        return bool(past or (game["step"] != PROGRAM and game["slot"] >= self.slot))


def _next_card(state: State, row: int, move: int) -> _Card:
    """The card that the seat on turn is about to program."""
    it = state[row]
    slot = int((it["program"][it["seat"]] != EMPTY).sum())
    return _Card(move, int(it["seat"]), int(it["round"]), slot)


@dataclass
class _Game(records.Opened):
    """One record on its way through a replay."""

    hidden: list[_Card] = field(default_factory=list)  # cards that the record does not tell


def _walk_group(games: list[_Game], indices: NDArray[np.int64], reward: str) -> Iterator[Frame]:
    variants = list(dict.fromkeys(game.rules for game in games))
    book, n = DragonDelta(*variants, reward=reward), len(games)
    state = book.new(np.arange(n), [variants.index(game.rules) for game in games])
    for number in range(max(len(game.made["moves"]) for game in games) + 1):
        actions = np.full(n, NO_ACTION)
        for row, game in enumerate(games):
            if game.fault is None and number < len(game.made["moves"]):
                actions[row] = _asked(book, state, row, game, number)
        moving = np.flatnonzero(actions != NO_ACTION)
        outcome = book.new_outcome(n)
        yield Frame(book, state, number, moving, indices, actions, outcome.rewards)
        book.step_unchecked(state, actions, outcome)
        for row in moving.tolist():
            _look_back(book, state, row, games[row], number)
    for row, game in enumerate(games):
        if game.fault is None:
            game.fault = _end_fault(book, state, row, game.made)


def _asked(book: DragonDelta, state: State, row: int, game: _Game, number: int) -> int:
    """The action of a move, or NO_ACTION and a fault."""
    move = game.made["moves"][number]
    fault = _move_fault(book, state, row, move)
    if fault:
        game.fault = f"move {number}: {fault}"
        return NO_ACTION
    action: int | None = move["action"]
    if action is None:
        game.hidden.append(_next_card(state, row, number))
        action = _stand_in(state, row, game, number)
    if not book.is_legal(state[row : row + 1], action):
        reason, clause = book.why_illegal(state, row, action)
        text = book.decision_text(state, row, action)
        game.fault = f"move {number}: cannot {text}: {reason} (clause {clause})"
        return NO_ACTION
    return action


def _stand_in(state: State, row: int, game: _Game, number: int) -> int:
    """A card in place of one that is not told: any that the seat does not lay elsewhere."""
    card = _next_card(state, row, number)
    later = game.made["moves"][number + 1 : number + game.rules.slots - card.slot]
    told = [move.get("action") for move in later if isinstance(move, dict)]
    told += state["program"][row, card.seat].tolist()
    free = [kind for kind in game.rules.kinds if kind not in told]
    return int(free[0] if free else game.rules.kinds[0])


def _look_back(book: DragonDelta, state: State, row: int, game: _Game, number: int) -> None:
    """Whether a move has brought what the record says."""
    for card in game.hidden:
        if card.is_open(state[row]):
            game.fault = (
                f"move {card.move}: the action is null, but the card is revealed (clause 5.1)"
            )
            return
    said, true = game.made["moves"][number], _standing(book, state, row)
    if not records.same(said["pawns"], true["pawns"]):
        game.fault = (
            f"move {number}: the pawns are {true['pawns']}, not {said['pawns']} (clause 6.6)"
        )
    elif said["planks"] != true["planks"]:
        game.fault = (
            f"move {number}: {true['planks']} planks lie, not {said['planks']} (clause 6.3)"
        )


# ---------------------------------------------------------------- what is wrong with a record


def _move_fault(book: DragonDelta, state: State, row: int, move: Any) -> str | None:
    """What is wrong with a move before it is made, its legality aside."""
    if fault := records.move_fault(move, ("seat", "planks")):
        return fault
    pawns = move.get("pawns")
    if not isinstance(pawns, list) or not all(map(is_int, pawns)):
        return f"pawns must be a list of whole numbers, not {pawns!r:.40}"
    if "action" not in move or not (move["action"] is None or is_count(move["action"])):
        return f"action must be a whole number, not {move.get('action', 'left out')!r:.40}"
    if state["step"][row] == OVER:
        clause = "8.3" if state["end"][row] == CUT_OFF else "8.1"
        return f"the game is over already (clause {clause})"
    if move["seat"] != state["seat"][row]:
        clause = "4.3" if state["step"][row] == PROGRAM else "5.2"
        return (
            f"it is seat {state['seat'][row]}'s turn, not seat {move['seat']}'s (clause {clause})"
        )
    if move["action"] is None:
        if state["step"][row] != PROGRAM:
            return "the action is null, but everybody sees it (clause 9.1)"
    elif move["action"] >= book.spec.num_actions:
        last = book.spec.num_actions - 1
        return f"actions run from 0 to {last}, not {move['action']} (clause 11.1)"
    return None


def _end_fault(book: DragonDelta, state: State, row: int, made: Record) -> str | None:
    """What is wrong with the end of a record."""
    if state["step"][row] != OVER:
        named = [key for key in ("winners", "truncated") if key in made]
        return f"{named[0]} is given but the game is not over (clause 8.1)" if named else None
    true = _end(book, state, row)
    if not records.same(made.get("winners"), true["winners"]):
        said = made.get("winners")
        return f"the winners are {true['winners']}, not {said!r:.60} (clause 8.2)"
    if made.get("truncated") is not true["truncated"]:
        said = made.get("truncated")
        return f"truncated is {true['truncated']}, not {said!r:.40} (clause 8.3)"
    return None


def _open(made: Any) -> _Game | str:
    """A record with its rules, or what is wrong with them."""
    names = tuple(Rules().as_dict())
    fault = records.head_fault(made, FORMAT, {"rules": dict, "moves": list}, names)
    if fault:
        return fault
    if not isinstance(made["rules"]["kinds"], list):
        return f"the rules are wrong: kinds must be a list, not {made['rules']['kinds']!r:.40}"
    try:
        numbers = {name: made["rules"][name] for name in names}
        rules = Rules(map=_map(made.get("map")), **numbers)
    except ValueError as error:
        return f"the rules are wrong: {error}"
    fault = records.names_fault(made, "players", rules.players) or _view_fault(made, rules)
    return fault or _Game(made, rules)


def _map(said: Any) -> Map:
    if isinstance(said, dict):
        return Map.from_dict(said)
    if said != STANDARD:
        raise ValueError(f"map must be {STANDARD!r} or a whole map, not {said!r:.40}")
    return Map.standard()


def _view_fault(made: Record, rules: Rules) -> str | None:
    """A view hides cards of all seats but one."""
    moves = [move for move in made["moves"] if isinstance(move, dict)]
    hiding = [move.get("seat") for move in moves if move.get("action", 0) is None]
    if all(seat in hiding for seat in range(rules.players)):
        return "the action of every seat is null somewhere, but a seat sees its cards (clause 9.2)"
    return None


_REPLAYS = records.Replays(_open, _walk_group, ("winners", "truncated"))
verify, verify_all = _REPLAYS.verify, _REPLAYS.verify_all
replay, walk = _REPLAYS.replay, _REPLAYS.walk
