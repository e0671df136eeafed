# SPDX-License-Identifier: Apache-2.0
"""Runs ctest and pytest and closes with the summary lines of both."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polycast_cli.build import build, environment, folder
from polycast_cli.common import ROOT, Failure, say

# Exit status of pytest where its filter left no test.
PYTEST_NOTHING = 5


@dataclass
class Outcome:
    """What a test tool said: its own summary lines and whether all went well."""

    tool: str
    summary: list[str]
    passed: bool
    empty: bool = False


def echo(command: Sequence[str | Path], env: dict[str, str]) -> tuple[int, list[str]]:
    """Runs `command` showing its output as it comes; returns its exit status and the lines."""
    lines: list[str] = []
    with subprocess.Popen(
        [str(part) for part in command], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line.rstrip("\n"))
    return process.returncode, lines


def ctest(build_dir: Path, filters: Sequence[str], jobs: int) -> Outcome:
    command = ["ctest", "--test-dir", build_dir, "--output-on-failure", "--no-tests=error", "-j", str(jobs)]
    if filters:
        command += ["-R", "|".join(filters), "--no-tests=ignore"]
    code, lines = echo(command, environment())
    empty = any("No tests were found" in line for line in lines)
    return Outcome("ctest", ctest_summary(lines) or ["ctest: no test matches"], code == 0, empty)


def ctest_summary(lines: Sequence[str]) -> list[str]:
    """What ctest says at its end: how many passed, the time, which failed."""
    begin = next((i for i, line in enumerate(lines) if re.match(r"\d+% tests passed", line)), len(lines))
    return [line for line in lines[begin:] if line.strip() and not line.startswith("Errors while")]


def pytest(build_dir: Path, filters: Sequence[str], jobs: int) -> Outcome:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "scripts/pyproject.toml",
        "--rootdir",
        ROOT,
        "testbench/python",
        "-q",
        "-n",
        str(jobs),
    ]
    if filters:
        command += ["-k", " or ".join(filters)]
    code, lines = echo(command, environment() | {"POLYCAST_BUILD": str(build_dir)})
    summary = [line for line in lines if re.match(r"(FAILED|ERROR) ", line)] + ([lines[-1]] if lines else [])
    return Outcome("pytest", summary, code in (0, PYTEST_NOTHING) if filters else code == 0, code == PYTEST_NOTHING)


def run_tests(preset: str, filters: Sequence[str], jobs: int, with_ctest: bool, with_pytest: bool) -> None:
    """Builds `preset` with its tests and runs them. \\raises Failure when a test failed or none matches the filters."""
    build(preset, tests=True)
    outcomes: list[Outcome] = []
    if with_ctest:
        outcomes.append(ctest(folder(preset), filters, jobs))
    if with_pytest:
        outcomes.append(pytest(folder(preset), filters, jobs))
    print(flush=True)
    for outcome in outcomes:
        print("\n".join(outcome.summary), flush=True)
    failed = [outcome.tool for outcome in outcomes if not outcome.passed]
    if failed:
        raise Failure(f"failed: {' and '.join(failed)}")
    if all(outcome.empty for outcome in outcomes):
        raise Failure(f"no test matches {' '.join(filters)}")
    say("all tests passed")
