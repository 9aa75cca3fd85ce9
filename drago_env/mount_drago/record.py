"""Game records: one game as one JSON object, replayed and verified without random numbers.

A record holds the rules, the board, the dealt cards and every decision with what it scored and
drew; many records are one file with a record on each line (`.jsonl`). See docs/formats.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core import records
from drago_env.core.batches import NO_ACTION
from drago_env.core.files import DAMAGE
from drago_env.core.records import Frame, Record, RecordError, is_int, read, write
from drago_env.game import State
from drago_env.mount_drago.board import Board
from drago_env.mount_drago.game import MountDrago
from drago_env.mount_drago.kernel.knowledge import redraw
from drago_env.mount_drago.moves import doubtful, numbers, untrue
from drago_env.mount_drago.rules import MAX_HAND, Rules
from drago_env.mount_drago.state import EMPTY, OVER
from drago_env.moved import renamed

if TYPE_CHECKING:
    from drago_env.pictures.page import Replay

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

FORMAT = "mount-drago/1"


# ---------------------------------------------------------------- writing


@renamed(riders="names")
def record(
    game: MountDrago,
    start: State,
    actions: ArrayLike,
    *,
    seed: int | None = None,
    names: Sequence[str] | None = None,
) -> Record:
    """The record of one game: its state right after the deal (one row) and its decisions."""
    state = records.one_game(start)
    rules = game.row_rules(state, 0)
    it, n = state[0], rules.players
    if it["position"][: rules.colours].any() or (it["hand_size"][:n] != rules.hand).any():
        raise ValueError(records.NOT_DEALT)
    made: Record = {
        "format": FORMAT,
        "rules": rules.as_dict(),
        "board": rules.board.pairs(),
        **records.signed(seed, names, "riders"),
        "start": {
            "tops": it["top"][:n].tolist(),
            "hands": [it["hand"][seat, : rules.hand].tolist() for seat in range(n)],
            "discard": np.repeat(np.arange(len(it["pile"])), it["pile"]).tolist(),
        },
        "moves": [],
    }
    for move, _, points in records.decisions(game, state, actions):
        drawn = it["drawn"][: it["drawn_size"]].tolist()
        brought = {"points": points[:n].tolist(), "drawn": drawn, "deck": int(it["deck_size"])}
        made["moves"].append({**move, **brought})
    if game.over(state)[0]:
        made["scores"] = it["score"][:n].tolist()
        made["winners"] = np.flatnonzero(game.winners(state)[0]).tolist()
    return made


def view(made: Record, seat: int) -> Record:
    """What one seat may see of a record: other hands and draws become counts, no seed."""
    return records.seen(made, seat, lambda move: {**move, "drawn": len(move["drawn"])})


def pictures(made: Record, seat: int | None = None) -> Replay:
    """A record drawn move by move: all of it, or what a seat saw.

    One seat's view of a record is drawn as this seat saw the game. A whole record is verified
    first; a view can be only as far as it tells.
    """
    from drago_env.mount_drago.replay import view_game, view_positions, view_seat
    from drago_env.pictures.page import replay as replay_of

    names, viewer = made.get("riders"), view_seat(made)
    if viewer is None:
        verify(made)
        walked = [(f.game, f.state.copy(), int(f.actions[0])) for f in walk([made])]
        return replay_of(walked[0][0], [position[1:] for position in walked], seat, names)
    if seat not in (None, viewer):
        raise ValueError(f"the record is the view of seat {viewer}, not of seat {seat}")
    try:
        game = view_game(made, viewer)
        positions = list(view_positions(game, made, viewer))
    except DAMAGE as error:
        raise RecordError(f"this view of a record cannot be read: {error!r:.300}") from error
    if fault := records.names_fault(made, "riders", game.rules[0].players):
        raise RecordError(fault)
    return replay_of(game, positions, viewer, names)


# ---------------------------------------------------------------- reading and verifying


@dataclass(kw_only=True)
class _Game(records.Opened):
    """One record on its way through a replay."""

    start: State


def _walk_group(games: list[_Game], indices: NDArray[np.int64], reward: str) -> Iterator[Frame]:
    variants = list(dict.fromkeys(game.rules for game in games))
    book = MountDrago(*variants, reward=reward)
    n = len(games)
    state = book.new(np.zeros(n, np.uint64))
    for row, game in enumerate(games):
        state[row] = game.start[0]
        state["board"][row] = book.boards.index(game.rules.board)
    lengths = np.array([len(game.made["moves"]) for game in games])
    sound = np.array([game.fault is None for game in games])

    def refuse(row: int, number: int, fault: str | None) -> None:
        if fault:
            games[row].fault, sound[row] = f"move {number}: {fault}", False

    for number in range(lengths.max(initial=0) + 1):
        rows = np.flatnonzero(sound & (lengths > number))
        moves = [games[row].made["moves"][number] for row in rows.tolist()]
        said = numbers(moves)
        for place in doubtful(book, state, rows, said):
            row = int(rows[place])
            refuse(row, number, _move_fault(book, state, row, moves[place]))
        moving, actions = rows[sound[rows]], np.full(n, NO_ACTION)
        if len(moving) < len(rows) or said is None:
            said = numbers([move for row, move in zip(rows, moves, strict=True) if sound[row]])
        assert said is not None, "moves without a fault are well-formed"
        actions[moving] = said.action
        outcome = book.new_outcome(n)
        yield Frame(book, state, number, moving, indices, actions, outcome.rewards, said)
        decks, seats = state["deck_size"].astype(np.int64), state["seat"].astype(np.int64)
        book.step_unchecked(state, actions, outcome)
        for place in untrue(book, state, moving, said, outcome.points):
            row = int(moving[place])
            move = games[row].made["moves"][number]
            refuse(row, number, _result_fault(book, state, row, move, outcome.points[row]))
            actions[row], said.drawn[place] = NO_ACTION, 0
        cards = np.zeros((n, MAX_HAND), np.uint8)
        cards[moving] = said.drawn
        faults = np.empty(n, np.int64)
        redraw(state, seats, actions, decks, cards, book.tables, faults)
        for row in np.flatnonzero(faults >= 0).tolist():
            card = book.rules[0].card_text(int(cards[row, faults[row]]))
            refuse(row, number, f"{card} was drawn but is not in the deck (clause 7.3)")
    won = book.winners(state)
    for row, game in enumerate(games):
        if game.fault is None:
            game.fault = _end_fault(state, row, game.made, won[row])


def _move_fault(book: MountDrago, state: State, row: int, move: Any) -> str | None:
    """What is wrong with a move before it is made."""
    if fault := records.move_fault(move, ("seat", "action", "deck")):
        return fault
    for key in ("points", "drawn"):
        if not isinstance(move.get(key), list) or not all(is_int(x) for x in move[key]):
            return f"{key} must be a list of whole numbers, not {move.get(key)!r:.40}"
    if state["phase"][row] == OVER:
        return "the game is over already (clause 6.7)"
    if move["seat"] != state["seat"][row]:
        return f"it is seat {state['seat'][row]}'s turn, not seat {move['seat']}'s (clause 3)"
    action = move["action"]
    if action >= book.spec.num_actions:
        return f"actions run from 0 to {book.spec.num_actions - 1}, not {action} (clause 10)"
    one = state[row : row + 1]
    if not book.is_legal(one, action):
        reason, clause = book.why_illegal(state, row, action)
        return f"cannot {book.action_text(action)}: {reason} (clause {clause})"
    return None


def _result_fault(
    book: MountDrago, state: State, row: int, move: Any, points: NDArray[np.int16]
) -> str | None:
    """What is wrong with what a move is said to have brought."""
    got = points[: state["players"][row]].tolist()
    if not records.same(move["points"], got):
        return f"the points are {got}, not {move['points']} (clause 6)"
    drawn = int(state["drawn_size"][row])
    if len(move["drawn"]) != drawn:
        clause = "6.7" if state["phase"][row] == OVER else "7"
        return f"{drawn} cards are drawn, not {len(move['drawn'])} (clause {clause})"
    if any(not 0 <= card < book.rules[0].card_kinds for card in move["drawn"]):
        return f"a drawn card does not exist in {move['drawn']} (clause 1.3)"
    if move["deck"] != state["deck_size"][row]:
        return f"{state['deck_size'][row]} cards are in the deck, not {move['deck']} (clause 7)"
    return None


def _end_fault(state: State, row: int, made: Record, won: NDArray[np.bool_]) -> str | None:
    """What is wrong with the end of a record."""
    if state["phase"][row] != OVER:
        named = [key for key in ("scores", "winners") if key in made]
        return f"{named[0]} are given but the game is not over (clause 6.7)" if named else None
    scores = state["score"][row, : state["players"][row]].tolist()
    if not records.same(made.get("scores"), scores):
        return f"the scores are {scores}, not {made.get('scores')!r:.60} (clause 6)"
    winners = np.flatnonzero(won).tolist()
    if not records.same(made.get("winners"), winners):
        return f"the winners are {winners}, not {made.get('winners')!r:.60} (clause 6.8)"
    return None


def _open(made: Any) -> _Game | str:
    """A record with its rules and its deal, or what is wrong with them."""
    parts = {"rules": dict, "board": list, "start": dict, "moves": list}
    names = ("edition", "players", "colours", "copies", "hand", "summit_dragons")
    fault = records.head_fault(made, FORMAT, parts, names)
    if fault:
        return fault
    try:
        numbers = {name: made["rules"][name] for name in names}
        rules = _rules(json.dumps([made["board"], numbers]))
    except (ValueError, TypeError, RecursionError) as error:
        return f"the rules are wrong: {error}"
    fault = records.names_fault(made, "riders", rules.players)
    if fault:
        return fault
    fault = _deal_fault(made, rules)
    if fault:
        return f"the deal is wrong: {fault}"
    return _Game(made, rules, start=_deal(made, rules))


@lru_cache(64)
def _rules(text: str) -> Rules:
    """The rules of records that write them so: most records of a file are alike in this."""
    board, numbers = json.loads(text)
    return Rules(board=Board.from_pairs(board), **numbers)


def _deal_fault(made: Record, rules: Rules) -> str | None:
    """What is wrong with the dealt cards."""
    start, n = made["start"], rules.players
    tops, hands, discard = start.get("tops"), start.get("hands"), start.get("discard")
    if not isinstance(tops, list) or not isinstance(hands, list) or not isinstance(discard, list):
        return "tops, hands and discard must be lists"
    drawn = [move.get("drawn") for move in made["moves"] if isinstance(move, dict)]
    if int in {type(told) for told in (*hands, *drawn)}:
        return "this is one seat's view, which hides cards; the whole record is needed"
    if len(tops) != n or len(hands) != n:
        return f"{n} riders need as many tops and hands (clause 2.2)"
    if any(not isinstance(hand, list) or len(hand) != rules.hand for hand in hands):
        return f"each hand has {rules.hand} cards (clause 2.2)"
    cards = [*tops, *discard, *(card for hand in hands for card in hand)]
    strange = [c for c in cards if not is_int(c) or not 0 <= c < rules.card_kinds]
    if strange:
        return f"{strange[0]!r:.40} is no card; cards run from 0 to {rules.card_kinds - 1}"
    if any(hand != sorted(hand) for hand in hands):
        return "a hand is not sorted"
    for card, count in Counter(cards).items():
        if count > rules.copies[card % rules.values]:
            return f"{count} cards {rules.card_text(card)} are more than there are (clause 1.3)"
    colours = [card // rules.values for card in tops]
    if len(set(colours)) < n:
        return "two riders show the same colour (clause 2.2)"
    if discard and rules.edition == "german":
        return "nothing is discarded at the start of the german edition (clause 2.2)"
    if any(card // rules.values not in colours[:-1] for card in discard):
        return "a card was rejected at the start whose colour nobody showed yet (clause 2.2)"
    return None


def _deal(made: Record, rules: Rules) -> State:
    """The state right after the dealt cards of a record."""
    start, n = made["start"], rules.players
    state = _blank(rules).copy()
    it = state[0]
    it["top"][:n], it["hand"][:n, : rules.hand] = start["tops"], start["hands"]
    it["pile"] = np.bincount(np.array(start["discard"], int), minlength=len(it["pile"]))
    dealt = [*start["tops"], *start["discard"], *chain.from_iterable(start["hands"])]
    left = np.tile(rules.copies, rules.colours)
    left -= np.bincount(dealt, minlength=len(left))
    deck = np.repeat(np.arange(rules.card_kinds), left)
    it["deck"] = EMPTY
    it["deck"][: len(deck)] = deck
    it["deck_size"] = len(deck)
    return state


@lru_cache(64)
def _blank(rules: Rules) -> State:
    """A game by these rules, for a deal to be written over."""
    return MountDrago(rules).new(0)


_REPLAYS = records.Replays(_open, _walk_group, ("scores", "winners"))
verify, verify_all = _REPLAYS.verify, _REPLAYS.verify_all
replay, walk = _REPLAYS.replay, _REPLAYS.walk
