"""A position in words, as one viewer may know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.rupe_dei_draghi.graph import Graph
from drago_env.rupe_dei_draghi.rules import CARDS, NONE, Rules
from drago_env.rupe_dei_draghi.state import CUT_OFF, STEPS, WON


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
    return text


def _board(rules: Rules, game: Any) -> Iterator[str]:
    graph = rules.graph
    spots = [graph.names[space] for space in game["dragons"].tolist() if space != NONE]
    rainbows = [site_text(graph, site) for site in laid_sites(rules, game)]
    bridges = [graph.names[space] for space in laid_bridges(rules, game)]
    yield f"dragons: {', '.join(spots) or 'none'}"
    yield f"rainbows: {', '.join(rainbows) or 'none'}; {game['rainbows']} beside the board"
    yield f"bridges: {', '.join(bridges) or 'none'}; {game['bridges']} beside the board"
    size = int(game["pile_size"])
    top = CARDS[int(game["pile"][size - 1])] if size else "nothing"
    yield f"discard pile: {top} on top of {size}; {game['deck_size']} in the deck"


def _rider(rules: Rules, game: Any, seat: int, viewer: int | None) -> str:
    graph = rules.graph
    traits = [graph.names[int(game["knight"][seat])]]
    if game["armour"][seat]:
        traits.append("armour")
    if game["doubles"][seat]:
        traits.append("doubles")
    looked = [f for f in range(len(graph.strongholds)) if game["looks"][seat] >> f & 1]
    if looked:
        traits.append("looked in " + " ".join(graph.names[graph.strongholds[f]] for f in looked))
    hand = f"{game['hand_size'][seat]} cards"
    if viewer in (None, seat):
        hand += f": {cards(game['hand'][seat])}"
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
