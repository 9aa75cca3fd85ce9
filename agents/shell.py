"""What the command lines have in common: their words as a dataclass, and the code they end with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Self, TypeVar

import tyro

from drago_env.core.files import in_words

Kind = TypeVar("Kind")
_REFUSED = (OSError, ValueError, TypeError, ImportError)


def parsed(
    kind: type[Kind], prog: str, words: Sequence[str] | None, description: str | None = None
) -> Kind:
    """The command in these words, by default those that the program was started with."""
    options = (tyro.conf.FlagCreatePairsOff,)
    return tyro.cli(kind, prog=prog, args=words, description=description, config=options)


class Shell:
    """Around a command: `code` is 0, 2 after a word about an error, 130 if it was interrupted."""

    def __init__(self, interrupted: str = "", *refused: type[Exception]) -> None:
        self.code, self.interrupted = 0, interrupted
        self._refused: tuple[type[Exception], ...] = (*_REFUSED, *refused)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, self._refused):
            self.code, told = 2, f"error: {in_words(error)}"
        elif isinstance(error, KeyboardInterrupt):
            self.code, told = 130, self.interrupted
        else:
            return False
        if told:
            print(told, file=sys.stderr)
        return True
