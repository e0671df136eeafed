# SPDX-License-Identifier: Apache-2.0
"""Meshes and tori with ideal hosts, and allgathers by interfaces: curves, allgathers, drawings, and what is refused."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from polycast_cli.network import Network
from polycast_cli.reports.drawing import Graph, layout, network_svg
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder
from polycast_cli.results_of_kinds import Xors
from polycast_cli.running import print_summary
from simulation import SCENARIOS, SIMULATOR, points, refused, results, said, simulate


def analysed(*arguments: str) -> dict[str, Any]:
    return json.loads(said("analyse", "network-coding", *arguments, "--json"))


def test_plans_are_compared_for_the_same_sources() -> None:
    """The shares were worked out apart from this program; with two sources both plans are the same 510 unicasts."""
    for sources, share in ((2, 1), (16, 0.657), (32, 0.484), (64, 0.401)):
        network = ("--k", "16", "--group", "32", "--base", "all-at-once", "--placement", "centre")
        found = analysed(*network, "--sources", str(sources))
        assert found["delivered"] / found["base"] == pytest.approx(share, abs=0.0005), sources
        if sources == 2:
            assert found["unicasts"]["delivered"] == found["unicasts"]["base"] == 510


def test_workloads_of_a_scenario_have_the_same_sources(tmp_path: Path) -> None:
    """With two sources, coded and plain data are the same 510 unicasts, whichever comes first."""
    plain = "{name: base, kind: allgather, algorithm: all_at_once, sources: 2}"
    coded = (
        "{name: coded, kind: allgather, algorithm: coded, base: all_at_once, group: 32, placement: centre, sources: 2}"
    )
    for number, workloads in enumerate(([plain, coded], [coded, plain])):
        scenario = tmp_path / f"{number}.yaml"
        scenario.write_text(
            "network: {topology: {kind: mesh, radix: 16}}\nhost: {model: ideal}\n"
            f"workload:\n  - {workloads[0]}\n  - {workloads[1]}\n"
        )
        simulate(scenario, tmp_path / str(number))
        hops = {
            point.workload.name: point.allgather and point.allgather.hops for point in points(tmp_path / str(number))
        }
        assert hops == {"base": 6976, "coded": 6976}
    alone = tmp_path / "alone.yaml"
    mesh = "network: {topology: {kind: mesh, radix: 16}}\nhost: {model: ideal}\nworkload:\n  - "
    alone.write_text(mesh + plain.replace("sources: 2", "sources: 16, group: 32"))
    simulate(alone, tmp_path / "alone")
    found = points(tmp_path / "alone")[0].allgather
    assert found
    network = ("--k", "16", "--group", "32", "--base", "all-at-once", "--placement", "centre")
    assert found.hops == analysed(*network, "--sources", "16")["base"]
    alone.write_text(mesh + plain.replace("sources: 2", "group: 32"))
    assert "has no groups but to deal 'sources' over; leave it out, or give 'sources'" in refused(alone)


def test_what_the_published_accounting_leaves_out_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "published.yaml"
    scenario.write_text(
        "network: {topology: {kind: mesh, radix: 16}}\nhost: {model: ideal}\n"
        "workload: [{name: c, kind: allgather, algorithm: coded, group: 32, accounting: as_published}]\n"
    )
    done = simulate(scenario, tmp_path / "out")
    left_out = "46128 of 65280 data cannot be recovered: their packets are not part of the published accounting"
    assert left_out in done.stdout
    print_summary(results(tmp_path / "out"))
    sentence = "46,128 of 65,280 data cannot be recovered: the published accounting leaves their packets out"
    assert f"incomplete: {sentence}" in capfd.readouterr().out
    assert f"But {sentence}." in write_report(tmp_path / "out").read_text()
    simulate(scenario, tmp_path / "whole", "workload.c.accounting=delivered")
    assert results(tmp_path / "whole").unrecovered == ""


@pytest.mark.parametrize(("radix", "cycles"), [(4, 43), (8, 188), (16, 1367), (32, 12247)])
def test_all_to_alls_take_the_known_cycles(tmp_path: Path, radix: int, cycles: int) -> None:
    """Of the allocator with one iteration, since the first version."""
    every = "workload=[{name: all, kind: unicast, pattern: each_to_each}]"
    simulate(SCENARIOS / "mesh.yaml", tmp_path / "out", f"network.topology.radix={radix}", "router.iterations=1", every)
    (point,) = points(tmp_path / "out")
    assert point.cycles == cycles
    assert point.check.delivered == radix**2 * (radix**2 - 1)


def test_curves_of_a_mesh(tmp_path: Path) -> None:
    out = tmp_path / "mesh"
    simulate(SCENARIOS / "mesh.yaml", out, "measurement.warmup=300", "measurement.window=1500")
    found = results(out)
    assert [curve.name for curve in found.curves] == ["uniform", "transpose", "complement", "tornado", "hotspot"]
    for curve in found.curves:
        assert curve.zero_load.measured == curve.zero_load.formula
        assert curve.zero_load.different == 0
        latencies = [point.latency_mean for point in curve.points]
        assert latencies[0] > curve.zero_load.measured * 0.95
        assert latencies[-1] > latencies[0]
    # A mean distance of 16/3 links between different nodes: 5 + 3h.
    assert found.curves[0].zero_load.measured == pytest.approx(5 + 16)
    assert found.passed
    page = write_report(out).read_text()
    assert "Latency against load" in page
    assert page.count('class="knot') >= len(found.points) / 2
    assert "Load of the links" in page
    with (out / "tables" / "points.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["pattern"] for row in rows} == {"uniform", "transpose", "bit_complement", "tornado", "hotspot"}


def test_results_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    found = []
    for jobs in ("1", "3"):
        out = tmp_path / jobs
        short = ("measurement.window=500", "measurement.warmup=0", "network.topology.radix=4")
        hot = "workload.hotspot.hotspot.hosts=[5]"
        simulate(SCENARIOS / "mesh.yaml", out, *short, hot, options=("-j", jobs))
        found.append([(out / name).read_bytes() for name in ("results.json", "tables/links.csv")])
    assert found[0] == found[1]


TRAFFIC = """\
name: traffic
seed: 3
network:
  topology: {kind: torus, radix: 4, dimensions: 2}
host: {model: ideal}
workload:
  - {name: load, kind: unicast, rate: [0.1, 0.3], flits: 1, most_flits: 5}
  - {name: flood, kind: unicast, pattern: transpose, rate: 1}
  - {name: hot, kind: unicast, pattern: hotspot, hotspot: {hosts: [5]}, rate: 0.1}
  - {name: far, kind: unicast, pattern: tornado, messages: 20, flits: 3}
  - {name: all, kind: unicast, pattern: each_to_each, flits: 2}
  - {name: coded, kind: allgather, group: 4}
measurement: {warmup: 100 cycle, window: 900 cycle, drain_limit: 300 cycle, saturated: drain}
"""


def test_results_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    scenario = tmp_path / "traffic.yaml"
    scenario.write_text(TRAFFIC)
    files: dict[int, dict[str, bytes]] = {}
    for threads in (1, 2, 3, 4):
        out = tmp_path / str(threads)
        command = [SIMULATOR, "run", scenario, "-s", f"network.threads={threads}", "--out", out, "--progress", "none"]
        assert subprocess.run(command, check=False, timeout=600).returncode == 1, "the flood is not drained"
        files[threads] = {
            str(path.relative_to(out)): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.is_file() and path.name not in ("run.json", "scenario.yaml")
        }
    found = points(tmp_path / "1")
    assert [point.workload.name for point in found if not point.passed] == ["flood"]
    assert all(point.links and point.links.count == 2 * 2 * 16 + 2 * 16 for point in found)
    for threads in (2, 3, 4):
        assert files[threads].keys() == files[1].keys()
        assert [path for path in files[1] if files[1][path] != files[threads][path]] == []


def way(source: int, target: int, radix: int) -> list[tuple[str, str]]:
    """Links of a mesh's dimension-order route, hosts included."""
    links = [(f"host{source}", f"router{source}:4")]
    at = [source % radix, source // radix]
    for dimension, end in enumerate((target % radix, target // radix)):
        while at[dimension] != end:
            sign = 1 if at[dimension] < end else -1
            before = at[0] + at[1] * radix
            at[dimension] += sign
            port = 2 * dimension + (0 if sign > 0 else 1)
            links.append((f"router{before}:{port}", f"router{at[0] + at[1] * radix}:{port ^ 1}"))
    return [*links, (f"router{target}:4", f"host{target}")]


def test_links_carry_what_routes_say(tmp_path: Path) -> None:
    settings = ["network.topology.kind=mesh", "workload.load.most_flits=1"]
    scenario = tmp_path / "traffic.yaml"
    scenario.write_text(TRAFFIC.replace("  - {name: flood, kind: unicast, pattern: transpose, rate: 1}\n", ""))
    simulate(scenario, tmp_path / "out", *settings)
    found = points(tmp_path / "out")
    by_name = {point.workload.name: point for point in found}
    loads = {id: list(read) for id, read in Folder(tmp_path / "out").links()}
    carried = {(link.source, link.target): 0 for link in loads[by_name["all"].id]}
    for source in range(16):
        for target in range(16):
            for link in way(source, target, 4) if source != target else []:
                carried[link] += 1
    for link in loads[by_name["all"].id]:
        packets = carried[link.source, link.target]
        assert (link.packets, link.flits) == (packets, 2 * packets), link
        assert link.buffer_mean is None
        assert link.utilisation == link.flits / by_name["all"].cycles
    for point in by_name.values():
        links = loads[point.id]
        between = [link for link in links if link.source.startswith("r") and link.target.startswith("r")]
        assert sum(link.flits for link in between) == point.flit_hops, point.id
        arrived = sum(link.flits for link in links if link.target.startswith("host"))
        assert arrived >= point.check.delivered
        assert point.links is not None
        assert (point.links.count, point.links.flits) == (len(links), sum(link.flits for link in links))
        assert point.links.packets == sum(link.packets for link in links)
        assert point.links.utilisation_mean == pytest.approx(fmean(link.utilisation for link in links))
        busiest = sorted(links, key=lambda link: -link.flits)[:10]
        told = [(link.source, link.target, link.utilisation) for link in point.links.busiest]
        assert told == [(link.source, link.target, link.utilisation) for link in busiest]
    simulate(scenario, tmp_path / "quiet", *settings, "measurement.links=false")
    for before, after in zip(found, points(tmp_path / "quiet"), strict=True):
        assert after.links is None
        assert before.model_copy(update={"links": None}) == after
    assert list(Folder(tmp_path / "quiet").links()) == []


def test_allgathers_count_what_the_analysis_says(tmp_path: Path) -> None:
    out = tmp_path / "coding"
    simulate(SCENARIOS / "coding.yaml", out, "network.topology.radix=4", "workload.coded.group=4")
    found = {point.workload.name: point for point in points(out)}
    assert len(found) == 13
    for point in found.values():
        assert point.passed, point
    assert found["coded"].allgather is not None
    expected = analysed("--k", "4", "--group", "4")
    assert found["coded"].allgather.hops == expected["delivered"]
    assert found["all_at_once"].flit_hops == 640
    assert found["tree"].flit_hops == 320
    assert found["replication"].flit_hops == 16 * 15
    assert found["coded-host"].cycles > found["coded"].cycles
    assert "Allgathers" in write_report(out).read_text()


def test_allgathers_by_interfaces_deliver_the_plan_byte_by_byte(tmp_path: Path) -> None:
    out = tmp_path / "interfaces"
    simulate(SCENARIOS / "coding_interfaces.yaml", out)
    found = {point.workload.name: point for point in points(out)}
    simulate(SCENARIOS / "coding_interfaces.yaml", tmp_path / "ideal", "host.model=ideal")
    for other in points(tmp_path / "ideal"):
        point = found[other.workload.name]
        made, counted = point.allgather, other.allgather
        assert made is not None and counted is not None
        assert point.passed, point
        assert point.check.delivered == 16 * 15
        assert made.verified_bytes == 16 * 15 * 128
        for key in ("group", "packets", "xors", "decode_xors"):
            assert getattr(made, key) == getattr(counted, key), key
        counts = [(step.step, step.packets, step.hops) for step in made.steps]
        assert counts == [(step.step, step.packets, step.hops) for step in counted.steps]
        # Packets of 11 flits: what links counted is what the plan says.
        assert point.flit_hops == 11 * (made.hops or 0)
        assert max(step.cycles for step in made.steps) <= point.cycles
    assert found["coded"].allgather is not None
    assert found["coded"].allgather.xors == Xors(total=12, max=3, coders=4)
    assert found["coded-host"].cycles > found["coded"].cycles
    assert "Allgathers" in write_report(out).read_text()


@pytest.mark.parametrize(
    ("setting", "proposal"),
    [
        ("workload.coded.mode=steps", "take 'mode: free'"),
        ("workload.coded.flits=3", "it belongs to host.model: ideal"),
        ("workload.tree.algorithm=replication", "take another algorithm"),
        ("workload.coded.operands=9", "leave it out"),
        ("workload.coded.accounting=as_published", "take 'accounting: delivered'"),
        ("workload.coded.message=200 B", "coded data travel in one packet each"),
    ],
)
def test_what_only_ideal_hosts_have_is_refused(setting: str, proposal: str) -> None:
    error = said("check", SCENARIOS / "coding_interfaces.yaml", "-s", setting, status=2)
    assert proposal in error
    assert error.count("\n") == 1


def test_check_says_what_it_found() -> None:
    text = said("check", SCENARIOS / "mesh.yaml")
    assert "good: 1 network of 64 routers and 64 hosts, 35 workloads" in text
    assert "4 virtual channels of 8 flits, packets of at most 1:" in text
    assert "no cycle" in text


def test_topology_of_a_torus() -> None:
    torus = [
        "-s",
        "network.topology={kind: torus, radix: 4, dimensions: 3}",
        "-s",
        "workload.hotspot.hotspot.hosts=[5]",
    ]
    text = said("topology", SCENARIOS / "mesh.yaml", *torus)
    assert "64 routers, 4 along each of 3 dimensions" in text
    assert "192 between routers; 32 between two halves" in text
    assert "longest 6" in text
    data = json.loads(said("topology", SCENARIOS / "mesh.yaml", *torus, "--json"))
    graph = Graph.of(Network.model_validate(data))
    places = layout(graph)
    assert len(set(places.values())) == 128, "no two nodes at one place"
    assert network_svg(graph).count("<rect") == 64
    dot = said("topology", SCENARIOS / "mesh.yaml", *torus, "--dot")
    assert dot.count(" -- ") == 192


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("network.threads=65", "'network.threads' must be 1..64, not 65"),
        ("router.vcs=17", "'router.vcs' must be 1..16, not 17"),
        ("network.chips={router99: rtl}", "there is no switch 'router99' in the network"),
        ("switch.flit=4", "'switch' has no meaning with 'network.topology.kind: mesh'"),
        ("host.ni_send=4", "'host.ni_send' has no meaning with 'model: ideal'"),
        ("workload.0.flits=9", "'router.buffer' of 8 flits does not take a packet of up to 9 flits"),
    ],
)
def test_refusals(setting: str, message: str) -> None:
    error = said("check", SCENARIOS / "mesh.yaml", "-s", setting, status=2)
    assert message in error
    assert error.count("\n") == 1


def test_a_torus_without_a_dateline_is_refused_with_the_circle() -> None:
    ring = ["-s", "network.topology.kind=torus", "-s", "router.dateline=false"]
    error = said("check", SCENARIOS / "mesh.yaml", *ring, status=2)
    assert "circle: router0:0 VC 0 -> router1:0 VC 0 -> router2:0 VC 0" in error
    assert "take 'dateline: true'" in error
