"""La rupe dei draghi in words: decisions as a log tells them, and positions for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from drago_env.rupe_dei_draghi import state as steps
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, ROB, TOP, decode, text
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import CARDS, Rules
from drago_env.rupe_dei_draghi.visible import Rider, Visible
from drago_env.rupe_dei_draghi.words import BESIDE_IT, RIVAL, SITE, SPACE

# what a person on turn has to do in each step, as others hear of it and as they are asked
DOING = {
    steps.TURN: ("to play", "play a card, renew the hand, rob, or use the top discard"),
    steps.MAGIC: ("goes on", "play another card, or be done"),
    steps.RAINBOW_FROM: ("moves a rainbow", "take a rainbow from the board or from beside it"),
    steps.RAINBOW_TO: ("moves a rainbow", "choose where the rainbow goes"),
    steps.BRIDGE_FROM: ("moves a bridge", "take a bridge from the board or from beside it"),
    steps.BRIDGE_TO: ("moves a bridge", "choose where the bridge goes"),
    steps.DRAGON_FROM: ("moves a dragon", "choose a dragon"),
    steps.DRAGON_TO: ("moves a dragon", "choose where the dragon goes"),
    steps.SWAP: ("swaps knights", "choose a rival to change places with"),
    steps.CLOUD_WHOM: ("sends a cloud", "choose a rival whom the cloud takes away"),
    steps.CLOUD_TO: ("sends a cloud", "choose a start for the rival's knight"),
    steps.MOVE: ("moves", "choose where your knight goes"),
    steps.DUEL: ("won a duel", "choose a start for the knight that you have beaten"),
    steps.SPOILS: ("takes spoils", "take a card of the loser, or be done"),
    steps.ROBBERY: ("robs", "choose a rival to take a card from"),
    steps.CROSSED: ("may move a rainbow", "move a rainbow that you crossed, or be done"),
    steps.CROSSED_TO: ("moves a rainbow", "choose where the rainbow goes"),
    steps.OVER: ("", ""),
}
_DONE = {
    steps.MOVE: "the knight stays",
    steps.SPOILS: "take no more",
    steps.ROBBERY: "take no more",
    steps.CROSSED: "leave the rainbows",
}
WIDE = 80
_TINTS = {"red": 160, "yellow": 178, "green": 34, "blue": 33}  # of the terminal's 256 colours


# ---------------------------------------------------------------- decisions


def told(rules: Rules, it: Any, action: int) -> str:
    """A legal decision in the words of the step in which it is made."""
    step, (kind, index) = int(it["step"]), decode(action, rules.graph)
    if kind == "site":
        return SITE[step][1].format(site_words(rules.graph, index))
    if kind == "space":
        return SPACE[step][1].format(rules.graph.names[index], rival=int(it["rival"]))
    if kind == "rival":
        return RIVAL[step][1].format((int(it["seat"]) + index) % rules.players)
    if action == TOP:
        return f"top discard, {card_words(int(it['pile'][it['pile_size'] - 1]))}"
    if action == BESIDE:
        return BESIDE_IT[step][1]
    words = {RENEW: "renew the hand", ROB: "rob", DONE: _DONE.get(step, "done")}
    return words.get(action) or text(action, rules.graph)


def card_words(kind: int) -> str:
    """A card by its name; those of points say so."""
    return f"points {CARDS[kind]}" if CARDS[kind].isdigit() else CARDS[kind]


def site_words(graph: Graph, site: int) -> str:
    """A rainbow site by its ends."""
    rock, end = graph.sites[site]
    return f"{graph.names[rock]} to {graph.names[end]}"


def cards(kinds: Sequence[int]) -> str:
    """Cards counted by kinds: `2 dragon, points 3`."""
    counted = Counter(card_words(kind) for kind in kinds)
    return ", ".join(f"{n} x {word}" if n > 1 else word for word, n in counted.items())


# ---------------------------------------------------------------- positions


def position(seen: Visible) -> str:
    """The position for a terminal, in colour."""
    lines = [_moment(seen), *board(seen), *princesses(seen)]
    if seen.last:
        lines.append(f"last move: {seen.riders[seen.last.seat].name}: {seen.last.text}")
    wrapped = [part for line in lines for part in _wrapped(line)]
    for rider in seen.riders:
        first, *more = _wrapped(_rider(seen, rider))
        tint = _TINTS.get(seen.rules.graph.colours[rider.colour])
        head = len(_head(rider))
        coloured = f"\x1b[1;38;5;{tint}m{first[:head]}\x1b[0m{first[head:]}"
        wrapped += [first if tint is None else coloured, *more]
    return "\n".join(wrapped)


def _wrapped(line: str) -> list[str]:
    return wrap(line, WIDE, subsequent_indent="    ")


def _moment(seen: Visible) -> str:
    if seen.cut_off:
        return f"the game was cut off after {seen.turns} turns"
    turn = f"turn {seen.turns + 1} of {seen.rules.turn_cap}"
    who = seen.riders[seen.seat].name
    if seen.over:
        return f"{turn}: {who} has found their princess"
    by = f", by a {CARDS[seen.card]}" if seen.card is not None else ""
    return f"{turn}: {who} {DOING[seen.step][0]}{by}"


def board(seen: Visible) -> Iterator[str]:
    """Pieces and cards that all see."""
    graph = seen.rules.graph
    spots = [graph.names[space] for space in seen.dragons]
    rainbows = [site_words(graph, site) for site in seen.rainbows]
    bridges = [graph.names[space] for space in seen.bridges]
    top = card_words(seen.pile[-1]) if seen.pile else "nothing"
    yield f"dragons at {', '.join(spots) or 'no place'}"
    yield f"rainbows: {', '.join(rainbows) or 'none'}; {seen.rainbows_left} beside the board"
    yield f"bridges: {', '.join(bridges) or 'none'}; {seen.bridges_left} beside the board"
    yield f"discard pile: {top} on top of {len(seen.pile)} cards; {seen.deck} in the deck"


def princesses(seen: Visible) -> Iterator[str]:
    """What the viewer knows of them."""
    graph = seen.rules.graph
    told = []
    for space, colours in zip(graph.strongholds, seen.princesses, strict=True):
        words = " or ".join(graph.colours[colour] for colour in colours)
        some = "any" if len(colours) == len(graph.strongholds) else words
        told.append(f"{graph.names[space]} {some}")
    yield f"princesses: {', '.join(told)}"


def _head(rider: Rider) -> str:
    return f"rider {rider.seat}"


def _rider(seen: Visible, rider: Rider) -> str:
    graph = seen.rules.graph
    name = "" if rider.name == _head(rider) else f" {rider.name}"
    acts = rider.seat == seen.seat and not seen.over
    mark = " WINS" if rider.wins else " (to decide)" if acts else ""
    hand = f"{rider.cards} card{'' if rider.cards == 1 else 's'}"
    if rider.hand:
        hand += f": {cards(rider.hand)}"
    elif rider.known:
        hand += f", among them {cards(rider.known)}"
    traits = "; ".join([f"at {graph.names[rider.space]}", *traits_of(seen, rider), hand])
    return f"{_head(rider)}{name}, {graph.colours[rider.colour]}{mark}: {traits}"


def traits_of(seen: Visible, rider: Rider) -> list[str]:
    """What makes a rider stronger, and where they have been."""
    graph = seen.rules.graph
    traits = ["armour"] if rider.armour else []
    traits += ["moves double"] if rider.doubles else []
    looked = [graph.names[graph.strongholds[fort]] for fort in rider.looks]
    return [*traits, *([f"looked in {', '.join(looked)}"] if looked else [])]
