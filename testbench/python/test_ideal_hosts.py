# SPDX-License-Identifier: Apache-2.0
"""Ideal hosts: the same results from a fabric and from chips of every fidelity, and what only chips show."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from simulation import files, points, run_of, simulate

Cli = Callable[..., subprocess.CompletedProcess[str]]

UNICASTS = """\
name: unicasts
seed: 5
network:
  topology: {kind: torus, radix: 3, dimensions: 2}
router: {vc_policy: keep}
host: {model: ideal}
workload:
  - {name: uniform, kind: unicast, rate: [0.05, 0.3], flits: 1, most_flits: 4}
  - {name: hot, kind: unicast, pattern: hotspot, hotspot: {hosts: [4], fraction: 50 %}, rate: 0.2}
  - {name: each, kind: unicast, pattern: each_to_each, flits: 3}
  - {name: few, kind: unicast, pattern: tornado, messages: 3}
measurement: {warmup: 100 cycle, window: 300 cycle, batches: 4}
"""

ALLGATHERS = """\
name: allgathers
seed: 6
network:
  topology: {kind: mesh, radix: 4, dimensions: 2}
host: {model: ideal}
workload:
  - {name: tree, kind: allgather, algorithm: tree}
  - {name: coded, kind: allgather, algorithm: coded, group: 4, flits: 2}
  - {name: coded-free, kind: allgather, algorithm: coded, group: 4, mode: free, xor_latency: 3 cycle}
  - {name: coded-host, kind: allgather, algorithm: coded, group: 4, coding: host}
  - {name: combining, kind: allgather, algorithm: combining, group: 4}
  - {name: replication, kind: allgather, algorithm: replication, flits: 2}
"""


def engine(out: Path) -> str:
    return run_of(out).engine


@pytest.fixture(params=[UNICASTS, ALLGATHERS], ids=["unicasts", "allgathers"])
def scenario(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "ideal.yaml"
    path.write_text(request.param)
    return path


def test_one_word_picks_the_fidelity(scenario: Path, tmp_path: Path) -> None:
    fabric = tmp_path / "fabric"
    simulate(scenario, fabric)
    assert engine(fabric) == "fabric"
    assert all(point.passed for point in points(fabric))
    for name, setting in {
        "tlm": "network.fidelity=tlm",
        "rtl": "network.fidelity=rtl",
        "mix": "network.chips={router1: rtl, router4: tlm, router5: tlm}",
    }.items():
        simulate(scenario, tmp_path / name, setting)
        assert engine(tmp_path / name) == "chips"
        assert files(tmp_path / name) == files(fabric), name


def test_waves_and_packet_logs(scenario: Path, tmp_path: Path) -> None:
    fabric, core, tlm = tmp_path / "fabric", tmp_path / "core", tmp_path / "tlm"
    simulate(scenario, fabric)
    for out, fidelity in ((core, "core"), (tlm, "tlm")):
        simulate(
            scenario,
            out,
            "trace.chips=all",
            "trace.packets=true",
            f"network.fidelity={fidelity}",
        )
        assert engine(out) == "chips"
        seen = files(out)
        assert len([name for name in seen if name.startswith("waves/") and name.endswith(".fst")]) > 0
        assert {name: seen[name] for name in files(fabric)} == files(fabric)
    found = points(core)
    for log in sorted((core / "packets").iterdir()):
        with closing(sqlite3.connect(log)) as database:
            (packets,) = database.execute("select count(*) from packets").fetchone()
        assert packets > 0, log
    assert len(list((core / "packets").iterdir())) == len(found)


def test_why_a_packet_was_late(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "ideal.yaml"
    scenario.write_text(UNICASTS)
    simulate(scenario, tmp_path / "out", "trace.packets=true")
    slowest = cli("why", tmp_path / "out", "--log", "each", "--slowest", "1")
    assert slowest.returncode == 0, slowest.stderr
    number = slowest.stdout.splitlines()[2].split()[0]
    one = cli("why", tmp_path / "out", "--log", "each", "-p", number)
    assert one.returncode == 0, one.stderr
    assert "waiting" in one.stdout


def test_a_trigger_records_around_an_event(tmp_path: Path) -> None:
    scenario = tmp_path / "ideal.yaml"
    scenario.write_text(UNICASTS)
    simulate(
        scenario,
        tmp_path / "out",
        "trace.trigger={event: delivered, packet: 3#1, before: 20 cycle, after: 20 cycle}",
    )
    traces = run_of(tmp_path / "out").traces
    assert traces
    assert all(
        trace.trigger is not None and trace.trigger.cycle is not None and trace.trigger.cycle > 0 for trace in traces
    )
