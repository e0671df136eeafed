# SPDX-License-Identifier: Apache-2.0
"""Jobs that share hosts and network: JobIDs cost their flits and nothing else, workloads of several jobs run at once,
and a hostile job does them no harm where packets carry JobIDs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from simulation import SCENARIOS, files, points, said, simulate

ONE_JOB = "host.jobs={a: {processes: [0], id: 7}}"
TENANTS = SCENARIOS / "tenants.yaml"

#: One packet from each of three hosts, far apart in time.
ALONE = """\
name: alone
seed: 1
network:
  topology: {kind: irregular, switches: 4, ports: 8, hosts: 8, instances: 1, seed: 3}
workload:
  - name: unicasts
    kind: list
    message: 96 B
    list:
      - {at: 10 cycle, source: 0, destination: 5}
      - {at: 100000 cycle, source: 3, destination: 1}
      - {at: 200000 cycle, source: 7, destination: 2}
  - {name: tree, kind: multicast, scheme: tree, degree: 4, message: 96 B}
"""

#: Two jobs that send and one that is hostile, on a network that they fill.
SHARED = """\
name: shared
seed: 5
network:
  topology: {kind: irregular, switches: 4, ports: 8, hosts: 8, instances: 1, seed: 3}
host:
  processes: 4
  jobs: {red: {processes: [0], id: 70}, blue: {processes: [2, 1]}, mallory: {processes: [3]}}
  send_overhead: 50 cycle
  receive_overhead: 50 cycle
  ni_send: 20 cycle
  ni_receive: 20 cycle
measurement: {warmup: 1000 cycle, window: 10000 cycle}
workload:
  - name: both
    kind: jobs
    jobs:
      red: {kind: unicast, message: 200 B, rate: 0.05 flit/host/cycle}
      blue: {kind: multicast, scheme: ni, destinations: [1, 2, 5, 6], message: 300 B, messages: 6}
  - name: attacked
    kind: jobs
    alone: true
    jobs:
      red: {kind: unicast, message: 200 B, rate: 0.05 flit/host/cycle}
      blue: {kind: multicast, scheme: tree, degree: 3, message: 300 B, messages: 5}
      mallory: {kind: hostile, seed: 3, rate: 0.01, attempts: 60}
"""


def scenario(folder: Path, text: str) -> Path:
    path = folder / "scenario.yaml"
    path.write_text(text)
    return path


def jobs_of(out: Path, run: int) -> dict[str, dict]:
    point = json.loads((out / "results.json").read_text())["points"][run]
    return {job["name"]: job for job in point["jobs"]}


@pytest.mark.parametrize(("flit", "more"), [(1, 4), (4, 1), (3, 1), (64, 0)])
@pytest.mark.parametrize("header", ["inline", "free"])
def test_a_job_word_costs_its_flits(flit: int, more: int, header: str, tmp_path: Path) -> None:
    settings = [f"switch.flit={flit} B", f"packet.header={header}", "switch.chunk=1 flit"]
    simulate(scenario(tmp_path, ALONE), tmp_path / "without", *settings)
    simulate(scenario(tmp_path, ALONE), tmp_path / "with", *settings, ONE_JOB)
    beside = 0 if header == "free" else 28
    words = [-(-(size + 96 + beside) // flit) for size in (0, 4)]
    assert words[1] - words[0] in (more, more + 1)
    for before, after in zip(points(tmp_path / "without"), points(tmp_path / "with"), strict=True):
        assert after.check == before.check
        assert after.latency.min == before.latency.min + words[1] - words[0], after.id
        assert after.latency.max == before.latency.max + words[1] - words[0], after.id


#: Unicasts, worms of every kind, copies by firmware, programs, receipts, VL switches.
NETWORKS: list[tuple[str, list[str]]] = [
    ("schemes.yaml", ["network.topology.instances=1"]),
    ("mesh_interfaces.yaml", []),
    ("forwarding.yaml", []),
    ("reliable.yaml", []),
    ("program.yaml", []),
    ("fabric.yaml", []),
    ("coding_interfaces.yaml", ["workload.*.coding=host"]),
]


@pytest.mark.parametrize(("name", "settings"), NETWORKS, ids=lambda value: str(value)[:30])
def test_everything_is_delivered_with_jobs_too(name: str, settings: list[str], tmp_path: Path) -> None:
    simulate(SCENARIOS / name, tmp_path / "without", *settings)
    simulate(SCENARIOS / name, tmp_path / "with", *settings, ONE_JOB)
    for before, after in zip(points(tmp_path / "without"), points(tmp_path / "with"), strict=True):
        assert (after.check.delivered, after.check.expected) == (before.check.delivered, before.check.expected)


def test_buffers_that_packets_with_jobs_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = scenario(tmp_path, ALONE)
    tight = ["-s", "switch.buffer=144 flit", "-s", "workload.*.message=100 B", "-s", "packet.payload=100 B"]
    said("check", path, *tight)
    text = said("check", path, *tight, "-s", ONE_JOB, status=2)
    assert "100 B payload, 4 B check word, 4 B job word) does not fit 'switch.buffer' of 144 flits" in text


#: Fidelity, how firmware runs, threads.
WAYS = [
    ["network.fidelity=tlm"],
    ["network.fidelity=rtl"],
    ["network.threads=3"],
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0].rsplit(".", 1)[-1])
def test_jobs_give_the_same_bytes_every_way(way: list[str], tmp_path: Path) -> None:
    path = scenario(tmp_path, SHARED)
    simulate(path, tmp_path / "core")
    simulate(path, tmp_path / "other", *way)
    core, other = files(tmp_path / "core"), files(tmp_path / "other")
    assert core.keys() == other.keys()
    assert [name for name in core if core[name] != other[name]] == []


def test_firmware_on_a_processor_serves_jobs_too(tmp_path: Path) -> None:
    """Times differ, deliveries do not."""
    path = scenario(tmp_path, SHARED)
    simulate(path, tmp_path / "native", "ni.costs=measured", "workload.attacked.alone=false")
    simulate(path, tmp_path / "iss", "ni.processor=iss", "workload.attacked.alone=false")
    for native, iss in zip(points(tmp_path / "native"), points(tmp_path / "iss"), strict=True):
        assert iss.check.expected == native.check.expected
        assert iss.check.delivered == native.check.delivered


def test_jobs_share_a_network(tmp_path: Path) -> None:
    simulate(scenario(tmp_path, SHARED), tmp_path / "out")
    both = jobs_of(tmp_path / "out", 0)
    assert list(both) == ["red", "blue"]
    assert both["red"]["id"] == 70
    assert both["blue"]["id"] == 2
    assert both["blue"]["processes"] == [2, 1]
    for job in both.values():
        assert job["complete"]
        assert job["check"]["delivered"] == job["check"]["expected"] > 0
        assert job["refused"] == job["strange"] == 0
    assert both["blue"]["check"]["expected"] == 6 * 4
    assert both["blue"]["throughput"] is None
    assert both["red"]["throughput"]["accepted"] > 0
    (first, second) = points(tmp_path / "out")
    assert first.check.delivered == sum(job["check"]["packets_delivered"] for job in both.values())
    assert first.passed
    assert second.passed


def test_a_hostile_job_is_refused_and_does_no_harm(tmp_path: Path) -> None:
    simulate(scenario(tmp_path, SHARED), tmp_path / "out")
    jobs = jobs_of(tmp_path / "out", 1)
    tried = jobs["mallory"]["hostile"]
    assert tried["commands"] > 200
    assert tried["registers"] > 50
    assert tried["heard_of_jobs"] == 0
    assert jobs["red"]["refused"] + jobs["blue"]["refused"] > 10
    assert "check" not in jobs["mallory"]
    for name in ("red", "blue"):
        job = jobs[name]
        assert job["strange"] == 0
        assert job["check"]["delivered"] == job["check"]["expected"] > 0
        assert job["check"]["corrupted"] == job["check"]["misdelivered"] == job["check"]["duplicated"] == 0
        # The same messages as alone, and no other.
        assert job["alone"]["check"] == job["check"]
        assert job["slowdown"] == pytest.approx(job["latency"]["mean"] / job["alone"]["latency"]["mean"])


def test_without_jobids_the_hostile_job_is_heard(tmp_path: Path) -> None:
    text = simulate(scenario(tmp_path, SHARED), tmp_path / "out", "host.check_jobs=false", status=1).stdout
    jobs = jobs_of(tmp_path / "out", 1)
    assert jobs["red"]["strange"] + jobs["blue"]["strange"] > 10
    assert jobs["red"]["refused"] == jobs["blue"]["refused"] == 0
    assert jobs["red"]["check"]["corrupted"] + jobs["blue"]["check"]["corrupted"] > 0
    assert "packets of others heard" in text
    (first, second) = points(tmp_path / "out")
    assert first.passed, "nobody attacks"
    assert not second.passed


def test_equal_jobs_fare_alike(tmp_path: Path) -> None:
    """Jain's index is of jobs that ask for the same."""
    alike = SHARED.replace(
        "blue: {kind: multicast, scheme: tree, degree: 3, message: 300 B, messages: 5}",
        "blue: {kind: unicast, message: 200 B, rate: 0.05 flit/host/cycle}",
    )
    simulate(scenario(tmp_path, alike), tmp_path / "out")
    (first, second) = points(tmp_path / "out")
    assert first.fairness is None
    assert second.fairness is not None
    assert 0.99 < second.fairness <= 1


def test_the_scenario_shows_an_attack(tmp_path: Path) -> None:
    text = simulate(TENANTS, tmp_path / "on").stdout
    assert "packets of others refused" in text
    assert "hostile, " in text
    assert all(point.passed for point in points(tmp_path / "on"))
    simulate(TENANTS, tmp_path / "off", "host.check_jobs=false", status=1)
    assert not all(point.passed for point in points(tmp_path / "off"))
