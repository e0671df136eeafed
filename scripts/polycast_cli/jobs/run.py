# SPDX-License-Identifier: Apache-2.0
"""Runs jobs on a cluster."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from distributed import Client, Future, KilledWorker, as_completed

from polycast_cli.common import Failure
from polycast_cli.jobs.cluster import ATTEMPTS, Cluster
from polycast_cli.jobs.model import Job, JobStatus, Outcome
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.worker import Runner

SECONDS_TO_GATHER = 30

#: Told of each job's outcome; `known` where the store had it.
Told = Callable[[Job, Outcome, bool], None]


def run_jobs(
    jobs: Sequence[Job], store: Store, cluster: Cluster | None, told: Told, again: bool = False
) -> list[Outcome]:
    """The outcomes of `jobs`, in their order. Those that the store has are taken from there; with `again`, only those
    that passed. No cluster is needed where nothing is missing.

    KeyboardInterrupt stops what runs; what has ended by then is in the store.
    """
    if len({job.key for job in jobs}) < len(jobs):
        raise ValueError("two jobs have the same key")
    outcomes: dict[str, Outcome] = {}
    for job in jobs:
        known = store.get(job)
        if known is not None and (known.passed or not again):
            outcomes[job.key] = known
            told(job, known, True)
    left = [job for job in jobs if job.key not in outcomes]
    if left:
        if cluster is None:
            raise ValueError("jobs are missing, and there is no cluster")
        for job, outcome in distribute(left, cluster, store):
            outcomes[job.key] = outcome
            told(job, outcome, False)
    return [outcomes[job.key] for job in jobs]


def missing(jobs: Sequence[Job], store: Store, again: bool = False) -> list[Job]:
    """Those that run_jobs() would run."""
    found = ((job, store.get(job)) for job in jobs)
    return [job for job, known in found if known is None or (again and not known.passed)]


def plain(job: Job) -> dict[str, Any]:
    return {
        "key": job.key,
        "name": job.name,
        "command": list(job.command),
        "folder": str(job.folder.resolve()),
        "timeout": job.timeout,
        "cwd": str(job.cwd.resolve()) if job.cwd else None,
        "env": dict(job.env),
        "expected": list(job.expected),
        "outputs": [str(path) for path in job.outputs],
    }


def executor(plugin: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    # A function inside a function is sent by value.
    def execute(job: dict[str, Any]) -> dict[str, Any]:
        from distributed import get_worker

        return get_worker().plugins[plugin].execute(job)

    return execute


def stopper(plugin: str) -> Callable[..., None]:
    def stop(dask_worker: Any) -> None:
        dask_worker.plugins[plugin].stop()

    return stop


def distribute(jobs: Sequence[Job], cluster: Cluster, store: Store) -> Iterator[tuple[Job, Outcome]]:
    """Yields jobs with their outcomes as they end."""
    client = cluster.client
    submission = f"polycast-{uuid.uuid4().hex[:12]}"
    client.register_plugin(Runner(), name=submission)
    store.forget(jobs)  # their folders will hold something else
    execute = executor(submission)
    submitted: dict[str, Job] = {}

    def submit(job: Job, rank: int) -> Future:
        key = f"{submission}-{len(submitted)}"
        submitted[key] = job
        values = plain(job) | {"submission": submission}
        return client.submit(execute, values, key=key, priority=-rank, retries=ATTEMPTS - 1)

    heaviest_first = sorted(jobs, key=lambda job: -job.weight)
    futures = [submit(job, rank) for rank, job in enumerate(heaviest_first)]
    try:
        ended = as_completed(futures, loop=client.loop)
        for future in ended:
            job = submitted[str(future.key)]
            outcome = collect(job, future, submission)
            future.release()
            if outcome is None:
                if client.status != "running":
                    raise Failure("the connection to the scheduler was lost; the same command goes on from here")
                futures.append(submit(job, 0))
                ended.add(futures[-1])
                continue
            store.put(job, outcome)
            yield job, outcome
    except BaseException:
        stop(client, futures, submission)
        raise
    finally:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            client.unregister_worker_plugin(submission)


def collect(job: Job, future: Future, submission: str) -> Outcome | None:
    """Of a job that ended; None where nobody knows, because a worker died in between."""
    # Not asked of the worker, which may be dead by now.
    if written := read_outcome(job, submission):
        return written
    if future.status == "finished":  # and file systems between machines can be slow
        try:
            return outcome_of(future.result(timeout=SECONDS_TO_GATHER))
        except Exception:
            return None
    if future.status == "error":
        error = future.exception()
        died = isinstance(error, KilledWorker)
        tail = "the workers that had it died: out of memory, or stopped from outside" if died else f"worker: {error!r}"
        return Outcome(job.key, job.name, JobStatus.LOST, None, 0.0, "", tail)
    return None


def read_outcome(job: Job, submission: str) -> Outcome | None:
    """Of job.json, where this call submitted it."""
    try:
        values = json.loads((job.folder / "job.json").read_text())
    except (OSError, ValueError):
        return None
    return outcome_of(values) if values.get("submission") == submission else None


def outcome_of(values: dict[str, Any]) -> Outcome:
    known = {field.name: values[field.name] for field in fields(Outcome)}
    return Outcome(**known | {"status": JobStatus(known["status"])})


def stop(client: Client, futures: Sequence[Future], plugin: str) -> None:
    """Nothing of ours runs afterwards."""
    with contextlib.suppress(Exception):
        client.cancel(list(futures), force=True)
        client.run(stopper(plugin), on_error="ignore")
