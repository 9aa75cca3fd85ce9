"""The programs for other libraries: the page, its table and its runner are about the same ones.

Programs that need nothing beyond the extras are run by the tests of the documentation.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import clients

CLIENTS = {client.title: client for client in clients.CLIENTS}


def test_every_program_of_the_page_is_run_and_told_in_the_table() -> None:
    assert list(clients.programs()) == list(CLIENTS)
    found = clients.TABLE.search(clients.PAGE.read_text(encoding="utf-8"))
    assert found is not None
    rows = [line.strip("|").split("|") for line in found[0].splitlines() if line[:2] == "| "][2:]
    assert [row[0].strip() for row in rows] == list(CLIENTS)
    for title, package, what, how, speed in ([cell.strip() for cell in row] for row in rows):
        client = CLIENTS[title]
        assert package.partition(" ")[0] == client.package
        assert what == client.what
        assert client.lines in how or client.not_because in how
        assert bool(speed) != how.startswith("not, because ")


def test_a_program_in_a_process_of_its_own() -> None:
    """RLlib's: what it starts does not stay in the process of the tests."""
    code = (
        f"from benchmarks import clients as c; c.run(c.CLIENTS[{list(CLIENTS).index('RLlib')}], 1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=clients.ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_a_run_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "## PettingZoo\n\nwords\n\n```py\nsteps = sum(range(100_000))\n```\n"
        "## Gymnasium\n\n```py\nraise ValueError('it broke')\n```\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(clients.programs, "__defaults__", (page,))
    told = clients.run(CLIENTS["PettingZoo"])
    assert told["steps_per_second"] > 0
    with pytest.raises(ValueError, match="it broke"):
        clients.run(CLIENTS["Gymnasium"])
    missing = clients.run_apart(CLIENTS["PufferLib"], [])
    assert missing == {"error": CLIENTS["PufferLib"].not_because}
    rows = {title: dict(told) for title in CLIENTS} | {"PufferLib": missing}
    table = clients.table(json.loads(json.dumps(rows)))
    assert table.count("| as it is |") == sum(not client.lines for client in clients.CLIENTS)
    assert f"| not, because {missing['error']} |  |" in table
    faster = {"Gymnasium": {"version": "9", "steps_per_second": 1_234_567}}
    anew = clients.table(faster, table).splitlines()
    changed = [line for line in anew if line not in table.splitlines()]
    assert len(anew) == len(table.splitlines())
    assert changed == [
        "| Gymnasium | gymnasium 9 | its wrappers, batch of 256 | as it is | 1,234,567 |"
    ]
