"""Policies: names that become policies, random numbers by row, and what opponents get to see."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from drago_env import MountDrago, Policy, Rules, Uniform, resolve
from drago_env.mount_drago_v0 import single_env
from drago_env.policy import RowGenerator, plans, resolve_all, row_numbers, sees_all
from tests.adapters import Cheat, First, Planner, Wrong, begun, episode, pick, same

ANSWERS = ["illegal", "outside", "negative", "shape", "dtype", "nothing", "scribble"]

# ---------------------------------------------------------------- names


class Made:
    """Keeps what it was made with."""

    name = "made"

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters

    def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
        return mask.argmax(1)


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `agents` with one module, as a checkout of the repository has it."""
    folder, module = ModuleType("agents"), ModuleType("agents.guest")
    folder.__path__ = []
    monkeypatch.setattr(module, "make", Made, raising=False)
    monkeypatch.setitem(sys.modules, "agents", folder)
    monkeypatch.setitem(sys.modules, "agents.guest", module)


def test_uniform_is_always_there() -> None:
    assert isinstance(resolve("uniform"), Uniform)
    assert isinstance(resolve("uniform"), Policy)
    assert [policy.name for policy in resolve_all(None)] == ["uniform"]


def test_a_policy_stands_for_itself() -> None:
    mine = First()
    assert resolve(mine) is mine
    assert resolve_all(mine) == [mine]
    assert resolve_all((mine, mine)) == [mine, mine]


@pytest.mark.usefixtures("agents")
@pytest.mark.parametrize("name", ["guest", "tests.test_policy:Made"])
@pytest.mark.parametrize(
    ("words", "parameters"),
    [
        ("", {}),
        (":playouts=64", {"playouts": 64}),
        (":depth=-1,c=0.5,small=1e-3", {"depth": -1, "c": 0.5, "small": 1e-3}),
        (":path=a:b/c.pt,rule=best=1", {"path": "a:b/c.pt", "rule": "best=1"}),
    ],
)
def test_a_spec_has_parameters(name: str, words: str, parameters: dict[str, Any]) -> None:
    made = resolve(name + words)
    assert isinstance(made, Made)
    assert made.parameters == parameters
    assert {type(v) for v in made.parameters.values()} == {type(v) for v in parameters.values()}


@pytest.mark.usefixtures("agents")
@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "unknown policy ''"),
        ("nobody", "mount_drago has .*uniform"),
        ("nobody:x=1", "unknown policy 'nobody:x=1'"),
        ("gredy", "perhaps greedy"),
        ("games", "unknown policy"),  # a module whose `make` makes no policy
        ("subprocess:call:args=true", "annotated to return a Policy"),
        ("no_such_module:Mine", "no module 'no_such_module'"),
        ("tests.adapters:Nobody", "has no 'Nobody'"),
        ("uniform:x=1", "cannot be made"),
        ("guest:x=1,y", "key=value"),
        ("tests.adapters:First:last", "key=value"),
        ("tests.adapters:First:speed=1", "cannot be made.*speed"),
    ],
)
def test_a_bad_spec_is_refused(spec: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        resolve(spec)


def made(**parameters: Any) -> Policy:
    return Made(**parameters)


def test_a_function_may_make_a_policy_if_it_says_so() -> None:
    assert getattr(resolve("tests.test_policy:made:x=1"), "parameters", None) == {"x": 1}


@pytest.mark.parametrize(
    "spec",
    [
        *("tests.adapters:First", "subprocess:call", "response:to=tests.adapters:First"),
        "response:playouts=2,to=response:to=subprocess:call",
    ],
)
def test_a_spec_from_a_file_names_built_in_policies_only(spec: str) -> None:
    with pytest.raises(ValueError, match="--trust"):
        resolve(spec, trust=False)
    assert resolve("greedy", trust=False).name == "greedy"
    assert resolve("response:to=search:playouts=4", trust=False).name == "response"
    assert resolve_all(["uniform", "search:playouts=4"], trust=False)[1].name == "search"


def test_no_name_runs_a_program_of_the_package() -> None:
    with pytest.raises(ValueError, match="unknown policy '__main__'"):
        resolve("__main__")


def test_a_name_means_the_policy_of_the_game() -> None:
    assert type(resolve("greedy", "mount_drago:players=3")) is type(resolve("greedy"))
    with pytest.raises(ValueError, match=r"unknown game 'mont_drago'.*perhaps mount_drago"):
        resolve("greedy", "mont_drago")


def test_a_module_that_lacks_something_itself_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "absent_player.py").write_text("import absent\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'absent'"):
        resolve("absent_player:Player")


class Nameless:
    def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
        return mask.argmax(1)


@pytest.mark.parametrize(
    "wrong",
    [None, 3, object(), "tests.adapters:same", Uniform, Nameless()],
    ids=["None", "3", "object", "function", "class", "nameless"],
)
def test_what_is_no_policy_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="policy"):
        resolve(wrong)


# ---------------------------------------------------------------- random numbers


def test_row_numbers_are_the_rows_own_where_there_are_some() -> None:
    rng = RowGenerator(np.random.PCG64(1))
    drawn = row_numbers(rng, 3)
    assert (drawn.shape, drawn.dtype.name) == ((3,), "uint64")
    assert not same(row_numbers(rng, 3), drawn)
    rng.rows = np.array([5, 6, 7], np.uint64)
    assert row_numbers(rng, 3).tolist() == row_numbers(rng, 3).tolist() == [5, 6, 7]
    assert row_numbers(rng, 4).shape == (4,)
    plain = row_numbers(np.random.default_rng(1), 2)
    assert (plain.shape, plain.dtype.name) == ((2,), "uint64")


@pytest.mark.parametrize("legal", [[0], [3, 77], [0, 49, 50, 120, 150], list(range(12))])
def test_uniform_is_uniform(legal: list[int]) -> None:
    n = 12_000
    mask = np.zeros((n, 151), np.int8)
    mask[:, legal] = 1
    chosen = Uniform().act(np.zeros((n, 1), np.float32), mask, np.random.default_rng(3))
    counts = np.bincount(chosen, minlength=151)
    expected = n / len(legal)
    assert counts[legal].sum() == n
    assert ((counts[legal] - expected) ** 2 / expected).sum() < 35  # far in the tail for 11 degrees


def test_uniform_chooses_by_row_in_a_batch_of_any_size() -> None:
    game = MountDrago(Rules(4))
    mask = game.legal(game.new(range(50))).mask
    observation = np.zeros((50, 1), np.float32)
    rng = RowGenerator(np.random.PCG64(0))
    numbers = np.random.default_rng(5).integers(2**64, size=50, dtype=np.uint64)
    rng.rows = numbers
    chosen = Uniform().act(observation, mask, rng)
    assert mask[np.arange(50), chosen].all()
    for rows in ([7], [3, 40], list(range(49, -1, -1))):
        rng.rows = numbers[rows]
        assert same(Uniform().act(observation[rows], mask[rows], rng), chosen[rows])


def test_who_plans() -> None:
    policies: list[Policy] = [Uniform(), Planner(), Cheat()]
    assert [plans(policy) for policy in policies] == [False, True, True]
    assert [sees_all(policy) for policy in policies] == [False, False, True]


# ---------------------------------------------------------------- opponents


def test_opponents_are_drawn_from_the_pool_at_each_reset() -> None:
    pool: list[Any] = [First("a"), First("b"), "uniform"]
    single = single_env(players=3, opponents=pool)
    met: list[str] = []
    for seed in range(300):
        _, info = single.reset(seed=seed)
        assert len(info["opponents"]) == 2
        met += single.opponent_names()
        if seed < 5:
            assert all(same(s[4]["opponents"], info["opponents"]) for s in episode(single))
    names, counts = np.unique(met, return_counts=True)
    assert names.tolist() == ["a", "b", "uniform"]
    assert ((counts - 200) ** 2 / 200).sum() < 25


def test_new_opponents_come_with_the_next_reset_only() -> None:
    old, new = First("old"), First("new")
    single = begun(single_env(opponents=old), 2)
    single.set_opponents([new])
    steps = episode(single)
    assert {tuple(single.opponent_names(s[4]["opponents"])) for s in steps} == {("old",)}
    assert single.opponent_names() == ["old"]
    assert new.asked == []
    _, info = single.reset()
    before = len(old.asked)
    assert single.opponent_names() == single.opponent_names(info["opponents"]) == ["new"]
    assert single.opponent_names(episode(single)[-1][4]["opponents"]) == ["new"]
    assert len(old.asked) == before
    assert new.asked


def test_a_policy_of_ones_own_as_an_object_or_a_spec() -> None:
    as_object = single_env(opponents=First("low"))
    as_spec = single_env(opponents="tests.adapters:First:name=low")
    for single in (as_object, as_spec):
        single.reset(seed=1)
        assert single.opponent_names() == ["low"]
    assert same(episode(as_object), episode(as_spec))


@pytest.mark.parametrize("players", [2, 4])
def test_a_planner_sees_its_own_hand_and_redrawn_ones(players: int) -> None:
    planner, cheat = Planner(), Cheat()
    for policy in (planner, cheat):
        single = single_env(players=players, opponents=policy, seat=0)
        single.reset(seed=8)
        episode(single, 8)
    # both play the first legal action, so that they meet the same positions
    assert len(planner.seen) == len(cheat.seen) > 10
    redrawn = 0
    for (view, observed), (whole, also) in zip(planner.seen, cheat.seen, strict=True):
        seat = int(whole.state["seat"][0])
        assert seat != 0
        assert same(observed, also)
        for state in (view.state, whole.state):
            assert same(view.game.observe(state, seat), observed)
            assert same(state["hand"][:, seat], whole.state["hand"][:, seat])
        redrawn += view.state["hand"].tobytes() != whole.state["hand"].tobytes()
    assert redrawn > len(planner.seen) * 0.9


def test_a_policy_that_sees_all_gets_the_true_game() -> None:
    cheat = Cheat()
    single = single_env(opponents=cheat, seat=0)
    single.reset(seed=8)
    game = MountDrago(Rules(2))
    state, rng = game.new(8), np.random.default_rng(8)
    while not game.over(state)[0]:
        if state["seat"][0] == 0:
            action = pick(single.action_masks(), rng)
            single.step(action)
        else:
            view, _ = cheat.seen.pop(0)
            assert view.state.tobytes() == state.tobytes()
            action = int(game.legal(state).mask[0].argmax())
        game.step(state, [action])
    assert cheat.seen == []


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_bad_answer_of_an_opponent_is_refused(answer: str) -> None:
    single = single_env(opponents=Wrong(answer), seat=0)
    single.reset(seed=0)
    with pytest.raises(ValueError, match="the policy 'wrong'"):
        single.step(int(single.action_masks().argmax()))
