# SPDX-License-Identifier: Apache-2.0
"""Starts polycast-sim and shows its progress. Its messages and its exit status are passed through as they are."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from rich.progress import Progress, TaskID, TimeElapsedColumn

from polycast_cli.build import build, simulator
from polycast_cli.common import Status, UserError, shown, visible
from polycast_cli.terminal import progress, words

#: Seconds after which a simulator that goes on has not heard of an interrupt.
HEARD = 1.0
#: A launcher's status for a process that signal N has ended is this plus N.
SIGNALLED = 128

DEFAULT_SCENARIO = Path("testbench/scenarios/first_light.yaml")


@dataclass(frozen=True)
class Scenario:
    """A file, which the user has written unless a command has: then the user does not see it, messages and results
    name the command, and paths in it start at the current folder."""

    path: Path
    #: Words behind `polycast`.
    written_by: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        """Of the simulator."""
        return [str(self.path), *(f"--written-by={word}" for word in self.written_by)]

    @property
    def command(self) -> list[str]:
        """Words behind `polycast` that run it, without settings."""
        return list(self.written_by) or ["run", str(self.path)]

    def __str__(self) -> str:
        return shlex.join(self.written_by) if self.written_by else shown(self.path)


def ready(preset: str = "release") -> Path:
    """Builds the simulator where it is missing or out of date; returns its path."""
    build(preset, targets=["polycast-sim"])
    return simulator(preset)


def left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"about {clock} left"


def progress_of(line: str) -> dict[str, Any] | None:
    """The progress message in `line`, if it is one: {"done":3,"total":20,"point":"ring/tree","seconds_left":12.3}."""
    if not line.startswith("{"):
        return None
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and "done" in message and "total" in message else None


def show(bar: Progress, task: TaskID, message: dict[str, Any]) -> None:
    bar.update(
        task,
        completed=message["done"],
        total=message["total"],
        description=visible(str(message.get("point", ""))),
        left=left(message.get("seconds_left")),
    )


def early_end(code: int) -> str:
    """What a status of mpirun means that no rank has explained."""
    number = -code if code < 0 else code - SIGNALLED
    if number in (one.value for one in signal.Signals):
        name = signal.Signals(number).name
        return (
            f"a rank was ended by signal {number} ({name}), by somebody or as memory ran out; no results were written"
        )
    return (
        f"mpirun ended with status {code} and without results: it was interrupted, or could not start the ranks; it "
        "says more with --mpi '--bind-to none --oversubscribe'"
    )


def simulate(
    program: Path,
    arguments: Sequence[str | Path],
    label: str = "simulating",
    launch: Sequence[str] = (),
    said: list[str] | None = None,
) -> int:
    """Runs a subcommand of the simulator that reports progress; what it prints is left to the caller to say.
    `launch`: words before its name (polycast_cli/ranks.py); `said`: gets its messages, which are shown without.

    Ctrl-C reaches the simulator as part of our process group, or is passed on where it was for us alone; it is waited
    for, so that it can clean up.
    \\raises UserError where ranks have ended before there were results, and none has said why
    """
    command = [*launch, str(program), *(str(argument) for argument in arguments), "--progress", "json"]
    erred = interrupted = False
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        assert process.stderr is not None
        try:
            with progress(label, TimeElapsedColumn(), words("{task.fields[left]}")) as bar:
                task = bar.add_task("", total=None, left="")
                for line in process.stderr:
                    if (message := progress_of(line)) is not None:
                        show(bar, task, message)
                    else:
                        erred |= line.startswith("error:")
                        interrupted |= line.startswith("interrupted")
                        if said is None:
                            bar.console.print(line.rstrip("\n"))
                        else:
                            said.append(line.rstrip("\n"))
        except KeyboardInterrupt:
            # A second Ctrl-C ends us at once; the first one lets the simulator clean up.
            rest = Thread(target=lambda stream, lines: lines.extend(stream), args=(process.stderr, late := []))
            rest.start()
            try:
                code = process.wait(HEARD)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                code = process.wait()
            rest.join()
            if said is None:
                sys.stderr.writelines(line for line in late if progress_of(line) is None)
            return code if code in (Status.OK, Status.FAILED) else Status.INTERRUPTED
        code = process.wait()
    # mpirun has a status of its own where it was interrupted.
    if code in (-signal.SIGINT, Status.INTERRUPTED) or (launch and interrupted):
        return Status.INTERRUPTED
    if launch and code != Status.OK and not erred:
        raise UserError(early_end(code))
    return code if code >= 0 else 128 - code
