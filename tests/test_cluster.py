"""Ray: collectors and arenas on a cluster of two nodes, one of which gets lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import cluster
from agents.arena import Config, run
from agents.arena import main as arena_main
from agents.network import Shape
from tests.adapters import same
from train.arguments import Arguments, make_game
from train.collect import Collector, Setup
from train.collectors import Remote, plain
from train.ppo import Training, begin, main, train
from train.runs import METRICS, read_table

SMALL: dict[str, Any] = {
    "players": (2,),
    "num_envs": 16,
    "num_steps": 16,
    "minibatch_size": 128,
    "trunk": (16,),
    "action": (8,),
    "evaluate_games": 4,
    "evaluate_against": ("uniform",),
    "evaluate_every": 1000,
    "save_every": 1,
    "opponents": ("greedy",),
    "pool_share": 0.5,
}
BATCH = SMALL["num_envs"] * SMALL["num_steps"]  # decisions that one collector brings
PATIENCE = 180.0  # seconds for a node to come or go on a busy machine


class Nodes:
    """Two `ray start --block` processes on this machine, one core each."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        # paths of sockets must be short
        self.folder = tempfile.mkdtemp(prefix="drago", dir="/tmp")
        self.head = self._start(
            *("--head", f"--port={port}"),
            *(f"--temp-dir={self.folder}", "--include-dashboard=false"),
        )
        self._wait()
        self.other = self.start()

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        ray = Path(sys.executable).with_name("ray")
        sizes = ["--num-cpus=1", "--object-store-memory=100000000"]
        command = [str(ray), "start", "--block", *sizes, *words]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, start_new_session=True, **quiet)

    def start(self) -> subprocess.Popen[bytes]:
        """The second node."""
        return self._start(f"--address={self.address}")

    def _wait(self) -> None:
        host, port = self.address.split(":")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                socket.create_connection((host, int(port)), 1).close()
            except OSError:
                time.sleep(0.2)
            else:
                return
        raise TimeoutError("the head of the cluster did not start")

    def close(self) -> None:
        for node in (self.other, self.head):
            end(node)
        shutil.rmtree(self.folder, ignore_errors=True)


def end(node: subprocess.Popen[bytes]) -> None:
    """Ends a node with all that it has started, by its recorded id."""
    if node.poll() is None:
        os.killpg(node.pid, signal.SIGKILL)
        node.wait()


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    import ray

    ray.shutdown()  # what another test may have left
    made = Nodes()
    try:
        yield made
    finally:
        ray.shutdown()
        made.close()


def until(training: Training, decisions: int) -> None:
    """Trains until an update brings so many decisions."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before = training.steps
        training.go_on()
        if training.steps - before == decisions:
            return
    pytest.fail(f"no update had {decisions} decisions within {PATIENCE:.0f} seconds")


def test_training_goes_on_when_a_node_is_lost_and_uses_it_when_it_is_back(
    nodes: Nodes, tmp_path: Path
) -> None:
    arguments = Arguments(
        out=tmp_path / "run", steps=10**9, ray=nodes.address, collectors=2, **SMALL
    )
    training = begin(arguments)
    training.go_on()
    assert training.steps == 2 * BATCH  # a new pool is waited for
    known = training.learner.network.weights()
    end(nodes.other)
    until(training, BATCH)
    nodes.other = nodes.start()
    until(training, 2 * BATCH)
    training.collectors.close()
    rows = read_table(training.run.path / METRICS)
    assert [int(row["update"]) for row in rows] == list(range(1, training.update + 1))
    learned = training.learner.network.weights()
    assert all(np.isfinite(w).all() for w in learned.values())
    assert any((known[name] != learned[name]).any() for name in known)
    again = begin(Arguments(resume=training.run.path))
    assert again.update == training.update
    assert same(again.learner.network.weights(), learned)
    both: Any = [run.collectors for run in (training, again)]
    # a third one will not deal what was dealt
    assert both[0]._restarts == both[1]._restarts != [0, 0]
    until(again, 2 * BATCH)
    again.collectors.close()


def test_one_collector_on_a_cluster_gives_the_same_weights_as_here(
    nodes: Nodes, tmp_path: Path
) -> None:
    settings = {**SMALL, "steps": 4 * BATCH, "evaluate_every": 2, "seed": 3}
    here = train(Arguments(out=tmp_path / "here", **settings))
    there = train(Arguments(out=tmp_path / "there", ray=nodes.address, **settings))
    assert same(there.learner.network.weights(), here.learner.network.weights())
    assert there.evaluations == here.evaluations


def test_an_arena_on_a_cluster_has_the_same_results(nodes: Nodes) -> None:
    config = Config(["greedy", "uniform"], "mount_drago:players=3", 60, 5)
    there = run(config, ray=nodes.address)
    here = run(config, workers=1)
    order = np.lexsort([there.columns[name] for name in ("seat", "rotation", "deal")])
    assert same({name: column[order] for name, column in there.columns.items()}, here.columns)


def test_an_address_without_a_cluster_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    assert arena_main(["uniform", "--ray", "127.0.0.1:1"]) == 2
    assert "there is no Ray cluster at '127.0.0.1:1'" in capsys.readouterr().err


def test_without_ray_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r'pip install "drago-env\[ray\]"'):
        cluster.connect("auto")
    assert main(["--out", str(tmp_path / "run"), "--ray", "auto"]) == 2
    assert "needs Ray" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


class Own:
    """A policy of somebody's own class."""

    name = "own"

    def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
        return mask.argmax(1)


def test_what_travels_is_plain() -> None:
    told = Arguments(**{**SMALL, "players": (2, 3)})
    game, variants = make_game(told.specs)
    shape = Shape.of(game, trunk=(8,), action=(8,))
    setup = Setup(game, variants, shape, 4, 8, 0.5, 1, specs=tuple(told.specs))
    sent = plain(setup)
    assert json.loads(json.dumps(sent)) == sent
    assert same(Remote(sent, 3).snapshot(), Collector(setup, 3).snapshot())
    with pytest.raises(ValueError, match="agents on a cluster are named by specs"):
        run(Config([Own(), "uniform"], games=2), ray="auto")
