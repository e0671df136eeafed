# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest
from fixture_results import write_results
from polycast_cli.common import ROOT
from polycast_cli.tiers import RELEASE, TIERS, load

Cli = Callable[..., subprocess.CompletedProcess[str]]


# What started the tests is not what the commands under test were started by.
os.environ.pop("POLYCAST_COMMAND", None)


def pytest_configure(config: pytest.Config) -> None:
    for tier in TIERS:
        config.addinivalue_line("markers", f"tier_{tier}: what testbench/tiers.yaml deals to the tier {tier}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    release = load()[RELEASE]
    for item in items:
        tier = release.tier("pytest", item.nodeid.removeprefix("testbench/python/"))
        item.add_marker(f"tier_{tier}")


@pytest.fixture(scope="session", autouse=True)
def hears_interrupts() -> None:
    """A shell has what it starts in the background ignore Ctrl-C, and programs under test would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def verilator() -> Path:
    """Folder of Verilator's bin/ and include/: what the environment names, or the one of set-up."""
    root = Path(os.environ.get("VERILATOR_ROOT") or Path(pytest.__file__).parents[1] / "verilator")
    assert (root / "bin" / "verilator").is_file(), root
    return root


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs the command line as a user does, without the set-up, from an empty folder."""

    def call(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "polycast_cli", *(str(argument) for argument in arguments)]
        variables = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "200", "TERM": "dumb"} | (env or {})
        # A hang ends, but a model that is built first on a busy machine does not count as one.
        return subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=600, check=False
        )

    return call


@pytest.fixture
def results_folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a results folder with invented numbers; arguments as for write_results."""

    def make(name: str = "results", **options: object) -> Path:
        return write_results(tmp_path / name, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def sources() -> Sequence[Path]:
    """All files of the project that people write, relative to its root."""
    # Without git, which CI's container need not have, nor an unpacked archive a repository.
    lines = (ROOT / ".gitignore").read_text().splitlines()
    ignored = [line.rstrip("/") for line in lines if line and not line.startswith("#")]
    found: list[Path] = []
    for folder, below, files in os.walk(ROOT):
        place = Path(folder).relative_to(ROOT)
        below[:] = [
            name
            for name in below
            if name != ".git"
            and not any(fnmatch(f"/{place / name}" if "/" in each else name, each) for each in ignored)
        ]
        found += [place / name for name in files if name != ".git"]
    return sorted(found)
