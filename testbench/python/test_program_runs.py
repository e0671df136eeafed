# SPDX-License-Identifier: Apache-2.0
"""Workloads `kind: program`: the communication of an application on modelled hosts."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import Cli
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, points, refused, simulate

PROGRAM = SCENARIOS / "program.yaml"
DATA = ROOT / "testbench" / "data" / "programs"
SWITCH = ("network.topology={switches: 1, ports: 8, hosts: 8, instances: 1}",)
STATES = ("compute", "t_hs", "t_hr", "copy_reduce", "wait_credit", "wait_grant", "wait_message")


def loads(name: str, more: str = "", folder: str = "goal") -> str:
    return f"workload=[{{name: app, kind: program, path: {DATA / folder / name}{more}}}]"


def ranks(out: Path) -> list[dict[str, str]]:
    with (out / "tables" / "ranks.csv").open() as table:
        return list(csv.DictReader(table))


def point(out: Path) -> dict[str, Any]:
    return json.loads((out / "results.json").read_text())["points"][0]


def test_the_cycles_of_each_rank_add_up_to_its_finish(tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out")
    rows = ranks(tmp_path / "out")
    assert len(rows) == 3 * (16 + 12)
    for row in rows:
        assert sum(int(row[state]) for state in STATES) == int(row["finish"]) > 0
    run = point(tmp_path / "out")
    assert run["program"]["finish"]["cycles"] == max(int(row["finish"]) for row in rows[:16])
    assert run["program"]["operations"] == {"send": 192, "receive": 192, "calc": 96}
    assert run["program"]["messages"] == 192
    assert run["check"]["messages"]["delivered"] == 192
    with (tmp_path / "out" / "tables" / "critical_path.csv").open() as table:
        path = [row for row in csv.DictReader(table) if row["point"] == "irregular-1/stencil"]
    assert [int(row["from"]) for row in path] == [0, *(int(row["to"]) for row in path[:-1])]
    assert int(path[-1]["to"]) == run["program"]["finish"]["cycles"]
    found = run["program"]["critical_path"]
    assert sum(found["by"].values()) == run["program"]["finish"]["cycles"]
    assert found["segments"] == len(path)
    # Random places: not those of the first hosts in their order.
    assert [row["host"] for row in rows[:16]] != [f"host{i}" for i in range(16)]


def test_the_copy_in_the_results_repeats_the_run(tmp_path: Path) -> None:
    placed = tmp_path / "places.txt"
    placed.write_text("".join(f"host{i}\n" for i in range(15, -1, -1)) + "# the last ones stay free\n")
    simulate(PROGRAM, tmp_path / "first", loads("stencil_4x4.goal", f", placement: {placed}"))
    assert ranks(tmp_path / "first")[0]["host"] == "host15"
    placed.unlink()
    simulate(tmp_path / "first" / "scenario.yaml", tmp_path / "again")
    assert files(tmp_path / "first") == files(tmp_path / "again")


@pytest.mark.parametrize(
    "settings",
    [
        ("network.fidelity=tlm",),
        ("network.threads=2",),
        ("network.chips={switch0: rtl}",),
    ],
)
def test_the_same_in_every_fidelity(settings: tuple[str, ...], tmp_path: Path) -> None:
    one = "network.topology.instances=1"
    simulate(PROGRAM, tmp_path / "core", one)
    simulate(PROGRAM, tmp_path / "other", one, *settings)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_firmware_on_a_processor_gives_other_cycles_and_the_same_bytes(tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "native", loads("random_2.goal", ", eager: 256 B"))
    simulate(PROGRAM, tmp_path / "iss", loads("random_2.goal", ", eager: 256 B"), "ni.processor=iss")
    native, iss = point(tmp_path / "native"), point(tmp_path / "iss")
    assert native["check"]["messages"] == iss["check"]["messages"]
    assert native["program"]["finish"]["cycles"] < iss["program"]["finish"]["cycles"]


@pytest.mark.parametrize(
    "network",
    [
        "network.topology={kind: mesh, radix: 4, dimensions: 2}",
        "network.topology={kind: torus, radix: 4, dimensions: 2}",
        "network.topology={kind: fat_tree, nodes: 16, arity: 4}",
    ],
)
def test_every_network_with_interfaces_runs_it(network: str, tmp_path: Path) -> None:
    for more in (", eager: 1 KiB", ", credits: 1, queues: 3"):
        simulate(PROGRAM, tmp_path / "out", network, loads("random_2.goal", more))
        assert point(tmp_path / "out")["passed"]


def test_what_is_ignored_in_a_file_is_said_once(tmp_path: Path) -> None:
    matrix = tmp_path / "made.cm"
    matrix.write_text("Nodes 2\nConnections 2\n0->1 start 0 size 30 prio 2\n1->0 start 0 size 10 prio 1\n")
    load = f"{{name: NAME, kind: program, path: {matrix}}}"
    both = f"workload=[{load.replace('NAME', 'one')}, {load.replace('NAME', 'two')}]"
    done = simulate(PROGRAM, tmp_path / "out", *SWITCH, "network.topology.instances=2", both, options=("--jobs", "2"))
    assert done.stderr.count(f"warning: {matrix}: prio is ignored") == 1


def test_operations_begin_in_the_first_cycle_that_is_asked_for(tmp_path: Path) -> None:
    """Times in results count from there, so only the run's own cycles are other ones."""
    more = {"": 1, "1": 1, "5001": 5001, "100 us": 20000}
    for name, load in {
        "program": loads("random_2.goal", ", eager: 256 BSTART"),
        "collective": "workload=[{name: c, kind: collective, algorithm: ring, size: 1 KiBSTART}]",
    }.items():
        seen = {}
        for start, first in more.items():
            out = tmp_path / name / f"from {first} {start}"
            simulate(PROGRAM, out, load.replace("START", f", start: {start}" if start else ""))
            run = point(out)
            assert run["passed"]
            seen[start] = run["cycles"] - first
            assert run["program"] == point(tmp_path / name / "from 1 ")["program"]
        assert len(set(seen.values())) == 1, seen


def test_what_takes_the_wrong_message_is_stuck_and_says_so(tmp_path: Path) -> None:
    done = simulate(PROGRAM, tmp_path / "out", loads("stolen.goal", folder="bad"), status=1)
    assert "rank 0 line 5 'b: recv 8b from 1' waits for a message from rank 1 with tag 7" in done.stderr
    run = point(tmp_path / "out")
    assert run["outcome"] == "stuck"
    assert run["program"]["open"] == 1


@pytest.mark.parametrize("fidelity", ["core", "rtl"])
def test_what_is_stuck_says_so_though_links_never_rest(fidelity: str, tmp_path: Path) -> None:
    """The ends of a link that is held down try to bring it up for ever, so that something always happens."""
    done = simulate(
        PROGRAM,
        tmp_path / "out",
        loads("stolen.goal", folder="bad"),
        "network.topology={kind: irregular, switches: 2, ports: 8, hosts: 6, instances: 1}",
        f"network.fidelity={fidelity}",
        "network.link.layer=retry",
        "faults.events=[{at: 1, until: 1000000000000, link: host5, what: dead}]",
        status=1,
    )
    assert "rank 0 line 5 'b: recv 8b from 1' waits for a message from rank 1 with tag 7" in done.stderr
    assert point(tmp_path / "out")["outcome"] == "stuck"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ((loads("circular.goal", folder="bad"),), "circular wait: rank 0 line 4"),
        ((loads("length.goal", folder="bad"),), "lengths differ: "),
        ((loads("put.goal", folder="bad"),), "put.goal:4:1: unknown operation 'put'"),
        ((loads("pingpong.goal").replace("pingpong", "pong"),), "cannot be read"),
        (
            (loads("stencil_4x4.goal"), "network.topology.switches=1", "network.topology.hosts=8"),
            "the program has 16 ranks, and irregular-1 has 8 hosts",
        ),
        ((loads("pingpong.goal", ", queues: 65"),), "queues"),
        ((loads("pingpong.goal", ", start: 0"),), "start"),
        ((loads("pingpong.goal", ", start: 199999"), "ni.processor=iss"), "firmware is ready from cycle 200000 on"),
        ((loads("pingpong.goal", ", machine: loggops, start: 5"),), "start"),
        ((loads("pingpong.goal", ", message: 8 B"),), "message"),
        ((loads("pingpong.goal"), "host.model=ideal"), "host.model"),
        (("workload=[{name: m, kind: unicast}]", "host.processors=2"), "'host.processors' belongs to 'kind: program'"),
    ],
)
def test_refusals(settings: tuple[str, ...], words: str) -> None:
    assert words in refused(PROGRAM, *settings)


def test_collectives_are_placed_by_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "places.txt").write_text("host7\nhost2\n")
    load = f"{{name: c, kind: collective, algorithm: ring, ranks: 2, placement: {tmp_path / 'places.txt'}}}"
    simulate(PROGRAM, tmp_path / "out", *SWITCH, f"workload=[{load}]")
    assert [row["host"] for row in ranks(tmp_path / "out")] == ["host7", "host2"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("host0\nhost99\n", ":2:1: there is no host 'host99'"),
        ("host0\n  host0\n", ":2:3: host 'host0' has a rank already"),
        ("host0\n", "has 1 hosts, and the program 2 ranks"),
    ],
)
def test_bad_placements(text: str, words: str, tmp_path: Path) -> None:
    placed = tmp_path / "places.txt"
    placed.write_text(text)
    assert words in refused(PROGRAM, loads("pingpong.goal", f", placement: {placed}"))


def test_collectives_are_entries_of_algorithms_and_sizes(tmp_path: Path) -> None:
    """Bandwidths are size over time, and what an ideal algorithm sends over a link for it."""
    simulate(
        PROGRAM,
        tmp_path / "out",
        *SWITCH,
        "workload=[{name: ar, kind: collective, algorithm: [ring, doubling], size: [1 KiB, 16 KiB]}]",
    )
    runs = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    assert len(runs) == 4
    found = {}
    for run in runs:
        (one,) = run["program"]["collectives"]
        assert run["passed"]
        assert run["program"]["wrong_results"] == 0
        assert one["cycles"] == run["program"]["finish"]["cycles"]
        assert one["algbw"] == pytest.approx(one["size"] / one["seconds"])
        assert one["busbw"] == pytest.approx(one["algbw"] * 2 * 7 / 8)
        found[one["algorithm"], one["size"]] = one["cycles"]
    # Short vectors want few messages, long ones few bytes.
    assert found["doubling", 1024] < found["ring", 1024]
    assert found["ring", 16384] < found["doubling", 16384]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("algorithm: rings", "'allreduce' has no algorithm 'rings'"),
        ("algorithm: ring, size: 1023 B", "no whole number of elements of 4 B"),
        ("algorithm: ring, ranks: 9", "the program has 9 ranks, and irregular-1 has 8 hosts"),
        ("collective: allgather, algorithm: doubling, ranks: 6", "power of two"),
        ("algorithm: ring, reduction: xor", "for whole numbers"),
        ("collective: broadcast, algorithm: linear, root: 8", "the root is rank 8 of 8"),
    ],
)
def test_bad_collectives(text: str, words: str) -> None:
    assert words in refused(PROGRAM, *SWITCH, f"workload=[{{name: c, kind: collective, {text}}}]")


def test_an_algorithm_of_msccl_that_adds_nothing_is_found_by_its_bytes(tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", *SWITCH, loads("no_reduction.xml", folder="bad"), status=1)
    run = point(tmp_path / "out")
    assert run["check"]["messages"]["delivered"] == run["check"]["messages"]["expected"]
    assert run["program"]["wrong_results"] > 0


def test_a_long_calculation_is_no_standstill_where_bits_flip(tmp_path: Path) -> None:
    """Under upsets a run without deliveries is stuck; a rank that computes delivers nothing."""
    (tmp_path / "app.goal").write_text(
        "num_ranks 2\nrank 0 {\nc: calc 3000000\ns: send 8b to 1\ns requires c\n}\nrank 1 {\nr: recv 8b from 0\n}\n"
    )
    flip = "faults.events=[{at: 900, what: upset, chip: host5, memory: packets, index: 3, bit: 1}]"
    load = f"workload=[{{name: app, kind: program, path: {tmp_path / 'app.goal'}}}]"
    simulate(PROGRAM, tmp_path / "out", *SWITCH, load, flip, "watchdog.patience=2000")
    assert point(tmp_path / "out")["program"]["finish"]["cycles"] > 600_000


def test_why_says_what_each_cycle_was_needed_for(cli: Cli, tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", *SWITCH, loads("pingpong.goal"))
    text = cli("why", tmp_path / "out", "--critical").stdout
    finish = point(tmp_path / "out")["program"]["finish"]["cycles"]
    assert f"irregular-1/app: {finish:,} cycles" in text
    assert "send overhead" in text
    wrong = cli("why", tmp_path / "out", "--critical", "--log", "other")
    assert wrong.returncode == 2
    assert "--log other: no such run" in wrong.stderr


@pytest.mark.parametrize("seed", [1, 2])
def test_plain_sends_take_the_cycles_of_a_list_of_messages(tmp_path: Path, seed: int) -> None:
    """Matching, credits and content of a program cost no simulated time."""
    random = Random(seed)
    hosts = 8
    sent = [(a, b, random.choice([64, 300, 1024, 3000])) for a in range(hosts) for b in range(hosts) if a != b]
    random.shuffle(sent)
    lines = [f"num_ranks {hosts}"]
    for rank in range(hosts):
        sends = [f"s{i}: send {size}b to {b} tag {i}" for i, (a, b, size) in enumerate(sent) if a == rank]
        receives = [f"r{i}: recv {size}b from {a} tag {i}" for i, (a, b, size) in enumerate(sent) if b == rank]
        lines += [f"rank {rank} {{", *sends, *receives, "}"]
    (tmp_path / "sends.goal").write_text("\n".join(lines) + "\n")
    listed = ", ".join(
        f"{{at: 1 cycle, source: host{a}, destination: host{b}, bytes: {size} B}}" for a, b, size in sent
    )
    (tmp_path / "both.yaml").write_text(
        "network: {topology: {kind: irregular, switches: 1, ports: 8, hosts: 8, connectivity: 1, instances: 1}}\n"
        "workload:\n  - {name: program, kind: program, path: sends.goal, eager: 16 KiB}\n"
        f"  - {{name: messages, kind: list, list: [{listed}]}}\n"
    )
    simulate(tmp_path / "both.yaml", tmp_path / "out")
    program, messages = points(tmp_path / "out")
    assert program.program is not None
    assert messages.latency.max == program.program.finish.cycles
    with (tmp_path / "out" / "tables" / "latencies.csv").open() as table:
        ended = {int(row["latency"]) for row in csv.DictReader(table) if row["workload"] == "messages"}
    with (tmp_path / "out" / "tables" / "ranks.csv").open() as table:
        finished = {int(row["finish"]) for row in csv.DictReader(table)}
    # A rank finishes with its last message, which ends in the same cycle.
    assert finished <= ended
