# SPDX-License-Identifier: Apache-2.0
"""Runs a job. Sent to workers of clusters by value: they see our folders, but need not have this package.

So this module imports nothing of the package, and jobs and outcomes are plain dictionaries here.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import Any

TAIL_LINES = 20
TAIL_BYTES = 4000
GRACE = 5.0  # seconds that a process has to clean up


class Runner:
    """Runs commands, several at a time, each in a thread of the caller.

    `alone`: no other runner has the same jobs, so what one that was killed left behind is replaced.
    """

    def __init__(self, alone: bool = False) -> None:
        self.alone = alone
        self.stopped = False
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.lock = threading.Lock()

    def stop(self) -> None:
        """Interrupts what runs, and lets nothing else begin."""
        with self.lock:
            self.stopped = True
            running = list(self.processes)
        end(running)

    def execute(self, job: dict[str, Any]) -> dict[str, Any]:
        """Runs the job; everything about its end is in the outcome."""
        folder = Path(job["folder"])
        temporary = folder.with_name(f".{folder.name}.{'part' if self.alone else uuid.uuid4().hex[:8]}")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        try:
            status, code, seconds = self.run(job, temporary)
            outcome = {
                "submission": job["submission"],
                "key": job["key"],
                "name": job["name"],
                "status": status,
                "exit_code": code,
                "seconds": round(seconds, 3),
                "worker": socket.gethostname(),
                "tail": tail(temporary / "stderr"),
            }
            absent = [path for path in job["outputs"] if not (temporary / path).exists()]
            if status in ("passed", "failed") and absent:
                outcome["status"] = "crashed"
                outcome["tail"] += f"\nwas not written: {', '.join(absent)}"
            description = outcome | {"command": job["command"], "cwd": job["cwd"], "env": job["env"]}
            (temporary / "job.json").write_text(json.dumps(description, indent=1) + "\n")
            replace(folder, temporary)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return outcome

    def run(self, job: dict[str, Any], folder: Path) -> tuple[str, int, float]:
        """Status, exit status, seconds. \\raises RuntimeError where we are stopped"""
        command = list(job["command"])
        if setpriv := shutil.which("setpriv"):
            command = [setpriv, "--pdeathsig", "KILL", *command]  # a killed worker leaves nothing running
        begin = time.monotonic()
        with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
            with self.lock:
                if self.stopped:
                    raise RuntimeError("stopped")
                try:
                    process = subprocess.Popen(
                        command,
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=err,
                        cwd=job["cwd"] or folder,
                        env=os.environ | job["env"],
                        start_new_session=True,
                    )
                except OSError as error:
                    err.write(f"{job['command'][0]}: {error}\n".encode())
                    return "crashed", 127, 0.0
                self.processes.add(process)
            timed_out = False
            try:
                process.wait(job["timeout"])
            except subprocess.TimeoutExpired:
                timed_out = True
                end([process])
            finally:
                with self.lock:
                    self.processes.discard(process)
                    stopped = self.stopped
        seconds = time.monotonic() - begin
        if stopped:
            raise RuntimeError("stopped")
        if timed_out:
            return "timeout", process.returncode, seconds
        if process.returncode in job["expected"]:
            return "passed", process.returncode, seconds
        return {1: "failed", 2: "refused"}.get(process.returncode, "crashed"), process.returncode, seconds


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Their whole process groups: politely at first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
        deadline = time.monotonic() + GRACE
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))


def tail(file: Path) -> str:
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - TAIL_BYTES))
        text = stream.read().decode(errors="replace")
    return "\n".join(text.rstrip().splitlines()[-TAIL_LINES:])


def replace(folder: Path, temporary: Path) -> None:
    """`temporary` under the name `folder`, in place of what is there."""
    old = temporary.with_name(temporary.name + ".old")
    while True:
        try:
            temporary.rename(folder)
            break
        except OSError:  # not empty; another attempt at the same job may be as quick as we are
            if not folder.exists():
                raise
            shutil.rmtree(old, ignore_errors=True)
            folder.rename(old)
            shutil.rmtree(old, ignore_errors=True)


def seen(path: str) -> str:
    """The content of a file as this worker sees it; empty where it does not."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""
