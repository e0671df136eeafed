# SPDX-License-Identifier: Apache-2.0
"""Processes beside the test: a command that is interrupted, a cluster of several machines on this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def begun(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive a test which fails."""
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


@contextmanager
def apart(folder: Path, workers: int, *more: str) -> Iterator[str]:
    """A scheduler and workers with working directories of their own, that know Dask but not this package.

    `more`: options of the scheduler."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    dask = [sys.executable, "-m", "distributed.cli.dask_"]
    file = folder / "scheduler.json"
    options = ["--no-dashboard", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), *more]
    processes = []

    def start(kind: str, place: Path, *arguments: str) -> None:
        place.mkdir()
        command = [*dask[:2], dask[2] + kind, *arguments]
        with (place / "log").open("w") as log:
            processes.append(subprocess.Popen(command, cwd=place, env=environment, stdout=log, stderr=log))

    try:
        start("scheduler", folder / "scheduler", *options)
        until(lambda: file.exists() and file.read_text())
        address = json.loads(file.read_text())["address"]
        for number in range(workers):
            start("worker", folder / f"machine{number}", address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
        yield address
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
