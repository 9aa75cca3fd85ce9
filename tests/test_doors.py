"""What is restored, unpickled or mixed up is checked before it reaches a kernel."""

from __future__ import annotations

import io
import multiprocessing
import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import drago_env
from drago_env import games
from drago_env.core.chance import GOLDEN, mix, unmixed
from drago_env.core.checks import checked_arrays, select
from drago_env.core.files import unpacked
from drago_env.game import Legal, StateError
from tests.adapters import picks
from tests.games import NAMES, SHORT, short_makers

MAKERS = {name: short_makers(name) for name in NAMES}
ROWS = 4


def begun(name: str, kind: str) -> Any:
    """A batch of games some moves after its reset."""
    env = getattr(MAKERS[name], kind)(ROWS, players=2)
    if kind == "sb3_env":
        env.seed(1)
        env.reset()
    else:
        env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(5):
        masks = env.env_method("action_masks")[0] if kind == "sb3_env" else env.action_masks()
        env.step(picks(masks, rng))
    return env


@pytest.mark.parametrize("kind", ["selfplay_env", "vector_env", "sb3_env"])
@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_snapshot_is_refused_and_changes_nothing(name: str, kind: str) -> None:
    env = begun(name, kind)
    sound = env.snapshot()
    rng, refused = np.random.default_rng(0), 0
    for _ in range(200):
        broken = {key: np.array(value) for key, value in sound.items()}
        raw = broken["state"].view(np.uint8)
        place = rng.integers(raw.size)
        raw[place] ^= np.uint8(1 << rng.integers(8))
        try:
            env.restore(broken)
        except StateError:
            refused += 1
            after = env.snapshot()
            assert all(after[key].tobytes() == np.asarray(sound[key]).tobytes() for key in sound)
        else:
            env.restore(sound)
    assert refused > 20  # many bits are chance's own, which may be anything


@pytest.mark.parametrize("name", [n for n in NAMES if drago_env.make(n).spec.has_chance])
def test_a_state_whose_chance_is_scripted_is_refused(name: str) -> None:
    """Its draws would be read from an address that the state holds."""
    game = drago_env.make(name)
    state = game.new([1, 2])
    state["script"][1] = 2
    before = state.tobytes()
    for call in (
        game.legal,
        lambda s: game.step(s, [-1, -1]),
        lambda s: game.outcomes(s[1:], None),
    ):
        with pytest.raises(StateError, match="row"):
            call(state)
    assert state.tobytes() == before


@pytest.mark.parametrize("name", NAMES)
def test_a_restored_state_is_of_the_type_that_kernels_are_compiled_for(name: str) -> None:
    """Numpy's files forget that records are aligned, and numba takes them for another type."""
    state = drago_env.make(name).new([1])
    file = io.BytesIO()
    np.savez(file, state=state)
    file.seek(0)
    (restored,) = checked_arrays(np.load(file), {"state": state})
    assert restored.dtype.isalignedstruct == state.dtype.isalignedstruct
    assert restored.tobytes() == state.tobytes()


@pytest.mark.parametrize("kind", ["selfplay_env", "vector_env", "sb3_env"])
@pytest.mark.parametrize("name", NAMES)
def test_a_snapshot_of_nothing_is_refused(name: str, kind: str) -> None:
    env = begun(name, kind)
    sound = env.snapshot()
    for key in sound:
        broken = dict(sound)
        del broken[key]
        with pytest.raises((ValueError, KeyError)):
            env.restore(broken)
    zeros = {**sound, "state": np.zeros_like(sound["state"])}
    with pytest.raises(StateError):
        env.restore(zeros)
    if "pool_index" in sound:
        for key in ("pool_index", "learner"):
            with pytest.raises(ValueError, match=r"opponents|learner"):
                env.restore({**sound, key: sound[key] + 100})


@pytest.mark.parametrize("name", NAMES)
def test_a_game_by_moves_is_checked_too(name: str) -> None:
    env = MAKERS[name].raw_env(players=2)
    env.reset(seed=1)
    for _ in range(6):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    sound, before = env.snapshot(), env.record()
    for broken in (
        {"start": np.zeros_like(sound["start"])},
        {"actions": sound["actions"][::-1] + 10**6},
        {"actions": np.array(3)},
        {"actions": sound["actions"] + 0.5},
        {"dead": np.array(3)},
        {"seed": np.array("x")},
    ):
        with pytest.raises((ValueError, TypeError)):
            env.restore({**sound, **broken})
        assert env.record() == before


@pytest.mark.parametrize("name", NAMES)
def test_what_is_unpickled_checks_itself(name: str) -> None:
    env = begun(name, "selfplay_env")
    env.state[:] = np.zeros_like(env.state)
    with pytest.raises(StateError):
        pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("filled", [0, 255])
def test_a_state_from_nowhere_reaches_no_kernel(name: str, filled: int) -> None:
    game: Any = drago_env.make(name)
    raw = np.full(3 * game.state_type.itemsize, filled, np.uint8)
    state = raw.view(game.state_type)
    legal, seeds = game.legal(game.new(range(3))), range(3)
    doors: list[Callable[[], Any]] = [
        lambda: game.legal(state),
        lambda: game.step(state, [0, 0, 0]),
        lambda: game.look(state),
        lambda: game.observe(state),
        lambda: game.features(state, legal),
        lambda: game.determinize(state, 0, seeds),
        lambda: game.finished(state, seeds),
        lambda: game.shares(state),
    ]
    for door in doors:
        with pytest.raises(StateError, match="row 0"):
            door()


@pytest.mark.parametrize("name", NAMES)
def test_lists_that_are_not_of_the_state_are_refused(name: str) -> None:
    game: Any = drago_env.make(name)
    state = game.new(range(ROWS))
    legal = game.legal(state)
    picks = game.picks(range(ROWS))
    for counts in (legal.counts + 1, legal.counts - legal.counts - 1, legal.counts * 10**9):
        wrong = Legal(legal.actions, np.ascontiguousarray(counts), legal.mask)
        if game.spec.feature_size:
            with pytest.raises(ValueError, match="row 0"):
                game.features(state, wrong)
    beyond = Legal(legal.actions, legal.counts + 10**6, legal.mask)
    with pytest.raises(ValueError, match="counts"):
        game.sample(beyond, picks)
    with pytest.raises(ValueError, match="picks"):
        game.sample(legal, picks.astype(np.int64))


class Thief:
    """Keeps every number that a policy can reach, and plays the first legal action."""

    name = "thief"
    plans = True

    def __init__(self) -> None:
        self.numbers: set[int] = set()

    def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
        self.numbers |= {int(number) for number in rng.rows}
        self.numbers.add(int(rng.bit_generator.seed_seq.entropy))
        if "rng" in view.state.dtype.names:
            self.numbers |= {int(number) for number in view.state["rng"]}
        return mask.argmax(1)

    def finds(self, seed: int) -> bool:
        """Whether going back from any number leads to the seed, by all steps that the games use."""
        golden, all_ones = int(GOLDEN), (1 << 64) - 1
        for number in self.numbers:
            for _ in range(200):
                number = unmixed(number)
                back = (number - golden) & all_ones
                if seed in {number, back, number ^ all_ones, back ^ all_ones}:
                    return True
                number = back
        return seed in self.numbers


@pytest.mark.parametrize("name", NAMES)
def test_a_fair_policy_cannot_find_the_deal(name: str) -> None:
    seed, thief = 123_456_789, Thief()
    game = drago_env.make(name, players=2, **SHORT.get(name, {}))
    drago_env.play(game, [thief, "uniform"], [seed], records=False)
    assert len(thief.numbers) > 3
    assert not thief.finds(seed)
    single = MAKERS[name].single_env(players=2, opponents=thief)
    single.reset(seed=seed)
    for _ in range(5):
        _, _, terminated, truncated, _ = single.step(int(single.action_masks().argmax()))
        if terminated or truncated:
            break
    assert not thief.finds(seed)
    env = MAKERS[name].raw_env(players=2)
    env.reset(seed=seed)
    view = env.view(env.possible_agents[0]).state
    if "rng" in (view.dtype.names or ()):
        thief.numbers = {int(view["rng"][0])}
        assert not thief.finds(seed)
    thief.numbers = {int(mix(mix(~np.array([seed], np.uint64)))[0])}
    assert thief.finds(seed)  # as the games' own steps would lead back


def _in_the_child(game: Any, state: Any, answer: Any) -> None:
    answer.put(game.finished(state, range(len(state))).tobytes())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_threads_work_after_a_fork() -> None:
    game: Any = drago_env.make("race", threads=2)
    state = game.new(range(64))
    here = game.finished(select(state), range(64)).tobytes()
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    child = context.Process(target=_in_the_child, args=(game, state, answer))
    child.start()
    assert answer.get(timeout=60) == here
    child.join()


@pytest.mark.parametrize("name", NAMES)
def test_true_is_no_action_and_no_seed(name: str) -> None:
    for env in (MAKERS[name].env(players=2), MAKERS[name].raw_env(players=2)):
        env.reset(seed=1)
        for action in (True, False):
            with pytest.raises(TypeError, match="an action is a whole number, not"):
                env.step(action)
    sb3 = MAKERS[name].sb3_env(ROWS, players=2)
    for seed in (True, -1, 0.5):
        with pytest.raises(ValueError, match="seed must be"):
            sb3.seed(seed)
    sb3.seed(3)
    assert len(sb3.reset()) == ROWS


@pytest.mark.parametrize("kind", ["env", "raw_env", "single_env", "selfplay_env", "vector_env"])
@pytest.mark.parametrize("name", NAMES)
def test_a_closed_environment_says_so(name: str, kind: str) -> None:
    env = getattr(MAKERS[name], kind)(players=2)
    env.reset(seed=1)
    env.close()
    action: Any = np.zeros(1, np.int64) if "_env" in kind and kind[0] in "sv" else 0
    with pytest.raises(RuntimeError, match=r"the environment is closed: call reset\(\)"):
        env.step(0 if kind == "single_env" else action)
    env.reset(seed=1)
    if kind.startswith(("env", "raw")):
        env.step(int(env.last()[0]["action_mask"].argmax()))


@pytest.mark.parametrize(
    "kind", ["env", "raw_env", "single_env", "selfplay_env", "vector_env", "sb3_env"]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_closed_environment_goes_on_from_a_snapshot(name: str, kind: str) -> None:
    """As `reset`, `restore` opens it again."""
    env = getattr(MAKERS[name], kind)(players=2)
    env.reset()
    kept = env.unwrapped.snapshot()
    env.close()
    env.unwrapped.restore(kept)
    if kind in ("env", "raw_env"):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    else:
        action = env.action_masks().argmax(-1)
        env.step(int(action) if kind == "single_env" else action)


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_batch_of_stable_baselines_says_so(name: str) -> None:
    env = begun(name, "sb3_env")
    env.close()
    with pytest.raises(RuntimeError, match="the environment is closed"):
        env.step(np.zeros(ROWS, np.int64))
    env.reset()
    env.step(picks(env.env_method("action_masks")[0], np.random.default_rng(1)))


def test_a_picture_for_one_viewer_shows_what_they_may_see() -> None:
    """Whatever is drawn anew in what they cannot see, their picture stays the same."""
    texts: dict[Any, str] = {}
    viewers: tuple[Any, ...] = ("all", "turn", 0, 1)
    for viewer in viewers:
        env = MAKERS["mount_drago"].env(players=2, render_mode="ansi", render_viewer=viewer)
        env.reset(seed=1)
        for _ in range(4):
            env.step(int(env.last()[0]["action_mask"].argmax()))
        texts[viewer] = env.render()
        raw = env.unwrapped
        if viewer != "all":
            seat = raw.possible_agents.index(raw.agent_selection) if viewer == "turn" else viewer
            raw._state[:] = raw.game.determinize(raw._state, seat, 99)
            assert env.render() == texts[viewer]
            raw._state[:] = raw.game.determinize(raw._state, 1 - seat, 99)
            assert env.render() != texts[viewer]
    assert len({*texts.values()}) == 3  # the seat on turn is one of the two
    strangers: tuple[Any, ...] = ("nobody", 2, -1, True, None)
    for viewer in strangers:
        with pytest.raises(ValueError, match="render_viewer must be"):
            MAKERS["mount_drago"].raw_env(players=2, render_viewer=viewer)


# ---------------------------------------------------------------- small doors


def test_an_archive_in_a_file_does_not_grow_either() -> None:
    file = io.BytesIO()
    np.savez_compressed(file, returns=np.zeros(1 << 22))
    with pytest.raises(ValueError, match="would unpack from"):
        unpacked(file)


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_makers_are_pickled_by_their_name(name: str) -> None:
    made = import_module(f"drago_env.{name}_v0")
    for kind in ("env", "raw_env", "vector_env", "sb3_env"):
        assert pickle.loads(pickle.dumps(getattr(made, kind))) is getattr(made, kind)


@pytest.mark.parametrize("name", NAMES)
def test_a_snapshot_of_one_game_with_a_wrong_number_changes_nothing(name: str) -> None:
    env = MAKERS[name].raw_env(players=2).unwrapped
    env.reset(seed=1)
    other = env.snapshot() | {"views": np.array(-1)}
    env.reset(seed=2)
    before = env.snapshot()
    with pytest.raises(ValueError, match="views must be"):
        env.restore(other)
    after = env.snapshot()
    assert all(after[key].tobytes() == before[key].tobytes() for key in before)


def test_more_draws_than_any_step_has_are_refused() -> None:
    game: Any = drago_env.make("mount_drago")
    state = game.new([1])
    action = int(game.legal(state).actions[0, 0])
    with pytest.raises(ValueError, match="draws must be from 0 to 254, not 300"):
        game.step_drawn(state, action, [0] * 300)


@pytest.mark.parametrize("made", [{"format": "dragon-delta/1"}, {"format": []}])
def test_a_table_of_what_is_no_record_is_refused(made: Any) -> None:
    with pytest.raises(ValueError, match="record"):
        drago_env.analysis.table([made])
