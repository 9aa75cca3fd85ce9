"""The folder of an arena: what is finished stays, whatever happens to the run.

    config.json       what was asked for
    parts/            finished stretches of deals, while the arena runs
    results.parquet   or results.csv: a row for each game and seat
    records.jsonl     the games, if asked for
    times.json        how long the agents thought
    checksums.json    of the three before it: what was changed is refused
    report.md, report.svg

Every file but the report is there as a whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import drago_env
from agents.seating import Chunk, Columns, Config, split
from drago_env.core.files import read_arrays, read_json, reading, replacing, write
from drago_env.core.records import line

VERSION = 3  # 1, of drago-env 0.1, knew one game; 2 had no checksums
FORMATS = ("parquet", "csv")


def settings(config: Config, format: str, records: bool) -> dict[str, Any]:
    """What must be the same for results that stand in one folder; only games may grow."""
    if format not in FORMATS:
        raise ValueError(f"format must be {' or '.join(FORMATS)}, not {format!r}")
    game = config.rule_book.spec.name
    weights = {
        name: policy.digest(game)
        for name, policy in zip(config.names, config.policies(), strict=True)
        if hasattr(policy, "digest")
    }
    return {
        "version": VERSION,
        "package": drago_env.__version__,
        "game": config.game,
        "rules": _rules(config),
        "players": config.players,
        "opening": config.opening,
        "agents": [agent if isinstance(agent, str) else agent.name for agent in config.agents],
        "weights": weights,  # a file may hold others by and by
        "seed": config.seed,
        "format": format,
        "records": records,
        "games": config.deals * config.players,
        **config.asked,
    }


def _rules(config: Config) -> str:
    """What tells games apart: a spec may say the same in other words, or name a changed file."""
    record = config.rule_book.record(config.rule_book.new(0), [], seed=0)
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]


class Folder:
    """A folder, new or of the same arena; anything else is refused before it is touched."""

    def __init__(self, path: str | Path, config: Config, format: str, records: bool) -> None:
        wanted = settings(config, format, records)
        self.path, self._names, self._columns = Path(path), config.names, config.columns
        self._seats, self._rows, self._keep_records = config.players, config.rows, records
        self._parts = self.path / "parts"
        self._results = self.path / f"results.{format}"
        _refuse(self.path, wanted)
        self._parts.mkdir(parents=True, exist_ok=True)
        write(self.path / "config.json", json.dumps(wanted, indent=2) + "\n")
        self._deals = config.deals
        self._merged = 0  # so many deals stand in the table already: the first ones

    def read(self) -> list[Chunk]:
        """All that is finished, each deal once; what was changed is refused."""
        chunks = []
        if self._results.exists():
            chunks.append(self._read_whole())
            self._merged = int(chunks[0].columns["deal"].max()) + 1
        for part in sorted(self._parts.glob("*.npz")):
            chunk = self._read_part(part)
            if chunk is None:  # it will be played again
                part.unlink()
            elif chunk.columns["deal"][0] >= self._merged:  # else the run ended between two steps
                chunks.append(chunk)
        return chunks

    def _read_whole(self) -> Chunk:
        """The table and the times, as their checksums have it."""
        sums = self.path / "checksums.json"
        if not sums.exists():
            raise ValueError(f"{sums} is missing, so {self._results} cannot be trusted; {_ADVICE}")
        known = read_json(sums)
        for name in self._summed:
            path = self.path / name
            with reading(sums):
                good = path.exists() and _digest(path) in known[name]
            if not good:
                raise ValueError(f"{path} was changed after the arena wrote it; {_ADVICE}")
        with reading(self.path / "times.json"):
            seconds, decisions = self._times()
        with reading(self._results):
            columns = _read_table(self._results, self._names, self._columns)
        return self._checked(self._results, Chunk(columns, seconds, decisions, []))

    @property
    def _summed(self) -> tuple[str, ...]:
        """The files whose checksums are kept."""
        return (self._results.name, "times.json", *(("records.jsonl",) * self._keep_records))

    def _read_part(self, path: Path) -> Chunk | None:
        """A finished stretch of deals; None if only a part of the file was written."""
        try:
            arrays = read_arrays(path)
        except ValueError:
            return None
        with reading(path):
            columns = {name: arrays[name] for name in self._columns}
            chunk = Chunk(columns, arrays["seconds"], arrays["decisions"], [])
            good = str(arrays["checksum"]) == _part_digest(chunk, _text(path, self._keep_records))
        if not good:
            raise ValueError(f"{path} was changed after the arena wrote it; {_ADVICE}")
        return self._checked(path, chunk)

    def _checked(self, path: Path, chunk: Chunk) -> Chunk:
        """Refuses rows that are not of this arena."""
        rows = self._seats * self._rows  # of a deal, in all rotations
        deal = chunk.columns["deal"]
        sound = len(deal) and len(deal) % rows == 0 and 0 <= deal.min() <= deal.max() < self._deals
        if not sound or any(column.shape != deal.shape for column in chunk.columns.values()):
            raise ValueError(f"{path} holds other deals than this arena has; {_ADVICE}")
        return chunk

    def add(self, chunk: Chunk) -> None:
        """Keeps a finished stretch of deals."""
        deal = chunk.columns["deal"]
        part = self._parts / f"{deal[0]:09}-{deal[-1] + 1:09}.npz"
        lines = "".join(map(line, chunk.records)) if self._keep_records else ""
        if self._keep_records:  # first, so that a part always has its records
            write(part.with_suffix(".jsonl"), lines)
        arrays: Any = {**chunk.columns, "seconds": chunk.seconds, "decisions": chunk.decisions}
        arrays["checksum"] = np.array(_part_digest(chunk, lines))
        with replacing(part) as unfinished, unfinished.open("wb") as file:
            np.savez(file, **arrays)

    def finish(self, whole: Chunk) -> None:
        """Puts everything into one table, and the records into one file."""
        times = {
            name: {"decisions": int(count), "seconds": round(float(spent), 3)}
            for name, count, spent in zip(self._names, whole.decisions, whole.seconds, strict=True)
        }
        paths = {name: self.path / name for name in self._summed}
        former = {name: _digest(path) for name, path in paths.items() if path.exists()}
        with ExitStack() as stack:
            parts = {name: stack.enter_context(replacing(path)) for name, path in paths.items()}
            if self._keep_records:
                self._join_records(parts["records.jsonl"])
            parts["times.json"].write_text(json.dumps(times, indent=2) + "\n", encoding="utf-8")
            self._write_table(parts[self._results.name], whole.columns)
            digests = {name: [_digest(part)] for name, part in parts.items()}
            # whoever is killed before all files are in place finds old ones, which count as well
            either = {name: [*digests[name], former[name]] for name in former}
            self._write_sums({**digests, **either})
        self._write_sums(digests)
        shutil.rmtree(self._parts)

    def _write_sums(self, digests: dict[str, list[str]]) -> None:
        write(self.path / "checksums.json", json.dumps(digests, indent=2) + "\n")

    def _join_records(self, unfinished: Path) -> None:
        """The records of the merged deals, which stand first, and those of the parts."""
        target, merged = self.path / "records.jsonl", self._merged
        lines: list[str] = []
        if target.exists():
            with target.open(encoding="utf-8") as file:
                lines = [line for line, _ in zip(file, range(merged * self._seats), strict=False)]
        for part in sorted(self._parts.glob("*.jsonl")):
            if int(part.stem.split("-")[0]) >= merged and part.with_suffix(".npz").exists():
                lines.append(part.read_text(encoding="utf-8"))
        unfinished.write_text("".join(lines), encoding="utf-8")

    def _write_table(self, path: Path, columns: Columns) -> None:
        import pyarrow
        from pyarrow import csv, parquet

        numbers = pyarrow.array(columns["agent"].astype(np.int32))
        named = pyarrow.DictionaryArray.from_arrays(numbers, self._names).cast(pyarrow.string())
        writes = parquet.write_table if self._results.suffix == ".parquet" else csv.write_csv
        writes(pyarrow.table({**columns, "agent": named}), path)

    def _times(self) -> Any:
        times = read_json(self.path / "times.json")
        each = [times[name] for name in self._names]
        return (np.array([t["seconds"] for t in each]), np.array([t["decisions"] for t in each]))


# ---------------------------------------------------------------- what is refused

_ADVICE = "play it anew in another folder"


def _refuse(path: Path, wanted: dict[str, Any]) -> None:
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file; --out must name a folder")
    found = _found(path)
    if found is None:
        return
    if found.get("version") != VERSION:
        raise ValueError(
            f"{path} holds an arena of drago-env {found.get('package', '?')}, in version "
            f"{found.get('version', '?')} of its format; this version reads {VERSION}: choose "
            "another folder"
        )
    if found.get("rules") == wanted["rules"]:
        found["game"] = wanted["game"]  # in other words
    moved = [_unplaced(said.get("agents"), wanted["weights"]) for said in (found, wanted)]
    if found.get("weights") == wanted["weights"] and moved[0] == moved[1]:
        found["agents"] = wanted["agents"]
    found.setdefault("weights", wanted["weights"])  # older folders do not say
    names = {**wanted, **found}
    other = [name for name in names if name != "games" and found.get(name) != wanted.get(name)]
    if other:
        told = ", ".join(
            f"{name} is {found.get(name)!r:.60} there and {wanted.get(name)!r:.60} here"
            for name in other
        )
        raise ValueError(
            f"{path} holds another arena: {told}. Choose another folder, or ask for the same"
        )
    if found["games"] > wanted["games"]:
        raise ValueError(
            f"{path} holds an arena of {found['games']} games; ask for at least as many, "
            f"not {wanted['games']}, or choose another folder"
        )


def _unplaced(agents: Any, weights: dict[str, str]) -> list[Any]:
    """Agents without the folders of the files whose weights are known: these may move."""
    return [
        re.sub(r"(?<=path=)[^,]*[/\\]", "", agent)
        if isinstance(agent, str) and weights.get(split(agent)[0])
        else agent
        for agent in (agents if isinstance(agents, list) else [])
    ]


def _found(path: Path) -> dict[str, Any] | None:
    """The settings in a folder; None if it is new or empty."""
    there = sorted(file.name for file in path.glob("*") if file.suffix != ".part")
    if not there:
        return None
    if "config.json" not in there:
        raise ValueError(
            f"{path} holds other files ({', '.join(there)[:60]}); choose a new or empty folder"
        )
    found = read_json(path / "config.json")
    if not isinstance(found, dict) or not isinstance(found.get("games"), int):
        raise ValueError(f"{path}/config.json is not that of an arena; choose another folder")
    return found


# ---------------------------------------------------------------- files


def _text(part: Path, records: bool) -> str:
    """The records beside a part, if there are any."""
    return part.with_suffix(".jsonl").read_text(encoding="utf-8") if records else ""


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _part_digest(chunk: Chunk, records: str) -> str:
    """The checksum of a stretch of deals."""
    found = hashlib.sha256(records.encode())
    for name, column in {**chunk.columns, "s": chunk.seconds, "d": chunk.decisions}.items():
        found.update(f"{name} {column.dtype.str} {column.shape} ".encode())
        found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()


def _read_table(path: Path, agents: Sequence[str], names: Sequence[str]) -> Columns:
    import pyarrow
    from pyarrow import compute, csv, parquet

    if path.suffix == ".parquet":
        table = parquet.read_table(path)
    else:
        kinds = dict.fromkeys(("win_share", "rank", "margin"), pyarrow.float64())
        options = csv.ConvertOptions(column_types={**kinds, "agent": pyarrow.string()})
        table = csv.read_csv(path, convert_options=options)
    codes = compute.index_in(table["agent"], value_set=pyarrow.array(list(agents)))
    columns = {name: table[name].to_numpy() for name in names if name != "agent"}
    return {**columns, "agent": codes.to_numpy().astype(np.int64)}
