# SPDX-License-Identifier: Apache-2.0
"""Jobs on workers of a Dask scheduler, or on workers that Slurm or LSF starts."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import json
import logging
import math
import signal
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import dask
import yaml
from distributed import Client, Future, KilledWorker, WorkerPlugin, as_completed
from distributed.security import Security

from polycast_cli.common import Failure, UserError, say, shown
from polycast_cli.jobs import worker
from polycast_cli.jobs.model import Job, Outcome

if TYPE_CHECKING:
    from dask_jobqueue.core import JobQueueCluster

cloudpickle.register_pickle_by_value(worker)

#: Number of workers that a job is given to, one after another, if they die.
ATTEMPTS = 3

SECONDS_BETWEEN_REPAIRS = 2.0
SECONDS_TO_GATHER = 30

BATCH_SYSTEMS = ("slurm", "lsf")
#: Dask's, each with a certificate.
ROLES = ("client", "scheduler", "worker")


@dataclass
class Cluster:
    """A Pool of the workers of a scheduler."""

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

    @contextmanager
    def batch(self) -> Iterator[Submission]:
        submission = Submission(self.client)
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

    def __init__(self, client: Client) -> None:
        self.client = client
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
        for future in self.waiting:
            job = self.jobs[str(future.key)]
            outcome = self.collect(job, future)
            future.release()
            if outcome is not None:
                yield job, outcome
            elif self.client.status == "running":
                self.submit(job, 0)
            else:
                raise Failure("the connection to the scheduler was lost; the same command continues from here")

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
    quiet = {"distributed.scheduler.allowed-failures": ATTEMPTS - 1, "distributed.scheduler.worker-saturation": 1.0}
    with dask.config.set(quiet), contextlib.ExitStack() as stack:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if kind in BATCH_SYSTEMS:
            target: Any = stack.enter_context(batch_cluster(scheduler, folder))
            wanted = math.ceil((workers or 1) / int(batch_options(scheduler)["cores"]))
            stack.enter_context(kept(target, wanted))  # one that ends, by its time limit say, is replaced
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
        cluster = Cluster(client)
        if target == scheduler and not cluster.slots():
            say(f"the scheduler {scheduler} has no workers yet; jobs begin when a worker joins")
        yield cluster


@contextmanager
def kept(cluster: Any, count: int) -> Iterator[None]:
    """So many jobs of a batch system: those that ended are started anew."""
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
    """`kind`: one of BATCH_SYSTEMS."""
    before = signal.getsignal(signal.SIGINT)
    import dask_jobqueue  # makes Ctrl-C end the process with status 0

    signal.signal(signal.SIGINT, before)
    return {"slurm": dask_jobqueue.SLURMCluster, "lsf": dask_jobqueue.LSFCluster}[kind]


def batch_options(scheduler: str) -> dict[str, Any]:
    """What dask-jobqueue is given for "slurm", "slurm:FILE.yaml" or
    "slurm:queue=long,walltime=02:00:00,memory=4GB,cores=8". \\raises UserError naming an unknown option"""
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


@contextmanager
def batch_cluster(scheduler: str, folder: Path) -> Iterator[JobQueueCluster]:
    """Nothing is submitted before it is scaled. Its processes talk by TLS unless the options say `protocol=tcp://`;
    their web pages are for their own machines. `folder`: one that all machines share."""
    options = batch_options(scheduler)
    at_home = "127.0.0.1:0"
    options["scheduler_options"] = {"dashboard_address": at_home} | options.get("scheduler_options", {})
    options["worker_extra_args"] = ["--dashboard-address", at_home, *options.get("worker_extra_args", [])]
    with contextlib.ExitStack() as stack:
        try:
            if options.setdefault("protocol", "tls://") == "tls://" and "security" not in options:
                options["security"] = stack.enter_context(certificates(folder))
            system = batch_system(scheduler.partition(":")[0])
            cluster = stack.enter_context(system(**options, silence_logs=logging.CRITICAL))
        except (OSError, ValueError, TypeError) as error:
            raise UserError(f"--scheduler {scheduler}: {error}") from None
        yield cluster


@contextmanager
def certificates(folder: Path) -> Iterator[Security]:
    """For this cluster alone, in files below `folder` that only their owner can read, as long as the context exists."""
    made = Security.temporary()
    with tempfile.TemporaryDirectory(prefix=".certificates-", dir=folder, ignore_cleanup_errors=True) as private:
        cert, key = Path(private).resolve() / "cert.pem", Path(private).resolve() / "key.pem"
        cert.write_text(made.tls_ca_file)
        key.write_text(made.tls_client_key)
        roles = {f"tls_{role}_{kind}": str(file) for role in ROLES for kind, file in (("cert", cert), ("key", key))}
        yield Security(require_encryption=True, tls_ca_file=str(cert), **roles)
