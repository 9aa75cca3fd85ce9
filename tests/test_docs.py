"""The documentation says what the code does."""

import re
from pathlib import Path

import pytest

from tests import docs

ROOT = Path(__file__).parents[1]


def test_generated_tables_are_fresh() -> None:
    assert docs.page() == docs.PAGE.read_text(encoding="utf-8"), "run python -m tests.docs"


@pytest.mark.parametrize(
    "code", re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
)
def test_readme_examples_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", text):
        assert ((ROOT / page).parent / link).exists(), f"{page} links to {link}"
