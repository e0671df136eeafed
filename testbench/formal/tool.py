# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys and solvers so that nothing of them stays after a time limit, or when this program is ended."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path


def end_with_tools() -> None:
    """Signals that end this program do so by an exception, so that `run` ends its tool first."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))


def run(command: list[str], log: Path, limit: int) -> int:
    """Runs a tool with its output in `log`; returns its exit status. TimeoutError after `limit` seconds.

    The solver is a child of smtbmc, and abc one of Yosys: all of them are one process group. Should this program be
    killed, the same limit on their processor time remains."""

    def group() -> None:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, preexec_fn=group)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{command[0]} took more than {limit} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
