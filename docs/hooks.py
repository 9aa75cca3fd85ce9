"""Hooks of the site: what pages link to outside docs/ comes with it, notebooks as pages.

On the repository's own pages links are paths between files; the site has the same files with
docs/ as its root. So every link is read as a path of the repository and written as one of the site.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")  # the path of a link to a file
CODE = re.compile(r"```.*?```", re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the files outside docs/ that pages link to, and those that they link to in turn."""
    waiting = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        here = waiting.pop()
        text = read(here) if here.endswith((".md", ".ipynb")) else ""
        for link in LINK.findall(CODE.sub("", text)):
            path = join(here, link)
            if path not in seen and not path.startswith("docs/") and (ROOT / path).is_file():
                seen.add(path)
                waiting.append(path)
                files.append(carried(path, config))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links between files of the repository into links between pages of the site."""
    here = page.file.src_uri
    source = getattr(page.file, "repository_path", f"docs/{here}")
    parts = re.split(f"({CODE.pattern})", markdown, flags=re.DOTALL)
    for index in range(0, len(parts), 2):
        parts[index] = LINK.sub(lambda m: moved(join(source, m[1]), here), parts[index])
    return "".join(parts)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Takes what searches from the disk out of the site itself: no page asks another host."""
    script = posixpath.relpath("disk-search.js", posixpath.dirname(page.url) or ".")
    return output.replace("https://unpkg.com/iframe-worker/shim", script)


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page of a missing page."""
    return output.replace("https://unpkg.com/iframe-worker/shim", "/disk-search.js")


def join(source: str, link: str) -> str:
    """The path in the repository to which a link of a file there leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def moved(path: str, here: str) -> str:
    """The way from a page of the site to where a file of the repository stands in it."""
    return posixpath.relpath(place(path), posixpath.dirname(here) or ".")


def place(path: str) -> str:
    """Where a file of the repository stands in the site."""
    return re.sub(r"\.ipynb$", ".md", path.removeprefix("docs/"))


def carried(path: str, config: MkDocsConfig) -> File:
    """A file of the repository as one of the site, that knows where it comes from."""
    text = path.endswith((".md", ".ipynb"))
    content: Any = read(path) if text else (ROOT / path).read_bytes()
    file = File.generated(config, place(path), content=content)
    file.repository_path = path  # type: ignore[attr-defined]
    return file


def read(path: str) -> str:
    """A page of the repository as Markdown."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return notebook(json.loads(text)) if path.endswith(".ipynb") else text


def notebook(made: dict[str, Any]) -> str:
    """A notebook as Markdown: its texts, its code, and what the code showed."""
    parts = []
    for cell in made["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [shown(output) for output in cell.get("outputs", [])]
    return "\n\n".join(parts) + "\n"


def shown(output: dict[str, Any]) -> str:
    """What an output of a cell looks like."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "image/png" in data:
        return f'<img alt="plot" src="data:image/png;base64,{data["image/png"].strip()}">'
    if "image/svg+xml" in data:
        return f"<div>\n{data['image/svg+xml']}\n</div>"
    if "text/html" in data:
        return re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.DOTALL)
    return f"```text\n{''.join(output.get('text', data.get('text/plain', '')))}\n```"
