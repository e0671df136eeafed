# SPDX-License-Identifier: Apache-2.0
"""How far jobs are, on the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import TimeElapsedColumn

from polycast_cli.common import err, say, visible
from polycast_cli.jobs.model import Job, Outcome
from polycast_cli.jobs.pool import Pool
from polycast_cli.simulator import left
from polycast_cli.terminal import progress, words

SECONDS_BETWEEN_LOOKS = 2.0  # at how many workers there are
SECONDS_BETWEEN_LINES = 30.0  # where there is no terminal


@dataclass
class Total:
    """What there is to run. It may change while jobs run: some lead to others, some make others needless."""

    jobs: int
    weight: float

    @classmethod
    def of(cls, jobs: Sequence[Job]) -> Total:
        return cls(len(jobs), sum(job.weight for job in jobs))


@contextmanager
def shown_progress(
    label: str, total: Total, pool: Pool, tells_failures: bool
) -> Iterator[Callable[[Job, Outcome], None]]:
    """Gives what is called with each outcome. Shows jobs that are done, failed, running, and the time left; failures
    are lines that stay."""
    columns = (
        words("{task.fields[failed]}", "red"), words("{task.fields[running]} running"), TimeElapsedColumn(),
        words("{task.fields[left]}"),
    )  # fmt: skip
    begin = looked = spoken = time.monotonic()
    weight = 0.0
    done = failed = 0
    slots = pool.slots()
    with progress(label, *columns) as bar:
        task = bar.add_task("", total=total.jobs, failed="", running=min(slots, total.jobs), left="")

        def show(job: Job, outcome: Outcome) -> None:
            nonlocal weight, done, failed, slots, looked, spoken
            done += 1
            weight += job.weight
            now = time.monotonic()
            if now - looked > SECONDS_BETWEEN_LOOKS:
                slots, looked = pool.slots(), now
            if not outcome.passed and tells_failures:
                failed += 1
                code = "" if outcome.exit_code is None else f" (exit status {outcome.exit_code})"
                bar.console.print(f"polycast: {job.name}: {outcome.status}{code}")
            rest = left((total.weight - weight) * (now - begin) / weight if weight else None)
            bar.update(
                task,
                completed=done,
                total=total.jobs,
                description=visible(job.name),
                failed=f"{failed} failed" if failed else "",
                running=min(slots, total.jobs - done),
                left=rest,
            )
            if not err.is_terminal and now - spoken > SECONDS_BETWEEN_LINES:
                spoken = now
                say(f"{label}: {done:,} of {total.jobs:,} done{', ' if rest else ''}{rest}")

        yield show
