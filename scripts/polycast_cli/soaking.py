# SPDX-License-Identifier: Apache-2.0
"""`soak`: the equivalence program without end."""

from __future__ import annotations

import secrets
from pathlib import Path

from polycast_cli.build import build, folder
from polycast_cli.common import run, say

PROGRAM = Path("testbench/equivalence/polycast-soak")


def run_soak(hours: float, seed: int | None) -> int:
    """Returns the program's exit status: 0 when nothing differed until the time was over."""
    build(targets=["polycast-soak"], tests=True)
    first = secrets.randbelow(2**32) if seed is None else seed
    say(f"comparing core and RTL for {hours:g} h from seed {first}")
    return run([folder() / PROGRAM, "--hours", f"{hours:g}", "--seed", str(first)], cwd=Path.cwd())
