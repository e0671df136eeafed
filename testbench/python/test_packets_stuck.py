# SPDX-License-Identifier: Apache-2.0
"""`why` for packets that never arrive: the circle of waits in which a run ended."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import Cli
from polycast_cli.packets.forever import (
    chain,
    channel_name,
    circle_in,
    circle_of,
    stuck,
)
from polycast_cli.packets.log import PacketLog
from simulation import SCENARIOS, simulate

DATA = SCENARIOS.parent / "data" / "fabric" / "ring6.minhop"
#: Hosts without any time of their own, and buffers of one packet.
SETTINGS = (
    f"network.topology.path={DATA / 'opensm-subnet.lst'}",
    f"network.routing={{kind: tables, lft: {DATA / 'opensm.fdbs'}, on_problem: run}}",
    "workload=[{name: load, kind: unicast, pattern: each_to_each, message: 64 B}]", "packet.payload=64 B",
    "switch.buffer=32 flit", "host.bus=64 B/cycle", "host.send_overhead=0 cycle", "host.receive_overhead=0 cycle",
    "host.ni_send=0 cycle", "host.ni_receive=0 cycle", "trace.packets=true",
)  # fmt: skip


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> PacketLog:
    out = tmp_path_factory.mktemp("stuck") / "x"
    simulate(SCENARIOS / "fabric.yaml", out, *SETTINGS, status=1)
    (path,) = (out / "packets").glob("*.sqlite")
    return PacketLog(path)


def test_circles_in_diagnoses() -> None:
    text = "no flit moves; wait cycle: input a:1 waits for input b:2 (4 credits for output a:2); input b:2 waits for "
    assert circle_in(text + "input a:1 (a credit for output b:1 vc3)") == [
        "a:2",
        "b:1/vl3",
    ]
    assert circle_in("no flit moves; waiting: input a:1 for input b:2 (4 credits for output a:2)") == []
    assert [channel_name(text) for text in ("a:2 vc0", "a:2/vl0", "a:2/vl10")] == [
        "a:2",
        "a:2",
        "a:2/vl10",
    ]


def test_ports_have_the_numbers_of_the_topology_file(log: PacketLog) -> None:
    assert log.first_port == 1
    (host,) = (chip.number for chip in log.chips if chip.name == "node000")
    cable = log.cables[host, 0]
    assert log.port_name(cable.to_chip, cable.to_port) == "ring0:1"


def test_each_packet_of_the_circle_holds_what_another_one_waits_for(
    log: PacketLog,
) -> None:
    circle = circle_of(log)
    waits = chain(log, circle)
    assert len(waits) == len(circle) == 6
    assert [one.target for one in waits] == [*circle[1:], circle[0]]
    for one in waits:
        passages = log.passages(one.packet)
        last = max(passages, key=lambda passage: passage.head)
        assert f"{log.chips[last.chip].name}:{last.port + 1}" == one.channel
        assert one.taken == last.head
        assert last.head < one.since <= log.cycles
        assert one.source == f"node{log.packet(one.packet).source:03}"
        assert f">LID {one.dlid} " in one.label


def test_every_packet_that_has_not_arrived_is_explained(log: PacketLog) -> None:
    circle = chain(log, circle_of(log))
    kinds = set()
    for number in range(24):
        packet = log.packet(number)
        arrived = any(
            log.chips[log.cables[one.chip, one.port].to_chip].kind == "host" for one in log.passages(number)
        )  # fmt: skip
        found = stuck(log, packet)
        assert (found is None) == arrived
        if found is None:
            continue
        assert sorted(one.packet for one in found.circle) == sorted(one.packet for one in circle)
        if number in {one.packet for one in circle}:
            assert found.circle[0].packet == number
            assert "for ever" in found.words
            kinds.add("circle")
        else:
            assert "never moves" in found.words
            kinds.add("beside")
    assert kinds == {"circle", "beside"}


def test_on_the_command_line(cli: Cli, log: PacketLog) -> None:
    folder = log.path.parent.parent
    first = chain(log, circle_of(log))[0]
    said = cli("why", folder, "--packet", str(first.packet))
    assert said.returncode == 0, said.stderr
    assert f"since cycle {first.since}, for ever" in said.stdout
    assert "none of them can ever move" in said.stdout
    found = json.loads(cli("why", folder, "--packet", str(first.packet), "--json").stdout)
    assert found["forever"]
    assert len(found["circle"]) == 6
    assert "the run ended in a circle: packets" in cli("why", folder).stdout


def test_a_log_without_its_results_tells_where_the_packet_was_seen(cli: Cli, log: PacketLog, tmp_path: Path) -> None:
    alone = tmp_path / "alone.sqlite"
    shutil.copyfile(log.path, alone)
    first = chain(log, circle_of(log))[0]
    said = cli("why", alone, "--packet", str(first.packet))
    assert said.returncode == 2
    assert "did not arrive" in said.stderr
    assert PacketLog(alone).first_port == 0
    assert sqlite3.connect(alone).execute("select count(*) from packets").fetchone() == (24,)
