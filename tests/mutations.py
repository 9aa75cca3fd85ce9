"""Ways to damage a file: blindly, and with an eye on what it is made of."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

DEEP = "[" * 100_000
STRANGE: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 255, 65_536, 10**6, 10**9, 2**63, 10**30, -(10**30)),
    *(0.5, 1e308, float("nan"), float("inf"), "", "x", "\ud800", "\0", "../../etc", "7" * 300),
    *([], {}, [[]], [None], {"": None}, [0] * 1000),
)


def mutated(data: bytes, suffix: str, rng: Random) -> bytes:
    """The bytes of a file with this suffix, damaged in one of many ways."""
    inner = {".json": _json, ".jsonl": _json_lines, ".npz": _arrays, ".safetensors": _tensors}
    ways: list[Callable[[bytes, Random], bytes]] = [*_BLIND]
    if suffix in inner:
        ways += [inner[suffix]] * len(ways)
    elif suffix != "":
        ways += [_number] * len(ways)
    return rng.choice(ways)(data, rng)


# ---------------------------------------------------------------- blindly


def _cut(data: bytes, rng: Random) -> tuple[bytes, bytes, bytes]:
    first, last = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    last = min(last, first + rng.choice((1, 4, 100, 10**6)))
    return data[:first], data[first:last], data[last:]


def _flip(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _truncate(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _remove(data: bytes, rng: Random) -> bytes:
    before, _, after = _cut(data, rng)
    return before + after


def _repeat(data: bytes, rng: Random) -> bytes:
    before, part, after = _cut(data, rng)
    return before + part * rng.choice((2, 3, 10)) + after


def _insert(data: bytes, rng: Random) -> bytes:
    before, _, after = _cut(data, rng)
    return before + rng.randbytes(rng.choice((1, 8, 100))) + after


def _number(data: bytes, rng: Random) -> bytes:
    """Another number in the place of one."""
    found = list(re.finditer(rb"-?\d+", data))
    if not found:
        return _insert(data, rng)
    at = rng.choice(found)
    return (
        data[: at.start()] + str(rng.choice(STRANGE)).encode("utf-8", "replace") + data[at.end() :]
    )


def _other(data: bytes, rng: Random) -> bytes:
    """Something else altogether."""
    return rng.choice(
        (b"", b"\0" * 1000, rng.randbytes(1000), DEEP.encode(), b"{}", b"[]", b"null")
    )


_BLIND = (_flip, _truncate, _remove, _repeat, _insert, _number, _other)


# ---------------------------------------------------------------- JSON


def _json(data: bytes, rng: Random) -> bytes:
    return dumped(changed(json.loads(data), rng)).encode()


def _json_lines(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines()
    at = rng.randrange(len(lines))
    lines[at] = _json(lines[at], rng)
    return b"\n".join(lines) + b"\n"


class _Deep:
    """Stands for JSON that is nested too deeply to be made."""


def dumped(value: Any) -> str:
    text = json.dumps(value, default=lambda deep: "deep nest")
    return text.replace('"deep nest"', DEEP + "]" * len(DEEP))


def changed(value: Any, rng: Random) -> Any:
    """The same with one of its parts changed; all depths are equally likely to be met."""
    inner = value and isinstance(value, dict | list)
    if not inner or rng.random() < 0.1:
        return _Deep() if rng.random() < 0.05 else rng.choice(STRANGE)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key, out = rng.choice(keys), value.copy()
    way = rng.random()
    if way < 0.1:
        del out[key]
    elif way < 0.15 and isinstance(out, list):
        out += out[: rng.choice((1, 100))]
    elif way < 0.2:
        other = rng.choice(keys)
        out[key], out[other] = out[other], out[key]
    else:
        out[key] = changed(out[key], rng)
    return out


# ---------------------------------------------------------------- arrays


def _arrays(data: bytes, rng: Random) -> bytes:
    """An archive of arrays one of which is another, with sound checksums."""
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name] for name in file.files}
    name = rng.choice(list(arrays))
    arrays[name] = _array(arrays[name], rng)
    if rng.random() < 0.05:
        del arrays[name]
    out = io.BytesIO()
    if rng.random() < 0.05:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{name}.npy", np.lib.format.magic(1, 0) + b"\0" * 200_000_000)
        return out.getvalue()
    np.savez(out, **arrays)
    return out.getvalue()


def _array(array: Any, rng: Random) -> Any:
    if array.dtype.kind == "U" and array.shape == ():
        try:
            return np.array(dumped(changed(json.loads(str(array)), rng)))
        except ValueError:
            return np.array(str(array)[::-1])
    way = rng.randrange(8) if array.size else 1
    if way == 0:
        return array[..., :0] if array.ndim else np.zeros(0)
    if way == 1:
        return np.array(rng.choice((3, "x", 0.5)))
    if way == 2 and array.ndim:
        return np.concatenate([array, array])
    if way == 3:
        return np.full(array.size, rng.choice((-1, 0, 2**62)))
    return np.frombuffer(_flip(array.tobytes(), rng) or b"", array.dtype).reshape(array.shape)


def _tensors(data: bytes, rng: Random) -> bytes:
    """A file of tensors that says something else of itself, with the right length in front."""
    size = int.from_bytes(data[:8], "little")
    head, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    about = head.get("__metadata__", {}).get("about")
    if about and rng.random() < 0.6:
        head["__metadata__"]["about"] = dumped(changed(json.loads(about), rng))
    elif rng.random() < 0.5:
        at = rng.randrange(len(body) - 4) & ~3
        word = rng.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f", rng.randbytes(4)))
        body = body[:at] + word + body[at + 4 :]
    else:
        head = changed(head, rng)
    text = dumped(head).encode()
    return len(text).to_bytes(8, "little") + text + body
