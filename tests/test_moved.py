"""Names of version 0.1 that have moved are found in their old places, with a warning."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import seating
from drago_env import MountDrago, moved, play, resolve, storage
from drago_env.core.planning import Plan
from drago_env.mount_drago import planning, record
from drago_env.mount_drago_v0 import raw_env
from drago_env.pictures import page
from drago_env.search import Search
from drago_env.wrappers.aec import GameAEC
from drago_env.wrappers.learner import LearnerBatch
from drago_env.wrappers.sb3 import LearnerVecEnv
from drago_env.wrappers.single import LearnerEnv
from drago_env.wrappers.vector import LearnerVectorEnv
from train.evaluate import evaluate

ROOT = Path(__file__).parent.parent
# Old module, new module, a name that is the same in both.
MODULES = [
    ("agents.greedy", "drago_env.mount_drago.greedy", "make"),
    ("agents.heuristic", "drago_env.mount_drago.heuristic", "Heuristic"),
    ("agents.search", "drago_env.search", "Search"),
    ("agents.tables", "agents.seating", "Config"),
    ("agents.tune", "agents.mount_drago.tune", "Arguments"),
    ("agents.weights", "drago_env.mount_drago.planning", "GREEDY"),
    ("drago_env.mount_drago.canvas", "drago_env.pictures.canvas", "svg"),
    ("drago_env.mount_drago.census", "drago_env.mount_drago.statistics", "census"),
    ("drago_env.mount_drago.chart", "drago_env.pictures.chart", "chart"),
    ("drago_env.mount_drago.drawing", "drago_env.pictures.picture", "Picture"),
    ("drago_env.mount_drago.page", "drago_env.pictures.page", "json"),
    ("drago_env.mount_drago.sight", "drago_env.mount_drago.visible", "Rider"),
    ("drago_env.mount_drago.team", "drago_env.core.threads", "Task"),
    ("train.learner", "train.ppo", "Learner"),
]
# Old module and name; where the name is now, and what the warning says if it says something else.
NAMES: list[tuple[str, str, str, str | None]] = [
    ("agents.files", "write", "drago_env.core.files.write", None),
    ("agents.human", "effect", "drago_env.mount_drago.table.effect", None),
    ("agents.tables", "guests", "agents.seating.who_plays", None),
    ("agents.weights", "PATH", "drago_env.mount_drago.planning.WEIGHTS", None),
    (
        *("agents.weights", "array", "drago_env.mount_drago.former.array"),
        "drago_env.mount_drago.planning.weights",
    ),
    ("agents.weights", "planned", "drago_env.policy.planned", None),
    ("drago_env.game", "Screen", "drago_env.pictures.window.Window", None),
    ("drago_env.game", "mix", "drago_env.core.chance.mix", None),
    ("drago_env.game", "seed_array", "drago_env.core.checks.seed_array", None),
    ("drago_env.game", "select", "drago_env.core.checks.select", None),
    (
        *("drago_env.mount_drago.census", "Fork"),
        *("drago_env.mount_drago.statistics.LastDragonChoice", None),
    ),
    ("drago_env.mount_drago.drawing", "CODES", "drago_env.mount_drago.visible.CODES", None),
    ("drago_env.mount_drago.drawing", "Window", "drago_env.pictures.window.Window", None),
    ("drago_env.mount_drago.observation", "scale", "drago_env.core.layout.scale", None),
    (
        *("drago_env.mount_drago.page", "gif", "drago_env.mount_drago.former.gif"),
        "drago_env.pictures.page.gif(record.pictures(...), path)",
    ),
    (
        *("drago_env.mount_drago.page", "html", "drago_env.mount_drago.former.html"),
        "drago_env.pictures.page.html(record.pictures(...))",
    ),
    (
        *("drago_env.mount_drago.planning", "Outlook"),
        *("drago_env.mount_drago.planning.WinChance", None),
    ),
    ("drago_env.mount_drago.planning", "Thought", "drago_env.core.planning.SearchResult", None),
    (
        *("drago_env.mount_drago.planning", "outlook"),
        *("drago_env.mount_drago.planning.win_chances", None),
    ),
    ("drago_env.mount_drago.storage", "FORMAT", "drago_env.core.states.FORMAT", None),
    ("drago_env.mount_drago.storage", "PHASES", "drago_env.mount_drago.state.PHASES", None),
    ("drago_env.mount_drago.team", "Team", "drago_env.core.threads.ThreadTeam", None),
    ("drago_env.wrappers.aec", "Ordered", "drago_env.wrappers.ordered.Ordered", None),
    ("drago_env.wrappers.selfplay", "ENDED", "drago_env.core.trajectories.ENDED", None),
    ("drago_env.wrappers.selfplay", "OPEN", "drago_env.core.trajectories.OPEN", None),
    (
        "drago_env.wrappers.selfplay",
        "Trajectories",
        "drago_env.core.trajectories.Trajectories",
        None,
    ),
    (
        "drago_env.wrappers.selfplay",
        "trajectories",
        "drago_env.core.trajectories.trajectories",
        None,
    ),
    ("train.collect", "Cluster", "train.collectors.Cluster", None),
    ("train.collect", "Here", "train.collectors.Here", None),
    ("train.collect", "collector_seed", "train.collectors.collector_seed", None),
    ("train.evaluate", "table", "train.evaluate.as_markdown", None),
]
# Old module and name of what has no alias; words of what is said.
GONE = [
    ("agents.files", "replace", "drago_env.core.files.replacing"),
    ("agents.neural", "SHIPPED", "agents.neural.shipped"),
    ("agents.report", "HEADINGS", "Report.headings"),
    ("agents.search", "LEAVES", "game.planner.leaves"),
    ("agents.search", "PLAYOUTS", "game.planner.playouts"),
    ("agents.tables", "COLUMNS", "Config.columns"),
    ("agents.tables", "make_game", "Config.rule_book"),
    ("agents.tables", "outcome", "drago_env.core.outcome.standings"),
    ("drago_env.mount_drago.drawing", "Move", "drago_env.game.Move"),
    ("drago_env.mount_drago.drawing", "terminal", "ansi()"),
    ("drago_env.mount_drago.game", "REWARDS", "MountDrago.rewards"),
    ("drago_env.mount_drago.page", "sights", "drago_env.mount_drago.record.pictures"),
    ("drago_env.mount_drago.sight", "Move", "drago_env.game.Move"),
    ("drago_env.mount_drago.sight", "Sight", "visible.Visible"),
    ("drago_env.mount_drago.sight", "move_text", "game.told"),
    ("drago_env.mount_drago.sight", "names", "drago_env.pictures.table.names_of"),
    ("drago_env.mount_drago.sight", "sight", "visible.visible"),
    ("train.collect", "Table", "train.collect.Setup"),
]
STANDING = sorted(
    ({row[0] for row in NAMES} | {row[0] for row in GONE}) - {row[0] for row in MODULES}
)


def forget() -> None:
    """Old modules are imported anew, as in a program that has not done so yet."""
    for old, *_ in MODULES:
        parent, _, child = old.rpartition(".")
        if sys.modules.pop(old, None):
            delattr(sys.modules[parent], child)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    forget()
    yield
    forget()


def said_by(program: str) -> tuple[dict[str, Any], list[str]]:
    """What a user's program defines, and the warnings at its own lines."""
    defined: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(program, "user.py", "exec"), defined)
    assert {(one.category, one.filename) for one in caught} == {(DeprecationWarning, "user.py")}
    return defined, [str(one.message).partition(";")[0] for one in caught]


def test_the_lists_here_are_the_whole_table() -> None:
    for module in (*STANDING, "agents", "train"):
        import_module(module)
    rows = {(old, new) for old, (new, _) in moved.MODULES.items()}
    assert rows == {(old, new) for old, new, _ in MODULES}
    tables = [*moved.NAMES.items(), *((old, names) for old, (_, names) in moved.MODULES.items())]
    found = {(module, name) for module, names in tables for name in names}
    assert found == {(row[0], row[1]) for row in (*NAMES, *GONE)}


@pytest.mark.parametrize(("old", "new", "name"), MODULES)
def test_an_old_module_is_imported_in_every_form(old: str, new: str, name: str) -> None:
    parent, _, child = old.rpartition(".")
    told = f"{old} is now {new}"
    _, said = said_by(f"import {old}")
    assert said == [told]
    forget()
    defined, said = said_by(f"from {parent} import {child}")
    assert said == [told]
    assert defined[child].__name__ == old
    forget()
    defined, said = said_by(f"from {old} import {name}")
    assert said == [told, f"{old}.{name} is now {new}.{name}"]
    assert defined[name] is getattr(import_module(new), name)
    defined, said = said_by(f"import {old} as it\nfound = it.{name}")
    assert said == [f"{old}.{name} is now {new}.{name}"]


@pytest.mark.parametrize(("module", "name", "place", "words"), NAMES)
def test_an_old_name_is_found_with_a_warning(
    module: str, name: str, place: str, words: str | None
) -> None:
    where, _, attribute = place.rpartition(".")
    told = f"{module}.{name} is now {words or place}"
    for program in (
        f"from {module} import {name} as found",
        f"import {module} as it\nfound = it.{name}",
    ):
        defined, said = said_by(program)
        assert said[-1] == told
        assert defined["found"] is getattr(import_module(where), attribute)


@pytest.mark.parametrize(("module", "name", "words"), GONE)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_name_without_an_alias_says_what_there_is(module: str, name: str, words: str) -> None:
    with pytest.raises(ImportError, match=f"{module}.{name} is no more; there is ") as refused:
        exec(f"from {module} import {name}")
    assert words in str(refused.value)


@pytest.mark.parametrize("module", [*STANDING, *(old for old, *_ in MODULES)])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_nothing_else_is_found(module: str) -> None:
    with pytest.raises(ImportError, match="cannot import name 'nobody'"):
        exec(f"from {module} import nobody")
    with pytest.raises(AttributeError, match="nobody"):
        getattr(import_module(module), "nobody")  # noqa: B009
    with pytest.raises(ModuleNotFoundError):
        import_module(f"{module}.nobody")
    with pytest.raises(ModuleNotFoundError):
        import_module(f"{module.rpartition('.')[0]}.nobody")


def test_the_environment_alone_finds_its_old_modules_and_loads_nothing_before_it_is_used() -> None:
    program = (
        "import sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "sys.modules.update(agents=None, train=None)\n"
        "import drago_env.mount_drago.census\n"
        "assert 'drago_env.mount_drago.statistics' not in sys.modules\n"
        "from drago_env.mount_drago.census import last_dragon\n"
        "assert 'drago_env.mount_drago.statistics' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_an_old_command_runs_the_new_one() -> None:
    command = [sys.executable, "-m", "agents.tune", "--help"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert "usage: python -m agents.mount_drago.tune" in done.stdout
    assert "agents.tune is now agents.mount_drago.tune" in done.stderr


# ---------------------------------------------------------------- other forms of a call


def recorded() -> dict[str, Any]:
    return play(MountDrago(), ["uniform", "uniform"], [3], records=True).records[0]


def test_a_record_is_shown_as_before(tmp_path: Path) -> None:
    one = recorded()
    defined, _ = said_by("from drago_env.mount_drago.page import gif, html")
    assert defined["html"](one, "title", 1) == page.html(record.pictures(one, 1), "title")
    defined["gif"](one, tmp_path / "old.gif", 300, 0)
    page.gif(record.pictures(one, 0), tmp_path / "new.gif", 300)
    assert (tmp_path / "old.gif").read_bytes() == (tmp_path / "new.gif").read_bytes()


def test_weights_have_their_old_names_too() -> None:
    defined, _ = said_by("from agents.weights import array")
    for old, new in (("outlook", "win_chance"), ("light", "light"), ("greedy", "greedy")):
        assert np.array_equal(defined["array"](old), planning.weights(new))


def test_names_of_riders_are_taken_by_the_old_word() -> None:
    game, called = MountDrago(), ["Ann", "Bob"]
    start, none = game.new(1), np.zeros(0, np.int64)
    known = game.record(start, none, names=called)
    with pytest.warns(DeprecationWarning, match="riders=.* is now names="):
        assert game.record(start, none, riders=called) == known
    with pytest.warns(DeprecationWarning, match="riders=.* is now names="):
        assert record.record(game, start, none, riders=called) == known  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="riders=.* is now names="):
        assert str(game.draw(start, riders=called)) == str(game.draw(start, names=called))


def test_a_search_is_asked_by_its_old_words() -> None:
    game = MountDrago()
    state, plan = game.new(1), Plan("flat", 8, 2, 0.0, 1.0, 0.5, False, False)
    light, chances = planning.weights("light"), planning.weights("win_chance")
    known = planning.search(game, state, 5, plan, light, chances)
    with pytest.warns(DeprecationWarning, match="outlook=.* is now win_chance="):
        found = planning.search(game, state, 5, plan, light, outlook=chances)  # type: ignore[call-arg]
    assert np.array_equal(found.values, known.values)
    with pytest.raises(TypeError, match="start="):
        planning.search(game, state, 5, plan, light, chances, priors=None)  # type: ignore[call-arg]
    seeds = np.zeros(1, np.uint64)
    with pytest.warns(DeprecationWarning, match=r"Search.think is now Search.search"):
        thought = Search(playouts=8).think(game, state, seeds)
    assert np.array_equal(thought.values, Search(playouts=8).search(game, state, seeds).values)


def test_a_game_has_its_old_properties_and_methods() -> None:
    game = MountDrago()
    with pytest.warns(DeprecationWarning, match="has_score is now has_points"):
        assert game.spec.has_score
    state, actions = game.new(1), np.zeros(1, np.int64)
    turn = game.look(state)
    actions[0] = turn.legal.actions[0, 0]
    with pytest.warns(DeprecationWarning, match=r"bound_turn is now MountDrago.single"):
        advance = game.bound_turn(state, actions, turn)
    other = game.new(1)
    game.turn(other, actions, game.look(other))
    advance()
    assert (state == other).all()
    storage.check(game, state)
    with pytest.warns(DeprecationWarning, match=r"window is now drago_env.pictures.window.Window"):
        window = game.window(fps=4)
    assert (window.title, window.fps) == ("Mount Drago", 4)


def test_the_advice_of_guided_is_trusted_by_the_old_word() -> None:
    with pytest.warns(DeprecationWarning, match="Guided.trust=. is now prior_weight="):
        assert resolve("guided:trust=0.25") == resolve("guided:prior_weight=0.25")


GAME = MountDrago()
REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = [
    (Search, (), {"sharpness": 0.5}, "prior_temperature=, the inverse"),
    (GameAEC, (GAME, 2, "rider"), {}, r"GameAEC\(game, \.\.\.\)"),
    (GameAEC, (GAME,), {"players": 2, "prefix": "rider"}, r"GameAEC\(game, \.\.\.\)"),
    (LearnerEnv, (GAME, 2), {}, r"LearnerEnv\(game, \.\.\.\)"),
    (LearnerEnv, (GAME,), {"players": 2}, r"LearnerEnv\(game, \.\.\.\)"),
    (LearnerBatch, (GAME, 4, 2), {}, r"LearnerBatch\(game, num_envs, \.\.\.\)"),
    (LearnerVectorEnv, (GAME, 4, 2), {}, r"LearnerVectorEnv\(game, num_envs, \.\.\.\)"),
    (LearnerVecEnv, (GAME, 4, 2), {}, r"LearnerVecEnv\(game, num_envs, \.\.\.\)"),
    (seating.Config, (["uniform"], 3), {}, r"Config\(agents, game='mount_drago:players=2'"),
    (seating.Config, (["uniform"],), {"players": 3}, r"Config\(agents, game="),
    (seating.Config, (["uniform"],), {"edition": "italian"}, r"Config\(agents, game="),
    (
        evaluate,
        ("uniform", ["greedy"], [2], "german", 9),
        {"seed": 3},
        r"evaluate\(.*spec for each game",
    ),
    (
        evaluate,
        ("uniform", ["greedy"]),
        {"players": [2], "edition": "german"},
        r"evaluate\(.*spec for each game",
    ),
]


@pytest.mark.parametrize(("call", "given", "words", "now"), REFUSED)
def test_an_old_form_is_refused_with_the_new_one(
    call: Callable[..., Any], given: tuple[Any, ...], words: dict[str, Any], now: str
) -> None:
    with pytest.raises(TypeError, match=f"since version 0.2 it is {now}"):
        call(*given, **words)


def test_other_faults_of_a_call_are_told_as_they_are() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'sead'"):
        LearnerEnv(GAME, sead=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="render_mode must be"):
        GameAEC(GAME, "paper")
    assert raw_env(players=3).possible_agents == ["rider_0", "rider_1", "rider_2"]
