# SPDX-License-Identifier: Apache-2.0
"""Broadcasts over lanes and streams between sites, as runs of the simulator."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import pytest
from polycast_cli.reports.report import write_report
from simulation import SCENARIOS, points, run_of, sim, simulate

SCENARIO = SCENARIOS / "multilane.yaml"
ALGORITHMS = ["chain", "pipelined_chain", "binary", "binomial", "van_de_geijn", "multi_lane"]


#: A run of the scenario: out, *settings.
run = partial(simulate, SCENARIO)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lanes") / "out"
    run(out)
    return out


def test_every_algorithm_brings_every_byte_to_every_node(results: Path) -> None:
    made = {point.workload.algorithm: point for point in points(results) if point.workload.kind == "lanes"}
    assert list(made) == ALGORITHMS
    for name, point in made.items():
        assert point.passed, name
        assert point.fidelity == "event", "an approximation says so"
        assert point.lanes.checked_bytes == 31 << 20
        found = point.lanes.broadcast
        assert found.seconds == pytest.approx(point.cycles * 8e-9)
        if name == "van_de_geijn":
            # Its blocks share the links between the sites, which the models do not know.
            assert found.seconds > 1.2 * found.model
        else:
            assert found.seconds == pytest.approx(found.model, rel=0.02), name
            assert found.seconds > found.closed_form, name
        nodes = found.nodes
        assert nodes.max == pytest.approx(found.seconds)
        assert 0 < nodes.min < nodes.mean < nodes.max
    # Half of the message crosses by each lane, and by van de Geijn blocks cross again and again.
    crossed = {name: point.lanes.broadcast.wan_bytes for name, point in made.items()}
    assert {crossed[name] for name in ALGORITHMS if name != "van_de_geijn"} == {1 << 20}
    assert crossed["van_de_geijn"] > 1 << 20


def test_packets_stay_a_while_in_the_memory_of_interfaces(results: Path) -> None:
    for point in points(results):
        if point.workload.kind == "streams":
            continue
        used = point.interfaces
        assert used.receive_memory_peak > 0
        assert used.residency_max >= used.residency_mean > 0


def test_nodes_have_their_times_in_a_table(results: Path) -> None:
    with (results / "tables" / "lanes.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if "multi_lane" in row["point"]]
    assert [row["node"] for row in rows] == [f"host{node}" for node in range(32)]
    assert rows[0]["cycle"] == "0"
    found = next(point for point in points(results) if point.id.endswith("multi_lane"))
    last = found.lanes.broadcast.nodes.last
    assert max(int(row["cycle"]) for row in rows) == int(rows[int(last.removeprefix("host"))]["cycle"])
    # The second site is 10 ms away.
    first, second = ([float(row["seconds"]) for row in site] for site in (rows[1:16], rows[16:]))
    assert min(second) > min(first) + 0.01


def test_processor_seconds_are_no_results(results: Path) -> None:
    costs = run_of(results).points
    assert costs.keys() == {point.id for point in points(results)}
    for one in costs.values():
        expected = one.cpu_seconds / one.delivered_bytes * 1e9
        assert one.cpu_seconds_per_gigabyte == pytest.approx(expected)
    assert "cpu" not in (results / "results.json").read_text()


def test_streams_are_limited_by_their_windows(results: Path) -> None:
    made = {point.workload.streams: point for point in points(results) if point.workload.kind == "streams"}
    assert list(made) == [1, 2, 4, 8, 16, 32]
    for streams, point in made.items():
        assert point.passed
        found = point.lanes.streams
        assert found.formula_share == pytest.approx(min(1, 0.04 * streams))
        assert found.share == pytest.approx(found.bandwidth / 125e6)
        # 12 packets of 8 KiB fit the window of 100 kB; the line carries headers, too.
        assert found.share == pytest.approx(found.formula_share, rel=0.04), streams
        interfaces = point.interfaces
        assert interfaces.packets_in >= point.lanes.checked_bytes / 8192
        assert interfaces.packets_out >= interfaces.packets_in
    assert made[32].lanes.streams.share > 0.9


def test_results_are_the_same_again(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"
    simulate(results / "scenario.yaml", out)
    assert (out / "results.json").read_bytes() == (results / "results.json").read_bytes()
    assert (out / "tables" / "lanes.csv").read_bytes() == (results / "tables" / "lanes.csv").read_bytes()


def test_the_report_has_a_line_for_each(results: Path) -> None:
    page = write_report(results).read_text()
    assert page.count('<td class="left">multi_lane</td>') == 1
    assert "Streams between sites" in page
    assert "fidelity event" in page


SMALL = (
    "network.topology.sites=[5]",
    "workload=[{name: b, kind: lanes, message: 40000 B, lanes: {algorithm: [chain, pipelined_chain, binary, binomial, "
    "van_de_geijn, multi_lane], piece: 4 KiB}}]",
    "packet.payload=1024",
    "lanes.latency=16 us",
)


@pytest.mark.parametrize("interfaces", [1, 2])
def test_events_take_the_time_of_flits(tmp_path: Path, interfaces: int) -> None:
    times = {}
    for fidelity in ("event", "core"):
        out = tmp_path / fidelity
        run(out, *SMALL, f"network.fidelity={fidelity}", f"lanes.interfaces={interfaces}")
        assert {point.fidelity for point in points(out)} == {fidelity}
        times[fidelity] = {point.workload.algorithm: point.cycles for point in points(out)}
    # Where packets of two senders meet at one receiver, queues replace buffers: events are up to a fifth faster.
    meeting = {"van_de_geijn"} | ({"multi_lane"} if interfaces == 1 else set())
    for name, cycles in times["core"].items():
        if name in meeting:
            assert 0.78 * cycles < times["event"][name] < cycles, name
        else:
            assert times["event"][name] == cycles, name


def test_one_interface_is_half_as_fast(tmp_path: Path) -> None:
    work = "workload=[{name: b, kind: lanes, message: 8 MiB, lanes: {algorithm: multi_lane}}]"
    times = {}
    for interfaces in (1, 2):
        out = tmp_path / str(interfaces)
        run(out, "network.topology.sites=[32]", work, f"lanes.interfaces={interfaces}")
        found = points(out)[0].lanes.broadcast
        times[interfaces] = found.seconds
        assert found.closed_form == pytest.approx(5 * 1.92e-3 + (8 << 20) / (interfaces * 125e6))
    # What is left but for the latency are bytes, pieces and headers, at half of the rate.
    assert times[1] - 0.0096 == pytest.approx(2 * (times[2] - 0.0096), rel=0.02)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("lanes.interfaces=3", "-s lanes.interfaces=3: 'lanes.interfaces' must be 1..2, not 3"),
        ("lanes.bandwidth=0", "'lanes.bandwidth' must be 1..1000000000000 B/s, not 0"),
        ("network.topology.sites=[16, 0]", "site 1 has no nodes; leave it out, or give it one or more"),
        ("network.topology.sites=[1]", "a single node has nobody to send to; take 2 or more"),
        ("host.model=ideal", "lanes are network interfaces, and ideal hosts have none; take 'host.model: interface'"),
        ("lanes.window=1 kB", "a window of 1000 B never lets a packet of 8192 B go"),
        ("workload=[{name: b, kind: lanes, lanes: {piece: 0}}]", "'workload[0].lanes.piece' must be 1..1000000000 B"),
        ("workload=[{name: b, kind: lanes, lanes: {algorithm: multilane}}]", "did you mean 'multi_lane'?"),
        ("network.fidelity=tlm", "flit by flit there is one site: a wide-area link would hold millions of flits"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, setting: str, said: str) -> None:
    assert said in run(tmp_path / "out", setting, status=2).stderr
    assert not (tmp_path / "out").exists()


def test_sites_are_checked_and_analysed_elsewhere() -> None:
    done = sim("check", SCENARIO)
    assert "1 network of 4 switches and 32 hosts, 12 workloads" in done.stdout
    done = sim("topology", SCENARIO, status=None)
    assert done.returncode == 2
    assert "take 'polycast-sim analyse multilane --site-nodes 16,16'" in done.stderr


def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    scenario = tmp_path / "bad.yaml"
    scenario.write_text(SCENARIO.read_text().replace("interfaces: 2 ", "interfaces: 3 "))
    line = scenario.read_text().split("interfaces: 3")[0].count("\n") + 1
    said = simulate(scenario, tmp_path / "out", status=2).stderr
    assert f"{scenario}:{line}:15: 'lanes.interfaces' must be 1..2, not 3" in said
