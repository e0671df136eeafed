# SPDX-License-Identifier: Apache-2.0
"""`polycast fabric deadlock` and `fabric run`: cycles of channels close, are kept and compared, and end with repaired
tables."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import fabric_networks as networks
import pytest
import yaml
from conftest import Cli
from polycast_cli.common import ROOT
from polycast_cli.fabric.cycles import Cycle, Found
from polycast_cli.fabric.deadlock import differences
from polycast_cli.fabric.outcomes import Run
from polycast_cli.fabric.traffic import HOP, START, aligned, trains
from polycast_cli.fabric.waits import Most, is_static, merged, most_at_once
from polycast_cli.packets.forever import edges_of
from simulation import files, said, sim, simulate

DATA = ROOT / "testbench" / "data" / "fabric"


def found(*paths: Path) -> Found:
    return Found.model_validate_json(sim("fabric", "witnesses", *paths, "--json", "-", status=None).stdout)


@pytest.fixture(scope="session")
def one_sender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables whose only cycle has witnesses of one host."""
    folder = tmp_path_factory.mktemp("one") / "sender"
    net, tables = networks.one_sender()
    (folder.parent / "x.net").write_text(net.text())
    sim("fabric", "tables", folder.parent / "x.net", "--engine", "minhop", "-o", folder)
    (folder / "opensm-lfts.dump").unlink()
    lines, switch = [], -1
    for line in (folder / "opensm.fdbs").read_text().splitlines():
        switch += "Switch 0x" in line
        if (row := re.match(r"0x(\w+) : ", line)) and (port := tables.get((switch, int(row[1], 16) - 1))):
            line = f"{row[0]}{port:03}  : HOPS UNKNOWN"
        lines.append(line)
    (folder / "opensm.fdbs").write_text("\n".join(lines) + "\n")
    return folder


KNOWN = {
    "irr8s1.minhop": ["node014", "node005", "node008", "node011", "node001", "node021"],
    "ring6.minhop": [f"node{host:03}" for host in range(6)],
    "parallel.lmc1": ["node000", "node006", "node010", "node012"],
}


@pytest.mark.parametrize("name", KNOWN)
def test_sources_that_close_the_shortest_cycle_for_certain(name: str) -> None:
    cycle = found(DATA / name).cycles[0]
    assert [witness.source for witness in cycle.nearest] == KNOWN[name]
    assert (cycle.complete, cycle.front) == (True, 0)
    for witness, (first, second) in zip(cycle.nearest, edges_of([one.name for one in cycle.channels]), strict=True):
        at = witness.path.index(first)
        assert (at, witness.path[at + 1]) == (witness.front, second)
    attempt = aligned(cycle)
    assert attempt.stage.startswith("certain")
    assert {message["at"] for message in attempt.messages} == {f"{START} cycle"}


def test_a_source_that_is_further_away_sends_earlier() -> None:
    cycle = found(DATA / "irr8s3.updn.mcast").cycles[0]
    attempt = aligned(cycle)
    assert attempt.stage.startswith("aligned")
    (group,) = (message for message in attempt.messages if "group" in message)
    assert group == {"at": f"{START - HOP} cycle", "source": "node000", "group": 0xC001}
    assert [edge.groups_only for edge in cycle.edges] == [False] * 4 + [True, False]


def test_trains_depend_on_the_seed_only() -> None:
    cycle = found(DATA / "ring6.minhop").cycles[0]
    once, again, other = (trains(cycle, 2, seed, 5).messages for seed in (1, 1, 2))
    assert once == again != other
    assert {message["bytes"] for message in once} == {"256 B"}
    for message in once:
        assert START <= int(message["at"].removesuffix(" cycle")) <= START + 64


def test_waits_count_if_the_static_graph_has_them() -> None:
    cycle = found(DATA / "ring6.minhop").cycles[0]
    names = [channel.name for channel in cycle.channels]
    assert is_static(names, cycle)
    assert is_static(names[2:] + names[:2], cycle)
    assert not is_static(names[::-1], cycle)
    assert not is_static([], cycle)
    assert not is_static(names[:-1], cycle)


def test_the_most_edges_that_waited_at_once() -> None:
    assert most_at_once([]) == Most(0, 0)
    assert most_at_once([(5, 9), (9, 12)]) == Most(1, 5)
    assert most_at_once([(5, 10), (9, 12), (1, 3)]) == Most(2, 9)
    assert merged([(7, 9), (1, 5), (4, 6), (9, 10)]) == [(1, 6), (7, 10)]


def run_of(folder: Path) -> dict[str, object]:
    (point,) = json.loads((folder / "results.json").read_text())["points"]
    return point


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("irr8s1.minhop", "certain"), ("ring6.minhop", "certain"), ("parallel.lmc1", "certain"),
        ("irr8s3.updn.mcast", "aligned"),
    ],
)  # fmt: skip
def test_cycles_close_and_are_kept(name: str, stage: str, cli: Cli, tmp_path: Path) -> None:
    """With one switch in RTL, too; the scenario repeats it, and on repaired tables all of it is delivered."""
    out = tmp_path / "out"
    done = cli("fabric", "deadlock", DATA / name, "--buffers", "1", "--cycle", "1", "-o", out)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"closed, {stage}" in done.stdout
    assert "in RTL: diagnosis, cycle and waves are the same" in done.stdout
    cycle: Cycle = found(DATA / name).cycles[0]
    names = [channel.name for channel in cycle.channels]
    rows = list(csv.DictReader((out / "cycle1" / "waits.csv").open()))
    waits = [row["channel"] for row in rows]
    assert sorted(waits) == sorted(names)
    assert [row["waits_for"] for row in rows] == [*waits[1:], waits[0]]
    assert {row["source"] for row in rows} == {witness.source for witness in cycle.nearest}
    report = (out / "report.md").read_text()
    assert all(f"{first} > {second}" in report for first, second in edges_of(names))
    marked = re.findall(r'class="marked" d="[^"]*"><title>(\S+) →', (out / "cycle1" / "cycle.svg").read_text())
    assert sorted(marked) == sorted(names)
    assert {path.suffix for path in (out / "cycle1" / "waves").iterdir()} >= {".fst", ".gtkw"}
    assert not (out / "cycle1" / "rtl").exists()

    # The folder can be moved, and the scenario repeats it.
    moved = tmp_path / "moved"
    out.rename(moved)
    scenario = moved / "cycle1" / "deadlock.yaml"
    simulate(scenario, tmp_path / "again", status=1)
    assert files(tmp_path / "again") == files(moved / "cycle1" / "results")
    point = run_of(tmp_path / "again")
    assert point["outcome"] == "stuck"
    because = cli("why", moved / "cycle1" / "results", "--packet", rows[0]["packet"])
    assert "for ever" in because.stdout, because.stderr

    # The same traffic on repaired tables, in core and RTL; a switch of 18 ports and two lanes takes minutes to build.
    sim("fabric", "repair", DATA / name, "-o", tmp_path / "repaired")
    repaired = tmp_path / "repaired.yaml"
    repaired.write_text(yaml.safe_dump(on(tmp_path / "repaired", yaml.safe_load(scenario.read_text()))))
    simulate(repaired, tmp_path / "core")
    assert run_of(tmp_path / "core")["passed"]
    if name != "parallel.lmc1":
        simulate(repaired, tmp_path / "rtl", f"network.chips={{{names[0].partition(':')[0]}: rtl}}")
        assert files(tmp_path / "core") == files(tmp_path / "rtl")


def on(folder: Path, scenario: dict[str, dict[str, dict[str, object]]]) -> dict[str, dict[str, dict[str, object]]]:
    """A scenario with the tables of another folder."""
    from polycast_cli.fabric.scenario import network

    old = scenario["network"]["routing"]
    more = {key: old[key] for key in ("lmc", "path") if key in old}
    made = network(found(folder).files, folder.parent, **more)
    return scenario | {"network": {"topology": dict(made["topology"]), "routing": made["routing"]}}


def test_larger_buffers_need_trains(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "fabric",
        "deadlock",
        DATA / "ring6.minhop",
        "--cycle",
        "2",
        "--attempts",
        "40",
        "--no-rtl",
        "-o",
        tmp_path / "out",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for packets in (2, 4):
        assert re.search(rf"buffers of {packets} packets: closed, train \d+, \d+ packets? from each", done.stdout)
        folder = tmp_path / "out" / "cycle2" / f"buffers{packets}"
        simulate(folder / "deadlock.yaml", tmp_path / f"again{packets}", status=1)
        assert run_of(tmp_path / f"again{packets}")["outcome"] == "stuck"


def test_a_lifetime_at_the_head_of_queues_loses_packets_instead(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli("fabric", "deadlock", DATA / "ring6.minhop", "--buffers", "1", "--cycle", "1", "--no-rtl", "-o", out)
    done = simulate(out / "cycle1" / "deadlock.yaml", tmp_path / "lost", "switch.hoq_life=1000 cycle", status=1)
    point = run_of(tmp_path / "lost")
    assert point["outcome"] != "stuck" or "wait cycle" not in str(point["diagnosis"]), done.stdout
    assert "hoq" in (tmp_path / "lost" / "results.json").read_text().lower()


def test_a_cycle_of_one_sender_is_not_reached(one_sender: Path, cli: Cli, tmp_path: Path) -> None:
    cycle = found(one_sender).cycles[0]
    assert {witness.source for witness in cycle.nearest} == {"node000"}
    assert not cycle.complete
    out = tmp_path / "out"
    done = cli("fabric", "deadlock", one_sender, "--attempts", "12", "-o", out)
    assert done.returncode == 1, done.stdout + done.stderr
    assert len(re.findall(r"buffers of \d packets?: not reached: ", done.stdout)) == 3
    assert "trains: 4" in done.stdout
    report = (out / "report.md").read_text()
    assert "A cycle is possible, and was not reached." in report
    assert "seed 1" in report
    assert not list(out.rglob("deadlock.yaml"))


def test_tables_without_a_cycle(cli: Cli, tmp_path: Path) -> None:
    done = cli("fabric", "deadlock", DATA / "ring6.dfsssp", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "no cycle among the channels" in done.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--cycle", "3"), "--cycle 3: there are 2, numbered from 1"),
        (("--rtl", "ring9"), "there is no switch 'ring9'; did you mean 'ring"),
        (("--rtl", "ring0", "--no-rtl"), "--rtl and --no-rtl: give one of them"),
        (("--buffers", "1,x"), "--buffers 1,x: give numbers of packets from 1 to 64"),
        (("--buffers", "0"), "give numbers of packets"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], says: str, cli: Cli, tmp_path: Path) -> None:
    done = cli("fabric", "deadlock", DATA / "ring6.minhop", *words, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = cli("fabric", "deadlock", DATA / "ring6.minhop", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "exists; name another folder" in done.stderr


def test_damaged_files_are_refused_with_their_place(cli: Cli, tmp_path: Path) -> None:
    shutil.copytree(DATA / "ring6.minhop", tmp_path / "x")
    for name in ("opensm-lfts.dump", "dump_lfts.txt"):
        (tmp_path / "x" / name).unlink()
    text = (tmp_path / "x" / "opensm.fdbs").read_text()
    (tmp_path / "x" / "opensm.fdbs").write_text(text.replace("0x0001 : 001", "0x0001 : 0q1", 1))
    for command in ("deadlock", "run"):
        done = cli("fabric", command, tmp_path / "x")
        assert done.returncode == 2
        assert re.search(r"opensm\.fdbs:\d+:\d+: ", done.stderr)


def test_run_writes_a_scenario_that_runs(cli: Cli, tmp_path: Path) -> None:
    save = tmp_path / "kept" / "ring.yaml"
    save.parent.mkdir()
    done = cli("fabric", "run", DATA / "ring6.dfsssp", "--save", save, "-o", tmp_path / "out", "-s", "seed=3")
    assert done.returncode == 0, done.stderr
    assert run_of(tmp_path / "out")["check"]["messages"]["delivered"] == 30  # type: ignore[index]
    routing = yaml.safe_load(save.read_text())["network"]["routing"]
    assert {"lft", "sl2vl", "path_sl"} <= set(routing)
    assert "-s 'seed=3'" in save.read_text()
    said("check", save)


@pytest.mark.parametrize("name", ["irr8s1.minhop", "irr8s3.updn.mcast", "ring6.minhop", "parallel.lmc1"])
def test_repaired_tables_deliver_all_pairs_and_groups(name: str, cli: Cli, tmp_path: Path) -> None:
    sim("fabric", "repair", DATA / name, "-o", tmp_path / "repaired")
    workloads = ["each_to_each", *(["groups"] if "mcast" in name else [])]
    for workload in workloads:
        done = cli("fabric", "run", tmp_path / "repaired", "--workload", workload, "-o", tmp_path / workload)
        assert done.returncode == 0, done.stdout + done.stderr
        assert run_of(tmp_path / workload)["passed"]
        if workload == "groups":
            assert run_of(tmp_path / workload)["check"]["delivered"] == 6 * 5  # type: ignore[index]
    pairs = {"irr8s1.minhop": 992, "irr8s3.updn.mcast": 992, "ring6.minhop": 30, "parallel.lmc1": 210}[name]
    assert run_of(tmp_path / "each_to_each")["check"]["messages"]["delivered"] == pairs  # type: ignore[index]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((DATA / "ring6.minhop",), "packets can wait in a circle: ring0:2 > "),
        ((DATA / "ring6.dfsssp", "--workload", "groups"), "no group of two members or more"),
        ((DATA / "ring6.dfsssp", "-s", "network.routing.vls=99"), "1..15"),
    ],
)
def test_runs_that_are_refused(words: tuple[str | Path, ...], says: str, cli: Cli) -> None:
    done = cli("fabric", "run", *words)
    assert done.returncode == 2
    assert says in done.stderr


def test_lanes_are_named_where_there_are_several(cli: Cli, tmp_path: Path) -> None:
    """Tables of lanes without the service levels that spread packets over them: a cycle on lane 0 of 2."""
    at, out = DATA / "ring6.dfsssp", tmp_path / "out"
    dumps = [at / name for name in ("opensm-subnet.lst", "opensm.fdbs", "slvl")]
    options = ("--vls", "2", "--buffers", "1", "--cycle", "1", "--no-rtl")
    done = cli("fabric", "deadlock", *dumps, *options, "-o", out)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "closed, certain" in done.stdout
    assert "RTL" not in done.stdout
    scenario = yaml.safe_load((out / "cycle1" / "deadlock.yaml").read_text())
    assert scenario["network"]["routing"]["vls"] == 2
    rows = list(csv.DictReader((out / "cycle1" / "waits.csv").open()))
    assert {row["VL"] for row in rows} == {"0"}
    assert list((out / "cycle1" / "waves").glob("*.fst"))


def test_a_difference_is_found(tmp_path: Path) -> None:
    """Of each kind."""
    cycle = found(DATA / "ring6.minhop").cycles[0]
    runs = []
    for name in ("once", "again", "waves"):
        (tmp_path / name / "waves").mkdir(parents=True)
        (tmp_path / name / "waves" / "x.fst").write_text("other" if name == "waves" else "same")
        runs.append(Run(aligned(cycle), tmp_path / name, "said", 9, ["ring0:2"]))
    once, again, waves = runs
    assert differences(once, once, again) == ""
    assert differences(once, once, waves) == "the waves"
    assert differences(replace(once, diagnosis="else"), once, again) == "the diagnosis"
    assert differences(replace(once, channels=[]), once, again) == "the cycle of channels"


def test_a_log_of_the_circle(cli: Cli, tmp_path: Path) -> None:
    """Each packet of the table is where it says, and no later one has left."""
    out = tmp_path / "out"
    cli("fabric", "deadlock", DATA / "irr8s1.minhop", "--buffers", "1", "--no-rtl", "-o", out)
    (log,) = (out / "cycle1" / "results" / "packets").glob("*.sqlite")
    database = sqlite3.connect(log)
    taken = set()
    for row in csv.DictReader((out / "cycle1" / "waits.csv").open()):
        switch, _, port = row["channel"].partition(":")
        (head,) = database.execute(
            "select max(head) from passages join chips using (chip) where packet = ? and name = ? and port = ?",
            (int(row["packet"]), switch, int(port) - 1),
        ).fetchone()
        taken.add(head)
    assert len(taken) == 1, "every channel is taken in the same cycle"
