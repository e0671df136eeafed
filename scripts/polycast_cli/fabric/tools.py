# SPDX-License-Identifier: Apache-2.0
"""InfiniBand's own tools, as set-up has unpacked them (group fabric); they are installed nowhere."""

from __future__ import annotations

import os
from pathlib import Path

from polycast_cli.common import STATE, UserError

UNPACKED = STATE / "unpacked"
#: What stands for an InfiniBand device in programs that it is preloaded into: a node of ibsim's network.
SIMULATED_DEVICE = "umad2sim/libumad2sim.so"


def libraries() -> list[Path]:
    """Folders of shared libraries, named by the architecture."""
    return sorted({path.parent for folder in ("usr/lib", "lib") for path in (UNPACKED / folder).glob("*/lib*.so.*")})


def program(name: str) -> Path:
    for folder in ("bin", "sbin"):
        path = UNPACKED / "usr" / folder / name
        if path.is_file():
            return path
    raise UserError(f"{name} is not there: run scripts/setup.sh fabric")


def library(name: str) -> Path:
    for folder in libraries():
        if (folder / name).is_file():
            return folder / name
    raise UserError(f"{name} is not there: run scripts/setup.sh fabric")


def environment(**more: str) -> dict[str, str]:
    """Variables of a process of these tools."""
    paths = os.pathsep.join(str(folder) for folder in libraries())
    return os.environ | {"LD_LIBRARY_PATH": paths, "LC_ALL": "C"} | more
