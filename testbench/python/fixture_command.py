# SPDX-License-Identifier: Apache-2.0
"""The command line in the process of a test, with the simulator that is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from polycast_cli import simulator as simulators
from polycast_cli.main import main
from polycast_cli.studies import collectives_study, reproduce
from simulation import SIMULATOR

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Takes arguments; gives status, output, messages."""
    monkeypatch.chdir(tmp_path)
    for module in (simulators, collectives_study, reproduce):
        monkeypatch.setattr(module, "ready", lambda preset="release": SIMULATOR)

    def run(*arguments: str) -> tuple[int, str, str]:
        status = 0
        try:
            main(list(arguments))
        except SystemExit as left:
            status = int(left.code or 0)
        done = capsys.readouterr()
        return status, done.out, done.err

    return run
