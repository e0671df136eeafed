# SPDX-License-Identifier: Apache-2.0
"""Jobs on this machine: threads of this process, each of which waits for the process of a job."""

from __future__ import annotations

import itertools
import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import PriorityQueue, SimpleQueue

from polycast_cli.jobs.model import Job, Outcome
from polycast_cli.jobs.worker import Runner


class Local:
    """A Pool of `workers` threads, one for each core by default."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or len(os.sched_getaffinity(0))

    def slots(self) -> int:
        return self.workers

    def check_shared(self, folder: Path) -> None:
        """A thread sees what we see."""

    @contextmanager
    def batch(self) -> Iterator[Threads]:
        threads = Threads(self.workers)
        try:
            yield threads
        finally:
            threads.stop()


class Threads:
    """A Batch. Its threads begin with the first jobs."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.name = f"polycast-{uuid.uuid4().hex[:12]}"
        self.runner = Runner(alone=True)
        self.threads: list[threading.Thread] = []
        self.serial = itertools.count()
        #: By rank, then in the order of submission; None ends a thread.
        self.waiting: PriorityQueue[tuple[int, int, Job | None]] = PriorityQueue()
        self.done: SimpleQueue[tuple[Job, Outcome]] = SimpleQueue()
        self.left = 0  # jobs that were submitted and that ended() has not given

    def submit(self, job: Job, rank: int) -> None:
        self.left += 1
        self.waiting.put((rank, next(self.serial), job))
        if len(self.threads) < self.most:
            # A daemon: a second Ctrl-C, which interrupts stop(), ends the process nevertheless.
            self.threads.append(threading.Thread(target=self.work, daemon=True))
            self.threads[-1].start()

    def ended(self) -> Iterator[tuple[Job, Outcome]]:
        while self.left:
            yield self.done.get()
            self.left -= 1

    def work(self) -> None:
        while (job := self.waiting.get()[2]) is not None:
            self.done.put((job, self.execute(job)))

    def execute(self, job: Job) -> Outcome:
        try:
            return Outcome.of(self.runner.execute(job.plain(self.name)))
        except Exception as error:  # no room for its folder, say
            return job.lost(f"worker: {error!r}")

    def stop(self) -> None:
        self.runner.stop()
        for _ in self.threads:
            self.waiting.put((-1, next(self.serial), None))  # before all jobs
        for thread in self.threads:
            thread.join()
