# SPDX-License-Identifier: Apache-2.0
"""Calls of the simulator, and what they raise."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from polycast_cli.common import Failure, Status, UserError, version
from polycast_cli.simulator import ready, simulate

__all__ = ["Failure", "InputError", "Interrupted", "asked", "simulated", "version"]

#: Bad input: a scenario, a network, an argument. Its text says what, where and what to do.
InputError = UserError


class Interrupted(KeyboardInterrupt):
    """A run was interrupted, and nothing of it was written."""


def raised(code: int, said: str) -> None:
    """\\raises what an exit status of the simulator means, with the last of its messages"""
    lines = [line for line in said.strip().splitlines() if line]
    message = (lines[-1] if lines else f"the simulator ended with status {code}").removeprefix("error: ")
    if code == Status.INTERRUPTED:
        raise Interrupted(message)
    raise (InputError if code == Status.BAD_INPUT else Failure)(message)


def asked(*arguments: str | Path) -> str:
    """What a subcommand of the simulator prints."""
    command = [str(ready()), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != Status.OK:
        raised(done.returncode, done.stderr)
    return done.stdout


def simulated(arguments: Sequence[str | Path]) -> None:
    """Runs a simulation, with a progress bar. A run whose checks fail is none that failed."""
    said: list[str] = []
    code = simulate(ready(), arguments, said=said)
    if code not in (Status.OK, Status.FAILED):
        raised(code, "\n".join(said))
