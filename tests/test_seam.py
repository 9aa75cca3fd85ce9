"""The promises of the seam, over every game and the toy."""

from __future__ import annotations

import numpy as np
import pytest

import drago_env
from drago_env.core.outcome import standings
from drago_env.core.planning import Plan, search
from drago_env.testing import check_game, refused_states
from tests.games import ALL, NAMES, SHORT


@pytest.mark.parametrize("spec", ALL)
def test_a_game_keeps_its_promises(spec: str) -> None:
    check_game(drago_env.make(spec))


@pytest.mark.parametrize("name", NAMES)
def test_states_from_nowhere_are_refused(name: str) -> None:
    game = drago_env.make(name)
    assert list(refused_states(game, game.new(0))) == ["zeros", "ones"]


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_of_the_deal_does_not_draw_what_was_dealt(name: str) -> None:
    """Who knows the seeds of the games learns nothing from worlds that are drawn with them."""
    game, seeds = drago_env.make(name), np.arange(4000)
    state = game.new(seeds)
    for seat in range(int(game.players(state)[0])):
        wrong = []  # numbers that are not the true ones, with these seeds and with strange ones
        for drawn in (seeds, seeds + 10**9):
            world = game.determinize(state, np.full(len(seeds), seat), drawn)
            names = set(state.dtype.names or ()) - {"rng"}
            wrong.append(sum(int((world[name] != state[name]).sum()) for name in names))
        assert wrong[0] == pytest.approx(wrong[1], rel=0.02), seat


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reward", ["win"])
def test_threads_change_nothing(name: str, reward: str) -> None:
    words = SHORT.get(name, {})
    games = [drago_env.make(name, threads=threads, reward=reward, **words) for threads in (1, 3)]
    ends = []
    for game in games:
        state = game.new(range(40))
        ends.append(game.finished(state, range(40)))  # type: ignore[attr-defined]
    assert ends[0].tobytes() == ends[1].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_standings_rank_the_winner_first(name: str) -> None:
    game = drago_env.make(name, **SHORT.get(name, {}))
    end = game.finished(game.new(range(60)), range(60))  # type: ignore[attr-defined]
    place, players = standings(game, end), int(game.players(end)[0])
    won = game.winners(end)
    sole = won.sum(1) == 1
    assert (place.rank[won & sole[:, None]] == 1).all()
    assert np.allclose(np.nansum(place.rank, 1), players * (players + 1) / 2)
    assert np.isnan(place.rank[:, players:]).all()
    assert np.isnan(place.margin).all() != game.spec.has_points


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["flat", "even", "tree"])
def test_a_search_depends_on_what_the_seat_knows_alone(name: str, method: str) -> None:
    """Worlds that the seat on turn cannot tell apart are searched alike, to the last bit."""
    game = drago_env.make(name, **SHORT.get(name, {}))
    state = game.new(range(12))
    rng, turn = np.random.default_rng(1), game.look(state)
    for _ in range(5):
        legal = turn.legal
        picks = [rng.choice(legal.actions[k, : legal.counts[k]]) for k in range(12)]
        game.turn(state, picks, turn)
    seats = game.current_player(state).astype(np.int64)
    world = game.determinize(state, seats, range(100, 112))
    if game.spec.has_chance or game.spec.hides_decisions:
        assert world.tobytes() != state.tobytes()
    policy = drago_env.resolve(f"search:playouts=64,method={method}", game)
    found = [policy.search(game, s, np.arange(12, dtype=np.uint64)) for s in (state, world)]  # type: ignore[attr-defined]
    assert found[0].visits.tobytes() == found[1].visits.tobytes()
    assert found[0].values.tobytes() == found[1].values.tobytes()
    many = turn.legal.counts > 1
    assert (found[0].visits.sum(1)[many] > 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_even_search_tries_all_actions_equally_often(name: str) -> None:
    game = drago_env.make(name, **SHORT.get(name, {}))
    state, seeds = game.new(range(12)), np.arange(12, dtype=np.uint64)
    policy = drago_env.resolve("search:method=even,playouts=200", game)
    found = policy.search(game, state, seeds)  # type: ignore[attr-defined]
    listed = np.arange(found.visits.shape[1]) < found.counts[:, None]
    each = np.maximum(200 // found.counts, 1)
    assert (found.visits == np.where(listed, each[:, None], 0)).all()
    plain = drago_env.resolve("search:method=even,playouts=200,head_start=0", game)
    assert (found.values == plain.search(game, state, seeds).values).all()  # type: ignore[attr-defined]


def test_uniform_playouts_find_the_move_that_wins() -> None:
    """A game without rules of thumb is searched by playouts to its end."""
    game = drago_env.make("race:players=2,goal=6,rounds=2")
    state = game.new(range(20))
    plan = Plan("flat", 3000, 0, 0.0, 1.0, 2.0, False, False)
    best = search(game, state, range(20), plan).best()  # type: ignore[arg-type]
    assert (best % 7 == 6).mean() > 0.9  # six steps are the goal
