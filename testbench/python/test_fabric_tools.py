# SPDX-License-Identifier: Apache-2.0
"""Sweeps, test plans, packet logs and reports of networks with forwarding tables."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from polycast_cli.common import ROOT
from polycast_cli.network import Network
from polycast_cli.reports.ports import port_rows
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder
from simulation import SCENARIOS, simulate
from test_fabric_run import FABRIC, lanes_of_ring, tables

HERE = Path(__file__).parent


def call(folder: Path, *arguments: object) -> str:
    command = [sys.executable, str(HERE / "prebuilt_cli.py"), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "200", "TERM": "dumb"}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def overrides(*settings: str) -> list[str]:
    return [part for setting in settings for part in ("-s", setting)]


def test_a_sweep_over_lanes_and_buffers(tmp_path: Path) -> None:
    settings = overrides(*lanes_of_ring(), "workload.0.message=64 B")
    text = call(
        tmp_path, "run", FABRIC, *settings, "-s", "switch.buffer=[64 flit, 128 flit]", "--out", "sweep", "-j", 1
    )
    assert "2 passed" in text
    settings = overrides(*lanes_of_ring(), "workload.0.message=64 B", "network.routing.vls=[8, 9]")
    assert "2 passed" in call(tmp_path, "run", FABRIC, *settings, "--out", "lanes", "-j", 1)


def test_a_test_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        "name: tables\nrequirements:\n  - id: all\n    says: All is delivered.\n    tests:\n"
        f"      - scenario: {os.path.relpath(FABRIC, tmp_path)}\n"
        "        set: {workload.each_to_each.message: 64 B}\n"
        "        grid: {switch.buffer: [64 flit, 96 flit]}\n        seeds: [3]\n"
    )
    text = call(tmp_path, "regress", "plan.yaml", "--out", "done", "-j", 1)
    assert re.search(r"2 .*passed|2/2", text), text


def test_why_a_packet_waited(tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "out", *lanes_of_ring(), "trace.packets=true")
    slowest = call(tmp_path, "why", "out", "--slowest", "3")
    number, cycles = slowest.splitlines()[2].split()[:2]
    told = json.loads(call(tmp_path, "why", "out", "-p", number, "--json"))
    assert int(cycles.replace(",", "")) > 0
    names = json.dumps(told)
    assert "ring" in names and "node" in names


def test_the_report_has_counters_and_no_root(tmp_path: Path) -> None:
    out = tmp_path / "out"
    simulate(FABRIC, out, *tables("irr8s3.updn.mcast"))
    columns, rows = port_rows(Folder(out))
    unplugged = 4
    assert len(rows) == 8 * 8 + 32 - unplugged
    waits = [int(row[columns.index("PortXmitWait")].replace(",", "")) for row in rows]
    assert waits == sorted(waits, reverse=True)
    page = write_report(out).read_text()
    assert "Counters of ports" in page
    assert "PortRcvSwitchRelayErrors" in page
    (drawn,) = (out / "topology").glob("*.json")
    network = Network.model_validate_json(drawn.read_text())
    assert network.root is None
    assert all(switch.level is None for switch in network.switches)
    assert 'class="switch root"' not in page


def test_ports_have_the_same_counters_in_table_and_results(tmp_path: Path) -> None:
    out = tmp_path / "out"
    simulate(FABRIC, out, *tables("irr8s3.updn.mcast"))
    (point,) = json.loads((out / "results.json").read_text())["points"]
    rows = {row["port"]: row for row in Folder(out).rows("ports")}
    for port in point["ports"]:
        row = rows.pop(port["port"], None)
        if row is None:  # without a cable
            assert port["PortXmitPkts"] == port["PortRcvPkts"] == 0
            continue
        names = [name for name in row if name.startswith("Port")]
        assert len(names) == 11
        assert {name: port[name] for name in names} == {name: int(row[name]) for name in names}
    assert not rows


def test_links_agree_with_counters_over_a_link_layer(tmp_path: Path) -> None:
    """Cables with a layer are chips of their own."""
    one = ["network.link.layer=retry", "switch.buffer=96 flit", "workload.0.message=64 B"]
    simulate(SCENARIOS / "fabric.yaml", tmp_path / "out", *lanes_of_ring(), *one)
    (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    of = {port["port"]: port for port in point["ports"]}
    with (tmp_path / "out" / "tables" / "links.csv").open() as table:
        for row in csv.DictReader(table):
            assert of[row["from"]]["PortXmitData"] == of[row["to"]]["PortRcvData"]
            assert of[row["from"]]["PortXmitPkts"] == of[row["to"]]["PortRcvPkts"]
