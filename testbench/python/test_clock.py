# SPDX-License-Identifier: Apache-2.0
"""Times, rates in Gbit/s and counters by InfiniBand's names, in terminal, tables and report."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from polycast_cli.clock import accepted_gigabits, gigabits, time_of, time_text
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder, Results
from simulation import SCENARIOS, simulate


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0.00 ns"),
        (3.3333, "3.33 ns"),
        (980, "980 ns"),
        (999.4, "999 ns"),
        (999.6, "1.00 µs"),
        (9.996e3, "10.0 µs"),
        (22_410, "22.4 µs"),
        (99_960, "100 µs"),
        (4.2e6, "4.20 ms"),
        (61e9, "61.0 s"),
        (4321e9, "4321 s"),
        (None, "–"),
    ],
)
def test_times_have_three_digits_that_count(nanoseconds: float | None, text: str) -> None:
    assert time_text(nanoseconds) == text


def test_earlier_results_have_no_clock() -> None:
    old = Results.model_validate({"format": 2, "scenario": "s", "seed": 1, "points": []})
    assert time_of(old, 100) == "–"
    assert gigabits(old, 0.5) is None
    assert accepted_gigabits(old, "load") is None


LOAD = ["workload.0.rate=0.1 flit/host/cycle", "measurement.warmup=2000 cycle", "measurement.window=8000 cycle"]


def test_ports_say_what_links_carried(tmp_path: Path) -> None:
    out = tmp_path / "out"
    simulate(SCENARIOS / "first_light.yaml", out, "host.cycle=4 ns", "switch.flit=2 B")
    results = json.loads((out / "results.json").read_text())
    assert results["units"]["cycle_ns"] == 4
    assert results["units"]["flit_bytes"] == 2
    cycles = {point["id"]: point["cycles"] for point in results["points"]}
    ports = {(row["point"], row["port"]): row for row in Folder(out).rows("ports")}
    links = [(point, link) for point, loads in Folder(out).links() for link in loads]
    assert len(ports) == len(links) > 500
    for point, link in links:
        for end, way, rate in ((link.source, "Xmit", "xmit_gbit_s"), (link.target, "Rcv", "rcv_gbit_s")):
            row = ports[point, end]
            assert int(row[f"Port{way}Data"]) == link.flits * 2 // 4
            assert int(row[f"Port{way}Pkts"]) == link.packets
            exact = Fraction(link.flits * 2 * 8, cycles[point] * 4)
            assert float(row[rate]) == pytest.approx(float(exact), rel=1e-12)
            assert row["PortXmitWait"] == ""  # plain switches do not count it
    page = write_report(out).read_text()
    assert "Counters of ports" in page
    assert "a cycle is 4.0 ns" in page
    assert "PortXmitWait" not in page


def test_time_and_rate_on_the_terminal(tmp_path: Path, cli) -> None:  # type: ignore[no-untyped-def]
    done = cli("run", SCENARIOS / "first_light.yaml", "--out", tmp_path / "out")
    header, tree, unicasts = done.stdout.splitlines()[:3]
    assert header.split() == [
        "workload",
        "networks",
        "latency",
        "(cycles)",
        "±",
        "95",
        "%",
        "time",
        "delivered",
        "expected",
    ]
    assert tree.split()[4:6] == ["22.4", "µs"]  # 4,482.0 cycles of 5 ns
    assert unicasts.split()[4:6] == ["97.8", "µs"]
