"""The engine's state, observation and legal actions, compared with the reference."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import drago_env.dragon_delta
from drago_env.dragon_delta.map import MAX_LINKS
from drago_env.dragon_delta.rules import Rules
from drago_env.dragon_delta.state import EMPTY, NOWHERE
from tests.dragon_delta.reference import Board, Place, Reference

STEPS = ("program", "stone", "plank", "link", "remove", "move", "first", "second", "jump", "over")
MAPS = Path(drago_env.dragon_delta.__file__ or "").parent / "maps"


@cache
def board_of(text: str) -> Board:
    return Board(json.loads(text))


def reference_of(rules: Rules) -> Reference:
    """A game at its start; the map comes from its file or as plain JSON."""
    standard = MAPS / f"{rules.map.name}.json"
    text = standard.read_text() if standard.exists() else json.dumps(rules.map.as_dict())
    return Reference(board_of(text), **rules.as_dict())


def place(reference: Reference, where: Place | None) -> int:
    if where is None:
        return NOWHERE
    return where[1] + (MAX_LINKS if where[0] == "village" else 0)


def words(numbers: Any) -> list[int]:
    bits = sum(1 << number for number in numbers)
    return [bits >> 64 * i & (1 << 64) - 1 for i in range(3)]


def expected(it: Reference) -> dict[str, Any]:
    """The fields of the state that the reference stands for."""
    n = it.players
    plank = np.full((6, 8), NOWHERE)
    for seat in range(n):
        for colour, number in it.reserves[seat]:
            plank[colour, number - 1] = MAX_LINKS + seat
    for link, (colour, number) in it.on_map.items():
        plank[colour, number - 1] = link
    program = np.full((6, 8), EMPTY)
    for seat, cards in enumerate(it.programs):
        program[seat, : len(cards)] = cards
    crossing = set(it.on_map).union(*(it.board.crosses[link] for link in it.on_map))
    nodes = range(it.board.islets + len(it.board.colours))
    ended = 1 if it.winner is not None else 2 if it.truncated else 0
    return {
        "stones": words(it.stoned)[0],
        "full": words(node for node in nodes if it.bears(node) >= it.support)[0],
        "laid": words(it.on_map),
        "blocked": words(crossing),
        "round": it.round,
        "plank": plank.tolist(),
        "program": program.tolist(),
        "pawn": [place(it, pawn) for pawn in it.pawns] + [NOWHERE] * (6 - n),
        "players": n,
        "seat": it.seat,
        "first": it.marker,
        "slot": it.slot,
        "step": STEPS.index(it.step),
        "end": ended,
        "left": it.left,
        "chosen": it.chosen,
        "origin": place(it, it.origin),
        "move2_village": int(it.move2_village),
        "long_planks": int(it.long_planks),
        "spare": [0, 0, 0],
    }


def found(game: Any) -> dict[str, Any]:
    """The same of a record of the engine."""
    return {name: game[name].tolist() for name in game.dtype.names if name != "map"}


def difference(game: Any, it: Reference) -> str | None:
    """The first field in which they differ."""
    have = found(game)
    for name, value in expected(it).items():
        if have[name] != value:
            return f"{name} is {have[name]}, not {value}"
    return None


# ---------------------------------------------------------------- the observation


def turned(it: Reference, village: int) -> list[int]:
    """Which node each node looks like from a village (1.7)."""
    nodes = it.board.islets + len(it.board.colours)
    for sends in it.board.data.get("symmetries", []):
        if sends[it.board.islets] == it.board.islets + village:
            return [sends.index(node) for node in range(nodes)]
    return list(range(nodes))


def sight(it: Reference, seat: int) -> dict[str, NDArray[np.int64]]:
    """The observation of a seat, by the names of its parts."""
    board, n, islets = it.board, it.players, it.board.islets
    nodes = turned(it, it.home[seat])
    index = {frozenset(link[:2]): i for i, link in enumerate(board.links)}

    def one(length: int, at: int | None) -> list[int]:
        return [int(i == at) for i in range(length)]

    def rel(other: int) -> int:
        return (other - seat) % n

    def where(spot: Place | None) -> list[int]:
        if spot is None:
            return [0, 0]
        if spot[0] == "village":
            return [nodes[islets + spot[1]] + 1, 0]
        return sorted(nodes[node] + 1 for node in board.links[spot[1]][:2])

    running = not it.over
    executing = it.step != "program"
    order = [(seat + k) % n for k in range(n)]
    pad = [0] * (6 - n)
    cards = np.zeros((6, 14), int)
    reserves = np.zeros((6, 8), int)
    pawns = np.zeros((6, 9), int)
    links, stones = np.zeros(len(board.links), int), np.zeros(islets, int)
    for who in order:
        known = it.slots if who == seat else it.open_slots()
        for slot, card in enumerate(it.programs[who][:known]):
            column = card if card < 8 else 8 + rel((who + card - 7) % n)
            cards[rel(who), column] = slot + 1
        for colour, number in it.reserves[who]:
            reserves[rel(who), number - 1] = rel(colour) + 1
        spot = it.pawns[who]
        if spot[0] == "village":
            pawns[rel(who), nodes[islets + spot[1]] - islets] = 1
        far = min(board.distance(spot, it.goals[who]), 15)
        pawns[rel(who), 6:] = [*where(spot), int(far)]
    for link, (colour, number) in it.on_map.items():
        a, b = board.links[link][:2]
        sign = -1 if ("link", link) in it.pawns else 1
        links[index[frozenset((nodes[a], nodes[b]))]] = sign * (63 + number + 8 * rel(colour))
    for islet in it.stoned:
        stones[nodes[islet]] = 1
    lost = [sum(colour == who for colour, _ in it.lost) for who in order]
    made = {
        "step": one(9, STEPS.index(it.step)),
        "turn": one(6, rel(it.seat) if running else None),
        "marker": one(6, rel(it.marker)),
        "slot": one(8, it.slot if executing else None),
        "players": one(5, n - 2),
        "flags": [it.move2_village, it.long_planks],
        "rounds_left": [min(it.max_rounds - it.round, 127)],
        "stones_left": [min(it.stones - len(it.stoned), 127)],
        "left": [it.left],
        "chosen": one(8, it.chosen - 1),
        "origin": where(it.origin),
        "laid": [len(it.programs[who]) for who in order] + pad,
        "cancelled": [int(executing and it.dragons_on(who) > 0) for who in order] + pad,
        "cards": cards,
        "home": [nodes[islets + it.home[who]] - islets + 1 for who in order] + pad,
        "goal": [nodes[islets + it.goals[who]] - islets + 1 for who in order] + pad,
        "pawns": pawns,
        "reserves": reserves,
        "lost": lost + pad,
        "links": links,
        "stones": stones,
    }
    return {name: np.array(part, np.int64) for name, part in made.items()}
