# SPDX-License-Identifier: Apache-2.0
"""Calls of the simulator, and what they raise."""

from __future__ import annotations

import re
import subprocess
import threading
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

from polycast_cli.common import Failure, Status, UserError, version
from polycast_cli.simulator import ready, simulate

__all__ = ["Failure", "InputError", "Interrupted", "asked", "simulated", "version"]

#: Bad input: a scenario, a network, an argument. Its text says what, where and what to do.
InputError = UserError
# Tracebacks name exceptions as users find them here.
for exported, name in ((UserError, "InputError"), (Failure, "Failure")):
    exported.__module__, exported.__name__, exported.__qualname__ = "polycast", name, name


class Interrupted(KeyboardInterrupt):
    """A run was interrupted, and has left nothing behind; a sweep goes on from there."""


#: Words of the command line in messages, and what they are here.
TRANSLATED = (
    (re.compile(r"`scripts/polycast run` runs them all, `polycast-sim sweep` lists them"), "polycast.sweep() runs all"),
    (re.compile(r"another --out"), "another out"),
    (re.compile(r"^-s "), ""),
    (re.compile(r"-s changes a scenario"), "arguments such as seed=7 change a scenario"),
)

lock = threading.Lock()


@cache
def made_ready() -> Path:
    return ready()


def program() -> Path:
    """The simulator, in a checkout built once in a process where it is out of date."""
    with lock:
        return made_ready()


def raised(code: int, said: str) -> NoReturn:
    """\\raises what an exit status of the simulator means, with the last of its messages"""
    if code == Status.INTERRUPTED:
        raise Interrupted("interrupted; nothing was written")
    lines = [line for line in said.strip().splitlines() if line]
    message = (lines[-1] if lines else f"the simulator ended with status {code}").removeprefix("error: ")
    for pattern, here in TRANSLATED:
        message = pattern.sub(here, message)
    raise (InputError if code == Status.BAD_INPUT else Failure)(message)


def asked(*arguments: str | Path) -> str:
    """What a subcommand of the simulator prints."""
    command = [str(program()), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != Status.OK:
        raised(done.returncode, done.stderr)
    return done.stdout


def simulated(arguments: Sequence[str | Path]) -> None:
    """Runs a simulation, with a progress bar. A run whose checks fail is none that failed; what the simulator warns of
    is a warning of Python."""
    said: list[str] = []
    code = simulate(program(), arguments, said=said)
    if code not in (Status.OK, Status.FAILED):
        raised(code, "\n".join(said))
    for line in said:
        if line.startswith("warning: "):
            warnings.warn(line.removeprefix("warning: "), stacklevel=3)
