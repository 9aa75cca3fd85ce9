"""The loops over a batch, for any game: `batches` compiles them around the functions of one game.

A game writes what happens in one record of its state; what runs over the rows, fills lists, masks,
observations and rewards, or deals anew where a game has ended, is written here once. Arrays with
a row for each game are arguments of their own; what all rows share comes as one tuple.
Nothing here is checked: callers pass legal actions, sound states and arrays of the right shape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from drago_env.core.chance import GOLDEN, below, mixed, unscripted
from drago_env.core.compiled import compiled, compiled_for, inlined

NO_ACTION = -1  # leaves a row as it is


class Functions(NamedTuple):
    """What a game hands over: compiled functions over one record of its state."""

    rules_of: Any  # (game, tables) -> the record of the tables that it is played by
    over: Any  # (game) -> whether it has ended
    deal: Any  # (game, seed, rules): the fields of its variant are set already
    legal: Any  # (game, rules, actions) -> how many; ascending, none after the end
    is_legal: Any  # (game, action, rules) -> bool
    apply: Any  # (game, action, rules, points)
    reward: Any  # (game, scheme, points, rules, rewards), right after `apply`
    shares: Any  # (game, out): shares of the victory, after the end
    observe: Any  # (game, seat, rules, scale, out)
    determinize: Any  # (game, seat, seed, rules, work)
    work: Any  # dtype of scratch space: `actions`, `values`, and what the game itself wants
    seats: int
    max_legal: int
    fits: Any = None  # (game, tables) -> whether a record can be a game of these rules at all
    observe_compact: Any = None  # the same as `observe` for int8, if that takes other code
    prepare: Any = None  # (game, rules, work): what the features of all actions share
    features: Any = None  # (game, action, rules, scale, work, out)


class Batches(NamedTuple):
    """The loops of one game; see `batches`."""

    deal: Any
    find_unfit: Any
    find_unlisted: Any
    find_illegal: Any
    step: Any
    legal: Any
    observe: Any
    observe_compact: Any
    features: Any
    look: Any
    turn: Any
    turn_one: Any
    determinize: Any
    shares: Any
    playout: Any
    random_step: Any


def scratch(seats: int, max_legal: int, *more: tuple[Any, ...]) -> np.dtype[np.void]:
    """The scratch space that search and planners want, and what a game wants besides."""
    common: list[Any] = [
        ("actions", "<u2", (max_legal,)),
        ("values", "<f8", (max_legal,)),  # of each listed action
        ("order", "<i8", (max_legal,)),
        ("points", "<i2", (seats,)),
        ("leaf", "<f8", (seats,)),
    ]
    return np.dtype([*common, *more], align=True)


@inlined
def write_mask(actions: Any, count: Any, mask: Any) -> None:
    """The list as a mask."""
    for action in range(mask.shape[0]):
        mask[action] = 0
    for i in range(count):
        mask[actions[i]] = 1


@inlined
def next_seed(seed: Any) -> Any:
    """The seed of the game that follows in the same row."""
    return mixed(seed + GOLDEN)


@compiled
def start_picks(seeds: Any, picks: Any) -> None:
    """Generators for the choice of actions, apart from those of chance."""
    for row in range(seeds.shape[0]):
        picks[row] = mixed(~seeds[row])


@compiled
def sample(actions: Any, counts: Any, picks: Any, chosen: Any) -> None:
    """A uniformly random listed action for each game; NO_ACTION where none is listed."""
    for row in range(counts.shape[0]):
        chosen[row] = NO_ACTION
        if counts[row] > 0:
            picks[row] += GOLDEN
            chosen[row] = actions[row, below(picks[row], counts[row])]


def batches(module: str, game_functions: Functions) -> Batches:
    """The loops of the game that hands its functions over in this module."""
    steps = _steps(module, game_functions)
    looks = _looks(module, game_functions)
    return Batches(**steps, **looks, **_turns(module, game_functions))


def _steps(module: str, functions: Functions) -> dict[str, Any]:
    """Deals, decisions and ends."""
    made, seats = compiled_for(module), functions.seats
    rules_of, over, deal_one, legal_one = functions[:4]
    is_legal, apply, reward, shares_one = functions[4:8]
    max_legal, fits = functions.max_legal, functions.fits or _anything

    @made
    def deal(state: Any, rows: Any, seeds: Any, kinds: Any, shared: Any) -> None:
        """Sets up new games in these rows, each of the variant of its kind."""
        variants, tables = shared
        for k in range(rows.shape[0]):
            state[rows[k]] = variants[kinds[k]]
            game = state[rows[k]]
            deal_one(game, seeds[k], rules_of(game, tables))

    @inlined
    def sound(game: Any, tables: Any) -> Any:
        """Whether a record can be a game: kernels stay in bounds and read no script's address."""
        seated = 2 <= game["players"] <= seats and game["seat"] < game["players"]
        return seated and unscripted(game) and fits(game, tables)

    @made
    def find_unfit(state: Any, shared: Any) -> Any:
        """The first row that no game of these rules can be, or -1."""
        tables, _, _ = shared
        for row in range(state.shape[0]):
            if not sound(state[row], tables):
                return row
        return -1

    @made
    def find_unlisted(state: Any, shared: Any, actions: Any, counts: Any) -> Any:
        """The first row whose list is not that of its legal actions, or -1."""
        tables, _, _ = shared
        listed = np.empty(max_legal, np.uint16)
        for row in range(state.shape[0]):
            count = legal_one(state[row], rules_of(state[row], tables), listed)
            if counts[row] != count:
                return row
            for i in range(count):
                if actions[row, i] != listed[i]:
                    return row
        return -1

    @made
    def find_illegal(state: Any, actions: Any, shared: Any) -> Any:
        """The first row that is unfit or whose action is not legal, or -1."""
        tables, _, _ = shared
        for row in range(state.shape[0]):
            game = state[row]
            chosen = actions[row]
            if not sound(game, tables):
                return row
            if chosen != NO_ACTION and not is_legal(game, chosen, rules_of(game, tables)):
                return row
        return -1

    @made
    def step(state: Any, actions: Any, shared: Any, points: Any, rewards: Any) -> None:
        """One decision in every game; rows with NO_ACTION stay as they are."""
        tables, scheme, _ = shared
        for row in range(state.shape[0]):
            game = state[row]
            if actions[row] == NO_ACTION:
                for seat in range(seats):
                    points[row, seat] = 0
                    rewards[row, seat] = 0.0
            else:
                rules = rules_of(game, tables)
                apply(game, actions[row], rules, points[row])
                reward(game, scheme, points[row], rules, rewards[row])

    @made
    def shares(state: Any, out: Any) -> None:
        """Each seat's share of the victory; 0 for all while a game runs."""
        for row in range(state.shape[0]):
            for seat in range(seats):
                out[row, seat] = 0.0
            if over(state[row]):
                shares_one(state[row], out[row])

    @made
    def playout(state: Any, picks: Any, shared: Any) -> None:
        """Plays every game to its end, choosing uniformly among the legal actions."""
        tables, _, _ = shared
        actions = np.empty(max_legal, np.uint16)
        points = np.empty(seats, np.int16)
        for row in range(state.shape[0]):
            game = state[row]
            rules = rules_of(game, tables)
            pick = picks[row]
            while not over(game):
                count = legal_one(game, rules, actions)
                pick += GOLDEN
                apply(game, np.int64(actions[below(pick, count)]), rules, points)
            picks[row] = pick

    return {
        "deal": deal,
        "find_unfit": find_unfit,
        "find_unlisted": find_unlisted,
        "find_illegal": find_illegal,
        "step": step,
        "shares": shares,
        "playout": playout,
    }


def _looks(module: str, functions: Functions) -> dict[str, Any]:
    """What is seen of a game and what may be done in it."""
    made, work_type = compiled_for(module), functions.work
    rules_of, legal_one, observe_one = functions.rules_of, functions.legal, functions.observe
    compact_one = functions.observe_compact or observe_one
    determinize_one, features_one = functions.determinize, functions.features
    prepare = functions.prepare or _nothing

    @made
    def legal(state: Any, shared: Any, actions: Any, counts: Any, mask: Any) -> None:
        """The legal actions as a list, a count and a mask."""
        tables, _, _ = shared
        for row in range(state.shape[0]):
            counts[row] = legal_one(state[row], rules_of(state[row], tables), actions[row])
            write_mask(actions[row], counts[row], mask[row])

    @made
    def observe(state: Any, seats: Any, shared: Any, out: Any) -> None:
        """The scaled observation of one seat in each game."""
        tables, scale = shared
        for row in range(state.shape[0]):
            observe_one(state[row], seats[row], rules_of(state[row], tables), scale, out[row])

    @made
    def observe_compact(state: Any, seats: Any, shared: Any, out: Any) -> None:
        """The same in small whole numbers."""
        tables, ones = shared
        for row in range(state.shape[0]):
            compact_one(state[row], seats[row], rules_of(state[row], tables), ones, out[row])

    @made
    def determinize(state: Any, seats: Any, seeds: Any, shared: Any) -> None:
        """Redraws what one seat of each game cannot see; not as a deal of the seed draws."""
        tables, _, _ = shared
        works = np.empty(1, work_type)
        for row in range(state.shape[0]):
            rules = rules_of(state[row], tables)
            determinize_one(state[row], seats[row], mixed(~seeds[row]), rules, works[0])

    @made
    def features(state: Any, actions: Any, counts: Any, shared: Any, out: Any) -> None:
        """Features of the listed actions, one row each; rows past the count are zero."""
        tables, scale = shared
        works = np.empty(1, work_type)
        for row in range(state.shape[0]):
            game = state[row]
            rules = rules_of(game, tables)
            if counts[row] > 0:
                prepare(game, rules, works[0])
            for i in range(counts[row]):
                action = np.int64(actions[row, i])
                features_one(game, action, rules, scale, works[0], out[row, i])
            for i in range(counts[row], out.shape[1]):
                for k in range(out.shape[2]):
                    out[row, i, k] = 0

    return {
        "legal": legal,
        "observe": observe,
        "observe_compact": observe_compact,
        "determinize": determinize,
        "features": features,
    }


def _turns(module: str, functions: Functions) -> dict[str, Any]:
    """A decision and what the next one sees, in one pass over the batch.

    List, mask and observation are asked for in each loop anew: a helper for the three would be
    optimised once by itself and once more in every loop, a tenth of all that is compiled.
    """
    made, seats = compiled_for(module), functions.seats
    rules_of, over, deal_one, legal_one = functions[:4]
    apply, reward, observe = functions.apply, functions.reward, functions.observe

    @made
    def look(
        state: Any, rows: Any, shared: Any, actions: Any, counts: Any, mask: Any, out: Any
    ) -> None:
        """What the seat on turn may do and sees, in these rows."""
        tables, _, scale = shared
        for k in range(rows.shape[0]):
            row = rows[k]
            game = state[row]
            rules = rules_of(game, tables)
            counts[row] = legal_one(game, rules, actions[row])
            write_mask(actions[row], counts[row], mask[row])
            observe(game, game["seat"], rules, scale, out[row])

    @made
    def turn(
        state: Any,
        chosen: Any,
        shared: Any,
        actions: Any,
        counts: Any,
        mask: Any,
        out: Any,
        points: Any,
        rewards: Any,
    ) -> None:
        """Step and look in one: rows with NO_ACTION keep their lists, masks and observations."""
        tables, scheme, scale = shared
        for row in range(state.shape[0]):
            game = state[row]
            if chosen[row] == NO_ACTION:
                for seat in range(seats):
                    points[row, seat] = 0
                    rewards[row, seat] = 0.0
            else:
                rules = rules_of(game, tables)
                apply(game, chosen[row], rules, points[row])
                reward(game, scheme, points[row], rules, rewards[row])
                counts[row] = legal_one(game, rules, actions[row])
                write_mask(actions[row], counts[row], mask[row])
                observe(game, game["seat"], rules, scale, out[row])

    @made
    def turn_one(cells: Any, shared: Any, action: Any) -> Any:
        """The same for one game whose arrays are the fields of one record, if it is legal.

        Legal is what the last call has listed. With NO_ACTION nothing is played, and only seen.
        Returns the number of legal actions, times 256, and the seat on turn; if the action is
        illegal, NO_ACTION.
        """
        tables, scheme, scale = shared
        cell = cells[0]
        game = cell["state"]
        rules = rules_of(game, tables)
        if action != NO_ACTION:
            place, listed = 0, cell["count"]
            while place < listed and cell["actions"][place] != action:
                place += 1
            if place == listed:
                return np.int64(NO_ACTION)
            apply(game, action, rules, cell["points"])
            reward(game, scheme, cell["points"], rules, cell["rewards"])
        count = legal_one(game, rules, cell["actions"])
        write_mask(cell["actions"], count, cell["mask"])
        observe(game, game["seat"], rules, scale, cell["observation"])
        cell["count"] = count
        return np.int64(count) << 8 | np.int64(game["seat"])

    @made
    def random_step(
        state: Any,
        picks: Any,
        seeds: Any,
        shared: Any,
        actions: Any,
        counts: Any,
        mask: Any,
        observation: Any,
        rewards: Any,
        done: Any,
    ) -> None:
        """One uniformly random move in every game, and a new game where one has ended.

        `actions` and `counts` hold the legal lists from the call before; `seeds[row]` moves on
        to the seed of the row's next game when that is dealt.
        """
        tables, scheme, scale = shared
        points = np.empty(seats, np.int16)
        for row in range(state.shape[0]):
            game = state[row]
            rules = rules_of(game, tables)
            picks[row] += GOLDEN
            action = np.int64(actions[row, below(picks[row], counts[row])])
            apply(game, action, rules, points)
            reward(game, scheme, points, rules, rewards[row])
            done[row] = over(game)
            if done[row]:
                seeds[row] = next_seed(seeds[row])
                deal_one(game, seeds[row], rules)
            counts[row] = legal_one(game, rules, actions[row])
            write_mask(actions[row], counts[row], mask[row])
            observe(game, game["seat"], rules, scale, observation[row])

    return {"look": look, "turn": turn, "turn_one": turn_one, "random_step": random_step}


@inlined
def _anything(game: Any, tables: Any) -> Any:
    """Where a game looks at nothing but players and seat."""
    return True


@inlined
def _nothing(game: Any, rules: Any, work: Any) -> None:
    """Where a game has nothing to prepare."""
