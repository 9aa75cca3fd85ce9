"""A decision in words, and a position as one viewer may know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.rupe_dei_draghi import state as steps
from drago_env.rupe_dei_draghi.actions import BESIDE, DONE, RENEW, ROB, TOP, decode
from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import CARDS, NONE, Rules
from drago_env.rupe_dei_draghi.state import BESIDE_BOARD, CUT_OFF, STEPS, WON

# what naming a site, a space, a rival or what lies beside the board does: as something to do, and
# as a log tells it
SITE = {
    steps.RAINBOW_FROM: ("take a rainbow from {}", "the rainbow from {}"),
    steps.RAINBOW_TO: ("lay the rainbow on {}", "rainbow from {}"),
    steps.CROSSED: ("take a rainbow from {}", "the rainbow from {}"),
    steps.CROSSED_TO: ("lay the rainbow on {}", "rainbow from {}"),
}
SPACE = {
    steps.BRIDGE_FROM: ("take a bridge from {}", "the bridge at {}"),
    steps.BRIDGE_TO: ("lay the bridge on {}", "bridge to {}"),
    steps.DRAGON_FROM: ("take a dragon from {}", "the dragon at {}"),
    steps.DRAGON_TO: ("send the dragon to {}", "dragon to {}"),
    steps.CLOUD_TO: ("send rider {rival} to {}", "rider {rival} to {}"),
    steps.MOVE: ("go to {}", "knight to {}"),
    steps.DUEL: ("send rider {rival} to {}", "rider {rival} to {}"),
}
RIVAL = {
    steps.SWAP: ("change places with {}", "change places with rider {}"),
    steps.CLOUD_WHOM: ("send {} away", "cloud over rider {}"),
    steps.SPOILS: ("take a card of {}", "take a card of rider {}"),
    steps.ROBBERY: ("take a card of {}", "take a card of rider {}"),
}
BESIDE_IT = {
    steps.RAINBOW_FROM: ("take a rainbow from beside the board", "a rainbow from beside the board"),
    steps.RAINBOW_TO: ("put the rainbow beside the board", "rainbow off the board"),
    steps.BRIDGE_FROM: ("take a bridge from beside the board", "a bridge from beside the board"),
    steps.BRIDGE_TO: ("put the bridge beside the board", "bridge off the board"),
}
_PLAIN = {RENEW: "renew the hand", ROB: "rob", TOP: "use the top discard", DONE: "be done"}
_PICKED = {
    steps.RAINBOW_TO: "rainbow",
    steps.BRIDGE_TO: "bridge",
    steps.DRAGON_TO: "dragon",
    steps.CROSSED_TO: "rainbow",
}


def decision(rules: Rules, game: Any, action: int) -> str:
    """Any action as something to do in the step of a game, legal or not: `go to F2`."""
    graph, step = rules.graph, int(game["step"])
    kind, index = decode(action, graph)
    if kind == "card":
        return f"play the card {CARDS[index]}"
    if kind == "rival":
        rider = f"rider {(int(game['seat']) + index) % rules.players}"
        whom = rider if index < rules.players else f"rival +{index}"
        return RIVAL.get(step, ("choose {}",))[0].format(whom)
    if kind == "site":
        return SITE.get(step, ("choose the site {}",))[0].format(site_text(graph, index))
    if kind == "space":
        return SPACE.get(step, SPACE[steps.MOVE])[0].format(graph.names[index], rival=game["rival"])
    if action == BESIDE:
        return BESIDE_IT.get(step, ("choose what lies beside the board",))[0]
    return _PLAIN[action]


def describe(rules: Rules, game: Any, viewer: int | None) -> str:
    """One game in words; a viewer is told what their seat knows, None all."""
    if viewer is not None and not 0 <= viewer < rules.players:
        raise ValueError(f"viewer must be a seat from 0 to {rules.players - 1}, not {viewer}")
    lines = [_moment(rules, game), *_board(rules, game)]
    lines += [_rider(rules, game, seat, viewer) for seat in range(rules.players)]
    lines += _princesses(rules, game, viewer)
    return "\n".join(lines)


def cards(counts: NDArray[np.uint8]) -> str:
    """Cards counted by kinds, in words."""
    held = [f"{CARDS[kind]} x{counts[kind]}" for kind in np.flatnonzero(counts)]
    return ", ".join(held) or "nothing"


def laid_sites(rules: Rules, game: Any) -> list[int]:
    """The rainbow sites with a rainbow."""
    return [site for site in range(len(rules.graph.sites)) if int(game["laid"]) >> site & 1]


def laid_bridges(rules: Rules, game: Any) -> list[int]:
    """The bridge sites with a bridge."""
    closed = game["closed"].tolist()
    return [
        space for space in rules.graph.bridge_sites if not closed[space // 64] >> space % 64 & 1
    ]


def looked(graph: Graph, game: Any, seat: int) -> list[int]:
    """The strongholds that a rider has looked into: in vain, or to win (10.2)."""
    won = game["end"] == WON and game["seat"] == seat
    found = int(game["knight"][seat]) if won else NONE
    forts = enumerate(graph.strongholds)
    return [fort for fort, space in forts if game["looks"][seat] >> fort & 1 or space == found]


def site_text(graph: Graph, site: int) -> str:
    """A rainbow site by its ends."""
    rock, end = graph.sites[site]
    return f"{graph.names[rock]}-{graph.names[end]}"


def _moment(rules: Rules, game: Any) -> str:
    seat, turn = int(game["seat"]), int(game["turns"])
    if game["end"] == WON:
        return f"rider {seat} has won in turn {turn + 1}"
    if game["end"] == CUT_OFF:
        return f"the game was cut off after {turn} turns"
    text = f"rider {seat}, {STEPS[int(game['step'])]}; turn {turn + 1} of {rules.turn_cap}"
    if game["card"] != NONE:
        text += f"; moves by a {CARDS[int(game['card'])]}"
    if game["rival"] != NONE:
        text += f"; rival: rider {int(game['rival'])}"
    if game["step"] == steps.CROSSED:
        sites = [n for n in range(len(rules.graph.sites)) if int(game["crossed"]) >> n & 1]
        text += f"; crossed: {', '.join(site_text(rules.graph, site) for site in sites)}"
    if game["picked"] != NONE:
        text += f"; moves {_picked(rules.graph, game)}"
    if game["fresh"]:
        text += "; the magic card was the top discard"
    most = {steps.ROBBERY: rules.rob, steps.SPOILS: rules.spoils}.get(int(game["step"]))
    if most is not None:
        text += f"; {game['taken']} of up to {most} cards taken"
    return text


def _picked(graph: Graph, game: Any) -> str:
    """The piece that is on its way."""
    step, picked = int(game["step"]), int(game["picked"])
    piece = _PICKED[step]
    if picked == BESIDE_BOARD:
        return f"a {piece} from beside the board"
    of_site = step in (steps.RAINBOW_TO, steps.CROSSED_TO)
    return f"the {piece} from {site_text(graph, picked) if of_site else graph.names[picked]}"


def _board(rules: Rules, game: Any) -> Iterator[str]:
    graph = rules.graph
    spots = [graph.names[space] for space in game["dragons"].tolist() if space != NONE]
    rainbows = [site_text(graph, site) for site in laid_sites(rules, game)]
    bridges = [graph.names[space] for space in laid_bridges(rules, game)]
    yield f"dragons: {', '.join(spots) or 'none'}"
    yield f"rainbows: {', '.join(rainbows) or 'none'}; {game['rainbows']} beside the board"
    yield f"bridges: {', '.join(bridges) or 'none'}; {game['bridges']} beside the board"
    pile = [CARDS[kind] for kind in reversed(game["pile"][: int(game["pile_size"])].tolist())]
    top, below = pile[0] if pile else "nothing", f", below it {', '.join(pile[1:])}"
    told = f"{top} on top of {len(pile)}{below if len(pile) > 1 else ''}"
    yield f"discard pile: {told}; {game['deck_size']} in the deck"


def _rider(rules: Rules, game: Any, seat: int, viewer: int | None) -> str:
    graph = rules.graph
    traits = [graph.names[int(game["knight"][seat])]]
    if game["armour"][seat]:
        traits.append("armour")
    if game["doubles"][seat]:
        traits.append("doubles")
    forts = [graph.names[graph.strongholds[fort]] for fort in looked(graph, game, seat)]
    if forts:
        traits.append("looked in " + " ".join(forts))
    hand = f"{game['hand_size'][seat]} cards"
    if viewer in (None, seat):
        hand += f": {cards(game['hand'][seat])}"
        for rival in np.flatnonzero(game["marks"][:, seat].any(1)):  # 12.4
            hand += f"; rider {rival} knows of {cards(game['marks'][rival, seat])}"
    elif game["marks"][viewer, seat].any():
        hand += f", of these {cards(game['marks'][viewer, seat])}"
    colour = graph.colours[rules.colour(seat)]
    return f"rider {seat} ({colour}): {', '.join(traits)}; {hand}"


def _princesses(rules: Rules, game: Any, viewer: int | None) -> Iterator[str]:
    graph = rules.graph
    for fort, space in enumerate(graph.strongholds):
        found = game["end"] == WON and game["knight"][int(game["seat"])] == space
        if viewer is None or game["looks"][viewer] >> fort & 1 or found:
            colour = graph.colours[int(game["princess"][fort])]
            yield f"in {graph.names[space]}: the {colour} princess"
