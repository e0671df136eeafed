# SPDX-License-Identifier: Apache-2.0
"""Runs jobs: those that are given, and those that follow from their outcomes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from polycast_cli.jobs.local import Local
from polycast_cli.jobs.model import Job, Outcome
from polycast_cli.jobs.pool import Pool
from polycast_cli.jobs.progress import Total, shown_progress
from polycast_cli.jobs.store import Store

#: Called with each job's outcome; `known` where the store had it.
Told = Callable[[Job, Outcome, bool], None]
#: Called with each job's outcome; gives the jobs that follow from it.
Further = Callable[[Job, Outcome], Iterable[Job]]


def nothing(job: Job, outcome: Outcome) -> Sequence[Job]:
    return ()


class Work:
    """Jobs with their outcomes: what the store has counts at once, `left` is what run() has to run.

    With `again`, only outcomes of jobs that passed are taken from the store. `further` may give a job once more whose
    outcome it has removed from the store.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        store: Store,
        told: Told = lambda job, outcome, known: None,
        again: bool = False,
        further: Further = nothing,
    ) -> None:
        self.jobs, self.store, self.told, self.again, self.further = list(jobs), store, told, again, further
        if len({job.key for job in self.jobs}) < len(self.jobs):
            raise ValueError("two jobs have the same key")
        self.outcomes: dict[str, Outcome] = {}
        self.left = self.settle(self.jobs)

    def settle(self, jobs: Iterable[Job]) -> list[Job]:
        """Takes what the store has, of jobs that follow, too; returns the jobs that have to run."""
        left, waiting = [], deque(jobs)
        while waiting:
            job = waiting.popleft()
            known = self.store.get(job)
            if known is None or (self.again and not known.passed):
                left.append(job)
            else:
                waiting.extend(self.ended(job, known, True))
        return left

    def ended(self, job: Job, outcome: Outcome, known: bool) -> Iterable[Job]:
        self.outcomes[job.key] = outcome
        self.told(job, outcome, known)
        return self.further(job, outcome)

    def results(self) -> list[Outcome]:
        """The outcomes of the jobs that were given, in their order."""
        return [self.outcomes[job.key] for job in self.jobs]

    def run(
        self,
        label: str,
        scheduler: str | None = None,
        workers: int | None = None,
        total: Total | None = None,
        tells_failures: bool = True,
    ) -> list[Outcome]:
        """Runs what is left here, or on a cluster that is opened for it; where nothing is left, no cluster is needed.

        `scheduler`, `workers`: as for open_pool(); `total`: what is left with all that may follow.
        KeyboardInterrupt stops what runs; what has ended by then is in the store.
        """
        if self.left:
            total = total or Total.of(self.left)
            folder = self.store.path.parent
            with open_pool(scheduler, workers, folder) as pool:
                pool.check_shared(folder)
                with shown_progress(label, total, pool, tells_failures) as show:
                    self.run_on(pool, show)
        return self.results()

    def run_on(self, pool: Pool, show: Callable[[Job, Outcome], None] = nothing) -> list[Outcome]:
        """Runs what is left on this pool."""
        left, self.left = self.left, []
        with pool.batch() as batch:

            def submit(jobs: Sequence[Job]) -> None:
                self.store.forget(jobs)  # their folders will hold something else
                for rank, job in enumerate(sorted(jobs, key=lambda job: -job.weight)):  # heaviest first
                    batch.submit(job, rank)

            submit(left)
            for job, outcome in batch.ended():
                self.store.put(job, outcome)
                show(job, outcome)
                submit(self.settle(self.ended(job, outcome, False)))
        return self.results()


def open_pool(scheduler: str | None, workers: int | None, folder: Path) -> AbstractContextManager[Pool]:
    """`scheduler`: None for this machine, or as for open_cluster(); `workers`: jobs at once, all cores of this machine
    by default; `folder`: where the jobs' folders are."""
    if scheduler is None:
        return nullcontext(Local(workers))
    from polycast_cli.jobs.cluster import open_cluster  # Dask takes longer to import than a small job to run

    return open_cluster(scheduler, workers, folder)
