# SPDX-License-Identifier: Apache-2.0
"""Several threads change nothing: results, tables, waves and packet logs are the same to the last byte."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from simulation import SCENARIOS, files, points, refused, simulate
from test_one_network import BROADCASTS, LANES, RAILS

IDEAL = """\
name: ideal
seed: 2
network: {topology: {kind: mesh, radix: 4, dimensions: 2}}
host: {model: ideal}
workload: [{name: unicasts, kind: unicast, rate: 0.1}]
measurement: {warmup: 100 cycle, window: 600 cycle}
"""

CODED = "workload=[{name: coded, kind: allgather, algorithm: coded, group: 4}]"

#: Name: scenario, or a file, and settings; each is recorded in waves and packet logs.
RUNS: dict[str, tuple[str | Path, tuple[str, ...]]] = {
    "rails": (RAILS, ()),
    "lanes": (LANES, ()),
    "broadcasts": (BROADCASTS, ("network.topology.radix=4", "network.topology.bypass=[]")),
    "ideal": (IDEAL, ()),
    "ideal-allgather": (IDEAL, (CODED,)),
    "switches": (SCENARIOS / "load.yaml", ("measurement.warmup=500", "measurement.window=3000")),
    "forwarding": (SCENARIOS / "forwarding.yaml", ()),
    "firmware": (SCENARIOS / "forwarding.yaml", ("ni.processor=iss",)),
    "routers": (SCENARIOS / "mesh_interfaces.yaml", ("measurement.warmup=500", "measurement.window=3000")),
    "allgathers": (SCENARIOS / "coding_interfaces.yaml", (CODED,)),
    "allgathers-by-hosts": (SCENARIOS / "coding_interfaces.yaml", ("workload.coded.coding=host",)),
    "saturated": (SCENARIOS / "load.yaml", ("workload.multicast.rate=0.5", "measurement.window=3000")),
}
RECORDED = ("trace.packets=true", "trace.chips=[host1]", "trace.format=vcd")


@pytest.fixture(params=RUNS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, tuple[str, ...]]:
    scenario, settings = RUNS[request.param]
    if isinstance(scenario, Path):
        return scenario, settings
    path = tmp_path / f"{request.param}.yaml"
    path.write_text(scenario)
    return path, settings


def compare(kind: tuple[Path, tuple[str, ...]], folder: Path, *more: str) -> None:
    scenario, settings = kind
    simulate(scenario, folder / "one", *settings, *more, status=None)
    expected = files(folder / "one")
    assert points(folder / "one")
    for threads in ("2", "3", "auto"):
        simulate(scenario, folder / threads, *settings, *more, f"network.threads={threads}", status=None)
        found = files(folder / threads)
        assert set(found) == set(expected), threads
        assert [name for name in expected if found[name] != expected[name]] == [], threads


def test_threads_change_no_file(kind: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    compare(kind, tmp_path)


def test_threads_change_nothing_that_is_recorded(kind: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    compare(kind, tmp_path, *RECORDED)


def test_threads_beside_systemc_modules(kind: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    compare(kind, tmp_path, "network.fidelity=tlm")


def test_threads_step_rtl(kind: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    compare(kind, tmp_path, "network.fidelity=rtl")


def partition(scenario: Path, out: Path, file: Path, threads: int, seed: int) -> None:
    """Writes a random partition of all chips that a log of the run names."""
    with closing(sqlite3.connect(next(out.rglob("*.sqlite")))) as log:
        chips = [name for (name,) in log.execute("select name from chips")]
    random = Random(seed)
    file.write_text("".join(f"{chip} {random.randrange(threads)}\n" for chip in chips))


@pytest.mark.parametrize("seed", [1, 2])
def test_any_partition_gives_the_same_files(kind: tuple[Path, tuple[str, ...]], tmp_path: Path, seed: int) -> None:
    scenario, settings = kind
    simulate(scenario, tmp_path / "one", *settings, *RECORDED, status=None)
    expected = files(tmp_path / "one")
    partition(scenario, tmp_path / "one", tmp_path / "parts.txt", 3, seed)
    more = (*RECORDED, "network.threads=3", f"network.partition={tmp_path / 'parts.txt'}")
    simulate(scenario, tmp_path / "parts", *settings, *more, status=None)
    found = files(tmp_path / "parts")
    assert (found.pop("topology/partition.txt")).decode() == (tmp_path / "parts.txt").read_text(), f"seed {seed}"
    assert [name for name in expected if found[name] != expected[name]] == [], f"seed {seed}"
    again = files_of_run(tmp_path / "parts", tmp_path / "again")
    assert again == files(tmp_path / "parts"), "a run from its own folder"


def files_of_run(folder: Path, again: Path) -> dict[str, bytes]:
    simulate(folder / "scenario.yaml", again, status=None)
    return files(again)


def test_a_partition_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "parts.txt"
    file.write_text("router0 0\nruter1 1\n")
    scenario = SCENARIOS / "mesh_interfaces.yaml"
    text = refused(scenario, "network.threads=2", f"network.partition={file}")
    assert f"{file}:2:1: there is no chip 'ruter1' in the network; did you mean 'router1'?" in text
    assert "say how many" in refused(scenario, "network.threads=auto", f"network.partition={file}")


def test_more_threads_than_chips_are_refused() -> None:
    text = refused(SCENARIOS / "mesh_interfaces.yaml", "network.threads=33")
    assert "'network.threads' of 33 is more than the 32 chips of " in text
    assert "take at most 32, or 'auto'" in text
