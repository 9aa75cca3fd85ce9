"""Specs: a name with parameters, such as `search:playouts=64`, for agents and games alike."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a spec."""
    name, _, rest = spec.partition(":")
    return name, parameters(rest, spec)


def parameters(text: str, spec: str) -> dict[str, Any]:
    """`key=value,key=value` as a dict; `spec` is what an error names."""
    found: dict[str, Any] = {}
    for word in filter(None, text.split(",")):
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise ValueError(f"{spec!r}: expected parameters like key=value, found {word!r}")
        found[key] = _value(value)
    return found


def near(name: str, known: Iterable[str]) -> str:
    """`: perhaps greedy?` if a name looks like one of those that are known."""
    found = get_close_matches(name, list(known), 1)
    return f": perhaps {found[0]}?" if found else ""


def _value(text: str) -> int | float | bool | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
