"""The documentation says what the code does, and its site is whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import drago_env
from tests import docs

ROOT = docs.ROOT
PAGES = [
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *(page.relative_to(ROOT).as_posix() for page in sorted(docs.DOCS.rglob("*.md"))),
]
# pages whose Python examples run as they stand
RUN = ["README.md", "docs/environments.md", "docs/pettingzoo.md", "docs/gymnasium.md"]
RUN += ["docs/gymnasium-vector.md", "docs/selfplay.md", "docs/stable-baselines3.md"]
RUN += ["docs/add-an-agent.md", "docs/environments-dragon-delta.md"]
RUN += ["docs/environments-rupe-dei-draghi.md", "docs/offline.md", "docs/language-models.md"]
RUN += ["docs/openspiel.md", "docs/use-with.md"]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


EXAMPLES = [
    pytest.param(code, id=f"{page}-{number}")
    for page in RUN
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", read(page), re.DOTALL))
]


@pytest.mark.parametrize("path", docs.pages(), ids=lambda path: path.stem)
def test_generated_tables_are_fresh(path: Path) -> None:
    assert docs.page(path) == path.read_text(encoding="utf-8"), "run python -m tests.docs"


def test_every_table_has_a_place() -> None:
    named = [name for path in docs.pages() for _, name, _ in docs.BLOCK.findall(docs.page(path))]
    assert sorted(named) == sorted(docs.TABLES)


def test_picture_is_fresh() -> None:
    assert docs.picture() == docs.PICTURE.read_text(encoding="utf-8"), "run python -m tests.docs"


@pytest.mark.parametrize("code", EXAMPLES)
def test_examples_run_as_they_stand(code: str) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(code, "example", "exec"), names)
    assert "import" in code
    agents = [made for made in names.values() if isinstance(made, type) and hasattr(made, "act")]
    for agent in agents:  # a page about agents shows classes: they play
        drago_env.play(drago_env.MountDrago(), [agent(), "uniform"], seeds=range(3))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", read(page)):
        assert ((ROOT / page).parent / link).exists(), f"{page} links to {link}"


@pytest.mark.parametrize("page", PAGES)
def test_links_name_headings_that_exist(page: str) -> None:
    for file, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", read(page)):
        target = (ROOT / page).parent / file if file else ROOT / page
        if target.parent.name != "api":  # headings of the reference are made with the site
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings]
            assert anchor in slugs, f"{page} links to {file}#{anchor}"


# ---------------------------------------------------------------- the site


class Loads(HTMLParser):
    """What a page loads when it is opened, and the names that it can be linked by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        words = {name: value or "" for name, value in attrs}
        self.ids.add(words.get("id", ""))
        followed = tag == "a" or words.get("rel") in ("canonical", "next", "prev")
        if not followed:
            self.loads += [words[name] for name in ("src", "href", "data") if name in words]


def test_the_site_is_whole_and_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    """A broken link, a wrong anchor or a page without a place in the menu is an error."""
    # not --quiet: it silences the warnings that --strict counts
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {path: Loads(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")}
    foreign = re.compile(r"\s*(\w+:)?//")
    assert not [load for page in pages.values() for load in page.loads if foreign.match(load)]
    for sheet in tmp_path.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", text), sheet
    assert (tmp_path / "notebooks" / "4-the-game.html") in pages
    for path in (tmp_path / "index.html", tmp_path / "api" / "game.html"):  # searched from the disk
        scripts = [path.parent / load for load in pages[path].loads if "disk-search" in load]
        assert [script.resolve() for script in scripts] == [tmp_path / "disk-search.js"]
    _check_reference(set().union(*(page.ids for page in pages.values())))


def _check_reference(ids: set[str]) -> None:
    """Every name that users import has its entry."""
    for name in drago_env.__all__:
        made = getattr(drago_env, name)
        where = getattr(made, "__module__", None)
        full = f"{where}.{name}" if where else getattr(made, "__name__", "")
        assert name == "__version__" or full in ids, f"{full} is not in the reference"
