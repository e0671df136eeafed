# SPDX-License-Identifier: Apache-2.0
"""A job and what became of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any


class JobStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"  # exit status 1: a check failed
    REFUSED = "refused"  # exit status 2: bad input
    CRASHED = "crashed"  # any other exit status, a signal, or outputs that are not there
    TIMEOUT = "timeout"
    LOST = "lost"  # every worker that had it died, or could not run it


@dataclass(frozen=True)
class Job:
    """A command line.

    `key` stands for everything that decides the result (see identity()): an outcome that the store has under it is not
    worked out again. `stdout`, `stderr` and `job.json` go to `folder`, which is replaced when the job has ended;
    without `cwd` the command runs in that folder while it still has a temporary name.
    """

    key: str
    name: str
    command: tuple[str, ...]
    folder: Path
    weight: float = 1.0  # expected cost, in any unit: heavy jobs begin first
    timeout: float | None = None  # seconds
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)  # besides the worker's
    expected: tuple[int, ...] = (0,)  # exit statuses of a job that passed
    #: Files that a job which passed or failed has written, below its folder: without them it crashed, and an outcome in
    #: the store does not count.
    outputs: tuple[Path, ...] = ()

    def missing(self) -> list[Path]:
        return [path for path in self.outputs if not (self.folder / path).exists()]

    def plain(self, submission: str) -> dict[str, Any]:
        """What worker.py is given."""
        return {
            "submission": submission,
            "key": self.key,
            "name": self.name,
            "command": list(self.command),
            "folder": str(self.folder.resolve()),
            "timeout": self.timeout,
            "cwd": str(self.cwd.resolve()) if self.cwd else None,
            "env": dict(self.env),
            "expected": list(self.expected),
            "outputs": [str(path) for path in self.outputs],
        }

    def lost(self, reason: str) -> Outcome:
        return Outcome(self.key, self.name, JobStatus.LOST, None, 0.0, "", reason)


@dataclass(frozen=True)
class Outcome:
    key: str
    name: str
    status: JobStatus
    exit_code: int | None  # negative: the signal that ended it; None: lost
    seconds: float
    worker: str  # its machine
    tail: str  # last lines of stderr

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Outcome:
        """From what worker.py gives."""
        known = {field.name: values[field.name] for field in fields(cls)}
        return cls(**known | {"status": JobStatus(known["status"])})

    @property
    def passed(self) -> bool:
        return self.status == JobStatus.PASSED


def identity(*parts: str | bytes | Path) -> str:
    """A key: of a path, the file's content counts."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):  # of any size
            digest.update(part.stat().st_size.to_bytes(8, "little"))
            with part.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        else:
            content = part.encode() if isinstance(part, str) else part
            digest.update(len(content).to_bytes(8, "little"))
            digest.update(content)
    return digest.hexdigest()[:32]


@cache
def digest(path: Path) -> str:
    """Stands for a file, or for all that is in a folder; for the simulator together with the firmware that it loads."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return identity(*(part for file in files for part in (str(file.relative_to(path)), file)))
    firmware = sorted((path.parent.parent / "firmware").glob("*.elf")) if path.name == "polycast-sim" else []
    return identity(path, *firmware)
