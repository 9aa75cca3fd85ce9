"""Ways to play for the comparison: at random, and with a goal, since chance hardly ever wins."""

from __future__ import annotations

import random

from tests.rupe_dei_draghi.position import (
    BESIDE,
    BRIDGE,
    CLOUD,
    DONE,
    DRAGON,
    RAINBOW,
    RENEW,
    ROB,
    TELESWAP,
    TOP,
)
from tests.rupe_dei_draghi.reference import Reference


def uniform(side: Reference, rng: random.Random, legal: list[int]) -> int:
    return rng.choice(legal)


def target(side: Reference) -> str:
    """The nearest stronghold where the seat on turn has not looked."""
    here, seat = side.knights[side.seat], side.seat
    left = [fort for i, fort in enumerate(side.map.forts) if i not in side.looks[seat]]
    return min(left, key=lambda fort: side.map.steps(here, fort))


def goal(side: Reference) -> str:
    return target(side) if side.armour[side.seat] else side.map.castle


def spaces(side: Reference, legal: list[int]) -> dict[str, int]:
    first = 18 + len(side.map.sites)
    return {side.map.names[action - first]: action for action in legal if action >= first}


def sites(side: Reference, legal: list[int]) -> dict[int, int]:
    last = 18 + len(side.map.sites)
    return {action - 18: action for action in legal if 18 <= action < last}


def wanted_card(side: Reference) -> int | None:
    """The magic card that helps now."""
    aim = goal(side)
    if aim == side.map.castle:
        laid = any(side.map.sites[site][1] == aim for site in side.rainbows)
        return None if laid else RAINBOW
    if aim in side.dragons:
        return DRAGON
    gaps = [s for s in side.map.roads[aim] if s in side.map.bridge_sites]
    return BRIDGE if gaps and not set(gaps) & side.bridges else None


def seeker(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Castle first, then the nearest stronghold; a fifth of the time at random."""
    if rng.random() < 0.2:
        return rng.choice(legal)
    here, aim = side.knights[side.seat], goal(side)
    if side.step in ("turn", "magic"):
        return seek_card(side, rng, legal)
    named, places = spaces(side, legal), sites(side, legal)
    if side.step == "move" and named:
        return named[min(named, key=lambda space: (side.map.steps(space, aim), rng.random()))]
    if side.step == "dragon_from" and aim in named:
        return named[aim]
    if side.step in ("rainbow_from", "bridge_from") and BESIDE in legal:
        return BESIDE
    if side.step == "bridge_to":
        near = [named[space] for space in side.map.roads[aim] if space in named]
        return rng.choice(near or legal)
    if side.step in ("rainbow_to", "crossed_to"):
        fit = [site for site in places if side.map.sites[site][1] == aim]
        if fit:
            return places[min(fit, key=lambda s: side.map.steps(here, side.map.sites[s][0]))]
    return rng.choice(legal)


def seek_card(side: Reference, rng: random.Random, legal: list[int]) -> int:
    wanted = wanted_card(side)
    if wanted is not None and wanted in legal:
        return wanted
    if wanted is not None and TOP in legal and side.pile[-1] == wanted:
        return TOP
    points = [action for action in legal if 5 <= action < 10]
    if side.step == "turn":
        points += [action for action in legal if action == RENEW and wanted is not None]
        points += [action for action in legal if action in (TOP, ROB) and rng.random() < 0.3]
    return rng.choice(points or legal)


def meddler(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Seeks, but plays every teleswap and cloud that it holds and goes for duels."""
    tricks = [action for action in legal if action in (TELESWAP, CLOUD)]
    if tricks and side.step in ("turn", "magic"):
        return rng.choice(tricks)
    if side.step == "cloud":
        inside = [r for r in side.rivals() if side.map.deep(side.knights[r])]
        if inside:
            return side.seats_on(rng.choice(inside))
    if side.step == "swap":
        inside = [side.seats_on(r) for r in side.rivals() if side.map.deep(side.knights[r])]
        fit = [action for action in inside if action in legal]
        return rng.choice(fit or legal)
    if side.step == "move":
        named = spaces(side, legal)
        duels = [named[s] for s in named if s in side.knights and not side.map.deep(s)]
        if duels:
            return rng.choice(duels)
    return seeker(side, rng, legal)


def miser(side: Reference, rng: random.Random, legal: list[int]) -> int:
    """Empties its hand and robs, so that deck and hands become small and discards come back."""
    if side.step == "turn" and rng.random() < 0.5:
        choice = [action for action in legal if action in (ROB, RENEW)]
        return rng.choice(choice)
    cards = [action for action in legal if action < 10]
    return rng.choice(cards or [action for action in legal if action != DONE] or legal)


POLICIES = (uniform, seeker, seeker, meddler, miser)
