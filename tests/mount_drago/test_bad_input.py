"""Bad input to the engine: a clear refusal, and nothing has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from drago_env import IllegalAction, Legal, MountDrago, Outcome, Rules
from drago_env.game import State
from tests.mount_drago.games import SCARCE, TINY, along, find, picked, play

N = 100
DONE = 150
GAME = MountDrago(Rules(3), Rules(2, "italian"))


@pytest.fixture
def state() -> State:
    """A hundred games after some moves, none of them over."""
    state = GAME.new(range(N), np.arange(N) % 2)
    rng = np.random.default_rng(5)
    for _ in range(20):
        GAME.step(state, picked(GAME, state, rng))
    assert not GAME.over(state).any()
    return state


@contextmanager
def refused(state: State, words: str, *kinds: type[Exception]) -> Iterator[None]:
    """A clear error of one of these kinds, and not a byte of the state changes."""
    before = state.tobytes()
    with pytest.raises(kinds or (ValueError, TypeError), match=words) as refusal:
        yield
    assert type(refusal.value).__module__ in ("builtins", "drago_env.game")
    assert state.tobytes() == before


# ---------------------------------------------------------------- actions

LEFT_ALONE = np.full(N, -1)
BAD_ACTIONS: dict[str, tuple[Any, str]] = {
    "scalar": (3, r"shape \(100,\), not of shape \(\)"),
    "none": ([], r"shape \(100,\), not of shape \(0,\)"),
    "too few": (LEFT_ALONE[1:], r"shape \(100,\), not of shape \(99,\)"),
    "too many": (np.full(N + 1, -1), r"not of shape \(101,\)"),
    "2-D": (LEFT_ALONE[:, None], r"not of shape \(100, 1\)"),
    "float": (LEFT_ALONE.astype(float), "whole numbers, not float64"),
    "nan": (np.full(N, np.nan), "whole numbers, not float64"),
    "bool": (np.zeros(N, bool), "whole numbers, not bool"),
    "object": (LEFT_ALONE.astype(object), "whole numbers, not object"),
    "text": (["play blue 1"] * N, "whole numbers"),
    "None": (None, "actions must be"),
    "huge": ([10**30, *[-1] * 99], "whole numbers"),
    "too high": ([*[-1] * 99, 151], r"actions\[99\] must be from -1 to 150, not 151"),
    "too low": ([-1, -2, *[-1] * 98], r"actions\[1\] must be from -1 to 150, not -2"),
    "uint64": (np.full(N, 2**64 - 1, np.uint64), r"actions must be below 2\*\*63"),
}


@pytest.mark.parametrize(("actions", "words"), BAD_ACTIONS.values(), ids=BAD_ACTIONS)
def test_bad_actions_are_refused(state: State, actions: Any, words: str) -> None:
    with refused(state, words):
        GAME.step(state, actions)


def test_one_illegal_action_among_hundred_refuses_them_all(state: State) -> None:
    row = 41
    actions = picked(GAME, state, np.random.default_rng(0))
    legal = GAME.legal(state)
    actions[row] = np.flatnonzero(legal.mask[row, :50] == 0)[0]
    listed = [GAME.action_text(int(a)) for a in legal.actions[row, : legal.counts[row]]]
    asked = GAME.action_text(int(actions[row]))
    words = (
        f"row 41, seat {state['seat'][row]}: cannot {asked} (action {actions[row]}): "
        f"{asked[5:]} is not in the hand (clause 4.1). Legal: {', '.join(listed)}."
    )
    with refused(state, re.escape(words), IllegalAction):
        GAME.step(state, actions)


def no_choice(state: State) -> int:
    """To keep the present dragon where nothing gives the choice."""
    played = GAME.legal(state[:1]).actions[0]
    hand = state["hand"][0, state["seat"][0], : state["hand_size"][0, state["seat"][0]]]
    return next(50 + int(card) for card in hand if 50 + card not in played)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (no_choice, "and keep .*last place and nobody rides it .*5.3.*Legal: play"),
        (lambda state: 100 + int(state["hand"][0, 0, 0]), "discard step .*10.3.*Legal: play"),
        (lambda state: DONE, r"cannot done discarding \(action 150\).*10.3.*Legal: play"),
    ],
)
def test_illegal_kinds_of_action_are_explained(
    state: State, action: Callable[[State], int], words: str
) -> None:
    with refused(state, words, IllegalAction):
        GAME.step(state, [action(state), *[-1] * 99])


@pytest.mark.parametrize("rules", SCARCE[:2])
def test_illegal_actions_of_the_discard_step_are_explained(rules: Rules) -> None:
    game, state = MountDrago(rules), find(rules, 1)
    kinds, clause = rules.card_kinds, "7.1" if rules.edition == "german" else "7.2"
    hand = state["hand"][0, state["seat"][0]]
    with refused(state, "a card was played already.*Legal: discard .*, done", IllegalAction):
        game.step(state, [int(hand[0])])
    missing = next(card for card in range(kinds) if card not in hand)
    with refused(state, rf"is not in the hand \(clause {clause}\)", IllegalAction):
        game.step(state, [2 * kinds + missing])


def test_finished_game_takes_no_action() -> None:
    played = play(TINY[0])
    state = played.states[-1].copy()
    for action in range(played.game.spec.num_actions):
        with refused(state, r"the game is over \(clause 6.7\).*Reset the row", IllegalAction):
            played.game.step(state, [action])
    assert played.game.legal(state).counts[0] == 0


def test_minus_one_leaves_rows_alone(state: State) -> None:
    actions = picked(GAME, state, np.random.default_rng(1))
    actions[::3] = -1
    before = state.copy()
    outcome = GAME.step(state, actions)
    assert (state[::3] == before[::3]).all()
    assert (state[1::3] != before[1::3]).all()
    assert not outcome.points[::3].any()
    assert not outcome.rewards[::3].any()


@pytest.mark.parametrize("action", [-1, 151, 10**30])
def test_unknown_action_has_no_words(action: int) -> None:
    with pytest.raises(ValueError, match="actions run from 0 to 150"):
        GAME.action_text(action)


# ---------------------------------------------------------------- seeds, rows, seats, variants

BAD_SEEDS: tuple[Any, ...] = (
    *(-1, 2.0, True, 2**64, None, "7", float("nan"), [[1, 2]], [1, -1], [0.5], [True]),
    *(np.zeros((0, 2), int), np.array(["1"]), [None], [2**64]),
)


@pytest.mark.parametrize("seeds", BAD_SEEDS)
def test_bad_seeds_are_refused_everywhere(state: State, seeds: Any) -> None:
    words = r"seeds must be whole numbers from 0 to 2\*\*64 - 1"
    uses: list[Callable[[], Any]] = [
        lambda: GAME.new(seeds),
        lambda: GAME.reset(state, seeds),
        lambda: GAME.playout(state, seeds),
        lambda: GAME.determinize(state, 0, seeds),
        lambda: GAME.picks(seeds),
    ]
    for use in uses:
        with refused(state, words):
            use()


@pytest.mark.parametrize("seeds", [[2**64 - 1], [0, 2**63], [2**64 - 1, 1, 0]])
def test_every_whole_seed_is_fine(seeds: list[int]) -> None:
    assert (GAME.new(seeds) == GAME.new(np.array(seeds, np.uint64))).all()
    assert (GAME.new(seeds)[0] == GAME.new(seeds[0])[0]).all()


def test_as_many_seeds_as_games_are_needed(state: State) -> None:
    with refused(state, "100 rows need as many seeds, not 3"):
        GAME.reset(state, [1, 2, 3])
    with refused(state, "100 games need as many seeds, not 3"):
        GAME.playout(state, [1, 2, 3])
    with refused(state, "100 games need as many seeds, not 3"):
        GAME.determinize(state, 0, [1, 2, 3])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([N], r"rows\[0\] must be from 0 to 99, not 100"),
        ([-1], r"rows\[0\] must be from 0 to 99, not -1"),
        ([0.0], "rows must be whole numbers, not float64"),
        ([True], "rows must be whole numbers, not bool"),
        (3, "rows must be one-dimensional"),
        ([[3]], "rows must be one-dimensional"),
        ([1, 2], "2 rows need as many seeds, not 1"),
        ([], "0 rows need as many seeds, not 1"),
    ],
)
def test_bad_rows_are_refused(state: State, rows: Any, words: str) -> None:
    with refused(state, words):
        GAME.reset(state, [7], rows)


def test_reset_changes_its_rows_only(state: State) -> None:
    before = state.copy()
    GAME.reset(state, [7, 8], rows=[30, 10], variants=[1, 0])
    assert state[30] == GAME.new(7, 1)[0]
    assert state[10] == GAME.new(8, 0)[0]
    others = np.setdiff1d(np.arange(N), [10, 30])
    assert (state[others] == before[others]).all()


def test_last_seed_of_a_row_named_twice_counts(state: State) -> None:
    """As in an assignment of numpy; the game is wholly that of the last seed and variant."""
    GAME.reset(state, [7, 8], rows=[5, 5], variants=[0, 1])
    assert state[5] == GAME.new(8, 1)[0]


@pytest.mark.parametrize("variants", [2, -1, [0] * 99 + [2], 0.0, True, None, "german", [0] * 99])
def test_bad_variants_are_refused(state: State, variants: Any) -> None:
    with refused(state, "variants|broadcast"):
        GAME.reset(state, range(N), variants=variants)


BAD_SEATS: tuple[Any, ...] = (-1, 5, 0.0, True, "0", [0] * 99, [[0] * N])


@pytest.mark.parametrize("seats", BAD_SEATS)
def test_bad_seats_are_refused(state: State, seats: Any) -> None:
    words = "seats|broadcast|dimensions"
    with refused(state, words):
        GAME.observe(state, seats)
    with refused(state, words):
        GAME.observe_compact(state, seats)
    with refused(state, words):
        GAME.determinize(state, seats, range(N))


def test_seat_beyond_the_players_is_refused(state: State) -> None:
    for use in (GAME.observe, GAME.observe_compact):
        with refused(state, "row 1 has the seats 0 to 1, not 2"):
            use(state, 2)
    with refused(state, "row 1 has the seats 0 to 1, not 2"):
        GAME.determinize(state, 2, range(N))


# ---------------------------------------------------------------- arrays of the caller


def spoilt(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The array in every form that a kernel must not be given."""
    frozen = array.copy()
    frozen.flags.writeable = False
    kind = np.float64 if array.dtype.kind == "f" else np.int32
    return {
        "short": array[1:].copy(),
        "wide": np.zeros((*array.shape, 1), array.dtype),
        "dtype": array.astype(kind),
        "byte order": array.astype(array.dtype.newbyteorder(">")),
        "strided": np.repeat(array, 2, axis=0)[::2],
        "read-only": frozen,
        "list": array.tolist(),
        "None": None,
    }


FORMS = [*spoilt(np.zeros(2))]


@pytest.mark.parametrize("form", FORMS)
def test_bad_out_arrays_are_refused(state: State, form: str) -> None:
    single_bytes = () if form == "byte order" else ("actions", "mask")
    legal, outcome = GAME.legal(state), GAME.step(state, LEFT_ALONE)
    for part in ("counts", *single_bytes):
        out: Any = legal._replace(**{part: spoilt(getattr(legal, part))[form]})
        with refused(state, f"legal.{part} must be a .*contiguous, writeable array of shape"):
            GAME.legal(state, out)
    actions = picked(GAME, state, np.random.default_rng(2))
    for part in ("points", "rewards"):
        wrong: Any = outcome._replace(**{part: spoilt(getattr(outcome, part))[form]})
        with refused(state, f"outcome.{part} must be a .*contiguous, writeable array of shape"):
            GAME.step(state, actions, wrong)
    if form != "None":
        with refused(state, "out must be a .*contiguous, writeable array of shape"):
            GAME.observe(state, out=spoilt(GAME.observe(state))[form])
        with refused(state, "out must be a .*contiguous, writeable array of shape"):
            GAME.features(state, legal, spoilt(GAME.features(state, legal))[form])


def test_out_arrays_are_filled_and_returned(state: State) -> None:
    legal = Legal(np.ones((N, 12), np.uint16), np.ones(N, np.int64), np.ones((N, 151), np.int8))
    assert GAME.legal(state, legal) is legal
    assert (legal.mask == GAME.legal(state).mask).all()
    outcome = Outcome(np.ones((N, 5), np.int16), np.ones((N, 5), np.float32))
    assert GAME.step(state, LEFT_ALONE, outcome) is outcome
    assert not outcome.points.any()
    seen = np.ones((N, GAME.spec.observation_size), np.float32)
    assert GAME.observe(state, out=seen) is seen
    assert (seen == GAME.observe(state)).all()


STATES: dict[str, Callable[[State], Any]] = {
    "list": lambda state: list(state),
    "None": lambda state: None,
    "one row": lambda state: state[0],
    "2-D": lambda state: state.reshape(10, 10),
    "bytes": lambda state: state.view(np.uint16),
    "integers": lambda state: np.zeros(N, np.int64),
    "one field": lambda state: state["position"],
    "other fields": lambda state: state[["rng", "score"]].copy(),
    "strided": lambda state: state[::2],
}


def use_all(state: Any) -> list[Callable[[], Any]]:
    return [
        lambda: GAME.reset(state, range(N)),
        lambda: GAME.legal(state),
        lambda: GAME.step(state, LEFT_ALONE),
        lambda: GAME.observe(state),
        lambda: GAME.observe_compact(state),
        lambda: GAME.determinize(state, 0, range(N)),
        lambda: GAME.playout(state, range(N)),
    ]


@pytest.mark.parametrize("form", STATES)
def test_what_is_no_state_is_refused(state: State, form: str) -> None:
    for use in use_all(STATES[form](state)):
        with refused(state, "state"):
            use()


def test_read_only_state_is_refused(state: State) -> None:
    state.flags.writeable = False
    for use in use_all(state):
        with refused(state, "writeable", ValueError):
            use()


# ---------------------------------------------------------------- the game itself


@pytest.mark.parametrize("reward", ["points", "", None, 0, "Win"])
def test_unknown_reward_is_refused(reward: Any) -> None:
    with pytest.raises(ValueError, match=f"one of win, margin, rank, not {reward!r}"):
        MountDrago(reward=reward)


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2", None, 1025])
def test_impossible_threads_are_refused(threads: Any) -> None:
    words = rf"threads must be (a whole number )?from 1 to 1024, not {threads!r}"
    with pytest.raises(ValueError, match=words):
        MountDrago(threads=threads)


@pytest.mark.parametrize("threads", [1, 3])
def test_batch_without_games_works(threads: int) -> None:
    game = MountDrago(threads=threads)
    state = game.new([])
    game.reset(state, [])
    assert len(game.legal(state).mask) == len(game.step(state, []).points) == len(state) == 0
    assert game.observe(state).shape == (0, game.spec.observation_size)
    assert game.features(state, game.legal(state)).shape == (0, 12, game.spec.feature_size)
    assert len(game.playout(state, [])) == len(game.determinize(state, [], [])) == 0
    assert len(game.winners(state)) == len(game.over(state)) == 0
    assert [len(empty) for empty in along(game, [], [])] == [0]
