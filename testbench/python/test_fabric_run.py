# SPDX-License-Identifier: Apache-2.0
"""Forwarding tables of real fabrics, run on VL switches: all that the tables lead to is delivered, the same in every
fidelity; tables that can deadlock do."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from simulation import SCENARIOS, files, refused, sim, simulate

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


def groups(*more: str) -> list[str]:
    """The network with a group of six members."""
    at = DATA / "irr8s3.updn.mcast"
    return tables("irr8s3.updn.mcast", f"mft: {at / 'opensm.mcfdbs'}", "on_problem: run", *more)


GROUP = "workload=[{name: group, kind: multicast, scheme: group, group: 0xC001, message: 1024 B%s}]"


def ports(out: Path) -> dict[str, dict[str, Any]]:
    return {port["port"]: port for port in only_point(out)["ports"]}


@pytest.mark.parametrize("more", ["", ", messages: 4", ", source: node000"])
def test_a_group_reaches_its_other_members(more: str, tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "out", *groups(), GROUP % more)
    assert delivered(tmp_path / "out") == (20 if "4" in more else 5)


def test_every_member_sends_to_its_group(tmp_path: Path) -> None:
    load = "workload=[{name: group, kind: multicast, scheme: group, group: 0xC001, message: 64 B, rate: 0.005}]"
    window = ["measurement={warmup: 0 cycle, window: 60000 cycle}", "packet.payload=64 B"]
    simulate(FABRIC, tmp_path / "out", *groups(), load, *window)
    assert delivered(tmp_path / "out") > 50
    senders = [p for p in ports(tmp_path / "out").values() if p["port"].startswith("node") and p["PortXmitPkts"]]
    assert len(senders) == 6
    for port in senders:
        assert port["PortMulticastXmitPkts"] == port["PortXmitPkts"]
        assert port["PortUnicastRcvPkts"] == 0


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.chips={switch4: rtl}"])
def test_groups_are_the_same_in_every_fidelity(setting: str, tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "core", *groups(), GROUP % "")
    simulate(FABRIC, tmp_path / "other", *groups(), GROUP % "", setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_a_list_with_groups(tmp_path: Path) -> None:
    entries = "{at: 5, source: node000, group: 0xC001}, {at: 9, source: node003, destination: node009}"
    lists = f"workload=[{{name: list, kind: list, list: [{entries}]}}]"
    simulate(FABRIC, tmp_path / "out", *groups(), lists)
    assert delivered(tmp_path / "out") == 6


def test_the_service_level_of_a_group(tmp_path: Path) -> None:
    """Lanes are by SL only where there are SL2VL tables; here the packet itself tells."""
    out = tmp_path / "out"
    simulate(FABRIC, out, *groups("group_sl: {0xC001: 3}"), GROUP % ", source: node000", "trace.packets=true")
    assert delivered(out) == 5
    text = refused(FABRIC, *groups("group_sl: {0xA001: 3}"))
    assert "network.routing.group_sl" in text or "0xA001" in text
    assert "no multicast LID" in text


def test_both_ends_of_a_cable_count_the_same(tmp_path: Path) -> None:
    simulate(FABRIC, tmp_path / "out", *groups(), "workload.each_to_each.message=512 B")
    of = ports(tmp_path / "out")
    with (tmp_path / "out" / "tables" / "links.csv").open() as table:
        links = [(row["from"], row["to"], int(row["flits"]), int(row["packets"])) for row in csv.DictReader(table)]
    assert len(links) > 60
    for sender, receiver, flits, packets in links:
        assert of[sender]["PortXmitData"] == of[receiver]["PortRcvData"] == flits, (sender, receiver)
        assert of[sender]["PortXmitPkts"] == of[receiver]["PortRcvPkts"] == packets
        assert of[sender]["PortUnicastXmitPkts"] == of[receiver]["PortUnicastRcvPkts"]
        assert of[sender]["PortXmitData"] == sum(of[sender]["PortVLXmitData"])
    assert sum(port["PortXmitWait"] for port in of.values()) > 0
    errors = ("PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortRcvErrors", "PortBufferOverrunErrors")
    assert not any(port[name] for port in of.values() for name in errors)


def test_packets_that_waited_too_long_are_counted(tmp_path: Path) -> None:
    load = [
        "workload=[{name: load, kind: unicast, pattern: each_to_each, message: 4096 B}]",
        "packet.payload=64 B",
        "switch.buffer=32 flit",
        "switch.hoq_life=2000",
    ]
    simulate(FABRIC, tmp_path / "out", *tables("ring6.minhop", "on_problem: run"), *load, status=1)
    of = ports(tmp_path / "out")
    lost = sum(port["PortSwitchHOQLifetimeLimitDiscards"] for port in of.values())
    assert lost > 0
    sent = sum(port["PortXmitPkts"] for name, port in of.items() if name.startswith("node"))
    came = sum(port["PortRcvPkts"] for name, port in of.items() if name.startswith("node"))
    assert sent - came == lost


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
    waits = re.findall(
        r"(ring\d:\d)/vl0 holds (\S+>\S+ #\d+), which waits for 4 credits of (ring\d:\d)/vl0, held by (\S+ #\d+)",
        cycle,
    )
    assert {channel for channel, *_ in waits} == {channel for _, _, channel, _ in waits} == CIRCLE
    holds = {channel: packet for channel, packet, *_ in waits}
    assert all(holds[channel] == holder for _, _, channel, holder in waits)
    simulate(FABRIC, tmp_path / "free", *lanes_of_ring(), *load)
    assert delivered(tmp_path / "free") == 30


def broken_ring(folder: Path, *rows: tuple[int, str, str]) -> list[str]:
    """The ring on two lanes with other rows: switch, row as it begins, and its port."""
    text = (DATA / "ring6.dfsssp" / "opensm.fdbs").read_text()
    switches = re.split(r"(?=dump_ucast_routes: )", text)
    for switch, lid, port in rows:
        found = re.search(rf"0x{lid} +: (\d+)", switches[1 + switch])
        assert found is not None
        start, end = found.span(1)
        switches[1 + switch] = switches[1 + switch][:start] + port + switches[1 + switch][end:]
    broken = folder / "broken.fdbs"
    broken.write_text("".join(switches))
    at = DATA / "ring6.dfsssp"
    routing = f"lft: {broken}, sl2vl: {at / 'slvl'}, path_sl: {at / 'psl'}, on_problem: run"
    return [f"network.topology.path={at / 'opensm-subnet.lst'}", f"network.routing={{kind: tables, {routing}}}"]


@pytest.mark.parametrize(
    "rows",
    [
        [(0, "0005", "004")],  # an uncabled port
        [(0, "0005", "000")],  # the switch itself
        [(1, "0001", "001")],  # another host
        [(0, "0005", "004"), (3, "0001", "000"), (5, "0009", "001")],
    ],
)
@pytest.mark.parametrize("fidelity", ["core", "tlm"])
def test_lost_packets_are_those_that_the_check_says(
    rows: list[tuple[int, str, str]], fidelity: str, tmp_path: Path
) -> None:
    broken = broken_ring(tmp_path, *rows)
    at = DATA / "ring6.dfsssp"
    dumps = [at / "opensm-subnet.lst", tmp_path / "broken.fdbs", at / "slvl", at / "psl"]
    sim("fabric", "check", *dumps, "--json", tmp_path / "check.json", status=1)
    check = json.loads((tmp_path / "check.json").read_text())
    lost = check["pairs"] - check["reached"]
    assert lost == len(check["lost"]) > 0
    simulate(FABRIC, tmp_path / "out", *broken, f"network.fidelity={fidelity}", "packet.payload=64 B")
    point = only_point(tmp_path / "out")
    assert point["passed"]
    assert point["check"]["lost"] == 4 * lost  # packets of 64 B
    assert point["check"]["messages"]["delivered"] == check["pairs"] - lost
    assert point["check"]["chip_errors"] + point["check"]["host_failures"] == 4 * lost
    errors = sum(port["PortRcvSwitchRelayErrors"] for port in ports(tmp_path / "out").values())
    assert errors == point["check"]["chip_errors"]
    refusal = refused(FABRIC, *(setting.replace(", on_problem: run", "") for setting in broken))
    assert "on_problem: run" in refusal


def test_a_deadlock_names_the_lane(tmp_path: Path) -> None:
    """All messages are on service level 1, so lane 1; lane 0 lacks nothing, and lane 2 is not in use."""
    at = DATA / "ring6.dfsssp"
    pairs = [(source, (source + step) % 6) for source in range(6) for step in range(1, 6)]
    entries = [f"{{at: 1, source: {a}, destination: {b}, bytes: 4096, sl: 1}}" for a, b in pairs]
    simulate(
        FABRIC,
        tmp_path / "out",
        *tables("ring6.minhop", f"sl2vl: {at / 'slvl'}", "vls: 3", "on_problem: run"),
        f"workload=[{{name: some, kind: list, list: [{', '.join(entries)}]}}]",
        "packet.payload=64 B",
        "switch.buffer=32 flit",
        status=1,
    )
    diagnosis = only_point(tmp_path / "out")["diagnosis"]
    assert "wait cycle: " in diagnosis
    assert set(re.findall(r"(ring\d:\d/vl\d) holds", diagnosis)) == {f"{channel}/vl1" for channel in CIRCLE}
    assert not re.search(r"/vl[02]", diagnosis)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["network.routing.lft=none"], ["network.routing.lft", "needs unicast tables", "opensm.fdbs"]),
        (["network.routing.lft=nothing.fdbs"], ["-s network.routing.lft=nothing.fdbs", "cannot be read"]),
        (["network.topology={kind: irregular}"], ["network.routing.kind", "topology with LIDs", "kind: file"]),
        (["network.routing.root=switch0"], ["network.routing.root", "kind: updown"]),
        (["switch.stops=4"], ["switch.stops", "updown"]),
        (["network.routing.vls=16"], ["network.routing.vls", "1..15"]),
        (["switch.buffer=16 flit"], ["does not fit"]),
        (
            ["workload=[{name: one, kind: multicast, scheme: tree, degree: 3}]"],
            ["workload=", "copy no worms", "'group', 'ni', 'software'"],
        ),
        ([GROUP % ""], ["workload", "group 0xC001 has no member", "network.routing.mft"]),
        ([*groups(), GROUP % ", source: node001"], ["node001", "no member of group 0xC001", "node000"]),
        ([*groups(), (GROUP % "").replace("0xC001", "0xC005")], ["group 0xC005", "known: 0xC001"]),
        (["network.routing.kind=updown", "network.topology={kind: irregular}", GROUP % ""], ["kind: tables"]),
        (["network.topology.format=db_csv"], ["network.topology.format", "subnet list of OpenSM"]),
        (["switch.vl_policy=weighted"], ["no tables of VL arbitration", "smpquery vlarb"]),
    ],
)
def test_what_cannot_be_is_refused(settings: list[str], words: list[str]) -> None:
    text = refused(FABRIC, *settings)
    for word in words:
        assert word in text, text


def without_hidden_names(*texts: str) -> None:
    """Folders and scenarios that only the command knows."""
    for text in texts:
        assert not re.search(r"/polycast-\w{8}\b|dumps\.yaml", text), text


def test_what_fabric_run_says_has_the_names_that_it_was_given(cli: Cli, tmp_path: Path) -> None:
    """Messages, results, and the commands in them, which do the same once more."""
    shutil.copytree(DATA / "ring6.minhop", tmp_path / "dumps")
    load = ["network.routing.on_problem=run", "workload.each_to_each.message=4 KiB", "packet.payload=64 B",
            "switch.buffer=32 flit"]  # fmt: skip
    sets = [part for value in load for part in ("-s", value)]
    done = cli("fabric", "run", "dumps", *sets, "-o", "out", env={"POLYCAST_COMMAND": "scripts/polycast"})
    assert done.returncode == 1, done.stdout + done.stderr
    assert "simulating fabric run dumps\n" in done.stderr
    assert "again: scripts/polycast fabric run dumps -s " in done.stderr
    written = [path for path in (tmp_path / "out").rglob("*") if path.suffix in {".yaml", ".json", ".html"}]
    assert len(written) > 4
    without_hidden_names(done.stdout, done.stderr, *(path.read_text() for path in written))
    assert (tmp_path / "out/scenario.yaml").read_text().startswith("# Resolved from fabric run dumps by polycast-sim")
    run = json.loads((tmp_path / "out/run.json").read_text())
    (replay,) = run["replay"].values()
    assert replay[:3] == run["command"] == ["fabric", "run", "dumps"]
    assert cli(*replay, "-o", "again").returncode == 1
    assert only_point(tmp_path / "again")["diagnosis"] == only_point(tmp_path / "out")["diagnosis"]


def test_refusals_of_fabric_run_have_the_names_that_it_was_given(cli: Cli, tmp_path: Path) -> None:
    shutil.copytree(DATA / "ring6.dfsssp", tmp_path / "dumps")
    tables = tmp_path / "dumps" / "opensm.fdbs"
    (tmp_path / "dumps" / "opensm-lfts.dump").unlink()
    whole = tables.read_text()
    for change, says in (
        (lambda: tables.write_text(whole.replace("0x0005 : 002", "0x0005 : 004", 1)), "dumps/opensm.fdbs"),
        (lambda: tables.write_text(whole.replace("0x0005 : 002", "0x0005 : 9", 1)), "error: dumps/opensm.fdbs:7:10: "),
        (lambda: tables.write_bytes(gzip.compress(whole.encode())[:-9]), "error: dumps/opensm.fdbs: is packed by gzip"),
    ):
        change()
        done = cli("fabric", "run", "dumps", "--workload", "permutation", "-o", "out")
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
        without_hidden_names(done.stderr)
        assert not (tmp_path / "out").exists()


def test_a_sweep_of_fabric_run_has_the_names_that_it_was_given(cli: Cli, tmp_path: Path) -> None:
    """And goes on where it stopped, though its scenario has another hidden name."""
    shutil.copytree(DATA / "ring6.dfsssp", tmp_path / "dumps")
    for before in ("", ", 2 of them done before"):
        done = cli("fabric", "run", "dumps", "-s", "seed=1..2", "-o", "out")
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"2 runs of fabric run dumps{before}\n" in done.stderr
        without_hidden_names(done.stdout, done.stderr, (tmp_path / "out/sweep.json").read_text())
