# SPDX-License-Identifier: Apache-2.0
"""Networks that do not keep up: the run ends with its window, in every fidelity in the same cycle, unless it drains."""

from __future__ import annotations

from pathlib import Path

import pytest
from polycast_cli.results import Folder
from simulation import SCENARIOS, files, points, simulate

MESSAGES = (
    SCENARIOS / "load.yaml",
    "network.topology.switches=3",
    "network.topology.hosts=6",
    "workload.multicast.rate=0.2",
    "measurement.warmup=2000",
    "measurement.window=10000",
)
IDEAL = (
    SCENARIOS / "mesh.yaml",
    "network.topology.radix=4",
    "workload=[{name: load, kind: unicast, pattern: uniform, rate: 0.9, flits: 3}]",
    "measurement.warmup=500",
    "measurement.window=3000",
)
RAILS = (
    SCENARIOS / "multirail.yaml",
    "network.fidelity=core",
    "network.topology.nodes=8",
    "rails.count=5",
    "workload=[{name: load, kind: rails, policy: basic, message: 2 KiB, rate: 0.9}]",
    "measurement.warmup=2000",
    "measurement.window=20000",
    "measurement.drain_limit=10000000",
)
CASES = {"messages": MESSAGES, "ideal": IDEAL, "rails": RAILS}
WAYS = {
    "tlm": ["network.fidelity=tlm"],
    "rtl": ["network.fidelity=rtl"],
    "threads": ["network.threads=2"],
    "cycle_by_cycle": ["trace.chips=all", "trace.to=100"],
}
TRIED = [(case, way) for case in CASES for way in WAYS if case == "ideal" or way in ("tlm", "cycle_by_cycle")]


@pytest.mark.parametrize("case", CASES)
def test_a_saturated_run_ends_with_its_window_unless_it_drains(case: str, tmp_path: Path) -> None:
    scenario, *settings = CASES[case]
    simulate(scenario, tmp_path / "stop", *settings)
    simulate(scenario, tmp_path / "drain", *settings, "measurement.saturated=drain")
    (stop,), (drain,) = points(tmp_path / "stop"), points(tmp_path / "drain")
    assert (stop.outcome, drain.outcome) == ("saturated", "complete")
    assert stop.passed and drain.passed
    assert stop.saturated and drain.saturated
    assert stop.cycles < drain.cycles
    assert stop.check.missing == drain.check.missing == 0
    assert 0 < stop.check.delivered < drain.check.delivered
    assert stop.left_open > 0
    assert drain.left_open == 0
    # What the window measures is there.
    assert stop.load and drain.load
    for name in ("created", "completed", "backlog_begin", "backlog_end"):
        assert getattr(stop.load, name) == getattr(drain.load, name), name


@pytest.mark.parametrize(("case", "way"), TRIED)
def test_every_fidelity_gives_up_in_the_same_cycle(case: str, way: str, tmp_path: Path) -> None:
    scenario, *settings = CASES[case]
    simulate(scenario, tmp_path / "core", *settings)
    simulate(scenario, tmp_path / way, *settings, *WAYS[way])
    core, other = files(tmp_path / "core"), files(tmp_path / way)
    assert [path for path in core if core[path] != other.get(path)] == []


def test_a_network_that_keeps_up_drains(tmp_path: Path) -> None:
    scenario, *settings = IDEAL
    simulate(scenario, tmp_path / "low", *settings, "workload.load.rate=0.1")
    (low,) = points(tmp_path / "low")
    assert (low.outcome, low.saturated, low.check.missing) == ("complete", False, 0)


def test_what_is_left_open_counts_as_late(tmp_path: Path) -> None:
    """A message that nobody waits for must not hide behind the end of the run."""
    scenario, *settings = MESSAGES
    simulate(scenario, tmp_path / "free", *settings)
    (free,) = points(tmp_path / "free")
    rows = list(Folder(tmp_path / "free").rows("latencies"))
    created = [int(row["created"]) for row in rows if not row["completed"]]
    assert len(created) == free.left_open
    late = free.cycles - min(cycle for cycle in created if cycle >= free.load.batches[0].begin) if free.load else 0
    for most, status in ((late, 0), (late - 1, 1)):
        done = max(int(row["latency"]) for row in rows if row["latency"])
        assert done < most, "only an open message is as late"
        out = tmp_path / str(most)
        simulate(scenario, out, *settings, f"workload.multicast.expect.latency={most}", status=status)
        (point,) = points(out)
        assert point.passed == (status == 0)
        assert all("so far" in text for text in point.unmet)
