"""What a search asks of Dragon Delta."""

from __future__ import annotations

from typing import Any

import numpy as np

from drago_env.core.advice import Advice
from drago_env.core.chance import GOLDEN, mixed
from drago_env.core.compiled import compiled, inlined
from drago_env.core.search import searches
from drago_env.dragon_delta.kernel.game import FUNCTIONS
from drago_env.dragon_delta.kernel.heuristic import assess_all, assess_program
from drago_env.dragon_delta.kernel.knowledge import revealed
from drago_env.dragon_delta.kernel.legal import legal
from drago_env.dragon_delta.kernel.way import WORK
from drago_env.dragon_delta.kernel.win_chance import leaf_values
from drago_env.dragon_delta.state import EMPTY, PROGRAM

# How a search thinks that others program: as the heuristic does, but less surely.
LIKELY = np.array([0.06, 0.7, 1.5, 4.0, 0.5, 1.0])
LIKELY_TEMPERATURE = 0.7
_UNIT = 2.0**-53
_S11 = np.uint64(11)


@inlined
def hidden(game: Any, seat: Any) -> Any:
    """Whether the decision on turn is hidden from a seat: others' cards lie face down (4.1)."""
    return game["step"] == PROGRAM and game["seat"] != seat


@inlined
def quiet(game: Any) -> Any:
    """Between two rounds: nobody has programmed yet."""
    return game["step"] == PROGRAM and game["program"][game["first"], 0] == EMPTY


@inlined
def _draw(count: Any, temperature: Any, z: Any, work: Any) -> Any:
    """A place with probabilities as exp(value / temperature): noise is added, the best taken."""
    best: Any = 0
    most = -1e300
    for i in range(count):
        z += GOLDEN
        chance = (np.float64(mixed(z) >> _S11) + 0.5) * _UNIT
        value = work["values"][i] - temperature * np.log(-np.log(chance))
        if value > most:
            best, most = i, value
    return best


@compiled
def imagine(game: Any, seat: Any, seed: Any, rules: Any, work: Any) -> None:
    """Draws what others have programmed: likelier what would bring them on.

    The hidden cards themselves are not looked at. Each is drawn as if its owner programmed now,
    after the cards that are known of them.
    """
    open_slots, slots = revealed(game), np.int64(rules["slots"])
    step, turn = game["step"], game["seat"]
    z = mixed(seed)
    if open_slots >= slots:
        return
    game["step"] = PROGRAM
    for other in range(np.int64(game["players"])):
        laid: Any = 0
        for slot in range(slots):
            laid += game["program"][other, slot] != EMPTY
        if other == seat or laid <= open_slots:
            continue
        game["seat"] = other
        for slot in range(open_slots, slots):
            game["program"][other, slot] = EMPTY
        for slot in range(open_slots, laid):
            count = legal(game, rules, work["actions"])
            assess_program(game, count, open_slots, rules, LIKELY, work)
            z = mixed(z + GOLDEN)
            place = _draw(count, LIKELY_TEMPERATURE, z, work)
            game["program"][other, slot] = np.uint8(work["actions"][place])
    game["step"] = step
    game["seat"] = turn


SEARCHES = searches(
    __name__,
    FUNCTIONS._replace(work=WORK, determinize=imagine),
    Advice(assess=assess_all, leaf=leaf_values, hidden=hidden, quiet=quiet),
)
