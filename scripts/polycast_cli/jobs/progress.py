# SPDX-License-Identifier: Apache-2.0
"""How far a campaign is, on the terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from polycast_cli.common import err
from polycast_cli.jobs.cluster import Cluster
from polycast_cli.jobs.model import Job, Outcome
from polycast_cli.jobs.run import Told
from polycast_cli.simulator import left

SECONDS_BETWEEN_LOOKS = 2.0  # at how many workers there are


@contextmanager
def shown_progress(label: str, jobs: Sequence[Job], cluster: Cluster | None) -> Iterator[Told]:
    """Gives what run_jobs() tells: done, failed, running, time left. Failures are lines that stay."""
    columns = (
        TextColumn(f"polycast: {label}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}", style="red"),
        TextColumn("{task.fields[running]} running"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.description}"),
    )
    begin = looked = time.monotonic()
    total = sum(job.weight for job in jobs)
    known_weight = done_weight = 0.0
    done = failed = 0
    slots = cluster.slots() if cluster else 0
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("", total=len(jobs), failed="", running=min(slots, len(jobs)), left="")

        def told(job: Job, outcome: Outcome, known: bool) -> None:
            nonlocal known_weight, done_weight, done, failed, slots, looked
            done += 1
            if known:
                known_weight += job.weight
            else:
                done_weight += job.weight
            now = time.monotonic()
            if cluster and now - looked > SECONDS_BETWEEN_LOOKS:
                slots, looked = cluster.slots(), now
            if not outcome.passed:
                failed += 1
                code = "" if outcome.exit_code is None else f" (exit status {outcome.exit_code})"
                again = ", in an earlier run" if known else ""
                progress.console.print(f"polycast: {job.name}: {outcome.status}{code}{again}", markup=False)
            rate = done_weight / (now - begin) if done_weight else 0.0
            rest = (total - known_weight - done_weight) / rate if rate else None
            progress.update(
                task,
                completed=done,
                description=job.name,
                failed=f"{failed} failed" if failed else "",
                running=min(slots, len(jobs) - done),
                left=left(rest),
            )

        yield told
