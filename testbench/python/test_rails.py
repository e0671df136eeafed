# SPDX-License-Identifier: Apache-2.0
"""Rails: the scenario of the paper's nodes, its tables and report, its costs, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from polycast_cli.reports.report import write_report
from simulation import SCENARIOS, points, refused, results, run_of, sim, simulate

SCENARIO = SCENARIOS / "multirail.yaml"
POLICIES = ("static", "basic", "local_dynamic", "dynamic")
#: A small one: eight nodes on five rails.
SMALL = (
    "network.topology.nodes=8",
    "rails.count=5",
    "host.processes=2",
    "workload.*.message=2 KiB",
    "measurement.window=30000",
)


def test_results_tables_and_report(tmp_path: Path) -> None:
    out = tmp_path / "rails"
    simulate(SCENARIO, out, *SMALL)
    found = results(out)
    assert len(found.points) == 16
    assert all(point.passed and point.fidelity == "event" for point in found.points)
    assert [curve.policy for curve in found.curves] == list(POLICIES)
    for curve in found.curves:
        accepted = [point.accepted for point in curve.points]
        assert accepted[0] == pytest.approx(0.1, abs=0.02)
        assert max(accepted) < 0.5
    for point in found.points:
        rails = point.rails
        assert rails is not None and rails.series is not None and rails.delivered_bytes is not None
        assert sum(rails.series.accepted) <= rails.delivered_bytes
        assert rails.messages.open == rails.messages.created - rails.messages.delivered
        assert (rails.refused > 0) <= (point.workload.policy == "dynamic")
    with (out / "tables" / "rails.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["point"] for row in rows] == [point.id for point in found.points]
    assert [float(row["accepted"]) for row in rows] == [point.rails.accepted for point in found.points if point.rails]
    costs = run_of(out).points
    assert all((costs[point.id].cpu_seconds_per_gigabyte or 0) > 0 for point in found.points)
    page = write_report(out).read_text()
    assert "Packets moved as timed events: an approximation" in page
    assert "Accepted against offered bandwidth" in page
    assert "Latency against load" in page
    assert page.count('<td class="left">local-dynamic</td>') == 4


def test_results_do_not_depend_on_jobs_and_repeat_from_their_own_scenario(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.txt"
    matrix.write_text("10101010\n11001100\n11110000\n01010101\n00110011\n00001111\n")
    settings = (*SMALL, "rails.count=6", f"rails.matrix={matrix}", "workload.*.rate=0.3", "workload.*.striping=true")
    one, other, again = (tmp_path / name for name in ("one", "other", "again"))
    simulate(SCENARIO, one, *settings, options=("--jobs", "1"))
    simulate(SCENARIO, other, *settings, options=("--jobs", "2"))
    matrix.unlink()
    simulate(one / "scenario.yaml", again)
    for name in ("results.json", "tables/rails.csv", "tables/latencies.csv"):
        assert (one / name).read_bytes() == (other / name).read_bytes() == (again / name).read_bytes()


def test_flit_by_flit_with_the_same_keys(tmp_path: Path) -> None:
    settings = (*SMALL, "workload.*.rate=0.1", "measurement.drain_limit=1000000", "measurement.saturated=drain")
    for name in ("event", "core"):
        simulate(SCENARIO, tmp_path / name, *settings, f"network.fidelity={name}")
    events, flits = (results(tmp_path / name) for name in ("event", "core"))
    for event, flit in zip(events.points, flits.points, strict=True):
        assert flit.fidelity == "core" and flit.passed
        assert flit.check.expected == event.check.expected
        assert event.latency.mean == pytest.approx(flit.latency.mean, rel=0.1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["rails.count=0"], "-s rails.count=0: 'rails.count' must be 1..64, not 0"),
        (["rails.count=65"], "'rails.count' must be 1..64, not 65"),
        (["rails.count=6"], "32 hosts need 7 rails with algorithm 2, and 'rails.count' is 6; take 7"),
        (["rails.matrix=1"], "32 hosts need exactly 10 rails with algorithm 1, and 'rails.count' is 7; take 10"),
        (["rails.matrix=nowhere.txt"], "nowhere.txt"),
        (["host.model=ideal"], "rails need hosts with network interfaces, and 'host.model' is 'ideal'"),
        (
            ["network.topology.kind=irregular"],
            "rails are networks of routers, and 'network.topology.kind' is 'irregular'",
        ),
        (["network.chips={rail0.router0: rtl}"], "packets as events have no other fidelity beside them"),
        (
            ["network.fidelity=core", "network.chips={rail7.router0: tlm}"],
            "there is no switch 'rail7.router0' in the network; did you mean 'rail0.router0'?",
        ),
        (["workload.static.policy=statik"], "'workload[0].policy' cannot be 'statik'; did you mean 'static'?"),
        (["host.bus=0"], "'host.bus' must be 1/1000000..1000000 B/cycle, not 0"),
        (["workload.*.rate=0"], "'workload[0].rate' must be 1/1000000000..1 flit/host/cycle, not 0"),
        (["workload.0.kind=unicast"], "hosts on rails run 'kind: rails' alone, and this is 'unicast'"),
    ],
)
def test_refusals(settings: list[str], message: str) -> None:
    assert message in refused(SCENARIO, *settings)


def test_tools_for_firmware_and_waves_are_refused(tmp_path: Path) -> None:
    for options, message in (
        (("--profile", "host5"), "look at the interface of a host, and on rails host5 has 7"),
        (("--waves",), "packets as events are on no pins that waves could show"),
    ):
        assert message in simulate(SCENARIO, tmp_path / "out", options=options, status=2).stderr


def test_a_matrix_without_a_rail_for_a_pair_names_it(tmp_path: Path) -> None:
    file = tmp_path / "matrix.txt"
    file.write_text("10\n11\n")
    error = refused(SCENARIO, "network.topology.nodes=2", "rails.count=2", f"rails.matrix={file}")
    assert f"{file}: no rail takes messages from node 1 to node 0" in error
    file.write_text("10\n1x\n")
    assert f"{file}:2:2: " in refused(SCENARIO, "network.topology.nodes=2", "rails.count=2", f"rails.matrix={file}")


def test_a_failure_comes_with_the_command_that_repeats_it(tmp_path: Path) -> None:
    """Packets as events have no waves; a failing run still says how to run it again, and that fails the same way."""
    simulate(SCENARIO, tmp_path / "first", *SMALL, "measurement.drain_limit=1 cycle", status=1)
    failed = [point.id for point in points(tmp_path / "first") if not point.passed]
    replays = run_of(tmp_path / "first").replay
    assert failed
    assert sorted(replays) == sorted(failed)
    sim(*replays[failed[0]], "--progress", "none", "--out", tmp_path / "again", status=1)
    assert (tmp_path / "again/results.json").read_bytes() == (tmp_path / "first/results.json").read_bytes()
