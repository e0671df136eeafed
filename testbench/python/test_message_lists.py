# SPDX-License-Identifier: Apache-2.0
"""Workloads that are lists of messages: each is sent in its cycle, on every network with interfaces."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from simulation import SCENARIOS, files, refused, simulate
from test_fabric_run import lanes_of_ring, tables

FABRIC = SCENARIOS / "fabric.yaml"
IRREGULAR = SCENARIOS / "forwarding.yaml"
MESH = SCENARIOS / "mesh_interfaces.yaml"


def listed(*entries: str, more: str = "") -> str:
    return f"workload=[{{name: some, kind: list{more}, list: [{', '.join(entries)}]}}]"


def latencies(out: Path) -> list[tuple[int, int]]:
    """When each message was created, and how long it took."""
    with (out / "tables" / "latencies.csv").open() as table:
        return [(int(row["created"]), int(row["latency"])) for row in csv.DictReader(table)]


def point(out: Path) -> dict[str, Any]:
    (only,) = json.loads((out / "results.json").read_text())["points"]
    return only


THREE = (
    "{at: 500, source: %s0, destination: %s5, bytes: 300}",
    "{at: 20, source: %s7, destination: %s1}",
    "{at: 500, source: 0, destination: 6, bytes: 64 B}",
)


@pytest.mark.parametrize(("scenario", "host"), [(IRREGULAR, "host"), (MESH, "host"), (FABRIC, "node00")])
def test_messages_are_sent_in_their_cycles(scenario: Path, host: str, tmp_path: Path) -> None:
    entries = [entry % (host, host) if "%" in entry else entry for entry in THREE]
    simulate(scenario, tmp_path / "out", listed(*entries, more=", message: 200 B"))
    assert sorted(created for created, _ in latencies(tmp_path / "out")) == [20, 500, 500]
    run = point(tmp_path / "out")
    assert run["passed"]
    assert run["check"]["messages"]["delivered"] == 3
    assert run["workload"] == {"name": "some", "kind": "list", "messages": 3, "message": 300, "rate": None}


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.chips={ring0: rtl}"])
def test_the_same_in_every_fidelity(setting: str, tmp_path: Path) -> None:
    entries = [
        "{at: 9, source: node000, destination: node003, sl: 1}",
        "{at: 9, source: node000, destination: node003, sl: 0}",
        "{at: 10, source: node004, destination: node001}",
    ]
    simulate(FABRIC, tmp_path / "core", *lanes_of_ring(), listed(*entries))
    simulate(FABRIC, tmp_path / "other", *lanes_of_ring(), listed(*entries), setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")
    assert point(tmp_path / "core")["passed"]


def test_a_service_level_of_its_own_takes_its_lane(tmp_path: Path) -> None:
    """The lane at the first switch is that of the level, not that of the path."""
    for level in (0, 1):
        entry = f"{{at: 9, source: node000, destination: node003, sl: {level}, bytes: 64}}"
        simulate(FABRIC, tmp_path / str(level), *lanes_of_ring(), listed(entry))
        (port,) = [p for p in point(tmp_path / str(level))["ports"] if p["port"] == "node000"]
        assert [packets > 0 for packets in port["PortVLXmitPkts"]][: level + 1] == [False] * level + [True]
        assert sum(port["PortVLXmitPkts"]) == 1


def test_firmware_that_is_not_ready_is_refused() -> None:
    text = refused(IRREGULAR, "ni.processor=iss", listed("{at: 1, source: 0, destination: 1}"))
    assert re.search(r"firmware is not ready before cycle \d+; take \d+ or later", text), text


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{at: 1, source: node0, destination: node001}", ["no host 'node0' in the network", "did you mean"]),
        ("{at: 1, source: node001, destination: node001}", ["sends to itself"]),
        ("{at: 1, source: node001}", ["no destination", "'group'"]),
        ("{at: 1, source: node001, destination: node002, sl: 16}", ["list[0].sl", "0..15"]),
        ("{at: 1, source: node001, group: 0xC001}", ["group 0xC001 has no member", "network.routing.mft"]),
        ("{at: 1, source: node001, group: 0xBFFF}", ["no multicast LID", "0xC000..0xFFFE"]),
        ("{at: 1, source: node001, destination: node002, group: 0xC001}", ["a destination and a group"]),
    ],
)
def test_what_cannot_be_is_refused(entry: str, words: list[str]) -> None:
    text = refused(FABRIC, *tables("ring6.minhop", "on_problem: run"), listed(entry))
    for word in words:
        assert word in text, text


def test_a_refusal_says_where(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    text = IRREGULAR.read_text().split("workload:")[0]
    lines = ["workload:", "  - name: some", "    kind: list", "    list:", "    - {at: 5, source: 0, destination: 1}"]
    own.write_text(text + "\n".join([*lines, "    - {at: 5, source: 2, destination: host99}"]) + "\n")
    line = text.count("\n") + len(lines) + 1
    assert f"own.yaml:{line}:39: there is no host 'host99'" in refused(own)
