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
from polycast_cli.common import ROOT, Failure, UserError, say
from polycast_cli.tiers import RELEASE, TIERS, load

# Exit status of pytest where its filter left no test.
PYTEST_NOTHING = 5
#: Presets of sanitizers: they have tests of their own in tiers.yaml, of ctest only.
SANITIZED = ("asan", "tsan")
#: What --all runs.
WITHOUT_NIGHTLY = TIERS[:-1]


@dataclass
class Selection:
    """What to run: names, tiers (none: what is usual) and a preset (none: release, and what the tiers ask for)."""

    filters: Sequence[str] = ()
    tiers: Sequence[str] = ()
    preset: str | None = None

    def runs(self) -> dict[str, list[str]]:
        """Tiers by preset. Names are searched in all tiers but nightly; sanitizers have none in `default`."""
        tiers, presets = self.tiers, [self.preset] if self.preset else [RELEASE, *SANITIZED]
        if not tiers:
            if self.filters:
                say(f"searching the tiers {' and '.join(WITHOUT_NIGHTLY)}; --tier nightly searches that one")
                presets = [self.preset or RELEASE]
            tiers = WITHOUT_NIGHTLY if self.filters or self.preset in SANITIZED else TIERS[:1]
        builds = load()
        found = {name: builds.get(name, builds[RELEASE]).with_tests(tiers) for name in presets}
        return {name: of_preset for name, of_preset in found.items() if of_preset}


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


def ctest(where: str | Path, tiers: Sequence[str], filters: Sequence[str], jobs: int) -> Outcome:
    """Of a preset, with the options of its sanitizers, or of a build folder."""
    command = [
        "ctest",
        *(["--preset", where] if isinstance(where, str) else ["--test-dir", where, "--output-on-failure"]),
    ]
    command += ["-j", str(jobs), "-L", f"^({'|'.join(tiers)})$", f"--no-tests={'ignore' if filters else 'error'}"]
    if filters:
        command += ["-R", "|".join(filters)]
    code, lines = echo(command, environment())
    empty = any("No tests were found" in line for line in lines)
    return Outcome("ctest", ctest_summary(lines) or ["ctest: no test matches"], code == 0, empty)


def ctest_summary(lines: Sequence[str]) -> list[str]:
    """What ctest says at its end: how many passed, the time, which failed."""
    begin = next((i for i, line in enumerate(lines) if re.match(r"\d+% tests passed", line)), len(lines))
    return [line for line in lines[begin:] if line.strip() and not line.startswith("Errors while")]


def pytest(build_dir: Path, tiers: Sequence[str], filters: Sequence[str], jobs: int) -> Outcome:
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
    ]
    command += ["-n", str(jobs), "-m", " or ".join(f"tier_{tier}" for tier in tiers)]
    if filters:
        command += ["-k", " or ".join(filters)]
    code, lines = echo(command, environment() | {"POLYCAST_BUILD": str(build_dir)})
    may_be = (0, PYTEST_NOTHING) if filters or TIERS[0] not in tiers else (0,)
    summary = [line for line in lines if re.match(r"(FAILED|ERROR) ", line)] + ([lines[-1]] if lines else [])
    return Outcome("pytest", summary, code in may_be, code == PYTEST_NOTHING)


def run_tests(selection: Selection, jobs: int, with_ctest: bool, with_pytest: bool) -> None:
    """Builds what the tests need and runs them. \\raises Failure when a test failed or none matches the filters."""
    outcomes: list[Outcome] = []
    for preset, tiers in selection.runs().items():
        say(f"preset {preset}: tests of {' and '.join(tiers)}")
        build(preset, [f"tests-{tier}" for tier in tiers], tests=True)
        if with_ctest:
            outcomes.append(ctest(preset, tiers, selection.filters, jobs))
        if with_pytest and preset not in SANITIZED:
            outcomes.append(pytest(folder(preset), tiers, selection.filters, jobs))
    if not outcomes:
        raise UserError("nothing to run: the selected tiers have no such tests, see testbench/tiers.yaml")
    print(flush=True)
    for outcome in outcomes:
        print("\n".join(outcome.summary), flush=True)
    failed = [outcome.tool for outcome in outcomes if not outcome.passed]
    if failed:
        raise Failure(f"failed: {' and '.join(failed)}")
    if all(outcome.empty for outcome in outcomes):
        raise Failure(f"no test matches {' '.join(selection.filters)}")
    say("all tests passed")
