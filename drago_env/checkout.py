"""What belongs to a checkout of the repository, and files of others that bear the same names."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# what installs each of the checkout's packages, in its folder
INSTALL = {"agents": 'pip install -e ".[agents]"', "train": 'pip install -e ".[train]"'}


def stranger(package: str) -> str | None:
    """The file or folder that Python finds by a package's name, if it is not the checkout's own."""
    try:
        spec = find_spec(package)
    except ValueError:  # a module that was made by hand
        return None
    if spec is None:
        return None
    if not spec.has_location or spec.origin is None:  # a folder without __init__.py
        return next(iter(spec.submodule_search_locations or ()), package)
    return None if _own(Path(spec.origin)) else spec.origin


@cache
def _own(file: Path) -> bool:
    """Whether a package stands beside this project's pyproject.toml."""
    project = file.parent.parent / "pyproject.toml"
    return (
        file.name == "__init__.py"
        and project.is_file()
        and 'name = "drago-env"' in project.read_text(encoding="utf-8")
    )


def hidden_by(package: str) -> str:
    """What to do about a stranger, in a sentence; nothing if there is none."""
    found = stranger(package)
    if found is None:
        return ""
    return (
        f"Python finds {found} by the name {package!r}, which hides drago-env's own {package}: "
        "rename that file, or start in another folder"
    )


def check_installed(package: str, *libraries: str, always: bool = False) -> None:
    """Ends a command of this package (`python -m package...`) that lacks a library, in a sentence.

    With `always` an import that is no command is refused as well.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if not missing:
        return
    why = f"{package} needs {', '.join(missing)}: in the checkout, say {INSTALL[package]}"
    if sys.argv[:1] == ["-m"]:  # which Python says while it looks for the command's module
        sys.exit(f"error: {why}")
    if always:
        raise ImportError(why)


def load(module: str, wish: str) -> Any:
    """A module of the checkout; if it is not there, an ImportError says why and what to do."""
    package = module.partition(".")[0]
    if why := hidden_by(package):
        raise ImportError(f"{wish} cannot start: {why}")
    if package not in sys.modules and find_spec(package) is None:
        raise ImportError(
            f"{wish} belongs to a checkout of the repository: there, say {INSTALL[package]}"
        )
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in INSTALL:
            raise
        raise ImportError(
            f"{wish} needs {error.name}: in the checkout, say {INSTALL[package]}"
        ) from error
