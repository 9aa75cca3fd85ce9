"""What follows from a decision by itself: cards revealed, planks lost, pawns fallen.

A card that asks for no decision leaves nothing behind in the state, so the news follows the turns
between the decision and the next one. All it needs is public by then (9.1): the cards of the slots
gone through, where the pawns stood, and who is next.
"""

from __future__ import annotations

from collections.abc import Iterator

from drago_env.dragon_delta.actions import LINK, card_text, decode
from drago_env.dragon_delta.rules import CARDS
from drago_env.dragon_delta.state import CUT_OFF, MOVE, PROGRAM, VILLAGE
from drago_env.dragon_delta.visible import Table

_ON_FOOT = tuple(CARDS.index(name) for name in ("move1", "move2", "jump"))


def news(then: Table, action: int, now: Table) -> Iterator[str]:
    """All that came of an action, in the order in which it happened."""
    yield from (f"{then.plank_text(plank)} is lost" for plank in now.lost if plank not in then.lost)
    yield from _without_decisions(then, action, now)
    if now.game["round"] != then.game["round"]:
        first = now.rules.colours[int(now.game["first"])]
        yield f"round {now.game['round']}, {first} is first"


def _without_decisions(then: Table, action: int, now: Table) -> Iterator[str]:
    """The turns up to the next decision: slots are opened (5.1), pawns fall (7.1)."""
    players, rules = then.rules.players, then.rules
    cards = [then.cards(seat) for seat in range(players)]
    if then.game["step"] == PROGRAM:
        cards[then.seat].append(action)
    away = _away(then, action)
    begin, end = _span(then, now)
    for turn in range(begin, min(end + 1, players * rules.slots)):
        slot, place = divmod(turn, players)
        seat = (int(then.game["first"]) + place) % players
        played = [program[slot] for program in cards]
        if place == 0:
            named = zip(rules.colours, played, strict=True)
            shown = [f"{c} {card_text(card, rules, s)}" for s, (c, card) in enumerate(named)]
            yield f"slot {slot + 1}: {', '.join(shown)}"
        # a card on foot asks where to go, if there is anywhere (11.3); at home nothing changes
        idle = turn < end and played[seat] in _ON_FOOT and seat not in then.hit(played)
        if idle and seat in away:
            away.remove(seat)
            yield f"{rules.colours[seat]} falls"


def _span(then: Table, now: Table) -> tuple[int, int]:
    """The first turn of the round that a decision leads to, and the turn that waits after it."""
    players, slots = then.rules.players, then.rules.slots
    laying = then.game["step"] == PROGRAM
    same = now.game["round"] == then.game["round"] and now.game["end"] != CUT_OFF
    if same and now.game["step"] == PROGRAM:  # a card was laid, and all are face down yet
        return 0, -1
    return 0 if laying else _turn(then) + 1, _turn(now) if same else players * slots


def _turn(table: Table) -> int:
    """How many turns of the round came before the present one (5.2)."""
    game, players = table.game, table.rules.players
    return int(game["slot"]) * players + (table.seat - int(game["first"])) % players


def _away(then: Table, action: int) -> set[int]:
    """Whose pawns are not at home once the action is done."""
    away = {s for s in range(then.rules.players) if then.pawn(s) != then.home(s)}
    if then.game["step"] >= MOVE:
        kind, index = decode(action, then.rules)
        home = kind != LINK and VILLAGE + index == then.home(then.seat)
        away = away - {then.seat} if home else away | {then.seat}
    return away
