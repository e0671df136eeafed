# SPDX-License-Identifier: Apache-2.0
"""Configures and builds a CMake preset, with the progress that Ninja reports."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from polycast_cli.common import INSTALLED, ROOT, STATE, Failure, UserError, err, parallel_jobs, run, say, shown
from polycast_cli.terminal import LEFT, progress

STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)")


def folder(preset: str = "release") -> Path:
    return ROOT / "build" / preset


def simulator(preset: str = "release") -> Path:
    return (INSTALLED or folder(preset)) / "bin" / "polycast-sim"


def environment() -> dict[str, str]:
    """The environment of configuration, build and tests: our Python first."""
    tools = STATE / "python" / "bin"
    return dict(os.environ, PATH=f"{tools}{os.pathsep}{os.environ.get('PATH', '')}")


def configure(preset: str, tests: bool) -> None:
    """Configures `preset` unless that was done. Tests, once configured, stay: the simulator alone builds no slower."""
    cache = folder(preset) / "CMakeCache.txt"
    # build.ninja is written last, so an interrupted configuration is done again.
    done = (folder(preset) / "build.ninja").exists() and cache.exists()
    has_tests = done and "BUILD_TESTING:BOOL=ON" in cache.read_text()
    if done and (has_tests or not tests):
        return
    log = folder(preset) / "configure.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    say(f"configuring build/{preset} (log: {shown(log)})")
    command = ["cmake", "--preset", preset, f"-DBUILD_TESTING={'ON' if tests else 'OFF'}"]
    with log.open("w") as stream:
        code = run(command, stdout=stream, stderr=subprocess.STDOUT, env=environment())
    if code:
        err.print(log.read_text()[-4000:])
        raise Failure(f"CMake could not configure the preset {preset}, see {shown(log)}")


def build(preset: str = "release", targets: Sequence[str] = (), tests: bool = False) -> None:
    """Builds `targets` (default: all) of `preset`; the compiler's messages are shown when it fails. A wheel has the
    simulator, and nothing else that is built. \\raises UserError where it is asked for more"""
    if INSTALLED:
        if tests or targets != ["polycast-sim"] or preset != "release":
            raise UserError("this needs the sources of polycast: run it as scripts/polycast in a checkout")
        return
    configure(preset, tests)
    log = folder(preset) / "build.log"
    command = ["cmake", "--build", "--preset", preset, "-j", str(parallel_jobs())]
    if targets:
        command += ["--target", *targets]
    started = time.monotonic()
    env = environment() | {"NINJA_STATUS": "[%f/%t] "}
    failed_output: list[str] = []
    steps = 0
    with (
        log.open("w") as stream,
        progress("building", *LEFT) as bar,
        subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as ninja,
    ):
        task = bar.add_task("", total=None)
        assert ninja.stdout is not None
        for line in ninja.stdout:
            stream.write(line)
            if match := STEP.match(line):
                done, total, what = int(match[1]), int(match[2]), match[3]
                # A changed CMakeLists.txt makes Ninja count a "[0/1] Re-running CMake" first.
                if done and total > 1 and not err.is_terminal and done * 10 // total > (done - 1) * 10 // total:
                    say(f"building: {done} of {total} steps")
                bar.update(task, completed=done, total=total, description=what.rsplit("/", 1)[-1][:40])
                steps = done
            elif not line.startswith("ninja: no work"):
                failed_output.append(line)
    if ninja.returncode:
        err.print("".join(failed_output[-200:]))
        raise Failure(f"the build of the preset {preset} failed, see {shown(log)}")
    if steps:
        what = ", ".join(targets) or "everything"
        say(f"built {what} in build/{preset}: {steps} steps, {time.monotonic() - started:.0f} s")
