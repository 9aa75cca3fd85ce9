"""The planning agents by name, whole games between them, and the tuning of their weights."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.progress import Progress

from agents.clairvoyant import Clairvoyant
from agents.mount_drago import tune
from drago_env import MountDrago, Policy, Rules, play, record, resolve
from drago_env.core.planning import Plan
from drago_env.game import State
from drago_env.mount_drago import planning
from drago_env.mount_drago.planning import Weights, WinChance
from drago_env.mount_drago.rules import COLOURS
from drago_env.mount_drago.state import OVER
from drago_env.policy import RowGenerator, View, plans, sees_all
from drago_env.search import Search
from tests.conftest import Table, at
from tests.mount_drago.games import STANDARD, TINY, name
from tests.mount_drago.test_knowledge import shuffled
from tests.mount_drago.test_thumbs import FIRST_TWO, positions

QUICK = ["greedy", "heuristic", "search:playouts=16", "search:method=tree,playouts=16"]
QUICK += ["clairvoyant:playouts=16", "clairvoyant:method=tree,playouts=16"]


def act(policy: Policy | str, game: MountDrago, state: State, seed: int = 0) -> NDArray[np.int64]:
    """What a policy chooses for the seats on turn, given these very states as its view."""
    rng = RowGenerator(np.random.PCG64(seed))
    rng.rows = np.random.default_rng(seed).integers(2**64, size=len(state), dtype=np.uint64)
    turn, policy = game.look(state), resolve(policy)
    return policy.act(turn.observation, turn.legal.mask, rng, View(game, state.copy()))


def choice(policy: str, table: Table) -> str:
    return table.game.action_text(int(act(policy, table.game, table.state)[0]))


# ---------------------------------------------------------------- names and parameters


@pytest.mark.parametrize("spec", ["greedy", "heuristic", "search", "clairvoyant", *QUICK])
def test_a_name_becomes_a_planner(spec: str) -> None:
    policy = resolve(spec)
    assert isinstance(policy, Policy)
    assert policy.name == spec.partition(":")[0]
    assert plans(policy)
    assert sees_all(policy) == (policy.name == "clairvoyant")


def test_search_has_defaults_and_parameters() -> None:
    assert resolve("search") == Search() == Search("flat")
    assert resolve("search:method=tree") == Search("tree")
    assert resolve("search:playouts=64") == Search(playouts=64)
    words = "method=tree,playouts=7,ms=2.5,depth=0,playout=greedy,leaf=margin,noise=1,explore=3"
    words += ",head_start=0.5"
    made = resolve(f"search:{words},prior_temperature=4.0")
    assert made == Search(
        "tree",
        playouts=7,
        ms=2.5,
        depth=0,
        playout="greedy",
        leaf="margin",
        noise=1,
        head_start=0.5,
        explore=3,
        prior_temperature=4.0,
    )
    assert resolve("clairvoyant:playouts=7") == Clairvoyant(playouts=7)


def test_how_random_the_playouts_are_of_who_is_told_everything_is_the_game_s_default() -> None:
    planner = planning.PLANNER
    assert Search()._noise(planner) == 0
    assert Clairvoyant()._noise(planner) == planner.told_noise > 0
    assert Clairvoyant()._noise(planner._replace(told_noise=0.0)) == 0
    assert Clairvoyant(noise=0.0)._noise(planner) == 0


@pytest.mark.parametrize("agent", ["search", "clairvoyant"])
@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        *[(f"method={v}", "method must be one of flat, even, tree") for v in ("bush", "3")],
        *[(f"playouts={v}", "playouts must be a whole number from 1") for v in ("1.5", "x")],
        *[(f"playouts={v}", "playouts must be from 1 to 1000000") for v in ("0", "-1")],
        *[(f"depth={v}", "depth must be a whole number from 0") for v in ("2.0", "x")],
        ("depth=-1", "depth must be from 0"),
        *[
            (f"noise={v}", "noise must be a number from 0 to 1")
            for v in ("-0.1", "1.1", "nan", "x")
        ],
        *[
            (f"head_start={v}", "head_start must be a number from 0 to 1000000")
            for v in ("-1", "inf", "x")
        ],
        *[(f"explore={v}", "explore must be a number from 0 to 1000") for v in ("-1", "1001", "x")],
        *[
            (f"prior_temperature={v}", "prior_temperature must be a number from 0.001 to 1000")
            for v in ("-1", "inf", "x")
        ],
        *[(f"ms={v}", "ms must be a number from 0.01 to 1000000") for v in ("0", "-5", "nan", "x")],
    ],
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(
    agent: str, words: str, allowed: str
) -> None:
    with pytest.raises(ValueError, match=f"^{allowed}[^,]*, not ") as error:
        resolve(f"{agent}:{words}")
    assert words.partition("=")[2] in str(error.value)


@pytest.mark.parametrize("agent", ["search", "clairvoyant"])
@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("playout=best", "playout of {} for mount_drago must be one of heuristic, light, greedy"),
        ("leaf=moon", "leaf of {} for mount_drago must be one of win_chance, margin"),
    ],
)
def test_what_a_game_does_not_offer_is_refused_when_it_is_played(
    agent: str, words: str, allowed: str
) -> None:
    table = at({"blue": 1}, ["blue 2, red 1"])
    with pytest.raises(ValueError, match=f"^{allowed.format(agent)}[^']*, not '(best|moon)'"):
        choice(f"{agent}:{words}", table)


@pytest.mark.parametrize("agent", ["greedy", "heuristic", "search", "clairvoyant"])
def test_an_unknown_parameter_is_refused(agent: str) -> None:
    with pytest.raises(ValueError, match=f"'{agent}:speed=1' cannot be made"):
        resolve(f"{agent}:speed=1")


@pytest.mark.parametrize("spec", QUICK)
def test_a_planner_needs_a_view_of_this_game(spec: str) -> None:
    policy, rng = resolve(spec), np.random.default_rng(0)
    nothing = np.zeros((0, 3), np.float32), np.zeros((0, 151), np.int8)
    with pytest.raises(ValueError, match=f"{policy.name} plans: it must be given a view"):
        policy.act(*nothing, rng, None)
    chess: Any = SimpleNamespace(spec=SimpleNamespace(name="chess"))
    with pytest.raises(ValueError, match=f"{policy.name} plans, and chess hands no functions"):
        policy.act(*nothing, rng, View(chess, np.zeros(0, np.void)))


# ---------------------------------------------------------------- greedy, move by move


def test_greedy_takes_the_best_margin_at_once() -> None:
    rides = ("red 1", "green 1", "yellow 1")
    spaces = {"blue": 1, "black": 3, "gray": 4}  # to a blue 2, a green 4, a plain 6
    hand = "blue 1, black 1, gray 1"

    def chosen(green: int, yellow: int) -> str:
        return choice("greedy", at({**spaces, "green": green, "yellow": yellow}, [hand], rides))

    assert chosen(3, 3) == "play black 1"  # 4 against 3 and 3, before 2 against 3 and 3
    assert chosen(5, 3) == "play blue 1"  # 2 against 0 and 3, before 4 against 6 and 3
    assert chosen(5, 5) == "play blue 1"  # 2 against 0 and 0: a 6 is too much for a minor scoring
    assert chosen(3, 7) == "play black 1"
    spaces = {"blue": 6, "black": 3, "gray": 4}
    assert chosen(5, 5) == "play blue 1"  # 3 against 0 and 0
    spaces = {"blue": 9, "black": 3, "gray": 4}
    assert chosen(5, 3) == "play gray 1"  # nothing, before 0 against 3, and 4 against 6 and 3


def test_among_equals_greedy_takes_the_most_valuable_space() -> None:
    assert choice("greedy", at({"gray": 4}, ["red 1, red 3, gray 1"])) == "play gray 1"
    assert choice("greedy", at({"gray": 4}, ["red 1, red 3, gray 2"])) == "play red 3"  # not on -1
    # the last dragon is taken for a better space and left for a worse one
    everyone = dict.fromkeys(COLOURS, 8)
    assert choice("greedy", at({**everyone, "red": 6, "blue": 5}, ["blue 3"])) == "play blue 3"
    kept = at({**everyone, "red": 7, "blue": 5}, ["blue 1"])
    assert choice("greedy", kept) == "play blue 1 and keep"


def test_then_greedy_takes_the_lowest_action() -> None:
    assert choice("greedy", at(hands=["green 3, green 1, yellow 5", "gray 1"])) == "play yellow 5"
    assert choice("greedy", at(hands=["green 3, green 1", "gray 1"])) == "play green 1"
    assert choice("greedy", at({"red": 1}, ["blue 1"])) == "play blue 1"  # and not: and keep
    assert choice("greedy", at({"red": 1, "purple": 4}, ["blue 1, brown 1"])) == "play blue 1"


def test_greedy_discards_all_but_what_lifts_its_own_dragon() -> None:
    hand, rides = "black 1, black 2, yellow 1, blue 2", ("yellow 3", "green 1")
    table = at(FIRST_TWO, [hand], rides, turn="seat 0, discard")
    for move in ("discard black 1", "discard black 2", "done discarding"):
        assert choice("greedy", table) == move
        table.act(move)
    table = at({**FIRST_TWO, "yellow": 15}, [hand], rides, turn="seat 0, discard")
    for move in ("discard black 1", "discard black 2", "discard yellow 1"):
        assert choice("greedy", table) == move
        table.act(move)
    assert table.turn == "seat 1, play"


# ---------------------------------------------------------------- games


@pytest.mark.parametrize("spec", QUICK)
@pytest.mark.parametrize("rules", [*STANDARD, *TINY], ids=name)
def test_an_agent_plays_whole_games(rules: Rules, spec: str) -> None:
    played = play(MountDrago(rules), [spec] * rules.players, range(2))
    assert record.verify_all(played.records) == [None, None]
    again = play(MountDrago(rules), [spec] * rules.players, [1])
    assert again.records[0]["moves"] == played.records[1]["moves"]  # whatever is played beside it


def share(spec: str, other: str, deals: int, players: int = 2) -> float:
    """How many games an agent wins against others of a kind, in every seat of the same deals."""
    seats = np.tile(np.arange(players), deals)
    seating = (np.arange(players) != seats[:, None]).astype(np.int64)
    seeds = np.repeat(np.arange(deals), players)
    winners = play(MountDrago(Rules(players)), [spec, other], seeds, False, seating).winners
    shares = winners / winners.sum(1, keepdims=True)
    return float(shares[np.arange(len(seats)), seats].mean())


def test_each_agent_is_stronger_than_a_simpler_one() -> None:
    assert share("greedy", "uniform", 100) > 0.85
    assert share("heuristic", "greedy", 150) > 0.65
    assert share("heuristic", "greedy", 100, players=4) > 0.35
    assert share("search:playouts=64", "greedy", 80) > 0.55
    assert share("search:playouts=64,method=tree", "greedy", 80) > 0.55
    assert share("clairvoyant:playouts=64", "search:playouts=64", 40) > 0.75


PARAMETERS = [
    "playout=uniform",
    "playout=greedy",
    "playout=light",
    "leaf=margin",
    "depth=0",
    "noise=0.5",
    "head_start=0",
]


@pytest.mark.parametrize(
    "words", ["", *PARAMETERS, "method=tree,explore=9", "method=tree,prior_temperature=1000"]
)
def test_a_parameter_changes_what_search_thinks(words: str) -> None:
    game, state = running()
    seeds = np.arange(len(state), dtype=np.uint64)
    base = Search("tree" if "tree" in words else "flat", playouts=32).search(game, state, seeds)
    made = resolve(f"search:playouts=32,{words}")
    assert isinstance(made, Search)
    values = made.search(game, state, seeds).values
    assert (values != base.values).any() == bool(words)


def test_depth_0_plays_to_the_end() -> None:
    """Where all is known and nothing random, the end of the one playout is a share of victory."""
    game, state = running()
    seeds = np.arange(len(state), dtype=np.uint64)
    agent = Clairvoyant(depth=0, noise=0.0, playouts=4, head_start=0)
    values = agent.search(game, state, seeds).values
    assert np.isin(values.round(9), np.round([0, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1], 9)).all()
    assert (values == 1).any()


def running() -> tuple[MountDrago, State]:
    game, state = positions("standard")
    return game, state[state["phase"] != OVER][::3].copy()


@pytest.mark.parametrize("spec", QUICK)
def test_agents_see_what_their_seat_may_see_and_the_clairvoyant_more(spec: str) -> None:
    game, state = running()
    rng, changed = np.random.default_rng(1), 0
    for seat in range(5):
        own = state[state["seat"] == seat]
        views = [shuffled(game, own, seat, rng)]
        views += [game.determinize(own, seat, np.arange(len(own)) + k) for k in (0, 999)]
        actions = act(spec, game, own)
        changed += sum(int((act(spec, game, view) != actions).sum()) for view in views)
    assert bool(changed) == sees_all(resolve(spec))


@pytest.mark.parametrize("method", ["flat", "tree"])
def test_a_search_may_be_given_milliseconds(method: str) -> None:
    game, state = running()
    policy = Search(method, ms=0.05)
    for _ in range(2):
        result = policy.search(game, state[:20].copy(), np.arange(20, dtype=np.uint64))
        assert (result.visits.sum(1)[result.counts > 1] > 0).all()
    legal = game.legal(state).mask
    assert legal[np.arange(len(state)), act(policy, game, state)].all()


def test_a_forced_move_says_nothing_about_the_speed_of_searching() -> None:
    policy, seeds = Search(ms=5), np.zeros(1, np.uint64)
    several, forced = at({"blue": 1}, ["blue 2, red 1"]), at({"blue": 1}, ["blue 2"])
    policy.search(several.game, several.state, seeds)
    rate = policy._rate
    for _ in range(3):
        policy.search(forced.game, forced.state, seeds)
    assert policy._rate <= rate


# ---------------------------------------------------------------- weights and tuning


def test_the_shipped_weights_are_complete_and_those_of_the_logs() -> None:
    sets = json.loads(planning.WEIGHTS.read_text(encoding="utf-8"))
    assert list(sets) == ["heuristic", "light", "win_chance"]
    for kind, table in sets.items():
        fields = WinChance._fields if kind == "win_chance" else Weights._fields
        assert list(table) == ["2", "3", "4", "5"]
        for players, numbers in table.items():
            assert tuple(numbers) == fields
            assert np.isfinite(list(numbers.values())).all()
            with (tune.LOGS / f"{kind}-{players}.csv").open(encoding="utf-8") as file:
                *_, last = csv.DictReader(file)
            assert {field: float(last[field]) for field in fields} == numbers
    for numbers in sets["light"].values():
        assert [numbers[field] for field in tune.COSTLY] == [0, 0]
    assert planning.weights("light").shape == planning.weights("greedy").shape == (4, 8)
    assert planning.weights("win_chance").shape == (4, 7)
    assert planning.weights("heuristic")[2].tolist() == list(sets["heuristic"]["4"].values())


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_equal_weights_win_their_even_share(players: int) -> None:
    game, rng = MountDrago(Rules(players)), np.random.default_rng(1)
    tried = np.tile(tune.START, (3, 1))
    shares = tune.compete(game, tried, tune.START, 20, rng)
    assert shares == pytest.approx([1 / players] * 3, abs=1e-12)


def test_a_candidate_plays_every_seat_of_every_deal() -> None:
    game, tried = MountDrago(Rules(3)), np.array([tune.START, planning.GREEDY])
    shares = tune.compete(game, tried, planning.GREEDY, 12, np.random.default_rng(2))
    assert shares[1] == pytest.approx(1 / 3, abs=1e-12)
    seeds = np.random.default_rng(2).integers(0, 2**63, 12, dtype=np.uint64)
    own, tables = 0.0, [np.tile(numbers, (4, 1)) for numbers in tried]
    for seed, seat in ((seed, seat) for seed in seeds for seat in range(3)):
        state = game.new([int(seed)])
        while not game.over(state)[0]:
            table = tables[0] if state["seat"][0] == seat else tables[1]
            game.step(state, planning.assess(game, state, table))
        winners = game.winners(state)[0]
        own += winners[seat] / winners.sum() / 36
    assert shares[0] == pytest.approx(own)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for tuned weights and logs, apart from the shipped ones."""
    monkeypatch.setattr(planning, "WEIGHTS", tmp_path / "weights.json")
    monkeypatch.setattr(tune, "LOGS", tmp_path / "tuning")
    monkeypatch.setattr(tune, "CHECK_DEALS", 10)
    planning.weights.cache_clear()
    yield tmp_path
    planning.weights.cache_clear()


SMALL = {"generations": 3, "candidates": 5, "games": 30, "positions": 300}


def test_tuning_writes_weights_and_logs(folder: Path) -> None:
    tune.main(tune.Arguments(players=(2, 4), **SMALL))  # type: ignore[arg-type]
    sets = planning.read()
    assert list(sets) == ["heuristic", "light", "win_chance"]
    for kind, table in sets.items():
        assert list(table) == [2, 4]
        for players, numbers in table.items():
            assert isinstance(numbers, WinChance if kind == "win_chance" else Weights)
            assert np.isfinite(numbers).all()
            assert np.array_equal(numbers, np.round(numbers, 3))
            with (folder / "tuning" / f"{kind}-{players}.csv").open(encoding="utf-8") as file:
                header, *rows = csv.reader(file)
            assert tuple(header[-len(numbers) :]) == numbers._fields
            assert [float(number) for number in rows[-1][-len(numbers) :]] == list(numbers)
            assert len(rows) == (1 if kind == "win_chance" else SMALL["generations"] + 1)
    assert all(numbers.plan == numbers.danger == 0 for numbers in sets["light"].values())  # type: ignore[union-attr]
    assert not list(folder.glob("*.part"))


def test_more_tuning_keeps_what_was_tuned(folder: Path) -> None:
    tune.main(tune.Arguments(players=(3,), sets=("heuristic",), **SMALL))
    first = planning.read()
    tune.main(tune.Arguments(players=(2,), sets=("heuristic", "win_chance"), **SMALL))
    later = planning.read()
    assert list(later["heuristic"]) == [2, 3]
    assert later["heuristic"][3] == first["heuristic"][3]
    assert list(later["win_chance"]) == [2]


@pytest.mark.usefixtures("folder")
def test_tuning_follows_its_seed() -> None:
    tune.LOGS.mkdir()
    game = MountDrago(Rules(2))

    def tuned(seed: int, kind: str = "heuristic") -> Weights:
        return tune.tune(game, kind, tune.Arguments(seed=seed, **SMALL), Progress())  # type: ignore[arg-type]

    assert tuned(1) == tuned(1)
    assert tuned(1) != tuned(2)
    assert tuned(1, "light") != tuned(1)


@pytest.mark.usefixtures("folder")
def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(SystemExit, match="sets are heuristic, light, win_chance, not 'heavy'"):
        tune.main(tune.Arguments(sets=("heavy",)))


# ---------------------------------------------------------------- arrays that do not fit


def test_weights_and_seeds_that_do_not_fit_are_refused() -> None:
    game, state = running()
    n, fit, chances = len(state), planning.weights("light"), planning.weights("win_chance")
    plan = Plan("flat", 8, 2, 0.0, 1.0, 2.0, False, False)
    with pytest.raises(
        ValueError, match=r"weights must be float64, 4 rows of 8 numbers .* \(1, 8\)"
    ):
        planning.assess(game, state, fit[:1])
    with pytest.raises(ValueError, match=r"weights must be float64, 4 rows of 7 numbers"):
        planning.win_chances(game, state, fit)
    with pytest.raises(ValueError, match=r"win_chance must be float64, .* not float32"):
        planning.search(game, state, np.arange(n), plan, fit, chances.astype(np.float32))
    with pytest.raises(ValueError, match=f"{n} games need as many seeds, not 1"):
        planning.search(game, state, 5, plan, fit, chances)
    with pytest.raises(ValueError, match=f"{n} games need as many seeds, not 1"):
        planning.roll(game, state.copy(), 5, fit)
    with pytest.raises(ValueError, match="name weights 0 to 3"):
        planning.roll(game, state.copy(), np.arange(n), fit, np.full((n, 5), 4))


def test_nothing_is_best_after_the_end() -> None:
    game, state = running()
    planning.roll(game, state, np.arange(len(state)), planning.weights("light"))
    assert game.over(state).all()
    result = Search(playouts=8).search(game, state, np.zeros(len(state), np.uint64))
    assert (result.best() == -1).all()


@pytest.mark.parametrize("spec", ["search:depth=100000000000000000000", "search:playouts=2000000"])
def test_numbers_beyond_all_use_are_refused(spec: str) -> None:
    with pytest.raises(ValueError, match=r"must be from . to"):
        resolve(spec)
