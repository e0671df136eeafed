# SPDX-License-Identifier: Apache-2.0
"""Outcomes of jobs in a file, so that a command that was killed continues where it stopped."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from polycast_cli.common import UserError, shown
from polycast_cli.jobs.model import Job, JobStatus, Outcome

SCHEMA = """
create table if not exists jobs (
    key text primary key, name text not null, status text not null, exit_code integer, seconds real not null,
    worker text not null, tail text not null, folder text not null, ended text not null default current_timestamp
)
"""


class Store:
    """An SQLite file with a row per job. One process at a time has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = sqlite3.connect(path, timeout=0)
        try:
            self.database.execute("pragma locking_mode = exclusive")
            self.database.execute("pragma journal_mode = wal")
            self.database.execute("pragma synchronous = normal")
            self.database.execute(SCHEMA)
            self.database.commit()
        except sqlite3.OperationalError as error:
            self.database.close()
            if "locked" in str(error):
                raise UserError(f"{shown(path)}: another command is using this folder") from None
            raise
        except sqlite3.DatabaseError as error:
            self.database.close()
            raise UserError(f"{shown(path)}: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def put(self, job: Job, outcome: Outcome) -> None:
        row = (job.key, job.name, outcome.status, outcome.exit_code, outcome.seconds, outcome.worker, outcome.tail)
        self.database.execute(
            "insert or replace into jobs (key, name, status, exit_code, seconds, worker, tail, folder)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, str(job.folder)),
        )
        self.database.commit()

    def get(self, job: Job) -> Outcome | None:
        """None where the job is not known, or its files are gone."""
        columns = "name, status, exit_code, seconds, worker, tail"
        row = self.database.execute(f"select {columns} from jobs where key = ?", (job.key,)).fetchone()
        if row is None:
            return None
        _, status, code, seconds, worker, tail = row
        outcome = Outcome(job.key, job.name, JobStatus(status), code, seconds, worker, tail)
        written = outcome.status in (JobStatus.PASSED, JobStatus.FAILED)
        return None if written and job.missing() else outcome

    def forget(self, jobs: Iterable[Job]) -> None:
        """Outcomes of these jobs, and of others that were in their folders."""
        rows = [(job.key, str(job.folder)) for job in jobs]
        self.database.executemany("delete from jobs where key = ? or folder = ?", rows)
        self.database.commit()
