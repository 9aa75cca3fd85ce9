"""A conformance test for games, in the manner of PettingZoo's `api_test`: `check_game(game)`."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drago_env.core.checks import select
from drago_env.game import Game, IllegalAction, State, StateError, Turn

MAX_DECISIONS = 20_000  # of one game
MAX_OUTCOMES = 400  # of one step: those of a step that seems to have more are not listed


def check_game(game: Game, games: int = 6, seed: int = 0) -> None:
    """Plays random games and raises `AssertionError` where the promises of `Game` do not hold.

    Sizes, lists and masks; rows that stay; equal games in batches of any size, as clones
    and pickles; illegal actions that change nothing; observations, features, worlds and
    drawings that depend on what a seat knows alone; shares, rewards and ends; words; named
    chance, all of it where it is little; records.
    """
    _check_spec(game)
    _check_draws(game, game.new(seed), 0, None, np.random.default_rng(seed))
    state = game.new([seed + row for row in range(games)])
    start, turn = select(state), game.look(state)
    actions: list[list[int]] = [[] for _ in range(games)]
    rng = np.random.default_rng(seed)
    for decision in range(MAX_DECISIONS):
        running = np.flatnonzero(turn.legal.counts > 0)
        _check_turn(game, state, turn)
        if not len(running):
            break
        chosen = np.full(games, -1)
        for row in running.tolist():
            listed = turn.legal.actions[row, : turn.legal.counts[row]]
            chosen[row] = rng.choice(listed)
            actions[row].append(int(chosen[row]))
        if decision % 7 == 0:
            _check_refusals(game, state, turn, chosen)
            _check_knowledge(game, state, turn, seed + decision)
            _check_words(game, state, int(running[0]), int(chosen[running[0]]))
            _check_draws(game, state, int(running[0]), int(chosen[running[0]]), rng)
            _check_drawing(game, state, int(running[decision % len(running)]), seed + decision)
        game.turn(state, chosen, turn)
        assert np.isfinite(turn.outcome.rewards).all(), "a reward is not finite"
        if game.pays_at_end:
            early = turn.outcome.rewards[turn.legal.counts > 0]
            assert not early.any(), "pays_at_end, but something was paid before the end"
    else:
        raise AssertionError(f"a game had not ended after {MAX_DECISIONS} decisions")
    _check_ends(game, state)
    _check_drawing(game, state, 0, seed)
    _check_again(game, start, state, actions, seed)
    for row in range(games):
        _check_record(game, start[row : row + 1], actions[row])


def _check_spec(game: Game) -> None:
    spec = game.spec
    assert 2 <= spec.min_players <= spec.max_players <= spec.seats, "players and seats do not fit"
    assert 1 <= spec.max_legal <= spec.num_actions <= 2**16 - 1, "sizes of actions do not fit"
    assert spec.observation_size > 0, "there is nothing to observe"
    assert spec.feature_size >= 0, "feature_size is negative"
    assert spec.observation_bound > 0, "bounds must be above 0"
    assert spec.reward_bound > 0, "bounds must be above 0"
    json.dumps(game.signature)
    texts = [game.action_text(action) for action in range(spec.num_actions)]
    assert len(set(texts)) == len(texts), "two actions have the same words"
    for action in (0, spec.num_actions // 2, spec.num_actions - 1):
        assert game.action_from_text(texts[action].upper()) == action, f"{texts[action]} is lost"
    for copied in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert copied.signature == game.signature, "a copy plays another game"
        assert copied.new(3).tobytes() == game.new(3).tobytes(), "a copy deals another game"


def _check_turn(game: Game, state: State, turn: Turn) -> None:
    """Lists, masks, observations and features of a batch."""
    spec, legal = game.spec, turn.legal
    game.check(state)
    players, current = game.players(state), game.current_player(state)
    assert (current < players).all(), "the seat on turn has no player"
    assert ((legal.counts == 0) == game.over(state)).all(), "an end without or with legal actions"
    assert (game.truncated(state) <= game.over(state)).all(), "cut off, but not over"
    assert legal.actions.dtype == np.uint16, "lists of actions are uint16"
    for row, count in enumerate(legal.counts.tolist()):
        listed = legal.actions[row, :count].astype(np.int64)
        assert (np.diff(listed) > 0).all(), "a list of actions does not ascend"
        assert np.flatnonzero(legal.mask[row]).tolist() == listed.tolist(), "mask and list differ"
    assert (abs(turn.observation) <= spec.observation_bound).all(), "beyond observation_bound"
    fresh = game.observe(state)
    assert fresh.dtype == np.float32, "observations are float32"
    running = legal.counts > 0
    assert same(fresh[running], turn.observation[running]), "look and observe differ"
    features = game.features(state, legal)
    assert features.shape == (len(state), spec.max_legal, spec.feature_size), "shape of features"
    assert (abs(features) <= spec.observation_bound).all(), "a feature beyond observation_bound"
    beyond = np.arange(spec.max_legal) >= legal.counts[:, None]
    assert not features[beyond].any(), "features beyond the list are not zero"


def _check_refusals(game: Game, state: State, turn: Turn, chosen: NDArray[np.int64]) -> None:
    """An illegal action is refused in words and changes nothing; -1 leaves its row."""
    before = state.tobytes()
    for row in np.flatnonzero(turn.legal.counts > 0)[:2]:
        forbidden = np.flatnonzero(turn.legal.mask[row] == 0)[:1]
        for action in forbidden:
            wrong = chosen.copy()
            wrong[row] = action
            said = ""
            try:
                game.step(state, wrong)
            except IllegalAction as error:
                said = str(error)
            assert f"row {row}" in said, f"the illegal action {action} was taken, or not by row"
            assert state.tobytes() == before, "an illegal action changed something"
    idle = select(state)
    outcome = game.step(idle, np.full(len(state), -1))
    assert idle.tobytes() == before, "-1 changed a row"
    assert not outcome.rewards.any(), "-1 was paid"


def _check_knowledge(game: Game, state: State, turn: Turn, seed: int) -> None:
    """What a seat sees and may do is the same in every world that it cannot tell apart."""
    seeds = [seed + row for row in range(len(state))]
    for offset in range(int(game.players(state).min())):
        seats = (game.current_player(state).astype(np.int64) + offset) % game.players(state)
        world = game.determinize(state, seats, seeds)
        game.check(world)
        again = game.determinize(world, seats, seeds)
        assert again.tobytes() == world.tobytes(), "a redrawn world depends on hidden things"
        assert same(game.observe(world, seats), game.observe(state, seats)), "an observation leaks"
        if offset == 0:
            legal = game.legal(world)
            assert same(legal.mask, turn.legal.mask), "what is legal leaks"
            features = game.features(state, turn.legal)
            assert same(game.features(world, legal), features), "features leak"
        for row, seat in enumerate(seats.tolist()):
            words = game.describe(world, row, seat)
            assert words == game.describe(state, row, seat), "a description leaks"


def _check_words(game: Game, state: State, row: int, action: int) -> None:
    """Whoever decides hears their decision; nobody hears one that they cannot know."""
    seat = int(game.current_player(state)[row])
    legal = game.legal(state)
    assert game.told(state, row, action, None), "who sees all hears nothing"
    assert game.told(state, row, action, seat), "who decides hears nothing"
    others = [a for a in legal.actions[row, : legal.counts[row]].tolist() if a != action]
    for viewer in range(int(game.players(state)[row])):
        heard = game.told(state, row, action, viewer)
        if viewer != seat and not game.spec.hides_decisions:
            assert heard, "a decision is hidden, but hides_decisions is not set"
        if viewer != seat and heard and others and game.spec.hides_decisions:
            shown = game.told(state, row, others[0], viewer) != heard
            assert shown or game.action_text(action) not in heard, "a hidden decision is told"


def _check_draws(
    game: Game, state: State, row: int, action: int | None, rng: np.random.Generator
) -> None:
    """A step, or the deal, can be gone through draw by draw."""
    after = select(state, slice(row, row + 1))
    draws: list[int] = []
    likely = 1  # so many outcomes, if all ways are as long as this one
    while options := game.step_drawn(after, action, draws):
        assert game.spec.has_chance, "chance in a game that says that it has none"
        draws.append(int(rng.integers(options)))
        likely *= options
    game.check(after)
    if likely <= MAX_OUTCOMES:
        found = _check_outcomes(game, select(state, slice(row, row + 1)), action)
        assert found[tuple(draws)].tobytes() == after.tobytes(), (
            "draws lead elsewhere than outcomes"
        )


def _check_outcomes(game: Game, one: State, action: int | None) -> dict[tuple[int, ...], State]:
    """All that can come of a step, or of the deal: what there is, each at the end of its draws."""
    before, found = one.tobytes(), game.outcomes(one, action)
    assert one.tobytes() == before, "outcomes changed the game"
    assert all(outcome.probability > 0 for outcome in found), "an outcome that cannot come"
    total = sum(outcome.probability for outcome in found)
    assert np.isclose(total, 1), f"the probabilities of outcomes add up to {total}, not to 1"
    for outcome in found:
        after = select(one)
        more = game.step_drawn(after, action, outcome.draws)
        assert more == 0, "an outcome's draws are not all of its draws"
        assert after.tobytes() == outcome.state.tobytes(), "an outcome is not what its draws make"
    states = {tuple(outcome.draws): outcome.state for outcome in found}
    assert len(states) == len(found), "two outcomes have the same draws"
    return states


def _check_drawing(game: Game, state: State, row: int, seed: int) -> None:
    """A position is drawn for everybody; for a seat, the same in every world that it may be in."""
    one = select(state, slice(row, row + 1))
    try:
        game.draw(one)
    except NotImplementedError:  # a game need not have a drawing
        return
    for viewer in (None, *range(int(game.players(one)[0]))):
        drawn = _drawn(game, one, viewer)
        assert all(drawn), "a drawing is empty"
        if viewer is not None and not game.over(one)[0]:
            world = game.determinize(one, viewer, seed)
            assert _drawn(game, world, viewer) == drawn, "a drawing leaks"


def _drawn(game: Game, one: State, viewer: int | None) -> tuple[str, str]:
    """A position as text and as a vector picture."""
    drawing = game.draw(one, 0, viewer)
    return drawing.ansi(), drawing.svg()


def _check_ends(game: Game, state: State) -> None:
    """Shares, winners, ranks and rewards of finished games."""
    shares, winners = game.shares(state), game.winners(state)
    truncated, seated = (
        game.truncated(state),
        np.arange(game.spec.seats) < game.players(state)[:, None],
    )
    assert game.spec.can_truncate or not truncated.any(), "cut off, but can_truncate is not set"
    assert np.allclose(shares.sum(1), 1), "the shares of a victory do not add up to 1"
    assert not shares[~seated].any(), "a seat without a player has a share"
    assert (winners.any(1) == ~truncated).all(), "a winner of a cut-off game, or none of another"
    best = shares == shares.max(1, keepdims=True)
    assert (winners[~truncated] == best[~truncated]).all(), "winners and shares differ"
    if not game.spec.has_points:
        assert not game.scores(state).any(), "points in a game that says that it has none"


def _check_again(game: Game, start: State, end: State, actions: list[list[int]], seed: int) -> None:
    """Every row is the game of its seed, whatever the batch; without chance, of any seed."""
    for row, moves in enumerate(actions):
        dealt = game.new(seed + row if game.spec.has_chance else 10**6 + row)
        assert dealt.tobytes() == start[row : row + 1].tobytes(), "a row is not its seed's game"
        total = np.zeros(game.spec.seats)
        for action in moves:
            total += game.step(dealt, [action]).rewards[0]
        assert dealt.tobytes() == end[row : row + 1].tobytes(), "a row alone goes another way"
        assert (abs(total) <= game.spec.reward_bound + 1e-6).all(), "rewards beyond reward_bound"


def _check_record(game: Game, start: State, actions: list[int]) -> None:
    names = [f"player {seat}" for seat in range(int(game.players(start)[0]))]
    record = game.record(start, actions, seed=1, names=names)
    assert json.loads(json.dumps(record)) == record, "a record is not plain JSON"
    moves = record["moves"]
    assert [move["action"] for move in moves] == actions, "a record lacks a decision"


def refused_states(game: Game, state: State) -> Iterator[str]:
    """States that no game of these rules has, each of which `check` must refuse."""
    for name, broken in (("zeros", np.zeros_like(state)), ("ones", _filled(state, 255))):
        try:
            game.check(broken)
        except StateError:
            yield name


def _filled(state: State, byte: int) -> State:
    raw = np.full(state.nbytes, byte, np.uint8)
    return np.asarray(raw.view(state.dtype))


def same(one: Any, other: Any) -> bool:
    """Whether two arrays are equal to the last bit."""
    return bool(one.shape == other.shape and one.tobytes() == other.tobytes())
