# SPDX-License-Identifier: Apache-2.0
"""Several processes simulate one network together, and change nothing: results, tables, waves and packet logs are the
same to the last byte. MPI is that of this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from polycast_cli.common import ROOT, UserError
from polycast_cli.ranks import launcher
from polycast_cli.simulator import early_end
from simulation import SCENARIOS, SIMULATOR, files, overrides, simulate
from test_threads import IDEAL, RECORDED, kind, partition

Kind = tuple[Path, tuple[str, ...]]
__all__ = ["kind"]

LOADED = ("measurement.warmup=500", "measurement.window=3000")
#: Far too long to end by itself.
LONG = ("measurement.window=2000000000", "workload.multicast.rate=0.01")


def command(scenario: Path, out: Path, *settings: str) -> list[str | Path]:
    return [SIMULATOR, "run", scenario, *overrides(*settings), "--out", out, "--progress", "none"]


def on_ranks(
    ranks: int, scenario: Path, out: Path, *settings: str, status: int | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*launcher(ranks, None), *command(scenario, out, *settings)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert status in (None, done.returncode), done.stdout + done.stderr
    return done


def compare(kind: Kind, folder: Path, *more: str, ranks: tuple[int, ...] = (2, 3)) -> None:
    scenario, settings = kind
    status = simulate(scenario, folder / "one", *settings, *more, status=None).returncode
    expected = files(folder / "one")
    assert "results.json" in expected
    for count in ranks:
        done = on_ranks(count, scenario, folder / f"{count}", *settings, *more)
        assert done.returncode == status, done.stdout + done.stderr
        found = files(folder / f"{count}")
        assert set(found) == set(expected), count
        assert [name for name in expected if found[name] != expected[name]] == [], count


def test_ranks_change_no_file(kind: Kind, tmp_path: Path) -> None:
    compare(kind, tmp_path)


def test_ranks_change_nothing_that_is_recorded(kind: Kind, tmp_path: Path) -> None:
    compare(kind, tmp_path, *RECORDED, ranks=(2,))


def test_ranks_step_rtl(kind: Kind, tmp_path: Path) -> None:
    compare(kind, tmp_path, "network.fidelity=rtl", ranks=(2,))


@pytest.mark.parametrize("fidelity", ["core", "tlm"])
def test_counters_of_ports_wherever_their_switches_are(fidelity: str, tmp_path: Path) -> None:
    """Packets wait for most ports of a loaded fabric: pins that stay between two steps of a switch."""
    load = ("workload.each_to_each.message=2 KiB", f"network.fidelity={fidelity}")
    compare((SCENARIOS / "fabric.yaml", load), tmp_path, ranks=(2, 3))
    (point,) = json.loads((tmp_path / "2" / "results.json").read_text())["points"]
    waits = {port["port"]: port["PortXmitWait"] for port in point["ports"] if port["port"].startswith("switch")}
    assert {name.partition(":")[0] for name, cycles in waits.items() if cycles} == {f"switch{s}" for s in range(8)}


@pytest.mark.parametrize("fidelity", ["core", "tlm", "rtl"])
def test_any_threads_on_any_ranks(fidelity: str, tmp_path: Path) -> None:
    """Waves in FST here, and elsewhere in VCD."""
    recorded = ("trace.packets=true", "trace.chips=[switch1, host1]", f"network.fidelity={fidelity}")
    simulate(SCENARIOS / "load.yaml", tmp_path / "one", *LOADED, *recorded)
    expected = files(tmp_path / "one")
    assert any(name.endswith(".fst") for name in expected)
    for ranks, threads in ((1, 5), (2, 3), (3, 2)):
        out = tmp_path / f"{ranks}x{threads}"
        on_ranks(ranks, SCENARIOS / "load.yaml", out, *LOADED, *recorded, f"network.threads={threads}", status=0)
        found = files(out)
        assert set(found) == set(expected), (ranks, threads)
        assert [name for name in expected if found[name] != expected[name]] == [], (ranks, threads)


def test_seven_ranks(tmp_path: Path) -> None:
    compare((SCENARIOS / "load.yaml", LOADED), tmp_path, ranks=(7,))


@pytest.mark.parametrize("seed", [1, 2])
def test_ranks_of_threads_in_any_partition(kind: Kind, tmp_path: Path, seed: int) -> None:
    scenario, settings = kind
    simulate(scenario, tmp_path / "one", *settings, *RECORDED, status=None)
    expected = files(tmp_path / "one")
    partition(scenario, tmp_path / "one", tmp_path / "parts.txt", 4, seed)
    more = (*RECORDED, "network.threads=2", f"network.partition={tmp_path / 'parts.txt'}")
    on_ranks(2, scenario, tmp_path / "parts", *settings, *more)
    found = files(tmp_path / "parts")
    assert [name for name in expected if found[name] != expected[name]] == [], f"seed {seed}"


def fabric(random: Random) -> tuple[str, ...]:
    """Settings of a grid of ideal hosts and of what they send: light and heavy loads, or packets of cycle 0."""
    torus = random.random() < 0.5
    longest = random.choice([1, 5])
    cut_through = random.random() < 0.5
    draws: dict[str, list[str | int]] = {
        "network.link.delay": [1, 1, 4],
        "router.allocator": ["separable", "islip"],
        "router.iterations": [1, 2],
        "router.vc_policy": ["any", "keep"],
        "router.buffer": [5, 8] if cut_through else [3, 8],
    }
    pattern = random.choice(["uniform", "tornado", "bit_complement", "hotspot", "each_to_each", "uniform"])
    hotspot = ", hotspot: {hosts: [3], fraction: 20 %}" if pattern == "hotspot" else ""
    much = random.choice(["messages: 9", f"rate: [{random.uniform(0.01, 0.2):.3f}, 0.9]"])
    much = "" if pattern == "each_to_each" else f", {much}"
    workload = f"{{name: w, kind: unicast, pattern: {pattern}{hotspot}{much}, flits: 1, most_flits: {longest}}}"
    return (
        f"network.topology={{kind: {'torus' if torus else 'mesh'}, radix: {random.choice([4, 5, 6])}, dimensions: 2}}",
        f"router.switching={'cut_through' if cut_through else 'wormhole'}",
        *(f"{key}={random.choice(values)}" for key, values in draws.items()),
        f"workload=[{workload}]",
        f"measurement.saturated={random.choice(['drain', 'stop'])}",
        f"measurement.drain_limit={random.choice([50, 100000])}",
    )


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 9, 10, 12, 17, 21])
def test_ranks_of_a_fabric(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    ideal = tmp_path / "ideal.yaml"
    ideal.write_text(IDEAL)
    settings = fabric(random)
    simulate(ideal, tmp_path / "one", *settings, status=None)
    expected = files(tmp_path / "one")
    assert expected, settings
    for ranks, threads in ((2, 1), (random.choice([3, 7]), 1), (2, 2)):
        on_ranks(ranks, ideal, tmp_path / f"{ranks}x{threads}", *settings, f"network.threads={threads}")
        found = files(tmp_path / f"{ranks}x{threads}")
        assert set(found) == set(expected), (ranks, threads, settings)
        assert [name for name in expected if found[name] != expected[name]] == [], (ranks, threads, settings)
    shared = json.loads((tmp_path / "2x1" / "run.json").read_text())["ranks"]["points"]
    assert shared, "all ranks simulate"
    assert all(point["bytes"] > 0 for point in shared.values())


@pytest.mark.parametrize("layer", ["retry", "check"])
def test_ranks_are_cut_at_the_wires_of_cables(layer: str, tmp_path: Path) -> None:
    """Each end of a cable is where its chip is, so that ranks meet as seldom as the wires are long. A cable whose wires
    somebody watches, or with a fault that lasts, is one chip."""
    flips = "faults.links=[{link: all, rate: 1e-5}]"
    link = f"network.link={{layer: {layer}, delay: 5}}"
    for name, more, window in (
        ("plain", (), 6),
        ("flips", (flips,), 6),
        ("dead", (flips, "faults.events=[{at: 100, link: all, what: dead, until: 200}]"), 1),
    ):
        settings = (*LOADED, link, *more)
        status = simulate(SCENARIOS / "load.yaml", tmp_path / name, *settings, status=None).returncode
        expected = files(tmp_path / name)
        for ranks, threads in ((2, 1), (2, 2), (3, 1)):
            out = tmp_path / f"{name}{ranks}x{threads}"
            on_ranks(ranks, SCENARIOS / "load.yaml", out, *settings, f"network.threads={threads}", status=status)
            assert files(out) == expected
            points = json.loads((out / "run.json").read_text())["ranks"]["points"]
            assert {point["window"] for point in points.values()} == {window}, (name, ranks, threads)


def test_more_ranks_than_routers_are_refused(tmp_path: Path) -> None:
    ideal = tmp_path / "ideal.yaml"
    ideal.write_text(IDEAL)
    done = on_ranks(3, ideal, tmp_path / "out", "network.threads=6", status=2)
    assert done.stderr.count("3 ranks with 6 threads each are more than the 16 routers of the network") == 1


def test_what_fails_is_recorded_once_more(tmp_path: Path) -> None:
    late = ("workload.multicast.rate=0.5", "measurement.saturated=drain", "measurement.drain_limit=100")
    compare((SCENARIOS / "load.yaml", (*LOADED, *late)), tmp_path, "trace.format=vcd")
    assert list((tmp_path / "2" / "waves").glob("*-failure.vcd"))


def test_a_refused_scenario_is_one_error(tmp_path: Path) -> None:
    done = on_ranks(3, SCENARIOS / "load.yaml", tmp_path / "out", "network.threads=two", status=2)
    assert done.stderr.count("\n") == 1, done.stderr
    assert "error:" in done.stderr
    assert "'network.threads' must be a number, not 'two'" in done.stderr
    assert not (tmp_path / "out").exists()


def test_more_ranks_than_chips_are_refused(tmp_path: Path) -> None:
    done = on_ranks(7, SCENARIOS / "mesh_interfaces.yaml", tmp_path / "out", "network.threads=7", status=2)
    assert done.stderr.count("7 ranks with 7 threads each are more than the 32 chips of ") == 1, done.stderr
    # mpirun sends signals to the ranks that have not ended yet: these say nothing.
    assert done.stderr.count("\n") == 1, done.stderr


def test_a_batch_job_of_one_task_holds_all_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slurm gives a worker of a sweep one task with many cores: one slot for Open MPI, which says nothing and ends."""
    host = socket.gethostname()
    job = {"JOBID": "7", "NNODES": "1", "NODELIST": host, "TASKS_PER_NODE": "1", "JOB_NODELIST": host}
    for name, value in job.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    on_ranks(2, SCENARIOS / "load.yaml", tmp_path / "out", *LOADED, status=0)


def test_a_debugger_looks_at_one_process(tmp_path: Path) -> None:
    run = [*launcher(2, None), *command(SCENARIOS / "forwarding.yaml", tmp_path / "out"), "--profile", "host1"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2
    assert done.stderr.count("look at firmware in one process") == 1, done.stderr


def test_ranks_with_another_scenario_are_refused(tmp_path: Path) -> None:
    first = [*launcher(1, None), *command(SCENARIOS / "load.yaml", tmp_path / "out")]
    other = command(SCENARIOS / "load.yaml", tmp_path / "out", "seed=2")
    done = subprocess.run([*first, ":", "-n", "1", *other], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("rank 1 has another scenario than rank 0") == 1, done.stderr
    assert not (tmp_path / "out").exists()


def ranks_of(mpirun: int) -> list[int]:
    """Their process numbers, once all are at work."""
    for _ in range(600):
        busy = [rank for rank in children(mpirun) if work_of(rank) > 0.3]
        if len(busy) == 2:
            return busy
        time.sleep(0.1)
    raise AssertionError("the ranks do not begin")


def test_ranks_of_another_build_are_refused(tmp_path: Path) -> None:
    other = tmp_path / SIMULATOR.name
    other.write_bytes(SIMULATOR.read_bytes() + b"1")
    library = SIMULATOR.parent / "libpolycast_mpi.so"
    (tmp_path / library.name).symlink_to(library)
    run = command(SCENARIOS / "load.yaml", tmp_path / "out")
    other.chmod(0o755)
    words = [*launcher(1, None), *run, ":", "-n", "1", other, *run[1:]]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("rank 1 has another build of the program than rank 0") == 1, done.stderr
    assert not (tmp_path / "out").exists()


def test_ranks_without_mpi_name_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = tmp_path / "bin" / SIMULATOR.name
    copied.parent.mkdir()
    copied.write_bytes(SIMULATOR.read_bytes())
    copied.chmod(0o755)
    run = command(SCENARIOS / "load.yaml", tmp_path / "out")[1:]
    done = subprocess.run([*launcher(2, None), copied, *run], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2
    assert "install libboost-mpi-dev and openmpi-bin" in done.stderr
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="there is no mpirun: install the package openmpi-bin"):
        launcher(2, None)


def children(process: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [int(child) for child in found.split()]


def by_wrapper(out: Path) -> subprocess.Popen[str]:
    words = ["run", SCENARIOS / "load.yaml", *overrides(*LONG), "--ranks", "2", "--out", out]
    return subprocess.Popen(
        [sys.executable, "-m", "polycast_cli", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "TERM": "dumb"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def mpirun_of(wrapper: subprocess.Popen[str]) -> int:
    for _ in range(600):
        for child in children(wrapper.pid):
            if Path(f"/proc/{child}/comm").read_text().strip() == "mpirun":
                return child
        time.sleep(0.1)
    raise AssertionError("mpirun does not begin")


def test_a_rank_that_dies_is_one_error(tmp_path: Path) -> None:
    wrapper = by_wrapper(tmp_path / "out")
    ranks = ranks_of(mpirun_of(wrapper))
    subprocess.run(["kill", "-9", str(ranks[1])], check=True)
    _, said = wrapper.communicate(timeout=60)
    assert wrapper.returncode == 2, said
    (error,) = [line for line in said.splitlines() if "error" in line]
    assert "a rank was ended by signal 9 (SIGKILL), by somebody or as memory ran out; no results were written" in error
    assert not (tmp_path / "out").exists()


def test_an_interrupted_mpirun_is_an_interrupt(tmp_path: Path) -> None:
    """mpirun ends with 1 then, as a run with a failed check does: earlier results are not reported anew."""
    on_ranks(2, SCENARIOS / "load.yaml", tmp_path / "out", *LOADED, status=0)
    wrapper = by_wrapper(tmp_path / "out")
    mpirun = mpirun_of(wrapper)
    ranks_of(mpirun)
    os.kill(mpirun, signal.SIGINT)
    _, said = wrapper.communicate(timeout=60)
    assert wrapper.returncode == 130, said
    assert "error" not in said
    assert "interrupted" in said
    assert not (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (137, "a rank was ended by signal 9 (SIGKILL)"),
        (-6, "a rank was ended by signal 6 (SIGABRT)"),
        (1, "mpirun ended with status 1 and without results"),
        (213, "mpirun ended with status 213 and without results"),
    ],
)
def test_what_a_status_of_mpirun_means(code: int, text: str) -> None:
    assert early_end(code).startswith(text)


def work_of(process: int) -> float:
    """Seconds of processor time; 0 of one that has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.parametrize("hosts", ["interfaces", "ideal"])
@pytest.mark.parametrize("how", ["killed", "interrupted"])
def test_all_end_at_once_without_results(tmp_path: Path, how: str, hosts: str) -> None:
    run = command(SCENARIOS / "load.yaml", tmp_path / "out", *LONG)
    if hosts == "ideal":
        (tmp_path / "ideal.yaml").write_text(IDEAL)
        run = command(tmp_path / "ideal.yaml", tmp_path / "out", LONG[0])
    started = subprocess.Popen(
        [*launcher(2, None), *run],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ranks = ranks_of(started.pid)
    if how == "killed":
        subprocess.run(["kill", "-9", str(ranks[1])], check=True)
    else:
        started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode != 0
    assert not any(Path(f"/proc/{rank}/exe").exists() for rank in ranks)
    assert not (tmp_path / "out").exists(), said
