# SPDX-License-Identifier: Apache-2.0
"""Where jobs run: processes of this machine, a Dask scheduler that is there, or workers that Slurm or LSF starts."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import logging
import math
import os
import signal
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import dask
import yaml
from distributed import Client, LocalCluster

from polycast_cli.common import UserError, say, shown
from polycast_cli.jobs import worker

if TYPE_CHECKING:
    from dask_jobqueue.core import JobQueueCluster

cloudpickle.register_pickle_by_value(worker)

#: A job is given to so many workers, one after another, where they die.
ATTEMPTS = 3

SECONDS_BETWEEN_REPAIRS = 2.0

BATCH_SYSTEMS = ("slurm", "lsf")


@dataclass
class Cluster:
    client: Client

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


def reader() -> Any:
    function = worker.seen

    def read(path: str) -> str:
        return function(path)

    return read


@contextmanager
def open_cluster(scheduler: str | None = None, workers: int | None = None) -> Iterator[Cluster]:
    """`scheduler`: None, an address like tcp://HOST:PORT, or slurm, lsf with options (batch_options()); `workers`: jobs
    at once, all cores of this machine by default."""
    kind = (scheduler or "").partition(":")[0]
    quiet = {"distributed.scheduler.allowed-failures": ATTEMPTS - 1, "distributed.scheduler.worker-saturation": 1.0}
    with dask.config.set(quiet), contextlib.ExitStack() as stack:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if scheduler is None:
            target: Any = stack.enter_context(local_cluster(workers))
        elif kind in BATCH_SYSTEMS:
            target = stack.enter_context(batch_cluster(scheduler))
            wanted = math.ceil((workers or 1) / int(batch_options(scheduler)["cores"]))
            stack.enter_context(kept(target, wanted))  # one that ends, by its time limit say, is replaced
            say(f"asked {kind} for {wanted} worker{'s' if wanted > 1 else ''}; jobs begin when it starts one")
        elif "://" in scheduler:
            if workers is not None:
                raise UserError("-j is for clusters that are started here; a scheduler that is there has its workers")
            target = scheduler
        else:
            known = "tcp://HOST:PORT, slurm[:OPTIONS], lsf[:OPTIONS]"
            raise UserError(f"--scheduler {scheduler}: expected {known}")
        try:
            client = stack.enter_context(Client(target, timeout=10 if scheduler else 60, set_as_default=False))
        except OSError as error:
            raise UserError(f"--scheduler {scheduler}: nobody answers there: {error}") from None
        cluster = Cluster(client)
        if scheduler is not None and "://" in scheduler and not cluster.slots():
            say(f"the scheduler {scheduler} has no workers yet; jobs begin when it has")
        yield cluster


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Threads and processes that begin in here never see Ctrl-C, which is for us: we stop what they run."""
    resource_tracker.ensure_running()  # its start unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def local_cluster(workers: int | None) -> Iterator[LocalCluster]:
    """A process for each core, so that one which dies takes one job with it."""
    with tempfile.TemporaryDirectory(prefix="polycast-") as scratch:
        with deaf_to_interrupts():
            cluster = LocalCluster(
                n_workers=workers or len(os.sched_getaffinity(0)),
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",  # not the usual port, which may be taken
                worker_dashboard_address=None,
                local_directory=scratch,
                silence_logs=logging.CRITICAL,
            )
        with cluster, kept(cluster, len(cluster.workers)):
            yield cluster


@contextmanager
def kept(cluster: Any, count: int) -> Iterator[None]:
    """So many workers, or jobs of a batch system: those that died for good are started anew. (A nanny gives up where
    its worker dies before it has begun.)"""
    over = threading.Event()

    def keep() -> None:
        cluster.scale(count)
        while not over.wait(SECONDS_BETWEEN_REPAIRS):
            cluster.scale(count)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def batch_system(kind: str) -> type[JobQueueCluster]:
    """Of BATCH_SYSTEMS."""
    before = signal.getsignal(signal.SIGINT)
    import dask_jobqueue  # makes Ctrl-C end the process with status 0

    signal.signal(signal.SIGINT, before)
    return {"slurm": dask_jobqueue.SLURMCluster, "lsf": dask_jobqueue.LSFCluster}[kind]


def batch_options(scheduler: str) -> dict[str, Any]:
    """Of "slurm", "slurm:FILE.yaml" or "slurm:queue=long,walltime=02:00:00,memory=4GB,cores=8": what dask-jobqueue is
    given. \\raises UserError naming an option that it does not have"""
    kind, _, text = scheduler.partition(":")
    if text and "=" not in text:
        try:
            options = yaml.safe_load(Path(text).read_text())
        except (OSError, yaml.YAMLError) as error:
            raise UserError(f"--scheduler {scheduler}: {error}") from None
        if not isinstance(options, dict):
            raise UserError(f"--scheduler {scheduler}: {text} has no options: expected lines like 'queue: long'")
    else:
        options = {}
        for part in filter(None, text.split(",")):
            name, equals, value = part.partition("=")
            if not equals:
                raise UserError(f"--scheduler {scheduler}: {part}: expected NAME=VALUE")
            options[name] = int(value) if value.isdigit() else value
    accepted = set()
    system = batch_system(kind)
    for cls in (*system.job_cls.__mro__, *system.__mro__):
        accepted |= set(inspect.signature(cls.__init__).parameters)
    accepted -= {"self", "args", "kwargs", "base_class_kwargs", "scheduler", "name", "config_name", "n_workers"}
    for name in options:
        if name not in accepted:
            near = difflib.get_close_matches(str(name), accepted, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(accepted))}"
            raise UserError(f"--scheduler {scheduler}: {kind} has no option {name}; {hint}")
    hour = {"slurm": "01:00:00", "lsf": "01:00"}[kind]
    return {"cores": 1, "memory": "2GB", "processes": 1, "walltime": hour} | options


def batch_cluster(scheduler: str) -> JobQueueCluster:
    """Nothing is submitted before it is scaled."""
    options = batch_options(scheduler)
    try:
        return batch_system(scheduler.partition(":")[0])(
            **options, scheduler_options={"dashboard_address": ":0"}, silence_logs=logging.CRITICAL
        )
    except (ValueError, TypeError) as error:
        raise UserError(f"--scheduler {scheduler}: {error}") from None
