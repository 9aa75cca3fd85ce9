"""Why an action is illegal, in words and by clause."""

from __future__ import annotations

from typing import Any

from drago_env.rupe_dei_draghi import state as steps
from drago_env.rupe_dei_draghi.actions import decode
from drago_env.rupe_dei_draghi.rules import CARDS, Rules
from drago_env.rupe_dei_draghi.state import MAGIC, TURN
from drago_env.rupe_dei_draghi.words import laid_bridges

_ASKED = {  # what each step asks for
    steps.RAINBOW_FROM: "a rainbow: the site where it lies, or beside the board",
    steps.RAINBOW_TO: "where the rainbow goes: a site, or beside the board",
    steps.BRIDGE_FROM: "a bridge: the space where it lies, or beside the board",
    steps.BRIDGE_TO: "where the bridge goes: a space, or beside the board",
    steps.DRAGON_FROM: "a dragon: its space",
    steps.DRAGON_TO: "the dragon's new space",
    steps.SWAP: "the rival to change places with",
    steps.CLOUD_WHOM: "the rival who is sent away",
    steps.CLOUD_TO: "a start for the rival's knight",
    steps.MOVE: "the destination of the knight",
    steps.DUEL: "a start for the loser",
    steps.SPOILS: "a card of the loser, or done",
    steps.ROBBERY: "a rival to rob, or done",
    steps.CROSSED: "a crossed rainbow: its site, or done",
    steps.CROSSED_TO: "where the crossed rainbow goes: a site",
}
_BARRED = {  # why an answer of the right kind is not among those of its step
    (steps.RAINBOW_FROM, "site"): ("no rainbow lies there", "5.2"),
    (steps.RAINBOW_FROM, "beside the board"): ("none lies there, or no site is free", "5.2"),
    (steps.RAINBOW_TO, "site"): ("the site is not open and free", "5.2"),
    (steps.RAINBOW_TO, "beside the board"): ("the rainbow comes from there", "5.1"),
    (steps.BRIDGE_FROM, "space"): ("no bridge lies there, or a knight stands on it", "5.3"),
    (steps.BRIDGE_FROM, "beside the board"): ("none lies there, or no site is free", "5.3"),
    (steps.BRIDGE_TO, "space"): ("it is no free bridge site", "5.3"),
    (steps.BRIDGE_TO, "beside the board"): ("the bridge comes from there", "5.1"),
    (steps.DRAGON_FROM, "space"): ("no dragon stands there", "5.4"),
    (steps.DRAGON_TO, "space"): ("it is no free green space or stronghold", "5.4"),
    (steps.SWAP, "rival"): ("the places are the same, or a stronghold takes armour", "5.5"),
    (steps.CLOUD_TO, "space"): ("it is no free start", "5.6"),
    (steps.MOVE, "done"): ("the knight must move if it can", "6.1"),
    (steps.DUEL, "space"): ("it is no free start", "8.3"),
    (steps.SPOILS, "rival"): ("only the loser is plundered", "8.4"),
    (steps.ROBBERY, "rival"): ("the rival has no cards", "4.5"),
    (steps.ROBBERY, "done"): ("one card must be taken", "4.5"),
    (steps.CROSSED, "site"): ("no rainbow was crossed there", "6.7"),
    (steps.CROSSED_TO, "site"): ("the site is not open and free", "6.7"),
}


def why_illegal(rules: Rules, game: Any, action: int) -> tuple[str, str]:
    """The reason and the clause that forbid an action in one game."""
    step = int(game["step"])
    if step == steps.OVER:
        return "the game is over", "11.1" if game["end"] == steps.WON else "11.2"
    kind, index = decode(action, rules.graph)
    if kind == "rival" and index >= rules.players:
        return f"{rules.players} riders have no such rival", "14.1"
    if step in (TURN, MAGIC):
        return _in_turn(game, kind, index)
    if (step, kind) == (steps.MOVE, "space"):
        return _no_destination(rules, game, index)
    return _BARRED.get((step, kind), (f"the step asks for {_ASKED[step]}", "14.2"))


def _no_destination(rules: Rules, game: Any, space: int) -> tuple[str, str]:
    """What keeps a knight from ending its move on a space: first what no path could mend."""
    graph, seat = rules.graph, int(game["seat"])
    single = graph.kinds[space] in ("rock", "stronghold")
    if space == game["knight"][seat]:
        return "the knight stands there, and no space comes twice", "6.1"
    if space in game["dragons"]:
        return "a dragon stands there", "6.3"
    if space in graph.bridge_sites and space not in laid_bridges(rules, game):
        return "no bridge lies there", "6.3"
    if single and space in game["knight"][: rules.players]:
        return "another knight stands there", "6.5"
    if space in graph.strongholds and not game["armour"][seat]:
        return "nobody enters a stronghold without armour", "10.1"
    return "no path of exactly so many steps ends there", "6.1"


def _in_turn(game: Any, kind: str, index: int) -> tuple[str, str]:
    """At the beginning of a turn, or after a magic card."""
    first = game["step"] == TURN
    if kind == "card":
        if game["hand"][int(game["seat"]), index] == 0:
            return f"{CARDS[index]} is not in the hand", "4.2"
        return "the card would have no effect", "5.1"
    if kind == "done":
        if first:
            return "a turn plays, renews, robs or uses the top discard", "4.1"
        return "whoever holds a points card must end with one", "4.3"
    if kind in ("renew", "rob", "top discard") and not first:
        return "only a turn begins so", "4.6" if kind == "top discard" else "4.1"
    if kind == "rob":
        return "no rival has a card", "4.5"
    if kind == "top discard":
        if game["pile_size"] == 0:
            return "the discard pile is empty", "4.6"
        return "the top discard would have no effect", "5.1"
    return "the step asks for a card, or another way to spend the turn", "14.2"
