# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys and OpenSTA so that nothing of them stays when the command is interrupted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from polycast_cli.common import Failure

RUNNING: set[subprocess.Popen[str]] = set()
LOCK = threading.Lock()
#: No tool starts any more.
ENDED = threading.Event()


def run_tool(command: Sequence[str | Path], what: str, env: Mapping[str, str] | None = None) -> str:
    """Its output. \\raises Failure where it fails, with the end of what it said"""
    with LOCK:
        if ENDED.is_set():
            raise Failure(f"{what} was interrupted")
        # ABC is a child of Yosys: both are one process group.
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
        RUNNING.add(process)
    try:
        said, _ = process.communicate()
    finally:
        with LOCK:
            RUNNING.discard(process)
    if process.returncode:
        raise Failure(f"{what} failed (exit status {process.returncode}):\n{said.strip()[-2000:]}")
    return said


def end_tools() -> None:
    """Ends all that run, from any thread."""
    with LOCK:
        ENDED.set()
        for process in RUNNING:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def allow_tools() -> None:
    ENDED.clear()
