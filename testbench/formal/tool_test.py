# SPDX-License-Identifier: Apache-2.0
"""Nothing of Yosys and its solvers stays, however prove.py and size.py end. A stand-in for Yosys waits with a child."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Says its own number and that of its child, which ignores what would end it by itself.
STAND_IN = """#!/bin/sh
(trap '' TERM HUP; exec sleep 1000) &
echo $$ $! > "$POLYCAST_STARTED.part"
mv "$POLYCAST_STARTED.part" "$POLYCAST_STARTED"
wait
"""
PATIENCE = 60


def runs(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"after {PATIENCE} s not yet: {what}")
        time.sleep(0.02)


class Ends(unittest.TestCase):
    def started(self, *arguments: str, limit: int = 600) -> tuple[subprocess.Popen[str], list[int]]:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        place = Path(folder.name)
        yosys = place / "yosys"
        yosys.write_text(STAND_IN)
        yosys.chmod(0o755)
        said = place / "started"
        environment = os.environ | {
            "PATH": f"{place}:{os.environ['PATH']}",
            "POLYCAST_STARTED": str(said),
            "POLYCAST_FORMAL_LIMIT": str(limit),
        }
        process = subprocess.Popen(
            [sys.executable, HERE / arguments[0], *arguments[1:]], env=environment, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.communicate)
        wait_until(said.exists, "the stand-in starts")
        numbers = [int(number) for number in said.read_text().split()]
        self.assertTrue(all(map(runs, numbers)))
        return process, numbers

    def expect_gone(self, numbers: list[int]) -> None:
        wait_until(lambda: not any(map(runs, numbers)), "its processes are gone")

    def test_proof_is_ended(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            process, tools = self.started("prove.py", "rr_arbiter")
            process.send_signal(number)
            process.wait(PATIENCE)
            self.expect_gone(tools)
            self.assertNotIn(process.returncode, (0, 1, 2))

    def test_proof_takes_too_long(self) -> None:
        process, tools = self.started("prove.py", "rr_arbiter", limit=2)
        self.assertEqual(process.wait(PATIENCE), 2)
        self.assertIn("yosys took more than 2 s", process.stderr.read())
        self.expect_gone(tools)

    def test_size_is_ended(self) -> None:
        process, tools = self.started("size.py", "--check", "--chip", "broadcast")
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)
        self.expect_gone(tools)


if __name__ == "__main__":
    unittest.main()
