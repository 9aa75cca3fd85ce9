"""Other libraries on these environments: `make clients` runs the programs of docs/use-with.md.

    python -m benchmarks.clients --pythons .venv-clients/bin/python --write docs/use-with.md

A program is run twice in a process of its own, as it stands on the page: the first run compiles
and warms up, the second is measured. Its variable `steps` says how many decisions it made.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import chdir
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "use-with.md"
TABLE = re.compile(r"(<!-- measured: clients -->\n).*?(<!-- end -->)", re.DOTALL)
PROGRAM = re.compile(r"^## ([^\n]+)\n(?:(?!^## ).)*?```(?:python|py)\n(.*?)```", re.DOTALL | re.M)
TIMEOUT_SECONDS = 1200
ONE_THREAD = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


class Client(NamedTuple):
    """A library: the heading of its program on the page, and what the table says of it."""

    title: str
    package: str
    what: str
    lines: str = ""  # those that the library needs; none if it works as it is
    not_because: str = ""  # why it does not install where it is not installed


CLIENTS = (
    Client("Gymnasium", "gymnasium", "its wrappers, batch of 256"),
    Client("PettingZoo", "pettingzoo", "its loop, one game"),
    Client("Stable-Baselines3", "sb3-contrib", "MaskablePPO, trained, batch of 64"),
    Client(
        "Stable-Baselines3 without masks",
        "stable-baselines3",
        "DQN, trained, batch of 16",
        '`illegal="random"`',
    ),
    Client("RLlib", "ray", "PPO, trained, 16 games", "the key `observations`"),
    Client("OpenSpiel", "open-spiel", "random games draw by draw", "`openspiel.load`"),
    Client("CleanRL", "torch", "one file of PPO, trained, batch of 128"),
    Client("TorchRL", "torchrl", "one seat at a time, one game"),
    Client(
        "TorchRL, native batch",
        "torchrl",
        "random play, batch of 64",
        '`autoreset_mode="Disabled"`, `ActionMask()`',
    ),
    Client(
        "TorchRL, processes",
        "torchrl",
        "random play, 2 processes and their start",
        '`illegal="random"`, `ActionMask()`',
    ),
    Client("Tianshou 2", "tianshou", "DQN in self-play, trained, 8 games"),
    Client("AgileRL", "agilerl", "PPO, trained, batch of 64", "`flat=True`"),
    Client("SuperSuit", "supersuit", "frames stacked, one game", "`observation_lambda_v0`"),
    Client("Minari", "minari", "a dataset with infos, one game"),
    Client("Optuna", "optuna", "games of a search, 20 a trial"),
    Client("Weights & Biases", "wandb", "games between agents, logged offline"),
    Client("d3rlpy", "d3rlpy", "offline and online, trained", '`flat=True`, `illegal="random"`'),
    Client("imitation", "imitation", "behavioural cloning, trained", "`pip install --no-deps`"),
    Client(
        "PufferLib",
        "pufferlib",
        "native, batch of 1,024",
        "`LearnerPufferEnv`",
        "its set-up downloads raylib from another host, which is out of reach here; the tests run "
        "the adapter on a stand-in for its base class",
    ),
)


def programs(page: Path = PAGE) -> dict[str, str]:
    """The program under each heading of the page."""
    return dict(PROGRAM.findall(page.read_text(encoding="utf-8")))


def run(client: Client, times: int = 2) -> dict[str, Any]:
    """Runs a program in this process; decisions a second of the last time."""
    found = version(client.package)
    code = compile(programs()[client.title], client.title, "exec")
    for _ in range(times):
        names: dict[str, Any] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, chdir(folder):
            began = _spent()
            with patch.dict(os.environ, MINARI_DATASETS_PATH=folder):
                exec(code, names)
            spent = _spent() - began
    return {"version": found, "steps_per_second": round(names["steps"] / spent)}


def _spent() -> float:
    """Seconds of processor time, those of child processes that have ended among them."""
    return time.process_time() + sum(os.times()[2:4])


def run_apart(client: Client, pythons: list[str]) -> dict[str, Any]:
    """Runs a program with the first interpreter that has the library, in a process of its own."""
    look = f"from importlib.metadata import version; version({client.package!r})"
    for python in pythons:
        if subprocess.run([python, "-c", look], capture_output=True).returncode:
            continue
        command = [python, "-m", "benchmarks.clients", "--run", client.title]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode:
            return {"error": (done.stderr.strip().splitlines() or ["no words"])[-1][:160]}
        return dict(json.loads(done.stdout.splitlines()[-1]))
    return {"error": client.not_because or "it is not installed"}


def table(rows: dict[str, dict[str, Any]], before: str = "") -> str:
    """What the page says of each library; one that was not run keeps its line of before."""
    kept = {line.split("|")[1].strip(): line for line in before.splitlines() if line[:1] == "|"}
    lines = [
        "",
        "| library | package | what is run | how it works | steps a second |",
        "| --- | --- | --- | --- | ---: |",
    ]
    for client in CLIENTS:
        if client.title not in rows:
            lines += [kept[client.title]] if client.title in kept else []
            continue
        row = rows[client.title]
        how = f"with these lines: {client.lines}" if client.lines else "as it is"
        if "error" in row:
            how = f"not, because {row['error']}"
        speed = f"{row['steps_per_second']:,}" if "steps_per_second" in row else ""
        told = f"{client.package} {row.get('version', '').partition('+')[0]}".strip()
        lines.append(f"| {client.title} | {told} | {client.what} | {how} | {speed} |")
    return "\n".join(lines) + "\n\n"


def main() -> None:
    """Runs the programs and prints or writes what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pythons", nargs="+", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--write", type=Path, help="the page whose table is written anew")
    parser.add_argument("--only", default="", metavar="NAME", help="titles that contain NAME")
    parser.add_argument("--run", metavar="TITLE", help="one program, in this process")
    given = parser.parse_args()
    if given.run:
        (client,) = (client for client in CLIENTS if client.title == given.run)
        print(json.dumps(run(client)))
        return
    rows = {}
    for client in CLIENTS:
        if given.only.lower() in client.title.lower():
            rows[client.title] = run_apart(client, given.pythons)
            print(client.title, rows[client.title], flush=True)
    failed = [c.title for c in CLIENTS if "error" in rows.get(c.title, ()) and not c.not_because]
    if failed:
        sys.exit(f"these failed: {', '.join(failed)}")
    if given.write:
        text = given.write.read_text(encoding="utf-8")
        fresh = TABLE.sub(lambda m: m[1] + table(rows, m[0]) + m[2], text)
        given.write.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
