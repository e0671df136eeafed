# SPDX-License-Identifier: Apache-2.0
"""Packet logs: where packets spent their time, and timelines."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from polycast_cli.common import UserError
from polycast_cli.packets.log import PacketLog
from polycast_cli.packets.timeline import write_timeline
from polycast_cli.packets.why import Journey, journey

Cli = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = Path(os.environ.get("POLYCAST_BUILD", ROOT / "build" / "release")) / "bin" / "polycast-sim"
SCENARIO = ROOT / "testbench" / "scenarios" / "mesh_interfaces.yaml"

#: Buffers of 16 flits, of which eight must be free for a packet to begin.
#: hosts 0, 1 -- switch 3 (port 0, 1; port 2) -- switch 4 (port 0; port 1) -- host 2; delays of 1, pipelines of 2.
CHIPS = [(0, "host0", "host", 0), (1, "host1", "host", 0), (2, "host2", "host", 0)]
CHIPS += [(3, "switch0", "switch", 2), (4, "switch1", "switch", 2)]
CABLES = [(0, 0, 3, 0, 1, 16, 8), (1, 0, 3, 1, 1, 16, 8), (3, 2, 4, 0, 1, 16, 8), (4, 1, 2, 0, 1, 16, 8)]


def make_log(path: Path, packets: list[tuple[int, int]], passages: list[tuple[int, ...]]) -> PacketLog:
    """`packets`: source and header flits; `passages`: packet, chip, port, vc, head, tail, flits."""
    database = sqlite3.connect(path)
    database.executescript(
        "pragma user_version = 1;"
        "create table network (name, workload, cycles);"
        "create table chips (chip, name, kind, pipeline);"
        "create table cables (chip, port, to_chip, to_port, delay, buffer, room);"
        "create table packets (packet, source, sequence, label, header);"
        "create table passages (packet, chip, port, vc, head, tail, flits);"
        "insert into network values ('net', 'work', 1000);"
    )
    database.executemany("insert into chips values (?, ?, ?, ?)", CHIPS)
    database.executemany("insert into cables values (?, ?, ?, ?, ?, ?, ?)", CABLES)
    rows = [
        (number, source, number, f"{source}>2 #{number}", header) for number, (source, header) in enumerate(packets)
    ]
    database.executemany("insert into packets values (?, ?, ?, ?, ?)", rows)
    database.executemany("insert into passages values (?, ?, ?, ?, ?, ?, ?)", passages)
    database.commit()
    database.close()
    return PacketLog(path)


def told(found: Journey) -> list[tuple[int, str, str, dict[int, int]]]:
    return [(part.cycles, part.where, part.what, part.by) for part in found.parts]


def test_nothing_in_the_way(tmp_path: Path) -> None:
    """Four flits, the header in two: link 1, pipeline 2 + 1, .. as in switch.md."""
    log = make_log(
        tmp_path / "x.sqlite", [(0, 2)], [(0, 0, 0, 0, 10, 13, 4), (0, 3, 2, 0, 14, 17, 4), (0, 4, 1, 0, 18, 21, 4)]
    )
    found = journey(log, log.packet(0))
    assert (found.source, found.destination, found.first, found.last) == ("host0", "host2", 10, 22)
    assert told(found) == [
        (1, "host0 to switch0:0", "link", {}),
        (3, "switch0", "header, routing and crossbar", {}),
        (1, "switch0:2 to switch1:0", "link", {}),
        (3, "switch1", "header, routing and crossbar", {}),
        (1, "switch1:1 to host2", "link", {}),
        (3, "last link", "its flits behind the first, one a cycle", {}),
    ]
    assert sum(part.cycles for part in found.parts) == found.cycles == 12


def test_the_output_is_taken_by_another_packet(tmp_path: Path) -> None:
    """Packet 1 comes by another port and is ready for the output in cycle 13, which packet 0 holds until 20."""
    log = make_log(
        tmp_path / "x.sqlite",
        [(0, 1), (1, 1)],
        [(0, 0, 0, 0, 8, 17, 10), (0, 3, 2, 0, 11, 20, 10), (0, 4, 1, 0, 14, 23, 10),
         (1, 1, 0, 0, 10, 11, 2), (1, 3, 2, 0, 22, 23, 2), (1, 4, 1, 0, 25, 26, 2)],
    )  # fmt: skip
    found = journey(log, log.packet(1))
    assert told(found)[1:4] == [
        (2, "switch0", "header, routing and crossbar", {}),
        (8, "switch0", "for its output, to switch1:0: taken", {0: 8}),
        (1, "switch0", "for its output, to switch1:0: for the arbiter, or for credits", {}),
    ]
    assert sum(part.cycles for part in found.parts) == found.cycles


def test_behind_another_packet_in_the_same_buffer(tmp_path: Path) -> None:
    """Packet 1 follows packet 0 on its link; its head waits in switch0 from cycle 13 until packet 0 has left in 30."""
    log = make_log(
        tmp_path / "x.sqlite",
        [(0, 1), (0, 1)],
        [(0, 0, 0, 0, 10, 11, 2), (0, 3, 2, 0, 29, 30, 2), (0, 4, 1, 0, 32, 33, 2),
         (1, 0, 0, 0, 12, 13, 2), (1, 3, 2, 0, 33, 34, 2), (1, 4, 1, 0, 36, 37, 2)],
    )  # fmt: skip
    found = journey(log, log.packet(1))
    assert told(found)[1:3] == [
        (18, "switch0", "behind another packet in the buffer of port 0", {0: 18}),
        (2, "switch0", "header, routing and crossbar", {}),
    ]
    assert found.waited_for == {0: 18}
    assert sum(part.cycles for part in found.parts) == found.cycles


def test_the_buffer_at_the_other_end_is_full(tmp_path: Path) -> None:
    """Packet 0 leaves switch0 in cycle 22 and stands in switch1 until 39; with its fourth flit out, known a cycle
    later, in cycle 44, there is room."""
    log = make_log(
        tmp_path / "x.sqlite",
        [(0, 1), (1, 1)],
        [(0, 0, 0, 0, 8, 19, 12), (0, 3, 2, 0, 11, 22, 12), (0, 4, 1, 0, 39, 50, 12),
         (1, 1, 0, 0, 13, 14, 2), (1, 3, 2, 0, 45, 46, 2), (1, 4, 1, 0, 53, 54, 2)],
    )  # fmt: skip
    parts = told(journey(log, log.packet(1)))
    assert parts[2:5] == [
        (7, "switch0", "for its output, to switch1:0: taken", {0: 7}),
        (21, "switch0", "for its output, to switch1:0: the buffer there is full", {0: 21}),
        (1, "switch0", "for its output, to switch1:0: for the arbiter, or for credits", {}),
    ]


def test_flits_that_are_torn_apart(tmp_path: Path) -> None:
    """On switch0's output packet 1 (vc 1) shares the link with packet 0: ten flits in twenty cycles."""
    log = make_log(
        tmp_path / "x.sqlite",
        [(0, 1), (1, 1)],
        [(0, 0, 0, 0, 9, 18, 10), (0, 3, 2, 0, 12, 30, 10), (0, 4, 1, 0, 15, 33, 10),
         (1, 1, 0, 1, 10, 19, 10), (1, 3, 2, 1, 13, 32, 10), (1, 4, 1, 1, 16, 35, 10)],
    )  # fmt: skip
    found = journey(log, log.packet(1))
    assert told(found)[-2:] == [
        (10, "switch0:2", "between its flits: shares the link", {0: 18}),
        (9, "last link", "its flits behind the first, one a cycle", {}),
    ]
    assert sum(part.cycles for part in found.parts) == found.cycles


def test_a_host_that_forwards(tmp_path: Path) -> None:
    """host0 to host1's interface and on to host2; both are destinations."""
    path = tmp_path / "x.sqlite"
    log = make_log(
        path,
        [(0, 1)],
        [(0, 0, 0, 0, 10, 11, 2), (0, 3, 1, 0, 13, 14, 2), (0, 1, 0, 0, 114, 115, 2), (0, 3, 2, 0, 117, 118, 2),
         (0, 4, 1, 0, 120, 121, 2)],
    )  # fmt: skip
    with sqlite3.connect(path) as database:
        database.execute("insert into cables values (3, 1, 1, 0, 1, 8, 8)")
    log = PacketLog(path)
    assert journey(log, log.packet(0), "host1").cycles == 5
    found = journey(log, log.packet(0))
    assert (100, "host1", "in its memory, and its processor", {}) in told(found)
    assert sum(part.cycles for part in found.parts) == found.cycles == 112


def run(folder: Path, *settings: str) -> list[Path]:
    options = [part for setting in settings for part in ("-s", setting)]
    subprocess.run(
        [SIMULATOR, "run", SCENARIO, "--packets", *options, "--out", folder, "--progress", "none"],
        check=True,
        timeout=600,
    )
    return sorted((folder / "packets").glob("*.sqlite"))


def test_a_folder_whose_name_means_something_in_addresses(tmp_path: Path) -> None:
    """It is read, and nothing is made beside it."""
    folder = tmp_path / "r#1?mode=rw%41"
    folder.mkdir()
    log = make_log(folder / "x.sqlite", [(0, 1)], [(0, 0, 0, 0, 10, 13, 4)])
    assert log.packet(0).header == 1
    assert list(tmp_path.iterdir()) == [folder]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run under load with a log."""
    folder = tmp_path_factory.mktemp("packets") / "run"
    run(folder, "measurement.warmup=0 cycle", "measurement.window=3000 cycle", "workload[4].rate=0.1")
    return folder


def test_parts_add_up_in_a_real_run(loaded: Path) -> None:
    logs = sorted((loaded / "packets").glob("*.sqlite"))
    assert len(logs) == 5
    checked = waited = 0
    for path in logs:
        log = PacketLog(path)
        for number in log.slowest(30):
            found = journey(log, log.packet(number))
            assert sum(part.cycles for part in found.parts) == found.cycles, f"packet {number} of {path.name}"
            assert all(part.cycles > 0 for part in found.parts)
            assert number not in found.waited_for
            assert 0 <= found.waited < found.cycles
            checked += 1
            waited += bool(found.waited_for)
    assert checked > 100
    assert waited > 20


def rows(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as database:
        columns = "source, sequence, label, header, chip, port, vc, head, tail, flits"
        return sorted(database.execute(f"select {columns} from passages join packets using (packet)"))


def test_all_fidelities_give_the_same_log(tmp_path: Path) -> None:
    settings = ("network.topology.radix=2", "measurement.warmup=0 cycle", "measurement.window=2000 cycle",
                "workload[4].rate=0.1", "measurement.saturated=drain",
                "workload[1].degree=3", "workload[2].degree=3", "workload[3].degree=3")  # fmt: skip
    core = run(tmp_path / "core", *settings)
    tlm = run(tmp_path / "tlm", *settings, "network.fidelity=tlm")
    assert [path.name for path in core] == [path.name for path in tlm]
    for one, other in zip(core, tlm, strict=True):
        assert rows(one) == rows(other) != []


def test_a_window_leaves_out_the_rest(tmp_path: Path, loaded: Path) -> None:
    settings = ("measurement.warmup=0 cycle", "measurement.window=3000 cycle", "workload[4].rate=0.1")
    window = run(tmp_path / "window", *settings, "trace.from=1000 cycle", "trace.to=1999 cycle")
    for path in window:
        whole = [row for row in rows(loaded / "packets" / path.name) if 1000 <= row[8] <= 1999]  # type: ignore[operator]
        assert rows(path) == whole


def test_a_packet_that_arrives_nowhere_was_seen_last_somewhere(tmp_path: Path) -> None:
    log = make_log(tmp_path / "x.sqlite", [(0, 1)], [(0, 0, 0, 0, 10, 13, 4), (0, 3, 2, 0, 14, 17, 4)])
    with pytest.raises(UserError, match=r"tail was seen last in cycle 17, from switch0:2 to switch1:0; .*dropped:0"):
        journey(log, log.packet(0))


def test_why_on_the_command_line(cli: Cli, loaded: Path) -> None:
    slowest = cli("why", loaded, "--log", "load", "--slowest", "3")
    assert slowest.returncode == 0, slowest.stderr
    lines = slowest.stdout.splitlines()
    assert lines[1].split()[:2] == ["packet", "cycles"]
    assert len(lines) == 5
    number, cycles = lines[2].split()[:2]
    one = cli("why", loaded, "--log", "load", "-p", number)
    assert one.returncode == 0, one.stderr
    told_sum = one.stdout.splitlines()[1]
    parts = [int(count) for count in re.findall(r"(\d+) [a-z]", told_sum)]
    assert parts[0] == sum(parts[1:]) == int(cycles)
    assert told_sum.startswith(f"{cycles} cycles: {lines[2].split()[2]} waiting, ")
    table = [line.split() for line in one.stdout.splitlines()[3:]]
    total = next(i for i, line in enumerate(table) if line[1:] == ["together"])
    assert sum(int(line[0]) for line in table[:total]) == int(table[total][0]) == int(cycles)
    data = json.loads(cli("why", loaded, "--log", "load", "-p", number, "--json").stdout)
    assert data["cycles"] == int(cycles)
    named = f"{data['packet']['source']}#{data['packet']['sequence']}"
    assert cli("why", loaded, "--log", "load", "-p", named, "--json").stdout == json.dumps(data, indent=2) + "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--log", "load", "--packet", "99999999"), "no packet 99999999: there are"),
        (("--log", "load", "--packet", "15#99999999"), "host 15 has sent no packet with sequence number 99999999"),
        (("--log", "load", "--packet", "seven"), "a number, such as 4711, or HOST#SEQUENCE"),
        (("--log", "load", "--packet", "0", "--to", "host99"), "packet 0 does not go to host99; it goes to host"),
        (("--packet", "0"), "several logs match: mesh-4x4-"),
        (("--log", "nothing"), "no such log: mesh-4x4-"),
        (("--log", "load", "--to", "host3"), "--to needs one packet"),
    ],
)
def test_why_says_what_is_wrong(cli: Cli, loaded: Path, arguments: tuple[str, ...], message: str) -> None:
    done = cli("why", loaded, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_file_that_is_no_log(cli: Cli, tmp_path: Path, results_folder: Callable[..., Path]) -> None:
    (tmp_path / "bad.sqlite").write_text("nothing of the kind, and long enough to be looked at" * 10)
    assert "not a packet log" in cli("why", tmp_path / "bad.sqlite").stderr
    with sqlite3.connect(tmp_path / "old.sqlite") as database:
        database.execute("pragma user_version = 7")
    assert "packet log version 7, expected version 1" in cli("why", tmp_path / "old.sqlite").stderr
    assert "no such file" in cli("why", tmp_path / "none.sqlite").stderr
    none = cli("why", results_folder())
    assert none.returncode == 2
    assert "no packet logs; run the scenario with --packets" in none.stderr


def test_a_timeline(loaded: Path, tmp_path: Path) -> None:
    log = PacketLog(next((loaded / "packets").glob("*load.sqlite")))
    count = write_timeline(log, tmp_path / "all.json.gz", 0, log.cycles, None, 5.0)
    events = json.loads(gzip.decompress((tmp_path / "all.json.gz").read_bytes()))["traceEvents"]
    passing = [event for event in events if event["ph"] == "X"]
    assert len(passing) == count == log.database.execute("select count(*) from passages").fetchone()[0]
    tracks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for event in passing:
        # Viewers take whole nanoseconds, and cut off the rest.
        begin, length = int(event["ts"] * 1000), int(event["dur"] * 1000)
        assert begin == event["args"]["head"] * 5
        tracks.setdefault((event["pid"], event["tid"]), []).append((begin, begin + length))
    for spans in tracks.values():  # slices of a track must not overlap: viewers would nest them
        spans.sort()
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert starts.keys() == ends.keys() != set()
    assert all(starts[key]["ts"] < ends[key]["ts"] for key in starts)
    assert len(starts) == sum(event["ph"] == "s" for event in events), "each arrow has an id of its own"
    begins = {(event["pid"], event["tid"], event["ts"]) for event in passing}
    for arrow in (*starts.values(), *ends.values()):  # where a slice begins, so that it belongs to that one
        assert (arrow["pid"], arrow["tid"], arrow["ts"]) in begins
    names = {event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "process_name"}
    assert {"router0", "host0"} <= names


def test_a_timeline_on_the_command_line(cli: Cli, loaded: Path, tmp_path: Path) -> None:
    done = cli("packets", loaded, "--log", "load", "--packet", "3", "-o", tmp_path / "one.json")
    assert done.returncode == 0, done.stderr
    events = json.loads((tmp_path / "one.json").read_text())["traceEvents"]
    assert {event["args"]["packet"] for event in events if event["ph"] == "X"} == {3}
    for arguments, message in (
        (("-o", "x.txt"), "a timeline is .json or .json.gz"),
        (("--from", "20", "--to", "10"), "--to 10 lies before --from 20"),
        (("--from", "999999999"), "no packet passes between"),
        (("-o", "/nowhere/at/all.json"), "No such file or directory"),
    ):
        wrong = cli("packets", loaded, "--log", "load", *arguments)
        assert wrong.returncode == 2
        assert message in wrong.stderr
