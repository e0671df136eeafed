# SPDX-License-Identifier: Apache-2.0
"""Jobs on workers of a Dask scheduler, which may be those of batch_systems.py."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cloudpickle
import dask
from distributed import Client, Future, KilledWorker, WorkerPlugin, as_completed

from polycast_cli.common import Failure, UserError, say, shown
from polycast_cli.jobs import worker
from polycast_cli.jobs.batch_systems import BATCH_SYSTEMS, Refusal, batch_cluster, batch_options, kept
from polycast_cli.jobs.model import Job, Outcome

cloudpickle.register_pickle_by_value(worker)

#: Number of workers that a job is given to, one after another, if they die.
ATTEMPTS = 3

SECONDS_TO_GATHER = 30
SECONDS_BETWEEN_LOOKS = 0.05


@dataclass
class Cluster:
    """A Pool of the workers of a scheduler."""

    client: Client
    refusal: Refusal = field(default_factory=Refusal)

    def slots(self) -> int:
        """Jobs at once."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(int(each["nthreads"]) for each in workers)

    def check_shared(self, folder: Path) -> None:
        """\\raises UserError where a worker does not see `folder` as we do"""
        content = uuid.uuid4().hex
        probe = folder / f".shared-{content[:8]}"
        probe.write_text(content)
        path = str(probe.resolve())
        try:
            found = self.client.run(reader(), path)
        finally:
            probe.unlink()
        blind = sorted(address for address, text in found.items() if text != content)
        if blind:
            raise UserError(
                f"{shown(folder)}: not the same folder on {', '.join(blind)}; "
                "results, simulator and scenarios must lie in a folder that all machines share, under one path"
            )

    @contextmanager
    def batch(self) -> Iterator[Submission]:
        submission = Submission(self.client, self.refusal)
        try:
            yield submission
        except BaseException:
            submission.stop()
            raise
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                self.client.unregister_worker_plugin(submission.name)


class Submission:
    """A Batch whose jobs are tasks of the scheduler."""

    def __init__(self, client: Client, refusal: Refusal) -> None:
        self.client = client
        self.refusal = refusal
        self.name = f"polycast-{uuid.uuid4().hex[:12]}"
        client.register_plugin(plugin(), name=self.name)
        self.execute = executor(self.name)
        self.jobs: dict[str, Job] = {}
        self.futures: list[Future] = []
        self.waiting = as_completed(loop=client.loop)

    def submit(self, job: Job, rank: int) -> None:
        key = f"{self.name}-{len(self.jobs)}"
        self.jobs[key] = job
        values = job.plain(self.name)
        future = self.client.submit(self.execute, values, key=key, priority=-rank, retries=ATTEMPTS - 1)
        self.futures.append(future)
        self.waiting.add(future)

    def ended(self) -> Iterator[tuple[Job, Outcome]]:
        while not self.waiting.is_empty():
            future = self.next()
            job = self.jobs[str(future.key)]
            outcome = self.collect(job, future)
            future.release()
            if outcome is not None:
                yield job, outcome
            elif self.client.status == "running":
                self.submit(job, 0)
            else:
                raise Failure("the connection to the scheduler was lost; the same command continues from here")

    def next(self) -> Future:
        """The next that ends. \\raises UserError where the batch system gives no worker that could end one"""
        while not self.waiting.has_ready():
            if self.refusal.wait(SECONDS_BETWEEN_LOOKS):
                raise UserError(self.refusal.why)
        return next(self.waiting)

    def collect(self, job: Job, future: Future) -> Outcome | None:
        """The outcome of a job that ended; None where it is not known because the worker died."""
        # Not asked of the worker, which may be dead by now.
        if written := self.read(job):
            return written
        if future.status == "finished":  # and file systems between machines can be slow
            try:
                return Outcome.of(future.result(timeout=SECONDS_TO_GATHER))
            except Exception:
                return None
        if future.status == "error":
            error = future.exception()
            died = isinstance(error, KilledWorker)
            return job.lost(
                "the workers that had it died: out of memory, or stopped from outside" if died else f"worker: {error!r}"
            )
        return None

    def read(self, job: Job) -> Outcome | None:
        """What job.json says, if we submitted the job."""
        try:
            values = json.loads((job.folder / "job.json").read_text())
        except (OSError, ValueError):
            return None
        return Outcome.of(values) if values.get("submission") == self.name else None

    def stop(self) -> None:
        """Nothing of ours runs afterwards."""
        with contextlib.suppress(Exception):
            self.client.cancel(self.futures, force=True)
            self.client.run(stopper(self.name), on_error="ignore")


# A function or class inside a function is sent by value.


def plugin() -> WorkerPlugin:
    class Plugin(WorkerPlugin):
        """Gives a worker its Runner."""

        def setup(self, worker: Any) -> None:
            self.runner = runner()

        def teardown(self, worker: Any) -> None:
            self.runner.stop()

    runner = worker.Runner
    return Plugin()


def executor(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def execute(job: dict[str, Any]) -> dict[str, Any]:
        from distributed import get_worker

        return get_worker().plugins[name].runner.execute(job)

    return execute


def stopper(name: str) -> Callable[..., None]:
    def stop(dask_worker: Any) -> None:
        dask_worker.plugins[name].runner.stop()

    return stop


def reader() -> Callable[[str], str]:
    function = worker.seen

    def read(path: str) -> str:
        return function(path)

    return read


@contextmanager
def open_cluster(scheduler: str, workers: int | None, folder: Path) -> Iterator[Cluster]:
    """`scheduler`: an address like tls://HOST:PORT, or slurm, lsf with options (batch_options()); `workers`: jobs at
    once of slurm and lsf; `folder`: one that all machines share."""
    kind = scheduler.partition(":")[0]
    refusal = Refusal(f"--scheduler {scheduler}: {kind} refuses the workers")
    quiet = {"distributed.scheduler.allowed-failures": ATTEMPTS - 1, "distributed.scheduler.worker-saturation": 1.0}
    with dask.config.set(quiet), contextlib.ExitStack() as stack:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if kind in BATCH_SYSTEMS:
            target: Any = stack.enter_context(batch_cluster(scheduler, folder))
            wanted = math.ceil((workers or 1) / int(batch_options(scheduler)["cores"]))
            stack.enter_context(kept(target, wanted, refusal))  # one that ends, by its time limit say, is replaced
            say(f"asked {kind} for {wanted} worker{'s' if wanted > 1 else ''}; jobs begin when a worker starts")
        elif "://" in scheduler:
            if workers is not None:
                raise UserError("-j has no meaning with the address of a scheduler, which has its own workers")
            target = scheduler
        else:
            known = "tcp://HOST:PORT, tls://HOST:PORT, slurm[:OPTIONS], lsf[:OPTIONS]"
            raise UserError(f"--scheduler {scheduler}: expected {known}")
        try:
            client = stack.enter_context(Client(target, timeout=10, set_as_default=False))
        except OSError as error:
            raise UserError(f"--scheduler {scheduler}: no scheduler answers: {error}") from None
        except TypeError:  # what Dask raises without certificates
            names = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__CLIENT__CERT and ..__CLIENT__KEY"
            raise UserError(f"--scheduler {scheduler}: needs certificates: name their files in {names}") from None
        cluster = Cluster(client, refusal)
        if target == scheduler and not cluster.slots():
            say(f"the scheduler {scheduler} has no workers yet; jobs begin when a worker joins")
        yield cluster
