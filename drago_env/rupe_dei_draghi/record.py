"""Game records: one game as one JSON object, replayed and verified without random numbers.

A record holds the rules, the graph, the deal and every decision with what chance brought by it;
many records are one file with a record on each line (`.jsonl`). A seat's view of a record hides
what the seat cannot know, and is verified as far as that goes (`views.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from drago_env.core import records
from drago_env.core.batches import NO_ACTION
from drago_env.core.records import Frame, Record, RecordError, is_count, is_int, read, write
from drago_env.game import Outcome, State
from drago_env.rupe_dei_draghi.actions import DONE, RENEW
from drago_env.rupe_dei_draghi.game import RupeDeiDraghi
from drago_env.rupe_dei_draghi.graph import STANDARD, Graph
from drago_env.rupe_dei_draghi.opening import opened
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, CARDS, Rules
from drago_env.rupe_dei_draghi.state import CUT_OFF, MOVE, ROBBERY, RUNNING, SPOILS, TURN, WON
from drago_env.rupe_dei_draghi.views import Guess

if TYPE_CHECKING:
    from drago_env.pictures.page import Replay

FORMAT = "rupe-dei-draghi/1"
__all__ = [
    "FORMAT",
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


# ---------------------------------------------------------------- writing


def record(
    game: RupeDeiDraghi,
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
    if it["turns"] or it["pile_size"] or it["step"] != TURN or it["marks"].any():
        raise ValueError(records.NOT_DEALT)
    made: Record = {
        "format": FORMAT,
        "rules": rules.as_dict(),
        "graph": STANDARD if rules.graph == Graph.standard() else rules.graph.as_dict(),
        **records.signed(seed, names),
        "start": {
            "hands": [_cards(it["hand"][seat]) for seat in range(n)],
            "princesses": it["princess"][: len(rules.graph.starts)].tolist(),
        },
        "moves": [],
    }
    for move, before, _ in records.decisions(game, state, actions):
        made["moves"].append({**move, **_brought(rules, before, it, move["action"])})
    if game.over(state)[0]:
        made |= _ending(it)
    return made


def _cards(counts: Any) -> list[int]:
    return np.repeat(np.arange(CARD_KINDS), counts).tolist()


def _brought(rules: Rules, before: Any, after: Any, action: int) -> dict[str, Any]:
    """What chance or a look brought by a decision, and the size of the deck after it."""
    seat, found = int(before["seat"]), chance_key(before, action, rules)
    brought: dict[str, Any] = {}
    if found == "drawn":
        brought["drawn"] = _cards(after["hand"][seat])
    elif found == "taken":
        more = after["hand"][seat] > before["hand"][seat]
        brought["taken"] = int(np.flatnonzero(more)[0])
    elif found == "seen":
        fort = rules.graph.strongholds.index(int(after["knight"][seat]))
        brought["seen"] = int(after["princess"][fort])
    return {**brought, "deck": int(after["deck_size"])}


def chance_key(game: Any, action: int, rules: Rules) -> str | None:
    """Which of `drawn`, `taken` and `seen` a decision brings, if any."""
    step = game["step"]
    if step == TURN and action == RENEW:
        return "drawn"
    if step in (ROBBERY, SPOILS) and action != DONE:
        return "taken"
    space = action - rules.num_actions + len(rules.graph)
    if step == MOVE and action != DONE and rules.graph.kinds[space] == "stronghold":
        return "seen"
    return None


def _ending(game: Any) -> dict[str, Any]:
    cut_off = bool(game["end"] == CUT_OFF)
    return {"winners": [] if cut_off else [int(game["seat"])], "truncated": cut_off}


def view(made: Record, seat: int) -> Record:
    """What one seat may see of a record (clause 12); `verify` takes it too."""
    players = made["rules"]["players"]
    return records.seen(made, seat, lambda move: _seen_move(move, seat, players), princesses=None)


def _seen_move(move: dict[str, Any], seat: int, players: int) -> dict[str, Any]:
    hidden = dict(move)
    if "drawn" in move:
        hidden["drawn"] = len(move["drawn"])
    if "seen" in move:
        hidden["seen"] = None
    robbed = (move["seat"] + move["action"] - 14) % players
    if "taken" in move and robbed != seat:
        hidden["taken"] = None
    return hidden


# ---------------------------------------------------------------- verifying


def verify(made: Record) -> None:
    """Replays a record or a view against the rules; `RecordError` names the first wrong move."""
    _replayed(made, None)


def verify_all(records: Sequence[Record]) -> list[str | None]:
    """For each record what is wrong with it, or None."""
    found: list[str | None] = []
    for made in records:
        try:
            verify(made)
            found.append(None)
        except RecordError as error:
            found.append(str(error))
    return found


def replay(made: Record, move: int | None = None) -> tuple[RupeDeiDraghi, State]:
    """The game after so many moves of a record (by default all), verified up to there.

    Of a view, it is one of the games that the seat cannot tell apart.
    """
    total = len(made["moves"]) if isinstance(made.get("moves"), list) else 0
    if move is not None and not 0 <= move <= total:
        raise ValueError(f"the record has the moves 0 to {total}, not {move}")
    return _replayed(made, move)


def pictures(made: Record, seat: int | None = None) -> Replay:
    """A record drawn move by move and verified on the way: all of it, or what a seat saw.

    One seat's view of a record is drawn as this seat saw the game.
    """
    from drago_env.pictures.page import replay as replay_of

    _, game, _, viewer = opened(made, FORMAT)
    if viewer is not None and seat not in (None, viewer):
        raise ValueError(f"the record is the view of seat {viewer}, not of seat {seat}")
    positions = ((frame.state, int(frame.actions[0])) for frame in _frames(made))
    return replay_of(game, positions, seat if viewer is None else viewer, made.get("players"))


def _replayed(made: Record, until: int | None) -> tuple[RupeDeiDraghi, State]:
    *_, frame = _frames(made, until)
    return frame.game, frame.state


def walk(records: Sequence[Record], reward: str = "win") -> Iterator[Frame]:
    """Replays records one after the other; refuses an unsound one where it is wrong."""
    for index, made in enumerate(records):
        try:
            yield from _frames(made, reward=reward, index=index)
        except RecordError as error:
            raise RecordError(f"record {index}: {error}") from None


def _frames(
    made: Record, until: int | None = None, reward: str = "win", index: int = 0
) -> Iterator[Frame]:
    """The moments before each move, and the last one, with the action -1.

    It is the same state over and over, changed in place.
    """
    rules, game, state, viewer = opened(made, FORMAT, reward)
    guess = None if viewer is None else Guess(rules, state, viewer)
    moves = made["moves"] if until is None else made["moves"][:until]
    for number, move in enumerate(moves):
        last = number + 1 == len(made["moves"])
        fault = _fault_before(game, state, move, guess, made if last else None)
        if fault is None:
            frame = _frame(game, state, number, index, move["action"])
            yield frame
            fault = _made_move(game, state, move, guess, frame.rewards)
        if fault:
            raise RecordError(f"move {number}: {fault}")
    if until is None or until == len(made["moves"]):
        fault = _end_fault(state[0], made)
        if fault:
            raise RecordError(fault)
    yield _frame(game, state, len(moves), index, NO_ACTION)


def _frame(game: RupeDeiDraghi, state: State, number: int, index: int, action: int) -> Frame:
    rows = np.arange(int(action != NO_ACTION))
    rewards = np.zeros((1, game.spec.seats), np.float32)
    return Frame(game, state, number, rows, np.array([index]), np.array([action]), rewards)


def _fault_before(
    game: RupeDeiDraghi, state: State, move: Any, guess: Guess | None, ending: Record | None
) -> str | None:
    """What is wrong with a move before it is made; a guess is fitted to it."""
    it, rules = state[0], game.rules[0]
    if fault := records.move_fault(move, ("seat", "action", "deck")):
        return fault
    if it["end"] != RUNNING:
        return f"the game is over already (clause {'11.1' if it['end'] == WON else '11.2'})"
    if move["seat"] != it["seat"]:
        return f"it is seat {it['seat']}'s turn, not seat {move['seat']}'s (clause 4.7)"
    action = move["action"]
    if action >= rules.num_actions:
        return f"actions run from 0 to {rules.num_actions - 1}, not {action} (clause 14.1)"
    if guess is not None:
        guess.fit_action(action)
    if not game.is_legal(state, action):
        reason, clause = game.why_illegal(state, 0, action)
        return f"cannot {game.decision_text(state, 0, action)}: {reason} (clause {clause})"
    asked = chance_key(it, action, rules)
    fault = _chance_fault(move, asked, rules, guess)
    if fault or asked is None or guess is None:
        return fault
    won = bool(ending and ending.get("winners") == [move["seat"]])
    return guess.fit_chance(asked, move[asked], action, won)


def _chance_fault(move: Any, key: str | None, rules: Rules, guess: Guess | None) -> str | None:
    """Whether a move tells what chance brought, all of it and nothing else."""
    for other in ("drawn", "taken", "seen"):
        if other != key and other in move:
            return f"{other} does not belong to this move (clause 14.5)"
        if other == key and other not in move:
            return f"{other} is missing (clause 14.5)"
    if key is None:
        return None
    told = move[key]
    if guess is not None and guess.hides(key, move["seat"], move["action"]):
        hidden = is_count(told) if key == "drawn" else told is None
        return None if hidden else f"{key} is hidden from the seat, not {told!r:.40} (clause 12.2)"
    if key == "drawn":
        cards = isinstance(told, list) and all(is_int(c) and 0 <= c < CARD_KINDS for c in told)
        if not cards or told != sorted(told):
            return f"drawn must list cards in order, not {told!r:.60} (clause 4.4)"
        return None
    limit = CARD_KINDS if key == "taken" else len(rules.graph.starts)
    if not is_int(told) or not 0 <= told < limit:
        return f"{key} must be from 0 to {limit - 1}, not {told!r:.40} (clause 14.5)"
    return None


def _made_move(
    game: RupeDeiDraghi, state: State, move: Any, guess: Guess | None, rewards: Any
) -> str | None:
    """Makes a move with what the record says that it brought; what is wrong with that."""
    it, rules, action = state[0], game.rules[0], move["action"]
    seat, key = int(it["seat"]), chance_key(state[0], move["action"], game.rules[0])
    generator, fault = it["rng"].copy(), None
    draws = np.zeros(1, np.uint16)  # kept until the step is made: see core/chance.py
    if key == "taken":
        draw = _taking(it, move, rules)
        if isinstance(draw, str):
            return draw
        draws[0], it["rng"], it["script"] = draw, draws.ctypes.data, 2
    outcome = Outcome(np.zeros(rewards.shape, np.int16), rewards)
    game.step_unchecked(state, np.array([action], np.int64), outcome)
    it["rng"], it["script"] = generator, 0
    if guess is not None:
        guess.forget()
    if key == "drawn":
        fault = _set_hand(it, seat, move["drawn"])
    elif key == "seen" and move["seen"] is not None:
        fort = rules.graph.strongholds.index(int(it["knight"][seat]))
        if it["princess"][fort] != move["seen"]:
            fault = (
                f"the princess there is {it['princess'][fort]}, not {move['seen']} (clause 10.2)"
            )
    if fault is None and move["deck"] != it["deck_size"]:
        fault = f"{it['deck_size']} cards are in the deck, not {move['deck']} (clause 4.4)"
    return fault


def _taking(it: Any, move: Any, rules: Rules) -> int | str:
    """The draw by which chance takes the card that the record names, or what is wrong with it."""
    rival = (move["seat"] + move["action"] - 14) % rules.players
    hand, kind = it["hand"][rival], move["taken"]
    if kind is None:
        kind = int(np.flatnonzero(hand)[0])
    if hand[kind] == 0:
        return f"{CARDS[kind]} was taken but is not in the rival's hand (clause 4.5)"
    return int(hand[:kind].sum())


def _set_hand(it: Any, seat: int, drawn: Any) -> str | None:
    """Puts the cards that the record names into the hand, and the others back into the deck."""
    size = int(it["hand_size"][seat])
    if (drawn if is_int(drawn) else len(drawn)) != size:
        return f"{size} cards are drawn, not {drawn!r:.40} (clause 4.4)"
    if is_int(drawn):
        return None
    wanted = np.bincount(np.array(drawn, int), minlength=CARD_KINDS)
    heap = it["deck"].astype(np.int64) + it["hand"][seat]
    if (wanted > heap).any():
        card = CARDS[int(np.flatnonzero(wanted > heap)[0])]
        return f"{card} was drawn more often than it is there (clause 4.4)"
    it["hand"][seat], it["deck"] = wanted, heap - wanted
    return None


def _end_fault(it: Any, made: Record) -> str | None:
    """What is wrong with the end of a record."""
    if it["end"] == RUNNING:
        named = [key for key in ("winners", "truncated") if key in made]
        return f"{named[0]} is given but the game is not over (clause 11)" if named else None
    for key, value in _ending(it).items():
        told: Any = made.get(key)
        same = told == value and type(told) is type(value)
        if not same or (key == "winners" and not all(map(is_int, told))):
            return f"{key} must be {value}, not {told!r:.40} (clause 11)"
    return None
