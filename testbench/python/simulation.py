# SPDX-License-Identifier: Apache-2.0
"""The simulator as tests run it: built already, asked for a status, without progress."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from polycast_cli.common import ROOT
from polycast_cli.provenance import Provenance
from polycast_cli.results import Folder, Point, Results

BUILD = Path(os.environ.get("POLYCAST_BUILD", ROOT / "build" / "release"))
SIMULATOR = BUILD / "bin" / "polycast-sim"
SCENARIOS = ROOT / "testbench" / "scenarios"
#: Files of a results folder that say how the run was made; all others depend on the scenario only.
PROVENANCE = {"run.json", "scenario.yaml", "report.html"}


def sim(*arguments: str | Path, status: int | None = 0) -> subprocess.CompletedProcess[str]:
    """polycast-sim with these arguments; it has to end with `status` (None: any)."""
    done = subprocess.run([SIMULATOR, *arguments], capture_output=True, text=True, check=False, timeout=1200)
    assert status in (None, done.returncode), done.stdout + done.stderr
    return done


def said(*arguments: str | Path, status: int = 0) -> str:
    """What it prints, or complains where it must not end well."""
    done = sim(*arguments, status=status)
    return done.stderr if status else done.stdout


def overrides(*settings: str) -> list[str]:
    return [part for setting in settings for part in ("-s", setting)]


def simulate(
    scenario: Path, out: Path, *settings: str, options: tuple[str, ...] = (), status: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """A run into the folder `out`; `settings` are KEY=VALUE."""
    return sim("run", scenario, *overrides(*settings), *options, "--out", out, "--progress", "none", status=status)


def refused(scenario: Path, *settings: str) -> str:
    """The one line with which a scenario is refused."""
    text = said("check", scenario, *overrides(*settings), status=2)
    assert text.count("\n") == 1, text
    return text


def results(out: Path) -> Results:
    return Folder(out).results()


def points(out: Path) -> list[Point]:
    return results(out).points


def run_of(out: Path) -> Provenance:
    """How the run was made."""
    return Folder(out).provenance()


def files(out: Path) -> dict[str, bytes]:
    """All files that must not depend on fidelity, threads or machine, by relative path."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in PROVENANCE
    }
