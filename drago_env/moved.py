"""Names that have moved since version 0.1, found in their old places for one more version.

A place is `name`, or `package.module:name`; or a pair of it and what is said in its stead. A name
without a place is no more, and whoever asks for it is told what there is now.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from importlib.machinery import ModuleSpec
from inspect import signature
from types import ModuleType
from typing import Any, TypeVar

Place = str | tuple[str, str]
Modules = Mapping[str, tuple[str, Mapping[str, Place]]]  # old: new, and names that differ there
Called = TypeVar("Called", bound=Callable[..., Any])
MODULES: dict[str, tuple[str, Mapping[str, Place]]] = {}  # the old names of whole modules
NAMES: dict[str, Mapping[str, Place]] = {}  # old names in modules that are still there


def _text(old: str, new: str) -> str:
    return f"{old} is now {new}; the old name goes with the next version"


def warn(old: str, new: str) -> None:
    """Tells the caller's caller what an old name is now."""
    warnings.warn(_text(old, new), DeprecationWarning, stacklevel=3)


def moved(
    module: str, names: Mapping[str, Place], whole: str | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a module some of whose names now stand elsewhere, or its `whole`."""
    if whole is None:
        NAMES[module] = names

    def find(name: str) -> Any:
        new = whole or module
        place = names.get(name)
        if place is None:
            if not whole or name.startswith("_") or not hasattr(import_module(whole), name):
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            place = name
        place, said = (place, "") if isinstance(place, str) else place
        if not place:  # an AttributeError would lose the words where the name is imported
            raise ImportError(f"{module}.{name} is no more; there is {said}")
        where, _, attribute = place.rpartition(":")
        where = where or new
        warn(f"{module}.{name}", said or f"{where}.{attribute}")
        return getattr(import_module(where), attribute)

    return find


def moved_modules(package: str, table: Modules) -> None:
    """Lets modules of a package be imported by their old names; new ones are loaded when used."""
    MODULES.update({f"{package}.{old}": row for old, row in table.items()})


class _Moved:
    """Asked last, for modules that nobody else has found."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in MODULES:
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]  # importlib.abc is slow to import

    def create_module(self, spec: ModuleSpec) -> None:
        """A module like any other."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        new, names = MODULES[name]
        module.__getattr__ = moved(name, names, new)  # type: ignore[method-assign]
        warn(name, new)  # the frames between an import and its module are not counted

    def get_code(self, name: str) -> Any:
        """What `python -m` runs."""
        new = MODULES[name][0]
        run = f"runpy.run_module({new!r}, run_name='__main__', alter_sys=True)"
        told = f"warnings.warn({_text(name, new)!r}, DeprecationWarning)"
        return compile(f"import runpy, warnings\n{told}\n{run}", name, "exec")


sys.meta_path.append(_Moved())


# ---------------------------------------------------------------- arguments


def renamed(**old: str) -> Callable[[Called], Called]:
    """Takes arguments of a function or a class by their old names as well."""

    def wrap(called: Called, inner: Any) -> Callable[..., Any]:
        def new(*given: Any, **words: Any) -> Any:
            for word in old.keys() & words.keys():
                warn(f"{called.__qualname__}({word}=)", f"{old[word]}=")
                words[old[word]] = words.pop(word)
            return inner(*given, **words)

        return new

    return _wrapping(wrap)


def refuses(now: str, *words: str, **kinds: type) -> Callable[[Called], Called]:
    """Refuses an old form of a call by saying the new one.

    It is told by `words` that are no more, or by what stood where another argument does now.
    """

    def wrap(called: Called, inner: Any) -> Callable[..., Any]:
        places = list(signature(inner).parameters)

        def new(*given: Any, **named: Any) -> Any:
            known = {**dict(zip(places, given, strict=False)), **named}
            if known.keys() & {*words} or any(type(known.get(n)) is k for n, k in kinds.items()):
                raise TypeError(f"since version 0.2 it is {now}")
            return inner(*given, **named)

        return new

    return _wrapping(wrap)


def _wrapping(wrap: Callable[[Any, Any], Callable[..., Any]]) -> Callable[[Called], Called]:
    """A decorator that wraps functions, and of classes what makes an object."""

    def decorate(called: Called) -> Called:
        if not isinstance(called, type):
            return wraps(called)(wrap(called, called))  # type: ignore[return-value]
        inner = called.__init__  # type: ignore[misc]
        called.__init__ = wraps(inner)(wrap(called, inner))  # type: ignore[misc]
        return called

    return decorate
