# SPDX-License-Identifier: Apache-2.0
"""Starts polycast-sim and shows its progress. Its messages and its exit status are passed through as they are."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from polycast_cli.build import build, simulator
from polycast_cli.common import Status, err

DEFAULT_SCENARIO = Path("testbench/scenarios/first_light.yaml")


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


def show(progress: Progress, task: TaskID, message: dict[str, Any]) -> None:
    progress.update(
        task,
        completed=message["done"],
        total=message["total"],
        description=str(message.get("point", "")),
        left=left(message.get("seconds_left")),
    )


def simulate(program: Path, arguments: Sequence[str | Path], label: str = "simulating") -> int:
    """Runs a subcommand of the simulator that reports progress; what it prints is left to the caller to say.

    Ctrl-C reaches the simulator as part of our process group; it is waited for, so that it can clean up.
    """
    command = [str(program), *(str(argument) for argument in arguments), "--progress", "json"]
    columns = (
        TextColumn(f"polycast: {label}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.description}"),
    )
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        assert process.stderr is not None
        try:
            with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
                task = progress.add_task("", total=None, left="")
                for line in process.stderr:
                    if (message := progress_of(line)) is not None:
                        show(progress, task, message)
                    else:
                        progress.console.print(line.rstrip("\n"), markup=False)
        except KeyboardInterrupt:
            # A second Ctrl-C ends us at once; the first one lets the simulator clean up.
            sys.stderr.write(process.stderr.read())
            process.wait()
            return Status.INTERRUPTED
        code = process.wait()
    if code in (-signal.SIGINT, Status.INTERRUPTED):
        return Status.INTERRUPTED
    return code if code >= 0 else 128 - code
