"""Imports point one way, and general code names no game."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from drago_env.games import BUILT_IN, make

ROOT = Path(__file__).parent.parent
FOLDERS = ("drago_env", "agents", "train")
GENERAL = ("drago_env.game", "drago_env.specs", "drago_env.moved", "drago_env.core")
# What each part may import of the checkout; the first prefix that fits a module holds.
MAY_IMPORT = {
    "drago_env.games": ("drago_env.game", "drago_env.specs"),
    "drago_env.specs": (),
    "drago_env.moved": (),
    "drago_env.checkout": (),
    "drago_env.game": ("drago_env.moved",),
    "drago_env.testing": GENERAL,
    "drago_env.core": GENERAL,
    "drago_env.pictures": (*GENERAL, "drago_env.pictures"),
    "drago_env.wrappers.makers": (*GENERAL, "drago_env.games", "drago_env.wrappers"),
    "drago_env.wrappers.openspiel": (*GENERAL, "drago_env.games"),
    "drago_env.wrappers": (
        *GENERAL,
        *("drago_env.policy", "drago_env.thumbs"),
        "drago_env.pictures",
        "drago_env.wrappers",
    ),
    "drago_env": (
        *GENERAL,
        *("drago_env.games", "drago_env.policy", "drago_env.play", "drago_env.pictures"),
        "drago_env.checkout",
        "drago_env.wrappers",
    ),
}
# Imports inside a function that may point back: what people look at is loaded when asked for.
LATE = ("record", "planning", "soundness", "table", "terminal", "visible", "scene")


def owner(module: str) -> str | None:
    """The game whose own module this is."""
    for game in BUILT_IN:
        if module.split(".")[1:2] == [game] or module == f"drago_env.{game}_v0":
            return game
    return None


@cache
def sources() -> dict[str, Path]:
    """The modules of the checkout by name."""
    found = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str) -> set[str]:
    """Every module that a source text names in an import, wherever it stands."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "imports are absolute"
            assert not node.level, "imports are absolute"
            for alias in node.names:  # `from package import module` names the module, if it is one
                whole = f"{node.module}.{alias.name}"
                names.add(whole if whole in sources() else node.module)
    return names


@cache
def imports() -> dict[str, set[str]]:
    return {name: imported(path.read_text(encoding="utf-8")) for name, path in sources().items()}


def late(module: str, name: str) -> bool:
    """Whether a game's rule book loads this part of the game when it is asked for."""
    game = owner(module)
    book = game and module in (f"drago_env.{game}", f"drago_env.{game}.game")
    return bool(book) and owner(name) == game and name.rpartition(".")[2] in (*LATE, "game")


def test_the_reader_of_imports_reads_them_all() -> None:
    source = "import a.b\ndef f():\n    from drago_env import game, Game"
    assert imported(source) == {"a.b", "drago_env.game", "drago_env"}
    assert "drago_env.core.compiled" in imports()["drago_env.core.chance"]


def test_imports_make_no_circle() -> None:
    own = sources().keys()
    graph = {
        module: {name for name in names & own if not late(module, name)}
        for module, names in imports().items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_each_part_imports_what_it_may() -> None:
    for module, names in imports().items():
        part = next((p for p in MAY_IMPORT if f"{module}.".startswith(f"{p}.")), None)
        if part is None or owner(module) or module == "drago_env":
            continue
        for name in names & sources().keys():
            allowed = [a for a in MAY_IMPORT[part] if f"{name}.".startswith(f"{a}.")]
            assert allowed or name.startswith(f"{module}."), f"{module} imports {name}"


def test_a_game_imports_no_other_game_and_general_code_none() -> None:
    for module, names in imports().items():
        for name in names:
            game = owner(name)
            assert game is None or owner(module) == game, f"{module} imports {name}"


def test_the_environment_knows_nothing_of_the_laboratory() -> None:
    for module, names in imports().items():
        if module.split(".")[0] == "drago_env":
            assert not {name.split(".")[0] for name in names} & {
                *("agents", "train", "tests", "benchmarks", "notebooks"),
            }, module


@pytest.mark.parametrize("game", BUILT_IN)
def test_kernels_import_nothing_but_numpy_and_what_they_are_made_of(game: str) -> None:
    made_of = ("drago_env.core.", f"drago_env.{game}.")
    for module, names in imports().items():
        if module.startswith(f"drago_env.{game}.kernel."):
            for name in names - {"numpy", "typing", "__future__"}:
                assert name.startswith(made_of), f"{module} imports {name}"


# ---------------------------------------------------------------- words

# The table of games is the one place that names them; the default game's old options have one, too.
SPEAK_OF_GAMES = ("drago_env/games.py", "agents/shorthand.py")
TITLES = ("mount.?drago", "dragon.?delta", "rupe(.?dei.?draghi)?")  # as names, classes and titles
WORDS = re.compile(
    r"(?<![a-z])(riders?|dragons?|editions?|planks?|islets?|villages?|strongholds?|"
    rf"princess(es)?|rainbows?|knights?|summit|{'|'.join(TITLES)})(?![a-z])",
    re.IGNORECASE,
)


def general_files() -> list[Path]:
    """What is no game's own: Python, and what the page is made of."""
    found = []
    for folder in (*FOLDERS, "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            own = {*path.parts, path.stem.removesuffix("_v0")}
            games = own & {*BUILT_IN}
            if path.suffix in (".py", ".js", ".html", ".css", ".toml") and not games:
                found += [path] if name not in SPEAK_OF_GAMES else []
    return found


def test_the_words_of_games_are_found_as_they_are_written() -> None:
    for name in BUILT_IN:
        title = make(name).spec.title
        for text in (name, f"{name}_v0", name.title().replace("_", ""), title, title.upper()):
            assert WORDS.search(text), text
    for text in ("Riders", "_Editions", "dragon_1", "the summit"):
        assert WORDS.search(text), text
    for text in ("drago_env", "interrupted", "overrides", "provider"):
        assert not WORDS.search(text), text


def test_general_code_says_no_word_of_a_game() -> None:
    said = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in general_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if (word := WORDS.search(line)) and not _shorthand(path, word[0])
    ]
    assert said == []


def _shorthand(path: Path, word: str) -> bool:
    """Commands that had the option `--edition` keep it, for the default game."""
    commands = ("arguments.py", "sb3_ppo.py", "rllib_command.py")
    old = word.lower().startswith("edition")
    return old and path.parent.name == "train" and path.name in commands


def test_no_file_is_too_long() -> None:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            lines = len(path.read_text(encoding="utf-8").split("\n"))
            assert lines <= 451, f"{path.relative_to(ROOT)} has {lines} lines"


COMPILES = {"compiled", "compiled_for", "inlined", "made"}


def decorator(node: ast.expr) -> str:
    """The name of a decorator, be it called or not."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.id if isinstance(called, ast.Name) else ""


def parameters(node: ast.FunctionDef) -> int:
    """How many parameters a function has, of every kind."""
    given = node.args
    stars = [star for star in (given.vararg, given.kwarg) if star]
    return len([*given.posonlyargs, *given.args, *given.kwonlyargs, *stars])


def test_every_parameter_of_a_compiled_function_is_counted() -> None:
    source = "@compiled_for(module)\ndef f(a, /, b, *more, c=1, **words): ..."
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    assert decorator(node.decorator_list[0]) in COMPILES
    assert parameters(node) == 5
    used = {
        decorator(found)
        for path in sources().values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        for found in node.decorator_list
    }
    assert used >= COMPILES  # each is the name of one that is there


def test_no_compiled_function_has_too_many_parameters() -> None:
    for name, path in sources().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            if {*map(decorator, node.decorator_list)} & COMPILES:
                assert parameters(node) <= 10, f"{name}.{node.name}"
