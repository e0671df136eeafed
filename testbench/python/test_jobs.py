# SPDX-License-Identifier: Apache-2.0
"""Jobs here and on clusters: every way to end, dying workers, interruptions, machines apart, batch systems."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dask
import psutil
import pytest
from distributed import Client
from distributed.security import Security
from fixture_cluster import apart, begun, until
from polycast_cli.common import ROOT, UserError
from polycast_cli.jobs import batch_systems
from polycast_cli.jobs.batch_systems import ROLES, batch_cluster, batch_options
from polycast_cli.jobs.cluster import open_cluster
from polycast_cli.jobs.local import Local
from polycast_cli.jobs.model import Job, JobStatus, Outcome, identity
from polycast_cli.jobs.pool import Pool
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work


def shell(folder: Path, name: str, script: str, **options: object) -> Job:
    return Job(identity(name, script), name, ("sh", "-c", script), folder / name, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["here", "cluster"])
def pool(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """Each with two workers."""
    if request.param == "here":
        yield Local(2)
        return
    folder = tmp_path_factory.mktemp("cluster")
    with apart(folder, workers=2) as address, open_cluster(address, None, folder) as cluster:
        until(lambda: cluster.slots() == 2)
        yield cluster


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "jobs.sqlite") as opened:
        yield opened


def test_every_way_to_end(pool: Pool, store: Store, tmp_path: Path) -> None:
    jobs = [
        shell(tmp_path, "good", "echo out; echo err >&2; echo $GREETING > file", env={"GREETING": "hello"}),
        shell(tmp_path, "check", "echo broken >&2; exit 1", outputs=()),
        shell(tmp_path, "input", "exit 2"),
        shell(tmp_path, "status", "exit 7"),
        shell(tmp_path, "signal", "kill -SEGV $$"),
        shell(tmp_path, "slow", "sleep 60 & sleep 60", timeout=0.3),
        shell(tmp_path, "absent", "true", outputs=(Path("results.json"),)),
        shell(tmp_path, "wanted", "exit 3", expected=(3,)),
        Job("k", "nowhere", ("/no/such/program",), tmp_path / "nowhere"),
        shell(tmp_path, "place", "pwd", cwd=tmp_path),
    ]
    began = time.monotonic()
    outcomes = {outcome.name: outcome for outcome in Work(jobs, store).run_on(pool)}
    assert list(outcomes) == [job.name for job in jobs]
    assert time.monotonic() - began < 30  # the slow one was not waited for
    assert {name: (str(outcome.status), outcome.exit_code) for name, outcome in outcomes.items()} == {
        "good": ("passed", 0),
        "check": ("failed", 1),
        "input": ("refused", 2),
        "status": ("crashed", 7),
        "signal": ("crashed", -signal.SIGSEGV),
        "slow": ("timeout", -signal.SIGTERM),
        "absent": ("crashed", 0),
        "wanted": ("passed", 3),
        "nowhere": ("crashed", 127),
        "place": ("passed", 0),
    }
    assert outcomes["check"].tail == "broken"
    assert "results.json" in outcomes["absent"].tail
    assert "/no/such/program" in outcomes["nowhere"].tail
    assert (tmp_path / "good/stdout").read_text() == "out\n"
    assert (tmp_path / "good/stderr").read_text() == "err\n"
    assert (tmp_path / "good/file").read_text() == "hello\n"
    assert (tmp_path / "place/stdout").read_text().strip() == str(tmp_path.resolve())
    assert json.loads((tmp_path / "status/job.json").read_text())["exit_code"] == 7
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_only_what_is_missing_runs(pool: Pool, store: Store, tmp_path: Path) -> None:
    count = 'echo x >> "$COUNT"; '
    env = {"COUNT": str(tmp_path / "count")}
    jobs = [
        shell(tmp_path, "good", count + "echo x > file", env=env, outputs=(Path("file"),)),
        shell(tmp_path, "bad", count + "exit 1", env=env),
    ]

    def runs() -> int:
        return len((tmp_path / "count").read_text().splitlines())

    told = []
    Work(jobs, store, lambda job, outcome, known: told.append((job.name, known))).run_on(pool)
    assert sorted(told) == [("bad", False), ("good", False)]
    told.clear()
    work = Work(jobs, store, lambda job, outcome, known: told.append((job.name, known)))
    assert not work.left
    outcomes = work.run("nothing", scheduler="no cluster is needed")
    assert [str(outcome.status) for outcome in outcomes] == ["passed", "failed"]
    assert sorted(told) == [("bad", True), ("good", True)]
    assert runs() == 2
    Work(jobs, store, again=True).run_on(pool)
    assert runs() == 3  # the bad one
    (tmp_path / "good/file").unlink()
    assert Work(jobs, store).left == jobs[:1]
    Work(jobs, store).run_on(pool)
    assert runs() == 4
    with pytest.raises(ValueError, match="same key"):
        Work([*jobs, jobs[0]], store)


def test_jobs_follow_from_outcomes(pool: Pool, store: Store, tmp_path: Path) -> None:
    """Each asks for the next one until the third; the second time all of them are known."""
    order = []

    def counted(number: int) -> Job:
        name = f"step{number}"
        return shell(tmp_path, name, f"echo {number} > file", outputs=(Path("file"),))

    def further(job: Job, outcome: Outcome) -> list[Job]:
        order.append((job.name, outcome.passed, (job.folder / "file").read_text()))
        number = int(job.name.removeprefix("step"))
        return [counted(number + 1)] if number < 3 else []

    outcomes = Work([counted(1)], store, further=further).run_on(pool)
    assert [outcome.name for outcome in outcomes] == ["step1"]
    assert order == [(f"step{number}", True, f"{number}\n") for number in (1, 2, 3)]
    (tmp_path / "step2/file").unlink()
    work = Work([counted(1)], store, further=further)
    assert [job.name for job in work.left] == ["step2"]
    work.run_on(pool)
    assert [name for name, _, _ in order[3:]] == ["step1", "step2", "step3"]
    assert not Work([counted(1)], store, further=further).left


def test_a_store_has_one_user(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="another command"):
        Store(store.path)
    (tmp_path / "other.sqlite").write_text("no database" * 100)
    with pytest.raises(UserError, match=re.escape("other.sqlite")):
        Store(tmp_path / "other.sqlite")


def parent_of_parent(marker: str) -> str:
    """Kills the worker of a cluster: setpriv becomes the shell, so that its parent is the worker's process."""
    return f'echo x >> "{marker}"; kill -9 $PPID; sleep 5'


def test_a_killed_job_is_lost_alone(store: Store, tmp_path: Path) -> None:
    jobs = [
        shell(tmp_path, "killed", "kill -KILL $$"),
        *(shell(tmp_path, f"bystander{i}", "sleep 0.05") for i in range(6)),
    ]
    outcomes = Work(jobs, store).run_on(Local(2))
    assert [(str(outcome.status), outcome.exit_code) for outcome in outcomes] == [("crashed", -9)] + [("passed", 0)] * 6


def test_a_job_that_cannot_begin(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    jobs = [shell(tmp_path / "file", "nowhere", "true"), shell(tmp_path, "good", "true")]
    lost, passed = Work(jobs, store).run_on(Local(1))
    assert (str(lost.status), lost.exit_code, str(passed.status)) == ("lost", None, "passed")
    assert "NotADirectoryError" in lost.tail


def test_heavy_jobs_begin_first(store: Store, tmp_path: Path) -> None:
    """Jobs that follow come before those that wait with less weight."""
    order = []

    def further(job: Job, outcome: Outcome) -> list[Job]:
        order.append(job.name)
        return [shell(tmp_path, "follows", "true")] if job.name == "w9" else []

    jobs = [shell(tmp_path, f"w{weight}", "sleep 0.3", weight=float(weight)) for weight in (2, 9, 5, 1)]
    Work(jobs, store, further=further).run_on(Local(1))
    assert order == ["w9", "w5", "follows", "w2", "w1"]


def test_jobs_of_this_machine_need_no_dask() -> None:
    code = "import sys, polycast_cli.main, polycast_cli.studies.reproduce; sys.exit('dask' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


SCRIPT = """
import sys
from pathlib import Path
from polycast_cli.jobs.model import Job, identity
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work

if __name__ == "__main__":
    base = Path(sys.argv[1])
    jobs = [Job(identity("quick"), "quick", ("true",), base / "quick", weight=2.0)]
    jobs += [Job(identity(n), n, ("sh", "-c", sys.argv[2], n), base / n) for n in "ab"]
    with Store(base / "jobs.sqlite") as store:
        try:
            Work(jobs, store, lambda job, outcome, known: (base / "told").touch()).run("testing", workers=2)
        except KeyboardInterrupt:
            sys.exit(130)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


TIDY = "trap 'touch ../tidied-$0; exit 1' TERM; echo $$ > ../pid-$0; sleep 600 & wait"
PLAIN = "echo $$ > ../pid-$0; exec sleep 600"


@pytest.mark.parametrize(("number", "what"), [(signal.SIGINT, TIDY), (signal.SIGKILL, PLAIN)], ids=["INT", "KILL"])
def test_interrupted(number: signal.Signals, what: str, tmp_path: Path) -> None:
    """Nothing runs on, and what had ended is known; Ctrl-C lets the others clean up."""
    script = tmp_path / "jobs.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    with begun([sys.executable, str(script), str(tmp_path), what], environment) as process:
        files = [tmp_path / "pid-a", tmp_path / "pid-b"]
        until(lambda: all(file.exists() and file.read_text() for file in files))
        until((tmp_path / "told").exists)
        pids = [int(file.read_text()) for file in files]
        assert all(alive(pid) for pid in pids)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
            assert process.wait(60) == 130
            assert sorted(path.name for path in tmp_path.glob("tidied-*")) == ["tidied-a", "tidied-b"]
        else:
            process.kill()
            process.wait()
    until(lambda: not any(alive(pid) for pid in pids))
    with Store(tmp_path / "jobs.sqlite") as store:
        known = store.database.execute("select name, status from jobs").fetchall()
    assert known == [("quick", "passed")]


def test_machines_apart(tmp_path: Path) -> None:
    """Results come back over the shared folder; a worker that is killed is replaced by the other one."""
    marker = tmp_path / "marker"
    kill = f'test -e "{marker}" || {{ {parent_of_parent(str(marker))}; }}'
    jobs = [
        shell(tmp_path / "runs", "killer", kill, weight=2.0),
        *(shell(tmp_path / "runs", f"job{i}", f"echo {i} > result; sleep 0.05") for i in range(8)),
    ]
    with (
        apart(tmp_path, workers=2) as address,
        open_cluster(address, None, tmp_path) as cluster,
        Store(tmp_path / "jobs.sqlite") as store,
    ):
        until(lambda: cluster.slots() == 2)
        cluster.check_shared(tmp_path)
        outcomes = Work(jobs, store).run_on(cluster)
        assert [str(outcome.status) for outcome in outcomes] == ["passed"] * 9
        assert marker.read_text() == "x\n"
        assert [(tmp_path / f"runs/job{i}/result").read_text() for i in range(8)] == [f"{i}\n" for i in range(8)]
        with pytest.raises(UserError, match="-j has no meaning"), open_cluster(address, 2, tmp_path):
            pass


def test_a_folder_that_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "results"
    results.mkdir()
    with apart(tmp_path, workers=1) as address, open_cluster(address, None, tmp_path) as cluster:
        until(lambda: cluster.slots() == 1)
        monkeypatch.setattr(Path, "resolve", lambda self: Path("/elsewhere"))
        with pytest.raises(UserError, match="not the same folder on tcp://"):
            cluster.check_shared(results)
    assert list(results.iterdir()) == []


def test_schedulers_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="expected tcp://HOST:PORT, tls://"), open_cluster("condor", None, tmp_path):
        pass
    with pytest.raises(UserError, match="slurm has no option qeue; did you mean queue"):
        batch_options("slurm:qeue=long")
    with pytest.raises(UserError, match="expected NAME=VALUE"):
        batch_options("slurm:queue=long,8")
    with pytest.raises(UserError, match=re.escape("no.yaml")):
        batch_options("lsf:no.yaml")


def test_job_scripts(tmp_path: Path) -> None:
    """What a batch system would be given, as there is none here."""
    with batch_cluster("slurm:queue=long,walltime=02:00:00,memory=4GB,cores=8", tmp_path) as slurm:
        script = slurm.job_script()
    assert "#SBATCH -p long\n" in script
    assert "#SBATCH -t 02:00:00\n" in script
    assert "#SBATCH --cpus-per-task=8\n" in script
    assert "#SBATCH --mem=4G\n" in script
    assert re.search(r"-m distributed\.cli\.dask_worker tls://\S+ .*--nthreads 8 ", script)
    assert "--dashboard-address 127.0.0.1:0 " in script
    options = tmp_path / "lsf.yaml"
    options.write_text("queue: night\ncores: 4\nmemory: 8GB\njob_extra_directives: ['-P polycast']\n")
    with batch_cluster(f"lsf:{options}", tmp_path) as lsf:
        script = lsf.job_script()
    assert "#BSUB -q night\n" in script
    assert "#BSUB -n 4\n" in script
    assert "#BSUB -W 01:00\n" in script
    assert "#BSUB -P polycast\n" in script
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


FAKE_SBATCH = """#!/bin/sh
cp "$1" "$0.script"
setsid sh "$0.script" > "$0.log" 2>&1 &
echo $! >> "$0.jobs"
echo "Submitted batch job $!"
"""


@pytest.fixture
def quick_repairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_systems, "SECONDS_BETWEEN_REPAIRS", 0.1)


@pytest.fixture
def batch_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that starts its jobs here, at once; their numbers are in the file."""
    for name, text in {"sbatch": FAKE_SBATCH, "scancel": '#!/bin/sh\nkill -9 -"$1"\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "sbatch.jobs"


def test_a_batch_system(batch_system: Path, store: Store, tmp_path: Path) -> None:
    """A worker that it ends is replaced."""
    end = f'mkdir "{tmp_path}/ended" && kill -9 -"$(cat "{batch_system}")"'
    jobs = [shell(tmp_path, f"job{i}", "echo x > result", outputs=(Path("result"),)) for i in range(4)]
    jobs.append(shell(tmp_path, "end", f'test -e "{tmp_path}/ended" || {{ {end}; sleep 5; }}', weight=2.0))
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "100ms"}),
        open_cluster("slurm:cores=2,interface=lo", 2, tmp_path) as cluster,
    ):
        outcomes = Work(jobs, store).run_on(cluster)
        assert [str(outcome.status) for outcome in outcomes] == ["passed"] * 5
        assert cluster.slots() == 2
    pids = [int(line) for line in batch_system.read_text().split()]
    assert len(pids) == 2
    until(lambda: not any(alive(pid) for pid in pids))


def test_a_killer_is_lost_alone(batch_system: Path, store: Store, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    jobs = [
        shell(tmp_path, "killer", parent_of_parent(str(marker))),
        *(shell(tmp_path, f"bystander{i}", "sleep 0.05") for i in range(6)),
    ]
    with open_cluster("slurm:cores=1,interface=lo", 2, tmp_path) as cluster:
        outcomes = Work(jobs, store).run_on(cluster)
    assert [str(outcome.status) for outcome in outcomes] == ["lost"] + ["passed"] * 6
    assert len(marker.read_text().splitlines()) == 3


@pytest.mark.usefixtures("quick_repairs")
def test_a_batch_system_that_refuses(batch_system: Path, store: Store, tmp_path: Path) -> None:
    """What it says ends the command; with dask-jobqueue alone the command waited for ever."""
    (tmp_path / "sbatch").write_text("#!/bin/sh\necho 'sbatch: error: no such partition' >&2\nexit 1\n")
    with (
        pytest.raises(
            UserError, match="--scheduler slurm:interface=lo: slurm refuses the workers: sbatch: error: no such part"
        ),
        open_cluster("slurm:interface=lo", 2, tmp_path) as cluster,
    ):
        Work([shell(tmp_path, "job", "true")], store).run_on(cluster)
    assert not batch_system.exists()


@pytest.mark.usefixtures("quick_repairs")
def test_a_batch_system_that_is_not_there(store: Store, tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match="lsf refuses the workers: there is no bsub on this machine"),
        open_cluster("lsf:interface=lo", 1, tmp_path) as cluster,
    ):
        Work([shell(tmp_path, "job", "true")], store).run_on(cluster)


@pytest.mark.usefixtures("quick_repairs")
def test_a_batch_system_that_refuses_at_first(batch_system: Path, store: Store, tmp_path: Path) -> None:
    script = f'#!/bin/sh\nmkdir "{tmp_path}/once" 2> /dev/null && exit 1\n'
    (tmp_path / "sbatch").write_text(FAKE_SBATCH.replace("#!/bin/sh\n", script))
    with open_cluster("slurm:interface=lo", 1, tmp_path) as cluster:
        outcomes = Work([shell(tmp_path, "job", "true")], store).run_on(cluster)
    assert [str(outcome.status) for outcome in outcomes] == ["passed"]
    assert len(batch_system.read_text().split()) == 1


def listening() -> set[tuple[str, int]]:
    found = psutil.Process().net_connections("inet")
    return {(each.laddr.ip, each.laddr.port) for each in found if each.status == psutil.CONN_LISTEN}


def test_a_scheduler_has_no_other_users(tmp_path: Path) -> None:
    """Its port asks for a certificate, which only its user can read; web pages are for this machine."""
    before = listening()
    with batch_cluster("slurm", tmp_path) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        far = {port for host, port in listening() - before if host not in ("127.0.0.1", "::1")}
        assert far == {int(address.rpartition(":")[2])}
        assert [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()] == [0o700]
        assert list(tmp_path.glob("*/key.pem"))
        others = (None, Security.temporary())
        for security in others:
            plain = address if security else address.replace("tls", "tcp")
            with pytest.raises(OSError), Client(plain, security=security, timeout=2, set_as_default=False):
                pass
        with Client(address, security=cluster.security, timeout=10, set_as_default=False) as client:
            assert client.scheduler_info()["address"] == address
    assert not list(tmp_path.iterdir())
    with batch_cluster("slurm:protocol=tcp://", tmp_path) as cluster:  # asked for
        assert cluster.scheduler_address.startswith("tcp://")


def test_a_scheduler_with_certificates(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found where Dask looks for them, as sweeps.md says."""
    with pytest.raises(UserError, match="needs certificates"), open_cluster("tls://127.0.0.1:1", None, tmp_path):
        pass
    files = {name: tmp_path / f"{name}.pem" for name in ("cert", "key")}
    security = Security.temporary()
    files["cert"].write_text(security.tls_ca_file)
    files["key"].write_text(security.tls_client_key)
    tls = {"ca_file": files["cert"], **{f"{role}__{name}": path for role in ROLES for name, path in files.items()}}
    for name, path in tls.items():
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name.upper()}", str(path))
    dask.config.refresh()
    try:
        with (
            apart(tmp_path, 1, "--protocol", "tls") as address,
            open_cluster(address, None, tmp_path) as cluster,
        ):
            assert address.startswith("tls://")
            outcomes = Work([shell(tmp_path, "good", "true")], store).run_on(cluster)
            assert [str(outcome.status) for outcome in outcomes] == ["passed"]
    finally:
        monkeypatch.undo()
        dask.config.refresh()


def test_an_address_with_nobody(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no scheduler answers"), open_cluster("tcp://127.0.0.1:1", None, tmp_path):
        pass


def test_identity_of_files(tmp_path: Path) -> None:
    file = tmp_path / "input"
    file.write_text("a")
    first = identity(file, "x")
    assert first == identity(file, "x") == identity("a", "x") != identity("ax")
    file.write_text("b")
    assert identity(file, "x") != first


def test_statuses() -> None:
    assert [status for status in JobStatus] == ["passed", "failed", "refused", "crashed", "timeout", "lost"]
