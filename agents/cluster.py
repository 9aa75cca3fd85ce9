"""Ray, for those who outgrow one machine: connecting, and running jobs on the cluster."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any

REACH_SECONDS = 5.0


def connect(address: str) -> Any:
    """Ray itself, connected to the cluster at this address (`auto`: the one on this machine)."""
    try:
        import ray
    except ImportError as error:
        raise ImportError('this needs Ray: pip install "drago-env[ray]"') from error
    if not ray.is_initialized():
        reach(address)
        try:
            ray.init(address=address, log_to_driver=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise _nobody(address, error) from error
    return ray


def _nobody(address: str, error: Exception) -> ConnectionError:
    return ConnectionError(
        f"there is no Ray cluster at {address!r}; start one with `ray start --head` and "
        f"name its address, or auto: {error}"
    )


def reach(address: str) -> None:
    """Whether anybody answers there at all: Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit():
        try:
            socket.create_connection((host.rpartition("/")[2], int(port)), REACH_SECONDS).close()
        except OSError as error:
            raise _nobody(address, error) from error


def run_on_cluster(
    address: str, function: Callable[..., Any], jobs: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """What `function` gives for each job, as the answers come; a lost node's jobs run again.

    So many jobs are under way as the cluster has cores.
    """
    ray = connect(address)
    # no core is asked for: collectors that wait for their learner may hold all of them
    remote = ray.remote(num_cpus=0, scheduling_strategy="SPREAD")(function)
    room = max(int(ray.cluster_resources().get("CPU", 1)), 1)
    waiting: list[Any] = []
    for job in jobs:
        waiting.append(remote.remote(*job))
        if len(waiting) >= room:
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)
    while waiting:
        done, waiting = ray.wait(waiting)
        yield from ray.get(done)
