"""Tables and the picture of the documentation: `python -m tests.docs` makes them from the code.

A page has a line `<!-- generated: NAME -->` where the table `NAME` stands, up to `<!-- end -->`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium import spaces
from PIL import Image

from agents import guided, neural
from agents.report import markdown_table
from drago_env import MountDrago, Rules, mount_drago_v0, observation, play, record, search
from drago_env.game import Move
from drago_env.games import BUILT_IN, make, of_record
from train import arguments
from train.evaluate import draw_curve
from train.runs import read_table

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PICTURE, CURVE = DOCS / "game.svg", DOCS / "learning-curve.svg"
BLOCK = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


# ---------------------------------------------------------------- observation and features


def slices(parts: Sequence[observation.Slice]) -> str:
    """The named parts of a vector."""
    heads = ("numbers", "name", "shape", "scale", "meaning")
    rows = []
    for part in parts:
        scale = part.scale if isinstance(part.scale, tuple) else (part.scale,)
        factors = ", ".join(dict.fromkeys(f"1/{round(1 / s)}" if s < 1 else "1" for s in scale))
        numbers = f"{part.start} to {part.stop - 1}"
        rows.append((numbers, f"`{part.name}`", str(part.shape), factors, part.meaning))
    return markdown_table(heads, rows)


# ---------------------------------------------------------------- environments


def _space(space: spaces.Space[Any]) -> str:
    """A space in words."""
    if isinstance(space, spaces.Dict):
        return "; ".join(f"`{name}`: {_space(part)}" for name, part in space.items())
    if isinstance(space, spaces.Box):
        return f"{space.dtype} {space.shape}, {space.low.min():g} to {space.high.max():g}"
    if isinstance(space, spaces.Discrete):
        return f"one of {space.n} actions"
    assert isinstance(space, spaces.MultiDiscrete)
    return f"{space.shape} of {space.nvec.max()} actions each"


def _aec(**kwargs: Any) -> tuple[Any, Any]:
    env = mount_drago_v0.raw_env(**kwargs)
    return env.observation_space("rider_0"), env.action_space("rider_0")


def _batched(make: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    def made(**kwargs: Any) -> tuple[Any, Any]:
        env = make(num_envs=8, **kwargs)
        return env.observation_space, env.action_space

    return made


def _single(**kwargs: Any) -> tuple[Any, Any]:
    env = gymnasium.make("MountDrago-v0", **kwargs)
    return env.observation_space, env.action_space


FEATURES, FLAT, DICT = {"action_features": True}, {"flat": True}, {"flat": False}
LONG, THUMBS = {"flat": "features"}, {"flat": "thumbs"}
ENVIRONMENTS: dict[str, tuple[Callable[..., tuple[Any, Any]], list[dict[str, Any]]]] = {
    "pettingzoo": (_aec, [{}, FEATURES]),
    "gymnasium": (_single, [{}, FLAT, LONG, THUMBS, FEATURES]),
    "vector": (_batched(mount_drago_v0.vector_env), [{}, FLAT, LONG, THUMBS, FEATURES]),
    "selfplay": (_batched(mount_drago_v0.selfplay_env), [{}, FEATURES]),
    "sb3": (_batched(mount_drago_v0.sb3_env), [{}, LONG, THUMBS, DICT, DICT | FEATURES]),
}


def environment(name: str) -> str:
    """The spaces of an environment, as it is and with the options that change them."""
    make, options = ENVIRONMENTS[name]
    rows = []
    for option in options:
        seen, acts = make(**option)
        words = ", ".join(f"`{key}={value!r}`" for key, value in option.items()) or "none"
        rows.append((words, _space(seen), _space(acts)))
    return markdown_table(("option", "observation space", "action space"), rows)


def ids() -> str:
    """The registered names."""
    own = [one for one in gymnasium.registry.values() if "drago_env" in str(one.entry_point)]
    rows = [("PettingZoo", f"{name}_v0", f"drago_env.{name}_v0:env") for name in BUILT_IN]
    rows += [("Gymnasium", one.id, str(one.entry_point)) for one in own]
    rows += [("Gymnasium, batch", one.id, str(one.vector_entry_point)) for one in own]
    ticked = [(library, f"`{name}`", f"`{maker}`") for library, name, maker in rows]
    return markdown_table(("library", "id", "made by"), ticked)


# ---------------------------------------------------------------- parameters


def agent(make: Callable[..., Any]) -> str:
    """The parameters of an agent's own; what they mean stands behind them in the source."""
    source = inspect.getsource(make)
    rows = []
    for name, parameter in inspect.signature(make).parameters.items():
        if comment := re.search(rf"^    {name}: .*?  # (.+)$", source, re.MULTILINE):
            rows.append((f"`{name}`", _default(parameter.default), comment[1]))
        elif name in make.__annotations__:
            raise ValueError(f"{make.__name__} says nothing of {name}")
    return markdown_table(("parameter", "default", "meaning"), rows)


def command() -> str:
    """The arguments of `python -m train.ppo`; what they mean stands under them in the source."""
    meanings: dict[str, str] = {}
    for kind in (arguments.Hyperparameters, arguments.Arguments):
        (tree,) = ast.parse(inspect.getsource(kind)).body
        assert isinstance(tree, ast.ClassDef)
        for field, text in zip(tree.body, tree.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                meanings[ast.unparse(field.target)] = ast.literal_eval(text.value)
    rows = [
        (f"`--{one.name.replace('_', '-')}`", _default(one.default), meanings[one.name])
        for one in fields(arguments.Arguments)
    ]
    return markdown_table(("argument", "default", "meaning"), rows)


def _default(value: Any) -> str:
    if value in (None, ()):
        return ""
    words = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"`{words}`"


# ---------------------------------------------------------------- versions


NAMED = (
    *("numpy", "numba", "gymnasium", "pettingzoo"),
    *("torch", "stable-baselines3", "sb3-contrib", "ray"),
)


def versions() -> str:
    """The versions of the packages that matter, as the checks pin them."""
    pins = dict(line.split("==") for line in _lines(ROOT / "constraints.txt"))
    return markdown_table(("package", "version"), [(name, pins[name]) for name in NAMED])


def _lines(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line


# ---------------------------------------------------------------- figures of other pages


def _rows(page: str, head: str, after: str = "# ") -> list[list[str]]:
    """The rows of the first table with this head on a page, after a heading that begins so."""
    lines = iter(_read(DOCS / page).splitlines())
    while not next(lines).startswith(after):
        pass
    while not next(lines).startswith(f"| {head} |"):
        pass
    next(lines)
    rows = []
    while (line := next(lines, "")).startswith("|"):
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def duels() -> str:
    """Who beats whom, with a column for each number of players."""
    found: dict[str, list[str]] = {}
    for _, who, difference, *_ in _rows("leaderboard.md", "players | who"):
        found.setdefault(who, []).append(difference)
    heads = ("win share difference, %", "2 players", "3", "4", "5")
    return markdown_table(heads, [[who, *cells] for who, cells in found.items()])


def ratings() -> str:
    """The rating of each agent, with a column for each number of players."""
    found: dict[str, list[str]] = {}
    for players in (2, 3, 4, 5):
        for who, *_, rating, _ in _rows("leaderboard.md", "agent", f"## {players} players"):
            found.setdefault(who, []).append(rating)
    return markdown_table(
        ("rating", "2 players", "3", "4", "5"), [[who, *cells] for who, cells in found.items()]
    )


def speed() -> str:
    """The figures of the core, and how far it is ahead of others."""
    rows = _rows("speed.md", "what")
    for name, batch, _, ratio, *_ in _rows("speed.md", "environment"):
        rows.append([f"times the decisions of {name} (its batch: {batch})", ratio])
    return markdown_table(("what", "figure"), rows)


# ---------------------------------------------------------------- pages

TABLES: dict[str, Callable[[], str]] = {
    "observation version": lambda: f"The present version is {observation.VERSION}.",
    "observation": lambda: slices(observation.layout(Rules())),
    "features": lambda: slices(observation.FEATURES),
    "foresight": lambda: slices(observation.FORESIGHT),
    **{f"spaces {name}": lambda name=name: environment(name) for name in ENVIRONMENTS},  # type: ignore[misc]
    "ids": ids,
    "search": lambda: agent(search.make),
    "neural": lambda: agent(neural.make),
    "guided": lambda: agent(guided.make),
    "train.ppo": command,
    "versions": versions,
    "duels": duels,
    "ratings": ratings,
    "speed": speed,
}


def pages() -> Iterable[Path]:
    """Every page that has a generated table."""
    every = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [path for path in every if BLOCK.search(_read(path))]


def page(path: Path) -> str:
    """A page with fresh tables."""
    return BLOCK.sub(lambda m: f"{m[1]}\n{TABLES[m[2]]()}\n\n{m[3]}", _read(path))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def picture() -> str:
    """A game of three riders in the middle, as rider 1 sees it."""
    made = play(MountDrago(Rules(players=3)), ["uniform"] * 3, seeds=7).records[0]
    game, state = record.replay(made, 33)
    move = made["moves"][32]
    text = game.action_text(move["action"])
    last = Move(move["seat"], move["action"], text, move["points"])
    return str(game.draw(state, viewer=1, last=last).svg())


def moving(game: str, frames: int = 24) -> bytes:
    """A whole game between rules of thumb as a small animated GIF, in so many frames."""
    book = make(game, players=3)
    made = play(book, ["heuristic"] * 3, seeds=7).records[0]
    film = of_record(made).pictures(made)
    chosen = {round(k * (len(film.frames) - 1) / (frames - 1)) for k in range(frames)}
    pictures = [Image.fromarray(film.frames[k].picture.rgb()) for k in sorted(chosen)]
    size = (WIDTH, round(pictures[0].height * WIDTH / pictures[0].width))
    small = [picture.resize(size) for picture in pictures]
    whole = Image.new("RGB", (WIDTH, size[1] * len(small)))
    for number, one in enumerate(small):
        whole.paste(one, (0, size[1] * number))
    # one palette for all, which has every colour that there is, also that of small pieces
    palette = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE)
    small = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in small]
    file = BytesIO()
    small[0].save(file, "GIF", save_all=True, append_images=small[1:], duration=700, loop=0)
    return file.getvalue()


WIDTH = 560  # pixels of a moving picture
MOVING = {name: DOCS / f"{name.replace('_', '-')}.gif" for name in BUILT_IN}

if __name__ == "__main__":
    for path in pages():
        path.write_text(page(path), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
    draw_curve(read_table(ROOT / "notebooks" / "run" / "evaluations.csv"), CURVE)
    for name, file in MOVING.items():
        if not file.exists():  # delete one to have it made anew
            file.write_bytes(moving(name))
