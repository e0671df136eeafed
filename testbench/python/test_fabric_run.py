# SPDX-License-Identifier: Apache-2.0
"""Forwarding tables of real fabrics, run on VL switches: all that the tables lead to is delivered, the same in every
fidelity; tables that can deadlock do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from simulation import SCENARIOS, files, refused, simulate

FABRIC = SCENARIOS / "fabric.yaml"
FLIPS = "faults={verdict: reported, links: [{link: all, rate: 1e-6}]}"
#: The circle of channels that the check of ring6.minhop finds, one of two.
CIRCLE = {"ring0:2", "ring1:3", "ring2:3", "ring3:3", "ring4:3", "ring5:3"}
DATA = SCENARIOS.parent / "data" / "fabric"


def tables(folder: str, *more: str) -> list[str]:
    """Settings for the dumps of a folder."""
    at = DATA / folder
    named = ["kind: tables", f"lft: {at / 'opensm.fdbs'}", *more]
    return [f"network.topology.path={at / 'opensm-subnet.lst'}", f"network.routing={{{', '.join(named)}}}"]


def lanes_of_ring() -> list[str]:
    """Two virtual lanes, by service levels of paths."""
    at = DATA / "ring6.dfsssp"
    return tables("ring6.dfsssp", f"sl2vl: {at / 'slvl'}", f"path_sl: {at / 'psl'}")


def only_point(out: Path) -> dict[str, Any]:
    (point,) = json.loads((out / "results.json").read_text())["points"]
    return point


def delivered(out: Path) -> int:
    point = only_point(out)
    messages = point["check"]["messages"]
    assert point["passed"]
    assert messages["delivered"] == messages["expected"]
    return messages["delivered"]


@pytest.mark.parametrize(
    ("settings", "pairs"),
    [
        (tables("irr8s3.updn.mcast"), 992),
        (lanes_of_ring(), 30),
        (tables("parallel.lmc1", "on_problem: run", "lmc: 1"), 210),
        (tables("parallel.lmc1", "on_problem: run", "lmc: 1", "path: spread"), 210),
    ],
)
def test_each_to_each_is_delivered(settings: list[str], pairs: int, tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "out", *settings)
    assert delivered(tmp_path / "out") == pairs


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3", "packet.check=route"])
def test_the_same_in_every_fidelity(setting: str, tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "core", *lanes_of_ring())
    simulate(FABRIC, tmp_path / "other", *lanes_of_ring(), setting)
    if setting != "packet.check=route":
        assert files(tmp_path / "core") == files(tmp_path / "other")
    assert delivered(tmp_path / "other") == 30


def test_one_switch_in_rtl(tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "core", *lanes_of_ring())
    simulate(FABRIC, tmp_path / "rtl", *lanes_of_ring(), "network.chips={ring2: rtl}")
    assert files(tmp_path / "core") == files(tmp_path / "rtl")


def test_multicasts_by_software_and_interfaces(tmp_path: Path) -> None:
    for scheme in ("software", "ni"):
        one = f"workload=[{{name: one, kind: multicast, scheme: {scheme}, degree: 9, message: 1024 B}}]"
        simulate(FABRIC, tmp_path / scheme, one)
        assert delivered(tmp_path / scheme) == 9


def test_reliable_messages(tmp_path: Path) -> None:
    one = "workload=[{name: one, kind: unicast, pattern: each_to_each, message: 1024 B, reliable: true}]"
    simulate(FABRIC, tmp_path / "out", one, "network.link.layer=check", FLIPS)
    assert delivered(tmp_path / "out") == 992


def test_tables_that_can_deadlock_are_refused() -> None:
    text = refused(FABRIC, *tables("ring6.minhop"))
    assert "a possible credit loop" in text
    assert "on_problem: run" in text


def test_tables_that_can_deadlock_do(tmp_path: Path) -> None:
    """Without a possible loop the same load is delivered."""
    load = [
        "workload=[{name: load, kind: unicast, pattern: each_to_each, message: 4096 B}]",
        "packet.payload=64 B",
        "switch.buffer=32 flit",
    ]
    simulate(FABRIC, tmp_path / "stuck", *tables("ring6.minhop", "on_problem: run"), *load, status=1)
    point = only_point(tmp_path / "stuck")
    assert point["outcome"] == "stuck"
    _, cycle = json.dumps(point).split("wait cycle: ")
    assert set(re.findall(r"output (ring\d:\d)", cycle)) == CIRCLE
    simulate(FABRIC, tmp_path / "free", *lanes_of_ring(), *load)
    assert delivered(tmp_path / "free") == 30


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["network.routing.lft=none"], ["network.routing.lft", "needs unicast tables", "opensm.fdbs"]),
        (["network.routing.lft=nothing.fdbs"], ["nothing.fdbs"]),
        (["network.topology={kind: irregular}"], ["network.routing.kind", "topology with LIDs", "kind: file"]),
        (["network.routing.root=switch0"], ["network.routing.root", "kind: updown"]),
        (["switch.stops=4"], ["switch.stops", "updown"]),
        (["network.routing.vls=16"], ["network.routing.vls", "1..15"]),
        (["switch.buffer=16 flit"], ["does not fit"]),
        (
            ["workload=[{name: one, kind: multicast, scheme: tree, degree: 3}]"],
            ["workload=", "copy no worms", "software"],
        ),
        (["switch.vl_policy=weighted"], ["no tables of VL arbitration", "smpquery vlarb"]),
    ],
)
def test_what_cannot_be_is_refused(settings: list[str], words: list[str]) -> None:
    text = refused(FABRIC, *settings)
    for word in words:
        assert word in text, text
