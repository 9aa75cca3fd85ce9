"""Recorded games of every game as transitions of the seats that decided."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drago_env
from drago_env import analysis
from drago_env.core.records import RecordError, is_view
from drago_env.games import BUILT_IN
from tests.games import NAMES, SHORT

# the toy's records do not tell how long its races are
WORDS = {name: SHORT.get(name, {}) for name in BUILT_IN} | {"race": {}}


def games(name: str, players: int = 3, count: int = 3) -> tuple[Any, list[Any]]:
    """A rule book, and records of games by chance."""
    game = drago_env.make(name, players=players, **WORDS[name])
    return game, list(drago_env.play(game, ["uniform"] * players, seeds=range(count)).records)


def replayed(game: Any, seed: int, actions: list[int]) -> list[Any]:
    """The positions of a game, and what each decision paid."""
    state, found = game.new(seed), []
    for action in actions:
        before = state.copy()
        found.append((before, game.step(state, [action]).rewards[0].copy()))
    return [*found, (state, None)]


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_a_seat_was_not_told_is_no_decision(name: str) -> None:
    played = drago_env.play(drago_env.make(name, players=2), ["greedy"] * 2, seeds=range(4))
    views = [drago_env.games.records_of(name).view(made, 0) for made in played.records]
    hiding = [view for view in views if is_view(view)]
    assert hiding
    for view in hiding:
        with pytest.raises(RecordError, match="one seat's view"):
            analysis.transitions([view])


@pytest.mark.parametrize("name", NAMES)
def test_each_transition_leads_to_the_same_seats_next_decision(name: str) -> None:
    game, records = games(name)
    made = analysis.transitions(records)
    assert len({len(column) for column in made.values()}) == 1
    row = 0
    for index, record in enumerate(records):
        actions = [move["action"] for move in record["moves"]]
        positions = replayed(game, index, actions)
        seats = [int(game.current_player(state)[0]) for state, _ in positions[:-1]]
        for move, (state, _) in enumerate(positions[:-1]):
            seat, own = seats[move], {key: column[row] for key, column in made.items()}
            later = [k for k in range(move + 1, len(actions)) if seats[k] == seat]
            until = later[0] if later else len(actions)
            paid = sum(float(positions[k][1][seat]) for k in range(move, until))
            ahead = sum(float(positions[k][1][seat]) for k in range(move, len(actions)))
            assert (own["game"], own["move"], own["seat"]) == (index, move, seat)
            assert own["action"] == actions[move]
            assert (own["observation"] == game.observe(state, seat)[0]).all()
            assert (own["mask"] == game.legal(state).mask[0]).all()
            assert own["reward"] == pytest.approx(paid, abs=1e-5)
            assert own["return"] == pytest.approx(ahead, abs=1e-5)
            assert own["done"] == (not later)
            following = positions[until][0]
            assert (own["next_observation"] == game.observe(following, seat)[0]).all()
            if later:
                assert (own["next_mask"] == game.legal(following).mask[0]).all()
            else:
                assert np.flatnonzero(own["next_mask"]).tolist() == [game.spec.num_actions - 1]
            assert own["truncated"] == (not later and bool(game.truncated(following)[0]))
            row += 1
    assert row == len(made["action"])


def test_cut_off_games_are_told_from_finished_ones() -> None:
    made = analysis.transitions(games("dragon_delta")[1])
    assert made["truncated"].any()
    assert not (made["truncated"] & ~made["done"]).any()


@pytest.mark.parametrize("name", NAMES)
def test_running_games_and_wrong_records_are_refused(name: str) -> None:
    _, records = games(name, 2, 2)
    running = {k: v for k, v in records[1].items() if k not in ("winners", "scores", "truncated")}
    with pytest.raises(RecordError, match="record 1: the game has not ended"):
        analysis.transitions([records[0], {**running, "moves": records[1]["moves"][:2]}])
    with pytest.raises(RecordError, match="no records"):
        analysis.transitions([])
    others = games("mount_drago" if name != "mount_drago" else "race", 2, 1)[1]
    with pytest.raises(RecordError, match="several games"):
        analysis.transitions([*records, *others])


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_unsound_record_is_refused_with_its_number(name: str) -> None:
    _, records = games(name, 2, 3)
    records[2]["moves"][3]["seat"] += 1
    with pytest.raises(RecordError, match="record 2: move 3"):
        analysis.transitions(records)


def test_the_default_games_module_is_behind_it() -> None:
    from drago_env.mount_drago import analysis as own

    assert drago_env.analysis is analysis
    records = games("mount_drago")[1]
    assert analysis.table(records).keys() == own.table(records).keys()
    ours, theirs = analysis.transitions(records, "margin"), own.transitions(records, "margin")
    assert all((ours[key] == theirs[key]).all() for key in theirs)
    with pytest.raises(AttributeError):
        analysis.no_such_thing  # noqa: B018


# ---------------------------------------------------------------- Minari


def test_minari_is_asked_for_kindly(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "minari":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install"):
        analysis.minari_dataset("x-v0", games("race")[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_minari_dataset_has_an_episode_for_each_seat(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minari = pytest.importorskip("minari", reason='pip install "minari[hdf5]" pillow')
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    _, records = games(name)
    made = analysis.transitions(records)
    dataset = analysis.minari_dataset(
        f"{name.replace('_', '-')}/test-v0", records, author="a", algorithm_name="uniform"
    )
    assert dataset.total_steps == len(made["action"])
    assert dataset.total_episodes == 3 * len(records)
    again = minari.load_dataset(f"{name.replace('_', '-')}/test-v0")
    order = np.lexsort((made["move"], made["seat"], made["game"]))
    actions = np.concatenate([episode.actions for episode in again.iterate_episodes()])
    assert (actions == made["action"][order]).all()
    for episode in again.iterate_episodes():
        seen = episode.observations
        assert len(seen["observation"]) == len(episode.actions) + 1
        assert seen["action_mask"][np.arange(len(episode.actions)), episode.actions].all()
        assert episode.terminations[-1] or episode.truncations[-1]
        assert not episode.terminations[:-1].any()
