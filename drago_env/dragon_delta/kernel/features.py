"""What an action does at once, in numbers for a network or a heuristic (`observation.FEATURES`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.bits import ONE, ZERO, bit, lowest, size
from drago_env.core.compiled import compiled, inlined
from drago_env.dragon_delta.kernel.options import links_for, options, plank_on
from drago_env.dragon_delta.kernel.play import FIRST_STEP, colour_of
from drago_env.dragon_delta.kernel.result import distance
from drago_env.dragon_delta.kernel.ways import (
    REMOTE_LINKS,
    cost_at,
    cost_with,
    cost_with_stone,
    exits_at,
    find_ways,
    on_way,
)
from drago_env.dragon_delta.map import LINK_WORDS, MAX_LINKS
from drago_env.dragon_delta.observation import FARTHEST, FEATURE_STARTS
from drago_env.dragon_delta.rules import MAX_KINDS
from drago_env.dragon_delta.state import (
    EMPTY,
    JUMP,
    LINK,
    PLANK,
    PROGRAM,
    REMOVE,
    STONE,
    VILLAGE,
)

(
    CARD,
    SLOT,
    PLANNED,
    DOES,
    NUMBER,
    COLOUR,
    WINS,
    OWN_COST,
    RIVAL_COST,
    OWN_STEPS,
    RIVAL_STEPS,
    DISTANCE,
    EXITS,
    TARGET,
    WAY,
    WORKS,
    WHERE,
    READIES,
    LINKS,
    HINDERS,
    TIME,
) = FEATURE_STARTS
_PUTS, _CHOOSES, _LAYS, _TAKES, _TAKES_STONE, _MOVES, _JUMPS = range(DOES, DOES + 7)
# by card: steps, planks, stones, jumps
_PLAN = np.array(
    [[0, 0, 1, 0], [0, 0, 2, 0], [0, 1, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0],
     [2, 0, 0, 0], [0, 0, 0, 1]], np.int8,
)  # fmt: skip


@inlined
def _write(out: Any, at: Any, number: Any, scale: Any) -> None:
    out[at] = np.int8(number) * scale[at]


@inlined
def _cards_to_come(game: Any, rules: Any) -> Any:
    """Cards of the own program that are still to be carried out after this decision."""
    count: Any = 0
    seat = np.int64(game["seat"])
    for slot in range(np.int64(rules["slots"])):
        to_come = game["step"] == PROGRAM or slot > game["slot"]
        count += to_come & (game["program"][seat, slot] != EMPTY)
    return count


@inlined
def _try_cards(game: Any, rules: Any, work: Any) -> None:
    """How many options each card would have if it were carried out now; a dragon none."""
    for card in range(MAX_KINDS):
        game["step"] = FIRST_STEP[card]
        low, w0, w1, w2, high = options(game, rules)
        count = size(low) + size(w0) + size(w1) + size(w2) + size(high)
        work["works"][card] = min(count, 127)
    work["works"][MAX_KINDS] = 0
    game["step"] = PROGRAM


@compiled
def prepare(game: Any, rules: Any, work: Any) -> None:
    """What the features of all actions have in common: the ways of the pawns."""
    find_ways(game, rules, work)
    work["cards"] = _cards_to_come(game, rules)
    if game["step"] == PROGRAM:
        _try_cards(game, rules, work)
    work["links"] = 0
    if game["chosen"] > 0:
        w0, w1, w2 = links_for(game, np.int64(game["chosen"]), rules)
        work["links"] = size(w0) + size(w1) + size(w2)


@inlined
def _write_program(game: Any, card: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    seat, players = np.int64(game["seat"]), np.int64(game["players"])
    slot: Any = 0
    while game["program"][seat, slot] != EMPTY:
        laid = np.int64(game["program"][seat, slot])
        if laid < MAX_KINDS:
            for i in range(4):
                out[PLANNED + i] += _PLAN[laid, i] * scale[PLANNED + i]
        slot += 1
    _write(out, SLOT, slot + 1, scale)
    out[CARD + min(card, MAX_KINDS)] = 1
    _write(out, WORKS, work["works"][min(card, MAX_KINDS)], scale)
    if card >= MAX_KINDS:
        target = seat + card - MAX_KINDS + 1
        target = target - players if target >= players else target
        _write(out, TARGET, work["cost"][target], scale)
        _write(out, TARGET + 1, work["steps"][target], scale)
        first = np.int64(game["first"])
        order = target - first if target >= first else target - first + players
        _write(out, TARGET + 2, order + 1, scale)


@inlined
def _write_plank(game: Any, colour: Any, number: Any, scale: Any, out: Any) -> None:
    _write(out, NUMBER, number, scale)
    out[COLOUR + (1 if colour != game["seat"] else 0)] = 1


@inlined
def _write_link(game: Any, link: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """Lays the chosen plank."""
    seat, rival = np.int64(game["seat"]), np.int64(work["rival"])
    out[_LAYS] = 1
    number = np.int64(game["chosen"])
    _write_plank(game, colour_of(game, seat, number), number, scale, out)
    own, other = cost_with(game, seat, link, rules, work), cost_with(game, rival, link, rules, work)
    out[WAY] = own < work["cost"][seat]
    out[WAY + 1] = other < work["cost"][rival]
    _write(out, OWN_COST + 1, own, scale)
    _write(out, RIVAL_COST + 1, other, scale)
    hindered: Any = 0
    for word in range(LINK_WORDS):
        hindered += size(rules["cross"][link, word] & ~game["blocked"][word])
    _write(out, HINDERS, min(hindered - 1, 127), scale)
    _write(out, LINKS, work["links"], scale)


@inlined
def _write_taking(game: Any, link: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """Takes a plank up: whoever needed it must build again."""
    seat, rival = np.int64(game["seat"]), np.int64(work["rival"])
    out[_TAKES] = 1
    plank = plank_on(game, link, rules)
    _write_plank(game, plank >> 3, (plank & 7) + 1, scale, out)
    own, other = on_way(game, seat, link, rules, work), on_way(game, rival, link, rules, work)
    out[WAY] = own
    out[WAY + 1] = other
    _write(out, OWN_COST + 1, np.int64(work["cost"][seat]) + own, scale)
    _write(out, RIVAL_COST + 1, np.int64(work["cost"][rival]) + other, scale)
    game["laid"][link >> 6] &= ~bit(link & 63)  # looked at, and put back
    _write(out, EXITS, exits_at(game, np.int64(game["pawn"][seat]), rules), scale)
    _write(out, EXITS + 1, exits_at(game, np.int64(game["pawn"][rival]), rules), scale)
    game["laid"][link >> 6] |= bit(link & 63)


@inlined
def _write_stone(game: Any, islet: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    seat, rival = np.int64(game["seat"]), np.int64(work["rival"])
    own = cost_with_stone(game, seat, islet, rules, work)
    other = cost_with_stone(game, rival, islet, rules, work)
    out[WAY] = own < work["cost"][seat]
    out[WAY + 1] = other < work["cost"][rival]
    _write(out, OWN_COST + 1, own, scale)
    _write(out, RIVAL_COST + 1, other, scale)
    grounded = work["near"][REMOTE_LINKS, islet] & (game["stones"] | rules["villages_all"])
    _write(out, READIES, size(grounded), scale)


@inlined
def _write_choice(game: Any, number: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """Chooses a plank: what it could do best for the own way."""
    seat = np.int64(game["seat"])
    out[_CHOOSES] = 1
    _write_plank(game, colour_of(game, seat, number), number, scale, out)
    links = links_for(game, number, rules)
    best: Any = np.int64(work["cost"][seat])
    count: Any = 0
    for word in range(LINK_WORDS):
        bits = links[word]
        while bits != ZERO:
            link = lowest(bits) + 64 * word
            best = min(best, cost_with(game, seat, link, rules, work))
            bits &= bits - ONE
            count += 1
    out[WAY] = best < work["cost"][seat]
    _write(out, OWN_COST + 1, best, scale)
    _write(out, LINKS, min(count, 127), scale)


@inlined
def _write_spot(game: Any, a: Any, b: Any, rules: Any, scale: Any, out: Any) -> None:
    """The middle between two nodes, as it looks from the own village."""
    nodes = rules["seen_node"][rules["home"][game["players"], game["seat"]]]
    for i in range(2):
        twice = np.int64(rules["spot"][nodes[a], i]) + np.int64(rules["spot"][nodes[b], i])
        _write(out, WHERE + i, twice >> 1, scale)


@inlined
def _write_move(game: Any, place: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    seat, rival = np.int64(game["seat"]), np.int64(work["rival"])
    before = game["pawn"][seat]
    out[_JUMPS if game["step"] == JUMP else _MOVES] = 1
    if place < MAX_LINKS:
        plank = plank_on(game, place, rules)
        _write_plank(game, plank >> 3, (plank & 7) + 1, scale, out)
    own = cost_at(game, seat, place, work["cost_in"][seat], rules)
    steps = cost_at(game, seat, place, work["steps_in"][seat], rules)
    out[WINS] = place == VILLAGE + rules["goal"][game["players"], seat]
    _write(out, OWN_COST + 1, own, scale)
    _write(out, OWN_STEPS + 1, steps, scale)
    game["pawn"][seat] = place  # looked at, and put back
    _write(out, DISTANCE, min(distance(game, seat, rules), FARTHEST), scale)
    _write(out, EXITS, exits_at(game, place, rules), scale)
    _write(out, EXITS + 1, exits_at(game, np.int64(game["pawn"][rival]), rules), scale)
    game["pawn"][seat] = before


@inlined
def _write_common(game: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """Everything as it is before the action; what it changes is written over it."""
    seat, rival = np.int64(game["seat"]), np.int64(work["rival"])
    for i in range(2):
        _write(out, OWN_COST + i, work["cost"][seat], scale)
        _write(out, RIVAL_COST + i, work["cost"][rival], scale)
        _write(out, OWN_STEPS + i, work["steps"][seat], scale)
        _write(out, RIVAL_STEPS + i, work["steps"][rival], scale)
    _write(out, DISTANCE, min(distance(game, seat, rules), FARTHEST), scale)
    _write(out, EXITS, work["exits"][seat], scale)
    _write(out, EXITS + 1, work["exits"][rival], scale)
    rounds = np.int64(rules["max_rounds"]) - np.int64(game["round"])
    _write(out, TIME, min(rounds, FARTHEST), scale)
    _write(out, TIME + 1, work["cards"], scale)


@inlined
def _write_at_link(game: Any, link: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    if game["step"] == LINK:
        _write_link(game, link, rules, scale, work, out)
    elif game["step"] == REMOVE:
        _write_taking(game, link, rules, scale, work, out)
    else:
        _write_move(game, link, rules, scale, work, out)


@compiled
def features(game: Any, action: Any, rules: Any, scale: Any, work: Any, out: Any) -> None:
    """The features of one legal action of the seat on turn; nothing hidden is looked at."""
    for i in range(out.shape[0]):
        out[i] = 0
    _write_common(game, rules, scale, work, out)
    step = game["step"]
    link = action - np.int64(rules["first_link"])
    islet = action - np.int64(rules["first_islet"])
    islets = np.int64(rules["islets"])
    if step == PROGRAM:
        _write_program(game, action, rules, scale, work, out)
    elif step == PLANK:
        number = action - np.int64(rules["first_plank"]) + 1
        _write_choice(game, number, rules, scale, work, out)
    elif action >= rules["first_village"]:
        node = islets + action - np.int64(rules["first_village"])
        _write_spot(game, node, node, rules, scale, out)
        _write_move(game, VILLAGE + node - islets, rules, scale, work, out)
    elif link >= 0:
        _write_spot(game, rules["end"][link, 0], rules["end"][link, 1], rules, scale, out)
        _write_at_link(game, link, rules, scale, work, out)
    else:
        _write_spot(game, islet, islet, rules, scale, out)
        if step == STONE:
            out[_PUTS] = 1
            _write_stone(game, islet, rules, scale, work, out)
        else:
            out[_TAKES_STONE] = 1
