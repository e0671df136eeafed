# SPDX-License-Identifier: Apache-2.0
"""Workers that Slurm or LSF starts, by dask-jobqueue."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import logging
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from distributed import Status
from distributed.security import Security

from polycast_cli.common import UserError

if TYPE_CHECKING:
    from dask_jobqueue.core import Job, JobQueueCluster

SECONDS_BETWEEN_REPAIRS = 2.0
#: So often in a row all workers are refused before the commands of the batch system count as wrong, and not as busy.
REFUSALS = 3

BATCH_SYSTEMS = ("slurm", "lsf")
#: Dask's, each with a certificate.
ROLES = ("client", "scheduler", "worker")


class Refusal(threading.Event):
    """Set where a batch system starts no worker; `why` says what it said."""

    def __init__(self, why: str = "") -> None:
        super().__init__()
        self.why = why


@contextmanager
def kept(cluster: Any, count: int, refusal: Refusal) -> Iterator[None]:
    """So many jobs of a batch system: those that ended or were refused are started anew. Sets `refusal` where it goes
    on to refuse all of them."""
    over = threading.Event()

    def keep() -> None:
        in_a_row = 0
        cluster.scale(count)
        while not over.wait(SECONDS_BETWEEN_REPAIRS):
            refused = {name: job.refused for name, job in dict(cluster.workers).items() if job.refused}
            in_a_row = in_a_row + 1 if refused and len(refused) == len(cluster.workers) else 0
            if in_a_row == REFUSALS:
                refusal.why += f": {next(iter(refused.values()))}"
                refusal.set()
                return
            for name in refused:
                cluster.workers.pop(name, None)  # scale() asks for it once more
            cluster.scale(count)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def refusable(job_cls: type[Job]) -> type[Job]:
    """Jobs that keep what the batch system says when it does not take them, where Dask only prints a traceback."""

    class Refusable(job_cls):  # type: ignore[misc, valid-type]
        refused: str | None = None

        async def start(self) -> None:
            program = self.submit_command.strip(" <")  # "bsub<"
            try:
                await super().start()
            except (OSError, RuntimeError, ValueError) as error:
                # Status, command and output in several lines; that of bsub without what it said.
                said = " ".join(str(error).partition("stderr:\n")[2].split())
                missing = None if shutil.which(program) else f"there is no {program} on this machine"
                self.refused = missing or said or f"{program}: {' '.join(str(error).split())}"
            self.status = Status.running  # Dask waits for workers, which may come late

    return Refusable


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
            job_cls = refusable(system.job_cls)
            cluster = stack.enter_context(system(job_cls=job_cls, **options, silence_logs=logging.CRITICAL))
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
