"""The documentation says what the code does."""

import re
from pathlib import Path

import pytest

from tests import docs

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


EXAMPLES = [
    pytest.param(code, id=f"{page}-{number}")
    for page in ("README.md", "docs/environments.md")
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", read(page), re.DOTALL))
]


def test_generated_tables_are_fresh() -> None:
    assert docs.page() == docs.PAGE.read_text(encoding="utf-8"), "run python -m tests.docs"


def test_picture_is_fresh() -> None:
    assert docs.picture() == docs.PICTURE.read_text(encoding="utf-8"), "run python -m tests.docs"


@pytest.mark.parametrize("code", EXAMPLES)
def test_examples_run_as_they_stand(code: str) -> None:
    exec(compile(code, "example", "exec"), {"__name__": "example"})
    assert "import" in code


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", read(page)):
        assert ((ROOT / page).parent / link).exists(), f"{page} links to {link}"


@pytest.mark.parametrize("page", PAGES)
def test_links_name_headings_that_exist(page: str) -> None:
    for file, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", read(page)):
        target = (ROOT / page).parent / file if file else ROOT / page
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        slugs = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings]
        assert anchor in slugs, f"{page} links to {file}#{anchor}"
