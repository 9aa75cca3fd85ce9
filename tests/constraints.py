"""`make constraints`: pins every package of the environment that the checks run in."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path

FILE = Path(__file__).parents[1] / "constraints.txt"
OWN = ("drago-env", "pip", "setuptools", "uv", "wheel")  # itself, and what installs
CARDS = re.compile(r"(nvidia|cuda)-|triton$")  # what PyTorch's build for graphics cards brings
HEAD = "# The exact versions on which the checks run: `make constraints` writes them.\n"


def pins() -> dict[str, str]:
    """Every installed package by its normal name, with its version as the index has it."""
    found = {}
    for package in metadata.distributions():
        name = re.sub(r"[-_.]+", "-", package.metadata["Name"]).lower()
        if name not in OWN and not CARDS.match(name):
            found[name] = package.version.partition("+")[0]  # such as +cpu, of another host
    return found


def text() -> str:
    return HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(pins().items()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(text(), encoding="utf-8")
    else:
        print(text(), end="")
