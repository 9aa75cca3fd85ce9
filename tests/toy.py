"""A race that is all that Mount Drago is not: six seats, 300 actions, no points and no chance.

In each round every seat secretly chooses a way; then all run, except those that chose the same
way as another. Whoever reaches the goal wins, alone or with others; after some rounds the race is
cut off. It is one module, registered from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drago_env.core.advice import Advice
from drago_env.core.batches import NO_ACTION, Functions, batches, scratch
from drago_env.core.chance import GOLDEN, below
from drago_env.core.checks import whole
from drago_env.core.compiled import inlined
from drago_env.core.compiled_game import CompiledGame
from drago_env.core.layout import laid_out, scale, starts
from drago_env.core.planning import Planner
from drago_env.core.records import Frame, Record
from drago_env.core.search import searches
from drago_env.game import Faults, GameSpec, Move, State
from drago_env.pictures.canvas import HEIGHT, WIDTH, Box, Part, Text, pixels, svg
from drago_env.pictures.page import Replay, replay

SEATS, ACTIONS, MAX_LEGAL, STRIDE, SPEEDS = 6, 300, 60, 5, 7
FORMAT = "race/1"
RUNNING, WON, CUT_OFF = 0, 1, 2
LAYOUT = laid_out(
    ("place", (SEATS,), 1 / 32, "how far each seat is, the own first"),
    ("chosen", (SEATS,), 1.0, "who has chosen in this round"),
    ("own", (1,), 1 / 256, "the own way, one more than its number, once it is chosen"),
    ("round", (1,), 1 / 32, "rounds so far"),
    ("players", (1,), 1 / 8, "how many run"),
)
PLACE, CHOSEN, OWN, ROUND, PLAYERS = starts(LAYOUT)
STATE = np.dtype(
    [
        ("place", "<i2", (SEATS,)),
        ("chosen", "<u2", (SEATS,)),  # one more than the way, 0 before; HIDDEN until all have
        ("round", "u1"),
        ("seat", "u1"),
        ("players", "u1"),
        ("end", "u1"),  # RUNNING, WON or CUT_OFF
    ]
)
TABLE = np.dtype([("goal", "<i2"), ("rounds", "u1"), ("spare", "u1")])


@dataclass(frozen=True)
class Rules:
    """How many run, how far, and for how many rounds."""

    players: int = 3
    goal: int = 24
    rounds: int = 8

    def __post_init__(self) -> None:
        for name, high in (("players", SEATS), ("goal", 100), ("rounds", 30)):
            whole(name, getattr(self, name), 2, high)


# ---------------------------------------------------------------- over one record


@inlined
def rules_of(game: Any, tables: Any) -> Any:
    return tables[0]


@inlined
def over(game: Any) -> Any:
    return game["end"] != RUNNING


@inlined
def deal(game: Any, seed: Any, rules: Any) -> None:
    for seat in range(SEATS):
        game["place"][seat] = 0
        game["chosen"][seat] = 0
    game["round"] = 0
    game["seat"] = 0
    game["end"] = RUNNING


@inlined
def is_legal(game: Any, action: Any, rules: Any) -> Any:
    fits = (action + np.int64(game["place"][game["seat"]])) % STRIDE == 0
    return fits and 0 <= action < ACTIONS and not over(game)


@inlined
def legal(game: Any, rules: Any, actions: Any) -> Any:
    count = 0
    for action in range(ACTIONS):
        if is_legal(game, action, rules):
            actions[count] = action
            count += 1
    return count


@inlined
def apply(game: Any, action: Any, rules: Any, points: Any) -> None:
    for seat in range(SEATS):
        points[seat] = 0
    game["chosen"][game["seat"]] = action + 1
    if game["seat"] + 1 < game["players"]:
        game["seat"] += 1
        return
    game["round"] += 1
    for seat in range(game["players"]):
        alone = True
        for other in range(game["players"]):
            alone &= other == seat or game["chosen"][other] != game["chosen"][seat]
        if alone:
            game["place"][seat] += np.int64(game["chosen"][seat] - 1) % SPEEDS
        if game["place"][seat] >= rules["goal"]:
            game["end"] = WON
    if game["end"] == RUNNING and game["round"] == rules["rounds"]:
        game["end"] = CUT_OFF
    if game["end"] == RUNNING:
        game["seat"] = 0
    for seat in range(SEATS):
        game["chosen"][seat] = 0


@inlined
def shares(game: Any, out: Any) -> None:
    first = game["place"][0]
    for seat in range(1, game["players"]):
        first = max(first, game["place"][seat])
    count = 0
    for seat in range(game["players"]):
        count += game["end"] == CUT_OFF or game["place"][seat] == first
    for seat in range(game["players"]):
        out[seat] = (game["end"] == CUT_OFF or game["place"][seat] == first) / count


@inlined
def reward(game: Any, scheme: Any, points: Any, rules: Any, rewards: Any) -> None:
    for seat in range(SEATS):
        rewards[seat] = 0.0
    if game["end"] == WON:
        shares(game, rewards)
        players = np.int64(game["players"])
        for seat in range(players):
            rewards[seat] = (rewards[seat] * players - 1.0) / (players - 1)


@inlined
def observe(game: Any, seat: Any, rules: Any, factors: Any, out: Any) -> None:
    for k in range(out.shape[0]):
        out[k] = 0
    for k in range(game["players"]):
        other = (seat + k) % game["players"]
        out[PLACE + k] = np.int8(game["place"][other]) * factors[PLACE]
        out[CHOSEN + k] = game["chosen"][other] > 0
    out[OWN] = game["chosen"][seat] * factors[OWN]
    out[ROUND] = np.int8(game["round"]) * factors[ROUND]
    out[PLAYERS] = np.int8(game["players"]) * factors[PLAYERS]


@inlined
def determinize(game: Any, seat: Any, seed: Any, rules: Any, work: Any) -> None:
    for other in range(game["players"]):
        if other != seat and game["chosen"][other] > 0:
            seed += GOLDEN
            first = (STRIDE - np.int64(game["place"][other]) % STRIDE) % STRIDE
            game["chosen"][other] = 1 + first + STRIDE * below(seed, MAX_LEGAL)


@inlined
def hidden(game: Any, seat: Any) -> Any:
    return game["seat"] != seat


FUNCTIONS = Functions(
    rules_of=rules_of,
    over=over,
    deal=deal,
    legal=legal,
    is_legal=is_legal,
    apply=apply,
    reward=reward,
    shares=shares,
    observe=observe,
    determinize=determinize,
    work=scratch(SEATS, MAX_LEGAL),
    seats=SEATS,
    max_legal=MAX_LEGAL,
)


# ---------------------------------------------------------------- the rule book


class Race(CompiledGame):
    """The race as a rule book."""

    loops = batches(__name__, FUNCTIONS)
    planner = Planner(searches(__name__, FUNCTIONS, Advice(hidden=hidden)))
    state_type = STATE
    rewards = {"win": 0}  # noqa: RUF012
    rules: tuple[Rules, ...]

    def __init__(self, *rules: Rules, reward: str = "win", threads: int = 1) -> None:
        rules = rules or (Rules(),)
        variants, tables = np.zeros(len(rules), STATE), np.zeros(1, TABLE)
        variants["players"] = [variant.players for variant in rules]
        tables[0] = (rules[0].goal, rules[0].rounds, 0)
        super().__init__(rules, reward, threads, variants=variants, tables=tables, layout=LAYOUT)
        self.signature = {"game": "race", "num_actions": ACTIONS}
        self.spec = GameSpec(
            name="race",
            title="The race",
            seat_name="runner",
            min_players=2,
            max_players=SEATS,
            seats=SEATS,
            num_actions=ACTIONS,
            max_legal=MAX_LEGAL,
            observation_size=len(scale(LAYOUT)),
            observation_bound=4.0,
            feature_size=0,
            reward_bound=1.0,
            has_points=False,
            has_chance=False,
            can_truncate=True,
            hides_decisions=True,
        )

    def over(self, state: State) -> NDArray[np.bool_]:
        return np.asarray(state["end"] != RUNNING)

    def truncated(self, state: State) -> NDArray[np.bool_]:
        return np.asarray(state["end"] == CUT_OFF)

    def why_illegal(self, state: State, row: int, action: int) -> tuple[str, str]:
        return "the race is over" if self.over(state)[row] else "that way does not start here", "1"

    def action_text(self, action: int) -> str:
        return f"run {action % SPEEDS} by way {action}"

    def told(self, state: State, row: int, action: int, viewer: int | None) -> str | None:
        known = viewer is None or viewer == state["seat"][row]
        return self.action_text(action) if known else "chooses a way"

    def faults(self, state: State) -> Faults:
        players = state["players"]
        yield "players must be from 2 to 6", (players < 2) | (players > SEATS)
        yield "no such seat", state["seat"] >= players
        yield "no such end", state["end"] > CUT_OFF
        yield "too many rounds", state["round"] > self.rules[0].rounds
        seats = np.arange(SEATS)
        on_turn = np.where(state["end"] > 0, 0, state["seat"])
        chosen = seats < on_turn[:, None]
        yield "who has chosen is not who should have", ((state["chosen"] > 0) != chosen).any(1)
        yield "no such way", (state["chosen"] > ACTIONS).any(1)
        far = state["place"] > self.rules[0].goal + SPEEDS
        yield "no such place", (far | (state["place"] < 0)).any(1)

    def record(
        self,
        start: State,
        actions: ArrayLike,
        *,
        seed: int | None = None,
        names: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        state, moves = start.copy(), []
        for action in np.asarray(actions).tolist():
            moves.append({"seat": int(state["seat"][0]), "action": action})
            self.step(state, [action])
        made: dict[str, Any] = {"format": FORMAT, "players": int(state["players"][0])}
        made |= {"seed": seed, "names": None if names is None else list(names), "moves": moves}
        if self.over(state)[0]:
            made["winners"] = np.flatnonzero(self.winners(state)[0]).tolist()
        return made

    def draw(
        self,
        state: State,
        row: int = 0,
        viewer: int | None = None,
        last: Move | None = None,
        names: Sequence[str] | None = None,
    ) -> Picture:
        return Picture(self.words(state, row, viewer, last))

    def words(self, state: State, row: int, viewer: int | None, last: Move | None) -> str:
        game = state[row]
        lines = [f"round {game['round']}, runner {game['seat']} chooses"]
        for seat in range(game["players"]):
            known = viewer in (None, seat)
            way = int(game["chosen"][seat])
            choice = "" if not way else f", way {way - 1}" if known else ", has chosen"
            lines.append(f"runner {seat}: {game['place'][seat]}{choice}")
        return "\n".join([*lines, *([last.text] if last else [])])


@dataclass(frozen=True)
class Picture:
    """A position in words, in every form."""

    text: str

    def ansi(self) -> str:
        return self.text

    __str__ = ansi

    def _parts(self) -> tuple[Part, ...]:
        lines = enumerate(self.text.split("\n"))
        shapes = [Text(20, 40 + 30 * k, line, 20, anchor="start") for k, line in lines]
        return (Part("words", (Box(0, 0, WIDTH, HEIGHT, "#ffffff"), *shapes)),)

    def svg(self) -> str:
        return svg(self._parts())

    def rgb(self) -> NDArray[np.uint8]:
        return pixels((), self._parts())


def make(
    players: int = 3, goal: int = 24, rounds: int = 8, reward: str = "win", threads: int = 1
) -> Race:
    """The rule book of a race."""
    return Race(Rules(players, goal, rounds), reward=reward, threads=threads)


def walk(records: Sequence[Record], reward: str = "win") -> Iterator[Frame]:
    """Replays records one after the other."""
    for index, record in enumerate(records):
        game = make(record["players"], reward=reward)
        state, actions = game.new(0), [move["action"] for move in record["moves"]]
        for number, action in enumerate([*actions, NO_ACTION]):
            rows, rewards = np.arange(int(action != NO_ACTION)), np.zeros((1, SEATS), np.float32)
            yield Frame(game, state, number, rows, np.array([index]), np.array([action]), rewards)
            rewards[:] = game.step(state, [action]).rewards


def verify(record: dict[str, Any]) -> None:
    """Refuses a record that breaks a rule."""
    game = make(record["players"])
    made = game.record(game.new(0), [move["action"] for move in record["moves"]])
    if made["moves"] != record["moves"] or made.get("winners") != record.get("winners"):
        raise ValueError("the record differs from the game")


def view(record: dict[str, Any], seat: int) -> dict[str, Any]:
    """What one seat may see of a record: the others' ways are hidden."""
    moves = [m if m["seat"] == seat else {**m, "action": None} for m in record["moves"]]
    return {**record, "seed": None, "moves": moves}


def pictures(record: dict[str, Any], seat: int | None = None) -> Replay:
    """A record drawn move by move, as a seat saw it."""
    game = make(record["players"])
    state, positions = game.new(0), []
    for move in record["moves"]:
        positions.append((state.copy(), move["action"]))
        game.step(state, [move["action"]])
    return replay(game, [*positions, (state, -1)], seat, record["names"])
