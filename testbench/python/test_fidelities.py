# SPDX-License-Identifier: Apache-2.0
"""A network gives the same results files whatever its switches (routers) are: core, SystemC/TLM module, RTL."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, points, results, sim

FIRST_LIGHT = SCENARIOS / "first_light.yaml"
ALLGATHERS = SCENARIOS / "coding_interfaces.yaml"
ROUTERS = SCENARIOS / "mesh_interfaces.yaml"
PRINT_OUT = ROOT / "testbench" / "data" / "irregular32.ibnetdiscover"
FROM_FILE = ["-s", f"network.topology={{kind: file, path: {PRINT_OUT}}}"]


def simulate(out: Path, *arguments: str) -> Path:
    sim("run", *arguments, "--out", out, "--progress", "none")
    return out


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Multicasts and unicasts under load: contention at every switch."""
    path = tmp_path_factory.mktemp("scenario") / "load.yaml"
    path.write_text(
        """\
name: load
seed: 7
network:
  topology: {kind: irregular, instances: 2, seed: 20}
ni: {groups: 2048}
host: {send_overhead: 20 cycle, receive_overhead: 20 cycle, ni_send: 10 cycle, ni_receive: 10 cycle}
workload:
  - {name: worms, kind: multicast, scheme: tree, degree: 6, message: 64 B, rate: 0.03 flit/host/cycle}
  - {name: drops, kind: multicast, scheme: path, degree: 6, message: 64 B, rate: 0.02 flit/host/cycle}
  - {name: stops, kind: multicast, scheme: ssr, degree: 6, message: 64 B, rate: 0.02 flit/host/cycle}
  - {name: both, kind: multicast, scheme: hybrid, degree: 6, message: 100 B, rate: 0.02 flit/host/cycle}
  - name: hot
    kind: unicast
    pattern: hotspot
    hotspot: {hosts: [3, 9], fraction: 0.3}
    message: 64 B
    rate: 0.1 flit/host/cycle
measurement: {warmup: 1000 cycle, window: 5000 cycle}
"""
    )
    return path


@pytest.mark.parametrize("fidelity", ["tlm", "rtl"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ten_topologies", []),
        ("print_out", [*FROM_FILE]),
        ("print_out_free_header", [*FROM_FILE, "-s", "packet.header=free"]),
    ],
)
def test_fidelity_does_not_change_results(tmp_path: Path, fidelity: str, name: str, arguments: list[str]) -> None:
    core = files(simulate(tmp_path / "core", str(FIRST_LIGHT), *arguments))
    other = files(simulate(tmp_path / fidelity, str(FIRST_LIGHT), *arguments, "-s", f"network.fidelity={fidelity}"))
    assert core.keys() == other.keys()
    assert "results.json" in core
    assert [path for path in core if core[path] != other[path]] == []


@pytest.mark.parametrize("fidelity", ["tlm", "rtl"])
def test_fidelity_does_not_change_results_under_load(tmp_path: Path, load: Path, fidelity: str) -> None:
    core = files(simulate(tmp_path / "core", str(load)))
    other = files(simulate(tmp_path / fidelity, str(load), "-s", f"network.fidelity={fidelity}"))
    assert [path for path in core if core[path] != other[path]] == []
    delivered = [point.check.delivered for point in points(tmp_path / "core")]
    assert min(delivered) > 100


@pytest.mark.parametrize("fidelity", ["tlm", "rtl"])
@pytest.mark.parametrize("kind", ["mesh", "torus"])
def test_routers_with_interfaces_give_the_same_results(tmp_path: Path, fidelity: str, kind: str) -> None:
    options = ["-s", f"network.topology.kind={kind}", "-s", "router.vc_policy=keep"]
    core = files(simulate(tmp_path / "core", str(ROUTERS), *options))
    other = files(simulate(tmp_path / fidelity, str(ROUTERS), *options, "-s", f"network.fidelity={fidelity}"))
    assert [path for path in core if core[path] != other[path]] == []
    found = points(tmp_path / "core")
    assert all(point.passed for point in found)
    assert [point.check.delivered for point in found][:4] == [16 * 15 * 3, 15 * 8, 15 * 8, 15 * 8]


EACH_ITS_OWN = "network.chips={router0: tlm, router1: rtl, router2: tlm, router3: rtl}"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tlm", ["network.fidelity=tlm"]),
        ("rtl", ["network.fidelity=rtl"]),
        ("each_its_own", [EACH_ITS_OWN]),
        ("each_its_own_on_tlm", ["network.fidelity=tlm", "network.chips={router5: rtl, router6: core, router9: rtl}"]),
    ],
)
@pytest.mark.parametrize("shape", [[], ["network.topology.kind=torus", "workload.coded.group=2"]])
def test_allgathers_with_coding_units_give_the_same_files(
    tmp_path: Path, name: str, options: list[str], shape: list[str]
) -> None:
    common = [word for setting in shape for word in ("-s", setting)]
    core = files(simulate(tmp_path / "core", str(ALLGATHERS), *common))
    chosen = [word for setting in options for word in ("-s", setting)]
    other = files(simulate(tmp_path / name, str(ALLGATHERS), *common, *chosen))
    assert core.keys() == other.keys()
    assert [path for path in core if core[path] != other[path]] == []
    coded = points(tmp_path / "core")[0]
    assert coded.passed
    assert coded.allgather is not None
    assert coded.allgather.xors.total == 16 - 16 // coded.allgather.group
    assert coded.check.delivered == 16 * 15


def test_each_chip_has_its_own_fidelity(tmp_path: Path, load: Path) -> None:
    core = files(simulate(tmp_path / "core", str(load)))
    mixed = files(
        simulate(tmp_path / "mixed", str(load), "-s", "network.chips={switch0: rtl, switch3: tlm, switch5: tlm}")
    )
    assert [path for path in core if core[path] != mixed[path]] == []


def test_results_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    one = files(simulate(tmp_path / "one", str(FIRST_LIGHT), "--jobs", "1"))
    two = files(simulate(tmp_path / "two", str(FIRST_LIGHT), "--jobs", "2"))
    assert one == two


def test_default_run_delivers_everything_and_the_worm_wins(tmp_path: Path) -> None:
    run = results(simulate(tmp_path / "run", str(FIRST_LIGHT)))
    assert len(run.points) == 20
    for point in run.points:
        check = point.check
        assert check.expected == check.delivered == 15
        assert check.missing == check.duplicated == check.corrupted == check.chip_errors == 0
    latency = {row.workload: row.latency_mean for row in run.summary}
    assert latency["unicasts"] > 3 * latency["tree"]


@pytest.mark.parametrize(
    ("chip", "option", "one"),
    [
        *((chip, "POLYCAST_ASSERTIONS=ON", 1) for chip in ("switch", "router", "coding", "broadcast_router")),
        ("switch", "POLYCAST_COVERAGE=ON", 0),
    ],
)
def test_a_cycle_of_our_rtl_takes_one_evaluation(
    tmp_path: Path, verilator: Path, chip: str, option: str, one: int
) -> None:
    """one_eval.cmake finds what it changes in the C++ of this Verilator; otherwise RTL runs at 0.7 of its speed."""
    made = tmp_path / "verilated" / "fast.cpp"
    env = os.environ | {"VERILATOR_ROOT": str(verilator)}
    for command in (
        ["-G", "Ninja", "-S", ROOT / "rtl" / "model", "-B", tmp_path, f"-DPOLYCAST_CHIP={chip}", f"-D{option}"],
        ["--build", tmp_path, "--target", made],
    ):
        done = subprocess.run(["cmake", *command], env=env, capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    assert made.with_name("one_eval.h").read_text().endswith(f"POLYCAST_ONE_EVAL {one}\n")
