# SPDX-License-Identifier: Apache-2.0
"""Reliable messages of programs, and messages with the flags of LL and LL128."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, refused, simulate

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


def test_a_rank_that_is_cut_off_ends_the_run_and_is_named(tmp_path: Path) -> None:
    load = "workload=[{name: ring, kind: collective, algorithm: ring, size: 1 KiB, reliable: true, ranks: 6}]"
    done = simulate(
        RELIABLE,
        tmp_path / "out",
        load,
        "faults={verdict: reported, events: [{at: 1, link: 'host3', what: dead}]}",
        "network.link.layer=check",
        "ni.reliable.attempts=2",
    )
    (run,) = points(tmp_path / "out")
    assert run["passed"]
    assert run["program"]["reliable"]["failed"] > 0
    assert run["program"]["open"] > 0
    assert "collectives" not in run["program"]
    assert run["check"]["messages"]["missing"] > 0
    said = json.dumps(run) + done.stderr + done.stdout
    assert "was not delivered: a receiver is silent; it lacks at host 3" in said


def test_what_reliable_programs_cannot_do() -> None:
    for load, words in (
        ("algorithm: ring, queues: 2", "reliable messages keep their order in one queue"),
        ("algorithm: ring, machine: loggops", "on the reference machine nothing is lost"),
        ("algorithm: reduce_worm", "reliable messages of programs go to one rank"),
    ):
        assert words in refused(PROGRAM, f"workload=[{{name: r, kind: collective, {load}, reliable: true}}]"), load


def test_flags_take_their_bytes_on_the_wire(tmp_path: Path) -> None:
    """LL sends twice as many bytes, LL128 16 for 15; results are the same."""
    text = (DATA / "msccl" / "allreduce_2.xml").read_text()
    took = {}
    for protocol in ("Simple", "LL", "LL128"):
        path = tmp_path / f"{protocol}.xml"
        path.write_text(text.replace('proto="Simple"', f'proto="{protocol}"'))
        for wire in ("ignore", "flags"):
            load = (
                f"workload=[{{name: m, kind: program, path: {path}, size: 15 KiB, type: i32, wire: {wire}, "
                "eager: 64 KiB}]"
            )
            out = tmp_path / f"{protocol}_{wire}"
            simulate(PROGRAM, out, load, "network.topology.instances=1")
            (run,) = points(out)
            assert run["passed"]
            assert run["program"]["wrong_results"] == 0
            took[protocol, wire] = int(run["program"]["finish"]["cycles"])
    plain = took["Simple", "ignore"]
    assert {took[protocol, "ignore"] for protocol in ("LL", "LL128")} == {plain} == {took["Simple", "flags"]}
    assert took["LL", "flags"] / plain > 1.7
    assert 1.03 < took["LL128", "flags"] / plain < 1.1
