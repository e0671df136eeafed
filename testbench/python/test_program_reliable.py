# SPDX-License-Identifier: Apache-2.0
"""Reliable messages of programs, and messages with the flags of LL and LL128."""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, refused, simulate
from test_fabric_run import tables
from test_ranks import on_ranks

RELIABLE = SCENARIOS / "reliable.yaml"
PROGRAM = SCENARIOS / "program.yaml"
DATA = ROOT / "testbench" / "data" / "programs"
#: Long and short messages, many at once, few credits, receives from anybody.
LOADS = (
    "workload=["
    "{name: ring, kind: collective, algorithm: [ring, doubling], size: 6 KiB, reliable: true, eager: 512 B, ranks: 6}, "
    "{name: all, kind: collective, collective: all_to_all, algorithm: direct, size: 6 KiB, reliable: true, ranks: 6}, "
    "{name: one, kind: collective, collective: barrier, algorithm: tree, reliable: true, credits: 1, ranks: 5}, "
    f"{{name: any, kind: program, path: {DATA / 'goal' / 'random_1.goal'}, reliable: true, credits: 2}}]"
)


def points(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "results.json").read_text())["points"]
    return found


def test_programs_end_whatever_wires_spoil(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "out", LOADS)
    simulate(RELIABLE, tmp_path / "clean", LOADS, "faults.links=[{rate: 0}]")
    later = 0
    for spoilt, clean in zip(points(tmp_path / "out"), points(tmp_path / "clean"), strict=True):
        for run in (spoilt, clean):
            name = run["workload"]["name"]
            messages, program = run["check"]["messages"], run["program"]
            assert run["passed"], name
            assert messages["delivered"] == messages["expected"] > 0, name
            assert program["wrong_results"] == program["mismatched"] == program["reliable"]["failed"] == 0, name
            assert program["reliable"]["acknowledged"] >= messages["expected"], name
        later += spoilt["program"]["finish"]["cycles"] > clean["program"]["finish"]["cycles"]
    assert later > 0, "something was repaired"


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3"])
def test_the_same_in_every_fidelity(setting: str, tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "core", LOADS)
    simulate(RELIABLE, tmp_path / "other", LOADS, setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


#: What switches and interfaces copy, on a network with all that these schemes need.
COPIED = (
    "workload=["
    "{name: b, kind: collective, collective: broadcast, algorithm: [worm, path, ssr, ni, hybrid], size: 3 KiB, "
    "root: 2, reliable: true, repeat: 2}, "
    "{name: a, kind: collective, algorithm: reduce_worm, size: 1 KiB, type: bf16, reliable: true}, "
    "{name: g, kind: collective, collective: allgather, algorithm: worms, size: 900 B, reliable: true, inplace: true}]",
    "network.topology={kind: irregular, switches: 3, ports: 8, hosts: 9, instances: 1}",
)


def test_multicasts_end_whatever_wires_spoil(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "out", *COPIED)
    simulate(RELIABLE, tmp_path / "clean", *COPIED, "faults.links=[{rate: 0}]")
    later = 0
    found = list(zip(points(tmp_path / "out"), points(tmp_path / "clean"), strict=True))
    assert len(found) == 7
    for spoilt, clean in found:
        for run in (spoilt, clean):
            name = run["workload"]["algorithm"]
            messages, program = run["check"]["messages"], run["program"]
            assert run["passed"], name
            assert messages["delivered"] == messages["expected"] > 0, name
            assert program["wrong_results"] == program["mismatched"] == program["reliable"]["failed"] == 0, name
        # One acknowledgement of all receivers, not one of each, where one worm or group reaches them.
        assert clean["program"]["reliable"]["acknowledged"] < clean["check"]["messages"]["expected"]
        later += spoilt["program"]["finish"]["cycles"] > clean["program"]["finish"]["cycles"]
    assert later > 0, "something was repaired"


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3"])
def test_multicasts_are_the_same_in_every_fidelity(setting: str, tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "core", *COPIED)
    simulate(RELIABLE, tmp_path / "other", *COPIED, setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


@pytest.mark.parametrize("algorithm", ["worm", "ni"])
def test_who_lacks_a_multicast_is_named(algorithm: str, tmp_path: Path) -> None:
    load = f"workload=[{{name: b, kind: collective, collective: broadcast, algorithm: {algorithm}, reliable: true}}]"
    cut = "faults={verdict: reported, events: [{at: 1, link: 'host3', what: dead}]}"
    done = simulate(RELIABLE, tmp_path / "out", load, COPIED[1], cut, "ni.reliable.attempts=2")
    said = json.dumps(points(tmp_path / "out")) + done.stderr + done.stdout
    assert "the multicast of" in said
    assert "it lacks at host 3" in said


def test_groups_that_acknowledge_have_room_or_are_refused(tmp_path: Path) -> None:
    load = "workload=[{name: b, kind: collective, collective: KIND, reliable: true}]"
    for kind, entries in (
        ("broadcast, algorithm: ni", 1),
        ("broadcast, algorithm: worm", 1),
        ("allgather, algorithm: worms", 17),
    ):
        of = (load.replace("KIND", kind), COPIED[1])
        assert f"which has {entries}" in refused(RELIABLE, *of, f"ni.groups={entries}"), kind
    simulate(RELIABLE, tmp_path / "out", load.replace("KIND", "allgather, algorithm: worms"), COPIED[1], "ni.groups=18")


#: The network loses one rank for good.
CUT_OFF = (
    "workload=[{name: ring, kind: collective, algorithm: ring, size: 1 KiB, reliable: true, ranks: 6}]",
    "faults={verdict: reported, events: [{at: 1, link: 'host3', what: dead}]}",
    "network.link.layer=check",
    "ni.reliable.attempts=2",
)


@pytest.mark.parametrize("fidelity", ["core", "rtl"])
def test_a_rank_that_is_cut_off_ends_the_run_and_is_named(fidelity: str, tmp_path: Path) -> None:
    done = simulate(RELIABLE, tmp_path / "out", *CUT_OFF, f"network.fidelity={fidelity}")
    (run,) = points(tmp_path / "out")
    assert run["passed"]
    assert run["program"]["reliable"]["failed"] > 0
    assert run["program"]["open"] > 0
    assert "collectives" not in run["program"]
    assert run["check"]["messages"]["missing"] > 0
    said = json.dumps(run) + done.stderr + done.stdout
    assert "was not delivered: a receiver is silent; it lacks at host 3" in said


def test_a_rank_that_is_cut_off_ends_the_run_of_several_processes(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "one", *CUT_OFF)
    on_ranks(2, RELIABLE, tmp_path / "two", *CUT_OFF, status=0)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_measured_timeout_needs_a_run_that_goes_on(tmp_path: Path) -> None:
    """Tables that deadlock before any message is acknowledged, by the circle that test_fabric_run.py has."""
    program = tmp_path / "shift.goal"
    ranks = (f"rank {i} {{\nsend 4096b to {(i + 2) % 6}\nrecv 4096b from {(i - 2) % 6}\n}}\n" for i in range(6))
    program.write_text("num_ranks 6\n" + "".join(ranks))
    settings = (
        *tables("ring6.minhop", "on_problem: run"),
        f"workload=[{{name: shift, kind: program, path: {program}, reliable: true}}]",
        "packet.payload=64 B",
        "switch.buffer=32 flit",
    )
    done = simulate(SCENARIOS / "fabric.yaml", tmp_path / "out", *settings, status=2)
    assert "time-out 'auto' of reliable messages is measured without faults, where the run is stuck" in done.stderr
    assert "wait cycle: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_what_reliable_programs_cannot_do() -> None:
    for load, words in (
        ("algorithm: ring, queues: 2", "reliable messages keep their order in one queue"),
        ("algorithm: ring, machine: loggops", "on the reference machine nothing is lost"),
    ):
        assert words in refused(PROGRAM, f"workload=[{{name: r, kind: collective, {load}, reliable: true}}]"), load


def test_flags_take_their_bytes_on_the_wire(tmp_path: Path) -> None:
    """LL has a flag of 4 bytes behind each 4, LL128 one of 8 behind each 120: on wires and in time, a program is like a
    plain one with so many bytes more. Results are right."""
    text = (DATA / "msccl" / "allreduce_2.xml").read_text()

    def ran(protocol: str, wire: str, size: int) -> tuple[int, str]:
        path = tmp_path / f"{protocol}.xml"
        path.write_text(text.replace('proto="Simple"', f'proto="{protocol}"'))
        out = tmp_path / f"{protocol}_{wire}_{size}"
        load = (
            f"workload=[{{name: m, kind: program, path: {path}, size: {size} B, type: i32, wire: {wire}, "
            "eager: 64 KiB}]"
        )
        simulate(PROGRAM, out, load, "network.topology.instances=1")
        (run,) = points(out)
        assert run["passed"]
        assert run["program"]["wrong_results"] == 0
        return run["program"]["finish"]["cycles"], (out / "tables" / "links.csv").read_text()

    size, messages = 15 * 1024, 2
    each = size // messages
    with_flags = {
        "Simple": size,
        "LL": messages * (each + 4 * ceil(each / 4)),
        "LL128": messages * (each + 8 * ceil(each / 120)),
    }
    assert len(set(with_flags.values())) == len(with_flags)
    for protocol, wired in with_flags.items():
        assert ran(protocol, "ignore", size) == ran("Simple", "ignore", size), protocol
        assert ran(protocol, "flags", size) == ran("Simple", "ignore", wired), protocol
