"""What a rider knows (clause 12): unseen cards, possible princesses, and redrawing the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.chance import chance, mixed
from drago_env.core.compiled import compiled, inlined
from drago_env.rupe_dei_draghi.kernel.cards import draw
from drago_env.rupe_dei_draghi.kernel.deal import colour_of
from drago_env.rupe_dei_draghi.rules import CARD_KINDS, MAX_PLAYERS
from drago_env.rupe_dei_draghi.state import WON

MAX_TRIES = 1_000_000  # far more than any sound state needs


@inlined
def unseen(game: Any, seat: Any, kind: Any) -> Any:
    """How many cards of a kind lie in the deck or, unmarked, in the other hands (12.5)."""
    count = np.int64(game["deck"][kind])
    for rival in range(MAX_PLAYERS):  # a seat that nobody has holds nothing
        if rival != seat:
            held = np.int64(game["hand"][rival, kind])
            count += held - np.int64(game["marks"][seat, rival, kind])
    return count


@inlined
def spent(game: Any, kind: Any, rules: Any) -> Any:
    """How many cards of a kind are in the discard pile."""
    count = np.int64(rules["copies"][kind]) - np.int64(game["deck"][kind])
    for rider in range(MAX_PLAYERS):
        count -= np.int64(game["hand"][rider, kind])
    return count


@inlined
def looked_at(game: Any, seat: Any, rules: Any) -> Any:
    """The strongholds, as bits, whose princess a seat knows: by looks, or by the game's end."""
    known = np.int64(game["looks"][seat])
    if game["end"] == WON:  # everybody sees where the winner stands
        known |= 1 << np.int64(rules["fort_of"][game["knight"][game["seat"]]])
    return known


@inlined
def excluded(game: Any, colour: Any, rules: Any) -> Any:
    """The strongholds, as bits, where the rider of a colour looked in vain; none if nobody's."""
    apart = np.int64(rules["forts"]) // np.int64(game["players"])
    seat = colour // apart
    if seat * apart != colour or seat >= np.int64(game["players"]):
        return 0
    return np.int64(game["looks"][seat])


@inlined
def _fits(game: Any, known: Any, rules: Any) -> Any:
    """Whether the present arrangement has no rider's princess where they looked in vain (12.3)."""
    fits = True
    for fort in range(np.int64(rules["forts"])):
        if (known >> fort) & 1 == 0:
            vain = excluded(game, np.int64(game["princess"][fort]), rules)
            fits &= (vain >> fort) & 1 == 0
    return fits


@inlined
def _redraw_princesses(game: Any, seat: Any, rules: Any) -> None:
    """Every arrangement that fits, equally likely: shuffled until it does (12.3).

    The unknown ones are sorted first, so that the result depends on what the seat knows alone.
    """
    forts = np.int64(rules["forts"])
    princess = game["princess"]
    known = looked_at(game, seat, rules)
    taken: Any = 0
    for fort in range(forts):
        if (known >> fort) & 1 != 0:
            taken |= 1 << np.int64(princess[fort])
    colour: Any = 0
    for fort in range(forts):
        if (known >> fort) & 1 == 0:
            while (taken >> colour) & 1 != 0:
                colour += 1
            princess[fort] = colour
            colour += 1
    for _ in range(MAX_TRIES):
        free = 0  # unknown strongholds up to here
        for fort in range(forts):
            if (known >> fort) & 1 == 0:
                free += 1
                last = _unknown(known, chance(game, free))
                colour = np.int64(princess[fort])
                princess[fort] = princess[last]
                princess[last] = colour
        if _fits(game, known, rules):
            return


@inlined
def _unknown(known: Any, place: Any) -> Any:
    """The stronghold at a place among the unknown ones."""
    fort = 0
    while True:
        if (known >> fort) & 1 == 0:
            if place == 0:
                return fort
            place -= 1
        fort += 1


@inlined
def _redraw_cards(game: Any, seat: Any) -> None:
    """Marked cards stay where they are; all others unseen are dealt anew (12.5)."""
    players = np.int64(game["players"])
    size: Any = 0
    for kind in range(CARD_KINDS):
        count = unseen(game, seat, kind)
        game["deck"][kind] = count
        size += count
    game["deck_size"] = size
    for rival in range(players):
        if rival == seat:
            continue
        wanted = np.int64(game["hand_size"][rival])
        marked: Any = 0
        for kind in range(CARD_KINDS):
            game["hand"][rival, kind] = game["marks"][seat, rival, kind]
            marked += np.int64(game["marks"][seat, rival, kind])
        game["hand_size"][rival] = marked
        for _ in range(wanted - marked):
            draw(game, rival)


@compiled
def determinize(game: Any, seat: Any, seed: Any, rules: Any, work: Any) -> None:
    """Redraws all that the seat cannot know, uniformly, and the generator (12.3 to 12.6)."""
    game["rng"] = mixed(seed)
    game["script"] = 0
    game["options"] = 0
    _redraw_princesses(game, seat, rules)
    _redraw_cards(game, seat)
    players = np.int64(game["players"])
    for rider in range(players):
        for rival in range(players):
            if rider != seat and rival != seat:
                for kind in range(CARD_KINDS):
                    game["marks"][rider, rival, kind] = 0


@inlined
def allowed_forts(game: Any, seat: Any, colour: Any, rules: Any) -> Any:
    """The strongholds, as bits, where the princess of a colour can be for all the seat saw.

    What a seat saw itself, and where the rider of the colour looked in vain; what would follow
    from several of these together is not drawn.
    """
    known = looked_at(game, seat, rules)
    forts = np.int64(rules["forts"])
    for fort in range(forts):
        if (known >> fort) & 1 != 0 and game["princess"][fort] == colour:
            return 1 << fort
    return ((1 << forts) - 1) & ~known & ~excluded(game, colour, rules)


@inlined
def own_forts(game: Any, seat: Any, rules: Any) -> Any:
    """The strongholds, as bits, where the own princess can be."""
    return allowed_forts(game, seat, colour_of(game, seat, rules), rules)
