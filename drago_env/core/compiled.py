"""Compiled functions: kept on disk, and compiled anew when anything that they are made of changes.

numba's own cache looks at the file of a function alone. Here the stamp of a module is a hash of
its file and of the stamps of the modules that it imports from its own package or from this one,
so that helpers and constants may stand in files of their own; and this file is among them, for
its options. Kernel files import at their top.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from numba import njit

try:
    from numba.core.caching import FunctionCache as _Base
except ImportError:  # another numba: nothing is kept on disk
    _Base = object  # type: ignore[assignment,misc,unused-ignore]

Function = Callable[..., Any]
PACKAGE = __name__.partition(".")[0]
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}
_OPTIONS["no_cfunc_wrapper"] = True  # nobody calls kernels from C: a quarter less to compile
_HELPER: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True}
_taken: set[tuple[str, str]] = set()  # function and game of every `compiled_for`


def inlined(function: Function) -> Any:
    """A helper that becomes part of each function that calls it.

    Nothing is compiled for calls from Python, a fifth of the time: there it has its `py_func`.
    """
    helper: Any = njit(**_OPTIONS, **_HELPER)(function)

    def refuse(*arguments: Any, **words: Any) -> None:
        raise TypeError(f"{function.__qualname__} is a part of kernels: call its py_func")

    if hasattr(helper, "overloads"):  # else there is no compiler, and it is the function itself
        # numba would jump to an entry point that is not there
        helper.add_overload = lambda made: helper.overloads.update({made.signature.args: made})
        helper._compile_for_args = refuse
    return helper


def compiled(function: Function) -> Any:
    """A kernel: compiled when it is first called, and kept on disk where that can be written."""
    return _kept(function, stamp(function.__module__))


def compiled_for(module: str) -> Callable[[Function], Any]:
    """The same for a function of general code that is closed over the functions of a game.

    `module` is the one in which the game hands its functions over.
    """

    def decorate(function: Function) -> Any:
        name = f"{function.__module__}.{function.__name__}", module
        if name in _taken and module in sys.modules and module != "__main__":
            raise ValueError(f"{name[0]} is compiled for {module} already: hand it over once")
        _taken.add(name)
        function.__qualname__ = f"{module}.{function.__name__}"  # games keep apart on disk
        stamps = stamp(function.__module__), stamp(module)
        return _kept(function, None if None in stamps else " ".join(map(str, stamps)))

    return decorate


def _kept(function: Function, fingerprint: str | None) -> Any:
    dispatcher = njit(**_OPTIONS)(function)
    if fingerprint and hasattr(dispatcher, "_cache"):
        # no folder can be written, or another numba: what is compiled stays in memory
        with suppress(RuntimeError, AttributeError, TypeError):
            dispatcher._cache = _Cache(function, fingerprint)
    return dispatcher


class _Cache(_Base):  # type: ignore[misc,valid-type,unused-ignore]  # numba carries no types
    """numba's cache of a function, with a stamp of our own.

    The key leaves the contents of closures out: functions among them have another number in
    every process. What they are made of is in the stamp.
    """

    def __init__(self, function: Function, fingerprint: str) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call,unused-ignore]
        self._cache_file._source_stamp = fingerprint

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept on disk; None, after a word about it, if it must be compiled."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call,misc,unused-ignore]
        if found is None:
            _announce()
        return found


@cache
def _announce() -> None:
    """Once in a process: the first call of all takes so long that people wonder."""
    print(
        f"{PACKAGE}: compiling for this machine, once; it can take a minute",
        file=sys.stderr,
        flush=True,
    )


@cache
def stamp(module: str) -> str | None:
    """A hash of a module's file and of all files that it is made of; None without a file."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        return None
    source = Path(path).read_bytes()
    parts = [stamp(name) or name for name in sorted(set(_imports(module, source)))]
    return hashlib.sha256(b"\n".join([source, *map(str.encode, parts)])).hexdigest()


def _imports(module: str, source: bytes) -> Iterator[str]:
    """The modules that a file imports at its top, of its own package and of this one."""
    ours = (PACKAGE, module.partition(".")[0])
    package = getattr(sys.modules[module], "__package__", None) or ""
    for node in ast.parse(source).body:
        names = []
        if isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            names = [name if name in sys.modules else origin for name in inside]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from (n for n in names if n.partition(".")[0] in ours and n != module)
