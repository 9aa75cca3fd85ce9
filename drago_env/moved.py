"""Names that have moved since version 0.1, found in their old places for one more version."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def moved(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module some of whose names now stand elsewhere.

    A new place is `package.module:name`, or `package.module` for a whole module.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, _, attribute = names[name].partition(":")
        where = names[name].replace(":", ".")
        text = f"{module}.{name} is now {where}; the old name goes with the next version"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        found = import_module(place)
        return getattr(found, attribute) if attribute else found

    return find
