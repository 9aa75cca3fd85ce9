"""The figures of `benchmarks.speed` as the page docs/speed.md."""

import platform
from typing import Any

from benchmarks import adapters
from benchmarks.speed import OTHERS, START_SECONDS, TWO_THREADS, plain_spec
from drago_env import __version__, make
from drago_env.games import DEFAULT


def markdown(figures: dict[str, Any]) -> str:
    """The whole page: the game that was asked for, and a part for each other one."""
    lines = [
        "# Speed",
        "",
        f"Printed by `{figures['command']}` on {figures['date']} ({figures['machine']}; "
        f"Python {platform.python_version()}, drago-env {__version__}). A decision is a random "
        "legal action with its mask and its float32 observation, and a new game where one has "
        f"ended; `{figures['game']}`. One pinned core, CPU time, the fastest of many slices of "
        "0.05 s, for this package and for the others alike: other work on the machine only slows "
        "slices down. A goal in brackets is what this package sets itself.",
        *_own_lines(figures),
    ]
    if "peers" in figures:
        lines += _peer_lines(figures["peers"])
    if "adapters" in figures:
        lines += adapters.markdown(figures["adapters"])
    for other in figures.get("others", []):
        game: Any = make(other["game"])
        lines += ["", f"## {game.spec.title}", "", f"`{other['game']}`, measured in the same way."]
        lines += _own_lines(other)
        if "aec" in other:
            lines += adapters.aec_lines(other["game"], other["aec"], adapters.OTHERS_WANTED)
    return "\n".join(lines) + "\n"


def _own_lines(figures: dict[str, Any]) -> list[str]:
    """The tables of one game."""
    goals = OTHERS.get(figures["game"], {})

    def told(name: str) -> str:
        goal = f" (goal {goals[name]:,})" if name in goals else ""
        return f"{figures[name]:,}{goal}"

    rows = {
        "decisions a second, 1,024 games": told("decisions_per_second"),
        "the same by separate, checked calls": told("checked_decisions_per_second"),
        f"complete random games of `{plain_spec(figures['game'])}` a second": told(
            "playouts_per_second"
        ),
        "bytes of state a game": told("bytes_per_game"),
    }
    if "import_seconds" in figures:
        rows["import, above its dependencies"] = f"{figures['import_seconds']['above_them']:.2f} s"
    first, warm = (f"{figures['start_seconds'][k]} s (goal {v})" for k, v in START_SECONDS.items())
    rows["a bare `env`, made, reset and stepped ten times, for the first time ever"] = first
    rows["the same again, with compiled code on disk"] = warm
    start = figures["start_seconds"]
    rows["of it, what numba loads before its first call"] = f"{start['numba']} s"
    rows["where scipy is installed as well, which numba then loads"] = f"{start['scipy']} s"
    if "compile_seconds" in figures:
        first, warm, *_ = figures["compile_seconds"].values()
        rows["first compilation of every kernel but the planners'"] = f"{first} s"
        rows["the same from disk"] = f"{warm} s"
    if "two_threads_over_one" in figures:
        ratio = f"{figures['two_threads_over_one']} (goal {TWO_THREADS})"
        rows["two threads over one, wall time, 65,536 games"] = ratio
    if "two_processes_over_one" in figures:
        rows["two processes over one, which share nothing"] = figures["two_processes_over_one"]
    lines = _table(("what", "figure"), rows)
    if "old" in figures:
        lines += _old_lines(figures["old"])
    batches = {f"{int(n):,}": f"{speed:,}" for n, speed in figures["by_batch"].items()}
    lines += _table(("games in the batch", "decisions a second"), batches)
    lines += ["", "Where the time goes, in nanoseconds for each game of a batch of 1,024:"]
    return lines + _table(("part", "ns"), figures["nanoseconds"])


def _table(head: tuple[str, str], rows: dict[str, Any]) -> list[str]:
    lines = ["", f"| {head[0]} | {head[1]} |", "| --- | ---: |"]
    return lines + [f"| {name} | {value} |" for name, value in rows.items()]


def _old_lines(old: dict[str, Any]) -> list[str]:
    rows = {
        "decisions": "decisions a second",
        "checked": "the same by separate, checked calls",
        "playouts": "complete random games a second",
        "start_first_ever": "a bare `env` for the first time ever, shorter by",
        "start_warm": "the same again, shorter by",
    }
    head = f"`{DEFAULT}` beside version {old['version']}, in turn", "ratio"
    return _table(head, {text: old[name] for name, text in rows.items()})


def _peer_lines(peers: list[dict[str, Any]]) -> list[str]:
    lines = [
        "",
        "Against other environments, in the same run: drago-env always with its batch of "
        "1,024, the others as they come. The games differ: read the ratios as orders of "
        "magnitude. A step of PufferLib's games holds the answer of an opponent, who in connect4 "
        "searches ahead for it. The last column is what this package sets itself as a goal.",
        "",
        "| environment | its batch | decisions a second | drago-env is faster by | goal |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for peer in peers:
        if "error" in peer:
            lines.append(f"| {peer['name']} | | {peer['error']} | | |")
            continue
        lines.append(
            f"| {peer['name']} {peer['version']} | {peer['batch']} "
            f"| {peer['decisions_per_second']:,} | {peer['ratio']:.1f} "
            f"| {peer['wanted'] or ''} |"
        )
    return lines
